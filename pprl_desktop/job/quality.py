"""What a steward should mend in a table before anything is built on it: copies, odd dates, words that mean missing.

Counts and names of columns; the only values are the codes of categories, which the own steward sees on the page Data.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Literal

import numpy as np

from pprl_desktop.said import Said

if TYPE_CHECKING:
    from pprl_desktop.records.profile import ColumnProfile, Profile
    from pprl_desktop.records.table import Table

FEW_CODES = 6  # categories with more different values are not listed
Cure = Literal["copies", "missing words", "held twice", ""]


@dataclass(frozen=True)
class Remark:
    """`cure` says what can be done about it; `column` and `words` are what it would do it to."""

    what: Said
    why: Said
    cure: Cure = ""
    column: str = ""
    words: tuple[str, ...] = ()


@dataclass(frozen=True)
class Quality:
    remarks: tuple[Remark, ...] = ()
    codes: tuple[tuple[str, tuple[str, ...]], ...] = ()  # category -> its different values


def look(table: Table, profile: Profile) -> Quality:
    found: list[Remark] = []
    if profile.exact_duplicates:
        found.append(
            Remark(
                Said("{n} {n|record is a copy of another|records are copies of others}.", n=profile.exact_duplicates),
                Said("Everything but the record number is the same. Copies look like matches inside your own file."),
                "copies",
            )
        )
    if profile.duplicates.near:
        found.append(
            Remark(
                Said(
                    "{n} further {n|record differs|records differ} from another by one slip only.",
                    n=profile.duplicates.near,
                ),
                Said("If these are the same people, say on the page Method that a person may occur several times."),
                "held twice",
            )
        )
    found += [one for column in profile.columns if column.kind == "date" for one in _dates(table, column)]
    for column in profile.columns:
        if column.missing_words and column.name not in profile.sensitive and column.name != profile.id_column:
            words = tuple(word for word, _rows in column.missing_words)
            rows = sum(rows for _word, rows in column.missing_words)
            found.append(
                Remark(
                    Said(
                        "'{column}': {n} {n|value reads|values read} like “unknown” ({words}).",
                        column=column.name,
                        n=rows,
                        words=words,
                    ),
                    Said("As they stand they count as equal to each other."),
                    "missing words",
                    column.name,
                    words,
                )
            )
    categories = [column.name for column in profile.columns if column.kind == "category"]
    codes = [(name, tuple(sorted(filter(None, table.column(name).values)))) for name in categories]
    return Quality(tuple(found), tuple((name, values) for name, values in codes if len(values) <= FEW_CODES))


def _dates(table: Table, profile: ColumnProfile) -> list[Remark]:
    """What is no date of a person: unreadable, outside the centuries that are read, or still to come.

    Words for "unknown" are told by a remark of their own, with its cure."""
    from pprl_desktop.records.cleaning import clean_column
    from pprl_desktop.records.fields import Field

    name, unknown = profile.name, {word.casefold() for word, _rows in profile.missing_words}
    column = clean_column(table.column(name), Field.of(name, "date"))
    today = date.today()
    odd = np.array([_is_odd(value, today) and value.casefold() not in unknown for value in column.values], dtype=bool)
    rows = int(odd[column.codes[column.codes >= 0]].sum()) if len(odd) else 0
    if not rows:
        return []
    return [
        Remark(
            Said("{n} {n|date|dates} in '{column}' cannot be read or {n|lies|lie} ahead.", n=rows, column=name),
            Said("Look at them in the file; a date that stands for “unknown” is better empty."),
        )
    ]


def _is_odd(value: str, today: date) -> bool:
    """Cleaned: a date is four, six or eight digits; what is none was kept as it stood."""
    return not value.isdigit() or value[:8] > f"{today:%Y%m%d}"[: len(value[:8])]
