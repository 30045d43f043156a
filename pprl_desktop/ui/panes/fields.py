"""Reference set and fields: what identifies a person, which column holds it, and what it is measured against."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QAction, QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QFileDialog, QLineEdit, QToolButton, QWidget

from pprl_desktop.job import offers, preview
from pprl_desktop.job.own_table import field_name, made_of, marked, sheets_of
from pprl_desktop.problem import Problem
from pprl_desktop.records.fields import Field
from pprl_desktop.ui.kit.i18n import tr, tr_core, tr_n
from pprl_desktop.ui.kit.tips import set_tip
from pprl_desktop.ui.kit.turns import Turns
from pprl_desktop.ui.kit.words import count
from pprl_desktop.ui.panes._cleaning import CleaningDialog
from pprl_desktop.ui.panes._files import table_filter
from pprl_desktop.ui.panes._reading import SheetDialog
from pprl_desktop.ui.panes._work import kind_words
from pprl_desktop.ui.panes.base import Pane
from pprl_desktop.ui.widgets.basics import (
    Card,
    Section,
    boxed,
    column,
    icon_label,
    label,
    menu_button,
    row,
    row_button,
    tool,
)
from pprl_desktop.ui.widgets.chips import MIME
from pprl_desktop.ui.widgets.facts import FactTable
from pprl_desktop.ui.widgets.inputs import combo, labelled, pick, tab_order
from pprl_desktop.ui.widgets.pair_view import field_title
from pprl_desktop.ui.widgets.reflow import columns
from pprl_desktop.ui.widgets.rows import Head, Rows

if TYPE_CHECKING:
    from pprl_desktop.job.own_table import Seen

SHOWN_NUMBERS = 14  # of the example
TYPING = 250  # ms of rest before the example is computed
_FILE = "file"


class _DropRows(Rows):
    """The list of fields takes dropped columns."""

    def __init__(self, name: str, heads: Sequence[Head], dropped: Callable[[str], None]) -> None:
        super().__init__(name, heads, high=40, indent=0)
        self._dropped = dropped
        self.setAcceptDrops(True)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if event.mimeData().hasFormat(MIME):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        self._dropped(bytes(event.mimeData().data(MIME).data()).decode("utf-8"))
        event.acceptProposedAction()


class FieldsPane(Pane):
    NAME = "fields"
    NEEDS = ("table_path", "sensitive")
    GIVES = ("fields", "columns", "reference", "mapping")

    def build(self) -> None:
        self.head(
            tr("Choose what identifies a person"),
            tr("Both sides compare the same fields, each from its own columns. Only the names of fields leave."),
        )
        self._turns = Turns(self, lambda: self.desk.project)
        self._lines: list[tuple[QWidget, ...]] = []
        self._prepared: tuple[Any, ...] | None = None
        self.list = _DropRows(tr("Fields to compare"), self._heads(), self._add)
        self.add_field = menu_button("plus", tr("Add a field"), ())
        self.add_field.setText(tr("Add a field"))
        self.add_field.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.unused_note = label("", "small")
        below = row(self.add_field, self.unused_note, gap=1)
        below.setStretch(1, 1)

        self.example = Card(kind="soft")
        self.text = QLineEdit("Müller-Varley")
        self.text.setAccessibleName(tr("A value to try"))
        self.of_field = combo(tr("Field of the value"), [], lambda _d: self._show_example())
        self.cleaned = label("", "mono", selectable=True)
        self.becomes = label("", "mono", selectable=True)
        self.becomes_note = label("", "tiny")
        typed = labelled(tr("What a value becomes"), self.text)
        typed.addWidget(self.of_field)
        facts = FactTable(((tr("cleaned"), self.cleaned), (tr("as numbers"), self.becomes)))
        self.example.add(columns(typed, column(facts, self.becomes_note, gap=0.5), least=200, shares=(1, 2)))
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.setInterval(TYPING)
        self._rest.timeout.connect(self._show_example)
        self.text.textChanged.connect(lambda _t: self._rest.start())

        entries = [
            (tr("200 names (US Census 1990)"), "us-200"),
            (tr("2,000 names: finer, and gives away more"), "us-2000"),
            (tr("200 place and street words"), "places-200"),
            (tr("200 made-up words from the shared secret"), "secret-200"),
            (tr("A table of your own …"), _FILE),
        ]
        self.which = combo(tr("Reference set"), entries, self._set_reference)
        self.which.setMinimumContentsLength(20)
        self.reference = Section(
            tr("Measured against"),
            tr("Public words that both sides measure their values against, where the method does so."),
        )
        self.print = label("", "tiny", selectable=True)
        self.overlap = label("", "tiny")
        self.reference.add(columns(self.which, column(self.print, self.overlap, gap=0.25), least=240, shares=(1, 2)))

        self.body.addWidget(self.list)
        self.body.addLayout(below)
        self.body.addWidget(self.example)
        self.body.addWidget(self.reference)
        self.body.addStretch(1)

    def _heads(self) -> tuple[Head, ...]:
        return (
            Head(tr("Field, for both sides"), 4),
            Head(tr("Your column"), 4),
            Head(tr("Kind"), 3),
            Head(tr("After cleaning"), 5, spare=True),
            Head(""),
        )

    # what is shown --------------------------------------------------------------------------------

    def prepare(self) -> None:
        if self._prepared != self._about():
            self._show_fields()
            self._prepared = self._about()

    def enter(self) -> None:
        """In parts, because a page turn must not wait for all of it."""
        ready, self._prepared = self._prepared == self._about(), None
        first = self.changed.emit if ready else self._show_fields
        self._turns.run(first, self._show_reference, self._show_example, self._ask_cleaning)
        self.messages.clear()
        self.say_agreed()

    def _about(self) -> tuple[Any, ...]:
        """What the lines of the fields show."""
        choices = self.project.choices
        return choices.fields, choices.columns, choices.sensitive, choices.id_column, self._columns()

    def _columns(self) -> tuple[str, ...]:
        seen: Seen | None = self.desk.findings.seen
        if seen is not None:
            return (*seen.columns, *(one.name for one in seen.profile.joined))
        return tuple(col for _, col in self.project.choices.columns)

    def _show_fields(self) -> None:
        choices = self.project.choices
        self.list.clear()
        self._examples: dict[str, Any] = {}
        self._lines = []
        stops: list[QWidget] = []
        for number, one in enumerate(choices.fields):
            line = self._line(number, one)
            self.list.add(*line, below=self._trouble(number, one))
            self._lines.append(line)
            stops += [*line[:-1], *line[-1].findChildren(QToolButton)]
        self._show_unused()
        tab_order(*stops, self.add_field, self.text, self.of_field, self.which)
        self.of_field.clear()
        for one in choices.fields:
            self.of_field.addItem(field_title(one.name), one.name)
        self.changed.emit()

    def _line(self, number: int, one: Field) -> tuple[QWidget, ...]:
        choices = self.project.choices
        name = QLineEdit(one.name)
        name.setProperty("flat", True)
        name.setCursorPosition(0)
        set_tip(name, one.name)  # whole, where the line is narrower
        name.setAccessibleName(tr("Name of field {n}", n=number + 1))
        name.editingFinished.connect(lambda n=number, edit=name: self._rename(n, edit.text().strip()))
        box = combo(
            tr("Column of {field}", field=one.name),
            [(col, col) for col in self._columns() if col not in choices.sensitive],
            lambda data, f=one.name: self._set_column(f, str(data)),
        )
        pick(box, choices.column_of(one.name))
        kind = combo(
            tr("Kind of {field}", field=one.name),
            [(words, kind) for kind, words in kind_words().items()],
            lambda data, n=number: self._set_kind(n, str(data)),
        )
        pick(kind, one.kind)
        example = label("", "small")
        self._examples[one.name] = example
        return name, box, kind, example, self._tools(number, one)

    def _tools(self, number: int, one: Field) -> QWidget:
        cleaning = tool("settings", tr("Cleaning of {field} …", field=one.name), lambda n=number: self._clean(n))
        drop = tool("close", tr("Do not compare {field}", field=one.name), lambda n=number: self._remove(n))
        return boxed(row(cleaning, drop, gap=0))

    def _trouble(self, number: int, one: Field) -> QWidget | None:
        """What is wrong with the column of a field stands under its line, with the cure."""
        said = self._misfits().get(one.name)
        text = tr_core(said.said) if said is not None else self._says_nothing_new(one)
        if not text:
            return None
        cure = row_button(tr("Leave it out"), lambda: self._remove(number))
        cure.setAccessibleName(tr("Do not compare {field}", field=one.name))
        words = label(text, "small")
        words.setProperty("tint", "warm")
        line = row(icon_label("warning", "warm_text", 16), words, cure, gap=1)
        line.setStretch(1, 1)
        return boxed(line)

    def _misfits(self) -> dict[str, offers.Misfit]:
        seen: Seen | None = self.desk.findings.seen
        if seen is None:
            return {}
        choices = self.project.choices
        return {one.field: one for one in offers.misfits(choices.fields, dict(choices.columns), seen.profile)}

    def _says_nothing_new(self, one: Field) -> str:
        """A column that other chosen ones determine."""
        column = self.project.choices.column_of(one.name)
        seen: Seen | None = self.desk.findings.seen
        found = seen.profile.repeats(column) if seen is not None else None
        used = {col for _, col in self.project.choices.columns}
        if found is None or not set(found.beside) <= used:
            return ""
        return tr(
            "Says nothing new: it follows from {others}, and one fact would count twice.",
            others=", ".join(found.beside),
        )

    def _show_unused(self) -> None:
        choices = self.project.choices
        used = {col for _, col in choices.columns}
        rest = [col for col in self._columns() if col not in used | set(choices.sensitive) and col != choices.id_column]
        within = {part for col in used for part in made_of(col)}  # compared as part of a date or of a full name
        menu = self.add_field.menu()
        menu.clear()
        for col in rest:
            action = QAction(col, menu)
            set_tip(action, self._why_not(col))
            action.triggered.connect(lambda _checked=False, c=col: self._add(c))
            menu.addAction(action)
        menu.setToolTipsVisible(True)
        self.add_field.setEnabled(bool(rest))
        beside = [col for col in rest if col not in within and not made_of(col) & used]
        beside += [choices.id_column] if choices.id_column else []
        named = [*beside, *(tr("{column} (sensitive)", column=col) for col in choices.sensitive)]
        self.unused_note.setText(tr("Not used: {columns}", columns=", ".join(named)) if named else "")

    def _why_not(self, column: str) -> str:
        """Why a column is not suggested beside others that determine it."""
        seen: Seen | None = self.desk.findings.seen
        found = seen.profile.repeats(column) if seen is not None else None
        if found is None:
            return ""
        return tr("Not suggested: {why}, and must not count twice.", why=found.why)

    def _ask_cleaning(self) -> None:
        choices, place = self.project.choices, self.desk.own_table
        known = set(self._columns())
        fields = tuple(one for one in choices.fields if choices.column_of(one.name) in known)
        if not fields:
            return
        choices = choices.changed(fields=fields)
        self.run(
            tr("Cleaning"),
            lambda progress: place.before_after(choices, progress),
            self._show_cleaning,
            key="fields.cleaning",
            quiet=True,
        )

    def _show_cleaning(self, found: tuple[Any, ...]) -> None:
        for one in found:
            shown = self._examples.get(one.field)
            if shown is None:
                continue
            if one.examples:
                before, after = one.examples[0]
                shown.setText(tr("{before} → {after}", before=before, after=after or tr("(missing)")))
            else:
                shown.setText(tr("unchanged"))
            set_tip(
                shown,
                tr(
                    "{n|one row changes|{n} rows change}, {m} {m|becomes|become} missing",
                    n=one.changed,
                    m=one.emptied,
                ),
            )

    def _show_reference(self) -> None:
        chosen = self.project.choices.reference
        if self.which.findData(chosen) < 0:
            self.which.insertItem(self.which.count() - 1, Path(chosen).name, chosen)
        pick(self.which, chosen)
        try:
            reference = preview.reference(self.project.choices)
        except Problem as problem:
            self.show_problem(problem)
            return
        if chosen.startswith("secret-"):
            self.print.setText(tr("Made when the agreement is: nobody else can have these words."))
        else:
            mark = reference.fingerprint
            self.print.setText(
                tr(
                    "{n} records · fingerprint {mark}",
                    n=count(reference.size),
                    mark=f"{mark[:4]} {mark[4:8]} {mark[8:12]}",
                )
            )
            set_tip(self.print, mark)
        self.overlap.clear()
        choices, place = self.project.choices, self.desk.own_table
        if not self.project.problems("fields"):
            self.run(
                tr("Comparing with the reference set"),
                lambda progress: preview.overlap(place, choices, progress),
                lambda found: self.overlap.setText(tr_core(found.sentence())),
                key="fields.overlap",
                quiet=True,
            )

    def _show_example(self) -> None:
        choices, name = self.project.choices, str(self.of_field.currentData() or "")
        if not name or not self.text.text().strip():
            self.cleaned.setText("")
            self.becomes.setText("")
            self.becomes_note.setText("")
            return
        typed = self.text.text()

        def done(found: tuple[str, tuple[int, ...]]) -> None:
            value, numbers = found
            shown = " ".join(str(n) for n in numbers[:SHOWN_NUMBERS])
            self.cleaned.setText(value or tr("(missing)"))
            self.becomes.setText(f"{shown} …" if numbers else "–")
            self.becomes_note.setText(tr("{n} numbers in all for this field", n=count(len(numbers))))

        self.run(
            tr("Smashing an example"),
            lambda _progress: preview.example(choices, name, typed),
            done,
            key="fields.example",
            quiet=True,
            problem=lambda problem: self.becomes_note.setText(tr_core(problem.sentence())),
        )

    # what the steward does ------------------------------------------------------------------------

    def _keep(self, name: str, **values: Any) -> None:
        seen: Seen | None = self.desk.findings.seen
        if seen is not None and "fields" in values:
            columns = dict(values.get("columns", self.project.choices.columns))
            values["fields"] = marked(values["fields"], columns, seen.profile)
        self.change(name, mapping=(), **values)
        self._show_fields()
        self._show_example()
        self._ask_cleaning()

    def _add(self, column: str) -> None:
        choices = self.project.choices
        seen: Seen | None = self.desk.findings.seen
        if column not in self._columns() or column in choices.sensitive:
            return
        kind = seen.profile.column(column).kind if seen is not None else "name"
        name = field_name(column, {one.name for one in choices.fields})
        fields = (*choices.fields, Field.of(name, kind))
        self._keep("Add field", fields=fields, columns=(*choices.columns, (name, column)))

    def _remove(self, number: int) -> None:
        choices = self.project.choices
        gone = choices.fields[number].name
        fields = tuple(one for one in choices.fields if one.name != gone)
        QTimer.singleShot(
            0,
            lambda: self._keep(
                "Remove field", fields=fields, columns=tuple(pair for pair in choices.columns if pair[0] != gone)
            ),
        )

    def _rename(self, number: int, name: str) -> None:
        choices = self.project.choices
        old = choices.fields[number].name if number < len(choices.fields) else ""
        if not old or not name or name == old:
            return
        fields = tuple(replace(one, name=name) if i == number else one for i, one in enumerate(choices.fields))
        columns = tuple((name if f == old else f, col) for f, col in choices.columns)
        QTimer.singleShot(0, lambda: self._keep("Rename field", fields=fields, columns=columns))

    def _set_column(self, field: str, column: str) -> None:
        columns = tuple((f, column if f == field else col) for f, col in self.project.choices.columns)
        QTimer.singleShot(0, lambda: self._keep("Choose column", columns=columns))

    def _set_kind(self, number: int, kind: str) -> None:
        choices = self.project.choices
        fields = tuple(Field.of(one.name, kind) if i == number else one for i, one in enumerate(choices.fields))
        QTimer.singleShot(0, lambda: self._keep("Choose kind", fields=fields))

    def _clean(self, number: int) -> None:
        one = self.project.choices.fields[number]
        dialog = CleaningDialog(one, self)

        def keep() -> None:
            fields = tuple(
                dialog.field() if i == number else other for i, other in enumerate(self.project.choices.fields)
            )
            self._keep("Change cleaning", fields=fields)

        dialog.accepted.connect(keep)
        dialog.open()

    def _set_reference(self, data: object) -> None:
        if data == _FILE:
            name, _ = QFileDialog.getOpenFileName(self, tr("Choose a reference set"), "", table_filter())
            data = self._with_sheet(name) if name else ""
            if not data:
                pick(self.which, self.project.choices.reference)
                return
        self.change("Choose reference set", reference=str(data), mapping=())
        self.messages.clear()
        self._show_reference()
        self._show_example()

    def _with_sheet(self, name: str) -> str:
        """Of a workbook with several sheets the steward says which; empty: none was chosen, or it cannot be read."""
        try:
            sheets, usual = sheets_of(Path(name))
        except Problem as problem:
            self.show_problem(problem)
            return ""
        if len(sheets) < 2:
            return name
        dialog = SheetDialog(sheets, usual, self)
        return f"{name}#{dialog.sheet.currentData()}" if dialog.exec() else ""

    # moving on ------------------------------------------------------------------------------------

    def reason(self) -> str:
        found = self.project.problems("fields")
        if found:
            return tr_core(found[0].what)
        hard = next((one for one in self._misfits().values() if one.hard), None)
        return tr_core(hard.said) if hard is not None else ""

    def next_text(self) -> str:
        return tr("Next: method")

    def status(self) -> str:
        return tr_n("{n} field", "{n} fields", len(self.project.choices.fields))

    def go_on(self, done: Callable[[], None]) -> None:
        self.desk.confirm("fields")
        done()
