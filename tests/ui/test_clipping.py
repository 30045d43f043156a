"""No text is cut off at 1024 x 700: in English, in German, with texts 40 % longer, and with letters twice as large."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from PySide6.QtWidgets import QAbstractButton, QApplication, QComboBox, QLabel, QScrollArea, QWidget

from pprl_desktop.ui.kit import i18n, theme
from pprl_desktop.ui.panes.base import Pane
from pprl_desktop.ui.shell.main_window import MainWindow
from pprl_desktop.ui.widgets.table import DataTable
from tests.ui.walk import PAGES, shown, visit, walk_window

ROOM = 2  # px by which metrics and layouts may differ
ARROW = 34  # px of a combo box beside its text


SMALL = (960, 480)  # what a screen of 1920 x 1080 leaves of itself at 200 %


@pytest.mark.parametrize(
    ("language", "text", "size"),
    [
        ("en", 1.0, (1024, 700)),
        ("de", 1.0, (1024, 700)),
        (i18n.PSEUDO, 1.0, (1024, 700)),
        ("de", 1.5, (1024, 700)),
        ("en", 2.0, (1024, 700)),
        ("de", 2.0, (1024, 700)),
        (i18n.PSEUDO, 2.0, (1024, 700)),
        (i18n.PSEUDO, 1.0, SMALL),
    ],
)
def test_no_text_is_cut_off(
    language: str, text: float, size: tuple[int, int], tmp_path: Path, qapp: QApplication
) -> None:
    window = walk_window(tmp_path / "long.pprlproject", language)
    try:
        window.resize(*size)
        theme.apply(qapp, "light", text)
        wrong = {}
        for name in PAGES:
            pane = visit(window, name)
            while not window.desk.jobs.idle():  # what was stopped comes to its end: nothing arrives later
                QApplication.processEvents()
            for _ in range(3):  # and what came in is laid out
                QApplication.sendPostedEvents()
                QApplication.processEvents()
            found = clipped(pane) + wider(pane) + cut_in_tables(pane)
            if found:
                wrong[name] = found
        frame = clipped(window)
        assert not wrong
        assert not frame
        assert (window.width(), window.height()) == size
    finally:
        i18n.install(None, "en")
        theme.apply(qapp, "light")
        window.desk.jobs.cancel()
        window.close()
        window.deleteLater()


def clipped(place: Pane | MainWindow) -> list[str]:
    """Texts wider or higher than what shows them, and not whole on hover."""
    found: list[QWidget] = [*shown(place, QLabel), *shown(place, (QAbstractButton, QComboBox))]  # type: ignore[arg-type]
    return [f"{type(one).__name__}: {words(one)}" for one in found if cut(one)]


def cut_in_tables(pane: Pane) -> list[str]:
    """Headings without room for their longest word, and numbers that are cut."""
    found = []
    for table in shown(pane, DataTable):  # type: ignore[arg-type]
        assert isinstance(table, DataTable)
        header, metrics = table.view.horizontalHeader(), table.view.fontMetrics()
        for place, spec in enumerate(table.model.columns):
            room = header.sectionSize(place)
            if any(header.fontMetrics().horizontalAdvance(word) > room - ROOM for word in spec.title.split()):
                found.append(f"heading: {spec.title}")
            texts = [table.proxy.index(row, place).data() for row in range(min(table.proxy.rowCount(), 20))]
            if spec.right and any(metrics.horizontalAdvance(text) > room - ROOM for text in texts):
                found.append(f"number: {spec.title}")
    return found


def wider(pane: Pane) -> list[str]:
    """Pages that would have to be moved sideways to be read."""
    areas = [one for one in shown(pane, QScrollArea) if one.widget() is not None]  # type: ignore[attr-defined]
    too_wide = [one for one in areas if one.widget().width() > one.viewport().width()]  # type: ignore[attr-defined]
    return [f"{one.widget().width()} in {one.viewport().width()} px" for one in too_wide]  # type: ignore[attr-defined]


def words(widget: QWidget) -> str:
    if isinstance(widget, QComboBox):
        return widget.currentText()
    assert isinstance(widget, QLabel | QAbstractButton)
    return re.sub(r"<[^>]+>", "", widget.text())


def cut(widget: QWidget) -> bool:
    text = words(widget)
    if not text or widget.toolTip() or not widget.width():
        return False
    if isinstance(widget, QAbstractButton):
        return widget.width() < widget.minimumSizeHint().width() - ROOM
    if isinstance(widget, QComboBox):
        return widget.fontMetrics().horizontalAdvance(text) > widget.width() - ARROW
    assert isinstance(widget, QLabel)
    room = widget.contentsRect()
    if widget.wordWrap():
        widest = max(widget.fontMetrics().horizontalAdvance(one) for one in text.split())
        return widget.heightForWidth(widget.width()) > widget.height() + ROOM or widest > room.width() + ROOM
    widest = max(widget.fontMetrics().horizontalAdvance(line) for line in text.split("\n"))
    return widest > room.width() + ROOM
