"""Columns that others determine: a full name beside its parts, a town beside its zip code, an age beside a birth date.

Two such columns say one thing twice. A decision that counts both takes strangers for the same person, so they are found
on the own clear table, where that is exact, and only one of them is suggested.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.records.fields import FieldKind
from pprl_desktop.records.hints import hint
from pprl_desktop.records.table import MISSING, Codes, Column
from pprl_desktop.said import Said

How = Literal["holds", "within", "start", "initials", "age", "follows"]

ROWS = 4000  # looked at; a rule that holds in nearly all rows shows in far fewer
LONGEST_NUMBER = 12  # digits of a number that is compared with a date
FEWEST = 12  # rows, or pairs of rows, below which nothing is concluded
HOLDS = 0.75  # share of the rows in which a composed column holds the words of others: two parts, each with its slips
WITHIN = 0.95  # share of the rows in which a value lies within another one
FOLLOWS = 0.85  # how surely two records that agree on one column agree on the other, beyond chance
CERTAIN = 0.95  # the same where a name tells: sexes and regions follow from names often, a sound code always
SELDOM = 0.1  # share of strangers who agree on what follows from a name; more is a sex or a region
COMMON = 0.4  # a column on which so many strangers agree can do no harm by counting twice
SAME_PERSON = 0.5  # share of the other columns in which two records agree that may be one person
COARSE = 5  # records per value at least of a column that others follow from: a household is not a town
OFTEN, QUITE = 0.3, 0.02  # share of the rows in which two names are the same, and begin with another letter
PLACES = ("place", "category", "")  # what headings say of columns that may follow from each other

_WORD = re.compile(r"[^\W_]+")
_YEAR = re.compile(r"(?:18[5-9]|19\d|20\d)\d(?=\d{4}$|\D|$|\d{2}$)")
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Redundant:
    """A column that brings nothing beside some others."""

    column: str
    beside: tuple[str, ...]
    how: How
    share: float  # of the rows in which it holds

    @property
    def derived(self) -> bool:
        """Worked out of the others cell by cell. What merely follows may still agree where they differ: a town is the
        same after a move within it. The decision then weighs the columns together (decisions/adaptive/dependence.py).
        """
        return self.how != "follows"

    @property
    def why(self) -> Said:
        """After "Not suggested:"; no value of the table is in it."""
        others = list(self.beside)
        said: dict[How, Said] = {
            "holds": Said("it holds what {others} say", others=others),
            "within": Said("it is part of {others}", others=others),
            "start": Said("it is the beginning of {others}", others=others),
            "initials": Said("it is the initials of {others}", others=others),
            "age": Said("it follows from {others}", others=others),
            "follows": Said("it follows from {others}", others=others),
        }
        return said[self.how]

    def beside_parts(self, whole: Redundant) -> Redundant:
        """The same, where a column beside it is given up for its parts."""
        if whole.column not in self.beside:
            return self
        return replace(self, beside=(*(one for one in self.beside if one != whole.column), *whole.beside))

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def find_redundant(
    columns: Sequence[Column], kinds: Sequence[FieldKind], progress: Progress = NO_PROGRESS
) -> tuple[Redundant, ...]:
    """Among cleaned columns, in the order in which they should be given up: each only beside columns that stay."""
    if len(columns) < 2 or len(columns[0]) < FEWEST:
        return ()
    seen = [sampled(column) for column in columns]
    found: list[Redundant] = []
    gone: set[int] = set()

    def give_up(index: int, beside: Sequence[int], how: How, share: float) -> None:
        gone.add(index)
        found.append(Redundant(columns[index].name, tuple(columns[one].name for one in beside), how, round(share, 3)))

    def staying() -> list[int]:
        return [index for index in range(len(columns)) if index not in gone]

    words = [[frozenset(_WORD.findall(value)) for value in column.values] for column in seen]
    worded = [index for index, kind in enumerate(kinds) if kind in ("name", "text")]
    for index in sorted(worded, key=lambda one: -_mean_words(seen[one], words[one])):
        progress.check()
        others = [one for one in staying() if one != index and kinds[one] != "date"]
        parts = _held(seen, words, index, others)
        if sum(kinds[one] in ("name", "text") for one, _ in parts) < 2:
            parts = parts if len(parts) > 1 and kinds[index] == "text" else _ends(seen, kinds, index, others)
        if len(parts) > 1:
            give_up(index, [one for one, _ in parts], "holds", min(share for _, share in parts))
    for index in reversed(staying()):
        progress.check()
        named = _named_in(seen, kinds, index, staying())
        if len(named) > 1 and any(kind == "date" for place, kind in enumerate(kinds) if place in staying()):
            give_up(index, [one for one, _ in named], "holds", min(share for _, share in named))
    known = [_KnownColumn(*one) for one in zip(seen, words, kinds, strict=True)]
    rules: tuple[tuple[How, Rule], ...] = (
        ("within", _within), ("start", _start), ("initials", _initials), ("age", _age),
    )  # fmt: skip
    for how, rule in rules:
        for index in reversed(staying()):
            for other in staying():
                progress.check()
                if other == index or index in gone:
                    continue
                share = rule(known[index], known[other])
                if share >= WITHIN:
                    give_up(index, [other], how, share)
    telling, owners = [*seen, *_years(seen, kinds)], [*range(len(seen)), *_dated(kinds)]
    for place, index, share in _following(telling, owners, kinds, staying(), progress):
        if index not in gone and owners[place] not in gone and owners[place] != index:
            give_up(index, [owners[place]], "follows", share)
    return tuple(found)


def sampled(column: Column) -> Column:
    """Some rows of a column, as many as are looked at."""
    step = max(len(column) // ROWS, 1)
    codes = column.codes[::step][:ROWS]
    used, inverse = np.unique(codes[codes >= 0], return_inverse=True)
    fresh = np.full(len(codes), MISSING, dtype=np.int32)
    fresh[codes >= 0] = inverse
    return Column(column.name, column.values[used], fresh)


def _mean_words(column: Column, words: Sequence[frozenset[str]]) -> float:
    counts = np.array([len(one) for one in words] or [0], dtype=np.float64)
    present = column.codes[column.codes >= 0]
    return float(counts[present].mean()) if len(present) else 0.0


def _both(one: Column, other: Column) -> tuple[Codes, Codes]:
    """Distinct combinations with both present, as often as they occur."""
    present = (one.codes >= 0) & (other.codes >= 0)
    return one.codes[present], other.codes[present]


def _share(one: Column, other: Column, holds: Callable[[int, int], bool]) -> float:
    """Share of the rows with both in which it holds; 0 where it would hold in other rows nearly as often."""
    a, b = _both(one, other)
    if len(a) < FEWEST:
        return 0.0
    real = float(np.mean([holds(x, y) for x, y in zip(a.tolist(), b.tolist(), strict=True)]))
    turned = np.roll(b, len(b) // 2 + 1)
    chance = float(np.mean([holds(x, y) for x, y in zip(a.tolist(), turned.tolist(), strict=True)]))
    return real if real - chance > 0.5 * (1 - chance) else 0.0


def _held(
    columns: Sequence[Column], words: Sequence[Sequence[frozenset[str]]], index: int, others: Sequence[int]
) -> list[tuple[int, float]]:
    """The other columns whose words this one holds; a column that repeats this one whole is not a part of it."""
    found = []
    for other in others:
        share = _share(columns[index], columns[other], lambda x, y, o=other: words[o][y] <= words[index][x])  # type: ignore[misc]
        back = _share(columns[index], columns[other], lambda x, y, o=other: words[index][x] <= words[o][y])  # type: ignore[misc]
        if share >= HOLDS and back < HOLDS:
            found.append((other, share))
    return found


def _ends(
    columns: Sequence[Column], kinds: Sequence[FieldKind], index: int, others: Sequence[int]
) -> list[tuple[int, float]]:
    """Two columns of which one begins and the other ends this one, without a blank: 王小明 beside 王 and 小明."""
    whole, found = columns[index], {}
    for at, test in enumerate((str.startswith, str.endswith)):
        for other in others:
            part = columns[other]
            if kinds[other] != "name" or not len(part.values):
                continue
            share = _share(whole, part, partial(_ended, test, whole, part))
            equal = _share(whole, part, partial(_ended, str.__eq__, whole, part))
            if share >= HOLDS and equal < 0.5:
                found[at] = (other, share)
                break
    return list(found.values()) if len({other for other, _ in found.values()}) == 2 else []


def _ended(test: Callable[[str, str], bool], whole: Column, part: Column, x: int, y: int) -> bool:
    return test(str(whole.values[x]), str(part.values[y]))


def _named_in(
    columns: Sequence[Column], kinds: Sequence[FieldKind], index: int, others: Sequence[int]
) -> list[tuple[int, float]]:
    """The name columns that a mail address is made of. It says more than they do, but most of it is theirs."""
    one = columns[index]
    if kinds[index] not in ("text", "id"):
        return []
    found = []
    for other in others:
        if other != index and kinds[other] == "name" and _long(columns[other]):
            stems = [str(text).split(" ")[0] for text in columns[other].values]
            share = _share(one, columns[other], lambda x, y, stems=stems: stems[y] in str(one.values[x]))  # type: ignore[misc]
            if share >= HOLDS:
                found.append((other, share))
    return found


def _long(column: Column) -> bool:
    """Single letters lie within everything."""
    return bool(len(column.values)) and float(np.mean([len(text) for text in column.values])) > 3


@dataclass(frozen=True, eq=False)
class _KnownColumn:
    """A column with what is known of it."""

    column: Column
    words: Sequence[frozenset[str]]  # of each value
    kind: FieldKind


Rule = Callable[[_KnownColumn, _KnownColumn], float]  # how surely the first follows from the second


def _within(one: _KnownColumn, other: _KnownColumn) -> float:
    """A name within a longer one by whole words; ids, dates and numbers by their characters."""
    part, whole = one.column, other.column
    if one.kind in ("name", "text") and other.kind == one.kind:
        return _share(part, whole, lambda x, y: one.words[x] <= other.words[y])
    if one.kind in ("id", "date", "number") and other.kind in ("id", "date"):
        return _share(part, whole, lambda x, y: str(part.values[x]) in str(whole.values[y]))
    return 0.0


def _start(one: _KnownColumn, other: _KnownColumn) -> float:
    part, whole = one.column, other.column
    if other.kind not in ("name", "id", "date") or (one.kind == "name" and _long(part)):
        return 0.0
    return _share(part, whole, lambda x, y: str(whole.values[y]).startswith(str(part.values[x])))


def _initials(one: _KnownColumn, other: _KnownColumn) -> float:
    """A few letters, the first of which begin the other column: AS beside ANNA (and SMITH)."""
    part, whole = one.column, other.column
    if other.kind != "name" or not len(part.values) or max(map(len, part.values)) > 5:
        return 0.0
    if any(sign.isdigit() for text in part.values for sign in text):
        return 0.0
    if not _long(whole):
        return 0.0
    return _share(part, whole, lambda x, y: str(whole.values[y])[:1] in _letters(str(part.values[x])))


def _letters(text: str) -> str:
    return "".join(part[:1] if " " in text else part for part in text.split(" "))


def _age(one: _KnownColumn, other: _KnownColumn) -> float:
    """Age and year of birth add up to the same year, or the one before, in all rows."""
    if one.kind not in ("number", "category", "id") or other.kind not in ("date", "number", "id"):
        return 0.0
    years = np.array([_year(text) for text in other.column.values])
    ages = np.array([_number(text) for text in one.column.values])
    a, b = _both(one.column, other.column)
    if len(a) < FEWEST:
        return 0.0
    age, year = ages[a], years[b]
    known = (age >= 0) & (age < 130) & (year > 1850) & (year < 2100)
    if known.sum() < max(FEWEST, 0.5 * len(a)) or len(np.unique(age[known])) < 5:
        return 0.0
    total = (age + year)[known]
    return float(np.mean(np.abs(total - np.median(total)) <= 1))


def _year(text: str) -> int:
    """Of a date in any form; -1 where there is none."""
    found = _YEAR.search(text)
    return int(found[0]) if found else -1


def _dated(kinds: Sequence[FieldKind]) -> list[int]:
    return [index for index, kind in enumerate(kinds) if kind == "date"]


def _years(columns: Sequence[Column], kinds: Sequence[FieldKind]) -> list[Column]:
    """Years of the dates, as columns that others may follow from: age groups, cohorts."""
    made = []
    for index in _dated(kinds):
        years = [str(_year(text)) if _year(text) > 0 else "" for text in columns[index].cells()]
        column = Column.of(columns[index].name, years)
        empty = np.flatnonzero(column.values == "")
        codes = np.where(np.isin(column.codes, empty), MISSING, column.codes).astype(np.int32)
        made.append(Column(column.name, column.values, codes))
    return made


def _number(text: str) -> int:
    """A whole number of a length that a date or an age can have."""
    return int(text) if text.isdecimal() and len(text) <= LONGEST_NUMBER else -1


def _following(
    telling: Sequence[Column],
    owners: Sequence[int],
    kinds: Sequence[FieldKind],
    staying: Sequence[int],
    progress: Progress,
) -> list[tuple[int, int, float]]:
    """(place of the telling column, column that follows from it, how surely), surest first.

    Seen on pairs of records that share the telling value and are different people: they differ in most other columns.
    Values that occur once are left out, they follow from nothing: a slip makes such a value.
    """
    random = np.random.default_rng(0)
    codes = np.stack([telling[index].codes for index in staying])
    counts = [np.append(np.bincount(row[row >= 0], minlength=1), 0) for row in codes]
    again = np.stack([count[row] > 1 for count, row in zip(counts, codes, strict=True)])
    chance = [_chance(row) for row in codes]
    found = []
    about = [hint(telling[index].name) for index in staying]
    for place, column in enumerate(telling):
        progress.check()
        owner = owners[place]
        if owner not in staying:
            continue
        at_owner, by_name = staying.index(owner), kinds[owner] == "name"
        whole = place == owner  # not the year of a date
        if (whole and kinds[owner] == "date") or (whole and not by_name and about[at_owner] not in PLACES):
            continue
        if whole and not by_name and len(column.values) > codes.shape[1] / COARSE:
            continue
        left, right = _sharing(column.codes, random)
        present = (codes[:, left] >= 0) & (codes[:, right] >= 0)
        agree = (codes[:, left] == codes[:, right]) & present
        for at, index in enumerate(staying):
            if at == at_owner or kinds[index] == "date" or chance[at] > (SELDOM if by_name else COMMON):
                continue
            if not by_name and (kinds[index] == "name" or about[at] not in (*PLACES, "number")):
                continue
            if by_name and about[at] == "place":  # who shares a rare name is a family, which lives at one place
                continue
            others = [one for one in range(len(staying)) if one not in (at, at_owner)]
            same = agree[others].sum(axis=0) > SAME_PERSON * np.maximum(present[others].sum(axis=0), 1)
            asked = present[at] & ~same & again[at, left] & again[at, right]
            if asked.sum() < FEWEST or asked.sum() < 0.05 * codes.shape[1] or chance[at] < _chance(column.codes):
                continue
            surely = (float(agree[at, asked].mean()) - chance[at]) / (1 - chance[at])
            if by_name and kinds[index] == "name" and _told_apart(column, telling[index]):
                continue
            if surely >= (CERTAIN if by_name else FOLLOWS):
                found.append((place, index, surely))
    return sorted(found, key=lambda one: -one[2])


def _told_apart(one: Column, other: Column) -> bool:
    """Names that are often the same and sometimes quite another: at birth and now. A sound code is never the name."""
    a, b = _both(one, other)
    if not len(a):
        return False
    pairs = [(str(one.values[x]), str(other.values[y])) for x, y in zip(a.tolist(), b.tolist(), strict=True)]
    equal = sum(x == y for x, y in pairs) / len(pairs)
    return equal >= OFTEN and sum(x[:1] != y[:1] for x, y in pairs) >= QUITE * len(pairs)


def _chance(codes: Codes) -> float:
    counts = np.bincount(codes[codes >= 0]).astype(np.float64)
    total = counts.sum()
    return float((counts * (counts - 1)).sum() / max(total * (total - 1), 1.0))


def _sharing(codes: Codes, random: np.random.Generator) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Pairs of rows with an equal value, every row in two of them at most: common values must not drown the others."""
    rows = np.flatnonzero(codes >= 0)
    rows = rows[np.lexsort((random.random(len(rows)), codes[rows]))]
    equal = np.flatnonzero(codes[rows][1:] == codes[rows][:-1])
    return rows[equal], rows[equal + 1]
