"""report: the page of one agreement from the terminal, before and after there is a result."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pprl_desktop import cli
from pprl_desktop.codes.base import Settings
from pprl_desktop.exchange import agreement, contacts, identity
from pprl_desktop.exchange.home import Home
from pprl_desktop.records.fields import Field


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
    offer = agreement.Offer("bloom", (Field.of("last_name"),), Settings(), purpose="a test")
    agreement.propose(mine, own, contact, offer, tmp_path / "proposal.pprl")
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
