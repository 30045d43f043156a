"""Numbers in the open: what changes a result is an argument, and says its unit, its origin and when it was measured.

Each decision has one frozen dataclass of such numbers beside it (adaptive/tuning.py, threshold/tuning.py, ...). It is
part of the rule that decides, saved with every result, and printed by `--json`. `tests/benchmarks/sensitivity.py`
halves and doubles each number and prints what that does; a number that does nothing is removed. Limits of memory and
time are no tuning: they stand beside the code they limit, and a result they have touched says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Self

OVERLAP = 0.3  # share of the smaller file that has a counterpart, before any pair was seen: one assumption, one number
COPY = 0.9999  # probability that two records of one file that are alike in every field are one person

BY_HAND = "chosen by hand in the first version"
BY_CHANCE = "how far chance reaches, as statisticians usually draw the line"
MEASURED = "2026-11-17"  # the last run of tests/benchmarks/sensitivity.py


def number(value: Any, unit: str, origin: str = BY_HAND, measured: str = MEASURED) -> Any:
    """A field of a tuning: its value, the unit, where the value comes from, the day its effect was last measured."""
    return field(default=value, metadata={"unit": unit, "origin": origin, "measured": measured})


@dataclass(frozen=True)
class Tuning:
    """The numbers of one decision."""

    DECISION: ClassVar[str] = ""

    def to_plain(self) -> dict[str, Any]:
        """As it is saved with a result."""
        values = {one.name: getattr(self, one.name) for one in fields(self)}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> Self:
        unknown = set(plain) - {one.name for one in fields(cls)}
        if unknown:
            raise ValueError(f"numbers of another version: {', '.join(sorted(unknown))}")
        return cls(**{name: tuple(value) if isinstance(value, list) else value for name, value in plain.items()})

    def changed(self) -> dict[str, Any]:
        """The numbers that are not the usual ones."""
        usual = type(self)().to_plain()
        return {name: value for name, value in self.to_plain().items() if value != usual[name]}
