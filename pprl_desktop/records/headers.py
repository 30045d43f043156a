"""Column names from the header cells: tidy, never empty, never twice."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pprl_desktop.problem import Problem
from pprl_desktop.records.normalise import tidy
from pprl_desktop.said import Said

_DATA = re.compile(r"[0-9]+([.,][0-9]+)?|[0-9]{1,4}[-/.][0-9]{1,2}[-/.][0-9]{1,4}")
LONGEST_SHOWN = 40  # characters of a header in a message


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
