"""Tables: sorted by value, the same row whatever the order, and quick with many rows."""

from __future__ import annotations

import math

from PySide6.QtCore import Qt

from pprl_desktop.ui.widgets.table import PORTION, ColumnSpec, DataTable

UP, DOWN = Qt.SortOrder.AscendingOrder, Qt.SortOrder.DescendingOrder


def shown(table: DataTable, column: int) -> list[str]:
    return [table.proxy.index(row, column).data() for row in range(table.proxy.rowCount())]


def test_rows_are_sorted_by_value_and_not_by_text(qtbot) -> None:  # type: ignore[no-untyped-def]
    table = DataTable("Numbers", [ColumnSpec("n"), ColumnSpec("name")])
    qtbot.addWidget(table)
    table.show_rows([(10, "ten"), (9, "nine"), (math.nan, "none"), (100, "hundred")])
    table.view.sortByColumn(0, UP)
    assert shown(table, 1) == ["nine", "ten", "hundred", "none"]
    table.show_rows([(3, "three"), (2, "two")])
    assert shown(table, 1) == ["two", "three"], "new rows keep the order that was asked for"
    table.view.sortByColumn(-1, UP)
    assert shown(table, 1) == ["three", "two"]


def test_a_chosen_row_is_the_same_row_after_sorting_and_filtering(qtbot) -> None:  # type: ignore[no-untyped-def]
    table = DataTable("Numbers", [ColumnSpec("n"), ColumnSpec("name")], filter_line=True)
    qtbot.addWidget(table)
    table.show_rows([(1, "one"), (2, "two"), (3, "three")])
    rows: list[int] = []
    table.selected.connect(rows.append)
    table.view.selectRow(1)
    table.view.sortByColumn(0, DOWN)
    table.view.selectRow(0)
    table.filter.setText("one")
    table.view.selectRow(0)
    assert [row for row in rows if row >= 0] == [1, 2, 0]


def test_what_is_selected_stays_selected_when_the_order_changes(qtbot) -> None:  # type: ignore[no-untyped-def]
    table = DataTable("Numbers", [ColumnSpec("n")])
    qtbot.addWidget(table)
    table.show_rows([(3,), (1,), (2,)])
    table.view.selectRow(0)
    table.view.sortByColumn(0, UP)
    (index,) = table.view.selectionModel().selectedRows()
    assert index.data(Qt.ItemDataRole.UserRole) == 3


def test_a_large_table_is_searched_in_portions_and_completely(qtbot) -> None:  # type: ignore[no-untyped-def]
    table = DataTable("Numbers", [ColumnSpec("n"), ColumnSpec("name")], filter_line=True)
    qtbot.addWidget(table)
    many = 3 * PORTION + 5
    table.show_rows([(n, f"Name {n}") for n in range(many)])
    table.view.sortByColumn(0, DOWN)
    table.filter.setText(f"NAME {many - 1}")
    qtbot.waitUntil(lambda: table.proxy.rowCount() == 1, timeout=5000)
    assert shown(table, 0) == [str(many - 1)]
    table.show_rows([(1, f"Name {many - 1}"), (2, "Other")])
    assert shown(table, 0) == ["1"], "new rows are searched for the same text"
    table.filter.clear()
    assert table.proxy.rowCount() == 2
