"""The start page tells where each project stands, and a project can be put away or deleted."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QFile, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QPushButton

from pprl_desktop.ui.shell.main_window import MainWindow


def words(window: MainWindow) -> str:
    pane = window.pane()
    return " ".join(one.text() for one in pane.findChildren(QLabel) if one.isVisibleTo(pane))


def two_projects(window: MainWindow, tmp_path: Path) -> None:
    for title in ("Kidney cohort", "Heart outcomes"):
        window.desk.create_project(tmp_path / f"{title}.pprlproject", title)
    window.show_pane("welcome")


def test_the_first_time_there_are_ways_to_begin(window: MainWindow) -> None:
    assert "With a partner" in words(window)
    assert "Were you sent a file?" in words(window)
    assert window.blue() is not None


def test_the_last_project_is_chosen_and_enter_goes_on_with_it(window: MainWindow, tmp_path: Path, qtbot) -> None:  # type: ignore[no-untyped-def]
    two_projects(window, tmp_path)
    window.desk.close_project()
    assert window.current == "welcome"
    qtbot.waitUntil(lambda: "Heart outcomes" in words(window))
    assert "Data · 1 of 10" in words(window)
    qtbot.wait(20)
    assert window.blue() is not None
    QTest.keyClick(window, Qt.Key.Key_Return)
    assert window.desk.project is not None
    assert window.desk.project.title == "Heart outcomes"


def test_a_project_is_archived_and_taken_out_again(window: MainWindow, tmp_path: Path, qtbot) -> None:  # type: ignore[no-untyped-def]
    two_projects(window, tmp_path)
    pane = window.pane()
    kidney = next(one for one in window.desk.preferences.known if one.title == "Kidney cohort")
    pane._archive(kidney, True)
    qtbot.waitUntil(lambda: "Kidney cohort" not in words(window))
    assert Path(kidney.path).is_file()
    pane.archived.click()
    qtbot.waitUntil(lambda: "Kidney cohort" in words(window))


def test_a_deleted_project_goes_to_the_trash_and_out_of_the_list(window, tmp_path: Path, qtbot, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    two_projects(window, tmp_path)
    gone: list[str] = []
    monkeypatch.setattr(QFile, "moveToTrash", lambda path: gone.append(path) or True)
    heart = next(one for one in window.desk.preferences.known if one.title == "Heart outcomes")
    window.pane().delete(heart)
    qtbot.waitUntil(lambda: "Heart outcomes" not in words(window))
    assert heart.path in gone
    assert window.desk.project is None


def test_ctrl_home_leads_to_the_projects_from_anywhere(window: MainWindow, tmp_path: Path) -> None:
    two_projects(window, tmp_path)
    window.show_pane("data")
    window.side.home.click()
    assert window.current == "welcome"
    (go_on,) = [b for b in window.pane().findChildren(QPushButton) if b.text() == "Continue" and b.isVisibleTo(window)]
    go_on.click()
    assert window.current == "data"


def test_enter_in_the_name_makes_the_project_and_presses_nothing_on_the_next_page(
    window, tmp_path: Path, monkeypatch
) -> None:  # type: ignore[no-untyped-def]
    from PySide6.QtWidgets import QFileDialog

    monkeypatch.setattr(
        QFileDialog, "getOpenFileName", lambda *_a, **_n: (_ for _ in ()).throw(AssertionError("asked"))
    )
    pane = window.pane()
    pane.ask_name()
    pane.place.setText(str(tmp_path))
    QTest.keyClicks(pane.name, "Named")
    QTest.keyClick(pane.name, Qt.Key.Key_Return)
    assert window.current == "data"
    assert window.desk.project is not None


def test_a_project_that_waits_says_so_and_since_when(window: MainWindow, tmp_path: Path) -> None:
    two_projects(window, tmp_path)
    first = window.desk.preferences.known[0]
    waiting = replace(first, step="Agreement", number=4, waits="St. Anne", since="2026-03-02T10:00:00Z")
    window.desk.close_project()
    window.desk.prefer(known=(waiting, *window.desk.preferences.known[1:]))
    window.show_pane("welcome")
    assert "waiting for them since 2 March 2026" in words(window)
