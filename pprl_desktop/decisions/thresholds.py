"""Thresholds: from calibrated probabilities without labels, or from labels where there are any."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Threshold:
    score: float  # accept at or above
    precision: float  # expected (from probabilities) or measured (from labels) at that score
    recall: float
    f1: float


def from_probabilities(score: Numbers, probability: Numbers, true_total: float | None = None) -> Threshold:
    """The score that makes the expected F1 largest; `true_total` is the expected number of true pairs anywhere."""
    return _best(score, probability, float(probability.sum()) if true_total is None else true_total)


def from_labels(score: Numbers, is_match: npt.NDArray[np.bool_], missed: int = 0) -> Threshold:
    """The score with the largest F1 on labelled pairs; `missed` counts true pairs that are not among them."""
    return _best(score, is_match.astype(np.float64), float(is_match.sum()) + missed)


def _best(score: Numbers, truth: Numbers, total: float) -> Threshold:
    if not len(score) or total <= 0:
        return Threshold(float("inf"), float("nan"), 0.0, 0.0)
    order = np.argsort(-score, kind="stable")
    found = np.cumsum(truth[order])
    number = np.arange(1, len(order) + 1)
    f1 = 2 * found / (number + total)
    # equal scores cannot be told apart: only the last of them may be a border
    border = np.append(score[order][1:] < score[order][:-1], True)
    best = int(np.flatnonzero(border)[np.argmax(f1[border])])
    here = float(score[order][best])
    below = float(score[order][best + 1]) if best + 1 < len(order) else here - 1.0
    return Threshold((here + below) / 2, float(found[best] / number[best]), float(found[best] / total), float(f1[best]))


def rising(values: Numbers, weights: Numbers) -> Numbers:
    """The nearest rising curve (pool adjacent violators)."""
    pools: list[tuple[float, float, int]] = []
    for value, weight in zip(values.tolist(), weights.tolist(), strict=True):
        mean, heavy, size = value, weight, 1
        while pools and pools[-1][0] >= mean:
            before, weighed, many = pools.pop()
            mean = (mean * heavy + before * weighed) / (heavy + weighed)
            heavy, size = heavy + weighed, size + many
        pools.append((mean, heavy, size))
    return np.concatenate([np.full(size, mean) for mean, _, size in pools])
