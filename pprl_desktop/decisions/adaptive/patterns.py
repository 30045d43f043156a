"""Pairs that look alike, counted together: a million random pairs show a few thousand patterns of levels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Levels = npt.NDArray[np.uint8]
Counts = npt.NDArray[np.int64]
Places = npt.NDArray[np.int32]

SLOTS = 1 << 12  # of the table in which a pattern is looked up, at first


@dataclass(frozen=True, eq=False)
class Patterns:
    levels: Levels  # [patterns, fields]
    count: Counts  # pairs that show each

    @classmethod
    def of(cls, levels: Levels) -> Patterns:
        """`levels` [pairs, fields]."""
        first, which = told_apart(levels)
        return cls(levels[first], np.bincount(which, minlength=len(first)))

    @property
    def pairs(self) -> int:
        return int(self.count.sum())

    def some(self, kept: npt.NDArray[Any]) -> Patterns:
        return Patterns(self.levels[kept], self.count[kept])

    def together(self, other: Patterns) -> Patterns:
        """Those of both; a pattern that both show is there twice, which changes no sum."""
        return Patterns(np.concatenate([self.levels, other.levels]), np.concatenate([self.count, other.count]))

    def by_level(self, field: int, codes: int) -> npt.NDArray[np.float64]:
        """[codes] pairs at each level of a field."""
        return np.asarray(np.bincount(self.levels[:, field], self.count, codes), dtype=np.float64)


def told_apart(levels: Levels) -> tuple[Places, Places]:
    """A pair that shows each pattern, in the order in which they come, and which pattern each pair shows."""
    from pprl_desktop.decisions.adaptive.kernels import tell_apart

    levels = np.ascontiguousarray(levels)
    which = np.empty(len(levels), dtype=np.int32)
    slots = SLOTS
    while True:
        first = np.empty(slots // 2, dtype=np.int32)
        found = int(tell_apart(levels, np.full(slots, -1, dtype=np.int32), first, which))
        if found >= 0:
            return first[:found].copy(), which
        slots *= 8
