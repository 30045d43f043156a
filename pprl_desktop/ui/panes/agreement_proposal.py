"""The proposal before it is written: whom with, what for, and the document as it would be."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QLineEdit, QWidget

from pprl_desktop.codes.base import method
from pprl_desktop.exchange.terms import Limits
from pprl_desktop.job import offers
from pprl_desktop.problem import Problem
from pprl_desktop.ui.kit.i18n import tr, tr_core
from pprl_desktop.ui.panes._measure import document_of
from pprl_desktop.ui.panes._work import rule_words
from pprl_desktop.ui.panes.agreement_group import GroupChoice
from pprl_desktop.ui.panes.contacts import state_words
from pprl_desktop.ui.widgets.basics import Section, boxed, button, column, label, row
from pprl_desktop.ui.widgets.empty import EmptyState
from pprl_desktop.ui.widgets.inputs import LABELLED, combo, labelled, pick
from pprl_desktop.ui.widgets.paper import PaperView
from pprl_desktop.ui.widgets.reflow import columns, flow

if TYPE_CHECKING:
    from pprl_desktop.exchange.agreeing import Offer
    from pprl_desktop.exchange.terms import Terms
    from pprl_desktop.ui.panes.agreement_blind import BlindTermsView
    from pprl_desktop.ui.panes.base import Pane

PAUSE = 300  # ms after the last letter of the purpose until the document says it


class ProposalForm(QWidget):
    changed = Signal()

    def __init__(self, pane: Pane, blind: BlindTermsView) -> None:
        super().__init__()
        self._pane, self._blind = pane, blind
        self.not_yet = ""  # why nothing can be proposed
        self._partner = ""  # whom the draft is for
        self.partner = combo(tr("Partner"), [], self._set_partner)
        self.partner.setMinimumContentsLength(18)
        self.verified = label("", "small", wrap=False)
        self.rule = combo(tr("Where the two sides decide differently"), [], self._set_rule)
        self.rule_name = label("", "strong")
        self.rule_name.setBuddy(self.rule)
        self.rule.setProperty(LABELLED, True)
        self.rule_note = label("", "small")
        self.purpose = QLineEdit()
        self.purpose.setPlaceholderText(tr("for example: follow-up of heart patients, ethics vote 2026-14"))
        self._typed = QTimer(self, singleShot=True, interval=PAUSE)
        self._typed.timeout.connect(self._show_draft)
        self.purpose.textChanged.connect(lambda: self._typed.start())
        contacts = button(tr("Contacts …"), lambda: self._pane.desk.go_to.emit("contacts"), kind="link")
        who = column(labelled(tr("&Partner"), self.partner), row(self.verified, None, contacts), gap=0.5)
        why = column(
            labelled(tr("P&urpose"), self.purpose, tr("The partner, the agreement and the report will show it.")),
            gap=0.5,
        )
        self.group = GroupChoice(pane)
        self.group.changed.connect(self.changed)
        self.no_partner = EmptyState(
            "people",
            tr("First exchange cards with the partner"),
            tr("Each saves a card, sends it to the other by any way, and both compare twelve words by telephone."),
            ((tr("&Identity and contacts"), lambda: self._pane.desk.go_to.emit("contacts")),),
        )
        self.draft_head = Section(tr("What you would propose"))
        self.draft = PaperView(tr("The proposal as it would be written"))
        self.form = boxed(
            column(
                columns(who, why, least=290, gap=3),
                column(self.rule_name, self.rule, self.rule_note, gap=0.5),
                flow(self.group),
                self.draft_head,
                self.draft,
                gap=2,
            )
        )
        self.setLayout(column(self.no_partner, self.form))

    def show_choices(self) -> bool:
        """Show what would be proposed; true where keys and their reach are to be weighed for it."""
        choices, home = self._pane.project.choices, self._pane.desk.home
        contacts = [one for one in home.contacts() if one.state != "withdrawn"] if home.exists else []
        self.partner.clear()
        self.partner.addItem(tr("Choose …") if contacts else tr("no contact yet"), "")
        for one in contacts:
            self.partner.addItem(one.name, one.id)
        if not choices.partner and len(contacts) == 1:
            self._pane.change("Choose partner", partner=contacts[0].id)
            choices = self._pane.project.choices
        pick(self.partner, choices.partner)
        chosen = next((one for one in contacts if one.id == choices.partner), None)
        self.verified.setText(state_words(chosen.state) if chosen is not None else "")
        states = [one for one in self._pane.project.states() if one.step.name in ("data", "fields", "method")]
        before = [tr_core(one.step.title) for one in states if one.state != "done"]
        missing = tr("To propose, first look at: {pages}.", pages=", ".join(before)) if before else ""
        self.not_yet = missing or ("" if chosen is not None else tr("Choose the partner."))
        self.no_partner.setVisible(not contacts)
        self.form.setVisible(bool(contacts))
        weighs = chosen is not None and not method(choices.method).smashes
        if chosen is not None and weighs:
            self._blind.prepare(choices, chosen)
            if not self.not_yet and self._blind.prepared is None:
                self.not_yet = self._blind.not_prepared()
        self._show_rule(choices.rule, decides_alone=weighs)
        self._partner = chosen.id if chosen is not None else ""
        self._show_draft()
        return weighs

    def _show_draft(self) -> None:
        choices = self._pane.project.choices
        terms = self._draft(self._partner) if self._partner and choices.fields else None
        for part in (self.draft_head, self.draft):
            part.setVisible(terms is not None)
        if terms is not None:
            prepared = self._blind.prepared if not method(choices.method).smashes else None
            weighed = prepared.weighed if prepared is not None else None
            self.draft.show_document(document_of(self._pane, terms, "draft", choices, weighed))

    def _show_rule(self, rule: str, *, decides_alone: bool) -> None:
        """Whether a review is agreed is decided here: it is said beside the choice, not only in the document."""
        if decides_alone:  # who asks decides: the sides cannot differ
            name = tr("Pairs that the asking side is unsure of")
            entries = [(tr("They stay unlinked"), "both"), (tr("They may be reviewed, masked"), "review")]
        else:
            name = tr("Where the two sides decide differently")
            entries = [(words, key) for key, words in rule_words().items()]
        self.rule_name.setText(name)
        self.rule.setAccessibleName(name)
        if [self.rule.itemText(i) for i in range(self.rule.count())] != [words for words, _key in entries]:
            self.rule.clear()
            for words, key in entries:
                self.rule.addItem(words, key)
        pick(self.rule, rule)
        most = Limits().clear
        self.rule_note.setText(
            tr("A review is agreed: for it, cells of at most {n} of 100 records of each side may go in clear, each "
               "time shown and confirmed first.", n=most)
            if rule == "review"
            else tr("No review is agreed: unsure pairs stay unlinked, and no value ever goes in clear.")
        )  # fmt: skip

    def _set_rule(self, data: object) -> None:
        self._pane.change("Choose rule", rule=str(data))
        self.changed.emit()

    def _draft(self, contact: str) -> Terms | None:
        """The terms as they would be written, without a secret yet."""
        from pprl_desktop.job.partnership import Partnership

        own, offer = self._pane.desk.identity(), self.offer()
        if own is None or offer is None:
            return None
        try:
            return Partnership.draft(self._pane.desk.home, own, contact, offer)
        except Problem:
            return None

    def offer(self) -> Offer | None:
        """As the choices say; with blind, with the keys and limits that were counted on the own table."""
        offer = offers.offer_of(self._pane.project.choices, self.purpose.text().strip(), self._pane.desk.findings.twice)
        offer = replace(offer, group=self.group.group)
        if method(offer.method).smashes:
            return offer
        prepared = self._blind.prepared
        return replace(offer, blind=prepared.terms) if prepared is not None else None

    def _set_partner(self, data: object) -> None:
        self._pane.change("Choose partner", partner=str(data or ""), agreement="")
        self.changed.emit()
