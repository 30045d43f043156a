"""The numbers of the nearest-neighbour decision that change its results. All are public: none is taken from a table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pprl_desktop.decisions.tuning import OVERLAP, number
from pprl_desktop.decisions.tuning import Tuning as Numbers


@dataclass(frozen=True)
class Tuning(Numbers):
    DECISION: ClassVar[str] = "nearest"

    overlap: float = number(OVERLAP, "share of the queries that have a record here", "decisions/tuning.py")
    near: float = number(0.23, "share of the bits that differ", "nearer ones are all alike: clipped there")
    far: float = number(0.31, "share of the bits that differ", "farther ones are all alike: clipped there")
    none_at: float = number(0.3, "of the way from near to far", "unmatched queries end there, few matched ones do")
