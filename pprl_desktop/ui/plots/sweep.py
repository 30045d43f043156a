"""Epsilon sweep and frontier: what noise costs in matches found, and buys in people who cannot be named."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import pyqtgraph as pg
from PySide6.QtCore import Qt, Signal

from pprl_desktop.ui.kit.i18n import number, tr
from pprl_desktop.ui.kit.words import of_100, percent
from pprl_desktop.ui.plots.base import Plot, Rows, brush, pen
from pprl_desktop.ui.widgets.table_model import ColumnSpec

NO_NOISE_AT = 16.0  # where "no noise" stands on the axis


@dataclass(frozen=True)
class SweepPoint:
    """Shares between 0 and 1; NaN where not measured. epsilon None: no noise."""

    epsilon: float | None
    found: float  # recall
    correct: float  # precision
    named: float = math.nan  # records the partner could name
    label: str = ""


def epsilon_words(epsilon: float | None) -> str:
    return tr("none") if epsilon is None else number(epsilon, 2 if epsilon < 1 else 1)


def _columns() -> list[ColumnSpec]:
    return [
        ColumnSpec(tr("Setting")),
        ColumnSpec(tr("ε"), epsilon_words, right=True),
        ColumnSpec(tr("Found"), percent, right=True),
        ColumnSpec(tr("Correct"), percent, right=True),
        ColumnSpec(tr("Could be named"), percent, right=True),
    ]


class _Points(Plot):
    picked = Signal(object)  # the epsilon of a point that was clicked

    def __init__(self, name: str, x_words: str, y_words: str, height: int) -> None:
        super().__init__(name, x_words, y_words, height=height)
        self.points: Sequence[SweepPoint] = ()
        self.now: SweepPoint | None = None
        self.item.getViewBox().disableAutoRange()

    def show_points(self, points: Sequence[SweepPoint], now: SweepPoint | None = None) -> None:
        self.points, self.now = sorted(points, key=_place), now
        self.redraw()

    def table(self) -> tuple[list[ColumnSpec], Rows]:
        return _columns(), [(p.label, p.epsilon, p.found, p.correct, p.named) for p in self.points]


def _place(point: SweepPoint) -> float:
    return math.log2(NO_NOISE_AT if point.epsilon is None else point.epsilon)


class EpsilonSweepPlot(_Points):
    """Found and could-be-named against epsilon, most noise at the left."""

    def __init__(self, unit: str = "", *, height: int = 200) -> None:
        super().__init__(
            tr("What noise costs"), tr("ε {unit}: more noise to the left", unit=unit), tr("of 100 people"), height
        )
        self.redraw()

    def set_unit(self, unit: str) -> None:
        self._words = (tr("ε {unit}: more noise to the left", unit=unit), self._words[1])
        self.redraw()

    def draw(self) -> None:
        ticks = [(math.log2(v), number(v, 2 if v < 1 else 0)) for v in (0.25, 0.5, 1.0, 2.0, 4.0, 8.0)]
        ticks.append((math.log2(NO_NOISE_AT), tr("no noise")))
        self.ticks("bottom", ticks)
        self.ticks("left", [(v / 100, str(v)) for v in (0, 25, 50, 75, 100)])
        self.grid_lines([0, 0.25, 0.5, 0.75, 1])
        self.item.setXRange(-2, 4, padding=0.07)
        self.item.setYRange(0, 1, padding=0.05)
        for values, token, style, shape in (
            ([p.found for p in self.points], "accent", Qt.PenStyle.SolidLine, "o"),
            ([p.named for p in self.points], "warm", Qt.PenStyle.DashLine, "s"),
        ):
            xs = [_place(p) for p, v in zip(self.points, values, strict=True) if not math.isnan(v)]
            ys = [v for v in values if not math.isnan(v)]
            if xs:
                self.item.plot(
                    xs, ys, pen=pen(token, 2.0, style), symbol=shape, symbolSize=8, symbolBrush=brush(token),
                    symbolPen=pen("surface", 1.0),
                )  # fmt: skip
        if self.now is not None:
            self.item.addItem(pg.InfiniteLine(_place(self.now), angle=90, pen=pen("muted", 1.0, Qt.PenStyle.DotLine)))

    def resting_text(self) -> str:
        return tr("● found   ■ could be named by the partner") if self.points else ""

    def summary(self) -> str:
        known = [p for p in self.points if not math.isnan(p.found)]
        if not known:
            return tr("Not measured yet.")
        first, last = known[0], known[-1]
        return tr(
            "From ε {low} to {high}, people found go from {found_low} to {found_high}; people the partner could name "
            "from {named_low} to {named_high}.",
            low=epsilon_words(first.epsilon),
            high=epsilon_words(last.epsilon),
            found_low=of_100(first.found),
            found_high=of_100(last.found),
            named_low=of_100(first.named),
            named_high=of_100(last.named),
        )

    def read_out(self, x: float, y: float) -> str:
        if not self.points:
            return ""
        p = min(self.points, key=lambda point: abs(_place(point) - x))
        return tr(
            "ε {epsilon}: {found} found, {correct} correct, {named} could be named",
            epsilon=epsilon_words(p.epsilon),
            found=percent(p.found),
            correct=percent(p.correct),
            named=percent(p.named),
        )


class FrontierPlot(_Points):
    """Each setting as a point: people found upwards, people who could be named to the right. Top left is best."""

    def __init__(self, *, height: int = 200) -> None:
        super().__init__(
            tr("Found against named"), tr("people the partner could name"), tr("shared people found"), height
        )
        self.redraw()

    def draw(self) -> None:
        ticks = [[(v / 100, f"{v} %") for v in (0, 25, 50, 75, 100)]]
        self.ticks("bottom", ticks[0])
        self.ticks("left", ticks[0])
        self.grid_lines([0, 0.25, 0.5, 0.75, 1])
        self.item.setXRange(0, 1, padding=0.06)
        self.item.setYRange(0, 1, padding=0.06)
        known = [p for p in self.points if not math.isnan(p.found) and not math.isnan(p.named)]
        best = [p for p in known if not any(_better(q, p) for q in known)]
        best.sort(key=lambda p: p.named)
        if len(best) > 1:
            self.item.plot(
                [p.named for p in best], [p.found for p in best], pen=pen("accent", 1.6, Qt.PenStyle.DashLine)
            )
        for p in known:
            token = "accent" if p in best else "neutral"
            self.item.addItem(
                pg.ScatterPlotItem([p.named], [p.found], size=9, pen=pen("surface", 1.0), brush=brush(token))
            )
        if self.now is not None and not math.isnan(self.now.named) and not math.isnan(self.now.found):
            self.item.addItem(
                pg.ScatterPlotItem(
                    [self.now.named],
                    [self.now.found],
                    size=14,
                    symbol="d",
                    pen=pen("surface", 2.0),
                    brush=brush("warm"),
                )
            )

    def resting_text(self) -> str:
        return tr("◆ now   ● other settings; top left is best") if self.points else ""

    def summary(self) -> str:
        known = [p for p in self.points if not math.isnan(p.named)]
        if not known:
            return tr("Not measured yet.")
        text = tr("{n} settings compared.", n=len(known))
        if self.now is not None:
            text += " " + tr(
                "Now: {found} found, {named} could be named.",
                found=of_100(self.now.found),
                named=of_100(self.now.named),
            )
        return text

    def read_out(self, x: float, y: float) -> str:
        known = [p for p in self.points if not math.isnan(p.named)]
        if not known:
            return ""
        p = min(known, key=lambda q: (q.named - x) ** 2 + (q.found - y) ** 2)
        return tr(
            "{label} ε {epsilon}: {found} found, {named} could be named",
            label=p.label,
            epsilon=epsilon_words(p.epsilon),
            found=percent(p.found),
            named=percent(p.named),
        )


def _better(one: SweepPoint, other: SweepPoint) -> bool:
    return (
        one.found >= other.found and one.named <= other.named and (one.found > other.found or one.named < other.named)
    )
