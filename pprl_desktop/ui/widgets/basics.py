"""Labels, buttons, cards and rows, so that every pane has the same ones."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import ClassVar, Self

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal, Slot
from PySide6.QtGui import QAction, QKeySequence, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLayout,
    QMenu,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from pprl_desktop.ui.kit import icons, theme
from pprl_desktop.ui.kit.i18n import tr
from pprl_desktop.ui.kit.spoken import speak_as
from pprl_desktop.ui.kit.theme import GRID
from pprl_desktop.ui.kit.tips import set_tip


class Words(QLabel):
    """A text as it stands. Only <b> is understood: the words of a partner may hold anything, and must become neither a
    heading nor a picture nor a link."""

    def __init__(self, text: str = "") -> None:
        super().__init__()
        self.setText(text)

    def setText(self, text: str) -> None:
        marked = Qt.TextFormat.PlainText if _OTHER_TAG.search(text) else Qt.TextFormat.AutoText
        self.setTextFormat(marked)
        super().setText(text)


_OTHER_TAG = re.compile(r"<(?!/?b>)[/!?a-zA-Z]")


def label(text: str = "", role: str = "", *, wrap: bool = True, selectable: bool = False) -> QLabel:
    made = Words(text)
    if role:
        made.setProperty("role", role)
    made.setWordWrap(wrap)
    if selectable:
        made.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
    if wrap:
        made.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
    return made


class Button(QPushButton):
    """The one that Enter presses says so: `press_by_enter()`; another that would be blue steps back behind it."""

    turned = Signal()  # it can be pressed now, or not any more

    def setText(self, text: str) -> None:
        """What it is called for the ear follows what stands on it, unless it has a name of its own."""
        if self.accessibleName() == self.text().replace("&", ""):
            self.setAccessibleName(text.replace("&", ""))
        super().setText(text)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.EnabledChange:
            self.turned.emit()

    def press_by_enter(self, wanted: bool, *, other: bool = False) -> None:
        if bool(self.property("enter")) != wanted:
            theme.set_role(self, "enter", wanted)
            self.updateGeometry()
        behind = other and not wanted and self.property("kind") == "primary"
        if bool(self.property("behind")) != behind:
            theme.set_role(self, "behind", behind)
            for drawn in self.findChildren(_Follower):
                drawn.run()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if not self.property("enter") or not self.isEnabled():
            return
        painter = QPainter(self)
        painter.setFont(theme.font("tiny"))
        painter.setPen(theme.colour("on_accent" if self.property("kind") == "primary" else "muted"))
        room = self.rect().adjusted(0, 0, -GRID - 6, 0)
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, tr("Enter ↵"))
        painter.end()


def button(
    text: str,
    clicked: Callable[[], object] | None = None,
    *,
    kind: str = "",
    icon: str = "",
    tip: str = "",
    shortcut: str = "",
) -> Button:
    made = Button(text)
    made.setAccessibleName(text.replace("&", ""))
    if kind:
        made.setProperty("kind", kind)
    if icon:
        tint(made, icon, "")
    if shortcut:
        made.setShortcut(QKeySequence(shortcut))
        keys = QKeySequence(shortcut).toString(QKeySequence.SequenceFormat.NativeText)
        tip = f"{tip or text.replace('&', '')} ({keys})"
    if tip:
        set_tip(made, tip)
    if clicked is not None:
        made.clicked.connect(lambda _checked=False: clicked())
    made.setCursor(Qt.CursorShape.PointingHandCursor)
    made.setAutoDefault(False)
    return made


def row_button(text: str, clicked: Callable[[], object] | None = None, *, kind: str = "", tip: str = "") -> Button:
    """A button of 28 pixels at the end of a line of a table."""
    made = button(text, clicked, kind=kind, tip=tip)
    made.setProperty("dense", True)
    return made


def tint(made: QPushButton | QToolButton, name: str, token: str, size: int = 18) -> None:
    """An icon that follows the theme and the size of the text; without a colour, the one of the button's text."""

    def draw() -> None:
        wide = icons.grown(size)
        made.setIconSize(QSize(wide, wide))
        kind = made.property("kind")
        blue = kind == "primary" and not made.property("behind")
        beside = "on_accent" if blue else "accent_text" if kind == "link" else "text"
        made.setIcon(icons.icon(name, token or beside, wide))

    draw()
    follow(made, draw)


