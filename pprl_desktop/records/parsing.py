"""Turns text that arrives in blocks into a table of distinct values and row codes.

Blocks that are plain beyond doubt are cut by numpy (cutting.py); all others go through Python's csv module in its
strict mode. A record whose number of cells differs from the header's, or a quote that is not closed, is a Problem
with the line: guessing would shift cells or swallow records.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

import numpy as np

from pprl_desktop.problem import Problem
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.records.cutting import cut
from pprl_desktop.records.dialect import Dialect, stand_in
from pprl_desktop.records.distinct import Cells, Keys, factorise
from pprl_desktop.records.headers import header_names
from pprl_desktop.records.quotes import line_breaks, open_quote
from pprl_desktop.records.ragged import Ragged, RaggedRows
from pprl_desktop.records.table import Codes, Column, Table
from pprl_desktop.said import Said

LONGEST_CELL = 16 << 20  # characters: a quote still open after that was never closed
CSV_LIMIT = 2**31 - 1


class Gatherer:
    """One column being read. Blocks give their distinct cells as bytes; only what is new in the file becomes text."""

    def __init__(self) -> None:
        self._codes: list[Codes] = []
        self._keys: list[Keys] = []
        self._cells: list[Cells] = []

    def add(self, cells: Cells, *, doubled: str = "") -> None:
        keys = cells.keys()
        codes, where = factorise(keys)
        cells, keys = cells.take(where), keys[where]
        if doubled:  # the key belongs to what the cell means, not to how it is quoted
            cells = _cells([text.replace(2 * doubled, doubled) for text in cells.texts()])
            keys = cells.keys()
        self._codes.append(codes)
        self._keys.append(keys)
        self._cells.append(cells)

    def add_texts(self, texts: Sequence[str]) -> None:
        if texts:
            self.add(_cells(texts))

    def column(self, name: str, progress: Progress = NO_PROGRESS) -> Column:
        if not self._keys:
            return Column(name, np.empty(0, dtype=object), np.empty(0, dtype=np.int32))
        codes, where = factorise(np.concatenate(self._keys))
        ends = np.cumsum([len(keys) for keys in self._keys])
        new = np.split(where, np.searchsorted(where, ends[:-1]))
        values = np.empty(len(where), dtype=object)
        rows, start, filled = [], 0, 0
        for local, cells, mine, end in zip(self._codes, self._cells, new, ends.tolist(), strict=True):
            progress.check()
            values[filled : filled + len(mine)] = cells.take(mine - start).texts()
            rows.append(codes[start:end][local])
            start, filled = end, filled + len(mine)
        return Column(name, values, np.concatenate(rows))


def _cells(texts: Sequence[str]) -> Cells:
    made = Cells.from_texts(texts)
    assert made is not None, "NULs were removed"
    return made


def parse(
    blocks: Iterable[str],
    dialect: Dialect,
    ragged: Ragged = "refuse",
    nul_line: int = 0,
    progress: Progress = NO_PROGRESS,
) -> tuple[Table, tuple[Problem, ...]]:
    """The table in a text that arrives in blocks. `ragged` says what happens to records of another width."""
    csv.field_size_limit(CSV_LIMIT)
    text = Text(blocks, nul_line)
    chunks = whole_lines(text)
    header, rest, line = _header(chunks, dialect)
    parser = _Parser(dialect, RaggedRows(len(header), ragged), len(header), line)
    for chunk in chain((rest,), chunks):
        parser.feed(chunk)
    told = parser.finish()
    names, warnings = header_names(header) if dialect.header_line else (tuple(header), ())
    columns = tuple(gatherer.column(name, progress) for name, gatherer in zip(names, parser.gatherers, strict=True))
    return Table(columns), (*text.warnings(), *warnings, *told)


class Text:
    """The blocks without NUL characters, which some exports scatter; says how many there were."""

    def __init__(self, blocks: Iterable[str], nul_line: int) -> None:
        self._blocks = blocks
        self._nuls, self._line = 0, nul_line

    def __iter__(self) -> Iterator[str]:
        for block in self._blocks:
            if "\0" in block:
                self._nuls += block.count("\0")
                block = block.replace("\0", "")
            yield block

    def warnings(self) -> tuple[Problem, ...]:
        if not self._nuls:
            return ()
        return (
            Problem(
                Said(
                    "{n} NUL {n|byte was|bytes were} removed, the first in line {line}.", n=self._nuls, line=self._line
                )
                if self._line
                else Said("{n} NUL {n|byte was|bytes were} removed.", n=self._nuls),
                "They are no text; a broken export or another encoding leaves them.",
                "Check the lines where they stood.",
                place=f"line {self._line}" if self._line else "file",
            ),
        )


def whole_lines(blocks: Iterable[str]) -> Iterator[str]:
    """The same text cut after line ends; the last piece may lack one."""
    rest: list[str] = []
    for block in blocks:
        if rest and rest[-1].endswith("\r"):  # perhaps half of a CR LF
            block = rest.pop() + block
        cut_at = max(block.rfind("\n"), block.rfind("\r", 0, -1)) + 1
        if cut_at:
            yield "".join((*rest, block[:cut_at]))
            rest = []
        if cut_at < len(block):
            rest.append(block[cut_at:])
    if rest:
        yield "".join(rest)


def _header(chunks: Iterator[str], dialect: Dialect) -> tuple[list[str], str, int]:
    """The header cells, the text after them in their chunk, and its line."""
    if dialect.header_line == 0:
        return [f"column {index + 1}" for index in range(dialect.width)], "", 1
    stream = io.StringIO(next(chunks, ""), newline="")
    for _ in range(dialect.header_line - 1):
        if not stream.readline():  # a preamble longer than a block
            stream = io.StringIO(next(chunks, ""), newline="")
            stream.readline()
    start = stream.tell()
    mark = stand_in(stream.getvalue(), dialect.separator)
    lines = (line.replace(dialect.separator, mark) for line in iter(stream.readline, ""))
    reader = _reader(lines, dialect, mark)
    try:
        cells: list[str] = next(reader, [])
    except csv.Error:
        raise open_quote(stream.getvalue()[start:], dialect, dialect.header_line) from None
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
        self._swallowed, self._swallowed_line = 0, 0

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
        block = cut(text, self._dialect, self._width)
        if block is None:
            return False
        for gatherer, cells in zip(self.gatherers, block.columns, strict=True):
            gatherer.add(cells, doubled=block.doubled)
        self._line += block.rows
        return True

    def _take_any(self, text: str, *, last: bool) -> str:
        """The careful way; returns the text of a last record that is not complete yet."""
        dialect = self._dialect
        mark = stand_in(text, dialect.separator)
        cut_text = text if mark == dialect.separator else text.replace(dialect.separator, mark)
        reader = _reader(io.StringIO(cut_text, newline=""), dialect, mark)
        rows: list[list[str]] = []
        failed = ""
        try:
            rows.extend(reader)  # keeps what it got when the reader fails
        except csv.Error as error:
            failed = str(error)
        rows = _restored(rows, dialect, mark)
        spans = [1] * len(rows)
        if failed or reader.line_num != len(rows):
            spans = [1 + sum(map(line_breaks, row)) for row in rows]
            self._look_for_swallowed(rows, spans)
        self._add(rows, spans)
        self._line += sum(spans)
        if not failed:
            return ""
        rest = _after_lines(text, sum(spans))
        if last or "unexpected end" not in failed or len(rest) > LONGEST_CELL:
            raise open_quote(rest, dialect, self._line)
        return rest

    def _add(self, rows: list[list[str]], spans: list[int]) -> None:
        width = self._width
        if not all(len(row) == width for row in rows):
            rows = list(self._settled(rows, spans))
        for gatherer, cells in zip(self.gatherers, zip(*rows, strict=True), strict=False):
            gatherer.add_texts(cells)

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
                inner = [part for cell in row if line_breaks(cell) for part in cell.splitlines()[1:]]
                if any(part.count(self._dialect.separator) == separators for part in inner):
                    self._swallowed += 1
                    self._swallowed_line = self._swallowed_line or line
            line += span

    def _swallowed_warning(self) -> tuple[Problem, ...]:
        if not self._swallowed:
            return ()
        line = self._swallowed_line
        return (
            Problem(
                Said(
                    "{n} quoted {n|cell seems|cells seem} to have swallowed lines, the first in line {line}.",
                    n=self._swallowed,
                    line=line,
                ),
                "A quote that is opened by mistake hides the lines up to the next quote.",
                Said("Check line {line}; if quotes mean nothing in this file, choose 'no quote character'.", line=line),
                place=f"line {line}",
            ),
        )


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


def _after_lines(text: str, count: int) -> str:
    stream = io.StringIO(text, newline="")
    for _ in range(count):
        stream.readline()
    return stream.read()
