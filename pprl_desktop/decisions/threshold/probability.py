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
from pprl_desktop.decisions.threshold.tuning import Tuning
from pprl_desktop.progress import NO_PROGRESS, Progress

MOST = 35.0  # log odds beyond which nothing is claimed

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
    tuning = rule.tuning
    if len(rule.matches) < tuning.few or len(rule.others) < tuning.few:
        return _plain(pairs, noise, tuning)
    on = likelihood.axis(rule.matches, np.append(rule.others, pairs.score), rule.bulk, tuning)
    cells = on.cell(pairs.score)
    spread = likelihood.spread_of(rule.matches)
    same = likelihood.match_mass(on, on.count(rule.matches), spread, tuning)
    alike = None if one_to_one else same
    other = likelihood.other_mass(on, rule.others, rule.others_of, rule.bulk, alike, len(rule.matches), tuning)
    learned = on.count(rule.matches) * (tuning.belief / len(rule.matches))
    counts = learned
    total = float(own) * partner
    matches = tuning.overlap * min(own, partner)
    probability = np.zeros(len(pairs.own))
    ratio = np.zeros(on.cells)
    for _ in range(tuning.rounds):
        progress.check()
        ratio = likelihood.log_ratio(likelihood.match_mass(on, counts, spread, tuning), other)
        weight = np.exp(np.clip(ratio[cells] + np.log(matches / total), -500, MOST))
        progress.check()
        if one_to_one:
            probability = _competing(pairs, weight, own, partner, matches, tuning, progress)
        else:
            probability = weight / (1.0 + weight)
        found = float(probability.sum())
        counts = learned + np.bincount(cells, weights=probability, minlength=on.cells)
        most = (1 - tuning.unmatched) * min(own, partner) if one_to_one else total / 2
        before, matches = matches, min(max(found, 0.5), most)
        if abs(matches - before) < 1e-3 * before:
            break
    odds = np.log(np.maximum(probability, 1e-300)) - np.log1p(-np.minimum(probability, 1 - 1e-15))
    odds = np.clip(odds, -MOST, MOST)
    likely = np.flatnonzero(ratio + np.log(matches / total) >= 0)
    border = float(on.middle()[likely[0]]) if len(likely) else float("inf")
    return Weighed(odds, 1 / (1 + np.exp(-odds)), ratio[cells], float(probability.sum()), border)


def _competing(
    pairs: Pairs, weight: Numbers, own: int, partner: int, matches: float, tuning: Tuning, progress: Progress
) -> Numbers:
    """w / (w + what else the own record could be x what else the partner's could be); 'nothing' is among it."""
    rest_own = np.bincount(pairs.own, weights=weight)[pairs.own] - weight + max(1 - matches / own, tuning.unmatched)
    progress.check()
    rest_partner = np.bincount(pairs.partner, weights=weight)[pairs.partner] - weight
    rest_partner += max(1 - matches / partner, tuning.unmatched)
    made: Numbers = weight / (weight + np.maximum(rest_own, 1e-12) * np.maximum(rest_partner, 1e-12))
    return made


def _plain(pairs: Pairs, noise: float, tuning: Tuning) -> Weighed:
    """A table of a few rows teaches nothing: agreed constants, and no calibrated probability."""
    border = tuning.plain_border + 3 * noise  # beyond 1 nothing is accepted: that much noise hides everything
    score = (pairs.score - border) * tuning.plain_slope
    return Weighed(score, np.full(len(score), np.nan), score, float("nan"), border)
