"""The attacker's inner loops: the best dictionary entries for each row, by likelihood and frequency.

Compiled with numba and imported only when a rehearsal runs. Rows are cut into blocks that
threads work on, and that a Cancel ends.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from pprl_desktop.compute.bit_planes import ones_in
from pprl_desktop.compute.engines import Portable
from pprl_desktop.compute.threads import in_blocks, jit
from pprl_desktop.progress import NO_PROGRESS, Progress

Bytes = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int32]

ROWS = 64  # rows of a block
SHORTLIST = 256  # entries per row that go from the matrix product to the exact likelihood
PRODUCT_COLUMNS = 400  # distances used for the shortlist; larger reference sets are thinned out evenly
ENTRIES = 2048  # dictionary entries that stay in the cache while a block's rows pass


@jit
def _keep(score: Any, entry: Any, best: Any, ids: Any) -> None:
    """Insert into a list sorted best first; the caller has seen that the score beats the last."""
    place = len(best) - 1
    while place > 0 and best[place - 1] < score:
        best[place] = best[place - 1]
        ids[place] = ids[place - 1]
        place -= 1
    best[place] = score
    ids[place] = entry


@jit
def _top_bits(rows: Any, entries: Any, gain: Any, bias: Any, best: Any, ids: Any) -> None:
    width = rows.shape[1]
    for start in range(0, len(entries), ENTRIES):
        stop = min(start + ENTRIES, len(entries))
        for row in range(len(rows)):
            mine = rows[row]
            for entry in range(start, stop):
                theirs = entries[entry]
                shared = np.uint64(0)
                for word in range(width):
                    shared += ones_in(mine[word] & theirs[word])
                score = np.float32(gain * shared) + bias[entry]
                if score > best[row, -1]:
                    _keep(score, entry, best[row], ids[row])


@jit
def _top_products(products: Any, bias: Any, best: Any, ids: Any) -> None:
    for row in range(len(products)):
        for entry in range(products.shape[1]):
            score = products[row, entry] + bias[entry]
            if score > best[row, -1]:
                _keep(score, entry, best[row], ids[row])


@jit
def _rank_distances(rows: Any, entries: Any, gain: Any, bias: Any, listed: Any, best: Any, ids: Any) -> None:
    """The exact likelihood of the listed entries: gain times the sum of absolute differences."""
    for row in range(len(rows)):
        mine = rows[row]
        for place in range(listed.shape[1]):
            entry = listed[row, place]
            if entry < 0:
                continue
            theirs = entries[entry]
            apart = np.int32(0)
            for column in range(len(mine)):
                less = np.int32(mine[column]) - np.int32(theirs[column])
                apart += less if less > 0 else -less
            score = np.float32(gain * apart) + bias[entry]
            if score > best[row, -1]:
                _keep(score, entry, best[row], ids[row])


def words_of(packed: Bytes) -> npt.NDArray[np.uint64]:
    """Rows of bytes as rows of 64-bit words, padded with zeros; only counts matter."""
    padded = np.zeros((len(packed), max(1, -(-packed.shape[1] // 8)) * 8), dtype=np.uint8)
    padded[:, : packed.shape[1]] = packed
    return padded.view(np.uint64)


def top_bits(
    rows: Bytes, entries: Bytes, gain: float, bias: Floats, k: int, progress: Progress = NO_PROGRESS
) -> tuple[Ints, Floats]:
    """For each row the k entries with the largest gain * (ones in common) + bias, best first; -1 fills up."""
    k = max(1, min(k, len(entries)))
    work = _Ranking(words_of(rows), words_of(entries), gain, np.ascontiguousarray(bias, dtype=np.float32), k)
    return _joined(list(in_blocks(work, range(0, len(rows), ROWS), 0, progress)), k)


def top_distances(
    rows: Bytes, entries: Bytes, epsilon: float, bias: Floats, k: int, progress: Progress = NO_PROGRESS
) -> tuple[Ints, Floats]:
    """For each row the k entries with the largest -epsilon * (sum of absolute differences) + bias.

    A matrix product finds SHORTLIST entries by squared differences first (the Gaussian likelihood with the
    variance of the discrete Laplace law): about ten times faster than absolute differences of all.
    """
    k = max(1, min(k, len(entries)))
    columns = np.linspace(0, rows.shape[1] - 1, min(rows.shape[1], PRODUCT_COLUMNS)).astype(np.int64)
    q = float(np.exp(-epsilon))
    scale = np.float32(np.sqrt((1 - q) ** 2 / (2 * q)))  # 1 / standard deviation of the noise
    thin = np.ascontiguousarray(entries[:, columns], dtype=np.float32) * scale
    flat = bias - np.einsum("ij,ij->i", thin, thin) / 2
    found = []
    for start in range(0, len(rows), ROWS):
        progress.at(start / len(rows))
        mine = np.ascontiguousarray(rows[start : start + ROWS])
        listed, _ = _lists(len(mine), max(k, min(SHORTLIST, len(entries))))
        products = (mine[:, columns].astype(np.float32) * scale) @ thin.T
        _top_products(products, flat.astype(np.float32), _, listed)
        ids, best = _lists(len(mine), k)
        _rank_distances(mine, entries, np.float32(-epsilon), np.asarray(bias, np.float32), listed, best, ids)
        found.append((ids, best))
    progress.at(1.0)
    return _joined(found, k)


@dataclass(frozen=True, eq=False)
class _Ranking(Portable[int, tuple[Ints, Floats]]):
    """The best entries of some rows. No value of the attacker's list is in it, only its code."""

    rows: Any
    entries: Any
    gain: float
    bias: Floats
    k: int

    def __call__(self, start: int) -> tuple[Ints, Floats]:
        mine = self.rows[start : start + ROWS]
        ids, best = _lists(len(mine), self.k)
        _top_bits(mine, self.entries, np.float32(self.gain), self.bias, best, ids)
        return ids, best


