"""A trial: two tables and the true pairs, both parties played on this computer; what `evaluate` measures.

The steps are those of the two-party flow (evaluation/play.py, evaluation/blind.py); the truth is used only to score.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pprl_desktop.progress import NO_PROGRESS, Progress

if TYPE_CHECKING:
    from pprl_desktop.codes.base import Kernel, Recipe
    from pprl_desktop.evaluation.believed import Believed
    from pprl_desktop.evaluation.blind import BlindPlay
    from pprl_desktop.evaluation.figures import Figures, Truth
    from pprl_desktop.evaluation.play import Play, Side
    from pprl_desktop.evaluation.tables import Contest, Row
    from pprl_desktop.matching.reconcile import ReconcileRule
    from pprl_desktop.privacy.claims import Statement
    from pprl_desktop.problem import Problem
    from pprl_desktop.project.choices import Choices
    from pprl_desktop.records.table import Table
    from pprl_desktop.rehearsal.shares import Share
    from pprl_desktop.said import Said

BOUNDS = (0.02, 0.05, 0.1, 0.2)  # coverages of a sweep of blind unless others are asked for


@dataclass(frozen=True, eq=False)
class Measured:
    """One method on both tables, beside what the program would have said without the truth."""

    recipe: Recipe
    played: Play
    figures: Figures
    believed: Believed
    statement: Statement


@dataclass(frozen=True, eq=False)
class BlindMeasured:
    played: BlindPlay
    figures: Figures
    believed: Believed
    statement: Statement
    side: Side  # the asker, who decides
    warnings: tuple[Said, ...]


@dataclass(frozen=True, eq=False)
class AtCoverage:
    """One line of a sweep of blind; refused where no keys stay below the bound."""

    bound: float
    played: BlindPlay | None = None
    figures: Figures | None = None
    opened_by_liar: Share | None = None  # in the real protocol, by a partner who lies in every question
    refused: Problem | None = None


class Trial:
    """`columns_b` says which columns of the second table are meant by the fields, where their names differ."""

    def __init__(
        self,
        tables: tuple[Table, Table],
        truth: Truth,
        choices: Choices,
        columns_b: Mapping[str, str],
        *,
        memory: int,
        seed: int = 0,
    ) -> None:
        from pprl_desktop.decisions.base import MatchOptions
        from pprl_desktop.evaluation.tables import Contest
        from pprl_desktop.records.cleaning import clean

        options = MatchOptions(choices.settings.direction, memory=memory, accept=choices.accept, seed=seed)
        a = clean(tables[0], choices.fields, dict(choices.columns))
        b = clean(tables[1], choices.fields, dict(columns_b))
        self.choices = choices
        self.contest: Contest = Contest(a, b, truth, options, seed)

    # methods that smash -----------------------------------------------------------------------------

    def measure(self, rule: ReconcileRule, progress: Progress = NO_PROGRESS) -> Measured:
        from pprl_desktop.evaluation.believed import believed
        from pprl_desktop.evaluation.play import play
        from pprl_desktop.privacy.statements import statement

        contest, recipe = self.contest, self.choices.checked_recipe()
        played = play(contest.a, contest.b, recipe, contest.options, seed=contest.seed, rule=rule, progress=progress)
        # a nearest-neighbour answer costs per query, and the queries are the other side's records
        queries = max(contest.a.rows, contest.b.rows)
        said = statement(recipe, queries if recipe.settings.decision == "nearest" else contest.a.rows)
        both = believed(played.linked, ((played.a.match, False), (played.b.match, True)))
        return Measured(recipe, played, contest.truth.figures(played.linked), both, said)

    def sweep(self, epsilons: Sequence[float] | None = None, progress: Progress = NO_PROGRESS) -> tuple[Row, ...]:
        """The same at several epsilons; without any, the usual ones of the noise."""
        from pprl_desktop.evaluation import tables

        recipe = self.choices.checked_recipe()
        usual = tables.NEAREST_EPSILONS if recipe.settings.decision == "nearest" else tables.PSH_EPSILONS
        return tables.sweep(self.contest, recipe, epsilons or usual, progress)

    def compare(
        self, epsilon: float | None, kernel: Kernel | None, progress: Progress = NO_PROGRESS
    ) -> tuple[Row, ...]:
        """All methods that smash, on the same data."""
        from pprl_desktop.codes.base import REGISTRY, method
        from pprl_desktop.evaluation import tables
        from pprl_desktop.job.preview import reference

        like, used = self.choices.checked_recipe(), reference(self.choices)
        recipes = [tables.compared(name, like, used, epsilon, kernel) for name in REGISTRY if method(name).smashes]
        return tables.compare(self.contest, recipes, progress)

    def frontier(self, progress: Progress = NO_PROGRESS) -> tuple[Row, ...]:
        """Quality against what a partner could name."""
        from pprl_desktop.evaluation import tables
        from pprl_desktop.job.preview import reference

        recipes = tables.frontier_recipes(self.choices.checked_recipe(), reference(self.choices))
        return tables.frontier(self.contest, recipes, progress=progress)

    # blind ------------------------------------------------------------------------------------------

    def measure_blind(self, coverage: float | None, progress: Progress = NO_PROGRESS) -> BlindMeasured:
        from pprl_desktop.blind.meter import warnings
        from pprl_desktop.evaluation.believed import believed
        from pprl_desktop.evaluation.play import Side
        from pprl_desktop.privacy.blind import blind_statement

        contest = self.contest
        played = self._play_blind(coverage, progress)
        told = (*played.match.warnings, *warnings(contest.a.fields, max(contest.a.rows, contest.b.rows)))
        return BlindMeasured(
            played, contest.truth.figures(played.pairs), believed(played.pairs, ((played.match, False),)),
            blind_statement(contest.b.rows), Side(played.match, played.pairs), told,
        )  # fmt: skip

    def sweep_coverage(
        self, bounds: Sequence[float] = BOUNDS, *, liar: bool = False, progress: Progress = NO_PROGRESS
    ) -> tuple[AtCoverage, ...]:
        """What is found against what could be guessed; with `liar`, also what a lying partner really opens."""
        from pprl_desktop.problem import Problem
        from pprl_desktop.rehearsal.blind import rehearse_blind

        contest, rows = self.contest, []
        for place, bound in enumerate(bounds):
            try:
                played = self._play_blind(bound, progress.part(place / len(bounds), (place + 1) / len(bounds)))
            except Problem as problem:
                rows.append(AtCoverage(bound, refused=problem))
                continue
            opened = None
            if liar:
                plan, coverage = played.plan, played.meters[1].coverage
                opened = rehearse_blind(contest.b, plan.recipe, plan.asked, coverage, seed=contest.seed).opened
            rows.append(AtCoverage(bound, played, contest.truth.figures(played.pairs), opened))
        return tuple(rows)

    def _play_blind(self, coverage: float | None, progress: Progress) -> BlindPlay:
        from pprl_desktop.evaluation.blind import play_blind

        contest = self.contest
        return play_blind(
            contest.a, contest.b, contest.options, coverage=coverage, seed=contest.seed, progress=progress
        )


def truth_of(own: list[str], partner: list[str], pairs: list[tuple[str, str]]) -> Truth:
    """The true pairs, given by the ids of both tables."""
    from pprl_desktop.evaluation.figures import Truth
    from pprl_desktop.evaluation.play import pairs_of_ids

    return Truth(pairs_of_ids(own, partner, pairs))


def side_records(side: Side, truth: Truth, *, turned: bool) -> dict[str, Any]:
    """One side alone, in plain figures: against the truth, as it was told, and what the plots need."""
    import numpy as np

    from pprl_desktop.decisions.base import BAND_NAMES
    from pprl_desktop.evaluation.figures import curve, field_weights, histogram, reliability

    match, scored = side.match, side.match.scored
    correct = correct_pairs(side, truth, turned=turned)
    chosen = np.flatnonzero(match.chosen)
    accepted = side.pairs[:, ::-1] if turned else side.pairs
    calibrated = chosen[np.isfinite(scored.probability[chosen])]
    return {
        **truth.figures(accepted).as_dict(),
        "threshold": match.accept,
        "review_threshold": match.review,
        "bands": dict(zip(BAND_NAMES, np.bincount(match.band[chosen], minlength=3).tolist(), strict=True)),
        "expected": dict(match.expected),
        "reliable": match.reliable,
        "reasons": [str(one) for one in match.reasons],
        "cures": [str(one) for one in match.cures],
        "second_opinion": dict(match.second_opinion),
        "caveats": list(scored.caveats()),
        "candidate_recall": scored.notes.get("candidate_recall", 1.0),
        "tuning": dict(match.tuning),
        "ties": match.ties,
        "candidates": len(scored),
        "examined": scored.examined,
        "curve": curve(scored.score[chosen], correct[chosen], len(truth)).as_dict(),
        "histogram": histogram(scored.score[chosen]),
        "field_weights": field_weights(scored, correct),
        "reliability": reliability(scored.probability[calibrated], correct[calibrated]),
    }


def correct_pairs(side: Side, truth: Truth, *, turned: bool) -> Any:
    """Which of the scored pairs are true; `turned` for the party whose own rows are those of the second table."""
    from pprl_desktop.matching.reconcile import as_pairs

    scored = side.match.scored
    own, partner = (scored.partner, scored.own) if turned else (scored.own, scored.partner)
    return truth.holds(as_pairs(own, partner))
