"""Accept, review and reject: where the borders lie, and what to expect of each band."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from pprl_desktop.decisions.base import ACCEPT, REJECT, REVIEW, MatchOptions, Numbers, Scored
from pprl_desktop.matching.tuning import Tuning

USUAL = Tuning()

Flags = npt.NDArray[np.bool_]
Bands = npt.NDArray[np.int8]


def borders(scored: Scored, options: MatchOptions, tuning: Tuning = USUAL) -> tuple[float, float]:
    """Score thresholds (accept, review): set by hand where the steward did, else without labels."""
    accept = scored.threshold if options.accept is None else options.accept
    if options.review is not None:
        return accept, min(options.review, accept)
    known = np.isfinite(scored.probability)
    if known.all() and len(scored):
        likely = scored.score[(scored.probability >= tuning.review_from) & (scored.score < accept)]
        return accept, float(likely.min()) if len(likely) else accept
    below = np.sort(scored.score[scored.score < accept])[::-1]
    wanted = int(tuning.review_share * int((scored.score >= accept).sum()))
    return accept, float(below[min(wanted, len(below)) - 1]) if len(below) and wanted else accept


def sort_into(score: Numbers, chosen: Flags, accept: float, review: float) -> Bands:
    band = np.full(len(score), REJECT, dtype=np.int8)
    band[chosen & (score >= review)] = REVIEW
    band[chosen & (score >= accept)] = ACCEPT
    return band


def expectations(scored: Scored, band: Bands, tuning: Tuning = USUAL) -> Mapping[str, float]:
    """Expected precision, recall and share of true pairs per band; nothing where no probability is calibrated."""
    total = max(len(scored), 1)
    shares = {
        "share_accept": float((band == ACCEPT).sum()) / total,
        "share_review": float((band == REVIEW).sum()) / total,
        "share_reject": float((band == REJECT).sum()) / total,
    }
    probability = scored.probability
    if not len(scored) or not np.isfinite(probability).all():
        return shares
    true_total = max(float(scored.notes.get("expected_matches", 0.0)), float(probability.sum()))
    true_total = float(scored.notes.get("findable", true_total))
    accepted, reviewed = probability[band == ACCEPT], probability[band == REVIEW]
    right, off = (
        float(accepted.sum()),
        tuning.spread * _error(accepted, float(scored.notes.get("strangers_error", 0.0))),
    )
    few, many = max(right - off, 0.0), min(right + off, float(len(accepted)))
    return {
        **shares,
        "precision": float(accepted.mean()) if len(accepted) else float("nan"),
        "precision_low": few / max(len(accepted), 1),
        "precision_high": many / len(accepted) if len(accepted) else 1.0,
        "recall": min(right / true_total, 1.0) if true_total > 0 else float("nan"),
        "recall_low": few / true_total if true_total > 0 else 0.0,
        "recall_high": min(many / true_total, 1.0) if true_total > 0 else 1.0,
        "true_pairs": true_total,
        "true_in_accept": right,
        "true_in_review": float(reviewed.sum()),
    }


def _error(accepted: Numbers, strangers: float) -> float:
    """Standard error of the number of right pairs among the accepted: chance, and how well strangers are known.

    `strangers` is the relative error of the number of wrong pairs expected; a model that does not fit is not in it.
    """
    by_chance = float((accepted * (1 - accepted)).sum())
    return math.sqrt(by_chance + (strangers * float((1 - accepted).sum())) ** 2)
