"""Synthetic pairs from the own table: what a method would find, before any partner's data are there.

The own (deduplicated) records are dealt out to two imaginary parties that share some of them; the second
party's copies are corrupted. The figures are a forecast: they are right as far as real errors look like
the corrupter's.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pprl_desktop.codes.base import Recipe
from pprl_desktop.codes.corrupt import corrupt
from pprl_desktop.compute.attended import stage
from pprl_desktop.decisions.base import MatchOptions
from pprl_desktop.evaluation.figures import Curve, Figures, Truth, curve, histogram, interval
from pprl_desktop.evaluation.play import play
from pprl_desktop.matching.reconcile import Pairs, as_pairs
from pprl_desktop.problem import Problem
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.records.table import CleanTable
from pprl_desktop.said import Said

MOST_ROWS = 4000  # a forecast must answer while the slider moves; beyond this the sample is the limit, not the data
SHARED = 0.5  # of each imaginary party's records
LEAST_ROWS = 20


@dataclass(frozen=True, eq=False)
class Synthetic:
    a: CleanTable
    b: CleanTable
    truth: Pairs


@dataclass(frozen=True)
class Forecast:
    """Expected figures on synthetic pairs of the own table. A forecast, never a fact."""

    figures: Figures  # of the imaginary parties
    curve: Curve
    histogram: dict[str, list[float]]
    rows: int  # of each imaginary party
    seconds: float
    overlap: float = SHARED  # share of each party's records that the other has too: an assumption

    @property
    def precision_interval(self) -> tuple[float, float]:
        """95 %: from how few wrong links were counted. Errors that look otherwise are not in it."""
        low, high = interval(self.figures.correct_pairs, self.figures.predicted_pairs)
        return low, high

    @property
    def recall_interval(self) -> tuple[float, float]:
        low, high = interval(self.figures.correct_pairs, self.figures.true_pairs)
        return low, high


def synthetic_pairs(table: CleanTable, seed: int, most: int = MOST_ROWS) -> Synthetic:
    """Two overlapping parties made of one table. The order of rows says nothing about who is who."""
    rng = np.random.default_rng(seed)
    rows = _distinct_rows(table)
    if len(rows) < LEAST_ROWS:
        raise Problem(
            Said("{rows} different records are too few for a forecast.", rows=len(rows)),
            Said("It takes at least {least_rows}.", least_rows=LEAST_ROWS),
            "Go on without a forecast, or load more records.",
            place="forecast",
        )
    rows = rng.permutation(rows)[: int(most * (2 - SHARED))]
    each = int(len(rows) / (2 - SHARED))
    shared = max(1, int(each * SHARED))
    own, other = rows[:each], np.concatenate([rows[:shared], rows[each : 2 * each - shared]])
    order_a, order_b = rng.permutation(len(own)), rng.permutation(len(other))
    at_a, at_b = np.argsort(order_a), np.argsort(order_b)
    a, b = table.take(own[order_a]), corrupt(table.take(other[order_b]), seed + 1)
    return Synthetic(a, b, as_pairs(at_a[:shared], at_b[:shared]))


def _distinct_rows(table: CleanTable) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """First row of every distinct record that has at least one value."""
    codes = np.stack([column.codes for column in table.columns], axis=1)
    usable = np.flatnonzero((codes >= 0).any(axis=1))
    if not len(usable):
        return usable
    _, first = np.unique(codes[usable], axis=0, return_index=True)
    return usable[np.sort(first)]


@stage
def forecast(
    table: CleanTable, recipe: Recipe, *, seed: int = 0, most: int = MOST_ROWS, progress: Progress = NO_PROGRESS
) -> Forecast:
    """Expected precision and recall of a recipe on the own records (shown before anything leaves)."""
    import time

    started = time.perf_counter()
    made = synthetic_pairs(table, seed, most)
    options = MatchOptions(recipe.settings.direction, seed=seed)
    played = play(made.a, made.b, recipe, options, seed=seed, progress=progress)
    truth, side = Truth(made.truth), played.a.match
    chosen = np.flatnonzero(side.chosen)
    pairs = as_pairs(side.scored.own[chosen], side.scored.partner[chosen])
    score = side.scored.score[chosen]
    return Forecast(
        truth.figures(played.linked),
        curve(score, truth.holds(pairs), len(truth)),
        histogram(score),
        made.a.rows,
        round(time.perf_counter() - started, 3),
    )
