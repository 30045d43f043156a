"""The wheel scrolls the page. It changes a control only when the steward has put the focus there before.

A turn that began on the page stays with the page: a control with the focus that comes under the pointer meanwhile is
scrolled past, and follows the wheel only after the pointer was moved onto it.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPoint, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QScrollArea, QTabBar, QWidget


class _Page(QObject):
    """Watches what a page shows: where the pointer was when the wheel last scrolled it."""

    def __init__(self, viewport: QWidget) -> None:
        super().__init__(viewport)
        self.scrolled_at: QPoint | None = None

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QWheelEvent):
            self.scrolled_at = event.globalPosition().toPoint()
        return False


def keeps_its_turn(page: QScrollArea) -> None:
    """A wheel that scrolls this page goes on scrolling it until the pointer moves."""
    page.viewport().installEventFilter(_Page(page.viewport()))


def _passes(control: QWidget, event: QWheelEvent) -> bool:
    """Whether the turn belongs to the page: the pointer has not moved since it was scrolled."""
    above = control.parentWidget()
    while above is not None:
        for page in above.findChildren(_Page, options=Qt.FindChildOption.FindDirectChildrenOnly):
            return page.scrolled_at == event.globalPosition().toPoint()
        above = above.parentWidget()
    return False


class _Guard(QObject):
    """Watches one control; a child of it, so that it goes with it."""

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if not isinstance(event, QWheelEvent) or not isinstance(watched, QWidget):
            return False
        if watched.hasFocus() and not isinstance(watched, QTabBar) and not _passes(watched, event):
            return False
        event.ignore()  # goes on to the page behind it
        return True


def wheel_scrolls_the_page(control: QWidget) -> None:
    """For combo boxes, sliders, spin boxes and tabs: turning the wheel over them neither focuses nor changes them."""
    if control.focusPolicy() == Qt.FocusPolicy.WheelFocus:
        control.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    control.installEventFilter(_Guard(control))
