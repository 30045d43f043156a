"""The split-learning SVM on reference-set distances (Karakasidis et al.), method "split-svm".

Algorithm 1, smash: codes/distances.py. Algorithm 2, training at each party alone: decisions/svm/training.py.
Algorithm 3, matching: decisions/svm/search.py and decisions/svm/join.py, which give the same pairs as its double loop.
"""

from __future__ import annotations

from pprl_desktop.codes.base import Method, Recipe, Settings, Smashed
from pprl_desktop.codes.distances import distance_parts
from pprl_desktop.codes.mapping import mapping_problems
from pprl_desktop.problem import Problem
from pprl_desktop.progress import Progress
from pprl_desktop.records.table import CleanTable
from pprl_desktop.said import Said


class SplitSvm(Method):
    name = "split-svm"
    title = Said("Reference distances, published decision")
    sentence = Said("The support-vector decision of the paper, trained on synthetic errors only.")
    brief = Said("Learned from invented slips only")
    page = "expert"
    unit = "per edit and distance"
    decisions = ("svm",)
    reads = ("kernel",)
    uses_reference = True

    def defaults(self) -> Settings:
        return Settings(decision="svm", layout="field", kernel="linear")

    def problems(self, recipe: Recipe) -> tuple[Problem, ...]:
        found = mapping_problems(recipe)
        if recipe.settings.decision == "svm":
            return found
        return (
            *found,
            Problem(
                Said("'split-svm' is decided by its SVM, not by '{decision}'.", decision=recipe.settings.decision),
                do="Choose the method 'split' for the adaptive decision on the same smashed data.",
                place="decision",
            ),
        )

    def smash(self, table: CleanTable, recipe: Recipe, progress: Progress) -> Smashed:
        return Smashed(self.name, table.rows, distance_parts(table, recipe, progress))


METHOD = SplitSvm()
