"""Answering the partner's question (blind): what leaves on the slip, how far a liar could reach, the file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QWidget

from pprl_desktop.ui.kit.i18n import tr, tr_core
from pprl_desktop.ui.kit.words import count, of_100, size
from pprl_desktop.ui.panes._files import out_path
from pprl_desktop.ui.panes.base import Pane
from pprl_desktop.ui.widgets.banner import Banner
from pprl_desktop.ui.widgets.basics import Section, boxed, column, label, line
from pprl_desktop.ui.widgets.blind_pictures import Reach
from pprl_desktop.ui.widgets.inputs import check_line
from pprl_desktop.ui.widgets.numbers import BigNumber
from pprl_desktop.ui.widgets.reflow import columns
from pprl_desktop.ui.widgets.slip import ReleaseSlip, Slip

if TYPE_CHECKING:
    from pprl_desktop.exchange.blind import Answered, Before
    from pprl_desktop.job.blind import Weighed
    from pprl_desktop.progress import Progress


class AnswerQuestion(QWidget):
    written = Signal(str)  # the answer lies here

    def __init__(self, pane: Pane) -> None:
        super().__init__()
        self.pane = pane
        self._asked = ""
        self.weighed: Weighed | None = None
        self.before: Before | None = None
        self.slip, self.reach = ReleaseSlip(), Reach()
        self.number = BigNumber(tr("of your people could be named if it lied in every question"), "warm")
        self.sum = label("", "small")
        self.known = QCheckBox()
        self.known.toggled.connect(lambda _on: self.pane.changed.emit())
        self.counting = label(tr("Counting on your own table how far a liar could reach …"), "muted")
        left = Section(tr("What leaves"))
        left.add(self.slip)
        right = column(self.number, self.reach, self.sum, None, gap=1)
        words = tr("I may answer this question. Once sent it cannot be taken back; its key is destroyed.")
        both = columns(left, right, least=290, shares=(3, 2), gap=4)
        self.counted = boxed(column(both, line(), check_line(self.known, words), gap=2))
        self.setLayout(column(self.counting, self.counted))
        self.counted.hide()

    def show_question(self, question: str) -> None:
        """Counted on the own table each time: nothing leaves by looking."""
        partnership, choices, own = self.pane.desk.partnership(), self.pane.project.choices, self.pane.desk.own_table
        if partnership is None or question == self._asked:
            return
        self._asked, self.weighed, self.before = question, None, None
        self.known.setChecked(False)
        self.counted.hide()
        self.counting.show()
        agreed = partnership.agreement

        def work(progress: Progress) -> tuple[Weighed, Before]:
            weighed = partnership.weigh(own, choices, progress)
            return weighed, partnership.asked_before(weighed)

        def done(found: tuple[Weighed, Before]) -> None:
            self.weighed, self.before = found
            self._show(agreed.partner_side.name, choices.rows)

        self.pane.run(tr("Counting on your own table"), work, done, key="blind.weigh")

    def _show(self, partner: str, rows: int) -> None:
        assert self.weighed is not None
        assert self.before is not None
        weighed, before = self.weighed, self.before
        meter = weighed.meter
        self.slip.show_slip(
            Slip(
                tr("<b>Blind answers</b> to at most {n} questions, and {slots} locked records", n=count(before.now),
                   slots=count(rows)),
                partner, "blind",
                tr("only records that share a key with theirs can be opened"),
                tr("which of their people you hold, and per field whether it is alike; no value that they do not hold"),
                " ".join(tr_core(one) for one in before.sentences()) or tr("nothing: this is the first answer to them"),
            )
        )  # fmt: skip
        self.number.show_number(of_100(meter.coverage), "", tr("counted on your own table"))
        self.reach.show_reach(meter.coverage, meter.coverage_10n, weighed.bound)
        second = "" if before.runs else " " + tr("A second question needs your word.")
        self.sum.setText(tr_core(weighed.careful()) + second)
        if weighed.problem is not None:
            self.pane.messages.clear()
            self.pane.messages.show_banner(Banner.of(weighed.problem))
        self.known.setEnabled(weighed.problem is None)
        self.counting.hide()
        self.counted.show()
        self.pane.changed.emit()

    def reason(self) -> str:
        """Why nothing can be answered yet."""
        if self.weighed is None:
            return tr("Being counted on your own table.")
        if self.weighed.problem is not None:
            return tr_core(self.weighed.problem.sentence())
        return "" if self.known.isChecked() else tr("Say that you may answer it.")

    def write_answer(self) -> None:
        partnership, choices, own = self.pane.desk.partnership(), self.pane.project.choices, self.pane.desk.own_table
        if partnership is None or self.before is None or not self.known.isChecked():
            return
        out = out_path(self.pane, tr("Write the answer"), "blind-answer.pprl")
        if out is None:
            return
        again = self.before.runs > 0  # the sums stand on the slip, and were ticked

        def done(made: Answered) -> None:
            self.written.emit(str(out))
            self.pane.say("good", tr("The answer is written: {size}.", size=size(made.bytes)))

        self.pane.run(
            tr("Answering"),
            lambda progress: partnership.send_answer(own, choices, out, again=again, progress=progress),
            done,
        )
