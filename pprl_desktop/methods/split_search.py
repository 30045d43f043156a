"""The exact join on smashed distances: all pairs of records whose weighted cost is within a budget.

Never records x records x reference set: vectors are compared once per pair of distinct values, most pairs fall to a
lower bound of a few numbers (a PCA projection never lengthens a distance; a few reference records never show more than
the largest difference), and records are grouped by the most selective field. The bounds only skip work.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from pprl_desktop.methods.base import Part, Smashed
from pprl_desktop.methods.blocks import threads_of
from pprl_desktop.methods.split_rule import Weights
from pprl_desktop.progress import NO_PROGRESS, Progress

ITERATIONS = 4  # of the search for directions
SAMPLE = 150  # values from which the projection is learned; any projection is exact, a good one is fast
SLACK = 1e-3  # share of the budget: far above the rounding of float32 in the bounds
BLOCKS = 96  # pieces of work between two looks at Cancel; the kernel also looks at a flag of its own
REMEMBERED = 100_000_000  # bytes of remembered bounds at most
START_ROOM = 1 << 16  # pairs of one block at first; a fuller block is run again with the room it asked for

Ints = npt.NDArray[np.int64]
Codes = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float32]
Bytes = npt.NDArray[np.uint8]


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


def shape_and_vectors(
    parts: Sequence[Sequence[str]], fields: Sequence[str], sides: Sequence[Smashed]
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
        np.array(groups, dtype=np.int64), ends, flat_counts, _starts(widths),
    )  # fmt: skip
    return shape, [_flat(shape, piece, side.rows) for piece, side in zip(pieces, sides, strict=True)]


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


def _flat(shape: Shape, piece: Sequence[tuple[Codes, list[Bytes]]], rows: int) -> Vectors:
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
                whole = array[start : start + 8192].astype(np.int64)
                lengths[start : start + 8192, g] = (whole * whole) @ count
        squares.append(lengths)
    codes = np.stack([codes for codes, _ in piece]) if piece else np.zeros((0, rows), dtype=np.int32)
    return Vectors(
        rows, codes, np.array(distinct, dtype=np.int64),
        _joined(values, np.uint8), _starts([value.size for value in values]),
        _joined(squares, np.int64), _starts([square.size for square in squares]),
    )  # fmt: skip


def _joined(arrays: Sequence[npt.NDArray[Any]], dtype: type) -> npt.NDArray[Any]:
    return np.concatenate([array.reshape(-1) for array in arrays]) if arrays else np.zeros(0, dtype=dtype)


def _starts(sizes: Sequence[int]) -> Ints:
    return np.concatenate([[0], np.cumsum(np.array(sizes, dtype=np.int64))])[: len(sizes)].astype(np.int64)


def some_rows(smashed: Smashed, rows: Ints) -> Smashed:
    """A choice of rows of the distance parts; values are shared."""
    parts = tuple(replace(part, rows=part.rows[rows]) for part in smashed.parts if part.kind == "distances")
    return replace(smashed, rows=len(rows), parts=parts)


# ---- records, sorted -----------------------------------------------------------------------------


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
    top = distinct[order[0]]
    groups = int(vectors.distinct[order[0]]) + 1
    start = np.searchsorted(top, np.arange(groups + 1)).astype(np.int64)
    fresh = np.ones(len(firsts), dtype=np.bool_)
    if len(order) > 1:
        second = distinct[order[1]]
        fresh[1:] = (top[1:] != top[:-1]) | (second[1:] != second[:-1])
    sub = np.append(np.flatnonzero(fresh), len(firsts)).astype(np.int64)
    subs = np.searchsorted(sub[:-1], start).astype(np.int64)
    members = chosen[by].astype(np.int32)
    second_codes = distinct[order[1] if len(order) > 1 else order[0]][sub[:-1]]
    return Records(
        distinct,
        start,
        subs,
        sub,
        np.ascontiguousarray(second_codes),
        np.append(firsts, len(by)).astype(np.int64),
        members,
    )


# ---- bounds --------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Bounds:
    """Projections of both sides in units of the budget, and pivot reference records."""

    own: Floats
    own_at: Ints
    partner: Floats
    partner_at: Ints
    columns: Floats  # the partner's projection again, dimension by dimension
    column_at: Ints
    pivots: Codes  # [fields, attributes, pivots]
    pivot_count: Codes
    pivot_values: Bytes  # the partner's pivot columns
    pivot_at: Ints


def bounds_of(shape: Shape, own: Vectors, partner: Vectors, weights: Weights, seed: int) -> Bounds:
    from pprl_desktop.methods.split_kernels import DIMENSIONS, GRID, PIVOTS

    rng = np.random.default_rng(seed)
    most = shape.ends.shape[1] if shape.ends.size else 1
    pivots = np.zeros((len(shape.fields), most, PIVOTS), dtype=np.int32)
    pivot_count = np.zeros((len(shape.fields), most), dtype=np.int32)
    mine, theirs, columns, pivot_values = [], [], [], []
    for f in range(len(shape.fields)):
        x, y = matrix(shape, own, f), matrix(shape, partner, f)
        count = shape.counts[shape.count_at[f] : shape.count_at[f] + shape.widths[f]]
        left = rng.integers(0, max(len(x), 1), size=SAMPLE if len(x) else 0)
        right = rng.integers(0, max(len(y), 1), size=SAMPLE if len(x) and len(y) else 0)
        sample = np.concatenate([x[np.unique(left)], y[np.unique(right)]])
        start, scales = 0, []
        for g in range(int(shape.groups[f])):
            end = int(shape.ends[f, g])
            scale = np.sqrt(count[start:end].astype(np.float64))
            scales.append((start, end, scale, np.sqrt(weights.cosine[f, g] * GRID / 2.0 / max(weights.budget, 1))))
            if len(right):
                apart = np.abs(x[left[: len(right)], start:end].astype(np.int16) - y[right, start:end])
                chosen = _pivots(apart, PIVOTS)
                pivots[f, g, : len(chosen)] = start + np.array(chosen)
                pivot_count[f, g] = len(chosen)
            start = end
        basis, centre = _basis(_embedded(sample, scales), DIMENSIONS, rng)
        mine.append(_projected(x, scales, basis, centre))
        theirs.append(mine[-1] if own is partner else _projected(y, scales, basis, centre))
        columns.append(np.ascontiguousarray(theirs[-1].T))
        pivot_values.append(np.ascontiguousarray(y[:, pivots[f].reshape(-1)].T))
    return Bounds(
        _joined(mine, np.float32), _starts([m.size for m in mine]),
        _joined(theirs, np.float32), _starts([m.size for m in theirs]),
        _joined(columns, np.float32), _starts([m.size for m in columns]),
        pivots, pivot_count, _joined(pivot_values, np.uint8), _starts([m.size for m in pivot_values]),
    )  # fmt: skip


def matrix(shape: Shape, side: Vectors, f: int) -> Bytes:
    d, width = int(side.distinct[f]), int(shape.widths[f])
    return side.values[side.value_at[f] : side.value_at[f] + d * width].reshape(d, width)


Scales = list[tuple[int, int, npt.NDArray[np.float64], float]]


def _embedded(values: Bytes, scales: Scales) -> Floats:
    """Vectors whose squared distance is the cosine part of the cost: cos distance = |x/|x| - y/|y||^2 / 2."""
    out = np.empty(values.shape, dtype=np.float32)
    for start, end, scale, factor in scales:
        piece = values[:, start:end].astype(np.float32) * scale.astype(np.float32)
        length = np.sqrt((piece.astype(np.float64) ** 2).sum(axis=1, keepdims=True))
        out[:, start:end] = piece * (factor / np.maximum(length, 1e-30)).astype(np.float32)
    return out


def _basis(
    sample: Floats, dimensions: int, rng: np.random.Generator
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Orthonormal directions of large spread, by a few rounds of subspace iteration: a full PCA would take longer than
    it saves, and any orthonormal directions give a true lower bound."""
    whole = sample.astype(np.float64)
    centre = whole.mean(axis=0) if len(whole) else np.zeros(sample.shape[1])
    whole -= centre
    out = np.zeros((sample.shape[1], dimensions))
    if len(whole) > 1 and np.abs(whole).max() > 0:
        directions = rng.standard_normal((sample.shape[1], min(dimensions, sample.shape[1])))
        for _ in range(ITERATIONS):
            directions, _ = np.linalg.qr(whole.T @ (whole @ directions))
        out[:, : directions.shape[1]] = directions
    return out, centre


