"""How the privacy risk of a review grew, decision by decision, with its limit."""

from __future__ import annotations

from collections.abc import Sequence

import pyqtgraph as pg
from PySide6.QtCore import Qt

from pprl_desktop.ui.kit.i18n import number, tr
from pprl_desktop.ui.kit.words import count, percent
from pprl_desktop.ui.plots.base import Plot, Rows, brush, pen
from pprl_desktop.ui.widgets.table_model import ColumnSpec

NICE = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25)  # distances between ticks
MOST_TICKS = 6


class KaprPlot(Plot):
    def __init__(self, *, height: int = 180) -> None:
        super().__init__(tr("Privacy risk over the review"), tr("cells opened"), tr("KAPR"), height=height)
        self.values: Sequence[float] = ()
        self.limit = 1.0
        self.item.getViewBox().disableAutoRange()
        self.redraw()

    def show_values(self, values: Sequence[float], limit: float) -> None:
        """The total after each opening, in order."""
        self.values, self.limit = [float(value) for value in values], limit
        self.redraw()

    def draw(self) -> None:
        top = max([self.limit, *self.values]) * 1.15 or 1.0
        step = next(size for size in NICE if top / size <= MOST_TICKS or size == NICE[-1])
        steps = [step * i for i in range(int(top / step) + 1)]
        digits = 0 if step >= 0.01 else 1
        self.ticks("left", [(v, tr("{n} %", n=number(100 * v, digits))) for v in steps])
        self.grid_lines(steps)
        many = max(len(self.values), 1)
        self.item.getAxis("bottom").setTicks(None)
        self.item.setXRange(0, many, padding=0.02)
        self.item.setYRange(0, top, padding=0.02)
        ys = [0.0, *self.values]
        self.item.plot(
            list(range(len(ys) + 1)), ys, stepMode="center", pen=pen("accent", 2.2), fillLevel=0,
            brush=brush("accent_soft", 160),
        )  # fmt: skip
        self.item.addItem(
            pg.InfiniteLine(self.limit, angle=0, pen=pen("danger", 1.6, Qt.PenStyle.DashLine)), ignoreBounds=True
        )

    def resting_text(self) -> str:
        return tr("dashed: the limit of {limit}", limit=percent(self.limit, 0))

    def summary(self) -> str:
        last = self.values[-1] if self.values else 0.0
        return tr(
            "After {n|one opening|{n} openings} the risk is {value} of a limit of {limit}.",
            n=len(self.values),
            value=percent(last, 2),
            limit=percent(self.limit, 0),
        )

    def table(self) -> tuple[list[ColumnSpec], Rows]:
        columns = [
            ColumnSpec(tr("Cell opened"), count, right=True),
            ColumnSpec(tr("Risk after it"), lambda v: percent(v, 3), right=True),
        ]
        return columns, [(i, float(v)) for i, v in enumerate(self.values, start=1)]

    def read_out(self, x: float, y: float) -> str:
        place = round(x)
        if not 1 <= place <= len(self.values):
            return ""
        return tr("after cell {n}: {value}", n=count(place), value=percent(self.values[place - 1], 2))
