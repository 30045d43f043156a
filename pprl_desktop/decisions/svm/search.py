"""The exact join on smashed distances: all pairs of records whose weighted cost is within a budget.

Never records x records x reference set: vectors are compared once per pair of distinct values, most pairs fall to a
lower bound of a few numbers (a PCA projection never lengthens a distance; a few reference records never show more than
the largest difference), and records are grouped by the most selective field. The bounds only skip work.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from pprl_desktop.compute.engines import Portable
from pprl_desktop.compute.threads import in_blocks
from pprl_desktop.decisions.svm.bounds import bounds_of, first_bounds
from pprl_desktop.decisions.svm.rule import Weights
from pprl_desktop.decisions.svm.vectors import Bytes, Codes, Form, Ints, Records, Shape, Vectors, records_of, reordered
from pprl_desktop.progress import NO_PROGRESS, Progress

SLACK = 1e-3  # share of the budget: far above the rounding of float32 in the bounds
BLOCKS = 96  # pieces of work between two looks at Cancel; the kernel also looks at a flag of its own
REMEMBERED = 100_000_000  # bytes of remembered bounds at most
SAMPLED = 20_000  # random pairs by which the search is planned; the plan never changes what is found
CUTS = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 1.0)  # shares of the budget tried for the first field; 1 means one search
SECOND_LOOK = 6.0  # what a value costs that the first dimensions let through, against one they do not
COMBINED = 1.5  # the same for a pair of records whose first fields are near
START_ROOM = 1 << 16  # pairs of one block at first; a fuller block is run again with the room it asked for


@dataclass(frozen=True, eq=False)
class NearPairs:
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
        from pprl_desktop.decisions.svm.kernels import pair_costs

        x, y = self.own, self.partner
        out = np.empty(len(own), dtype=np.int64)
        pair_costs(
            own.astype(np.int64), partner.astype(np.int64), f, x.flat, y.flat, self.form(),
            (int(x.distinct[f]), int(y.distinct[f])), int(self.weights.neutral[f]), out,
        )  # fmt: skip
        return out

    def form(self) -> Form:
        """Of all fields, with the weights, for the compiled loops."""
        return self.shape.weighted(self.weights.cosine, self.weights.largest)


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
        rows: int | None = None,
    ) -> None:
        super().__init__(shape, own, partner, weights)
        self.bounds = bounds_of(shape, own, partner, weights, seed, progress)
        self._near, self._orders = self._plan(seed, rows)
        self.order = self._orders[0]  # of the records given to search
        self.partner_records = records_of(partner, self.order)
        self._partners = [
            (self.partner_records, None),
            *(reordered(self.partner_records, partner, order) for order in self._orders[1:]),
        ]
        # bounds of the second field, filled while searching; without room for them each is worked out when needed
        self._remembered = {order[1]: self._memory(order[1]) for order in self._orders if len(order) > 1}

    def __getstate__(self) -> dict[str, Any]:
        """What is remembered while searching is made anew elsewhere."""
        return {**vars(self), "_remembered": {}}

    def _bounds_of_second(self, f: int) -> tuple[Bytes, Bytes]:
        if f not in self._remembered:
            self._remembered[f] = self._memory(f)
        return self._remembered[f]

    def _memory(self, f: int) -> tuple[Bytes, Bytes]:
        left, right = int(self.own.distinct[f]), int(self.partner.distinct[f])
        rows = np.zeros((left if left * (right + 1) <= REMEMBERED else 0, right + 1), dtype=np.uint8)
        return rows, np.zeros(len(rows), dtype=np.uint8)

    def _plan(self, seed: int, rows: int | None) -> tuple[float, list[list[int]]]:
        """Orders of the fields, the most selective first, and the share of the budget at which the search is cut.

        A pair within the budget either costs at most that share in the first field, or the other fields together cost
        at most what remains. Both searches reach much less far than one over the whole budget would.
        """
        rng = np.random.default_rng(seed)
        size = SAMPLED if self.own.rows and self.partner.rows else 0
        left = rng.integers(0, max(self.own.rows, 1), size=size)
        right = rng.integers(0, max(self.partner.rows, 1), size=size)
        fields = range(len(self.shape.fields))
        costs = [self.field_costs(f, self.own.codes[f][left], self.partner.codes[f][right]) for f in fields]
        within = self.weights.budget
        # values that are equal by chance cost the search nothing to find but much to combine
        by = sorted(
            fields, key=lambda f: (float((costs[f] <= within).mean()) if size else 1.0, -self.partner.distinct[f])
        )
        if len(by) < 2 or not size:
            return 1.0, [by]

        bounds = [first_bounds(self.shape, self.own, self.partner, self.bounds, f, size, rng) for f in by[:2]]
        values = [float(self.own.distinct[f]) * float(self.partner.distinct[f]) for f in by[:2]]
        # only some of the own rows may be searched for
        own_share = 1.0 if rows is None else min(rows / self.own.rows * 2.0, 1.0)
        pairs = float(self.own.rows if rows is None else rows) * self.partner.rows

        def work(near: float) -> float:
            total = 0.0
            for f, place, share in ((by[0], 0, near), (by[1], 1, 1.0 - near)):
                looked_at = values[place] * own_share * (1.0 + SECOND_LOOK * float((bounds[place] <= share).mean()))
                combined = pairs * COMBINED * float((costs[f] <= share * within).mean())
                total += looked_at + combined if share > 0.0 else 0.0
            return total

        near = min(CUTS, key=work)
        if near == 1.0:
            return near, [by]
        # the third field comes second in both, where there is one: its remembered bounds then serve twice
        return near, [[by[0], *by[2:3], by[1], *by[3:]], [*by[1:], by[0]]]

    def search(
        self, records: Records, budget: int, room: int, threads: int = 0, progress: Progress = NO_PROGRESS
    ) -> NearPairs:
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
        return NearPairs(i[inside], j[inside], c[inside], limit, seen)

    def _blocks(
        self, records: Records, budget: int, room: int, threads: int, progress: Progress
    ) -> Iterator[tuple[Codes, Codes, Ints, int, int]]:
        self._limit = budget
        near = int(self._near * budget)
        sides = [(records, None), *(reordered(records, self.own, order) for order in self._orders[1:])]
        spans = [(which, span) for which, (side, _) in enumerate(sides) for span in _spans(side, BLOCKS)]
        work = _Searching(self, tuple(side for side, _ in sides), near, room, np.zeros(1, np.uint8))
        blocks = in_blocks(work, spans, threads, progress, "Comparing records")
        for (which, _), (i, j, cost, lowered, counted) in zip(spans, blocks, strict=True):
            own, partner = sides[which][1], self._partners[which][1]
            i = i if own is None else own[i].astype(np.int32)
            j = j if partner is None else partner[j].astype(np.int32)
            yield i, j, cost, lowered, counted

    def _block(
        self, which: int, records: Records, span: tuple[int, int], near: int, room: int, stop: Bytes
    ) -> tuple[Codes, Codes, Ints, int, int]:
        """One block; run again with more room, or with a lower budget, where its first buffers did not suffice."""
        from pprl_desktop.decisions.svm.kernels import BINS

        size, counted = START_ROOM, 0
        limit = self._limit
        while True:
            i, j, cost, found, histogram = self._kernel(which, records, span, near, limit, size, stop)
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
        self, which: int, records: Records, span: tuple[int, int], near: int, budget: int, size: int, stop: Bytes
    ) -> tuple[Codes, Codes, Ints, int, Ints]:
        from pprl_desktop.decisions.svm.kernels import BINS, Asked, Bounds, Out, Own, Partner, search

        x, y, w, b, p = self.own, self.partner, self.weights, self.bounds, self._partners[which][0]
        i, j = np.empty(size, dtype=np.int32), np.empty(size, dtype=np.int32)
        cost, histogram = np.empty(size, dtype=np.int64), np.zeros(BINS, dtype=np.int64)
        order = self._orders[which]
        # first the pairs whose first field costs at most `near`, then those where it costs more: none is met twice
        capped, cap, least = (1, min(near, budget), -1) if which == 0 else (len(order) - 1, budget - near - 1, near)
        rows2, known2 = (
            self._bounds_of_second(order[1]) if len(order) > 1 else (np.zeros((0, 1), np.uint8), np.zeros(0, np.uint8))
        )
        # a step of the cosine grid may be rounded up or down by half
        slack = np.float32(SLACK + float(w.cosine.sum(axis=1).max(initial=0)) * len(order) / max(w.budget, 1))
        found = search(
            Asked(span[0], span[1], np.array(order), budget, capped, cap, least, slack, w.budget, stop),
            Own(records.codes, records.start, records.sub, records.subs, x.flat, b.own, b.own_at, x.distinct),
            Partner(p.codes, p.start, p.sub, p.subs, p.second, y.flat, b.partner, b.partner_at, y.distinct,
                    b.columns, b.column_at, b.pivot_values, b.pivot_at),
            self.form(),
            Bounds(w.neutral, b.largest, b.pivots, b.pivot_count, b.rest, b.rest_at, b.place, b.place_at, b.low, b.high,
                   b.low_at, rows2, known2),
            Out(i, j, cost, histogram),
        )  # fmt: skip
        return i, j, cost, int(found), histogram


@dataclass(frozen=True, eq=False)
class _Searching(Portable[tuple[int, tuple[int, int]], tuple[Codes, Codes, Ints, int, int]]):
    join: Join
    sides: tuple[Records, ...]
    near: int
    room: int
    stopped: Bytes  # the kernel's own look at Cancel

    def __call__(self, block: tuple[int, tuple[int, int]]) -> tuple[Codes, Codes, Ints, int, int]:
        which, span = block
        return self.join._block(which, self.sides[which], span, self.near, self.room, self.stopped)

    def stop(self) -> None:
        self.stopped[0] = 1


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
