"""A review and a project on a disk that runs full: nothing is opened or decided unwritten, and nothing is lost."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from pprl_desktop import files
from pprl_desktop.problem import Problem
from pprl_desktop.project.project import Project
from pprl_desktop.review import share as shares
from pprl_desktop.review.desk import Desk
from pprl_desktop.review.ledger import verify
from tests.exchange.test_power import small_disk
from tests.exchange.test_power_disclosures import fill
from tests.review.test_desk import WORDS, review

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="mounts of POSIX")
SECRET = f"{WORDS} anna"


def refused(act) -> str:
    try:
        act()
    except Problem as problem:
        return str(problem.sentence())
    return ""


def test_deciding_on_a_full_disk_is_refused_and_nothing_is_lost(tmp_path) -> None:
    """From no room at all to enough: what was confirmed is there afterwards, what was refused never happened."""
    failed = 0
    with Desk.create(tmp_path / "r", review(), WORDS) as desk:
        made = desk.assign({"anna": SECRET}, out=tmp_path / "out")["anna"]
        with small_disk(tmp_path, 3) as disk:
            for leave in range(0, 120_000, 8_000):
                path = disk / "anna.share"
                shutil.copy(made, path)
                share = shares.open_share(path, SECRET)
                session = shares.start(path, share)
                first, second = session.order[:2]
                session.decide(6, "sure", first)
                filler = fill(disk, leave)
                field = session.view(second).cells[0].field
                before = session.gate.meter()
                said = refused(lambda: session.reveal(field, second))  # noqa: B023 - called at once
                if said:
                    failed += 1
                    assert said.startswith("The ledger could not be written, so nothing was opened or decided.")
                    assert session.gate.meter() == before
                    assert not any(session.gate.levels(session.review.pair_number(second)))
                denied = refused(lambda: session.decide(1, "a note", second))  # noqa: B023 - called at once
                assert bool(denied) or second in session.decisions.current
                assert not denied or second not in session.decisions.current
                charged, decided = session.gate.charged, dict(session.decisions.current)
                session.ledger.close()
                filler.unlink()
                assert verify(shares.ledger_path(path), share.ledger_key).ok
                again = shares.start(path, share)
                assert again.gate.charged == charged
                assert {pair: one.point for pair, one in again.decisions.current.items()} == {
                    pair: one.point for pair, one in decided.items()
                }
                assert first in again.decisions.current
                again.decide(1, "", second)
                again.ledger.close()
                for rest in disk.iterdir():
                    rest.unlink()
    assert failed


def test_a_desk_that_cannot_be_written_keeps_its_last_state(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(files, "need_space", lambda *_: None)  # so that the disk really runs full
    with small_disk(tmp_path, 3) as disk:
        with Desk.create(disk / "r", review(), WORDS) as desk:
            desk.session().decide(6)
            filler = fill(disk, 0)
            entries = len(desk.ledger.entries)
            assert refused(lambda: desk.session().decide(1)).startswith("The ledger could not be written")
            assert refused(lambda: desk.assign({"anna": SECRET}, out=disk / "out"))
            assert len(desk.ledger.entries) == entries
            filler.unlink()
        with Desk.open(disk / "r", WORDS) as again:
            assert len(again.ledger.entries) >= entries
            assert len(again.session().decisions.current) == 1
            assert not [path for path in disk.rglob("*") if path.name.endswith(".part")]


def test_a_project_on_a_full_disk_says_so_and_keeps_what_was_saved(tmp_path: Path) -> None:
    failed = 0
    with small_disk(tmp_path, 3) as disk:
        for leave in range(0, 60_000, 6_000):
            with Project.create(disk / "p", "Heart registry") as project:
                project.change("Choose table", table_path="people.csv", rows=12)
                filler = fill(disk, leave)
                for number in range(40):
                    said = refused(lambda: project.change("Choose table", rows=100 + number))  # noqa: B023
                    if said:
                        failed += 1
                        assert said.startswith("The disk is full.")
                        break
                rows = project.choices.rows
                filler.unlink()
            with Project.open(disk / "p.pprlproject") as again:
                assert again.choices.rows == rows
            for rest in disk.iterdir():
                rest.unlink()
    assert failed
