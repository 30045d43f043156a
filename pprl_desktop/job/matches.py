"""A match as plain rows and curves for the screen and for tables: why each pair, what was next best, what to expect."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pprl_desktop.decisions.base import Match, Numbers

MOST_ROWS = 200_000  # shown at once: more cannot be looked at
CURVE_POINTS = 100


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
