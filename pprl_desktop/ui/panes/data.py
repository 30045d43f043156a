"""Data: load a table, see what was understood, correct it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QFileDialog, QWidget

from pprl_desktop.job.offers import as_agreed
from pprl_desktop.problem import Problem
from pprl_desktop.ui.desk import usual_folder
from pprl_desktop.ui.kit.i18n import tr, tr_core, tr_n
from pprl_desktop.ui.kit.theme import GRID
from pprl_desktop.ui.kit.tips import set_tip
from pprl_desktop.ui.kit.turns import Turns
from pprl_desktop.ui.kit.words import count
from pprl_desktop.ui.panes._columns import ColumnUses
from pprl_desktop.ui.panes._files import TABLES, table_filter
from pprl_desktop.ui.panes._reading import ReadingChoices
from pprl_desktop.ui.panes._work import separator_words
from pprl_desktop.ui.panes.base import Pane
from pprl_desktop.ui.widgets.banner import Banner
from pprl_desktop.ui.widgets.basics import Pages, Section, boxed, button, column, label
from pprl_desktop.ui.widgets.empty import EmptyState, short_facts
from pprl_desktop.ui.widgets.reflow import columns
from pprl_desktop.ui.widgets.table import DataTable
from pprl_desktop.ui.widgets.table_model import ColumnSpec

if TYPE_CHECKING:
    from pprl_desktop.job.held_twice import HeldTwice
    from pprl_desktop.job.own_table import OwnTable, Seen
    from pprl_desktop.job.quality import Remark
    from pprl_desktop.project.choices import Choices

FIRST_ROWS = 4
AT_ONCE = 6  # columns that are laid out in one turn


class DataPane(ReadingChoices, ColumnUses, Pane):
    NAME = "data"
    GIVES = ("table_path", "fields", "columns", "sensitive", "id_column")
    MESSAGES = {"unreadable": "The table could not be read."}  # noqa: RUF012

    def build(self) -> None:
        self._turns = Turns(self, lambda: self.desk.project)
        self.pages = Pages()
        self.pages.addWidget(self._build_empty())
        self.pages.addWidget(self._build_loaded())
        self.body.setSpacing(GRID)
        self.number = label("", "figure", wrap=False)
        self.number_note = label("", "small", wrap=False)
        self.number_note.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.head_right.addStretch(1)
        self.head_right.addWidget(self.number_note)
        self.head_right.addWidget(self.number)
        self.body.addWidget(self.pages)
        self.body.addStretch(1)
        self._say_head()

    # the table this page is about -------------------------------------------------------------------

    @property
    def choices(self) -> Choices:
        return self.project.choices

    @property
    def table(self) -> OwnTable:
        return self.desk.own_table

    @property
    def seen(self) -> Seen | None:
        return self.desk.findings.seen

    @seen.setter
    def seen(self, seen: Seen | None) -> None:
        self.desk.findings.seen = seen

    def _say_head(self) -> None:
        loaded = self.pages.currentIndex() == 1
        self.number.setVisible(loaded)
        self.number_note.setVisible(loaded)
        self.sentence.setVisible(not loaded)
        self.file.setVisible(loaded)
        self.another.setVisible(loaded)
        if loaded:
            self.head(tr("Check your table"), tr("Nothing leaves this computer on this page."))
        else:
            self.head(tr("Load your table"), tr("One record per line. Nothing leaves this computer on this page."))

    def _build_empty(self) -> QWidget:
        self.empty = EmptyState(
            "table",
            tr("Drop your table here"),
            tr("CSV, Excel, SAS, Stata, SPSS and more, up to a million records"),
            ((tr("&Choose a file …"), self._choose), (tr("Use the sample table"), self._sample)),
            drops=True,
        )
        facts = short_facts(
            (
                "search",
                tr("It is read as it is"),
                tr("Encoding, separator and column names are found out and shown; you can correct them."),
            ),
            (
                "shield",
                tr("It is checked"),
                tr("Copies, odd dates and words for “unknown” are told at once, each with a button that cures it."),
            ),
            self._third_fact(),
        )
        return boxed(column(self.empty, facts, gap=3))

    def _third_fact(self) -> tuple[str, str, str]:
        return (
            "inbox",
            tr("Got a file from the partner?"),
            tr("Drop it here too. It is recognised and leads to its step; a proposal needs no table to be read."),
        )

    def _build_loaded(self) -> QWidget:
        self.file = label("", "strong", wrap=False)
        self.another = button(tr("Choose another …"), self._choose, kind="link")
        self.below_title.addWidget(self.file)
        self.below_title.addWidget(self.another)
        self.below_title.addStretch(1)
        reading = self._build_reading()
        self.first = Section(tr("First rows"))
        self.first_note = label(tr("only you see them"), "small", wrap=False)
        self.first.head.insertWidget(1, self.first_note)
        self._preview: DataTable | None = None
        self.columns = Section(tr("Columns"))
        self.shape_key = label(tr("Shape: A capital, a small letter, 9 digit"), "small", wrap=False)
        self.columns.head.addWidget(self.shape_key)
        self.profile = self._build_columns()
        self.columns.add(self.profile)
        beside = columns(reading, self.first, least=210, shares=(2, 5), gap=3)
        return boxed(column(beside, self.columns, gap=1.5))

    # what is shown --------------------------------------------------------------------------------

    def enter(self) -> None:
        choices = self.choices
        seen: Seen | None = self.seen
        if seen is not None and seen.path == choices.table_path:
            self._show(seen)
        elif choices.table_path:
            self._load(Path(choices.table_path), choices)
        else:
            self.pages.setCurrentIndex(0)
            self._say_head()

        if self.desk.wants_next:
            self.desk.wants_next = False
            QTimer.singleShot(0, self, self.repeat)

    def _show(self, seen: Seen) -> None:
        """In parts, because a click must not wait for all of it."""
        some = [seen.profile.columns[start : start + AT_ONCE] for start in range(0, len(seen.profile.columns), AT_ONCE)]
        parts = [lambda shown=shown: self._add_columns(shown) for shown in some]
        self._turns.run(lambda: self._show_file(seen), self._show_first_rows, self.profile.clear, *parts)

    def _show_file(self, seen: Seen) -> None:
        self.pages.setCurrentIndex(1)
        self._say_head()
        words = separator_words()
        self.file.setText(Path(seen.path).name)
        self.number.setText(count(seen.rows))
        read = (
            tr_n("{n} copy left out", "{n} copies left out", seen.copies)
            if seen.copies
            else tr("all read, none left out")
        )
        columns = tr_n("records, {n} column", "records, {n} columns", len(seen.columns))
        self.number_note.setText(f"{columns}\n{read}")
        set_tip(
            self.number_note,
            tr(
                "{rows}, {columns}, {encoding}, separated by {separator}.",
                rows=tr_n("{n} row", "{n} rows", seen.rows),
                columns=tr_n("{n} column", "{n} columns", len(seen.columns)),
                encoding=seen.encoding.upper(),
                separator=words.get(seen.separator, seen.separator),
            ),
        )
        self._show_reading(seen)
        self._show_remarks(seen)
        self.changed.emit()

    def _show_first_rows(self) -> None:
        names, rows = self.table.head(FIRST_ROWS)
        self._show_some(tr("First rows"), names, rows)

    def _show_some(self, title: str, names: tuple[str, ...], rows: list[tuple[str, ...]]) -> None:
        if self._preview is not None:
            self._preview.deleteLater()
        self.first.heading.setText(title)
        self._preview = DataTable(
            tr("The first rows of your table"),
            [ColumnSpec(name) for name in names],
            fit=FIRST_ROWS,
            dense=True,
            cuts=True,
        )
        self._preview.view.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)  # the page scrolls
        self._preview.view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._preview.left_out.connect(self._say_left_out)
        self.first.add(self._preview)
        self._preview.show_rows(rows)

    def _say_left_out(self, more: int) -> None:
        """Nothing scrolls sideways inside the page: what there is no room for stands in the list below."""
        only = tr("only you see them")
        self.first_note.setText(
            only + " · " + tr_n("{n} more column below", "{n} more columns below", more) if more else only
        )

    def _show_remarks(self, seen: Seen) -> None:
        """One line, the gravest first, each with its cure."""
        self.messages.clear()
        for one in seen.quality.remarks:
            acts: list[tuple[str, Callable[[], object]]] = []
            if one.cure == "copies":
                acts = [(tr("Show them"), self._show_copies), (tr("Remove the copies"), self._drop_copies)]
            elif one.cure == "missing words" and not self._is_agreed():  # the cleaning was signed
                acts = [(tr("Treat as missing"), lambda r=one: self._treat_as_missing(r))]
            self.messages.show_banner(Banner("warning", tr_core(one.what), self._why(one), acts=acts, closable=True))
        for problem in (*seen.warnings, *seen.profile.warnings):
            self.messages.show_banner(Banner.of(problem, kind="warning"))
        for made in seen.applied:
            shown = "; ".join(f"{' | '.join(old)} → {' | '.join(new)}" for old, new in made.examples[:2])
            undo = (tr("Take it back"), lambda one=made: self._without_step(one))
            self.messages.show_banner(Banner("info", tr_core(made.said()), shown, acts=[undo], closable=True))
        if seen.copies:
            text = tr_n("{n} copy is left out.", "{n} copies are left out.", seen.copies)
            self.messages.show_banner(Banner("info", text, acts=[(tr("Take them in again"), self._keep_copies)]))

    def _is_agreed(self) -> bool:
        return bool(self.choices.agreement) and self.desk.home.has_agreement(self.choices.agreement)

    def _why(self, remark: Remark) -> str:
        return tr_core(remark.why)

    # what the steward does ------------------------------------------------------------------------

    def accepts(self, suffix: str) -> bool:
        return suffix in TABLES

    def take_file(self, path: str) -> None:
        self._load(Path(path), None)

    def _choose(self) -> None:
        name = self._asked_file()
        if name:
            self.take_file(name)

    def _asked_file(self) -> str:
        start = Path(self.choices.table_path).parent if self.choices.table_path else usual_folder().parent
        name, _ = QFileDialog.getOpenFileName(self, tr("Choose your table"), str(start), table_filter())
        return name

    def _load(self, path: Path, options: Choices | None, *, suggest: bool = False, again: bool = False) -> None:
        """`options` carries what was set by hand; None lets everything be found out.

        `suggest`: new columns bring new suggestions; `again`: another table of the same kind keeps what was chosen.
        """
        self.messages.clear()
        place = self.table
        fresh = str(path) != self.choices.table_path

        def done(seen: Seen) -> None:
            before: Seen | None = self.seen
            anew = again and self._one_question() and self.choices.table_sha256 != seen.sha256
            others = before is not None and before.columns != seen.columns
            self.seen = seen
            self._keep(seen, fresh=fresh or suggest, again=again)
            self._show(seen)
            self._count_people(fresh or others)
            if anew:
                self._say_new_run()

        widths = options.widths if options is not None else ""
        self.run(
            tr("Reading the table"), lambda progress: place.load(path, options, progress), done, key="data.load",
            problem=lambda found: self._not_read(path, widths, found),
        )  # fmt: skip

    def _count_people(self, fresh: bool) -> None:
        """Who is held twice decides how often a person may occur; the steward may choose otherwise later."""
        place, choices = self.table, self.choices
        self.desk.findings.twice = None

        def done(found: HeldTwice | None) -> None:
            self.desk.findings.twice = found
            if found is None or not found.repeated:
                return
            settings = self.choices.settings
            if fresh and not self.choices.agreement and settings.direction == "one-to-one":
                self.change("Choose direction", settings=replace(settings, direction=found.direction))
            self.say("info", tr_core(found.said()), tr("How often a person may occur is chosen on the page Method."))

        self.run(
            tr("Counting people"), lambda progress: place.held_twice(choices, progress), done,
            key="data.twice", quiet=True, problem=lambda _problem: None,
        )  # fmt: skip

    def _keep(self, seen: Seen, *, fresh: bool, again: bool = False) -> None:
        """A new table brings its suggestions; the same table, and the next one of its kind, keep what was set."""
        choices = self.choices
        changes: dict[str, Any] = seen.changes()
        used = {*dict(choices.columns).values(), *choices.sensitive, *([choices.id_column] if again else [])} - {""}
        same = not fresh and choices.table_sha256 == seen.sha256
        if (same or again) and used <= set(seen.columns):
            for name in ("fields", "columns", "sensitive", "id_column", "mapping"):
                changes.pop(name)
        if again and choices.table_sha256 != seen.sha256:
            # what was written and came in was about the table before: it is written, and waited for, once more
            changes |= dict.fromkeys(("bundle_path", "result_path", "partner_result_path"), "")
            self.desk.findings.outcome = self.desk.findings.shown = None
            if self._one_question():
                changes |= choices.for_another_agreement()
                choices = choices.changed(agreement="")
        if choices.agreement and self.desk.home.has_agreement(choices.agreement):
            # fields and method are signed: another table brings other columns, not other fields
            signed = self.desk.home.agreement(choices.agreement)
            changes |= as_agreed(choices.changed(**changes), signed, seen.profile)
        self.change("Load table", **changes)

    def repeat(self) -> None:
        """The next delivery: another table under the same agreement, read as the last one was."""
        name = self._asked_file()
        if name:
            self.take_next(name)

    def take_next(self, name: str) -> None:
        before = replace(self.choices, table_sha256="", encoding="", separator="", header_line=None)
        self._load(Path(name), before, again=True)

    def _sample(self) -> None:
        from pprl_desktop import resources

        self.take_file(str(resources.find("samples", "hospital_a.csv")))

    def _show_copies(self) -> None:
        names, rows = self.table.copies(self.choices.id_column)
        self._show_some(tr("Copies"), names, rows)

    def _drop_copies(self) -> None:
        self._reload_with(drop_copies=True)

    def _keep_copies(self) -> None:
        self._reload_with(drop_copies=False)

    def _reload_with(self, *, drop_copies: bool) -> None:
        name = "Remove the copies" if drop_copies else "Take the copies in again"
        self.change(name, drop_copies=drop_copies)
        seen: Seen | None = self.seen
        if seen is not None:
            self._load(Path(seen.path), self.choices)

    def _treat_as_missing(self, remark: Remark) -> None:
        """The words become part of the cleaning of every field on that column, and so of the agreement."""
        choices = self.choices
        of = {field for field, column in choices.columns if column == remark.column}
        fields = tuple(
            replace(one, cleaning=replace(one.cleaning, missing_words=(*one.cleaning.missing_words, *remark.words)))
            if one.name in of
            else one
            for one in choices.fields
        )
        self.change("Treat words as missing", fields=fields)
        for banner in self.messages.banners():
            if banner.what.text() == tr_core(remark.what):
                banner.dismiss()

    def _set_id(self, name: object) -> None:
        self.change("Choose record number", id_column=str(name or ""))
        seen: Seen | None = self.seen
        if seen is not None:
            QTimer.singleShot(0, self, lambda: self._show(seen))

    # moving on ------------------------------------------------------------------------------------

    def reason(self) -> str:
        if self.desk.jobs.busy():
            return ""
        found: tuple[Problem, ...] = self.project.problems(self.NAME)
        return tr_core(found[0].sentence()) if found else ""

    def next_text(self) -> str:
        return tr("Next: the proposal") if self.desk.findings.proposal is not None else tr("Next: fields")

    def status(self) -> str:
        rows = self.choices.rows
        return tr_n("{n} record loaded", "{n} records loaded", rows) if rows else ""

    def go_on(self, done: Callable[[], None]) -> None:
        seen = self.seen
        assert seen is not None
        kept = f"profile{self.NAME.removeprefix('data')}"  # of the second own file beside that of the first
        self.desk.confirm(self.NAME, {kept: json.dumps(seen.profile.as_dict(), sort_keys=True).encode()})
        if self.desk.findings.proposal is not None:  # fields and method are the partner's words, read there
            self.desk.go_to.emit("agreement")
        done()
