"""Shares with their Wilson interval."""

from __future__ import annotations

import numpy as np
import pytest

from pprl_desktop.rehearsal.shares import Share


@pytest.mark.parametrize(
    ("hits", "of", "low", "high"),
    [(0, 10, 0.0, 0.2775), (1, 10, 0.0179, 0.4042), (10, 10, 0.7225, 1.0), (50, 100, 0.4038, 0.5962)],
)
def test_the_interval_is_wilsons(hits: int, of: int, low: float, high: float) -> None:
    share = Share(hits, of)
    assert (share.low, share.high) == (pytest.approx(low, abs=1e-4), pytest.approx(high, abs=1e-4))


def test_the_interval_covers_the_truth_about_as_often_as_it_says() -> None:
    rng = np.random.default_rng(1)
    drawn = [Share(int(hits), 200) for hits in rng.binomial(200, 0.07, 2000)]
    assert 0.93 < np.mean([one.low <= 0.07 <= one.high for one in drawn]) < 0.98


def test_no_record_means_nothing_is_known() -> None:
    assert (Share(0, 0).share, Share(0, 0).low, Share(0, 0).high) == (0.0, 0.0, 1.0)


def test_words_for_the_steward() -> None:
    assert str(Share(34, 100).words()) == "34 of 100 (25 to 44)"
    assert str(Share(34, 100).of_records()) == "34 of 100 records (25 to 44)"
    assert str(Share(1, 5000).words()).startswith("less than 0.1 of 100")
    assert str(Share(0, 5000).words()).startswith("0 of 100")
