"""Finds out how a text is laid out as a table: separator, quote character, header line."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from dataclasses import dataclass

SEPARATORS = (",", ";", "\t", "|", "||", "::", ";;", "~", "^", "¦", "\x1f", "\x01", ":", "#")
MOST_LINES = 2_000  # enough to see the layout


@dataclass(frozen=True)
class Dialect:
    """How to cut a text into cells. `separator` may have several characters; `quote` '' means none."""

    separator: str = ","
    quote: str = '"'
    escape: str = ""  # "\\" where quotes inside cells are written \"
    skip_blanks: bool = False  # blanks after a separator do not belong to the cell
    header_line: int = 1  # physical line on which the header starts; 0: there is none
    width: int = 0  # cells in the header


def find_dialect(head: str, separator: str = "", quote: str | None = None, header_line: int | None = None) -> Dialect:
    """From the first lines of a file; what the steward has chosen is kept."""
    quotes = [quote] if quote is not None else _quotes(head)
    tried = [separator] if separator else [s for s in SEPARATORS if s in head]
    best, best_score = Dialect(separator or ",", quotes[0], width=1), -1.0
    for mark in quotes:
        for candidate in tried:
            made, score = _try(head, candidate, mark, header_line)
            if score > best_score + 1e-9:
                best, best_score = made, score
    if best_score < 0:
        best, _ = _try(head, best.separator, best.quote, header_line)
    return best


def _quotes(head: str) -> list[str]:
    """The double quote, unless cells are plainly wrapped in single ones."""
    single = len(re.findall(r"(?:^|[,;\t|])'[^'\n]*'(?=[,;\t|\r\n]|$)", head, re.MULTILINE))
    double = len(re.findall(r'(?:^|[,;\t|])"', head, re.MULTILINE))
    return ["'"] if single >= 3 and double == 0 else ['"']


def stand_in(text: str, separator: str) -> str:
    """A character that can take the place of a separator of several characters."""
    return (
        next(chr(code) for code in range(0xE000, 0xF8FF) if chr(code) not in text) if len(separator) > 1 else separator
    )


def _records(head: str, separator: str, quote: str) -> list[tuple[int, list[str]]]:
    """(line, cells) of the first records, read tolerantly."""
    mark = stand_in(head, separator)
    text = head.replace(separator, mark) if mark != separator else head
    reader = csv.reader(
        io.StringIO(text, newline=""),
        delimiter=mark,
        quotechar=quote or None,
        quoting=csv.QUOTE_MINIMAL if quote else csv.QUOTE_NONE,
    )
    records, line = [], 1
    try:
        for cells in reader:
            records.append((line, cells))
            line = reader.line_num + 1
            if len(records) >= MOST_LINES:
                break
    except csv.Error:
        pass
    return records


def _try(head: str, separator: str, quote: str, header_line: int | None) -> tuple[Dialect, float]:
    """A dialect and how well the head fits it: wide, even, and the header as wide as the rows."""
    records = [(line, cells) for line, cells in _records(head, separator, quote) if any(cell.strip() for cell in cells)]
    if header_line:
        records = [(line, cells) for line, cells in records if line >= header_line]
    if not records:
        return Dialect(separator, quote, header_line=header_line if header_line is not None else 1, width=0), -1.0
    widths = Counter(len(cells) for _, cells in records)
    usual = max(widths, key=lambda width: (widths[width], width))
    start = 0
    if header_line is None and usual > 1:
        # what stands above the table is text: at most half as many cells as the rows have
        start = next(i for i, (_, cells) in enumerate(records) if len(cells) > max(1, usual // 2))
    line, header = records[start]
    width = len(header) if header_line != 0 else usual
    made = Dialect(separator, quote, header_line=0 if header_line == 0 else line, width=width)
    if usual < 2:
        return made, -1.0
    table = records[start:]
    even = sum(len(cells) == usual for _, cells in table) / len(table)
    agrees = 1.0 if width == usual else 0.3
    filled = sum(bool(cell.strip()) for cell in header) / max(len(header), 1)
    lone = 0.5 if len(table) == 1 and len(records) > 1 else 1.0  # all but one line would be a preamble
    usual_mark = 1.0 if separator in SEPARATORS[:4] else 0.8
    return made, even**2 * agrees * lone * usual_mark * (0.5 + 0.5 * filled) * (1 - 1 / (1 + usual))
