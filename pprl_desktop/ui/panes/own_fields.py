"""Fields of own files: which columns of both hold the same thing, and how often a person may occur."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QWidget

from pprl_desktop.job import offers
from pprl_desktop.records.fields import Field
from pprl_desktop.ui.kit.i18n import tr, tr_core
from pprl_desktop.ui.panes._work import kind_words
from pprl_desktop.ui.panes.fields import FieldsPane
from pprl_desktop.ui.widgets.basics import Section, column, label
from pprl_desktop.ui.widgets.inputs import combo, labelled, pick
from pprl_desktop.ui.widgets.pair_view import field_title
from pprl_desktop.ui.widgets.reflow import columns
from pprl_desktop.ui.widgets.rows import Head

if TYPE_CHECKING:
    from pprl_desktop.codes.directions import Direction
    from pprl_desktop.job.held_twice import HeldTwice


class OwnFieldsPane(FieldsPane):
    HELP = "own_files"

    def build(self) -> None:
        super().build()
        two = self._two()
        self.head(
            tr("Which columns belong together") if two else tr("Choose what identifies a person"),
            tr("Found by headings and contents; correct what is wrong. Nothing leaves this computer.")
            if two
            else tr("Records that agree on these may be one person. Nothing leaves this computer."),
        )
        self.example.hide()
        self.reference.hide()
        entries = [(tr("once"), "one"), (tr("several times"), "many")]
        self.often = [combo(tr("Table {letter} holds a person", letter=letter), entries, self._set_often)
                      for letter in "AB"]  # fmt: skip
        self.twice = [label("", "small") for _ in "AB"]
        section = Section(tr("How often a person may occur"))
        section.add(
            columns(
                *(
                    column(labelled(tr("Table {letter} holds a person", letter=letter), box), note, gap=0.5)
                    for letter, box, note in zip("AB", self.often, self.twice, strict=True)
                ),
                least=240,
                gap=3,
            )
        )
        section.setVisible(two)
        self.body.insertWidget(self.body.count() - 1, section)

    def _two(self) -> bool:
        return self.project.choices.kind == "two files"

    def _heads(self) -> tuple[Head, ...]:
        if not self._two():
            return Head(tr("Column"), 4), Head(tr("Kind"), 3), Head("")
        return (
            Head(tr("Field"), 3),
            Head(tr("Column in A"), 4),
            Head(tr("Column in B"), 4),
            Head(tr("Kind"), 3),
            Head(""),
        )

    # what is shown --------------------------------------------------------------------------------

    def enter(self) -> None:
        self._prepared = None
        self._turns.run(self._show_fields, self._show_often)
        self.messages.clear()

    def _about(self) -> tuple[Any, ...]:
        return (*super()._about(), self.project.choices.second_file().columns)

    def _seconds(self) -> tuple[str, ...]:
        seen = self.desk.findings.second
        if seen is not None:
            return (*seen.columns, *(one.name for one in seen.profile.joined))
        return tuple(col for _, col in self.project.choices.second_file().columns if col)

    def _line(self, number: int, one: Field) -> tuple[QWidget, ...]:
        choices = self.project.choices
        second = choices.second_file()
        kind = combo(
            tr("Kind of {field}", field=one.name),
            [(words, kind) for kind, words in kind_words().items()],
            lambda data, n=number: self._set_kind(n, str(data)),
        )
        pick(kind, one.kind)
        name = label(field_title(one.name), "strong", wrap=False)
        if not self._two():
            return name, kind, self._tools(number, one)
        none = (tr("– choose –"), "")
        barred = set(choices.sensitive)
        first_box = combo(
            tr("Column of {field} in A", field=one.name),
            [none, *((col, col) for col in self._columns() if col not in barred)],
            lambda data, f=one.name: self._set_column(f, str(data or "")),
        )
        pick(first_box, choices.column_of(one.name))
        second_box = combo(
            tr("Column of {field} in B", field=one.name),
            [none, *((col, col) for col in self._seconds() if col not in second.sensitive)],
            lambda data, f=one.name: self._set_second(f, str(data or "")),
        )
        pick(second_box, second.column_of(one.name))
        return name, first_box, second_box, kind, self._tools(number, one)

    def _misfits(self) -> dict[str, offers.Misfit]:
        found = super()._misfits()
        seen, choices = self.desk.findings.second, self.project.choices
        if seen is None or not self._two():
            return found
        columns_ = {name: col for name, col in choices.second_file().columns if col}
        return {one.field: one for one in offers.misfits(choices.fields, columns_, seen.profile)} | found

    def _ask_cleaning(self) -> None:
        """Both files are cleaned when they are compared; nothing is shown before."""

    def _show_reference(self) -> None:
        """Nothing is measured against public words where both files are at hand."""

    def _show_example(self) -> None:
        """The numbers are thrown away after the match: none is shown."""

    def _show_often(self) -> None:
        if not self._two():
            return
        direction = self.project.choices.settings.direction
        pick(self.often[0], direction.split("-to-")[0])
        pick(self.often[1], direction.split("-to-")[1])
        found = self.desk.findings.both_twice
        if found is not None:
            self._say_twice(found)
        elif not self.project.problems("fields"):
            self._count()

    def _count(self) -> None:
        own, choices = self.desk.own_files, self.project.choices
        for note in self.twice:
            note.setText(tr("counting who is held twice …"))

        def done(found: tuple[HeldTwice | None, HeldTwice | None]) -> None:
            from pprl_desktop.job.own_files import direction_for

            self.desk.findings.both_twice = found
            self._say_twice(found)
            now = self.project.choices.settings
            if self.project.state("fields").state == "ready":  # a suggestion; what was confirmed stays
                self.change("Choose direction", settings=replace(now, direction=direction_for(found)))
                self._show_often()

        self.run(
            tr("Counting people"), lambda progress: own.held_twice(choices, progress), done, key="own.twice",
            quiet=True, problem=lambda _problem: None,
        )  # fmt: skip

    def _say_twice(self, found: tuple[HeldTwice | None, HeldTwice | None]) -> None:
        for note, one in zip(self.twice, found, strict=True):
            note.setText(tr_core(one.said()) if one is not None else "")

    # what the steward does ------------------------------------------------------------------------

    def _keep(self, name: str, **values: Any) -> None:
        """A field that comes or goes does so in both files."""
        if self._two() and "fields" in values:
            second = values.pop("second", None) or self.project.choices.second_file()
            known = dict(second.columns)
            kept = tuple((one.name, known.get(one.name, "")) for one in values["fields"])
            values["second"] = replace(second, fields=(), columns=kept)
        super()._keep(name, **values)

    def _set_second(self, field: str, column_: str) -> None:
        second = self.project.choices.second_file()
        known = {**dict(second.columns), field: column_}
        kept = tuple((one.name, known.get(one.name, "")) for one in self.project.choices.fields)
        values = {"second": replace(second, fields=(), columns=kept)}
        QTimer.singleShot(0, self, lambda: self._keep("Choose column", **values))

    def _set_often(self, _data: object) -> None:
        direction = cast("Direction", f"{self.often[0].currentData()}-to-{self.often[1].currentData()}")
        self.change("Choose direction", settings=replace(self.project.choices.settings, direction=direction))

    def next_text(self) -> str:
        return tr("Next: matches") if self._two() else tr("Next: duplicates")
