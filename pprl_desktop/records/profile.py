"""What was understood of a table, without a single personal value: kinds, gaps, shapes, duplicates, suggestions."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from pprl_desktop.problem import Problem
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.records.cleaning import clean_column, date_report
from pprl_desktop.records.date_parts import find_parts
from pprl_desktop.records.dates import DateReport
from pprl_desktop.records.duplicates import Duplicates, alike, extra, find_duplicates, repeated
from pprl_desktop.records.fields import Field, FieldKind
from pprl_desktop.records.hints import hint, is_age, is_bare_number, is_birth, is_record_id, is_shared_id
from pprl_desktop.records.kinds import Sample, guess_kind, kind_of, sensitive_reason
from pprl_desktop.records.name_parts import has_parts
from pprl_desktop.records.redundancy import Redundant, find_redundant, sampled
from pprl_desktop.records.roles import named, of_whom, part_of
from pprl_desktop.records.shapes import Shape, shapes
from pprl_desktop.records.table import MISSING, PLUS, Column, Table
from pprl_desktop.records.unknown import is_word, known
from pprl_desktop.said import NOTHING, Said

__all__ = ["ColumnProfile", "Profile", "guess_kind", "profile"]

SHAPE_SAMPLE = 20_000  # distinct values the shapes are counted on
MOSTLY_MISSING = 0.95
MOST_FIELDS = 8  # more matching fields than that are rarely worth their disclosure
PLACE = 4  # in _order: where people live and can be reached
SMALL = 1_000  # distinct values
HARMLESS_ID = 4  # characters: a running number may be named in a message, a registry number may not


@dataclass(frozen=True)
class ColumnProfile:
    name: str
    kind: FieldKind
    missing: float  # share of the rows
    distinct: int  # different values that are not empty
    shortest: int  # characters, of values that are not empty
    longest: int
    shapes: tuple[Shape, ...]
    sensitive: Said = NOTHING  # why it looks sensitive
    dates: DateReport | None = None
    missing_words: tuple[
        tuple[str, int], ...
    ] = ()  # words that may mean "unknown", and their rows: the steward decides

    def as_dict(self) -> dict[str, Any]:
        return {**asdict(self), "sensitive": str(self.sensitive)}


@dataclass(frozen=True)
class Profile:
    rows: int
    columns: tuple[ColumnProfile, ...]
    id_column: str  # "" where none was found
    matching: tuple[str, ...]  # suggested matching fields
    sensitive: tuple[str, ...]  # suggested sensitive columns
    exact_duplicates: int  # rows alike in everything but the id
    duplicates: Duplicates  # among the suggested matching fields, cleaned
    duplicate_ids: int  # rows whose id another row has too
    warnings: tuple[Problem, ...] = ()
    redundant: tuple[Redundant, ...] = ()  # columns that others determine: not suggested beside these
    joined: tuple[ColumnProfile, ...] = ()  # dates in three columns, offered as one; parts of full names

    @property
    def near_duplicates(self) -> int:
        return self.duplicates.near

    def column(self, name: str) -> ColumnProfile:
        return next(column for column in (*self.columns, *self.joined) if column.name == name)

    def repeats(self, name: str) -> Redundant | None:
        """Why this column is not suggested beside others, if that is so."""
        return next((one for one in self.redundant if one.column == name), None)

    def as_dict(self) -> dict[str, Any]:
        return {
            "rows": self.rows,
            "columns": [column.as_dict() for column in self.columns],
            "id_column": self.id_column,
            "matching": list(self.matching),
            "redundant": [one.as_dict() for one in self.redundant],
            "joined": [column.as_dict() for column in self.joined],
            "sensitive": list(self.sensitive),
            "exact_duplicates": self.exact_duplicates,
            "near_duplicates": asdict(self.duplicates),
            "duplicate_ids": self.duplicate_ids,
            "warnings": [problem.as_dict() for problem in self.warnings],
        }


def profile(table: Table, progress: Progress = NO_PROGRESS) -> Profile:
    """Everything a steward should know before cleaning; no value of the table is in it."""
    found: list[ColumnProfile] = []
    sure: list[Column] = []
    for index, column in enumerate(table.columns):
        progress.at(0.6 * index / max(len(table.columns), 1), "Looking at the columns")
        sure.append(known(column, progress))  # "n/a" says nothing of a column
        progress.check()
        part = progress.part(0.6 * index / len(table.columns), 0.6 * (index + 1) / len(table.columns))
        found.append(_column(column, sure[-1], part))
    table = Table(tuple(sure))
    id_column = _id_column(table, found)
    sensitive = tuple(column.name for column in found if column.sensitive and column.name != id_column)
    joined = _joined(table, progress)
    parts = tuple(part for one in joined for part in one.name.split(PLUS))
    named = [*(one for one in found if one.name not in parts), *joined]
    able = _able(named, id_column, sensitive, _mostly_empty(table, named))
    progress.at(0.6, "Looking for columns that repeat others")
    redundant = _redundant(table, able, progress.part(0.6, 0.7))
    whole, of_name = _of_full_name(table, able, redundant, progress)
    if whole is not None:
        joined += of_name
        able = [*(one for one in able if one.name != whole.column), *of_name]
        redundant = (*(one.beside_parts(whole) for one in redundant), whole)
    places = [table.column(one.name) for one in able if _order(one) == PLACE]
    telling = {one.name: _telling(one, table.rows, progress) for one in places}
    matching = _matching(able, redundant, (*table.names, *(one.name for one in joined)), telling)
    progress.at(0.7, "Looking for duplicates")
    exact, duplicates = _duplicates(table, [*found, *joined], matching, id_column, progress.part(0.7, 1.0))
    ids, told = _duplicate_ids(table, id_column)
    progress.at(1.0)
    return Profile(
        table.rows,
        tuple(found),
        id_column,
        matching,
        sensitive,
        exact,
        duplicates,
        ids,
        (*told, *_warnings(found)),
        redundant,
        tuple(joined),
    )


def _joined(table: Table, progress: Progress) -> list[ColumnProfile]:
    """Dates in three columns."""
    name = find_parts(table.columns)
    if not name:
        return []
    column = table.column(name)
    return [replace(_column(column, column, progress), kind="date")]


def _of_full_name(
    table: Table, able: Sequence[ColumnProfile], redundant: Sequence[Redundant], progress: Progress
) -> tuple[Redundant | None, list[ColumnProfile]]:
    """First and last name of the only column that names people, where it holds both."""
    repeated_ones = {one.column for one in redundant}
    own = [one for one in able if one.kind == "name" and not of_whom(one.name) and one.name not in repeated_ones]
    names = [one for one in own if hint(one.name) == "person"] or [one for one in own if not hint(one.name)]
    if len(names) != 1:
        return None, []
    whole = names[0].name
    column = table.column(whole)
    if part_of(whole) is not None or not has_parts(column.values.tolist(), column.counts()):
        return None, []
    parts = [table.column(name) for name in named(whole)]
    told = [replace(_column(part, part, progress.part(1.0, 1.0)), kind="name") for part in parts]
    return Redundant(whole, tuple(one.name for one in told), "holds", 1.0), told


def with_derived(
    table: Table, fields: Sequence[Field], columns: Mapping[str, str], progress: Progress = NO_PROGRESS
) -> tuple[Field, ...]:
    """The fields, each marked with those of the others that it is worked out of on this table."""
    found = {one.column: one for one in _repeating(table, fields, columns, progress) if one.derived}
    return tuple(replace(one, derived=found[one.name].beside if one.name in found else ()) for one in fields)


def _redundant(table: Table, able: Sequence[ColumnProfile], progress: Progress) -> tuple[Redundant, ...]:
    ranked = sorted(able, key=_order)
    return _repeating(table, [Field.of(one.name, one.kind) for one in ranked], {}, progress)


def _repeating(
    table: Table, fields: Sequence[Field], columns: Mapping[str, str], progress: Progress
) -> tuple[Redundant, ...]:
    """Of fields in the order in which they are worth keeping."""
    still = progress.part(1.0, 1.0)
    cleaned = [clean_column(sampled(table.column(columns.get(one.name, one.name))), one, still) for one in fields]
    return find_redundant(cleaned, [one.kind for one in fields], progress)


def _duplicates(
    table: Table, found: Sequence[ColumnProfile], matching: tuple[str, ...], id_column: str, progress: Progress
) -> tuple[int, Duplicates]:
    """Rows alike in everything but the id, and records alike in the matching fields once these are clean."""
    known = {column.name: column for column in found}
    compared = []
    for index, name in enumerate(matching):
        part = progress.part(0.6 * index / len(matching), 0.6 * (index + 1) / len(matching))
        compared.append(_comparable(table.column(name), known[name], part))
    others = [column.codes for column in table.columns if column.name != id_column]
    if not others:
        return 0, Duplicates(0, 0)
    progress.check()
    same = alike([column.codes for column in compared] or others)  # rows alike in everything are among these
    progress.check()
    exact = extra(others, same)
    return exact, find_duplicates(compared, progress.part(0.6, 1.0), same)


def _comparable(column: Column, known: ColumnProfile, progress: Progress) -> Column:
    """Cleaned; dates, ids and numbers that are all written alike compare as they are."""
    if known.kind in ("name", "text", "category") or len(known.shapes) != 1:
        return clean_column(column, Field.of(column.name, known.kind), progress)
    empty = np.fromiter(map(str.isspace, column.values), bool, len(column.values)) | (column.values == "")
    codes = np.where(np.append(empty, True)[column.codes], MISSING, column.codes).astype(np.int32)
    return Column(column.name, column.values, codes)


def _column(whole: Column, column: Column, progress: Progress) -> ColumnProfile:
    """`column`: without words for "unknown"."""
    every = whole.counts()
    counts = every if column is whole else column.counts()
    empty = int(every[np.array([not text or text.isspace() for text in whole.values], dtype=bool)].sum())
    lengths = np.fromiter(map(len, column.values), np.int64, len(column.values))
    filled = (lengths > 0) & ~np.fromiter(map(str.isspace, column.values), bool, len(column.values))
    values, rows, lengths = column.values[filled], counts[filled], lengths[filled]
    progress.check()
    sample = Sample.of(column, counts)
    kind = kind_of(column.name, sample, len(values), len(column))
    step = max(len(values) // SHAPE_SAMPLE, 1)
    total = max(len(column), 1)
    return ColumnProfile(
        column.name,
        kind,
        round(empty / total, 6),
        len(values),
        int(lengths.min()) if len(lengths) else 0,
        int(lengths.max()) if len(lengths) else 0,
        shapes(values[::step].tolist(), rows[::step]) if len(values) else (),
        sensitive_reason(column.name, sample, len(values)),
        date_report(column, progress=progress) if kind == "date" else None,
        _missing_words(whole, every),
    )


def _missing_words(column: Column, counts: npt.NDArray[np.int64]) -> tuple[tuple[str, int], ...]:
    """A word for "unknown" stands in one of a thousand rows at least; in a small table it may stand alone."""
    likely = np.flatnonzero(counts >= (len(column) / 1_000 if len(counts) > SMALL else 1))
    found = [(str(column.values[code]).strip(), int(counts[code])) for code in likely]
    return tuple((text, n) for text, n in found if is_word(text))


def _id_column(table: Table, found: Sequence[ColumnProfile]) -> str:
    """The own record number: by its heading and different in every row, else by one of both.

    Nr may be the number of a house: where another column names every row, that is the one.
    """
    rows = max(table.rows, 1)
    named = [column for column in found if is_record_id(column.name) and column.distinct >= rows / 2]
    unique = [column for column in found if column.distinct == rows and column.kind == "id" and rows > 1]
    unique = [one for one in unique if not is_shared_id(one.name) and hint(one.name) != "contact"]
    best = sorted(named, key=lambda column: -column.distinct)
    if unique and best and is_bare_number(best[0].name) and best[0].distinct < rows:
        best = unique
    best = best or unique
    return best[0].name if best else ""


def _order(column: ColumnProfile) -> int:
    """What identifies a person and both sides are likely to hold: names, birth, then where they live; 0: not at all."""
    says = hint(column.name)
    if of_whom(column.name):
        return 3 if of_whom(column.name) == "relative" and column.kind == "name" else 0
    if column.kind == "name":
        return 1 if says == "person" else 3
    if column.kind == "date":
        return 2 if is_birth(column.name) or says == "" or PLUS in column.name else 3 if says == "date" else 0
    if is_birth(column.name) and column.kind in ("number", "category", "id"):
        return 2
    if is_shared_id(column.name):
        return 2
    if is_age(column.name) and column.kind in ("number", "category", "id"):
        return 3
    if says in ("place", "contact"):
        return PLACE
    return 5 if says == "category" and column.kind == "category" else 0


def _mostly_empty(table: Table, found: Sequence[ColumnProfile]) -> set[str]:
    """Columns in which hardly a row has a value, words for "unknown" being none."""
    made = set()
    for one in found:
        column = table.column(one.name)
        filled = np.array([bool(text) and not text.isspace() for text in column.values], dtype=bool)
        if int(column.counts()[filled].sum()) < (1 - MOSTLY_MISSING) * table.rows:
            made.add(one.name)
    return made


def _able(
    found: Sequence[ColumnProfile], id_column: str, sensitive: tuple[str, ...], empty: Collection[str]
) -> list[ColumnProfile]:
    """Columns that could be matching fields."""
    barred = {id_column, *sensitive}
    return [
        one
        for one in found
        if one.name not in barred
        and one.name not in empty
        and one.distinct >= 2
        and not (one.kind == "id" and is_record_id(one.name))
        and _order(one)
    ]


def _matching(
    able: Sequence[ColumnProfile], redundant: Sequence[Redundant], order: Sequence[str], telling: Mapping[str, int]
) -> tuple[str, ...]:
    """The best of those that no other determines, as they stand in the table; of places, those that tell most."""
    repeated_ones = {one.column for one in redundant}
    if any(one.kind == "date" and is_birth(one.name) for one in able):  # when somebody came is another matter
        able = [one for one in able if one.kind != "date" or is_birth(one.name)]

    def rank(one: ColumnProfile) -> tuple[int, int, int]:
        kind = _order(one)
        return kind, -telling.get(one.name, 0) if kind == PLACE else 0, order.index(one.name)

    ranked = sorted((one for one in able if one.name not in repeated_ones), key=rank)
    chosen = {one.name for one in ranked[:MOST_FIELDS]}
    return tuple(name for name in order if name in chosen)


def _telling(column: Column, rows: int, progress: Progress) -> int:
    """Bits by which a column sets two strangers apart, counted over all records: an empty cell sets nobody apart."""
    progress.check()
    there = np.fromiter((bool(value) and not value.isspace() for value in column.values), bool, len(column.values))
    filled = column.counts()[there].astype(np.float64)
    if rows == 0 or not filled.sum():
        return 0
    alike = float(((filled / filled.sum()) ** 2).sum())
    return round(-math.log2(alike) * float(filled.sum()) / rows)


def _duplicate_ids(table: Table, id_column: str) -> tuple[int, tuple[Problem, ...]]:
    if not id_column:
        return 0, ()
    column = table.column(id_column)
    twice = [code for code in repeated(column.codes).tolist() if column.values[code].strip()]
    if not twice:
        return 0, ()
    first = np.flatnonzero(column.codes == twice[0])[:2] + 1
    value = column.values[twice[0]]
    named = Said(" ({value})", value=value) if len(value) <= HARMLESS_ID else NOTHING
    rows = int(column.counts()[twice].sum())
    problem = Problem(
        Said(
            "{n} {n|id|ids} in '{column}' {n|occurs|occur} twice; records {first} and {second} share an id{named}.",
            n=len(twice),
            column=id_column,
            first=first[0],
            second=first[1],
            named=named,
        ),
        "A match could not be traced back to one record.",
        "Give every record its own id, or choose another column as id.",
        place=id_column,
    )
    return rows, (problem,)


def _warnings(found: Sequence[ColumnProfile]) -> list[Problem]:
    told = []
    for column in found:
        if column.dates is None:
            continue
        if column.dates.serial:
            told.append(
                Problem(
                    Said(
                        "{n} {n|date|dates} in '{name}' {n|is a day number|are day numbers} of a spreadsheet.",
                        n=column.dates.serial,
                        name=column.name,
                    ),
                    "They are read as days since 1899-12-30, as Excel counts.",
                    "Check them if the file came from an old Mac: those start in 1904.",
                    place=column.name,
                )
            )
        if column.dates.ambiguous and not column.dates.proven:
            told.append(
                Problem(Said("'{name}': {dates}", name=column.name, dates=column.dates.sentence()), place=column.name)
            )
    return told
