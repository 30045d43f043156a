"""The method blind between two homes: question, answer and result as sealed files, and what is refused."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from pprl_desktop.blind import group
from pprl_desktop.codes.base import method
from pprl_desktop.exchange import agreeing, blind, blind_kept, linking
from pprl_desktop.exchange.agreeing import Offer
from pprl_desktop.exchange.home import Home
from pprl_desktop.exchange.terms import Limits
from pprl_desktop.job.blind import Wish, prepare
from pprl_desktop.job.disclosure import Happened, left_sentences, report
from pprl_desktop.job.partnership import Partnership
from pprl_desktop.job.report_paper import FirstPage, report_document
from pprl_desktop.problem import Problem
from pprl_desktop.project.choices import Choices
from tests.codes.keys.people import FIELDS
from tests.exchange.blinded import TRUTH, Two, agree, introduced
from tests.exchange.conftest import Cleaned


@pytest.fixture(scope="module")
def agreed(tmp_path_factory: pytest.TempPathFactory) -> Two:
    return agree(introduced(tmp_path_factory.mktemp("blind") / "scene"))


@pytest.fixture(scope="module")
def asked(agreed: Two, tmp_path_factory: pytest.TempPathFactory) -> Two:
    """A's question lies at B."""
    two = agreed.moved(tmp_path_factory.mktemp("asked") / "scene")
    two.open("b", two.ask())
    return two


@pytest.fixture(scope="module")
def answered(asked: Two, tmp_path_factory: pytest.TempPathFactory) -> Two:
    """B's answer lies at A."""
    two = asked.moved(tmp_path_factory.mktemp("answered") / "scene")
    two.open("a", two.answer())
    return two


def pairs(job: Partnership) -> set[tuple[int, int]]:
    return {(int(own), int(partner)) for own, partner in job.outcome().reconciled.linked}


def by_row(two: Two, job: Partnership) -> set[tuple[int, int]]:
    """The asker's pairs with the answerer's own rows, which only the test knows."""
    names = linking.partner_names(two.a.signed(job.agreement.id))
    rows = linking.own_names(two.b.signed(two.job("b").agreement.id))
    from pprl_desktop.exchange.pseudonyms import places_of

    row_of = rows.rows[places_of(names, rows.pseudonyms)]
    return {(own, int(row_of[partner])) for own, partner in pairs(job)}


def test_three_files_link_the_two_tables(answered: Two, tmp_path: Path) -> None:
    two = answered.moved(tmp_path / "scene")
    job = two.match()
    two.open("b", two.result())
    found = by_row(two, job)
    assert len(found & TRUTH) > 0.85 * len(TRUTH)
    assert len(found - TRUTH) <= 2
    mine, theirs = job.outcome(), two.job("b").outcome()
    assert sorted(mine.links) == sorted(theirs.links)
    assert {row for _, row in found} == {row for row, _ in pairs(two.job("b"))}
    assert mine.counts()["linked"] == theirs.counts()["both"] == len(found)


def test_question_and_answer_are_in_the_ledger_with_their_guesses(answered: Two) -> None:
    terms = blind.terms_of(answered.job("a").agreement)
    (question,) = answered.a.home.ledger().disclosures()
    (answer,) = answered.b.home.ledger().disclosures()
    assert (question.what, question.records) == ("question", answered.table_a.rows)
    assert (answer.what, answer.guesses) == ("answer", sum(terms.directions[0].asked))
    assert 0 < float(answer.coverage) <= terms.coverage
    assert question.file
    assert answer.file


def test_the_report_of_the_answering_side_says_who_could_be_named_and_who_decides(answered: Two) -> None:
    job = answered.job("b")
    agreement = job.agreement
    happened = Happened(job.home, agreement)
    told = FirstPage(job.home, agreement, "Ours", "2026-11-18", 8, 3, 0, None, None, None, None)
    paper = report_document(told, report(happened, "Ours"))
    assert paper.listed is not None
    (line,) = paper.listed.rows
    words = [str(cell.words) for cell in line]
    asks = agreement.partner_side.name
    assert "blind" in words
    assert any(f"of 100, if {asks} lied" in one for one in words), words
    assert str({str(one.name): one.what for one in paper.facts}["Decided by"]) == f"{asks}, because it asked"
    (matched,) = [one for one in paper.parts if str(one.title) == "How it was matched"]
    assert "this side compares nothing" in " ".join(map(str, matched.sentences))


