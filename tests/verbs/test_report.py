"""report: the page of one agreement from the terminal, before and after there is a result."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from pprl_desktop import cli
from pprl_desktop.codes.base import Settings
from pprl_desktop.exchange import agreeing, contacts, identity
from pprl_desktop.exchange.home import Home
from pprl_desktop.exchange.passphrase import Cost
from pprl_desktop.job.partnership import Partnership
from pprl_desktop.project.choices import Choices
from pprl_desktop.records.fields import Field
from pprl_desktop.review import sealing
from pprl_desktop.review.desk import Desk
from pprl_desktop.review.plan import Policy
from pprl_desktop.review.sources import review_fields
from tests.exchange.conftest import FIELDS, PASSPHRASE, Cleaned, Party
from tests.exchange.test_clear_cells import scene
from tests.review.test_partner import HERE, answered, matched, review_offer


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A steward with a proposal on the way."""
    own, other = identity.new("Anna"), identity.new("Bernd")
    mine, theirs = Home(tmp_path / "anna"), Home(tmp_path / "bernd")
    mine.create(own, "a passphrase for tests")
    theirs.create(other, "a passphrase for tests")
    contact = contacts.new(theirs.own_card_bytes())
    contact = contacts.verified(contact, mine.own_card(), contacts.number_with(mine.own_card(), contact).as_text())
    mine.keep_contact(contact)
    offer = agreeing.Offer("bloom", (Field.of("last_name"),), Settings(), purpose="a test")
    Partnership.propose(mine, own, contact.id, offer, tmp_path / "proposal.pprl")
    monkeypatch.setenv("PPRL_PASSPHRASE", "a passphrase for tests")
    return mine.path


def test_the_report_says_what_has_not_happened_yet(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["report", "--home", str(home)]) == 0
    text = capsys.readouterr().out
    assert "State: proposed" in text
    assert "No file has been exchanged yet." in text
    assert "have not been put together yet" in text


def test_the_page_is_written_whole(home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "report.html"
    assert cli.main(["report", "--home", str(home), "--out", str(out), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["file"] == str(out)
    assert out.read_text(encoding="utf-8").endswith("</html>\n")
    assert list(tmp_path.glob(".*")) == []


def printed(verb: str, party: Party, capsys: pytest.CaptureFixture[str], *more: str) -> str:
    capsys.readouterr()
    assert cli.main([verb, "--home", str(party.home.path), *more]) == 0
    return capsys.readouterr().out


def test_what_left_in_clear_is_in_both_reports_and_in_the_list_of_releases(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    a, b = scene(tmp_path, review_offer())
    matched(a, b)
    monkeypatch.setenv("PPRL_PASSPHRASE", PASSPHRASE)
    for party in (a, b):
        said = printed("report", party, capsys)
        assert "No cell of a record was sent in clear: the record has no such entry." in said
        assert "Never sent" not in said
    a.job().ask(tmp_path / "ask.pprl")
    Partnership.open(b.home, b.own, tmp_path / "ask.pprl")
    answered(b, tmp_path / "cells.pprl")
    Partnership.open(a.home, a.own, tmp_path / "cells.pprl")
    said = printed("report", b, capsys)
    assert "In clear: the cells of 4 of 30 records were sent for the review (first_name, last_name, born)." in said
    assert "All 2 files that were sent under this agreement are in the record." in said
    assert "No cell of a record was sent" not in said
    assert "The partner sent the cells of 4 records in clear for the review." in printed("report", a, capsys)
    assert "CLEAR CELLS (first_name, last_name, born), 4 records to" in printed("releases", b, capsys)
    assert "CLEAR CELLS (first_name, last_name, born), 4 records from" in printed("releases", a, capsys)
    assert "request for cells, 4 pairs to" in printed("releases", a, capsys)


def test_a_file_that_is_not_in_the_record_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    a, b = scene(tmp_path, review_offer())
    matched(a, b)
    monkeypatch.setenv("PPRL_PASSPHRASE", PASSPHRASE)
    a.job().send_result(tmp_path / "r.pprl")
    unknown = replace(a.agreement, sent=tuple(replace(one, table="other") for one in a.agreement.sent))
    a.home.keep_agreement(unknown)
    said = printed("report", a, capsys)
    assert "1 of 2 files that were sent is not in the record" in said


def test_the_report_of_a_reviewed_job_tells_the_review(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sealing, "COST", Cost(memory=8, passes=1, lanes=1))
    monkeypatch.setenv("PPRL_PASSPHRASE", PASSPHRASE)
    a, b = scene(tmp_path, review_offer())
    matched(a, b)
    assert "No pair was reviewed." in printed("report", a, capsys)
    a.job().ask(tmp_path / "ask.pprl")
    Partnership.open(b.home, b.own, tmp_path / "ask.pprl")
    answered(b, tmp_path / "cells.pprl")
    Partnership.open(a.home, a.own, tmp_path / "cells.pprl")
    review = a.job().uncertain(Cleaned(HERE), Choices(), Policy(review_fields(FIELDS), reviewer_budget=Fraction(1)))
    with Desk.create(tmp_path / "r", review, PASSPHRASE) as desk:
        session = desk.session()
        session.reveal("first_name")
        for point in (6, 1, 0):
            session.decide(point)
        a.job().take_in(desk.review, desk.outcome(), desk.losses())
    said = printed("report", a, capsys)
    assert "3 uncertain pairs were reviewed masked: 1 the same person, 1 different, 1 not settled." in said
    assert "Reviewers: 1; they opened one cell" in said
