"""A file lost on its way, or lost at home: the sentence says which, and doing what it says goes on with the job."""

from __future__ import annotations

from pathlib import Path

import pytest

from pprl_desktop.exchange import bundles, clear_cells, inbox, letters, linking, results, sent_again
from pprl_desktop.problem import Problem
from tests.exchange.conftest import Party, Scene, export, people
from tests.exchange.test_clear_cells import asked
from tests.exchange.test_clear_cells import scene as reviewed
from tests.hostility import Tally
from tests.review.test_partner import THERE, answered, matched, review_offer


@pytest.fixture
def parties(tmp_path: Path) -> tuple[Party, Party]:
    return reviewed(tmp_path, review_offer())


def test_a_partner_who_lost_a_file_gets_the_one_that_is_named(scene: Scene) -> None:
    export(scene.a.home, scene.a.own, scene.a.agreement, people(0, 70), scene.folder / "a2.pprl")
    with pytest.raises(Problem, match="Open file 1 of General Hospital first"):
        inbox.open_file(scene.b.home, scene.b.own, scene.folder / "a2.pprl")
    first = scene.bundle.read_bytes()
    scene.bundle.unlink()
    assert sent_again.write(scene.a.home, scene.a.agreement.id, 1, scene.folder / "again.pprl") == "data"
    assert (scene.folder / "again.pprl").read_bytes() == first
    assert [one.sent for one in scene.a.home.ledger().releases()] == [1, 0]
    for name in ("again.pprl", "a2.pprl"):
        inbox.open_file(scene.b.home, scene.b.own, scene.folder / name)


def test_requests_results_and_cells_are_entered_as_sent_again_before_the_copy(parties, tmp_path, monkeypatch) -> None:
    a, b = parties
    matched(a, b)
    asked(a, b, tmp_path)
    answered(b, tmp_path / "cells.pprl", THERE)
    results.export(b.signed(), tmp_path / "result.pprl")
    monkeypatch.setattr(letters, "copy", _refuse)
    for item in b.agreement.sent[1:]:
        with pytest.raises(KeyboardInterrupt):
            sent_again.write(b.home, b.agreement.id, item.sequence, tmp_path / "x.pprl")
    assert [(one.what, one.sent) for one in b.home.ledger().disclosures()] == [("clear cells", 1), ("result", 1)]
    monkeypatch.undo()
    for item, name in zip(b.agreement.sent[1:], ("cells", "result"), strict=True):
        sent_again.write(b.home, b.agreement.id, item.sequence, tmp_path / "x.pprl")
        assert (tmp_path / "x.pprl").read_bytes() == (tmp_path / f"{name}.pprl").read_bytes()


def _refuse(*_: object, **__: object) -> None:
    raise KeyboardInterrupt


def test_what_is_not_the_file_that_was_sent_is_not_written(parties, tmp_path) -> None:
    a, b = parties
    matched(a, b)
    results.export(b.signed(), tmp_path / "result.pprl")
    for item in b.agreement.sent:
        b.signed().sent_path(item).write_bytes((tmp_path / "proposal.pprl").read_bytes())
        with pytest.raises(Problem, match="does not know this file"):
            sent_again.write(b.home, b.agreement.id, item.sequence, tmp_path / "x.pprl")
    assert not (tmp_path / "x.pprl").exists()


def test_proposal_and_answer_are_written_again_and_nothing_under_an_ended_agreement(parties, tmp_path) -> None:
    a, b = parties
    for party, name in ((a, "proposal"), (b, "answer")):
        sent_again.write(party.home, party.agreement.id, sent_again.TERMS, tmp_path / "x.pprl")
        assert (tmp_path / "x.pprl").read_bytes() == (tmp_path / f"{name}.pprl").read_bytes()
    with pytest.raises(Problem, match="no file 7"):
        sent_again.write(a.home, a.agreement.id, 7, tmp_path / "x.pprl")
    inbox.end(a.home, a.agreement, "over")
    for number in (0, 1):
        with pytest.raises(Problem, match="not in force"):
            sent_again.write(a.home, a.agreement.id, number, tmp_path / "y.pprl")
    assert not (tmp_path / "y.pprl").exists()


def test_a_sent_file_that_is_lost_at_home_is_said_with_what_to_do(parties, tmp_path) -> None:
    a, b = parties
    matched(a, b)
    results.export(b.signed(), tmp_path / "result.pprl")
    for item in b.agreement.sent:
        b.signed().sent_path(item).unlink()
    before = b.home.ledger().head
    for act in (
        lambda: results.export(b.signed(), tmp_path / "x.pprl"),
        lambda: bundles.export(b.signed(), THERE, tmp_path / "x.pprl"),
        lambda: sent_again.write(b.home, b.agreement.id, 1, tmp_path / "x.pprl"),
    ):
        with pytest.raises(Problem, match="is missing in your home folder") as found:
            act()
        assert "Put this one file back" in str(found.value.do)
        assert "propose a new agreement" in str(found.value.do)
    assert b.home.ledger().head == before or b.home.ledger().verify().whole


@pytest.mark.parametrize("how", ["gone", "damaged"])
def test_a_received_file_that_is_lost_at_home_is_taken_in_once_more(parties, tmp_path, how) -> None:
    b = parties[1]
    item = b.agreement.received[0]
    path = b.signed().received_path(item)
    kept = path.read_bytes()
    path.unlink() if how == "gone" else path.write_bytes(kept[:-100])
    with pytest.raises(Problem, match="File 1 of Hospital") as found:
        linking.partner_names(b.signed())
    assert "once more" in str(found.value.do)
    record = b.agreement
    received = inbox.open_file(b.home, b.own, tmp_path / "a1.pprl")
    assert "put back" in str(received.sentence)
    assert path.read_bytes() == kept
    assert b.agreement == record
    assert len(linking.partner_names(b.signed())) == 30
    with pytest.raises(Problem, match="already imported"):
        inbox.open_file(b.home, b.own, tmp_path / "a1.pprl")


def test_a_map_with_a_hole_in_place_of_its_content_costs_nothing(parties, tmp_path) -> None:
    b = parties[1]
    (kept,) = b.home.folder(b.agreement.id).glob("sent/*.map")
    with kept.open("wb") as made:
        made.truncate(3 << 30)
    tally = Tally("map")
    assert not tally.case(lambda: linking.own_names(b.signed()))
    tally.finish()
    with pytest.raises(Problem, match="cannot be opened"):
        linking.own_names(b.signed())


@pytest.mark.parametrize("how", ["gone", "damaged"])
def test_what_is_kept_beside_a_sent_file_is_not_said_to_be_damaged_in_transit(parties, tmp_path, how) -> None:
    a, b = parties
    matched(a, b)
    asked(a, b, tmp_path)
    (kept,) = b.home.folder(b.agreement.id).glob("sent/*.map")
    kept.unlink() if how == "gone" else kept.write_bytes(b"age-encryption.org/v1\nx")
    with pytest.raises(Problem) as found:
        clear_cells.would_leave(b.signed(), THERE)
    assert "home folder" in str(found.value.what)
    assert "transit" not in str(found.value.sentence())
    assert "this one file" in str(found.value.do)
    match = b.home.folder(b.agreement.id) / "match.pprl"
    match.write_bytes(match.read_bytes()[:-20])
    with pytest.raises(Problem, match=r"'match.pprl' in your home folder cannot be opened") as found:
        linking.kept(b.signed())
    assert str(found.value.do) == "Match again."
