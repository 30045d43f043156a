"""Project files made by somebody else: refused in a sentence or harmless; nothing runs, hangs or fills the memory.

A project is opened with a double click, so its bytes are a stranger's. The mutated ones run in a process of their own
that is watched for time and memory; the thorough number stands behind the marker slow.
"""

from __future__ import annotations

import json
import os
import random
import sqlite3
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from pprl_desktop.job import kept
from pprl_desktop.problem import Problem
from pprl_desktop.project.project import Project
from tests.hostility import told

SECONDS = 5  # after which a file counts as one that hangs
MEMORY = 100 << 20  # bytes over what is there before
RECURSIVE = (
    "CREATE VIEW {name} AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
    "SELECT 'choices' AS name, i AS value, i AS step, i AS input_hash, i AS output_hash FROM n"
)

OPENS = """
    import sys, time
    from pathlib import Path
    from pprl_desktop.job import kept
    from pprl_desktop.problem import Problem
    from pprl_desktop.project.project import Project
    from tests.hostility import memory_before, peak_memory
    base = memory_before()
    for path in map(Path, sys.argv[1:]):
        start = time.monotonic()
        try:
            with Project.open(path) as project:
                project.states(), project.title, project.can_undo(), project.can_redo()
                kept.rehearsal_of(project), kept.match_of(project), kept.review_of(project), project.artefact("profile")
                project.undo(), project.redo()
                project.change("Choose table", rows=project.choices.rows + 1)
            said = "accepted"
        except Problem as problem:
            assert str(problem.what).strip()
            said = "refused"
        print(said, round(time.monotonic() - start, 2), peak_memory() - base, path.name, flush=True)
"""


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A project with choices, history, confirmed steps and artefacts."""
    with Project.create(tmp_path_factory.mktemp("good") / "p", "Heart registry") as project:
        project.change("Choose table", table_path="people.csv", rows=12, sensitive=("diagnosis",))
        project.change("Choose method", method="bloom")
        project.undo()
        project.confirm("data", {"profile": b"{}", "match": b'{"said": ["x"], "expected": {"precision": 0.5}}'})
        path = project.path
    return path.read_bytes()


@pytest.fixture
def hostile(good: bytes, tmp_path: Path) -> Callable[..., Path]:
    def make(*statements: str, data: bytes = good) -> Path:
        path = tmp_path / "x.pprlproject"
        path.write_bytes(data)
        if statements:
            db = sqlite3.connect(path, isolation_level=None)
            db.execute("PRAGMA journal_mode = DELETE")
            db.execute("PRAGMA writable_schema = ON")
            for statement in statements:
                db.execute(statement)
            db.close()
        return path

    return make


def opened(*paths: Path) -> list[tuple[str, float, int]]:
    """Outcome, seconds and memory over the base of each file, in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(OPENS), *map(str, paths)], capture_output=True, text=True,
        timeout=SECONDS * (len(paths) + 5), cwd=Path(__file__).parents[2],
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    lines = [line.split(" ", 3) for line in done.stdout.splitlines()]
    return [(said, float(seconds), int(memory)) for said, seconds, memory, _ in lines]


