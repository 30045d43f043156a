"""What an .xls holds beside its values (MS-CFB, MS-XLS): the zeros and dates that cells show, formulas, links.

The values come from the library that reads workbooks. It does not tell how a number is shown, knows a date by some
formats only (by none that a program has numbered below 164, as Gnumeric does), and sets memory aside for every count
that the file claims, which ends the whole program where one lies. So the stream of records is walked before: headers
of four bytes, and of the few kinds named here the first fields. Nothing in the file is believed: a count beyond what
the file can hold, a chain that leaves it or a record cut short is refused.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pprl_desktop.records import moments

HEADER, ENTRY = 512, 128  # bytes: of the file, of an entry of its directory
END = 0xFFFFFFFA  # from here on a number is no sector
STREAMS = ("Workbook", "Book", "WORKBOOK", "BOOK")
BOF, EOF, BOUNDSHEET, FILEPASS, FORMAT, FORMAT_8, XF, SUPBOOK = (
    0x0809,
    0x000A,
    0x0085,
    0x002F,
    0x001E,
    0x041E,
    0x00E0,
    0x01AE,
)
FORMULA, NUMBER, RK, MULRK, SST, DIMENSIONS, FROM_1904 = 0x0006, 0x0203, 0x027E, 0x00BD, 0x00FC, 0x0200, 0x0022
MULBLANK, LABEL, RSTRING, LABELSST, BLANK, BOOLERR = 0x00BE, 0x0204, 0x00D6, 0x00FD, 0x0201, 0x0205
ROW, UNSEEN = 0x0208, 0x20  # of a row: hidden, by a filter or by hand
CELLS = frozenset((FORMULA, NUMBER, RK, MULRK, MULBLANK, LABEL, RSTRING, LABELSST, BLANK, BOOLERR))
OWN, ADD_IN = 0x0401, 0x3A01  # a SUPBOOK that names no other file
BIFF8 = 0x0600
COLUMNS = 16384  # of a sheet of any program: how places of cells are counted
_ZEROS = re.compile(r"^(0{2,20})(;.*)?$")


@dataclass
class WorkbookFacts:
    formulas: int = 0
    links: bool = False
    locked: bool = False
    cells: int = 0  # that the largest sheet would take when it is laid out
    # sheet -> place of a cell -> the digits that a number shows, or the moment that it stands for
    shown: dict[str, dict[int, int | moments.Clock]] = field(default_factory=dict)
    odd_days: dict[str, dict[int, str]] = field(default_factory=dict)  # the same of dates that no calendar has: ""
    unseen: dict[str, int] = field(default_factory=dict)  # sheet -> hidden rows that hold cells
    mixed: set[str] = field(default_factory=set)  # sheets with a chart that keeps numbers among the cells


def seen(data: bytes) -> WorkbookFacts | None:
    """Of a whole .xls file; None of one that is damaged or lies."""
    try:
        return _walked(workbook(data))
    except (struct.error, IndexError, ValueError, StopIteration):
        return None


def workbook(data: bytes) -> bytes:
    """The stream that holds the sheets."""
    if data[30] not in (9, 12) or data[32] != 6:
        raise ValueError("no sectors of these sizes")
    size, small = 1 << data[30], 1 << data[32]
    tables, first_entry, _, cutoff, first_small, smalls, more, mores = struct.unpack_from("<8I", data, 44)
    if max(tables, smalls, mores) > len(data) // size:
        raise ValueError("more sectors than the file has")
    table = [one for one in struct.unpack_from("<109I", data, 76) if one < END]
    for _ in range(len(data) // size):
        if more >= END:
            break
        *listed, more = struct.unpack(f"<{size // 4}I", _sector(data, more, size))
        table += [one for one in listed if one < END]
    following = b"".join(_sector(data, one, size) for one in table)
    entries = _chain(data, first_entry, following, size)
    found: dict[str, tuple[int, int]] = {}
    for at in range(0, len(entries) - ENTRY + 1, ENTRY):
        letters = entries[at : at + min(64, struct.unpack_from("<H", entries, at + 64)[0])]
        start, length = struct.unpack_from("<II", entries, at + 116)
        if entries[at + 66] and length > len(data):
            raise ValueError("a stream longer than the file")
        found.setdefault("" if entries[at + 66] == 5 else letters.decode("utf-16-le").rstrip("\0"), (start, length))
    start, length = next(found[name] for name in STREAMS if name in found)
    if length >= cutoff:
        return _chain(data, start, following, size)[:length]
    inner = _chain(data, found[""][0], following, size)
    return _chain(inner, start, _chain(data, first_small, following, size), small, 0)[:length]


def _sector(data: bytes, number: int, size: int, offset: int = HEADER) -> bytes:
    return data[offset + number * size : offset + (number + 1) * size]


def _chain(data: bytes, start: int, following: bytes, size: int, offset: int = HEADER) -> bytes:
    made = []
    for _ in range(len(data) // size + 1):  # a chain that runs in a circle ends as well
        if start >= END:
            break
        made.append(_sector(data, start, size, offset))
        (start,) = struct.unpack_from("<I", following, 4 * start)
    return b"".join(made)


def _walked(stream: bytes) -> WorkbookFacts:
    made = WorkbookFacts()
    formats: dict[int, str] = {}
    styles: list[int] = []
    sheets: dict[int, str] = {}
    marked: Mapping[int, int | moments.Clock] = {}  # styles that show a number as something else
    sheet: str | None = None  # that is being walked
    from_1904 = False
    version, at, wide, high, depth = BIFF8, 0, 0, 0, 0
    while at + 4 <= len(stream):
        kind, length = struct.unpack_from("<HH", stream, at)
        body = at + 4
        if body + length > len(stream):
            raise ValueError("a record that is cut short")
        if kind in CELLS:
            if depth > 1 and sheet is not None:
                made.mixed.add(sheet)
            row, column = struct.unpack_from("<HH", stream, body)
            if kind in (MULRK, MULBLANK):
                (column,) = struct.unpack_from("<H", stream, body + length - 2)
            high, wide = max(high, row + 1), max(wide, column + 1)
            made.cells = max(made.cells, high * wide)
        if kind == BOF:
            wide = high = 0
            depth += 1
            (version,) = struct.unpack_from("<H", stream, body)
            if at in sheets:
                marked = _marked(formats, styles, from_1904)
                sheet = sheets[at]
        elif kind == EOF:
            depth -= 1
        elif kind == FORMULA:
            made.formulas += 1
            if marked and sheet is not None:
                row, column, style = struct.unpack_from("<3H", stream, body)
                _mark(made, sheet, (row + 1) * COLUMNS + column, marked.get(style), _result(stream, body + 6))
        elif kind in (NUMBER, RK) and marked and sheet is not None:
            row, column, style = struct.unpack_from("<3H", stream, body)
            number = struct.unpack_from("<d", stream, body + 6)[0] if kind == NUMBER else _rk(stream, body + 6)
            _mark(made, sheet, (row + 1) * COLUMNS + column, marked.get(style), number)
        elif kind == MULRK and marked and sheet is not None:
            row, column = struct.unpack_from("<HH", stream, body)
            for place in range((length - 6) // 6):
                (style,) = struct.unpack_from("<H", stream, body + 4 + 6 * place)
                number = _rk(stream, body + 6 + 6 * place)
                _mark(made, sheet, (row + 1) * COLUMNS + column + place, marked.get(style), number)
        elif kind in (FORMAT, FORMAT_8):
            (number,) = struct.unpack_from("<H", stream, body)
            formats[number] = _text(stream, body + 2, version, wide=2)
        elif kind == XF:
            styles.append(struct.unpack_from("<H", stream, body + 2)[0])
        elif kind == BOUNDSHEET:
            sheets[struct.unpack_from("<I", stream, body)[0]] = _text(stream, body + 6, version, wide=1)
        elif kind == SST and max(struct.unpack_from("<II", stream, body)) > len(stream):
            raise ValueError("more texts than the file can hold")
        elif kind == DIMENSIONS:
            first, rows, left, columns = struct.unpack_from("<4H" if length < 14 else "<IIHH", stream, body)
            if first > rows or left > columns:
                raise ValueError("a sheet that ends before it begins")
            made.cells = max(made.cells, rows * columns)
        elif kind == FROM_1904:
            from_1904 = struct.unpack_from("<H", stream, body)[0] == 1
        elif kind == ROW and sheet is not None and stream[body + 12] & UNSEEN:
            first, behind = struct.unpack_from("<HH", stream, body + 2)
            made.unseen[sheet] = made.unseen.get(sheet, 0) + (behind > first)
        elif kind == SUPBOOK:
            made.links = made.links or struct.unpack_from("<H", stream, body + 2)[0] not in (OWN, ADD_IN)
        elif kind == FILEPASS:
            made.locked = True
            return made
        at = body + length
    return made


def _marked(formats: Mapping[int, str], styles: Sequence[int], from_1904: bool) -> dict[int, int | moments.Clock]:
    """Styles that show leading zeros (how many digits there are) or a date."""
    made: dict[int, int | moments.Clock] = {}
    for place, one in enumerate(styles):
        pattern = formats.get(one)
        if pattern is not None and (zeros := _ZEROS.match(pattern)):
            made[place] = len(zeros[1])
        elif clock := moments.of_workbook(one, pattern, from_1904):
            made[place] = clock
    return made


def _mark(made: WorkbookFacts, sheet: str, place: int, how: int | moments.Clock | None, number: float | None) -> None:
    if how is None:
        return
    made.shown.setdefault(sheet, {})[place] = how
    if number is not None and isinstance(how, moments.Clock) and moments.of_serial(how, number) is None:
        made.odd_days.setdefault(sheet, {})[place] = ""


def _rk(stream: bytes, at: int) -> float:
    """A number in four bytes: a whole one, or the upper half of a real one, either perhaps a hundredth of it."""
    (packed,) = struct.unpack_from("<i", stream, at)
    upper = struct.pack("<ii", 0, packed & ~3)
    number = float(packed >> 2) if packed & 2 else float(struct.unpack("<d", upper)[0])
    return number / 100 if packed & 1 else number


def _result(stream: bytes, at: int) -> float | None:
    """The saved number of a formula; None where it gave a text, an error or a truth value."""
    return None if stream[at + 6 : at + 8] == b"\xff\xff" else float(struct.unpack_from("<d", stream, at)[0])


def _text(stream: bytes, at: int, version: int, wide: int) -> str:
    """A short string: its length in `wide` bytes of BIFF8, in one byte before that."""
    if version < BIFF8:
        return stream[at + 1 : at + 1 + stream[at]].decode("cp1252", "replace")
    length = int.from_bytes(stream[at : at + wide], "little")
    at += wide
    if stream[at] & 1:
        return stream[at + 1 : at + 1 + 2 * length].decode("utf-16-le", "replace")
    return stream[at + 1 : at + 1 + length].decode("latin-1")