def follow(owner: QWidget, draw: Callable[[], object]) -> None:
    """Call `draw` whenever the theme changes, as long as the widget lives."""
    _Follower(owner, draw)


def least_height(made: QWidget, usual: int) -> None:
    """A plot or a text needs more height where its letters are larger."""

    def grow() -> None:
        made.setMinimumHeight(theme.grown(usual))

    grow()
    follow(made, grow)


class _Follower(QObject):
    """A child of the widget, so that the connection ends with it."""

    def __init__(self, owner: QWidget, draw: Callable[[], object]) -> None:
        super().__init__(owner)
        self._draw = draw
        theme.signals.changed.connect(self.run)

    @Slot()
    def run(self) -> None:
        self._draw()


def icon_label(name: str, token: str = "text", size: int = 20) -> QLabel:
    made = QLabel()
    speak_as(made, "decoration")

    def draw() -> None:
        wide = icons.grown(size)
        made.setFixedSize(wide, wide)
        made.setPixmap(icons.pixmap(name, token, wide))

    draw()
    follow(made, draw)
    return made


def set_kind(made: QPushButton, kind: str) -> None:
    """One button of a page is the primary one: the next thing to do."""
    if made.property("kind") != kind:
        theme.set_role(made, "kind", kind)
        for drawn in made.findChildren(_Follower):
            drawn.run()


def tool(name: str, tip: str, clicked: Callable[[], object] | None = None, token: str = "muted") -> QToolButton:
    made = QToolButton()
    tint(made, name, token)
    set_tip(made, tip)
    made.setAccessibleName(tip)
    if clicked is not None:
        made.clicked.connect(lambda _checked=False: clicked())
    return made


def menu_button(name: str, tip: str, entries: Iterable[tuple[str, Callable[[], object]]]) -> QToolButton:
    made = tool(name, tip)
    menu = QMenu(made)
    for text, act in entries:
        action = QAction(text, menu)
        action.triggered.connect(lambda _checked=False, a=act: a())
        menu.addAction(action)
    made.setMenu(menu)
    made.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
    return made


def _fill(layout: QBoxLayout, items: Iterable[QWidget | QLayout | int | None]) -> None:
    """Widgets, layouts, a space in grid units, or None for a stretch."""
    for item in items:
        if item is None:
            layout.addStretch(1)
        elif isinstance(item, int):
            layout.addSpacing(item * GRID)
        elif isinstance(item, QLayout):
            layout.addLayout(item)
        else:
            layout.addWidget(item)


def column(*items: QWidget | QLayout | int | None, gap: float = 1, margin: float = 0) -> QVBoxLayout:
    made = QVBoxLayout()
    made.setSpacing(round(gap * GRID))
    made.setContentsMargins(*[round(margin * GRID)] * 4)
    _fill(made, items)
    return made


def row(*items: QWidget | QLayout | int | None, gap: float = 1, margin: float = 0) -> QHBoxLayout:
    made = QHBoxLayout()
    made.setSpacing(round(gap * GRID))
    made.setContentsMargins(*[round(margin * GRID)] * 4)
    _fill(made, items)
    return made


def filled(made: QHBoxLayout) -> QHBoxLayout:
    """What stands last has the rest of the line: a reason beside its button does not wrap before it must."""
    made.setStretch(made.count() - 1, 1)
    return made


def boxed(layout: QLayout, name: str = "") -> QWidget:
    made = QWidget()
    layout.setContentsMargins(0, 0, 0, 0)
    made.setLayout(layout)
    if name:
        made.setAccessibleName(name)
    return made


