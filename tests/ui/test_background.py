"""Work goes on when its page is left, is kept, and the window says so."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from pprl_desktop import resources
from pprl_desktop.job.kept import rehearsal_of
from pprl_desktop.progress import Progress
from pprl_desktop.ui.kit.jobs import Job
from pprl_desktop.ui.shell.main_window import MainWindow


@pytest.fixture
def small(window: MainWindow, tmp_path: Path) -> MainWindow:
    """A window with a table of 150 people who do not exist."""
    rows = resources.find("samples", "hospital_a.csv").read_text(encoding="utf-8").splitlines(keepends=True)
    table = tmp_path / "table.csv"
    table.write_text("".join(rows[:151]), encoding="utf-8")
    window.desk.create_project(tmp_path / "project.pprlproject", "Walk")
    seen = window.desk.own_table.load(table)
    window.desk.findings.seen = seen
    window.desk.change("Load table", **seen.changes())
    window.desk.confirm("data")
    window.desk.confirm("fields")
    return window


def wait_a_little(progress: Progress) -> None:
    end = time.monotonic() + 0.3
    while time.monotonic() < end:
        progress.at(0.5)
        time.sleep(0.01)


def test_a_rehearsal_survives_leaving_its_page_and_other_work(small: MainWindow, qtbot) -> None:  # type: ignore[no-untyped-def]
    small.show_pane("method")
    qtbot.waitUntil(lambda: small.desk.jobs.behind() is not None)
    small.show_pane("agreement")
    assert "goes on in the background" in small.bottom.status.text()
    ended: list[str] = []
    small.desk.jobs.start(Job("Something the steward waits for", wait_a_little, done=lambda _r: ended.append("done")))
    qtbot.waitUntil(lambda: bool(ended))
    project = small.desk.need_project()
    qtbot.waitUntil(lambda: rehearsal_of(project) is not None)


def test_coming_back_does_not_start_it_again(small: MainWindow, qtbot) -> None:  # type: ignore[no-untyped-def]
    started: list[str] = []
    small.desk.jobs.started.connect(lambda job: started.append(f"{job.key} {job.title}"))
    small.show_pane("method")
    qtbot.waitUntil(lambda: small.desk.jobs.behind() is not None)
    small.show_pane("fields")
    small.show_pane("method")
    project = small.desk.need_project()
    qtbot.waitUntil(lambda: rehearsal_of(project) is not None)
    assert sorted(started) == sorted(set(started))
