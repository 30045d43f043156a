"""The quick way from text to cells: numpy finds the separators of a whole block at once.

It only takes blocks it understands beyond doubt: every line has as many cells as the header, every quote opens at the
start of a cell and closes at its end, no cell goes over several lines. Everything else is left to parsing.py.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pprl_desktop.records.dialect import Dialect
from pprl_desktop.records.distinct import Bytes, Cells, Index

_UNIT = 0x1F  # stands in for a separator of several characters
_LF, _CR = 0x0A, 0x0D


@dataclass(frozen=True, eq=False)
class Block:
    """The cells of each column."""

    columns: tuple[Cells, ...]
    rows: int
    doubled: str  # the quote character if it is doubled inside cells, else ""


def cut(text: str, dialect: Dialect, width: int) -> Block | None:
    """None: not a block for the quick way."""
    if dialect.escape or dialect.skip_blanks or width == 0:
        return None
    data = text.encode("utf-8", "surrogatepass")
    quote = ord(dialect.quote) if dialect.quote and dialect.quote.isascii() else -1
    quoted = bool(dialect.quote) and dialect.quote in text
    if quoted and quote < 0:
        return None
    separator = ord(dialect.separator) if len(dialect.separator) == 1 and dialect.separator.isascii() else _UNIT
    if separator == _UNIT and dialect.separator != chr(_UNIT):
        if quoted or bytes([_UNIT]) in data:
            return None
        data = data.replace(dialect.separator.encode("utf-8"), bytes([_UNIT]))
    if b"\r" in data and _has_lone_cr(data):
        if quoted:
            return None
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if not data.endswith(b"\n"):
        data += b"\n"
    return _cut(data, separator, quote if quoted else -1, width)


def _cut(data: bytes, separator: int, quote: int, width: int) -> Block | None:
    buffer = np.frombuffer(data + bytes(8), dtype=np.uint8)
    inside = buffer[: len(data)]
    marks = inside == _LF
    lines = int(np.count_nonzero(marks))
    marks |= inside == separator
    doubled = ""
    if quote >= 0:
        quotes = inside == quote
        found = _doubled(buffer, np.flatnonzero(quotes), separator, quote)
        if found is None:
            return None
        doubled = chr(quote) if found else ""
        marks &= (np.cumsum(quotes, dtype=np.uint8) & 1) == 0  # wraps at 256, the parity stays
    ends = np.flatnonzero(marks)
    rows = len(ends) // width
    # a line feed inside quotes, an empty line or a line of another width: one of these fails
    if rows != lines or rows * width != len(ends) or not bool((buffer[ends[width - 1 :: width]] == _LF).all()):
        return None
    starts = np.concatenate((np.zeros(1, dtype=np.int64), ends[:-1] + 1))
    lengths = ends - starts
    if b"\r" in data:
        lengths[width - 1 :: width] -= _ends_in_cr(buffer, starts, lengths, width)
    if width == 1 and not bool((lengths > 0).all()):  # an empty line, not an empty cell
        return None
    if quote >= 0:
        wrapped = (buffer[starts] == quote) & (lengths > 0)
        starts += wrapped
        lengths -= 2 * wrapped
    columns = tuple(Cells(buffer, starts[index::width], lengths[index::width]) for index in range(width))
    return Block(columns, rows, doubled)


def _has_lone_cr(data: bytes) -> bool:
    buffer = np.frombuffer(data, dtype=np.uint8)
    returns = buffer == _CR
    paired = returns[:-1] & (buffer[1:] == _LF)
    return bool(np.count_nonzero(returns) != np.count_nonzero(paired))


def _ends_in_cr(buffer: Bytes, starts: Index, lengths: Index, width: int) -> npt.NDArray[np.bool_]:
    last, size = starts[width - 1 :: width], lengths[width - 1 :: width]
    ends: npt.NDArray[np.bool_] = (size > 0) & (buffer[last + size - 1] == _CR)
    return ends


def _doubled(buffer: Bytes, places: Index, separator: int, quote: int) -> bool | None:
    """Whether quotes are doubled inside cells; None if any quote is not where quotes belong."""
    if len(places) % 2:
        return None
    opening, closing = places[0::2], places[1::2]
    before = buffer[np.maximum(opening - 1, 0)]
    after = buffer[closing + 1]
    inner = after == quote
    opens = (before == separator) | (before == _LF) | (before == quote) | (opening == 0)
    closes = inner | (after == separator) | (after == _LF) | (after == _CR)
    if not (bool(opens.all()) and bool(closes.all())):
        return None
    return bool(inner.any())