def _lists(rows: int, k: int) -> tuple[Ints, Floats]:
    return np.full((rows, k), -1, dtype=np.int32), np.full((rows, k), -np.inf, dtype=np.float32)


def _joined(found: list[tuple[Ints, Floats]], k: int) -> tuple[Ints, Floats]:
    if not found:
        return _lists(0, k)
    return np.concatenate([ids for ids, _ in found]), np.concatenate([best for _, best in found])


# ---- signatures that are signs of sums ----------------------------------------------------------


@jit
def _top_sums(pull: Any, starts: Any, piece: Any, weight: Any, bias: Any, best: Any, ids: Any) -> None:
    """Entry e scores the sum of weight * pull[row, piece] over its pieces, and bias[e]."""
    for row in range(len(pull)):
        mine = pull[row]
        for entry in range(len(bias)):
            score = bias[entry]
            for at in range(starts[entry], starts[entry + 1]):
                score += weight[at] * mine[piece[at]]
            if score > best[row, -1]:
                _keep(score, entry, best[row], ids[row])


@jit
def _top_joint(known: Any, more: Any, most: Any, gain: Any, biases: Any, best: Any, ids: Any) -> None:
    """Pairs by gain * sum(clip(known + more, -most, most)) + biases; 16 bits all through: else ten times as slow."""
    known_bias, more_bias = biases
    for one in range(len(known)):
        mine = known[one]
        for other in range(len(more)):
            theirs = more[other]
            total = np.int32(0)
            for bit in range(len(mine)):
                both = np.int16(mine[bit] + theirs[bit])
                both = np.int16(both if both < most else most)
                both = np.int16(both if both > -most else -most)
                total += np.int32(both)
            score = np.float32(gain * total) + known_bias[one] + more_bias[other]
            if score > best[-1]:
                _keep(score, one * len(more) + other, best, ids)


def top_sums(
    pull: Floats, starts: Any, piece: Any, weight: Floats, bias: Floats, k: int, progress: Progress = NO_PROGRESS
) -> Ints:
    """For each row the k entries whose pieces pull most, best first; -1 fills up."""
    work = _Pulling(pull, starts, piece, weight, bias, k)
    blocks = list(in_blocks(work, range(0, len(pull), ROWS), 0, progress))
    return np.concatenate(blocks) if blocks else _lists(0, k)[0]


@dataclass(frozen=True, eq=False)
class _Pulling(Portable[int, Ints]):
    pull: Floats
    starts: Any
    piece: Any
    weight: Floats
    bias: Floats
    k: int

    def __call__(self, start: int) -> Ints:
        return few_top_sums(self.pull[start : start + ROWS], self.starts, self.piece, self.weight, self.bias, self.k)


def few_top_sums(pull: Floats, starts: Any, piece: Any, weight: Floats, bias: Floats, k: int) -> Ints:
    """top_sums() for the rows of one block, in the caller's thread."""
    ids, best = _lists(len(pull), max(1, min(k, len(bias))))
    _top_sums(pull, starts, piece, weight, bias, best, ids)
    return ids


def top_joint(
    known: npt.NDArray[np.int16], more: npt.NDArray[np.int16], most: int, gain: float,
    known_bias: Floats, more_bias: Floats, k: int,
) -> tuple[Ints, Floats]:  # fmt: skip
    """The k best pairs of one row, as one * len(more) + other, with their scores."""
    ids, best = _lists(1, max(1, min(k, len(known) * len(more))))
    _top_joint(known, more, np.int16(most), np.float32(gain), (known_bias, more_bias), best[0], ids[0])
    return ids[0], best[0]
