"""Whether anybody is shared: strangers within the files say how many pairs need no shared person."""

from __future__ import annotations

import numpy as np
import pytest

from pprl_desktop.decisions.adaptive.nobody import _negative_binomial, _poisson, somebody
from pprl_desktop.decisions.adaptive.tuning import Tuning

ROWS = 600


def chance(pairs: int, within: int, height: float = 20.0) -> float:
    """With so many pairs of strangers within the files that reach higher than the pairs believed."""
    return somebody(
        np.full(pairs, height), np.full(within, height + 0.5), np.ones(within),
        ROWS * (ROWS - 1.0), ROWS * ROWS, ROWS, Tuning(),
    )  # fmt: skip


def test_as_many_pairs_as_strangers_give_anyway_are_nobody() -> None:
    assert chance(1, 5) < 0.1
    assert chance(5, 5) < 0.3


def test_pairs_that_no_strangers_explain_are_somebody() -> None:
    assert chance(8, 0) > 0.95
    assert chance(40, 5) > 0.99


def test_a_single_pair_is_believed_where_its_weights_leave_no_room_for_strangers() -> None:
    assert chance(1, 0, height=25.0) > 0.7
    assert chance(1, 0, height=13.0) < 0.3  # e to the 13th is about all pairs of these files: one is to be expected


@pytest.mark.parametrize("within", [0, 2, 10])
def test_more_pairs_are_never_less_likely_to_hold_somebody(within: int) -> None:
    said = [chance(pairs, within) for pairs in (1, 2, 4, 8, 16, 32, 60, 400)]
    assert said == sorted(said)


def test_nothing_believed_is_nothing_doubted() -> None:
    assert somebody(np.zeros(0), np.zeros(0), np.zeros(0), 10.0, 10.0, 5, Tuning()) == 1.0


def test_chances_of_strangers_add_up() -> None:
    assert float(_negative_binomial(400, 3.5, 1.2).sum()) == pytest.approx(1.0)


@pytest.mark.parametrize(("seen", "times"), [(0.5, 0.9), (33.5, 3.0), (2.0, 0.01)])
def test_chances_are_those_of_the_distributions(seen: float, times: float) -> None:
    from scipy.stats import nbinom, poisson

    many = np.arange(41)
    assert _poisson(40, seen) == pytest.approx(poisson.pmf(many, seen))
    assert _negative_binomial(40, seen, times) == pytest.approx(nbinom.pmf(many, seen, 1 / (1 + times)))


def large(within: int) -> float:
    """50,000 of 50,000 found; 3,000 records of either file were compared with each other."""
    found, looked = 50_000, 3_000.0 * 2_999.0
    heights = np.full(within, 30.0)
    return somebody(np.full(found, 20.0), heights, np.ones(within), looked, float(found) ** 2, found, Tuning())


def test_fifty_thousand_pairs_are_not_explained_by_strangers_of_whom_a_sample_showed_none() -> None:
    assert large(0) > 0.999


def test_but_by_as_many_as_the_sample_foretells() -> None:
    assert large(180) < 0.5  # 180 of nine million pairs are 50,000 of all between the files
