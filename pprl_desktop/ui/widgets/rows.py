"""A table whose cells are widgets: no frame, hairlines, small heads, one chosen line, its action at the right end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QGridLayout, QLayout, QWidget

from pprl_desktop.ui.kit import theme
from pprl_desktop.ui.kit.theme import GRID
from pprl_desktop.ui.widgets.banner import clear
from pprl_desktop.ui.widgets.basics import Brief, boxed, column, follow, label, row

EDGE = 3  # px of the mark of the chosen line


@dataclass(frozen=True)
class Head:
    text: str
    stretch: int = 0
    right: bool = False
    least: int = 0  # px, at the usual text size
    spare: bool = False  # given up where there is no room for all


@dataclass(frozen=True)
class _Line:
    last: int  # row of the grid
    held: tuple[QWidget, ...]
    chosen: bool
    click: Callable[[], object] | None


Cell = QWidget | QLayout | str | None


class Rows(QWidget):
    """`high` is the least height of a line: 28, 36, or 44 for two lines of text."""

    spared = Signal(bool)  # whether columns were given up

    def __init__(self, name: str, heads: Sequence[Head], *, high: int = 36, indent: float = 1.5) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.heads, self._high = tuple(heads), high
        self._lines: list[_Line] = []
        self._cells: list[tuple[int, QWidget]] = []  # column and what stands in it
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(round(indent * GRID), 0, round(indent * GRID), 5)
        self._grid.setHorizontalSpacing(round(1.5 * GRID))
        self._grid.setVerticalSpacing(8)
        for place, head in enumerate(self.heads):
            self._grid.setColumnStretch(place, head.stretch)
        follow(self, self._fit)
        self._fit()
        self.clear()

    def _fit(self) -> None:
        for place, head in enumerate(self.heads):
            self._grid.setColumnMinimumWidth(place, round(head.least * theme.zoom()))

    def clear(self) -> None:
        clear(self._grid)
        for line in range(self._grid.rowCount()):
            self._grid.setRowMinimumHeight(line, 0)  # a layout keeps the height of lines that are gone
        self._lines, self._cells = [], []
        for place, head in enumerate(self.heads):
            made = label(head.text, "column", wrap=not head.right)
            self._cells.append((place, made))
            self._grid.addWidget(made, 0, place, _aside(head) if head.right else Qt.AlignmentFlag(0))
        named = any(head.text for head in self.heads)
        self._grid.setRowMinimumHeight(0, 24 if named else 0)
        for _, made_ in self._cells:
            made_.setVisible(named)  # columns without names need no line for them

    def add(
        self,
        *cells: Cell,
        below: QWidget | None = None,
        chosen: bool = False,
        click: Callable[[], object] | None = None,
    ) -> None:
        """One line; `below` stands under it over the whole width: the trouble of this line and its cure."""
        at = self._lines[-1].last + 1 if self._lines else 1
        held: list[QWidget] = []
        for place, (cell, head) in enumerate(zip(cells, self.heads, strict=True)):
            if cell is None:
                continue
            shown = label(cell, wrap=not head.right) if isinstance(cell, str) else cell
            if isinstance(shown, QLayout):
                shown = boxed(shown)
            where = Qt.AlignmentFlag.AlignVCenter | (_aside(head) if head.right else Qt.AlignmentFlag(0))
            self._cells.append((place, shown))
            held.append(shown)
            self._grid.addWidget(shown, at, place, where)
            shown.show()  # at once: what Enter presses is looked for among the visible ones
        self._grid.setRowMinimumHeight(at, self._high - 8)
        last = at
        if below is not None:
            last = at + 1
            self._grid.addWidget(below, last, 0, 1, len(self.heads))
            below.show()
            held.append(below)
        self._lines.append(_Line(last, tuple(held), chosen, click))
        self._give_up()
        self.update()

    def _boxes(self) -> list[QRectF]:
        """Of the lines; the border stands half way between what two lines hold. (A grid whose texts wrap does not
        tell where its rows are.)"""
        if not self._lines:
            return []
        # what was given up is laid out no more: it stands where it stood
        shown = [[one.geometry() for one in line.held if not one.isHidden()] for line in self._lines]
        spans = [
            (min((one.top() for one in line), default=0), max((one.bottom() + 1 for one in line), default=0))
            for line in shown
        ]
        edges = [spans[0][0] - 4.0]
        edges += [(above[1] + below[0]) / 2 for above, below in pairwise(spans)]
        edges.append(spans[-1][1] + 4.0)
        return [QRectF(0, round(top), self.width(), round(end) - round(top)) for top, end in pairwise(edges)]

    def _needs(self, *, spare: bool) -> int:
        """Px that the cells take at least, with or without the columns that may be given up."""
        wide = [0] * len(self.heads)
        for place, widget in self._cells:
            wide[place] = max(wide[place], widget.minimumSizeHint().width())
        shown = [
            max(one, round(head.least * theme.zoom()))
            for one, head in zip(wide, self.heads, strict=True)
            if spare or not head.spare
        ]
        margins = self._grid.contentsMargins()
        return sum(shown) + self._grid.horizontalSpacing() * (len(shown) - 1) + margins.left() + margins.right()

    def minimumSizeHint(self) -> QSize:
        """As high as the lines want to be: a page scrolls, its lines are not squeezed."""
        natural = self._grid.totalSizeHint().height()
        if self._grid.hasHeightForWidth() and self.width() > 0:
            natural = max(self._grid.totalHeightForWidth(self.width()), self._grid.totalMinimumSize().height())
        return QSize(self._needs(spare=False), natural)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._give_up()
        self.update()

    def _give_up(self) -> None:
        if not any(head.spare for head in self.heads):
            return
        room = self._needs(spare=True) <= self.width()
        self.spared.emit(not room)
        for place, widget in self._cells:
            if self.heads[place].spare:
                widget.setVisible(room)
        for place, head in enumerate(self.heads):
            if head.spare:
                self._grid.setColumnStretch(place, head.stretch if room else 0)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            self.update()  # the lines stand elsewhere now
        return super().event(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        for line, box in zip(self._lines, self._boxes(), strict=True):
            if line is self._lines[0]:
                painter.fillRect(QRectF(0, box.top() - 1, box.width(), 1), theme.colour("border"))
            if line.chosen:
                painter.fillRect(box, theme.colour("accent_soft"))
                painter.fillRect(QRectF(0, box.top(), EDGE, box.height()), theme.colour("accent"))
            painter.fillRect(QRectF(0, box.bottom() - 1, box.width(), 1), theme.colour("border"))
        painter.end()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        for line, box in zip(self._lines, self._boxes(), strict=True):
            if line.click is not None and box.contains(event.position()):
                line.click()
                return
        super().mousePressEvent(event)


def two_lines(
    strong: str, small: str, *beside: QWidget, tint: str = "", role: str = "strong", cut: bool = False
) -> QLayout:
    """A bold line and a quiet one below it; what stands beside the bold one is a tag or an icon. `cut`: as wide as its
    place, whatever somebody called a thing."""
    above, below = (_brief(strong, role), _brief(small, "tiny")) if cut else (
        label(strong, role, wrap=False), label(small, "tiny", wrap=False),
    )  # fmt: skip
    if not small:
        below.hide()
    if tint:
        below.setProperty("tint", tint)
    top = row(above, *beside, *([] if cut else [None]), gap=1 if beside else 0)
    return column(top, below, gap=0.25)


def _brief(text: str, role: str) -> Brief:
    made = Brief(role)
    made.setText(text)
    return made


def _aside(head: Head) -> Qt.AlignmentFlag:
    return Qt.AlignmentFlag.AlignRight if head.right else Qt.AlignmentFlag.AlignLeft
