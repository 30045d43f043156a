"""Field chips: small named things that can be dragged, chosen and removed."""

from __future__ import annotations

from PySide6.QtCore import QMimeData, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QDrag, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QApplication, QSizePolicy, QWidget

from pprl_desktop.ui.kit import icons, theme
from pprl_desktop.ui.kit.i18n import tr

MIME = "application/x-pprl-column"


class Chip(QWidget):
    """`kind` tells the icon: a column of the own table or an agreed field."""

    removed = Signal(str)
    activated = Signal(str)

    def __init__(
        self, text: str, *, icon: str = "", removable: bool = False, draggable: bool = False, token: str = "accent"
    ) -> None:
        super().__init__()
        self.text, self.icon, self.removable, self.draggable, self.token = text, icon, removable, draggable, token
        self._pressed: QPoint | None = None
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus if removable or draggable else Qt.FocusPolicy.NoFocus)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(text)
        if removable:
            self.setAccessibleDescription(tr("Delete removes it"))
        self.setCursor(Qt.CursorShape.OpenHandCursor if draggable else Qt.CursorShape.ArrowCursor)

    def sizeHint(self) -> QSize:
        metrics = self.fontMetrics()
        extra = 24 + (20 if self.icon else 0) + (18 if self.removable else 0)
        return QSize(metrics.horizontalAdvance(self.text) + extra, metrics.height() + 12)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = self.rect().adjusted(1, 1, -1, -1)
        soft = {"accent": "accent_soft", "warm": "warm_soft"}.get(self.token, "neutral_soft")
        ink = {"accent": "accent_text", "warm": "warm_text"}.get(self.token, "text")
        painter.setBrush(theme.colour(soft))
        painter.setPen(QPen(theme.colour("accent"), 2) if self.hasFocus() else Qt.PenStyle.NoPen)
        painter.drawRoundedRect(box, 8, 8)
        x = 12
        if self.icon:
            painter.drawPixmap(QRect(x - 2, self.height() // 2 - 8, 16, 16), icons.pixmap(self.icon, ink, 16))
            x += 20
        painter.setPen(theme.colour(ink))
        painter.drawText(self.rect().adjusted(x, 0, -8, 0), Qt.AlignmentFlag.AlignVCenter, self.text)
        if self.removable:
            painter.drawPixmap(self._cross(), icons.pixmap("close", ink, 14))
        painter.end()

    def _cross(self) -> QRect:
        return QRect(self.width() - 22, self.height() // 2 - 7, 14, 14)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if self.removable and self._cross().adjusted(-4, -4, 4, 4).contains(event.position().toPoint()):
            self.removed.emit(self.text)
            return
        self._pressed = event.position().toPoint()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if not self.draggable or self._pressed is None:
            return
        if (event.position().toPoint() - self._pressed).manhattanLength() < QApplication.startDragDistance():
            return
        drag, data = QDrag(self), QMimeData()
        data.setData(MIME, self.text.encode("utf-8"))
        drag.setMimeData(data)
        drag.setPixmap(self.grab())
        self._pressed = None
        drag.exec(Qt.DropAction.CopyAction)

    def mouseReleaseEvent(self, _event: QMouseEvent) -> None:
        if self._pressed is not None:
            self.activated.emit(self.text)
        self._pressed = None

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self.removable and event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.removed.emit(self.text)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Space):
            self.activated.emit(self.text)
        else:
            super().keyPressEvent(event)
