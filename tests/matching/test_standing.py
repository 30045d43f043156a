"""Whether figures can be relied on: said with reasons, and a crowd is refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pprl_desktop.decisions.base import Match, MatchOptions, Scored
from pprl_desktop.decisions.standing import Tuning
from pprl_desktop.matching.decide import decide
from pprl_desktop.matching.standing import (
    GENERATIONS,
    HOUSEHOLDS,
    NAMESAKES,
    NO_SECOND,
    RELATIVES,
    TOO_MANY,
    Signs,
    risk,
)
from pprl_desktop.said import Said


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


@pytest.mark.parametrize(
    ("sign", "reason"),
    [("households", HOUSEHOLDS), ("relatives", RELATIVES), ("generations", GENERATIONS), ("namesakes", NAMESAKES)],
)
def test_fields_that_cannot_tell_people_apart_are_a_reason(sign: str, reason: Said) -> None:
    given = scored(list(range(100)), list(range(100)))
    made = decide(replace(given, notes={**given.notes, sign: True}), MatchOptions())
    assert [str(one) for one in made.reasons] == [str(reason)]
    assert made.cures


def test_a_handful_of_links_is_too_few_where_one_wrong_one_would_belie_the_figure() -> None:
    """One in 25 is wrong: of 100 links hardly ever 14, of 6 quite often one."""
    assert told(100, 0.96)
    assert not told(6, 0.96)
    assert told(6, 0.995)


def test_many_links_can_be_judged_however_many_of_them_are_wrong() -> None:
    assert told(300, 0.87)
    assert not told(12, 0.87)


def test_all_links_are_wrong_together_where_nobody_may_be_shared() -> None:
    assert told(30, 0.995, anybody=0.99)
    assert not told(30, 0.995, anybody=0.88)


def judged(links: int, right: float, anybody: float = 1.0) -> Match:
    """So many links, each right with this probability if anybody is shared."""
    given = scored(list(range(links)), list(range(links)), probability=right * anybody, second=right)
    given = replace(given, strangers=np.full(links, right), notes={**given.notes, "anybody": anybody})
    return decide(given, MatchOptions())


def told(links: int, right: float, anybody: float = 1.0) -> bool:
    """Whether they can be judged."""
    return judged(links, right, anybody).reliable


def test_a_doubt_says_whether_it_is_about_few_links_or_about_anybody_being_shared() -> None:
    few, nobody = judged(12, 0.88), judged(400, 0.99, 0.8)
    assert str(few.reasons[0]) == "Only 12 links to judge by."
    assert str(nobody.reasons[0]) == "It is not certain that anybody is in both files."


def test_the_risk_is_how_often_a_figure_turns_out_too_high() -> None:
    """Drawn: links that are right as often as is said, and files that share nobody now and then."""
    random, tuning, people, right, anybody = np.random.default_rng(15), Tuning(), 14, 0.95, 0.97
    found = Signs(people, anybody, right * anybody, right, right, 1.0, 3, 0.0, *(False,) * 5, 1.0, (1.0, 1.0, 1.0))
    shared = random.random(200_000) < anybody
    precision = np.where(shared, random.binomial(people, right, len(shared)) / people, 0.0)
    assert risk(found, tuning) == pytest.approx((found.expected - precision > tuning.too_high).mean(), abs=0.004)


def missing(at_least: float, likely: float) -> Match:
    """A hundred links of a hundred expected; so many are shared by pairs found without a field."""
    given = scored(list(range(100)), list(range(100)))
    notes = {**given.notes, "findable": 100.0, "findable_second": [likely, at_least, 2 * likely]}
    return decide(replace(given, notes=notes), MatchOptions())


def test_shared_people_that_show_only_without_a_field_are_a_reason_and_no_precise_recall() -> None:
    made = missing(at_least=110.0, likely=118.0)
    assert [one.template for one in made.reasons] == [
        "More shared people seem to be missed than expected: pairs found without a field show them."
    ]
    assert made.second_opinion["recall"] == pytest.approx(0.99 / 1.18)
    assert made.second_opinion["recall_low"] < made.second_opinion["recall"] < made.second_opinion["recall_high"]


def test_a_few_more_shared_people_than_expected_are_within_what_chance_makes() -> None:
    assert missing(at_least=101.0, likely=104.0).reliable
    assert missing(at_least=100.0, likely=118.0).reliable


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
