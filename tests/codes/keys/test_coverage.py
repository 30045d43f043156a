"""Coverage agrees with guessing really played, and fields that tell each other are seen."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from pprl_desktop.codes.keys import coverage
from pprl_desktop.codes.keys.atoms import SLIP, Atom
from pprl_desktop.codes.keys.recipe import Columns, Key
from pprl_desktop.records.fields import Field
from pprl_desktop.records.table import CleanTable, Column
from pprl_desktop.reference.names import dictionary
from tests.codes.keys.people import people

LAST, FIRST, YEAR = Atom(("last_name",), "whole"), Atom(("first_name",), "first 3"), Atom(("birth",), "year")


def enumerated(columns: Columns, key: Key, budget: int) -> float:
    """The twin: every product of texts, best first, and the records that the first `budget` of them reach."""
    tables = []
    for atom in key.atoms:
        column = columns[atom]
        share = column.holders() / max(int((column.units >= 0).sum()), 1)
        tables.append({text: float(one) for text, one in zip(column.texts, share, strict=True)})
    guesses = sorted(
        (
            (float(np.prod([tables[at][text] for at, text in enumerate(texts)])), texts)
            for texts in itertools.product(*tables)
        ),
        reverse=True,
    )
    guessed = {texts for _, texts in guesses[:budget]}
    hit = 0
    for row in range(columns.table.rows):
        sets = []
        for atom in key.atoms:
            column = columns[atom]
            unit = int(column.units[row])
            items = column.items[column.start[unit] : column.start[unit + 1]] if unit >= 0 else ()
            sets.append([column.texts[item] for item in items])
        hit += any(texts in guessed for texts in itertools.product(*sets))
    return hit / columns.table.rows


@pytest.mark.parametrize(
    "key",
    [
        Key((LAST, FIRST)),
        Key((LAST, YEAR)),
        Key((Atom(("last_name",), SLIP), Atom(("sex",), "whole"))),
        Key((FIRST, YEAR)),
    ],
    ids=lambda key: key.words(),
)
@pytest.mark.parametrize("budget", [300, 3000])
def test_coverage_is_that_of_exact_enumeration(key: Key, budget: int) -> None:
    columns = Columns(people(1500))
    told = float(coverage.hits(coverage.Guesser(columns, "own"), key, budget).mean())
    assert told == pytest.approx(enumerated(columns, key, budget), rel=0.05, abs=0.003)


def test_the_union_counts_a_record_once() -> None:
    one, two = np.array([1.0, 0.0, 0.0, 0.5]), np.array([1.0, 1.0, 0.0, 0.5])
    assert coverage.union([one, two]) == pytest.approx((1 + 1 + 0 + 0.75) / 4)


def test_fields_that_tell_each_other_are_seen() -> None:
    table = people(3000)
    region = Column.of("region", [cell[:2] for cell in table.column("city").cells()])
    wider = CleanTable((*table.fields, Field.of("region", "category")), (*table.columns, region))
    assert coverage.dependent(wider) == {frozenset(("city", "region"))}


def test_a_field_that_another_tells_makes_no_key_harder_to_guess() -> None:
    """A partner who proposes such a key asks only combinations that occur; the meter must not take it for hard."""
    table = people(3000)
    region = Column.of("region", [cell[:2] for cell in table.column("city").cells()])
    wider = Columns(CleanTable((*table.fields, Field.of("region", "text")), (*table.columns, region)))
    city, area = Atom(("city",), "whole"), Atom(("region",), "whole")
    for knowledge in ("public", "own"):
        guesser = coverage.Guesser(wider, knowledge)
        plain, padded = Key((LAST, city)), Key((LAST, city, area))
        told, more = (float(coverage.hits(guesser, key, 2000).mean()) for key in (plain, padded))
        assert told > 0.05
        assert more == pytest.approx(told, rel=0.02)
        asked = coverage.guesses(guesser, padded, 500)
        assert len(set(asked)) == 500
        assert all(place[:2] == where for _, place, where in asked)


def test_a_public_list_serves_only_where_it_fits() -> None:
    invented = people(500)
    assert coverage.fitting_list(invented, "last_name") == ""
    listed = dictionary("last")
    drawn = np.random.default_rng(0).choice(listed.values, 4000, p=listed.shares)
    real = CleanTable((Field.of("n"),), (Column.of("n", drawn.tolist()),))
    assert coverage.fitting_list(real, "n") == "last"


def dates(days: list[str]) -> Column:
    return Column.of("birth", days)


def test_the_very_days_of_a_table_are_no_public_knowledge() -> None:
    column = people(1500).column("birth")
    days = coverage.fitting_calendar(column)
    assert len(days) > 5 * len(column.values)  # guessed are all days of the years, not those that occur
    assert sum(days.values()) == pytest.approx(1.0, abs=0.02)
    assert max(days.values()) < 3 / 25_000  # people are born on any of 25,000 days


def test_keys_of_dates_reach_as_many_of_another_table_of_such_people() -> None:
    key = Key((Atom(("birth",), "whole"), Atom(("city",), "whole")))
    shares = [
        coverage.hits(coverage.Guesser(Columns(people(1500, seed)), "public"), key, 1500).mean() for seed in range(8)
    ]
    own = coverage.hits(coverage.Guesser(Columns(people(1500)), "own"), key, 1500).mean()
    assert max(shares) < 0.01 < own  # 1500 guesses out of 25,000 days x 60 cities


def test_a_stopgap_is_guessed_as_often_as_it_stands() -> None:
    column = people(1000).column("birth")
    cells = ["19000101"] * 50 + column.cells()[50:]
    assert coverage.fitting_calendar(dates(cells))["19000101"] == pytest.approx(0.05)


def test_dates_that_are_years_are_guessed_by_their_own_frequencies() -> None:
    assert coverage.fitting_calendar(dates([str(1940 + place % 60) for place in range(600)])) == {}
