"""Layouts that use the width there is: who stands beside whom, how high it gets, and that items may come and go."""

from __future__ import annotations

import gc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QEvent, QRect, QSize
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget

from pprl_desktop.ui.kit import theme
from pprl_desktop.ui.widgets.banner import clear
from pprl_desktop.ui.widgets.basics import column, label
from pprl_desktop.ui.widgets.reflow import columns, flow


class Block(QWidget):
    def __init__(self, wide: int = 100, high: int = 40, least: int = 20) -> None:
        super().__init__()
        self._hint, self._least = QSize(wide, high), QSize(least, high)

    def sizeHint(self) -> QSize:
        return self._hint

    def minimumSizeHint(self) -> QSize:
        return self._least


@pytest.fixture(autouse=True)
def usual_text(qapp: QApplication) -> None:
    theme.apply(qapp, "light")


def places(widgets: list[Block], width: int, **how: object) -> tuple[list[QRect], int]:
    house = QWidget()
    layout = columns(*widgets, **how)  # type: ignore[arg-type]
    house.setLayout(layout)
    high = layout.heightForWidth(width)
    layout.setGeometry(QRect(0, 0, width, high))
    return [widget.geometry() for widget in widgets], high


def test_four_stand_in_one_line_then_two_and_two_then_below_each_other(qapp: QApplication) -> None:
    def lines(width: int) -> list[int]:
        made, _ = places([Block() for _ in range(4)], width, least=100, gap=1)
        tops = [one.y() for one in made]
        return [tops.count(top) for top in sorted(set(tops))]

    assert lines(4 * 100 + 3 * 8) == [4]
    assert lines(4 * 100 + 3 * 8 - 1) == [2, 2]  # three would fit, but three and one look forgotten
    assert lines(2 * 100 + 8 - 1) == [1, 1, 1, 1]


def test_larger_letters_need_more_room(qapp: QApplication) -> None:
    theme.apply(qapp, "light", 2.0)
    (first, second), _ = places([Block(), Block()], 399, least=200)
    assert first.y() < second.y()


def test_shares_hold_where_nobody_gets_less_than_it_needs(qapp: QApplication) -> None:
    (first, second), _ = places([Block(), Block()], 516, least=100, shares=(2, 3))
    assert (first.width(), second.width()) == (200, 300)
    (first, second), _ = places([Block(least=260), Block()], 516, least=100, shares=(2, 3))
    assert (first.width(), second.width()) == (260, 240)
    (first, second), _ = places([Block(least=260), Block(least=250)], 516, least=100)
    assert first.y() < second.y()


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(10, 300), st.integers(5, 80)), min_size=1, max_size=7), st.integers(60, 1200))
def test_nothing_overlaps_and_nothing_sticks_out(sizes: list[tuple[int, int]], width: int) -> None:
    blocks = [Block(wide, high, wide) for wide, high in sizes]
    made, high = places(blocks, width, least=90)
    for number, one in enumerate(made):
        assert one.width() >= min(sizes[number][0], width)
        assert one.right() < max(width, sizes[number][0])
        assert one.bottom() < high
        assert not any(one.intersects(other) for other in made[number + 1 :])


def test_what_is_hidden_takes_no_room(qapp: QApplication) -> None:
    house, blocks = QWidget(), [Block() for _ in range(3)]
    layout = columns(*blocks, least=100, gap=1)
    house.setLayout(layout)
    blocks[1].hide()
    layout.setGeometry(QRect(0, 0, 208, 40))
    assert blocks[0].y() == blocks[2].y()
    assert blocks[2].x() == 108


def test_a_text_in_a_column_is_as_high_as_its_width_asks(qapp: QApplication) -> None:
    words = label("word " * 60)
    layout = columns(column(words), Block(), least=200)
    house = QWidget()
    house.setLayout(layout)
    assert layout.heightForWidth(1000) < layout.heightForWidth(500) < layout.heightForWidth(300)


def test_items_come_and_go_in_every_way(qapp: QApplication) -> None:
    """Deleted by Qt, taken out, parent gone, collected: each many times, because a mistake shows only in some."""
    for _ in range(200):
        house = QWidget()
        outer = QVBoxLayout(house)
        chips, pair = flow(Block(), Block(), Block()), columns(Block(), column(Block()), least=50)
        outer.addLayout(chips)
        outer.addLayout(pair)
        house.grab()
        first = chips.itemAt(0).widget()  # type: ignore[union-attr]
        first.deleteLater()  # type: ignore[union-attr]
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        assert chips.count() == 2
        chips.itemAt(0).widget().setParent(None)  # type: ignore[union-attr,call-overload]
        assert chips.count() == 1
        clear(chips)
        chips.add(Block())
        house.grab()
        gc.collect(0)
        house.deleteLater()
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
