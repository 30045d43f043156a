"""Candidates of large files: the pairs a full scan would keep, met by way of similar values instead of one by one.

A pair reaches the bar only if some field gives it enough. For each own record it is worked out down to which weight
each field must be followed so that every pair above the bar is met in at least one of them (the threshold algorithm of
Fagin, Lotem and Naor 2001); frequent values weigh little and are rarely followed. How values
outside the lists differ is not looked at, and where the work would be too much the bar rises: candidate_recall.py tells
what that costs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pprl_desktop.codes import tokens
from pprl_desktop.compute.engines import Portable
from pprl_desktop.compute.threads import in_blocks, interruptible
from pprl_desktop.decisions.adaptive import candidates as blocking
from pprl_desktop.decisions.adaptive import value_lists
from pprl_desktop.decisions.adaptive.candidates import CandidatePairs, Weights
from pprl_desktop.decisions.adaptive.levels import (
    DIFFERS,
    LEVELS,
    MISSING,
    OTHER_INITIAL,
    FieldLevels,
    Levels,
    pair_levels,
)
from pprl_desktop.decisions.adaptive.tuning import Tuning
from pprl_desktop.decisions.adaptive.value_lists import Lists
from pprl_desktop.decisions.base import Numbers, Rows
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.said import Said

FULL_SCAN = 4.0e8  # pairs (20k x 20k) up to which all are compared: it takes seconds and needs no lists
ROW_WORK = 4000.0  # comparisons per own row and look, on average: files of a million take ten times those of 100,000
UNIT_WORK = 1 << 21  # comparisons between two looks at the cancel button: some tens of ms
PLAN_ROWS = 1 << 15  # own rows planned at once
SAMPLE_ROWS = 2000  # own rows from which work and candidates are foreseen
SAMPLE_WORK = 2.0e8  # comparisons they may take
STEPS = 12  # halvings when the lowest bar is sought that the work allows
ROUNDING = 1e-3  # sums of weights differ by less, in whatever order they are added

Floats = npt.NDArray[np.float32]
Places = npt.NDArray[np.int64]


def wanted(own: int, partner: int) -> bool:
    return float(own) * partner > FULL_SCAN


@dataclass(frozen=True, eq=False)
class Index:
    """Two files ready for the scan. Values of all fields are numbered through, on either side."""

    fields: tuple[FieldLevels, ...]
    lists: tuple[Lists, ...]
    own: Rows  # [rows, fields] own value, -1: missing
    partner: Rows  # [rows, fields] partner value; a missing one has the number `nobody`
    nobody: Places  # [fields]
    list_at: Places  # [own values + 1]
    listed: Rows  # partner values
    level: Levels
    post_at: Places  # [partner values + 1]
    posted: Rows  # partner rows
    beside: Rows  # [posted, fields - 1] their values of the other fields
    count: Places  # [own values, levels] partner rows at each listed level
    order: Rows  # own rows, those with the longest lists side by side


def build(fields: Sequence[FieldLevels], tuning: Tuning, threads: int, progress: Progress) -> Index:
    lists = []
    for place, one in enumerate(fields):
        part = progress.part(0.9 * place / len(fields), 0.9 * (place + 1) / len(fields))
        part.at(0.0, Said("Looking for similar values of {field}", field=one.comparison.field))
        lists.append(value_lists.make(one, tuning, threads, part))
    return interruptible(progress, _index, tuple(fields), tuple(lists))


def _index(fields: tuple[FieldLevels, ...], lists: tuple[Lists, ...]) -> Index:
    own = np.empty((len(fields[0].own.codes), len(fields)), dtype=np.int32)
    partner = np.empty((len(fields[0].partner.codes), len(fields)), dtype=np.int32)
    nobody = np.empty(len(fields), dtype=np.int64)
    list_at, listed, level, post_at, posted, count = [np.zeros(1, np.int64)], [], [], [np.zeros(1, np.int64)], [], []
    first_own = first_partner = entries = posts = 0
    for f, (one, made) in enumerate(zip(fields, lists, strict=True)):
        values = one.partner.values
        nobody[f] = first_partner + values
        own[:, f] = np.where(one.own.codes >= 0, one.own.codes + first_own, -1)
        partner[:, f] = np.where(one.partner.codes >= 0, one.partner.codes + first_partner, nobody[f])
        list_at.append(entries + made.start[1:])
        listed.append(made.value + np.int32(first_partner))
        level.append(made.level)
        rows, each = np.argsort(one.partner.codes, kind="stable").astype(np.int32), one.partner.rows_per_value()
        filled = int(each.sum())
        posted.append(rows[len(rows) - filled :])
        post_at.append(posts + np.append(np.cumsum(each), filled))  # nobody: none
        holder = np.repeat(np.arange(one.own.values), np.diff(made.start))
        counts = each[made.value].astype(np.float64)
        cells = np.bincount(holder * LEVELS + made.level, weights=counts, minlength=one.own.values * LEVELS)
        count.append(cells.astype(np.int64).reshape(one.own.values, LEVELS))
        first_own, first_partner = first_own + one.own.values, first_partner + values + 1
        entries, posts = entries + len(made.value), posts + filled
    beside = np.concatenate([np.delete(partner[rows], f, axis=1) for f, rows in enumerate(posted)])
    longest = int(np.argmax([len(made.value) / max(len(made.start) - 1, 1) for made in lists]))
    order = np.argsort(own[:, longest], kind="stable").astype(np.int32)
    return Index(
        fields, lists, own, partner, nobody, np.concatenate(list_at), np.concatenate(listed), np.concatenate(level),
        np.concatenate(post_at), np.concatenate(posted), beside, np.concatenate(count), order,
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class Scan:
    """The index under the weights of one round."""

    index: Index
    weights: Sequence[Weights]  # per field, [own values, levels]
    weight: Floats  # the same, values of all fields numbered through
    base: Floats  # [own values] what it weighs that a value is outside the list
    step: Floats  # [own values, levels + 1] falling weights
    count: Places  # partner rows at each of them

    def plan(self, rows: Rows, bar: float) -> tuple[Floats, Places]:
        from pprl_desktop.decisions.adaptive.listed_kernels import plan

        least = np.empty((len(rows), self.index.own.shape[1]), dtype=np.float32)
        cost = np.empty(len(rows), dtype=np.int64)
        plan(self.index.own[rows], self.step, self.count, bar - ROUNDING, len(self.index.partner), least, cost)
        return least, cost

    def compare(self, rows: Rows, bar: float) -> tuple[Rows, Rows, Floats, Levels]:
        """All pairs of these own rows at or above the bar, with their score and levels."""
        from pprl_desktop.decisions.adaptive.listed_kernels import Planned, Posted, Similar, compare

        index = self.index
        least, cost = self.plan(rows, bar)
        room = int(min(cost.sum(), len(rows) * float(len(index.partner))))
        out = np.empty((2, room), np.int32)
        line = np.zeros(len(index.post_at) - 1, dtype=np.float32)
        held = compare(
            Planned(index.own[rows], least, cost),
            Similar(self.weight, self.base, index.list_at, index.listed, index.level),
            Posted(index.post_at, index.posted, index.beside, index.partner, index.nobody),
            bar - ROUNDING,
            line,
            out,
        )
        return self._exactly(rows[out[0, :held]], out[1, :held].copy(), bar)

    def _exactly(self, own: Rows, partner: Rows, bar: float) -> tuple[Rows, Rows, Floats, Levels]:
        levels = pair_levels(self.index.fields, own, partner)
        score = np.zeros(len(own), dtype=np.float32)
        for f, (one, weight) in enumerate(zip(self.index.fields, self.weights, strict=True)):
            here = np.flatnonzero(levels[:, f] != MISSING)
            score[here] += weight[one.own.codes[own[here]], levels[here, f]]
        keep = score >= bar
        return own[keep], partner[keep], score[keep], levels[keep]


def under(index: Index, weights: Sequence[Weights], m: Numbers) -> Scan:
    """The index under these weights, with m [fields, levels] from which they come."""
    base, step, count = [], [], []
    first = 0
    for f, (one, made, weight) in enumerate(zip(index.fields, index.lists, weights, strict=True)):
        counted = index.count[first : first + one.own.values]
        first += one.own.values
        # nearly all strangers are outside, so u is one; an initial has another initial outside
        outside = np.full(one.own.values, np.log(max(float(m[f, DIFFERS : made.lowest].sum()), 1e-12)))
        if tokens.SINGLE in one.own.tokens:
            outside = np.where(one.own.tokens[tokens.SINGLE] != 0, weight[:, OTHER_INITIAL], outside)
        floor = np.maximum(outside, 0.0) if (one.partner.codes < 0).any() else outside
        clipped = np.where(counted > 0, np.maximum(weight, floor[:, None]), floor[:, None])
        rows = np.where(clipped > floor[:, None], counted, 0)
        falling = np.argsort(-clipped, axis=1, kind="stable")
        base.append(outside)
        step.append(np.concatenate([np.take_along_axis(clipped, falling, axis=1), floor[:, None]], axis=1))
        count.append(np.concatenate([np.take_along_axis(rows, falling, axis=1), np.zeros((len(rows), 1), int)], axis=1))
    return Scan(
        index, tuple(weights), np.concatenate(weights).astype(np.float32), np.concatenate(base).astype(np.float32),
        np.concatenate(step).astype(np.float32), np.concatenate(count).astype(np.int64),
    )  # fmt: skip


def place_bar(
    scan: Scan, lowest: float, most: int, random: np.random.Generator, progress: Progress = NO_PROGRESS
) -> tuple[float, int]:
    """The lowest bar, not under `lowest`, that the work allows and about `most` pairs pass; about how many pass it."""
    own_rows = len(scan.index.own)
    some = np.sort(random.choice(own_rows, size=min(SAMPLE_ROWS, own_rows), replace=False)).astype(np.int32)
    affordable = _affordable(scan, some, lowest, ROW_WORK * len(some))
    progress.check()
    cost = np.cumsum(scan.plan(some, affordable)[1])
    tried = random.permutation(some)[: max(1, int(np.searchsorted(cost, SAMPLE_WORK)))]
    scores = [scan.compare(block, affordable)[2] for block in _units(scan, np.sort(tried), affordable, progress).blocks]
    passing = np.concatenate([np.zeros(0, np.float32), *scores])
    return blocking.bar_of(passing, affordable, most, len(tried) / own_rows)


def _affordable(scan: Scan, some: Rows, lowest: float, work: float) -> float:
    def needed(bar: float) -> float:
        return float(scan.plan(some, bar)[1].sum())

    if needed(lowest) <= work:
        return lowest
    low, high = lowest, lowest + 1.0
    while needed(high) > work and high < lowest + 100.0:
        low, high = high, high + 2.0
    for _ in range(STEPS):
        middle = (low + high) / 2
        low, high = (low, middle) if needed(middle) <= work else (middle, high)
    return high


@dataclass(frozen=True, eq=False)
class Units:
    """Own rows in blocks of about the same work."""

    blocks: tuple[Rows, ...]
    largest: int  # comparisons of the costliest block
    work: int  # of all of them


def _units(scan: Scan, rows: Rows, bar: float, progress: Progress) -> Units:
    """No block costs more than UNIT_WORK and the rows that a single own row is compared with: frequent values and
    records with blanks, which meet many, share a block with fewer others."""
    made: list[Rows] = []
    largest = total = 0
    for start in range(0, len(rows), PLAN_ROWS):
        progress.check()
        some = rows[start : start + PLAN_ROWS]
        work = np.cumsum(scan.plan(some, bar)[1] + 1)
        cuts = np.unique(np.searchsorted(work, np.arange(UNIT_WORK, int(work[-1]), UNIT_WORK)))
        made += [block for block in np.split(some, cuts) if len(block)]
        ends = np.unique(np.append(cuts[cuts > 0], len(some)))
        largest = max(largest, int(np.diff(work[ends - 1], prepend=0).max()))
        total += int(work[-1])
    return Units(tuple(made), largest, total)


def uneven(index: Index) -> tuple[int, str, int]:
    """What makes blocks uneven: own records with a blank, the field with the commonest value, its partner rows."""
    most = [int(one.partner.rows_per_value().max(initial=0)) for one in index.fields]
    worst = int(np.argmax(most))
    return int((index.own < 0).any(axis=1).sum()), index.fields[worst].comparison.field, most[worst]


def run(scan: Scan, bar: float, most: int, threads: int, progress: Progress = NO_PROGRESS) -> CandidatePairs:
    """All pairs at or above the bar; if they are more than `most`, the bar rises and the weakest go."""
    kept = blocking.StrongestPairs(bar, most)
    units = _units(scan, scan.index.order, bar, progress)
    blanks, field, held = uneven(scan.index)
    what = Said(
        "Comparing similar records: {blocks|one block|{blocks} blocks, the largest} with {largest} comparisons; "
        "blanks in {blanks} own records, one value of {field} in {held} of the partner's",
        blocks=len(units.blocks),
        largest=units.largest,
        blanks=blanks,
        field=field,
        held=held,
    )
    for part in in_blocks(_Comparing(scan, bar), units.blocks, threads, progress, what):
        kept.add(part, progress)
    return kept.found(len(scan.index.own) * len(scan.index.partner), progress)


@dataclass(frozen=True, eq=False)
class _Comparing(Portable[Rows, tuple[Rows, Rows, Floats, Levels]]):
    scan: Scan
    bar: float

    def __call__(self, rows: Rows) -> tuple[Rows, Rows, Floats, Levels]:
        return self.scan.compare(rows, self.bar)
