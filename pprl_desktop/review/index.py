"""How many records are compatible with what is shown: bitmaps over records, combined by AND and counted.

Per field one bitmap for every (position, character), every length, and "value shared"; rare ones are kept as row
lists. Full cells use the rows of the value. All next-click previews of a row come from prefix and suffix ANDs.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.records.table import Column
from pprl_desktop.review.graphemes import graphemes
from pprl_desktop.review.kapr import Constraint

Bits = npt.NDArray[np.uint64]
RowList = npt.NDArray[np.uint32]
Numbered = npt.NDArray[np.uint8] | npt.NDArray[np.uint32]
Found = npt.NDArray[np.uint64] | npt.NDArray[np.uint32] | None  # None: no constraint, all records

SPARSE = 32  # a set smaller than 1/32 of the records is smaller as a list of uint32 rows than as bits
POSITIONS = 64  # characters of a value that are indexed; what lies beyond is compared value by value
MEMORY = 176 << 20  # bytes of bitmaps at most; those of positions that do not fit are made when asked for
RECENT = 48 << 20  # bytes of such bitmaps that are kept


@dataclass(frozen=True, eq=False)
class FieldIndex:
    column: Column
    characters: Numbered  # [distinct values + 1, positions]; 0: no character; the last row stands for missing
    numbers: dict[str, int]  # character -> its number in `characters`
    lengths: dict[int, Found]
    order: RowList  # rows sorted by value
    starts: npt.NDArray[np.int64]
    shared: Bits
    places: dict[tuple[int, int], Found] = field(default_factory=dict)  # (position, character number) -> records
    frequent: dict[int, Bits] = field(default_factory=dict)  # value -> records, for values held by many
    indexed: list[int] = field(default_factory=list)  # positions that have their bitmaps


class Crowd:
    """The data set, indexed: answers "how many records could this row be?"."""

    def __init__(self, columns: Sequence[Column], memory: int = MEMORY, progress: Progress = NO_PROGRESS) -> None:
        self.records = len(columns[0]) if columns else 0
        self.fields = tuple(
            _prepare(column, self.records, progress.part(0.3 * i / len(columns), 0.3 * (i + 1) / len(columns)))
            for i, column in enumerate(columns)
        )
        self._recent: OrderedDict[tuple[int, int, int], Bits] = OrderedDict()
        self._index_places(memory, progress.part(0.3, 1.0))

    def _index_places(self, memory: int, progress: Progress) -> None:
        """Position by position over all fields, so that a lack of memory hits only the tails of long values."""
        left = memory
        width = max((f.characters.shape[1] for f in self.fields), default=0)
        for place in range(width):
            for entry in self.fields:
                progress.at(place / max(width, 1), "Indexing the records for the privacy meter")
                if place < entry.characters.shape[1] and left > 0:
                    left -= _index_place(entry, place, self.records)

    def nbytes(self) -> int:
        total = 0
        for entry in self.fields:
            for group in (entry.places, entry.lengths, entry.frequent):
                total += sum(found.nbytes for found in group.values() if found is not None)
            total += entry.characters.nbytes + entry.order.nbytes + entry.starts.nbytes + entry.shared.nbytes
        return total

    def counts(self, field_number: int) -> npt.NDArray[np.int64]:
        """How often each value of a field occurs."""
        return np.diff(self.fields[field_number].starts)

    def frequency(self, field_number: int, code: int) -> int:
        starts = self.fields[field_number].starts
        return int(starts[code + 1] - starts[code])

    def cell(self, field_number: int, wanted: Constraint | None) -> Found:
        """The records that satisfy one cell."""
        if wanted is None:
            return None
        entry = self.fields[field_number]
        if wanted.code is not None:
            frequent = entry.frequent.get(wanted.code)
            if frequent is not None:
                return frequent
            return entry.order[entry.starts[wanted.code] : entry.starts[wanted.code + 1]]
        found: Found = entry.shared if wanted.shared else None
        if wanted.length is not None:
            found = _both(found, entry.lengths.get(wanted.length, _NONE))
        later = []
        for place, character in wanted.characters:
            if place < entry.characters.shape[1]:
                found = _both(found, self._place(field_number, place, entry.numbers.get(character, 0)))
            else:
                later.append((place, character))
        return _filtered(entry, found, later, self.records) if later else found

    def _place(self, field_number: int, place: int, number: int) -> Found:
        """The records with a character at a position: indexed, or made now and kept for a while."""
        entry = self.fields[field_number]
        if place in entry.indexed:
            return entry.places.get((place, number), _NONE)
        key = (field_number, place, number)
        if key in self._recent:
            self._recent.move_to_end(key)
            return self._recent[key]
        here = (entry.characters[:, place] == number) & (number > 0)
        found = _pack(here[entry.column.codes])
        self._recent[key] = found
        if len(self._recent) * found.nbytes > RECENT:
            self._recent.popitem(last=False)
        return found

    def count(self, wanted: Sequence[Constraint | None]) -> int:
        found: Found = None
        for number, each in enumerate(wanted):
            found = _both(found, self.cell(number, each))
        return _size(found, self.records)

    def previews(
        self, now: Sequence[Constraint | None], after: Sequence[Constraint | None]
    ) -> tuple[int, tuple[int, ...]]:
        """k of a row as it is, and k after opening each cell alone (unchanged where `after` has None)."""
        cells = [self.cell(i, each) for i, each in enumerate(now)]
        behind: list[Found] = [None]
        for found in reversed(cells):
            behind.append(_both(behind[-1], found))
        behind.reverse()
        here = _size(behind[0], self.records)
        before: Found = None
        counts = []
        for i, found in enumerate(cells):
            opened = after[i]
            if opened is None:
                counts.append(here)
            else:
                others = _both(before, behind[i + 1])
                counts.append(_size(_both(others, self.cell(i, opened)), self.records))
            before = _both(before, found)
        return here, tuple(counts)


_NONE: RowList = np.empty(0, dtype=np.uint32)


def _both(x: Found, y: Found) -> Found:
    if x is None:
        return y
    if y is None:
        return x
    if x.dtype == np.uint64 and y.dtype == np.uint64:
        return np.bitwise_and(x, y)
    if x.dtype == np.uint64:
        x, y = y, x
    if y.dtype == np.uint64:
        bits = y[x >> np.uint32(6)] >> (x & np.uint32(63)).astype(np.uint64)
        inside: RowList = x[(bits & np.uint64(1)).astype(bool)]
        return inside
    if len(x) > len(y):
        x, y = y, x
    if not len(x):
        return x
    at = np.minimum(np.searchsorted(y, x), len(y) - 1)
    common: RowList = x[y[at] == x]
    return common


def _size(found: Found, records: int) -> int:
    if found is None:
        return records
    return int(np.bitwise_count(found).sum(dtype=np.int64)) if found.dtype == np.uint64 else len(found)


def _pack(chosen: npt.NDArray[np.bool_]) -> Bits:
    packed = np.packbits(chosen, bitorder="little")
    padded = np.zeros(-(-len(packed) // 8) * 8, dtype=np.uint8)
    padded[: len(packed)] = packed
    return padded.view(np.dtype("<u8")).astype(np.uint64, copy=False)


def _store(chosen: npt.NDArray[np.bool_], count: int) -> Found:
    if count * SPARSE < len(chosen):
        return np.flatnonzero(chosen).astype(np.uint32)
    return _pack(chosen)


def _prepare(column: Column, records: int, progress: Progress) -> FieldIndex:
    progress.at(0.0, "Indexing the records for the privacy meter")
    characters, numbers, lengths = _characters(column)
    progress.at(0.5)
    codes = column.codes
    counts = column.counts()
    starts = np.concatenate([[0], np.cumsum(counts)])
    order = rows_by_value(codes)[records - int(starts[-1]) :].astype(np.uint32)  # missing (-1) come first
    padded = np.append(counts >= 2, False)
    of_rows = np.append(lengths, -1)[codes]
    by_length: dict[int, Found] = {}
    for length in np.unique(lengths):
        chosen = of_rows == length
        by_length[int(length)] = _store(chosen, int(chosen.sum()))
    entry = FieldIndex(column, characters, numbers, by_length, order, starts, _pack(padded[codes]))
    for code in np.flatnonzero(counts * SPARSE >= max(records, 1)):
        entry.frequent[int(code)] = _pack(codes == code)
    return entry


def rows_by_value(codes: npt.NDArray[np.int32]) -> npt.NDArray[np.int64]:
    """Rows sorted by value, stable. Sixteen bits at a time, because numpy sorts those by radix: ten times faster."""
    shifted = (codes + 1).astype(np.uint32)
    rows = np.argsort((shifted & np.uint32(0xFFFF)).astype(np.uint16), kind="stable")
    if shifted.max(initial=0) > 0xFFFF:
        rows = rows[np.argsort((shifted[rows] >> np.uint32(16)).astype(np.uint16), kind="stable")]
    return rows


def _characters(column: Column) -> tuple[Numbered, dict[str, int], npt.NDArray[np.int64]]:
    """Distinct values as numbered characters. ASCII goes through numpy; the rest is cut by grapheme."""
    values = column.values
    simple = (v.isascii() and "\r\n" not in v and "\0" not in v for v in values)
    plain = np.fromiter(simple, dtype=bool, count=len(values))
    lengths = np.fromiter(map(len, values), dtype=np.int64, count=len(values))
    numbers = {chr(code): code for code in range(1, 128)}
    split: dict[int, tuple[str, ...]] = {}
    for at in np.flatnonzero(~plain).tolist():
        split[at] = graphemes(values[at])
        lengths[at] = len(split[at])
    width = int(min(lengths.max(initial=0), POSITIONS))
    table = np.zeros((len(values) + 1, width), dtype=np.uint32 if split else np.uint8)
    if width and plain.any():
        text = np.array(values[plain], dtype=f"S{width}")
        table[:-1][plain] = text.view(np.uint8).reshape(len(text), width)
    for i, cut in split.items():
        for place, character in enumerate(cut[:width]):
            table[i, place] = numbers.setdefault(character, len(numbers) + 1)
    return table, numbers, lengths


def _index_place(entry: FieldIndex, place: int, records: int) -> int:
    """Bitmaps of the frequent characters at a position, row lists of the rare ones. Gives the bytes used."""
    at_rows = entry.characters[:, place][entry.column.codes]
    counts = np.bincount(at_rows, minlength=len(entry.numbers) + 1)
    counts[0] = 0
    rare = (counts > 0) & (counts * SPARSE < records)
    used = 0
    for number in np.flatnonzero((counts > 0) & ~rare).tolist():
        bits = _pack(at_rows == number)
        entry.places[place, number] = bits
        used += bits.nbytes
    rows = np.flatnonzero(rare[at_rows])
    if len(rows):
        lists: RowList = rows[np.argsort(at_rows[rows], kind="stable")].astype(np.uint32)
        start = 0
        for number in np.flatnonzero(rare).tolist():
            entry.places[place, number] = lists[start : start + int(counts[number])]
            start += int(counts[number])
        used += lists.nbytes
    entry.indexed.append(place)
    return used


def _filtered(entry: FieldIndex, found: Found, later: Sequence[tuple[int, str]], records: int) -> RowList:
    """Positions beyond the indexed ones: looked up in the values of the rows that are left."""
    rows = _rows(found, records)
    for place, character in later:
        codes = entry.column.codes[rows]
        distinct, back = np.unique(codes, return_inverse=True)
        keep = np.array([_has(entry.column, int(code), place, character) for code in distinct], dtype=bool)[back]
        rows = rows[keep]
    return rows


def _has(column: Column, code: int, place: int, character: str) -> bool:
    if code < 0:
        return False
    cut = graphemes(column.values[code])
    return place < len(cut) and cut[place] == character


def _rows(found: Found, records: int) -> RowList:
    if found is None:
        return np.arange(records, dtype=np.uint32)
    if found.dtype != np.uint64:
        return found.astype(np.uint32, copy=False)
    bits = np.unpackbits(found.astype("<u8", copy=False).view(np.uint8), bitorder="little", count=records)
    return np.flatnonzero(bits).astype(np.uint32)
