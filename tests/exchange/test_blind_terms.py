"""What a partner may write into the terms of blind, and what is refused before anybody signs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pprl_desktop.exchange import blind_terms
from pprl_desktop.exchange.blind_terms import BlindTerms
from pprl_desktop.job.blind import Wish, prepare, weigh
from pprl_desktop.problem import Problem
from tests.exchange.blinded import tables

MINE, THEIRS = tables()


@pytest.fixture(scope="module")
def terms() -> BlindTerms:
    return prepare(MINE, Wish(THEIRS.rows, 0.3)).terms


def read(terms: BlindTerms) -> BlindTerms:
    return blind_terms.parse(blind_terms.to_plain(terms), MINE.fields)


@pytest.mark.parametrize("day", ["2026-13-45", "2026-02-30", "0000-00-00", "9999-99-99"])
def test_a_last_day_that_no_calendar_has_is_refused(terms: BlindTerms, day: str) -> None:
    assert read(terms) == terms
    with pytest.raises(Problem, match="It must be a day") as caught:
        read(replace(terms, expires=day))
    assert "blind.expires" in str(caught.value)


def test_questions_about_values_beyond_any_table_like_ours_are_not_signed(terms: BlindTerms) -> None:
    """They cost no coverage, but with a whole list of names every opened record can be read."""
    (asks,) = terms.directions
    assert weigh(THEIRS, terms, "accepter").problem is None
    for place in range(len(asks.values)):
        values = tuple(10 * count if at == place else count for at, count in enumerate(asks.values))
        listed = replace(terms, directions=(replace(asks, values=values),))
        found = weigh(THEIRS, listed, "accepter").problem
        assert found is not None
        assert f"{values[place]:,} questions about values" in str(found)
