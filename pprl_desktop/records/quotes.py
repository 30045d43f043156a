"""Finds the quote that makes a record unreadable, so that the message can name its line."""

from __future__ import annotations

import re

from pprl_desktop.problem import Problem
from pprl_desktop.records.dialect import Dialect
from pprl_desktop.said import Said


class NeverClosed(Problem):
    """Cut short, or a quote too many: what follows may still close it."""


def line_breaks(text: str) -> int:
    """LF, CR LF and a lone CR each end a line."""
    return text.count("\n") + (text.count("\r") - text.count("\r\n") if "\r" in text else 0)


def open_quote(text: str, dialect: Dialect, line: int) -> Problem:
    """For the record that starts at `text`, in this line."""
    opened, inside = find_open_quote(text, dialect)
    line += line_breaks(text[:opened])
    swallowed = Said("Everything after it would be swallowed into one cell.")
    do = Said("Correct line {line}, or choose 'no quote character' if quotes mean nothing in this file.", line=line)
    if inside:
        what = Said("The quote that opens a cell in line {line} is closed in the middle of a cell.", line=line)
        return Problem(what, swallowed, do, place=f"line {line}")
    what = Said("The quote that opens a cell in line {line} is never closed.", line=line)
    return NeverClosed(what, swallowed, do, place=f"line {line}")


def find_open_quote(text: str, dialect: Dialect) -> tuple[int, bool]:
    """Where the first quote stands that does not close properly, and whether it closes inside a cell."""
    cell_end = re.compile(f"{re.escape(dialect.separator)}|[\r\n]+")
    position = 0
    while position < len(text):
        while dialect.skip_blanks and text[position : position + 1] == " ":
            position += 1
        end = position - 1
        if text[position : position + 1] == dialect.quote:
            opened = position
            end = _closing(text, opened, dialect)
            if end < 0:
                return opened, False
            if end + 1 < len(text) and not cell_end.match(text, end + 1):
                return opened, True
        found = cell_end.search(text, end + 1)
        position = found.end() if found else len(text)
    return 0, False


def _closing(text: str, opened: int, dialect: Dialect) -> int:
    """Where the quoted cell that opens there is closed, or -1."""
    position = opened + 1
    while (end := text.find(dialect.quote, position)) >= 0:
        if dialect.escape and text[end - 1] == dialect.escape:
            position = end + 1
        elif not dialect.escape and text[end + 1 : end + 2] == dialect.quote:
            position = end + 2
        else:
            return end
    return -1
