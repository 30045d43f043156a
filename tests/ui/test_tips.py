"""What a partner, a table or a file calls itself is shown as it stands, also in tooltips and in boxes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from PySide6 import QtGui
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextDocument
from PySide6.QtWidgets import QLabel, QMessageBox, QWidget

from pprl_desktop.ui.kit import tips
from pprl_desktop.ui.widgets.basics import Brief, button
from pprl_desktop.ui.widgets.inputs import combo
from pprl_desktop.ui.widgets.table_model import ColumnSpec, PlainModel

UI = Path(tips.__file__).parents[1]
HOSTILE = (
    '<img src="file:///etc/passwd">', "<h1>Verified</h1>", "a\n<table><tr><td>x</td></tr></table>", "<b>agreed</b>",
    "&lt;h1&gt;Verified", "<!-- x -->born", "1 < 2 & 3 > 2", "<qt>x", "<?xml version='1.0'?><b>x</b>",
)  # fmt: skip


def shown(tip: str) -> str:
    """The words that Qt draws for a tooltip: it decides by the text whether it is HTML."""
    if not QtGui.Qt.mightBeRichText(tip):
        return tip
    drawn = QTextDocument()
    drawn.setHtml(tip)
    return drawn.toPlainText()


@pytest.mark.parametrize("text", HOSTILE)
def test_a_tooltip_shows_the_text_sign_by_sign(qtbot, text) -> None:
    of = QWidget()
    qtbot.addWidget(of)
    tips.set_tip(of, text)
    brief = Brief()
    brief.setText(text)
    chosen = combo("Column", [("x", 0), (text, 1)])
    chosen.setCurrentIndex(1)
    model = PlainModel([ColumnSpec(text)])
    model.replace([(text,)])
    cell, heading = model.index(0, 0), Qt.Orientation.Horizontal
    for tip in (
        of.toolTip(), brief.toolTip(), button("OK", tip=text).toolTip(), chosen.toolTip(),
        model.data(cell, Qt.ItemDataRole.ToolTipRole), model.headerData(0, heading, Qt.ItemDataRole.ToolTipRole),
    ):  # fmt: skip
        assert shown(tip) == text


@pytest.mark.parametrize("text", HOSTILE)
def test_a_box_of_the_program_shows_the_text_sign_by_sign(qtbot, text) -> None:
    box = tips.question(None, QMessageBox.Icon.Question, text, text)
    qtbot.addWidget(box)
    words = [one for one in box.findChildren(QLabel) if one.text() == text]
    assert len(words) == 2
    assert all(one.textFormat() == Qt.TextFormat.PlainText for one in words)


def test_there_is_no_other_way_to_a_tooltip_or_a_box() -> None:
    wrong = re.compile(r"\.(?:setToolTip|showText)\b(?!\(.*plain\()|QMessageBox\(")
    found = [
        f"{path.relative_to(UI)}:{number}"
        for path in sorted(UI.rglob("*.py"))
        if path.name != "tips.py"
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if wrong.search(line)
    ]
    assert not found
