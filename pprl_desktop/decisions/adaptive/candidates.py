"""Candidates of the adaptive decision: the pairs whose weights add up to enough, found without a blocking key.

All pairs are scored by adding table look-ups, own row by own row, a block at a time; only pairs above the bar are kept.
That costs about a nanosecond per pair and field, loses no pair to a blocking key, and never holds more than one block.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from pprl_desktop.compute.engines import Portable
from pprl_desktop.compute.threads import interruptible
from pprl_desktop.decisions.adaptive.levels import Codes, FieldLevels, Levels
from pprl_desktop.decisions.base import Rows
from pprl_desktop.progress import NO_PROGRESS, Progress

BLOCK_PAIRS = 1 << 21  # pairs scored in one block: 8 MB, some tens of ms
TABLE_CELLS = 400 << 20  # level tables kept in memory, all fields together
SAMPLE_ROWS = 256  # own rows tried out to place the bar
SAMPLE_PAIRS = 1 << 25  # and their pairs at most: 128 MB

Part = tuple[npt.NDArray[Any], ...]  # own rows, partner rows, scores, and levels where they are known
Weights = npt.NDArray[np.float32]  # [own values, levels]


@dataclass(frozen=True, eq=False)
class CandidatePairs:
    own: Rows
    partner: Rows
    bar: float  # pairs below this were not kept
    examined: int
    levels: Levels | None = None  # [pairs, fields] where they are known already


def prepare(fields: Sequence[FieldLevels], threads: int, progress: Progress, room: int = TABLE_CELLS) -> None:
    """Keep the level tables that fit, small ones first."""
    order = sorted(fields, key=lambda one: one.own.values * one.partner.values)
    for place, one in enumerate(order):
        cells = one.own.values * one.partner.values
        if cells <= room:
            one.keep_all(threads, progress.part(place / len(order), (place + 1) / len(order)))
            room -= cells


def place_bar(
    fields: Sequence[FieldLevels],
    weights: Sequence[Weights],
    lowest: float,
    most: int,
    random: np.random.Generator,
    progress: Progress = NO_PROGRESS,
) -> tuple[float, int]:
    """The lowest bar, not under `lowest`, that about `most` pairs pass; and about how many pass `lowest`."""
    own_rows = len(fields[0].own.codes)
    rows = min(SAMPLE_ROWS, own_rows, max(1, SAMPLE_PAIRS // max(len(fields[0].partner.codes), 1)))
    some = np.sort(random.choice(own_rows, size=rows, replace=False)).astype(np.int32)
    blocks = []
    for block in _cut_up(some, len(fields[0].partner.codes)):
        progress.check()
        blocks.append(scores(fields, weights, block).reshape(-1))
    seen = np.concatenate(blocks)
    return bar_of(seen[seen >= lowest], lowest, most, len(some) / own_rows)


def bar_of(passing: npt.NDArray[np.float32], lowest: float, most: int, share: float) -> tuple[float, int]:
    """The same from the scores at or above `lowest` of a share of all pairs."""
    allowed, total = int(most * share), int(len(passing) / max(share, 1e-12))
    if len(passing) <= allowed:
        return lowest, total
    cut = float(np.partition(passing, len(passing) - allowed - 1)[len(passing) - allowed - 1])
    if cut == float(passing.max()):  # namesakes: all are equally good, StrongestPairs keeps a fair choice of them
        return cut, total
    return float(np.nextafter(np.float32(cut), np.float32(np.inf))), total


class StrongestPairs:
    """Pairs found so far; once they are more than `most`, the bar rises and the weakest go."""

    def __init__(self, bar: float, most: int) -> None:
        self.bar = float(bar)
        self._most = most
        self._parts: list[Part] = []
        self._held = 0

    def add(self, part: Part, progress: Progress) -> None:
        above = part[2] >= self.bar
        self._parts.append(part if above.all() else tuple(array[above] for array in part))
        self._held += len(self._parts[-1][0])
        if self._held > 1.5 * self._most:
            interruptible(progress, self._raise)

    def found(self, examined: int, progress: Progress) -> CandidatePairs:
        if self._held > self._most:
            interruptible(progress, self._raise)
        if not self._parts:
            none = np.zeros(0, np.int32)
            return CandidatePairs(none, none, self.bar, examined)
        whole = self._whole()
        order = interruptible(progress, np.lexsort, (whole[1], whole[0]))
        levels = whole[3][order] if len(whole) > 3 else None
        return CandidatePairs(whole[0][order], whole[1][order], self.bar, examined, levels)

    def _whole(self) -> Part:
        whole = tuple(np.concatenate(arrays) for arrays in zip(*self._parts, strict=True))
        self._parts = [whole]
        return whole

    def _raise(self) -> None:
        own, partner, score = self._whole()[:3]
        self.bar = float(np.partition(score, len(score) - self._most)[len(score) - self._most])
        above = score > self.bar
        at_bar = np.flatnonzero(score == self.bar)
        room = self._most - int(above.sum())
        if len(at_bar) > room:  # equal scores: spread what is kept over the rows instead of filling the first ones
            turn = (partner[at_bar].astype(np.int64) - own[at_bar]) % max(int(partner.max()) + 1, 1)
            at_bar = at_bar[np.argsort(turn, kind="stable")[:room]]
        above[at_bar] = True
        self._parts = [tuple(array[above] for array in self._parts[0])]
        self._held = int(above.sum())


def scan(
    fields: Sequence[FieldLevels],
    weights: Sequence[Weights],
    bar: float,
    most: int,
    threads: int,
    progress: Progress,
    once: bool = False,
) -> CandidatePairs:
    """All pairs at or above the bar; if they are more than `most`, the bar rises and the weakest go.

    `once`: both sides are the same records, of which each pair is looked at once.
    """
    from pprl_desktop.compute.bits import in_blocks

    own_rows, partner_rows = len(fields[0].own.codes), len(fields[0].partner.codes)
    order = np.arange(own_rows, dtype=np.int32) if once else _by_largest_field(fields)
    blocks = _cut_up(order, partner_rows)
    kept = StrongestPairs(bar, most)
    work = _Passing(tuple(fields), tuple(weights), bar, once)
    for part in in_blocks(work, blocks, threads, progress, "Comparing all pairs"):
        kept.add(part, progress)
    return kept.found(own_rows * partner_rows, progress)


@dataclass(frozen=True, eq=False)
class _Passing(Portable[Codes, Part]):
    """Pairs of some own rows with all of the partner's at or above the bar."""

    fields: tuple[FieldLevels, ...]
    weights: tuple[Weights, ...]
    bar: float
    once: bool = False  # only partner rows behind the own one

    def __call__(self, rows: Codes) -> Part:
        first = int(rows[0]) if self.once and len(rows) else 0
        width = max(len(self.fields[0].partner.codes) - first, 1)
        score = scores(self.fields, self.weights, rows, first).reshape(-1)
        at = np.flatnonzero(score >= self.bar)
        own, partner, found = rows[at // width].astype(np.int32), (at % width + first).astype(np.int32), score[at]
        if not self.once:
            return own, partner, found
        behind = partner > own
        return own[behind], partner[behind], found[behind]


def _cut_up(rows: Codes, partner_rows: int) -> list[Codes]:
    step = max(1, BLOCK_PAIRS // max(partner_rows, 1))
    return [rows[start : start + step] for start in range(0, len(rows), step)]


def _by_largest_field(fields: Sequence[FieldLevels]) -> Codes:
    """Own rows with equal values of the costliest field side by side: its levels are then computed once."""
    costly = max(fields, key=lambda one: one.own.values * one.partner.values)
    return np.argsort(costly.own.codes, kind="stable").astype(np.int32)


def scores(
    fields: Sequence[FieldLevels], weights: Sequence[Weights], rows: Codes, first: int = 0
) -> npt.NDArray[np.float32]:
    """[rows, partner rows] sums of the weights of some own rows with all of the partner's from the first on."""
    from pprl_desktop.decisions.adaptive.kernels import add_weights

    out = np.zeros((len(rows), len(fields[0].partner.codes) - first), dtype=np.float32)
    for one, weight in zip(fields, weights, strict=True):
        codes = one.own.codes[rows]
        if not one.partner.values or (codes < 0).all():
            continue
        values, at = np.unique(codes[codes >= 0], return_inverse=True)
        place = np.full(len(rows), -1, dtype=np.int32)
        place[codes >= 0] = at
        add_weights(one.rows(values), place, weight[codes], one.partner.codes[first:], out)
    return out
