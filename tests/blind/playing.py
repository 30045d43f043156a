"""Two tables of invented people who partly are the same, a plan that fits them, and the protocol played on both."""

from __future__ import annotations

import numpy as np

from pprl_desktop.blind.answer import Answer, AnsweredSlots, answer
from pprl_desktop.blind.opened import Opened, open_answer
from pprl_desktop.blind.plan import Plan, asked_for
from pprl_desktop.blind.question import Asker, ask, asker
from pprl_desktop.codes.corrupt import corrupt
from pprl_desktop.codes.keys.atoms import ANY, SLIP, Atom
from pprl_desktop.codes.keys.recipe import Columns, Key, KeyRecipe, values_of
from pprl_desktop.codes.keys.variants import groups_of, variants_of
from pprl_desktop.records.table import CleanTable
from tests.codes.keys.people import people

SECRET, SEED, OTHER = bytes(range(32)), bytes(32), bytes([7]) * 32
RECIPE = KeyRecipe(
    (
        Key((Atom(("last_name",), SLIP), Atom(("first_name",), "initial"), Atom(("birth",), "year"))),
        Key((Atom(("birth",), "whole"), Atom(("last_name", "first_name"), ANY))),
        Key((Atom(("last_name",), "sound"), Atom(("first_name",), "first 3"), Atom(("city",), "whole"))),
    )
)


def two_tables(rows: int = 120, seed: int = 0) -> tuple[CleanTable, CleanTable]:
    """The second holds damaged copies of half of the first, and others."""
    everyone = people(2 * rows, seed)
    some = np.random.default_rng(seed).permutation(2 * rows)[:rows]
    return everyone.take(np.arange(rows)), corrupt(everyone.take(some), seed + 1)


def plan_for(a: CleanTable, b: CleanTable, recipe: KeyRecipe = RECIPE) -> Plan:
    """With a little more than is needed, so that padding takes part."""
    mine, theirs = Columns(a), Columns(b)
    asked = tuple(asked_for(len(values_of(mine, key).rows)) + 5 for key in recipe.keys)
    rows = tuple(len(values_of(theirs, key).rows) + 5 for key in recipe.keys)
    values = tuple(asked_for(len(variants_of(a, name))) + 5 for name in groups_of(a.fields))
    return Plan("test", a.fields, recipe, asked, rows, values, b.rows + 3)


def played(a: CleanTable, b: CleanTable, plan: Plan) -> tuple[Asker, Answer, AnsweredSlots, Opened]:
    made = asker(a, plan, SECRET)
    question = ask(made, SEED)
    given, kept = answer(b, plan, SECRET, question, OTHER)
    return made, given, kept, open_answer(made, SEED, question, given)
