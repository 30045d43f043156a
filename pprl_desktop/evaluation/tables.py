"""Many evaluations side by side: an epsilon sweep, a comparison of methods, the privacy-utility frontier."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from pprl_desktop.codes.base import REGISTRY, Kernel, Recipe, method
from pprl_desktop.codes.recipe import build, changed, settings
from pprl_desktop.compute.attended import stage
from pprl_desktop.decisions.base import MatchOptions
from pprl_desktop.evaluation.figures import Figures, Truth, interval
from pprl_desktop.evaluation.play import play
from pprl_desktop.problem import Problem
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.records.table import CleanTable
from pprl_desktop.reference.sets import ReferenceSet
from pprl_desktop.said import Said

PSH_EPSILONS = (0.5, 1.0, 2.0, 5.0)  # per bit: the sweep of the PSH text
NEAREST_EPSILONS = (10.0, 12.0, 15.0, 20.0)  # per query: below ln n nothing can work


@dataclass(frozen=True)
class Row:
    """One line of a table that the window plots and --json prints."""

    method: str
    decision: str
    layout: str
    epsilon: float | None
    unit: str  # of epsilon: per bit, edit or query
    precision: float | None  # None: the method could not run, see `problem`
    recall: float | None
    f1: float | None
    predicted_pairs: int
    seconds: float
    recovered: float | None = None  # share of records a partner with a dictionary names in full
    recovered_low: float | None = None  # 95 % interval
    recovered_high: float | None = None
    precision_low: float | None = None  # 95 % intervals
    precision_high: float | None = None
    recall_low: float | None = None
    recall_high: float | None = None
    problem: str = ""  # why there are no figures, in a sentence

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, eq=False)
class Contest:
    """Two tables and the truth: what every row of a table is measured on."""

    a: CleanTable
    b: CleanTable
    truth: Truth
    options: MatchOptions
    seed: int = 0


@stage
def measured(contest: Contest, recipe: Recipe, progress: Progress = NO_PROGRESS) -> Row:
    """The figures of one recipe; where it does not apply to these fields or these data, a row that says why."""
    from pprl_desktop.privacy.statements import epsilon_unit

    used = recipe.settings
    unit = epsilon_unit(recipe) if used.epsilon is not None else ""
    row = Row(recipe.method, used.decision, used.layout, used.epsilon, unit, None, None, None, 0, 0.0)
    try:
        wrong = method(recipe.method).problems(recipe)
        if wrong:
            raise wrong[0]
        played = play(contest.a, contest.b, recipe, contest.options, seed=contest.seed, progress=progress)
    except Problem as problem:
        return replace(row, problem=str(problem))
    figures: Figures = contest.truth.figures(played.linked)
    precision, recall = (interval(figures.correct_pairs, of) for of in (figures.predicted_pairs, figures.true_pairs))
    return replace(
        row,
        precision=round(figures.precision, 6),
        recall=round(figures.recall, 6),
        f1=round(figures.f1, 6),
        predicted_pairs=figures.predicted_pairs,
        seconds=round(sum(played.seconds.values()), 3),
        precision_low=precision[0],
        precision_high=precision[1],
        recall_low=recall[0],
        recall_high=recall[1],
    )


@stage
def sweep(
    contest: Contest, recipe: Recipe, epsilons: Sequence[float], progress: Progress = NO_PROGRESS
) -> tuple[Row, ...]:
    rows = []
    for number, epsilon in enumerate(epsilons):
        part = progress.part(number / len(epsilons), (number + 1) / len(epsilons))
        part.at(0.0, Said("epsilon {epsilon}", epsilon=epsilon))
        rows.append(measured(contest, with_epsilon(recipe, epsilon), part))
    return tuple(rows)


def with_epsilon(recipe: Recipe, epsilon: float | None) -> Recipe:
    return replace(recipe, settings=changed(recipe.method, recipe.settings, epsilon=epsilon))


def in_its_own_way(name: str, like: Recipe, reference: ReferenceSet, **wanted: Any) -> Recipe:
    """Another method with its own settings on the same fields."""
    return build(
        name, like.fields, settings(name, direction=like.settings.direction, **wanted), reference, secret=like.secret
    )


def compared(name: str, like: Recipe, reference: ReferenceSet, epsilon: float | None, kernel: Kernel | None) -> Recipe:
    """A method for the comparison: with the noise asked for where noise is per bit or edit, else in its own way."""
    own = method(name).defaults()
    wanted: dict[str, Any] = {}
    if own.epsilon is None and method(name).exportable:
        wanted["epsilon"] = epsilon
    if kernel is not None and own.decision == "svm":
        wanted["kernel"] = kernel
    return in_its_own_way(name, like, reference, **wanted)


@stage
def compare(contest: Contest, recipes: Sequence[Recipe], progress: Progress = NO_PROGRESS) -> tuple[Row, ...]:
    rows = []
    for number, recipe in enumerate(recipes):
        part = progress.part(number / len(recipes), (number + 1) / len(recipes))
        part.at(0.0, recipe.method)
        rows.append(measured(contest, recipe, part))
    return tuple(rows)


@stage
def frontier(
    contest: Contest, recipes: Sequence[Recipe], *, sample: int = 500, progress: Progress = NO_PROGRESS
) -> tuple[Row, ...]:
    """F1 and the share of records that the rehearsed partner names, for the same recipe on the same data."""
    from pprl_desktop.rehearsal.rehearse import recovered_share

    rows = []
    for number, recipe in enumerate(recipes):
        part = progress.part(number / len(recipes), (number + 1) / len(recipes))
        part.at(0.0, recipe.method)
        row = measured(contest, recipe, part.part(0.0, 0.5))
        if row.problem:
            rows.append(row)
            continue
        try:
            share = recovered_share(contest.a, recipe, sample=sample, seed=contest.seed, progress=part.part(0.5, 1.0))
            row = replace(row, recovered=share.share, recovered_low=share.low, recovered_high=share.high)
        except Problem:  # no name field: nothing to name, the row stands without it
            pass
        rows.append(row)
    return tuple(rows)


def frontier_recipes(like: Recipe, reference: ReferenceSet) -> tuple[Recipe, ...]:
    """Every exportable method without noise, and at the epsilons that mean something where bits carry the noise."""
    made = []
    for name in REGISTRY:
        known = method(name)
        if not (known.exportable and known.smashes) or known.defaults().epsilon is not None:
            continue
        made.append(in_its_own_way(name, like, reference))
        if known.both_layouts:
            made.append(in_its_own_way(name, like, reference, layout="record"))
            made += [in_its_own_way(name, like, reference, epsilon=epsilon) for epsilon in reversed(PSH_EPSILONS)]
    return tuple(made)
