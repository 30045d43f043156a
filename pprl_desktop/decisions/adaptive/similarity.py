"""The measures behind the levels: Dice of Bloom filters, equal bits of signatures, nearness of reference vectors.

All are corrected for the noise that either side carries, as far as a correction changes the order of pairs.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from pprl_desktop.codes.base import Measure
from pprl_desktop.decisions.adaptive.levels import BLOCK_CELLS, Codes, Floats, Similar, View
from pprl_desktop.decisions.adaptive.levels import PAIRS_AT_ONCE as BITS_AT_ONCE
from pprl_desktop.decisions.adaptive.tuning import Tuning
from pprl_desktop.progress import NO_PROGRESS, Progress

if TYPE_CHECKING:
    from pprl_desktop.compute.bits import Planes

SAME = np.float32(1e6)  # added to the similarity of values that differ no more than noise makes them
PAIRS_AT_ONCE = 1 << 16
WHOLE = 40_000_000  # cells of a table of all similarities: 160 MB
ROOM = 1 << 14  # near values of one tile that there is room for at first
TILE = 1 << 11  # partner vectors compared at once: their sketches stay in the cache
DIRECTIONS = 46  # of a sketch: with the rest and half the square 48, whole vector registers
SKETCHED = 5000  # values the directions are taken from
SLACK = 2e-3  # squared distance by which a sketch may be off for rounding
GRAIN = 4  # steps per bit in the table of set sizes


def flip_rate(epsilon: float | None) -> float:
    """Randomised response turns each bit over with this probability."""
    return 0.0 if epsilon is None else 1.0 / (math.exp(epsilon) + 1.0)


def similar(
    own: View, partner: View, measure: Measure, epsilon: tuple[float | None, float | None], tuning: Tuning
) -> Similar:
    if not own.parts or not partner.parts:
        return Nothing(partner.values)
    if measure == "vectors":
        return Vectors(own, partner, epsilon, tuning)
    return Bits(own, partner, measure, (flip_rate(epsilon[0]), flip_rate(epsilon[1])), tuning)


def _most_flips(bits: int, rate: float, sigma: float) -> float | None:
    """Bits in which two noisy copies of one filter differ at most, but for a few; None without noise."""
    return bits * rate + sigma * math.sqrt(bits * rate * (1 - rate)) if rate else None


class Nothing(Similar):
    """Tokens only: values are equal or they are not."""

    def __init__(self, partner_values: int) -> None:
        self._values = partner_values

    def block(self, own: Codes) -> Floats:
        return np.zeros((len(own), self._values), dtype=np.float32)

    def pairs(self, own: Codes, partner: Codes, progress: Progress = NO_PROGRESS) -> Floats:
        return np.zeros(len(own), dtype=np.float32)

    def near(self, own: Codes, least: float, progress: Progress = NO_PROGRESS) -> tuple[Codes, Codes, Floats]:
        return np.zeros(0, np.int32), np.zeros(0, np.int32), np.zeros(0, np.float32)

    def between(self, own: View, partner: View, epsilon: tuple[float | None, float | None]) -> Similar:
        return Nothing(partner.values)


class Bits(Similar):
    def __init__(self, own: View, partner: View, measure: Measure, flips: tuple[float, float], tuning: Tuning) -> None:
        from pprl_desktop.decisions.adaptive.kernels import as_words

        left = np.concatenate([part.values[rows] for part, rows in own.parts], axis=1)
        right = np.concatenate([part.values[rows] for part, rows in partner.parts], axis=1)
        self._bits = 8 * left.shape[1]
        self._left, self._right = as_words(left), as_words(right)
        self._ones_left = np.bitwise_count(self._left).sum(axis=1, dtype=np.int64).astype(np.float32)
        self._ones_right = np.bitwise_count(self._right).sum(axis=1, dtype=np.int64).astype(np.float32)
        self._measure, self._tuning = measure, tuning
        self._same = _most_flips(self._bits, flips[0] + flips[1] - 2 * flips[0] * flips[1], tuning.noise_sigma)
        # -log(1 - share of ones) by number of ones, in steps fine enough for counts corrected for noise
        steps = np.arange(GRAIN * self._bits + 1) / (GRAIN * self._bits)
        self._sizes = -np.log1p(-np.minimum(steps, 0.999)).astype(np.float32)
        self._flips = flips
        self._needs: tuple[float, npt.NDArray[np.int32]] | None = None
        self._planes: Planes | None = None

    def __getstate__(self) -> dict[str, Any]:
        """The planes are made anew where they are needed: they are the partner's side once more."""
        return {**self.__dict__, "_planes": None}

    def block(self, own: Codes) -> Floats:
        from pprl_desktop.decisions.adaptive.kernels import common_bits

        left = np.ascontiguousarray(self._left[own])
        common = np.empty((len(own), len(self._right)), dtype=np.float32)
        common_bits(left, self._right, common)
        return self._score(common, self._ones_left[own][:, None], self._ones_right[None, :])

    def pairs(self, own: Codes, partner: Codes, progress: Progress = NO_PROGRESS) -> Floats:
        from pprl_desktop.decisions.adaptive.kernels import common_bits_of_pairs

        made = np.empty(len(own), dtype=np.float32)
        for start in range(0, len(own), BITS_AT_ONCE):
            progress.check()
            a, b = own[start : start + BITS_AT_ONCE], partner[start : start + BITS_AT_ONCE]
            common = np.empty(len(a), dtype=np.float32)
            common_bits_of_pairs(self._left, self._right, a, b, common)
            made[start : start + len(a)] = self._score(common, self._ones_left[a], self._ones_right[b])
        return made

    def near(self, own: Codes, least: float, progress: Progress = NO_PROGRESS) -> tuple[Codes, Codes, Floats]:
        from pprl_desktop.compute import bits

        if self._planes is None:
            self._planes = bits.prepare(self._right.view(np.uint8), progress)
        places, partner = bits.sharing(self._left[own], self._planes, self._needed(least))
        similarity = self.pairs(own[places], partner)
        above = similarity > least
        return places[above], partner[above], similarity[above]

    def _needed(self, least: float) -> npt.NDArray[np.int32]:
        """[ones, ones] the fewest shared ones with which two filters that occur can be more alike than `least`."""
        if self._needs is None or self._needs[0] != least:
            table = np.zeros((self._bits + 1, self._bits + 1), dtype=np.int32)
            left, right = _range_of(self._ones_left)[:, None], _range_of(self._ones_right)[None, :]
            low = np.zeros((len(left), right.shape[1]), dtype=np.float32)
            high = np.minimum(left, right) + 1
            while (low < high).any():  # the similarity rises with the ones that are shared
                middle = np.floor((low + high) / 2)
                enough = self._score(middle.copy(), left, right) > least
                high, low = np.where(enough, np.minimum(middle, high), high), np.where(enough, low, middle + 1)
                low = np.minimum(low, high)
            if low.size:
                table[int(left[0, 0]) :, int(right[0, 0]) :][: low.shape[0], : low.shape[1]] = low
            self._needs = least, table
        return self._needs[1]

    def between(self, own: View, partner: View, epsilon: tuple[float | None, float | None]) -> Similar:
        if not own.parts or not partner.parts:
            return Nothing(partner.values)
        return Bits(own, partner, self._measure, (flip_rate(epsilon[0]), flip_rate(epsilon[1])), self._tuning)

    def _score(self, common: Floats, left: Floats, right: Floats) -> Floats:
        """`left` and `right` are the numbers of ones; they broadcast over `common`."""
        if self._same is None:
            return self._plain_score(common, left, right)
        same = left + right - 2 * common <= self._same
        return self._plain_score(common, left, right) + SAME * same.astype(np.float32)

    def _plain_score(self, common: Floats, left: Floats, right: Floats) -> Floats:
        p, q = self._flips
        bits = np.float32(self._bits)
        if self._measure == "hamming":
            common *= 2
            common -= left
            common -= right
            return common
        if p or q:
            # unbiased counts of the filters before the noise
            common = (common - q * left - p * right + p * q * bits) / ((1 - 2 * p) * (1 - 2 * q))
            left = (left - p * bits) / (1 - 2 * p)
            right = (right - q * bits) / (1 - 2 * q)
        left, right = np.clip(left, 1, 0.95 * bits), np.clip(right, 1, 0.95 * bits)
        union = left + right - common
        np.clip(union, 1, 0.98 * bits, out=union)
        # sizes of the sets the filters stand for (Swamidass and Baldi 2007): else long values look alike
        union = self._sizes[(GRAIN * union).astype(np.int32)]
        union /= 0.5 * (np.log1p(-left / bits) + np.log1p(-right / bits))
        return np.asarray(2 + union, dtype=np.float32)


