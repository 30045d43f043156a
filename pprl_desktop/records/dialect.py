"""Finds out how a text is laid out as a table: separator, quote character, header line."""

from __future__ import annotations

import contextlib
import csv
import io
import re
from collections import Counter
from dataclasses import dataclass, replace
from itertools import islice

from pprl_desktop.records.headers import looks_like_record

SEPARATORS = (",", ";", "\t", "|", "||", "::", ";;", "~|~", "|~|", "~", "^", "¦", "\x1f", "\x01", ":", "#", " ")
_SEP_LINE = re.compile(r'"?sep=(.)"?[\r\n]', re.IGNORECASE)
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
    if (said := _SEP_LINE.match(head)) and header_line is None:  # Excel's own first line
        separator, header_line = separator or said[1], 2
    mark = quote if quote is not None else _quote(head)
    tried = [separator] if separator else [one for one in SEPARATORS if one in head]
    escapes = ["", "\\"] if mark and f"\\{mark}" in head else [""]
    best, best_score = Dialect(separator or ",", mark, width=1), -1.0
    for candidate in tried:
        for escape in escapes:
            layout = Dialect(candidate, mark, escape, _blanks_before_quotes(head, candidate, mark))
            made, score = _try(head, layout, header_line)
            if score > best_score + 1e-9:
                best, best_score = made, score
    if best_score < 0:  # one column: a separator that does not occur keeps "Smith, Ann" whole
        unused = next(one for one in ("\t", "|", "\x1f") if one not in head or one == "\x1f")
        best, _ = _try(head, replace(best, separator=separator or unused), header_line)
    if header_line is not None:
        return best
    made = _with_header(head, best)
    if made.separator == " " and not separator and made.header_line > 1:  # names of two words below one heading
        lone, _ = _try(head, replace(best, separator="\x1f"), header_line)
        return _with_header(head, lone)
    return made


def _with_header(head: str, dialect: Dialect) -> Dialect:
    """Where the headings stand, if there are any: the line that was found may be the first record.

    A line above it that is as wide, with few headings or none, is the header all the same.
    """
    found = records(head, dialect)
    at = next((place for place, (line, _) in enumerate(found) if line == dialect.header_line), None)
    if at is None or not found[at][1]:
        return dialect
    usual = dialect.width
    below = [cells for _, cells in found[at + 1 :] if len(cells) == usual]
    if not looks_like_record(found[at][1], below):
        return dialect
    above = [line for line, cells in found[:at] if len(cells) == usual]
    if above:
        return replace(dialect, header_line=above[-1])
    return dialect if at else replace(dialect, header_line=0)


def _blanks_before_quotes(head: str, separator: str, quote: str) -> bool:
    """Files written as a, "b", "c": the blank before the quote is not part of the cell."""
    if not quote:
        return False
    found = head.count(f"{separator} {quote}")
    return found >= 2 and found > head.count(separator + quote) and separator != " "


def _quote(head: str) -> str:
    """The double quote, unless cells are plainly wrapped in single ones."""
    single = len(re.findall(r"(?:^|[,;\t|])'[^'\n]*'(?=[,;\t|\r\n]|$)", head, re.MULTILINE))
    double = len(re.findall(r'(?:^|[,;\t|])"', head, re.MULTILINE))
    return "'" if single >= 3 and double == 0 else '"'


def stand_in(text: str, separator: str) -> str:
    """The separator, or a character that can take its place if it has several."""
    if len(separator) == 1:
        return separator
    return next(chr(code) for code in range(0xE000, 0xF8FF) if chr(code) not in text)


def records(head: str, dialect: Dialect) -> list[tuple[int, list[str]]]:
    """(line, cells) of the first records, read tolerantly: for guessing and for looking at, not for the table."""
    separator, quote = dialect.separator, dialect.quote
    mark = stand_in(head, separator)
    text = head.replace(separator, mark) if mark != separator else head
    reader = csv.reader(
        io.StringIO(text, newline=""),
        delimiter=mark,
        quotechar=quote or None,
        quoting=csv.QUOTE_MINIMAL if quote else csv.QUOTE_NONE,
        escapechar=dialect.escape or None,
        doublequote=not dialect.escape,
        skipinitialspace=dialect.skip_blanks,
    )
    found, line = [], 1
    with contextlib.suppress(csv.Error):
        for cells in islice(reader, MOST_LINES):
            found.append((line, [cell.replace(mark, separator) for cell in cells]))
            line = reader.line_num + 1
    return found


def _header_row(rows: list[list[str]], usual: int) -> int:
    """What stands above the table is a comment, or has at most half as many filled cells as the rows."""
    wide = [index for index, cells in enumerate(rows) if len(cells) > max(1, usual // 2)]
    for index in wide:
        cells = rows[index]
        comment = cells[0].startswith(("# ", "//"))
        if not comment and sum(bool(cell.strip()) for cell in cells) > usual / 2:
            return index
    return wide[0]


def _try(head: str, layout: Dialect, header_line: int | None) -> tuple[Dialect, float]:
    """A dialect and how well the head fits it: wide, even, and the header as wide as the rows."""
    found = [(line, cells) for line, cells in records(head, layout) if any(cell.strip() for cell in cells)]
    if header_line:
        found = [(line, cells) for line, cells in found if line >= header_line]
    if not found:
        return replace(layout, header_line=1 if header_line is None else header_line), -1.0
    widths = Counter(len(cells) for _, cells in found)
    usual = max(widths, key=lambda width: (widths[width], width))
    start = 0
    if header_line is None and usual > 1:
        start = _header_row([cells for _, cells in found], usual)
    line, header = found[start]
    width = len(header) if header_line != 0 else usual
    made = replace(layout, header_line=0 if header_line == 0 else line, width=width)
    if usual < 2:
        return made, -1.0
    table = found[start:]
    even = sum(len(cells) == usual for _, cells in table) / len(table)
    agrees = 1.0 if width == usual else 0.3
    filled = sum(bool(cell.strip()) for cell in header) / max(len(header), 1)
    above = 0.6 if start else 1.0  # a separator that needs no preamble explains more
    lone = 0.5 if len(table) == 1 and len(found) > 1 else 1.0  # all but one line would be a preamble
    usual_mark = 1.0 if layout.separator in SEPARATORS[:4] else 0.8 if len(layout.separator) == 1 else 0.95
    return made, even**2 * agrees * above * lone * usual_mark * (0.2 + 0.8 * filled**2) * (1 - 1 / (1 + usual))
