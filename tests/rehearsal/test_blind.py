"""The rehearsal of blind plays both partners through the real protocol, and the meter told what the liar reaches."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from pprl_desktop.blind.meter import measure
from pprl_desktop.codes.keys import coverage
from pprl_desktop.codes.keys.atoms import BOTH, SLIP, Atom
from pprl_desktop.codes.keys.recipe import Columns, Key, KeyRecipe
from pprl_desktop.rehearsal.blind import rehearse_blind
from tests.codes.keys.people import people

LAST, FIRST, YEAR = Atom(("last_name",), "whole"), Atom(("first_name",), "first 3"), Atom(("birth",), "year")
RECIPE = KeyRecipe(
    (
        Key((LAST, FIRST, YEAR)),
        Key((Atom(("last_name",), SLIP), Atom(("first_name",), "initial"), YEAR)),
        Key((Atom(("last_name", "first_name"), BOTH), Atom(("city",), "first 4"))),
    )
)


def test_guesses_are_the_likeliest_products_and_as_many_as_allowed() -> None:
    columns = Columns(people(400))
    guesser = coverage.Guesser(columns, "own")
    key = Key((FIRST, YEAR))
    shares = []
    for atom in key.atoms:
        texts, log_share = guesser.texts((atom,))
        shares.append({text: share for (text,), share in zip(texts, log_share, strict=True)})
    every = sorted((-(shares[0][a] + shares[1][b]) for a, b in itertools.product(*shares)))
    made = coverage.guesses(guesser, key, 200)
    assert len(set(made)) == len(made) == 200
    likely = sorted(-(shares[0][a] + shares[1][b]) for a, b in made)
    assert likely == pytest.approx(every[:200], abs=0.03)


def test_a_lying_partner_opens_what_the_meter_told() -> None:
    """Real questions of best-first guesses against a real answer."""
    table = people(1500)
    budgets = (3000, 12_000, 3000)
    told = measure(table, RECIPE, budgets, 1500).coverage
    found = rehearse_blind(table, RECIPE, budgets, told, sample=400)
    assert 0.05 < told < 0.9
    assert found.opened.low <= 1.1 * told
    assert found.opened.high >= 0.9 * told
    assert found.opened.share <= 1.2 * told + 0.02


def test_an_honest_partner_opens_nothing_that_shares_no_key() -> None:
    table = people(600)
    found = rehearse_blind(table, RECIPE, (100, 100, 100), 0.0, sample=150)
    assert found.without_key == 0
    assert found.strangers.share < 0.2
    assert all(str(one) for one in found.sentences())
    assert "At least" in str(found.sentences()[0])


def test_more_guesses_open_more() -> None:
    table = people(500)
    few, many = (rehearse_blind(table, RECIPE, (n, n, n), 0.0, sample=200).opened.share for n in (50, 5000))
    assert few < many <= 1
    assert np.isfinite(many)
