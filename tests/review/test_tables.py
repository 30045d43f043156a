"""The numbers printed in the paper (Li et al. 2019): Tables 2 to 5 and the single steps between them."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from pprl_desktop.review.gate import LEVELS, Gate
from pprl_desktop.review.kapr import Row, kapr
from pprl_desktop.review.marks import Level
from tests.review.people import ALL_PAIRS2, NAMES2, TABLE2, TYPES2, make_review

CROWDS = {
    "masked": [4] * 12,
    "partial": [3, 1, 1, 2, 1, 2, 1, 2, 1, 2, 3, 3],
    "full": [1, 1, 1, 2, 1, 2, 1, 2, 1, 2, 2, 2],
}
TOTALS = {"masked": Fraction(0), "partial": Fraction(31, 432), "full": Fraction(3, 4)}
STEPS = (  # pair, levels before, levels after, cost
    ((0, 1), "MMM", "PMM", "1/108"),
    ((0, 1), "PMM", "FMM", "1/36"),
    ((0, 2), "MMM", "MPM", "1/144"),
    ((0, 2), "MPM", "PPM", "1/288"),  # no character shown, but the crowd of row 3 falls from 2 to 1
    ((0, 2), "MMM", "MMF", "1/36"),
    ((2, 3), "MMM", "FMM", "1/54"),
    ((2, 3), "MMM", "FFF", "1/12"),
)


def paper(**policy):
    policy.setdefault("date_swap", "digits")
    return make_review(TABLE2, ALL_PAIRS2, TYPES2, NAMES2, **policy)


def all_opened(make_gate, review) -> Gate:
    gate = make_gate(review)
    for pair in range(len(review.pairs)):
        gate.open(pair)
    return gate


@pytest.mark.parametrize("start", list(Level))
def test_tables_3_4_and_5_come_out_exactly(make_gate, start: Level) -> None:
    gate = all_opened(make_gate, paper(start=start))
    assert gate.risk == TOTALS[start.word]
    rows = [row for pair in range(6) for row in gate._opened.state(pair).rows]
    assert [row.k for row in rows] == CROWDS[start.word]
    assert kapr(rows) == TOTALS[start.word]


def test_table_4_with_the_swap_shown_as_in_table_1(make_gate) -> None:
    assert all_opened(make_gate, paper(start=Level.PARTIAL, date_swap="elements")).risk == Fraction(49, 432)


@pytest.mark.parametrize(("pair", "before", "after", "cost"), STEPS)
def test_single_steps_cost_what_the_paper_says(make_gate, pair, before, after, cost) -> None:
    gate = make_gate(paper())
    number = ALL_PAIRS2.index(pair)
    for levels in (before, after):
        start = gate.risk
        for field, letter in enumerate(levels):
            if LEVELS[letter] > gate.levels(number)[field]:
                gate.reveal(number, field, LEVELS[letter])
    assert gate.risk - start == Fraction(cost)


def test_every_row_of_the_shared_vectors(make_gate, shared_data: Path) -> None:
    data = json.loads((shared_data / "kapr_vectors.json").read_text(encoding="utf-8"))
    for table, start in (("table3_masked", 0), ("table4_partial", 1), ("table5_full", 2)):
        gate = all_opened(make_gate, paper(start=Level(start)))
        assert gate.risk == Fraction(data[table]["total"])
        for row in data[table]["rows"]:
            number = ALL_PAIRS2.index((row["pair"][0] - 1, row["pair"][1] - 1))
            side = 0 if row["record"] == row["pair"][0] else 1
            found: Row = gate._opened.state(number).rows[side]
            assert found.k == row["k"], row["i"]
            assert [str(p) for p in found.p] == row["p"]
            assert found.term / (12 * 3) == Fraction(row["K"])
            for cell in gate.cells(number):
                expected = row["display"][cell.field]
                if cell.kind == "identical":
                    expected = "✓" if cell.level < Level.FULL else row["values"][cell.field]
                elif cell.kind == "category" and cell.level < Level.FULL:
                    expected = "@&"[side]
                assert cell.drawing.text(side) == expected


def test_the_percentage_of_characters_stands_beside_the_risk(make_gate) -> None:
    gate = all_opened(make_gate, paper(start=Level.FULL))
    assert gate.meter(0).characters == 1
    assert all_opened(make_gate, paper()).meter(0).characters == 0
    # rows 1 and 2: one of 4 + 8 + 8 characters each, and so on over the twelve rows
    partial = all_opened(make_gate, replace(paper(start=Level.PARTIAL)))
    assert partial.meter().characters == Fraction(2 + 4 + 4 + 6 + 6 + 0, sum(4 + 8 + len(r[2]) for r in TABLE2) * 3)
