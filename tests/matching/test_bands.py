"""Where the borders lie and what is expected of each band, on figures that can be added up by hand."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from pprl_desktop.decisions.base import ACCEPT, REJECT, REVIEW, MatchOptions, Scored
from pprl_desktop.matching.bands import borders, expectations, sort_into


def scored(score: list[float], probability: list[float], threshold: float, **notes: Any) -> Scored:
    pairs = np.arange(len(score), dtype=np.int32)
    return Scored(
        pairs, pairs, np.array(score), np.array(probability), np.empty((0, 0), np.float32), (), threshold, len(score),
        notes=notes,
    )  # fmt: skip


KNOWN = scored([5.0, 3.0, 1.0, -1.0, -4.0], [0.99, 0.9, 0.6, 0.2, 0.01], 0.0)
UNKNOWN = scored([9.0 - at for at in range(20)], [math.nan] * 20, 0.0)


def test_the_review_band_reaches_down_to_one_in_ten() -> None:
    assert borders(KNOWN, MatchOptions()) == (0.0, -1.0)


def test_without_probabilities_it_holds_a_tenth_as_many_pairs_as_were_accepted() -> None:
    accept, review = borders(UNKNOWN, MatchOptions())
    assert accept == 0.0
    assert int(((UNKNOWN.score < accept) & (UNKNOWN.score >= review)).sum()) == 1  # 10 pairs are accepted


def test_borders_set_by_hand_hold_and_never_cross() -> None:
    assert borders(KNOWN, MatchOptions(accept=2.0, review=0.5)) == (2.0, 0.5)
    assert borders(KNOWN, MatchOptions(accept=2.0, review=4.0)) == (2.0, 2.0)


def test_a_pair_that_lost_its_assignment_is_rejected_whatever_its_score() -> None:
    chosen = np.array([True, True, True, False, True])
    assert sort_into(KNOWN.score, chosen, 2.0, -2.0).tolist() == [ACCEPT, ACCEPT, REVIEW, REJECT, REJECT]


def test_what_is_expected_is_the_sum_of_the_probabilities() -> None:
    band = sort_into(KNOWN.score, np.ones(5, np.bool_), 0.0, -1.0)
    found = expectations(KNOWN, band)
    right, every = 0.99 + 0.9 + 0.6, 0.99 + 0.9 + 0.6 + 0.2 + 0.01
    assert found["precision"] == pytest.approx(right / 3)
    assert found["recall"] == pytest.approx(right / every)
    assert found["true_in_review"] == pytest.approx(0.2)
    error = 1.96 * math.sqrt(0.99 * 0.01 + 0.9 * 0.1 + 0.6 * 0.4)
    assert found["precision_low"] == pytest.approx((right - error) / 3)
    assert found["precision_low"] < found["precision"] < found["precision_high"]
    assert (found["share_accept"], found["share_review"]) == (0.6, 0.2)


def test_matches_that_no_candidate_shows_lower_the_recall() -> None:
    more = scored([5.0, 3.0], [0.9, 0.9], 0.0, expected_matches=3.6)
    band = sort_into(more.score, np.ones(2, np.bool_), 0.0, 0.0)
    assert expectations(more, band)["recall"] == pytest.approx(0.5)


def test_without_probabilities_nothing_is_promised() -> None:
    band = sort_into(UNKNOWN.score, np.ones(20, np.bool_), 0.0, 0.0)
    assert set(expectations(UNKNOWN, band)) == {"share_accept", "share_review", "share_reject"}
