"""The review band of a match with a partner: only the cells of the pairs asked for travel, sealed both ways."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pprl_desktop.decisions.base import ACCEPT, REVIEW, Match, Scored
from pprl_desktop.exchange import bundles, clear_cells, inbox, linking, results
from pprl_desktop.exchange.agreeing import Offer
from pprl_desktop.exchange.clear_cells import SentInClear
from pprl_desktop.exchange.terms import Limits
from pprl_desktop.job.partnership import Partnership
from pprl_desktop.problem import Problem
from pprl_desktop.records.table import CleanTable
from pprl_desktop.review.desk import Desk
from pprl_desktop.review.partner import from_answer, take_in
from pprl_desktop.review.plan import Policy, Review
from pprl_desktop.review.sources import review_fields
from tests.exchange.conftest import FIELDS, Party, agree, introduce, make_party, offer, people

HERE, THERE = people(0, 30), people(10, 40)  # our row 10 + i is their row i


@pytest.fixture
def parties(tmp_path: Path) -> tuple[Party, Party]:
    a, b = make_party(tmp_path / "a", "Hospital"), make_party(tmp_path / "b", "Registry")
    introduce(a, b)
    agree(a, b, tmp_path, review_offer())
    for one, other, table, name in ((a, b, HERE, "a1"), (b, a, THERE, "b1")):
        bundles.export(one.signed(), table, tmp_path / f"{name}.pprl")
        inbox.open_file(other.home, other.own, tmp_path / f"{name}.pprl")
    return a, b


def review_offer(clear: int = 50) -> Offer:
    return offer(rule="review", limits=Limits(1000, 16, clear))


def matched(a: Party, b: Party) -> None:
    """Six true pairs on both sides; the first two are accepted, the others are to be reviewed."""
    for one, other, own, partner in ((a, b, np.arange(10, 16), np.arange(6)), (b, a, np.arange(6), np.arange(10, 16))):
        keep_match(one, other, own, partner)


def keep_match(one: Party, other: Party, own: np.ndarray, partner: np.ndarray) -> None:
    """The match of one side; `partner` are rows of the other side's table."""
    sent = other.agreement.latest_sent("data")
    assert sent is not None
    places = bundles.own_map(other.signed(), sent).places(partner).astype(np.int32)
    score = np.linspace(6.0, 1.0, len(own))
    evidence = np.zeros((len(own), 3), np.float32)
    scored = Scored(own.astype(np.int32), places, score, score / 7, evidence, ("a", "b", "c"), 4.5, 900)
    band = np.where(score >= 4.5, ACCEPT, REVIEW).astype(np.int8)
    made = Match(scored, np.ones(len(own), dtype=bool), band, 4.5, 0.5, 0, {})
    linking.keep(one.signed(), made)


def told(a: Party, b: Party, folder: Path) -> None:
    """Both have matched and exchanged results."""
    matched(a, b)
    for one, other, name in ((a, b, "ra"), (b, a, "rb")):
        one.job().send_result(folder / f"{name}.pprl")
        Partnership.open(other.home, other.own, folder / f"{name}.pprl")


def asked(a: Party, b: Party, folder: Path) -> None:
    """The first has also asked the second for the cells of its unsure pairs."""
    told(a, b, folder)
    a.job().ask(folder / "ask.pprl")
    Partnership.open(b.home, b.own, folder / "ask.pprl")


def answered(b: Party, out: Path, table: CleanTable = THERE) -> SentInClear:
    """Looked at, confirmed, sent."""
    shown = clear_cells.would_leave(b.signed(), table)
    return clear_cells.answer(b.signed(), table, out, shown)


def policy() -> Policy:
    return Policy(review_fields(FIELDS))


def under_review(a: Party, b: Party, folder: Path) -> tuple[Review, dict[int, int]]:
    """Matched, asked and answered: the review at A's, and its pairs by A's rows."""
    matched(a, b)
    clear_cells.ask(a.signed(), folder / "ask.pprl")
    inbox.open_file(b.home, b.own, folder / "ask.pprl")
    answered(b, folder / "answer.pprl")
    inbox.open_file(a.home, a.own, folder / "answer.pprl")
    review = from_answer(a.signed(), HERE, policy())
    return review, {int(review.people.source[pair.a]): pair.id for pair in review.pairs}


def test_cells_are_asked_for_answered_and_reviewed(parties, tmp_path) -> None:
    a, b = parties
    matched(a, b)
    assert clear_cells.ask(a.signed(), tmp_path / "ask.pprl").records == 4
    received = inbox.open_file(b.home, b.own, tmp_path / "ask.pprl")
    assert received.kind == "review"
    sent = answered(b, tmp_path / "answer.pprl")
    assert (sent.records, sent.withheld) == (4, 0)
    inbox.open_file(a.home, a.own, tmp_path / "answer.pprl")
    review = from_answer(a.signed(), HERE, policy(), "with the registry")
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
    review, by_row = under_review(a, b, tmp_path)
    outcome = {by_row[12]: True, by_row[13]: False, by_row[14]: None}
    take_in(a.signed(), review, outcome)
    kept = linking.kept(a.signed())
    bands = dict(zip(kept.own.tolist(), kept.band.tolist(), strict=True))
    assert bands == {10: ACCEPT, 11: ACCEPT, 12: ACCEPT, 13: 0, 14: REVIEW, 15: REVIEW}
    results.export(a.signed(), tmp_path / "result.pprl")
    assert inbox.open_file(b.home, b.own, tmp_path / "result.pprl").kind == "result"


def test_nothing_is_reviewed_before_cells_came(parties, tmp_path) -> None:
    a, b = parties
    matched(a, b)
    with pytest.raises(Problem, match="not sent cells"):
        from_answer(a.signed(), HERE, policy())


def test_a_changed_decision_counts_when_taken_in_again_and_makes_the_sent_result_old(parties, tmp_path) -> None:
    a, b = parties
    review, by_row = under_review(a, b, tmp_path)
    take_in(a.signed(), review, {by_row[12]: True})
    results.export(a.signed(), tmp_path / "result.pprl")
    assert results.is_current(a.signed())
    take_in(a.signed(), review, {by_row[12]: True})
    assert results.is_current(a.signed())
    take_in(a.signed(), review, {by_row[12]: False})
    kept = linking.kept(a.signed())
    assert dict(zip(kept.own.tolist(), kept.band.tolist(), strict=True))[12] == 0
    assert not results.is_current(a.signed())