def test_a_recursive_view_in_place_of_a_table_is_refused_at_once(hostile) -> None:
    for name in ("meta", "confirmed", "history", "artefact"):
        path = hostile(f"DROP TABLE {name}", RECURSIVE.format(name=name))
        before = path.read_bytes()
        ((said, seconds, _),) = opened(path)
        assert (said, seconds < SECONDS) == ("refused", True)
        assert path.read_bytes() == before
        assert [one.name for one in path.parent.iterdir()] == [path.name]


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE VIEW more AS SELECT 1",
        "CREATE TRIGGER t AFTER INSERT ON history BEGIN DELETE FROM meta; END",
        "CREATE TABLE more (x)",
        "CREATE INDEX i ON meta (value)",
        "ALTER TABLE meta ADD COLUMN g TEXT AS (hex(randomblob(1000000)))",
        "ALTER TABLE confirmed RENAME COLUMN step TO name",
        "DROP TABLE artefact",
        "UPDATE sqlite_master SET sql = replace(sql, 'name TEXT', 'name  TEXT') WHERE name = 'meta'",
        "UPDATE sqlite_master SET sql = 'CREATE TABLE meta (name, value DEFAULT (zeroblob(900000000)))'"
        " WHERE name = 'meta'",
        "UPDATE sqlite_master SET sql = 'nonsense' WHERE name = 'meta'",
        "UPDATE sqlite_master SET sql = CAST(x'ff00ff' AS TEXT) WHERE name = 'meta'",
        "UPDATE sqlite_master SET rootpage = 1 WHERE name = 'meta'",
        "UPDATE sqlite_master SET rootpage = 4000000 WHERE name = 'confirmed'",
    ],
)  # fmt: skip
def test_any_other_schema_than_the_known_one_is_refused(hostile, statement) -> None:
    with pytest.raises(Problem, match="not a PPRL Desktop project"):
        Project.open(hostile(statement))


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE meta SET value = zeroblob(400000000) WHERE name = 'choices'",
        "UPDATE meta SET value = CAST(x'ff' AS TEXT) WHERE name = 'choices'",
        "UPDATE meta SET value = CAST(zeroblob(60000000) AS TEXT) WHERE name = 'title'",
        "UPDATE meta SET value = '{\"columns\":' || replace(hex(zeroblob(200000)), '0', '[') WHERE name = 'choices'",
        "UPDATE meta SET value = '{\"sensitive\":[' || replace(hex(zeroblob(900000)), '00', '[],') || '[]]}'"
        " WHERE name = 'choices'",
        "INSERT OR REPLACE INTO artefact VALUES ('profile', 900000000, 0)",
        "INSERT OR REPLACE INTO artefact VALUES ('profile', zeroblob(500000000), 0)",
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 300000)"
        " INSERT INTO confirmed SELECT 'step' || i, 'x', 'y', 0 FROM n",
        "INSERT OR REPLACE INTO meta SELECT 'choices', json_set(value, '$.rows', 9e999) FROM meta"
        " WHERE name = 'choices'",
    ],
)  # fmt: skip
def test_what_is_far_too_large_or_no_text_costs_neither_time_nor_memory(hostile, statement) -> None:
    ((said, seconds, memory),) = opened(hostile(statement))
    assert (said, seconds < SECONDS) == ("refused", True)
    assert memory < MEMORY


CHOICES: tuple[tuple[str, object], ...] = (
    ("table_path", "a\0b"), ("title", "x"), ("rows", 10**30), ("rows", -(10**30)), ("rows", True), ("accept", "1"),
    ("sensitive", [1]), ("sensitive", "abc"), ("sensitive", ["\ud800"]), ("columns", [["a"]]), ("columns", {"a": "b"}),
    ("mapping", [["a", [1]]]), ("mapping", [["a", 7]]), ("fields", [1]), ("fields", [{}]), ("method", []),
    ("settings", {"bits": 1 << 40}), ("settings", {"fold": 20000}), ("settings", {"decoys": -1}),
    ("settings", {"epsilon": 1e300}), ("settings", {"epsilon": 0}), ("settings", []), ("home", "x" * 100_000),
    ("fields", [{"name": "a", "kind": "name", "cleaning": {"missing_words": [[1]]}}]),
)  # fmt: skip


@pytest.mark.parametrize(("name", "value"), CHOICES)
def test_choices_that_nobody_can_have_made_are_refused(good, tmp_path, name, value) -> None:
    path = tmp_path / "x.pprlproject"
    path.write_bytes(good)
    db = sqlite3.connect(path, isolation_level=None)
    (text,) = db.execute("SELECT value FROM meta WHERE name = 'choices'").fetchone()
    db.execute("UPDATE meta SET value = ? WHERE name = 'choices'", (json.dumps({**json.loads(text), name: value}),))
    db.close()
    with pytest.raises(Problem):
        Project.open(path)


