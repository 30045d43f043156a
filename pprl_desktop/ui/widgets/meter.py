"""The privacy meter: what is spent, what the next opening would add, and where the limit stands."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QAccessible, QAccessibleEvent, QBrush, QPainter, QPainterPath, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy

from pprl_desktop.ui.kit import theme
from pprl_desktop.ui.kit.i18n import tr
from pprl_desktop.ui.kit.spoken import ValueBar
from pprl_desktop.ui.kit.tips import set_tip
from pprl_desktop.ui.kit.words import percent


class Meter(ValueBar):
    """One bar: filled = spent, hatched = the preview, tick = limit. Each also in words above and below it."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name
        self.spent = 0.0
        self.preview: float | None = None  # the total after the next opening
        self.limit = 1.0
        self.note = ""  # a quiet line below: characters opened, smallest crowd
        self.more = ""  # said on hover and aloud only
        self.decimals = 2
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMinimumWidth(240)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._announce()

    def show_value(self, value: float, limit: float, note: str = "") -> None:
        moved = (value, limit) != (self.spent, self.limit)
        self.spent, self.limit, self.note = value, limit, note
        self.tell(value / limit if limit else 0.0)
        self._announce()
        if moved:
            QAccessible.updateAccessibility(QAccessibleEvent(self, QAccessible.Event.DescriptionChanged))
        self.update()

    def show_preview(self, total: float | None) -> None:
        if total != self.preview:
            self.preview = total
            self._announce()
            self.update()

    def words(self) -> str:
        text = f"{self.name} {percent(self.spent, self.decimals)}"
        if self.preview is not None and self.preview > self.spent:
            text += " · " + tr("+ {cost} if you open this cell", cost=percent(self.preview - self.spent, self.decimals))
        return text

    def _announce(self) -> None:
        self.setAccessibleName(self.name)
        limit = tr("limit {limit}", limit=percent(self.limit, 0))
        self.setAccessibleDescription(f"{self.words()} · {limit} · {self.note} {self.more}".strip(" ·"))
        set_tip(self, self.accessibleDescription())

    def sizeHint(self) -> QSize:
        return QSize(round(350 * theme.zoom()), 2 * (theme.px("small") + 6) + 18)

    def minimumSizeHint(self) -> QSize:
        return QSize(240, self.sizeHint().height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        line = theme.px("small") + 6
        width = float(self.width())
        self._texts(painter, line, width)
        bar = QRectF(0, line + 2, width, 13)
        full = max(self.limit * 1.0, self.spent, self.preview or 0.0, 1e-9)
        scale = (width - 2) / full if full > self.limit else (width - 2) / self.limit if self.limit else width
        outline = QPainterPath()
        outline.addRoundedRect(bar, 6, 6)
        painter.setClipPath(outline)
        painter.fillRect(bar, theme.colour("track"))
        spent = min(self.spent * scale, width)
        painter.fillRect(QRectF(bar.left(), bar.top(), spent, bar.height()), theme.colour("accent"))
        if self.preview is not None and self.preview > self.spent:
            extra = max((self.preview - self.spent) * scale, 6.0)
            over = self.preview > self.limit + 1e-12
            box = QRectF(spent, bar.top(), min(extra, width - spent), bar.height())
            painter.fillRect(box, theme.colour("danger_soft" if over else "warm_soft"))
            painter.fillRect(box, QBrush(theme.colour("danger" if over else "warm"), Qt.BrushStyle.BDiagPattern))
            painter.setPen(QPen(theme.colour("danger" if over else "warm"), 1.5))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(box)
        painter.setClipping(False)
        tick = min(self.limit * scale, width - 1)
        painter.setPen(QPen(theme.colour("danger"), 2))
        painter.drawLine(QPointF(tick, bar.top() - 4), QPointF(tick, bar.bottom() + 4))
        painter.end()

    def _texts(self, painter: QPainter, line: int, width: float) -> None:
        left = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        painter.setFont(theme.font("small", strong=True))
        painter.setPen(theme.colour("text"))
        head = f"{self.name} {percent(self.spent, self.decimals)}"
        painter.drawText(QRectF(0, 0, width, line), left, head)
        used = painter.fontMetrics().horizontalAdvance(head) + 10
        painter.setFont(theme.font("small"))
        limit = tr("limit {limit}", limit=percent(self.limit, 0))
        room = width - used - painter.fontMetrics().horizontalAdvance(limit) - 12
        if self.preview is not None and self.preview > self.spent:
            cost = percent(self.preview - self.spent, self.decimals)
            forms = (tr("+ {cost} if you open this cell", cost=cost), f"+ {cost}", "")  # whole in the tooltip
            text = next(form for form in forms if not form or painter.fontMetrics().horizontalAdvance(form) <= room)
            over = self.preview > self.limit + 1e-12
            painter.setPen(theme.colour("danger_text" if over else "warm_text"))
            painter.drawText(QRectF(used, 0, max(room, 1.0), line), left, text)
        painter.setPen(theme.colour("muted"))
        painter.drawText(QRectF(0, 0, width, line), right, limit)
        note = painter.fontMetrics().elidedText(self.note, Qt.TextElideMode.ElideRight, int(width))
        painter.drawText(QRectF(0, line + 17, width, line), left, note)


class Bar(ValueBar):
    """A share as a bar with its name at the left and its number at the right."""

    def __init__(self, name: str, share: float, text: str, *, token: str = "accent", name_width: int = 110) -> None:
        super().__init__()
        self.name, self.share, self.said, self.token, self.name_width = name, share, text, token, name_width
        self.tell(share)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(f"{name}: {text}")
        set_tip(self, f"{name}: {text}")

    def sizeHint(self) -> QSize:
        return QSize(260, theme.px() + 10)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(theme.font("small"))
        metrics = painter.fontMetrics()
        value_width = max(metrics.horizontalAdvance(self.said), 44) + 8
        least = min(self.name_width * theme.zoom(), self.width() * 0.4)  # the same for all bars of a list
        name_width = max(least, min(metrics.horizontalAdvance(self.name) + 9, self.width() * 0.68))
        high = self.height()
        painter.setPen(theme.colour("muted"))
        shown = metrics.elidedText(self.name, Qt.TextElideMode.ElideRight, int(name_width - 8))
        painter.drawText(QRectF(0, 0, name_width, high), Qt.AlignmentFlag.AlignVCenter, shown)
        track = QRectF(name_width, high / 2 - 4, max(self.width() - name_width - value_width, 10), 8)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour("track"))
        painter.drawRoundedRect(track, 4, 4)
        if self.share > 0:
            painter.setBrush(theme.colour(self.token))
            painter.drawRoundedRect(
                QRectF(track.left(), track.top(), max(track.width() * min(self.share, 1.0), 8), 8), 4, 4
            )
        painter.setPen(theme.colour("text"))
        painter.drawText(
            QRectF(self.width() - value_width, 0, value_width, high),
            Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight,
            self.said,
        )
        painter.end()


