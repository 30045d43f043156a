"""What a review leaves behind: pairs and clusters under random names, sensitive columns joined back, safe cells."""

from __future__ import annotations

import csv
from dataclasses import replace

import numpy as np
import pytest

from pprl_desktop.problem import Problem
from pprl_desktop.records.table import Table
from pprl_desktop.review.export import check_columns, linked, write_decisions, write_linked
from tests.review.people import make_review

ROWS = (("ANNA",), ("BERT",), ("ANNE",), ("ANNI",), ("BERTA",))
TABLE_A = Table.of(("first", "income"), [("ANNA", "=SUM(A1)"), ("BERT", "-3.5")])
TABLE_B = Table.of(("first", "drug"), [("ANNE", "@x"), ("ANNI", "y"), ("BERTA", "z")])


def review():
    made = make_review(ROWS, [(0, 2), (0, 3), (1, 4)], ("variable",), ("first",))
    people = replace(made.people, side=np.array([0, 0, 1, 1, 1], np.int8), source=np.array([0, 1, 0, 1, 2], np.int64))
    return replace(made, people=people)


def read(path) -> list[list[str]]:
    with open(path, encoding="utf-8-sig", newline="") as file:
        return list(csv.reader(file))


def test_links_and_clusters() -> None:
    found = linked(review(), {"1": True, "2": True, "3": False})
    assert found.pairs == ((0, 2), (0, 3))
    assert found.clusters == ((0, 2, 3),)
    settled = replace(review(), settled=((1, 4), (1, 3)))
    assert linked(settled, {"3": False}).pairs == ((1, 3),)
    assert linked(settled, {"3": None}).pairs == ((1, 4), (1, 3))


def test_the_linked_table_has_sensitive_columns_and_no_name(tmp_path) -> None:
    outcome = {"1": True, "2": True, "3": True}
    lines = write_linked(tmp_path / "o.csv", review(), outcome, (TABLE_A, TABLE_B), (["income"], ["drug"]))
    rows = read(tmp_path / "o.csv")
    assert lines == 5
    assert rows[0] == ["person", "table", "income", "drug"]
    assert {tuple(row[1:]) for row in rows[1:]} == {
        ("a", "'=SUM(A1)", ""), ("b", "", "'@x"), ("b", "", "y"), ("a", "-3.5", ""), ("b", "", "z"),
    }  # fmt: skip
    assert len({row[0] for row in rows[1:]}) == 2
    assert "ANNA" not in (tmp_path / "o.csv").read_text("utf-8")
    write_linked(tmp_path / "again.csv", review(), outcome, (TABLE_A, TABLE_B), (["income"], ["drug"]))
    assert {row[0] for row in read(tmp_path / "again.csv")[1:]}.isdisjoint(row[0] for row in rows[1:])


def test_pairs_stand_side_by_side(tmp_path) -> None:
    write_linked(tmp_path / "o.csv", review(), {"3": True}, (TABLE_A, TABLE_B), (["income"], ["drug"]), "pairs")
    rows = read(tmp_path / "o.csv")
    assert rows[0][1:] == ["income_a", "drug_b"]
    assert rows[1][1:] == ["-3.5", "z"]
    write_linked(tmp_path / "o.csv", review(), {"3": True}, (), (), "pairs")
    assert read(tmp_path / "o.csv")[0] == ["link"]


def test_identifying_columns_need_the_permission() -> None:
    tables, sensitive = (TABLE_A, TABLE_B), (["first"], [])
    with pytest.raises(Problem, match="permission"):
        check_columns(review(), tables, sensitive, identifying=False, permitted=False)
    check_columns(review(), tables, sensitive, identifying=False, permitted=True)
    with pytest.raises(Problem, match=r"no column 'incme'.*income"):
        check_columns(review(), tables, (["incme"], []), identifying=False, permitted=False)


def test_decisions_alone(tmp_path) -> None:
    assert write_decisions(tmp_path / "d.csv", review(), {"1": True, "2": None}, {"1": 2}) == 2
    assert read(tmp_path / "d.csv") == [["pair", "decision", "votes"], ["1", "same", "2"], ["2", "not settled", "0"]]
