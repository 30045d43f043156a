"""The meter: what a lying partner could reach with the agreed questions, seen on the own table before signing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pprl_desktop.blind.plan import Plan, asked_for
from pprl_desktop.codes.keys import coverage, strangers
from pprl_desktop.codes.keys.recipe import Columns, Recipe, lines_of
from pprl_desktop.codes.keys.variants import groups_of, variants_of
from pprl_desktop.problem import Problem
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.records.fields import Field
from pprl_desktop.records.table import CleanTable
from pprl_desktop.said import Said

SLACK = 1.1  # questions beyond what the own table shows that a record needs
SPARE = 20  # questions of each kind beyond that
MANY_FOR_YEARS = 50_000  # records from which a year of birth alone tells too few people apart


@dataclass(frozen=True)
class KeyMeter:
    words: str
    budget: int  # guesses allowed
    alone: float  # coverage by this type alone
    adds: float  # to the union of the types before it


@dataclass(frozen=True, eq=False)
class Meter:
    """Shares of the own records that a partner who lies in every question could reach."""

    coverage: float  # at the agreed budget, with public lists where they fit
    coverage_own: float  # as if the partner knew how often each value occurs in the own table
    coverage_10n: float  # at ten times the budget
    strangers: float  # share of records that honest strangers would open, or be opened by
    keys: tuple[KeyMeter, ...]
    lists: tuple[str, ...] = field(default=())  # fields for which a public list fits

    def as_dict(self) -> dict[str, Any]:
        return {
            "coverage": round(self.coverage, 4),
            "coverage_own": round(self.coverage_own, 4),
            "coverage_10n": round(self.coverage_10n, 4),
            "strangers": round(self.strangers, 4),
            "keys": [
                {"key": one.words, "budget": one.budget, "alone": round(one.alone, 4), "adds": round(one.adds, 4)}
                for one in self.keys
            ],
        }


def lines_per_key(table: CleanTable, recipe: Recipe) -> tuple[int, ...]:
    columns = Columns(table)
    return tuple(len(lines_of(columns, key)[0]) for key in recipe.keys)


def limits(table: CleanTable, recipe: Recipe, rows: int) -> tuple[int, ...]:
    """Keys of each type that a table of so many rows may make, as seen on the own one."""
    share = rows / max(table.rows, 1)
    return tuple(int(np.ceil(SLACK * share * count)) + SPARE for count in lines_per_key(table, recipe))


def value_limits(table: CleanTable, rows: int) -> tuple[int, ...]:
    """Distinct variants of each group of fields; they grow more slowly than the rows, never faster."""
    share = max(rows / max(table.rows, 1), 1.0)
    found = (len(variants_of(table, group).texts) for group in groups_of(table.fields))
    return tuple(asked_for(int(np.ceil(SLACK * share * count)) + SPARE) for count in found)


def plan_for(
    session: str,
    table: CleanTable,
    recipe: Recipe,
    asker_rows: int,
    answerer_rows: int,
    other: CleanTable | None = None,
) -> Plan:
    """Limits from the own table; where both tables are at hand (evaluation) from the larger need."""
    tables = [table] if other is None else [table, other]
    asked = [limits(one, recipe, asker_rows) for one in tables]
    rows = [limits(one, recipe, answerer_rows) for one in tables]
    values = [value_limits(one, asker_rows) for one in tables]
    return Plan(
        session,
        table.fields,
        recipe,
        tuple(asked_for(max(each)) for each in zip(*asked, strict=True)),
        tuple(max(each) for each in zip(*rows, strict=True)),
        tuple(max(each) for each in zip(*values, strict=True)),
        answerer_rows,
    )


def measure(
    table: CleanTable,
    recipe: Recipe,
    budgets: Sequence[int],
    partner_rows: int,
    seed: int = 0,
    progress: Progress = NO_PROGRESS,
) -> Meter:
    """`budgets`: keys of each type that the partner may ask, or put into its table."""
    columns = Columns(table)
    public, own = coverage.Guesser(columns, "public"), coverage.Guesser(columns, "own")
    reached: dict[str, list[coverage.Numbers]] = {"public": [], "own": [], "tenfold": []}
    keys, before = [], 0.0
    near = strangers.Near(columns, seed).start()
    for place, (key, budget) in enumerate(zip(recipe.keys, budgets, strict=True)):
        progress.at(place / len(recipe.keys), "Counting what could be guessed")
        hit = coverage.hits(public, key, budget)
        reached["public"].append(hit)
        reached["own"].append(coverage.hits(own, key, budget))
        reached["tenfold"].append(coverage.hits(public, key, 10 * budget))
        after = coverage.union(reached["public"])
        keys.append(KeyMeter(key.words(), budget, float(hit.mean()), after - before))
        before = after
        near = near.with_key(key)
    progress.at(1.0)
    return Meter(
        before,
        coverage.union(reached["own"]),
        coverage.union(reached["tenfold"]),
        near.opened(partner_rows),
        tuple(keys),
        tuple(public.lists()),
    )


def over_agreed(meter: Meter, bound: float) -> Problem | None:
    """Why this side should not sign, or None."""
    if meter.coverage <= bound + 5e-4:
        return None
    return Problem(
        Said(
            "A lying partner could guess {share:decimals 1} of 100 of these records; at most {bound:decimals 1} were "
            "agreed.",
            share=100 * meter.coverage,
            bound=100 * bound,
        ),
        "The keys were chosen on the other side's table, and this one is easier to guess.",
        "Propose keys chosen on this table, or a smaller number of records.",
        place="coverage",
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
