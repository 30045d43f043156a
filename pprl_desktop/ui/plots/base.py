"""What every plot shares: themed axes in words, hover read-out, a text summary, a table twin, and saving.

Plots are fed with plain data and know nothing of the project.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QAccessible, QAccessibleEvent, QColor, QFontMetricsF, QPen
from PySide6.QtWidgets import QDialog, QFileDialog, QSizePolicy, QVBoxLayout, QWidget

from pprl_desktop.problem import Problem
from pprl_desktop.ui.kit import theme
from pprl_desktop.ui.kit.i18n import tr
from pprl_desktop.ui.kit.spoken import speak_as
from pprl_desktop.ui.kit.theme import GRID
from pprl_desktop.ui.widgets.basics import Brief, button, follow, label, least_height, menu_button, row, tint
from pprl_desktop.ui.widgets.table import DataTable
from pprl_desktop.ui.widgets.table_model import ColumnSpec

Rows = Sequence[Sequence[Any]]


def pen(token: str, width: float = 2.0, style: Qt.PenStyle = Qt.PenStyle.SolidLine) -> QPen:
    made = QPen(theme.colour(token), width)
    made.setStyle(style)
    made.setCosmetic(True)
    return made


def brush(token: str, alpha: int = 255) -> QColor:
    made = theme.colour(token)
    made.setAlpha(alpha)
    return made


TICK_GAP = 6  # px between an axis and its words


class Plot(QWidget):
    """Subclasses draw in `draw()`, and say the same in `summary()` and `table()`."""

    def __init__(self, name: str, x_words: str, y_words: str, *, height: int = 200) -> None:
        super().__init__()
        speak_as(self, "image")
        self.name = name
        self._words = (x_words, y_words)
        self.canvas = pg.PlotWidget(background=None, enableMenu=False)
        least_height(self.canvas, height)
        self.canvas.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)  # its own wish is a screen
        self.canvas.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.canvas.setFrameShape(pg.QtWidgets.QFrame.Shape.NoFrame)
        self.item = self.canvas.getPlotItem()
        self.item.hideButtons()
        self.item.setMenuEnabled(False)
        self.item.setMouseEnabled(False, False)
        self.item.getViewBox().setDefaultPadding(0.02)
        self.readout = Brief()
        self.more = menu_button(
            "save",
            tr("Save or show as a table: {name}", name=name),
            (
                (tr("Show as a table"), self.show_table),
                (tr("Save as PNG …"), lambda: self._ask("png")),
                (tr("Save as SVG …"), lambda: self._ask("svg")),
                (tr("Save as CSV …"), lambda: self._ask("csv")),
            ),
        )
        tint(self.more, "save", "muted", 14)
        self.more.setProperty("dense", True)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        layout.addWidget(self.canvas, 1)
        foot = row(self.readout, self.more, gap=1)
        foot.setStretch(0, 1)
        layout.addLayout(foot)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.canvas.scene().sigMouseMoved.connect(self._hover)
        follow(self, self.redraw)

    # for the subclasses ---------------------------------------------------------------------------

    def draw(self) -> None:
        """Put the items on `self.item`; called again when the theme changes."""

    def summary(self) -> str:
        """The plot in a sentence or two, for a screen reader and for the tooltip."""
        return ""

    def table(self) -> tuple[list[ColumnSpec], Rows]:
        """The same numbers as a table."""
        return [], []

    def read_out(self, x: float, y: float) -> str:
        """What stands at a point, in words."""
        return ""

    # shared ---------------------------------------------------------------------------------------

    def redraw(self) -> None:
        self.item.clear()
        self._style()
        self.draw()
        text = self.summary()
        self.setAccessibleName(self.name)
        self.setAccessibleDescription(text)
        self.readout.setText(self.resting_text())
        QAccessible.updateAccessibility(QAccessibleEvent(self, QAccessible.Event.DescriptionChanged))

    def resting_text(self) -> str:
        return ""

    def _style(self) -> None:
        font = theme.font("tiny")
        half = QFontMetricsF(font).horizontalAdvance("100 %") / 2
        self.item.layout.setContentsMargins(2, 6, half + 2, 2)  # room for the last tick of each axis
        for side, words in zip(("bottom", "left"), self._words, strict=True):
            axis = self.item.getAxis(side)
            axis.setPen(pen("border", 1.0))
            axis.setTextPen(pen("muted", 1.0))
            axis.setTickFont(font)
            axis.setStyle(tickLength=0, tickTextOffset=TICK_GAP, hideOverlappingLabels=False)
            axis.setTickPen(pen("border", 1.0))
            if words:
                axis.setLabel(words, **{"color": theme.current().muted, "font-size": f"{theme.px('tiny')}px"})
                axis.enableAutoSIPrefix(False)
            else:
                axis.showLabel(False)
        self.item.showGrid(x=False, y=False)
        self.canvas.setBackground(theme.colour("surface"))

    def ticks(self, side: str, marks: Sequence[tuple[float, str]]) -> None:
        """The marks of an axis in words, and room for them: pyqtgraph learns of it only when it paints."""
        axis, metrics = self.item.getAxis(side), QFontMetricsF(theme.font("tiny"))
        axis.setTicks([list(marks)])
        named = metrics.height() + 4 if self._words[side == "left"] else 0
        if side == "left":
            axis.setWidth(max((metrics.horizontalAdvance(text) for _, text in marks), default=0) + TICK_GAP + named + 2)
        else:
            axis.setHeight(metrics.height() + TICK_GAP + named)

    def grid_lines(self, values: Sequence[float]) -> None:
        for value in values:
            self.item.addItem(pg.InfiniteLine(value, angle=0, pen=pen("border", 1.0)), ignoreBounds=True)

    def _hover(self, place: QPointF) -> None:
        box = self.item.getViewBox()
        if not self.item.sceneBoundingRect().contains(place):
            self.readout.setText(self.resting_text())
            return
        point = box.mapSceneToView(place)
        self.readout.setText(self.read_out(point.x(), point.y()) or self.resting_text())

    def leaveEvent(self, event: Any) -> None:
        self.readout.setText(self.resting_text())
        super().leaveEvent(event)

    # saving and the table twin --------------------------------------------------------------------

    def show_table(self) -> QDialog:
        columns, rows = self.table()
        dialog = QDialog(self.window())
        dialog.setWindowTitle(self.name)
        dialog.resize(560, 440)
        table = DataTable(self.name, columns, filter_line=True)
        table.show_rows(rows)
        layout = QVBoxLayout(dialog)
        layout.setContentsMargins(2 * GRID, 2 * GRID, 2 * GRID, 2 * GRID)
        layout.setSpacing(GRID)
        layout.addWidget(label(self.summary(), "muted"))
        layout.addWidget(table, 1)
        layout.addLayout(row(button(tr("Copy table"), table.copy), None, button(tr("Close"), dialog.accept)))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()
        return dialog

    def _ask(self, kind: str) -> None:
        name, _ = QFileDialog.getSaveFileName(
            self, tr("Save the plot"), f"{self.name}.{kind}", f"{kind.upper()} (*.{kind})"
        )
        if name:
            self.save(Path(name))

    def _draw_svg(self, path: Path) -> None:
        """Through Qt's own generator: pyqtgraph's exporter stumbles over the paths of newer versions of Qt."""
        from PySide6.QtCore import QRectF
        from PySide6.QtGui import QPainter
        from PySide6.QtSvg import QSvgGenerator

        size = self.canvas.size()
        generator = QSvgGenerator()
        generator.setFileName(str(path))
        generator.setSize(size)
        generator.setViewBox(QRectF(0, 0, size.width(), size.height()))
        generator.setTitle(self.name)
        generator.setDescription(self.summary())
        painter = QPainter()
        if not painter.begin(generator):
            raise OSError
        self.canvas.render(painter)
        painter.end()

    def save(self, path: Path) -> None:
        """The kind follows from the ending: png, svg or csv."""
        kind = path.suffix.lower().lstrip(".")
        try:
            if kind == "png":
                if not self.canvas.grab().save(str(path), "PNG"):
                    raise OSError
            elif kind == "svg":
                self._draw_svg(path)
            elif kind == "csv":
                columns, rows = self.table()
                with path.open("w", encoding="utf-8", newline="") as file:
                    writer = csv.writer(file)
                    writer.writerow([column.title for column in columns])
                    writer.writerows(rows)
            else:
                raise Problem(
                    tr("A plot cannot be saved as “{ending}”.", ending=kind),
                    do=tr("Use the ending .png, .svg or .csv."),
                    place="file",
                )
        except OSError:
            raise Problem(
                tr("The plot could not be saved."),
                tr("The folder does not allow it, or the disk is full."),
                tr("Choose another folder."),
                place="file",
            ) from None
