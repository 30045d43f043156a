"""Finish: the linked table and the report; what was made, where, and what never to send."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QCheckBox, QFileDialog, QFrame, QLineEdit, QTextBrowser

from pprl_desktop.job import kept
from pprl_desktop.job.review_path import decided
from pprl_desktop.ui.kit import theme
from pprl_desktop.ui.kit.i18n import reading, tr, tr_core
from pprl_desktop.ui.kit.theme import GRID
from pprl_desktop.ui.kit.words import count, of_100
from pprl_desktop.ui.panes._keyed import KeyedPane
from pprl_desktop.ui.widgets.banner import clear
from pprl_desktop.ui.widgets.basics import (
    Section,
    boxed,
    button,
    check_line,
    follow,
    label,
    labelled,
    least_height,
    row,
)
from pprl_desktop.ui.widgets.facts import fact
from pprl_desktop.ui.widgets.reflow import columns

if TYPE_CHECKING:
    from pprl_desktop.job.finishing import Finished
    from pprl_desktop.progress import Progress


def report_style() -> str:
    """The page is written for paper; on the screen it takes the colours and sizes of the window."""
    c = theme.current()
    return (
        f"body {{ color: {c.text}; }} p {{ margin-top: 0; margin-bottom: {GRID}px; }}"
        f" .h1 {{ font-size: {theme.px('lead')}px; font-weight: 600; margin-bottom: 2px; }}"
        f" .h2 {{ font-size: {theme.px('heading')}px; font-weight: 600; margin-top: {2 * GRID}px; }}"
        f" .quiet, th {{ color: {c.muted}; }}"
        " th, td { padding: 3px 12px 3px 0; text-align: left; }"
    )


def _heading(tag: re.Match[str]) -> str:
    """Qt would give a heading a size of its own."""
    return "</p>" if tag[1] else f'<p class="h{tag[2]}">'


class FinishPane(KeyedPane):
    NAME = "finish"
    NEEDS = ("agreement", "outcome", "sensitive")
    GIVES = ("output_folder",)

    def build(self) -> None:
        self.head(
            tr("Write the linked table and the report"),
            tr("The table holds link ids and your sensitive columns, no names. The report tells what was disclosed."),
        )
        self.facts = Section(tr("What came out"))
        self.where = Section(tr("Where to"))
        self.folder = QLineEdit()
        self.folder.setAccessibleName(tr("Folder for the results"))
        browse = button(tr("Choose …"), self._choose)
        place = boxed(row(self.folder, browse))
        place.setFocusProxy(self.folder)
        self.names = QCheckBox()
        self.make = button(tr("Write table and report"), self._write, icon="save")
        permitted = check_line(self.names, tr("Also write the identifying columns (only with separate permission)"))
        self.where.add(labelled(tr("Folder"), place), permitted, row(self.make, None))
        self.done = Section(tr("Done"))
        self.done.hide()
        self.page = Section(tr("The report"))
        self.text = QTextBrowser()
        self.text.setAccessibleName(tr("The report"))
        self.text.setOpenLinks(False)
        self.text.setFrameShape(QFrame.Shape.NoFrame)
        least_height(self.text, 260)
        follow(self.text, self._show_report)
        self.page.add(self.text)
        self.page.hide()
        top = columns(self.facts, self.where, least=320)
        self.body.addWidget(self.identity)
        self.body.addLayout(top)
        self.body.addWidget(self.done)
        self.body.addWidget(self.page, 1)
        self.body.addStretch(0)

    def enter(self) -> None:
        choices = self.project.choices
        self.folder.setText(choices.output_folder or str(self.project.folder / "results"))
        super().enter()
        self._show_report()

    def _show_report(self) -> None:
        """The report as it was written, if it is there."""
        if self.desk.project is None:
            return
        path = Path(self.folder.text()) / "report.html"
        there = bool(self.project.choices.output_folder) and path.is_file()
        self.page.setVisible(there)
        if there:
            self.text.document().setDefaultStyleSheet(report_style())
            page = path.read_text(encoding="utf-8")
            plain = re.sub(r"<style>.*?</style>|<title>.*?</title>", "", page, flags=re.DOTALL)
            self.text.setHtml(re.sub(r"<(/?)h([12])>", _heading, plain))

    def show_state(self) -> None:
        self.identity.setVisible(self.desk.identity() is None)
        self.messages.clear()
        if self._waits():
            act = (tr("Go to the review"), lambda: self.desk.go_to.emit("review"))
            self.say("warning", self._waits(), tr("Without them the table would be an old one."), act)
        if self.desk.findings.outcome is None:
            self.put_together(self._show_facts)
        self._show_facts()

    def _show_facts(self) -> None:
        clear(self.facts.body)
        for icon, text in self._facts():
            self.facts.body.addLayout(fact(icon, text))
        self.facts.body.addStretch(1)
        self.make.setEnabled(not self.reason())
        self.changed.emit()

    def _facts(self) -> list[tuple[str, str]]:
        found: list[tuple[str, str]] = []
        outcome, match = self.desk.findings.outcome, kept.match_of(self.project)
        if outcome is not None:
            counts = outcome.counts()
            found.append(("results", tr("{n} pairs are linked under the agreed rule", n=count(counts["linked"]))))
            found.append(
                (
                    "people",
                    tr("Both sides agreed on {n}; {m} are left open", n=count(counts["both"]), m=count(counts["open"])),
                )
            )
        if match is not None and math.isfinite(match.precision):
            found.append(
                (
                    "chart",
                    tr(
                        "Expected: about {wrong} links are wrong, about {missed} shared people are missed",
                        wrong=of_100(1 - match.precision),
                        missed=of_100(1 - match.recall),
                    ),
                )
            )
        found += [("review", tr_core(text)) for text in kept.review_of(self.project).estimates]
        sensitive = self.project.choices.sensitive
        found.append(
            ("lock", tr("Joined back: {names}", names=", ".join(sensitive)) if sensitive else tr("No sensitive column"))
        )
        return found

    # what the steward does ------------------------------------------------------------------------

    def _choose(self) -> None:
        chosen = QFileDialog.getExistingDirectory(self, tr("Folder for the results"), self.folder.text())
        if chosen:
            self.folder.setText(chosen)

    def _write(self) -> None:
        from pprl_desktop.job.finishing import finish

        own, home = self.desk.identity(), self.desk.home
        if own is None:
            return
        choices = self.project.choices
        folder, place, outcome = Path(self.folder.text().strip()), self.desk.own_table, self.desk.findings.outcome
        identifying = tuple(col for _, col in choices.columns) if self.names.isChecked() else ()
        title, manager = self.project.title, self.desk.findings.manager
        match, rehearsal = kept.match_of(self.project), kept.rehearsal_of(self.project)
        reviewed = kept.review_of(self.project).said
        self.messages.clear()

        def work(progress: Progress) -> Finished:
            told = kept.told(kept.review_told(manager, progress.part(0.0, 0.2))) if manager else reviewed
            return finish(
                folder, home, own, choices, place, title=title, matched=match.said if match is not None else (),
                outcome=outcome, rehearsal=rehearsal, identifying=identifying, review=told,
                language=reading(), progress=progress.part(0.2, 1.0),
            )  # fmt: skip

        def done(made: Finished) -> None:
            self.change("Write results", output_folder=str(folder))
            self.desk.confirm("finish")
            self._show_done(made)

        self.run(tr("Writing table and report"), work, done)

    def _show_done(self, made: Finished) -> None:
        clear(self.done.body)
        lines: tuple[tuple[str, str, Any], ...] = (
            (tr("Linked table: {n} rows", n=count(made.linked.rows)), made.linked.path, made.linked.path),
            (tr("Report of everything disclosed"), made.report, made.report),
        )
        for words, path, target in lines:
            show = button(tr("Show"), lambda p=target: QDesktopServices.openUrl(QUrl.fromLocalFile(str(p))))
            line = row(label(words, "strong"), label(path, "small", selectable=True), show, gap=1.5)
            line.setStretch(1, 1)
            self.done.add(line)
        self.done.add(
            label(tr("Give these to whoever works with the linked data. The partner joins on the link id."), "muted"),
            label(tr("Never give away: your table, this project, the folder with your keys."), "warm"),
            row(button(tr("Start another project"), lambda: self.desk.go_to.emit("welcome"), kind="link"), None),
        )
        self.done.show()
        self._show_report()
        self.changed.emit()

    def reason(self) -> str:
        return self.key_reason() or self._waits()

    def _waits(self) -> str:
        """Decisions that were made and are in no result: the table would be an old one."""
        found = decided(self.project)
        return tr("The review's decisions are not taken in yet.") if found is not None and found.waits else ""

    def next_text(self) -> str:
        return tr("Write table and report")

    def go_on(self, done: Callable[[], None]) -> None:
        if self.project.state("finish").state != "done":
            self._write()
        done()
