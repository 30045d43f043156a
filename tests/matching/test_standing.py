"""Whether figures can be relied on: said with reasons, and a crowd is refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pprl_desktop.decisions.base import MatchOptions, Scored
from pprl_desktop.matching.decide import decide
from pprl_desktop.matching.standing import NO_SECOND, TOO_MANY


def scored(own: list[int], partner: list[int], probability: float = 0.99, second: float = 0.98) -> Scored:
    count = len(own)
    odds = float(np.log(probability / (1 - probability)))
    return Scored(
        np.array(own, np.int32), np.array(partner, np.int32), np.full(count, odds), np.full(count, probability),
        np.zeros((count, 1), np.float32), ("name",), 0.0, count, notes={"views_asked": 3},
        second=np.full(count, second), strangers=np.full(count, 0.99),
    )  # fmt: skip


MANY = MatchOptions("many-to-many")


def test_where_all_agree_the_figures_are_reliable() -> None:
    made = decide(scored(list(range(100)), list(range(100))), MatchOptions())
    assert made.reliable
    assert not made.reasons
    assert not made.cures
    assert made.second_opinion["low"] < made.second_opinion["precision"] == pytest.approx(0.98)
    assert made.second_opinion["precision"] <= made.second_opinion["high"] <= 1


def test_a_second_opinion_that_differs_is_a_reason_and_has_a_cure() -> None:
    made = decide(scored(list(range(100)), list(range(100)), second=0.6), MatchOptions())
    assert not made.reliable
    assert made.reasons
    assert made.cures


def test_a_handful_of_links_is_too_few_to_judge_by() -> None:
    assert decide(scored(list(range(100)), list(range(100))), MatchOptions()).reliable
    assert not decide(scored(list(range(6)), list(range(6))), MatchOptions()).reliable


def test_as_many_links_are_few_where_strangers_were_hardly_looked_for() -> None:
    """Strangers who look alike and were not met may be behind a few links, and not behind many."""

    def told(links: int, looked: float) -> bool:
        given = scored(list(range(links)), list(range(links)))
        return decide(replace(given, notes={**given.notes, "strangers_looked": looked}), MatchOptions()).reliable

    assert told(30, 1.0)
    assert not told(30, 0.2)
    assert told(300, 0.2)
    assert not told(4, 1.0)
    assert told(4, 10.0)


def test_nobody_linked_is_said() -> None:
    made = decide(scored(list(range(50)), list(range(50)), probability=0.01), MatchOptions())
    assert not len(made.accepted())
    assert not made.reliable
    assert made.second_opinion == {}


def test_a_result_of_dozens_of_counterparts_each_is_refused() -> None:
    everyone = [(a, b) for a in range(30) for b in range(30)]
    made = decide(scored([a for a, _ in everyone], [b for _, b in everyone]), MANY)
    assert not len(made.accepted())
    assert not len(made.to_review())
    assert made.warnings[0] == made.reasons[0] == TOO_MANY


def test_copies_that_their_file_knows_are_no_crowd() -> None:
    everyone = [(a, b) for a in range(300) for b in range(10 * (a // 10), 10 * (a // 10) + 10)]
    one = np.arange(300, dtype=np.int32) // 10
    given = replace(scored([a for a, _ in everyone], [b for _, b in everyone]), people=(one, one))
    made = decide(given, MANY)
    assert len(made.accepted()) == len(everyone)
    assert made.reliable


def test_a_decision_without_second_opinion_says_so_and_claims_nothing() -> None:
    everyone = list(range(100))
    made = decide(replace(scored(everyone, everyone), second=None, strangers=None), MatchOptions())
    assert made.second_opinion == {}
    assert not made.reliable
    assert made.reasons[0] == NO_SECOND
    assert made.cures
