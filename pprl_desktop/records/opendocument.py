"""What an .ods sheet would take in memory, and the zeros that its cells show.

Rows and cells may stand for many, and then each of them is laid out; a number's cell also holds the text that the
program showed. Both are read from the XML in pieces, without a tree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from xml.parsers import expat

TABLE = "urn:oasis:names:tc:opendocument:xmlns:table:1.0 "
VALUE_TYPE = "urn:oasis:names:tc:opendocument:xmlns:office:1.0 value-type"
TEXT = "urn:oasis:names:tc:opendocument:xmlns:text:1.0 p"
COLUMNS = 16384
MOST_PADDED = 5_000_000  # cells with zeros, each of which is remembered


class Sheets:
    """Feed it the pieces of content.xml; `refuse` is called with the cells of a sheet that has more than `most`."""

    def __init__(self, most: int, refuse: Callable[[int], None], refuse_entity: Callable[[], None]) -> None:
        self.padded: dict[str, dict[int, int]] = {}
        self._most, self._refuse = most, refuse
        self._high = self._widest = self._rows = self._width = self._times = 0
        self._filled = self._number = False
        self._shown: list[str] | None = None
        self._row: list[tuple[int, int, int]] = []  # first column, how many, digits
        self._cells: dict[int, int] = {}
        self._count = 0
        self._parser = expat.ParserCreate(namespace_separator=" ")
        self._parser.StartElementHandler, self._parser.EndElementHandler = self._start, self._end
        self._parser.CharacterDataHandler = self._text
        self._parser.EntityDeclHandler = lambda *_: refuse_entity()

    def take(self, pieces: Iterable[bytes]) -> None:
        for piece in pieces:
            self._parser.Parse(piece)

    def _start(self, tag: str, given: dict[str, str]) -> None:
        if tag == TABLE + "table":
            self._high = self._widest = 0
            self._cells = self.padded.setdefault(given.get(TABLE + "name", ""), {})
        elif tag == TABLE + "table-row":
            self._rows, self._width, self._filled = int(given.get(TABLE + "number-rows-repeated", 1)), 0, False
            self._row = []
        elif tag in (TABLE + "table-cell", TABLE + "covered-table-cell"):
            self._times = int(given.get(TABLE + "number-columns-repeated", 1))
            self._width += self._times
            self._number = given.get(VALUE_TYPE) == "float"
            if any(name.endswith(("value-type", "formula")) for name in given):
                self._filled, self._widest = True, max(self._widest, self._width)
        elif tag == TEXT and self._number:
            self._shown = []

    def _text(self, text: str) -> None:
        if self._shown is not None:
            self._shown.append(text)

    def _end(self, tag: str) -> None:
        if tag == TEXT and self._shown is not None:
            shown = "".join(self._shown)
            if len(shown) > 1 and shown[0] == "0" and shown.isascii() and shown.isdigit():
                self._row.append((self._width - self._times, self._times, len(shown)))
            self._shown, self._number = None, False
        elif tag == TABLE + "table-row":
            self._high += self._rows
            if self._filled and self._high * self._widest > self._most:
                self._refuse(self._high * self._widest)
            self._keep()

    def _keep(self) -> None:
        for first, times, digits in self._row:
            self._count += times * self._rows
            if self._count > MOST_PADDED:
                self._refuse(self._count)
            for line in range(self._high - self._rows + 1, self._high + 1):
                for place in range(first, first + times):
                    self._cells[line * COLUMNS + place] = digits
