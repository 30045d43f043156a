"""The product's default, method "split": the distances of split-svm, with the adaptive decision of ARCHITECTURE 4.5.

Beside the distances go keyed tokens for what distances cannot say exactly: equality, initials, swapped dates.
"""

from __future__ import annotations

from pprl_desktop.codes import tokens
from pprl_desktop.codes.base import Measure, Method, Recipe, Settings, Smashed
from pprl_desktop.codes.distances import distance_parts
from pprl_desktop.codes.mapping import mapping_problems
from pprl_desktop.problem import Problem
from pprl_desktop.progress import Progress
from pprl_desktop.records.table import CleanTable
from pprl_desktop.said import Said


class Split(Method):
    name = "split"
    title = Said("Reference distances")
    sentence = Said("Sends distances of your values to public names. Best on misspelt and changed names.")
    brief = Said("Distances of your values to public names")
    unit = "per edit and distance"
    decisions = ("adaptive", "svm")
    uses_reference = True

    def defaults(self) -> Settings:
        return Settings(decision="adaptive", layout="field")

    def problems(self, recipe: Recipe) -> tuple[Problem, ...]:
        return mapping_problems(recipe)

    def smash(self, table: CleanTable, recipe: Recipe, progress: Progress) -> Smashed:
        parts = distance_parts(table, recipe, progress.part(0.0, 0.8))
        return Smashed(self.name, table.rows, (*parts, *tokens.parts(table, recipe, progress.part(0.8, 1.0))))

    def measure(self, settings: Settings) -> Measure:
        return "vectors"


METHOD = Split()
