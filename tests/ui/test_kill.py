"""SIGKILL of the real window at work: reopening continues where it was; no decision and no charge is lost."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileDialog

from pprl_desktop import resources
from pprl_desktop.job import demo
from pprl_desktop.job.partnership import Partnership
from pprl_desktop.project.project import SUFFIX, Project
from pprl_desktop.review.desk import Desk
from pprl_desktop.review.desk_files import LEDGER
from pprl_desktop.review.ledger import read_entries
from pprl_desktop.ui.shell.main_window import MainWindow
from tests.ui.reviews import sample_review

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no SIGKILL")
ROOT = Path(__file__).parents[2]


def killed(what: str, project: Path, file: Path, moment: str) -> None:
    command = [sys.executable, "-m", "tests.ui.dying_window", what, str(project), str(file), moment]
    ended = subprocess.run(command, cwd=ROOT, env=dict(os.environ), capture_output=True, text=True, timeout=600)
    assert ended.returncode == -signal.SIGKILL, ended.stderr


@pytest.fixture(scope="module")
def stages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The folder of a steward who has agreed and has the partner's bundle: before sealing the own one, and after."""
    folder = tmp_path_factory.mktemp("agreed")
    (folder / "post").mkdir()
    a, b = (demo._party(folder, side, demo.NO_PROGRESS) for side in (0, 1))
    found = {}
    with a.project, b.project:
        demo._exchange_cards(a, b, folder)
        demo._agree(a, b, folder)
        theirs = folder / "post" / "theirs.pprl"
        b.agreed().export(b.own_table, b.choices, theirs)
        Partnership.open(a.home, a.own, theirs)
        assert a.contact is not None
        a.choices = a.choices.changed(
            partner=a.contact.id, agreement=a.agreed().id, partner_path=str(theirs), home=str(a.home.path)
        )
        a.project.change("Agree", **{name: getattr(a.choices, name) for name in a.choices.__dataclass_fields__})
        for step in ("data", "fields", "method", "agreement", "partner"):
            a.project.confirm(step)
        found["agreed"] = Path(shutil.copytree(a.folder, folder / "before"))
        ours = folder / "post" / "ours.pprl"
        a.agreed().export(a.own_table, a.choices, ours)
        a.project.change("Create bundle", bundle_path=str(ours))
        a.project.confirm("export")
    found["sealed"] = a.folder
    return found


@pytest.fixture
def project_at(stages: dict[str, Path], tmp_path: Path) -> Callable[[str], Path]:
    """A copy of the steward's folder, keys and all."""

    def at(stage: str) -> Path:
        folder = Path(shutil.copytree(stages[stage], tmp_path / "anna"))
        (path,) = folder.glob(f"*{SUFFIX}")
        with Project.open(path) as opened:
            opened.change("Move", home=str(folder / "keys"))
        return path

    return at


@pytest.fixture
def reopen(open_window: Callable[..., MainWindow], qtbot) -> Callable[[Path], MainWindow]:  # type: ignore[no-untyped-def]
    def opened(path: Path) -> MainWindow:
        window = open_window()
        window.open_file(path)
        if window.desk.home.exists:
            window.desk.unlocked(window.desk.home.unlock(demo.PASSPHRASE))
        return window

    return opened


def slow(*moments: str) -> list[object]:
    return [pytest.param(one, marks=pytest.mark.slow) for one in moments]


@pytest.mark.parametrize("moment", ["progress 4", *slow("progress 1", "progress 2", "progress 9", "progress 20")])
def test_killed_while_reading(moment: str, tmp_path: Path, reopen, qtbot) -> None:  # type: ignore[no-untyped-def]
    table = resources.find("samples", "hospital_a.csv")
    Project.create(tmp_path / "one.pprlproject").close()
    killed("read", tmp_path / "one.pprlproject", table, moment)
    window = reopen(tmp_path / "one.pprlproject")
    assert window.current == "data"
    assert window.desk.need_project().choices.table_path == ""  # nothing of it half read
    window.open_file(table)
    qtbot.waitUntil(lambda: window.desk.need_project().choices.rows == 1500)


@pytest.mark.parametrize("moment", ["progress 3", *slow("progress 1", "progress 12", "progress 25")])
def test_killed_while_matching(moment: str, project_at, reopen, qtbot) -> None:  # type: ignore[no-untyped-def]
    project = project_at("sealed")
    killed("match", project, project, moment)
    window = reopen(project)
    assert window.current == "match"
    assert window.desk.findings.match is None
    if moment != "progress 3":  # the whole match again, in the thorough run
        window.pane()._match()  # type: ignore[attr-defined]
        qtbot.waitUntil(lambda: window.desk.findings.match is not None)
        assert len(window.desk.findings.match.accepted()) > 700


@pytest.mark.parametrize(
    "moment", ["replace 1", *slow("progress 2", "progress 6", "replace 2", "replace 3", "replace 1 after")]
)
def test_killed_while_sealing(moment: str, project_at, tmp_path: Path, reopen, qtbot, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    out = tmp_path / "bundle.pprl"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", staticmethod(lambda *_a, **_k: (str(out), "")))
    project = project_at("agreed")
    killed("seal", project, out, moment)
    window = reopen(project)
    assert window.desk.home.ledger().verify().whole
    window.show_pane("export")
    assert window.desk.need_project().choices.bundle_path == ""
    window.pane().known.setChecked(True)  # type: ignore[attr-defined]
    window.next.click()
    qtbot.waitUntil(lambda: window.desk.need_project().choices.bundle_path == str(out))
    assert out.is_file()
    assert len(window.desk.home.ledger().releases()) == 1  # charged once, however often it was begun
    assert not list(tmp_path.glob(".bundle*"))  # what was half written is gone


@pytest.mark.parametrize(
    "moment", ["entry 5 after", *slow("entry 1", "entry 1 after", "entry 4", "entry 11 after", "entry 12")]
)
def test_killed_while_reviewing(moment: str, project_at, tmp_path: Path, reopen, qtbot) -> None:  # type: ignore[no-untyped-def]
    folder = tmp_path / "sample.review"
    with Desk.create(folder, sample_review(reviewer_budget=Fraction(1)), demo.PASSPHRASE) as desk:
        begun = len(desk.ledger.entries)
    project = project_at("agreed")
    with Project.open(project) as opened:
        opened.change("Make a review", review_path=str(folder))
    killed("review", project, folder, moment)
    _, number, *after = moment.split()
    entries = read_entries(folder / LEDGER)[begun:]
    assert len(entries) == int(number) - (not after)  # what was answered is written, what was not written is not
    window = reopen(project)
    window.show_pane("review")
    window.pane()._open_desk(str(folder), demo.PASSPHRASE)  # type: ignore[attr-defined]
    qtbot.waitUntil(lambda: window.desk.findings.session is not None)
    session = window.desk.findings.session
    assert len(session.decisions.current) == sum(one.what == "decide" for one in entries)
    charged = [one for one in entries if one.what in ("start", "reveal")]
    risk = session.gate.meter().charged
    assert f"{float(risk):.12f}" == (charged[-1].body["total"] if charged else f"{0:.12f}")
    undecided = session.advance().to_go
    assert undecided == len(session.review.pairs) - len(session.decisions.current)
