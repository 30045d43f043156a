"""Pairs on which reviewers differ, one by one: who said what, the cells as they saw them, the manager's word."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal

from pprl_desktop.ui.kit.i18n import tr
from pprl_desktop.ui.kit.words import count
from pprl_desktop.ui.widgets.basics import Section, button, label, row
from pprl_desktop.ui.widgets.decision_panel import point_words
from pprl_desktop.ui.widgets.pair_view import PairGrid

if TYPE_CHECKING:
    from pprl_desktop.review.cells import Cell
    from pprl_desktop.review.roles import Conflict

DIFFERENT, SAME = 1, 6  # points of the scale: the manager's word is sure


class Conflicts(Section):
    """Hidden while there are none. Looking is counted as the manager's own disclosure, and said so first."""

    looked = Signal(str)  # a pair
    settled = Signal(str, int)  # a pair and its point

    def __init__(self) -> None:
        super().__init__(tr("Votes differ"))
        self._conflicts: Sequence[Conflict] = ()
        self._at = 0
        self.place, self.votes = label("", "muted"), label("")
        self.grid = PairGrid()
        self.grid.setEnabled(False)  # nothing more is opened here than the voters saw
        self.look = button(tr("&Look at it"), lambda: self.looked.emit(self.pair))
        self.priced = label(tr("Looking opens the cells that the voters opened, and counts as yours."), "small")
        self.different = button(tr("&Different people"), lambda: self.settled.emit(self.pair, DIFFERENT))
        self.same = button(tr("The &same person"), lambda: self.settled.emit(self.pair, SAME))
        self.other = button(tr("Next of them"), self._turn, kind="link")
        self.add(
            self.place, self.votes, row(self.different, self.same, self.other, None, gap=1),
            row(self.look, self.priced, None, gap=1), self.grid,
        )  # fmt: skip
        self.hide()

    @property
    def pair(self) -> str:
        return self._conflicts[self._at].pair

    def show_conflicts(self, found: Sequence[Conflict]) -> None:
        self._conflicts, self._at = found, min(self._at, max(0, len(found) - 1))
        self.setVisible(bool(found))
        self._show()

    def show_cells(self, pair: str, cells: Sequence[Cell]) -> None:
        if self._conflicts and pair == self.pair:
            self.grid.show_cells(cells, [None] * len(cells), "")
            self.grid.show()
            self.look.hide()
            self.priced.hide()

    def _turn(self) -> None:
        self._at = (self._at + 1) % len(self._conflicts)
        self._show()

    def _show(self) -> None:
        self.grid.hide()
        self.look.show()
        self.priced.show()
        self.other.setVisible(len(self._conflicts) > 1)
        if not self._conflicts:
            return
        now, all_ = count(self._at + 1), count(len(self._conflicts))
        self.place.setText(tr("Pair {n} of {all} on which votes differ. Your word settles it.", n=now, all=all_))
        said = [
            tr("{name}: {decision}", name=one.reviewer, decision=point_words(one.point))
            + (f" ({one.note})" if one.note else "")
            for one in self._conflicts[self._at].votes
        ]
        self.votes.setText("\n".join(said))
