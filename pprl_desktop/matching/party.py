"""One party's work in the order of the paper: smash (Algorithm 1), learn alone (Algorithm 2), match (Algorithm 3).

The only place that has this order. Under an agreement (job/partnership.py), with both parties in one process
(evaluation/play.py) and between files of one's own (job/own_files.py, job/reviewing.py) only the other side's codes
come from elsewhere: out of a sealed bundle, from the noise of a play, or from a second table at hand.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from pprl_desktop.codes.base import Recipe, Rule, Smashed, method
from pprl_desktop.compute.attended import attended
from pprl_desktop.decisions.base import Match, MatchOptions, Outlook, Scored
from pprl_desktop.decisions.learn import learn
from pprl_desktop.decisions.rules import AdaptiveRule
from pprl_desktop.matching import match as matching
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.records.table import CleanTable


def smash(table: CleanTable, recipe: Recipe, progress: Progress = NO_PROGRESS) -> Smashed:
    """Algorithm 1, by whichever method was agreed; without noise."""
    return method(recipe.method).smash(table, recipe, progress)


@dataclass(frozen=True, eq=False)
class Comparison:
    """Both sides ready to be compared, by what was learned from the own one."""

    own: Smashed
    partner: Smashed
    rule: Rule
    options: MatchOptions

    @cached_property
    def outlook(self) -> Outlook:
        """What matching will take; asked for once, however often it is told."""
        return matching.outlook(self.own, self.partner, self.rule, self.options)

    def match(
        self, progress: Progress = NO_PROGRESS, *, accept: float | None = None, review: float | None = None
    ) -> Match:
        """Algorithm 3, with assignment and bands; lines set by hand go before those in the options."""
        options = self.options
        if accept is not None or review is not None:
            options = replace(options, accept=accept, review=review)
        return matching.match(self.own, self.partner, self.rule, options, progress, needed=self.outlook)


def comparison(
    table: CleanTable,
    own: Smashed,
    partner: Smashed,
    recipe: Recipe,
    options: MatchOptions,
    seed: int = 0,
    progress: Progress = NO_PROGRESS,
) -> Comparison:
    """`own` is the own table as it is compared: clean, or as it was sent where both sides carry noise."""
    return Comparison(own, partner, learn(table, own, recipe, seed, progress), options)


def match_tables(
    own: CleanTable,
    other: CleanTable,
    recipe: Recipe,
    options: MatchOptions,
    progress: Progress = NO_PROGRESS,
) -> Match:
    """Two tables in one hand: nothing leaves, so nothing is noised."""
    ours = smash(own, recipe, progress.part(0.0, 0.15))
    theirs = smash(other, recipe, progress.part(0.15, 0.3))
    ready = comparison(own, ours, theirs, recipe, options, progress=progress.part(0.3, 0.4))
    return ready.match(progress.part(0.4, 1.0))


@dataclass(frozen=True, eq=False)
class OneTable:
    """One table ready to be compared with itself; only the adaptive decision can."""

    own: Smashed
    rule: AdaptiveRule

    def scored(self, progress: Progress = NO_PROGRESS) -> Scored:
        from pprl_desktop.decisions.adaptive.deduplication import scored_within

        return attended(progress, lambda inner: scored_within(self.own, self.rule, progress=inner))


def one_table(table: CleanTable, recipe: Recipe, progress: Progress = NO_PROGRESS) -> OneTable:
    smashed = smash(table, recipe, progress.part(0.0, 0.8))
    rule = learn(table, smashed, recipe, 0, progress.part(0.8, 1.0))
    assert isinstance(rule, AdaptiveRule)
    return OneTable(smashed, rule)
