"""The numbers by which a match is called reliable (matching/standing.py)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pprl_desktop.decisions import tuning
from pprl_desktop.decisions.tuning import number

POPULATIONS = "made-up populations of tests/benchmarks/populations.py"


@dataclass(frozen=True)
class Tuning(tuning.Tuning):
    DECISION: ClassVar[str] = "standing"

    too_high: float = number(0.1, "precision expected beyond the true one that is not bearable")
    risk: float = number(
        0.1,
        "probability of a figure that is too high, from which the links are too few to judge by",
        "chosen on 139 recorded runs, most of 30 people (alarms 32 -> 13 of 75); on 26 others 2 of 15, 2026-11",
    )
    differ: float = number(0.08, "precision expected beyond that of the second opinion", POPULATIONS)
    missed: float = number(
        0.05, "recall expected beyond that of pairs found without a field", "half of what is not bearable of precision"
    )
    agreed: float = number(0.65, "least share of pairs that views and strangers accept alike", POPULATIONS)
    views: int = number(2, "fields or groups of fields that can be asked", POPULATIONS)
    conflict: float = number(0.3, "share of links with counterparts who are held apart", POPULATIONS)
    least: float = number(0.75, "expected precision below which no figure is trusted", POPULATIONS)
    crowd: float = number(6.0, "people per linked person from which a result is refused", POPULATIONS)
    sigma: float = number(1.96, "standard errors", "95 %")
