"""Randomised response on packed bits and discrete Laplace noise on small integers, in exact integers.

Both samplers compare random integers with integer thresholds; no floating-point number takes part
in a draw, so the low bits of a float can never give the noise away (Mironov, CCS 2012). Every
probability is a rational number that is known exactly, and rounding is always towards *more* noise:
the epsilon that holds is never larger than the one asked for.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from functools import cached_property, lru_cache

import numpy as np
import numpy.typing as npt

from pprl_desktop.privacy.keystream import Keystream
from pprl_desktop.problem import Problem
from pprl_desktop.progress import NO_PROGRESS, Progress

Bytes = npt.NDArray[np.uint8]

WORD = 1 << 64  # probabilities are integers over this
LARGEST_EPSILON = 40.0  # per bit or per edit; beyond it a flip is rarer than 64 bits can say
CHUNK = 1 << 18  # bytes noised at a time: the working arrays stay in the processor's cache
FIRST_SLICES = 8  # random bits drawn for every data bit before looking which are still open
SMALLEST_WEIGHT = 1 << 20  # of 2^64: under the far tail, so that rounding never makes a step too steep
BOUND = 255  # distances are one byte, so larger noise cannot be told apart after clipping


def checked_epsilon(epsilon: float) -> float:
    if not (math.isfinite(epsilon) and 0.0 < epsilon <= LARGEST_EPSILON):
        raise Problem(
            "Epsilon must be a number above 0 and at most 40.",
            "Smaller is more private; 40 is already no protection at all.",
            "Choose a value such as 0.5, 1, 2 or 5, or leave the noise off.",
            place="epsilon",
        )
    return float(epsilon)


def _exp(epsilon: float, rounding: str) -> Fraction:
    """A rational bound of e^epsilon: `decimal` rounds exp correctly, one unit in the last place is added."""
    context = Context(prec=60)
    value = context.exp(Decimal(epsilon))  # a float is a binary fraction, so Decimal(epsilon) is exact
    value = context.next_plus(value) if rounding == ROUND_CEILING else context.next_minus(value)
    return Fraction(value)


# ---- randomised response ------------------------------------------------------------------------


@lru_cache(maxsize=64)
def flip_threshold(epsilon: float) -> int:
    """T such that a bit is flipped with probability T / 2^64: 1/(e^epsilon + 1), rounded up."""
    return math.ceil(WORD / (_exp(checked_epsilon(epsilon), ROUND_FLOOR) + 1))


def flip_probability(epsilon: float) -> Fraction:
    """The probability in force, exactly (Warner 1965)."""
    return Fraction(flip_threshold(epsilon), WORD)


def flip_bits(bits: Bytes, epsilon: float, source: Keystream, progress: Progress = NO_PROGRESS) -> None:
    """Flip every bit of a C-contiguous array, in place and independently, with `flip_probability`."""
    flat = bits.reshape(-1)
    if not bits.flags.c_contiguous:
        raise ValueError("the array must be contiguous: it is changed in place")
    threshold = flip_threshold(epsilon)
    work = _Slices(CHUNK // 8)
    for start in range(0, flat.size, CHUNK):
        piece = flat[start : start + CHUNK]
        flips = work.draw(-(-piece.size // 8), threshold, source)
        np.bitwise_xor(piece, flips.view(np.uint8)[: piece.size], out=piece)
        progress.at((start + piece.size) / flat.size)


class _Slices:
    """Bit-sliced sampling: 64 comparisons `random < threshold` at once, from the highest bit down.

    Bit i of `open` says that lane i has agreed with the threshold so far. Half of the open lanes
    close with every random word, so after eight words about one word in five has an open lane, and only
    those go on to the 64th bit. Lanes still open at the end are equal, that is, not below.
    How long it takes depends on the random bits only, never on the data.
    """

    def __init__(self, words: int) -> None:
        self._random = np.empty(words, dtype=np.uint64)
        self._open = np.empty(words, dtype=np.uint64)
        self._below = np.empty(words, dtype=np.uint64)

    def draw(self, words: int, threshold: int, source: Keystream) -> npt.NDArray[np.uint64]:
        """Words whose bits are set independently with probability threshold / 2^64."""
        below, undecided = self._below[:words], self._open[:words]
        below[:] = 0
        undecided[:] = ~np.uint64(0)
        _compare(below, undecided, self._random[:words], threshold, range(FIRST_SLICES), source)
        left = np.flatnonzero(undecided)
        some_below, some_open = below[left], undecided[left]
        _compare(some_below, some_open, self._random[: left.size], threshold, range(FIRST_SLICES, 64), source)
        below[left] = some_below
        return below


def _compare(
    below: npt.NDArray[np.uint64],
    undecided: npt.NDArray[np.uint64],
    random: npt.NDArray[np.uint64],
    threshold: int,
    slices: range,
    source: Keystream,
) -> None:
    for position in slices:
        if position > 2 * FIRST_SLICES and not undecided.any():
            return
        source.fill(random)
        if threshold >> (63 - position) & 1:  # random 0 under threshold 1: below; random 1: still equal
            np.bitwise_and(undecided, random, out=random)
            np.bitwise_xor(undecided, random, out=undecided)
            np.bitwise_or(below, undecided, out=below)
            undecided[:] = random
        else:  # random 1 over threshold 0: above
            np.invert(random, out=random)
            np.bitwise_and(undecided, random, out=undecided)


# ---- discrete Laplace ---------------------------------------------------------------------------


@dataclass(frozen=True)
class DiscreteLaplace:
    """Integer noise z with probability proportional to e^(-epsilon |z|), as exact integer weights.

    `weights[i]` belongs to z = i - bound. Noise beyond the bound counts at the bound: adding it to a
    number in [0, bound] and clipping the sum to [0, bound] gives the same as the unbounded noise.
    Weights are rounded so that neighbouring ones, and neighbouring tail sums, never differ by more
    than the factor e^epsilon. The clipped sum is therefore epsilon-private per unit of change,
    exactly and without a delta. The price is a total-variation distance to the ideal law that
    is below 2^-30.
    """

    epsilon: float
    bound: int
    weights: tuple[int, ...] = field(repr=False)

    @classmethod
    def of(cls, epsilon: float, bound: int = BOUND) -> DiscreteLaplace:
        return _laplace(checked_epsilon(epsilon), bound)

    @property
    def total(self) -> int:
        return sum(self.weights)

    def probability(self, noise: int) -> Fraction:
        return Fraction(self.weights[noise + self.bound], self.total)

    @cached_property
    def _ends(self) -> npt.NDArray[np.uint64]:
        """The last random word of each outcome; words after the last end are redrawn."""
        ends, running = [], 0
        for weight in self.weights:
            running += weight
            ends.append(running - 1)
        return np.array(ends, dtype=np.uint64)

    @cached_property
    def _guide(self) -> npt.NDArray[np.int16]:
        """Outcome for the top 16 bits of a word where they decide it alone, else OPEN."""
        first = np.arange(1 << 16, dtype=np.uint64) << np.uint64(48)
        last = first | np.uint64((1 << 48) - 1)
        low, high = np.searchsorted(self._ends, first), np.searchsorted(self._ends, last)
        return np.where((low == high) & (high < len(self.weights)), low - self.bound, _OPEN).astype(np.int16)

    def draw(self, count: int, source: Keystream) -> npt.NDArray[np.int16]:
        """Independent draws by inversion: 16 random bits decide most, the other 48 are drawn when needed."""
        top = source.halves(count)
        noise: npt.NDArray[np.int16] = self._guide[top]
        still = np.flatnonzero(noise == _OPEN)
        words = (top[still].astype(np.uint64) << np.uint64(48)) | (source.words(still.size) >> np.uint64(16))
        while still.size:
            found = np.searchsorted(self._ends, words)
            noise[still] = (found - self.bound).astype(np.int16)
            still = still[found == len(self.weights)]
            words = source.words(still.size)
        return noise


_OPEN = 1 << 14


@lru_cache(maxsize=16)
def _laplace(epsilon: float, bound: int) -> DiscreteLaplace:
    grow = _exp(epsilon, ROUND_FLOOR)
    fade = 1 / grow
    centre = (1 - fade) / (1 + fade) * WORD  # ideal weight of 0
    weight = max(math.floor(centre * fade ** (bound - 1)), SMALLEST_WEIGHT)
    # The end of the table stands for the whole tail; tail sums, too, may grow by e^epsilon per step only.
    side = [max(math.floor(centre * fade**bound / (1 - fade)), math.ceil(weight / (grow - 1))), weight]
    for distance in range(bound - 2, -1, -1):
        weight = max(weight, min(math.floor(centre * fade**distance), math.floor(grow * weight)))
        side.append(weight)
    side, middle = side[:-1], side[-1]
    middle -= max(0, 2 * sum(side) + middle - WORD)  # the floor under the far tail comes out of the centre
    return DiscreteLaplace(epsilon, bound, (*side, middle, *reversed(side)))


def add_laplace(numbers: Bytes, epsilon: float, source: Keystream, progress: Progress = NO_PROGRESS) -> None:
    """Add discrete Laplace noise to every byte of a C-contiguous array, in place, and clip to [0, 255]."""
    flat = numbers.reshape(-1)
    if not numbers.flags.c_contiguous:
        raise ValueError("the array must be contiguous: it is changed in place")
    law = DiscreteLaplace.of(epsilon)
    for start in range(0, flat.size, CHUNK):
        piece = flat[start : start + CHUNK]
        noise = law.draw(piece.size, source)
        noise += piece
        np.clip(noise, 0, BOUND, out=noise)
        piece[:] = noise
        progress.at((start + piece.size) / flat.size)
