"""The own table, from its file to what is compared: read once, cleaned once, smashed once for each recipe.

Clear cells stay in here, in memory: the window and the verbs hand over choices and get plain answers. Nothing is
saved; after reopening, the table is read again and checked against its hash.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pprl_desktop.problem import Problem
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.project.choices import Choices

if TYPE_CHECKING:
    from pprl_desktop.codes.base import Recipe, Smashed
    from pprl_desktop.job.held_twice import HeldTwice
    from pprl_desktop.job.quality import Quality
    from pprl_desktop.records.cleaning import BeforeAfter
    from pprl_desktop.records.column_steps import AppliedStep
    from pprl_desktop.records.fields import Field
    from pprl_desktop.records.profile import Profile
    from pprl_desktop.records.reading import Reading, ReadOptions
    from pprl_desktop.records.table import CleanTable, Table
    from pprl_desktop.said import Said


@dataclass(frozen=True)
class Seen:
    """What was understood of a table. `changes` are the choices that follow, suggestions included."""

    path: str
    rows: int
    columns: tuple[str, ...]
    encoding: str
    separator: str
    header_line: int
    warnings: tuple[Problem, ...]
    profile: Profile
    sha256: str
    quality: Quality
    copies: int = 0  # records left out because they are copies of others
    sheet: str = ""  # of a workbook
    sheets: tuple[str, ...] = ()
    rules: tuple[Said, ...] = ()  # how cells that were no text became text
    labelled: int = 0  # columns of coded values that have labels
    applied: tuple[AppliedStep, ...] = field(default=(), repr=False)  # what the declared steps did
    labels: bool = True  # whether they stand for the codes
    widths: str = ""  # layout of fixed widths

    def changes(self) -> dict[str, Any]:
        """For Project.change: the table, and defaults that run all the way."""
        return {
            "table_path": self.path,
            "table_sha256": self.sha256,
            "rows": self.rows,
            "encoding": self.encoding,
            "separator": self.separator,
            "header_line": self.header_line,
            "sheet": self.sheet,
            "labels": self.labels,
            "widths": self.widths,
            "made": tuple(one.step.text for one in self.applied),
            **suggested(self.profile, {name for one in self.applied for name in one.step.of}),
        }


def made_of(name: str) -> set[str]:
    """The columns that a column may stand for: itself, the three of a date, the one whose part it is."""
    from pprl_desktop.records.roles import part_of
    from pprl_desktop.records.table import PLUS

    part = part_of(name)
    return {name, *name.split(PLUS), *([part[0]] if part is not None else [])}


def field_name(column: str, taken: Collection[str]) -> str:
    """What a field on this column is called, unlike those that are taken."""
    from pprl_desktop.records.date_parts import short_name

    short = short_name(column)
    names = itertools.chain([short], (f"{short}_{number}" for number in itertools.count(2)))
    return next(name for name in names if name not in taken)


def suggested(profile: Profile, without: Collection[str] = ()) -> dict[str, Any]:
    """Matching fields, id and sensitive columns as the profile suggests them; not what others were made of."""
    from pprl_desktop.records.fields import Field

    used = [name for name in profile.matching if name not in without]
    named: dict[str, str] = {}
    for column in used:
        named[field_name(column, named)] = column
    return {
        "fields": tuple(Field.of(name, profile.column(column).kind) for name, column in named.items()),
        "columns": tuple(named.items()),
        "sensitive": tuple(profile.sensitive),
        "id_column": profile.id_column,
        "mapping": (),
    }


@dataclass(frozen=True, eq=False)
class LookedAt:
    """What was understood of a file, for whoever has no project: without a value of any record but in the reading."""

    reading: Reading = field(repr=False)
    profile: Profile
    held_twice: HeldTwice | None  # in the suggested fields; None where none are suggested


def look_at(path: Path, options: ReadOptions, progress: Progress = NO_PROGRESS) -> LookedAt:
    from pprl_desktop.job.held_twice import find
    from pprl_desktop.records.cleaning import clean
    from pprl_desktop.records.profile import profile
    from pprl_desktop.records.reading import read_table

    reading = read_table(path, options, progress.part(0.0, 0.3))
    seen = profile(reading.table, progress.part(0.3, 0.5))
    found = suggested(seen)
    if not found["fields"]:
        return LookedAt(reading, seen, None)
    table = clean(reading.table, found["fields"], dict(found["columns"]), progress.part(0.5, 0.55))
    return LookedAt(reading, seen, find(table, progress.part(0.55, 1.0)))


def read(path: Path, progress: Progress = NO_PROGRESS, options: ReadOptions | None = None) -> Table:
    """A table as its file says, for the verbs that have no project and no agreement."""
    from pprl_desktop.records.reading import GUESS, read_table

    return read_table(path, options or GUESS, progress).table


def named_fields(table: Table, wanted: Sequence[tuple[str, str, str]]) -> tuple[Field, ...]:
    """(field, kind, column) -> fields; without a kind the one that the column looks like; derived ones are marked.

    Words of the column that can only mean "unknown" count as missing.
    """
    from pprl_desktop.records.fields import Field
    from pprl_desktop.records.profile import guess_kind, with_derived
    from pprl_desktop.records.unknown import stand_ins

    fields = []
    for name, kind, column in wanted:
        guessed = guess_kind(table.column(column))  # a column that is not there is said before a type that is not
        fields.append(Field.of(name, kind or guessed).with_cleaning(missing_words=stand_ins(table.column(column))))
    same = all(name == column for name, _, column in wanted)
    return with_derived(table, fields, {}) if same else tuple(fields)


def with_words_of(fields: Sequence[Field], table: Table, columns: Mapping[str, str]) -> tuple[Field, ...]:
    """The fields, with the words for "unknown" that the columns of a further table hold."""
    from pprl_desktop.records.unknown import stand_ins

    made = []
    for one in fields:
        words = (*one.cleaning.missing_words, *stand_ins(table.column(columns.get(one.name, one.name))))
        made.append(one.with_cleaning(missing_words=tuple(dict.fromkeys(words))))
    return tuple(made)


def marked(fields: tuple[Field, ...], columns: Mapping[str, str], profile: Profile) -> tuple[Field, ...]:
    """The fields as chosen; those whose column follows from the columns of others say so, and count once."""
    field_of = {columns.get(one.name, one.name): one.name for one in fields}
    made = []
    for one in fields:
        found = profile.repeats(columns.get(one.name, one.name))
        known = found is not None and found.derived and set(found.beside) <= set(field_of)
        beside = found.beside if found is not None and known else ()
        made.append(replace(one, derived=tuple(field_of[column] for column in beside)))
    return tuple(made)


class OwnTable:
    """Give it the choices with each call: what was made is kept as long as the choices it came from are the same."""

    def __init__(self) -> None:
        self._path = ""
        self._reading: Reading | None = None
        self._dropped = False  # whether copies were left out of it
        self._how: tuple[object, ...] = ()  # further choices that it was read with
        self._clean: CleanTable | None = None
        self._clean_of: tuple[Table, object] | None = None
        self._smashed: tuple[CleanTable, Recipe, Smashed] | None = None

    def load(self, path: Path, choices: Choices | None = None, progress: Progress = NO_PROGRESS) -> Seen:
        """Read and profile a table. Reading options set by hand come with `choices`."""
        from pprl_desktop.job.quality import look
        from pprl_desktop.records.profile import profile
        from pprl_desktop.records.reading import read_table

        reading = read_table(path, read_options(choices or Choices()), progress.part(0.0, 0.5))
        drop = choices is not None and choices.drop_copies
        reading, copies = _without_copies(reading, choices.id_column) if choices is not None and drop else (reading, 0)
        seen = profile(reading.table, progress.part(0.5, 1.0))
        self._path, self._reading, self._dropped = str(path), reading, drop
        self._how = _how(choices or Choices())
        return Seen(
            str(path),
            reading.table.rows,
            reading.table.names,
            reading.encoding,
            reading.separator,
            reading.header_line,
            reading.warnings,
            seen,
            reading.sha256,
            look(reading.table, seen),
            copies,
            reading.sheet,
            reading.sheets,
            reading.rules,
            reading.labelled,
            reading.applied,
            choices is None or choices.labels,
            reading.widths,
        )

    def table(self, choices: Choices, progress: Progress = NO_PROGRESS) -> Table:
        """The clear table, for work inside the core only; choices without a hash take the file as it is."""
        if self._reading is None or not self._fits(self._reading, choices):
            self._path, self._reading = choices.table_path, _read(choices, progress)
            self._dropped, self._how = choices.drop_copies, _how(choices)
        return self._reading.table

    def _fits(self, reading: Reading, choices: Choices) -> bool:
        same = reading.sha256 == choices.table_sha256 if choices.table_sha256 else self._path == choices.table_path
        return (
            same
            and choices.drop_copies == self._dropped
            and choices.encoding in ("", reading.encoding)
            and choices.separator in ("", reading.separator)
            and choices.header_line in (None, reading.header_line)
            and choices.sheet in ("", reading.sheet)
            and self._how == _how(choices)
        )

    @property
    def warnings(self) -> tuple[Problem, ...]:
        """What there is to say of how the table at hand was read; no value stands in it."""
        return self._reading.warnings if self._reading is not None else ()

    def head(self, rows: int = 50) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        """Header and first rows of the own table, for its own steward's eyes on the page Data."""
        if self._reading is None:
            return (), []
        table = self._reading.table
        cells = [[column.cell(row) for row in range(min(rows, table.rows))] for column in table.columns]
        return table.names, list(zip(*cells, strict=True))

    def copies(self, id_column: str, rows: int = 50) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        """Header and the first rows that are copies of others, beside what they copy; for the own steward's eyes."""
        from pprl_desktop.records.duplicates import alike

        if self._reading is None:
            return (), []
        table = self._reading.table
        same = alike([column.codes for column in table.columns if column.name != id_column])[:rows]
        return table.names, [tuple(column.cell(int(row)) for column in table.columns) for row in same]

    def tried(self, step: str) -> AppliedStep:
        """What a step that makes columns of others would do to the table at hand; for the own steward's eyes."""
        from pprl_desktop.records.column_steps import apply

        if self._reading is None:
            raise Problem("No table is loaded yet.", do="Choose a file.", place="table_path")
        return apply(self._reading.table, [step])[1][0]

    def before_after(self, choices: Choices, progress: Progress = NO_PROGRESS) -> tuple[BeforeAfter, ...]:
        """What cleaning does to each field, with a few own examples for its own steward's eyes."""
        from pprl_desktop.records.cleaning import before_after

        table = self.table(choices, progress.part(0.0, 0.7))
        return tuple(before_after(table, choices.fields, dict(choices.columns), progress=progress.part(0.7, 1.0)))

    def clean(self, choices: Choices, progress: Progress = NO_PROGRESS) -> CleanTable:
        from pprl_desktop.records.cleaning import clean

        table = self.table(choices, progress.part(0.0, 0.7))
        key = (choices.fields, choices.columns)
        kept = self._clean_of
        if self._clean is None or kept is None or kept[0] is not table or kept[1] != key:
            self._clean = clean(table, choices.fields, dict(choices.columns), progress.part(0.7, 1.0))
            self._clean_of = table, key
        return self._clean

    def numbers(self, choices: Choices) -> list[str] | None:
        """The own record numbers, which tell a changed record from a new one; None where no column is chosen."""
        return self.table(choices).column(choices.id_column).cells() if choices.id_column else None

    def held_twice(self, choices: Choices, progress: Progress = NO_PROGRESS) -> HeldTwice | None:
        """How many people the table holds more than once, in the chosen fields; None where there are none."""
        from pprl_desktop.job.held_twice import find

        if not choices.fields:
            return None
        return find(self.clean(choices, progress.part(0.0, 0.1)), progress.part(0.1, 1.0))

    def smash(self, table: CleanTable, recipe: Recipe, progress: Progress = NO_PROGRESS) -> Smashed:
        """Of the own clean table the last one is kept; any other, such as one with decoys, is made and handed on."""
        from pprl_desktop.matching.party import smash

        if table is not self._clean:
            return smash(table, recipe, progress)
        kept = self._smashed
        if kept is None or kept[0] is not table or kept[1] != recipe:
            kept = table, recipe, smash(table, recipe, progress)
            self._smashed = kept
        return kept[2]


