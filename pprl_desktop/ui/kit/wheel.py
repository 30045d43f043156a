"""The wheel scrolls the page. It changes a control only when the steward has put the focus there before."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QTabBar, QWidget


class _Guard(QObject):
    """Watches one control; a child of it, so that it goes with it."""

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() != QEvent.Type.Wheel or not isinstance(watched, QWidget):
            return False
        if watched.hasFocus() and not isinstance(watched, QTabBar):
            return False
        event.ignore()  # goes on to the page behind it
        return True


def wheel_scrolls_the_page(control: QWidget) -> None:
    """For combo boxes, sliders, spin boxes and tabs: turning the wheel over them neither focuses nor changes them."""
    if control.focusPolicy() == Qt.FocusPolicy.WheelFocus:
        control.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    control.installEventFilter(_Guard(control))
