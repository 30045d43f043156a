"""Banded LSH for tables too large for an exact scan: rows that agree on all bits of some band are compared.

A band is a random choice of bit places (Indyk and Motwani 1998). How many bits and bands it takes is worked out from
the noise in force and from what matches and non-matches look like, so the share of matches compared is known
before the work and told: the lower end of what the sample of synthetic matches leaves open, so that it is reached.
Where the exact scan would not take much longer, there is no plan: it is exact.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from pprl_desktop.compute.bit_planes import Floats, Ints
from pprl_desktop.compute.bits import Bytes, Pairs, Similarity, joined, ones_of, words_of
from pprl_desktop.compute.engines import Portable
from pprl_desktop.compute.threads import in_blocks
from pprl_desktop.decisions.base import MatchOptions
from pprl_desktop.decisions.rules import BitsRule
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.said import Said

EXACT_PAIRS = 1.2e10  # about 110k x 110k: below it the scan is always exact
GAIN = 2.0  # the plan must be this much faster than the exact scan
# seconds of one core, measured by tests/benchmarks/scan_bits.py; only their ratios matter
EXACT_COST, BAND_COST, CANDIDATE_COST = 1 / 4e8, 2.5e-7, 6e-8
BUFFER = 1 << 16
WORK = 1 << 21  # comparisons between two looks at the cancel button

Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Plan:
    bits: int  # places in a band
    bands: int
    recall: float  # share of the matches that become candidates at least (95 % lower bound)
    candidates: float  # expected comparisons
    crowd: int  # partner rows of one band compared with one own row at most

    def notes(self) -> dict[str, object]:
        return {
            "candidates": Said("{bands} bands of {bits} bits", bands=self.bands, bits=self.bits),
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
    for target in rule.tuning.recalls:
        best: tuple[float, Plan] | None = None
        for width in range(8, min(bits, 64)):
            together = collide(same, bits, width)
            bands = _bands(together, target, rule.tuning.recall_sigma)
            if bands is None:
                continue
            share = float(collide(other, bits, width).mean())
            share += float(collide(high, bits, width).sum()) / max(rule.others_of, 1)
            compared = bands * pairs * share
            cost = bands * (own + partner) * BAND_COST + compared * CANDIDATE_COST
            if best is None or cost < best[0]:
                recall = _recall(together, bands, rule.tuning.recall_sigma)
                best = cost, Plan(width, bands, recall, compared, rule.tuning.crowd)
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


def collide(agreement: Numbers, bits: int, width: int) -> Numbers:
    """The chance that two rows agree at all of `width` different places drawn at random (hypergeometric)."""
    equal = np.rint(agreement * bits)
    chance = np.ones(len(equal))
    for drawn in range(width):
        chance *= np.maximum(equal - drawn, 0.0) / (bits - drawn)
    return chance


def _recall(together: Numbers, bands: int, sigma: float) -> float:
    """At least this share of the matches meets in one of the bands."""
    met = 1 - np.exp(bands * np.log1p(-np.minimum(together, 1 - 1e-12)))
    return max(float(met.mean() - sigma * met.std() / np.sqrt(len(met))), 0.0)


def _bands(together: Numbers, target: float, sigma: float) -> int | None:
    """The fewest bands that reach the target, if 4096 do."""
    low, high = 1, 4096
    if _recall(together, high, sigma) < target:
        return None
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if _recall(together, middle, sigma) >= target else (middle + 1, high)
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
    """Pairs at or above the floor that share a band; and how many comparisons crowded bands were spared.

    A pair is taken in the first band it shares, so that nothing found has to be compared with what was found before.
    """
    random = np.random.default_rng(options.seed)
    mine, theirs = words_of(own), words_of(partner)
    places = [random.choice(8 * own.shape[1], size=made.bits, replace=False) for _ in range(made.bands)]
    masks = np.stack([mask_of(each, mine.shape[1]) for each in places])
    join = _Join(
        mine, theirs, ones_of(mine), ones_of(theirs), similarity.numbers(), floor, room, masks, made.crowd, progress
    )  # fmt: skip
    pieces: list[Piece] = []
    bands = list(enumerate(places))
    skipped = held = found = 0
    for new, spared in in_blocks(join, bands, options.threads, progress, "Comparing signatures in bands"):
        pieces += new
        skipped += spared
        held += sum(len(scores) for _, _, scores in new)
        found += sum(len(scores) for _, _, scores in new)
        if held > 1.5 * room:  # keep the best; what is dropped is counted
            pieces, held = _best(pieces, room), room
    kept = _best(pieces, room) if held > room else pieces
    return joined(kept, found), skipped


Piece = tuple[Ints, Ints, Floats]


def mask_of(places: npt.NDArray[np.int64], words: int) -> npt.NDArray[np.uint64]:
    mask = np.zeros(words, np.uint64)
    for place in places.tolist():
        mask[place // 64] |= np.uint64(1 << (place % 64))
    return mask


def by_key(keys: npt.NDArray[np.uint64], bits: int) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.int64]]:
    """Keys of so many bits in rising order, and the row of each; equal ones by rising row.

    Key and row fit into one number nearly always, and sorting those takes half as long as sorting their places.
    """
    place = max(len(keys) - 1, 1).bit_length()
    if bits + place > 64:
        order = np.argsort(keys, kind="stable")
        return keys[order], order
    both = (keys << np.uint64(place)) | np.arange(len(keys), dtype=np.uint64)
    both.sort()
    return both >> np.uint64(place), (both & np.uint64((1 << place) - 1)).astype(np.int64)


def _best(pieces: list[Piece], room: int) -> list[Piece]:
    own, partner, scores = (np.concatenate(column) for column in zip(*pieces, strict=True))
    bar = np.partition(scores, len(scores) - room)[len(scores) - room]
    kept = np.concatenate([np.flatnonzero(scores > bar), np.flatnonzero(scores == bar)])[:room]
    return [(own[kept], partner[kept], scores[kept])]


@dataclass(frozen=True, eq=False)
class _Join(Portable[tuple[int, npt.NDArray[np.int64]], tuple[list[Piece], int]]):
    mine: npt.NDArray[np.uint64]
    theirs: npt.NDArray[np.uint64]
    ones: Ints
    their_ones: Ints
    numbers: Floats
    floor: float
    room: int  # pairs of one band held at most
    masks: npt.NDArray[np.uint64]  # [bands, words]
    crowd: int
    progress: Progress = field(default=NO_PROGRESS, repr=False)  # Cancel is heard within a band

    def __getstate__(self) -> dict[str, Any]:
        return {name: held for name, held in vars(self).items() if name != "progress"}

    def __call__(self, which: tuple[int, npt.NDArray[np.int64]]) -> tuple[list[Piece], int]:
        """All pairs of one band that share no earlier one."""
        from pprl_desktop.decisions.threshold.lsh_join import Band, Out, Sorted, join, keys

        number, places = which
        mine, theirs = keys(self.mine, places), keys(self.theirs, places)
        (mine, order), (theirs, their_order) = by_key(mine, len(places)), by_key(theirs, len(places))
        rows, others, scores = np.empty(BUFFER, np.int32), np.empty(BUFFER, np.int32), np.empty(BUFFER)
        own = Sorted(mine, order, self.mine, self.ones)
        partner = Sorted(theirs, their_order, self.theirs, self.their_ones)
        band, out = Band(self.masks, number, self.numbers, self.floor, self.crowd, WORK), Out(rows, others, scores)
        found: list[Piece] = []
        at = there = skipped = 0
        while at < len(mine):
            self.progress.check()  # in the thread too: a band of a million rows takes seconds
            at, there, held, spared = join(own, partner, band, at, there, out)
            found.append((rows[:held].copy(), others[:held].copy(), scores[:held].copy()))
            skipped += int(spared)
            if sum(len(each) for _, _, each in found) > self.room:  # only where nearly all rows are alike
                skipped += 1
                break
        return found, skipped
