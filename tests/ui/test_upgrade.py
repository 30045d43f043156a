"""In the window: a finished job of an earlier version opens on every page; a newer project is refused in a sentence."""

from __future__ import annotations

import json
import sqlite3
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pprl_desktop.job.demo import PASSPHRASE
from pprl_desktop.ui.kit import i18n
from pprl_desktop.ui.shell.main_window import MainWindow
from pprl_desktop.ui.widgets.banner import Banner
from tests.project.finished_job import SIDE, STEPS, fixture_of


@pytest.fixture(autouse=True)
def _english_again() -> Iterator[None]:
    yield
    i18n.install(None, "en")


@pytest.fixture
def job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The project of a whole finished job; its paths are relative to the folder it lies in."""
    with tarfile.open(fixture_of(1)) as archive:
        archive.extractall(tmp_path, filter="data")
    monkeypatch.chdir(tmp_path)
    return tmp_path / "demo" / SIDE / f"{SIDE}.pprlproject"


def test_every_page_of_an_earlier_job_is_shown(window: MainWindow, job: Path, qtbot) -> None:  # type: ignore[no-untyped-def]
    window.open_file(job)
    desk = window.desk
    assert desk.project is not None
    desk.unlocked(desk.home.unlock(PASSPHRASE))
    for step in STEPS:
        window.show_pane(step)
        qtbot.waitUntil(desk.jobs.idle)
        assert window.current == step
        problems = [one for one in window.findChildren(Banner) if one.isVisible() and one.kind == "problem"]
        assert [one.what.text() for one in problems] == []


@pytest.mark.parametrize(
    ("language", "sentence", "reason"),
    [
        ("en", "The project was made by a newer version of PPRL Desktop.", "does not know: settings.layout"),
        ("de", "Das Projekt wurde mit einer neueren Version von PPRL Desktop gemacht.", "nicht kennt: settings.layout"),
    ],
)
def test_a_newer_project_is_refused_with_a_sentence(
    open_window: Callable[..., MainWindow], job: Path, language: str, sentence: str, reason: str
) -> None:
    db = sqlite3.connect(job)
    (text,) = db.execute("SELECT value FROM meta WHERE name = 'choices'").fetchone()
    choices = json.loads(text)
    choices["settings"]["layout"] = "pairs of fields"
    db.execute("UPDATE meta SET value = ? WHERE name = 'choices'", (json.dumps(choices),))
    db.commit()
    db.close()
    window = open_window("--light", f"--language={language}")
    window.open_file(job)
    assert window.desk.project is None
    shown = [one for one in window.findChildren(Banner) if one.isVisible()]
    assert [one.what.text() for one in shown] == [sentence]
    assert reason in shown[0].more.text()
