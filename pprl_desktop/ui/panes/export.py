"""Export bundle: what leaves, on one slip; the sealed file, and what to do with it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QCheckBox, QPushButton

from pprl_desktop.job import kept, preview
from pprl_desktop.job.papers import Measured, export_document
from pprl_desktop.problem import Problem
from pprl_desktop.ui.kit.i18n import tr, tr_core, tr_n
from pprl_desktop.ui.kit.tips import set_tip
from pprl_desktop.ui.kit.words import count, hundredths, of_100, percent, range_of_100, size
from pprl_desktop.ui.panes._files import out_path, post
from pprl_desktop.ui.panes._keyed import KeyedPane
from pprl_desktop.ui.panes._leaving import SendCard, adds_up
from pprl_desktop.ui.panes._measure import measure
from pprl_desktop.ui.widgets.banner import clear
from pprl_desktop.ui.widgets.basics import Section, boxed, button, column, line
from pprl_desktop.ui.widgets.empty import EmptyState
from pprl_desktop.ui.widgets.facts import fact
from pprl_desktop.ui.widgets.inputs import check_line
from pprl_desktop.ui.widgets.numbers import BigNumber
from pprl_desktop.ui.widgets.pair_view import field_title
from pprl_desktop.ui.widgets.paper import save_as_pdf
from pprl_desktop.ui.widgets.reflow import columns
from pprl_desktop.ui.widgets.slip import ReleaseSlip, Slip

if TYPE_CHECKING:
    from pprl_desktop.exchange.bundles import Exported, Plan
    from pprl_desktop.privacy.claims import Statement
    from pprl_desktop.progress import Progress


class ExportPane(KeyedPane):
    NAME = "export"
    NEEDS = ("agreement", "table_path", "columns")
    GIVES = ("bundle_path",)

    def build(self) -> None:
        self.head(
            tr("Write the sealed bundle"),
            tr("With it, numbers about all your records leave. The partner alone can open it."),
        )
        self.done = SendCard(self)
        self.slip = ReleaseSlip()
        self.leaves = Section(tr("What leaves"))
        self.leaves.add(self.slip)
        self.named = BigNumber(tr("of your people could be named"), "warm")
        self.stays = Section(tr("What this file does not hold"))
        self.known = QCheckBox()
        self.again = button(tr("&Write it again …"), self._create)
        self.known.toggled.connect(lambda _on: self._may())
        self.confirm_line = check_line(self.known, tr("I may send these numbers. Once sent they cannot be taken back."))
        right = column(self.named, self.stays, None, gap=2)
        self.pdf = button("&PDF …", self._save_pdf, icon="save", tip=tr("Save this check as PDF"))
        self.body.addWidget(self.identity)
        self.body.addWidget(self.done)
        self.first = EmptyState(
            "inbox",
            tr("Nothing to send yet"),
            tr("The partner asks, you answer: three files, question, answer, result."),
        )
        self.body.addWidget(self.first)
        self.body.addLayout(columns(self.leaves, right, least=290, shares=(3, 2), gap=4))
        self.confirm = boxed(column(line(), self.confirm_line, gap=3))
        self.body.addWidget(self.confirm)
        self.body.addStretch(1)

    # what is shown --------------------------------------------------------------------------------

    def show_state(self) -> None:
        own, choices = self.desk.identity(), self.project.choices
        self.identity.setVisible(own is None)
        parts = self.blind_parts()
        self.first.setVisible(self.answers_only())
        for one in (self.leaves, self.named, self.stays):
            one.setVisible(not self.answers_only())
        if parts is not None:
            self._tell_question()
            self.done.setVisible(bool(choices.bundle_path))
            if choices.bundle_path:
                self._show_done(Path(choices.bundle_path), None)
            self._may()
            return
        if not choices.bundle_path:
            self.head(
                tr("Write the sealed bundle"),
                tr("With it, numbers about all your records leave. The partner alone can open it."),
            )
        self.done.setVisible(bool(choices.bundle_path))
        if choices.agreement and self.desk.home.has_agreement(choices.agreement):
            self._tell()
            measure(self, choices, self._tell, forecast=False)
        if choices.bundle_path:
            self._show_done(Path(choices.bundle_path), None)
        self._may()

    def _tell_question(self) -> None:
        """Blind: what leaves is a question that is random to whoever reads it."""
        agreement = self.desk.home.agreement(self.project.choices.agreement)
        blind, partner = agreement.terms.blind, agreement.partner_side.name
        assert blind is not None
        asks = blind.asked_by(agreement.role)
        if asks is None:
            self.head(tr("{partner} asks first", partner=partner), tr("You answer on the next page, when it came."))
            return
        self.head(
            tr("Ask {partner}", partner=partner),
            tr("A question that is random to whoever reads it. Sealed for them alone."),
        )
        self.slip.show_slip(
            Slip(
                tr("<b>Blinded keys</b> made of {names}",
                   names=", ".join(field_title(one.name) for one in agreement.terms.fields)),
                partner, "blind",
                tr("{n} questions, filled up with random ones", n=count(sum(asks.asked))),
                tr("nothing of your people from the question; from the result, which of its records you hold"),
                adds_up(self, itself="question"),
            )
        )  # fmt: skip
        self.named.show_number("0", tr("of 100"), tr("the question is random to them"))
        clear(self.stays.body)
        for text in (
            tr("Anything that a dictionary could be compared with"),
            tr("Your table, the names of its columns, your record numbers"),
        ):
            self.stays.body.addLayout(fact("lock", text))

    def _ask(self) -> None:
        partnership, choices, own_table = self.desk.partnership(), self.project.choices, self.desk.own_table
        out = out_path(self, tr("Write the question"), "question.pprl")
        if partnership is None or out is None:
            return
        self.messages.clear()

        def done(_made: object) -> None:
            self.change(tr("Write the question"), bundle_path=str(out))
            self.desk.confirm("export")  # it is written, whatever page is opened next
            self.show_state()

        self.run(
            tr("Writing the question"),
            lambda progress: partnership.send_question(own_table, choices, out, progress=progress),
            done,
        )

    def _may(self) -> None:
        self.confirm.setVisible(not self.project.choices.bundle_path and not self.answers_only())
        self.changed.emit()

    def _statement(self) -> Statement | None:
        try:
            return preview.statement(self.project.choices)
        except Problem as problem:
            self.show_problem(problem)
            return None

    def _tell(self) -> None:
        choices = self.project.choices
        agreement = self.desk.home.agreement(choices.agreement)
        terms, said = agreement.terms, self._statement()
        rehearsal = kept.rehearsal_of(self.project)
        if rehearsal is not None and rehearsal.named is not None:
            share, low, high = rehearsal.named
            note = tr("measured on your own records; {range}", range=range_of_100(low, high))
            self.named.show_number(hundredths(share), tr("of 100"), note, percent(share, 2))
            learn = tr(
                "which of their people you hold; with a telephone book, at least <b>{n}</b> of your people",
                n=of_100(share),
            )
        else:
            self.named.show_number("–", "", tr("being measured on your own records …"))
            learn = tr("which of their people you hold, and more: being measured")
        decoys = terms.settings.decoys
        many = tr_n("{n} record", "{n} records", choices.rows)
        self.slip.show_slip(
            Slip(
                tr("<b>Numbers</b> made of {names}, under random names, in random order",
                   names=", ".join(field_title(one.name) for one in terms.fields)),
                agreement.partner_side.name, "smashed",
                tr("all of your {records}", records=many)
                + (" " + tr("and {n|one record that does|{n} records that do} not exist", n=decoys) if decoys else ""),
                learn, adds_up(self),
            )
        )  # fmt: skip
        clear(self.stays.body)
        for text in (
            tr("Your table, and the names of columns that are no agreed field"),
            tr("Sensitive columns: {names}", names=", ".join(choices.sensitive) or tr("none marked")),
            tr("Your record numbers, and which random name belongs to which row"),
        ):
            self.stays.body.addLayout(fact("lock", text))
        if said is not None:
            set_tip(self.slip, "\n".join(tr_core(text) for text in said.leaves_open))

    def _show_done(self, path: Path, made: Exported | None) -> None:
        partner = self.desk.home.agreement(self.project.choices.agreement).partner_side.name
        notes = []
        if made is not None:
            again = tr("the same bytes as before") if made.resent else tr("entered in the record of releases")
            notes.append(tr("{size}, {again}.", size=size(made.bytes), again=again))
            notes += [tr_core(note) for note in made.notes]
        self.done.show_file(path, partner, notes)
        self._say_written(partner)

    def _say_written(self, partner: str) -> None:
        self.head(
            tr("Send it to {partner}", partner=partner),
            tr("It is written and sealed. You send it yourself, by mail, stick or portal."),
        )

    # what the steward does ------------------------------------------------------------------------

    def _save_pdf(self) -> None:
        choices, home = self.project.choices, self.desk.home
        rehearsal = kept.rehearsal_of(self.project)
        measured = Measured(
            choices.rows, kept.forecast_under(self.project, choices), rehearsal.named if rehearsal is not None else None
        )
        document = export_document(
            home.agreement(choices.agreement).terms, home.own_card().name, self._statement(), measured
        )
        save_as_pdf(
            document,
            self,
            post(self),
            "export-check.pdf",
            lambda path: self.say("good", tr("Written: {file}", file=path)),
        )

    def _create(self) -> None:
        partnership, choices, own_table = self.desk.partnership(), self.project.choices, self.desk.own_table
        if partnership is None:
            return
        out = out_path(self, tr("Create bundle"), "bundle.pprl")
        if out is None:
            return
        self.messages.clear()

        def planned(plan: Plan) -> None:
            if plan.asks:
                again = (tr("&Release it all the same"), lambda: self._write(out, plan.confirm()))
                self.show_problem(plan.question(), again)
            else:
                self._write(out, plan)

        self.run(
            tr("Adding up earlier releases"), lambda progress: partnership.plan(own_table, choices, progress), planned
        )

    def _write(self, out: Path, plan: Plan) -> None:
        partnership, choices, own_table = self.desk.partnership(), self.project.choices, self.desk.own_table
        if partnership is None:
            return
        self.messages.clear()

        def done(made: Exported) -> None:
            self.change(tr("Create bundle"), bundle_path=str(out))
            self.desk.confirm("export")  # it is written, whatever page is opened next
            self.show_state()
            self._show_done(out, made)

        def work(progress: Progress) -> Exported:
            return partnership.export(own_table, choices, out, progress, seen=plan)

        self.run(tr("Creating the bundle"), work, done)

    # moving on ------------------------------------------------------------------------------------

    def extra_buttons(self) -> list[QPushButton]:
        if not self.project.choices.agreement or self.blind_parts() is not None:
            return []
        return [self.pdf, self.again] if self.project.choices.bundle_path else [self.pdf]

    def reason(self) -> str:
        sent = bool(self.project.choices.bundle_path) or self.answers_only()
        return self.key_reason() or ("" if sent or self.known.isChecked() else tr("Say that you may send it."))

    def help_page(self) -> str:
        return self.blind_help()

    def status(self) -> str:
        return "" if self.project.choices.bundle_path else tr("Nothing has left yet.")

    def next_text(self) -> str:
        if self.blind_parts() is not None:
            done = bool(self.project.choices.bundle_path) or self.answers_only()
            return tr("Next: answer") if done else tr("&Write the question …")
        return tr("Next: partner's bundle") if self.project.choices.bundle_path else tr("&Create bundle …")

    def go_on(self, done: Callable[[], None]) -> None:
        if not self.project.choices.bundle_path and not self.answers_only():
            self._ask() if self.blind_parts() is not None else self._create()
            return
        self.desk.confirm("export")
        done()
