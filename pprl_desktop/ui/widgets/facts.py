"""Facts: an icon and a sentence, and tables of a name and what it stands for."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLayout, QWidget

from pprl_desktop.ui.kit import theme
from pprl_desktop.ui.kit.theme import GRID
from pprl_desktop.ui.widgets.banner import clear
from pprl_desktop.ui.widgets.basics import boxed, follow, icon_label, label, line, row

NAMES = 136  # px of the column of names, at the usual text size


def fact(icon: str, text: str, token: str = "muted", size: int = 16) -> QHBoxLayout:
    """An icon and what it stands for; the icon keeps to the first line of a long text."""
    picture = icon_label(icon, token, size)
    made = row(picture, label(text, "muted"), gap=1 if size <= 16 else 1.5)
    made.setAlignment(picture, Qt.AlignmentFlag.AlignTop)
    made.setStretch(1, 1)
    return made


def tag(text: str, token: str = "neutral") -> QWidget:
    """A short word on a soft ground: accent, warm, danger, neutral, accent-fill, danger-fill."""
    made = label(text, wrap=False)
    made.setProperty("tag", token)
    return made


class FactTable(QWidget):
    """Names at the left, muted; what they stand for at the right; hairlines between."""

    def __init__(self, facts: Iterable[tuple[str, str | QWidget | QLayout]] = ()) -> None:
        super().__init__()
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(GRID)
        self._grid.setVerticalSpacing(6)
        self._grid.setColumnStretch(1, 1)
        follow(self, self._fit)
        self._fit()
        self.show_facts(facts)

    def _fit(self) -> None:
        self._grid.setColumnMinimumWidth(0, round(NAMES * theme.zoom()))

    def show_facts(self, facts: Iterable[tuple[str, str | QWidget | QLayout]]) -> None:
        """A text may hold <b>…</b>; whoever puts another's words in escapes them."""
        clear(self._grid)
        for number, (name, what) in enumerate(facts):
            if number:
                self._grid.addWidget(line(), 2 * number - 1, 0, 1, 2)
            title = label(name, "muted")
            shown = label(what) if isinstance(what, str) else boxed(what) if isinstance(what, QLayout) else what
            if isinstance(what, str):
                title.setBuddy(shown)
            self._grid.addWidget(title, 2 * number, 0, Qt.AlignmentFlag.AlignTop)
            self._grid.addWidget(shown, 2 * number, 1)
        for place in range(self._grid.rowCount()):  # what room is left over lies below the lines, not within them
            self._grid.setRowStretch(place, 0)
        self._grid.setRowStretch(self._grid.rowCount(), 1)
