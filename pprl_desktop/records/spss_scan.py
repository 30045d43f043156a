"""Whether the dictionary of an SPSS file holds together, before it is given to the library.

The library lays out a row by the number of variables and reads it by the widths of texts: where the two differ it
reads past the end, and the whole program is gone.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass

MAGIC = (b"$FL2", b"$FL3")
HEADER = 176  # bytes
SEGMENT = 8  # bytes of a row: a number, or eight letters of a text
LONGEST = 255  # letters of a text in one variable; a longer one is split into several
WHOLE = 252  # of them that each part but the last of a longer text holds
LONGEST_TEXT = 32_767  # letters of a text in several
VARIABLE, LABELS, OF_VARIABLES, DOCUMENT, MORE, END = 2, 3, 4, 6, 7, 999
VERY_LONG = 14  # the kind of MORE that says which texts are split
MOST_MISSING = 3
GOES_ON = -1


class UnsoundError(ValueError):
    """The dictionary contradicts itself, or is cut short."""


def check(data: bytes) -> None:
    """Raises UnsoundError. `data`: the file as it lies on the disk; the records behind the dictionary are not read."""
    if data[:4] not in MAGIC or len(data) < HEADER:
        raise UnsoundError
    order = "<" if data[64:68] in (b"\2\0\0\0", b"\3\0\0\0") else ">"
    _Dictionary(data, order).check()


@dataclass
class _Variable:
    name: str
    width: int


class _Dictionary:
    def __init__(self, data: bytes, order: str) -> None:
        self.data, self.at = data, HEADER
        self.order = order
        self.variables: list[_Variable] = []
        self.segments = 0  # of a row
        self.going_on = 0  # segments that the text before still needs

    def check(self) -> None:
        kinds: dict[int, Callable[[], None]] = {
            VARIABLE: self._variable, LABELS: self._labels, DOCUMENT: self._document, MORE: self._more,
        }  # fmt: skip
        while (kind := self._integer()) != END:
            if kind not in kinds or (self.going_on and kind != VARIABLE):
                raise UnsoundError
            kinds[kind]()
        if self.going_on or not self.variables:
            raise UnsoundError

    def _integer(self, low: int = -(1 << 31), high: int = (1 << 31) - 1) -> int:
        (value,) = struct.unpack(f"{self.order}i", self._bytes(4))
        if not low <= value <= high:
            raise UnsoundError
        return int(value)

    def _bytes(self, size: int) -> bytes:
        if size < 0 or self.at + size > len(self.data):
            raise UnsoundError
        self.at += size
        return self.data[self.at - size : self.at]

    def _variable(self) -> None:
        width, labelled = self._integer(GOES_ON, LONGEST), self._integer(0, 1)
        missing = self._integer(-MOST_MISSING, MOST_MISSING)
        self._bytes(8)  # how it is shown
        name = self._bytes(SEGMENT).decode("latin-1").rstrip()
        if labelled:
            self._bytes(-(-self._integer(0) // 4) * 4)
        self._bytes(SEGMENT * abs(missing))
        if (width == GOES_ON) != bool(self.going_on):
            raise UnsoundError
        self.segments += 1
        if width == GOES_ON:
            self.going_on -= 1
            return
        self.going_on = max(-(-width // SEGMENT), 1) - 1
        self.variables.append(_Variable(name, width))

    def _labels(self) -> None:
        for _ in range(self._integer(0)):
            self._bytes(SEGMENT)
            length = self._bytes(1)[0]
            self._bytes(-(-(length + 1) // SEGMENT) * SEGMENT - 1)
        if self._integer() != OF_VARIABLES:
            raise UnsoundError
        for _ in range(self._integer(0)):
            self._integer(1, self.segments)

    def _document(self) -> None:
        self._bytes(80 * self._integer(0))

    def _more(self) -> None:
        kind, size, count = self._integer(), self._integer(0), self._integer(0)
        held = self._bytes(size * count)
        if kind == VERY_LONG:
            self._very_long(held)

    def _very_long(self, held: bytes) -> None:
        """NAME=00300: the text lies in as many variables, one behind the other, as it needs."""
        places = {one.name.upper(): at for at, one in enumerate(self.variables)}
        for entry in held.replace(b"\0", b"\t").split(b"\t"):
            if not entry:
                continue
            name, _, digits = entry.decode("latin-1").partition("=")
            at = places.get(name.strip().upper())
            if at is None or not digits.isdigit() or not LONGEST < int(digits) <= LONGEST_TEXT:
                raise UnsoundError
            parts = -(-int(digits) // WHOLE)
            widths = [one.width for one in self.variables[at : at + parts]]
            last = int(digits) - WHOLE * (parts - 1)
            if len(widths) < parts or widths[:-1] != [LONGEST] * (parts - 1) or not last <= widths[-1]:
                raise UnsoundError
