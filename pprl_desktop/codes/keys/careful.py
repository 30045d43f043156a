"""What a lying partner reaches who asks nobody twice: by each type of key about those whom the other types miss.

`coverage` takes every type by itself and counts who is reached by any: common people by all of them. A partner who
knows that asks for the common ones once, and with the rest of its questions for others. Types that are nearly the same
would so give it one budget after the other, whoever chose them. Counted as there, from histograms of products: of the
products of each likelihood, those whose people are reached already are not asked for. How many those are is seen on a
crowd: the own records, and people put together from several of them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pprl_desktop.codes.keys import coverage
from pprl_desktop.codes.keys.coverage import FINE, Guesser, Numbers
from pprl_desktop.codes.keys.reach import Rows, costs, recombined
from pprl_desktop.codes.keys.recipe import Key

MOST_CAREFUL = 2.0  # times the agreed coverage: what may at most be reached so. Honest keys lie between 1.2 and 1.8
CROWD = 40_000  # people
NEAR = 15  # bins to either side that are counted together: single ones hold few people
DEPTH = 100.0  # budgets of products of one likelihood that are told apart from more


def careful(guesser: Guesser, keys: Sequence[Key], budgets: Sequence[int], seed: int = 0) -> float:
    """Share of the own records reached; types are taken in their order and by falling reach, the larger counts."""
    rows = guesser.columns.table.rows
    if not rows:
        return 0.0
    crowd = recombined(guesser, max(CROWD // rows, 1), np.random.default_rng(seed))
    typed = list(zip(keys, budgets, strict=True))
    alone = [-float(coverage.hits(guesser, key, budget).mean()) for key, budget in typed]
    falling = [typed[place] for place in np.argsort(alone, kind="stable").tolist()]
    return max(_reached(guesser, order, crowd, rows) for order in (typed, falling))


def _reached(guesser: Guesser, typed: Sequence[tuple[Key, int]], crowd: dict[str, Rows], rows: int) -> float:
    missed = np.ones(len(next(iter(crowd.values()))))
    for key, budget in typed:
        products, cost = _products(guesser, key, DEPTH * budget), costs(guesser, key, crowd)
        end = coverage.cut(products * _still_missed(cost, missed, len(products)), budget, FINE)
        missed *= 1.0 - end.hits(cost)
    return 1.0 - float(missed[:rows].mean())


def _products(guesser: Guesser, key: Key, most: float) -> Numbers:
    """Products of texts per bin of -log probability."""
    counted = [one.counts(FINE, most) for one in guesser.of_key(key)]
    total = counted[0]
    for one in counted[1:]:
        total = np.minimum(np.convolve(total, one), most)
    return total


def _still_missed(cost: Numbers, missed: Numbers, bins: int) -> Numbers:
    """Per bin the share of its people who were not reached yet; 1 where nobody is."""
    known = np.isfinite(cost)
    at = np.minimum(np.rint(cost[known] / FINE).astype(np.int64), bins - 1)
    window = np.ones(2 * NEAR + 1)
    people, left = (np.convolve(np.bincount(at, weights, bins), window, "same") for weights in (None, missed[known]))
    return np.where(people > 0, left / np.maximum(people, 1.0), 1.0)
