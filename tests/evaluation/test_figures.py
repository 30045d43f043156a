"""Figures: counted as the textbook says, with intervals that hold."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pprl_desktop.evaluation.figures import Figures, Truth, curve, histogram, reliability
from pprl_desktop.evaluation.play import pairs_of_ids, peak_memory_mb
from pprl_desktop.matching.reconcile import as_pairs

pair_sets = st.sets(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=20)


@given(pair_sets, pair_sets)
def test_precision_and_recall_are_the_shares_of_sets(true: set, found: set) -> None:
    figures = Truth(_pairs(true)).figures(_pairs(found))
    assert figures.correct_pairs == len(true & found)
    if found:
        assert figures.precision == len(true & found) / len(found)
    if true:
        assert figures.recall == len(true & found) / len(true)


def _pairs(some: set[tuple[int, int]]) -> np.ndarray:
    listed = sorted(some)
    return as_pairs([a for a, _ in listed], [b for _, b in listed])


def test_truth_that_is_not_one_to_one_is_noticed() -> None:
    assert Truth(as_pairs([0, 1, 2], [2, 1, 0])).at_most("one-to-one") == 3
    assert Truth(as_pairs([0, 0, 1, 2], [0, 1, 1, 1])).at_most("one-to-one") == 2


def test_f1_is_the_harmonic_mean() -> None:
    figures = Figures(true_pairs=10, predicted_pairs=8, correct_pairs=6)
    assert figures.f1 == pytest.approx(2 * 0.75 * 0.6 / 1.35)


def test_the_interval_is_told_with_the_figure() -> None:
    plain = Figures(true_pairs=10, predicted_pairs=10, correct_pairs=1).as_dict()
    assert [round(x, 3) for x in plain["precision_interval"]] == [0.018, 0.404]  # Brown, Cai & DasGupta 2001


def test_the_curve_ends_at_the_figures_of_all_pairs() -> None:
    score = np.array([0.9, 0.8, 0.8, 0.1])
    made = curve(score, np.array([True, True, False, False]), true_pairs=4)
    assert made.threshold == (0.9, 0.8, 0.1)
    assert made.precision == (1.0, round(2 / 3, 6), 0.5)
    assert made.recall == (0.25, 0.5, 0.5)


def test_empty_input_gives_empty_curves() -> None:
    none = np.array([])
    assert curve(none, none.astype(bool), 3).precision == ()
    assert histogram(none)["counts"] == []


def test_reliability_counts_every_pair_once() -> None:
    probability = np.linspace(0, 1, 101)
    rows = reliability(probability, probability > 0.5)
    assert sum(row["pairs"] for row in rows) == 101


def test_truth_by_ids_finds_all_rows_of_a_repeated_id() -> None:
    found = pairs_of_ids(["x", "y", "x"], ["1", "2"], [("x", "2"), ("z", "1")])
    assert found.tolist() == [[0, 1], [2, 1]]


def test_memory_is_told() -> None:
    assert peak_memory_mb() > 10
