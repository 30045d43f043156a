"""Masks for the four field types: what two cells show of each other at each disclosure level (ARCHITECTURE 7)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise, zip_longest
from typing import Literal

from pprl_desktop.review.alignment import align, distance
from pprl_desktop.review.graphemes import graphemes
from pprl_desktop.review.marks import BETWEEN, EDITS, GAP, Cap, CellType, Drawing, Glyph, Level, Mark, MarkKind, Mask

DateSwap = Literal["elements", "digits"]
LONGEST_ALIGNED = 250  # characters: the time of an alignment grows with the square of them
LAST = 4  # characters that the cap "last 4" leaves
# occurrences in the data set: up to 1, 5, 100 and above, as MINDFIRL's screen has them
FREQUENCY_CLASSES = ((1, "unique"), (5, "rare"), (100, "common"))
_DATE = re.compile(r"(\d+)(\D)(\d+)(\D)(\d+)")


@dataclass(frozen=True)
class Picture:
    """The manager's choices about the picture itself."""

    date_swap: DateSwap = "elements"  # Table 1 of the paper; "digits" is how its Tables 3 and 4 show the same dates
    name_swaps: tuple[tuple[int, int], ...] = ()  # field positions that hold first and last name


def mask_pair(
    types: Sequence[CellType], a: Sequence[str], b: Sequence[str], picture: Picture | None = None
) -> tuple[Mask, ...]:
    """Masks of all cells of a pair; a first/last name swap is recognised as one change."""
    picture = picture or Picture()
    masks = [mask(kind, x, y, picture.date_swap) for kind, x, y in zip(types, a, b, strict=True)]
    for first, last in picture.name_swaps:
        if a[first] and a[last] and a[first] != a[last] and (a[first], a[last]) == (b[last], b[first]):
            masks[first] = _swapped(types[first], a[first], b[first], flip=False)
            masks[last] = _swapped(types[last], a[last], b[last], flip=True)
    return tuple(masks)


def mask(type: CellType, a: str, b: str, date_swap: DateSwap = "elements") -> Mask:
    x, y = graphemes(a), graphemes(b)
    separators = (_separators(type, a, x), _separators(type, b, y))
    if not x or not y:
        return _missing(type, x, y, separators)
    if x == y:
        opened = tuple(_plain(separators, i, i) for i in range(len(x)))
        return Mask("identical", type, (Mark("identical", None, None),), opened, separators=separators)
    if type == "category":
        return Mask("category", type, (Mark("replace", 0, 0),), _side_by_side(x, y, separators))
    if type == "date" and len(x) == len(y) and separators[0] == separators[1]:
        spans = _elements(x, y, separators[0])
        if spans:
            return _date(x, y, spans, separators, date_swap)
    long = max(len(x), len(y)) > LONGEST_ALIGNED
    if long or 2 * distance(x, y) > max(len(x), len(y)) or (type == "fixed" and len(x) != len(y)):
        marks = _side_by_side(x, y, separators)
        return Mask("different", type, marks, marks, separators=separators)
    marks = align(x, y)
    return Mask("aligned", type, marks, marks, separators=separators)


def _missing(
    type: CellType, x: Sequence[str], y: Sequence[str], separators: tuple[frozenset[int], frozenset[int]]
) -> Mask:
    missing = (not x, not y)
    if all(missing):
        both = (Mark("missing", None, None),)
        return Mask("missing", type, both, (), missing)
    there = 1 if missing[0] else 0
    kinds: list[MarkKind] = ["separator" if i in separators[there] else "hidden" for i in range(len(x) + len(y))]
    opened = tuple(Mark(kind, None if missing[0] else i, None if missing[1] else i) for i, kind in enumerate(kinds))
    marks = opened if type != "category" else opened[:1]  # a category never shows how long its word is
    return Mask("missing", type, marks, opened, missing, separators)


def _swapped(type: CellType, a: str, b: str, *, flip: bool) -> Mask:
    columns = zip_longest(range(len(graphemes(a))), range(len(graphemes(b))))
    marks = tuple(Mark("swap", i, j, flip) for i, j in columns)
    return Mask("swapped", type, marks, marks)


def _side_by_side(
    x: Sequence[str], y: Sequence[str], separators: tuple[frozenset[int], frozenset[int]]
) -> tuple[Mark, ...]:
    columns = zip_longest(range(len(x)), range(len(y)))
    return tuple(Mark("separator" if i in separators[0] and j in separators[1] else "diff", i, j) for i, j in columns)


def _plain(separators: tuple[frozenset[int], frozenset[int]], i: int, j: int) -> Mark:
    return Mark("separator" if i in separators[0] else "same", i, j)


def _separators(type: CellType, text: str, characters: Sequence[str]) -> frozenset[int]:
    """Positions of the two separators of a date such as 08/09/1964 or 1964-08-09."""
    found = _DATE.fullmatch(text) if type == "date" else None
    return frozenset((found.start(2), found.start(4))) if found and len(characters) == len(text) else frozenset()


def _elements(x: Sequence[str], y: Sequence[str], separators: frozenset[int]) -> list[range]:
    """Where year, month and day stand: between separators, or in eight digits without any."""
    if separators:
        first, second = sorted(separators)
        return [range(first), range(first + 1, second), range(second + 1, len(x))]
    if len(x) != 8 or not all(sign.isdigit() for sign in (*x, *y)):
        return []
    year_first = all("18" <= row[0] + row[1] <= "21" for row in (x, y))
    cuts = (0, 4, 6, 8) if year_first else (0, 2, 4, 8)
    return [range(low, high) for low, high in pairwise(cuts)]