def test_the_same_table_gives_the_same_bytes_again(answered: Two, tmp_path: Path) -> None:
    two = answered.moved(tmp_path / "scene")
    before = (two.folder / "question-a.pprl").read_bytes(), (two.folder / "answer-b.pprl").read_bytes()
    assert (two.ask().read_bytes(), two.answer().read_bytes()) == before
    assert len(two.a.home.ledger().disclosures()) == len(two.b.home.ledger().disclosures()) == 1


def test_a_second_question_is_refused_on_both_sides(asked: Two, tmp_path: Path) -> None:
    two = asked.moved(tmp_path / "scene")
    two.table_a = two.table_a.take(np.arange(1, two.table_a.rows))
    with pytest.raises(Problem, match="A question was asked under this agreement already"):
        two.ask()
    # whoever forgets its first question at home writes a second one, and the answerer refuses that
    home, agreed = two.a.home, two.job("a").agreement
    from dataclasses import replace

    home.keep_agreement(replace(agreed, sent=tuple(replace(one, kind="data") for one in agreed.sent)))
    second = two.ask()
    with pytest.raises(Problem, match="second question under one agreement"):
        two.open("b", second)


def test_another_answer_is_refused(answered: Two, tmp_path: Path) -> None:
    two = answered.moved(tmp_path / "scene")
    two.table_b = two.table_b.take(np.random.default_rng(0).permutation(two.table_b.rows))
    with pytest.raises(Problem, match="answered already, from another table"):
        two.answer()


def test_a_partner_who_asks_again_needs_the_stewards_word(answered: Two, tmp_path: Path) -> None:
    two = answered.moved(tmp_path / "scene")
    two.match()
    two.open("b", two.result())
    first = two.job("b").agreement
    agree(two)
    again = next(one for one in two.b.home.agreements() if one.id != first.id)
    assert again.terms.blind is not None
    assert again.terms.blind.run == 2
    jobs = [Partnership(party.home, party.own, again.id) for party in (two.a, two.b)]
    out = two.folder / "again.pprl"
    jobs[0].send_question(Cleaned(two.table_a), Choices(), out)
    Partnership.open(two.b.home, two.b.own, out)
    with pytest.raises(Problem, match="asked before"):
        jobs[1].send_answer(Cleaned(two.table_b), Choices(), out)
    made = jobs[1].send_answer(Cleaned(two.table_b), Choices(), out, again=True)
    guesses = [one.guesses for one in two.b.home.ledger().disclosures() if one.what == "answer"]
    assert len(guesses) == 2
    assert f"{sum(guesses):,}" in " ".join(map(str, made.notes))


def test_a_proposal_that_makes_a_further_run_the_first_is_refused(answered: Two, tmp_path: Path) -> None:
    """Which run it is stands in what both sign: the answering side knows how often it has answered."""
    two = answered.moved(tmp_path / "scene")
    liar = Home(tmp_path / "liar")  # the asker's keys in a home without its ledger
    shutil.copytree(two.a.home.path, liar.path, ignore=shutil.ignore_patterns("releases*", "agreements"))
    made = prepare(two.table_a, Wish(two.table_b.rows, 0.3, "me"))
    offer = Offer("blind", FIELDS, method("blind").defaults(), limits=Limits(1000, 64, 50), blind=made.terms)
    agreeing.propose(liar, two.a.own, two.a.partner, offer, two.folder / "first.pprl")
    with pytest.raises(Problem, match=r"says of itself what is not so: blind\.run"):
        Partnership.read_proposal(two.b.home, two.b.own, two.folder / "first.pprl")


def test_the_accepting_side_counts_on_its_own_table_and_refuses(tmp_path: Path) -> None:
    two = introduced(tmp_path / "scene")
    # everybody at B has one of two last names and a common date: easy to guess
    from pprl_desktop.job.blind import Wish, prepare, weigh
    from pprl_desktop.records.table import CleanTable, Column

    columns = {one.name: one for one in two.table_b.columns}
    for name, texts in (("last_name", "MARTEN LOBER"), ("first_name", "ANEL KOZA"), ("birth", "19700101 19800101")):
        values = texts.split()
        columns[name] = Column.of(name, [values[row % 2] for row in range(two.table_b.rows)])
    easy = CleanTable(two.table_b.fields, tuple(columns[one.name] for one in two.table_b.fields))
    terms = prepare(two.table_a, Wish(easy.rows, 0.2)).terms
    weighed = weigh(easy, terms, "accepter")
    assert weighed.meter.coverage > 0.2
    assert weighed.problem is not None
    assert "agreed" in str(weighed.problem.what)


