"""A window with a project and the sample table, and looking at what a page shows: for the walks over all pages."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from PySide6.QtWidgets import QAbstractButton, QApplication, QScrollBar, QWidget

from pprl_desktop import resources
from pprl_desktop.ui.panes.base import Pane
from pprl_desktop.ui.shell import pages
from pprl_desktop.ui.shell.main_window import MainWindow

PAGES = tuple(pages.PANES)


def walk_window(path: Path, language: str) -> MainWindow:
    from pprl_desktop.job.own_table import OwnTable
    from pprl_desktop.ui.app import make_application, make_window

    window = make_window(make_application(), ("--light", f"--language={language}"))
    window.resize(1024, 700)
    window.show()
    window.desk.create_project(path, "Walk")
    seen = OwnTable().load(resources.find("samples", "hospital_a.csv"))
    window.desk.findings.seen = seen
    window.desk.change("Load table", **seen.changes())
    return window


@contextmanager
def walked(folder: Path) -> Iterator[MainWindow]:
    """Such a window with settings and a home of its own, closed afterwards."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PPRL_DESKTOP_SETTINGS", str(folder / "settings"))
        patch.setenv("PPRL_HOME", str(folder / "home"))
        window = walk_window(folder / "walk.pprlproject", "en")
        yield window
        window.desk.jobs.cancel()
        window.close()
        window.deleteLater()


def shown(pane: Pane, kind: type | tuple[type, ...]) -> list[QWidget]:
    found = [w for w in pane.findChildren(QWidget) if isinstance(w, kind) and w.isVisibleTo(pane)]
    return [w for w in found if not w.objectName().startswith("qt_") and not isinstance(w, QScrollBar)]


def visit(window: MainWindow, name: str, _qtbot: object = None) -> Pane:
    """The page as it first stands; work it starts in the background is stopped."""
    window.show_pane(name)
    QApplication.processEvents()
    window.desk.jobs.cancel()
    QApplication.processEvents()
    return window.pane()


def spoken_name(widget: QWidget) -> str:
    text = widget.accessibleName()
    if not text and isinstance(widget, QAbstractButton):
        text = widget.text()
    return text.strip()
