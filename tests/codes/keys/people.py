"""Invented people with names of uneven frequency, for the tests of keys and of the protocol."""

from __future__ import annotations

import numpy as np

from pprl_desktop.codes.keys.recipe import Columns, KeyRecipe, values_of
from pprl_desktop.records.fields import Field
from pprl_desktop.records.table import CleanTable, Column

SYLLABLES = ("MAR", "TEN", "LO", "BER", "SKA", "WIN", "HOL", "DE", "RIK", "SON", "AN", "EL", "TOR", "VI", "KO", "ZA")
FIELDS = (
    Field.of("last_name"),
    Field.of("first_name"),
    Field.of("birth", "date"),
    Field.of("city", "text"),
    Field.of("sex", "category"),
)


def names(count: int, parts: int, random: np.random.Generator) -> list[str]:
    made: dict[str, None] = {}
    while len(made) < count:
        made["".join(random.choice(SYLLABLES, parts))] = None
    return list(made)


def people(rows: int, seed: int = 0) -> CleanTable:
    """Last name, first name, date of birth, city and sex; names fall off like 1 / rank."""
    random = np.random.default_rng(seed)
    pools = names(800, 3, np.random.default_rng(1)), names(200, 2, np.random.default_rng(2))
    cells = []
    for pool in pools:
        weight = 1.0 / np.arange(3, len(pool) + 3)
        cells.append(random.choice(pool, rows, p=weight / weight.sum()).tolist())
    days = random.integers(0, 25_000, rows)
    dates = (np.datetime64("1930-01-01") + days).astype(str)
    cells.append([text.replace("-", "") for text in dates])
    cells.append(random.choice(names(60, 2, np.random.default_rng(3)), rows).tolist())
    cells.append(random.choice(["F", "M"], rows).tolist())
    columns = tuple(Column.of(one.name, column) for one, column in zip(FIELDS, cells, strict=True))
    return CleanTable(FIELDS, columns)


def plain_join(a: CleanTable, b: CleanTable, recipe: KeyRecipe) -> set[tuple[int, int]]:
    """The twin: pairs of records that share a key, by comparing the keys themselves."""
    found = set()
    for key in recipe.keys:
        mine, theirs = values_of(Columns(a), key), values_of(Columns(b), key)
        rows: dict[bytes, list[int]] = {}
        for row, digest in zip(theirs.rows.tolist(), theirs.digests, strict=True):
            rows.setdefault(digest.tobytes(), []).append(row)
        for row, digest in zip(mine.rows.tolist(), mine.digests, strict=True):
            found.update((row, other) for other in rows.get(digest.tobytes(), ()))
    return found
