"""The plan of a review: fields with their caps, budgets, people, pairs. Made by the manager, fixed afterwards."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from pprl_desktop.problem import Problem
from pprl_desktop.records.fields import FieldKind
from pprl_desktop.records.table import Column
from pprl_desktop.review.ledger import SHAPES
from pprl_desktop.review.marks import Cap, CellType, Level
from pprl_desktop.review.masking import DateSwap, Picture
from pprl_desktop.said import Said

Order = Literal["shuffled", "score", "field"]
ORDERS: tuple[Order, ...] = get_args(Order)
CAPS: tuple[Cap, ...] = get_args(Cap)
TYPES: tuple[CellType, ...] = get_args(CellType)

FIELD_NAME = SHAPES["field"]  # field names stand in the ledger
DEFAULT_BUDGET = Fraction(3, 10)  # KAPR of one reviewer
LONGEST_CELL = 1000  # characters: nobody is identified by more, and every one of them is drawn
TYPE_OF_KIND: Mapping[FieldKind, CellType] = {
    "name": "variable", "text": "variable", "date": "date", "id": "fixed", "number": "variable", "category": "category",
}  # fmt: skip


@dataclass(frozen=True)
class ReviewField:
    name: str
    type: CellType = "variable"
    cap: Cap = "none"
    limit: Fraction | None = None  # of the field's own part of KAPR, 0 to 1
    frequency: bool = False  # show how common the value is (unique, rare, common, very common)


@dataclass(frozen=True)
class Policy:
    fields: tuple[ReviewField, ...]
    reviewer_budget: Fraction = DEFAULT_BUDGET
    review_budget: Fraction = Fraction(1)  # of all reviewers together; divided among the shares when assigned
    pair_budget: Fraction = Fraction(1)  # of a pair on its own scale
    kappa: int = 1  # no reveal may leave fewer than this many possible records
    start: Level = Level.MASKED  # every pair starts here; charged when the pair is first shown
    date_swap: DateSwap = "elements"
    name_swaps: tuple[tuple[str, str], ...] = ()  # (first name field, last name field)
    blind: bool = True  # the reviewer does not see the score
    order: Order = "shuffled"
    order_field: str = ""

    def __post_init__(self) -> None:
        for name, budget in (
            ("reviewer", self.reviewer_budget),
            ("review", self.review_budget),
            ("pair", self.pair_budget),
            *((f.name, f.limit) for f in self.fields if f.limit is not None),
        ):
            if not 0 <= budget <= 1:
                raise Problem(
                    Said("The budget for '{name}' is not between 0 and 1.", name=name),
                    "KAPR is 0 when nothing is open and 1 when everyone is identified.",
                    "Give a share such as 0.3.",
                    place=name,
                )
        if self.kappa < 1:
            raise Problem("The smallest crowd must be at least 1.", do="Give 1 or more.", place="kappa")
        if not self.fields:
            raise Problem("A review needs at least one field to show.", do="Choose fields.", place="fields")
        names = [field.name for field in self.fields]
        for name in names:
            if not FIELD_NAME.fullmatch(name) or names.count(name) > 1:
                raise Problem(
                    "A field has no usable name.",
                    "Names are one line of at most 200 characters, and no two are the same.",
                    "Rename the column.",
                    place="fields",
                )
        for pair in self.name_swaps:
            for name in pair:
                self.number(name)
        if self.order == "field":
            self.number(self.order_field)

    def number(self, name: str) -> int:
        for i, each in enumerate(self.fields):
            if each.name == name:
                return i
        shown = ", ".join(f.name for f in self.fields)
        raise Problem(
            Said("The review has no field '{name}'.", name=name),
            Said("It shows: {shown}.", shown=shown),
            "Choose one of these.",
            place=name,
        )

    def picture(self) -> Picture:
        return Picture(self.date_swap, tuple((self.number(a), self.number(b)) for a, b in self.name_swaps))

    def as_dict(self) -> dict[str, Any]:
        return {
            "fields": [
                {
                    "name": f.name, "type": f.type, "cap": f.cap,
                    "limit": None if f.limit is None else str(f.limit), "frequency": f.frequency,
                }
                for f in self.fields
            ],
            "reviewer_budget": str(self.reviewer_budget),
            "review_budget": str(self.review_budget),
            "pair_budget": str(self.pair_budget),
            "kappa": self.kappa,
            "start": self.start.word,
            "date_swap": self.date_swap,
            "name_swaps": [list(pair) for pair in self.name_swaps],
            "blind": self.blind,
            "order": self.order,
            "order_field": self.order_field,
        }  # fmt: skip

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Policy:
        values = dict(plain)
        values["fields"] = tuple(
            ReviewField(
                f["name"], f["type"], f["cap"], None if f["limit"] is None else Fraction(f["limit"]), f["frequency"]
            )
            for f in plain["fields"]
        )
        for name in ("reviewer_budget", "review_budget", "pair_budget"):
            values[name] = Fraction(plain[name])
        values["start"] = Level[str(plain["start"]).upper()]
        values["name_swaps"] = tuple((a, b) for a, b in plain["name_swaps"])
        return cls(**values)


@dataclass(frozen=True, eq=False)
class People:
    """The identifying fields of all records at hand, both sides under one coding. Sensitive columns never enter."""

    columns: tuple[Column, ...] = field(repr=False)  # one per field of the policy
    side: npt.NDArray[np.int8]  # 0: ours (or the first table), 1: theirs
    source: npt.NDArray[np.int64]  # row in the table the record came from
    counts: tuple[Mapping[str, int], ...] = field(default=(), repr=False)  # imported frequencies per field, by value

    def __post_init__(self) -> None:
        for column in self.columns:
            if max(map(len, column.values), default=0) > LONGEST_CELL:
                raise Problem(
                    Said("A cell of '{field}' is too long for a review.", field=column.name),
                    Said("At most {most} characters of a cell can be shown.", most=LONGEST_CELL),
                    "Look whether the file has a quote that is never closed; or leave the field out.",
                    place=column.name,
                )

    def __len__(self) -> int:
        return len(self.side)

    def value(self, field_number: int, record: int) -> str:
        return self.columns[field_number].cell(record)


@dataclass(frozen=True)
class Pair:
    id: str  # random: says nothing about the records
    a: int  # record numbers in People
    b: int
    score: float | None = None
    band: str = "review"


@dataclass(frozen=True)
class Stratum:
    """A band of scores and how many pairs of the match lie in it; the reviewed ones are a sample of them."""

    name: str
    low: float
    high: float
    population: int
    accepted: bool  # the match links the pairs of this stratum


@dataclass(frozen=True, eq=False)
class Review:
    id: str
    title: str
    policy: Policy
    people: People
    pairs: tuple[Pair, ...]
    strata: tuple[Stratum, ...] = ()
    settled: tuple[tuple[int, int], ...] = ()  # record pairs accepted without review
    own_crowd: bool = True  # False: k counts only the rows of a partner's review bundle, which overstates the risk

    def pair_number(self, pair_id: str) -> int:
        for i, pair in enumerate(self.pairs):
            if pair.id == pair_id:
                return i
        raise Problem(
            Said("There is no pair '{pair_id}' in this review.", pair_id=pair_id),
            do="'review next' names the next one.",
            place=pair_id,
        )

    def fingerprint(self) -> str:
        """Ties a ledger to the plan it was kept under."""
        plain = {"id": self.id, "policy": self.policy.as_dict(), "pairs": [pair.id for pair in self.pairs]}
        return hashlib.sha256(json.dumps(plain, sort_keys=True).encode()).hexdigest()
