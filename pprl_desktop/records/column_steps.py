"""Columns made of others before anything else happens: joined or split, as the own steward declares it, step by step.

    born = date(year, month, day)            one date of three columns
    address = join(street, number)           one text, with a blank between
    first, last = name(full_name)            "Last, First" at its comma; otherwise the last word is the last name,
                                             with the particles (von, de la) before it
    last, first = split(full_name, ",")      at each sign; what is left over goes to the last part

Own side only: nothing of it is sent or agreed. Names with commas, brackets or an equals sign stand in double quotes.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from pprl_desktop.problem import Problem
from pprl_desktop.records import dates
from pprl_desktop.records.name_parts import parted
from pprl_desktop.records.table import PLUS, Column, Table
from pprl_desktop.said import Said, sentences

EXAMPLES = 5
MOST_PARTS = 20
MOST_STEPS = 50
LONGEST = 1000  # characters of a step
_STEP = re.compile(r"^(?P<into>(?:[^=\"]|\"[^\"]*\")+)=\s*(?P<how>[a-z]+)\s*\((?P<of>.*)\)\s*$")


@dataclass(frozen=True)
class Step:
    text: str
    into: tuple[str, ...]
    how: str  # date, join, name, split
    of: tuple[str, ...]
    sign: str = ""  # of split

    @staticmethod
    def written(how: str, into: Sequence[str], of: Sequence[str], sign: str = "") -> str:
        """A step as text, for the project and the terminal."""
        rest = [f'"{sign}"'] if how == "split" else []
        return f"{', '.join(map(_quoted, into))} = {how}({', '.join([*map(_quoted, of), *rest])})"


@dataclass(frozen=True)
class AppliedStep:
    """What a step did. The examples are personal: for the own steward's screen only."""

    step: Step
    filled: int  # rows in which every new column has something, and a date is one
    partly: int  # rows that had something, and in which a new column stayed empty
    examples: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = field(repr=False)  # before, after
    no_date: int = 0  # rows whose parts make no day of the calendar: they stay as written, and compare as such

    def said(self) -> Said:
        made = Said(
            "{into:and} made of {of:and}: {filled} {filled|row|rows} filled, {partly} not wholly.",
            into=list(self.step.into), of=list(self.step.of), filled=self.filled, partly=self.partly,
        )  # fmt: skip
        if not self.no_date:
            return made
        return sentences(
            made,
            Said("{n} {n|is|are} no date of the calendar and {n|stays|stay} as written.", n=self.no_date),
        )


def _quoted(name: str) -> str:
    return f'"{name}"' if re.search(r"[,()=]", name) else name


def parse(text: str) -> Step:
    found = _STEP.match(text.strip()) if len(text) <= LONGEST else None
    if found is None:
        raise _wrong(text, Said("It is none of the known forms."))
    into, of = _listed(found["into"]), _listed(found["of"])
    how, sign = found["how"], ""
    if how == "split":
        sign = of.pop() if len(of) == 2 else ""
    # so many columns in, so many out
    counts = {
        "date": len(of) == 3 and len(into) == 1,
        "join": len(of) >= 2 and len(into) == 1,
        "name": len(of) == 1 and len(into) == 2,
        "split": len(of) == 1 and len(into) >= 2 and bool(sign),
    }
    if how not in counts:
        raise _wrong(text, Said("There is no step '{how}'.", how=how))
    if how == "split" and len(of) == 1 and not sign:
        raise _wrong(text, Said("The sign at which to split is missing."))
    if not counts[how] or max(len(of), len(into)) > MOST_PARTS or "" in (*of, *into):
        raise _wrong(text, Said("The numbers of columns do not fit '{how}'.", how=how))
    if len({*into, *of}) < len(into) + len(of):
        raise _wrong(text, Said("A column stands in it twice."))
    return Step(text.strip(), tuple(into), how, tuple(of), sign)


def apply(table: Table, steps: Sequence[str]) -> tuple[Table, tuple[AppliedStep, ...]]:
    """The table with the new columns behind its own, and what each step did. Columns it is made of stay."""
    if len(steps) > MOST_STEPS:
        raise Problem("There are too many steps.", do="Leave out what is not needed.", place="made")
    done = []
    for text in steps:
        step = parse(text)
        taken = next((name for name in step.into if name in table.names), "")
        if taken:
            raise Problem(
                Said("There is a column '{name}' already.", name=taken),
                do="Give the new column another name.",
                place="made",
            )
        made, columns = _applied(table, step)
        table = Table((*table.columns, *columns))
        done.append(made)
    return table, tuple(done)


def _applied(table: Table, step: Step) -> tuple[AppliedStep, tuple[Column, ...]]:
    sources = [table.column(name) for name in step.of]
    if step.how == "date":
        whole = table.column(PLUS.join(step.of))
        rows: list[tuple[str, ...]] = [(cell,) for cell in whole.cells()]
    else:
        work = _WORK[step.how]
        known: dict[tuple[str, ...], tuple[str, ...]] = {}
        rows = []
        for cells in zip(*(column.cells() for column in sources), strict=True):
            found = known.get(cells)
            if found is None:
                found = known[cells] = work(cells, step)
            rows.append(found)
    before = list(zip(*(column.cells() for column in sources), strict=True))
    odd = {row for row in set(rows) if step.how == "date" and row[0] and not dates.is_real(row[0])}
    no_date = sum(row in odd for row in rows) if odd else 0
    filled = sum(all(row) for row in rows) - no_date
    partly = sum(any(cell.strip() for cell in old) and not all(row) for old, row in zip(before, rows, strict=True))
    # what did not go wholly comes first: it is what the steward must see
    some = {old: row for old, row in zip(before, rows, strict=True) if any(cell.strip() for cell in old)}
    order = sorted(some.items(), key=lambda pair: all(pair[1]) and pair[1] not in odd)
    examples = tuple(order[:2] + order[2:][-(EXAMPLES - 2) :])
    columns = tuple(Column.of(name, [row[at] for row in rows]) for at, name in enumerate(step.into))
    return AppliedStep(step, filled, partly, examples, no_date), columns


def _join(cells: Sequence[str], _step: Step) -> tuple[str, ...]:
    return (" ".join(cell.strip() for cell in cells if cell.strip()),)


def _split(cells: Sequence[str], step: Step) -> tuple[str, ...]:
    parts = [part.strip() for part in cells[0].split(step.sign, len(step.into) - 1)]
    return tuple(parts + [""] * (len(step.into) - len(parts)))


def _name(cells: Sequence[str], _step: Step) -> tuple[str, ...]:
    return parted(cells[0])


_WORK: dict[str, Callable[[Sequence[str], Step], tuple[str, ...]]] = {"join": _join, "split": _split, "name": _name}


def _listed(text: str) -> list[str]:
    try:
        found = next(csv.reader([text], skipinitialspace=True, strict=True), [])
    except csv.Error:
        return []
    return [piece.strip() or (piece and " ") or "" for piece in found]


def _wrong(text: str, why: Said) -> Problem:
    return Problem(
        Said("The step '{text}' cannot be used.", text=text[:80]),
        why,
        "Write one of: born = date(year, month, day); address = join(street, number); first, last = name(full_name); "
        'last, first = split(full_name, ",").',
        place="made",
    )
