"""Data of own files: the first, the second, or the one; once both are there, their columns are paired."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QTimer

from pprl_desktop.job.own_table import made_of
from pprl_desktop.project.choices import Choices
from pprl_desktop.ui.kit.i18n import tr
from pprl_desktop.ui.panes.data import DataPane

if TYPE_CHECKING:
    from pprl_desktop.job.own_files import Paired
    from pprl_desktop.job.own_table import OwnTable, Seen
    from pprl_desktop.job.quality import Remark
    from pprl_desktop.progress import Progress


class OwnDataPane(DataPane):
    """The first file, or the only one."""

    LETTER = "A"

    def _say_head(self) -> None:
        super()._say_head()
        loaded, two = self.pages.currentIndex() == 1, self.project.choices.kind == "two files"
        told = self.sentence.text()
        if two:
            title = tr("Check table {letter}", letter=self.LETTER) if loaded else ""
            self.head(title or tr("Load table {letter}", letter=self.LETTER), told)
        elif not loaded:
            self.head(tr("Load the table with duplicates"), told)

    def _third_fact(self) -> tuple[str, str, str]:
        return (
            "home",
            tr("It stays here"),
            tr("No key and no partner: what is compared is thrown away, the links stay."),
        )

    def _uses(self) -> list[tuple[str, object]]:
        return [
            (tr("Compared"), "matching"),
            (tr("Into the result"), "sensitive"),
            (tr("Record number"), "number"),
            (tr("Not used"), ""),
        ]

    def _why(self, remark: Remark) -> str:
        """There is no page Method, and in one file the same people are what is looked for."""
        if remark.cure != "held twice":
            return super()._why(remark)
        if self.project.choices.kind == "one file":
            return tr("If these are the same people, they are found on the page Duplicates.")
        return tr("If these are the same people, say on the page Fields that the table holds a person several times.")

    def _sensitive_words(self) -> str:
        return tr("in the linked table")

    # what the steward does ------------------------------------------------------------------------

    def _count_people(self, fresh: bool) -> None:
        """Another file: its columns find their counterparts, and what rested on the old one is gone."""
        findings, choices = self.desk.findings, self.project.choices
        if not fresh:
            return
        findings.both_twice = findings.own_outcome = findings.shown = None
        if choices.kind != "two files" or not choices.table_path or choices.second is None:
            return
        own, known = self.desk.own_files, (findings.seen, findings.second)

        def work(progress: Progress) -> tuple[Seen, Seen, Paired]:
            sides = ((own.first, choices), (own.second, choices.second_file()))
            seen = [
                one or table.load(Path(side.table_path), side, progress.part(0.0, 0.4))
                for one, (table, side) in zip(known, sides, strict=True)
            ]
            return seen[0], seen[1], own.paired(choices, seen[0], seen[1], progress.part(0.4, 1.0))

        def done(found: tuple[Seen, Seen, Paired]) -> None:
            findings.seen, findings.second, paired = found
            self.desk.change("Suggest fields", **paired.changes(self.project.choices))
            seen = self.seen
            if seen is not None:
                QTimer.singleShot(0, self, lambda: self._show(seen))

        self.run(tr("Comparing the columns of both files"), work, done, key="own.pair")

    def _set_use(self, name: str, use: str) -> None:
        """A column that is no longer compared takes its field away from both files."""
        choices, seen = self.project.choices, self.seen
        assert seen is not None
        of = {field for field, column in self.choices.columns if column == name}
        super()._set_use(name, use)
        if choices.kind == "two files" and use != "matching" and of:
            second = choices.second_file()
            kept = tuple(pair for pair in second.columns if pair[0] not in of)
            self.desk.change("Choose use of column", second=replace(second, fields=(), columns=kept))

    def next_text(self) -> str:
        if self.project.choices.kind != "two files" or self.LETTER == "B":
            return super().next_text()
        return tr("Next: table B")


class SecondDataPane(OwnDataPane):
    NAME = "data_b"
    HELP = "own_files"
    LETTER = "B"

    @property
    def choices(self) -> Choices:
        return self.project.choices.second_file()

    @property
    def table(self) -> OwnTable:
        return self.desk.own_files.second

    @property
    def seen(self) -> Seen | None:
        return self.desk.findings.second

    @seen.setter
    def seen(self, seen: Seen | None) -> None:
        self.desk.findings.second = seen

    def change(self, name: str, **values: Any) -> None:
        """What is set here is about the second file; only words for "missing" are about a field of both."""
        if set(values) == {"fields"}:
            super().change(name, **values)
            return
        second = replace(self.project.choices.second or Choices(), **values)
        self.desk.change(name, second=replace(second, fields=()))

    def _set_use(self, name: str, use: str) -> None:
        from pprl_desktop.records.fields import Field

        choices, seen = self.project.choices, self.seen
        assert seen is not None
        second = choices.second_file()
        of = {field for field, column in second.columns if name in made_of(column)}
        others_in = tuple(one for one in second.sensitive if one != name)
        changes: dict[str, Any] = {
            "sensitive": (*others_in, name) if use == "sensitive" else others_in,
            "id_column": name if use == "number" else "" if second.id_column == name else second.id_column,
        }  # fmt: skip
        fields, columns, others = choices.fields, choices.columns, second.columns
        if use != "matching":
            fields = tuple(one for one in fields if one.name not in of)
            columns = tuple(pair for pair in columns if pair[0] not in of)
            others = tuple(pair for pair in others if pair[0] not in of)
        elif not of and name not in {one.name for one in fields}:
            fields = (*fields, Field.of(name, seen.profile.column(name).kind))
            columns, others = (*columns, (name, "")), (*others, (name, name))
        second = replace(second, fields=(), columns=others, **changes)
        self.desk.change("Choose use of column", fields=fields, columns=columns, second=second, mapping=())
        QTimer.singleShot(0, self, lambda: self._show(seen))

    def _sample(self) -> None:
        from pprl_desktop import resources

        self.take_file(str(resources.find("samples", "hospital_b.csv")))
