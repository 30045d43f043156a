"""The seeded corrupter: a copy of a table with the slips people and scanners make.

Training (Algorithm 2 of the split-learning paper), synthetic pairs and rehearsals all use this one.
numpy's generator is right here: nothing private depends on it being unpredictable.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pprl_desktop.records.fields import FieldKind
from pprl_desktop.records.table import MISSING, CleanTable, Column


@dataclass(frozen=True)
class Rates:
    """How much goes wrong, and what. Weights are relative within the slips that fit the kind of field."""

    touched: float = 0.9  # share of records with at least one slip
    further: float = 0.3  # chance of each further slip in the same record
    insert: float = 1.0
    delete: float = 1.0
    substitute: float = 1.0
    transpose: float = 1.0
    keyboard: float = 1.0  # a neighbouring key
    ocr: float = 0.5  # O for 0, RN for M
    phonetic: float = 0.5  # PH for F, IE for Y
    initial: float = 0.4  # names: the first letter alone
    swap: float = 0.3  # two fields of one kind change places
    missing: float = 0.4
    date: float = 2.0  # dates: day and month swapped, or the month or day off by one
    most: int = 8  # slips in one record at most


SINGLE_EDITS = Rates(touched=1.0, further=0.0, initial=0.0, swap=0.0, missing=0.0)  # exactly one character-level slip

_ROWS = ("1234567890", "QWERTYUIOP", "ASDFGHJKL", "ZXCVBNM")
_LOOKALIKES = (
    ("O", "0"), ("I", "1"), ("L", "1"), ("S", "5"), ("B", "8"), ("Z", "2"), ("G", "6"), ("M", "RN"), ("W", "VV"),
    ("D", "CL"), ("U", "V"), ("C", "G"), ("E", "F"), ("H", "N"), ("Q", "O"), ("3", "8"), ("7", "1"), ("4", "9"),
    ("5", "6"),
)  # fmt: skip
_SOUNDALIKES = (
    ("PH", "F"), ("CK", "K"), ("GH", "G"), ("SCH", "SH"), ("TH", "T"), ("KN", "N"), ("WR", "R"), ("IE", "Y"),
    ("EY", "Y"), ("EE", "EA"), ("AI", "AY"), ("OU", "OW"), ("AE", "E"), ("OE", "O"), ("UE", "U"), ("C", "K"),
    ("Z", "S"), ("Y", "I"), ("V", "F"), ("W", "V"), ("X", "KS"), ("QU", "KW"), ("J", "G"), ("LL", "L"), ("SS", "S"),
    ("TT", "T"), ("NN", "N"), ("RR", "R"), ("MM", "M"), ("DT", "T"), ("E", "A"), ("O", "U"),
)  # fmt: skip
_DATE = re.compile(r"^(\d{4})(\D?)(\d{2})(\D?)(\d{2})$")


def _both_ways(pairs: Sequence[tuple[str, str]]) -> dict[str, list[str]]:
    table: dict[str, list[str]] = {}
    for a, b in pairs:
        table.setdefault(a, []).append(b)
        table.setdefault(b, []).append(a)
    return table


def _key_neighbours() -> dict[str, str]:
    table: dict[str, str] = {}
    for r, row in enumerate(_ROWS):
        for c, key in enumerate(row):
            near = [row[c + d] for d in (-1, 1) if 0 <= c + d < len(row)]
            if r and key.isalpha():  # letters slip within the letters, digits within the digits
                near += [_ROWS[q][k] for q in (r - 1, r + 1) if 0 < q < 4 for k in (c, c + r - q) if k < len(_ROWS[q])]
            table[key] = "".join(sorted(set(near) - {key}))
    return table


_NEAR_KEYS = _key_neighbours()
_OCR = _both_ways(_LOOKALIKES)
_SOUND = _both_ways(_SOUNDALIKES)

# A slip changes one value. `at`, `pick` are uniform draws; letters is the alphabet of the column.
Slip = Callable[[str, float, float, str], str]


def _insert(value: str, at: float, pick: float, letters: str) -> str:
    place = int(at * (len(value) + 1))
    return value[:place] + letters[int(pick * len(letters))] + value[place:]


def _delete(value: str, at: float, pick: float, letters: str) -> str:
    place = int(at * len(value))
    return value[:place] + value[place + 1 :]


def _substitute(value: str, at: float, pick: float, letters: str) -> str:
    place = int(at * len(value))
    start = int(pick * len(letters))
    new = letters[start] if letters[start] != value[place] else letters[(start + 1) % len(letters)]
    return value[:place] + new + value[place + 1 :]


def _transpose(value: str, at: float, pick: float, letters: str) -> str:
    places = [i for i in range(len(value) - 1) if value[i] != value[i + 1]]
    if not places:
        return _substitute(value, at, pick, letters)
    i = places[int(at * len(places))]
    return value[:i] + value[i + 1] + value[i] + value[i + 2 :]


def _keyboard(value: str, at: float, pick: float, letters: str) -> str:
    place = int(at * len(value))
    near = _NEAR_KEYS.get(value[place])
    if not near:
        return _substitute(value, at, pick, letters)
    return value[:place] + near[int(pick * len(near))] + value[place + 1 :]


def _replaced(value: str, at: float, pick: float, letters: str, table: dict[str, list[str]]) -> str:
    spots = [(i, width) for width in (3, 2, 1) for i in range(len(value) - width + 1) if value[i : i + width] in table]
    if not spots:
        return _substitute(value, at, pick, letters)
    i, width = spots[int(at * len(spots))]
    options = table[value[i : i + width]]
    return value[:i] + options[int(pick * len(options))] + value[i + width :]


def _ocr(value: str, at: float, pick: float, letters: str) -> str:
    return _replaced(value, at, pick, letters, _OCR)


def _phonetic(value: str, at: float, pick: float, letters: str) -> str:
    return _replaced(value, at, pick, letters, _SOUND)


def _initial(value: str, at: float, pick: float, letters: str) -> str:
    return value[:1]


def _missing(value: str, at: float, pick: float, letters: str) -> str:
    return ""


def _date(value: str, at: float, pick: float, letters: str) -> str:
    """Day and month changed places, or one of year, month, day off by one: what clerks do to dates."""
    parts = _DATE.match(value)
    if parts is None:
        return _substitute(value, at, pick, letters)
    year, one, month, two, day = parts.groups()
    if at < 0.5 and month != day and int(day) <= 12:
        month, day = day, month
    elif pick < 0.4:
        day = f"{int(day) % 28 + 1:02d}"
    elif pick < 0.7:
        month = f"{int(month) % 12 + 1:02d}"
    else:
        year = f"{min(int(year) + (1 if pick < 0.85 else -1), 9999):04d}"
    return f"{year}{one}{month}{two}{day}"


_SLIPS: dict[str, Slip] = {
    "insert": _insert,
    "delete": _delete,
    "substitute": _substitute,
    "transpose": _transpose,
    "keyboard": _keyboard,
    "ocr": _ocr,
    "phonetic": _phonetic,
    "initial": _initial,
    "missing": _missing,
    "date": _date,
}
_SWAP = "swap"
_FITTING: dict[FieldKind, tuple[str, ...]] = {
    "name": ("insert", "delete", "substitute", "transpose", "keyboard", "ocr", "phonetic", "initial", "missing", _SWAP),
    "text": ("insert", "delete", "substitute", "transpose", "keyboard", "ocr", "phonetic", "missing", _SWAP),
    "date": ("substitute", "transpose", "keyboard", "missing", "date", _SWAP),
    "id": ("insert", "delete", "substitute", "transpose", "keyboard", "missing"),
    "number": ("substitute", "transpose", "keyboard", "missing"),
    "category": ("substitute", "missing"),
}


class _Cells:
    """One column while it is being changed: new values are appended once each."""

    def __init__(self, column: Column, kind: FieldKind) -> None:
        self.values: list[str] = [str(v) for v in column.values]
        self.index = {value: code for code, value in enumerate(self.values)}
        self.codes = column.codes.copy()
        known = sorted({letter for value in self.values[:5000] for letter in value if not letter.isspace()})
        digits = [letter for letter in known if letter.isdigit()]
        letters = [letter for letter in known if letter.isalpha()]
        text_like = kind in ("name", "text", "category") and letters
        self.letters = "".join(letters if text_like else digits or letters) or "X"
        self.category = kind == "category"
        self.known = len(self.values)

    def code(self, value: str) -> int:
        value = " ".join(value.split())  # as cleaning would leave it
        if not value:
            return MISSING
        found = self.index.get(value)
        if found is None:
            found = self.index[value] = len(self.values)
            self.values.append(value)
        return found


def _draws(rng: np.random.Generator, rows: int, rates: Rates) -> npt.NDArray[np.int64]:
    """Number of slips in each record: none, or one and a geometric tail."""
    tail = rng.geometric(1.0 - min(max(rates.further, 0.0), 0.95), size=rows)
    return np.where(rng.random(rows) < rates.touched, np.minimum(tail, rates.most), 0)


def _swapped(cells: list[_Cells], field: int, others: list[int], row: int, pick: float) -> None:
    other = others[int(pick * len(others))]
    mine, theirs = cells[field], cells[other]
    a, b = int(mine.codes[row]), int(theirs.codes[row])
    mine.codes[row] = MISSING if b == MISSING else mine.code(theirs.values[b])
    theirs.codes[row] = MISSING if a == MISSING else theirs.code(mine.values[a])


def corrupt(table: CleanTable, seed: int, rates: Rates | None = None) -> CleanTable:
    """The same rows in the same order, with slips drawn by `rates`. Same table, seed and rates: same copy."""
    rates = rates or Rates()
    rng = np.random.default_rng(seed)
    kinds = [field.kind for field in table.fields]
    cells = [_Cells(column, kind) for column, kind in zip(table.columns, kinds, strict=True)]
    slips = _draws(rng, table.rows, rates)
    for round_ in range(int(slips.max(initial=0))):
        _one_round(rng, cells, kinds, np.flatnonzero(slips > round_), rates)
    columns = []
    for column, done in zip(table.columns, cells, strict=True):
        values = np.empty(len(done.values), dtype=object)
        values[:] = done.values
        columns.append(Column(column.name, values, done.codes))
    return CleanTable(table.fields, tuple(columns))


def _one_round(
    rng: np.random.Generator,
    cells: list[_Cells],
    kinds: list[FieldKind],
    rows: npt.NDArray[np.int64],
    rates: Rates,
) -> None:
    """One slip in each of `rows`, in a field of that record that is not missing."""
    if not cells or not len(rows):
        return
    present = np.stack([cell.codes[rows] != MISSING for cell in cells], axis=1)
    lottery = np.where(present, rng.random(present.shape), -1.0)
    chosen = np.argmax(lottery, axis=1)
    usable = present.any(axis=1)
    at, pick, which = rng.random((3, len(rows)))
    for field, cell in enumerate(cells):
        here = np.flatnonzero(usable & (chosen == field))
        if not len(here):
            continue
        others = [other for other, kind in enumerate(kinds) if other != field and kind == kinds[field]]
        names = [name for name in _FITTING[kinds[field]] if name != _SWAP or others]
        weights = np.array([getattr(rates, name) for name in names], dtype=np.float64)
        if weights.sum() <= 0:
            continue
        ops = np.searchsorted(np.cumsum(weights) / weights.sum(), which[here], side="right")
        ops = np.minimum(ops, len(names) - 1)
        codes = cell.codes[rows[here]].tolist()
        for k, (code, op) in enumerate(zip(codes, ops.tolist(), strict=True)):
            row, a, p = int(rows[here[k]]), float(at[here[k]]), float(pick[here[k]])
            name = names[op]
            if name == _SWAP:
                _swapped(cells, field, others, row, p)
            elif cell.category and name == "substitute":  # a wrong tick: another category, not a misspelt one
                cell.codes[row] = (code + 1 + int(p * (cell.known - 1))) % cell.known if cell.known > 1 else code
            else:
                cell.codes[row] = cell.code(_SLIPS[name](cell.values[code], a, p, cell.letters))
