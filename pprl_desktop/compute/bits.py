"""Exact scans over packed bits: how many ones two rows share, top k per row or all pairs above a bar.

Why numba: it has wheels for Linux, macOS (both processors) and Windows, needs no compiler at the steward's desk, lives
in a frozen application (llvmlite is one shared library), and it was the fastest of what was measured: for
50k x 50k x 1024 bits faiss took 17-31 CPU-seconds, BLAS 39-56, numpy 143, a plain popcount loop 10; the bit-sliced scan
of bit_planes.py is about three times faster than that loop (tests/benchmarks/scan_bits.py).
Start-up: compiling costs about three seconds in all, once; see threads.jit for where it is cached.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from pprl_desktop.compute import bit_planes
from pprl_desktop.compute.bit_planes import GROUP, LANES, LEVEL, SMALL, Floats, Ints, Words
from pprl_desktop.compute.engines import Portable
from pprl_desktop.compute.threads import in_blocks as in_blocks
from pprl_desktop.compute.threads import jit as jit
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.said import Said

Bytes = npt.NDArray[np.uint8]

TILE = 256  # own rows per block: 13M pairs at 50k partner rows, some 20 ms
ROWS_AT_ONCE = 64 * GROUP  # rows prepared between two looks at Cancel: some 20 ms
MAX_BITS = 1 << 15  # bit positions are kept as uint16
LEAST_FILL = 0.01  # of the bits: estimated sizes below it are noise


@dataclass(frozen=True)
class Similarity:
    """score = (shared + n0 + na * own ones + nb * partner ones) / (d0 + da * own ones + db * partner ones).

    Hamming similarity, Dice, and both corrected for flipped bits have this form; it rises with the shared ones.
    The denominator is never taken below `least` (noise can make an estimated size negative).
    """

    n0: float
    na: float
    nb: float
    d0: float
    da: float = 0.0
    db: float = 0.0
    least: float = SMALL

    @classmethod
    def hamming(cls, bits: int, flip_own: float = 0.0, flip_partner: float = 0.0) -> Similarity:
        """The share of equal bits before each side flipped bits at its rate."""
        keep = (1 - 2 * flip_own) * (1 - 2 * flip_partner)
        flipped = flip_own + flip_partner - 2 * flip_own * flip_partner
        return cls((flipped + keep) * bits / 2, -0.5, -0.5, keep * bits / 2)

    @classmethod
    def dice(cls, bits: int, flip_own: float = 0.0, flip_partner: float = 0.0) -> Similarity:
        """Dice of the rows before each side flipped bits at its rate: unbiased estimates of sizes and overlap."""
        stay_own, stay_partner = 1 - 2 * flip_own, 1 - 2 * flip_partner
        return cls(
            flip_own * flip_partner * bits,
            -flip_partner,
            -flip_own,
            -bits * (flip_own * stay_partner + flip_partner * stay_own) / 2,
            stay_partner / 2,
            stay_own / 2,
            least=LEAST_FILL * bits * stay_own * stay_partner,
        )

    def score(self, shared: npt.NDArray[Any], own: npt.NDArray[Any], partner: npt.NDArray[Any]) -> Floats:
        over = self.d0 + self.da * own + self.db * partner
        value = (shared + self.n0 + self.na * own + self.nb * partner) / np.maximum(over, self.least)
        return np.asarray(value, np.float64)

    def of_rows(self, own: Bytes, partner: Bytes, progress: Progress = NO_PROGRESS) -> Floats:
        """Row by row of two packed arrays of one shape."""
        made = np.empty(len(own))
        for start in range(0, len(own), ROWS_AT_ONCE):
            progress.check()
            a, b = own[start : start + ROWS_AT_ONCE], partner[start : start + ROWS_AT_ONCE]
            ones, theirs, both = (np.bitwise_count(each).sum(axis=1, dtype=np.int64) for each in (a, b, a & b))
            made[start : start + len(a)] = self.score(both, ones, theirs)
        return made

    def numbers(self) -> Floats:
        return np.array([self.n0, self.na, self.nb, self.d0, self.da, self.db, self.least])


@dataclass(frozen=True, eq=False)
class Planes:
    """Partner rows prepared for a scan, sorted by their number of ones so that a group is nearly alike in it."""

    words: Words  # [rows, bits/64] in sorted order
    ones: Ints  # [rows]
    order: Ints  # sorted position -> row
    planes: Words  # [groups, bits + 1, LANES]; the last plane is empty

    @property
    def rows(self) -> int:
        return len(self.ones)

    def arrays(self) -> bit_planes.PartnerRows:
        """As the kernels take them."""
        return bit_planes.PartnerRows(self.words, self.ones, self.order, self.planes)


@dataclass(frozen=True, eq=False)
class Pairs:
    """Pairs by own row, best first, equal scores by partner row. `found` counts also those that were not kept."""

    own: Ints
    partner: Ints
    score: Floats
    found: int


def words_of(packed: Bytes) -> Words:
    """Rows of bytes as rows of 64-bit words, padded with zeros. Only counts matter, so the order of bits does not."""
    rows, width = packed.shape
    padded = np.zeros((rows, max(1, -(-width // 8)) * 8), np.uint8)
    padded[:, :width] = packed
    return padded.view(np.uint64)


def ones_of(words: Words) -> Ints:
    ones: Ints = np.bitwise_count(words).sum(axis=1, dtype=np.int32)
    return ones


def prepare(packed: Bytes, progress: Progress = NO_PROGRESS) -> Planes:
    words = words_of(packed)
    if words.shape[1] * 64 > MAX_BITS:
        raise ValueError("too many bits for a scan")
    ones = ones_of(words)
    order = np.argsort(ones, kind="stable").astype(np.int32)
    words, ones = np.ascontiguousarray(words[order]), ones[order]
    planes = np.zeros((-(-len(ones) // GROUP), words.shape[1] * 64 + 1, LANES), np.uint64)
    for start in range(0, len(ones), ROWS_AT_ONCE):  # whole groups of rows
        progress.check()
        bit_planes.fill_planes(words[start : start + ROWS_AT_ONCE], planes[start // GROUP :])
    return Planes(words, ones, order, planes)


def top(
    own: Bytes,
    partner: Planes,
    similarity: Similarity,
    k: int,
    floor: float = -np.inf,
    threads: int = 0,
    progress: Progress = NO_PROGRESS,
) -> Pairs:
    """For each own row its k best partner rows with a score of at least `floor`."""
    words = words_of(own)
    k = min(k, partner.rows)
    work = _Top(words, partner, similarity.numbers(), floor, k)
    starts = range(0, len(words) if k > 0 else 0, TILE)
    return joined(list(in_blocks(work, starts, threads, progress, Said("Comparing signatures"))), found=None)


@dataclass(frozen=True, eq=False)
class _Top(Portable[int, tuple[Ints, Ints, Floats]]):
    words: Words
    partner: Planes
    numbers: Floats
    floor: float
    k: int

    def __call__(self, start: int) -> tuple[Ints, Ints, Floats]:
        mine = self.words[start : start + TILE]
        best = np.full((len(mine), self.k), -np.inf)
        ids = np.full((len(mine), self.k), -1, np.int32)
        bit_planes.top(_own_side(mine), self.partner.arrays(), self.numbers, self.floor, best, ids)
        row, place = np.nonzero(ids >= 0)
        return (row + start).astype(np.int32), ids[row, place], best[row, place]


def above(
    own: Bytes,
    partner: Planes,
    similarity: Similarity,
    floor: float,
    limit: int,
    threads: int = 0,
    progress: Progress = NO_PROGRESS,
) -> Pairs:
    """All pairs with a score of at least `floor`; at most about `limit` are kept, all are counted."""
    words = words_of(own)
    work = _Above(words, partner, similarity.numbers(), floor, _Room(limit))
    pieces, total = [], 0
    starts = range(0, len(words) if partner.rows else 0, TILE)
    for piece, found in in_blocks(work, starts, threads, progress, Said("Comparing signatures")):
        pieces.append(piece)
        work.room.left = max(work.room.left - len(piece[0]), 0)
        total += found
    return joined(pieces, total)


@dataclass(eq=False)
class _Room:
    """Pairs that may still be kept; blocks in threads of this process see it fall and hold no more than that."""

    left: int


@dataclass(frozen=True, eq=False)
class _Above(Portable[int, tuple[tuple[Ints, Ints, Floats], int]]):
    words: Words
    partner: Planes
    numbers: Floats
    floor: float
    room: _Room

    def __call__(self, start: int) -> tuple[tuple[Ints, Ints, Floats], int]:
        mine, theirs = _own_side(self.words[start : start + TILE]), self.partner.arrays()
        room = min(1 << 14, self.room.left)
        while True:
            rows, ids, scores = np.empty(room, np.int32), np.empty(room, np.int32), np.empty(room)
            found = int(bit_planes.above(mine, theirs, self.numbers, self.floor, rows, ids, scores))
            wanted = min(found, self.room.left)
            if wanted <= room:
                held = min(found, room)
                return (rows[:held] + np.int32(start), ids[:held], scores[:held]), found
            room = wanted


def sharing(own: Words, partner: Planes, need: Ints) -> tuple[Ints, Ints]:
    """Own rows and partner rows of all pairs that share as many ones as `need` [own ones, partner ones] asks."""
    mine, theirs = _own_side(own), partner.arrays()
    room = max(1 << 14, len(own) * partner.rows >> 6)
    while True:
        rows, ids = np.empty(room, np.int32), np.empty(room, np.int32)
        found = int(bit_planes.sharing(mine, theirs, need, rows, ids))
        if found <= room:
            return rows[:found].copy(), ids[:found].copy()
        room = found


def shared_ones(own: Words, partner: Words, own_rows: Ints, partner_rows: Ints) -> Ints:
    """The shared ones of listed pairs."""
    out = np.empty(len(own_rows), np.int32)
    bit_planes.shared(own, partner, own_rows, partner_rows, out)
    return out


def joined(pieces: list[tuple[Ints, Ints, Floats]], found: int | None) -> Pairs:
    if not pieces:
        return Pairs(np.empty(0, np.int32), np.empty(0, np.int32), np.empty(0), 0)
    own, partner, score = (np.concatenate(column) for column in zip(*pieces, strict=True))
    order = np.lexsort((partner, -score, own))
    return Pairs(own[order], partner[order], score[order], len(own) if found is None else found)


def _own_side(words: Words) -> bit_planes.OwnRows:
    ones = ones_of(words)
    width = -(-(int(ones.max(initial=0)) + 1) // (1 << LEVEL)) << LEVEL
    bits = np.full((len(words), width), words.shape[1] * 64, np.uint16)
    bit_planes.list_bits(words, bits)
    return bit_planes.OwnRows(words, ones, bits, (-(-ones // (1 << LEVEL))).astype(np.int32))