class ShareBar(ValueBar):
    """A small bar left of its number, of 100; nothing but a dash while it is not measured."""

    WIDE = 40  # px of the bar

    def __init__(self, share: float | None, token: str = "accent") -> None:
        super().__init__()
        self.share, self.token = share, token
        self.tell(share)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def words(self) -> str:
        if self.share is None:
            return "–"
        hundredths = 100 * self.share
        return "<1" if 0 < hundredths < 0.5 else ">99" if 99.5 < hundredths < 100 else str(round(hundredths))

    def sizeHint(self) -> QSize:
        return QSize(self.WIDE + 8 + round(2.4 * theme.px()), theme.px() + 8)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        track = QRectF(0, self.height() / 2 - 3, self.WIDE, 6)
        painter.setBrush(theme.colour("track"))
        painter.drawRoundedRect(track, 3, 3)
        if self.share:
            painter.setBrush(theme.colour(self.token))
            painter.drawRoundedRect(QRectF(0, track.top(), max(self.WIDE * min(self.share, 1.0), 3), 6), 3, 3)
        painter.setFont(theme.font(strong=True))
        heavy = self.token == "warm" and self.share is not None and self.share > 0.2
        painter.setPen(theme.colour("warm_text" if heavy else "text" if self.share is not None else "muted"))
        room = QRectF(self.WIDE + 8, 0, self.width() - self.WIDE - 8, self.height())
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, self.words())
        painter.end()
