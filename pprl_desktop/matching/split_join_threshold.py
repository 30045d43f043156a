"""A threshold without labels: the partner's pairs against what strangers score in the own table.

Algorithm 2 of the paper fixes the border on as many non-matches as matches; among n x m real pairs that border lets in
far more strangers than matches. Here both counts are real: every pair that reaches a score was found, and how many of
them are strangers is known from the own table, where nobody occurs twice.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pprl_desktop.methods.split_rule import Null, SplitRule

BINS = 60  # score bins of the calibration, of equally many pairs
ROUNDS = 6  # the number of matches is estimated and used in turn; it settles within three
PRIOR = 0.5  # strangers added to every count: none seen does not mean none

Numbers = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Border:
    threshold: float
    precision: float  # expected at the threshold, one-to-one
    recall: float
    matches: float  # expected number of matches among all pairs


def border(rule: SplitRule, own: Codes, partner: Codes, score: Numbers, rows: tuple[int, int]) -> Border:
    """The score with the best expected F1 of the one-to-one result."""
    if not len(score):
        return Border(float("inf"), float("nan"), float("nan"), 0.0)
    kept = np.sort(score[_one_to_one(own, partner, score)] if rule.one_to_one else score)[::-1]
    n, m = max(rows[0], 1), max(rows[1], 1)
    number = np.arange(1, len(kept) + 1, dtype=np.float64)
    chance = _chance(rule.null, kept, m) if rule.one_to_one else _rate(rule.null, rule.null.scores, kept) * m
    matches = 0.0
    for _ in range(ROUNDS):
        # a stranger is taken only if neither it nor the record that takes it has its match here
        free = (n - matches) * (1.0 - matches / m) if rule.one_to_one else float(n)
        true = np.maximum.accumulate(np.clip(number - free * chance, 0.0, None))
        matches = float(min(true[-1], 0.98 * min(n, m)) if rule.one_to_one else true[-1])
    f1 = 2.0 * true / (number + max(matches, 1.0))
    last = np.append(kept[1:] < kept[:-1], True)  # equal scores cannot be told apart
    best = int(np.flatnonzero(last)[np.argmax(f1[last])])
    below = kept[best + 1] if best + 1 < len(kept) else kept[best] - 1e-9
    return Border(
        float((kept[best] + below) / 2),
        float(true[best] / number[best]),
        float(true[best] / max(matches, 1.0)),
        matches,
    )


def probabilities(rule: SplitRule, score: Numbers, rows: tuple[int, int]) -> Numbers:
    """Share of matches among pairs of this score: one less the strangers expected there, rising with the score."""
    if not len(score):
        return np.zeros(0)
    edges = np.unique(np.quantile(score, np.linspace(0.0, 1.0, BINS + 1)))
    if len(edges) < 3:
        edges = np.array([score.min(), (score.min() + score.max()) / 2, score.max() + 1e-9])
    seen, _ = np.histogram(score, edges)
    strangers, _ = np.histogram(rule.null.scores, edges)
    expected = (strangers + PRIOR) * rows[0] / max(rule.null.rows, 1) * rows[1] / max(rule.null.table, 1)
    share = _rising(np.clip(1.0 - expected / np.maximum(seen, 1), 0.001, 0.999), seen.astype(np.float64))
    out: Numbers = np.interp(score, (edges[1:] + edges[:-1]) / 2, share)
    return out


def _rate(null: Null, scores: Numbers, at: Numbers) -> Numbers:
    """Pairs (or rows) of strangers at or above a score, per own row and row compared with."""
    above = len(scores) - np.searchsorted(scores, at, side="left")
    out: Numbers = (above + PRIOR) / max(null.rows, 1) / max(null.table, 1)
    return out


def _chance(null: Null, at: Numbers, partner_rows: int) -> Numbers:
    """That a record without a match finds a stranger at or above a score among the partner's rows."""
    above = len(null.best) - np.searchsorted(null.best, at, side="left")
    share = np.minimum((above + PRIOR) / max(null.rows, 1), 0.999)
    out: Numbers = 1.0 - (1.0 - share) ** (partner_rows / max(null.table, 1))
    return out


def _one_to_one(own: Codes, partner: Codes, score: Numbers) -> npt.NDArray[np.int64]:
    """Pairs taken greedily from the best: close to the assignment made later, and enough to count."""
    from pprl_desktop.matching.split_join_kernels import greedy

    order = np.lexsort((partner, own, -score))
    taken = greedy(own[order], partner[order], int(own.max()) + 1, int(partner.max()) + 1)
    chosen: npt.NDArray[np.int64] = order[taken]
    return chosen


def _rising(values: Numbers, weights: Numbers) -> Numbers:
    """Pool adjacent violators: the nearest curve that never falls."""
    level: list[float] = []
    weight: list[float] = []
    size: list[int] = []
    for value, w in zip(values.tolist(), np.maximum(weights, 1e-9).tolist(), strict=True):
        level.append(value)
        weight.append(w)
        size.append(1)
        while len(level) > 1 and level[-2] > level[-1]:
            total = weight[-2] + weight[-1]
            level[-2:] = [(level[-2] * weight[-2] + level[-1] * weight[-1]) / total]
            weight[-2:] = [total]
            size[-2:] = [size[-2] + size[-1]]
    return np.repeat(level, size)
