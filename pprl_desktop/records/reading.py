"""Reads what people have as a table of text. Never shifts a cell, never swallows a row: a Problem names the line."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from pathlib import Path

from pprl_desktop import files
from pprl_desktop.problem import Problem
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.records.column_steps import AppliedStep, apply
from pprl_desktop.records.dialect import Dialect, find_dialect, records
from pprl_desktop.records.encoding import Encoding, find_encoding, texts
from pprl_desktop.records.fixed_width import RULES as FIXED_RULES
from pprl_desktop.records.fixed_width import parse_layout, read_fixed
from pprl_desktop.records.formats import RULES, is_other_format, read_other
from pprl_desktop.records.headers import header_names
from pprl_desktop.records.held import Held, hold
from pprl_desktop.records.parsing import parse
from pprl_desktop.records.quotes import NeverClosed
from pprl_desktop.records.ragged import Ragged
from pprl_desktop.records.refused import empty
from pprl_desktop.records.table import Column, Table
from pprl_desktop.said import Said

HEAD = 1 << 18  # bytes that the layout is found out from


@dataclass(frozen=True)
class ReadOptions:
    """What the steward chose instead of the guess; empty or None: guess."""

    encoding: str = ""
    separator: str = ""
    quote: str | None = None  # "": cells are never quoted
    header_line: int | None = None  # 0: the file has no header
    sheet: str = ""  # of a workbook; "": the first with a table
    labels: bool = True  # of Stata and SPSS: labels instead of codes
    widths: str = ""  # of text with fixed widths: "id 1-6, name 7-26"; "": cells are separated
    made: tuple[str, ...] = ()  # columns to make of others, step by step (made.py)
    empty: bool = False  # a file with a header and no record is one too
    ragged: Ragged = "refuse"  # what to do with lines of another number of cells than the header


GUESS = ReadOptions()


@dataclass(frozen=True, eq=False)
class Reading:
    """A table, and what was understood of the file it came from."""

    table: Table = field(repr=False)
    encoding: str
    separator: str
    quote: str
    header_line: int
    warnings: tuple[Problem, ...] = ()
    sha256: str = ""  # of the file's bytes; "" where only its head was read
    sheet: str = ""  # of a workbook
    sheets: tuple[str, ...] = ()
    rules: tuple[Said, ...] = ()  # how cells that were no text became text
    labelled: int = 0  # columns of coded values that have labels
    widths: str = ""  # the layout of fixed widths
    applied: tuple[AppliedStep, ...] = ()  # what the declared steps did


def read_table(
    path: str | os.PathLike[str],
    options: ReadOptions = GUESS,
    progress: Progress = NO_PROGRESS,
) -> Reading:
    """The whole file. Raises a Problem where cells could not be told apart with certainty."""
    found = _read(path, options, progress)
    if not options.made:
        return found
    table, applied = apply(found.table, options.made)
    return replace(found, table=table, applied=applied)


def _read(path: str | os.PathLike[str], options: ReadOptions, progress: Progress) -> Reading:
    if is_other_format(_existing(path)):
        return _other(_existing(path), options, progress)
    _no_sheet(_existing(path), options)
    file = hold(_existing(path))
    encoding = find_encoding(file, options.encoding, progress.part(0.0, 0.1))
    if options.widths:
        return _fixed(file, encoding, options, progress)
    head = _head(file, encoding)
    dialect = _layout(head, options, file.name)
    progress.at(0.1, "Reading the file")
    blocks = texts(file, encoding, progress.part(0.1, 1.0))
    try:
        table, warnings = parse(blocks, dialect, options.ragged, encoding.nul_line, progress)
    except Problem as problem:
        raise _fixed_widths(head, dialect, options) or problem from None
    if table.rows == 0 and not options.empty:
        raise Problem(
            Said("'{name}' has a header but no records.", name=file.name),
            "",
            "Choose the file that holds the records.",
            place="file",
        )
    progress.at(1.0)
    told = (*encoding.warnings, *_preamble(head, dialect, options), *warnings)
    shown = encoding.shown
    return Reading(table, shown, dialect.separator, dialect.quote, dialect.header_line, told, file.sha256())


def preview(path: str | os.PathLike[str], options: ReadOptions = GUESS, rows: int = 50) -> Reading:
    """The first rows and the guesses, from the head of the file only: a file of any size answers at once.

    What would stop the reading, as far as the head shows it, is the first of the warnings; lines that cannot be told
    apart with certainty are left out. Personal: for the own steward's screen only.
    """
    if is_other_format(_existing(path)):
        whole = _other(_existing(path), options, NO_PROGRESS)
        some = tuple(Column(column.name, column.values, column.codes[:rows]) for column in whole.table.columns)
        return replace(whole, table=Table(some), sha256="")
    _no_sheet(_existing(path), options)
    file = hold(_existing(path), HEAD)
    encoding = find_encoding(file, options.encoding, limit=HEAD)
    head = _head(file, encoding)
    if options.widths:
        table, line, told = read_fixed([head], parse_layout(options.widths), options.header_line, file.name)
        some = tuple(Column(column.name, column.values, column.codes[:rows]) for column in table.columns)
        return Reading(Table(some), encoding.shown, "", "", line, told, rules=FIXED_RULES, widths=options.widths)
    dialect = _layout(head, options, file.name)
    stops: tuple[Problem, ...] = ()
    try:
        table, warnings = parse([head], dialect, options.ragged, encoding.nul_line)
    except Problem as problem:
        cut_short = file.size > HEAD and isinstance(problem, NeverClosed)
        stops = () if cut_short else (_fixed_widths(head, dialect, options) or problem,)
        table, warnings = _what_can_be_shown(head, dialect)
    shown = Table(tuple(Column(column.name, column.values, column.codes[:rows]) for column in table.columns))
    told = (*stops, *encoding.warnings, *_preamble(head, dialect, options), *warnings)
    return Reading(shown, encoding.shown, dialect.separator, dialect.quote, dialect.header_line, told)


def first_lines(path: str | os.PathLike[str], count: int) -> tuple[str, ...]:
    """Of a text, as they stand there. Personal: for the own steward's screen only."""
    file = hold(_existing(path), HEAD)
    return tuple(_head(file, find_encoding(file, "", limit=HEAD)).splitlines()[:count])


