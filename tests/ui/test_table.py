"""Tables: sorted by value, the same row whatever the order, and quick with many rows."""

from __future__ import annotations

import math

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

from pprl_desktop.ui.widgets.basics import Brief
from pprl_desktop.ui.widgets.rows import Head, Rows
from pprl_desktop.ui.widgets.table import PADDING, PORTION, WRAPPED, DataTable
from pprl_desktop.ui.widgets.table_model import ColumnSpec

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
    qtbot.waitUntil(lambda: table.proxy.rowCount() == 1)
    assert shown(table, 0) == [str(many - 1)]
    table.show_rows([(1, f"Name {many - 1}"), (2, "Other")])
    assert shown(table, 0) == ["1"], "new rows are searched for the same text"
    table.filter.clear()
    assert table.proxy.rowCount() == 2


WORDS = ("St. Anne Hospital in the old town", "Reference distances without noise", 1500)
COLUMNS = [ColumnSpec("Partner"), ColumnSpec("Method and noise"), ColumnSpec("Rows sent", "{:,}".format, right=True)]


def narrow(qtbot, rows: int, wide: int = 320) -> DataTable:  # type: ignore[no-untyped-def]
    table = DataTable("Releases", COLUMNS)
    qtbot.addWidget(table)
    table.resize(wide, 400)
    table.show()
    table.show_rows([WORDS] * rows)
    qtbot.wait(50)
    return table


def test_where_there_is_no_room_words_go_on_in_the_next_line(qtbot) -> None:  # type: ignore[no-untyped-def]
    wide, table = narrow(qtbot, 3, 900), narrow(qtbot, 3)
    header = table.view.horizontalHeader()
    assert header.length() <= table.view.viewport().width() + 1, "all columns are in view"
    assert header.height() > wide.view.horizontalHeader().height(), "the heading has a second line"
    assert table.view.rowHeight(0) > wide.view.rowHeight(0)
    assert all(table.view.columnWidth(place) < wide.view.columnWidth(place) for place in (0, 1))
    metrics = table.view.fontMetrics()
    assert table.view.columnWidth(2) > metrics.horizontalAdvance("1,500"), "a number is never cut"


def test_a_table_of_many_rows_keeps_one_line_for_each(qtbot) -> None:  # type: ignore[no-untyped-def]
    table = narrow(qtbot, WRAPPED + 1)
    assert not table.view.wordWrap()
    assert table.view.rowHeight(0) == table.view.rowHeight(WRAPPED)


def test_more_room_brings_the_lines_back_together(qtbot) -> None:  # type: ignore[no-untyped-def]
    table = narrow(qtbot, 3)
    before = table.view.rowHeight(0)
    table.resize(900, 400)
    qtbot.waitUntil(lambda: table.view.rowHeight(0) < before)


def test_a_second_row_that_is_wider_has_its_room(qtbot) -> None:  # type: ignore[no-untyped-def]
    """Measured by the first contact, the state of the second was cut on an empty line."""
    table = DataTable("Contacts", [ColumnSpec("Name"), ColumnSpec("State"), ColumnSpec("Since")])
    qtbot.addWidget(table)
    table.resize(700, 300)
    table.show()
    table.show_rows([("Hospital", "verified", "today")])
    table.show_rows([("Hospital", "verified", "today"), ("Registry", "not compared by anybody yet", "today")])
    qtbot.wait(20)
    assert table.view.columnWidth(1) > table.view.fontMetrics().horizontalAdvance("not compared by anybody yet")


def test_a_heading_of_one_line_is_not_cut_beside_a_wider_column(qtbot) -> None:  # type: ignore[no-untyped-def]
    """ "What differs" kept room for its longest word, and was cut although the line cannot break."""
    columns = [ColumnSpec("Theirs", width=150, least=60), ColumnSpec("What differs now", width=170, least=40)]
    table = DataTable("Pairs", columns, dense=True)
    qtbot.addWidget(table)
    table.resize(220, 200)
    table.show()
    table.show_rows([("a", "b")])
    qtbot.wait(20)
    wide = table.view.horizontalHeader().fontMetrics().horizontalAdvance("What differs now") + 2 * PADDING
    assert wide <= table.view.columnWidth(1)


def test_even_columns_have_room_for_the_longest_word_of_each_heading(qtbot) -> None:  # type: ignore[no-untyped-def]
    """Columns of one width cut "Postcode" beside an empty "Sex"."""
    table = DataTable("Next", [ColumnSpec(name) for name in ("Sex", "Last name", "Sex", "Sex", "Postcode")], even=True)
    qtbot.addWidget(table)
    table.resize(300, 200)
    table.show()
    table.show_rows([("✓",) * 5])
    qtbot.wait(20)
    header = table.view.horizontalHeader()
    wide = header.fontMetrics().horizontalAdvance("Postcode") + 2 * PADDING
    assert wide <= table.view.columnWidth(4)
    assert header.length() <= table.view.viewport().width() + 1


def test_a_brief_text_uses_the_lines_there_are(qtbot) -> None:  # type: ignore[no-untyped-def]
    brief = Brief()
    qtbot.addWidget(brief)
    brief.setText("801 pairs accepted, optimal one-to-one")
    high = brief.fontMetrics().lineSpacing()
    brief.resize(brief.fontMetrics().horizontalAdvance("801 pairs accepted, opt"), 2 * high)
    assert brief.lines() == ["801 pairs accepted,", "optimal one-to-one"]
    brief.resize(brief.width(), high)
    assert brief.lines() == [brief.text()], "one line: all of it, cut when it is drawn"


def test_borders_stand_between_the_lines_where_a_column_is_given_up(qtbot) -> None:  # type: ignore[no-untyped-def]
    """What is hidden is laid out no more and stands where it stood: borders ran through the words of other lines."""
    rows = Rows("Columns", (Head("Name", 1), Head("More", spare=True)))
    qtbot.addWidget(rows)
    for name in "abcdef":
        rows.add(QLabel(name), QLabel(name))
    rows.resize(900, 400)
    rows.show()
    qtbot.waitExposed(rows)
    for place, one in rows._cells:  # as _give_up does where there is no room
        if place == 1:
            one.setGeometry(0, 3, 10, 300)
            one.hide()
    for line, box in zip(rows._lines, rows._boxes(), strict=True):
        assert box.top() <= line.held[0].geometry().top()
        assert line.held[0].geometry().bottom() < box.bottom() <= line.held[0].geometry().bottom() + 40
