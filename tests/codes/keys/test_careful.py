"""A liar who asks nobody twice: counted as it is really played, refused where it reaches too much."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pprl_desktop.blind.meter import measure, over_agreed
from pprl_desktop.codes.keys import coverage, recipe
from pprl_desktop.codes.keys.atoms import ANY, BOTH, Atom
from pprl_desktop.codes.keys.careful import MOST_CAREFUL, careful
from pprl_desktop.codes.keys.recipe import Columns, Key, KeyRecipe, lines_of
from pprl_desktop.problem import Problem
from pprl_desktop.records.table import CleanTable
from tests.codes.keys.people import FIELDS, people

LAST, FIRST = Atom(("last_name",), "whole"), Atom(("first_name",), "whole")
YEAR, MONTH = Atom(("birth",), "year"), Atom(("birth",), "year and month")
ALIKE = (
    Key((LAST, FIRST, YEAR)),
    Key((Atom(("first_name", "last_name"), BOTH), YEAR)),
    Key((LAST, Atom(("first_name",), "first 3"), YEAR)),
    Key((LAST, Atom(("first_name",), "last 3"), YEAR)),
)
APART = (Key((LAST, FIRST, YEAR)), Key((LAST, Atom(("city",), "whole"), MONTH)))


def played(table: CleanTable, keys: tuple[Key, ...], budget: int, crowd: int) -> float:
    """What it reaches: it draws a crowd by what it holds likely, and asks by each key for the most who are left."""
    random = np.random.default_rng(7)
    drawn = CleanTable(
        table.fields,
        tuple(replace(one, codes=one.codes[random.integers(table.rows, size=crowd)]) for one in table.columns),
    )
    strangers, own = Columns(drawn), Columns(table)
    open_, reached = np.ones(crowd, np.bool_), np.zeros(table.rows, np.bool_)
    for key in keys:
        rows, texts = lines_of(strangers, key)
        distinct, which = np.unique(texts, axis=0, return_inverse=True)
        many = np.bincount(which.reshape(-1), open_[rows], len(distinct))
        asked = np.argsort(-many, kind="stable")[:budget]
        open_[rows[np.isin(which.reshape(-1), asked)]] = False
        named = {_named(strangers, key, row) for row in distinct[asked]}
        rows, texts = lines_of(own, key)
        reached[[row for row, one in zip(rows, texts, strict=True) if _named(own, key, one) in named]] = True
    return float(reached.mean())


def _named(columns: Columns, key: Key, items: np.ndarray) -> tuple[str, ...]:
    return tuple(columns[atom].texts[item] for atom, item in zip(key.atoms, items.tolist(), strict=True))


@pytest.mark.parametrize("keys", [ALIKE, APART], ids=["nearly the same keys", "keys of other fields"])
def test_it_reaches_what_is_counted(keys: tuple[Key, ...]) -> None:
    table, budget = people(1500), 1000
    guesser = coverage.Guesser(Columns(table), "own")
    told = careful(guesser, keys, [budget] * len(keys))
    got = played(table, keys, budget, 400_000)
    one_by_one = coverage.union([coverage.hits(guesser, key, budget) for key in keys])
    assert 0.7 * told < got <= told
    assert told >= one_by_one
    if keys is ALIKE:
        assert got > 1.1 * one_by_one  # what counting key by key does not tell


def test_keys_with_which_it_reaches_more_than_twice_what_was_agreed_are_not_signed() -> None:
    table = people(1500)
    made = measure(table, KeyRecipe(ALIKE), [1000] * len(ALIKE), table.rows)
    assert made.most == made.careful > made.coverage
    assert over_agreed(made, made.coverage) is None
    wanted = made.careful / (2.0 * MOST_CAREFUL)
    problem = over_agreed(replace(made, coverage=wanted), wanted)
    assert problem is not None
    assert "asks each key about other people" in str(problem.what)


@pytest.mark.parametrize(
    "again",
    [
        (Key((LAST, FIRST, YEAR)), Key((FIRST, LAST, YEAR))),
        (Key((LAST, FIRST, YEAR)), Key((YEAR, LAST, FIRST))),
        (
            Key((Atom(("first_name", "last_name"), BOTH), YEAR)),
            Key((YEAR, Atom(("last_name", "first_name"), BOTH))),
        ),
        (
            Key((Atom(("first_name", "last_name"), ANY), Atom(("birth",), "whole"))),
            Key((Atom(("last_name", "first_name"), ANY), Atom(("birth",), "whole"))),
        ),
    ],
)
def test_one_key_with_its_parts_in_another_order_is_not_a_second_one(again: tuple[Key, Key]) -> None:
    recipe.check(KeyRecipe(again[:1]), FIELDS)
    with pytest.raises(Problem, match="names one twice"):
        recipe.check(KeyRecipe(again), FIELDS)
