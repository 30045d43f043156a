"""DP nearest neighbour: the receiving side answers each record of a bundle with its own nearest record under noise.

Only the answers are released, so the noise is in them and not in the bundle: epsilon counts per query, and m queries
cost m times epsilon of the answering side's budget. Distances are Hamming distances of SimHash signatures, clipped to a
range that is a constant of the method: a bound taken from the data would itself give the data away.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from pprl_desktop.codes import simhash
from pprl_desktop.codes.base import NearestNoise, Recipe, Rule, Settings, Smashed
from pprl_desktop.decisions.threshold.record_evidence import FieldEvidence, learn_evidence
from pprl_desktop.problem import Problem
from pprl_desktop.progress import Progress
from pprl_desktop.records.table import CleanTable
from pprl_desktop.said import Said

# Public bounds, as shares of the bits: records nearer than NEAR count as equally near, beyond FAR as equally far.
# Between one and three slips in a record and the nearest stranger, for signatures of any table.
NEAR, FAR = 0.23, 0.31
NONE_AT = 0.3  # the "no match" item lies this far between the two: unmatched queries end there, few matched ones do
EPSILON = 20.0  # per query; see nearest_noise.py for why less than ln n cannot work


@dataclass(frozen=True)
class NearestRule(Rule):
    """What answers are drawn by is all public: nothing of it is learned from the table. `why` only explains them."""

    near: int  # bits
    far: int
    epsilon: float | None  # per query; None: the nearest record itself, without any protection
    noise: NearestNoise
    part: str = "record"
    why: FieldEvidence | None = field(default=None, repr=False, compare=False)

    @property
    def width(self) -> int:
        return self.far - self.near

    @property
    def none_at(self) -> int:
        return round(NONE_AT * self.width)


class NearestNeighbour:
    """Reads of the settings: epsilon (per query), nearest (which noise), bits, direction."""

    name: str = "dp-nn"
    title: Said = Said("Private nearest neighbour")
    sentence: Said = Said(
        "Each side answers the other's records with its own most similar record, drawn by chance so that "
        "no single record can be made out; only the answers leave."
    )
    exportable: bool = True
    uses_reference: bool = False

    def defaults(self) -> Settings:
        return Settings(decision="nearest", layout="record", epsilon=EPSILON)

    def problems(self, recipe: Recipe) -> tuple[Problem, ...]:
        return tuple(_problems(recipe))

    def smash(self, table: CleanTable, recipe: Recipe, progress: Progress) -> Smashed:
        return Smashed(self.name, table.rows, (simhash.record_part(table, recipe, progress),))

    def learn(self, table: CleanTable, own: Smashed, recipe: Recipe, seed: int, progress: Progress) -> Rule:
        from pprl_desktop.codes.simhash_fields import simhash_fields
        from pprl_desktop.decisions.threshold.learning import synthetic_matches

        settings, random = recipe.settings, np.random.default_rng(seed)
        fields = simhash_fields(table, recipe, progress.part(0.0, 0.4))
        made = synthetic_matches(self, table, own, recipe, random, seed, progress.part(0.4, 0.9))
        why = learn_evidence(fields, made.rows, made.codes, 0.0, random)  # the bundle itself carries no noise
        progress.at(1.0)
        near, far = round(NEAR * settings.bits), round(FAR * settings.bits)
        return NearestRule(near, far, settings.epsilon, settings.nearest, why=why)


def _problems(recipe: Recipe) -> list[Problem]:
    settings = recipe.settings
    found = list(simhash.shape_problems(recipe))
    if settings.decision != "nearest":
        found.append(
            Problem(
                Said("The nearest neighbour is not decided by '{decision}'.", decision=settings.decision),
                do="Choose the decision 'nearest'.",
                place="decision",
            )
        )
    if settings.layout != "record":
        found.append(
            Problem(
                "The nearest neighbour is looked for among whole records.",
                do="Choose the record layout.",
                place="layout",
            )
        )
    if settings.epsilon is None:
        found.append(
            Problem(
                "The nearest neighbour needs an epsilon.",
                "Without noise every answer names the most similar record for certain.",
                Said("{epsilon} per query is usual for tables of some ten thousand records.", epsilon=EPSILON),
                place="epsilon",
            )
        )
    elif not 0 < settings.epsilon < math.inf:
        found.append(Problem("Epsilon must be a positive number.", do="Choose, for example, 20.", place="epsilon"))
    return found


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


METHOD = NearestNeighbour()
