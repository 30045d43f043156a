"""Tables that can be sorted, filtered and copied; numbers stand at the right, large ones stay fast."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import (
    QItemSelection,
    QRect,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import QAction, QFont, QFontMetrics, QKeySequence, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QHeaderView,
    QLineEdit,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from pprl_desktop.ui.kit import theme
from pprl_desktop.ui.kit.i18n import tr, tr_n
from pprl_desktop.ui.kit.theme import GRID
from pprl_desktop.ui.widgets.basics import follow, icon_label, label, row
from pprl_desktop.ui.widgets.table_model import SORT_ROLE, ColumnSpec, FoundRows, Index, PlainModel

WIDEST, NARROWEST = 320, 48  # px of a column measured by its content
READABLE = 160  # px that a word of a cell may claim where the cells go on in a second line
CELL = 12  # px left and right of the words in a cell, as in the style sheet
AIR = 18  # px above and below the words of a row or heading
DENSE_AIR, DENSE_CELL = 13, 8  # the same where many rows are to be seen at once
PADDING = 10  # px left and right of a heading, as in the style sheet
PORTION = 2000  # rows read at a time for searching
HEADER = 130  # a heading claims no more than this in one line: what is in the column comes first
HEADING_LINES = 3
MEASURED = 40  # rows by which columns are measured
WRAPPED = 200  # rows that are measured one by one, so that their cells may have several lines


class DataTable(QWidget):
    """A table with a filter line above (when asked for) and Ctrl+C for the chosen rows."""

    chosen = Signal(int)  # row of the data, by double click or Enter
    selected = Signal(int)  # row of the data now in front, -1 for none
    left_out = Signal(int)  # columns that there is no room for

    def __init__(
        self, name: str, columns: Sequence[ColumnSpec], *, filter_line: bool = False, rows_high: int = 0, fit: int = 0,
        dense: bool = False, cuts: bool = False, even: bool = False,
    ) -> None:  # fmt: skip
        """`rows_high`: room for so many rows at least; `fit`: as high as its rows, up to so many; `dense`: low rows of
        one line, what is too long is cut with dots and whole on hover; `cuts`: nothing to scroll sideways, the last
        columns are left out where there is no room; `even`: all columns share what is left over."""
        super().__init__()
        self._even = even
        self._cuts = cuts
        self._dense = dense
        self._air, self._cell = (DENSE_AIR, DENSE_CELL) if dense else (AIR, CELL)
        self.model = PlainModel(columns, self)
        self.proxy = FoundRows(self.model, self)
        self._reading = QTimer(self)
        self._reading.timeout.connect(self._read_on)
        self._wrapping = QTimer(self)  # once for all columns that have another width
        self._wrapping.setSingleShot(True)
        self._wrapping.setInterval(0)
        self._wrapping.timeout.connect(self._wrap)
        self.view = QTableView()
        self.view.setProperty("dense", dense)
        self.view.setModel(self.proxy)
        self.view.setAccessibleName(name)
        self.view.setSortingEnabled(True)
        self.view.sortByColumn(-1, Qt.SortOrder.AscendingOrder)
        self.view.setShowGrid(False)
        self.view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.view.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.view.verticalHeader().hide()
        self.view.setTabKeyNavigation(False)
        self.view.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.view.setWordWrap(False)
        header = self.view.horizontalHeader()
        header.setHighlightSections(False)
        header.setAccessibleName(tr("Columns: {name}", name=name))
        self.view.verticalHeader().setAccessibleName(tr("Rows: {name}", name=name))
        header.setStretchLastSection(True)
        # headings go on in a second line, where there are not many rows to be seen at once
        header.setTextElideMode(Qt.TextElideMode.ElideRight if dense else Qt.TextElideMode.ElideNone)
        header.sectionResized.connect(lambda *_: self._wrapping.start())
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        for number, spec in enumerate(columns):
            if spec.delegate is not None:
                self.view.setItemDelegateForColumn(number, spec.delegate(self.view))
        copy = QAction(tr("Copy"), self.view)
        copy.setShortcut(QKeySequence.StandardKey.Copy)
        copy.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        copy.triggered.connect(lambda _c=False: self.copy())
        self.view.addAction(copy)
        self.view.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.view.doubleClicked.connect(lambda index: self.chosen.emit(self._data_row(index)))
        self.view.selectionModel().selectionChanged.connect(self._selection)
        self.filter = QLineEdit()
        self.filter.setAccessibleName(tr("Filter the table: {name}", name=name))
        self.filter.setPlaceholderText(tr("Filter"))
        self.filter.setClearButtonEnabled(True)
        self.filter.textChanged.connect(self._filter)
        self.found = label("", "small", wrap=False)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GRID)
        if filter_line:
            line = row(icon_label("search", "muted", 16), self.filter, self.found)
            line.setStretch(1, 1)
            layout.addLayout(line)
        layout.addWidget(self.view, 1)
        if fit:
            layout.addStretch(1)  # its height is given: what is left over lies below it
        self._rows_high, self._fit = rows_high, fit
        self._measured = 0
        self._wanted: list[int] = []
        self._least: list[int] = []
        self._heights()
        follow(self, self._restyle)

    def _line_height(self) -> int:
        """Of a row in which every cell has one line."""
        return theme.px("small" if self._dense else "body") + self._air

    def _restyle(self) -> None:
        self._heights()
        if self._measured:
            self._widths()

    def _heights(self) -> None:
        high = self._line_height()
        self.view.verticalHeader().setDefaultSectionSize(high)
        if self._rows_high:
            self.view.setMinimumHeight(high * self._rows_high + 36)
        if self._fit:
            few = min(max(self.model.rowCount(), 1), self._fit)
            rows = max(sum(self.view.rowHeight(row) for row in range(few)), high * few)
            self.view.setFixedHeight(rows + max(self.view.horizontalHeader().height(), theme.px("small") + 22) + 4)

    def show_rows(self, rows: Sequence[Sequence[Any]]) -> None:
        """Columns are measured when there is something to measure for the first time, much more of it, or, where all
        of it was measured, something else."""
        self.proxy.found = None
        few, before = len(rows) <= MEASURED, self.model.rows
        self.model.replace(rows)
        self._heights()
        if len(rows) > 2 * self._measured or not self._measured or (few and list(rows) != list(before)):
            self._widths()
            self._measured = len(rows)
        self._filter(self.filter.text())
        QTimer.singleShot(0, self, self._fit_width)  # a bar to scroll by may have taken room from the columns

    def _widths(self) -> None:
        self._measure()
        self._fit_width()

    def _measure(self) -> None:
        """By the first rows only: a table of a million rows must not be measured."""
        self._wanted, self._least = [], []
        for place, spec in enumerate(self.model.columns):
            metrics = QFontMetrics(self._cell_font(place))
            texts = [spec.show(cells[place]) for cells in self.model.rows[:MEASURED]]
            whole = max(map(metrics.horizontalAdvance, texts), default=0) + 2 * self._cell
            words = (metrics.horizontalAdvance(word) for text in texts for word in text.split(" "))
            lines = [spec.title] if self._dense else spec.title.split()  # a dense heading has one line
            heading = max(map(self._heading, lines), default=0)
            wish = max(self._wish(spec, whole), heading)
            self._wanted.append(wish)
            self._least.append(
                min(max(self._floor(spec, whole, max(words, default=0) + 2 * self._cell), heading), wish)
            )

    def _wish(self, spec: ColumnSpec, whole: int) -> int:
        grow = max(theme.zoom(), 1.0)
        if spec.width:
            return round(spec.width * theme.zoom())
        return max(min(whole, round(WIDEST * grow)), min(self._heading(spec.title), round(HEADER * grow)))

    def _floor(self, spec: ColumnSpec, whole: int, word: int) -> int:
        """Numbers are never cut, words go on in the next line; headings and cells keep their longest word."""
        grow = max(theme.zoom(), 1.0)
        if self._dense and not spec.right and not spec.least:
            # where columns may be left out, the others are read: a date or a number cut in half says nothing
            return min(whole, max(round(NARROWEST * grow), min(word, round(READABLE * grow)) * self._cuts))
        if spec.least or spec.delegate is not None:
            return round((spec.least or NARROWEST) * grow)
        return max(whole if spec.right else min(word, round(READABLE * grow)), round(NARROWEST * grow))

    def _cell_font(self, place: int) -> QFont:
        return theme.font(mono=True) if self.model.columns[place].mono else self.view.font()

    def _heading(self, title: str) -> int:
        """Without room for the sign of the sorted column: it is there for one column at most."""
        return self.view.horizontalHeader().fontMetrics().horizontalAdvance(title) + 2 * PADDING

    def _fit_width(self) -> None:
        """All columns in view if they can be: the widest give way first, down to a width that still reads."""
        if not self.model.columns:
            return
        if not self._wanted:
            self._measure()
        room = self.view.viewport().width()
        shown = [self._cuts or not self.view.isColumnHidden(place) for place in range(len(self._wanted))]
        wanted = [wish * here for wish, here in zip(self._wanted, shown, strict=True)]
        most = max(wanted)
        wide = wanted
        while sum(wide) > room and most > NARROWEST:
            most -= 4
            wide = [max(min(wish, most), min(wish, least)) for wish, least in zip(wanted, self._least, strict=True)]
        if self._cuts:
            wide = self._cut(wide, room)
        if self._even:
            wide = [one + max(room - sum(wide), 0) // len(wide) for one in wide]
        for number, width in enumerate(wide[:-1]):
            self.view.setColumnWidth(number, width)
        self.view.setColumnWidth(len(wide) - 1, max(wide[-1], room - sum(wide[:-1]) - 1))
        self._wrapping.start()

    def _cut(self, wide: list[int], room: int) -> list[int]:
        """Of the columns that fit side by side; the first one always does."""
        fit = max((n for n in range(1, len(wide) + 1) if sum(wide[:n]) <= room), default=1)
        for place in range(len(wide)):
            self.view.setColumnHidden(place, place >= fit)
        self.left_out.emit(len(wide) - fit)
        return wide[:fit]

    def _wrap(self) -> None:
        """What does not fit goes on below: headings always, cells where the rows are few enough to be measured."""
        header = self.view.horizontalHeader()
        metrics, lines = header.fontMetrics(), 1
        for place, spec in enumerate(self.model.columns):
            room = QRect(0, 0, max(header.sectionSize(place) - 2 * PADDING, 1), 1000)
            high = metrics.boundingRect(room, Qt.TextFlag.TextWordWrap.value, spec.title).height()
            lines = max(lines, round(high / metrics.lineSpacing()))
        most = 1 if self._dense else HEADING_LINES
        header.setFixedHeight(min(lines, most) * metrics.lineSpacing() + self._air)
        few = self.model.rowCount() <= WRAPPED and not self._dense
        narrow = few and any(header.sectionSize(place) < wish for place, wish in enumerate(self._wanted))
        if narrow or self.view.wordWrap():
            self.view.setWordWrap(narrow)
            for row in range(self.proxy.rowCount()):
                self.view.setRowHeight(row, self._row_height(row) if narrow else self._line_height())
            self._heights()

    def _row_height(self, row: int) -> int:
        """The view's own estimate does not know of the style sheet's padding."""
        high = 0
        for place, spec in enumerate(self.model.columns):
            if spec.delegate is None:
                room = QRect(0, 0, max(self.view.columnWidth(place) - 2 * CELL, 1), 1000)
                text = str(self.proxy.index(row, place).data() or "")
                metrics = QFontMetrics(self._cell_font(place))
                high = max(high, metrics.boundingRect(room, Qt.TextFlag.TextWordWrap.value, text).height())
        return max(high + AIR, self._line_height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        QTimer.singleShot(0, self, self._fit_width)

    def _filter(self, text: str) -> None:
        """Rows with the text in any cell; in a large table the cells are read first, a portion at a time."""
        if text and not self.model.read_texts(PORTION):
            self._reading.start(0)
            return
        self._reading.stop()
        self.proxy.show_found(self.model.found(text) if text else None)
        shown, all_rows = self.proxy.rowCount(), self.model.rowCount()
        if text:
            self.found.setText(tr("{shown} of {all}", shown=shown, all=all_rows))
        else:
            self.found.setText(tr_n("{n} row", "{n} rows", all_rows))

    def _read_on(self) -> None:
        self._filter(self.filter.text())

    def _selection(self, _now: QItemSelection, _before: QItemSelection) -> None:
        rows = self.view.selectionModel().selectedRows()
        self.selected.emit(self._data_row(rows[0]) if rows else -1)

    def _data_row(self, index: Index) -> int:
        return self.model.data_row(self.proxy.mapToSource(index).row())

    def copy(self) -> None:
        """The chosen rows, tab-separated with the header, as a spreadsheet takes them."""
        rows = sorted(index.row() for index in self.view.selectionModel().selectedRows())
        lines = ["\t".join(spec.title for spec in self.model.columns)]
        for one in rows or range(min(self.proxy.rowCount(), 100_000)):
            cells = [self.proxy.index(one, c).data(SORT_ROLE) for c in range(self.proxy.columnCount())]
            lines.append("\t".join(spec.words(cell) for spec, cell in zip(self.model.columns, cells, strict=True)))
        QApplication.clipboard().setText("\n".join(lines))
