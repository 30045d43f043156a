"""A project of own files from somebody else: its kept match and decisions are used only where they fit, or not at all.

Whoever makes the project makes its key as well, so a hostile match is sealed as it should be.
"""

from __future__ import annotations

import json
import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from pprl_desktop.exchange.container import Array
from pprl_desktop.job import own_kept
from pprl_desktop.job.own_files import OwnFiles
from pprl_desktop.job.own_kept import MATCH, VERSION
from pprl_desktop.review import sealing
from tests.benchmarks.populations import make
from tests.hostility import ODD, Tally, mangled, spoilt
from tests.job import parties
from tests.job.test_own_files import WORLD

QUICK, FULL = 40, 1500


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("own")
    population = make(replace(WORLD, people=(120, 120)))
    paths = []
    for name, table in (("a", population.a), ("b", population.b)):
        cells = [one.cells() for one in table.columns]
        header = [one.name for one in table.columns]
        paths.append(parties.write(folder / f"{name}.csv", header, list(zip(*cells, strict=True))))
    with OwnFiles.opened(folder / "job", (paths[0], paths[1])).project as project:
        made = OwnFiles(project)
        made.match(project.choices)
        yield made


def changed(draw: random.Random, arrays: dict[str, Array]) -> dict[str, Array]:
    """One array longer, shorter, of another kind or with other numbers; or what the match says of itself."""
    arrays, good = dict(arrays), arrays
    for _ in range(draw.choice((1, 1, 2))):
        name = draw.choice([*sorted(arrays), "told", "told"])
        if name not in arrays:
            continue
        found, how = arrays[name].copy(), draw.randrange(6)
        if name == "told" and draw.random() < 0.9:
            text = json.dumps(spoilt(draw, json.loads(good[name].tobytes()), (*ODD, None, True, 1.5, float("inf"))))
            found = np.frombuffer(text.encode("utf-8", "surrogatepass"), np.uint8)
        elif how == 0:
            del arrays[name]
            continue
        elif how == 1:
            found = np.concatenate([found, found[:1]])
        elif how == 2:
            found = found[:-1]
        elif how == 3 and found.size:
            flat = found.reshape(-1)
            flat[draw.randrange(flat.size)] = draw.choice([0, 1, 127, np.iinfo(found.dtype).max])
        elif how == 4:
            found = found.astype(draw.choice([np.uint8, np.int64, np.uint64]))
        else:
            found = np.zeros(draw.choice([0, 1, 1000]), np.uint8)
        arrays[name] = found
    return arrays


def run(own: OwnFiles, count: int, seed: int) -> None:
    project, draw = own.project, random.Random(seed)
    choices, path = project.choices, project.folder / MATCH
    keys = own_kept._keys(project, make=False)
    assert keys is not None
    good = path.read_bytes()
    found = sealing.read_with_key(path, "match", keys, keys.public().sign)
    rows = own._sizes(choices)
    tally = Tally("own files: kept match")

    def act() -> Any:
        match = own.kept_match(choices)
        return None if match is None else (match, own.outcome(choices, match))

    def wrong(made: Any) -> str:
        if made is None:
            return ""
        pairs = made[1].pairs
        return "" if all(0 <= a < rows[0] and 0 <= b < rows[1] for a, b in pairs) else "rows that there are not"

    for _ in range(count):
        if draw.random() < 0.1:
            path.write_bytes(mangled(draw, good))
        else:
            plain = spoilt(draw, found.plain) if draw.random() < 0.1 else {**found.plain, "version": VERSION}
            sealing.write_to_key(path, "match", plain, changed(draw, found.arrays), keys.public(), keys)
        tally.case(act, wrong)
    path.write_bytes(good)
    tally.finish(len([one for one in path.parent.iterdir() if one.name.startswith(".")]))


def test_a_changed_match_of_own_files_is_made_anew_or_right(own: OwnFiles) -> None:
    run(own, QUICK, 1)


@pytest.mark.slow
def test_thousands_of_changed_matches_of_own_files(own: OwnFiles) -> None:
    run(own, FULL, 2)


@pytest.mark.parametrize(
    "decided",
    ["[[Infinity, 0, 1]]", "[[1e999, 0, 1]]", "[[NaN, 0, 1]]", "[[0, 9999999, 1]]", "[[-1, 0, 1]]",
     '[["x", 0, 1]]', "[[0, 0]]", "[0]", "{}", "null", "[[" + "9" * 5000 + ", 0, 1]]", "[" * 99_999],
)  # fmt: skip
def test_decisions_that_nobody_can_have_made_are_none(own: OwnFiles, decided: str) -> None:
    of = json.dumps(own_kept.files_of(own.project.choices))
    own.project.keep("decided", f'{{"of": {of}, "decided": {decided}}}'.encode())
    assert own.decisions(own.project.choices) == {}
    own.project.keep("decided", b"{}")


@pytest.mark.parametrize("told", ['"x"', "[1]", "[[]]", '[["a.csv", 1, 2, 3, 4, 5]]', "7", '[["a.csv", {"said": 3}]]'])
def test_remarks_that_are_none_are_left_out_or_shown_as_text(own: OwnFiles, told: str) -> None:
    of = json.dumps(own_kept.files_of(own.project.choices))
    own.project.keep("remarks", f'{{"of": {of}, "told": {told}}}'.encode())
    for file, problem in own_kept.remarks(own.project):
        assert str(file) == "a.csv"
        assert isinstance(str(problem), str)
