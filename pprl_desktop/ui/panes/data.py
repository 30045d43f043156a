"""Data: load a CSV, see what was understood, correct it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtWidgets import QFileDialog, QStackedLayout, QWidget

from pprl_desktop.job.offers import as_agreed
from pprl_desktop.problem import Problem
from pprl_desktop.ui.kit.i18n import tr, tr_core, tr_n
from pprl_desktop.ui.kit.turns import Turns
from pprl_desktop.ui.kit.words import count, percent
from pprl_desktop.ui.panes._work import kind_words, separator_words
from pprl_desktop.ui.panes.base import Pane
from pprl_desktop.ui.plots.bars import BarsPlot
from pprl_desktop.ui.widgets.banner import clear
from pprl_desktop.ui.widgets.basics import Section, boxed, button, column, combo, labelled, pick, row
from pprl_desktop.ui.widgets.chips import Chip
from pprl_desktop.ui.widgets.empty import EmptyState
from pprl_desktop.ui.widgets.reflow import FlowLayout, columns
from pprl_desktop.ui.widgets.table import DataTable
from pprl_desktop.ui.widgets.table_model import ColumnSpec

if TYPE_CHECKING:
    from pprl_desktop.job.own_table import Seen
    from pprl_desktop.project.choices import Choices

TABLES = (".csv", ".tsv", ".tab", ".txt")
ENCODINGS = ("utf-8", "utf-16", "cp1252", "latin-1")
HEADERS = 8  # lines offered as the header
BARS = 12  # columns shown in a chart; the table twin has all
_GUESS = ""


class DataPane(Pane):
    NAME = "data"
    GIVES = ("table_path", "fields", "columns", "sensitive", "id_column")
    MESSAGES = {"unreadable": "The table could not be read."}  # noqa: RUF012

    def build(self) -> None:
        self.head(
            tr("Load your table"),
            tr("A CSV file with one record per line. Nothing leaves this computer on this page."),
        )
        self._turns = Turns(self, lambda: self.desk.project)
        self._stack = QStackedLayout()
        self._stack.addWidget(self._build_empty())
        self._stack.addWidget(self._build_loaded())
        self.body.addLayout(self._stack, 1)

    def _build_empty(self) -> QWidget:
        card = Section()
        card.add(
            EmptyState(
                "drop",
                tr("Drop your table here"),
                tr(
                    "Any CSV will do: the program finds out encoding and separator, keeps every cell as it is, "
                    "and tells you what it understood."
                ),
                ((tr("&Choose a CSV file …"), self._choose),),
            )
        )
        return card

    def _build_loaded(self) -> QWidget:
        self.file = Section(" ")
        self.file.head.addWidget(button(tr("Choose another …"), self._choose))
        self.encoding = combo(
            tr("Encoding"), [(tr("found out"), _GUESS), *((name.upper(), name) for name in ENCODINGS)], self._reread
        )
        separators = [(tr("found out"), _GUESS), *((words, sign) for sign, words in separator_words().items())]
        self.separator = combo(tr("Separator"), separators, self._reread)
        lines = [(tr("found out"), -1), (tr("there is none"), 0)]
        lines += [(tr("line {n}", n=n), n) for n in range(1, HEADERS + 1)]
        self.header = combo(tr("Line with the names of the columns"), lines, self._reread)
        self.id_column = combo(tr("Column with your own record number"), [], self._set_id)
        options = columns(
            labelled(tr("En&coding"), self.encoding),
            labelled(tr("Se&parator"), self.separator),
            labelled(tr("Names of columns in"), self.header),
            labelled(tr("Your record number"), self.id_column),
            least=140,
        )
        self.file.add(options)

        self.columns = Section(
            tr("What was understood"), tr("Shapes show the form of the values, never a value: A letter, 9 digit.")
        )
        self.profile = DataTable(
            tr("Columns of your table"),
            [
                ColumnSpec(tr("Column")),
                ColumnSpec(tr("Use")),
                ColumnSpec(tr("Looks like"), lambda kind: kind_words().get(kind, kind)),
                ColumnSpec(tr("Missing"), percent, right=True),
                ColumnSpec(tr("Different"), count, right=True),
                ColumnSpec(tr("Length")),
                ColumnSpec(tr("Usual shape"), mono=True),
            ],
            rows_high=7,
        )
        self.columns.add(self.profile)
        self.sensitive = Section(
            tr("Sensitive columns"),
            tr("They never take part in matching and are joined back to the linked table at the end."),
        )
        self._chips = FlowLayout()
        self.add_sensitive = combo(tr("Add a sensitive column"), [], self._mark_sensitive)
        self.add_sensitive.setMinimumContentsLength(14)
        self.sensitive.add(boxed(self._chips, tr("Sensitive columns")), row(self.add_sensitive, None), None)
        self.missing = BarsPlot(
            tr("Missing values"), tr("column"), tr("share of rows"), show=lambda v: percent(v, 0), token="warm"
        )
        self.lengths = BarsPlot(tr("Longest value"), tr("column"), tr("characters"))
        gaps = Section(tr("Missing values")).add(self.missing)
        longs = Section(tr("Longest values")).add(self.lengths)
        charts = columns(gaps, longs, self.sensitive, least=220)
        self.first = Section(tr("The first rows"), tr("As they stand in the file. Only you see them."))
        self._preview: DataTable | None = None
        return boxed(column(self.file, self.columns, charts, self.first, None, gap=2))

    # what is shown --------------------------------------------------------------------------------

    def enter(self) -> None:
        choices = self.project.choices
        seen: Seen | None = self.desk.findings.seen
        if seen is not None and seen.path == choices.table_path:
            self._show(seen)
        elif choices.table_path:
            self._load(Path(choices.table_path), choices)
        else:
            self._stack.setCurrentIndex(0)

    def _show(self, seen: Seen) -> None:
        """In parts, because a click must not wait for all of it."""
        self._turns.run(lambda: self._show_file(seen), self._show_profile, self._show_charts, self._show_first_rows)

    def _show_file(self, seen: Seen) -> None:
        self._stack.setCurrentIndex(1)
        choices, words = self.project.choices, separator_words()
        self.file.heading.setText(Path(seen.path).name)
        self.file.say(
            tr(
                "{rows}, {columns}, {encoding}, separated by {separator}.",
                rows=tr_n("{n} row", "{n} rows", seen.rows),
                columns=tr_n("{n} column", "{n} columns", len(seen.columns)),
                encoding=seen.encoding.upper(),
                separator=words.get(seen.separator, seen.separator),
            )
        )
        pick(self.encoding, choices.encoding if choices.encoding in ENCODINGS else _GUESS)
        pick(self.separator, choices.separator if choices.separator in words else _GUESS)
        pick(self.header, -1 if choices.header_line is None else choices.header_line)
        self.id_column.clear()
        for text, data in [(tr("none"), ""), *((name, name) for name in seen.columns)]:
            self.id_column.addItem(text, data)
        pick(self.id_column, choices.id_column)
        self._show_warnings(seen)
        self.changed.emit()

    def _show_first_rows(self) -> None:
        names, rows = self.desk.own_table.head()
        if self._preview is not None:
            self._preview.deleteLater()
        self._preview = DataTable(tr("The first rows of your table"), [ColumnSpec(name) for name in names], rows_high=6)
        self.first.add(self._preview)
        self._preview.show_rows(rows)

    def _show_warnings(self, seen: Seen) -> None:
        self.messages.clear()
        for problem in (*seen.warnings, *seen.profile.warnings):
            more = " ".join(tr_core(part) for part in (problem.why, problem.do) if part)
            self.say("warning", tr_core(problem.what), more)

    def _show_profile(self) -> None:
        seen = self.desk.findings.seen
        assert seen is not None
        choices = self.project.choices
        used = {col for _, col in choices.columns}
        rows = []
        for one in seen.profile.columns:
            use = tr("record number") if one.name == choices.id_column else ""
            use = tr("matching") if one.name in used else use
            use = tr("sensitive") if one.name in choices.sensitive else use
            length = str(one.longest) if one.shortest == one.longest else f"{one.shortest}–{one.longest}"
            shape = one.shapes[0].shape if one.shapes else ""
            rows.append((one.name, use, one.kind, one.missing, one.distinct, length, shape))
        self.profile.show_rows(rows)
        self._show_sensitive(seen, choices)

    def _show_charts(self) -> None:
        seen = self.desk.findings.seen
        assert seen is not None
        shown = seen.profile.columns[:BARS]
        names = [one.name for one in shown]
        self.missing.show_bars(
            names, [one.missing for one in shown], top=max([0.1, *(1.1 * one.missing for one in shown)])
        )
        self.lengths.show_bars(names, [one.longest for one in shown])

    def _show_sensitive(self, seen: Seen, choices: Choices) -> None:
        clear(self._chips)
        for name in choices.sensitive:
            chip = Chip(name, icon="lock", removable=True, token="warm")
            chip.removed.connect(self._unmark_sensitive)
            self._chips.addWidget(chip)
        self.add_sensitive.clear()
        self.add_sensitive.addItem(tr("Add a column …"), "")
        for name in seen.columns:
            if name not in choices.sensitive:
                self.add_sensitive.addItem(name, name)

    # what the steward does ------------------------------------------------------------------------

    def accepts(self, suffix: str) -> bool:
        return suffix in TABLES

    def take_file(self, path: str) -> None:
        self._load(Path(path), None)

    def _choose(self) -> None:
        start = str(Path(self.project.choices.table_path).parent) if self.project.choices.table_path else ""
        endings = " ".join(f"*{ending}" for ending in TABLES)
        name, _ = QFileDialog.getOpenFileName(
            self, tr("Choose your table"), start, f"{tr('Tables')} ({endings});;* (*)"
        )
        if name:
            self.take_file(name)

    def _load(self, path: Path, options: Choices | None) -> None:
        """`options` carries what was set by hand; None lets everything be found out."""
        self.messages.clear()
        place = self.desk.own_table
        fresh = str(path) != self.project.choices.table_path

        def done(seen: Seen) -> None:
            self.desk.findings.seen = seen
            self._keep(seen, fresh=fresh)
            self._show(seen)

        self.run(tr("Reading the table"), lambda progress: place.load(path, options, progress), done, key="data.load")

    def _keep(self, seen: Seen, *, fresh: bool) -> None:
        """A new table brings its suggestions; the same table read again keeps what the steward set."""
        choices = self.project.choices
        changes: dict[str, Any] = seen.changes()
        if (
            not fresh
            and choices.table_sha256 == seen.sha256
            and set(dict(choices.columns).values()) <= set(seen.columns)
        ):
            for name in ("fields", "columns", "sensitive", "id_column", "mapping"):
                changes.pop(name)
        if choices.agreement and self.desk.home.has_agreement(choices.agreement):
            # fields and method are signed: another table brings other columns, not other fields
            signed = self.desk.home.agreement(choices.agreement)
            changes |= as_agreed(choices.changed(**changes), signed, seen.profile)
        self.change("Load table", **changes)

    def _reread(self, _data: object) -> None:
        seen: Seen | None = self.desk.findings.seen
        if seen is None:
            return
        line = self.header.currentData()
        options = replace(
            self.project.choices,
            encoding=self.encoding.currentData(),
            separator=self.separator.currentData(),
            header_line=None if line == -1 else line,
        )
        self._load(Path(seen.path), options)

    def _set_id(self, name: object) -> None:
        self.change("Choose record number", id_column=str(name or ""))
        self._show_profile()

    def _mark_sensitive(self, name: object) -> None:
        if name:
            self.change("Mark as sensitive", sensitive=(*self.project.choices.sensitive, str(name)))
            self._show_profile()

    def _unmark_sensitive(self, name: str) -> None:
        kept = tuple(one for one in self.project.choices.sensitive if one != name)
        self.change("No longer sensitive", sensitive=kept)
        self._show_profile()

    # moving on ------------------------------------------------------------------------------------

    def reason(self) -> str:
        if self.desk.jobs.busy():
            return ""
        found: tuple[Problem, ...] = self.project.problems("data")
        return tr_core(found[0].sentence()) if found else ""

    def next_text(self) -> str:
        return tr("Next: fields")

    def status(self) -> str:
        rows = self.project.choices.rows
        return tr_n("{n} record loaded", "{n} records loaded", rows) if rows else ""

    def go_on(self, done: Callable[[], None]) -> None:
        seen = self.desk.findings.seen
        assert seen is not None
        self.desk.confirm("data", {"profile": json.dumps(seen.profile.as_dict(), sort_keys=True).encode()})
        done()
