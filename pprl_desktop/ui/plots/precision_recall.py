"""Precision against recall with the working point: what would be found, and how much of it would be wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyqtgraph as pg

from pprl_desktop.ui.kit.i18n import tr
from pprl_desktop.ui.kit.words import exact, of_100, percent
from pprl_desktop.ui.plots.base import Plot, Rows, brush, pen
from pprl_desktop.ui.widgets.table_model import ColumnSpec


@dataclass(frozen=True)
class Curve:
    """Points of one curve, any order; `working` is the point in force."""

    recall: Sequence[float]
    precision: Sequence[float]
    threshold: Sequence[float]
    working: tuple[float, float] | None = None  # recall, precision
    spread: tuple[float, float, float, float] | None = None  # recall low, high, precision low, high


class PrecisionRecallPlot(Plot):
    def __init__(self, *, height: int = 220) -> None:
        super().__init__(
            tr("Precision and recall"),
            tr("shared people found"),
            tr("correct"),
            height=height,
        )
        self.curve = Curve((), (), ())
        self.item.getViewBox().disableAutoRange()
        self.redraw()

    def show_curve(self, curve: Curve) -> None:
        self.curve = curve
        self.redraw()

    def draw(self) -> None:
        c = self.curve
        ticks = [[(v / 100, f"{v} %") for v in (0, 25, 50, 75, 100)]]
        low = 0.0
        if len(c.precision) and min(c.precision) > 0.55 and (not c.working or c.working[1] > 0.55):
            low = 0.5
            ticks_y = [[(v / 100, f"{v} %") for v in (50, 75, 100)]]
        else:
            ticks_y = ticks
        self.ticks("bottom", ticks[0])
        self.ticks("left", ticks_y[0])
        self.grid_lines([value for value, _ in ticks_y[0]])
        self.item.setXRange(0, 1, padding=0.05)
        self.item.setYRange(low, 1, padding=0.12)  # a point on the edge is whole
        if len(c.recall):
            order = np.argsort(c.recall, kind="stable")
            self.item.plot(np.asarray(c.recall)[order], np.asarray(c.precision)[order], pen=pen("accent", 2.4))
        if c.working is not None:
            recall, precision = c.working
            if c.spread is not None:
                low_r, high_r, low_p, high_p = c.spread
                self.item.plot([low_r, high_r], [precision, precision], pen=pen("warm", 1.6))
                self.item.plot([recall, recall], [low_p, high_p], pen=pen("warm", 1.6))
            dot = pg.ScatterPlotItem(
                [recall], [precision], size=13, pen=pen("surface", 2.0), brush=brush("warm"), pxMode=True
            )
            self.item.addItem(dot)

    def resting_text(self) -> str:
        if self.curve.working is None:
            return ""
        recall, precision = self.curve.working
        return tr("● {precision} correct, {recall} found", precision=percent(precision), recall=percent(recall))

    def summary(self) -> str:
        if self.curve.working is None:
            return tr("No curve yet.") if not len(self.curve.recall) else tr("Precision against recall.")
        recall, precision = self.curve.working
        return tr(
            "At the working point about {recall} shared people are found, and about {wrong} shown matches are wrong.",
            recall=of_100(recall),
            wrong=of_100(1.0 - precision),
        )

    def table(self) -> tuple[list[ColumnSpec], Rows]:
        columns = [
            ColumnSpec(tr("Score at least"), exact, right=True),
            ColumnSpec(tr("Precision"), exact, right=True),
            ColumnSpec(tr("Recall"), exact, right=True),
        ]
        c = self.curve
        return columns, [tuple(map(float, row)) for row in zip(c.threshold, c.precision, c.recall, strict=True)]

    def read_out(self, x: float, y: float) -> str:
        c = self.curve
        if not len(c.recall):
            return ""
        nearest = int(np.argmin(np.abs(np.asarray(c.recall) - x)))
        return tr(
            "{recall} found, {precision} correct, at a score of {score}",
            recall=percent(c.recall[nearest]),
            precision=percent(c.precision[nearest]),
            score=exact(c.threshold[nearest], 3),
        )
