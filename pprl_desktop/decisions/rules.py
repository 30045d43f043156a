"""Rules that several methods share: the adaptive decision, and one threshold on record-level bits.

A rule holds what one party learned from its own table alone. The adaptive rule holds little, because its weights are
learned from the real candidate pairs when the partner's bundle is there (decisions/adaptive/run.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from pprl_desktop.codes.base import Measure, Recipe, Rule, Smashed
from pprl_desktop.decisions.adaptive.tuning import Tuning as AdaptiveTuning
from pprl_desktop.decisions.threshold.record_evidence import FieldEvidence
from pprl_desktop.decisions.threshold.tuning import Tuning as ThresholdTuning
from pprl_desktop.records.fields import Field, FieldKind


@dataclass(frozen=True)
class FieldComparison:
    """One field of the adaptive decision: which parts speak of it and how they are compared."""

    field: str
    kind: FieldKind
    measure: Measure
    values: tuple[str, ...]  # names of the parts with role "value"; several reference attributes make several


@dataclass(frozen=True, eq=False)
class AdaptiveRule(Rule):
    """Fellegi-Sunter weights to be learned by EM at match time; what is known before is here."""

    comparisons: tuple[FieldComparison, ...]
    one_to_one: bool = True
    seed: int = 0
    tuning: AdaptiveTuning = field(default_factory=AdaptiveTuning)


@dataclass(frozen=True, eq=False)
class BitsRule(Rule):
    """One threshold on the similarity of record-level bits (CLK and PSH as published)."""

    measure: Measure
    threshold: float  # accept at or above
    # similarity -> probability of a match, as a rising curve through these points; empty: no calibrated probability
    similarity: npt.NDArray[np.float64]
    probability: npt.NDArray[np.float64]
    part: str = "record"
    # from which matching works out probabilities for the real pairs (decisions/threshold/scan.py)
    matches: npt.NDArray[np.float64] = field(default_factory=lambda: np.empty(0))  # similarities of synthetic matches
    others: npt.NDArray[np.float64] = field(default_factory=lambda: np.empty(0))  # the highest of own non-matches
    others_of: int = 0  # how many non-matches these are the highest of
    bulk: npt.NDArray[np.float64] = field(default_factory=lambda: np.empty(0))  # similarities of random non-matches
    why: FieldEvidence | None = field(default=None, repr=False)  # what each field says of a pair
    tuning: ThresholdTuning = field(default_factory=ThresholdTuning)


def counted(fields: Sequence[Field]) -> tuple[Field, ...]:
    """The fields that are evidence: without those derived from others that stay."""
    kept = list(fields)
    for one in fields:
        if one.derived and set(one.derived) <= {other.name for other in kept if other != one}:
            kept.remove(one)
    return tuple(kept)


def adaptive_rule(own: Smashed, recipe: Recipe, measure: Measure, seed: int = 0) -> AdaptiveRule:
    """The adaptive rule for smashed data in the field layout. What is derived from other fields is no new evidence."""
    comparisons = []
    for one in counted(recipe.fields):
        values = tuple(part.name for part in own.of_field(one.name) if part.role == "value")
        comparisons.append(FieldComparison(one.name, one.kind, measure, values))
    return AdaptiveRule(tuple(comparisons), recipe.settings.one_to_one, seed)
