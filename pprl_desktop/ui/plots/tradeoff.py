"""Found against could-be-named: each way to compare as a labelled point. Upper left is best; a click uses it."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QHelpEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from pprl_desktop.ui.kit import theme
from pprl_desktop.ui.kit.i18n import tr
from pprl_desktop.ui.kit.spoken import speak_as
from pprl_desktop.ui.kit.tips import plain
from pprl_desktop.ui.kit.words import of_100

RADIUS = 5.5  # px: points of 11
NEAR = 14.0  # px from a point within which a click means it
LINES = (0.25, 0.5, 0.75, 1.0)
STEPS = {0.9: 2, 0.7: 3, 0.4: 3, 0.0: 4}  # lowest line of the scale -> gaps between its lines


@dataclass(frozen=True)
class Spot:
    key: Hashable
    label: str
    found: float  # shares of one
    named: float
    used: bool = False


class TradeOff(QWidget):
    """At least 300 px wide; the table below it on the page holds the same figures."""

    picked = Signal(object)  # the key of the spot that was clicked

    def __init__(self, name: str) -> None:
        super().__init__()
        speak_as(self, "image")
        self.spots: tuple[Spot, ...] = ()
        self.setAccessibleName(name)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMouseTracking(True)
        self.setMinimumWidth(300)

    def show_spots(self, spots: Sequence[Spot]) -> None:
        self.spots = tuple(spots)
        self.setAccessibleDescription(". ".join(map(_words, self.spots)) or tr("Not measured yet."))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(400, theme.grown(216))

    def minimumSizeHint(self) -> QSize:
        return QSize(300, theme.grown(216))

    # where things stand -----------------------------------------------------------------------------

    def _floor(self) -> float:
        """The lowest line: the chart shows the part of the scale that the points use."""
        least = min((one.found for one in self.spots), default=0.7)
        return next((floor for floor in STEPS if floor < least), 0.0)

    def _box(self) -> QRectF:
        line = theme.px("tiny") + 6
        return QRectF(34, line + 28, self.width() - 52, self.height() - 3 * line - 34)

    def _place(self, spot: Spot) -> QPointF:
        box, floor = self._box(), self._floor()
        share = (spot.found - floor) / (1.0 - floor)
        return QPointF(box.left() + box.width() * min(max(spot.named, 0.0), 1.0), box.bottom() - box.height() * share)

    def _at(self, point: QPointF) -> Spot | None:
        near = [(self._place(one) - point, one) for one in self.spots]
        far = [(there.x() ** 2 + there.y() ** 2, one) for there, one in near]
        best = min(far, key=lambda pair: pair[0], default=None)
        return best[1] if best is not None and best[0] <= NEAR**2 else None

    # drawing ------------------------------------------------------------------------------------------

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(theme.font("tiny"))
        box, line = self._box(), theme.px("tiny") + 6
        painter.setPen(theme.colour("muted"))
        left = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        what = tr("Upper left is best. Click a point to use it.")
        start = box.left() if painter.fontMetrics().horizontalAdvance(what) <= box.width() else 0.0
        painter.drawText(QRectF(start, 0, self.width() - start, line), left, what)
        self._axes(painter, box, line, left, right)
        taken = [QRectF(box.left(), 0, box.width(), line)]
        first = sorted(self.spots, key=lambda spot: not spot.used)
        for one in reversed(first):
            taken.append(self._point(painter, one))
        for one in first:
            self._name(painter, one, taken)
        painter.end()

    def _axes(self, painter: QPainter, box: QRectF, line: int, left: Qt.AlignmentFlag, right: Qt.AlignmentFlag) -> None:
        floor = self._floor()
        gaps = STEPS[floor]
        for number in range(gaps + 1):
            share = floor + (1.0 - floor) * number / gaps
            y = box.bottom() - box.height() * number / gaps
            painter.setPen(QPen(theme.colour("border_strong" if number == 0 else "border"), 1))
            painter.drawLine(QPointF(box.left(), y), QPointF(box.right(), y))
            painter.setPen(theme.colour("muted"))
            painter.drawText(QRectF(0, y - line / 2, box.left() - 8, line), right, str(round(100 * share)))
        for share in (0.0, *LINES):
            x = box.left() + box.width() * share
            middle = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignVCenter
            painter.drawText(QRectF(x - 20, box.bottom() + 4, 40, line), middle, str(round(100 * share)))
        below = QRectF(box.left(), box.bottom() + 4 + line, box.width(), line)
        painter.drawText(below, left, tr("↑ found, of 100"))
        painter.drawText(below, right, tr("could be named, of 100 →"))

    def _point(self, painter: QPainter, spot: Spot) -> QRectF:
        place = self._place(spot)
        token = "accent" if spot.used else "neutral"
        if spot.used:
            painter.setPen(QPen(theme.colour("accent"), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawEllipse(place, RADIUS + 4, RADIUS + 4)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour(token))
        painter.drawEllipse(place, RADIUS, RADIUS)
        return QRectF(place.x() - 8, place.y() - 8, 16, 16)

    def _name(self, painter: QPainter, spot: Spot, taken: list[QRectF]) -> None:
        """Beside its point, where no other name and no point is."""
        place = self._place(spot)
        painter.setFont(theme.font("tiny", strong=spot.used))
        wide, high = painter.fontMetrics().horizontalAdvance(spot.label) + 2, painter.fontMetrics().height()
        inside = self._box()
        room = QRectF(inside.left(), 0, self.width() - inside.left(), inside.bottom() + 2)  # not over the scale
        for x, y in (
            (place.x() + 14, place.y() - high / 2), (place.x() - 14 - wide, place.y() - high / 2),
            (place.x() - wide / 2, place.y() - high - 9), (place.x() - wide / 2, place.y() + 10),
            (place.x() - wide + 8, place.y() - high - 9), (place.x() - wide + 8, place.y() + 10),
            (place.x() - wide + 8, place.y() + 10 + high), (place.x() + 10, place.y() + 6),
            (place.x() + 10, place.y() - high - 6), (place.x() + 10, place.y() + 6 + high),
        ):  # fmt: skip
            words = QRectF(x, y, wide, high)
            if room.contains(words) and not any(words.intersects(other) for other in taken):
                taken.append(words)
                painter.setPen(theme.colour("accent_text" if spot.used else "text"))
                painter.drawText(words, Qt.AlignmentFlag.AlignVCenter, spot.label)
                return

    # the mouse ----------------------------------------------------------------------------------------

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        hand = self._at(event.position()) is not None
        self.setCursor(Qt.CursorShape.PointingHandCursor if hand else Qt.CursorShape.ArrowCursor)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        spot = self._at(event.position())
        if spot is not None:
            self.picked.emit(spot.key)

    def event(self, event: object) -> bool:
        if isinstance(event, QHelpEvent):
            spot = self._at(QPointF(event.pos()))
            QToolTip.showText(event.globalPos(), plain(_words(spot)) if spot is not None else "", self)
            return True
        return super().event(event)  # type: ignore[arg-type]


def _words(spot: Spot) -> str:
    return tr(
        "{way}: {found} found, {named} could be named",
        way=spot.label,
        found=of_100(spot.found),
        named=of_100(spot.named),
    )
