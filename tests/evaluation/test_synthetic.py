"""The forecast: two imaginary parties made of one table, and what is said when there are too few records."""

from __future__ import annotations

import numpy as np
import pytest

from pprl_desktop import resources
from pprl_desktop.codes.base import Recipe, Settings
from pprl_desktop.evaluation.synthetic import LEAST_ROWS, forecast, synthetic_pairs
from pprl_desktop.problem import Problem
from pprl_desktop.progress import Cancelled, Progress
from pprl_desktop.records.cleaning import clean
from pprl_desktop.records.fields import Field
from pprl_desktop.records.reading import read_table
from pprl_desktop.records.table import CleanTable, Table

FIELDS = (Field.of("last_name"), Field.of("first_name"), Field.of("birth_date", "date"))


@pytest.fixture(scope="module")
def people() -> CleanTable:
    table = read_table(resources.find("samples", "hospital_a.csv")).table
    return clean(table, FIELDS, {one.name: one.name for one in FIELDS}).take(np.arange(300))


def test_shared_records_are_the_same_people_before_corruption(people: CleanTable) -> None:
    made = synthetic_pairs(people, seed=1)
    births = [[table.column("birth_date").cell(row) for row in rows] for table, rows in
              ((made.a, made.truth[:, 0]), (made.b, made.truth[:, 1]))]  # fmt: skip
    same = sum(a == b for a, b in zip(*births, strict=True))
    assert len(made.truth) > 80
    assert same > 0.6 * len(made.truth)  # most dates survive the corrupter
    assert not np.array_equal(made.truth[:, 0], made.truth[:, 1])  # the order says nothing


def test_nobody_is_twice_in_one_party(people: CleanTable) -> None:
    made = synthetic_pairs(people, seed=1)
    assert len(set(made.truth[:, 0].tolist())) == len(made.truth)
    assert made.a.rows == made.b.rows


def test_the_same_seed_makes_the_same_parties(people: CleanTable) -> None:
    first, second = synthetic_pairs(people, 3), synthetic_pairs(people, 3)
    assert first.truth.tolist() == second.truth.tolist()
    assert [c.cells() for c in first.b.columns] == [c.cells() for c in second.b.columns]


def test_too_few_records_are_a_sentence() -> None:
    table = Table.of(["last_name"], [["Smith"]] * (LEAST_ROWS * 3))  # one person many times
    few = clean(table, FIELDS[:1], {"last_name": "last_name"})
    with pytest.raises(Problem, match="too few for a forecast"):
        synthetic_pairs(few, 0)


def test_a_forecast_finds_most_people_without_noise(people: CleanTable) -> None:
    made = forecast(people, Recipe("bloom", FIELDS, Settings(), secret=b"x" * 32))
    assert made.figures.f1 > 0.85
    assert made.curve.precision


def test_a_forecast_has_an_interval_and_says_which_overlap_it_takes_for_granted(people: CleanTable) -> None:
    made = forecast(people, Recipe("bloom", FIELDS, Settings(), secret=b"x" * 32))
    assert made.overlap * made.rows == pytest.approx(made.figures.true_pairs, abs=1)
    for low, value, high in (
        (made.precision_interval[0], made.figures.precision, made.precision_interval[1]),
        (made.recall_interval[0], made.figures.recall, made.recall_interval[1]),
    ):
        assert low <= value <= high
        assert high - low > 0.005


def test_a_forecast_can_be_cancelled(people: CleanTable) -> None:
    with pytest.raises(Cancelled):
        forecast(people, Recipe("bloom", FIELDS, secret=b"x" * 32), progress=Progress(None, lambda: True))
