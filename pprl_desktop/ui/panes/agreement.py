"""Agreement: propose, wait, read the partner's proposal as a document and sign or decline it; then what was agreed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QPushButton, QWidget

from pprl_desktop.job import offers
from pprl_desktop.job.papers import Stage
from pprl_desktop.problem import Problem
from pprl_desktop.ui.kit.i18n import tr, tr_core
from pprl_desktop.ui.kit.words import place_of
from pprl_desktop.ui.panes._files import out_path, post, show_in_folder
from pprl_desktop.ui.panes._keyed import KeyedPane
from pprl_desktop.ui.panes._measure import document_of, measure
from pprl_desktop.ui.panes.agreement_blind import BlindTermsView
from pprl_desktop.ui.panes.agreement_columns import ColumnChoice
from pprl_desktop.ui.panes.agreement_proposal import ProposalForm
from pprl_desktop.ui.panes.agreement_waiting import WaitingPage
from pprl_desktop.ui.widgets.asking import ask_words
from pprl_desktop.ui.widgets.basics import Brief, Pages, boxed, button, column, row
from pprl_desktop.ui.widgets.empty import EmptyState
from pprl_desktop.ui.widgets.paper import PaperView, save_as_pdf

if TYPE_CHECKING:
    from pprl_desktop.exchange.agreeing import Proposal
    from pprl_desktop.exchange.agreement import Agreement
    from pprl_desktop.exchange.inbox import Received
    from pprl_desktop.exchange.terms import Terms
    from pprl_desktop.job.own_table import Seen
    from pprl_desktop.project.choices import Choices

_START, _WAIT, _READ, _DONE = range(4)


class AgreementPane(KeyedPane):
    NAME = "agreement"
    TAKES = True
    NEEDS = ("fields", "method", "settings", "reference")
    GIVES = ("partner", "agreement", "rule")
    MESSAGES = {"declined": "The partner declined."}  # noqa: RUF012

    def build(self) -> None:
        self._measuring: object = None
        self.blind = BlindTermsView(self)
        self.blind.changed.connect(self.show_state)
        self._weighs = False  # whether keys and their reach are shown
        self._anew = False  # another proposal is being made although one waits for its answer
        self._told = ""  # why this side cannot sign, as the strip says it
        self.blind.hide()
        self.pages = Pages()
        self.start = ProposalForm(self, self.blind)
        self.start.changed.connect(self.show_state)
        self.wait = WaitingPage(self)
        self.wait.again.clicked.connect(lambda _checked=False: self._resend())
        self.wait.withdraw.clicked.connect(lambda _checked=False: self._restart())
        for page in (self.start, self.wait, self._build_read(), self._build_done()):
            self.pages.addWidget(page)
        self.body.addWidget(self.identity)
        self.body.addWidget(self.pages)
        self.body.addWidget(self.blind)
        self.body.addStretch(1)
        self.decline = button(tr("&Decline …"), self._decline)
        self.later = button(tr("Not now"), self._put_aside, kind="link")
        self.open = button(tr("I was &sent a proposal …"), self.choose_file)
        self.pdf = button("&PDF …", self._save_pdf, icon="save", tip=tr("Save this document as PDF"))

    def _build_read(self) -> QWidget:
        self.read = PaperView(tr("The proposal"))
        self.mapping = ColumnChoice()
        self.mapping.changed.connect(self._mapped)
        self.no_table = EmptyState(
            "table",
            tr("Your own table is needed to sign"),
            tr("You can read everything now. To sign, load the table whose columns hold these fields."),
            ((tr("&Load your table …"), lambda: self.desk.go_to.emit("data")),),
        )
        self.no_table.buttons[0].hide()  # the blue button at the bottom does it
        self.meant = Brief("small")
        change = button(tr("Change …"), self._show_columns, kind="link")
        line_ = row(self.meant, change, gap=1)
        line_.setStretch(0, 1)
        self.columns_line = boxed(line_)
        return boxed(column(self.columns_line, column(self.read, self.no_table, self.mapping, gap=3), gap=1))

    def _show_columns(self) -> None:
        self.scroller.ensureWidgetVisible(self.mapping, 0, 0)

    def _build_done(self) -> QWidget:
        self.agreed = PaperView(tr("What was agreed"))
        return boxed(column(self.agreed))

    def take_file(self, path: str) -> None:
        if path.lower().endswith(".pprlgroup"):
            self.start.group.take(Path(path))
        else:
            super().take_file(path)

    # what is shown --------------------------------------------------------------------------------

    def show_state(self) -> None:
        own = self.desk.identity()
        self.identity.setVisible(own is None)
        agreement = self._agreement()
        state = self._state(agreement)
        reading = state in (_READ, _DONE)
        self.pages.setVisible(own is not None or reading)
        self.on_ground(reading and (own is not None or state == _DONE))
        if self.pages.currentIndex() != state:
            self.scroller.verticalScrollBar().setValue(0)
        self.pages.setCurrentIndex(state)
        # who proposes weighs the keys before the document; who is asked reads the document first
        place = 1 if state == _START else 2
        if self.body.indexOf(self.blind) != place:  # moved or hidden, an open list of it would close
            self.body.insertWidget(place, self.blind)
        self._weighs = False
        if state == _READ:
            self._show_read()
        elif state == _DONE and agreement is not None:
            self._show_done(agreement)
        elif state == _WAIT and agreement is not None:
            self._show_wait(agreement)
        else:
            self._show_start()
        self.blind.setVisible(self._weighs)
        self.changed.emit()

    def _agreement(self) -> Agreement | None:
        """The agreement of this project, or the newest open one that is about the present choices."""
        choices, home = self.project.choices, self.desk.home
        if choices.agreement and home.has_agreement(choices.agreement):
            return home.agreement(choices.agreement)
        if self._anew:
            return None
        for agreement in offers.agreements_with(home, choices.partner) if home.exists else ():
            waits = agreement.state in ("proposed", "in force") and not offers.used_up(agreement)
            if waits and offers.fits(choices, agreement):
                return agreement
        return None

    def _state(self, agreement: Agreement | None) -> int:
        if self._proposal is not None:
            return _READ
        if agreement is None:
            return _START
        return _DONE if agreement.state == "in force" else _WAIT

    def _show_start(self) -> None:
        self.head(
            tr("Agree with the partner"),
            tr("What is compared, how, and with how much noise. Signed by both; every later file must fit it."),
        )
        self._weighs = self.start.show_choices()

    def _show_wait(self, agreement: Agreement) -> None:
        self.head(
            tr("Waiting for the signature of {partner}", partner=agreement.partner_side.name),
            tr("Your proposal is written and signed. It holds no record of yours."),
        )
        self.wait.show_agreement(agreement)

    def _show_read(self) -> None:
        assert self._proposal is not None
        terms = self._proposal.terms
        self.head(
            tr("Read what {partner} proposes", partner=terms.proposer.name),
            tr("You choose nothing before you have read it. What concerns you is measured on your own table."),
        )
        loaded = self.desk.findings.seen is not None
        self.no_table.setVisible(not loaded)
        self.mapping.setVisible(loaded)
        self.columns_line.setVisible(loaded and not self.mapping.problem())
        self.meant.setText(
            tr("Your columns for it: {names}", names=", ".join(column for _, column in self.mapping.columns()))
        )
        self._show_paper(self.read, terms, "read", self._as_proposed())
        if loaded and not self.mapping.problem() and terms.blind is not None:
            self._weighs = True
            self.blind.weigh(terms, self._as_proposed())  # `changed` shows the document again, with what it counted
        elif loaded and not self.mapping.problem():
            self._measure(self._as_proposed())
        self._say_why_not()

    def _say_why_not(self) -> None:
        """What keeps this side from signing stands above the document, with its way out; the rest is far below it."""
        weighed, columns_ = self.blind.weighed, self.mapping.problem() if self.desk.findings.seen is not None else ""
        refused = weighed.problem if self._weighs and weighed is not None and not columns_ else None
        text = tr_core(refused.what) if refused is not None else columns_
        shown = [one.what.text() for one in self.messages.banners()]
        for one in self.messages.banners():
            if one.what.text() == self._told != text:
                one.dismiss()
        self._told = text
        if not text or text in shown:
            return
        if refused is not None:
            why = tr_core(refused.sentence())
            self.show_problem(refused, (tr("Decline and say why …"), lambda: self._decline(why)))
        else:
            self.say("warning", text, "", (tr("Show the columns"), self._show_columns))

    def _show_done(self, agreement: Agreement) -> None:
        if self.project.choices.agreement != agreement.id:
            self._adopt(agreement)
        self.head(
            tr("Agreed with {partner}", partner=agreement.partner_side.name),
            tr("Signed by both sides. Every later file must fit it."),
        )
        self._show_paper(self.agreed, agreement.terms, "signed", self.project.choices)

    def _show_paper(self, view: PaperView, terms: Terms, stage: Stage, choices: Choices) -> None:
        weighed = self.blind.weighed if stage == "read" and terms.blind is not None else None
        view.show_document(document_of(self, terms, stage, choices, weighed))

    # the own side of a proposal -------------------------------------------------------------------

    def _as_proposed(self) -> Choices:
        """The choices as they would be after signing: what is measured here is what would be sent."""
        assert self._proposal is not None
        choices = self.project.choices
        return choices.changed(**offers.adopted(choices, self._proposal.terms, self.mapping.columns()))

    def _measure(self, choices: Choices) -> None:
        """Forecast and rehearsal of the proposal, on the own table; kept, so that the report knows them."""
        wanted = (choices.table_sha256, choices.fields, choices.columns, choices.method, choices.settings)
        if wanted == self._measuring:
            return
        self._measuring = wanted
        measure(self, choices, lambda: self._measured(choices))

    def _measured(self, choices: Choices) -> None:
        if self._proposal is not None and choices == self._as_proposed():
            self._show_paper(self.read, self._proposal.terms, "read", choices)

    def _mapped(self) -> None:
        self._show_read()
        self.changed.emit()

    def _adopt(self, agreement: Agreement) -> None:
        """Signed by both: the pages before show what was agreed, whatever was tried there since."""
        changes = offers.as_agreed(self.project.choices, agreement)
        self.change("Agreement signed", **changes, agreement=agreement.id)
        if changes:
            self.desk.confirm("fields")
            self.desk.confirm("method")

    # what the steward does ------------------------------------------------------------------------

    def received(self, received: Received, path: str) -> None:
        if received.proposal is not None:
            self.change("Choose partner", partner=received.contact.id)
            self._proposal = received.proposal
            self._map()
        elif received.kind == "declined":
            self.change("Agreement declined", agreement="")
            self.say("warning", tr_core(received.sentence))
        elif received.agreement is not None and received.kind == "accepted":
            self._adopt(received.agreement)
            self.say("good", tr_core(received.sentence))
        else:
            self.say("info", tr_core(received.sentence))
        self.show_state()

    @property
    def _proposal(self) -> Proposal | None:
        """What is being read: the page Data leads back to it."""
        return self.desk.findings.proposal

    @_proposal.setter
    def _proposal(self, proposal: Proposal | None) -> None:
        self.desk.findings.proposal = proposal

    def enter(self) -> None:
        self._anew = False
        if self._proposal is not None:  # a table may have been loaded since
            self._map()
        super().enter()

    def _map(self) -> None:
        """The own columns of a proposal; a table that the project knows from before a restart is read for it."""
        assert self._proposal is not None
        findings, choices, table = self.desk.findings, self.project.choices, self.desk.own_table
        self.mapping.show_fields(self._proposal.terms.fields, findings.seen, choices)
        if findings.seen is not None or not choices.table_path:
            return

        def done(seen: Seen) -> None:
            findings.seen = seen
            if self._proposal is not None:
                self.mapping.show_fields(self._proposal.terms.fields, seen, self.project.choices)
                self.show_state()

        self.run(
            tr("Reading the table"), lambda progress: table.load(Path(choices.table_path), choices, progress), done,
            key="agreement.table", quiet=True, problem=lambda _problem: None,
        )  # fmt: skip

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
        offer = self.start.offer()
        if offer is None:
            return

        def done(_made: Partnership) -> None:
            self._anew = False
            show = (tr("Show in folder"), lambda: show_in_folder(self, out.parent))
            self.say(
                "good", tr("The proposal is written."), tr("Send {file} to the partner.", file=place_of(out)), show
            )
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
        columns_, weighed = self.mapping.columns(), self.blind.weighed

        def done(made: Partnership) -> None:
            self._proposal, agreement = None, made.agreement
            changes = offers.adopted(self.project.choices, agreement.terms, columns_)
            self.change("Accept agreement", **changes, agreement=agreement.id, partner=agreement.contact)
            for step in ("data", "fields", "method"):
                if self.project.state(step).state != "done":
                    self.desk.confirm(step)
            show = (tr("Show in folder"), lambda: show_in_folder(self, out.parent))
            self.say(
                "good",
                tr("Signed. The answer is written."),
                tr("Send {file} to the partner.", file=place_of(out)),
                show,
            )
            self.show_state()

        self.run(
            tr("Signing"),
            lambda _progress: Partnership.accept(home, own, proposal, out, dict(columns_), weighed=weighed),
            done,
        )

    def _decline(self, why: str = "") -> None:
        from pprl_desktop.job.partnership import Partnership

        own, home, proposal = self.desk.identity(), self.desk.home, self._proposal
        if own is None or proposal is None:
            return
        reason = ask_words(
            self, tr("Decline the proposal"), tr("What should be different? The partner will read it."),
            tr("&Decline …"), text=why, lines=5,
        )  # fmt: skip
        if reason is None:
            return
        out = out_path(self, tr("Write the answer"), "answer.pprl")
        if out is None:
            return

        def done(_made: Partnership) -> None:
            self._proposal = None
            self.say("info", tr("Declined. Nothing was agreed."), tr("Send {file} to the partner.", file=place_of(out)))
            self.show_state()

        self.run(
            tr("Writing the answer"),
            lambda _progress: Partnership.decline(home, own, proposal, reason, out),
            done,
        )

    def _put_aside(self) -> None:
        self._proposal = None
        self.show_state()

    def _restart(self) -> None:
        self._proposal, self._anew = None, True
        self.messages.clear()  # that the proposal is to be sent holds no longer
        if self.project.choices.agreement:
            self.change("Start over", agreement="")
        self.show_state()

    def _save_pdf(self) -> None:
        view = {_START: self.start.draft, _WAIT: self.wait.paper, _READ: self.read, _DONE: self.agreed}[
            self.pages.currentIndex()
        ]
        if view.document is not None:
            save_as_pdf(
                view.document, self, Path(post(self)), "agreement.pdf",
                lambda path: self.say("good", tr("Written: {file}", file=path)),
            )  # fmt: skip

    # moving on ------------------------------------------------------------------------------------

    def extra_buttons(self) -> list[QPushButton]:
        state = self.pages.currentIndex()
        if state == _READ and self.desk.identity() is not None:
            return [self.later, self.pdf, self.decline]
        if state == _START and self.desk.identity() is not None:
            return [self.open]
        return [self.pdf] if state == _DONE else []

    def reason(self) -> str:
        if self.desk.identity() is None:
            return tr("Make or unlock your key.")
        if self._proposal is not None:
            if self.desk.findings.seen is None:
                return ""
            return self.mapping.problem() or (self.blind.reason() if self._proposal.terms.blind is not None else "")
        if self.pages.currentIndex() == _WAIT:
            return ""
        if self.pages.currentIndex() == _START:
            return self.start.not_yet
        found = self.project.problems("agreement")
        return tr_core(found[0].sentence()) if found else ""

    def next_text(self) -> str:
        """The one thing to do: propose, open the answer, load the table, sign, or go on."""
        if self._proposal is not None:
            loaded = self.desk.findings.seen is not None
            return tr("&Accept and sign …") if loaded else tr("&Load your table to sign …")
        words = {_START: tr("&Write the proposal …"), _WAIT: tr("&Open the answer …")}
        blind = self.desk.files_agreed() == "blind"
        return words.get(self.pages.currentIndex(), tr("Next: question") if blind else tr("Next: export"))

    def status(self) -> str:
        if self._proposal is not None or self.pages.currentIndex() == _START:
            return tr("Nothing is signed, nothing has left.")
        return tr("Next comes with their signature.") if self.pages.currentIndex() == _WAIT else ""

    def go_on(self, done: Callable[[], None]) -> None:
        state = self.pages.currentIndex()
        if self._proposal is not None and self.desk.findings.seen is None:
            self.desk.go_to.emit("data")
            return
        if self._proposal is not None:
            self._accept()
            return
        if state in (_START, _WAIT):
            self._propose() if state == _START else self.choose_file()
            return
        partnership = self.desk.partnership()
        if partnership is not None:
            partnership.remember(dict(self.project.choices.columns))
        self.desk.confirm("agreement")
        done()
