"""A whole finished job of an earlier version opens and goes on: keys, agreement, sealed files, ledger, review, report.

fixtures/finished_layout_N.tar.xz was written by the program that had layout N (tests/project/finished_job.py).
"""

from __future__ import annotations

import tarfile
from pathlib import Path

import pytest

from pprl_desktop.exchange import agreeing, bundles
from pprl_desktop.exchange.home import Home
from pprl_desktop.exchange.identity import Identity
from pprl_desktop.exchange.signatory import Signatory
from pprl_desktop.job import demo
from pprl_desktop.job.finishing import Course, finish
from pprl_desktop.job.own_table import OwnTable
from pprl_desktop.job.partnership import Partnership
from pprl_desktop.project import store
from pprl_desktop.project.project import Project
from pprl_desktop.review.desk import Desk
from pprl_desktop.review.ledger import verify
from tests.project.finished_job import FIXTURES, SHARED, SIDE, STEPS, fixture_of

OLD = sorted(FIXTURES.glob("finished_layout_*.tar.xz"))


@pytest.fixture(params=OLD, ids=lambda path: path.name.split(".")[0])
def folder(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The steward's folder; its paths are relative, so the job is opened from where it lies."""
    with tarfile.open(request.param) as archive:
        archive.extractall(tmp_path, filter="data")
    monkeypatch.chdir(tmp_path)
    return tmp_path / "demo" / SIDE


def opened(folder: Path) -> Project:
    return Project.open(folder / f"{SIDE}.pprlproject")


def unlocked(project: Project) -> tuple[Home, Identity]:
    home = Home(Path(project.choices.home))
    return home, home.unlock(demo.PASSPHRASE)


def test_every_layout_has_its_job() -> None:
    assert [fixture_of(layout) for layout in range(1, store.SCHEMA_VERSION + 1)] == OLD


def test_every_step_is_still_there(folder: Path) -> None:
    with opened(folder) as project:
        # a version that adds a setting asks to look at the method again; nothing is ever forgotten
        assert {state.step.name for state in project.states() if state.state in ("done", "stale")} == set(STEPS)
        assert project.choices.rows == len(OwnTable().table(project.choices).column(project.choices.id_column).cells())
        assert not project.can_undo(), "what was written and sent is not taken back"


def test_matching_again_and_finishing_again_give_the_links(folder: Path) -> None:
    with opened(folder) as project:
        home, own = unlocked(project)
        choices, place = project.choices, OwnTable()
        agreement = home.agreement(choices.agreement)
        before = Partnership(home, own, agreement.id).outcome()
        assert SHARED * 0.8 <= len(before.links) <= SHARED
        again = Partnership(home, own, choices.agreement).match(place, choices)
        assert len(again.accepted()) >= SHARED * 0.8
        Partnership(home, own, agreement.id).keep(again)
        made = finish(
            Partnership(home, own, choices.agreement), place, choices, folder / "again", Course("Again", again)
        )
        assert made.linked.rows == len(before.links)
        assert (folder / "again" / "report.html").is_file()
        project.confirm("finish")


def test_the_same_bundle_leaves_again_and_the_ledger_is_whole(folder: Path) -> None:
    with opened(folder) as project:
        home, own = unlocked(project)
        choices = project.choices
        agreement = agreeing.with_columns(home, home.agreement(choices.agreement), dict(choices.columns))
        assert home.ledger().verify().whole
        made = bundles.export(Signatory(home, own, agreement.id), OwnTable().clean(choices), folder / "again.pprl")
        assert (folder / "again.pprl").read_bytes() == Path(choices.bundle_path).read_bytes()
        assert made.bytes == Path(choices.bundle_path).stat().st_size
        assert len(home.ledger().releases()) == 1


def test_the_review_goes_on_where_it_stopped(folder: Path) -> None:
    with Desk.open(folder / "uncertain.review", demo.PASSPHRASE) as desk:
        session = desk.session()
        assert len(desk.ledger.entries) >= 2  # one cell opened, one pair decided
        left = session.next_undecided()
        assert left is not None
        session.decide(1, pair=left)
    assert verify(folder / "uncertain.review" / "ledger.db").ok
