"""A file that the desktop hands over as an event opens as a double-clicked one does."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QUrl
from PySide6.QtGui import QFileOpenEvent
from PySide6.QtWidgets import QApplication

from pprl_desktop.project.project import Project
from pprl_desktop.ui.shell.file_open import FileOpener


def test_a_project_from_the_finder_opens(window, qtbot, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    with Project.create(tmp_path / "heart", "Heart registry") as project:
        path = project.path
    opener = FileOpener(window)
    app = QApplication.instance()
    app.installEventFilter(opener)
    QApplication.sendEvent(app, QFileOpenEvent(QUrl.fromLocalFile(str(path))))
    app.removeEventFilter(opener)
    qtbot.waitUntil(lambda: window.desk.project is not None)
    assert window.desk.project.title == "Heart registry"
