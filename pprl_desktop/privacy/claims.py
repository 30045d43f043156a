"""A privacy statement as a value: its figures with their units, and its plain and printed forms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Number:
    """One figure with its unit. `value` is a decimal text, so that it is the same on every screen and in every file."""

    name: str  # "epsilon", or "needed" for a bound that an attacker must reach
    value: str
    unit: str  # per bit / per edit and distance / per edit / per field / per query / per record
    bound: str  # "exact", "worst case", "tighter"
    basis: str  # the theorem

    def sentence(self) -> str:
        what = "epsilon" if self.name == "epsilon" else "epsilon needed for even odds"
        return f"{what} {self.value} {self.unit} ({self.bound})"


NUMBER = ("name", "value", "unit", "bound", "basis")


@dataclass(frozen=True)
class Statement:
    method: str
    mechanism: str  # "none", "randomised response", "discrete Laplace", "noisy nearest neighbour"
    epsilon: str  # as agreed, decimal text; "" without noise
    unit: str  # of epsilon; "" without noise
    rows: int
    summary: str
    sentences: tuple[str, ...]
    numbers: tuple[Number, ...]
    protects: tuple[str, ...]
    leaves_open: tuple[str, ...]
    theorems: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """Strings, integers, lists and dicts only, as a manifest allows."""
        plain: dict[str, Any] = {
            name: getattr(self, name) for name in ("method", "mechanism", "epsilon", "unit", "rows", "summary")
        }
        for name in ("sentences", "protects", "leaves_open", "theorems"):
            plain[name] = list(getattr(self, name))
        plain["numbers"] = [dict(vars(number)) for number in self.numbers]
        return plain

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Statement:
        def several(name: str) -> tuple[str, ...]:
            return tuple(str(one) for one in plain[name])

        return cls(
            method=str(plain["method"]),
            mechanism=str(plain["mechanism"]),
            epsilon=str(plain["epsilon"]),
            unit=str(plain["unit"]),
            rows=int(plain["rows"]),
            summary=str(plain["summary"]),
            sentences=several("sentences"),
            numbers=tuple(Number(*(str(one[name]) for name in NUMBER)) for one in plain["numbers"]),
            protects=several("protects"),
            leaves_open=several("leaves_open"),
            theorems=several("theorems"),
        )

    def text(self) -> str:
        """The statement as lines, for a terminal or a report."""
        lines = [self.summary, "", *self.sentences]
        for title, items in (
            ("Numbers", [f"{number.sentence()}: {number.basis}" for number in self.numbers]),
            ("Protects", self.protects),
            ("Does not protect", self.leaves_open),
        ):
            if items:
                lines += ["", f"{title}:", *(f"- {item}" for item in items)]
        return "\n".join(lines)
