"""Layouts that use the width there is: side by side where there is room, one below the other where there is not."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QLayout, QLayoutItem, QWidget, QWidgetItem

from pprl_desktop.ui.kit import theme
from pprl_desktop.ui.kit.theme import GRID


@dataclass(frozen=True)
class _Plan:
    """Where the items stand at a width, from the upper left corner."""

    places: tuple[tuple[QLayoutItem, QRect], ...]
    height: int
    lines: int


class _Lines(QLayout):
    """Items in lines, as high as the width makes them."""

    def __init__(self, parent: QWidget | None = None, gap: int = GRID) -> None:
        super().__init__(parent)
        self._items: list[QLayoutItem] = []
        self._gap = gap
        self._kept: dict[str, Any] = {}  # what was worked out, until something inside changes: as Qt's layouts do
        self._plans: dict[int, _Plan] = {}
        self.setContentsMargins(0, 0, 0, 0)

    def invalidate(self) -> None:
        self._kept.clear()
        self._plans.clear()
        super().invalidate()

    def addItem(self, item: QLayoutItem) -> None:
        self._items.append(item)
        self.invalidate()

    def addWidget(self, widget: QWidget) -> None:
        """With an item made here: one that Qt makes may get the Python face of an item that died at its address."""
        self.addChildWidget(widget)
        self.addItem(QWidgetItem(widget))

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
        if not 0 <= index < len(self._items):
            return None
        self.invalidate()
        return self._items.pop(index)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return self._planned(width).height

    def minimumSize(self) -> QSize:
        """Only the width: the height follows from it, and what a narrow text would need is not what a wide one does."""
        return QSize(max(self._needs(), default=0), 0)

    def setGeometry(self, rect: QRect) -> None:
        super().setGeometry(rect)
        plan = self._planned(rect.width())
        more = self._spare(plan, rect.height())
        for item, place in plan.places:
            item.setGeometry(place.translated(rect.topLeft()).adjusted(0, 0, 0, 0 if _at_top(item) else more))

    def _spare(self, plan: _Plan, height: int) -> int:
        """How much higher than planned the items may be."""
        return 0

    def _planned(self, width: int) -> _Plan:
        if width not in self._plans:
            self._plans[width] = self._plan(width)
        return self._plans[width]

    def _plan(self, width: int) -> _Plan:
        raise NotImplementedError

    def _shown(self) -> list[QLayoutItem]:
        if "shown" not in self._kept:
            self._kept["shown"] = [item for item in self._items if not item.isEmpty()]
        return list(self._kept["shown"])

    def _hints(self) -> list[QSize]:
        if "hints" not in self._kept:
            self._kept["hints"] = [item.sizeHint() for item in self._shown()]
        return list(self._kept["hints"])

    def _needs(self) -> list[int]:
        if "needs" not in self._kept:
            self._kept["needs"] = [item.minimumSize().width() for item in self._shown()]
        return list(self._kept["needs"])


class FlowLayout(_Lines):
    """Left to right at their own width, then the next line: chips in a card, buttons in a row."""

    def __init__(self, parent: QWidget | None = None, gap: int = GRID, *, centred: bool = False) -> None:
        super().__init__(parent, gap)
        self._centred = centred

    def expandingDirections(self) -> Qt.Orientation:
        return Qt.Orientation(0)

    def sizeHint(self) -> QSize:
        return QSize(max(self._needs(), default=0), max((hint.height() for hint in self._hints()), default=0))

    def _plan(self, width: int) -> _Plan:
        lines: list[list[tuple[QLayoutItem, QSize]]] = []
        x = 0
        for item, hint in zip(self._shown(), self._hints(), strict=True):
            if not lines or x + hint.width() > width:
                lines.append([])
                x = 0
            lines[-1].append((item, hint))
            x += hint.width() + self._gap
        places, y = [], 0
        for line in lines:
            high = max(hint.height() for _, hint in line)
            used = sum(hint.width() + self._gap for _, hint in line) - self._gap
            x = max(width - used, 0) // 2 if self._centred else 0
            for item, hint in line:
                places.append((item, QRect(QPoint(x, y + (high - hint.height()) // 2), hint)))
                x += hint.width() + self._gap
            y += high + self._gap
        return _Plan(tuple(places), max(y - self._gap, 0), len(lines))


class Columns(_Lines):
    """Items beside each other by their shares; fewer in a line where one would get less than `least` px of usual text.

    Lines are filled evenly (four become two and two), items of a line are equally high.
    """

    def __init__(self, least: int, shares: Sequence[int] = (), gap: int = 2 * GRID) -> None:
        super().__init__(gap=gap)
        self._least = least
        self._shares = shares

    def expandingDirections(self) -> Qt.Orientation:
        if "upward" not in self._kept:
            self._kept["upward"] = any(one.expandingDirections() & Qt.Orientation.Vertical for one in self._shown())
        both = Qt.Orientation.Horizontal | Qt.Orientation.Vertical
        return both if self._kept["upward"] else Qt.Orientation.Horizontal

    def sizeHint(self) -> QSize:
        hints = self._hints()
        wide = sum(hint.width() + self._gap for hint in hints) - self._gap
        return QSize(max(wide, 0), max((hint.height() for hint in hints), default=0))

    def _spare(self, plan: _Plan, height: int) -> int:
        return max(height - plan.height, 0) if plan.lines == 1 else 0

    def _plan(self, width: int) -> _Plan:
        places, y = [], 0
        lines = self._lines(width)
        for line in lines:
            high, x = max(_height(item, wide) for item, wide in line), 0
            for item, wide in line:
                places.append((item, QRect(x, y, wide, _height(item, wide) if _at_top(item) else high)))
                x += wide + self._gap
            y += high + self._gap
        return _Plan(tuple(places), max(y - self._gap, 0), len(lines))

    def _lines(self, width: int) -> list[list[tuple[QLayoutItem, int]]]:
        items, needs = self._shown(), self._needs()
        most = max(1, int((width + self._gap) // (self._least * theme.zoom() + self._gap)))
        for beside in range(min(most, len(items)), 0, -1):
            each = math.ceil(len(items) / math.ceil(len(items) / beside))
            starts = range(0, len(items), each)
            widths = [self._widths(needs[start : start + each], width, each) for start in starts]
            if each == 1 or all(widths):
                lines = [items[start : start + each] for start in starts]
                return [list(zip(line, wide, strict=True)) for line, wide in zip(lines, widths, strict=True)]
        return []

    def _widths(self, needs: list[int], width: int, each: int) -> list[int]:
        """Room by shares, nobody below its need; empty where that cannot be. A short last line keeps the grid."""
        if each == 1:
            return [width]
        room = width - self._gap * (each - 1)
        shares = list(self._shares) if len(self._shares) == each == len(needs) else [1] * len(needs)
        whole = sum(shares) + each - len(needs)
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


def _at_top(item: QLayoutItem) -> bool:
    """A name above its field beside another keeps to the line of that one; a card is as high as its neighbour."""
    return item.layout() is not None and not item.expandingDirections() & Qt.Orientation.Vertical


def _height(item: QLayoutItem, width: int) -> int:
    """What it wants, and at least what everything in it needs: a plot that takes any height still has a smallest."""
    if not item.hasHeightForWidth():
        return max(item.sizeHint().height(), item.minimumSize().height())
    widget = item.widget()
    inside = item.layout() if widget is None else widget.layout()
    least = inside.totalMinimumHeightForWidth(width) if inside is not None and inside.hasHeightForWidth() else 0
    return max(item.heightForWidth(width), least)


def columns(*items: QWidget | QLayout, least: int, shares: Sequence[int] = (), gap: float = 2) -> Columns:
    made = Columns(least, shares, round(gap * GRID))
    made.add(*items)
    return made


def flow(*items: QWidget | QLayout, gap: float = 1, centred: bool = False) -> FlowLayout:
    """Buttons in a row that becomes two where there is no room."""
    made = FlowLayout(gap=round(gap * GRID), centred=centred)
    made.add(*items)
    return made
