"""Writes a table for people: whole or not at all, and safe to open in a spreadsheet where asked."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from pprl_desktop import files
from pprl_desktop.progress import NO_PROGRESS, Progress

EVERY = 5_000  # rows between two looks at the Cancel button
_FORMULA = ("=", "+", "-", "@", "\t", "\r")  # what spreadsheets run (OWASP, CSV injection)


def harmless(cell: str) -> str:
    """A cell that a spreadsheet shows instead of running; numbers stay numbers."""
    if not cell.startswith(_FORMULA):
        return cell
    try:
        float(cell.replace(",", "."))
    except ValueError:
        return "'" + cell
    return cell


def write_csv(
    path: str | os.PathLike[str],
    header: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    for_spreadsheet: bool = False,
    progress: Progress = NO_PROGRESS,
) -> None:
    """UTF-8; the file appears under its name only when it is complete.

    `for_spreadsheet`: cells it would run become text, and a byte order mark makes Excel read names right.
    """
    with files.replacing(Path(path), private=True) as out:
        text = io.TextIOWrapper(out, encoding="utf-8-sig" if for_spreadsheet else "utf-8", newline="")
        writer = csv.writer(text)
        made = (map(harmless, row) for row in rows) if for_spreadsheet else rows
        writer.writerow(list(map(harmless, header)) if for_spreadsheet else header)
        for count, row in enumerate(made):
            if count % EVERY == 0:
                progress.check()
            writer.writerow(row)
        text.detach()  # flushes; the file itself is closed by its own block
