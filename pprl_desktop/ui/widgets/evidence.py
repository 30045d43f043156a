"""Why this pair: one bar per field in a table cell, above the line (blue) for it, below (orange) against."""

from __future__ import annotations

import math
from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from pprl_desktop.ui.kit import theme
from pprl_desktop.ui.kit.i18n import number, tr
from pprl_desktop.ui.widgets.table_model import SORT_ROLE

WIDTH, LEAST, GAP = 44, 14, 6  # px per field, where there is room and where not, px between
EDGE = 8  # px left and right of the bars
MOST = 10.0  # evidence that fills a bar


def bars_width(fields: int, each: int = WIDTH) -> int:
    return 2 * EDGE + (each + GAP) * max(fields, 2)


def evidence_words(fields: Sequence[str], evidence: Sequence[float]) -> str:
    """The same in words, for the tool tip, the copy and the screen reader."""
    parts = []
    for name, weight in zip(fields, evidence, strict=True):
        if math.isnan(weight):
            parts.append(tr("{field}: missing", field=name))
        elif weight >= 0:
            parts.append(tr("{field}: for, {w}", field=name, w=number(weight, 1)))
        else:
            parts.append(tr("{field}: against, {w}", field=name, w=number(-weight, 1)))
    return "; ".join(parts)


class EvidenceDelegate(QStyledItemDelegate):
    """Length tells the weight, side and shape tell the direction: a bar above the line is for, below it against."""

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        weights = index.data(SORT_ROLE)
        blank = QStyleOptionViewItem(option)
        self.initStyleOption(blank, index)
        blank.text = ""  # background, selection and line of the row, without the words
        blank.widget.style().drawControl(QStyle.ControlElement.CE_ItemViewItem, blank, painter, blank.widget)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        middle = option.rect.center().y()
        x = float(option.rect.x() + EDGE)
        each = (option.rect.width() - 2 * EDGE) / max(len(weights or ()), 1) - GAP
        wide = min(max(each, float(LEAST)), float(WIDTH))
        painter.setPen(Qt.PenStyle.NoPen)
        for weight in weights or ():
            painter.setBrush(theme.colour("border"))
            painter.drawRoundedRect(QRectF(x, middle - 0.5, wide, 1.5), 0.5, 0.5)
            if not math.isnan(weight) and weight != 0:
                length = max(3.0, wide * min(abs(weight) / MOST, 1.0))
                painter.setBrush(theme.colour("accent" if weight > 0 else "warm"))
                top = middle - 7.0 if weight > 0 else middle + 2.0
                painter.drawRoundedRect(QRectF(x, top, length, 5.0), 2.5, 2.5)
            x += wide + GAP
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        weights = index.data(SORT_ROLE)
        return QSize(bars_width(len(weights or ())), theme.px() + 14)
