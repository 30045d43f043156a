"""Small made-up tables for the tests of matching."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from pprl_desktop.codes.base import Recipe, Settings, Smashed, method
from pprl_desktop.decisions.base import Match, MatchOptions
from pprl_desktop.decisions.learn import learn
from pprl_desktop.matching.match import match
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.records.fields import Field
from pprl_desktop.records.table import MISSING, CleanTable, Column

KINDS = {
    "last": "name",
    "first": "name",
    "middle": "name",
    "born": "date",
    "town": "text",
    "zip": "id",
    "sex": "category",
}
SYLLABLES = ("BA", "DE", "KO", "LI", "MU", "NA", "PO", "RE", "SI", "TA", "VER", "WIN", "ZAN", "GOR", "HEL", "JUN")


def table(fields: Sequence[str], rows: Sequence[Sequence[str]]) -> CleanTable:
    columns = []
    for place, name in enumerate(fields):
        column = Column.of(name, [row[place] for row in rows])
        blank = np.flatnonzero(column.values == "")
        codes = np.where(np.isin(column.codes, blank), MISSING, column.codes).astype(np.int32)
        columns.append(Column(name, column.values, codes))
    return CleanTable(tuple(Field.of(name, KINDS[name]) for name in fields), tuple(columns))


def names(random: np.random.Generator, count: int, parts: int = 3) -> list[str]:
    return ["".join(random.choice(SYLLABLES, parts)) for _ in range(count)]


def population(random: np.random.Generator, count: int) -> list[list[str]]:
    """last, first, born, town, zip: names by a steep frequency, a town for each zip code."""
    last, first = names(random, 400), names(random, 120, 2)
    towns = names(random, 40, 3)
    rows = []
    for _ in range(count):
        place = int(40 * random.random() ** 2)
        born = f"{random.integers(1930, 2010)}{random.integers(1, 13):02d}{random.integers(1, 29):02d}"
        rows.append([
            last[int(400 * random.random() ** 2)], first[int(120 * random.random() ** 2)], born, towns[place],
            f"{10000 + 7 * place}",
        ])  # fmt: skip
    return rows


FIELDS = ("last", "first", "born", "town", "zip")


def two_files(seed: int = 0, size: int = 500, shared: int = 200) -> tuple[CleanTable, CleanTable, set[tuple[int, int]]]:
    """Two files of `size` people, the first `shared` rows of either the same people, with slips in the second."""
    from pprl_desktop.codes.corrupt import corrupt

    random = np.random.default_rng(seed)
    everyone = population(random, 2 * size - shared)
    left = table(FIELDS, everyone[:size])
    right = corrupt(table(FIELDS, everyone[:shared] + everyone[size:]), seed)
    return left, right, {(row, row) for row in range(shared)}


def smashed(
    left: CleanTable, right: CleanTable, name: str = "bloom", **settings: object
) -> tuple[Smashed, Smashed, Recipe]:
    recipe = Recipe(name, left.fields, replace(Settings(), **settings), secret=b"s" * 32)
    made = method(name)
    return made.smash(left, recipe, NO_PROGRESS), made.smash(right, recipe, NO_PROGRESS), recipe


def linked(
    left: CleanTable,
    right: CleanTable,
    options: MatchOptions | None = None,
    progress: Progress = NO_PROGRESS,
    **settings: object,
) -> Match:
    own, partner, recipe = smashed(left, right, **settings)  # type: ignore[arg-type]
    rule = learn(left, own, recipe, 0, NO_PROGRESS)
    return match(own, partner, rule, options or MatchOptions(), progress)


def accepted(made: Match) -> set[tuple[int, int]]:
    rows = made.accepted()
    return set(zip(made.scored.own[rows].tolist(), made.scored.partner[rows].tolist(), strict=True))


def f1(found: set[tuple[int, int]], truth: set[tuple[int, int]]) -> float:
    return 2 * len(found & truth) / max(len(found) + len(truth), 1)
