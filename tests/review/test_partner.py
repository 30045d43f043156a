"""The review band of a match with a partner: only the cells of the pairs asked for travel, sealed both ways."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pprl_desktop.decisions.base import ACCEPT, REVIEW, Match, Scored
from pprl_desktop.exchange import bundles, inbox, linking, results
from pprl_desktop.problem import Problem
from pprl_desktop.records.table import CleanTable
from pprl_desktop.review.desk import Desk
from pprl_desktop.review.partner import answer, ask, from_answer, take_in
from pprl_desktop.review.plan import Policy
from pprl_desktop.review.sources import review_fields
from tests.exchange.conftest import FIELDS, Party, agree, introduce, make_party, people

HERE, THERE = people(0, 30), people(10, 40)  # our row 10 + i is their row i


@pytest.fixture
def parties(tmp_path: Path) -> tuple[Party, Party]:
    a, b = make_party(tmp_path / "a", "Hospital"), make_party(tmp_path / "b", "Registry")
    introduce(a, b)
    agree(a, b, tmp_path)
    for one, other, table, name in ((a, b, HERE, "a1"), (b, a, THERE, "b1")):
        bundles.export(one.home, one.own, one.pact, table, tmp_path / f"{name}.pprl")
        inbox.open_file(other.home, other.own, tmp_path / f"{name}.pprl")
    return a, b


def matched(a: Party, b: Party) -> None:
    """Six true pairs; the first two are accepted, the others are to be reviewed."""
    sent = b.pact.latest_sent("data")
    assert sent is not None
    places = bundles.own_map(b.home, b.own, b.pact, sent).places(np.arange(THERE.rows))
    own = np.arange(10, 16, dtype=np.int32)
    partner = places[:6].astype(np.int32)
    score = np.linspace(6.0, 1.0, 6)
    scored = Scored(own, partner, score, score / 7, np.zeros((6, 3), np.float32), ("a", "b", "c"), 4.5, 900)
    band = np.array([ACCEPT, ACCEPT, REVIEW, REVIEW, REVIEW, REVIEW], dtype=np.int8)
    linking.keep(a.home, a.own, a.pact, Match(scored, np.ones(6, dtype=bool), band, 4.5, 0.5, 0, {}))


def policy() -> Policy:
    return Policy(review_fields(FIELDS))


def test_cells_are_asked_for_answered_and_reviewed(parties, tmp_path) -> None:
    a, b = parties
    matched(a, b)
    assert ask(a.home, a.own, a.pact, tmp_path / "ask.pprl").records == 4
    received = inbox.open_file(b.home, b.own, tmp_path / "ask.pprl")
    assert received.kind == "review"
    sent = answer(b.home, b.own, b.pact, THERE, tmp_path / "answer.pprl")
    assert (sent.records, sent.left_out) == (4, 0)
    inbox.open_file(a.home, a.own, tmp_path / "answer.pprl")
    review = from_answer(a.home, a.own, a.pact, HERE, policy(), "with the registry")
    assert len(review.pairs) == 4
    assert len(review.people) == HERE.rows + 4
    assert not review.own_crowd
    for pair in review.pairs:
        assert all(review.people.value(j, pair.a) == review.people.value(j, pair.b) for j in range(3))
    assert [(s.name, s.population) for s in review.strata] == [("review", 4), ("accept", 2)]
    with Desk.create(tmp_path / "r", review, "four unrelated words") as desk:
        assert desk.session().view().cells[0].kind == "identical"


def test_decisions_become_part_of_the_match_and_undecided_pairs_stay(parties, tmp_path) -> None:
    a, b = parties
    matched(a, b)
    ask(a.home, a.own, a.pact, tmp_path / "ask.pprl")
    inbox.open_file(b.home, b.own, tmp_path / "ask.pprl")
    answer(b.home, b.own, b.pact, THERE, tmp_path / "answer.pprl")
    inbox.open_file(a.home, a.own, tmp_path / "answer.pprl")
    review = from_answer(a.home, a.own, a.pact, HERE, policy())
    by_row = {int(review.people.source[pair.a]): pair.id for pair in review.pairs}
    outcome = {by_row[12]: True, by_row[13]: False, by_row[14]: None}
    take_in(a.home, a.own, a.pact, review, outcome)
    kept = linking.kept(a.home, a.own, a.pact)
    bands = dict(zip(kept.own.tolist(), kept.band.tolist(), strict=True))
    assert bands == {10: ACCEPT, 11: ACCEPT, 12: ACCEPT, 13: 0, 14: REVIEW, 15: REVIEW}
    results.export(a.home, a.own, a.pact, tmp_path / "result.pprl")
    assert inbox.open_file(b.home, b.own, tmp_path / "result.pprl").kind == "result"


def test_nothing_is_sent_without_being_asked(parties, tmp_path) -> None:
    a, b = parties
    with pytest.raises(Problem, match="not asked"):
        answer(b.home, b.own, b.pact, THERE, tmp_path / "x.pprl")
    matched(a, b)
    with pytest.raises(Problem, match="not sent cells"):
        from_answer(a.home, a.own, a.pact, HERE, policy())


def test_the_table_must_be_the_exported_one(parties, tmp_path) -> None:
    a, b = parties
    matched(a, b)
    ask(a.home, a.own, a.pact, tmp_path / "ask.pprl")
    inbox.open_file(b.home, b.own, tmp_path / "ask.pprl")
    short = CleanTable(FIELDS, tuple(type(c)(c.name, c.values, c.codes[:1]) for c in THERE.columns))
    with pytest.raises(Problem, match="not the table"):
        answer(b.home, b.own, b.pact, short, tmp_path / "x.pprl")
