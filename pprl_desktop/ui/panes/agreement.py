"""Agreement: propose, read the partner's proposal with what differs, accept or decline; signed by both."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QComboBox, QGridLayout, QInputDialog, QLineEdit, QWidget

from pprl_desktop.job import offers
from pprl_desktop.problem import Problem
from pprl_desktop.ui.kit.i18n import tr, tr_core
from pprl_desktop.ui.kit.theme import GRID
from pprl_desktop.ui.panes._files import out_path
from pprl_desktop.ui.panes._keyed import KeyedPane
from pprl_desktop.ui.panes._work import kind_words, point_value, rule_words
from pprl_desktop.ui.panes.contacts import state_words
from pprl_desktop.ui.widgets.banner import Banner, clear
from pprl_desktop.ui.widgets.basics import Pages, Section, boxed, button, column, combo, label, labelled, pick, row
from pprl_desktop.ui.widgets.reflow import columns, flow
from pprl_desktop.ui.widgets.table import DataTable
from pprl_desktop.ui.widgets.table_model import ColumnSpec

if TYPE_CHECKING:
    from pprl_desktop.exchange.agreeing import Proposal
    from pprl_desktop.exchange.agreement import Agreement
    from pprl_desktop.exchange.inbox import Received
    from pprl_desktop.job.own_table import Seen

_START, _WAIT, _DECIDE, _DONE = range(4)


def point_words() -> dict[str, str]:
    return {
        "fields": tr("Fields"),
        "cleaning": tr("Cleaning differs for"),
        "method": tr("Method"),
        "decision": tr("Decision and layout"),
        "noise": tr("Noise (ε)"),
        "reference set": tr("Reference set"),
        "decoys": tr("Decoys"),
        "rule": tr("Rule for differing results"),
    }


class AgreementPane(KeyedPane):
    NAME = "agreement"
    TAKES = True
    NEEDS = ("fields", "method", "settings", "reference")
    GIVES = ("partner", "agreement", "rule")
    MESSAGES = {"declined": "The partner declined."}  # noqa: RUF012

    def build(self) -> None:
        self.head(
            tr("Agree with the partner"),
            tr("What is compared, how, and with how much noise. Signed by both; every later file must fit it."),
        )
        self._proposal: Proposal | None = None
        self._columns: dict[str, QComboBox] = {}
        self.who = Section(tr("Partner"))
        self.partner = combo(tr("Partner"), [], self._set_partner)
        self.partner.setMinimumContentsLength(18)
        self.verified = label("", "small", wrap=False)
        self.rule = combo(
            tr("Where the two sides decide differently"),
            [(words, rule) for rule, words in rule_words().items()],
            lambda data: self.change(tr("Choose rule"), rule=str(data)),
        )
        self.purpose = QLineEdit()
        self.purpose.setPlaceholderText(tr("for example: follow-up of heart patients, ethics vote 2026-14"))
        self.who.add(
            labelled(tr("&Partner"), self.partner),
            row(self.verified, None, button(tr("Contacts …"), lambda: self.desk.go_to.emit("contacts"), kind="link")),
        )
        self.pages = Pages()
        for page in (self._build_start(), self._build_wait(), self._build_decide(), self._build_done()):
            self.pages.addWidget(page)
        left = column(self.identity, self.who, None, gap=2)
        self.body.addLayout(columns(left, self.pages, least=290, shares=(2, 3)))
        self.body.addStretch(1)

    def _build_start(self) -> QWidget:
        propose = Section(
            tr("Propose"),
            tr("Your choices become a sealed proposal for the partner, with a fresh shared secret inside."),
        )
        self.propose = button(tr("&Write the proposal …"), self._propose, kind="primary")
        propose.add(
            labelled(tr("Purpose"), self.purpose, tr("The partner and the report will show it.")),
            labelled(tr("Where the two sides decide differently"), self.rule),
            row(self.propose, None),
        )
        receive = Section(tr("Or answer"), tr("The partner sent you a proposal? Open it, or drop it on this window."))
        self.open = button(tr("&Open a proposal …"), self.choose_file)
        receive.add(row(self.open, None))
        return boxed(column(propose, receive, None, gap=2))

    def _build_wait(self) -> QWidget:
        card = Section(tr("Waiting for the answer"))
        self.wait_text = label("", "muted")
        card.add(
            self.wait_text,
            flow(
                button(tr("&Open the answer …"), self.choose_file, kind="primary"),
                button(tr("Write the proposal again …"), self._resend),
                button(tr("Start over"), self._restart, kind="link"),
            ),
        )
        self.wait_words = Section(tr("What you proposed"))
        return boxed(column(card, self.wait_words, None, gap=2))

    def _build_decide(self) -> QWidget:
        self.compare = Section(tr("The proposal beside your choices"), tr("Lines marked ≠ differ."))
        self.points = DataTable(
            tr("The proposal beside your choices"),
            [ColumnSpec(""), ColumnSpec(tr("Point")), ColumnSpec(tr("Yours")), ColumnSpec(tr("Proposed"))],
            rows_high=8,
        )
        self.compare.add(self.points)
        self.mapping = Section(
            tr("Your column for each field"), tr("The partner never sees the names of your columns.")
        )
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(2 * GRID)
        self._grid.setVerticalSpacing(GRID)
        self.mapping.add(self._grid)
        self.accept = button(tr("&Accept and sign …"), self._accept, kind="primary")
        self.why_not = label("", "warm")
        self.words = Section(tr("The whole agreement"))
        actions = row(
            self.accept, button(tr("&Decline …"), self._decline), button(tr("Not now"), self._restart, kind="link"),
            self.why_not, None, gap=1.5,
        )  # fmt: skip
        return boxed(column(self.compare, self.mapping, boxed(actions), self.words, None, gap=2))

    def _build_done(self) -> QWidget:
        self.done_note = column(gap=1)
        self.done_words = Section(tr("What was agreed"))
        return boxed(column(boxed(self.done_note), self.done_words, None, gap=2))

    # what is shown --------------------------------------------------------------------------------

    def show_state(self) -> None:
        choices, own = self.project.choices, self.desk.identity()
        self.who.setVisible(own is not None)
        self.pages.setVisible(own is not None)
        if own is None:
            self.changed.emit()
            return
        contacts = [one for one in self.desk.home.contacts() if one.state != "withdrawn"]
        self.partner.clear()
        self.partner.addItem(tr("Choose …") if contacts else tr("no contact yet"), "")
        for one in contacts:
            self.partner.addItem(one.name, one.id)
        if not choices.partner and len(contacts) == 1:
            self.change(tr("Choose partner"), partner=contacts[0].id)
            choices = self.project.choices
        pick(self.partner, choices.partner)
        self.verified.setText(next((state_words(one.state) for one in contacts if one.id == choices.partner), ""))
        pick(self.rule, choices.rule)
        self.propose.setEnabled(bool(choices.partner))
        self._show_state()
        self.changed.emit()

    def _agreement(self) -> Agreement | None:
        """The agreement of this project, or the newest open one that is about the present choices."""
        choices = self.project.choices
        if choices.agreement and self.desk.home.has_agreement(choices.agreement):
            return self.desk.home.agreement(choices.agreement)
        for agreement in offers.agreements_with(self.desk.home, choices.partner):
            if agreement.state in ("proposed", "in force") and offers.fits(choices, agreement):
                return agreement
        return None

    def _show_state(self) -> None:
        agreement = self._agreement()
        if self._proposal is not None:
            self.pages.setCurrentIndex(_DECIDE)
        elif agreement is None:
            self.pages.setCurrentIndex(_START)
        elif agreement.state == "in force":
            if self.project.choices.agreement != agreement.id:
                self._adopt(agreement)
            clear(self.done_note)
            self.done_note.addWidget(
                Banner("good", tr("In force, signed by both sides."), tr("Number {id}", id=agreement.id[:16]))
            )
            self._tell(self.done_words, agreement)
            self.pages.setCurrentIndex(_DONE)
        else:
            self.wait_text.setText(
                tr(
                    "Send the proposal to {partner}. When their answer comes, open it here.",
                    partner=agreement.partner_side.name,
                )
            )
            self._tell(self.wait_words, agreement)
            self.pages.setCurrentIndex(_WAIT)

    def _adopt(self, agreement: Agreement) -> None:
        """Signed by both: the pages before show what was agreed, whatever was tried there since."""
        changes = offers.as_agreed(self.project.choices, agreement)
        self.change(tr("Agreement signed"), **changes, agreement=agreement.id)
        if changes:
            self.desk.confirm("fields")
            self.desk.confirm("method")

    def _tell(self, card: Section, agreement: Agreement) -> None:
        from pprl_desktop.exchange.terms import in_words

        self._say_all(card, in_words(agreement.terms))

    def _say_all(self, card: Section, sentences: tuple[str, ...]) -> None:
        clear(card.body)
        for sentence in sentences:
            if sentence.strip():
                card.add(label(tr_core(sentence), "muted", selectable=True))

    def _show_proposal(self, proposal: Proposal) -> None:
        self._proposal = proposal
        choices, words = self.project.choices, point_words()
        rows = [
            (
                "≠" if one.differs and one.theirs else "",
                words.get(one.what, one.what),
                point_value(one.what, one.mine),
                point_value(one.what, one.theirs),
            )
            for one in offers.differences(choices, proposal.terms)
        ]
        self.points.show_rows(rows)
        self._say_all(self.words, proposal.in_words())
        clear(self._grid)
        self._columns = {}
        seen: Seen | None = self.desk.findings.seen
        own = seen.columns if seen is not None else tuple(col for _, col in choices.columns)
        guessed = (
            offers.guess_columns(proposal.terms.fields, seen.profile, dict(choices.columns))
            if seen is not None
            else dict(choices.columns)
        )
        for number, one in enumerate(proposal.terms.fields):
            which = combo(
                tr("Your column for {field}", field=one.name),
                [(tr("choose …"), ""), *((name, name) for name in own if name not in choices.sensitive)],
                lambda _data: self._check(),
            )
            pick(which, guessed.get(one.name, ""))
            self._columns[one.name] = which
            self._grid.addWidget(label(f"{one.name}  ·  {kind_words()[one.kind]}"), number, 0)
            self._grid.addWidget(which, number, 1)
        self._grid.setColumnStretch(0, 1)
        self._grid.setColumnStretch(1, 1)
        self._check()
        self.show_state()

    def _check(self) -> None:
        missing = [name for name, which in self._columns.items() if not which.currentData()]
        self.accept.setEnabled(not missing)
        self.why_not.setText(tr("Choose your column for: {names}", names=", ".join(missing)) if missing else "")

    # what the steward does ------------------------------------------------------------------------

    def received(self, received: Received, path: str) -> None:
        if received.proposal is not None:
            self.change(tr("Choose partner"), partner=received.contact.id)
            self._show_proposal(received.proposal)
        elif received.kind == "declined":
            self.change(tr("Agreement declined"), agreement="")
            self.say("warning", tr_core(received.sentence))
            self.show_state()
        elif received.agreement is not None and received.kind == "accepted":
            self._adopt(received.agreement)
            self.say("good", tr_core(received.sentence))
            self.show_state()
        else:
            self.say("info", tr_core(received.sentence))
            self.show_state()

    def _set_partner(self, data: object) -> None:
        self.change(tr("Choose partner"), partner=str(data or ""), agreement="")
        self.show_state()

    def _propose(self) -> None:
        from pprl_desktop.exchange import contacts
        from pprl_desktop.job.partnership import Partnership

        own, home, choices = self.desk.identity(), self.desk.home, self.project.choices
        assert own is not None
        try:
            contact = home.contact(choices.partner)
            contacts.must_be_verified(contact)
        except Problem as problem:
            self.show_problem(problem, (tr("Open contacts"), lambda: self.desk.go_to.emit("contacts")))
            return
        out = out_path(self, tr("Write the proposal"), "proposal.pprl")
        if out is None:
            return
        offer = offers.offer_of(choices, self.purpose.text().strip())

        def done(_made: Partnership) -> None:
            self.say("good", tr("The proposal is written."), tr("Send {file} to the partner.", file=out.name))
            self.show_state()

        self.run(
            tr("Writing the proposal"), lambda _progress: Partnership.propose(home, own, contact.id, offer, out), done
        )

    def _resend(self) -> None:
        """A proposal is sealed once; a second one replaces it."""
        self._restart()
        self._propose()

    def _accept(self) -> None:
        from pprl_desktop.job.partnership import Partnership

        own, home, proposal = self.desk.identity(), self.desk.home, self._proposal
        if own is None or proposal is None:
            return
        out = out_path(self, tr("Write the answer"), "answer.pprl")
        if out is None:
            return
        columns = tuple((name, str(which.currentData())) for name, which in self._columns.items())

        def done(made: Partnership) -> None:
            self._proposal, agreement = None, made.agreement
            changes = offers.adopted(self.project.choices, agreement.terms, columns)
            self.change(tr("Accept agreement"), **changes, agreement=agreement.id, partner=agreement.contact)
            self.desk.confirm("fields")
            self.desk.confirm("method")
            self.say("good", tr("Signed. The answer is written."), tr("Send {file} to the partner.", file=out.name))
            self.show_state()

        self.run(tr("Signing"), lambda _progress: Partnership.accept(home, own, proposal, out, dict(columns)), done)

    def _decline(self) -> None:
        from pprl_desktop.job.partnership import Partnership

        own, home, proposal = self.desk.identity(), self.desk.home, self._proposal
        if own is None or proposal is None:
            return
        reason, wanted = QInputDialog.getMultiLineText(
            self, tr("Decline the proposal"), tr("What should be different? The partner will read it.")
        )
        if not wanted:
            return
        out = out_path(self, tr("Write the answer"), "answer.pprl")
        if out is None:
            return

        def done(_made: Partnership) -> None:
            self._proposal = None
            self.say("info", tr("Declined. Nothing was agreed."), tr("Send {file} to the partner.", file=out.name))
            self.show_state()

        self.run(
            tr("Writing the answer"),
            lambda _progress: Partnership.decline(home, own, proposal, reason, out),
            done,
        )

    def _restart(self) -> None:
        self._proposal = None
        if self.project.choices.agreement:
            self.change(tr("Start over"), agreement="")
        self.pages.setCurrentIndex(_START)
        self.changed.emit()

    # moving on ------------------------------------------------------------------------------------

    def reason(self) -> str:
        if self.desk.identity() is None:
            return tr("Make or unlock your key.")
        found = self.project.problems("agreement")
        return tr_core(found[0].sentence()) if found else ""

    def next_text(self) -> str:
        return tr("Next: export")

    def go_on(self, done: Callable[[], None]) -> None:
        partnership = self.desk.partnership()
        if partnership is not None:
            partnership.remember(dict(self.project.choices.columns))
        self.desk.confirm("agreement")
        done()
