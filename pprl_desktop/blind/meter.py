"""The meter: what a lying partner could reach with the agreed questions, seen on the own table before signing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pprl_desktop.blind.plan import asked_for
from pprl_desktop.codes.keys import coverage, strangers
from pprl_desktop.codes.keys.careful import MOST_CAREFUL, careful
from pprl_desktop.codes.keys.reach import SPARE
from pprl_desktop.codes.keys.recipe import Columns, KeyRecipe, lines_of
from pprl_desktop.codes.keys.variants import groups_of, variants_of
from pprl_desktop.codes.keys.worlds import HeldKeys, recall_range, worlds_of
from pprl_desktop.problem import Problem
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.records.fields import Field
from pprl_desktop.records.table import CleanTable
from pprl_desktop.said import Said

SLACK = 1.05  # keys per record of the partner's table, over those of the own one
SLACK_VALUES = 1.5  # the same for distinct values, which cost no coverage
FAR_MORE_VALUES = 3.0  # times that: no table like the own one has so many, only a list of names to read records with
WEAK = 0.5  # share of people found in the worst world, below which the steward is warned
MANY_FOR_YEARS = 50_000  # records from which a year of birth alone tells too few people apart


@dataclass(frozen=True)
class KeyMeter:
    words: Said
    budget: int  # guesses allowed
    alone: float  # coverage by this type alone
    adds: float  # to the union of the types before it
    finds: float  # people in the worlds that it finds and the types before it do not, mean over the worlds


@dataclass(frozen=True, eq=False)
class Meter:
    """Shares of the own records that a partner who lies in every question could reach."""

    coverage: float  # at the agreed budget, with public lists where they fit
    coverage_own: float  # as if the partner knew how often each value occurs in the own table
    coverage_10n: float  # at ten times the budget
    coverage_own_10n: float
    careful: float  # at the agreed budget, by a partner who asks each type about those whom the others do not reach
    strangers: float  # share of records that honest strangers would open, or be opened by
    strangers_range: tuple[float, float]  # within which it lies nine of ten times, by chance
    keys: tuple[KeyMeter, ...]
    recall: tuple[tuple[str, float], ...] = ()  # world -> share of people that share a key with their damaged copy
    lists: tuple[str, ...] = field(default=())  # fields for which a public list fits

    def as_dict(self) -> dict[str, Any]:
        return {
            "coverage": round(self.coverage, 4),
            "coverage_own": round(self.coverage_own, 4),
            "coverage_10n": round(self.coverage_10n, 4),
            "coverage_own_10n": round(self.coverage_own_10n, 4),
            "coverage_careful": round(self.careful, 4),
            "strangers": round(self.strangers, 4),
            "strangers_range": [round(share, 4) for share in self.strangers_range],
            "recall": {world: round(share, 4) for world, share in self.recall},
            "keys": [
                {
                    "key": str(one.words), "budget": one.budget, "alone": round(one.alone, 4),
                    "adds": round(one.adds, 4), "finds": round(one.finds, 4),
                }
                for one in self.keys
            ],
        }  # fmt: skip

    @property
    def most(self) -> float:
        """Whatever a partner with these budgets does."""
        return max(self.coverage, self.careful)

    def over(self, bound: float) -> float:
        """Times the agreed coverage that this is; above 1 the keys must not be signed."""
        return max(self.coverage, self.careful / MOST_CAREFUL) / bound

    def recall_range(self) -> tuple[float, float]:
        return recall_range(self.recall)


def lines_per_key(table: CleanTable, recipe: KeyRecipe) -> tuple[int, ...]:
    columns = Columns(table)
    return tuple(len(lines_of(columns, key)[0]) for key in recipe.keys)


def limits(table: CleanTable, recipe: KeyRecipe, rows: int | None = None) -> tuple[int, ...]:
    """Keys of each type that the own table makes; of a partner's table of so many rows, as seen on the own one."""
    share = 1.0 if rows is None else SLACK * rows / max(table.rows, 1)
    return tuple(int(np.ceil(share * count)) + SPARE for count in lines_per_key(table, recipe))


def value_limits(table: CleanTable, rows: int | None = None) -> tuple[int, ...]:
    """Distinct variants of each group of fields; they grow more slowly than the rows, never faster."""
    share = 1.0 if rows is None else SLACK_VALUES * max(rows / max(table.rows, 1), 1.0)
    found = (len(variants_of(table, group)) for group in groups_of(table.fields))
    return tuple(asked_for(int(np.ceil(share * count)) + SPARE) for count in found)


@dataclass(frozen=True)
class Limits:
    """Of one direction: points per key type, rows per key type, points per group of fields."""

    asked: tuple[int, ...]
    rows: tuple[int, ...]
    values: tuple[int, ...]


