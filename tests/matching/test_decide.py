"""Bands, thresholds and expectations: without labels from probabilities, by hand, or from labels."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pprl_desktop.codes.directions import Direction
from pprl_desktop.decisions.base import ACCEPT, REJECT, REVIEW, MatchOptions, Scored
from pprl_desktop.decisions.thresholds import from_labels, from_probabilities
from pprl_desktop.matching.decide import decide
from pprl_desktop.progress import Progress


def scored(pairs: list[tuple[int, int, float]], known: bool = True, threshold: float = 0.0) -> Scored:
    own, partner, score = (np.array(values) for values in zip(*pairs, strict=True)) if pairs else (np.zeros(0),) * 3
    score = score.astype(np.float64)
    probability = 1 / (1 + np.exp(-score)) if known else np.full(len(score), np.nan)
    evidence = np.zeros((len(score), 1), np.float32)
    return Scored(own.astype(np.int32), partner.astype(np.int32), score, probability, evidence, ("x",), threshold, 9)


def test_pairs_fall_into_bands_by_probability() -> None:
    made = decide(scored([(0, 0, 4.0), (1, 1, -1.0), (2, 2, -4.0)]), MatchOptions())
    assert made.band.tolist() == [ACCEPT, REVIEW, REJECT]
    assert made.expected["precision"] == pytest.approx(0.982, abs=1e-3)
    assert made.expected["share_review"] == pytest.approx(1 / 3)


def test_one_to_one_keeps_the_better_of_two() -> None:
    made = decide(scored([(0, 0, 4.0), (0, 1, 3.0)]), MatchOptions())
    assert made.chosen.tolist() == [True, False]
    both = decide(scored([(0, 0, 4.0), (0, 1, 3.0)]), MatchOptions("many-to-many"))
    assert both.band.tolist() == [ACCEPT, ACCEPT]


@pytest.mark.parametrize(
    ("direction", "kept"),
    [
        ("one-to-one", {(0, 0), (1, 1)}),
        ("one-to-many", {(0, 0), (0, 1), (1, 2)}),
        ("many-to-one", {(0, 0), (1, 1)}),
        ("many-to-many", {(0, 0), (0, 1), (1, 1), (1, 2)}),
    ],
)
def test_a_direction_says_which_side_may_have_several(direction: Direction, kept: set[tuple[int, int]]) -> None:
    pairs = [(0, 0, 5.0), (0, 1, 4.0), (1, 1, 3.0), (1, 2, 2.5)]
    made = decide(scored(pairs), MatchOptions(direction))
    assert {(a, b) for (a, b, _), one in zip(pairs, made.chosen, strict=True) if one} == kept


def test_copies_of_the_best_counterpart_are_kept_with_it() -> None:
    """The own file holds a person in rows 0 and 1; the partner's record may have one counterpart: that person."""
    found = replace(
        scored([(0, 0, 5.0), (1, 0, 4.0), (2, 0, 3.0)]), people=(np.array([7, 7, 8], np.int32), np.zeros(1, np.int32))
    )
    assert decide(found, MatchOptions("one-to-many")).chosen.tolist() == [True, True, False]


def test_a_result_for_a_partner_keeps_to_the_direction_to_the_record() -> None:
    """The partner refuses a result in which a record is accepted twice, and cannot know that two are copies."""
    found = replace(
        scored([(0, 0, 5.0), (1, 0, 4.0), (2, 0, 3.0)]), people=(np.array([7, 7, 8], np.int32), np.zeros(1, np.int32))
    )
    assert decide(found, MatchOptions("one-to-many", copies=False)).chosen.tolist() == [True, False, False]


def test_unlikely_pairs_never_break_a_good_one_up() -> None:
    made = decide(scored([(0, 0, 3.0), (0, 1, -0.5), (1, 0, -0.5)]), MatchOptions())
    assert made.chosen.tolist() == [True, False, False]


def test_thresholds_by_hand_are_in_force() -> None:
    made = decide(scored([(0, 0, 4.0), (1, 1, 2.0), (2, 2, 1.0)]), MatchOptions(accept=3.0, review=1.5))
    assert made.band.tolist() == [ACCEPT, REVIEW, REJECT]
    assert (made.accept, made.review) == (3.0, 1.5)


def test_scores_without_probability_have_bands_but_no_forecast() -> None:
    pairs = [(row, row, 1.0 - row / 40) for row in range(40)]
    made = decide(scored(pairs, known=False, threshold=0.5), MatchOptions())
    assert (made.band == ACCEPT).sum() == 21
    assert 1 <= (made.band == REVIEW).sum() <= 3
    assert "precision" not in made.expected


def test_only_pairs_that_are_kept_are_explained_and_moved_lines_explain_more() -> None:
    asked: list[list[int]] = []

    def explain(own: np.ndarray, partner: np.ndarray, progress: Progress) -> np.ndarray:
        asked.append(own.tolist())
        return np.stack([own, partner], axis=1).astype(np.float32)

    found = replace(
        scored([(0, 3, 4.0), (1, 2, 2.0), (2, 1, 1.0)]), evidence=np.empty((0, 2), np.float32), fields=("x", "y"),
        explain=explain,
    )  # fmt: skip
    made = decide(found, MatchOptions(accept=3.0, review=1.5))
    assert asked == [[0, 1]]
    assert made.evidence is not None
    assert made.evidence.tolist() == [[0, 3], [1, 2]]
    lower = decide(found, MatchOptions(accept=3.0, review=0.5))
    assert asked[1] == lower.kept().tolist() == [0, 1, 2]


def test_ties_are_told() -> None:
    made = decide(scored([(0, 0, 2.0), (0, 1, 2.0)]), MatchOptions())
    assert made.ties == 1
    assert "equally good" in str(made.warnings[-1])


def test_nothing_to_decide_is_fine() -> None:
    made = decide(scored([]), MatchOptions())
    assert not len(made.accepted())
    assert not len(made.to_review())


def test_labels_give_the_best_threshold() -> None:
    score = np.array([5.0, 4.0, 3.0, 2.0, 1.0])
    best = from_labels(score, np.array([True, True, False, True, False]))
    assert 1.0 < best.score < 2.0
    assert (best.precision, best.recall) == (0.75, 1.0)
    strict = from_labels(score, np.array([True, True, False, False, False]))
    assert 3.0 < strict.score < 4.0


def test_equal_scores_are_never_torn_apart() -> None:
    best = from_labels(np.array([2.0, 1.0, 1.0]), np.array([True, True, False]))
    assert best.score < 1.0
    assert (best.precision, best.recall) == (pytest.approx(2 / 3), 1.0)


def test_probabilities_give_a_threshold_without_labels() -> None:
    probability = np.array([0.99, 0.95, 0.6, 0.3, 0.01])
    best = from_probabilities(np.log(probability / (1 - probability)), probability)
    assert -1.0 < best.score < np.log(0.6 / 0.4)
    assert from_probabilities(np.zeros(0), np.zeros(0)).f1 == 0.0
