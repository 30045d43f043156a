"""DP nearest neighbour: the receiving side answers each record of a bundle with its own nearest record under noise.

Only the answers are released, so the noise is in them and not in the bundle: epsilon counts per query, and m queries
cost m times epsilon of the answering side's budget. Distances are Hamming distances of SimHash signatures, clipped to a
range that is a constant of the method: a bound taken from the data would itself give the data away.
"""

from __future__ import annotations

import math

from pprl_desktop.codes import simhash
from pprl_desktop.codes.base import Method, Recipe, RecordFields, Settings, Shape, Smashed
from pprl_desktop.problem import Problem
from pprl_desktop.progress import Progress
from pprl_desktop.records.table import CleanTable
from pprl_desktop.said import Said

EPSILON = 20.0  # per query; see nearest_noise.py for why less than ln n cannot work


class NearestNeighbour(Method):
    """Reads of the settings: epsilon (per query), nearest (which noise), bits, direction."""

    name = "dp-nn"
    title = Said("Private nearest neighbour")
    sentence = Said("Answers with one noisy best match per record of the partner.")
    brief = Said("One noisy best match per record")
    layouts = ("record",)
    decisions = ("nearest",)
    unit = "per query"
    reads = ("nearest",)
    signs_of_sums = True

    def defaults(self) -> Settings:
        return Settings(decision="nearest", layout="record", epsilon=EPSILON)

    def problems(self, recipe: Recipe) -> tuple[Problem, ...]:
        return tuple(_problems(recipe))

    def smash(self, table: CleanTable, recipe: Recipe, progress: Progress) -> Smashed:
        return Smashed(self.name, table.rows, (simhash.record_part(table, recipe, progress),))

    def record_fields(self, table: CleanTable, recipe: Recipe, progress: Progress) -> RecordFields:
        return simhash.simhash_fields(table, recipe, progress)

    def shape(self, recipe: Recipe) -> Shape:
        return (("bits", "", recipe.settings.bits // 8),)


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


METHOD = NearestNeighbour()
