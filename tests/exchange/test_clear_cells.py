"""Cells in clear: only where a review was agreed, only what the own match shares, counted, confirmed, entered."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pprl_desktop import files
from pprl_desktop.exchange import bundles, clear_cells, inbox, letters, linking, results, review_letters, strict
from pprl_desktop.exchange.agreeing import Offer
from pprl_desktop.exchange.manifest import Manifest
from pprl_desktop.problem import Problem
from pprl_desktop.records.table import CleanTable, Column
from tests.exchange.conftest import FIELDS, Party, agree, introduce, make_party, offer
from tests.review.test_partner import HERE, THERE, answered, keep_match, matched, review_offer

CLEAR = "clear cells"


def scene(folder: Path, wanted: Offer) -> tuple[Party, Party]:
    a, b = make_party(folder / "a", "Hospital"), make_party(folder / "b", "Registry")
    introduce(a, b)
    agree(a, b, folder, wanted)
    for one, other, table, name in ((a, b, HERE, "a1"), (b, a, THERE, "b1")):
        bundles.export(one.signed(), table, folder / f"{name}.pprl")
        inbox.open_file(other.home, other.own, folder / f"{name}.pprl")
    return a, b


@pytest.fixture
def parties(tmp_path: Path) -> tuple[Party, Party]:
    return scene(tmp_path, review_offer())


def ask_about(one: Party, other: Party, own: np.ndarray, partner: np.ndarray, out: Path) -> None:
    """A signed request about any pairs: what a partner with an own program can send."""
    agreement = one.agreement
    mine = linking.own_names(one.signed(agreement.id)).of_rows(own)
    yours = linking.own_names(other.signed()).of_rows(partner)
    body = review_letters.request_body(agreement, len(own))
    arrays = {"mine": mine, "yours": yours}

    def beside(target: Path, _sealed: Manifest) -> None:
        letters.seal_to_self(one.own, letters.own_copy(target), agreement, body, arrays)

    agreement, item = letters.send(one.signed(agreement.id), "review", body, arrays, beside=beside)
    letters.publish(one.home, agreement, item, out)


def asked(a: Party, b: Party, folder: Path) -> None:
    clear_cells.ask(a.signed(), folder / "ask.pprl")
    inbox.open_file(b.home, b.own, folder / "ask.pprl")


def entries(party: Party, what: str = CLEAR) -> list[int]:
    return [one.records for one in party.home.ledger().disclosures() if one.what == what]


def turned(table: CleanTable) -> CleanTable:
    return CleanTable(FIELDS, tuple(Column(c.name, c.values, c.codes[::-1]) for c in table.columns))


# ---- the attack of the audit


def test_a_request_that_names_every_record_gets_only_the_uncertain_pairs(parties, tmp_path) -> None:
    a, b = parties
    matched(a, b)
    everyone = np.arange(THERE.rows)
    ask_about(a, b, np.zeros(THERE.rows, np.int64), everyone, tmp_path / "ask.pprl")
    assert "of 30 of your records" in str(inbox.open_file(b.home, b.own, tmp_path / "ask.pprl").sentence)
    shown = clear_cells.would_leave(b.signed(), THERE)
    assert (shown.asked, shown.withheld, shown.records) == (30, 30, 0)
    with pytest.raises(Problem, match="No cell would leave"):
        answered(b, tmp_path / "x.pprl")
    # every record of theirs with every record of ours: the four pairs of the own band, and no other
    own, partner = (part.ravel() for part in np.meshgrid(np.arange(HERE.rows), everyone))
    ask_about(a, b, own, partner, tmp_path / "all.pprl")
    inbox.open_file(b.home, b.own, tmp_path / "all.pprl")
    shown = clear_cells.would_leave(b.signed(), THERE)
    assert (shown.asked, shown.withheld, shown.records) == (900, 896, 4)
    assert set(shown.rows.tolist()) == {2, 3, 4, 5}


def test_without_an_agreed_review_nothing_is_asked_opened_or_sent(tmp_path) -> None:
    a, b = scene(tmp_path, offer())
    matched(a, b)
    with pytest.raises(Problem, match="No review was agreed"):
        clear_cells.ask(a.signed(), tmp_path / "ask.pprl")
    ask_about(a, b, np.arange(12, 16), np.arange(2, 6), tmp_path / "ask.pprl")
    with pytest.raises(Problem, match="No review was agreed"):
        inbox.open_file(b.home, b.own, tmp_path / "ask.pprl")
    with pytest.raises(Problem, match="No review was agreed"):
        clear_cells.would_leave(b.signed(), THERE)
    assert entries(b) == []


def test_without_an_own_match_nothing_leaves(parties, tmp_path) -> None:
    a, b = parties
    keep_match(a, b, np.arange(10, 16), np.arange(6))
    asked(a, b, tmp_path)
    with pytest.raises(Problem, match="no match yet"):
        clear_cells.would_leave(b.signed(), THERE)


def test_the_own_request_opened_by_mistake_is_named(parties, tmp_path) -> None:
    """It was called "a file"."""
    a, b = parties
    matched(a, b)
    asked(a, b, tmp_path)
    with pytest.raises(Problem, match="your own file: File of the review"):
        inbox.open_file(a.home, a.own, tmp_path / "ask.pprl")


def test_a_pair_is_shared_when_both_results_name_it(parties, tmp_path) -> None:
    """Uncertain for the one who asks, accepted by the one who answers: only the results show that both know it."""
    a, b = parties
    keep_match(a, b, np.arange(10, 16), np.arange(6))
    keep_match(b, a, np.array([3]), np.array([13]))  # accepted
    asked(a, b, tmp_path)
    assert clear_cells.would_leave(b.signed(), THERE).records == 0
    for one, other, name in ((a, b, "ra"), (b, a, "rb")):
        results.export(one.signed(), tmp_path / f"{name}.pprl")
        inbox.open_file(other.home, other.own, tmp_path / f"{name}.pprl")
    shown = clear_cells.would_leave(b.signed(), THERE)
    assert shown.rows.tolist() == [3]
    assert (shown.asked, shown.withheld) == (4, 3)


def test_other_rows_or_another_order_of_rows_are_refused(parties, tmp_path) -> None:
    a, b = parties
    matched(a, b)
    asked(a, b, tmp_path)
    shown = clear_cells.would_leave(b.signed(), THERE)
    for wrong in (turned(THERE), THERE.take(np.arange(29)), HERE):
        with pytest.raises(Problem, match="not the table"):
            clear_cells.would_leave(b.signed(), wrong)
        with pytest.raises(Problem, match="not the table"):
            clear_cells.answer(b.signed(), wrong, tmp_path / "x.pprl", shown)
    assert entries(b) == []


def test_a_lost_card_of_the_partner_is_said(parties, tmp_path) -> None:
    a, b = parties
    matched(a, b)
    asked(a, b, tmp_path)
    for path in (b.home.path / "contacts").iterdir():
        path.unlink()
    with pytest.raises(Problem, match="card is no longer here"):
        clear_cells.would_leave(b.signed(), THERE)


# ---- the maximum


def test_more_than_was_agreed_is_refused_by_both_sides(tmp_path) -> None:
    a, b = scene(tmp_path, review_offer(clear=10))  # three of thirty
    matched(a, b)
    with pytest.raises(Problem, match="the agreement allows 3"):
        clear_cells.ask(a.signed(), tmp_path / "ask.pprl")
    ask_about(a, b, np.arange(12, 16), np.arange(2, 6), tmp_path / "ask.pprl")
    inbox.open_file(b.home, b.own, tmp_path / "ask.pprl")
    shown = clear_cells.would_leave(b.signed(), THERE)
    assert shown.blocked is not None
    with pytest.raises(Problem, match="4 records in clear; the agreement allows 3"):
        answered(b, tmp_path / "x.pprl")
    assert entries(b) == []
    assert not (tmp_path / "x.pprl").exists()


def test_asking_in_small_portions_reaches_the_same_maximum(tmp_path) -> None:
    a, b = scene(tmp_path, review_offer(clear=10))
    matched(a, b)
    for row in range(2, 5):
        ask_about(a, b, np.array([row + 10]), np.array([row]), tmp_path / f"ask{row}.pprl")
        inbox.open_file(b.home, b.own, tmp_path / f"ask{row}.pprl")
        assert answered(b, tmp_path / f"answer{row}.pprl").records == 1
    ask_about(a, b, np.array([15]), np.array([5]), tmp_path / "more.pprl")
    inbox.open_file(b.home, b.own, tmp_path / "more.pprl")
    with pytest.raises(Problem, match="4 records in clear; the agreement allows 3"):
        answered(b, tmp_path / "x.pprl")
    # a record that was sent before adds nothing
    ask_about(a, b, np.array([12, 13]), np.array([2, 3]), tmp_path / "again.pprl")
    inbox.open_file(b.home, b.own, tmp_path / "again.pprl")
    shown = clear_cells.would_leave(b.signed(), THERE)
    assert (shown.fresh, shown.before, shown.blocked) == (0, 3, None)


def test_the_maximum_holds_when_the_ledger_is_lost(tmp_path) -> None:
    a, b = scene(tmp_path, review_offer(clear=10))
    matched(a, b)
    before = b.home.ledger_path.read_bytes()
    ask_about(a, b, np.arange(12, 15), np.arange(2, 5), tmp_path / "ask.pprl")
    inbox.open_file(b.home, b.own, tmp_path / "ask.pprl")
    answered(b, tmp_path / "answer.pprl")
    b.home.ledger_path.write_bytes(before)  # an older copy is put back
    ask_about(a, b, np.array([15]), np.array([5]), tmp_path / "more.pprl")
    inbox.open_file(b.home, b.own, tmp_path / "more.pprl")
    with pytest.raises(Problem):
        answered(b, tmp_path / "x.pprl")
    assert not (tmp_path / "x.pprl").exists()


def test_the_organisation_can_forbid_cells_in_clear(parties, tmp_path) -> None:
    a, b = parties
    matched(a, b)
    asked(a, b, tmp_path)
    b.home.ledger().set_limit("clear records", 3)
    shown = clear_cells.would_leave(b.signed(), THERE)
    assert shown.blocked is not None
    with pytest.raises(Problem, match="Your organisation allows at most 3"):
        answered(b, tmp_path / "x.pprl")
    assert entries(b) == []
    assert not (tmp_path / "x.pprl").exists()


# ---- shown, confirmed, entered


def test_what_would_leave_is_counted_here_and_shows_forms_and_no_values(parties, tmp_path) -> None:
    a, b = parties
    matched(a, b)
    asked(a, b, tmp_path)
    sent, written = b.agreement.sent, sorted(tmp_path.rglob("*"))
    shown = clear_cells.would_leave(b.signed(), THERE)
    assert (b.agreement.sent, sorted(tmp_path.rglob("*"))) == (sent, written)
    assert [one.name for one in shown.fields] == ["first_name", "last_name", "born"]
    assert shown.fields[2].forms == ("99999999",)
    assert all(set(form) <= {"A"} for one in shown.fields[:2] for form in one.forms)
    said = " ".join((*map(str, shown.sentences()), repr(shown)))
    assert "Hospital can read, keep and copy these cells" in said
    assert "4 of your 30 records" in said
    assert not any(str(value) in said for column in THERE.columns for value in column.values)


def test_a_confirmation_holds_for_what_was_shown_and_nothing_else(parties, tmp_path) -> None:
    a, b = parties
    matched(a, b)
    ask_about(a, b, np.array([12]), np.array([2]), tmp_path / "ask.pprl")
    inbox.open_file(b.home, b.own, tmp_path / "ask.pprl")
    shown = clear_cells.would_leave(b.signed(), THERE)
    ask_about(a, b, np.arange(12, 16), np.arange(2, 6), tmp_path / "larger.pprl")
    inbox.open_file(b.home, b.own, tmp_path / "larger.pprl")
    with pytest.raises(Problem, match="not what was shown"):
        clear_cells.answer(b.signed(), THERE, tmp_path / "x.pprl", shown)
    assert entries(b) == []


def test_cells_in_clear_are_in_the_ledger_before_the_file_and_both_sides_know(parties, tmp_path, monkeypatch) -> None:
    a, b = parties
    matched(a, b)
    asked(a, b, tmp_path)
    shown = clear_cells.would_leave(b.signed(), THERE)
    seen: list[list[int]] = []
    real = letters.send
    monkeypatch.setattr(letters, "send", lambda *args, **more: seen.append(entries(b)) or real(*args, **more))
    clear_cells.answer(b.signed(), THERE, tmp_path / "answer.pprl", shown)
    assert seen == [[4]]
    (entry,) = [one for one in b.home.ledger().disclosures() if one.what == CLEAR]
    assert entry.fields == ("first_name", "last_name", "born")
    assert entry.file == files.sha256(tmp_path / "answer.pprl")
    assert "cells of 4 records in clear" in str(inbox.open_file(a.home, a.own, tmp_path / "answer.pprl").sentence)
    (came,) = [one for one in a.home.ledger().disclosures() if one.what == CLEAR]
    assert (came.received, came.records) == (True, 4)
    assert entries(a, "request for cells") == [4]


def test_a_result_is_in_the_ledger(parties, tmp_path) -> None:
    a, b = parties
    matched(a, b)
    results.export(a.signed(), tmp_path / "r.pprl")
    results.export(a.signed(), tmp_path / "r2.pprl")
    (entry,) = [one for one in a.home.ledger().disclosures() if one.what == "result"]
    assert (entry.records, entry.sent, entry.file) == (6, 1, files.sha256(tmp_path / "r.pprl"))


def test_answering_again_writes_the_same_bytes_and_adds_nothing(parties, tmp_path) -> None:
    a, b = parties
    matched(a, b)
    asked(a, b, tmp_path)
    first, again = answered(b, tmp_path / "1.pprl"), answered(b, tmp_path / "2.pprl")
    assert (first.resent, again.resent) == (False, True)
    assert (tmp_path / "1.pprl").read_bytes() == (tmp_path / "2.pprl").read_bytes()
    assert entries(b) == [4]


def test_an_answer_that_was_cut_off_after_its_entry_is_finished_and_counted_once(
    parties, tmp_path, monkeypatch
) -> None:
    a, b = parties
    matched(a, b)
    asked(a, b, tmp_path)

    def cut(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(letters, "send", cut)
        with pytest.raises(KeyboardInterrupt):
            answered(b, tmp_path / "x.pprl")
    assert answered(b, tmp_path / "x.pprl").records == 4
    assert entries(b) == [4]


# ---- what comes in


def test_cells_that_were_not_asked_for_are_refused(parties, tmp_path) -> None:
    a, b = parties
    matched(a, b)
    asked(a, b, tmp_path)
    request = a.agreement.latest_sent("review")
    assert request is not None
    names = linking.own_names(b.signed()).of_rows(np.arange(10))
    cells = [[column.cell(row) for row in range(10)] for column in THERE.columns]
    body = review_letters.answer_body(b.agreement, request.digest, 10)
    agreement, item = letters.send(b.signed(), "review", body, review_letters.packed(names, cells))
    letters.publish(b.home, agreement, item, tmp_path / "more.pprl")
    with pytest.raises(Problem, match="not asked for"):
        inbox.open_file(a.home, a.own, tmp_path / "more.pprl")
    assert entries(a) == []


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"pairs": 0}, "pairs"), ({"pairs": 5}, "shape"), ({"mine": "00" * 32}, "another bundle of the partner"),
        ({"yours": "00" * 32}, "another bundle of yours"), ({"step": "take"}, "step"), ({"more": 1}, "unknown entry"),
    ],
)  # fmt: skip
def test_a_wrong_request_is_refused_at_the_door(parties, tmp_path, change, word) -> None:
    a, b = parties
    matched(a, b)
    body = {**review_letters.request_body(a.agreement, 1), **change}
    arrays = {
        "mine": linking.own_names(a.signed()).of_rows(np.array([12])),
        "yours": linking.own_names(b.signed()).of_rows(np.array([2])),
    }
    agreement, item = letters.send(a.signed(), "review", body, arrays)
    letters.publish(a.home, agreement, item, tmp_path / "ask.pprl")
    with pytest.raises(Problem, match=word):
        inbox.open_file(b.home, b.own, tmp_path / "ask.pprl")
    assert [one.kind for one in b.agreement.received] == ["data"]


def test_a_request_of_the_first_version_is_refused_with_what_to_do(parties, tmp_path) -> None:
    a, b = parties
    matched(a, b)
    names = linking.own_names(b.signed()).of_rows(np.array([2]))
    sent = b.agreement.latest_sent("data")
    assert sent is not None
    body: strict.Plain = {"step": "ask", "records": 1, "yours": sent.digest}
    agreement, item = letters.send(a.signed(), "review", body, {"yours": names})
    letters.publish(a.home, agreement, item, tmp_path / "ask.pprl")
    with pytest.raises(Problem, match="older version") as refusal:
        inbox.open_file(b.home, b.own, tmp_path / "ask.pprl")
    assert "ask again" in str(refusal.value.do)


@pytest.mark.parametrize(
    "cell", ["ANNA\x1b[2K", "ANNA\u202eBERTA", "AN\u200bNA", "ANNA\nBERTA", "A" * 1001, "A" * 2_000_000]
)
def test_cells_that_no_cleaning_leaves_are_refused_at_the_door(parties, tmp_path, cell) -> None:
    """They would turn the writing on a reviewer's screen, or keep it busy: marks take the square of a cell's length."""
    a, b = parties
    matched(a, b)
    asked(a, b, tmp_path)
    request = a.agreement.latest_sent("review")
    assert request is not None
    names = linking.own_names(b.signed()).of_rows(np.array([2]))
    arrays = review_letters.packed(names, [["x"], ["x"], ["x"]])
    arrays |= {"f0.text": np.frombuffer(cell.encode(), np.uint8), "f0.ends": np.array([len(cell.encode())])}
    body = review_letters.answer_body(b.agreement, request.digest, 1)
    agreement, item = letters.send(b.signed(), "review", body, arrays)
    letters.publish(b.home, agreement, item, tmp_path / "odd.pprl")
    with pytest.raises(Problem, match="malformed: f0"):
        inbox.open_file(a.home, a.own, tmp_path / "odd.pprl")
    assert entries(a) == []


def test_a_cell_that_the_partner_would_refuse_is_not_sent(tmp_path) -> None:
    long = CleanTable(FIELDS, tuple(Column.of(c.name, ["A" * 1001, *c.cells()[1:]]) for c in THERE.columns))
    with pytest.raises(Problem, match="longer than a review letter"):
        review_letters.packed(np.zeros((30, 16), np.uint8), [column.cells() for column in long.columns])
