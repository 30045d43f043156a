"""What Enter does: it presses the button that has the focus, else the blue one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QAbstractItemView, QPushButton, QToolButton

if TYPE_CHECKING:
    from pprl_desktop.ui.shell.main_window import MainWindow

NEVER = ("clear", "danger")  # what cannot be taken back is clicked, or pressed with the space bar


def press(window: MainWindow) -> None:
    focused = window.focusWidget()
    if isinstance(focused, QPushButton | QToolButton):
        if focused.property("kind") not in NEVER:
            focused.click()
        return
    if isinstance(focused, QAbstractItemView):
        return
    chosen = window.blue()
    if chosen is not None:
        chosen.click()
