"""`pprl-desktop profile FILE`: what was understood of a file, without personal values."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from pprl_desktop.cli import Answer
from pprl_desktop.progress import Progress
from pprl_desktop.verbs import _options

if TYPE_CHECKING:
    from pprl_desktop.job.held_twice import HeldTwice
    from pprl_desktop.records.profile import ColumnProfile, Profile
    from pprl_desktop.records.reading import Reading

NAMES = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar", " ": "blank"}
LONGEST_NAME = 28


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", help="CSV, also in gzip or zip; Excel, OpenDocument, SAS, Stata, SPSS or Parquet")
    _options.reading_options(parser)
    parser.add_argument("--encoding", default="", help="instead of the guess, e.g. utf-8, utf-16, cp1252")
    parser.add_argument("--separator", default="", help=r"instead of the guess; \t for a tab")
    parser.add_argument("--quote", help="instead of the guess; an empty text if cells are never quoted")
    parser.add_argument("--header-line", type=int, help="line of the column names; 0 if there are none")
    parser.add_argument(
        "--ragged",
        choices=("refuse", "pad", "leave out"),
        default="refuse",
        help="lines with another number of cells than the header (default: refuse)",
    )


def run(args: argparse.Namespace, progress: Progress) -> Answer:
    from pprl_desktop.job.own_table import look_at

    options = replace(
        _options.how_read(args),
        encoding=args.encoding,
        separator=args.separator.replace("\\t", "\t"),
        quote=args.quote,
        header_line=args.header_line,
        ragged=args.ragged,
    )
    seen = look_at(Path(args.file), options, progress)
    reading, made, twice = seen.reading, seen.profile, seen.held_twice
    data = {
        "encoding": reading.encoding,
        "separator": reading.separator,
        "quote": reading.quote,
        "header_line": reading.header_line,
        "sheet": reading.sheet,
        "sheets": list(reading.sheets),
        "labelled": reading.labelled,
        "widths": reading.widths,
        "cells_become_text": [str(rule) for rule in reading.rules],
        "made": [
            {"step": one.step.text, "filled": one.filled, "partly": one.partly, "no_date": one.no_date}
            for one in reading.applied
        ],
        **made.as_dict(),
        "held_twice": twice.as_dict() if twice is not None else None,
    }
    data["warnings"] = [problem.as_dict() for problem in (*reading.warnings, *made.warnings)]
    return Answer(as_text(reading, made, twice), data)


def as_text(reading: Reading, made: Profile, twice: HeldTwice | None) -> str:
    # only a text has separators, and only text and sheets have a line of names
    separator = f", separator {NAMES.get(reading.separator, repr(reading.separator))}" if reading.separator else ""
    if not reading.separator and not reading.rules:
        separator = ", one column"
    widths = ", fixed widths" if reading.widths else ""
    sheet = f", sheet '{reading.sheet}' of {', '.join(reading.sheets)}" if reading.sheet else ""
    where = f", column names in line {reading.header_line}" if reading.header_line else ", no column names"
    where = where if reading.sheet or reading.widths or not reading.rules else ""
    lines = [
        f"{made.rows:,} records, {len(made.columns)} columns; {reading.encoding}{sheet}{widths}{separator}{where}.",
        "",
        *_table(made),
        "",
        f"Record id:            {made.id_column or 'none found'}"
        + (f" ({made.duplicate_ids:,} records share an id)" if made.duplicate_ids else ""),
        f"Matching fields:      {', '.join(made.matching) or 'none found'} (suggested)",
        *(f"Not suggested:        {one.column}: {one.why}" for one in made.redundant),
        f"Sensitive columns:    {', '.join(made.sensitive) or 'none found'} (suggested: they never leave)",
        f"Exact duplicates:     {made.exact_duplicates:,} records alike in everything but the id",
        f"Near duplicates:      {made.near_duplicates:,} records with a slip in one matching field"
        + (" (at least)" if made.duplicates.near_is_lower_bound else ""),
    ]
    if twice is not None:
        lines.append(
            f"Held twice:           {twice.said()} Suggested direction, as far as this file goes: {twice.direction}."
        )
    for column in made.columns:
        if column.dates is not None:
            lines.append(f"Dates in {column.name}: {column.dates.sentence()}")
    lines += [f"Cells: {rule}" for rule in reading.rules]
    lines += [f"Made:  {one.said()}" for one in reading.applied]
    lines += [f"Warning: {problem}" for problem in (*reading.warnings, *made.warnings)]
    return "\n".join(lines)


def _table(made: Profile) -> list[str]:
    rows = [("column", "kind", "missing", "distinct", "length", "shapes"), *map(_row, made.columns)]
    widths = [max(len(row[index]) for row in rows) for index in range(5)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, [*widths, 0], strict=True)).rstrip() for row in rows
    ]


def _row(column: ColumnProfile) -> tuple[str, ...]:
    name = column.name if len(column.name) <= LONGEST_NAME else column.name[: LONGEST_NAME - 1] + "…"
    length = f"{column.shortest}" if column.shortest == column.longest else f"{column.shortest}-{column.longest}"
    shown = "  ".join(f"{one.shape} {one.share:.0%}" for one in column.shapes[:3])
    return name, column.kind, f"{column.missing:.1%}", f"{column.distinct:,}", length, shown
