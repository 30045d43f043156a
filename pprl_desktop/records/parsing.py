"""Cuts text into cells and collects each column as distinct values and row codes.

Text without quotes is cut by str.split once numpy has seen that every line has the same number of cells; everything
else goes through Python's csv module in its strict mode. A record whose number of cells differs from the header's, or
a quote that is not closed, is a Problem with the line: guessing would shift cells or swallow records.
"""

from __future__ import annotations

import csv
import io
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

import numpy as np

from pprl_desktop.problem import Problem
from pprl_desktop.records.dialect import Dialect, stand_in
from pprl_desktop.records.headers import header_names
from pprl_desktop.records.ragged import Ragged, RaggedRows
from pprl_desktop.records.table import Codes, Column, Table

LONGEST_CELL = 16 << 20  # characters: a quote still open after that was never closed
CSV_LIMIT = 2**31 - 1


class Gatherer:
    """One column being read: a growing dictionary of distinct values, and the codes of the rows so far."""

    def __init__(self) -> None:
        self._seen: defaultdict[str, int] = defaultdict()
        self._seen.default_factory = self._seen.__len__  # a new value gets the next number
        self._codes: list[Codes] = []

    def add(self, cells: Sequence[str]) -> None:
        self._codes.append(np.fromiter(map(self._seen.__getitem__, cells), dtype=np.int32, count=len(cells)))

    def column(self, name: str) -> Column:
        values = np.empty(len(self._seen), dtype=object)
        values[:] = list(self._seen)
        codes = np.concatenate(self._codes) if self._codes else np.empty(0, dtype=np.int32)
        return Column(name, values, codes)


def parse(blocks: Iterable[str], dialect: Dialect, ragged: Ragged = "refuse") -> tuple[Table, tuple[Problem, ...]]:
    """The table in a text that arrives in blocks. `ragged` says what happens to records of another width."""
    csv.field_size_limit(CSV_LIMIT)
    text = Text(blocks)
    chunks = whole_lines(text)
    header, rest, line = _header(chunks, dialect)
    parser = _Parser(dialect, RaggedRows(len(header), ragged), len(header), line)
    for chunk in chain((rest,), chunks):
        parser.feed(chunk)
    told = parser.finish()
    names, warnings = header_names(header) if dialect.header_line else (tuple(header), ())
    columns = tuple(gatherer.column(name) for name, gatherer in zip(names, parser.gatherers, strict=True))
    return Table(columns), (*text.warnings(), *warnings, *told)


class Text:
    """The blocks without NUL characters, which some exports scatter; says how many there were."""

    def __init__(self, blocks: Iterable[str]) -> None:
        self._blocks = blocks
        self._nuls, self._line, self._first = 0, 1, 0

    def __iter__(self) -> Iterator[str]:
        for block in self._blocks:
            if "\0" in block:
                if not self._first:
                    self._first = self._line + _breaks(block[: block.index("\0")])
                self._nuls += block.count("\0")
                block = block.replace("\0", "")
            if not self._first:
                self._line += _breaks(block)
            yield block

    def warnings(self) -> tuple[Problem, ...]:
        if not self._nuls:
            return ()
        return (
            Problem(
                f"{self._nuls:,} NUL bytes were removed, the first in line {self._first:,}.",
                "They are no text; a broken export or another encoding leaves them.",
                "Check that line.",
                place=f"line {self._first}",
            ),
        )


def whole_lines(blocks: Iterable[str]) -> Iterator[str]:
    """The same text cut after line ends; the last piece may lack one."""
    rest = ""
    for block in blocks:
        text = rest + block
        cut = max(text.rfind("\n"), text.rfind("\r", 0, -1)) + 1  # a final CR may be half of a CR LF
        rest = text[cut:]
        if cut:
            yield text[:cut]
    if rest:
        yield rest