def sheets_of(path: Path) -> tuple[tuple[str, ...], str]:
    """Of a workbook, and the one that is taken unless another is chosen; none of any other file."""
    from pprl_desktop.records.reading import preview

    found = preview(path, rows=1)
    return found.sheets, found.sheet


def first_lines(path: Path, count: int) -> tuple[str, ...]:
    """Of a text, for the steward who says where its columns stand; nothing where they cannot be read."""
    from pprl_desktop.records import reading

    try:
        return reading.first_lines(path, count)
    except Problem:
        return ()


def read_options(choices: Choices) -> ReadOptions:
    """How the table is read, as the steward chose."""
    from pprl_desktop.records.reading import ReadOptions

    return ReadOptions(
        choices.encoding, choices.separator, None, choices.header_line, choices.sheet, choices.labels, choices.widths,
        choices.made,
    )  # fmt: skip


def as_choices(options: ReadOptions) -> dict[str, Any]:
    """The other way round: what the terminal's options choose."""
    return {"sheet": options.sheet, "labels": options.labels, "widths": options.widths, "made": options.made}


def as_remembered(choices: Choices) -> tuple[tuple[str, str], ...]:
    """For the record of an agreement: only what differs from the usual."""
    plain = [("sheet", choices.sheet), ("codes", "" if choices.labels else "yes"), ("widths", choices.widths)]
    plain.append(("id", choices.id_column))
    return tuple(one for one in (*plain, *(("make", step) for step in choices.made)) if one[1])