def _fixed(file: Held, encoding: Encoding, options: ReadOptions, progress: Progress) -> Reading:
    _check(options)
    cuts = parse_layout(options.widths)
    blocks = texts(file, encoding, progress.part(0.1, 1.0))
    table, line, told = read_fixed(blocks, cuts, options.header_line, file.name, progress)
    progress.at(1.0)
    warnings = (*encoding.warnings, *told)
    return Reading(
        table, encoding.shown, "", "", line, warnings, file.sha256(), rules=FIXED_RULES, widths=options.widths
    )


def _fixed_widths(head: str, dialect: Dialect, options: ReadOptions) -> Problem | None:
    """Of lines that blanks do not divide and that are all equally long: fill-up, not separators."""
    lengths = {len(line) for line in head.splitlines() if line.strip()}
    if options.separator or dialect.separator.strip() or len(lengths) > 1:
        return None
    return Problem(
        "The columns seem to stand at fixed places.",
        Said("All lines have {n} characters, and no separator divides them alike.", n=lengths.pop()),
        "Say which characters make up which column: on the page Data, or with --widths.",
        place="widths",
    )


def _no_sheet(path: Path, options: ReadOptions) -> None:
    if options.sheet:
        raise Problem(
            Said("A file of the kind {ending} has no sheets.", ending=path.suffix.lower() or Said("text")),
            do="Leave the sheet out.",
            place="sheet",
        )


def _other(path: Path, options: ReadOptions, progress: Progress) -> Reading:
    if options.widths:
        raise Problem(
            Said("A file of the kind {ending} has no fixed widths.", ending=path.suffix.lower()),
            do="Leave the widths out.",
            place="widths",
        )
    found = read_other(path, options.sheet, options.header_line, options.labels, progress)
    digest = files.sha256(path)
    return Reading(
        found.table, found.shown, "", "", found.header_line, found.warnings, digest, found.sheet, found.sheets, RULES,
        found.labelled,
    )  # fmt: skip


def _what_can_be_shown(head: str, dialect: Dialect) -> tuple[Table, tuple[Problem, ...]]:
    found = [cells for line, cells in records(head, dialect) if line >= dialect.header_line and cells]
    names = tuple(f"column {index + 1}" for index in range(dialect.width))
    warnings: tuple[Problem, ...] = ()
    if dialect.header_line:
        header, *found = found or [[]]
        names, warnings = header_names(header)
    return Table.of(names, [cells for cells in found if len(cells) == len(names)]), warnings


def _existing(path: str | os.PathLike[str]) -> Path:
    file = Path(path)
    if file.is_dir():
        raise Problem(Said("'{name}' is a folder.", name=file.name), "", "Choose a CSV file in it.", place="file")
    if not file.exists():
        raise Problem(
            Said("The file '{name}' is not there.", name=file.name), "", "Check the name and the folder.", place="file"
        )
    return file


def _layout(head: str, options: ReadOptions, name: str) -> Dialect:
    _check(options)
    if not head.strip():
        raise empty(name)
    return find_dialect(head, options.separator, options.quote, options.header_line)


def _check(options: ReadOptions) -> None:
    separator, quote = options.separator, options.quote or ""
    if any(char in separator for char in "\r\n\0") or len(quote) > 1 or (quote and quote in separator):
        raise Problem(
            "This separator and quote character cannot be used together.",
            "A separator must not hold a line end or the quote; a quote is one character.",
            "Choose others, or let the program find them.",
            place="separator",
        )
    if options.header_line is not None and options.header_line < 0:
        raise Problem("The header line is counted from 1.", "", "Use 0 if there is no header.", place="header_line")


def _head(file: Held, encoding: Encoding) -> str:
    head = "".join(texts(file, encoding, limit=HEAD)).replace("\0", "")
    if file.size > HEAD:  # the last line is cut: leave it out
        head = head[: max(head.rfind("\n"), head.rfind("\r", 0, -1)) + 1] or head
    return head


def _preamble(head: str, dialect: Dialect, options: ReadOptions) -> tuple[Problem, ...]:
    if options.header_line is None and not dialect.header_line:
        return (
            Problem(
                "The first line was taken for a record: the file seems to have no column names.",
                "It looks like the lines below it. The columns are called 'column' and their number.",
                "If the first line holds the column names, choose it as the header line.",
                place="header",
            ),
        )
    above = head.splitlines()[: max(dialect.header_line - 1, 0)]
    if options.header_line is not None or not any(line.strip() for line in above):
        return ()
    return (
        Problem(
            Said(
                "The table starts in line {line}; the lines above it were left out.",
                line=dialect.header_line,
            ),
            "They do not have the cells of a table.",
            "Choose the header line by hand if this is wrong.",
            place=f"line {dialect.header_line}",
        ),
    )
