"""Layouts that use the width there is: side by side where there is room, one below the other where there is not."""

from __future__ import annotations

import math
from collections.abc import Sequence

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QLayout, QLayoutItem, QWidget, QWidgetItem

from pprl_desktop.ui import theme
from pprl_desktop.ui.theme import GRID


class _Lines(QLayout):
    """Items in lines, as high as the width makes them."""

    def __init__(self, parent: QWidget | None = None, gap: int = GRID) -> None:
        super().__init__(parent)
        self._items: list[QLayoutItem] = []
        self._gap = gap
        self.setContentsMargins(0, 0, 0, 0)

    def addItem(self, item: QLayoutItem) -> None:
        self._items.append(item)

    def addWidget(self, widget: QWidget) -> None:
        """With an item made here: one that Qt makes may get the Python face of an item that died at its address."""
        self.addChildWidget(widget)
        self.addItem(QWidgetItem(widget))
        self.invalidate()

    def add(self, *items: QWidget | QLayout) -> None:
        for item in items:
            if isinstance(item, QLayout):
                self.addChildLayout(item)
                self.addItem(item)
            else:
                self.addWidget(item)

    def count(self) -> int:
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return self._place(QRect(0, 0, width, 0), move=False)

    def setGeometry(self, rect: QRect) -> None:
        super().setGeometry(rect)
        self._place(rect, move=True)

    def minimumSize(self) -> QSize:
        """Only the width: the height follows from it, and what a narrow text would need is not what a wide one does."""
        return QSize(max((item.minimumSize().width() for item in self.shown()), default=0), 0)

    def shown(self) -> list[QLayoutItem]:
        return [item for item in self._items if not item.isEmpty()]

    def _place(self, rect: QRect, *, move: bool) -> int:
        """Height needed; puts the items there when asked to."""
        raise NotImplementedError


class FlowLayout(_Lines):
    """Left to right at their own width, then the next line: chips in a card, buttons in a row."""

    def __init__(self, parent: QWidget | None = None, gap: int = GRID, *, centred: bool = False) -> None:
        super().__init__(parent, gap)
        self._centred = centred

    def expandingDirections(self) -> Qt.Orientation:
        return Qt.Orientation(0)

    def sizeHint(self) -> QSize:
        high = max((item.sizeHint().height() for item in self.shown()), default=0)
        return QSize(self.minimumSize().width(), high)

    def _place(self, rect: QRect, *, move: bool) -> int:
        lines: list[list[tuple[QLayoutItem, QSize]]] = []
        x = 0
        for item in self.shown():
            hint = item.sizeHint()
            if not lines or x + hint.width() > rect.width():
                lines.append([])
                x = 0
            lines[-1].append((item, hint))
            x += hint.width() + self._gap
        y = rect.y()
        for line in lines:
            high = max(hint.height() for _, hint in line)
            if move:
                used = sum(hint.width() + self._gap for _, hint in line) - self._gap
                x = rect.x() + (max(rect.width() - used, 0) // 2 if self._centred else 0)
                for item, hint in line:
                    item.setGeometry(QRect(QPoint(x, y + (high - hint.height()) // 2), hint))
                    x += hint.width() + self._gap
            y += high + self._gap
        return max(y - self._gap - rect.y(), 0)


class Columns(_Lines):
    """Items beside each other by their shares; fewer in a line where one would get less than `least` px of usual text.

    Lines are filled evenly (four become two and two), items of a line are equally high.
    """

    def __init__(self, least: int, shares: Sequence[int] = (), gap: int = 2 * GRID) -> None:
        super().__init__(gap=gap)
        self._least = least
        self._shares = shares

    def expandingDirections(self) -> Qt.Orientation:
        upward = any(item.expandingDirections() & Qt.Orientation.Vertical for item in self.shown())
        return Qt.Orientation.Horizontal | Qt.Orientation.Vertical if upward else Qt.Orientation.Horizontal

    def sizeHint(self) -> QSize:
        hints = [item.sizeHint() for item in self.shown()]
        wide = sum(hint.width() + self._gap for hint in hints) - self._gap
        return QSize(max(wide, 0), max((hint.height() for hint in hints), default=0))

    def _place(self, rect: QRect, *, move: bool) -> int:
        lines = self._lines(rect.width())
        highs = [max(_height(item, wide) for item, wide in line) for line in lines]
        needed = sum(highs) + self._gap * max(len(lines) - 1, 0)
        if move and lines:
            extra = max(rect.height() - needed, 0) if len(lines) == 1 else 0
            y = rect.y()
            for line, high in zip(lines, highs, strict=True):
                x = rect.x()
                for item, wide in line:
                    item.setGeometry(QRect(x, y, wide, high + extra))
                    x += wide + self._gap
                y += high + extra + self._gap
        return needed

    def _lines(self, width: int) -> list[list[tuple[QLayoutItem, int]]]:
        items = self.shown()
        most = max(1, int((width + self._gap) // (self._least * theme.zoom() + self._gap)))
        for beside in range(min(most, len(items)), 0, -1):
            each = math.ceil(len(items) / math.ceil(len(items) / beside))
            lines = [items[start : start + each] for start in range(0, len(items), each)]
            widths = [self._widths(line, width, each) for line in lines]
            if each == 1 or all(widths):
                return [list(zip(line, wide, strict=True)) for line, wide in zip(lines, widths, strict=True)]
        return []

    def _widths(self, line: list[QLayoutItem], width: int, each: int) -> list[int]:
        """Room by shares, nobody below its need; empty where that cannot be. A short last line keeps the grid."""
        if each == 1:
            return [width]
        needs = [item.minimumSize().width() for item in line]
        room = width - self._gap * (each - 1)
        shares = list(self._shares) if len(self._shares) == each == len(line) else [1] * len(line)
        whole = sum(shares) + each - len(line)
        usual = [room * share // whole for share in shares]
        tight = [need > wide for need, wide in zip(needs, usual, strict=True)]
        if not any(tight):
            return usual
        left = room - sum(need for need, short in zip(needs, tight, strict=True) if short)
        rest = sum(share for share, short in zip(shares, tight, strict=True) if not short)
        made = [
            need if short else left * share // rest for need, short, share in zip(needs, tight, shares, strict=True)
        ]
        enough = sum(made) <= room and all(wide >= need for wide, need in zip(made, needs, strict=True))
        return made if enough else []


def _height(item: QLayoutItem, width: int) -> int:
    return item.heightForWidth(width) if item.hasHeightForWidth() else item.sizeHint().height()


def columns(*items: QWidget | QLayout, least: int, shares: Sequence[int] = (), gap: float = 2) -> Columns:
    made = Columns(least, shares, round(gap * GRID))
    made.add(*items)
    return made


def flow(*items: QWidget | QLayout, gap: float = 1, centred: bool = False) -> FlowLayout:
    """Buttons in a row that becomes two where there is no room."""
    made = FlowLayout(gap=round(gap * GRID), centred=centred)
    made.add(*items)
    return made
