"""A threshold without labels: the partner's pairs against what strangers score in the own table.

Algorithm 2 of the paper fixes the border on as many non-matches as matches; among n x m real pairs that border lets in
far more strangers than matches. Here both counts are real: every pair that reaches a score was found, and how many of
them are strangers is known from the own table, where nobody occurs twice.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pprl_desktop.decisions.svm.rule import SplitRule
from pprl_desktop.decisions.svm.tuning import Tuning
from pprl_desktop.decisions.thresholds import rising

Numbers = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int32]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Border:
    threshold: float
    precision: float  # expected at the threshold, one-to-one
    recall: float
    matches: float  # expected number of matches among all pairs
    error: float  # relative error of the number of strangers expected, from how many were seen in the own table
    probability: Numbers  # of each pair


def border(rule: SplitRule, own: Codes, partner: Codes, score: Numbers, rows: tuple[int, int]) -> Border:
    """The score with the best expected F1 of the one-to-one result, and what every pair is worth."""
    if not len(score):
        return Border(float("inf"), float("nan"), float("nan"), 0.0, 0.0, np.zeros(0))
    taken = _one_to_one(own, partner, score) if rule.one_to_one else np.arange(len(score))
    taken = taken[np.argsort(-score[taken], kind="stable")]
    kept = score[taken]
    n, m = max(rows[0], 1), max(rows[1], 1)
    number = np.arange(1, len(kept) + 1, dtype=np.float64)
    chance = _chance(rule, kept, m) if rule.one_to_one else _rate(rule, kept) * m
    matches = 0.0
    for _ in range(rule.tuning.rounds):
        # a stranger is taken only if neither it nor the record that takes it has its match here
        free = (n - matches) * (1.0 - matches / m) if rule.one_to_one else float(n)
        true = np.maximum.accumulate(np.clip(number - free * chance, 0.0, None))
        matches = float(min(true[-1], 0.98 * min(n, m)) if rule.one_to_one else true[-1])
    f1 = 2.0 * true / (number + max(matches, 1.0))
    last = np.append(kept[1:] < kept[:-1], True)  # equal scores cannot be told apart
    best = int(np.flatnonzero(last)[np.argmax(f1[last])])
    below = kept[best + 1] if best + 1 < len(kept) else kept[best] - 1e-9
    seen = rule.null.best if rule.one_to_one else rule.null.scores
    above = len(seen) - int(np.searchsorted(seen, kept[best], side="left"))
    return Border(
        float((kept[best] + below) / 2),
        float(true[best] / number[best]),
        float(true[best] / max(matches, 1.0)),
        matches,
        1.0 / np.sqrt(above + rule.tuning.unseen),
        _probabilities(own, partner, score, taken, true, rule.tuning),
    )


def _probabilities(own: Codes, partner: Codes, score: Numbers, taken: Ints, true: Numbers, tuning: Tuning) -> Numbers:
    """Share of matches among the taken pairs of about this score, rising with it.

    `true` counts the matches among the taken pairs from the best down. A pair that was not taken lost against a better
    pair of one of its records, and can be the match only if that one is not.
    """
    ends = np.unique(np.linspace(0, len(taken), min(tuning.bins, len(taken)) + 1).astype(np.int64)[1:])
    size = np.diff(np.append(0, ends)).astype(np.float64)
    share = np.clip(np.diff(np.append(0.0, true[ends - 1])) / size, 1 - tuning.sure, tuning.sure)[::-1]
    middle = (np.add.reduceat(score[taken], np.append(0, ends[:-1])) / size)[::-1]
    made: Numbers = np.interp(score, middle, rising(share, np.maximum(size[::-1], 1e-9)))
    if len(taken) == len(score):
        return made
    by_own, by_partner = np.zeros(int(own.max()) + 1), np.zeros(int(partner.max()) + 1)
    by_own[own[taken]], by_partner[partner[taken]] = made[taken], made[taken]
    rest = np.ones(len(score), np.bool_)
    rest[taken] = False
    made[rest] *= 1.0 - np.maximum(by_own[own[rest]], by_partner[partner[rest]])
    return made


def _rate(rule: SplitRule, at: Numbers) -> Numbers:
    """Pairs (or rows) of strangers at or above a score, per own row and row compared with."""
    null = rule.null
    above = len(null.scores) - np.searchsorted(null.scores, at, side="left")
    out: Numbers = (above + rule.tuning.unseen) / max(null.rows, 1) / max(null.table, 1)
    return out


def _chance(rule: SplitRule, at: Numbers, partner_rows: int) -> Numbers:
    """That a record without a match finds a stranger at or above a score among the partner's rows."""
    null = rule.null
    above = len(null.best) - np.searchsorted(null.best, at, side="left")
    share = np.minimum((above + rule.tuning.unseen) / max(null.rows, 1), 0.999)
    out: Numbers = 1.0 - (1.0 - share) ** (partner_rows / max(null.table, 1))
    return out


def _one_to_one(own: Codes, partner: Codes, score: Numbers) -> npt.NDArray[np.int64]:
    """Pairs taken greedily from the best: close to the assignment made later, and enough to count."""
    from pprl_desktop.decisions.svm.join_kernels import greedy

    order = np.lexsort((partner, own, -score))
    taken = greedy(own[order], partner[order], int(own.max()) + 1, int(partner.max()) + 1)
    chosen: npt.NDArray[np.int64] = order[taken]
    return chosen
