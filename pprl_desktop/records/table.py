"""Tables as the rest of the program sees them: columns of distinct values and row codes.

Everything downstream works on distinct values, so a column is stored that way from the start.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.records import dates, unknown
from pprl_desktop.records.distinct import factorise
from pprl_desktop.records.fields import Field
from pprl_desktop.records.name_parts import parted
from pprl_desktop.records.roles import PARTS, Part, part_of

Codes = npt.NDArray[np.int32]
Strings = npt.NDArray[np.object_]

MISSING = -1  # code of a missing value in a cleaned column
PLUS = " + "  # between the columns of a date in parts: "year + month + day" names a column too


@dataclass(frozen=True, eq=False)
class Column:
    """`values` are distinct strings in order of first appearance; row i holds values[codes[i]]."""

    name: str
    values: Strings = field(repr=False)
    codes: Codes = field(repr=False)

    @classmethod
    def of(cls, name: str, cells: Iterable[str]) -> Column:
        """From plain cells (tests, small tables)."""
        seen: dict[str, int] = {}
        codes = np.fromiter((seen.setdefault(cell, len(seen)) for cell in cells), dtype=np.int32)
        values = np.empty(len(seen), dtype=object)
        values[:] = list(seen)
        return cls(name, values, codes)

    def __len__(self) -> int:
        return len(self.codes)

    def cell(self, row: int) -> str:
        code = int(self.codes[row])
        return "" if code == MISSING else str(self.values[code])

    def cells(self) -> list[str]:
        padded = np.append(self.values, "")  # code -1 reads the appended empty string
        return list(padded[self.codes])

    def counts(self) -> npt.NDArray[np.int64]:
        """How many rows hold each distinct value."""
        return np.bincount(self.codes[self.codes >= 0], minlength=len(self.values))

    def take(self, rows: npt.NDArray[Any]) -> Column:
        """The cells of these rows, with only the values that they hold."""
        codes, first = factorise(self.codes[rows].astype(np.uint64))
        held = self.codes[rows][first]
        number = np.arange(len(held), dtype=np.int32) - np.cumsum(held == MISSING, dtype=np.int32)
        number[held == MISSING] = MISSING
        return Column(self.name, self.values[held[held != MISSING]], number[codes])


@dataclass(frozen=True, eq=False)
class Table:
    """What was read, unchanged: every cell is text, an empty cell is the value ''."""

    columns: tuple[Column, ...]

    @classmethod
    def of(cls, header: Sequence[str], rows: Iterable[Sequence[str]]) -> Table:
        cells = list(zip(*rows, strict=True)) or [()] * len(header)
        return cls(tuple(Column.of(name, column) for name, column in zip(header, cells, strict=True)))

    @property
    def rows(self) -> int:
        return len(self.columns[0]) if self.columns else 0

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    def has(self, name: str) -> bool:
        """Whether a column has this name, or one of them its part, or three of them make up the date of this name."""
        return name in self.names or self._whole(name) is not None or self._dated(name)

    def _whole(self, name: str) -> tuple[Column, Part] | None:
        """The column of full names that this is the first or the last part of."""
        part = part_of(name)
        whole = next((column for column in self.columns if part is not None and column.name == part[0]), None)
        return (whole, part[1]) if whole is not None and part is not None else None

    def _dated(self, name: str) -> bool:
        parts = name.split(PLUS)
        return len(parts) == 3 and set(parts) <= set(self.names)

    def column(self, name: str) -> Column:
        for column in self.columns:
            if column.name == name:
                return column
        whole = self._whole(name)
        if whole is not None:
            return _part_of(name, *whole)
        if self._dated(name):
            return _date_of(name, [self.column(part) for part in name.split(PLUS)])
        from pprl_desktop.records.names import no_such_column

        raise no_such_column(name, self.names)


def collected(names: Sequence[str], rows: Iterable[Sequence[str]], progress: Progress = NO_PROGRESS) -> Table:
    """Distinct values and codes, row by row; a row that is too short is filled with empty cells."""
    seen: list[dict[str, int]] = [{} for _ in names]
    codes = [array("i") for _ in names]
    for count, row in enumerate(rows):
        if count % 10_000 == 0:
            progress.check()
        for at, known in enumerate(seen):
            codes[at].append(known.setdefault(row[at] if at < len(row) else "", len(known)))
    made = []
    for name, known, places in zip(names, seen, codes, strict=True):
        values = np.empty(len(known), dtype=object)
        values[:] = list(known)
        made.append(Column(name, values, np.frombuffer(places, np.int32).copy()))
    return Table(tuple(made))


def _date_of(name: str, parts: Sequence[Column]) -> Column:
    """Year, month and day as one date; where the day or the month is missing, as much as there is."""
    cells = zip(*(unknown.known(part).cells() for part in parts), strict=True)
    return Column.of(name, (dates.of_parts(*values) for values in cells))


def _part_of(name: str, whole: Column, part: Part) -> Column:
    """The first or the last name of each full name."""
    place = PARTS.index(part)
    seen: dict[str, int] = {}
    codes = np.array([seen.setdefault(parted(str(text))[place], len(seen)) for text in whole.values] or [0], np.int32)
    values = np.empty(len(seen), dtype=object)
    values[:] = list(seen)
    return Column(name, values, np.where(whole.codes >= 0, codes[whole.codes], MISSING).astype(np.int32))


@dataclass(frozen=True, eq=False)
class CleanTable:
    """The agreed matching fields of a table after cleaning. Row i is row i of the table it came from.

    A missing value has code MISSING; '' is never among the values.
    """

    fields: tuple[Field, ...]
    columns: tuple[Column, ...]  # one per field, same order, named like the field

    @property
    def rows(self) -> int:
        return len(self.columns[0]) if self.columns else 0

    def column(self, field_name: str) -> Column:
        return next(column for column in self.columns if column.name == field_name)

    def take(self, rows: npt.NDArray[Any]) -> CleanTable:
        """The same fields for a choice of rows; distinct values are shared, not copied."""
        return CleanTable(self.fields, tuple(Column(c.name, c.values, c.codes[rows]) for c in self.columns))
