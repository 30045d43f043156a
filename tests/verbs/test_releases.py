"""The verb releases: list, verify, limit."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from pprl_desktop.cli import main
from pprl_desktop.exchange.releases import Planned, ReleaseLedger
from pprl_desktop.privacy.claims import Statement
from pprl_desktop.records.table import Table


@pytest.fixture
def home(tmp_path: Path) -> Path:
    ledger = ReleaseLedger(tmp_path / "releases.sqlite", b"k" * 32)
    said = Statement("bloom", "none", "", "", 2, "", (), (), (), (), ())
    made = ledger.enter(
        Planned(ledger.fingerprint(Table.of(("a",), [("x",), ("y",)])), "partner-key", "agreement-1", said)
    )
    ledger.written(made, "00" * 32)
    return tmp_path


def test_nothing_released_is_said_and_makes_no_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["releases", "--home", str(tmp_path / "none")]) == 0
    assert "Nothing has been released" in capsys.readouterr().out
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize("argv", [["--json"], ["list", "--json"], ["--json", "list"]])
def test_releases_are_listed(home: Path, argv: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["releases", "--home", str(home), *argv]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["releases"][0]["partner"] == "partner-key"
    assert found["releases"][0]["rows"] == 2
    assert found["whole"]
    assert "seed" not in found["releases"][0]


def test_releases_as_text(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["releases", "--home", str(home)]) == 0
    assert "2 records to partner-key under agreement agreement-1, bloom, no noise" in capsys.readouterr().out


def test_a_changed_record_fails_verification(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["releases", "--home", str(home), "verify"]) == 0
    with closing(sqlite3.connect(home / "releases.sqlite")) as base, base:
        base.execute("DROP TRIGGER no_change")
        base.execute("UPDATE event SET body = replace(body, 'partner-key', 'someone') WHERE number = 1")
    assert main(["releases", "--home", str(home), "verify"]) == 1
    assert "was changed" in capsys.readouterr().out
    assert main(["releases", "--home", str(home), "verify", "--head", "ff"]) == 1


def test_limits_are_set_shown_and_taken_away(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["releases", "--home", str(home), "limit", "per record", "2000"]) == 0
    assert main(["releases", "--home", str(home), "limit", "without noise", "0"]) == 0
    assert "not allowed" in capsys.readouterr().out
    assert main(["releases", "--home", str(home), "limit", "without noise", "none", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"limits": {"releases": 3.0, "per record": 2000.0}}


@pytest.mark.parametrize("argv", [["limit", "per mile", "1"], ["limit", "per bit", "much"], ["limit", "per bit"]])
def test_bad_limits_are_refused(home: Path, argv: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["releases", "--home", str(home), *argv]) == 2
    assert capsys.readouterr().err
