"""A ledger that was lost and repaired: what left beside bundles is entered again, and every maximum still holds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pprl_desktop.exchange import bundles, clear_cells, inbox, letters, results, review_letters, strict
from pprl_desktop.exchange.release_repair import repair
from pprl_desktop.job.disclosure import left_sentences
from pprl_desktop.job.partnership import Partnership
from pprl_desktop.problem import Problem
from tests.exchange import blinded
from tests.exchange.conftest import Party, agree, export, people
from tests.exchange.test_clear_cells import ask_about, asked, scene
from tests.review.test_partner import HERE, THERE, answered, keep_match, matched, review_offer


def lose(party: Party) -> None:
    for path in party.home.path.glob("releases.sqlite*"):
        path.unlink()


def shown(a: Party, b: Party, rows: np.ndarray, folder: Path) -> None:
    """A asks for these records of B, and gets them."""
    ask_about(a, b, rows + 10, rows, folder / "ask.pprl")
    inbox.open_file(b.home, b.own, folder / "ask.pprl")
    answered(b, folder / "answer.pprl")
    inbox.open_file(a.home, a.own, folder / "answer.pprl")


def test_the_maximum_of_cells_in_clear_holds_after_a_repair_and_the_next_delivery(tmp_path: Path) -> None:
    a, b = scene(tmp_path, review_offer(clear=10))  # three of thirty
    matched(a, b)
    shown(a, b, np.arange(2, 5), tmp_path)
    lose(b)
    repair(b.home, b.own)
    table = people(11, 41)
    export(b.home, b.own, b.agreement, table, tmp_path / "b2.pprl")
    inbox.open_file(a.home, a.own, tmp_path / "b2.pprl")
    keep_match(b, a, np.arange(5), np.arange(11, 16))
    keep_match(a, b, np.arange(11, 16), np.arange(5))
    ask_about(a, b, np.arange(13, 16), np.arange(2, 5), tmp_path / "more.pprl")
    inbox.open_file(b.home, b.own, tmp_path / "more.pprl")
    seen = clear_cells.would_leave(b.signed(), table)
    assert (seen.before, seen.fresh, seen.most) == (3, 3, 3)
    with pytest.raises(Problem, match="6 records in clear; the agreement allows 3"):
        clear_cells.answer(b.signed(), table, tmp_path / "x.pprl", seen)


def test_everything_that_the_agreements_know_is_entered_again(tmp_path: Path) -> None:
    a, b = scene(tmp_path, review_offer())
    matched(a, b)
    for one, other in ((a, b), (b, a)):
        results.export(one.signed(), tmp_path / "result.pprl")
        inbox.open_file(other.home, other.own, tmp_path / "result.pprl")
    asked(a, b, tmp_path)
    answered(b, tmp_path / "answer.pprl")
    inbox.open_file(a.home, a.own, tmp_path / "answer.pprl")

    def entries(party: Party) -> list[tuple[object, ...]]:
        found = party.home.ledger().disclosures()
        return sorted(
            (one.what, one.partner, one.content, one.records, one.fresh, one.fields, one.received, bool(one.file))
            for one in found
        )

    for party, count in ((a, 3), (b, 2)):
        before = entries(party)
        assert len(before) == count
        lose(party)
        assert repair(party.home, party.own).beside == count
        assert entries(party) == before
        said = " ".join(map(str, left_sentences(party.home, party.agreement)))
        assert "that were sent under this agreement are in the record" in said
        assert party.home.ledger().verify().whole
    assert clear_cells.would_leave(b.signed(), THERE).resent
    assert results.export(b.signed(), tmp_path / "again.pprl").resent
    assert len(entries(b)) == 2


def test_what_was_shown_under_another_agreement_is_told(tmp_path: Path) -> None:
    a, b = scene(tmp_path, review_offer(clear=20))
    matched(a, b)
    first = b.agreement.id
    shown(a, b, np.arange(2, 6), tmp_path)
    second = agree(a, b, tmp_path, review_offer(clear=20)).id
    for one, other, table in ((a, b, HERE), (b, a, THERE)):
        signed = one.signed(second)
        bundles.export(signed, table, tmp_path / "data.pprl", seen=bundles.plan(signed, table).confirm())
        inbox.open_file(other.home, other.own, tmp_path / "data.pprl")
    for one, table in ((a, HERE), (b, THERE)):
        job = one.job(second)
        job.keep(one.match(second, table))
    for one, other in ((a, b), (b, a)):
        results.export(one.signed(second), tmp_path / "result.pprl")
        inbox.open_file(other.home, other.own, tmp_path / "result.pprl")
    assert first != second
    agreement, item = a.home.agreement(second), a.home.agreement(second).latest_sent("result")
    assert item is not None
    told = letters.open_own(a.own, letters.own_copy(a.signed(second).sent_path(item))).load()
    pair = {name: told[name][:1] for name in ("mine", "yours")}
    agreement, item = letters.send(a.signed(second), "review", review_letters.request_body(agreement, 1), pair)
    letters.publish(a.home, agreement, item, tmp_path / "ask.pprl")
    inbox.open_file(b.home, b.own, tmp_path / "ask.pprl")
    seen = clear_cells.would_leave(b.signed(second), THERE)
    assert (seen.before, seen.elsewhere) == (0, 4)
    assert "4 records were sent in clear to this partner under other agreements" in " ".join(map(str, seen.sentences()))


def test_who_asked_blindly_before_a_repair_has_asked_before(tmp_path: Path) -> None:
    two = blinded.agree(blinded.introduced(tmp_path))
    two.open("b", two.ask())
    two.open("a", two.answer())
    lose(two.b)
    made = repair(two.b.home, two.b.own)
    assert made.beside == 1
    (entered,) = two.b.home.ledger().disclosures()
    assert (entered.what, entered.coverage) == ("answer", "")
    assert two.answer().exists(), "the same answer again"
    assert len(two.b.home.ledger().disclosures()) == 1
    two.match()
    two.open("b", two.result())
    first = two.job("b").agreement.id
    Partnership.end(two.a.home, first, "done")
    Partnership.end(two.b.home, first, "done")
    blinded.agree(two)
    two.open("b", two.ask())
    with pytest.raises(Problem, match="asked before") as refused:
        two.answer()
    assert "100.0 of 100" in str(refused.value)


def test_what_left_before_such_entries_existed_is_said_with_what_to_do_and_entered_by_the_repair(tmp_path) -> None:
    b = scene(tmp_path, review_offer())[1]
    body: strict.Plain = {"pairs": 0}
    letters.send(b.signed(), "result", body, {}, table="ab" * 32)  # as the first version sent one: no entry
    (said,) = [str(one) for one in left_sentences(b.home, b.agreement) if "is not in the record" in str(one)]
    assert "'pprl-desktop releases repair' enters it again" in said
    assert repair(b.home, b.own).beside == 1
    assert not any("not in the record" in str(one) for one in left_sentences(b.home, b.agreement))
    with pytest.raises(Problem, match="fits your agreements"):
        repair(b.home, b.own)
