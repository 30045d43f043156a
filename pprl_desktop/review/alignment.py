"""Damerau-Levenshtein alignment of two texts (optimal string alignment), for marks.

Among the cheapest alignments the one with the fewest runs of edits is taken, then the one whose edits lie
furthest to the right: SHIESHA/SHAMEESHA reads as one change, and 17426-8281-9 as in Table 1 of the paper.
"""

from __future__ import annotations

from collections.abc import Sequence

from pprl_desktop.review.marks import Mark

_EDIT = 1 << 20  # one edit weighs more than any number of runs
_FAR = 1 << 60


def distance(a: Sequence[str], b: Sequence[str]) -> int:
    from rapidfuzz.distance import OSA

    return int(OSA.distance(a, b))


def align(a: Sequence[str], b: Sequence[str]) -> tuple[Mark, ...]:
    """Columns of the alignment: same, replace, insert (a gap in one row) and transpose (two columns)."""
    kept, edited = _tables(a, b)
    marks: list[Mark] = []
    i, j = len(a), len(b)
    in_edit = edited[i][j] <= kept[i][j]
    while i or j:
        if not in_edit:
            marks.append(Mark("same", i - 1, j - 1))
            i, j = i - 1, j - 1
            in_edit = edited[i][j] <= kept[i][j]
            continue
        here = edited[i][j] - _EDIT
        steps = (
            (i - 2, j - 2, _transposes(a, b, i, j)),
            (i - 1, j, i > 0),
            (i, j - 1, j > 0),
            (i - 1, j - 1, i > 0 and j > 0),
        )
        for x, y, possible in steps:
            if possible and min(edited[x][y], kept[x][y] + 1) == here:
                marks += reversed(_columns(i, j, x, y))
                in_edit = edited[x][y] <= kept[x][y] + 1
                i, j = x, y
                break
    return tuple(reversed(marks))


def _columns(i: int, j: int, x: int, y: int) -> tuple[Mark, ...]:
    if i - x == 2:
        return Mark("transpose", x, y), Mark("transpose", x + 1, y + 1, flip=True)
    if i - x and j - y:
        return (Mark("replace", x, y),)
    return (Mark("insert", x if i - x else None, y if j - y else None),)


def _transposes(a: Sequence[str], b: Sequence[str], i: int, j: int) -> bool:
    return i > 1 and j > 1 and a[i - 1] == b[j - 2] and a[i - 2] == b[j - 1] and a[i - 1] != a[i - 2]


def _tables(a: Sequence[str], b: Sequence[str]) -> tuple[list[list[int]], list[list[int]]]:
    """Cheapest way to every corner that ends on a kept character, and that ends on an edit."""
    kept = [[_FAR] * (len(b) + 1) for _ in range(len(a) + 1)]
    edited = [[_FAR] * (len(b) + 1) for _ in range(len(a) + 1)]
    kept[0][0] = 0
    for i in range(len(a) + 1):
        for j in range(len(b) + 1):
            best = _FAR
            if i:
                best = min(best, edited[i - 1][j], kept[i - 1][j] + 1)
            if j:
                best = min(best, edited[i][j - 1], kept[i][j - 1] + 1)
            if i and j:
                if a[i - 1] == b[j - 1]:
                    kept[i][j] = min(kept[i - 1][j - 1], edited[i - 1][j - 1])
                else:
                    best = min(best, edited[i - 1][j - 1], kept[i - 1][j - 1] + 1)
            if _transposes(a, b, i, j):
                best = min(best, edited[i - 2][j - 2], kept[i - 2][j - 2] + 1)
            if best < _FAR:
                edited[i][j] = best + _EDIT
    return kept, edited
