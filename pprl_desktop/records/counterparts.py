"""Which columns of two tables hold the same thing: by what their headings say and by what stands in them.

Headings alone mislead (a "name" that is the first name here and the last name there), and files without headings have
none. So every two columns are weighed by both, and the columns are paired where the whole fits best.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.records.cleaning import clean_column
from pprl_desktop.records.fields import Field, FieldKind
from pprl_desktop.records.hints import hint
from pprl_desktop.records.profile import MOST_FIELDS, MOSTLY_MISSING, Profile
from pprl_desktop.records.redundancy import sampled
from pprl_desktop.records.roles import part_of, role
from pprl_desktop.records.table import PLUS, Column, Table
from pprl_desktop.records.unknown import known, stand_ins

LEAST = 1.5  # weight from which two columns are taken for the same: one clear sign, or several weak ones
SAME_ROLE, OTHER_ROLE = 2.0, -3.0  # both headings say what they are
SAME_PART, OTHER_PART = 0.5, 0.0  # one of them is a part of full names, whose order is a guess
SAME_HEADING = 1.5
SAME_HINT = SAME_KIND = LIKE_HEADING = 0.5
CONTENT = 2.0  # where all values of one occur in the other
SPREAD = 0.6  # of that, what two equal distributions of dates or lengths are worth
YEARS = 5  # of a step in which dates are counted
# a value of the one kind may be read as the other; the first of the two is then the kind of the field
ORDER: tuple[FieldKind, ...] = ("date", "text", "name", "id", "number", "category")
NEVER = ({"name", "date"}, {"name", "number"}, {"text", "date"}, {"category", "date"})


@dataclass(frozen=True)
class Counterparts:
    """A column of the first table and its counterpart in the second."""

    first: str
    second: str
    kind: FieldKind
    shared: float  # of the filled records, those whose value the other file has too; the larger of both shares
    by_heading: bool  # the headings say the same thing; else only the content does
    words: tuple[str, ...] = ()  # of both columns, that stand for "unknown" and can be nothing else


def counterparts(
    tables: tuple[Table, Table], profiles: tuple[Profile, Profile], progress: Progress = NO_PROGRESS
) -> tuple[Counterparts, ...]:
    """What both tables hold of a person, as the columns stand in the first; nothing that follows from other pairs."""
    from scipy.optimize import linear_sum_assignment

    compared = _Known(tables, profiles, progress.part(1.0, 1.0))
    names = [_candidates(one) for one in profiles]
    telling = [_telling(one) for one in profiles]
    weight = np.zeros((len(names[0]), len(names[1])))
    made: dict[tuple[int, int], Counterparts] = {}
    for i, first in enumerate(names[0]):
        progress.at(i / len(names[0]), "Comparing the columns of both files")
        for j, second in enumerate(names[1]):
            if first in telling[0] or second in telling[1]:
                found = compared.compared(first, second)
                if found is not None and found[0] >= LEAST:
                    weight[i, j], made[i, j] = found
    rows, columns = linear_sum_assignment(-weight)
    paired = [made[i, j] for i, j in zip(rows.tolist(), columns.tolist(), strict=True) if (i, j) in made]
    progress.at(1.0)
    return tuple(replace(one, words=_words(tables, one)) for one in _once_each(paired, profiles))


def _words(tables: tuple[Table, Table], pair: Counterparts) -> tuple[str, ...]:
    columns = tables[0].column(pair.first), tables[1].column(pair.second)
    return tuple(dict.fromkeys(word for column in columns for word in stand_ins(column)))


def _telling(profile: Profile) -> set[str]:
    """What identifies a person; also what others of its own table determine: the other may lack those."""
    return {*profile.matching, *(one.column for one in profile.redundant)}


def _candidates(profile: Profile) -> list[str]:
    """Columns that may hold what the other file calls identifying, though this one's headings do not say so."""
    barred = {profile.id_column, *profile.sensitive}
    able = [one for one in (*profile.columns, *profile.joined) if one.name not in barred and one.distinct > 1]
    return [one.name for one in able if one.missing <= MOSTLY_MISSING]


