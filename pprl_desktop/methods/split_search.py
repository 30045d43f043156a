"""The exact join on smashed distances: all pairs of records whose weighted cost is within a budget.

Never records x records x reference set: vectors are compared once per pair of distinct values, most pairs fall to a
lower bound of a few numbers (a PCA projection never lengthens a distance; a few reference records never show more than
the largest difference), and records are grouped by the most selective field. The bounds only skip work.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from pprl_desktop.methods.blocks import threads_of
from pprl_desktop.methods.split_bounds import bounds_of
from pprl_desktop.methods.split_rule import Weights
from pprl_desktop.methods.split_vectors import Bytes, Codes, Ints, Records, Shape, Vectors, records_of
from pprl_desktop.progress import NO_PROGRESS, Progress

SLACK = 1e-3  # share of the budget: far above the rounding of float32 in the bounds
BLOCKS = 96  # pieces of work between two looks at Cancel; the kernel also looks at a flag of its own
REMEMBERED = 100_000_000  # bytes of remembered bounds at most
START_ROOM = 1 << 16  # pairs of one block at first; a fuller block is run again with the room it asked for


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

    def __init__(
        self,
        shape: Shape,
        own: Vectors,
        partner: Vectors,
        weights: Weights,
        seed: int = 0,
        progress: Progress = NO_PROGRESS,
    ) -> None:
        super().__init__(shape, own, partner, weights)
        self.order = self._order(seed)
        self.bounds = bounds_of(shape, own, partner, weights, seed, progress)
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
