"""Banded LSH for tables too large for an exact scan: rows that agree on all bits of some band are compared.

A band is a random choice of bit places (Indyk and Motwani 1998). How many bits and bands it takes is worked out from
the noise in force and from what matches and non-matches look like, so the share of matches compared is known
before the work and told. Where the exact scan would not take much longer, there is no plan: it is exact.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pprl_desktop.matching.base import MatchOptions
from pprl_desktop.methods.bit_planes import Floats, Ints
from pprl_desktop.methods.blocks import in_blocks
from pprl_desktop.methods.kernels import Bytes, Pairs, Similarity, ones_of, words_of
from pprl_desktop.methods.rules import BitsRule
from pprl_desktop.progress import Progress

EXACT_PAIRS = 1.2e10  # about 110k x 110k: below it the scan is always exact
TARGETS = (0.98, 0.95, 0.9, 0.8)  # candidate recalls to try, best first
GAIN = 2.0  # the plan must be this much faster than the exact scan
# seconds of one core, measured by tests/benchmarks/scan_bits.py; only their ratios matter
EXACT_COST, BAND_COST, CANDIDATE_COST = 1 / 4e8, 2.5e-7, 6e-8
BANDS_TOGETHER = 8  # bands between two clean-ups of what was found
CROWD = 4096  # partner rows of one band compared with one own row at most
BUFFER = 1 << 16
WORK = 1 << 21  # comparisons between two looks at the cancel button

Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Plan:
    bits: int  # places in a band
    bands: int
    recall: float  # expected share of the matches that become candidates
    candidates: float  # expected comparisons

    def notes(self) -> dict[str, object]:
        return {
            "candidates": f"{self.bands} bands of {self.bits} bits",
            "candidate_recall": self.recall,
            "expected_comparisons": self.candidates,
        }


def plan(own: int, partner: int, bits: int, similarity: Similarity, rule: BitsRule, fill: float) -> Plan | None:
    """None: scan all pairs. `fill` is the mean share of ones, needed to read Dice as agreement of bits."""
    pairs = float(own) * partner
    if pairs <= EXACT_PAIRS or not len(rule.matches) or not len(rule.bulk):
        return None
    same = agreement(rule.matches, rule, similarity, bits, fill)
    other = agreement(rule.bulk, rule, similarity, bits, fill)
    high = agreement(rule.others, rule, similarity, bits, fill)
    for target in TARGETS:
        best: tuple[float, Plan] | None = None
        for width in range(8, min(bits, 64)):
            bands = _bands(same**width, target)
            if bands is None:
                continue
            share = float((other**width).mean()) + float((high**width).sum()) / max(rule.others_of, 1)
            compared = bands * pairs * share
            cost = bands * (own + partner) * BAND_COST + compared * CANDIDATE_COST
            if best is None or cost < best[0]:
                best = cost, Plan(width, bands, _recall(same**width, bands), compared)
        if best is not None and best[0] * GAIN <= pairs * EXACT_COST:
            return best[1]
    return None


def agreement(values: Numbers, rule: BitsRule, similarity: Similarity, bits: int, fill: float) -> Numbers:
    """The share of bit places at which two rows of that (corrected) similarity agree, noise included."""
    if rule.measure == "dice":
        # Dice = shared ones / mean ones: read at rows of the mean fill
        shared = values * np.maximum(similarity.d0 + (similarity.da + similarity.db) * fill * bits, similarity.least)
        shared = shared - similarity.n0 - (similarity.na + similarity.nb) * fill * bits
        return np.asarray(np.clip(1 - 2 * (fill - shared / bits), 0.0, 1.0))
    return np.asarray(np.clip(2 * (values * similarity.d0 - similarity.n0) / bits + 1.0, 0.0, 1.0))


def _recall(collide: Numbers, bands: int) -> float:
    return float((1 - np.exp(bands * np.log1p(-np.minimum(collide, 1 - 1e-12)))).mean())


def _bands(collide: Numbers, target: float) -> int | None:
    """The fewest bands that reach the target, if 4096 do."""
    low, high = 1, 4096
    if _recall(collide, high) < target:
        return None
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if _recall(collide, middle) >= target else (middle + 1, high)
    return low


def scan(
    own: Bytes,
    partner: Bytes,
    similarity: Similarity,
    made: Plan,
    floor: float,
    room: int,
    options: MatchOptions,
    progress: Progress,
) -> tuple[Pairs, int]:
    """Pairs at or above the floor that share a band; and how many comparisons crowded bands were spared."""
    random = np.random.default_rng(options.seed)
    mine, theirs = words_of(own), words_of(partner)
    places = [random.choice(8 * own.shape[1], size=made.bits, replace=False) for _ in range(made.bands)]
    join = _Join(mine, theirs, ones_of(mine), ones_of(theirs), similarity.numbers(), floor, room, progress.check)
    codes, scores, skipped, found = np.empty(0, np.int64), np.empty(0), 0, 0
    waiting: list[tuple[npt.NDArray[np.int64], Floats]] = []
    for number, (new, score, spared) in enumerate(
        in_blocks(join.band, places, options.threads, progress, "Comparing signatures in bands")
    ):
        waiting.append((new, score))
        skipped += spared
        full = sum(len(each) for each, _ in waiting) > room // 4
        if full or len(waiting) == BANDS_TOGETHER or number == len(places) - 1:
            codes, first = np.unique(np.concatenate([codes, *(each for each, _ in waiting)]), return_index=True)
            scores = np.concatenate([scores, *(each for _, each in waiting)])[first]
            waiting = []
            found = max(found, len(codes))
            if len(codes) > room:  # keep the best; what is dropped is counted
                kept = np.sort(np.argsort(-scores, kind="stable")[:room])
                codes, scores = codes[kept], scores[kept]
    a, b = np.divmod(codes, len(theirs))
    order = np.lexsort((b, -scores, a))
    return Pairs(a[order].astype(np.int32), b[order].astype(np.int32), scores[order], found), skipped


@dataclass(frozen=True, eq=False)
class _Join:
    mine: npt.NDArray[np.uint64]
    theirs: npt.NDArray[np.uint64]
    ones: Ints
    their_ones: Ints
    numbers: Floats
    floor: float
    room: int  # pairs of one band held at most
    check: Callable[[], None]  # raises Cancelled

    def band(self, places: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int64], Floats, int]:
        """All pairs of one band, as own * rows + partner."""
        from pprl_desktop.matching.lsh_join import keys

        mine, theirs = keys(self.mine, places), keys(self.theirs, places)
        order, their_order = np.argsort(mine, kind="stable"), np.argsort(theirs, kind="stable")
        found, scores, skipped = [np.empty(0, np.int64)], [np.empty(0)], 0
        for code, score, spared in self._pieces(mine[order], theirs[their_order], order, their_order):
            found.append(code)
            scores.append(score)
            skipped += spared
            if sum(map(len, found)) > self.room:  # only where nearly all rows are alike
                skipped += 1
                break
        return np.concatenate(found), np.concatenate(scores), skipped

    def _pieces(
        self,
        mine: npt.NDArray[np.uint64],
        theirs: npt.NDArray[np.uint64],
        order: npt.NDArray[np.int64],
        their_order: npt.NDArray[np.int64],
    ) -> Iterator[tuple[npt.NDArray[np.int64], Floats, int]]:
        from pprl_desktop.matching.lsh_join import join

        at, there = 0, 0
        codes, scores = np.empty(BUFFER, np.int64), np.empty(BUFFER)
        while at < len(mine):
            self.check()  # in the worker too: a band of a million rows takes seconds
            at, there, held, spared = join(
                mine, theirs, order, their_order, self.mine, self.theirs, self.ones, self.their_ones,
                self.numbers, self.floor, at, there, CROWD, WORK, codes, scores,
            )  # fmt: skip
            yield codes[:held].copy(), scores[:held].copy(), int(spared)
