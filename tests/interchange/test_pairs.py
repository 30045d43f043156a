"""Pairs for Splink and R: documented columns, every pair that was kept, numbers any program reads."""

from __future__ import annotations

import csv
import math
from pathlib import Path

import numpy as np

from pprl_desktop.decisions.base import ACCEPT, REJECT, REVIEW, Match, Scored
from pprl_desktop.interchange import pairs


def match() -> Match:
    scored = Scored(
        np.array([0, 1, 2, 3], np.int32), np.array([5, 4, 3, 2], np.int32), np.array([1.0, 9.0, 5.0, 0.1]),
        np.array([0.6, 1.0, np.nan, 0.01]), np.array([[1, 2], [3, np.nan], [-1, 0.5], [0, 0]], np.float32),
        ("last_name", "=born"), 5.0, 24,
    )  # fmt: skip
    band = np.array([REVIEW, ACCEPT, ACCEPT, REJECT], np.int8)
    return Match(scored, band != REJECT, band, 5.0, 0.5, 0, {})


def read(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as source:
        return list(csv.DictReader(source))


def test_columns_are_those_that_are_documented(tmp_path: Path) -> None:
    assert pairs.write_pairs(tmp_path / "p.csv", match()) == 3
    rows = read(tmp_path / "p.csv")
    assert list(rows[0]) == [*pairs.COLUMNS, "evidence_last_name", "evidence_'=born"]
    assert pairs.__doc__ is not None
    assert all(name in pairs.__doc__ for name in pairs.COLUMNS)
    assert [(one["unique_id_l"], one["unique_id_r"], one["band"]) for one in rows] == [
        ("2", "5", "accept"), ("3", "4", "accept"), ("1", "6", "review"),
    ]  # fmt: skip


def test_the_weight_is_log2_of_the_odds_and_what_is_not_known_is_empty(tmp_path: Path) -> None:
    pairs.write_pairs(tmp_path / "p.csv", match())
    sure, unknown, open_ = read(tmp_path / "p.csv")
    assert float(open_["match_weight"]) == round(math.log2(0.6 / 0.4), 4)
    assert math.isfinite(float(sure["match_weight"])), "a probability of one has a finite weight"
    assert (unknown["match_weight"], unknown["match_probability"]) == ("", "")
    assert sure["evidence_'=born"] == "", "a missing field says nothing"


def test_own_ids_can_name_the_rows_and_no_cell_is_run(tmp_path: Path) -> None:
    pairs.write_pairs(tmp_path / "p.csv", match(), ["a", "=2+3", "c", "d"])
    assert [one["unique_id_l"] for one in read(tmp_path / "p.csv")] == ["'=2+3", "c", "a"]
