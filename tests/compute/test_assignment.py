"""The one-to-one assignment is the best there is, and says where it had to toss a coin."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pprl_desktop.compute import assignment
from pprl_desktop.compute.assignment import assign


def rows(*values: int) -> np.ndarray:
    return np.array(values, dtype=np.int32)


@given(st.integers(0, 10_000), st.integers(1, 9), st.integers(1, 9), st.booleans(), st.booleans())
@settings(max_examples=150, deadline=None)
def test_it_equals_the_oracle(seed: int, left: int, right: int, coarse: bool, sparse: bool) -> None:
    from scipy.optimize import linear_sum_assignment

    random = np.random.default_rng(seed)
    own, partner = np.nonzero(random.random((left, right)) < 0.5)
    gain = random.normal(size=len(own)).round(1 if coarse else 9)
    before = assignment.DENSE_LIMIT
    assignment.DENSE_LIMIT = 0 if sparse else before
    try:
        found = assign(own.astype(np.int32), partner.astype(np.int32), gain)
    finally:
        assignment.DENSE_LIMIT = before
    dense = np.zeros((left, right))
    dense[own, partner] = np.maximum(gain, 0)
    best = dense[linear_sum_assignment(dense, maximize=True)].sum()
    assert gain[found.chosen].sum() == pytest.approx(best, abs=1e-6)
    assert len(set(own[found.chosen])) == len(set(partner[found.chosen])) == int(found.chosen.sum())


def test_a_better_whole_beats_a_better_pair() -> None:
    found = assign(rows(0, 0, 1), rows(0, 1, 0), np.array([10.0, 9.0, 8.0]))
    assert found.chosen.tolist() == [False, True, True]


def test_pairs_without_gain_are_never_chosen() -> None:
    assert not assign(rows(0, 1), rows(0, 1), np.array([0.0, -1.0])).chosen.any()


def test_no_pairs_give_no_assignment() -> None:
    assert assign(rows(), rows(), np.zeros(0)).chosen.tolist() == []


def test_a_pair_listed_twice_counts_once() -> None:
    found = assign(rows(0, 0), rows(0, 0), np.array([1.0, 2.0]))
    assert found.chosen.tolist() == [False, True]


def test_ties_are_broken_by_the_order_of_the_rows_and_counted() -> None:
    found = assign(rows(0, 0), rows(1, 0), np.array([1.0, 1.0]))
    assert found.chosen.tolist() == [False, True]
    assert found.ties == 1
    square = assign(rows(0, 0, 1, 1), rows(0, 1, 0, 1), np.ones(4))
    assert square.chosen.tolist() == [True, False, False, True]
    assert square.ties == 2


def test_clear_cases_are_no_ties() -> None:
    assert assign(rows(0, 0, 1, 1), rows(0, 1, 0, 1), np.array([2.0, 1.0, 1.0, 2.0])).ties == 0


def test_the_answer_does_not_depend_on_the_order_of_the_pairs() -> None:
    random = np.random.default_rng(1)
    own, partner = np.nonzero(random.random((30, 30)) < 0.3)
    gain = random.integers(1, 4, len(own)).astype(float)
    order = random.permutation(len(own))
    one = assign(own.astype(np.int32), partner.astype(np.int32), gain).chosen
    two = assign(own[order].astype(np.int32), partner[order].astype(np.int32), gain[order]).chosen
    assert (one[order] == two).all()


def test_hundreds_of_namesakes_on_both_sides_are_all_linked() -> None:
    own, partner = (part.reshape(-1).astype(np.int32) for part in np.mgrid[0:300, 0:300])
    found = assign(own, partner, np.ones(len(own)))
    assert found.chosen.sum() == 300
    assert found.ties == 300
