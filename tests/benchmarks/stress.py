"""The adaptive decision on made-up files of awkward shapes: where does it collapse, and does it say so?

    python -m tests.benchmarks.stress [--scenarios A,B] [--methods bloom,split] [--epsilon E] [--noise two-sided]

Each row prints the figures of the first party, what it expected, and `rule`: the best F1 of a plain deterministic rule
("equal in at least k fields", k and the order chosen with the truth), which the decision should not fall far behind.
Without any overlap the figure that counts is the number of links.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from pprl_desktop.codes.base import Recipe, method
from pprl_desktop.codes.directions import of_flag
from pprl_desktop.decisions.base import Match, MatchOptions
from pprl_desktop.evaluation.play import play
from pprl_desktop.records.table import CleanTable
from tests.benchmarks.stress_people import Person, blanked, people, slips, table

Truth = set[tuple[int, int]]
Files = tuple[CleanTable, CleanTable, Truth, bool]
BASIC = ("last", "first", "born", "town", "zip")
ADDRESS = ("last", "first", "year", "street", "zip", "town", "county")


def shared(
    columns: tuple[str, ...],
    sizes: tuple[int, int],
    both: int,
    *,
    shape: str = "german",
    seed: int = 0,
    household: int = 1,
    touched: float = 0.5,
    further: float = 0.25,
) -> Files:
    """Two files of people, the first `both` rows of either the same, with slips in the second."""
    random = np.random.default_rng(seed)
    everyone = people(random, sum(sizes) - both, shape, household)
    if household > 1:  # families must not be cut apart by which file they are in
        everyone = [everyone[place] for place in random.permutation(len(everyone))]
    left, right = everyone[: sizes[0]], everyone[:both] + everyone[sizes[0] :]
    return (
        table(columns, left),
        slips(table(columns, right), seed, touched, further),
        {(row, row) for row in range(both)},
        True,
    )


def _missing(share: float, seed: int = 0) -> Files:
    a, b, truth, one = shared(BASIC, (1500, 1500), 600, seed=seed)
    random = np.random.default_rng(seed)
    return blanked(a, share, random), blanked(b, share, random), truth, one


def _one_sided_column() -> Files:
    a, b, truth, one = shared((*BASIC, "phone"), (800, 800), 300)
    codes = np.full(b.rows, -1, dtype=np.int32)
    columns = [replace(c, codes=codes) if c.name in ("phone", "born") else c for c in b.columns]
    return a, replace(b, columns=tuple(columns)), truth, one


def other_digits(columns: tuple[str, ...] = ("last", "first", "sex", "town"), seed: int = 0) -> Files:
    """Sexes are 0 and 1 on one side, 1 and 2 on the other: the 1 of both is somebody else."""
    a, b, truth, one = shared(columns, (400, 400), 200, seed=seed)
    return _rewritten(a, "sex", {"F": "0", "M": "1"}), _rewritten(b, "sex", {"F": "1", "M": "2"}), truth, one


def _rewritten(made: CleanTable, name: str, words: dict[str, str]) -> CleanTable:
    columns = list(made.columns)
    at = [one.name for one in columns].index(name)
    values = np.array([words[value] for value in columns[at].values], dtype=object)
    columns[at] = replace(columns[at], values=values)
    return replace(made, columns=tuple(columns))


def _one_family() -> Files:
    random = np.random.default_rng(0)
    everyone = people(random, 700)
    for row in everyone:
        row[0], row[5:11] = everyone[0][0], everyone[0][5:11]
    return (
        table(BASIC, everyone[:400]),
        slips(table(BASIC, everyone[:150] + everyone[400:]), 0),
        {(row, row) for row in range(150)},
        True,
    )


def one_to_many(columns: tuple[str, ...] = BASIC, household: int = 1, copies: int = 3) -> Files:
    random = np.random.default_rng(0)
    everyone = people(random, 500, household=household)
    everyone = [everyone[place] for place in random.permutation(len(everyone))]
    rows, truth = [], set()
    for place, person in enumerate(everyone[:250]):
        for _ in range(int(random.integers(0, copies + 1))):
            truth.add((place, len(rows)))
            rows.append(person)
    return table(columns, everyone[:350]), slips(table(columns, rows + everyone[350:]), 0, 0.8, 0.4), truth, False


def duplicates_inside(size: int = 1000) -> Files:
    """One-to-one is asked for, but a tenth of either file, people who are not in the other, is there twice."""
    a, b, truth, one = shared(BASIC, (size, size), 2 * size // 5)
    again = np.concatenate([np.arange(size), np.arange(size // 2, size // 2 + size // 10)])
    a, b = (replace(t, columns=tuple(replace(c, codes=c.codes[again]) for c in t.columns)) for t in (a, b))
    return slips(a, 1, 0.2), slips(b, 2, 0.2), truth, one


def _moved_and_married() -> Files:
    random = np.random.default_rng(0)
    everyone = people(random, 3000)
    later = [list(row) for row in everyone[:800]]
    for row in later:
        other: Person = everyone[int(random.integers(len(everyone)))]
        if random.random() < 0.3:
            row[0] = other[0]
        if random.random() < 0.5:
            row[5:11] = other[5:11]
    columns = ("last", "first", "middle", "year", "sex", "zip", "town")
    return (
        table(columns, everyone[:1900]),
        slips(table(columns, later + everyone[1900:]), 0, 0.3),
        {(row, row) for row in range(800)},
        True,
    )


def moved(size: int = 800, share: float = 0.15) -> Files:
    """One in seven has moved; street, zip code and town have nothing to do with each other but that they moved too."""
    random = np.random.default_rng(0)
    everyone = people(random, 2 * size)
    for row in everyone:
        for place in (5, 6, 7):
            row[place] = everyone[int(random.integers(len(everyone)))][place]
    right = [list(row) for row in everyone[: size // 2] + everyone[size : size + size // 2]]
    for row in right[: size // 2]:
        if random.random() < share:
            row[5:8] = [everyone[int(random.integers(len(everyone)))][place] for place in (5, 6, 7)]
    columns = ("last", "first", "born", "street", "zip", "town", "phone")
    truth = {(row, row) for row in range(size // 2)}
    return table(columns, everyone[:size]), slips(table(columns, right), 0, 0.3), truth, True


def _second_name_dropped() -> Files:
    random = np.random.default_rng(0)
    everyone = people(random, 1500, "spanish")
    right = [list(row) for row in everyone[:500] + everyone[900:]]
    for row in right:
        if random.random() < 0.5:
            row[0] = row[0].split()[0]
    return table(BASIC, everyone[:900]), slips(table(BASIC, right), 0, 0.3), {(r, r) for r in range(500)}, True


def an_id_alone() -> Files:
    """Nothing but a telephone number and a name that changed for a third."""
    random = np.random.default_rng(0)
    everyone = people(random, 1500)
    right = [list(row) for row in everyone[:500] + everyone[900:]]
    for row in right[:170]:
        row[0] = everyone[int(random.integers(len(everyone)))][0]
    columns = ("last", "phone")
    return table(columns, everyone[:900]), table(columns, right), {(r, r) for r in range(500)}, True


SCENARIOS: dict[str, Callable[[], Files]] = {
    "german": lambda: shared(BASIC, (1200, 1200), 500),
    "chinese": lambda: shared(("last", "first", "born", "sex"), (1200, 1200), 500, shape="chinese"),
    "arabic": lambda: shared(BASIC, (1200, 1200), 500, shape="arabic", touched=0.9, further=0.5),
    "vietnamese": lambda: shared(("last", "middle", "first", "born"), (1200, 1200), 500, shape="vietnamese"),
    "second_dropped": _second_name_dropped,
    "other_digits": other_digits,
    "tiny_50": lambda: shared(BASIC, (50, 50), 25),
    "tiny_50_few": lambda: shared(BASIC, (50, 50), 4, seed=1),
    "tiny_100_names": lambda: shared(("last", "first", "year"), (100, 100), 50, seed=2),
    "tiny_20_x_300": lambda: shared(BASIC, (20, 300), 12, seed=3),
    "dirty_200": lambda: shared(BASIC, (200, 200), 100, seed=4, touched=1.0, further=0.6),
    "200_x_20000": lambda: shared(BASIC, (200, 20000), 120),
    "200_x_20000_few": lambda: shared(("last", "first", "year"), (200, 20000), 20),
    "none": lambda: shared(BASIC, (1000, 1000), 0),
    "none_names": lambda: shared(("last", "first"), (1000, 1000), 0),
    "none_names_year": lambda: shared(("last", "first", "year", "sex"), (2000, 2000), 0, shape="chinese"),
    "none_tiny": lambda: shared(BASIC, (60, 60), 0, seed=5),
    "none_family": lambda: shared(ADDRESS, (800, 800), 0, household=4),
    "none_unequal": lambda: shared(BASIC, (100, 10000), 0),
    "none_last": lambda: shared(("last",), (500, 500), 0),
    "one_in_1000": lambda: shared(BASIC, (1000, 1000), 1, seed=6),
    "all": lambda: shared(BASIC, (500, 500), 500),
    "all_dirty": lambda: shared(BASIC, (500, 500), 500, touched=1.0, further=0.6),
    "all_equal": lambda: shared(BASIC, (300, 300), 300, touched=0.0),
    "one_family": _one_family,
    "households": lambda: shared((*BASIC, "street", "phone"), (1200, 1200), 500, household=4),
    "missing_30": lambda: _missing(0.3),
    "missing_50": lambda: _missing(0.5),
    "two_fields": lambda: shared(("last", "first"), (600, 600), 250),
    "name_and_year": lambda: shared(("last", "year"), (600, 600), 250),
    "last_only": lambda: shared(("last",), (300, 300), 120, touched=0.3),
    "id_only": lambda: shared(("phone",), (600, 600), 250, touched=0.2),
    "an_id_and_a_name": an_id_alone,
    "one_to_many": one_to_many,
    "many_families": lambda: one_to_many(ADDRESS, 3),
    "many_address": lambda: one_to_many((*BASIC, "county", "street")),
    "duplicates_inside": duplicates_inside,
    "address": lambda: shared(ADDRESS, (1200, 1200), 500),
    "address_only": lambda: shared(("street", "zip", "town", "county"), (1000, 1000), 400),
    "constant": lambda: shared((*BASIC, "country", "county"), (800, 800), 300),
    "one_sided_column": _one_sided_column,
    "moved": moved,
    "moved_and_married": _moved_and_married,
}  # fmt: skip


def matched(which: str, a: CleanTable, b: CleanTable, one_to_one: bool, epsilon: float | None, noise: str) -> Match:
    made = method(which)
    settings = replace(
        made.defaults(),
        direction=of_flag(one_to_one),
        epsilon=epsilon,
        noise=noise,
        layout="field",
        decision="adaptive",
    )
    recipe = Recipe(which, a.fields, settings, secret=b"benchmark secret of 32 bytes....")
    if made.uses_reference:
        from pprl_desktop.codes.mapping import default_mapping
        from pprl_desktop.reference.load import reference_set

        reference = reference_set("us-200")
        recipe = replace(recipe, reference=reference, mapping=default_mapping(a.fields, reference))
    return play(a, b, recipe, MatchOptions(of_flag(one_to_one))).a.match


def accepted(made: Match) -> Truth:
    rows = made.accepted()
    return set(zip(made.scored.own[rows].tolist(), made.scored.partner[rows].tolist(), strict=True))


def figures(found: Truth, truth: Truth) -> tuple[float, float, float]:
    right = len(found & truth)
    return right / max(len(found), 1), right / max(len(truth), 1), 2 * right / max(len(found) + len(truth), 1)


def deterministic(a: CleanTable, b: CleanTable, truth: Truth, one_to_one: bool) -> float:
    """The best "equal in at least k fields", most first, k chosen with the truth; each row once if one-to-one."""
    equal = np.zeros((a.rows, b.rows), dtype=np.int16)
    for x, y in zip(a.columns, b.columns, strict=True):
        known = {str(value): code for code, value in enumerate(x.values)}
        codes = np.array([known.get(str(value), -2) for value in y.values] + [-2], dtype=np.int32)[y.codes]
        equal += (x.codes[:, None] == codes[None, :]) & (x.codes >= 0)[:, None]
    best = 0.0
    for least in range(1, len(a.columns) + 1):
        if int((equal >= least).sum()) > 20 * (a.rows + b.rows):
            continue
        rows, columns = np.nonzero(equal >= least)
        mixed = np.random.default_rng(0).permutation(len(rows))  # the true pairs come first in the files
        order = mixed[np.argsort(-equal[rows, columns][mixed], kind="stable")]
        found: Truth = set()
        used: tuple[set[int], set[int]] = set(), set()
        for x, y in zip(rows[order].tolist(), columns[order].tolist(), strict=True):
            if not one_to_one or (x not in used[0] and y not in used[1]):
                found.add((x, y))
                used[0].add(x)
                used[1].add(y)
        best = max(best, figures(found, truth)[2])
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scenarios", default=",".join(SCENARIOS))
    parser.add_argument("--methods", default="bloom")
    parser.add_argument("--epsilon", type=float, default=None)
    parser.add_argument("--noise", default="one-sided")
    args = parser.parse_args()
    print(f"{'scenario':<18}{'method':<9}{'links':>6}{'true':>6}{'P':>7}{'R':>7}{'F1':>7}{'rule':>7}", end="")
    print(f"{'exp. P':>8}{'exp. R':>7}{'s':>6}  told")
    for name in args.scenarios.split(","):
        a, b, truth, one_to_one = SCENARIOS[name]()
        rule = deterministic(a, b, truth, one_to_one)
        for which in args.methods.split(","):
            since = time.perf_counter()
            made = matched(which, a, b, one_to_one, args.epsilon, args.noise)
            found = accepted(made)
            p, r, f = figures(found, truth)
            expected = [made.expected.get(key, np.nan) for key in ("precision", "recall")]
            print(
                f"{name:<18}{which:<9}{len(found):6d}{len(truth):6d}{p:7.3f}{r:7.3f}{f:7.3f}{rule:7.3f}"
                f"{expected[0]:8.3f}{expected[1]:7.3f}{time.perf_counter() - since:6.1f}  {len(made.warnings)}",
                flush=True,
            )


if __name__ == "__main__":
    main()
