"""Column names from the header cells: tidy, never empty, never twice."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pprl_desktop.problem import Problem
from pprl_desktop.records.hints import hint, is_record_id
from pprl_desktop.records.normalise import tidy
from pprl_desktop.said import Said

_DATA = re.compile(r"[0-9]+([.,][0-9]+)?|[0-9]{1,4}[-/.][0-9]{1,2}[-/.][0-9]{1,4}")
_MAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")
LONGEST_SHOWN = 40  # characters of a header in a message
LOOKED_AT = 200  # lines below the first one
OFTEN = 0.2  # share of the lines below in which what seems a heading is an ordinary value


def shown(name: str) -> str:
    return name if len(name) <= LONGEST_SHOWN else name[: LONGEST_SHOWN - 1] + "…"


def header_names(cells: Sequence[str]) -> tuple[tuple[str, ...], tuple[Problem, ...]]:
    """Names in order, and what had to be changed to make them usable."""
    tidied = [tidy(cell) for cell in cells]
    taken, names, empty, twice = set(tidied), [], [], []
    used: set[str] = set()
    for index, name in enumerate(tidied):
        if not name:
            name = _free(f"column {index + 1}", taken)
            empty.append(index + 1)
        elif name in used:
            twice.append(name)
            name = _free(name, taken)
        taken.add(name)
        used.add(name)
        names.append(name)
    return tuple(names), tuple(_warnings(tidied, empty, twice))


def looks_like_record(first: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """Whether the first line of a table is a record and not its headings.

    Cells are weighed one by one against the lines below: words that headings are made of, a word above numbers or dates
    and another style of writing speak for headings; a number above numbers, a date above dates and a value that occurs
    again below speak for a record. A file that says nothing either way keeps its first line as a record: a person who
    is lost is worse than a column called by its number.
    """
    for_record = for_heading = 0.0
    for place, raw in enumerate(first):
        cell = tidy(raw)
        column = [tidy(cells[place]) for cells in below[:LOOKED_AT] if place < len(cells)]
        column = [text for text in column if text]
        if not cell:
            continue
        record, heading = _weighed(cell, column)
        for_record, for_heading = for_record + record, for_heading + heading
    return for_record > for_heading


def _weighed(cell: str, column: Sequence[str]) -> tuple[float, float]:
    """What one cell says for a record and for a heading."""
    look = _look(cell)
    alike = sum(_look(text) == look for text in column) / len(column) if column else 0.0
    drawn = sum(_drawn(text) == _drawn(cell) for text in column) / len(column) if column else 0.0
    if look == "word" and (hint(cell) or is_record_id(cell)):
        among = sum(hint(text) == hint(cell) for text in column) / len(column) if column else 0.0
        if among < OFTEN:
            return 0.0, 2.0
    if column and cell in column:
        return 1.0, 0.0
    if look in ("number", "date", "mail"):
        return (1.5 if drawn >= 0.5 or not column else 0.75 if alike >= 0.5 else 0.5), 0.0
    if look == "code":
        return (1.0, 0.0) if drawn >= 0.5 else (0.0, 0.5)
    if column and alike < OFTEN:
        return 0.0, 1.5
    if "_" in cell or (column and sum(_style(text) == _style(cell) for text in column) < 0.5 * len(column)):
        return 0.0, 0.5
    return (0.25, 0.0) if column else (0.0, 0.25)


def _look(text: str) -> str:
    if _MAIL.fullmatch(text):
        return "mail"
    if _DATA.fullmatch(text):
        return "date" if any(sign in text for sign in "-/") or text.count(".") == 2 else "number"
    return "code" if any(sign.isdigit() for sign in text) else "word"


def _drawn(text: str) -> str:
    """A for letters, 9 for digits, as many digits as there are: A001 is A999, Main Street 5 is A A 9."""
    return re.sub(r"[0-9]", "9", re.sub(r"[^\W\d_]+", "A", text))


def _style(text: str) -> str:
    return "upper" if text.isupper() else "lower" if text.islower() else "other"


def _free(name: str, taken: set[str]) -> str:
    if name not in taken:
        return name
    number = 2
    while f"{name} ({number})" in taken:
        number += 1
    return f"{name} ({number})"


def _warnings(cells: Sequence[str], empty: list[int], twice: list[str]) -> list[Problem]:
    told = []
    if empty:
        which = [*empty[:5], *(["…"] if len(empty) > 5 else [])]
        told.append(
            Problem(
                Said("{n} {n|column has|columns have} no name (number {which}).", n=len(empty), which=which),
                "They are called 'column' and their number here.",
                "Give them a name in the file if you need them.",
                place="header",
            )
        )
    if twice:
        names = [Said("'{name}'", name=shown(name)) for name in dict.fromkeys(twice[:5])]
        told.append(
            Problem(
                Said("Column names occur more than once: {names}.", names=names),
                "The later ones got a number.",
                "Check that you use the right one.",
                place="header",
            )
        )
    if any(_DATA.fullmatch(cell) for cell in cells):
        told.append(
            Problem(
                "The first line looks like a record, not like column names.",
                "It holds numbers or dates.",
                "If the file has no header, say so in the reading options.",
                place="header",
            )
        )
    return told
