"""Reads what people have as a table of text. Never shifts a cell, never swallows a row: a Problem names the line."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from pprl_desktop.problem import Problem
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.records.dialect import Dialect, find_dialect
from pprl_desktop.records.encoding import Encoding, find_encoding, texts
from pprl_desktop.records.parsing import parse
from pprl_desktop.records.ragged import Ragged
from pprl_desktop.records.table import Column, Table

HEAD = 1 << 18  # bytes that the layout is found out from


@dataclass(frozen=True)
class ReadOptions:
    """What the steward chose instead of the guess; empty or None: guess."""

    encoding: str = ""
    separator: str = ""
    quote: str | None = None  # "": cells are never quoted
    header_line: int | None = None  # 0: the file has no header
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


def read_table(
    path: str | os.PathLike[str],
    options: ReadOptions = GUESS,
    progress: Progress = NO_PROGRESS,
) -> Reading:
    """The whole file. Raises a Problem where cells could not be told apart with certainty."""
    file = _existing(path)
    encoding = find_encoding(file, options.encoding, progress.part(0.0, 0.1))
    dialect = _layout(file, encoding, options)
    progress.at(0.1, "Reading the file")
    table, warnings = parse(texts(file, encoding, progress.part(0.1, 1.0)), dialect, options.ragged, encoding.nul_line)
    if table.rows == 0:
        raise Problem(
            f"'{file.name}' has a header but no records.", "", "Choose the file that holds the records.", place="file"
        )
    progress.at(1.0)
    return Reading(
        table, encoding.shown, dialect.separator, dialect.quote, dialect.header_line, (*encoding.warnings, *warnings)
    )


def preview(
    path: str | os.PathLike[str],
    options: ReadOptions = ReadOptions(),  # noqa: B008
    rows: int = 50,
) -> Reading:
    """The first rows only, quick enough to follow every change of the options. Shown to the file's own steward."""
    file = _existing(path)
    encoding = find_encoding(file, options.encoding, limit=HEAD)
    dialect = _layout(file, encoding, options)
    head = "".join(texts(file, encoding, limit=HEAD))
    if file.stat().st_size > HEAD:  # the last line is cut: leave it out
        head = head[: max(head.rfind("\n"), head.rfind("\r")) + 1] or head
    table, warnings = parse([head], dialect, options.ragged)
    shown = Table(tuple(Column(c.name, c.values, c.codes[:rows]) for c in table.columns))
    return Reading(
        shown, encoding.shown, dialect.separator, dialect.quote, dialect.header_line, (*encoding.warnings, *warnings)
    )


def _existing(path: str | os.PathLike[str]) -> Path:
    file = Path(path)
    if file.is_dir():
        raise Problem(f"'{file.name}' is a folder.", "", "Choose a CSV file in it.", place="file")
    if not file.is_file():
        raise Problem(f"The file '{file.name}' is not there.", "", "Check the name and the folder.", place="file")
    return file


def _layout(file: Path, encoding: Encoding, options: ReadOptions) -> Dialect:
    head = "".join(texts(file, encoding, limit=HEAD)).replace("\0", "")
    if not head.strip():
        raise Problem(
            f"The file '{file.name}' is empty.",
            "It holds no header and no records.",
            "Choose another file.",
            place="file",
        )
    if file.stat().st_size > HEAD:  # the last line is cut: leave it out
        head = head[: max(head.rfind("\n"), head.rfind("\r")) + 1] or head
    return find_dialect(head, options.separator, options.quote, options.header_line)
