"""Probabilities for scored pairs without labels: synthetic matches, own non-matches, and the real pairs themselves.

Each pair has a likelihood ratio by its similarity (likelihood.py). How many matches there are is learned from
the real pairs (EM), and so is what matches look like, as far as the real pairs show it. Where a record has one partner
at most, the pairs of a record compete: a pair weighs against everything else its two records could be.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pprl_desktop.compute.bits import Pairs
from pprl_desktop.decisions.rules import BitsRule
from pprl_desktop.decisions.threshold import likelihood
from pprl_desktop.progress import NO_PROGRESS, Progress

ROUNDS = 30
BELIEF = 200.0  # what the synthetic matches count, in real pairs
UNMATCHED = 0.02  # at least this share of a side is taken to have no partner
MOST = 35.0  # log odds beyond which nothing is claimed
FEW = 20  # synthetic matches below which only the constants speak
# where a table is too small to learn from: similarity of even odds, and log odds per unit beyond it
PLAIN_BORDER, PLAIN_SLOPE = 0.8, 40.0

Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Weighed:
    score: Numbers  # log odds
    probability: Numbers
    log_ratio: Numbers
    matches: float  # expected among all pairs
    similarity_at_half: float  # of a pair without rivals


def probabilities(
    pairs: Pairs,
    rule: BitsRule,
    own: int,
    partner: int,
    one_to_one: bool,
    noise: float = 0.0,
    progress: Progress = NO_PROGRESS,
) -> Weighed:
    """`noise` is how far randomised response alone moves a similarity (one standard deviation)."""
    if len(rule.matches) < FEW or len(rule.others) < FEW:
        return _plain(pairs, noise)
    on = likelihood.axis(rule.matches, np.append(rule.others, pairs.score), rule.bulk)
    cells = on.cell(pairs.score)
    spread = likelihood.spread_of(rule.matches)
    same = likelihood.match_mass(on, on.count(rule.matches), spread)
    alike = None if one_to_one else same
    other = likelihood.other_mass(on, rule.others, rule.others_of, rule.bulk, alike, len(rule.matches))
    learned = on.count(rule.matches) * (BELIEF / len(rule.matches))
    counts = learned
    total = float(own) * partner
    matches = 0.3 * min(own, partner)
    probability = np.zeros(len(pairs.own))
    ratio = np.zeros(likelihood.CELLS)
    for _ in range(ROUNDS):
        progress.check()
        ratio = likelihood.log_ratio(likelihood.match_mass(on, counts, spread), other)
        weight = np.exp(np.clip(ratio[cells] + np.log(matches / total), -500, MOST))
        progress.check()
        if one_to_one:
            probability = _competing(pairs, weight, own, partner, matches, progress)
        else:
            probability = weight / (1.0 + weight)
        found = float(probability.sum())
        counts = learned + np.bincount(cells, weights=probability, minlength=likelihood.CELLS)
        most = (1 - UNMATCHED) * min(own, partner) if one_to_one else total / 2
        before, matches = matches, min(max(found, 0.5), most)
        if abs(matches - before) < 1e-3 * before:
            break
    odds = np.log(np.maximum(probability, 1e-300)) - np.log1p(-np.minimum(probability, 1 - 1e-15))
    odds = np.clip(odds, -MOST, MOST)
    likely = np.flatnonzero(ratio + np.log(matches / total) >= 0)
    border = float(on.middle()[likely[0]]) if len(likely) else float("inf")
    return Weighed(odds, 1 / (1 + np.exp(-odds)), ratio[cells], float(probability.sum()), border)


def _competing(pairs: Pairs, weight: Numbers, own: int, partner: int, matches: float, progress: Progress) -> Numbers:
    """w / (w + what else the own record could be x what else the partner's could be); 'nothing' is among it."""
    rest_own = np.bincount(pairs.own, weights=weight)[pairs.own] - weight + max(1 - matches / own, UNMATCHED)
    progress.check()
    rest_partner = np.bincount(pairs.partner, weights=weight)[pairs.partner] - weight
    rest_partner += max(1 - matches / partner, UNMATCHED)
    made: Numbers = weight / (weight + np.maximum(rest_own, 1e-12) * np.maximum(rest_partner, 1e-12))
    return made


def _plain(pairs: Pairs, noise: float) -> Weighed:
    """A table of a few rows teaches nothing: agreed constants, and no calibrated probability."""
    border = PLAIN_BORDER + 3 * noise  # beyond 1 nothing is accepted: that much noise hides everything
    score = (pairs.score - border) * PLAIN_SLOPE
    return Weighed(score, np.full(len(score), np.nan), score, float("nan"), border)