def _date(
    x: tuple[str, ...],
    y: tuple[str, ...],
    spans: list[range],
    separators: tuple[frozenset[int], frozenset[int]],
    date_swap: DateSwap,
) -> Mask:
    """Element by element; the two elements that are not the year may have changed places."""
    year = 0 if len(spans[0]) > len(spans[2]) else 2
    one, two = (spans[k] for k in range(3) if k != year)
    texts = [[tuple(row[i] for i in span) for span in spans] for row in (x, y)]
    day_month = [[texts[row][k] for k in range(3) if k != year] for row in range(2)]
    swapped = day_month[0] == day_month[1][::-1] and day_month[0][0] != day_month[0][1]
    marks: dict[int, Mark] = {i: Mark("separator", i, i) for i in separators[0]}
    for span in spans:
        if swapped and span in (one, two):
            for i in span:
                shown = date_swap == "elements" or x[i] != y[i]
                marks[i] = Mark("swap", i, i, flip=span == two) if shown else Mark("same", i, i)
        else:
            marks.update(_element(x, y, span))
    differing = sum(texts[0][k] != texts[1][k] for k in range(3))
    digits = sum(x[i] != y[i] for i in range(len(x)))
    if not swapped and (differing == 3 or 2 * digits > len(x) - len(separators[0])):
        columns = _side_by_side(x, y, separators)
        return Mask("different", "date", columns, columns, separators=separators)
    ordered = tuple(marks[i] for i in range(len(x)))
    return Mask("aligned", "date", ordered, ordered, separators=separators)


def _element(x: Sequence[str], y: Sequence[str], span: range) -> dict[int, Mark]:
    marks: dict[int, Mark] = {}
    for i in span:
        if i in marks:
            continue
        neighbour = i + 1 in span and x[i] != x[i + 1] and x[i] == y[i + 1] and x[i + 1] == y[i]
        if neighbour:
            marks[i], marks[i + 1] = Mark("transpose", i, i), Mark("transpose", i + 1, i + 1, flip=True)
        else:
            marks[i] = Mark("same" if x[i] == y[i] else "replace", i, i)
    return marks


# --- levels ---------------------------------------------------------------------------------------------------------


def shown(mask: Mask, level: Level, cap: Cap, row: int) -> frozenset[int]:
    """Positions of the true characters that a level shows of a row."""
    if level == Level.MASKED or cap == "never" or mask.missing[row]:
        return frozenset()
    everything = mask.positions(row)
    if level == Level.PARTIAL or cap == "partial":
        if not mask.has_partial:
            return frozenset()
        open_marks = ((mark.a, mark.b)[row] for mark in mask.opened if mark.kind in EDITS)
        visible = frozenset(p for p in open_marks if p is not None) & everything
    else:
        visible = everything
    return visible & frozenset(sorted(everything)[-LAST:]) if cap == "last4" else visible


def allowed(mask: Mask, level: Level, cap: Cap) -> Level:
    """The highest level at or below the one asked for that the type of the cell and the cap know."""
    if cap == "never" or all(mask.missing):
        return Level.MASKED
    if level == Level.FULL and cap != "partial":
        return Level.FULL
    if level >= Level.PARTIAL and mask.kind in ("aligned", "identical"):
        return Level.PARTIAL
    return Level.MASKED


def next_level(mask: Mask, level: Level, cap: Cap) -> Level | None:
    """The next level that shows something new; None where there is nothing more to open."""
    for higher in (Level.PARTIAL, Level.FULL):
        if higher > level and allowed(mask, higher, cap) == higher:
            new = [shown(mask, higher, cap, row) > shown(mask, level, cap, row) for row in (0, 1)]
            if any(new):
                return higher
    return None


def draw(mask: Mask, a: str, b: str, level: Level, cap: Cap) -> Drawing:
    """The picture of both rows. Only characters that the level shows are read from the values."""
    texts = (graphemes(a), graphemes(b))
    visible = tuple(shown(mask, level, cap, row) for row in (0, 1))
    marks = mask.opened if visible[0] or visible[1] else mask.marks
    rows: list[tuple[Glyph, ...]] = []
    for row in (0, 1):
        if mask.missing[row]:
            rows.append((Glyph("?", "missing"), *(Glyph(GAP, "hidden", gap=True) for _ in marks[1:])))
            continue
        rows.append(tuple(_glyph(mark, row, texts[row], visible[row]) for mark in marks))
    return Drawing(rows[0], tuple(BETWEEN[mark.kind] for mark in marks), rows[1], marks)


def _glyph(mark: Mark, row: int, text: tuple[str, ...], visible: frozenset[int]) -> Glyph:
    place = (mark.a, mark.b)[row]
    if place is None and mark.kind != "identical":
        return Glyph(GAP, mark.kind, gap=True)
    if place is not None and mark.kind == "separator":
        return Glyph(text[place], mark.kind)
    if place is not None and place in visible:
        return Glyph(text[place], mark.kind, open=True)
    return Glyph(mark.sign(row), mark.kind)


def character_count(type: CellType, text: str) -> int:
    """Characters that count towards the share disclosed."""
    cut = graphemes(text)
    return len(cut) - len(_separators(type, text, cut))


def frequency_class(count: int) -> str:
    for most, word in FREQUENCY_CLASSES:
        if count <= most:
            return word
    return "very common"