def _projected(
    values: Bytes, scales: Scales, basis: npt.NDArray[np.float64], centre: npt.NDArray[np.float64]
) -> Floats:
    out = np.empty((len(values), basis.shape[1]), dtype=np.float32)
    for start in range(0, len(values), 8192):
        piece = _embedded(values[start : start + 8192], scales) - centre.astype(np.float32)
        out[start : start + 8192] = piece @ basis.astype(np.float32)
    return out


def _pivots(apart: npt.NDArray[np.int16], number: int) -> list[int]:
    """Reference records chosen one by one so that together they show the largest differences."""
    chosen: list[int] = []
    best = np.zeros(len(apart), dtype=np.int16)
    for _ in range(min(number, apart.shape[1])):
        gain = np.maximum(best[:, None], apart).sum(axis=0, dtype=np.int64)
        pick = int(np.argmax(gain))
        chosen.append(pick)
        best = np.maximum(best, apart[:, pick])
    return chosen


# ---- the search ----------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Found:
    """Pairs of distinct records within the budget. `budget` is lower than asked for where the room did not suffice."""

    own: Codes  # record numbers
    partner: Codes
    cost: Ints
    budget: int
    seen: int  # pairs of rows within the budget asked for, as far as they were looked at


class Costs:
    """Exact costs of pairs of two sides."""

    def __init__(self, shape: Shape, own: Vectors, partner: Vectors, weights: Weights) -> None:
        self.shape, self.own, self.partner, self.weights = shape, own, partner, weights

    def field_costs(self, f: int, own: Codes, partner: Codes) -> Ints:
        """Exact costs of pairs of codes of one field; missing costs the neutral amount."""
        from pprl_desktop.methods.split_kernels import pair_costs

        s, x, y, w = self.shape, self.own, self.partner, self.weights
        out = np.empty(len(own), dtype=np.int64)
        pair_costs(
            own.astype(np.int64), partner.astype(np.int64), f, x.values, x.value_at, x.squares, x.square_at,
            y.values, y.value_at, y.squares, y.square_at, x.distinct, y.distinct, s.widths, s.groups, s.ends, s.counts,
            s.count_at, w.cosine, w.largest, w.neutral, out,
        )  # fmt: skip
        return out


