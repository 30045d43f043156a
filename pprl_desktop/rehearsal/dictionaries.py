"""What the attacker knows before: for each field a list of values with how likely each is."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt

from pprl_desktop.problem import Problem
from pprl_desktop.records.cleaning import clean_column
from pprl_desktop.records.fields import Field
from pprl_desktop.records.roles import role
from pprl_desktop.records.table import CleanTable, Column
from pprl_desktop.reference.names import NameList, dictionary
from pprl_desktop.said import Said

Role = Literal["first", "last", "middle", "name", "other"]

OLDEST, YOUNGEST = date(1908, 1, 1), date(2026, 12, 31)  # dates of birth tried
INITIALS_SHARE = 0.3  # of middle names that are one letter
UNLISTED = ("id",)  # kinds of which nobody has a list


@dataclass(frozen=True, eq=False)
class Guesses:
    """Distinct cleaned values of one field with their prior probability."""

    field: Field
    role: Role
    source: Said  # for the report: "Census 1990 last names", "all dates 1908-2026", "the values of the own column"
    values: npt.NDArray[np.object_] = dataclasses.field(repr=False)
    shares: npt.NDArray[np.float64] = dataclasses.field(repr=False)

    def __len__(self) -> int:
        return len(self.values)

    @cached_property
    def log_prior(self) -> npt.NDArray[np.float32]:
        return np.log(np.maximum(self.shares, 1e-12)).astype(np.float32)

    @cached_property
    def index(self) -> Mapping[str, int]:
        return {value: place for place, value in enumerate(self.values)}

    @cached_property
    def fingerprint(self) -> str:
        data = "\0".join([self.field.name, self.field.kind, *self.values]).encode("utf-8", "surrogatepass")
        return hashlib.sha256(data).hexdigest()

    @property
    def likeliest(self) -> int:
        return int(np.argmax(self.shares)) if len(self.shares) else -1

    def column(self) -> Column:
        return Column(self.field.name, self.values, np.arange(len(self.values), dtype=np.int32))

    def truth(self, column: Column) -> npt.NDArray[np.int64]:
        """Per row the place of its true value in the list, -1 where it is not listed, -2 where it is missing."""
        places = np.array([*(self.index.get(str(value), -1) for value in column.values), -2], dtype=np.int64)
        return places[column.codes]

    def most_frequent(self, count: int) -> Guesses:
        kept = np.sort(np.argsort(-self.shares, kind="stable")[:count])
        return Guesses(self.field, self.role, self.source, self.values[kept], self.shares[kept])


def role_of(one: Field) -> Role:
    if one.kind != "name":
        return "other"
    known = role(one.name)  # the steward can say it instead
    return known if known in ("last", "first", "middle") else "name"


def guesses_for(
    table: CleanTable, fields: tuple[Field, ...], given: Mapping[str, NameList], roles: Mapping[str, Role]
) -> tuple[Guesses, ...]:
    """The lists of a well-prepared partner: names with frequencies, every date, and the possible values of the rest.

    For towns, categories and numbers the partner holds a table of the same kind and knows the values that occur; the
    own column stands in for it, so for these fields the rehearsal is a worst case.
    """
    made = []
    for one in fields:
        role = roles.get(one.name, role_of(one))
        if one.name in given:
            made.append(_cleaned(one, role, Said("the given list"), given[one.name]))
        elif role != "other" or one.kind == "date":
            made.append(_built_in(one, role))
        elif one.kind not in UNLISTED:
            column = table.column(one.name)
            counts = column.counts().astype(np.float64)
            used = counts > 0
            shares = counts[used] / max(counts.sum(), 1.0)
            made.append(Guesses(one, role, Said("the values of the own column"), column.values[used], shares))
    return tuple(guesses for guesses in made if len(guesses))


def read_list(path: Path) -> NameList:
    """A CSV with a value in the first column and, if there is a second, how often it occurs."""
    from pprl_desktop.records.reading import read_table

    table = read_table(path).table
    if not table.rows:
        raise Problem("The dictionary file is empty.", do="Choose a CSV with one value per line.", place="dictionary")
    counts = np.ones(table.rows, dtype=np.int64)
    if len(table.columns) > 1:
        try:
            cells = table.columns[1].cells()
            counts = np.array([max(1, int(float(cell.replace(",", "") or 1))) for cell in cells], dtype=np.int64)
        except ValueError:
            raise Problem(
                "The second column of the dictionary file is not a number.",
                "It should say how often each value occurs.",
                "Give a CSV with the columns value and count, or with values only.",
                place="dictionary",
            ) from None
    return NameList(tuple(table.columns[0].cells()), counts)


@lru_cache(maxsize=16)
def _built_in(one: Field, role: Role) -> Guesses:
    if role == "other":
        return _cleaned(
            one, role, Said("all dates {first:plain}-{last:plain}", first=OLDEST.year, last=YOUNGEST.year), _dates()
        )
    if role == "middle":
        return _cleaned(one, role, Said("Census 1990 first and last names, and initials"), _middle())
    if role == "name":
        both = _mixed((dictionary("first"), 0.5), (dictionary("last"), 0.5))
        return _cleaned(one, role, Said("Census 1990 first and last names"), both)
    source = Said("Census 1990 first names") if role == "first" else Said("Census 1990 last names")
    return _cleaned(one, role, source, dictionary(role))


def _cleaned(one: Field, role: Role, source: Said, names: NameList) -> Guesses:
    """The list as the agreed cleaning makes it; values that become equal are added up."""
    values = np.empty(len(names), dtype=object)
    values[:] = names.values
    column = clean_column(Column(one.name, values, np.arange(len(names), dtype=np.int32)), one)
    known = column.codes >= 0
    counts = np.bincount(column.codes[known], weights=names.counts[known], minlength=len(column.values))
    return Guesses(one, role, source, column.values, counts / max(counts.sum(), 1.0))


def _mixed(*lists: tuple[NameList, float]) -> NameList:
    values = tuple(value for names, _ in lists for value in names.values)
    counts = np.concatenate([names.shares * weight for names, weight in lists])
    return NameList(values, np.maximum(1, np.rint(counts * 1e9)).astype(np.int64))


def _middle() -> NameList:
    """First names, initials, and last names: a maiden name often becomes the middle name."""
    letters = NameList(tuple("ABCDEFGHIJKLMNOPQRSTUVWXYZ"), np.ones(26, dtype=np.int64))
    return _mixed((dictionary("first"), 0.6), (letters, INITIALS_SHARE), (dictionary("last"), 0.1))


def _dates() -> NameList:
    days = (YOUNGEST - OLDEST).days + 1
    values = tuple((OLDEST + timedelta(day)).isoformat() for day in range(days))
    return NameList(values, np.ones(days, dtype=np.int64))
