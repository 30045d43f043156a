"""The twin of the protocol without its group: the same keys joined, the same levels from clear texts.

tests/blind/test_protocol.py shows that both open the same pairs and see the same levels; what is decided is therefore
the same, and a benchmark over many populations need not multiply points for hours.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from pprl_desktop.blind.decide import decide_opened
from pprl_desktop.blind.opened import Opened
from pprl_desktop.blind.plan import RECORD_KEY
from pprl_desktop.codes.keys.recipe import Columns, KeyRecipe, values_of
from pprl_desktop.codes.keys.variants import clear_marks, status_of
from pprl_desktop.decisions.base import Match, MatchOptions
from pprl_desktop.records.table import MISSING, CleanTable, Column

Pairs = npt.NDArray[np.int64]  # [pairs, 2]: own row, row of the answerer


def stacked(a: CleanTable, b: CleanTable) -> CleanTable:
    """Both tables under each other, with one list of values per column."""
    columns = []
    for one, other in zip(a.columns, b.columns, strict=True):
        made = Column.of(one.name, [*map(str, one.values), *map(str, other.values)])
        first, second = (np.append(part, MISSING) for part in np.split(made.codes, [len(one.values)]))
        codes = np.concatenate([first[one.codes], second[other.codes]]).astype(np.int32)
        columns.append(Column(one.name, made.values, codes))
    return CleanTable(a.fields, tuple(columns))


def joined(a: CleanTable, b: CleanTable, recipe: KeyRecipe) -> Pairs:
    """All pairs of records that share a key."""
    mine, theirs = Columns(a), Columns(b)
    found = [np.zeros(0, np.int64)]
    for key in recipe.keys:
        left, right = values_of(mine, key), values_of(theirs, key)
        kind = np.dtype((np.void, left.digests.shape[1]))
        marks = np.concatenate([left.digests, right.digests]).view(kind).reshape(-1)
        _, mark = np.unique(marks, return_inverse=True)
        own, other = np.split(mark, [len(left.rows)])
        order = np.argsort(other, kind="stable")
        low, high = (np.searchsorted(other[order], own, side) for side in ("left", "right"))
        at = np.repeat(np.arange(len(own)), high - low)
        offset = np.arange(len(at)) - np.repeat(np.cumsum(high - low) - (high - low), high - low)
        rows = right.rows[order[low[at] + offset]]
        found.append(np.unique(left.rows[at].astype(np.int64) * b.rows + rows))
    pairs = np.unique(np.concatenate(found))
    return np.column_stack([pairs // b.rows, pairs % b.rows])


def decided(a: CleanTable, b: CleanTable, recipe: KeyRecipe, options: MatchOptions) -> tuple[Match, Pairs]:
    """The asker's match, with rows of the answerer, and the opened pairs."""
    opened = joined(a, b, recipe)
    both = stacked(a, b)
    clear = clear_marks(both)
    rows, record = np.unique(opened[:, 1], return_inverse=True)
    marks = {}
    for column in both.columns:
        padded = np.concatenate([clear[column.name], np.zeros((1, clear[column.name].shape[1]), np.uint64)])
        marks[column.name] = padded[column.codes[a.rows + rows]]
    place_of = {column.name: {str(value): at for at, value in enumerate(column.values)} for column in both.columns}
    own_marks = {
        column.name: clear[column.name][[place_of[column.name][str(value)] for value in column.values]]
        for column in a.columns
    }
    made = Opened(
        rows.astype(np.int32), np.zeros((len(rows), RECORD_KEY), np.uint8), status_of(b)[rows], marks, own_marks,
        opened[:, 0].astype(np.int32), record.reshape(-1).astype(np.int32),
    )  # fmt: skip
    match = decide_opened(a, made, recipe, b.rows, options)
    partner = rows[match.scored.partner].astype(np.int32)
    return replace(match, scored=replace(match.scored, partner=partner)), opened
