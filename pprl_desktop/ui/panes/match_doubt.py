"""Where the program cannot tell which pairs are right: both numbers, why, and what would help, best first."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from pprl_desktop.ui.kit.i18n import tr, tr_core
from pprl_desktop.ui.kit.words import of_100_like
from pprl_desktop.ui.widgets.banner import clear
from pprl_desktop.ui.widgets.basics import column, label, line, row, row_button
from pprl_desktop.ui.widgets.numbers import BigNumber
from pprl_desktop.ui.widgets.reflow import columns

if TYPE_CHECKING:
    from pprl_desktop.job.matches import Judged


class Doubt(QWidget):
    """Hidden as long as the match is reliable."""

    go_to = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.first = BigNumber(tr("wrong, by the weights"), "warm")
        self.differ = label("≠", "second", wrap=False)
        self.other = BigNumber(tr("wrong, by the second opinion"), "warm")
        self.why = label("")
        self.cures = column(gap=0.75)
        numbers = row(self.first, self.differ, self.other, None, gap=3)
        heading = label(tr("What would help"), "heading")
        self.setLayout(column(columns(numbers, self.why, least=280, gap=3), heading, self.cures, gap=1.5))
        self.hide()

    def show_doubt(self, told: Judged, *, own: bool = False) -> None:
        """`own`: both files are at hand, and no agreement stands in the way of another field."""
        self.setVisible(not told.reliable)
        if told.reliable:
            return
        self.first.say(tr("missed, by the weights") if told.misses_more else tr("wrong, by the weights"))
        self.other.say(tr("missed, by the second opinion") if told.misses_more else tr("wrong, by the second opinion"))
        numbers = (told.missed, told.missed_second) if told.misses_more else (told.wrong, told.second)
        for shown, share in zip((self.first, self.other), numbers, strict=True):
            shown.show_number(of_100_like(share, numbers[0]) if not math.isnan(share) else "–")
        self.differ.setVisible(told.misses_more or not told.agree)
        reasons = " ".join(tr_core(one) for one in told.reasons)
        self.why.setText(tr("<b>Why:</b> {reasons}", reasons=reasons) if reasons else "")
        clear(self.cures)
        cures = [
            (tr("Take copies out of your table"), tr("a few minutes, nothing leaves"), tr("Look at the table"), "data"),
            (
                tr("Compare more telling fields"),
                tr("a few minutes, nothing leaves") if own else tr("a new agreement, new files"),
                tr("Choose the fields"),
                "fields",
            ),
            (tr("Review a part of the pairs"), tr("masked, some time"), tr("Go to the review"), "review"),
        ]
        if told.misses_more:  # of copies none is missed; another field finds whom these do not
            cures = cures[1:]
        for what, takes, words, page in cures:
            act = row_button(words, lambda to=page: self.go_to.emit(to))
            one = row(label(what, "strong"), label(takes, "muted"), act, gap=2)
            one.setStretch(0, 3)
            one.setStretch(1, 2)
            self.cures.addLayout(one)
            self.cures.addWidget(line())
