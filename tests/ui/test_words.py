"""Numbers as a steward says them."""

from __future__ import annotations

import math

import pytest

from pprl_desktop.ui.kit.words import of_100, range_of_100


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (0.0, 0.008, "0 to 8 of 1,000"),
        (0.0, 0.0, "0 to 1 of 1,000"),
        (0.0021, 0.0456, "2 to 46 of 1,000"),
        (0.03, 0.2, "3 to 20 of 100"),
        (0.0, 1.0, "0 to 100 of 100"),
        (math.nan, 0.1, "not known"),
    ],
)
def test_both_ends_of_a_range_are_out_of_the_same_number(low: float, high: float, words: str) -> None:
    assert range_of_100(low, high) == words


def test_small_shares_keep_a_digit_that_means_something() -> None:
    assert [of_100(share) for share in (0.973, 0.004, 0.0, 0.0001)] == [
        "97 of 100",
        "4 of 1,000",
        "0 of 100",
        "fewer than 1 of 1,000",
    ]
