"""The sheets of an .ods as text, read from its XML in pieces and without a tree.

Rows and cells may stand for many: what they come to is counted before it is laid out, and empty ones at the end of a
row or a sheet cost nothing. A number's cell also holds the text that the program showed, with its leading zeros. Read
here and not by the library that reads .xlsx and .xls, which wants cells without white space between them, so that it
refuses what Gnumeric writes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import lru_cache
from xml.parsers import expat

from pprl_desktop.records import moments

_NAMES = "urn:oasis:names:tc:opendocument:xmlns:"
TABLE, OFFICE, TEXT = _NAMES + "table:1.0 ", _NAMES + "office:1.0 ", _NAMES + "text:1.0 "
DRAWING = _NAMES + "drawing:1.0 "
CELL, COVERED, ROW, SHEET = TABLE + "table-cell", TABLE + "covered-table-cell", TABLE + "table-row", TABLE + "table"
CELLS = (CELL, COVERED)
PARAGRAPH, FORMULA, KIND = TEXT + "p", TABLE + "formula", OFFICE + "value-type"
REPEATED = TABLE + "number-columns-repeated"
WIDE, HIGH = TABLE + "number-columns-spanned", TABLE + "number-rows-spanned"
# what stands among the cells and is none: remarks, drawings, deleted cells that are still remembered
ASIDE = frozenset((OFFICE + "annotation", OFFICE + "forms", TABLE + "tracked-changes", TABLE + "shapes"))
MARKS = {TEXT + "s": "\0", TEXT + "tab": "\1", TEXT + "line-break": "\2"}  # no document can hold these characters
MEANT = str.maketrans("\0\1\2", " \t\n")
ERROR = "error"  # the value type of a cell such as #N/A, where a program says so; another leaves it a text
ERRORS = frozenset(("#DIV/0!", "#N/A", "#NAME?", "#NULL!", "#NUM!", "#REF!", "#VALUE!"))  # of formulas
MOST_ROWS, MOST_COLUMNS = 1 << 20, 16384  # of a sheet of any spreadsheet program
_TIME = re.compile(r"(-?)P(?:(\d{1,6})D)?T(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9})(?:[.,]\d*)?S)?")
_OF_DAY = re.compile(r"(?:[01]?\d|2[0-3]):\d\d:\d\d")
_SPACE = re.compile(r"[ \t\r\n]+")


@dataclass
class _Kept:
    """What is kept of a sheet."""

    name: str
    rows: list[tuple[int, list[str]]] = field(default_factory=list)
    width: int = 0
    formulas: int = 0
    merged: int = 0
    impossible: int = 0


class Document:
    """Feed it content.xml by `take`. `wanted`: the sheet to keep; "" for the first with a table of two lines and two
    columns or more, else the first that holds anything."""

    def __init__(
        self,
        wanted: str,
        as_text: Callable[[float], str],
        most: int,
        refuse: Callable[[int, int], None],
        refuse_entity: Callable[[], None],
    ) -> None:
        self.names: list[str] = []
        self.chosen = wanted
        self.rows: list[tuple[int, list[str]]] = []  # lines counted from one; repeated ones are one list
        self.width = 0
        self.formulas = self.merged = self.impossible = 0
        self.linked = False
        self._wanted, self._as_text, self._most, self._refuse = wanted, as_text, most, refuse
        self._spare: _Kept | None = None  # a sheet that is taken if no other has a table
        self._aside = self._line = self._times = self._repeated = 0
        self._keeping = self._in_sheet = False
        self._cell: dict[str, str] = {}
        self._row: list[tuple[str, int]] = []
        self._paragraphs: list[str] = []
        self._letters: list[str] | None = None
        self._parser = expat.ParserCreate(namespace_separator=" ")
        self._parser.buffer_text = True
        self._parser.StartElementHandler, self._parser.EndElementHandler = self._start, self._end
        self._parser.CharacterDataHandler = self._text
        self._parser.EntityDeclHandler = lambda *_: refuse_entity()

    def take(self, pieces: Iterable[bytes]) -> None:
        for piece in pieces:
            self._parser.Parse(piece)
        self._parser.Parse(b"", True)
        if self._spare is not None and not self._is_table():
            self._take(self._spare)

    def _start(self, tag: str, given: dict[str, str]) -> None:
        if self._aside:
            self._aside += 1
        elif tag == PARAGRAPH:
            self._letters = []
        elif tag in CELLS:
            self._cell, self._paragraphs = given, []
            self._times = int(given[REPEATED]) if REPEATED in given else 1
            if self._keeping:
                self.formulas += FORMULA in given
                self.merged += given.get(WIDE, "1") != "1" or given.get(HIGH, "1") != "1"
        elif tag in MARKS and self._letters is not None:
            times = int(given.get(TEXT + "c", 1)) if tag == TEXT + "s" else 1
            self._letters.append(MARKS[tag] * min(times, 1000))
        elif tag == ROW:
            self._row, self._repeated = [], int(given.get(TABLE + "number-rows-repeated", 1))
            self._line += self._repeated
        elif tag in ASIDE or tag.startswith(DRAWING) or (tag == SHEET and self._in_sheet):
            self._aside = 1
        elif tag == SHEET:
            self._begin(given.get(TABLE + "name", ""))
        elif tag == TABLE + "table-source":
            self.linked = True

    def _begin(self, name: str) -> None:
        self.names.append(name)
        self._in_sheet, self._line = True, 0
        self._keeping = name == self._wanted if self._wanted else not self._is_table()
        if self._keeping:
            if self.rows and self._spare is None:
                self._spare = _Kept(self.chosen, self.rows, self.width, self.formulas, self.merged, self.impossible)
            self._take(_Kept(name))

    def _is_table(self) -> bool:
        return len(self.rows) > 1 and self.width > 1

    def _take(self, kept: _Kept) -> None:
        self.chosen, self.rows, self.width = kept.name, kept.rows, kept.width
        self.formulas, self.merged, self.impossible = kept.formulas, kept.merged, kept.impossible

    def _text(self, text: str) -> None:
        if self._letters is not None and not self._aside:
            self._letters.append(text)

    def _end(self, tag: str) -> None:
        if self._aside:
            self._aside -= 1
        elif tag == PARAGRAPH and self._letters is not None:
            text = "".join(self._letters)
            if not text.isprintable() or "  " in text or text[:1] == " ":
                text = _SPACE.sub(" ", text).lstrip(" ").translate(MEANT)
            self._paragraphs.append(text)
            self._letters = None
        elif tag == CELL:
            self._row.append((self._value() if self._keeping else "", self._times))
        elif tag == COVERED:
            self._row.append(("", self._times))
        elif tag == ROW and self._keeping:
            self._keep()
        elif tag == SHEET:
            self._in_sheet = False

    def _value(self) -> str:
        given = self._cell
        kind = given.get(KIND, "string")
        if kind == "string":
            text = self._paragraphs[0] if len(self._paragraphs) == 1 else "\n".join(self._paragraphs)
            text = given.get(OFFICE + "string-value", text)
            if FORMULA in given and (text in ERRORS or ERROR in given.values()):
                return ""
            return text
        if kind in ("float", "percentage", "currency"):
            shown = self._paragraphs[0] if self._paragraphs else ""
            text = self._as_text(float(given[OFFICE + "value"]))
            zeros = kind == "float" and shown[:1] == "0" and shown.isascii() and shown.isdigit() and text.isdigit()
            return text.zfill(len(shown)) if zeros else text
        if kind == "boolean":
            return given.get(OFFICE + "boolean-value", "").upper()
        if kind == "date":
            return self._moment(_date(given.get(OFFICE + "date-value", "")))
        if kind == "time":
            moment = _time(given.get(OFFICE + "time-value", ""))
            if moment is not None and len(moment) > 8 and self._paragraphs and _OF_DAY.fullmatch(self._paragraphs[0]):
                return self._paragraphs[0].zfill(8)  # a moment of which the program shows the time alone
            return self._moment(moment)
        return "\n".join(self._paragraphs)

    def _moment(self, text: str | None) -> str:
        self.impossible += text is None
        return text or ""

    def _keep(self) -> None:
        filled = max((place for place, (text, _) in enumerate(self._row, 1) if text), default=0)
        if not filled:
            return
        wide = sum(times for _, times in self._row[:filled])
        self.width = max(self.width, wide)
        high = len(self.rows) + self._repeated
        if high > MOST_ROWS or wide > MOST_COLUMNS:
            self._refuse(*((high, MOST_ROWS) if high > MOST_ROWS else (wide, MOST_COLUMNS)))
        if high * self.width > self._most:
            self._refuse(high * self.width, self._most)
        row = [text for text, times in self._row[:filled] for _ in range(times)]
        self.rows.extend((line, row) for line in range(self._line - self._repeated + 1, self._line + 1))


@lru_cache(maxsize=1 << 16)
def _date(text: str) -> str | None:
    try:
        return moments.written(datetime.fromisoformat(text))
    except ValueError:
        return None


def _time(text: str) -> str | None:
    found = _TIME.fullmatch(text)
    if found is None:
        return None
    days, hours, minutes, seconds = (int(one or 0) for one in found.groups()[1:])
    try:
        passed = timedelta(days=days, hours=hours, minutes=minutes, seconds=seconds)
    except OverflowError:
        return None
    return moments.written(-passed if found[1] else passed)