def _header(chunks: Iterator[str], dialect: Dialect) -> tuple[list[str], str, int]:
    """The header cells, the text after them in their chunk, and its line."""
    if dialect.header_line == 0:
        return [f"column {index + 1}" for index in range(dialect.width)], "", 1
    stream = io.StringIO(next(chunks, ""), newline="")
    for _ in range(dialect.header_line - 1):
        if not next(stream, ""):  # a long preamble
            stream = io.StringIO(next(chunks, ""), newline="")
            next(stream, "")
    mark = stand_in(stream.getvalue(), dialect.separator)
    start = stream.tell()
    lines = (line.replace(dialect.separator, mark) for line in iter(stream.readline, ""))
    reader = _reader(lines, dialect, mark)
    try:
        cells: list[str] = next(reader, [])
    except csv.Error:
        raise _open_quote(stream.getvalue()[start:], dialect, dialect.header_line) from None
    return _restored([cells], dialect, mark)[0], stream.read(), dialect.header_line + reader.line_num


class _Parser:
    """Takes chunks of whole lines; keeps back a record whose quoted cell goes on in the next chunk."""

    def __init__(self, dialect: Dialect, ragged: RaggedRows, width: int, line: int) -> None:
        self.gatherers = [Gatherer() for _ in range(width)]
        self._dialect = dialect
        self._ragged = ragged
        self._width = width
        self._line = line  # of the next record
        self._open: list[str] = []  # text of a record that is not complete yet
        self._open_size, self._wanted = 0, 0
        self._swallowed: list[int] = []

    def feed(self, chunk: str) -> None:
        self._open.append(chunk)
        self._open_size += len(chunk)
        if self._open_size >= self._wanted:  # twice as much each time: a long cell is not read again and again
            self._take("".join(self._open), last=False)

    def finish(self) -> tuple[Problem, ...]:
        self._take("".join(self._open), last=True)
        return (*self._ragged.conclude(), *self._swallowed_warning())

    def _take(self, text: str, *, last: bool) -> None:
        rest = ""
        if text and not self._take_plain(text):
            rest = self._take_any(text, last=last)
        self._open, self._open_size, self._wanted = [rest], len(rest), 2 * len(rest)

    def _take_plain(self, text: str) -> bool:
        """The quick way: no quotes, every line as wide as the header. False: not such a text."""
        dialect, width = self._dialect, self._width
        if (dialect.quote and dialect.quote in text) or dialect.escape or dialect.skip_blanks:
            return False
        if "\r" in text:
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        text = text.removesuffix("\n")
        rows = even_rows(text, dialect.separator, width)
        if not rows:
            return False
        separator = dialect.separator
        cells = text.split("\n") if width == 1 else text.replace("\n", separator).split(separator)
        for index, gatherer in enumerate(self.gatherers):
            gatherer.add(cells[index::width])
        self._line += rows
        return True

    def _take_any(self, text: str, *, last: bool) -> str:
        """The careful way; returns the text of a last record that is not complete yet."""
        dialect = self._dialect
        mark = stand_in(text, dialect.separator)
        cut = text if mark == dialect.separator else text.replace(dialect.separator, mark)
        reader = _reader(io.StringIO(cut, newline=""), dialect, mark)
        rows: list[list[str]] = []
        failed = ""
        try:
            rows.extend(reader)  # keeps what it got when the reader fails
        except csv.Error as error:
            failed = str(error)
        rows = _restored(rows, dialect, mark)
        spans = [1] * len(rows)
        if failed or reader.line_num != len(rows):
            spans = [1 + sum(map(_breaks, row)) for row in rows]
            self._look_for_swallowed(rows, spans)
        self._add(rows, spans)
        self._line += sum(spans)
        if not failed:
            return ""
        rest = _after_lines(text, sum(spans))
        if last or "unexpected end" not in failed or len(rest) > LONGEST_CELL:
            raise _open_quote(rest, dialect, self._line)
        return rest

    def _add(self, rows: list[list[str]], spans: list[int]) -> None:
        width = self._width
        if not all(len(row) == width for row in rows):
            rows = list(self._settled(rows, spans))
        for gatherer, cells in zip(self.gatherers, zip(*rows, strict=True), strict=False):
            gatherer.add(cells)

    def _settled(self, rows: list[list[str]], spans: list[int]) -> Iterator[list[str]]:
        line = self._line
        for row, span in zip(rows, spans, strict=True):
            if len(row) == self._width:
                yield row
            elif row and (settled := self._ragged.settle(row, line)) is not None:
                yield settled
            line += span

    def _look_for_swallowed(self, rows: list[list[str]], spans: list[int]) -> None:
        """A quoted cell over several lines that look like records: perhaps a quote was opened by mistake."""
        line, separators = self._line, self._width - 1
        for row, span in zip(rows, spans, strict=True):
            if span > 1 and separators > 1:
                inner = [part for cell in row if _breaks(cell) for part in cell.splitlines()[1:]]
                if any(part.count(self._dialect.separator) == separators for part in inner):
                    self._swallowed.append(line)
            line += span

    def _swallowed_warning(self) -> tuple[Problem, ...]:
        if not self._swallowed:
            return ()
        line = self._swallowed[0]
        return (
            Problem(
                f"{len(self._swallowed):,} quoted cells seem to have swallowed lines, the first in line {line:,}.",
                "A quote that is opened by mistake hides the lines up to the next quote.",
                f"Check line {line:,}; if quotes mean nothing in this file, choose 'no quote character'.",
                place=f"line {line}",
            ),
        )


