"""Precision, recall and F1 of a set of pairs against the truth, with confidence intervals; curves and histograms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from pprl_desktop.codes.directions import DIRECTIONS, Direction, once
from pprl_desktop.decisions.base import Scored
from pprl_desktop.matching.reconcile import Pairs
from pprl_desktop.rehearsal.shares import Share

# steps of the reliability records: tenths, and finer at the top, where most pairs are
RELIABILITY_STEPS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 0.999, 1.0)


def interval(hits: int, trials: int) -> list[float]:
    """95 % interval of a share (Wilson); 0 to 1 where nothing was tried."""
    share = Share(hits, trials)
    return [round(share.low, 6), round(share.high, 6)]


@dataclass(frozen=True)
class Figures:
    true_pairs: int
    predicted_pairs: int
    correct_pairs: int

    @property
    def precision(self) -> float:
        """1 where nothing was predicted: nothing shown is wrong."""
        return self.correct_pairs / self.predicted_pairs if self.predicted_pairs else 1.0

    @property
    def recall(self) -> float:
        return self.correct_pairs / self.true_pairs if self.true_pairs else 1.0

    @property
    def f1(self) -> float:
        total = self.true_pairs + self.predicted_pairs
        return 2 * self.correct_pairs / total if total else 1.0

    def as_dict(self) -> dict[str, Any]:
        return {
            "precision": round(self.precision, 6),
            "recall": round(self.recall, 6),
            "f1": round(self.f1, 6),
            "precision_interval": interval(self.correct_pairs, self.predicted_pairs),
            "recall_interval": interval(self.correct_pairs, self.true_pairs),
            "true_pairs": self.true_pairs,
            "predicted_pairs": self.predicted_pairs,
            "correct_pairs": self.correct_pairs,
        }


class Truth:
    """The true pairs as [row of a, row of b], ready for fast look-up."""

    def __init__(self, pairs: Pairs) -> None:
        self._width = 1 + (int(pairs[:, 1].max()) if len(pairs) else 0)
        self._keys = np.unique(pairs[:, 0] * self._width + pairs[:, 1])

    def __len__(self) -> int:
        return len(self._keys)

    def at_most(self, direction: Direction) -> int:
        """True pairs that a result can hold at most: as many as a side has records in them that may stand once."""
        sides = self._keys // self._width, self._keys % self._width
        alone = [len(np.unique(side)) for side, one in zip(sides, once(direction), strict=True) if one]
        return min([*alone, len(self)])

    def direction(self) -> Direction:
        """The narrowest direction that can hold all true pairs."""
        wide = sorted(DIRECTIONS, key=lambda one: sum(once(one)), reverse=True)
        return next(one for one in wide if self.at_most(one) == len(self))

    def holds(self, pairs: Pairs) -> npt.NDArray[np.bool_]:
        inside = pairs[:, 1] < self._width
        held: npt.NDArray[np.bool_] = np.isin(pairs[:, 0] * self._width + pairs[:, 1], self._keys) & inside
        return held

    def figures(self, predicted: Pairs) -> Figures:
        return Figures(len(self), len(predicted), int(self.holds(predicted).sum()))


@dataclass(frozen=True)
class Curve:
    """Precision and recall as the threshold falls; plain lists for plots and --json."""

    threshold: tuple[float, ...]
    precision: tuple[float, ...]
    recall: tuple[float, ...]

    def as_dict(self) -> dict[str, Any]:
        return {"threshold": list(self.threshold), "precision": list(self.precision), "recall": list(self.recall)}


def curve(score: npt.NDArray[np.float64], correct: npt.NDArray[np.bool_], true_pairs: int, points: int = 100) -> Curve:
    """Over chosen pairs sorted by score; pairs of equal score enter together."""
    if not len(score):
        return Curve((), (), ())
    order = np.argsort(-score, kind="stable")
    ranked, hits = score[order], np.cumsum(correct[order])
    last = np.flatnonzero(np.append(ranked[1:] != ranked[:-1], True))  # the last pair of each score
    if len(last) > points:
        last = last[np.unique(np.linspace(0, len(last) - 1, points).astype(np.int64))]
    precision = hits[last] / (last + 1)
    recall = hits[last] / max(true_pairs, 1)
    return Curve(*(tuple(np.round(x, 6).tolist()) for x in (ranked[last], precision, recall)))


def histogram(score: npt.NDArray[np.float64], bins: int = 40) -> dict[str, list[float]]:
    finite = score[np.isfinite(score)]
    if not len(finite):
        return {"edges": [], "counts": []}
    counts, edges = np.histogram(finite, bins=bins)
    return {"edges": np.round(edges, 6).tolist(), "counts": counts.tolist()}


def field_weights(scored: Scored, correct: npt.NDArray[np.bool_], most: int = 5000) -> dict[str, float]:
    """How far each field speaks for the right pairs rather than the wrong ones, on average.

    From `most` right and `most` wrong pairs, evenly spread over the list: evidence may be worked out on demand.
    """
    right, wrong = (_mean_evidence(scored, which, most) for which in (correct, ~correct))
    return {name: round(float(r - w), 4) for name, r, w in zip(scored.fields, right, wrong, strict=True)}


def _mean_evidence(scored: Scored, which: npt.NDArray[np.bool_], most: int) -> npt.NDArray[np.float64]:
    """Per field; 0 where none of the pairs has it."""
    pairs = np.flatnonzero(which)
    if len(pairs) > most:
        pairs = pairs[np.linspace(0, len(pairs) - 1, most).astype(np.int64)]
    evidence = scored.why(pairs).astype(np.float64)
    known = np.isfinite(evidence)
    mean: npt.NDArray[np.float64] = np.where(known, evidence, 0.0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    return mean


def reliability(probability: npt.NDArray[np.float64], correct: npt.NDArray[np.bool_]) -> list[dict[str, Any]]:
    """Predicted against true share of matches, in steps: a calibrated probability lies on the diagonal.

    Only steps with pairs in them; `true_low` and `true_high` are the 95 % interval of the true share.
    """
    rows = []
    at = np.clip(np.searchsorted(RELIABILITY_STEPS, probability, side="right") - 1, 0, len(RELIABILITY_STEPS) - 2)
    for step in np.unique(at).tolist():
        inside = at == step
        pairs, right = int(inside.sum()), int(correct[inside].sum())
        low, high = interval(right, pairs)
        rows.append(
            {
                "from": RELIABILITY_STEPS[step],
                "to": RELIABILITY_STEPS[step + 1],
                "pairs": pairs,
                "predicted": round(float(probability[inside].mean()), 4),
                "true": round(right / pairs, 4),
                "true_low": low,
                "true_high": high,
            }
        )
    return rows
