"""The real window for whoever types into it from outside; it only tells, ten times a second, what is seen.

`typed_window.py FOLDER LANGUAGE [SIZE]`: FOLDER/seen.json has the page, what the bar below says, the dialog in front,
what has the focus, which Alt keys lead where, the frame of the window and where its controls are. Nothing is done here:
every act comes by keyboard and mouse of the screen. SIZE is 1024x700 unless told; "own": as the window opens itself.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QFileDialog,
    QLabel,
    QSlider,
    QWidget,
)

from pprl_desktop.ui.app import make_application, make_window
from pprl_desktop.ui.shell.main_window import MainWindow


def keys(window: MainWindow) -> dict[str, str]:
    found = {}
    for one in window.findChildren(QWidget):
        named = isinstance(one, QAbstractButton) or (isinstance(one, QLabel) and one.buddy() is not None)
        if named and one.isVisible() and one.isEnabled() and "&" in one.text():  # type: ignore[attr-defined]
            text = str(one.text())  # type: ignore[attr-defined]
            place = text.index("&")
            found[text.replace("&", "")] = text[place + 1 : place + 2].lower()
    return found


def boxes(window: MainWindow) -> dict[str, list[object]]:
    """Controls that a wheel could change: what each says, and where on the screen its middle is."""
    found: dict[str, list[object]] = {}
    page = window.pane()
    for one in page.findChildren(QWidget):
        if isinstance(one, QComboBox | QAbstractSpinBox | QSlider) and not one.visibleRegion().isEmpty():
            middle = one.mapToGlobal(one.visibleRegion().boundingRect().center())
            told = one.currentText() if isinstance(one, QComboBox) else str(one.value())  # type: ignore[attr-defined]
            found[one.accessibleName()] = [told, middle.x(), middle.y()]
    return found


def seen(window: MainWindow) -> dict[str, object]:
    front = QApplication.activeModalWidget()
    at = QApplication.focusWidget()
    blue = window.blue() if window.current in window.panes else None
    return {
        "page": window.current,
        "title": window.pane().title.text() if window.current in window.panes else "",
        "why": window.pane().reason() if window.current in window.panes else "",
        "blue": blue.text().replace("&", "") if blue is not None else "",
        "busy": window.desk.jobs.busy() is not None,
        "files": isinstance(front, QFileDialog),
        "dialog": front.windowTitle() if front is not None else "",
        "focus": (at.accessibleName() or type(at).__name__) if at is not None else "",
        "keys": keys(window),
        "banners": [one.accessibleName() for one in window.pane().messages.banners()],
        "boxes": boxes(window) if window.current in window.panes else {},
        "frame": list(window.frameGeometry().getRect()),  # type: ignore[call-overload]
        "table": window.desk.project.choices.table_path if window.desk.project is not None else "",
        "active": window.isActiveWindow() or front is not None,
    }


def main() -> int:
    folder, language, *size = Path(sys.argv[1]), *sys.argv[2:]
    app = make_application()
    window = make_window(app, ("--light", f"--language={language}"))
    if size != ["own"]:
        window.resize(1024, 700)
    window.show()

    def tell() -> None:
        half = folder / "seen.part"
        half.write_text(json.dumps(seen(window)), encoding="utf-8")
        os.replace(half, folder / "seen.json")

    timer = QTimer()
    timer.timeout.connect(tell)
    timer.start(100)
    return int(app.exec())


if __name__ == "__main__":
    sys.exit(main())