@pytest.mark.parametrize(
    "data",
    [
        b"[]", b"{}", b'{"of": []}', b'{"said": 5}', b'{"said": [[]]}', b"\xff", b"[" * 99_999,
        b'{"said": ["a\\u001b[2K"]}', b'{"said": [], "expected": {"precision": "x"}}',
    ],
)  # fmt: skip
def test_what_was_kept_in_another_form_is_told_as_nothing(tmp_path, data) -> None:
    with Project.create(tmp_path / "p") as project:
        project.confirm("data")
        for name in ("rehearsal", "match", "review"):
            project.keep(name, data)
        assert kept.rehearsal_of(project) is None
        assert kept.match_of(project) is None
        assert kept.review_of(project) == kept.KeptReview((), ())


@pytest.mark.parametrize("what", ["pipe", "folder", "device"])
def test_what_is_not_a_file_is_refused_at_once(tmp_path, what) -> None:
    path = Path("/dev/zero") if what == "device" else tmp_path / "x.pprlproject"
    if what == "pipe":
        os.mkfifo(path)
    elif what == "folder":
        path.mkdir()
    with pytest.raises(Problem):
        Project.open(path)


def mutations(good: bytes, count: int, seed: int) -> list[bytes]:
    """Bytes changed anywhere, pages swapped, and valid databases with hostile values in every column."""
    draw = random.Random(seed)
    made = []
    while len(made) < count:
        data = bytearray(good)
        for _ in range(draw.choice((1, 1, 2, 5, 40))):
            at = draw.randrange(len(data)) if draw.random() < 0.7 else draw.randrange(200)
            how = draw.randrange(5)
            if how == 0:
                data[at] = draw.randrange(256)
            elif how == 1:
                data[at : at + 4] = draw.choice((b"\xff\xff\xff\xff", b"\0\0\0\1", b"\x7f\xff\xff\xff", b"\0\0\0\0"))
            elif how == 2:
                end = min(len(data), at + draw.randrange(1, 300))
                data[at:end] = draw.randbytes(end - at)
            elif how == 3:
                a, b = (4096 * draw.randrange(max(1, len(data) // 4096)) for _ in range(2))
                data[a : a + 4096], data[b : b + 4096] = data[b : b + 4096], data[a : a + 4096]
            else:
                del data[draw.randrange(1, len(data)) :]
                break
            if not data:
                break
        if data and bytes(data) != good:
            made.append(bytes(data))
    return made


def run(good: bytes, folder: Path, count: int, seed: int) -> dict[str, int]:
    paths = []
    for number, data in enumerate(mutations(good, count, seed)):
        paths.append(folder / f"{number}.pprlproject")
        paths[-1].write_bytes(data)
    found = opened(*paths)
    assert len(found) == count
    assert max(seconds for _, seconds, _ in found) < SECONDS
    assert max(memory for _, _, memory in found) < MEMORY
    assert {path.name for path in folder.iterdir()} == {path.name for path in paths}
    for path in paths:
        path.unlink()
    accepted = sum(said == "accepted" for said, _, _ in found)
    told(count, accepted, max(seconds for _, seconds, _ in found), max(memory for _, _, memory in found))
    return {said: sum(one[0] == said for one in found) for said in ("refused", "accepted")}


def test_mutated_projects_are_refused_or_do_no_harm(good, tmp_path) -> None:
    found = run(good, tmp_path, 120, seed=1)
    assert found["refused"] > 20


@pytest.mark.slow
@pytest.mark.parametrize("part", range(12))
def test_six_thousand_mutated_projects_are_refused_or_do_no_harm(good, tmp_path, part) -> None:
    found = run(good, tmp_path, 500, seed=100 + part)
    assert sum(found.values()) == 500
