"""Estimates from the reviewed sample: right on average, honest about what nobody looked at."""

from __future__ import annotations

import numpy as np
import pytest

from pprl_desktop.review.estimates import StratumCount, cohens_kappa, count, estimate, threshold_from_labels
from pprl_desktop.review.plan import Pair, Stratum

REJECT = Stratum("reject", -5, 0, 1000, False)
BAND = Stratum("review 0 to 2", 0, 2, 200, False)
ACCEPT = Stratum("accept", 2, 9, 800, True)


def test_a_full_review_leaves_no_doubt() -> None:
    made = estimate([StratumCount(BAND, 200, 50), StratumCount(ACCEPT, 800, 790)])
    assert made.precision.value == pytest.approx(790 / 800)
    assert made.precision.half_width == 0
    assert made.recall.value == pytest.approx(790 / 840)
    assert made.precision_after.value == 1
    assert made.recall_after.value == 1
    assert made.enough
    assert "Enough" in str(made.sentence)


def test_what_nobody_looked_at_widens_the_interval() -> None:
    seen = estimate([StratumCount(REJECT, 0, 0), StratumCount(BAND, 200, 100), StratumCount(ACCEPT, 0, 0)])
    assert seen.precision.high - seen.precision.low > 0.9
    assert not seen.enough
    assert seen.more > 0
    audited = estimate([StratumCount(REJECT, 150, 0), StratumCount(BAND, 200, 100), StratumCount(ACCEPT, 150, 149)])
    assert audited.precision.half_width < 0.03
    assert audited.recall.half_width < seen.recall.half_width
    assert estimate([]).recall.high == 1


def test_intervals_cover_the_truth_about_as_often_as_they_say() -> None:
    source = np.random.default_rng(7)
    inside = 0
    for _ in range(120):
        truth = [source.random(s.population) < rate for s, rate in ((REJECT, 0.01), (BAND, 0.4), (ACCEPT, 0.97))]
        sample = [t[:100] for t in truth]
        made = estimate(
            [StratumCount(s, 100, int(x.sum())) for s, x in zip((REJECT, BAND, ACCEPT), sample, strict=True)]
        )
        recall = truth[2].sum() / sum(t.sum() for t in truth)
        inside += made.recall.low <= recall <= made.recall.high
    assert 0.9 <= inside / 120 <= 1


def test_pairs_are_counted_in_their_stratum() -> None:
    strata = (REJECT, Stratum("review 0 to 1", 0, 1, 10, False), Stratum("review 1 to 2", 1.1, 2, 10, False), ACCEPT)
    pairs = [
        Pair("1", 0, 1, 0.5, "review"), Pair("2", 0, 1, 1.5, "review"), Pair("3", 0, 1, 5.0, "accept"),
        Pair("4", 0, 1, None, "reject"), Pair("5", 0, 1, 1.05, "review"), Pair("6", 0, 1, 0.1, "review"),
    ]  # fmt: skip
    outcome = {"1": True, "2": False, "3": True, "4": False, "5": True, "6": None}
    assert [(c.reviewed, c.same) for c in count(strata, pairs, outcome)] == [(1, 0), (2, 2), (1, 0), (1, 1)]


def test_cohens_kappa() -> None:
    # the textbook table: 20 yes/yes, 5 yes/no, 10 no/yes, 15 no/no
    first = [True] * 25 + [False] * 25
    second = [True] * 20 + [False] * 5 + [True] * 10 + [False] * 15
    made = cohens_kappa(first, second)
    assert made.kappa == pytest.approx(0.4)
    assert made.observed == pytest.approx(0.7)
    assert made.low < 0.4 < made.high
    assert str(made.words) == "fair"
    assert cohens_kappa([1, 1], [1, 1]).kappa == 1
    assert cohens_kappa([], []).pairs == 0
    assert cohens_kappa([1, 2], [2, 1]).words.template == "worse than chance"
    assert cohens_kappa(first, first).words.template == "almost perfect"
    assert cohens_kappa([1, 1, 2, 2] * 5, [1, 2, 1, 2] * 5).words.template == "slight"


def test_labels_move_the_threshold() -> None:
    pairs = [Pair(str(i), 0, 1, i / 10) for i in range(10)]
    outcome = {str(i): i >= 6 for i in range(10)}
    made = threshold_from_labels(pairs, outcome)
    assert (made.score, made.f1, made.labels) == (0.6, 1.0, 10)
    assert threshold_from_labels(pairs, {"1": True}) is None
    strata = (Stratum("review", 0.0, 0.5, 600, False), Stratum("review", 0.6, 0.9, 4, False))
    mixed = {**outcome, "5": True}
    assert threshold_from_labels(pairs, mixed, strata).score == 0.5  # a true pair at 0.5 stands for a hundred
    tied = [Pair("a", 0, 1, 0.5), Pair("b", 0, 1, 0.5), Pair("c", 0, 1, 0.1)]
    assert threshold_from_labels(tied, {"a": True, "b": True, "c": False}).score == 0.5
