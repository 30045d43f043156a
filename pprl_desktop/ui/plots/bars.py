"""Small bar charts of the profile: missing values by column, lengths or other counts by group."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetricsF, QResizeEvent

from pprl_desktop.ui.kit import theme
from pprl_desktop.ui.kit.i18n import tr
from pprl_desktop.ui.kit.words import count
from pprl_desktop.ui.plots.base import Plot, Rows, brush
from pprl_desktop.ui.widgets.table_model import ColumnSpec

SHORTEST = "patient"  # a name under a bar is shortened down to this width, then every other one is left out
_RIGHT = Qt.TextElideMode.ElideRight


class BarsPlot(Plot):
    """One bar per name. `show` turns the value into words ("3 %")."""

    def __init__(
        self,
        name: str,
        x_words: str,
        y_words: str,
        *,
        show: Callable[[float], str] | None = None,
        token: str = "accent",
        height: int = 190,
    ) -> None:
        super().__init__(name, x_words, y_words, height=height)
        self.names: Sequence[str] = ()
        self.values: Sequence[float] = ()
        self.words = show or (lambda v: count(round(v)))
        self.token = token
        self.top = 0.0
        self.item.getViewBox().disableAutoRange()
        self.redraw()

    def show_bars(self, names: Sequence[str], values: Sequence[float], top: float = 0.0) -> None:
        self.names, self.values, self.top = list(names), [float(v) for v in values], top
        self.redraw()

    def draw(self) -> None:
        n = len(self.values)
        top = self.top or max([*self.values, 0.0]) * 1.08 or 1.0
        self.ticks("left", [(v, self.words(v)) for v in (0.0, top / 2, top)])
        self._name_bars()
        self.grid_lines([0.0, top / 2, top])
        self.item.setXRange(-0.6, max(n, 1) - 0.4, padding=0)
        self.item.setYRange(0, top, padding=0.02)
        if n:
            self.item.addItem(
                pg.BarGraphItem(
                    x=list(range(n)), height=list(self.values), width=0.68, brush=brush(self.token), pen=None
                )
            )

    def _name_bars(self) -> None:
        """As many names as stand beside each other, shortened to the room there is; hovering tells the whole."""
        n, metrics = len(self.names), QFontMetricsF(theme.font("tiny"))
        room = (self.canvas.width() - self.item.getAxis("left").width()) / max(n, 1)
        every = max(1, math.ceil(metrics.horizontalAdvance(SHORTEST) / max(room, 1.0)))
        names = [(i, metrics.elidedText(self.names[i], _RIGHT, every * room - 4)) for i in range(0, n, every)]
        self.ticks("bottom", names)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._name_bars()

    def summary(self) -> str:
        if not self.values:
            return tr("Nothing to show.")
        top = max(range(len(self.values)), key=lambda i: self.values[i])
        return tr(
            "{n} bars; the highest is {name} with {value}.",
            n=len(self.values),
            name=self.names[top],
            value=self.words(self.values[top]),
        )

    def table(self) -> tuple[list[ColumnSpec], Rows]:
        columns = [
            ColumnSpec(self._words[0] or tr("Name")),
            ColumnSpec(self._words[1] or tr("Value"), self.words, right=True),
        ]
        return columns, [(str(n), float(v)) for n, v in zip(self.names, self.values, strict=True)]

    def read_out(self, x: float, y: float) -> str:
        place = round(x)
        if not 0 <= place < len(self.values):
            return ""
        return f"{self.names[place]}: {self.words(self.values[place])}"