class Join(Costs):
    """Two sides ready to be searched, with the same shape and weights; `search` may be called for parts of the rows."""

    def __init__(self, shape: Shape, own: Vectors, partner: Vectors, weights: Weights, seed: int = 0) -> None:
        super().__init__(shape, own, partner, weights)
        self.order = self._order(seed)
        self.bounds = bounds_of(shape, own, partner, weights, seed)
        self.partner_records = records_of(partner, self.order)
        # bounds of the second field, filled while searching; without room for them each is worked out when needed
        left, right = (int(side.distinct[self.order[1]]) if len(self.order) > 1 else 0 for side in (own, partner))
        remembered = 0 < left * (right + 1) <= REMEMBERED
        self._rows2 = np.zeros((left if remembered else 0, right + 1), dtype=np.uint8)
        self._known2 = np.zeros(len(self._rows2), dtype=np.uint8)

    def _order(self, seed: int) -> list[int]:
        """Fields by the share of random pairs they let through, the most selective first."""
        rng = np.random.default_rng(seed)
        size = 4000 if self.own.rows and self.partner.rows else 0
        left = rng.integers(0, max(self.own.rows, 1), size=size)
        right = rng.integers(0, max(self.partner.rows, 1), size=size)
        share = []
        for f in range(len(self.shape.fields)):
            cost = self.field_costs(f, self.own.codes[f][left], self.partner.codes[f][right])
            # values that are equal by chance cost the search nothing to find but much to combine
            share.append((float((cost <= self.weights.budget).mean()) if size else 1.0, -int(self.partner.distinct[f])))
        return sorted(range(len(share)), key=lambda f: share[f])

    def search(
        self, records: Records, budget: int, room: int, threads: int = 0, progress: Progress = NO_PROGRESS
    ) -> Found:
        """All pairs within `budget` (at most that of the weights); of more than `room` pairs of records, the best.

        The budget then falls in steps that depend on the data alone, so the answer does not depend on threads.
        """
        limit, seen = budget, 0
        kept: list[tuple[Codes, Codes, Ints]] = []
        for own, partner, cost, lowered, counted in self._blocks(records, budget, room, threads, progress):
            seen += counted
            limit = min(limit, lowered)
            inside = cost <= limit
            kept.append((own[inside], partner[inside], cost[inside]))
            if sum(len(piece[0]) for piece in kept) > room:
                i, j, c = _together(kept)
                # keep half of the room: whole levels of cost, so that equal pairs share one fate
                limit = max(min(limit, int(np.partition(c, room // 2)[room // 2]) - 1), 0)
                best = np.flatnonzero(c <= limit)[:room]
                kept = [(i[best], j[best], c[best])]
                self._limit = limit
        i, j, c = _together(kept)
        inside = c <= limit
        return Found(i[inside], j[inside], c[inside], limit, seen)

    def _blocks(
        self, records: Records, budget: int, room: int, threads: int, progress: Progress
    ) -> Iterator[tuple[Codes, Codes, Ints, int, int]]:
        from concurrent.futures import Future, ThreadPoolExecutor, wait

        self._limit = budget
        stop = np.zeros(1, dtype=np.uint8)
        spans = _spans(records, BLOCKS)
        count = threads_of(threads)
        with ThreadPoolExecutor(count) as pool:
            waiting: list[Future[tuple[Codes, Codes, Ints, int, int]]] = []
            given = 0
            try:
                for done in range(len(spans)):
                    while given < len(spans) and len(waiting) < 2 * count:
                        waiting.append(pool.submit(self._block, records, spans[given], budget, room, stop))
                        given += 1
                    while not waiting[0].done():
                        wait(waiting[:1], timeout=0.03)
                        progress.check()
                    progress.at((done + 1) / len(spans), "Comparing records")
                    yield waiting.pop(0).result()
            finally:
                stop[0] = 1
                for future in waiting:
                    future.cancel()

    def _block(
        self, records: Records, span: tuple[int, int], budget: int, room: int, stop: Bytes
    ) -> tuple[Codes, Codes, Ints, int, int]:
        """One block; run again with more room, or with a lower budget, where its first buffers did not suffice."""
        from pprl_desktop.methods.split_kernels import BINS

        size, counted = START_ROOM, 0
        limit = self._limit
        while True:
            i, j, cost, found, histogram = self._kernel(records, span, limit, size, stop)
            counted = max(counted, found)
            if found <= size:
                return i[:found], j[:found], cost[:found], limit, counted
            if found <= room:
                size = found
                continue
            fitting = int(np.searchsorted(np.cumsum(histogram), room // 2, side="right"))
            limit = -(-fitting * (self.weights.budget + 1) // BINS) - 1
            if limit < 0:  # more pairs of different records at cost 0 than there is room: none can be preferred
                return i[:size], j[:size], cost[:size], 0, counted

    def _kernel(
        self, records: Records, span: tuple[int, int], budget: int, size: int, stop: Bytes
    ) -> tuple[Codes, Codes, Ints, int, Ints]:
        from pprl_desktop.methods.split_kernels import BINS, search

        s, x, y, w, b, p = self.shape, self.own, self.partner, self.weights, self.bounds, self.partner_records
        i, j = np.empty(size, dtype=np.int32), np.empty(size, dtype=np.int32)
        cost, histogram = np.empty(size, dtype=np.int64), np.zeros(BINS, dtype=np.int64)
        # the projections are in units of the budget they were made for
        share = budget / max(w.budget, 1)
        # a step of the cosine grid may be rounded up or down by half
        slack = np.float32(SLACK + float(w.cosine.sum(axis=1).max(initial=0)) * len(self.order) / max(w.budget, 1))
        found = search(
            span[0], span[1], np.array(self.order, dtype=np.int64), budget, share, slack, w.budget, stop,
            records.codes, records.start, records.sub, records.subs, x.values, x.value_at, x.squares, x.square_at,
            b.own, b.own_at, x.distinct,
            p.codes, p.start, p.sub, p.subs, p.second, y.values, y.value_at, y.squares, y.square_at,
            b.partner, b.partner_at, y.distinct, b.columns, b.column_at, b.pivot_values, b.pivot_at,
            s.widths, s.groups, s.ends, s.counts, s.count_at, w.cosine, w.largest,
            (w.largest / max(w.budget, 1)).astype(np.float32), w.neutral, b.pivots, b.pivot_count,
            self._rows2, self._known2, i, j, cost, histogram,
        )  # fmt: skip
        return i, j, cost, int(found), histogram


def _spans(records: Records, blocks: int) -> list[tuple[int, int]]:
    """First-level groups cut into pieces of about equal numbers of records; a group is never cut."""
    groups = len(records.start) - 1
    total = int(records.start[-1])
    if not total:
        return []
    marks = np.searchsorted(records.start, np.linspace(0, total, blocks + 1)[1:-1], side="left")
    edges = np.unique(np.concatenate([[0], marks, [groups]]))
    return [(int(a), int(b)) for a, b in pairwise(edges)]


def _together(kept: Sequence[tuple[Codes, Codes, Ints]]) -> tuple[Codes, Codes, Ints]:
    if not kept:
        return np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.int64)
    i, j, c = zip(*kept, strict=True)
    return np.concatenate(i), np.concatenate(j), np.concatenate(c)
