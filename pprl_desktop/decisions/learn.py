"""learn(): the rule of a decision, from the own table alone, as each party does in the paper (Algorithm 2).

One function per decision; what differs between methods is asked of the method (its measure, the fields of its codes).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pprl_desktop.codes.base import Decision, Recipe, Rule, Smashed, method
from pprl_desktop.compute.attended import attended
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.records.table import CleanTable

Learn = Callable[[CleanTable, Smashed, Recipe, int, Progress], Rule]


def learn(table: CleanTable, own: Smashed, recipe: Recipe, seed: int = 0, progress: Progress = NO_PROGRESS) -> Rule:
    """`own` is the own table as it will be compared with the partner's bundle."""
    return attended(progress, lambda inner: LEARNERS[recipe.settings.decision](table, own, recipe, seed, inner))


def _adaptive(table: CleanTable, own: Smashed, recipe: Recipe, seed: int, progress: Progress) -> Rule:
    from pprl_desktop.decisions.rules import adaptive_rule

    return adaptive_rule(own, recipe, method(recipe.method).measure(recipe.settings), seed)


def _threshold(table: CleanTable, own: Smashed, recipe: Recipe, seed: int, progress: Progress) -> Rule:
    from pprl_desktop.decisions.threshold.learning import learn_bits

    made = method(recipe.method)
    fields = made.record_fields(table, recipe, progress.part(0.0, 0.2))
    measure = made.measure(recipe.settings)
    return learn_bits(made, table, own, recipe, measure, fields, seed, progress.part(0.2, 1.0))


def _svm(table: CleanTable, own: Smashed, recipe: Recipe, seed: int, progress: Progress) -> Rule:
    if any(part.kind == "clear" for part in own.parts):
        from pprl_desktop.decisions.plain_learning import learn_plain

        return learn_plain(table, seed, progress)
    from pprl_desktop.decisions.svm.training import Training

    return Training(table, own, recipe, seed, progress).rule(recipe.settings.kernel)


def _nearest(table: CleanTable, own: Smashed, recipe: Recipe, seed: int, progress: Progress) -> Rule:
    from pprl_desktop.decisions.nearest_learning import learn_nearest

    return learn_nearest(table, own, recipe, seed, progress)


LEARNERS: Mapping[Decision, Learn] = {
    "adaptive": _adaptive,
    "threshold": _threshold,
    "svm": _svm,
    "nearest": _nearest,
}