def test_nothing_is_signed_that_was_not_weighed(tmp_path: Path) -> None:
    two = introduced(tmp_path / "scene")
    with pytest.raises(Problem, match="was not counted on your table"):
        _unweighed(two)


def _unweighed(two: Two) -> None:
    from pprl_desktop.codes.base import method
    from pprl_desktop.exchange.agreeing import Offer
    from pprl_desktop.job.blind import Wish, prepare
    from tests.codes.keys.people import FIELDS

    made = prepare(two.table_a, Wish(two.table_b.rows, 0.3))
    offer = Offer("blind", FIELDS, method("blind").defaults(), blind=made.terms)
    Partnership.propose(two.a.home, two.a.own, two.a.partner.id, offer, two.folder / "p.pprl")
    proposal = Partnership.read_proposal(two.b.home, two.b.own, two.folder / "p.pprl")
    Partnership.accept(two.b.home, two.b.own, proposal, two.folder / "x.pprl")


def test_the_result_proves_what_was_opened(answered: Two, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The name of a record is not enough: the proof needs its key."""
    from pprl_desktop.exchange import results

    two = answered.moved(tmp_path / "scene")
    two.match()
    made = results.result_proofs
    monkeypatch.setattr(results, "result_proofs", lambda keys, *rest: made(keys ^ 1, *rest))
    forged = two.result()
    monkeypatch.undo()
    with pytest.raises(Problem, match="did not open") as caught:
        two.open("b", forged)
    assert caught.value.place == "proof"


def test_blinds_are_gone_after_the_result(answered: Two, tmp_path: Path) -> None:
    two = answered.moved(tmp_path / "scene")
    agreed = two.job("a").agreement
    assert blind_kept.seed_path(two.a.home, agreed).is_file()
    two.match()
    two.result()
    assert not blind_kept.seed_path(two.a.home, agreed).exists()
    two.match()  # what was opened is kept, the blinds are not needed
    (two.a.home.folder(agreed.id) / "opened.pprl").unlink()
    with pytest.raises(Problem, match="can no longer be read"):
        two.match()


def test_an_auditor_sees_that_every_key_came_from_the_table(agreed: Two, tmp_path: Path) -> None:
    two = agreed.moved(tmp_path / "scene")
    question = two.ask(keep_seed=True)
    job = two.job("a")
    honest = job.audit(question, Cleaned(two.table_a), Choices())
    assert honest.same_table
    assert honest.unexplained == 0
    assert honest.from_table > two.table_a.rows
    fewer = job.audit(question, Cleaned(two.table_a.take(np.arange(60))), Choices())
    assert not fewer.same_table
    assert fewer.unexplained > 60
    assert fewer.padding == honest.padding
    with pytest.raises(Problem, match="not the question that was sent"):
        job.audit(two.folder / "accepted.pprl", Cleaned(two.table_a), Choices())


def test_a_harmless_copy_of_another_question_does_not_pass_an_audit(agreed: Two, tmp_path: Path) -> None:
    """Only the partner can open what was sent; an asker who guessed could show points made from its true table."""
    from pprl_desktop.blind import question
    from pprl_desktop.exchange import agreeing, letters

    two = agreed.moved(tmp_path / "scene")
    true = two.table_a
    two.table_a = two.table_b.take(np.arange(true.rows))  # whom it wants to find
    asked, job = two.ask(keep_seed=True), two.job("a")
    assert job.audit(asked, Cleaned(two.table_a), Choices()).answered is None
    two.open("b", asked)
    two.open("a", two.answer())
    caught = two.job("a").audit(asked, Cleaned(true), Choices())
    assert caught.unexplained > 0
    assert caught.answered is True
    signatory = two.job("a").signatory
    agreement = signatory.agreement
    item = agreement.latest_sent("question")
    assert item is not None
    path = letters.own_copy(signatory.sent_path(item))
    seed, plan = blind_kept.kept_seed(signatory, item.table), blind.plan_of(agreement, blind.own_direction(agreement))
    harmless = question.ask(question.asker(true, plan, agreeing.recipe_of(signatory).secret), seed)
    body = letters.open_own(signatory.identity, path).manifest.body
    letters.seal_to_self(signatory.identity, path, agreement, body, harmless)
    shown = two.job("a").audit(asked, Cleaned(true), Choices())
    assert shown.unexplained == 0
    assert shown.answered is False


def test_without_the_kept_seed_nothing_can_be_audited(answered: Two, tmp_path: Path) -> None:
    two = answered.moved(tmp_path / "scene")
    two.match()
    two.result()
    with pytest.raises(Problem, match="seed of this question was not kept"):
        two.job("a").audit(two.folder / "question-a.pprl", Cleaned(two.table_a), Choices())


def test_both_directions_have_their_own_limits_and_are_reconciled(tmp_path: Path) -> None:
    two = agree(introduced(tmp_path / "scene"), asks="both")
    terms = blind.terms_of(two.job("a").agreement)
    assert [one.asks for one in terms.directions] == ["proposer", "accepter"]
    for one, other in (("a", "b"), ("b", "a")):
        two.open(other, two.ask(one))
    for one, other in (("a", "b"), ("b", "a")):
        two.open(other, two.answer(one))
    for one, other in (("a", "b"), ("b", "a")):
        two.match(one)
        two.open(other, two.result(one))
    mine, theirs = two.job("a").outcome(), two.job("b").outcome()
    assert sorted(mine.links) == sorted(theirs.links)
    assert mine.counts()["both"] == theirs.counts()["both"] > 0.8 * len(TRUTH)


def test_an_agreement_that_is_over_allows_nothing(agreed: Two, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from pprl_desktop.exchange import clock

    two = agreed.moved(tmp_path / "scene")
    monkeypatch.setattr(clock, "now", lambda: "2199-01-01T00:00:00Z")
    with pytest.raises(Problem, match="ended on"):
        two.ask()


def test_who_answers_cannot_ask_and_sends_no_result(answered: Two) -> None:
    with pytest.raises(Problem, match="Your partner asks"):
        answered.ask("b")
    with pytest.raises(Problem, match="You ask under this agreement"):
        answered.answer("a")


def test_a_bundle_is_not_sent_under_blind(agreed: Two) -> None:
    with pytest.raises(Problem, match="Blind sends no bundle"):
        agreed.job("a").plan(Cleaned(agreed.table_a), Choices())
    assert not agreed.a.home.ledger().releases()


def test_random_seeds_can_be_wiped() -> None:
    seed = group.random_seed()
    assert seed.any()
    group.wipe(seed)
    assert not seed.any()


def test_uncertain_pairs_are_reviewed_as_with_every_method(tmp_path: Path) -> None:
    """Cells leave only for pairs that the result names with a proof, and the decided pairs go into the next result."""
    from pprl_desktop.decisions.base import REVIEW

    two = agree(introduced(tmp_path / "scene"), rule="review")
    two.open("b", two.ask())
    two.open("a", two.answer())
    job = two.job("a")
    made = job.match(Cleaned(two.table_a), Choices())
    scores = np.sort(made.scored.score[made.accepted()])
    between = Choices(accept=float(scores[8]), review=float(scores[0]) - 1e-6)
    found = job.keep(job.decide(made, between))
    assert found.count(REVIEW) >= 5
    request = two.folder / "request.pprl"
    with pytest.raises(Problem, match="does not name these pairs yet"):
        job.ask(request)
    two.open("b", two.result())
    job.ask(request)
    two.open("b", request)
    b = two.job("b")
    seen = b.would_leave(Cleaned(two.table_b), Choices())
    assert 0 < seen.records <= found.count(REVIEW)
    told = " ".join(map(str, seen.sentences()))
    assert "no match of your own" in told  # it goes by the partner's word that it opened them: that is said
    assert "your own match," not in told
    cells = two.folder / "cells.pprl"
    b.answer(Cleaned(two.table_b), Choices(), cells, seen)
    two.open("a", cells)
    told = " ".join(map(str, left_sentences(b.home, b.agreement)))
    assert f"of {seen.records} of {two.table_b.rows} records were sent" in told
    from pprl_desktop.review import sources
    from pprl_desktop.review.plan import Policy

    fields = sources.review_fields(two.table_a.fields)
    review = job.uncertain(Cleaned(two.table_a), Choices(), Policy(fields))
    taken = job.take_in(review, {pair.id: True for pair in review.pairs})
    assert taken.count(REVIEW) < found.count(REVIEW)
    two.open("b", two.result())
    assert sorted(job.outcome().links) == sorted(b.outcome().links)
