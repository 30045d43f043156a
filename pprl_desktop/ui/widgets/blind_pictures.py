"""Two pictures of the method blind: which file travels where and who can read it, and how far a liar could reach."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from pprl_desktop.ui.kit import theme
from pprl_desktop.ui.kit.i18n import tr
from pprl_desktop.ui.kit.spoken import speak_as
from pprl_desktop.ui.kit.words import of_100

BOX = 168  # px of each side's box, at the usual text size
LINE = 34  # px between two arrows


class Travels(QWidget):
    """Three files between two boxes; the words say what each is, the arrows who sends it."""

    def __init__(self) -> None:
        super().__init__()
        speak_as(self, "image")
        self.left = self.right = ("", "")
        self.arrows: Sequence[tuple[str, bool]] = ()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_path(self, me: str, partner: str, *, asks: bool) -> None:
        """`asks`: the own side does."""
        reads, waits = tr("reads the answer"), tr("reads only the result")
        self.left = (me, reads if asks else waits)
        self.right = (partner, waits if asks else reads)
        self.arrows = (
            (tr("1 Question: blinded keys, random to the other side"), asks),
            (tr("2 Answer: opens only records that share a key"), not asks),
            (tr("3 Result: which records are linked"), asks),
        )
        ways = [f"{words} ({me if right else partner} → {partner if right else me})" for words, right in self.arrows]
        self.setAccessibleName(tr("What travels, and who can read it"))
        self.setAccessibleDescription("; ".join(ways))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(600, round((3 * LINE + 8) * theme.zoom()))

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box, high = min(BOX * theme.zoom(), self.width() * 0.24), self.height() - 4
        for x, (name, note), token in (
            (0.0, self.left, "accent_soft"),
            (self.width() - box, self.right, "neutral_soft"),
        ):
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.colour(token))
            painter.drawRoundedRect(QRectF(x, 0, box, high), 8, 8)
            painter.setPen(theme.colour("text"))
            painter.setFont(theme.font(strong=True))
            inner = QRectF(x + 12, 14, box - 24, high - 24)
            painter.drawText(inner, Qt.TextFlag.TextWordWrap, name)
            painter.setFont(theme.font("small"))
            painter.setPen(theme.colour("muted"))
            painter.drawText(inner, Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignBottom, note)
        left, right = box + 12, self.width() - box - 12
        for place, (words, to_right) in enumerate(self.arrows):
            y = (place + 1) * LINE * theme.zoom() - 8
            token = "accent" if to_right else "warm"
            painter.setPen(theme.colour("text"))
            painter.setFont(theme.font("small"))
            fits = painter.fontMetrics().elidedText(words, Qt.TextElideMode.ElideRight, int(right - left))
            painter.drawText(QRectF(left, y - 22, right - left, 18), Qt.AlignmentFlag.AlignCenter, fits)
            painter.setPen(QPen(theme.colour(token), 2))
            painter.drawLine(QPointF(left, y), QPointF(right, y))
            tip, back = (right, -8) if to_right else (left, 8)
            painter.setBrush(theme.colour(token))
            painter.drawPolygon(QPolygonF([QPointF(tip, y), QPointF(tip + back, y - 5), QPointF(tip + back, y + 5)]))
        painter.end()


class Reach(QWidget):
    """The share within reach of a liar: filled at the agreed number of questions, dashed at ten times as many."""

    def __init__(self) -> None:
        super().__init__()
        speak_as(self, "image")
        self.now = self.ten = self.limit = 0.0
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_reach(self, now: float, ten: float, limit: float) -> None:
        self.now, self.ten, self.limit = now, ten, limit
        self.setAccessibleName(tr("Within reach of a partner who lies in every question"))
        self.setAccessibleDescription(
            tr("{now} with the agreed questions, {ten} with ten times as many; agreed are {limit}.", now=of_100(now),
               ten=of_100(ten), limit=of_100(limit))
        )  # fmt: skip
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(300, round(58 * theme.zoom()) + theme.px("tiny") + 4)  # the words below may take two lines

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        wide, top, high = float(self.width()), 22 * theme.zoom(), 12.0
        span = max(self.ten, self.limit, 0.05) * 1.25
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour("track"))
        painter.drawRoundedRect(QRectF(0, top, wide, high), 6, 6)
        painter.setBrush(theme.colour("warm_soft"))
        painter.setPen(QPen(theme.colour("warm"), 1, Qt.PenStyle.DashLine))
        painter.drawRoundedRect(QRectF(0, top, max(self.ten / span * wide, 6), high), 6, 6)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour("warm"))
        painter.drawRoundedRect(QRectF(0, top, max(self.now / span * wide, 6), high), 6, 6)
        at = self.limit / span * wide
        painter.setPen(QPen(theme.colour("text"), 2))
        painter.drawLine(QPointF(at, top - 5), QPointF(at, top + high + 5))
        painter.setFont(theme.font("tiny", strong=True))
        painter.setPen(theme.colour("text"))
        words = tr("agreed: {limit}", limit=of_100(self.limit))
        room = painter.fontMetrics().horizontalAdvance(words) + 8
        left = min(max(at - room / 2, 0), wide - room)
        painter.drawText(QRectF(left, 0, room, top - 6), Qt.AlignmentFlag.AlignCenter, words)
        painter.setFont(theme.font("tiny"))
        painter.setPen(theme.colour("warm_text"))
        below = top + high + 4
        said = tr("{now}; with ten times the questions {ten}", now=of_100(self.now), ten=of_100(self.ten))
        painter.drawText(QRectF(0, below, wide, self.height() - below), Qt.TextFlag.TextWordWrap, said)
        painter.end()
