"""The share of counterparts that become candidates where not all pairs are compared: worked out, and told as a bound.

How counterparts agree is known from the pairs that were found: their patterns of agreement, each as probable as it is.
A pattern that was met for one record stays unmet for another, whose values are more frequent. So each pattern is put
on records drawn at random; the share of them for which it would be met is its chance to have been found, and one over
that chance is the number of counterparts it stands for (Horvitz and Thompson 1952). Patterns too weak to be met for
anybody, which comparing all pairs would hardly link either, are in no count; some of what is missing is added for them.
"""

from __future__ import annotations

import numpy as np

from pprl_desktop.codes import tokens
from pprl_desktop.compute.intervals import wilson
from pprl_desktop.decisions.adaptive.levels import EQUAL, INITIAL, LEVELS, MISSING, OTHER_INITIAL, WORD, Levels
from pprl_desktop.decisions.adaptive.listed_scan import Scan
from pprl_desktop.decisions.adaptive.tuning import Tuning
from pprl_desktop.decisions.base import Numbers


def lower_bound(
    scan: Scan, bar: float, levels: Levels, probability: Numbers, tuning: Tuning, random: np.random.Generator
) -> float:
    """At least this share (95 %) of the counterparts that comparing all pairs would find became candidates.

    `levels` [pairs, fields] and the probability of each pair are those of the candidates found.
    """
    patterns, records, sigma = tuning.recall_patterns, tuning.recall_records, tuning.recall_sigma
    total = np.cumsum(probability)
    if not len(total) or total[-1] <= 0:
        return 0.0
    drawn = np.searchsorted(total, random.random(patterns) * float(total[-1]))
    pattern = levels[np.minimum(drawn, len(total) - 1)].astype(np.int64)[:, :, None]
    rows = random.integers(0, len(scan.index.own), records)
    score = np.zeros((patterns, records))
    first = 0
    for f, (one, lists) in enumerate(zip(scan.index.fields, scan.index.lists, strict=True)):
        code = one.own.codes[rows][None, :]
        if one.own.values:
            single = one.own.tokens.get(tokens.SINGLE, np.zeros(one.own.values, np.uint64))[code] != 0
            known = np.minimum(pattern[:, f], LEVELS - 1)
            level = np.where(single & ((known == EQUAL) | (known == WORD)), INITIAL, known)
            level = np.where(single & (level != INITIAL), OTHER_INITIAL, level)
            listed = (level >= lists.lowest) & (level != OTHER_INITIAL)
            weight = np.where(listed, scan.weights[f][code, level], scan.base[first + code])
            score += np.where((code >= 0) & (pattern[:, f] != MISSING), weight, 0.0)
        first += one.own.values
    chance = np.maximum((score >= bar).mean(axis=1), 1.0 / records)
    stands_for = 1.0 / chance
    most = float(stands_for.mean()) + sigma * float(stands_for.std()) / min(patterns, float(total[-1])) ** 0.5
    return _lower(tuning.recall_unseen * (1.0 - 1.0 / most), float(total[-1]), sigma)


def _lower(missed: float, drawn: float, sigma: float) -> float:
    """One minus the upper end of the interval (Wilson 1927) of the missed share."""
    return max(0.0, 1.0 - wilson(min(missed, 1.0), drawn, sigma)[1])
