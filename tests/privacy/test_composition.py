"""Epsilons add up as the theorems say."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from pprl_desktop.privacy.composition import added, even_odds, excess, largest_posterior, tighter


def exact_excess(epsilon: float, count: int, total: float) -> float:
    """The slow twin: the sum over every number of flips in rational weights."""
    p = Fraction(1 / (math.exp(epsilon) + 1))
    sum_ = Fraction(0)
    for flips in range(count + 1):
        mass = math.comb(count, flips) * p**flips * (1 - p) ** (count - flips)
        loss = (count - 2 * flips) * epsilon
        if loss > total:
            sum_ += mass * Fraction(1 - math.exp(total - loss))
    return float(sum_)


@pytest.mark.parametrize(
    ("epsilon", "count", "total"), [(1.0, 10, 5.0), (0.1, 50, 1.0), (2.0, 7, 13.0), (0.5, 64, 20.0)]
)
def test_the_excess_agrees_with_exact_sums(epsilon: float, count: int, total: float) -> None:
    assert excess(epsilon, count, total) == pytest.approx(exact_excess(epsilon, count, total), rel=1e-9)


def test_the_tighter_bound_reaches_delta_and_no_less() -> None:
    bound = tighter(1.0, 1024, 1e-6)
    assert excess(1.0, 1024, bound) <= 1e-6 < excess(1.0, 1024, bound - 0.01)
    assert 473 < bound < added(1.0, 1024)  # 473 is the mean loss


@pytest.mark.parametrize("epsilon", [0.001, 0.5, 5.0, 40.0])
@pytest.mark.parametrize("count", [0, 1, 2, 1024, 100_000])
def test_the_tighter_bound_is_never_above_the_plain_sum(epsilon: float, count: int) -> None:
    assert 0 <= tighter(epsilon, count) <= added(epsilon, count)


def test_even_odds_is_where_the_posterior_reaches_one_half() -> None:
    assert largest_posterior(even_odds(5000), 5000) == pytest.approx(0.5)
    assert largest_posterior(even_odds(5000) - 1, 5000) < 0.5
    assert largest_posterior(1e6, 5000) == pytest.approx(1.0)
    assert even_odds(2) == even_odds(1) == 0.0
