"""Finish: the linked table and the report; one number, how sure it is, what was made, what to send and what never."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QCheckBox, QFileDialog, QLineEdit, QPushButton

from pprl_desktop import languages
from pprl_desktop.exchange.disclosures import CLEAR
from pprl_desktop.job import kept
from pprl_desktop.job.outputs import will_hold
from pprl_desktop.job.report_paper import FirstPage, report_document
from pprl_desktop.job.review_path import decided
from pprl_desktop.problem import Problem
from pprl_desktop.ui.kit.i18n import language, tr, tr_core, tr_n
from pprl_desktop.ui.kit.tips import set_tip
from pprl_desktop.ui.kit.words import count, of_100, range_of_100
from pprl_desktop.ui.panes._files import show_in_folder
from pprl_desktop.ui.panes._keyed import KeyedPane
from pprl_desktop.ui.panes.post import look
from pprl_desktop.ui.widgets.basics import Section, boxed, button, column, label, row, row_button
from pprl_desktop.ui.widgets.facts import fact, tag
from pprl_desktop.ui.widgets.inputs import check_line, combo, labelled, pick
from pprl_desktop.ui.widgets.numbers import BigNumber
from pprl_desktop.ui.widgets.paper import PaperView, write_pdf
from pprl_desktop.ui.widgets.range_bar import RangeBar
from pprl_desktop.ui.widgets.reflow import columns, flow
from pprl_desktop.ui.widgets.rows import Head, Rows

if TYPE_CHECKING:
    from pprl_desktop.job.finishing import Finished
    from pprl_desktop.job.kept import Range
    from pprl_desktop.progress import Progress


class FinishPane(KeyedPane):
    NAME = "finish"
    NEEDS = ("agreement", "outcome", "sensitive")
    GIVES = ("output_folder",)

    def build(self) -> None:
        self._awaited = ""  # for whom one waits, although the table is written
        self.linked = BigNumber("", "accent")
        self.wrong, self.missed = RangeBar(tr("links wrong")), RangeBar(tr("shared people missed"))
        self.folder = QLineEdit()
        self.folder.setAccessibleName(tr("Folder for the results"))
        place = boxed(row(self.folder, button(tr("Choose …"), self._choose)))
        place.setFocusProxy(self.folder)
        self.names = QCheckBox()
        permitted = check_line(self.names, tr("Also write the identifying columns (only with separate permission)"))
        self.names.toggled.connect(lambda _on: self._say_held())
        self.form = combo(
            tr("Form of the table"),
            [
                (tr("CSV, for any program"), "csv"), (tr("Excel (.xlsx)"), "xlsx"), (tr("Stata (.dta)"), "dta"),
                (tr("Parquet (.parquet)"), "parquet"),
            ],
            lambda data: self.change("Choose form of the table", output_form=str(data)),
        )  # fmt: skip
        self.holds = label("", "small")
        self.make = button(tr("&Write table and report"), self._write, icon="save")
        self.again = button(tr("&Repeat with new data …"), self._repeat)
        self.other = button(tr("Same terms, another partner …"), self._another_partner)
        self.where = Section(tr("Where to"))
        self.where.add(
            labelled(tr("Folder"), place), labelled(tr("Form of the table"), self.form), self.holds, permitted
        )
        self.made = Section(tr("What was made"))
        self.files = Rows(tr("What was made"), (Head("", 1), Head(""), Head("", right=True)), high=52, indent=0)
        self.onward = boxed(flow(self.again, self.other))  # on the page: the bar has no room for five
        self.made.add(self.files, self.onward)
        self.never, self.left = Section(tr("Never send")), Section(tr("What left, in one line"))
        for text in (
            tr("Your own table, this project, and the folder with your keys"),
            tr("The folder of a review: it holds cells in clear, sealed"),
        ):
            self.never.body.addLayout(fact("lock", text, "warm_text"))
        self.left_text = label("")
        self.left.add(
            self.left_text,
            row(button(tr("See all"), lambda: self.desk.go_to.emit("releases"), kind="link"), None),
        )
        self.paper = PaperView(tr("The report"))
        self.open = button(tr("&Open the report"), self._open_report)
        top = columns(self.linked, self.wrong, self.missed, least=200, gap=4)
        self.body.addWidget(self.identity)
        self.body.addLayout(top)
        self.body.addWidget(self.made)
        self.body.addWidget(self.where)
        self.body.addLayout(columns(self.never, self.left, least=290, gap=4))
        self.body.addWidget(self.paper)
        self.body.addStretch(1)

    def enter(self) -> None:
        choices = self.project.choices
        self.folder.setText(choices.output_folder or str(self.project.folder / "results"))
        super().enter()

    # what is shown --------------------------------------------------------------------------------

    def show_state(self) -> None:
        self.identity.setVisible(self.desk.identity() is None)
        post = look(self.desk)
        self._awaited = tr("Waiting for {partner}.", partner=post.partner) if post.awaited is not None else ""
        self.messages.clear()
        if self._decisions_wait():
            act = (tr("Go to the review"), lambda: self.desk.go_to.emit("review"))
            self.say("warning", self._decisions_wait(), tr("Without them the table would be an old one."), act)
        elif self._result_is_old():
            self.say("warning", self._result_is_old(), "", (tr("Go there"), lambda: self.desk.go_to.emit("results")))
        if self.desk.findings.outcome is None:
            self.put_together(self._show_facts)
        self._show_facts()

    def _written(self) -> bool:
        return self.project.state("finish").state == "done"

    def _show_facts(self) -> None:
        choices, match = self.project.choices, kept.match_of(self.project)
        done = self._written()
        if done:
            said = tr("In {folder}", folder=choices.output_folder)
            self.head(tr("Done: the linked table is written"), said)
        else:
            self.head(tr("Write the linked table and the report"), self._holds())
        self._show_linked()
        if self.blind_parts() is not None:  # whoever shares no key was not compared
            self.missed.what = tr("people with a shared key missed")
        for shown, share in (
            (self.wrong, match.wrong if match else None),
            (self.missed, match.missed if match else None),
        ):
            shown.setVisible(match is not None and not self.answers_only())  # whoever asks has matched, and forecasts
            self._show_range(shown, share, reliable=match is None or match.reliable)
        pick(self.form, choices.output_form)
        self._say_held()
        self._show_files(done)
        self.left_text.setText(self._left())
        self.paper.setVisible(done and self.paper.document is not None)
        self.changed.emit()

    def _say_held(self) -> None:
        """What the table will hold, before it is written."""
        choices = self.project.choices
        self.holds.setText(" ".join(tr_core(one) for one in will_hold(choices.sensitive, self._identifying())))

    def _identifying(self) -> tuple[str, ...]:
        """The columns that go into the table with separate permission."""
        return tuple(column for _, column in self.project.choices.columns) if self.names.isChecked() else ()

    def _holds(self) -> str:
        return tr("The table has a line for each linked record of yours. The report tells what was disclosed.")

    def _show_linked(self) -> None:
        outcome = self.desk.findings.outcome
        self.linked.setVisible(outcome is not None)  # a number that is not known is none
        if outcome is not None:
            rows = self.project.choices.rows
            note = tr("of your {n}; no pair is left open", n=count(rows))
            if outcome.left_open:
                note = tr_n(
                    "of your {rows}; {n} pair is left open and not linked",
                    "of your {rows}; {n} pairs are left open and not linked", outcome.left_open, rows=count(rows),
                )  # fmt: skip
            self.linked.say(tr("{n|person is|people are} in both tables", n=len(outcome.links)))
            self.linked.show_number(count(len(outcome.links)), "", note)

    @staticmethod
    def _show_range(shown: RangeBar, share: Range | None, *, reliable: bool) -> None:
        if share is None:
            shown.show_range(None, tr("this method gives no forecast"))
        elif not reliable:
            shown.show_range(None, tr("not reliable: no second opinion confirms it"))
        else:
            shown.show_range(share, tr("{range}, a forecast", range=range_of_100(share[1], share[2])), of_100(share[0]))

    def _left(self) -> str:
        """Counted in the ledger: nothing is said here without an entry."""
        choices = self.project.choices
        if not choices.agreement or not self.desk.home.has_agreement(choices.agreement):
            return ""
        ledger = self.desk.home.ledger()
        bundles = sum(one.agreement == choices.agreement for one in ledger.releases())
        beside = [one for one in ledger.disclosures() if one.agreement == choices.agreement and not one.received]
        clear_ = sum(one.records for one in beside if one.what == CLEAR)
        partner = self.desk.home.agreement(choices.agreement).partner_side.name
        said = tr(
            "To {partner}: {bundles} and {others}.", partner=partner,
            bundles=tr_n("{n} bundle of numbers", "{n} bundles of numbers", bundles),
            others=tr_n("{n} other file", "{n} other files", len(beside)),
        ) if bundles else tr(
            "To {partner}: {files}.", partner=partner, files=tr_n("{n} file", "{n} files", len(beside))
        )  # fmt: skip
        told = tr_n("In clear: the cells of {n} record.", "In clear: the cells of {n} records.", clear_)
        return f"{said} <b>{told if clear_ else tr('In clear: nothing.')}</b>"

    def _show_files(self, done: bool) -> None:
        choices = self.project.choices
        self.made.setVisible(done)
        self.files.clear()
        if not done:
            return
        folder, mine = Path(choices.output_folder), tr("stays with you")
        held = " ".join(tr_core(one) for one in kept.held_by_table(self.project)) or tr("the linked table")
        made = [
            (folder / f"linked.{choices.output_form}", held, mine, "neutral"),
            (folder / "report.pdf", tr("for the ethics board"), mine, "neutral"),
            (folder / "report.html", tr("the same, with every detail"), mine, "neutral"),
        ]
        if choices.agreement:
            partner = self.desk.home.agreement(choices.agreement).partner_side.name
            word = tr("send to {partner}", partner=partner)
            made.append((Path(choices.result_path or "-"), tr("your result, sealed for the partner"), word, "accent"))
        for path, what, word, token in made:
            if path.is_file():
                texts = column(label(path.name, "strong"), label(what, "small"), gap=0)
                show = row_button(tr("Show in folder"), lambda p=path: show_in_folder(self, p))
                self.files.add(texts, row(None, tag(word, token)), show)

    # what the steward does ------------------------------------------------------------------------

    def _choose(self) -> None:
        chosen = QFileDialog.getExistingDirectory(self, tr("Folder for the results"), self.folder.text())
        if chosen:
            self.folder.setText(chosen)

    def _open_report(self) -> None:
        path = Path(self.project.choices.output_folder) / "report.pdf"
        path = path if path.is_file() else path.with_suffix(".html")
        if not QDesktopServices.openUrl(QUrl.fromLocalFile(str(path))):
            self.say("info", tr("It lies here: {path}", path=str(path)))

    def _write(self) -> None:
        from pprl_desktop.job.finishing import Course, finish
        from pprl_desktop.job.partnership import Partnership

        own, home = self.desk.identity(), self.desk.home
        if own is None:
            return
        choices = self.project.choices
        folder, place, outcome = Path(self.folder.text().strip()), self.desk.own_table, self.desk.findings.outcome
        identifying, title, manager = self._identifying(), self.project.title, self.desk.findings.manager
        match, rehearsal = kept.match_of(self.project), kept.rehearsal_of(self.project)
        reviewed = kept.review_of(self.project).said
        self.messages.clear()

        def work(progress: Progress) -> Finished:
            told = kept.told(kept.review_told(manager, progress.part(0.0, 0.2))) if manager else reviewed
            course = Course(
                title, matched=match.said if match is not None else (), outcome=outcome, rehearsal=rehearsal,
                review=told,
            )  # fmt: skip
            return finish(
                Partnership(home, own, choices.agreement), place, choices, folder, course, identifying=identifying,
                language=languages.language(language()), progress=progress.part(0.2, 1.0),
            )  # fmt: skip

        def done(made: Finished) -> None:
            self.change(tr("Write results"), output_folder=str(folder))
            self.desk.confirm("finish", {"linked": kept.linked_artefact(made.linked)})
            self._show_facts()
            for note in made.linked.notes:
                self.say("warning", tr_core(note))
            QTimer.singleShot(0, self, lambda: self._write_pdf(made, folder))  # the page is drawn first

        self.run(tr("Writing table and report"), work, done)

    def _repeat(self) -> None:
        """The next delivery: what went out already goes out with the same bytes, what is new is counted."""
        self.desk.wants_next = True
        self.desk.go_to.emit("data")

    def _another_partner(self) -> None:
        """A project of its own with these choices; agreement and files stay with this one."""
        kept_choices, folder = self.project.choices.for_another_partner(), self.project.path.parent
        chosen, _ = QFileDialog.getSaveFileName(
            self, tr("Project with another partner"), str(folder / tr("another partner")), "(*.pprlproject)"
        )
        if not chosen:
            return
        try:
            path = Path(chosen)
            self.desk.create_project(path.with_suffix(".pprlproject"), path.stem)
        except Problem as problem:
            self.show_problem(problem)
            return
        assert self.desk.project is not None
        self.desk.project.change("Take over the terms", **kept_choices)
        self.desk.project_changed.emit()

    def _write_pdf(self, made: Finished, folder: Path) -> None:
        home, choices, outcome = self.desk.home, self.project.choices, self.desk.findings.outcome
        rehearsal = kept.rehearsal_of(self.project)
        left_open = outcome.left_open if outcome is not None else 0
        told = FirstPage(
            home, home.agreement(choices.agreement), self.project.title, datetime.now().astimezone().date().isoformat(),
            choices.rows, made.linked.rows, left_open, kept.match_of(self.project),
            rehearsal.named if rehearsal is not None else None, decided(self.project), made.statement,
        )  # fmt: skip
        document = report_document(told, made.told)
        write_pdf(document, folder / "report.pdf")
        self.paper.show_document(document)
        self._show_facts()

    # moving on ------------------------------------------------------------------------------------

    def extra_buttons(self) -> list[QPushButton]:
        if not self._written():
            return []
        why = self.key_reason() or self.reason()
        self.make.setEnabled(not why)  # written again it would be an old table
        set_tip(self.make, why)
        return [self.open, self.make]

    def reason(self) -> str:
        return self._decisions_wait() or self._result_is_old() or ("" if self._written() else self.key_reason())

    def _decisions_wait(self) -> str:
        """Decisions that were made and are in no result: the table would be an old one."""
        found = decided(self.project)
        return tr("The review's decisions are not taken in yet.") if found is not None and found.waits else ""

    def _result_is_old(self) -> str:
        """The pairs have changed since the result was sent."""
        choices = self.project.choices
        if choices.kind != "partner" or choices.result_path or self.answers_only():
            return ""
        stale = self.project.state("results").state == "stale"
        return tr("Write your result first, on the page Results.") if stale else ""

    def status(self) -> str:
        if self._awaited:
            return self._awaited
        states = self.project.states()
        done = all(one.state == "done" or (one.step.optional and one.state != "stale") for one in states)
        return tr("All steps are done.") if done else ""

    def next_text(self) -> str:
        return tr("Show in folder") if self._written() else tr("&Write table and report")

    def go_on(self, done: Callable[[], None]) -> None:
        if self._written():
            show_in_folder(self, Path(self.project.choices.output_folder))
        else:
            self._write()
        done()
