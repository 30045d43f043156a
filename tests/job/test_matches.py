"""A match as rows: the next best candidate is the right one, and the curve follows the probabilities."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pprl_desktop.decisions.base import ACCEPT, Match, Scored
from pprl_desktop.job.matches import expected_curve, match_rows


def made(pairs: list[tuple[int, int, float]], probability: float = 0.9) -> Match:
    own, partner, score = (np.array(column) for column in zip(*pairs, strict=True)) if pairs else ([], [], [])
    size = len(pairs)
    scored = Scored(
        np.asarray(own, np.int32), np.asarray(partner, np.int32), np.asarray(score, np.float64),
        np.full(size, probability), np.zeros((size, 1), np.float32), ("f",), 0.0, size,
    )  # fmt: skip
    return Match(scored, np.ones(size, bool), np.full(size, ACCEPT, np.int8), 0.0, 0.0, 0,
                 {"precision": 0.9, "recall": 0.8, "true_pairs": 1.0 * size})  # fmt: skip


@given(
    st.lists(
        st.tuples(st.integers(0, 3), st.integers(0, 9), st.integers(0, 20)), max_size=15, unique_by=lambda p: p[:2]
    )
)
def test_the_next_best_is_the_best_other_candidate_of_the_row(pairs: list[tuple[int, int, int]]) -> None:
    for row in match_rows(made([(a, b, float(s)) for a, b, s in pairs])):
        others = [s for a, b, s in pairs if a == row.own and b != row.partner]
        assert np.isnan(row.next_best) if not others else row.next_best == max(others)


def test_each_row_keeps_its_own_evidence_when_sorted() -> None:
    match = made([(0, 0, 0.2), (1, 1, 0.9), (2, 2, 0.5)])
    explained = replace(match, evidence=np.array([[10.0], [11.0], [12.0]], np.float32))
    assert [(row.own, row.evidence) for row in match_rows(explained)] == [(1, (11.0,)), (2, (12.0,)), (0, (10.0,))]


def test_rows_come_best_first() -> None:
    scores = [row.score for row in match_rows(made([(0, 0, 0.2), (1, 1, 0.9), (2, 2, 0.5)]))]
    assert scores == sorted(scores, reverse=True)


def test_the_curve_is_the_mean_probability_above_each_score() -> None:
    curve = expected_curve(made([(k, k, float(k)) for k in range(10)]))
    assert curve is not None
    assert np.allclose(curve.precision, 0.9)
    assert curve.recall[-1] <= 1.0
    assert curve.working == (0.8, 0.9)


def test_without_probabilities_there_is_no_curve() -> None:
    assert expected_curve(made([(0, 0, 1.0)], float("nan"))) is None
    assert expected_curve(made([])) is None
