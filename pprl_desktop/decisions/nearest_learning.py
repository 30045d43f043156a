"""What nearest-neighbour answers are drawn by: public distances, and what the fields say of an answer."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from pprl_desktop.codes.base import NearestNoise, Recipe, Rule, Smashed, method
from pprl_desktop.decisions.nearest_tuning import Tuning
from pprl_desktop.decisions.threshold.learning import synthetic_matches
from pprl_desktop.decisions.threshold.record_evidence import FieldEvidence, learn_evidence
from pprl_desktop.decisions.threshold.tuning import Tuning as ThresholdTuning
from pprl_desktop.progress import Progress
from pprl_desktop.records.table import CleanTable
from pprl_desktop.said import Said

USUAL = Tuning()


@dataclass(frozen=True)
class NearestRule(Rule):
    """What answers are drawn by is all public: nothing of it is learned from the table. `why` only explains them."""

    near: int  # bits
    far: int
    epsilon: float | None  # per query; None: the nearest record itself, without any protection
    noise: NearestNoise
    part: str = "record"
    tuning: Tuning = field(default_factory=Tuning)
    why: FieldEvidence | None = field(default=None, repr=False, compare=False)

    @property
    def width(self) -> int:
        return self.far - self.near

    @property
    def none_at(self) -> int:
        return round(self.tuning.none_at * self.width)


def learn_nearest(
    table: CleanTable, own: Smashed, recipe: Recipe, seed: int, progress: Progress, tuning: Tuning = USUAL
) -> NearestRule:
    settings, random, made = recipe.settings, np.random.default_rng(seed), method(recipe.method)
    fields = made.record_fields(table, recipe, progress.part(0.0, 0.4))
    copies = synthetic_matches(made, table, own, recipe, random, seed, progress.part(0.4, 0.9), ThresholdTuning())
    why = learn_evidence(
        fields, copies.rows, copies.codes, 0.0, random, ThresholdTuning()
    )  # the bundle itself carries no noise
    progress.at(1.0)
    near, far = round(tuning.near * settings.bits), round(tuning.far * settings.bits)
    return NearestRule(near, far, settings.epsilon, settings.nearest, tuning=tuning, why=why)


KEEP_ALL = Said(
    "What each field says of an answer stays on this computer. Leaving answers out because of it would undo the noise."
)


def limits(rows: int, queries: int, epsilon: float | None) -> tuple[Said, ...]:
    """What the numbers mean, in sentences with the numbers."""
    if epsilon is None:
        return (Said("There is no noise: each answer names the most similar record for certain."),)
    said = [
        Said(
            "Epsilon {epsilon} per query: {queries} queries cost {sum:count} in all for every record of "
            "the answering side.",
            epsilon=epsilon,
            queries=queries,
            sum=queries * epsilon,
        )
    ]
    least = math.log(max(rows, 1))
    if rows > 1 and epsilon < least:
        said.append(
            Said(
                "Below epsilon = ln n = {least:decimals 1} per query no mechanism can pick one of {rows} records "
                "reliably; with {epsilon} most answers are chance. Use a larger epsilon, fewer records, or "
                "another method.",
                least=least,
                rows=rows,
                epsilon=epsilon,
            )
        )
    return tuple(said)
