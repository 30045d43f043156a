"""A privacy statement as a value: its figures with their units, and its plain and printed forms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pprl_desktop.said import NOTHING, Said

ENCRYPTION = Said(
    "The encryption protects the bundle on its way and at rest. It does not protect it from the partner, who opens it."
)
RESULT = Said("The matched pairs themselves: both sides learn which of their records the other one holds.")
# units, bounds and mechanisms by the names that agreements, ledgers and manifests hold
UNITS = {
    "per bit": Said("per bit"),
    "per query": Said("per query"),
    "per edit and distance": Said("per edit and distance"),
    "per edit": Said("per edit"),
    "per field": Said("per field"),
    "per record": Said("per record"),
}
BOUNDS = {
    "exact": Said("exact"),
    "worst case": Said("worst case"),
    "tighter": Said("tighter"),
    "lower bound": Said("lower bound"),
}
MECHANISMS = {
    "none": Said("none"),
    "randomised response": Said("randomised response"),
    "discrete Laplace": Said("discrete Laplace"),
    "noisy nearest neighbour": Said("noisy nearest neighbour"),
    "oblivious function": Said("oblivious function"),
}


@dataclass(frozen=True)
class Number:
    """One figure with its unit. `value` is a decimal text, so that it is the same on every screen and in every file."""

    name: str  # "epsilon", or "needed" for a bound that an attacker must reach
    value: str
    per: str  # of UNITS
    bound: str  # of BOUNDS
    basis: Said  # the theorem
    of: Said = NOTHING  # the unit in full, where it says more than `per`

    @property
    def unit(self) -> Said:
        return self.of or UNITS[self.per]

    def sentence(self) -> Said:
        unit, bound = self.unit, BOUNDS[self.bound]
        if self.name == "epsilon":
            return Said("epsilon {value:exact} {unit} ({bound})", value=self.value, unit=unit, bound=bound)
        return Said(
            "epsilon needed for even odds {value:exact} {unit} ({bound})", value=self.value, unit=unit, bound=bound
        )


@dataclass(frozen=True)
class Statement:
    method: str
    mechanism: str  # "none", "randomised response", "discrete Laplace", "noisy nearest neighbour"
    epsilon: str  # as agreed, decimal text; "" without noise
    unit: str  # of epsilon; "" without noise
    rows: int
    summary: Said
    sentences: tuple[Said, ...]
    numbers: tuple[Number, ...]
    protects: tuple[Said, ...]
    leaves_open: tuple[Said, ...]
    theorems: tuple[Said, ...]

    def as_dict(self) -> dict[str, Any]:
        """Strings, integers, lists and dicts only, as a manifest allows."""
        plain: dict[str, Any] = {
            name: getattr(self, name) for name in ("method", "mechanism", "epsilon", "unit", "rows")
        }
        plain["summary"] = str(self.summary)
        for name in ("sentences", "protects", "leaves_open", "theorems"):
            plain[name] = [str(one) for one in getattr(self, name)]
        plain["numbers"] = [
            {"name": one.name, "value": one.value, "unit": str(one.unit), "bound": one.bound, "basis": str(one.basis)}
            for one in self.numbers
        ]
        return plain

    def lines(self) -> tuple[Said, ...]:
        numbers = [Said("{number}: {basis}", number=one.sentence(), basis=one.basis) for one in self.numbers]
        made = [self.summary, NOTHING, *self.sentences]
        for title, items in (
            (Said("Numbers:"), numbers),
            (Said("Protects:"), self.protects),
            (Said("Does not protect:"), self.leaves_open),
        ):
            if items:
                made += [NOTHING, title, *(Said("- {item}", item=item) for item in items)]
        return tuple(made)

    def text(self) -> str:
        """The statement as lines, in English: for a terminal, and as it is signed."""
        return "\n".join(map(str, self.lines()))
