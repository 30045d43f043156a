"""A document on the screen and on paper: what is laid out side by side has room on both sides."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QTextDocument

from pprl_desktop.job.document import Document
from pprl_desktop.said import Said
from pprl_desktop.ui.kit import theme
from pprl_desktop.ui.widgets import paper

SCREEN, PAGE = 630, 666  # px of a sheet at 1024 x 700, and of a page of A4


@pytest.mark.parametrize("width", [SCREEN, PAGE])
@pytest.mark.parametrize(("protects", "opens"), [(1, 5), (4, 4), (6, 1)])
def test_what_protects_and_what_stays_open_stand_side_by_side(qapp, width: int, protects: int, opens: int) -> None:  # type: ignore[no-untyped-def]
    line = Said("A sentence that is about as long as those of an agreement are, and takes two lines at least.")
    made = Document(Said("Report"), "Ours", "", protects=(line,) * protects, stays_open=(line,) * opens)
    text = QTextDocument()
    paper._filled(text, made, width, paper.Ink(theme.LIGHT))
    text.setTextWidth(width)
    columns = [widths(text, title) for title in ("What protects", "What stays open")]
    assert min(columns) >= 0.3 * width
    assert sum(columns) <= width


def widths(text: QTextDocument, title: str) -> float:
    block = text.begin()
    while block.isValid() and block.text() != title:
        block = block.next()
    assert block.isValid(), title
    return text.documentLayout().blockBoundingRect(block).width()
