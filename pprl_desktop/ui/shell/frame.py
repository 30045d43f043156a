"""The size of the window: as it was left, and never larger than the screen it opens on."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMainWindow

USUAL = QSize(1280, 820)
TITLE_BAR = QSize(4, 36)  # px that the window's own frame may take beside and above what is drawn here

Remembered = tuple[int, int, bool]  # width, height, maximised; (0, 0, False) before the first time


def fit_screen(window: QMainWindow, remembered: Remembered) -> None:
    wide, high, maximised = remembered
    wanted = QSize(wide, high) if wide and high else USUAL
    screen = window.screen() or QGuiApplication.primaryScreen()
    room = screen.availableGeometry().size() - TITLE_BAR
    window.resize(wanted.boundedTo(room).expandedTo(window.minimumSize()))
    if maximised:
        window.showMaximized()


def remembered(window: QMainWindow) -> Remembered:
    """The size to open with next time; of a maximised window, the one it goes back to."""
    size = window.normalGeometry().size() if window.isMaximized() else window.size()
    return size.width(), size.height(), window.isMaximized()
