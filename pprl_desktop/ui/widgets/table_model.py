"""Rows of plain values behind a table: shown as text, sorted by value, searched in portions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, QSortFilterProxyModel, Qt
from PySide6.QtWidgets import QStyledItemDelegate, QWidget

from pprl_desktop.ui.kit import theme
from pprl_desktop.ui.kit.tips import plain

Index = QModelIndex | QPersistentModelIndex
SORT_ROLE = Qt.ItemDataRole.UserRole  # the plain value, as it is sorted and drawn


@dataclass(frozen=True)
class ColumnSpec:
    """`show` turns the plain value into the text of the cell; sorting uses the value itself."""

    title: str
    show: Callable[[Any], str] = str
    right: bool = False
    mono: bool = False
    tip: Callable[[Any], str] | None = None
    heard: Callable[[Any], str] | None = None  # where the cell holds a mark only: read out, on hover and copied
    width: int = 0  # px; 0: by content
    least: int = 0  # px below which it reads no longer; 0: by content
    delegate: type[QStyledItemDelegate] | None = None

    def words(self, value: Any) -> str:
        return (self.heard or self.show)(value)


class PlainModel(QAbstractTableModel):
    """Rows of plain values."""

    def __init__(self, columns: Sequence[ColumnSpec], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.columns = tuple(columns)
        self.rows: Sequence[Sequence[Any]] = []
        self._order: Sequence[int] = range(0)  # which row of the data stands where
        self._texts: list[str] = []  # of the rows read so far for searching
        self._sorted = (-1, Qt.SortOrder.AscendingOrder)

    def replace(self, rows: Sequence[Sequence[Any]]) -> None:
        self.beginResetModel()
        self.rows = rows
        self._texts = []
        self._order = self._sort_rows()
        self.endResetModel()

    def data_row(self, place: int) -> int:
        return self._order[place]

    def read_texts(self, most: int) -> bool:
        """Reads the texts of up to so many further rows for searching; whether all are read."""
        for cells in self.rows[len(self._texts) : len(self._texts) + most]:
            texts = (spec.words(value) for spec, value in zip(self.columns, cells, strict=True))
            self._texts.append("\n".join(texts).casefold())
        return len(self._texts) >= len(self.rows)

    def found(self, text: str) -> list[bool]:
        wanted = text.casefold()
        return [wanted in one for one in self._texts]

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """All keys at once: a comparison in Python per step of Qt's sorting takes seconds for 20,000 rows."""
        self._sorted = (column, order)
        self.layoutAboutToBeChanged.emit()
        before, was = self._order, self.persistentIndexList()
        self._order = self._sort_rows()
        place = {row: i for i, row in enumerate(self._order)} if was else {}
        now = [self.index(place[before[one.row()]], one.column()) for one in was]
        self.changePersistentIndexList(was, now)
        self.layoutChanged.emit()

    def _sort_rows(self) -> Sequence[int]:
        column, order = self._sorted
        if not 0 <= column < len(self.columns):
            return range(len(self.rows))
        values = [row[column] for row in self.rows]
        down = order == Qt.SortOrder.DescendingOrder
        try:
            return sorted(range(len(values)), key=lambda i: _key(values[i]), reverse=down)
        except TypeError:
            return sorted(range(len(values)), key=lambda i: str(values[i]), reverse=down)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.columns)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation == Qt.Orientation.Horizontal and 0 <= section < len(self.columns):
            if role == Qt.ItemDataRole.DisplayRole:
                return self.columns[section].title
            if role == Qt.ItemDataRole.ToolTipRole:
                return plain(self.columns[section].title)
            if role == Qt.ItemDataRole.TextAlignmentRole:
                right = self.columns[section].right
                side = Qt.AlignmentFlag.AlignRight if right else Qt.AlignmentFlag.AlignLeft
                return int(side | Qt.AlignmentFlag.AlignVCenter) | Qt.TextFlag.TextWordWrap.value
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        spec = self.columns[index.column()]
        value = self.rows[self._order[index.row()]][index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            return spec.show(value)
        if role == SORT_ROLE:
            return value
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return (
                Qt.AlignmentFlag.AlignRight if spec.right else Qt.AlignmentFlag.AlignLeft
            ) | Qt.AlignmentFlag.AlignVCenter
        if role == Qt.ItemDataRole.FontRole and spec.mono:
            return theme.font(mono=True)
        if role == Qt.ItemDataRole.ToolTipRole:  # whole, where the column is narrower
            return plain(spec.tip(value) if spec.tip is not None else spec.words(value))
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{spec.title}: {spec.words(value)}"
        return None


def _key(value: Any) -> tuple[bool, Any]:
    """A number that is none counts as larger than all others."""
    return value != value, value


class FoundRows(QSortFilterProxyModel):
    """Shows the rows that were found; the rows themselves are sorted by the model."""

    def __init__(self, model: PlainModel, parent: QWidget) -> None:
        super().__init__(parent)
        self._model = model
        self.found: Sequence[bool] | None = None  # by row of the data; None: all
        self.setSourceModel(model)

    def show_found(self, found: Sequence[bool] | None) -> None:
        if found is not None or self.found is not None:
            self.found = found
            self.invalidate()

    def filterAcceptsRow(self, place: int, _parent: Index) -> bool:
        return self.found is None or self.found[self._model.data_row(place)]

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        self._model.sort(column, order)
