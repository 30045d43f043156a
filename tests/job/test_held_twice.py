"""Who is held twice is known before there is a partner."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pprl_desktop.job import held_twice
from pprl_desktop.records.cleaning import clean
from pprl_desktop.records.fields import Field
from pprl_desktop.records.profile import profile
from pprl_desktop.records.table import CleanTable
from tests.benchmarks.populations import draw, make

WORLD = replace(
    draw(3, 600), culture="american", people=(600, 30), dirt=(0.04, 0.0), missing=(0.0, 0.0), twins=0.0,
    columns=("first", "last", "dob", "zip"), formats=(), institutions=0.0, gaps_by_group=0.0, namesakes=0.0,
)  # fmt: skip


def own(twice: float) -> tuple[CleanTable, int]:
    """A table, and how many of its records repeat a person."""
    made = make(replace(WORLD, twice=(twice, 0.0)))
    found = profile(made.a)
    fields = tuple(Field.of(name, found.column(name).kind) for name in found.matching)
    return clean(made.a, fields, {}), len(made.person_a) - len(set(made.person_a))


def test_repeated_people_are_counted_and_decide_the_direction() -> None:
    table, true = own(0.2)
    found = held_twice.find(table)
    assert found.repeated == pytest.approx(true, rel=0.1)
    assert sum(records * people for records, people in found.sizes) == table.rows
    assert found.direction == "many-to-one"
    assert max(records for records, _ in found.sizes) == 3


def test_a_table_that_holds_everyone_once_says_so() -> None:
    found = held_twice.find(own(0.0)[0])
    assert found.repeated <= 1
    assert found.direction == "one-to-one"


def test_of_a_large_table_a_part_is_compared_in_which_copies_stay_together(monkeypatch: pytest.MonkeyPatch) -> None:
    table, true = own(0.2)
    monkeypatch.setattr(held_twice, "MOST", 300)
    found = held_twice.find(table)
    assert 200 <= found.looked_at <= 300
    assert found.rows == table.rows
    assert found.share == pytest.approx(true / table.rows, abs=0.06)


def test_no_value_and_no_row_is_in_what_is_said() -> None:
    found = held_twice.find(own(0.2)[0])
    assert set(found.as_dict()) == {"rows", "looked_at", "repeated", "expected", "sizes", "share", "direction"}
    assert "of 100 records repeat a person" in str(found.said())
