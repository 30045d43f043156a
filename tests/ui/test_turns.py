"""The window's own work in small pieces: part by part, when somebody looks, or before it is needed."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QLabel, QWidget

from pprl_desktop.ui.kit.turns import Later, Turns
from pprl_desktop.ui.shell.main_window import MainWindow


def test_steps_come_one_by_one_and_newer_ones_replace_older(qtbot) -> None:  # type: ignore[no-untyped-def]
    owner, done = QObject(), []
    turns = Turns(owner, lambda: owner)
    turns.run(lambda: done.append("a1"), lambda: done.append("a2"), lambda: done.append("a3"))
    assert done == ["a1"]
    turns.run(lambda: done.append("b1"), lambda: done.append("b2"))
    qtbot.waitUntil(lambda: "b2" in done)
    qtbot.wait(20)
    assert done == ["a1", "b1", "b2"]


def test_steps_about_something_that_is_gone_do_not_come(qtbot) -> None:  # type: ignore[no-untyped-def]
    owner, done, about = QObject(), [], ["project"]
    turns = Turns(owner, lambda: about[0])
    turns.run(lambda: done.append("first"), lambda: done.append("second"))
    about[0] = "another"
    qtbot.wait(30)
    assert done == ["first"]


def test_a_costly_widget_is_made_when_it_is_first_looked_at(qtbot) -> None:  # type: ignore[no-untyped-def]
    made: list[QWidget] = []

    def make() -> QLabel:
        made.append(QLabel("plot"))
        return made[-1]  # type: ignore[return-value]

    later = Later(make)
    qtbot.addWidget(later)
    assert not made
    later.show()
    assert made == [later.widget()]


def test_the_page_that_next_leads_to_is_made_while_nobody_waits(window: MainWindow, tmp_path: Path, qtbot) -> None:  # type: ignore[no-untyped-def]
    window.desk.create_project(tmp_path / "one.pprlproject", "One")
    assert window.current == "data"
    assert "fields" not in window.panes
    qtbot.waitUntil(lambda: "fields" in window.panes)
    assert window.current == "data"
    assert "method" not in window.panes
