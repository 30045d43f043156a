"""The slow, obvious twin of review.index.Crowd: looks at every record for every question. Tests only."""

from __future__ import annotations

from collections.abc import Sequence

from pprl_desktop.records.table import Column
from pprl_desktop.review.graphemes import graphemes
from pprl_desktop.review.kapr import Constraint


def fits(column: Column, record: int, wanted: Constraint | None) -> bool:
    if wanted is None:
        return True
    value = column.cell(record)
    if not value:
        return False
    if wanted.code is not None:
        return value == column.values[wanted.code]
    text = graphemes(value)
    if wanted.shared and column.cells().count(value) < 2:
        return False
    if wanted.length is not None and len(text) != wanted.length:
        return False
    return all(place < len(text) and text[place] == sign for place, sign in wanted.characters)


def count(columns: Sequence[Column], wanted: Sequence[Constraint | None]) -> int:
    records = range(len(columns[0]))
    return sum(all(fits(c, r, w) for c, w in zip(columns, wanted, strict=True)) for r in records)


def previews(
    columns: Sequence[Column], now: Sequence[Constraint | None], after: Sequence[Constraint | None]
) -> tuple[int, tuple[int, ...]]:
    found = []
    for j, each in enumerate(after):
        found.append(count(columns, [each if i == j and each is not None else w for i, w in enumerate(now)]))
    return count(columns, now), tuple(found)
