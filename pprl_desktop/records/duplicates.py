"""Records that occur twice in one table: exactly, or with a small slip in one cell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.records.distinct import factorise
from pprl_desktop.records.table import MISSING, CleanTable, Codes, Column, Table

Keys = npt.NDArray[np.uint64]
Rows = npt.NDArray[np.int64]

SMALL_SLIP = 2  # edits
FEWEST_FIELDS = 3  # with two fields, everyone who shares one name would be "near"
MOST_PAIRS = 200_000  # looked at closely; beyond that the count is a lower bound, and says so
_ODD = (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)  # splitmix64


@dataclass(frozen=True)
class Duplicates:
    """Counts are records beyond the first of their kind: removing so many would leave no duplicate."""

    exact: int
    near: int  # same in all fields but one, and that one differs by at most two edits
    near_is_lower_bound: bool = False


def row_keys(codes: Sequence[Codes], rows: int) -> Keys:
    """One 64-bit key a row; equal rows have equal keys, others collide once in 10^19 pairs."""
    keys = np.zeros(rows, dtype=np.uint64)
    for column in codes:
        keys += column.astype(np.uint64) + np.uint64(1)
        keys *= np.uint64(_ODD[0])
        keys ^= keys >> np.uint64(30)
        keys *= np.uint64(_ODD[1])
        keys ^= keys >> np.uint64(27)
        keys *= np.uint64(_ODD[2])
        keys ^= keys >> np.uint64(31)
    return keys


def distinct_rows(table: CleanTable) -> Rows:
    """Row numbers, in order, of one record of each kind: the table without exact duplicates."""
    return factorise(row_keys([column.codes for column in table.columns], table.rows))[1]


def without_copies(table: Table, id_column: str) -> Table:
    """The table with one record of each kind: the first of those that are alike in everything but the record number."""
    rows = first_of_each(table, id_column)
    return Table(tuple(column.take(rows) for column in table.columns))


def first_of_each(table: Table, id_column: str) -> Rows:
    codes = [column.codes for column in table.columns if column.name != id_column]
    return np.sort(factorise(row_keys(codes, table.rows))[1]) if codes else np.arange(table.rows)


def repeated(codes: Codes) -> Codes:
    """The codes that more than one row holds."""
    counts = np.bincount(codes[codes >= 0])
    return np.flatnonzero(counts > 1).astype(np.int32)


def alike(codes: Sequence[Codes], among: Rows | None = None) -> Rows:
    """Rows that agree in all columns with another one (of those asked about), in order."""
    rows = np.arange(len(codes[0])) if among is None else among
    groups, _ = factorise(row_keys([column[rows] for column in codes], len(rows)))
    return rows[np.bincount(groups)[groups] > 1] if len(rows) else rows


def extra(codes: Sequence[Codes], rows: Rows) -> int:
    """How many of these rows repeat an earlier one."""
    return len(rows) - len(factorise(row_keys([column[rows] for column in codes], len(rows)))[1])


def find_duplicates(
    columns: Sequence[Column], progress: Progress = NO_PROGRESS, same: Rows | None = None
) -> Duplicates:
    """Among cleaned columns; `same` are the rows that agree in all of them. Empty rows are nobody's duplicate."""
    if not columns or not len(columns[0]):
        return Duplicates(0, 0)
    codes = [column.codes for column in columns]
    same = alike(codes) if same is None else same
    filled = np.any([column != MISSING for column in codes], axis=0)
    same = same[filled[same]]
    _, first = factorise(row_keys([column[same] for column in codes], len(same)))
    exact = len(same) - len(first)
    if len(columns) < FEWEST_FIELDS:
        return Duplicates(exact, 0)
    progress.at(0.2, "Looking for near duplicates")
    single = filled.copy()
    single[same] = False
    single[same[first]] = True
    kept = [column[single] for column in codes]
    likely = _alike_in_half(kept, [len(column.values) for column in columns], progress)
    kept = [column[likely] for column in kept]
    near: set[int] = set()
    looked, more = 0, False
    for index, column in enumerate(columns):
        progress.at(0.4 + 0.6 * index / len(columns))
        left, right = _same_elsewhere(kept, index)
        more = more or looked + len(left) > MOST_PAIRS
        left, right = left[: MOST_PAIRS - looked], right[: MOST_PAIRS - looked]
        looked += len(left)
        near.update(_slips(column, kept[index], left, right, progress))
    return Duplicates(exact, len(near), more)


def _alike_in_half(codes: list[Codes], distinct: list[int], progress: Progress) -> Rows:
    """Two rows that differ in one column agree in the whole of one half of the columns: only those are looked at."""
    order = np.argsort(distinct)[::-1]
    halves = [[codes[index] for index in order[start::2]] for start in (0, 1)]
    shared = np.zeros(len(codes[0]), dtype=bool)
    for half in halves:
        progress.check()
        groups, _ = factorise(row_keys(half, len(shared)))
        shared |= np.bincount(groups)[groups] > 1
    return np.flatnonzero(shared)


def _same_elsewhere(codes: list[Codes], index: int) -> tuple[Rows, Rows]:
    """Neighbouring pairs of rows that agree in every column but one, which both have, and have most of the others."""
    others = codes[:index] + codes[index + 1 :]
    present = sum((column != MISSING).astype(np.int32) for column in others) >= max(len(others) - 1, 2)
    rows = np.flatnonzero(present & (codes[index] != MISSING))
    if not len(rows):
        return rows, rows
    groups, _ = factorise(row_keys([column[rows] for column in others], len(rows)))
    shared = np.flatnonzero(np.bincount(groups)[groups] > 1)
    order = shared[np.argsort(groups[shared], kind="stable")]
    same = np.flatnonzero(groups[order][1:] == groups[order][:-1])
    return rows[order[same]], rows[order[same + 1]]


def _slips(column: Column, codes: Codes, left: Rows, right: Rows, progress: Progress) -> set[int]:
    from rapidfuzz.distance import OSA

    found = set()
    for count, (one, other) in enumerate(zip(left.tolist(), right.tolist(), strict=True)):
        if count % 5_000 == 0:
            progress.check()
        a, b = column.values[codes[one]], column.values[codes[other]]
        if OSA.distance(a, b, score_cutoff=SMALL_SLIP) <= SMALL_SLIP and max(len(a), len(b)) > SMALL_SLIP + 1:
            found.add(other)
    return found
