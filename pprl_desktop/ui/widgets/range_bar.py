"""A share and the range it may lie in: a number, a bar with the range and a tick, and a word below."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from pprl_desktop.ui.kit import theme
from pprl_desktop.ui.kit.i18n import tr
from pprl_desktop.ui.kit.spoken import ValueBar
from pprl_desktop.ui.widgets.basics import column, label

SPAN = 0.2  # share of one that fills the bar, unless the range goes beyond
HIGH = 10  # px


class RangeBar(QWidget):
    def __init__(self, what: str) -> None:
        super().__init__()
        self.what = what
        self.head, self.note, self.bar = label(what), label("", "tiny"), _Bar()
        self.setLayout(column(self.head, self.bar, self.note, None, gap=0.75))

    def show_range(self, share: tuple[float, float, float] | None, note: str, number: str = "") -> None:
        """`share` with its lower and upper end; None: nothing is known, and the note says why."""
        self.head.setText(
            f"<b>{number}</b> {self.what}" if share is not None else tr("{what}: <b>not known</b>", what=self.what)
        )
        self.note.setText(note)
        self.bar.share = share
        self.bar.setVisible(share is not None)
        self.bar.tell(share[0] if share is not None else None)
        self.bar.setAccessibleName(self.what)
        self.bar.update()
        self.setAccessibleName(f"{number} {self.what}, {note}" if share is not None else f"{self.what}: {note}")


class _Bar(ValueBar):
    def __init__(self) -> None:
        super().__init__()
        self.share: tuple[float, float, float] | None = None
        self.setFixedHeight(HIGH + 4)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour("track"))
        wide = self.width()
        painter.drawRoundedRect(QRectF(0, 4, wide, 6), 3, 3)
        if self.share is not None:
            value, low, high = self.share
            span = max(SPAN, 1.1 * high)
            painter.setBrush(theme.colour("warm_soft"))
            painter.drawRoundedRect(QRectF(low / span * wide, 3, max((high - low) / span * wide, 4), 8), 3, 3)
            painter.setBrush(theme.colour("warm"))
            painter.drawRoundedRect(QRectF(min(value / span * wide, wide - 3), 0, 3, HIGH + 4), 1, 1)
        painter.end()
