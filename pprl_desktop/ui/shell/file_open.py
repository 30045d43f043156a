"""macOS hands a double-clicked file over as an event, not as an argument."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QFileOpenEvent

from pprl_desktop.ui.shell.main_window import MainWindow


class FileOpener(QObject):
    """Watches the application for files the desktop wants opened, for as long as the window lives."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QFileOpenEvent) and event.file():
            self._window.open_file(Path(event.file()))
            return True
        return super().eventFilter(watched, event)
