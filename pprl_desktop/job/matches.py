"""A match as plain rows and curves for the screen and for tables: why each pair, what was next best, what to expect."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pprl_desktop.decisions.base import REJECT, Match, Numbers
from pprl_desktop.said import Said

MOST_ROWS = 200_000  # shown at once: more cannot be looked at
CURVE_POINTS = 100
TOLERANCE = 0.08  # of the accepted pairs: where the decision is reliable, its error was at most this


@dataclass(frozen=True)
class MatchRow:
    """One pair that survived the assignment."""

    own: int  # own row, counted from 0
    partner: int  # row of the partner's bundle
    score: float
    probability: float  # NaN where the rule gives none
    band: int  # REJECT, REVIEW, ACCEPT
    evidence: tuple[float, ...]  # per field; positive speaks for a match, NaN: missing
    next_best: float  # score of the best other candidate of the own row; NaN where there is none


@dataclass(frozen=True, eq=False)
class Expected:
    """Precision and recall to expect at each threshold, from calibrated probabilities. A forecast."""

    threshold: Numbers
    precision: Numbers
    recall: Numbers
    working: tuple[float, float] | None  # recall, precision


def match_rows(match: Match, most: int = MOST_ROWS) -> list[MatchRow]:
    """Best first; only pairs at or above the review border."""
    scored = match.scored
    kept = match.kept()
    by = np.argsort(-scored.score[kept], kind="stable")[:most]
    shown = kept[by]
    evidence = match.evidence[by] if match.evidence is not None else scored.why(shown)
    whys = map(tuple, evidence.tolist())
    rest = _next_best(match)
    columns = (scored.own, scored.partner, scored.score, scored.probability, match.band)
    plain = (column[shown].tolist() for column in columns)
    return [
        MatchRow(own, partner, score, probability, band, why, other)
        for own, partner, score, probability, band, why, other in zip(*plain, whys, rest[shown].tolist(), strict=True)
    ]


def _next_best(match: Match) -> Numbers:
    """For every pair the best score of another pair with the same own row."""
    scored = match.scored
    best = np.full(len(scored), np.nan)
    if not len(scored):
        return best
    order = np.lexsort((-scored.score, scored.own))
    rows, score = scored.own[order], scored.score[order]
    first = np.flatnonzero(np.append(True, rows[1:] != rows[:-1]))
    last = np.append(first[1:], len(rows))
    group = np.repeat(np.arange(len(first)), last - first)
    top = score[first]
    second = np.where(last - first > 1, score[np.minimum(first + 1, len(score) - 1)], np.nan)
    is_top = np.zeros(len(rows), bool)
    is_top[first] = True
    best[order] = np.where(is_top, second[group], top[group])
    return best


def expected_curve(match: Match) -> Expected | None:
    """None where the rule gives no calibrated probability."""
    scored, chosen = match.scored, np.flatnonzero(match.chosen)
    probability = scored.probability[chosen]
    if not len(chosen) or not np.isfinite(probability).all():
        return None
    order = np.argsort(-scored.score[chosen], kind="stable")
    ranked, likely = scored.score[chosen][order], np.cumsum(probability[order])
    total = max(float(match.expected.get("true_pairs", 0.0)), float(likely[-1]), 1e-9)
    points: npt.NDArray[np.int64] = np.unique(np.linspace(0, len(ranked) - 1, CURVE_POINTS).astype(np.int64))
    recall, precision = match.expected.get("recall"), match.expected.get("precision")
    working = (recall, precision) if recall is not None and precision is not None else None
    if working is not None and not np.isfinite(working).all():
        working = None
    return Expected(ranked[points], likely[points] / (points + 1), likely[points] / total, working)


@dataclass(frozen=True)
class Judged:
    """What is to be expected of the accepted pairs, by the weights and by a second opinion that does not share them."""

    wrong: float  # share of the accepted pairs; NaN where the rule gives no forecast
    wrong_low: float
    wrong_high: float
    missed: float  # share of the shared people
    second: float  # wrong, by the second opinion; NaN where there is none
    second_low: float
    second_high: float
    missed_second: float  # by pairs found without a field; NaN where no field could be left out
    missed_least: float  # its lower bound
    reliable: bool
    reasons: tuple[Said, ...]  # why not, the gravest first
    cures: tuple[Said, ...]  # what would help

    @property
    def agree(self) -> bool:
        """Whether the two opinions are within what either may be off."""
        return abs(self.wrong - self.second) <= max(TOLERANCE, self.wrong_high - self.wrong_low)

    @property
    def misses_more(self) -> bool:
        """Whether the doubt is how many are missed, and not which of the found are wrong."""
        return not self.reliable and self.agree and self.missed < self.missed_least


def judged(match: Match) -> Judged:
    expected = match.expected
    precision = expected.get("precision", math.nan)
    second = match.second_opinion
    return Judged(
        1 - precision,
        1 - expected.get("precision_high", precision),
        1 - expected.get("precision_low", precision),
        1 - expected.get("recall", math.nan),
        1 - second.get("precision", math.nan),
        1 - second.get("high", math.nan),
        1 - second.get("low", math.nan),
        1 - second.get("recall", math.nan),
        1 - second.get("recall_high", math.nan),
        match.reliable,
        match.reasons,
        match.cures,
    )


def best_scores(match: Match) -> Numbers:
    """Of every own record that was compared, the score of its chosen pair, else of the best it had."""
    scored = match.scored
    if not len(scored):
        return np.empty(0)
    best: Numbers = np.full(int(scored.own.max()) + 1, -np.inf)
    np.maximum.at(best, scored.own, scored.score)
    chosen = match.band != REJECT
    best[scored.own[chosen]] = scored.score[chosen]
    found: Numbers = best[np.isfinite(best)]
    return found
