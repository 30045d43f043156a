"""One threshold on record-level bits, learned from synthetic pairs at the real class balance.

The own table against a corrupted copy of itself gives the matches, against itself the non-matches; the threshold
weighs them as they will really come: about one match per record among all pairs (DESIGN 4.2).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pprl_desktop.methods.base import Bytes, Method, Recipe, Smashed
from pprl_desktop.methods.corrupt import corrupt
from pprl_desktop.methods.rules import BitsRule, Measure
from pprl_desktop.progress import Progress
from pprl_desktop.records.table import CleanTable

SAMPLE = 3000  # own records used for training
STEPS = 200  # points of the curve similarity -> probability
OVERLAP = 0.3  # share of the own records expected at the partner, where nothing is known
Numbers = npt.NDArray[np.float64]


def learn_threshold(
    method: Method,
    table: CleanTable,
    own: Smashed,
    recipe: Recipe,
    measure: Measure,
    seed: int,
    progress: Progress,
) -> BitsRule:
    """Threshold and calibration for pairs (clean own record, record as the partner would send it)."""
    random = np.random.default_rng(seed)
    part = own.part("record")
    usable = np.flatnonzero(part.rows >= 0)
    if len(usable) < 2:
        return BitsRule(measure, float("inf"), np.empty(0), np.empty(0))
    picked = np.sort(random.choice(usable, size=min(SAMPLE, len(usable)), replace=False))
    copy = method.smash(corrupt(table.take(picked), seed), recipe, progress.part(0.0, 0.6)).part("record")
    epsilon = recipe.settings.epsilon
    flip = 0.0 if epsilon is None else 1.0 / (np.exp(epsilon) + 1.0)
    own_flip = flip if recipe.settings.noise == "two-sided" else 0.0
    left = part.values[part.rows[picked]]
    if own.epsilon is None:
        left = _flipped(left, own_flip, random)
    right = _flipped(copy.values[np.maximum(copy.rows, 0)], flip, random)
    seen = copy.rows >= 0
    same = similarity(left[seen], right[seen], measure, own_flip, flip)
    others = [similarity(left, np.roll(right, shift, axis=0), measure, own_flip, flip) for shift in _shifts(len(left))]
    progress.at(0.9)
    return _rule(measure, same, np.concatenate(others), table.rows)


def similarity(left: Bytes, right: Bytes, measure: Measure, flip_left: float, flip_right: float) -> Numbers:
    """Row by row, corrected for the flip rates of randomised response."""
    bits = 8 * left.shape[1]
    a = np.bitwise_count(left).sum(axis=1, dtype=np.int64).astype(np.float64)
    b = np.bitwise_count(right).sum(axis=1, dtype=np.int64).astype(np.float64)
    both = np.bitwise_count(left & right).sum(axis=1, dtype=np.int64).astype(np.float64)
    keep = (1 - 2 * flip_left) * (1 - 2 * flip_right)
    if measure == "hamming":
        differ = (a + b - 2 * both) / bits
        noise = flip_left + flip_right - 2 * flip_left * flip_right
        return np.asarray(1.0 - (differ - noise) / keep)
    common = (both - flip_right * a - flip_left * b + flip_left * flip_right * bits) / keep
    a = (a - flip_left * bits) / (1 - 2 * flip_left)
    b = (b - flip_right * bits) / (1 - 2 * flip_right)
    return np.asarray(2 * common / np.maximum(a + b, 1.0))


def _flipped(values: Bytes, rate: float, random: np.random.Generator) -> Bytes:
    """Noise as the partner would add it, for training only; what leaves is noised by privacy/."""
    if not rate:
        return values
    return values ^ np.packbits(random.random((len(values), 8 * values.shape[1])) < rate, axis=1)


def _shifts(rows: int) -> range:
    """Rotations of the copy: each gives as many non-matches as there are rows."""
    return range(1, min(rows, 201))


def _rule(measure: Measure, same: Numbers, other: Numbers, rows: int) -> BitsRule:
    """Best F1 on a mixture with the real share of matches; probabilities from the two smoothed densities."""
    low, high = float(min(same.min(), other.min())), float(max(same.max(), other.max()))
    edges = np.linspace(low, high, STEPS + 1)
    matches = OVERLAP * rows * _smooth(np.histogram(same, edges)[0])
    rest = float(rows) * rows * _tail(_smooth(np.histogram(other, edges)[0]))
    found = np.cumsum(matches[::-1])[::-1]
    wrong = np.cumsum(rest[::-1])[::-1]
    f1 = 2 * found / (found + wrong + OVERLAP * rows)
    best = int(np.argmax(f1))
    chance = np.maximum.accumulate(matches / np.maximum(matches + rest, 1e-12))
    middle = (edges[1:] + edges[:-1]) / 2
    return BitsRule(measure, float(edges[best]), middle, chance)


def _smooth(counts: npt.NDArray[np.int64]) -> Numbers:
    window = np.hanning(11)
    spread = np.convolve(counts, window / window.sum(), mode="same")
    return np.asarray(spread / max(spread.sum(), 1.0))


def _tail(density: Numbers) -> Numbers:
    """Beyond the sampled non-matches the density falls on as fast as it last fell, instead of ending."""
    known = np.flatnonzero(density > 0)
    mass = np.cumsum(density[::-1])[::-1]
    first, last = np.searchsorted(-mass, [-1e-2, -1e-4])
    if not len(known) or last <= first:
        return density
    rate = max((np.log(mass[first]) - np.log(mass[min(last, len(mass) - 1)])) / (last - first), 1e-6)
    place = np.arange(len(density))
    carried = mass[first] * np.exp(-rate * (place - first)) * (1 - np.exp(-rate))
    return np.asarray(np.where(place > last, np.maximum(density, carried), density))
