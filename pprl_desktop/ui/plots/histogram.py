"""The best pair of each record over the whole range, with two lines to drag; the counts follow at once."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyqtgraph as pg
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent

from pprl_desktop.ui.kit import theme
from pprl_desktop.ui.kit.i18n import tr
from pprl_desktop.ui.kit.words import count, exact
from pprl_desktop.ui.plots.base import Plot, Rows, brush, pen
from pprl_desktop.ui.widgets.table_model import ColumnSpec

BINS = 54
FAR = 18.0  # log odds, far surer than anybody can check
ROOM_FOR_NAME = 0.16  # of the width, beside a line
ROOM_FOR_MARK = 0.09  # of the width, beside the middle of what stands below the axis: else it is cut there
NAME_AT, NAME_BELOW = 0.94, 0.68  # of the height
KEY_STEP = 0.01  # of the range, per arrow key


class ScoreHistogram(Plot):
    """Fed with all scores once; counting for a line is one look-up in the sorted scores."""

    lines_moved = Signal(float, float)  # review, accept: while dragging
    lines_set = Signal(float, float)  # when let go

    def __init__(self, *, height: int = 220) -> None:
        super().__init__(tr("How sure each record's best pair is"), "", "", height=height)
        self.odds = False  # scores are log odds, and are said as such
        self.scores: npt.NDArray[np.float64] = np.empty(0)
        self.review, self.accept = 0.0, 0.0
        self._edges: npt.NDArray[np.float64] = np.linspace(0, 1, BINS + 1)
        self._heights: npt.NDArray[np.float64] = np.zeros(BINS)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.item.getViewBox().disableAutoRange()
        self.redraw()

    def show_scores(self, scores: npt.NDArray[np.float64], review: float, accept: float, *, odds: bool = False) -> None:
        self.odds = odds
        self.scores = np.sort(scores[np.isfinite(scores)])
        self.review, self.accept = min(review, accept), accept
        if len(self.scores):
            low, high = float(self.scores[0]), float(self.scores[-1])
            low, high = min(low, self.review), max(high, self.accept)
            if odds:  # beyond, nothing more is told: both ends would only be stretched
                low, high = max(low, min(self.review, -FAR)), min(high, max(self.accept, FAR))
            margin = (high - low) * 0.02 or 0.5
            self._edges = np.linspace(low - margin, high + margin, BINS + 1)
            shown = np.clip(self.scores, self._edges[0], self._edges[-1])
            self._heights = np.histogram(shown, self._edges)[0].astype(float)
        self.redraw()

    def counts(self) -> tuple[int, int, int]:
        """Not the same, review, same."""
        below = int(np.searchsorted(self.scores, self.review, side="left"))
        under = int(np.searchsorted(self.scores, self.accept, side="left"))
        return below, under - below, len(self.scores) - under

    def draw(self) -> None:
        low, high = float(self._edges[0]), float(self._edges[-1])
        drawn = np.sqrt(self._heights)  # 79 beside 2,861 can be seen
        top = max(float(drawn.max()), 1.0)
        self.item.setXRange(low, high, padding=0.0)
        self.item.setYRange(0, top * 1.3, padding=0.0)
        self.item.getAxis("left").hide()
        self.ticks("bottom", self._marks(low, high))
        self.regions = {}
        for name, token, span in (
            ("reject", "surface", (low, self.review)),
            ("review", "warm_soft", (self.review, self.accept)),
            ("accept", "accent_soft", (self.accept, high)),
        ):
            region = pg.LinearRegionItem(span, brush=brush(token), pen=pen(token, 0.0), movable=False)
            region.setZValue(-20)
            for edge in region.lines:
                edge.setPen(pen(token, 0.0))
            self.item.addItem(region, ignoreBounds=True)
            self.regions[name] = region
        middles = (self._edges[:-1] + self._edges[1:]) / 2
        self.bars = pg.BarGraphItem(
            x=middles,
            height=drawn,
            width=0.82 * (self._edges[1] - self._edges[0]),
            brushes=self._brushes(),
            pen=None,
        )
        self.item.addItem(self.bars)
        self.review_line = self._line(self.review, tr("different below"), 1.0, self._drag_review)
        self.accept_line = self._line(self.accept, tr("same above"), 0.0, self._drag_accept)
        self._name_lines()

    def _name_lines(self) -> None:
        """A line too near to the edge has its name on the other side, a row lower: both may be there."""
        low, high = float(self._edges[0]), float(self._edges[-1])
        wide = max(high - low, 1e-9)
        for line, room, side in (
            (self.review_line, self.review - low, 1.0),
            (self.accept_line, high - self.accept, 0.0),
        ):
            fits = room / wide > ROOM_FOR_NAME
            line.label.anchors = [(side if fits else 1.0 - side, 0.5)] * 2
            line.label.setPosition(NAME_AT if fits else NAME_BELOW)

    def _marks(self, low: float, high: float) -> list[tuple[float, str]]:
        if not self.odds:
            return [(low, tr("less alike")), (high, tr("more alike"))]
        wanted = (
            (-13.8, tr("a million to 1 against")), (-6.9, tr("1,000 to 1 against")), (0.0, tr("even")),
            (6.9, tr("1,000 to 1")), (13.8, tr("a million to 1")),
        )  # fmt: skip
        margin = ROOM_FOR_MARK * (high - low)
        return [(at, words) for at, words in wanted if low + margin < at < high - margin]

    def _line(self, at: float, words: str, side: float, moved: object) -> pg.InfiniteLine:
        """A line with its name at the top; its handle is as wide as a finger is unsure."""
        made = pg.InfiniteLine(
            at, angle=90, movable=True, pen=pen("text", 2.0), hoverPen=pen("accent", 4.0), label=words,
            labelOpts={"position": NAME_AT, "color": theme.colour("text"), "anchors": [(side, 0.5), (side, 0.5)]},
        )  # fmt: skip
        made.label.setFont(theme.font("tiny", strong=True))
        made.addMarker("o", 0.5, 7.0)  # something to take hold of
        made.setCursor(Qt.CursorShape.SplitHCursor)
        made.setZValue(10)
        made.sigPositionChanged.connect(moved)
        made.sigPositionChangeFinished.connect(lambda _l: self.lines_set.emit(self.review, self.accept))
        self.item.addItem(made, ignoreBounds=True)
        return made

    def _brushes(self) -> list[object]:
        middles = (self._edges[:-1] + self._edges[1:]) / 2
        tokens = np.where(middles >= self.accept, "accent", np.where(middles >= self.review, "warm", "neutral"))
        return [brush(str(token)) for token in tokens]

    def _drag_review(self, line: pg.InfiniteLine) -> None:
        self.review = float(min(line.value(), self._edges[-1]))
        if self.review > self.accept:
            self.accept = self.review
            self._put(self.accept_line, self.accept)
        self._moved()

    def _drag_accept(self, line: pg.InfiniteLine) -> None:
        self.accept = float(line.value())
        if self.accept < self.review:
            self.review = self.accept
            self._put(self.review_line, self.review)
        self._moved()

    def _put(self, line: pg.InfiniteLine, at: float) -> None:
        line.blockSignals(True)
        line.setValue(at)
        line.blockSignals(False)

    def _moved(self) -> None:
        low, high = float(self._edges[0]), float(self._edges[-1])
        self.regions["reject"].setRegion((low, self.review))
        self.regions["review"].setRegion((self.review, self.accept))
        self.regions["accept"].setRegion((self.accept, high))
        self._name_lines()
        self.bars.setOpts(brushes=self._brushes())
        self.readout.setText(self.resting_text())
        self.setAccessibleDescription(self.summary())
        self.lines_moved.emit(self.review, self.accept)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Left and right move the accept line, with Shift the review line."""
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()))
        if step is None or not len(self.scores):
            super().keyPressEvent(event)
            return
        line = self.review_line if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else self.accept_line
        line.setValue(line.value() + step * KEY_STEP * float(self._edges[-1] - self._edges[0]))
        self.lines_set.emit(self.review, self.accept)

    def said_counts(self) -> str:
        different, unsure, same = self.counts()
        return tr(
            "different: {no} · unsure: {review} · same: {same}",
            no=count(different),
            review=count(unsure),
            same=count(same),
        )

    def summary(self) -> str:
        if not len(self.scores):
            return tr("No pairs yet.")
        return tr(
            "{counts}. The lines stand at {review} and {accept}; "
            "arrow keys move the right one, Shift and arrow keys the left one.",
            counts=self.said_counts(),
            review=exact(self.review, 3),
            accept=exact(self.accept, 3),
        )

    def table(self) -> tuple[list[ColumnSpec], Rows]:
        columns = [
            ColumnSpec(tr("Score from"), lambda v: exact(v, 3), right=True),
            ColumnSpec(tr("Score below"), lambda v: exact(v, 3), right=True),
            ColumnSpec(tr("Pairs"), count, right=True),
        ]
        edges = [float(edge) for edge in self._edges]
        return columns, list(zip(edges[:-1], edges[1:], [int(h) for h in self._heights], strict=True))

    def read_out(self, x: float, y: float) -> str:
        place = int(np.searchsorted(self._edges, x)) - 1
        if not 0 <= place < BINS or not len(self.scores):
            return ""
        return tr(
            "{n|one pair|{n} pairs} with a score from {low} to {high}",
            n=int(self._heights[place]),
            low=exact(float(self._edges[place]), 3),
            high=exact(float(self._edges[place + 1]), 3),
        )
