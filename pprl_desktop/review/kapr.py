"""KAPR, the k-anonymised privacy risk of a partly opened review (Li, D'Souza, Schmit, Kum 2019, Definition 4.6).

    K = kappa / (N * D) * sum over rows i of (1 / k_i) * sum over fields j of p_ij

N displayed rows (two per pair), D identifying fields shown, p_ij the share of the value's characters that is open,
k_i the number of records of the data set compatible with everything shown of row i. All in exact fractions.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from pprl_desktop.review.marks import Cap, Level, Mask
from pprl_desktop.review.masking import shown

NOTHING = Fraction(0)


@dataclass(frozen=True)
class Constraint:
    """What an opened cell says about its record; a record counts towards k_i when it satisfies all of them."""

    code: int | None = None  # full: the same value (its code in the column)
    length: int | None = None  # partial: as many characters ...
    characters: tuple[tuple[int, str], ...] = ()  # ... and these at their positions
    shared: bool = False  # partial, identical cells: the value occurs at least twice

    def merged(self, other: Constraint | None) -> Constraint:
        """Both together, of the same record: what was shown of it in two pairs."""
        if other is None:
            return self
        return Constraint(
            self.code if self.code is not None else other.code,
            self.length if self.length is not None else other.length,
            tuple(sorted({*self.characters, *other.characters})),
            self.shared or other.shared,
        )


@dataclass(frozen=True)
class Value:
    """A cell's value as the gate holds it: text cut into characters, and its code in the column."""

    characters: tuple[str, ...]
    code: int


def constraint(mask: Mask, value: Value, level: Level, cap: Cap, row: int) -> Constraint | None:
    if level == Level.MASKED or mask.missing[row]:
        return None
    if level == Level.FULL and cap == "none":
        return Constraint(code=value.code)
    if level == Level.PARTIAL and mask.kind == "identical":
        return Constraint(shared=True)  # both rows show a check mark: no length is seen
    visible = sorted(shown(mask, level, cap, row))
    characters = tuple((place, value.characters[place]) for place in visible)
    return Constraint(None, len(value.characters), characters, mask.kind == "identical")


def disclosed(mask: Mask, level: Level, cap: Cap, row: int) -> Fraction:
    """p_ij: true characters shown / characters of the value; separators of a date are not characters."""
    total = len(mask.positions(row))
    return Fraction(len(shown(mask, level, cap, row)), total) if total else NOTHING


@dataclass(frozen=True)
class Row:
    """One displayed row: how many records it could be, and the open share of each of its fields."""

    k: int
    p: tuple[Fraction, ...]
    told: int = 1  # the least k of its class: what a preview tells, and what is charged (review/classes.py)

    @cached_property
    def term(self) -> Fraction:
        return self._open / self.k

    @cached_property
    def charge(self) -> Fraction:
        return self._open / self.told

    @cached_property
    def _open(self) -> Fraction:
        return sum((share for share in self.p if share), NOTHING)

    def field_terms(self) -> tuple[Fraction, ...]:
        return tuple(share / self.k for share in self.p)

    def field_charges(self) -> tuple[Fraction, ...]:
        return tuple(share / self.told for share in self.p)


@dataclass(frozen=True)
class Scale:
    """N, D and kappa of a review: turns sums of terms into K."""

    rows: int
    fields: int
    kappa: int = 1

    def risk(self, terms: Fraction) -> Fraction:
        size = self.rows * self.fields
        return self.kappa * terms / size if size else NOTHING

    def of_field(self, terms: Fraction) -> Fraction:
        """The part of one field, on the scale 0 to 1: K is the mean of these over the fields."""
        return self.kappa * terms / self.rows if self.rows else NOTHING

    def of_pair(self, terms: Fraction) -> Fraction:
        """The pair alone, as if it were the whole review."""
        return self.kappa * terms / (2 * self.fields) if self.fields else NOTHING


def kapr(rows: Iterable[Row], kappa: int = 1) -> Fraction:
    """Definition 4.6 over all displayed rows at once."""
    displayed: Sequence[Row] = list(rows)
    fields = len(displayed[0].p) if displayed else 0
    return Scale(len(displayed), fields, kappa).risk(sum((row.term for row in displayed), NOTHING))
