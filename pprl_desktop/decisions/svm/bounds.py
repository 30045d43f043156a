"""Lower bounds of the cost of value pairs: few numbers per value, never above the truth, so they only skip work.

A projection on orthonormal directions never lengthens a distance, and a few reference records (pivots) never show more
than the largest difference.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pprl_desktop.decisions.svm.rule import Weights
from pprl_desktop.decisions.svm.vectors import Bytes, Codes, Ints, Shape, Vectors, joined, matrix, starts
from pprl_desktop.progress import NO_PROGRESS, Progress

SPLITTING = 4  # pivots by which tiles are cut, beside the first dimensions
ITERATIONS = 4  # of the search for directions
SAMPLE = 150  # values from which the projection is learned; any projection is exact, a good one is fast

Floats = npt.NDArray[np.float32]


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
    rest: Floats  # the partner's further dimensions, value by value, in the order of `place`
    rest_at: Ints
    place: Codes  # which partner value stands where in `columns` and `pivot_values`: neighbours share a tile
    place_at: Ints
    low: Floats  # per tile, the least and the most of the first dimensions and of each pivot
    high: Floats
    low_at: Ints
    largest: Floats  # [fields, attributes] what one edit of difference costs, in units of the budget


def bytes_per_value() -> int:
    """Memory of the bounds of one distinct value of a field, while they are put together."""
    from pprl_desktop.decisions.svm.kernels import DIMENSIONS, PIVOTS

    return 4 * 4 * DIMENSIONS + PIVOTS


def bounds_of(
    shape: Shape, own: Vectors, partner: Vectors, weights: Weights, seed: int, progress: Progress = NO_PROGRESS
) -> Bounds:
    from pprl_desktop.decisions.svm.kernels import FIRST, GRID, PIVOTS, TILE

    rng = np.random.default_rng(seed)
    most = shape.ends.shape[1] if shape.ends.size else 1
    pivots = np.zeros((len(shape.fields), most, PIVOTS), dtype=np.int32)
    pivot_count = np.zeros((len(shape.fields), most), dtype=np.int32)
    mine, theirs, columns, pivot_values = [], [], [], []
    places, rests, lows, highs = [], [], [], []
    edit = (weights.largest / max(weights.budget, 1)).astype(np.float32)
    for f in range(len(shape.fields)):
        progress.check()
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
        space = _Space(shape, f, sample, scales, rng)
        mine.append(space.projected(own, progress))
        theirs.append(mine[-1] if own is partner else space.projected(partner, progress))
        progress.check()
        shown = y[:, pivots[f].reshape(-1)]
        place = _neighbours(theirs[-1][:, :FIRST], shown[:, :SPLITTING] * edit[f, 0], TILE)
        progress.check()
        columns.append(np.ascontiguousarray(theirs[-1][place].T))
        pivot_values.append(np.ascontiguousarray(shown[place].T))
        rests.append(theirs[-1][place, FIRST:])
        tiles = np.arange(0, len(y), TILE)
        corners = np.concatenate([theirs[-1][place, :FIRST], shown[place]], axis=1)
        lows.append(np.minimum.reduceat(corners, tiles) if len(y) else corners)
        highs.append(np.maximum.reduceat(corners, tiles) if len(y) else corners)
        places.append(place)
    return Bounds(
        joined(mine, np.float32), starts([m.size for m in mine]),
        joined(theirs, np.float32), starts([m.size for m in theirs]),
        joined(columns, np.float32), starts([m.size for m in columns]),
        pivots, pivot_count, joined(pivot_values, np.uint8), starts([m.size for m in pivot_values]),
        joined(rests, np.float32), starts([m.size for m in rests]),
        joined(places, np.int32), starts([len(place) for place in places]),
        joined(lows, np.float32), joined(highs, np.float32), starts([m.size for m in lows]), edit,
    )  # fmt: skip


def _neighbours(projected: Floats, shown: Floats, tile: int) -> Codes:
    """An order in which near values stand together: halved again and again where they spread most, down to a tile."""
    corners = np.concatenate([projected, shown], axis=1)
    out = np.arange(len(corners), dtype=np.int32)
    waiting = [(0, len(corners))]
    while waiting:
        start, end = waiting.pop()
        if end - start <= tile:
            continue
        here = out[start:end]
        spread = corners[here[:: max(len(here) // 512, 1)]].std(axis=0)
        # the projection counts by its square, an edit as it is
        spread[: projected.shape[1]] **= 2
        middle = -(-(end - start) // tile) // 2 * tile
        out[start:end] = here[np.argpartition(corners[here, int(np.argmax(spread))], middle)]
        waiting += [(start, start + middle), (start + middle, end)]
    return out


def first_bounds(
    shape: Shape, own: Vectors, partner: Vectors, bounds: Bounds, f: int, size: int, rng: np.random.Generator
) -> Floats:
    """What the first look shows of random pairs of values: by that the search is planned."""
    from pprl_desktop.decisions.svm.kernels import DIMENSIONS, FIRST

    d, e = int(own.distinct[f]), int(partner.distinct[f])
    if not d or not e:
        return np.zeros(1, dtype=np.float32)
    left, right = rng.integers(0, d, size=size), rng.integers(0, e, size=size)
    x = bounds.own[bounds.own_at[f] :][: d * DIMENSIONS].reshape(d, DIMENSIONS)[left, :FIRST]
    y = bounds.partner[bounds.partner_at[f] :][: e * DIMENSIONS].reshape(e, DIMENSIONS)[right, :FIRST]
    total: Floats = ((x - y) ** 2).sum(axis=1)
    for g in range(int(shape.groups[f])):
        at = bounds.pivots[f, g, : bounds.pivot_count[f, g]]
        apart = matrix(shape, own, f)[left][:, at].astype(np.int16) - matrix(shape, partner, f)[right][:, at]
        total += bounds.largest[f, g] * np.abs(apart).max(axis=1, initial=0)
    return total


Scales = list[tuple[int, int, npt.NDArray[np.float64], float]]


def _embedded(values: Bytes, scales: Scales) -> Floats:
    """Vectors whose squared distance is the cosine part of the cost: cos distance = |x/|x| - y/|y||^2 / 2."""
    out = np.empty(values.shape, dtype=np.float32)
    for start, end, scale, factor in scales:
        piece = values[:, start:end].astype(np.float32) * scale.astype(np.float32)
        length = np.sqrt((piece.astype(np.float64) ** 2).sum(axis=1, keepdims=True))
        out[:, start:end] = piece * (factor / np.maximum(length, 1e-30)).astype(np.float32)
    return out


class _Space:
    """The directions of one field. With one attribute the weights only stretch it: found once, they serve every search
    on the same shape, and so do the projections; training searches the own table many times with other weights."""

    def __init__(self, shape: Shape, f: int, sample: Bytes, scales: Scales, rng: np.random.Generator) -> None:
        from pprl_desktop.decisions.svm.kernels import DIMENSIONS

        self._shape, self._f, self._scales, self._factor = shape, f, scales, np.float32(1.0)
        self._lasts = len(scales) == 1
        if self._lasts:
            start, end, scale, factor = scales[0]
            self._scales, self._factor = [(start, end, scale, 1.0)], np.float32(factor)
        known = shape.directions.get(f) if self._lasts else None
        self._basis, self._centre = known or _basis(_embedded(sample, self._scales), DIMENSIONS, rng)
        if self._lasts and len(sample) > 1:
            shape.directions[f] = self._basis, self._centre

    def projected(self, side: Vectors, progress: Progress) -> Floats:
        made = side.projected.get(self._f) if self._lasts else None
        if made is None:
            made = _projected(matrix(self._shape, side, self._f), self._scales, self._basis, self._centre, progress)
            if self._f in self._shape.directions:
                side.projected[self._f] = made
        return made * self._factor


def _basis(sample: Floats, dimensions: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
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
    return out.astype(np.float32), centre.astype(np.float32)


def _projected(
    values: Bytes,
    scales: Scales,
    basis: Floats,
    centre: Floats,
    progress: Progress,
) -> Floats:
    out = np.empty((len(values), basis.shape[1]), dtype=np.float32)
    for start in range(0, len(values), 8192):
        progress.check()
        piece = _embedded(values[start : start + 8192], scales) - centre
        out[start : start + 8192] = piece @ basis
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