def remembered(kept: tuple[tuple[str, str], ...], table: Path, given: ReadOptions | None = None) -> dict[str, Any]:
    """What was given now, and else what was kept, as far as it makes sense for this kind of file."""
    from pprl_desktop.records.formats import is_other_format
    from pprl_desktop.records.workbooks import SHEETS

    now = as_choices(given) if given is not None else {"sheet": "", "labels": True, "widths": "", "made": ()}
    known = dict(kept)
    if table.suffix.lower() in SHEETS:
        now["sheet"] = now["sheet"] or known.get("sheet", "")
    if not is_other_format(table):
        now["widths"] = now["widths"] or known.get("widths", "")
    now["labels"] = now["labels"] and not known.get("codes")
    now["id_column"] = known.get("id", "")
    now["made"] = now["made"] or tuple(value for name, value in kept if name == "make")
    return now


def _how(choices: Choices) -> tuple[object, ...]:
    return choices.labels, choices.widths, choices.made


def _read(choices: Choices, progress: Progress) -> Reading:
    from pprl_desktop.records.reading import read_table

    if not choices.table_path:
        raise Problem("No table is loaded yet.", do="Choose a file.", place="table_path")
    path = Path(choices.table_path)
    if choices.table_sha256 and not path.is_file():
        raise Problem(
            "The table is no longer where it was.",
            "The file was moved, renamed or deleted.",
            "Put it back, or choose it again on the page Data.",
            place="table_path",
        )
    reading = read_table(path, read_options(choices), progress)
    if choices.table_sha256 not in ("", reading.sha256):
        raise Problem(
            "The table has changed since it was loaded.",
            "Results made from the old file no longer fit it.",
            "Load it again on the page Data.",
            place="table_path",
        )
    return _without_copies(reading, choices.id_column)[0] if choices.drop_copies else reading


def _without_copies(reading: Reading, id_column: str) -> tuple[Reading, int]:
    """The reading with one record of each kind, and how many were left out."""
    from pprl_desktop.records.duplicates import without_copies

    table = without_copies(reading.table, id_column)
    return replace(reading, table=table), reading.table.rows - table.rows