class Section(QFrame):
    """A heading and what belongs to it, told from its neighbours by space alone; put things into `.body`."""

    MARGIN: ClassVar[int] = 0

    def __init__(self, title: str = "", sentence: str = "", *, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(*[self.MARGIN] * 4)
        outer.setSpacing(GRID)
        self.head = QHBoxLayout()
        self.head.setSpacing(GRID)
        self.heading = label(title, "heading")
        self.head.addWidget(self.heading, 1)
        if title:
            self.setAccessibleName(title)
            outer.addLayout(self.head)
        else:
            self.heading.hide()
        self.sentence = label(sentence, "muted")
        outer.addWidget(self.sentence)
        if not sentence:  # showing it before it has its place would open a window of its own for a moment
            self.sentence.hide()
        self.body = QVBoxLayout()
        self.body.setSpacing(GRID)
        outer.addLayout(self.body, 1)

    def say(self, sentence: str) -> None:
        self.sentence.setText(sentence)
        self.sentence.setVisible(bool(sentence))

    def add(self, *items: QWidget | QLayout | int | None) -> Self:
        _fill(self.body, items)
        return self


class Card(Section):
    """An object one can pick up: a kind of project, the file to send, the key. `kind`: true, soft, chosen, drop."""

    MARGIN = 2 * GRID

    def __init__(
        self, title: str = "", sentence: str = "", *, kind: str = "true", parent: QWidget | None = None
    ) -> None:
        super().__init__(title, sentence, parent=parent)
        self.setProperty("card", kind)


POINT = " · "  # between the parts of a state


class Brief(QLabel):
    """A quiet text in as many lines as have room, cut with dots after them; whole on hover and for a screen reader."""

    def __init__(self, role: str = "small", *, whole: bool = False) -> None:
        """`whole`: half a sentence says another thing, and is not drawn; of parts with points between, the first that
        have room are."""
        super().__init__()
        self._whole = whole
        self.setProperty("role", role)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def setText(self, text: str) -> None:
        super().setText(text)
        set_tip(self, text)
        self.setAccessibleName(text)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setPen(self.palette().color(self.foregroundRole()))
        metrics, lines = self.fontMetrics(), self.drawn()
        high = metrics.lineSpacing()
        top = (self.height() - high * len(lines)) // 2
        for number, words in enumerate(lines):
            shown = metrics.elidedText(words, Qt.TextElideMode.ElideRight, self.width())
            painter.drawText(0, top + number * high + metrics.ascent(), shown)
        painter.end()

    def drawn(self) -> list[str]:
        if not self._whole:
            return self.lines()
        parts = self.text().split(POINT)
        for many in range(len(parts), 0, -1):
            lines = self.lines(POINT.join(parts[:many]))
            if all(self.fontMetrics().horizontalAdvance(words) <= self.width() for words in lines):
                return lines
        return []

    def lines(self, text: str | None = None) -> list[str]:
        """The last line holds all that is left."""
        most = max(self.height() // self.fontMetrics().lineSpacing(), 1)
        found: list[str] = []
        for word in (self.text() if text is None else text).split():
            longer = f"{found[-1]} {word}" if found else word
            if found and (len(found) == most or self.fontMetrics().horizontalAdvance(longer) <= self.width()):
                found[-1] = longer
            else:
                found.append(word)
        return found


def line() -> QFrame:
    made = QFrame()
    made.setProperty("line", True)
    return made


class Pages(QWidget):
    """One of several widgets at a time, as high as the one that is shown (a stack is as high as the highest)."""

    def __init__(self) -> None:
        super().__init__()
        self._pages: list[QWidget] = []
        self._now = 0
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)

    def addWidget(self, page: QWidget) -> None:
        self.layout().addWidget(page)
        page.setVisible(len(self._pages) == self._now)
        self._pages.append(page)

    def setCurrentIndex(self, number: int) -> None:
        self._now = number
        for place, page in enumerate(self._pages):
            page.setVisible(place == number)

    def currentIndex(self) -> int:
        return self._now
