"""Answering the partner's request: what would leave in clear, to whom and why; a confirmation; the sealed file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QCheckBox

from pprl_desktop.said import sentences
from pprl_desktop.ui.kit.i18n import tr, tr_core, tr_n
from pprl_desktop.ui.kit.words import count
from pprl_desktop.ui.panes._files import out_path
from pprl_desktop.ui.panes.base import Pane
from pprl_desktop.ui.widgets.banner import Banner, clear
from pprl_desktop.ui.widgets.basics import Section, boxed, button, check_line, column, row
from pprl_desktop.ui.widgets.facts import fact
from pprl_desktop.ui.widgets.reflow import columns

if TYPE_CHECKING:
    from pprl_desktop.exchange.clear_cells import InClear, SentInClear


class AnswerInClear(Section):
    """Shaped like the page Export: nothing is written before it was shown, counted on this computer and confirmed."""

    def __init__(self, pane: Pane) -> None:
        super().__init__(
            tr("The partner asks for cells in clear"),
            tr("See first what would leave. Nothing is sent by looking."),
        )
        self.pane = pane
        self.planned: InClear | None = None
        self.look = button(tr("Show what would lea&ve"), self._look, icon="review")
        self.shown = column(gap=2)
        self.add(row(self.look, None), self.shown)
        self.known = QCheckBox()
        self.write = button(tr("&Write the answer in clear …"), self._write, kind="primary", icon="send")

    def reset(self) -> None:
        """Another request, another project: what was shown holds no longer."""
        self.planned = None
        clear(self.shown)

    def _look(self) -> None:
        partnership, own_table = self.pane.desk.partnership(), self.pane.desk.own_table
        if partnership is None:
            return
        choices = self.pane.project.choices
        self.pane.messages.clear()
        self.reset()
        self.pane.run(
            tr("Counting what would leave"),
            lambda progress: partnership.would_leave(own_table, choices, progress),
            self.show_planned,
        )

    def show_planned(self, planned: InClear) -> None:
        clear(self.shown)
        self.planned = planned
        leaves, why, remains = (
            Section(tr("What leaves in clear")),
            Section(tr("To whom, and why")),
            Section(tr("What follows")),
        )
        records = tr_n("{n} record", "{n} records", planned.records)
        leaves.body.addLayout(
            fact("send", tr("{records} of your {all}, as text", records=records, all=count(planned.of)))
        )
        for one in planned.fields:
            forms = ", ".join(one.forms) or tr("nothing")
            leaves.body.addLayout(
                fact("table", tr("{name}: {n} cells, such as {forms}", name=one.name, n=count(one.filled), forms=forms))
            )
        why.body.addLayout(fact("people", tr("To {partner}, and nobody else can open it", partner=planned.partner)))
        why.body.addLayout(
            fact("review", tr("Because these pairs are uncertain in your own match, or both results name them"))
        )
        if planned.withheld:
            why.body.addLayout(
                fact(
                    "lock",
                    tr_n(
                        "{n} pair they asked about is not answered: your match does not share it",
                        "{n} pairs they asked about are not answered: your match does not share them",
                        planned.withheld,
                    ),
                )
            )
        why.body.addLayout(
            fact(
                "agree",
                tr(
                    "Agreed are at most {most} records in clear; {before} were sent before",
                    most=count(planned.most), before=count(planned.before),
                ),
            )
        )  # fmt: skip
        remains.body.addLayout(
            fact(
                "review",
                tr(
                    "{partner} can read, keep and copy these cells. Masking happens on their screen, not in the file.",
                    partner=planned.partner,
                ),
            )
        )
        remains.body.addLayout(fact("ledger", tr("It is entered in the record of releases and told in both reports")))
        remains.body.addLayout(fact("lock", tr("It cannot be taken back")))
        for card in (leaves, why, remains):
            card.body.addStretch(1)
        self.shown.addLayout(columns(column(leaves, why, gap=2), remains, least=290))
        if planned.blocked is not None:
            self.shown.addWidget(
                Banner(
                    "warning",
                    tr_core(planned.blocked.what),
                    tr_core(sentences(planned.blocked.why, planned.blocked.do)),
                )
            )
            return
        self.known = QCheckBox()
        self.known.toggled.connect(lambda on: self.write.setEnabled(on))
        self.write = button(tr("&Write the answer in clear …"), self._write, kind="primary", icon="send")
        self.write.setEnabled(False)
        words = tr(
            "I know that {partner} can then read the cells of {records} in clear.",
            partner=planned.partner, records=records,
        )  # fmt: skip
        self.shown.addWidget(boxed(column(check_line(self.known, words), row(self.write, None))))

    def _write(self) -> None:
        partnership, planned = self.pane.desk.partnership(), self.planned
        if partnership is None or planned is None or not self.known.isChecked():
            return
        out = out_path(self.pane, tr("Write the answer in clear"), "review-answer.pprl")
        if out is None:
            return
        choices, own_table = self.pane.project.choices, self.pane.desk.own_table
        self.pane.messages.clear()

        def done(sent: SentInClear) -> None:
            self.reset()
            self.pane.say(
                "good",
                tr_n(
                    "The cells of {n} record are written in clear, sealed for the partner.",
                    "The cells of {n} records are written in clear, sealed for the partner.",
                    sent.records,
                ),
                tr("Send {file}. The record of releases says what it holds.", file=out.name),
            )

        self.pane.run(
            tr("Writing the answer"),
            lambda progress: partnership.answer(own_table, choices, out, planned, progress),
            done,
        )
