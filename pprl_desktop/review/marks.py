"""Marks as data: what a masked cell says about the two values, by kind and position.

Screen, speech and tests read the same marks. A mark never holds a character of a value.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Literal

CellType = Literal["fixed", "variable", "date", "category"]
Cap = Literal["none", "never", "partial", "last4"]
MarkKind = Literal[
    "same",  # both rows hold the same character
    "replace",  # another character in its place
    "insert",  # a character only one row has; the other row shows an aligned gap
    "transpose",  # two neighbours changed places
    "swap",  # month and day, or first and last name, changed places
    "separator",  # of a date; never hidden and never counted
    "diff",  # the values are too different to compare character by character
    "hidden",  # a character with nothing to compare it to, because the other side is missing
    "missing",
    "identical",  # the whole cell, as one check mark
]
MaskKind = Literal["identical", "aligned", "different", "swapped", "category", "missing"]

SAME, FIRST, SECOND, CHECK, MISSING, GAP = "*", "@", "&", "✓", "?", " "
# the row between the two: a shape per kind, so that colour is never needed
BETWEEN: dict[MarkKind, str] = {
    "same": " ", "replace": "×", "insert": "+", "transpose": "⇄", "swap": "⇄", "separator": " ",
    "diff": "≠", "hidden": " ", "missing": " ", "identical": " ",
}  # fmt: skip
EDITS: frozenset[MarkKind] = frozenset({"replace", "insert", "transpose", "swap"})


class Level(IntEnum):
    MASKED = 0
    PARTIAL = 1
    FULL = 2

    @property
    def word(self) -> str:
        return self.name.lower()


@dataclass(frozen=True)
class Mark:
    """One aligned column: positions are characters of the value in each row, None where the row has a gap."""

    kind: MarkKind
    a: int | None
    b: int | None
    flip: bool = False  # the row above shows & instead of @: the second half of a change of places

    def sign(self, row: int) -> str:
        """The masked picture of this column in row 0 (above) or 1 (below)."""
        if (self.a, self.b)[row] is None and self.kind not in ("missing", "identical"):
            return GAP
        if self.kind in ("same", "hidden"):
            return SAME
        if self.kind == "identical":
            return CHECK
        if self.kind == "missing":
            return MISSING
        return SECOND if (row == 1) != self.flip else FIRST


@dataclass(frozen=True)
class Mask:
    """What may be seen of a pair of cells before anything is opened, and the columns once something is."""

    kind: MaskKind
    type: CellType
    marks: tuple[Mark, ...]  # the closed picture
    opened: tuple[Mark, ...]  # the same cells character by character
    missing: tuple[bool, bool] = (False, False)
    separators: tuple[frozenset[int], frozenset[int]] = (frozenset(), frozenset())

    @property
    def has_partial(self) -> bool:
        return self.kind == "aligned"

    def positions(self, row: int) -> frozenset[int]:
        """All true characters of the row; separators of a date are not characters."""
        found = ((mark.a, mark.b)[row] for mark in self.opened)
        return frozenset(p for p in found if p is not None) - self.separators[row]


@dataclass(frozen=True)
class Glyph:
    """One column of one row as it is drawn."""

    text: str
    kind: MarkKind
    gap: bool = False
    open: bool = False  # a true character, not a sign


@dataclass(frozen=True)
class Drawing:
    """Both rows and the row of marks between them; all three have the same number of columns."""

    above: tuple[Glyph, ...]
    between: tuple[str, ...]
    below: tuple[Glyph, ...]
    marks: tuple[Mark, ...]  # kind and positions of every column

    def text(self, row: int) -> str:
        """A row without its gaps."""
        return "".join(glyph.text for glyph in (self.above, self.below)[row] if not glyph.gap)
