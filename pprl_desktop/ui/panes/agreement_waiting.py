"""The proposal is out: how long ago, what comes next, and what it says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QApplication, QLayout, QWidget

from pprl_desktop.ui.kit.i18n import tr, tr_core
from pprl_desktop.ui.kit.words import day_words, days_since, place_of, said_days
from pprl_desktop.ui.panes._files import show_in_folder
from pprl_desktop.ui.panes._measure import document_of
from pprl_desktop.ui.panes.post import look
from pprl_desktop.ui.widgets.basics import Section, button, column, label, row
from pprl_desktop.ui.widgets.facts import FactTable
from pprl_desktop.ui.widgets.numbers import BigNumber
from pprl_desktop.ui.widgets.paper import PaperView
from pprl_desktop.ui.widgets.reflow import columns, flow

if TYPE_CHECKING:
    from pprl_desktop.exchange.agreement import Agreement
    from pprl_desktop.ui.panes.base import Pane


class WaitingPage(QWidget):
    def __init__(self, pane: Pane) -> None:
        super().__init__()
        self._pane, self._made = pane, ""
        self.days = BigNumber()
        self.next_comes = label("")
        remind = button(tr("Copy a reminder to send"), self._remind, kind="link")
        comes = column(self.next_comes, row(remind, None), gap=0.5)
        self.withdraw = button(tr("Start over"), kind="link")
        self.again = button(tr("Write the proposal again …"))
        self.proposed = FactTable()
        self.paper = PaperView(tr("What you proposed"))
        self.setLayout(
            column(
                columns(self.days, comes, least=220, shares=(2, 3), gap=3),
                flow(self.again, self.withdraw),
                Section(tr("What you proposed")).add(self.proposed),
                self.paper,
                gap=2,
            )
        )

    def show_agreement(self, agreement: Agreement) -> None:
        self._made = agreement.terms.made
        partner, terms = agreement.partner_side.name, agreement.terms
        self.days.show_number(*said_days(days_since(terms.made)))
        self.days.say(tr("since {day}", day=day_words(terms.made)))
        self.next_comes.setText(
            tr(
                "<b>What comes next:</b> {partner} reads the proposal, measures its own side and sends a signed "
                "answer. Drop that file anywhere on this window.",
                partner=partner,
            )
        )
        document = document_of(self._pane, terms, "proposed", self._pane.project.choices)
        told: list[tuple[str, str | QWidget | QLayout]] = [
            (tr_core(one.name), tr_core(one.what)) for one in document.facts if one.brief
        ]
        path = next((one.path for one in look(self._pane.desk).letters if one.mine and one.kind == "proposal"), None)
        if path is not None:
            show = button(tr("Show in folder"), lambda: show_in_folder(self._pane, path), kind="link")
            where = row(label(place_of(path), "mono", selectable=True), show, gap=1)
            where.setStretch(0, 1)
            told.append((tr("File"), where))
        self.proposed.show_facts(told)
        self.paper.show_document(document)

    def _remind(self) -> None:
        QApplication.clipboard().setText(
            tr(
                "Hello, on {day} we sent you a proposal for a record linkage. Please open it in PPRL Desktop, and send "
                "us the signed answer.",
                day=day_words(self._made),
            )
        )
        self._pane.say("good", tr("The reminder is copied; paste it into a message."))