class Vectors(Similar):
    """Minus the squared distance of two vectors of reference distances, after a soft whitening.

    Length moves all distances of a value together, so the plain distance mostly sees length. The whitening damps the
    directions in which values differ most anyway; `soft` keeps it from blowing up the directions that hold nothing.
    """

    def __init__(
        self,
        own: View,
        partner: View,
        epsilon: tuple[float | None, float | None],
        tuning: Tuning,
        fitted: Vectors | None = None,
    ) -> None:
        left, right = _vectors(own), _vectors(partner)
        self._tuning = tuning
        if fitted is None:
            self._whiten = _soft_whitening(left, own.counts, tuning)
            # small numbers: the squares below would swallow small differences of large ones
            self._centre = left.mean(axis=0) if len(left) else np.zeros(left.shape[1], np.float32)
        else:
            self._whiten, self._centre = fitted._whiten, fitted._centre
        self._left, self._right = (left - self._centre) @ self._whiten, (right - self._centre) @ self._whiten
        self._square_left = np.einsum("ij,ij->i", self._left, self._left)
        self._square_right = np.einsum("ij,ij->i", self._right, self._right)
        self._sketch: tuple[Floats, Floats] | None = None
        variance = _laplace_variance(epsilon[0]) + _laplace_variance(epsilon[1])
        self._same = _most_noise(self._whiten, variance, tuning.noise_sigma)

    def between(self, own: View, partner: View, epsilon: tuple[float | None, float | None]) -> Similar:
        if not own.parts or not partner.parts:
            return Nothing(partner.values)
        return Vectors(own, partner, epsilon, self._tuning, self)

    def block(self, own: Codes) -> Floats:
        product: npt.NDArray[np.float32] = self._left[own] @ self._right.T
        product *= 2
        product -= self._square_left[own][:, None]
        product -= self._square_right[None, :]
        return self._marked(product)

    def near(self, own: Codes, least: float, progress: Progress = NO_PROGRESS) -> tuple[Codes, Codes, Floats]:
        from pprl_desktop.decisions.adaptive.kernels import close

        mine, theirs = self._sketches()
        left, whole = mine[own], self._left[own]
        # what the product of two sketches says of a pair is minus half its squared distance and half the own square
        bar = 0.5 * (np.einsum("ij,ij->i", left[:, :-1], left[:, :-1]) + np.float32(least - SLACK))
        found: list[tuple[Codes, Codes]] = [(np.zeros(0, np.int32), np.zeros(0, np.int32))]
        for first in range(0, len(theirs), TILE):
            progress.check()
            some = slice(first, first + TILE)
            product: npt.NDArray[np.float32] = left @ theirs[some].T
            room = _as_many(
                lambda *room: close(product, bar, whole, self._right[some], SLACK - least, *room)  # noqa: B023
            )
            found.append((room[0], first + room[1]))
        places, partner = (np.concatenate(arrays) for arrays in zip(*found, strict=True))
        similarity = self._single(own[places], partner, progress)
        above = similarity > least
        return places[above], partner[above], similarity[above]

    def _sketches(self) -> tuple[Floats, Floats]:
        """Both sides in few directions, and the length of the rest in one more: never further apart than the vectors.

        The rest differs by its length at least (triangle inequality), so a filter on sketches loses no pair. One more
        column brings half of the partner's square into the product.
        """
        if self._sketch is None:
            some = self._left[np.linspace(0, len(self._left) - 1, min(len(self._left), SKETCHED)).astype(np.intp)]
            _, direction = np.linalg.eigh(np.cov(some, rowvar=False) if len(some) > 1 else np.eye(some.shape[1]))
            largest = np.asarray(direction[:, ::-1][:, :DIRECTIONS], dtype=np.float32)
            made = []
            for side, square in ((self._left, self._square_left), (self._right, self._square_right)):
                shadow = side @ largest
                rest = np.sqrt(np.maximum(square - np.einsum("ij,ij->i", shadow, shadow), 0.0))
                made.append(np.concatenate([shadow, rest[:, None]], axis=1))
            half = -0.5 * np.einsum("ij,ij->i", made[1], made[1])
            ones = np.ones(len(made[0]), np.float32)
            self._sketch = (
                np.concatenate([made[0], ones[:, None]], axis=1),
                np.concatenate([made[1], half[:, None]], axis=1),
            )
        return self._sketch

    def _marked(self, similarity: Floats) -> Floats:
        if self._same is not None:
            similarity += SAME * (similarity >= -self._same).astype(np.float32)
        return similarity

    def pairs(self, own: Codes, partner: Codes, progress: Progress = NO_PROGRESS) -> Floats:
        cells = len(self._left) * len(self._right)
        if cells <= WHOLE and cells <= 20 * len(own):  # one matrix product is cheaper than that many single pairs
            whole = np.empty((len(self._left), len(self._right)), dtype=np.float32)
            step = max(1, BLOCK_CELLS // max(len(self._right), 1))
            for start in range(0, len(whole), step):
                progress.check()
                whole[start : start + step] = self.block(
                    np.arange(start, min(start + step, len(whole)), dtype=np.int32)
                )
            return whole[own, partner]
        return self._single(own, partner, progress)

    def _single(self, own: Codes, partner: Codes, progress: Progress) -> Floats:
        from pprl_desktop.decisions.adaptive.kernels import squared_distances

        made = np.empty(len(own), dtype=np.float32)
        for start in range(0, len(own), PAIRS_AT_ONCE):
            progress.check()
            some = slice(start, start + PAIRS_AT_ONCE)
            squared_distances(self._left, self._right, own[some], partner[some], made[some])
        np.negative(made, out=made)
        return self._marked(made)


def _range_of(ones: Floats) -> Floats:
    """All numbers from the smallest to the largest."""
    return np.arange(ones.min(), ones.max() + 1, dtype=np.float32) if len(ones) else ones


def _as_many(kernel: Callable[[Codes, Codes], int]) -> tuple[Codes, Codes]:
    """What a kernel writes, called again with more room where there was too little."""
    held = ROOM
    while True:
        own, partner = np.empty(held, np.int32), np.empty(held, np.int32)
        held = int(kernel(own, partner))
        if held <= len(own):
            return own[:held].copy(), partner[:held].copy()


def _laplace_variance(epsilon: float | None) -> float:
    """Of the discrete Laplace noise on one distance (scale 1 / epsilon)."""
    if epsilon is None:
        return 0.0
    return 2.0 * math.exp(-epsilon) / math.expm1(-epsilon) ** 2


def _most_noise(whiten: Floats, variance: float, sigma: float) -> float | None:
    """Squared distance that noise alone makes of two equal vectors, but for a few pairs; None without."""
    if not variance:
        return None
    size = (whiten.astype(np.float64) ** 2).sum(axis=0)  # of each whitened direction
    # the fourth moment of the noise lies between the normal one and that of the Laplace distribution (excess 3)
    return variance * float(size.sum()) + sigma * variance * math.sqrt(5.0 * float((size**2).sum()))


def _vectors(side: View) -> Floats:
    return np.concatenate([part.values[rows] for part, rows in side.parts], axis=1).astype(np.float32)


def _soft_whitening(values: Floats, counts: npt.NDArray[np.int64], tuning: Tuning) -> Floats:
    """(S + soft * mean eigenvalue * I)^(-1/2), with S the covariance of the values as often as they occur."""
    if len(values) < 2:
        return np.eye(values.shape[1], dtype=np.float32)
    some = np.linspace(0, len(values) - 1, min(len(values), tuning.whitened)).astype(np.intp)
    spread = np.cov(values[some].astype(np.float64), rowvar=False, fweights=np.maximum(counts[some], 1))
    spread = np.atleast_2d(spread)
    mean = max(float(np.trace(spread)) / len(spread), 1e-6)
    size, direction = np.linalg.eigh(spread + tuning.soft * mean * np.eye(len(spread)))
    return np.asarray(direction / np.sqrt(size), dtype=np.float32)
