"""The shape of a value without the value: Aaaaa-Aaa, 99/99/9999. What a profile may show and a log may hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

LONGEST = 24  # characters of a shape; longer ones are cut, their exact length would point at one value
KEPT = 5  # shapes a column shows


@dataclass(frozen=True)
class Shape:
    shape: str
    share: float  # of the rows that are not missing


class _Outline(dict[int, str]):
    """For str.translate: letters lose their identity, digits their value; marks that structure a value stay."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        if char.isdigit():
            made = "9"
        elif char.isupper():
            made = "A"
        elif char.islower():
            made = "a"
        elif char.isalpha():
            made = "x"  # scripts without case
        elif char.isspace():
            made = " "
        else:
            made = char if code < 128 else "?"
        self[code] = made
        return made


_OUTLINE = _Outline()


def shape(text: str) -> str:
    outline = text.translate(_OUTLINE)
    return outline if len(outline) <= LONGEST else outline[: LONGEST - 1] + "…"


def shapes(values: Sequence[str], counts: npt.NDArray[np.int64]) -> tuple[Shape, ...]:
    """The most frequent shapes with their shares of the rows."""
    joined = "\n".join(values)
    if joined.count("\n") == len(values) - 1:  # no line breaks inside: all at once
        _OUTLINE[ord("\n")] = "\n"
        outlines = joined.translate(_OUTLINE).split("\n")
    else:
        outlines = [value.replace("\n", " ").translate(_OUTLINE) for value in values]
    rows: Counter[str] = Counter()
    for outline, count in zip(outlines, counts.tolist(), strict=True):
        rows[outline] += count
    total = max(int(counts.sum()), 1)
    merged: Counter[str] = Counter()
    for outline, count in rows.items():
        merged[outline if len(outline) <= LONGEST else outline[: LONGEST - 1] + "…"] += count
    return tuple(Shape(text, round(count / total, 4)) for text, count in merged.most_common(KEPT))
