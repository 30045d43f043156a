"""Words of a partner on a page are words: no heading, no picture, no link, no colour."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QLabel

from pprl_desktop.exchange.names import check_name
from pprl_desktop.problem import Problem
from pprl_desktop.ui.widgets.basics import label
from pprl_desktop.ui.widgets.inputs import check_line


@pytest.mark.parametrize(
    "text",
    [
        "<h1>All checks passed</h1>",
        "linkage <font color='green'>verified</font>",
        "<img src='file:///etc/passwd'>",
        "<a href='https://example.org'>click</a>",
        "a <!-- hidden --> b",
        "<b>sure</b><br><table><tr><td>x",
    ],
)
def test_markup_in_a_text_shows_as_it_is(qtbot, text: str) -> None:
    shown = label("before")
    qtbot.addWidget(shown)
    for made in (label(text), shown):
        made.setText(text)
        assert made.textFormat() == Qt.TextFormat.PlainText
        assert made.text() == text
    line = check_line(QCheckBox(), text)
    qtbot.addWidget(line)
    assert any(one.textFormat() == Qt.TextFormat.PlainText for one in line.findChildren(QLabel))


def test_bold_words_of_the_program_stay_bold(qtbot) -> None:
    shown = label("<b>What comes next:</b> a < b")
    qtbot.addWidget(shown)
    assert shown.textFormat() == Qt.TextFormat.AutoText


@pytest.mark.parametrize("name", ["<b>Registry</b>", "Registry <verified>", "A > B"])
def test_a_name_with_markup_is_refused(name: str) -> None:
    with pytest.raises(Problem, match="markup"):
        check_name(name)
