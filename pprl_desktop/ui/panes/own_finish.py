"""Finish of own files: the linked table without identifying columns, and the report; nothing to send."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QCheckBox

from pprl_desktop import languages
from pprl_desktop.job import kept
from pprl_desktop.job.own_finish import Permitted, finish, held_columns, left
from pprl_desktop.problem import Problem
from pprl_desktop.ui.kit.i18n import language, tr, tr_core, tr_n
from pprl_desktop.ui.kit.words import count
from pprl_desktop.ui.panes.finish import FinishPane
from pprl_desktop.ui.widgets.inputs import check_line
from pprl_desktop.ui.widgets.paper import write_pdf

if TYPE_CHECKING:
    from pprl_desktop.decisions.base import Match
    from pprl_desktop.job.own_files import Outcome
    from pprl_desktop.job.own_finish import OwnFinished
    from pprl_desktop.progress import Progress


class OwnFinishPane(FinishPane):
    HELP = "own_files"

    def build(self) -> None:
        super().build()
        self.numbers = QCheckBox()
        self.where.add(
            check_line(self.numbers, tr("Also write the own record numbers (only with separate permission)"))
        )
        self.numbers.toggled.connect(lambda _on: self._say_held())
        if not self._two():
            self.missed.what = tr("repeated records missed")
        self.onward.hide()

    def _two(self) -> bool:
        return self.project.choices.kind == "two files"

    def key_reason(self) -> str:
        return ""

    def show_state(self) -> None:
        self.identity.hide()
        self.messages.clear()
        if self._decisions_wait():
            act = (tr("Go to the review"), lambda: self.desk.go_to.emit("review"))
            self.say("warning", self._decisions_wait(), tr("Without them the table would be an old one."), act)
        if self.desk.findings.own_outcome is None:
            self._count()
        self._show_facts()

    def _count(self) -> None:
        """What is linked, from the match that was kept and the decisions taken in."""
        own, choices, known = self.desk.own_files, self.project.choices, self.desk.findings.match

        def work(progress: Progress) -> Outcome:
            return own.outcome(choices, known or _kept(own.kept_match(choices, progress)), progress)

        def done(outcome: Outcome) -> None:
            self.desk.findings.own_outcome = outcome
            self._show_facts()

        self.run(tr("Putting people together"), work, done, key="own.outcome", quiet=True)

    def _holds(self) -> str:
        if self._two():
            return tr("A line for each link: a random number of the person, and the columns you chose.")
        return tr("A line for each record: one random number per person, and the columns you chose.")

    def _say_held(self) -> None:
        held = held_columns(self.project.choices, self._permitted())
        names = ["person_id", *(heading for side in held for heading, _ in side)]
        text = tr("The table will hold: {columns}.", columns=", ".join(names))
        if len(names) == 1:
            text += " " + tr("Say on the data pages which columns go into the result.")
        self.holds.setText(text)

    def _permitted(self) -> Permitted:
        return Permitted(self.names.isChecked(), self.numbers.isChecked())

    def _show_linked(self) -> None:
        outcome = self.desk.findings.own_outcome
        if outcome is not None:
            links = tr_n("{n} link", "{n} links", len(outcome.pairs))
            left_open = tr_n("{n} pair is left open", "{n} pairs are left open", outcome.open)
            note = f"{links}; {left_open}"
            if outcome.differ:
                note += "; " + tr("Reviewers differ on {n}", n=count(outcome.differ))
            n = outcome.persons
            self.linked.say(
                tr("{n|person is|people are} in both tables", n=n)
                if self._two()
                else tr("{n|person is|people are} held more than once", n=n)
            )
            self.linked.show_number(count(n), "", note)

    def _left(self) -> str:
        return "<b>" + tr_core(left(self.project)[0]) + "</b>"

    def _write(self) -> None:
        own, choices = self.desk.own_files, self.project.choices
        folder, permitted, manager = Path(self.folder.text().strip()), self._permitted(), self.desk.findings.manager
        known, reviewed = self.desk.findings.match, kept.review_of(self.project).said
        self.messages.clear()

        def work(progress: Progress) -> OwnFinished:
            told = kept.told(kept.review_told(manager, progress.part(0.0, 0.2))) if manager else reviewed
            match = known or _kept(own.kept_match(choices, progress))
            return finish(
                own, folder, match, permitted, review=told, language=languages.language(language()),
                progress=progress.part(0.2, 1.0),
            )  # fmt: skip

        def done(made: OwnFinished) -> None:
            self.desk.findings.own_outcome = made.outcome
            self.change(tr("Write results"), output_folder=str(folder))
            self.desk.confirm("finish", {"linked": kept.linked_artefact(made.linked)})
            self._show_facts()
            QTimer.singleShot(0, self, lambda: self._write_paper(made, folder))  # the page is drawn first

        self.run(tr("Writing table and report"), work, done)

    def _write_paper(self, made: OwnFinished, folder: Path) -> None:
        write_pdf(made.document, folder / "report.pdf")
        self.paper.show_document(made.document)
        self._show_facts()


def _kept(match: Match | None) -> Match:
    if match is None:
        raise Problem("There is no match yet.", do=tr("Match the files again on the page before."), place="match")
    return match
