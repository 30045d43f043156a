"""The share of counterparts that become candidates where not all pairs are compared: worked out, and told as a bound.

How counterparts agree is known from the pairs that were found: their patterns of agreement, as probable as they are. A
pattern that was met for one record may stay unmet for another, whose values are more frequent. So patterns are put
on records drawn at random, and it is counted which of those pairs would have been met. Patterns so weak that they
are met for nobody cannot be counted; what falls short is therefore told several times over.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from pprl_desktop.matching.base import Numbers
from pprl_desktop.matching.levels import EQUAL, INITIAL, MISSING, OTHER_INITIAL, WORD, Levels
from pprl_desktop.matching.listed_scan import Scan
from pprl_desktop.methods import tokens

DRAWS = 40_000  # imagined counterparts
UNSEEN = 3.0  # counterparts unmet for each one that the patterns show
SIGMA = 1.645  # one-sided 95 %

Flags = npt.NDArray[np.bool_]


def lower_bound(
    scan: Scan, bar: float, levels: Levels, probability: Numbers, random: np.random.Generator, draws: int = DRAWS
) -> float:
    """The share of counterparts that reach the bar as the scan sees them, at least (95 %).

    `levels` [pairs, fields] and the probability of each pair are those of the candidates found.
    """
    total = np.cumsum(probability)
    if not len(total) or total[-1] <= 0:
        return 0.0
    found = float(total[-1])
    patterns = levels[np.minimum(np.searchsorted(total, random.random(draws) * found), len(total) - 1)]
    rows = random.integers(0, len(scan.index.own), draws)
    score = np.zeros(draws)
    first = 0
    for f, (one, lists) in enumerate(zip(scan.index.fields, scan.index.lists, strict=True)):
        code, level = one.own.codes[rows], patterns[:, f].astype(np.int64)
        here = np.flatnonzero((code >= 0) & (level != MISSING))
        code, level = code[here], level[here]
        single = one.own.tokens.get(tokens.SINGLE, np.zeros(one.own.values, np.uint64))[code] != 0
        level = np.where(single & ((level == EQUAL) | (level == WORD)), INITIAL, level)
        level = np.where(single & (level != INITIAL), OTHER_INITIAL, level)
        listed = (level >= lists.lowest) & (level != OTHER_INITIAL)
        score[here] += np.where(listed, scan.weights[f][code, level], scan.base[first + code])
        first += one.own.values
    return _lower(UNSEEN * float((score < bar).mean()), min(float(draws), found))


def _lower(missed: float, drawn: float) -> float:
    """One minus the upper end of the interval (Wilson 1927) of the missed share."""
    missed = min(missed, 1.0)
    square = SIGMA**2 / drawn
    middle = missed + square / 2
    spread = SIGMA * math.sqrt(missed * (1 - missed) / drawn + square / (4 * drawn))
    return max(0.0, 1.0 - (middle + spread) / (1 + square))
