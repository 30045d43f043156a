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
STYLE, STYLE_NAME, HOW = _NAMES + "style:1.0 style", _NAMES + "style:1.0 name", _NAMES + "style:1.0 table-properties"
WIDE, HIGH = TABLE + "number-columns-spanned", TABLE + "number-rows-spanned"
# what stands among the cells and is none: remarks, drawings, deleted cells that are still remembered
ASIDE = frozenset((OFFICE + "annotation", OFFICE + "forms", TABLE + "tracked-changes", TABLE + "shapes"))
MARKS = {TEXT + "s": "\0", TEXT + "tab": "\1", TEXT + "line-break": "\2"}  # no document can hold these characters
MEANT = str.maketrans("\0\1\2", " \t\n")
ERROR = "error"  # the value type of a cell such as #N/A, where a program says so; another leaves it a text
ERRORS = frozenset(("#DIV/0!", "#N/A", "#NAME?", "#NULL!", "#NUM!", "#REF!", "#VALUE!"))  # of formulas
BOOLEANS = {"of:=TRUE()": "TRUE", "of:=FALSE()": "FALSE"}  # so LibreOffice keeps those of an .xlsx, with a number
UNSEEN = ("collapse", "filter")
SEEN_TABLE = 4  # the best rank
MOST_ROWS, MOST_COLUMNS = 1 << 20, 16384  # of a sheet of any spreadsheet program
_TIME = re.compile(r"(-?)P(?:(\d{1,6})D)?T(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9})(?:[.,]\d*)?S)?")
_OF_DAY = re.compile(r"(?:[01]?\d|2[0-3]):\d\d:\d\d")
_SPACE = re.compile(r"[ \t\r\n]+")


@dataclass
class _Sheet:
    """What is kept of a sheet."""

    name: str = ""
    hidden: bool = False
    rows: list[tuple[int, list[str]]] = field(default_factory=list)
    width: int = 0
    formulas: int = 0
    merged: int = 0
    impossible: int = 0
    unseen: int = 0  # rows that the program hides, by a filter or by hand

    @property
    def rank(self) -> int:
        """Which sheet is taken: one in sight, with two lines and two columns or more."""
        table = len(self.rows) > 1 and self.width > 1
        return 2 * (1 + table) - self.hidden if self.rows else 0


class Document:
    """Feed it content.xml by `take`. `wanted`: the sheet to keep; "" for the first in sight with a table of two lines
    and two columns or more, else the first hidden one, else the first that holds anything."""

    def __init__(
        self,
        wanted: str,
        as_text: Callable[[float], str],
        most: int,
        refuse: Callable[[int, int], None],
        refuse_entity: Callable[[], None],
    ) -> None:
        self.names: list[str] = []
        self.kept = _Sheet(wanted)  # the best so far; its lines are counted from one, repeated ones are one list
        self.linked = False
        self._wanted, self._as_text, self._most, self._refuse = wanted, as_text, most, refuse
        self._now = self.kept
        self._hiding: set[str] = set()  # styles of hidden sheets
        self._style = ""  # that is being read
        self._aside = self._line = self._times = self._repeated = 0
        self._keeping = self._in_sheet = self._unseen = False
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

    def _start(self, tag: str, given: dict[str, str]) -> None:
        if self._aside:
            self._aside += 1
        elif tag == PARAGRAPH:
            self._letters = []
        elif tag in CELLS:
            self._cell, self._paragraphs = given, []
            self._times = int(given[REPEATED]) if REPEATED in given else 1
            if self._keeping:
                self._now.formulas += FORMULA in given
                self._now.merged += given.get(WIDE, "1") != "1" or given.get(HIGH, "1") != "1"
        elif tag in MARKS and self._letters is not None:
            times = int(given.get(TEXT + "c", 1)) if tag == TEXT + "s" else 1
            self._letters.append(MARKS[tag] * min(times, 1000))
        elif tag == ROW:
            self._row, self._repeated = [], int(given.get(TABLE + "number-rows-repeated", 1))
            self._line += self._repeated
            self._unseen = given.get(TABLE + "visibility") in UNSEEN
        elif tag in ASIDE or tag.startswith(DRAWING) or (tag == SHEET and self._in_sheet):
            self._aside = 1
        elif tag == SHEET:
            self._begin(given.get(TABLE + "name", ""), given.get(TABLE + "style-name", "") in self._hiding)
        elif tag == STYLE:
            self._style = given.get(STYLE_NAME, "")
        elif tag == HOW and given.get(TABLE + "display") == "false":
            self._hiding.add(self._style)
        elif tag == TABLE + "table-source":
            self.linked = True

    def _begin(self, name: str, hidden: bool) -> None:
        self.names.append(name)
        self._in_sheet, self._line = True, 0
        self._now = _Sheet(name, hidden)
        self._keeping = name == self._wanted if self._wanted else self.kept.rank < SEEN_TABLE

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
            if self._keeping and self._now.rank > self.kept.rank:
                self.kept = self._now

    def _value(self) -> str:
        given = self._cell
        kind = given.get(KIND, "string")
        if kind == "string":
            text = self._paragraphs[0] if len(self._paragraphs) == 1 else "\n".join(self._paragraphs)
            text = given.get(OFFICE + "string-value", text)
            if FORMULA in given and (text in ERRORS or ERROR in given.values()):
                return ""
            return text
        if (yes_or_no := BOOLEANS.get(given.get(FORMULA, ""))) is not None:
            return yes_or_no
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
        self._now.impossible += text is None
        return text or ""

    def _keep(self) -> None:
        filled = max((place for place, (text, _) in enumerate(self._row, 1) if text), default=0)
        if not filled:
            return
        now = self._now
        now.unseen += self._repeated if self._unseen else 0
        wide = sum(times for _, times in self._row[:filled])
        now.width = max(now.width, wide)
        high = len(now.rows) + self._repeated
        if high > MOST_ROWS or wide > MOST_COLUMNS:
            self._refuse(*((high, MOST_ROWS) if high > MOST_ROWS else (wide, MOST_COLUMNS)))
        if high * now.width > self._most:
            self._refuse(high * now.width, self._most)
        row = [text for text, times in self._row[:filled] for _ in range(times)]
        now.rows.extend((line, row) for line in range(self._line - self._repeated + 1, self._line + 1))


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
