"""Below the pair: the next pairs by their marks alone, what was decided so far, and the risk over time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QTabWidget, QVBoxLayout, QWidget

from pprl_desktop.review.cells import Cell
from pprl_desktop.review.session import ReviewSession
from pprl_desktop.ui.kit.i18n import tr
from pprl_desktop.ui.kit.theme import GRID
from pprl_desktop.ui.kit.wheel import wheel_scrolls_the_page
from pprl_desktop.ui.widgets.basics import Card, label
from pprl_desktop.ui.widgets.decision_panel import point_words
from pprl_desktop.ui.widgets.pair_view import field_title, short_mark
from pprl_desktop.ui.widgets.table import DataTable
from pprl_desktop.ui.widgets.table_model import ColumnSpec

NEXT, LATEST = 8, 200


@dataclass(frozen=True)
class UpcomingPair:
    id: str
    number: int
    cells: tuple[Cell, ...]


class NextPairs(Card):
    """Masks only: nothing is opened by looking ahead."""

    chosen = Signal(str)

    def __init__(self) -> None:
        super().__init__(tr("Next pairs"), tr("by their marks alone; Enter or a double click goes there"))
        self._ids: list[str] = []
        self._table: DataTable | None = None
        self._fields: tuple[str, ...] = ()
        self.empty = label(tr("No further pair is waiting."), "muted")
        self.add(self.empty)

    def show_pairs(self, pairs: Sequence[UpcomingPair], fields: tuple[str, ...]) -> None:
        if self._table is None or fields != self._fields:
            self._make(fields)
        assert self._table is not None
        self._ids = [pair.id for pair in pairs]
        self._table.show_rows([(pair.number, *(short_mark(cell) for cell in pair.cells)) for pair in pairs])
        self._table.setVisible(bool(pairs))
        self.empty.setVisible(not pairs)

    def _make(self, fields: tuple[str, ...]) -> None:
        if self._table is not None:
            self._table.deleteLater()
        self._fields = fields
        columns = [ColumnSpec(tr("Pair"), right=True)]
        columns += [ColumnSpec(field_title(name), mono=True) for name in fields]
        self._table = DataTable(tr("Next pairs"), columns, even=True)
        self._table.view.setSortingEnabled(False)
        self._table.view.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self._table.view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._table.chosen.connect(lambda row: self.chosen.emit(self._ids[row]))
        self.body.addWidget(self._table, 1)


class DecidedPairs(Card):
    chosen = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._ids: list[str] = []
        self.tabs = QTabWidget()
        wheel_scrolls_the_page(self.tabs.tabBar())
        self.tabs.setAccessibleName(tr("Decided so far and privacy risk"))
        self.tabs.setDocumentMode(True)
        self.tabs.tabBar().setDrawBase(False)
        self.tabs.tabBar().setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.table = DataTable(
            tr("Decided so far"),
            [
                ColumnSpec(tr("Pair"), right=True, width=64),
                ColumnSpec(tr("Decision"), point_words),
                ColumnSpec(tr("Cells opened"), right=True),
            ],
        )
        self.table.view.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.table.view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.table.chosen.connect(lambda row: self.chosen.emit(self._ids[row]))
        first = QWidget()
        layout = QVBoxLayout(first)
        layout.setContentsMargins(0, GRID, 0, 0)
        self.empty = label(
            tr("Nothing decided yet. The first decision appears here, and can be taken back with U."), "muted"
        )
        layout.addWidget(self.empty)
        layout.addWidget(self.table, 1)
        layout.addStretch(0)
        self.tabs.addTab(first, tr("Decided so far"))
        self.curve_page = QWidget()
        QVBoxLayout(self.curve_page).setContentsMargins(0, GRID, 0, 0)
        self.tabs.addTab(self.curve_page, tr("Privacy risk"))
        self.tabs.currentChanged.connect(lambda _i: self._curve())
        self._plot: QWidget | None = None
        self._session: ReviewSession | None = None
        self.body.addWidget(self.tabs, 1)

    def show_session(self, session: ReviewSession) -> None:
        self._session = session
        places = {pair: number for number, pair in enumerate(session.order, start=1)}
        opened: dict[str, int] = {}
        for entry in session.ledger.entries:
            if entry.what == "reveal":
                opened[entry.body["pair"]] = opened.get(entry.body["pair"], 0) + 1
        latest = session.decisions.latest(LATEST)
        self._ids = [decision.pair for decision in latest]
        self.table.show_rows([(places[d.pair], d.point, opened.get(d.pair, 0)) for d in latest])
        self.table.setVisible(bool(latest))
        self.empty.setVisible(not latest)
        self._curve()

    def _curve(self) -> None:
        """The plot is made when it is first looked at."""
        if self._session is None or self.tabs.currentIndex() != 1:
            return
        from pprl_desktop.ui.plots.kapr_time import KaprPlot

        if self._plot is None:
            self._plot = KaprPlot(height=120)
            self.curve_page.layout().addWidget(self._plot)
        assert isinstance(self._plot, KaprPlot)
        values = [
            float(e.body["total"])
            for e in self._session.ledger.entries
            if e.what in ("reveal", "start") and "total" in e.body
        ]
        self._plot.show_values(values, float(self._session.review.policy.reviewer_budget))
