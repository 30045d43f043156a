"""Atoms: one field of a record in part, or two name fields together, as a small set of texts.

Two records agree on an atom if their sets share a text: "one slip" holds the value and every text with one letter less,
so that two spellings at most one slip apart have one in common.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from pprl_desktop.records.fields import Field, FieldKind
from pprl_desktop.records.table import CleanTable, Column
from pprl_desktop.said import Said

SLIP, SOUND, ANY, BOTH = "one slip", "sound", "either", "both in any order"
Texts = tuple[str, ...]
Codes = npt.NDArray[np.int32]

LONGEST_SLIP = 24  # letters of a value of which deletions are made; longer ones are cut


def _exact(value: str) -> Texts:
    return (value,)


def _first(count: int) -> Callable[[str], Texts]:
    return lambda value: (value.replace(" ", "")[:count],)


def _last_three(value: str) -> Texts:
    return (value.replace(" ", "")[-3:],)


def deletions(value: str) -> Texts:
    """The value and every text with one letter less; a single letter stands alone (one less is nothing)."""
    value = value[:LONGEST_SLIP]
    if len(value) < 3:  # two letters with one lost say next to nothing
        return (value,)
    return tuple(sorted({value, *(value[:i] + value[i + 1 :] for i in range(len(value)))}))


_SOUND_PAIRS = (("SCH", "S"), ("PH", "F"), ("CK", "K"), ("TH", "T"), ("GH", "G"), ("SH", "S"), ("CH", "K"), ("WR", "R"),
                ("KN", "N"), ("QU", "K"), ("DT", "T"), ("TZ", "S"), ("X", "KS"))  # fmt: skip
_ALIKE = ("BP", "FVW", "KCGQJ", "SZX", "TD", "L", "MN", "R")
_CLASSES = {letter: group[0] for group in _ALIKE for letter in group}


@lru_cache(maxsize=1 << 17)
def sounds(value: str) -> Texts:
    """Consonants by how they sound, vowels only at the start; none for what is not written in Latin letters."""
    plain = unicodedata.normalize("NFKD", value).upper()
    letters = "".join(letter for letter in plain if "A" <= letter <= "Z")
    if not letters or any(letter.isalpha() and letter not in letters for letter in plain):
        return ()
    for long, short in _SOUND_PAIRS:
        letters = letters.replace(long, short)
    made = ["A" if letters[0] in "AEIOUYH" else _CLASSES[letters[0]]]
    before = letters[0]
    for letter in letters[1:]:
        mark = _CLASSES.get(letter, "")
        if mark and mark != _CLASSES.get(before, ""):
            made.append(mark)
        before = letter
    return ("".join(made[:6]),)


def _word(value: str) -> Texts:
    return (max(value.split(" "), key=lambda one: (len(one), one)),)


def _near(value: str) -> Texts:
    """A whole number and the next: two numbers at most one apart share one of them."""
    if not value.lstrip("-").isdigit():
        return (value,)
    return (value, str(int(value) + 1))


def _part_of_date(*slices: slice) -> Callable[[str], Texts]:
    def made(value: str) -> Texts:
        if not (value.isdigit() and len(value) >= max(one.stop for one in slices)):
            return ()
        return ("".join(value[one] for one in slices),)

    return made


def _turned(value: str) -> Texts:
    if not (value.isdigit() and len(value) == 8):
        return ()
    return (value[:4] + "".join(sorted((value[4:6], value[6:]))),)


_YEAR, _MONTH, _DAY = slice(0, 4), slice(4, 6), slice(6, 8)

# kind -> form -> what a value becomes; the names of forms are words of the agreement
FORMS: dict[FieldKind, dict[str, Callable[[str], Texts]]] = {
    "name": {
        "whole": _exact, SLIP: deletions, SOUND: sounds, "first 3": _first(3), "last 3": _last_three,
        "initial": _first(1),
    },
    "date": {
        "whole": _exact, "year": _part_of_date(_YEAR), "year and month": _part_of_date(_YEAR, _MONTH),
        "month and day": _part_of_date(_MONTH, _DAY), "year and day": _part_of_date(_YEAR, _DAY),
        "day and month in any order": _turned,
    },
    "number": {"whole": _exact, "one more or less": _near},
    "id": {"whole": _exact, "first 3": _first(3), SLIP: deletions},
    "text": {"whole": _exact, "longest word": _word, "first 4": _first(4)},
    "category": {"whole": _exact},
}  # fmt: skip
PAIR_FORMS = (ANY, BOTH)  # of two name fields
FULL_DATE = ("whole", "day and month in any order")


@dataclass(frozen=True, order=True)
class Atom:
    fields: tuple[str, ...]  # one, or two name fields
    form: str

    def said(self) -> Said:
        names = [name.replace("_", " ") for name in self.fields]
        if self.form == ANY:
            return Said("{one} or {other}", one=names[0], other=names[1])
        if self.form == BOTH:
            return Said("{one} and {other} in any order", one=names[0], other=names[1])
        return Said(_WORDS[self.form], field=names[0])


# what a form is called, as a steward reads it in the agreement
_WORDS = {
    "whole": "{field}",
    SLIP: "{field} with one slip",
    SOUND: "sound of {field}",
    "first 3": "first three letters of {field}",
    "last 3": "last three letters of {field}",
    "first 4": "first four letters of {field}",
    "initial": "initial of {field}",
    "longest word": "longest word of {field}",
    "year": "year of {field}",
    "year and month": "year and month of {field}",
    "month and day": "month and day of {field}",
    "year and day": "year and day of {field}",
    "day and month in any order": "{field}, day and month in any order",
    "one more or less": "{field} give or take one",
}


def atoms_of(fields: tuple[Field, ...]) -> tuple[Atom, ...]:
    """Every atom that these fields can make."""
    made = [Atom((one.name,), form) for one in fields for form in FORMS[one.kind]]
    names = [one.name for one in fields if one.kind == "name"]
    for place, first in enumerate(names):
        made += [Atom((first, second), form) for second in names[place + 1 :] for form in PAIR_FORMS]
    return tuple(made)


@dataclass(frozen=True, eq=False)
class AtomColumn:
    """The texts of one atom over a table: row -> unit (a distinct value or pair of values) -> its texts."""

    atom: Atom
    units: Codes  # per row, -1 where the atom is missing
    start: npt.NDArray[np.int64]  # [units + 1]
    items: Codes  # places in `texts`, unit by unit
    texts: tuple[str, ...] = field(repr=False)

    @property
    def sizes(self) -> npt.NDArray[np.int64]:
        """Texts per unit."""
        return np.diff(self.start)

    def holders(self) -> npt.NDArray[np.int64]:
        """How many rows hold each text."""
        rows = np.bincount(self.units[self.units >= 0], minlength=len(self.start) - 1)
        return np.bincount(self.items, np.repeat(rows, self.sizes), len(self.texts)).astype(np.int64)

    def mean_values(self) -> float:
        """Texts per row that has the atom."""
        present = self.units[self.units >= 0]
        return float(self.sizes[present].mean()) if len(present) else 0.0


def column_of(atom: Atom, table: CleanTable) -> AtomColumn:
    if len(atom.fields) == 1:
        one = table.column(atom.fields[0])
        kind = next(each.kind for each in table.fields if each.name == atom.fields[0])
        make = FORMS[kind][atom.form]
        return _built(atom, one.codes, (tuple(text for text in make(str(value)) if text) for value in one.values))
    units, pairs = _pairs(table.column(atom.fields[0]), table.column(atom.fields[1]), atom.form)
    return _built(atom, units, pairs)


def _pairs(first: Column, second: Column, form: str) -> tuple[Codes, list[Texts]]:
    """Distinct pairs of values; "either" is there if one of the two is, "both" needs both."""
    width = len(second.values) + 1
    key = (first.codes.astype(np.int64) + 1) * width + (second.codes + 1)
    distinct, units = np.unique(key, return_inverse=True)
    made: list[Texts] = []
    for one in distinct.tolist():
        a, b = one // width - 1, one % width - 1
        texts = [str(column.values[code]) for column, code in ((first, a), (second, b)) if code >= 0]
        if form == ANY:
            made.append(tuple(sorted(set(texts))))
        else:
            made.append(("\x1f".join(sorted(texts)),) if len(texts) == 2 else ())
    return units.astype(np.int32), made


def _built(atom: Atom, units: Codes, texts_of: Iterable[Texts]) -> AtomColumn:
    seen: dict[str, int] = {}
    items: list[int] = []
    sizes: list[int] = []
    for texts in texts_of:
        items += [seen.setdefault(text, len(seen)) for text in texts]
        sizes.append(len(texts))
    count = np.array(sizes, dtype=np.int64)
    start = np.concatenate([[0], np.cumsum(count)]).astype(np.int64)
    empty = np.append(count == 0, True)  # index -1: missing
    return AtomColumn(
        atom, np.where(empty[units], -1, units).astype(np.int32), start, np.array(items, dtype=np.int32), tuple(seen)
    )