class _Known:
    """Two tables, with what was cleaned of them already."""

    def __init__(self, tables: tuple[Table, Table], profiles: tuple[Profile, Profile], progress: Progress) -> None:
        self._tables, self._profiles, self._progress = tables, profiles, progress
        self._cleaned: dict[tuple[int, str, FieldKind], Column] = {}

    def _column(self, side: int, name: str, kind: FieldKind) -> Column:
        if (side, name, kind) not in self._cleaned:
            column = sampled(known(self._tables[side].column(name)))
            self._cleaned[side, name, kind] = clean_column(column, Field.of(name, kind), self._progress)
        return self._cleaned[side, name, kind]

    def compared(self, first: str, second: str) -> tuple[float, Counterparts] | None:
        """How much speaks for it that two columns hold the same thing."""
        kinds = self._profiles[0].column(first).kind, self._profiles[1].column(second).kind
        if set(kinds) in NEVER or self._part_of_date(first, second):
            return None
        kind = min(kinds, key=ORDER.index)
        roles, same = (role(first), role(second)), first.casefold() == second.casefold()
        weight = SAME_KIND * (kinds[0] == kinds[1]) + SAME_HINT * (hint(first) == hint(second) != "")
        if "" not in roles:
            parted = part_of(first) is not None or part_of(second) is not None
            alike, other = (SAME_PART, OTHER_PART) if parted else (SAME_ROLE, OTHER_ROLE)
            weight += alike if roles[0] == roles[1] else other
        weight += SAME_HEADING * same
        weight += LIKE_HEADING * difflib.SequenceMatcher(None, first.casefold(), second.casefold()).ratio()
        columns = self._column(0, first, kind), self._column(1, second, kind)
        shared = max(_shared(*columns), _shared(*reversed(columns)))
        weight += CONTENT * max(shared, SPREAD * _spread(kind, *columns))
        return weight, Counterparts(first, second, kind, round(shared, 4), same or roles[0] == roles[1] != "")

    def _part_of_date(self, first: str, second: str) -> bool:
        """A year that makes up a date with its month and day is never the other file's date: the whole one is.

        Year to date and date to year would fit better, taken together, than date to date.
        """
        one, other = self._profiles
        return (first in _parts(one) and _is_whole(other, second)) or (
            second in _parts(other) and _is_whole(one, first)
        )


def _parts(profile: Profile) -> set[str]:
    return {part for one in profile.joined for part in one.name.split(PLUS)}


def _is_whole(profile: Profile, name: str) -> bool:
    dates = profile.column(name).dates
    return dates is not None and dates.full > dates.partial


def _shared(one: Column, other: Column) -> float:
    """Of the filled records of one, those whose value the other has too."""
    counts = one.counts()
    known = set(other.values.tolist())
    there = np.fromiter((value in known for value in one.values), bool, len(one.values))
    return float(counts[there].sum() / counts.sum()) if counts.sum() else 0.0


def _spread(kind: FieldKind, one: Column, other: Column) -> float:
    """How alike two columns are spread: dates by years, numbers by their length; names say nothing that way."""
    if kind not in ("date", "id", "number"):
        return 0.0
    shares = [_histogram(kind, column) for column in (one, other)]
    return float(1.0 - 0.5 * np.abs(shares[0] - shares[1]).sum()) if all(s.sum() for s in shares) else 0.0


def _histogram(kind: FieldKind, column: Column) -> npt.NDArray[np.float64]:
    def step(value: str) -> int:
        if kind == "date":
            return min(int(value[:4]) // YEARS, 499) if value[:4].isdigit() else 0
        return min(len(value), 499)

    at = np.fromiter((step(str(value)) for value in column.values), np.int64, len(column.values))
    made = np.bincount(at, column.counts(), minlength=500).astype(np.float64)
    return np.asarray(made / max(made.sum(), 1.0))


def _once_each(paired: Sequence[Counterparts], profiles: tuple[Profile, Profile]) -> tuple[Counterparts, ...]:
    """Without what other pairs determine in either table, and no more than is worth comparing."""
    kept = list(paired)
    for one in paired:
        others = [other for other in kept if other is not one]
        for profile, name, rest in (
            (profiles[0], one.first, {other.first for other in others}),
            (profiles[1], one.second, {other.second for other in others}),
        ):
            repeated = profile.repeats(name)
            if one in kept and repeated is not None and set(repeated.beside) <= rest:
                kept.remove(one)
    if len(kept) > MOST_FIELDS:
        both = [set(profile.matching) for profile in profiles]
        ranked = sorted(kept, key=lambda one: (one.first not in both[0]) + (one.second not in both[1]))
        kept = [one for one in kept if one in ranked[:MOST_FIELDS]]
    return tuple(kept)
