"""Smashed distances laid out for the join: flat arrays of distinct values, and distinct records in search order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pprl_desktop.codes.base import Part, Smashed
from pprl_desktop.progress import NO_PROGRESS, Progress

Ints = npt.NDArray[np.int64]
Codes = npt.NDArray[np.int32]
Bytes = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float32]


class Values(NamedTuple):
    """Of one side, for the compiled loops: all fields, one after the other."""

    values: Bytes
    value_at: Ints
    squares: Ints
    square_at: Ints


class Form(NamedTuple):
    """Attributes of all fields and the weights of a rule, for the compiled loops."""

    widths: Ints
    groups: Ints
    ends: Ints
    counts: Codes
    count_at: Ints
    cosine: Ints  # [fields, most attributes] weight of the cosine distance
    largest: Ints  # of the largest difference


@dataclass(frozen=True, eq=False)
class Vectors:
    """The distinct smashed values of every field of one side, attributes side by side, flat."""

    rows: int
    codes: Codes  # [fields, rows]; d of the field where it is missing
    distinct: Ints  # [fields]
    values: Bytes  # flat, field after field, [d, width] each
    value_at: Ints
    squares: Ints  # flat, [d, groups]: squared lengths, for the cosine
    square_at: Ints
    projected: dict[int, Floats] = field(default_factory=dict, repr=False)  # split_bounds: fields projected before

    @property
    def flat(self) -> Values:
        return Values(self.values, self.value_at, self.squares, self.square_at)


@dataclass(frozen=True, eq=False)
class Shape:
    """What both sides have in common: fields, attributes, and reference records merged where they say the same."""

    fields: tuple[str, ...]
    parts: tuple[tuple[str, ...], ...]
    widths: Ints  # [fields] merged reference records of all attributes
    groups: Ints  # [fields] attributes
    ends: Ints  # [fields, most attributes] where each attribute ends
    counts: Codes  # flat [width]: how many reference records a column stands for
    count_at: Ints
    directions: dict[int, tuple[Floats, Floats]] = field(default_factory=dict, repr=False)  # split_bounds: found before

    def weighted(self, cosine: Ints, largest: Ints) -> Form:
        return Form(self.widths, self.groups, self.ends, self.counts, self.count_at, cosine, largest)

    @property
    def plain(self) -> Form:
        """Where weights play no part: the features themselves."""
        none = np.zeros_like(self.ends)
        return self.weighted(none, none)


def shape_and_vectors(
    parts: Sequence[Sequence[str]], fields: Sequence[str], sides: Sequence[Smashed], progress: Progress = NO_PROGRESS
) -> tuple[Shape, list[Vectors]]:
    """Flat arrays of the named parts of each side, with identical reference columns merged (weight = their count)."""
    most = max((len(names) for names in parts), default=1)
    ends = np.zeros((len(fields), most), dtype=np.int64)
    widths, groups, counts = [], [], []
    pieces: list[list[tuple[Codes, list[Bytes]]]] = [[] for _ in sides]
    for place, names in enumerate(parts):
        merged: list[list[Bytes]] = [[] for _ in sides]
        tables = [[side.part(name) for name in names] for side in sides]
        coded = [_common_codes(found) for found in tables]
        width = 0
        for g in range(len(names)):
            progress.check()
            values = [found[g].values[take[g]] for found, (_, take) in zip(tables, coded, strict=True)]
            keep, count = _merged_columns(values)
            for target, value in zip(merged, values, strict=True):
                target.append(np.ascontiguousarray(value[:, keep]))
            counts.append(count)
            width += len(keep)
            ends[place, g] = width
        ends[place, len(names) :] = width
        widths.append(width)
        groups.append(len(names))
        for piece, (codes, _), arrays in zip(pieces, coded, merged, strict=True):
            piece.append((codes, arrays))
    flat_counts = np.concatenate(counts).astype(np.int32) if counts else np.zeros(0, dtype=np.int32)
    shape = Shape(
        tuple(fields), tuple(tuple(names) for names in parts), np.array(widths, dtype=np.int64),
        np.array(groups, dtype=np.int64), ends, flat_counts, starts(widths),
    )  # fmt: skip
    return shape, [_flat(shape, piece, side.rows, progress) for piece, side in zip(pieces, sides, strict=True)]


def _common_codes(found: Sequence[Part]) -> tuple[Codes, list[npt.NDArray[np.int64]]]:
    """One code per row for all attributes of a field, and where each attribute keeps that value.

    Attributes of one field are coded alike as long as nobody reorders them; otherwise the combinations are coded.
    """
    first = found[0].rows
    used = np.zeros(len(found[0].values) + 1, dtype=np.bool_)
    used[first] = True
    if all(np.array_equal(first, part.rows) for part in found[1:]):
        take = np.flatnonzero(used[:-1])
        new = np.full(len(used), len(take), dtype=np.int32)
        new[take] = np.arange(len(take), dtype=np.int32)
        return new[first], [take] * len(found)
    stacked = np.stack([part.rows for part in found])
    whole = (stacked >= 0).all(axis=0)
    distinct, inverse = np.unique(stacked[:, whole], axis=1, return_inverse=True)
    codes = np.full(len(first), distinct.shape[1], dtype=np.int32)
    codes[whole] = inverse.reshape(-1)
    return codes, list(distinct.astype(np.int64))


def _merged_columns(values: Sequence[Bytes]) -> tuple[Ints, Ints]:
    """Columns that are equal on every side (a reference name drawn twice) are kept once, with their count."""
    seen: dict[bytes, int] = {}
    keep: list[int] = []
    count: list[int] = []
    columns = [np.ascontiguousarray(value.T) for value in values]
    for r in range(values[0].shape[1]):
        key = b"".join(column[r].tobytes() for column in columns)
        if key in seen:
            count[seen[key]] += 1
        else:
            seen[key] = len(keep)
            keep.append(r)
            count.append(1)
    return np.array(keep, dtype=np.int64), np.array(count, dtype=np.int64)


def _flat(shape: Shape, piece: Sequence[tuple[Codes, list[Bytes]]], rows: int, progress: Progress) -> Vectors:
    values, squares, distinct = [], [], []
    at = 0
    for codes_and_values in piece:
        arrays = codes_and_values[1]
        distinct.append(len(arrays[0]))
        values.append(np.concatenate(arrays, axis=1))
        lengths = np.empty((len(arrays[0]), len(arrays)), dtype=np.int64)
        for g, array in enumerate(arrays):
            count = shape.counts[at : at + array.shape[1]].astype(np.int64)
            at += array.shape[1]
            for start in range(0, len(array), 8192):
                progress.check()
                whole = array[start : start + 8192].astype(np.int64)
                lengths[start : start + 8192, g] = (whole * whole) @ count
        squares.append(lengths)
    codes = np.stack([codes for codes, _ in piece]) if piece else np.zeros((0, rows), dtype=np.int32)
    return Vectors(
        rows, codes, np.array(distinct, dtype=np.int64),
        joined(values, np.uint8), starts([value.size for value in values]),
        joined(squares, np.int64), starts([square.size for square in squares]),
    )  # fmt: skip


def joined(arrays: Sequence[npt.NDArray[Any]], dtype: type) -> npt.NDArray[Any]:
    return np.concatenate([array.reshape(-1) for array in arrays]) if arrays else np.zeros(0, dtype=dtype)


def starts(sizes: Sequence[int]) -> Ints:
    return np.concatenate([[0], np.cumsum(np.array(sizes, dtype=np.int64))])[: len(sizes)].astype(np.int64)


def some_rows(smashed: Smashed, rows: Ints) -> Smashed:
    """A choice of rows of the distance parts; values are shared."""
    parts = tuple(replace(part, rows=part.rows[rows]) for part in smashed.parts if part.kind == "distances")
    return replace(smashed, rows=len(rows), parts=parts)


@dataclass(frozen=True, eq=False)
class Records:
    """Distinct records (combinations of codes) in search order, and the groups of the first two levels."""

    codes: Codes  # [fields, records]
    start: Ints  # [d of the first field + 2] first record of each group, the missing group last
    subs: Ints  # [d + 2] first subgroup of each group
    sub: Ints  # [subgroups + 1] first record of each subgroup
    second: Codes  # [subgroups] code of the second field
    member_at: Ints  # [records + 1] where the rows of each record begin
    members: Codes  # rows, record by record


def records_of(vectors: Vectors, order: Sequence[int], rows: Ints | None = None) -> Records:
    chosen = np.arange(vectors.rows) if rows is None else rows
    codes = vectors.codes[:, chosen]
    by = np.lexsort([codes[f] for f in reversed(order)]) if len(chosen) else np.zeros(0, dtype=np.int64)
    ordered = codes[:, by]
    new = np.ones(len(by), dtype=np.bool_)
    new[1:] = (ordered[:, 1:] != ordered[:, :-1]).any(axis=0)
    firsts = np.flatnonzero(new)
    distinct = np.ascontiguousarray(ordered[:, firsts])
    members = chosen[by].astype(np.int32)
    return Records(
        distinct,
        *_levels(distinct, order, vectors),
        np.append(firsts, len(by)).astype(np.int64),
        members,
    )


def reordered(records: Records, vectors: Vectors, order: Sequence[int]) -> tuple[Records, Ints]:
    """The same records sorted by another order of the fields, without their members, and which record each one was."""
    by = np.lexsort([records.codes[f] for f in reversed(order)]).astype(np.int64)
    codes = np.ascontiguousarray(records.codes[:, by])
    nobody = np.zeros(0, dtype=np.int32)
    return Records(codes, *_levels(codes, order, vectors), nobody.astype(np.int64), nobody), by


def _levels(codes: Codes, order: Sequence[int], vectors: Vectors) -> tuple[Ints, Ints, Ints, Codes]:
    """First record of each group, first subgroup of each group, first record and second code of each subgroup."""
    top = codes[order[0]]
    groups = int(vectors.distinct[order[0]]) + 1
    start = np.searchsorted(top, np.arange(groups + 1)).astype(np.int64)
    fresh = np.ones(codes.shape[1], dtype=np.bool_)
    if len(order) > 1:
        second = codes[order[1]]
        fresh[1:] = (top[1:] != top[:-1]) | (second[1:] != second[:-1])
    sub = np.append(np.flatnonzero(fresh), codes.shape[1]).astype(np.int64)
    subs = np.searchsorted(sub[:-1], start).astype(np.int64)
    second_codes = codes[order[1] if len(order) > 1 else order[0]][sub[:-1]]
    return start, subs, sub, np.ascontiguousarray(second_codes)


def matrix(shape: Shape, side: Vectors, f: int) -> Bytes:
    d, width = int(side.distinct[f]), int(shape.widths[f])
    return side.values[side.value_at[f] : side.value_at[f] + d * width].reshape(d, width)