def even_rows(text: str, separator: str, width: int) -> int:
    """The number of lines if every line has exactly `width` cells and none is empty, else 0."""
    lines = text.count("\n") + 1
    if not text or text[0] == "\n" or "\n\n" in text or text[-1] == "\n":
        return 0
    if text.count(separator) != lines * (width - 1):
        return 0
    if width == 1:
        return lines
    if len(separator) > 1 or not separator.isascii():
        return lines if all(line.count(separator) == width - 1 for line in text.split("\n")) else 0
    data = np.frombuffer(text.encode("utf-8", "surrogatepass"), dtype=np.uint8)
    ends = data == ord("\n")
    marks = np.flatnonzero(ends | (data == ord(separator)))
    # as many marks as needed are there; they are in order if each line end is the last of its group
    return lines if bool(ends[marks[width - 1 :: width]].all()) else 0


def _reader(lines: Iterable[str], dialect: Dialect, separator: str) -> Any:
    return csv.reader(
        lines,
        delimiter=separator,
        quotechar=dialect.quote or None,
        quoting=csv.QUOTE_MINIMAL if dialect.quote else csv.QUOTE_NONE,
        escapechar=dialect.escape or None,
        doublequote=not dialect.escape,
        skipinitialspace=dialect.skip_blanks,
        strict=True,
    )


def _restored(rows: list[list[str]], dialect: Dialect, mark: str) -> list[list[str]]:
    """A long separator inside a quoted cell is text."""
    if mark == dialect.separator:
        return rows
    return [[cell.replace(mark, dialect.separator) for cell in row] for row in rows]


def _breaks(text: str) -> int:
    return text.count("\n") + (text.count("\r") - text.count("\r\n") if "\r" in text else 0)


def _after_lines(text: str, count: int) -> str:
    stream = io.StringIO(text, newline="")
    for _ in range(count):
        stream.readline()
    return stream.read()


def _open_quote(text: str, dialect: Dialect, line: int) -> Problem:
    """Names the line of the quote that makes the record starting at `text` unreadable."""
    opened, closed_badly = find_open_quote(text, dialect)
    line += _breaks(text[:opened])
    what = "is closed in the middle of a cell" if closed_badly else "is never closed"
    return Problem(
        f"The quote that opens a cell in line {line:,} {what}.",
        "Everything after it would be swallowed into one cell.",
        f"Correct line {line:,}, or choose 'no quote character' if quotes mean nothing in this file.",
        place=f"line {line}",
    )


def find_open_quote(text: str, dialect: Dialect) -> tuple[int, bool]:
    """Where the first quote stands that does not close properly, and whether it closes inside a cell."""
    quote, separator, position = dialect.quote, dialect.separator, 0
    field_end = re.compile(f"{re.escape(separator)}|[\r\n]")
    while position < len(text):
        while dialect.skip_blanks and text[position : position + 1] == " ":
            position += 1
        if text[position : position + 1] != quote:
            found = field_end.search(text, position)
            position = found.end() if found else len(text)
            continue
        opened, position = position, position + 1
        while True:
            end = text.find(quote, position)
            if end < 0:
                return opened, False
            if dialect.escape and text[end - 1] == dialect.escape:
                position = end + 1
            elif not dialect.escape and text[end + 1 : end + 2] == quote:
                position = end + 2
            else:
                break
        found = field_end.match(text, end + 1)
        if end + 1 < len(text) and not found:
            return opened, True
        position = found.end() if found else len(text)
    return 0, False