def limits_for(table: CleanTable, recipe: KeyRecipe, partner_rows: int, *, asks: bool) -> Limits:
    """What one side can propose from its own table alone: its own need exactly, the partner's with some slack."""
    mine, theirs = limits(table, recipe), limits(table, recipe, partner_rows)
    asked, rows = (mine, theirs) if asks else (theirs, mine)
    values = value_limits(table) if asks else value_limits(table, partner_rows)
    return Limits(tuple(asked_for(one) for one in asked), rows, values)


def measure(
    table: CleanTable,
    recipe: KeyRecipe,
    budgets: Sequence[int],
    partner_rows: int,
    seed: int = 0,
    progress: Progress = NO_PROGRESS,
) -> Meter:
    """`budgets`: keys of each type that the partner may ask, or put into its table."""
    columns = Columns(table)
    public, own = coverage.Guesser(columns, "public"), coverage.Guesser(columns, "own")
    reached: dict[str, list[coverage.Numbers]] = {"public": [], "own": [], "tenfold": [], "own tenfold": []}
    keys, before, found_before = [], 0.0, 0.0
    near = strangers.Near(columns, seed).start()
    worlds = worlds_of(table, seed)
    held = HeldKeys(worlds, recipe, progress.part(0.0, 0.4))
    weights = worlds.weights()
    part = progress.part(0.4, 1.0)
    for place, (key, budget) in enumerate(zip(recipe.keys, budgets, strict=True)):
        part.at(place / len(recipe.keys), "Counting what could be guessed")
        hit = coverage.hits(public, key, budget)
        reached["public"].append(hit)
        reached["own"].append(coverage.hits(own, key, budget))
        reached["tenfold"].append(coverage.hits(public, key, 10 * budget))
        reached["own tenfold"].append(coverage.hits(own, key, 10 * budget))
        after = coverage.union(reached["public"])
        found = float(held.recall(place + 1) @ weights)
        keys.append(KeyMeter(key.said(), budget, float(hit.mean()), after - before, found - found_before))
        before, found_before = after, found
        near = near.with_key(key)
    progress.at(1.0)
    shares = held.recall(len(recipe.keys)).tolist()
    return Meter(
        before,
        coverage.union(reached["own"]),
        coverage.union(reached["tenfold"]),
        coverage.union(reached["own tenfold"]),
        careful(public, recipe.keys, budgets, seed),
        near.opened(partner_rows),
        near.opened_by_chance(partner_rows),
        tuple(keys),
        tuple((world.name, share) for world, share in zip(worlds.worlds, shares, strict=True)),
        tuple(public.lists()),
    )


def over_agreed(meter: Meter, bound: float) -> Problem | None:
    """Why this side should not sign, or None."""
    if meter.coverage <= bound + 5e-4 and meter.careful <= MOST_CAREFUL * bound + 5e-4:
        return None
    return Problem(
        Said(
            "A lying partner could guess {share:decimals 1} of 100 of these records; at most {bound:decimals 1} were "
            "agreed.",
            share=100 * meter.coverage,
            bound=100 * bound,
        )
        if meter.coverage > bound + 5e-4
        else Said(
            "A lying partner who asks each key about other people could guess {share:decimals 1} of 100 of these "
            "records; at most {most:decimals 1} may be within its reach.",
            share=100 * meter.careful,
            most=100 * MOST_CAREFUL * bound,
        ),
        "The keys were chosen on the other side's table, and this one is easier to guess.",
        "Propose keys chosen on this table, or a smaller number of records.",
        place="coverage",
    )


def too_many_values(table: CleanTable, asked: Sequence[int], partner_rows: int) -> Problem | None:
    """Values cost no coverage, but whoever submits a whole list of names reads with it every record that a key opens:
    the partner may ask about as many as its table can hold, as far as the own one tells."""
    for group, count, usual in zip(groups_of(table.fields), asked, value_limits(table, partner_rows), strict=True):
        if count > FAR_MORE_VALUES * usual:
            return Problem(
                Said(
                    "The proposal allows {count} questions about values of '{group}'; a table like yours has {usual}.",
                    count=count,
                    group=group.replace("_", " "),
                    usual=usual,
                ),
                "With a whole list of names or dates the partner could read every record that one of its keys opens.",
                "Ask the partner what they are for, and for a new proposal.",
                place="limits",
            )
    return None


def weak(low: float) -> Said:
    return Said(
        "If the records differ much, only {share:count} of 100 people held on both sides share a key. A further "
        "field that is hard to guess, or a larger coverage, would help.",
        share=100 * low,
    )


def warnings(fields: Sequence[Field], rows: int) -> tuple[Said, ...]:
    """What is known beforehand to work badly."""
    kinds = [one.kind for one in fields]
    if rows > MANY_FOR_YEARS and "date" not in kinds and "id" not in kinds and "text" not in kinds:
        return (
            Said(
                "With {rows} records and no more than a year or an age beside the names, a small coverage leaves few "
                "keys: "
                "many people will not be found.",
                rows=rows,
            ),
        )
    return ()
