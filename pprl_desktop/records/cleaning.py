"""Cleaning: a table's columns become the agreed fields, by the steps both sides declared. Works on distinct values."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.records import dates
from pprl_desktop.records.distinct import factorise_texts
from pprl_desktop.records.fields import DayOrder, Field
from pprl_desktop.records.normalise import BLOCK, normalise, tidy
from pprl_desktop.records.numbers import plain_number
from pprl_desktop.records.recoding import phones, streets
from pprl_desktop.records.sexes import made_alike
from pprl_desktop.records.table import MISSING, CleanTable, Codes, Column, Strings, Table
from pprl_desktop.said import Said

T = TypeVar("T")
_FLOAT_ID = re.compile(r"^\s*([0-9]+)\.0\s*$")


def clean(
    table: Table, fields: Sequence[Field], columns: Mapping[str, str], progress: Progress = NO_PROGRESS
) -> CleanTable:
    """`columns` maps the name of each field to the own column; a field without entry takes the column of its name."""
    chosen = [_column(table, field, columns) for field in fields]
    made = []
    for index, (field, column) in enumerate(zip(fields, chosen, strict=True)):
        progress.at(index / len(chosen), Said("Cleaning {name}", name=field.name))
        made.append(clean_column(column, field, progress.part(index / len(chosen), (index + 1) / len(chosen))))
    progress.at(1.0)
    return CleanTable(tuple(fields), tuple(made))


def _column(table: Table, field: Field, columns: Mapping[str, str]) -> Column:
    return table.column(columns.get(field.name, field.name))


def clean_column(column: Column, field: Field, progress: Progress = NO_PROGRESS) -> Column:
    """One column as a field: cleaned distinct values, missing ones marked by their code."""
    cleaned = clean_values(column.values, field, progress, column)
    progress.check()
    return Column(field.name, *_recoded(cleaned, column.codes))


def _recoded(texts: list[str], rows: Codes) -> tuple[Strings, Codes]:
    """Distinct texts in order of appearance and the codes of the rows; an empty text is missing."""
    codes, where = factorise_texts(texts)
    values = np.empty(len(texts), dtype=object)
    values[:] = texts
    values = values[where]
    empty = np.flatnonzero(values == "")
    if len(empty):
        values = np.delete(values, empty)
        codes = np.where(codes == empty[0], MISSING, codes - (codes > empty[0])).astype(np.int32)
    return values, np.append(codes, np.int32(MISSING))[rows]  # what was missing already stays so


def clean_values(
    values: Strings, field: Field, progress: Progress = NO_PROGRESS, column: Column | None = None
) -> list[str]:
    """Each value after cleaning; '' where nothing usable remains.

    Dates with day order "auto" are read in the order that the column proves; without a column every value counts once.
    """
    texts: list[str] = list(values)
    if field.cleaning.missing_words:
        missing = {tidy(word).casefold() for word in field.cleaning.missing_words}
        texts = ["" if tidy(text).casefold() in missing else text for text in texts]
    if field.kind == "id":
        texts = _ids(texts)
    cleaned = normalise(texts, field.cleaning, progress.part(0.0, 0.5))
    rest = progress.part(0.5, 1.0)
    rest.check()
    if field.cleaning.recode == "phone":
        return _each(phones, cleaned, rest)
    if field.cleaning.recode == "street":
        return _each(streets, cleaned, rest)
    if field.kind == "id" and field.cleaning.punctuation == "remove":
        form = field.cleaning.unicode  # what stood apart may become one letter: a syllable, a letter with its accent
        return [unicodedata.normalize(form, text.replace(" ", "")) if " " in text else text for text in cleaned]
    if field.kind == "category" and field.cleaning.recode == "sex":
        return made_alike(cleaned)
    if field.kind == "number":
        return _each(lambda block: list(map(plain_number, block)), cleaned, rest)
    if field.kind == "date":
        order = field.cleaning.day_order
        parsed = _each(lambda block: dates.parse_many(block, order), cleaned, rest)
        if order == "auto" and any(date.proof == "ambiguous" for date in parsed):
            order = _report(parsed, cleaned, column, order).order
            parsed = [
                dates.parse(t, order) if d.proof == "ambiguous" else d for t, d in zip(cleaned, parsed, strict=True)
            ]
        return [date.text for date in parsed]
    return cleaned


def _ids(texts: list[str]) -> list[str]:
    """An id that went through a spreadsheet or pandas has lost its zeros and gained a decimal: 272.0 is 272."""
    if ".0\n" not in "\n".join(texts) + "\n":
        return texts
    return [_FLOAT_ID.sub(r"\1", text) for text in texts]


def _each(work: Callable[[list[str]], list[T]], texts: list[str], progress: Progress) -> list[T]:
    made: list[T] = []
    for start in range(0, len(texts), BLOCK):
        progress.at(start / len(texts))
        made += work(texts[start : start + BLOCK])
    return made


def _report(parsed: list[dates.Date], texts: list[str], column: Column | None, order: DayOrder) -> dates.DateReport:
    counts = np.ones(len(texts), dtype=np.int64) if column is None else column.counts()
    filled = np.array([bool(text) for text in texts], dtype=bool)
    rows = len(texts) if column is None else len(column)
    kept = [date for date, text in zip(parsed, texts, strict=True) if text]
    return dates.report(kept, counts[filled], rows - int(counts[filled].sum()), order)


def date_report(column: Column, day_order: DayOrder = "auto", progress: Progress = NO_PROGRESS) -> dates.DateReport:
    """What a column of dates proves about the order of day and month, and how many dates depend on it."""
    cleaning = Field.of(column.name, "date").cleaning
    cleaned = normalise(list(column.values), cleaning, progress.part(0.0, 0.5))
    parsed = _each(lambda block: dates.parse_many(block, day_order), cleaned, progress.part(0.5, 1.0))
    return _report(parsed, cleaned, column, day_order)


@dataclass(frozen=True)
class BeforeAfter:
    """Values of one field as they were and as they are compared. Personal: for the own steward's screen only."""

    field: str
    column: str
    changed: int  # rows
    emptied: int  # rows that had text and are missing now
    examples: tuple[tuple[str, str], ...]


def before_after(
    table: Table, fields: Sequence[Field], columns: Mapping[str, str], n: int = 8, progress: Progress = NO_PROGRESS
) -> tuple[BeforeAfter, ...]:
    """What cleaning does, with up to n examples a field: those that change most come first."""
    shown = []
    for index, field in enumerate(fields):
        column = _column(table, field, columns)
        part = progress.part(index / len(fields), (index + 1) / len(fields))
        cleaned = clean_values(column.values, field, part, column)
        counts = column.counts()
        pairs = [(old, new, int(c)) for old, new, c in zip(column.values, cleaned, counts, strict=True) if old != new]
        beyond_case = sorted(pairs, key=lambda pair: (pair[0].upper() == pair[1], -pair[2]))
        shown.append(
            BeforeAfter(
                field.name,
                column.name,
                sum(count for _, _, count in pairs),
                sum(count for old, new, count in pairs if old and not new),
                tuple((old, new) for old, new, _ in beyond_case[:n]),
            )
        )
    return tuple(shown)
