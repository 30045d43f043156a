"""How much more often a similarity comes from a match than from a non-match, as one rising curve."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pprl_desktop.decisions.threshold.tuning import Tuning
from pprl_desktop.decisions.thresholds import rising

Numbers = npt.NDArray[np.float64]

USUAL = Tuning()


@dataclass(frozen=True, eq=False)
class Axis:
    low: float
    step: float
    cells: int

    def cell(self, similarity: Numbers) -> npt.NDArray[np.int64]:
        return np.clip(((similarity - self.low) / self.step).astype(np.int64), 0, self.cells - 1)

    def middle(self) -> Numbers:
        return np.asarray(self.low + self.step * (np.arange(self.cells) + 0.5), np.float64)

    def count(self, similarity: Numbers, weight: Numbers | None = None) -> Numbers:
        return np.bincount(self.cell(similarity), weights=weight, minlength=self.cells).astype(np.float64)


def axis(matches: Numbers, others: Numbers, bulk: Numbers, tuning: Tuning = USUAL) -> Axis:
    low = float(np.median(bulk)) if len(bulk) else float(min(matches.min(initial=0.0), others.min(initial=0.0)))
    high = max(float(each.max(initial=low)) for each in (matches, others, bulk)) + tuning.past
    return Axis(low, max(high - low, 1e-6) / tuning.cells, tuning.cells)


def other_mass(
    on: Axis,
    others: Numbers,
    others_of: int,
    bulk: Numbers,
    duplicates: Numbers | None = None,
    records: int = 1,
    tuning: Tuning = USUAL,
) -> Numbers:
    """Share of the non-matches in each cell: counted where they were counted, drawn out where they end.

    Where the own table may hold one person several times, some of its "non-matches" are matches. `duplicates` is what
    matches look like. If more than a few records have such a look-alike, the crowd above the tail counts as duplicates,
    otherwise as families and neighbours; `records` is how many records were compared with the whole table.
    """
    floor = float(others.min()) if len(others) else np.inf
    seen = on.count(others) / max(others_of, 1)
    rough = on.count(bulk) / max(len(bulk), 1)
    mass = _smooth(np.where(on.middle() >= floor, seen, rough), 1.5)
    if duplicates is None:
        return np.maximum(mass, _drawn(mass, others_of, tuning.tail, tuning.least))
    drawn = _drawn(mass, others_of, max(tuning.tail, len(others) // 10), tuning.least)
    upper = int(np.searchsorted(np.cumsum(duplicates), 0.5))
    evident = float(np.maximum(mass - drawn, 0.0)[upper:].sum()) * others_of
    if evident < tuning.evident * records:
        return np.maximum(mass, _drawn(mass, others_of, tuning.tail, tuning.least))
    return np.maximum(np.where(drawn > tuning.least, drawn, mass), tuning.least)


def _drawn(mass: Numbers, others_of: int, sure: int, least: float) -> Numbers:
    """The exponential that goes on from where at least `sure` non-matches lie above; nothing below that place."""
    drawn = np.full(len(mass), least)
    above = np.cumsum(mass[::-1])[::-1]
    known = np.flatnonzero(above * max(others_of, 1) >= sure)
    if len(known):
        last = int(known[-1])
        first = int(np.searchsorted(-above, -above[last] * 100.0))  # two decades of the tail set the slope
        first = first if first < last else max(last - 10, 0)
        fall = max((np.log(above[first]) - np.log(above[last])) / max(last - first, 1), 1e-3)
        beyond = np.arange(1, len(mass) - last)
        drawn[last + 1 :] = np.maximum(above[last] * np.exp(-fall * beyond) * (1 - np.exp(-fall)), least)
    return drawn


def match_mass(on: Axis, counts: Numbers, spread: float, tuning: Tuning = USUAL) -> Numbers:
    """Share of the matches in each cell, from (weighted) counts; `spread` is the width of the smoothing."""
    total = max(float(counts.sum()), 1e-9)
    return (1 - tuning.odd) * _smooth(counts / total, spread / on.step) + tuning.odd / on.cells


def spread_of(matches: Numbers) -> float:
    """Silverman's rule, robust to the long lower tail."""
    if len(matches) < 2:
        return 0.02
    low, high = np.quantile(matches, [0.25, 0.75])
    wide = min(float(matches.std()), float(high - low) / 1.34) or float(matches.std())
    return float(max(0.9 * wide * len(matches) ** -0.2, 1e-4))


def log_ratio(matches: Numbers, others: Numbers) -> Numbers:
    """log(matches / others) per cell, made to rise: more alike never speaks less for a match."""
    return rising(np.log(matches) - np.log(others), matches + 1e-6)


def _smooth(mass: Numbers, width: float) -> Numbers:
    """Gaussian smoothing over `width` cells; nothing is lost at the ends."""
    width = max(width, 0.5)
    reach = int(np.ceil(4 * width))
    kernel = np.exp(-0.5 * (np.arange(-reach, reach + 1) / width) ** 2)
    kernel /= kernel.sum()
    padded = np.convolve(mass, kernel)
    inside = padded[reach : reach + len(mass)].copy()
    inside[0] += padded[:reach].sum()
    inside[-1] += padded[reach + len(mass) :].sum()
    return np.asarray(inside)
