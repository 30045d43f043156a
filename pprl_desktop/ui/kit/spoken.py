"""What a widget is for whoever hears the window: a title is a heading, a step an item of a list, a plot a picture.

Qt tells assistive technology the role of its own widgets; what is drawn here would be a nameless filler, which screen
readers leave out. `speak_as` gives a widget its role, and `ValueBar` is what has a value.
"""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import QObject
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QAbstractButton, QAccessibleWidget, QApplication, QProgressBar, QWidget

Role = Literal["heading", "list", "item", "image", "table", "cell", "decoration"]
ROLES = {
    "heading": QAccessible.Role.Heading,
    "list": QAccessible.Role.List,
    "item": QAccessible.Role.ListItem,
    "image": QAccessible.Role.Graphic,
    "table": QAccessible.Role.Table,
    "cell": QAccessible.Role.Cell,
    "decoration": QAccessible.Role.Whitespace,  # a small picture beside its word; an image once it has a name
}
PRESS = "Press"
_PROPERTY = "spoken_as"
_FINE = 1000  # steps of a bar


def speak_as(widget: QWidget, role: Role) -> None:
    """Before the widget is first asked for: Qt remembers what it was."""
    widget.setProperty(_PROPERTY, role)


def install(app: QApplication) -> None:
    """Once, after the application is made: the factory that came last is asked first."""
    if not app.property(_PROPERTY):
        app.setProperty(_PROPERTY, True)
        QAccessible.installFactory(_make)


def _make(key: str, of: QObject) -> QAccessibleWidget | None:
    """Asked for each class of a widget, from its own to QWidget: what Qt knows nothing of arrives there."""
    if not isinstance(of, QWidget):
        return None
    if of.property(_PROPERTY):
        return _Spoken(of, ROLES[str(of.property(_PROPERTY))])
    return _Named(of, QAccessible.Role.Client) if key == "QWidget" else None


class _Named(QAccessibleWidget):
    """A widget that only holds others: a group where it has a name, such as a page; else nobody need hear of it."""

    def role(self) -> QAccessible.Role:
        of = self.object()
        named = isinstance(of, QWidget) and bool(of.accessibleName()) and not of.isWindow()
        return QAccessible.Role.Grouping if named else super().role()


class _Spoken(QAccessibleWidget):
    """A step that is open is selected; what can be clicked can be pressed."""

    def role(self) -> QAccessible.Role:
        of, role = self.object(), super().role()
        named = isinstance(of, QWidget) and bool(of.accessibleName())
        return QAccessible.Role.Graphic if role == ROLES["decoration"] and named else role

    def state(self) -> QAccessible.State:
        state, of = super().state(), self.object()
        if isinstance(of, QAbstractButton):
            state.selectable = True
            state.selected = of.isChecked()
        return state

    def actionNames(self) -> list[str]:
        names = list(super().actionNames())
        return [PRESS, *names] if isinstance(self.object(), QAbstractButton) else names

    def doAction(self, name: str) -> None:
        of = self.object()
        if name == PRESS and isinstance(of, QAbstractButton):
            of.click()
        else:
            super().doAction(name)


class ValueBar(QProgressBar):
    """A bar that is drawn by its own hand and has a value for the ear, of 0 to 1000."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("drawn", True)
        self.setRange(0, _FINE)
        self.setTextVisible(False)

    def tell(self, share: float | None) -> None:
        self.setValue(round(_FINE * min(max(share or 0.0, 0.0), 1.0)))
