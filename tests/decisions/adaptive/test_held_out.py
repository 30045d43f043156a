"""Shared people who were not found show among the pairs that are certain without a field."""

from __future__ import annotations

import numpy as np
import pytest

from pprl_desktop.decisions.adaptive.held_out import Held, Linked, held_out
from pprl_desktop.decisions.adaptive.opinion import Opinion, ViewedPairs, ViewOpinion
from pprl_desktop.decisions.adaptive.tuning import Tuning
from tests.benchmarks.stress import matched
from tests.benchmarks.stress_people import people, slips, table

ROWS = 1000
BAR = -9.0


def asked(moved: float, linked: float, certain: float = 0.5) -> Held | None:
    """Counterparts of whom a share has moved, and of those only a share is believed; names make another certain."""
    random = np.random.default_rng(15)
    rows = np.arange(ROWS, dtype=np.int64)
    stays, rare = random.random(ROWS) >= moved, random.random(ROWS) < certain
    names, address = np.where(rare, 12.0, 4.0), np.where(stays, 6.0, -6.0)
    believed = np.where(stays | rare, 0.99, np.where(random.random(ROWS) < linked, 0.99, 0.01))
    weights = np.stack([names, address], axis=1)
    agrees = np.stack([np.ones(ROWS, np.bool_), stays], axis=1)
    everything = np.ones((ROWS, 2), np.bool_)
    seen = ViewedPairs(weights, agrees, np.full((ROWS, 2), 0.01), everything, np.zeros(2, np.bool_))
    opinion = Opinion(np.zeros(ROWS), (ViewOpinion(1, 0.9, 0.9, 100.0, True),))
    return held_out(seen, opinion, Linked((rows, rows), names + address - 4.0, believed), BAR, (), 1.0, Tuning())


def test_movers_who_were_not_found_are_counted() -> None:
    told = asked(moved=0.3, linked=0.0)
    assert told is not None
    assert told.low < 1 / 0.85 < told.high  # half of the movers, with frequent names, are missing
    assert told.low > 1


def test_where_movers_were_found_nobody_is_missing() -> None:
    told = asked(moved=0.3, linked=1.0)
    assert told is not None
    assert told.low == 1
    assert told.times == pytest.approx(1, abs=0.05)


def test_without_people_who_are_certain_nobody_is_asked() -> None:
    assert asked(moved=0.3, linked=0.0, certain=0.01) is None


def movers(share: float) -> tuple[float, float, bool]:
    """Names and an address only: expected recall, by the second opinion, and whether it is reliable."""
    random, size = np.random.default_rng(4711), 800
    everyone, elsewhere = people(random, size + size // 2), people(random, size)
    later = [list(row) for row in everyone[size // 2 :]]
    for row, other in zip(later, elsewhere, strict=True):
        if random.random() < share:
            row[5:8] = other[5:8]
    columns = ("last", "first", "street", "zip", "town")
    left, right = table(columns, everyone[:size]), slips(table(columns, later), 4711)
    made = matched("bloom", left, right, True, None, "one-sided")
    return made.expected["recall"], made.second_opinion["recall"], made.reliable


def test_with_names_and_an_address_only_movers_make_the_expected_recall_unreliable() -> None:
    expected, second, reliable = movers(0.15)
    assert second < expected - 0.05
    assert not reliable


def test_where_nobody_moved_the_recall_is_confirmed() -> None:
    expected, second, reliable = movers(0.0)
    assert second > expected - 0.05
    assert reliable
