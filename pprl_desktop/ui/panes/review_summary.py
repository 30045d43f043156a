"""The end of a review: what was decided, what follows, and the pairs one was least sure of, to look at again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from pprl_desktop.ui.kit import theme
from pprl_desktop.ui.kit.i18n import tr
from pprl_desktop.ui.kit.words import count
from pprl_desktop.ui.widgets.banner import Banner, clear
from pprl_desktop.ui.widgets.basics import column, label, row, row_button
from pprl_desktop.ui.widgets.decision_panel import point_words
from pprl_desktop.ui.widgets.numbers import BigNumber
from pprl_desktop.ui.widgets.pair_view import differs_in
from pprl_desktop.ui.widgets.rows import Head, Rows

if TYPE_CHECKING:
    from pprl_desktop.review.decisions import Decision
    from pprl_desktop.review.session import ReviewSession

LEAST_SURE = 5
_DOUBT = {0: 0, 3: 1, 4: 1, 2: 2, 5: 2, 1: 3, 6: 3}  # of a point: cannot tell first, then perhaps, probably, surely


@dataclass(frozen=True)
class Counted:
    same: int
    different: int
    cannot_tell: int


def counted(session: ReviewSession) -> Counted:
    said = [one.same for one in session.decisions.current.values()]
    return Counted(said.count(True), said.count(False), said.count(None))


def least_sure(session: ReviewSession) -> list[Decision]:
    return sorted(session.decisions.current.values(), key=lambda one: _DOUBT[one.point])[:LEAST_SURE]


class ReviewSummary(QWidget):
    """Shown when the last pair is decided; its keys decide nothing."""

    again = Signal(str)  # look at this pair again

    def __init__(self) -> None:
        super().__init__()
        self.numbers = {
            "same": BigNumber(tr("● the same person"), "accent"),
            "different": BigNumber(tr("○ different people"), "muted", "second"),
            "cannot_tell": BigNumber(tr("◆ cannot tell"), "warm", "second"),
        }
        self.bar = Shares()
        self.follows = column()
        self.doubts = Rows(
            tr("The ones you were least sure of"),
            (Head(tr("Pair")), Head(tr("Your decision")), Head(tr("What differs"), 1), Head("", right=True)),
            indent=0,
        )
        top = row(*self.numbers.values(), None, gap=5)
        heading = label(tr("The ones you were least sure of"), "heading")
        self.setLayout(column(top, self.bar, self.follows, heading, self.doubts, None, gap=2))

    def show_session(self, session: ReviewSession, *, result_sent: bool, partner: str) -> None:
        found = counted(session)
        for name, shown in self.numbers.items():
            shown.show_number(count(getattr(found, name)))
        self.bar.show_shares((found.same, found.different, found.cannot_tell))
        clear(self.follows)
        if result_sent:
            self.follows.addWidget(
                Banner(
                    "info",
                    tr("The result you sent may become out of date."),
                    tr("If so, it is written again and must be sent to {partner} again.", partner=partner),
                )
            )
        self.doubts.clear()
        numbers = {pair.id: i for i, pair in enumerate(session.review.pairs)}
        places = {pair: i for i, pair in enumerate(session.order, start=1)}
        for one in least_sure(session):
            look = row_button(tr("Look again"), lambda pair=one.pair: self.again.emit(pair))
            look.setAccessibleName(tr("Look again at pair {n}", n=count(places[one.pair])))
            self.doubts.add(
                label(tr("Pair {n}", n=count(places[one.pair])), "muted", wrap=False),
                label(point_words(one.point), wrap=False),
                label(differs_in(session.gate.cells(numbers[one.pair])), "small"),
                look,
            )


class Shares(QWidget):
    """Three numbers as parts of one bar."""

    TOKENS = ("accent", "neutral", "warm")

    def __init__(self) -> None:
        super().__init__()
        self.parts: tuple[int, ...] = ()
        self.setFixedHeight(8)

    def show_shares(self, parts: tuple[int, ...]) -> None:
        self.parts = parts
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        x, total = 0.0, max(sum(self.parts), 1)
        for part, token in zip(self.parts, self.TOKENS, strict=False):
            wide = part / total * self.width()
            if part:
                painter.setBrush(theme.colour(token))
                painter.drawRoundedRect(QRectF(x, 0, max(wide - 2, 4), 8), 4, 4)
            x += wide
        painter.end()
