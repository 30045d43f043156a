"""A small review over the built-in sample, for tests of the panel."""

from __future__ import annotations

import csv
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from pprl_desktop import resources
from pprl_desktop.records.table import Column
from pprl_desktop.review.ledger import Ledger
from pprl_desktop.review.plan import Pair, People, Policy, Review, ReviewField
from pprl_desktop.review.session import ReviewSession

OURS = ("last_name", "first_name", "middle_name", "birth_date", "sex", "city")
TYPES = ("variable", "variable", "variable", "date", "category", "variable")
KEY = b"t" * 32


def _rows(name: str) -> list[dict[str, str]]:
    with resources.find("samples", name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _column(name: str, cells: list[str]) -> Column:
    filled = Column.of(name, [cell for cell in cells if cell])
    code = {value: i for i, value in enumerate(filled.values)}
    return Column(name, filled.values, np.array([code[c] if c else -1 for c in cells], dtype=np.int32))


def sample_review(pairs: int = 24, **policy: Any) -> Review:
    """Hospital A against slightly wrong copies of itself."""
    rows = [[row[name].upper() for name in OURS] for row in _rows("hospital_a.csv")][:400]
    copies = []
    for i in range(pairs):
        values = list(rows[i * 3])
        last, first, date = values[0], values[1], values[3]
        kind = i % 6
        if kind == 0 and len(last) > 4:
            values[0] = last[:2] + last[3] + last[2] + last[4:]
        elif kind == 1:
            values[1] = first[:-1]
        elif kind == 2:
            values[3] = f"{date[:5]}{date[8:]}-{date[5:7]}"
        elif kind == 3:
            values[0], values[1] = first, last
        elif kind == 4:
            values[0], values[5] = rows[i * 3 + 1][0], rows[i * 3 + 2][5]
        else:
            values[2], values[0] = "", last.replace("E", "A", 1)
        copies.append(values)
    table = rows + copies
    columns = tuple(_column(name, [row[j] for row in table]) for j, name in enumerate(OURS))
    side = np.array([0] * len(rows) + [1] * len(copies), dtype=np.int8)
    people = People(columns, side, np.arange(len(table), dtype=np.int64))
    fields = tuple(
        ReviewField(name, kind, frequency=name in ("last_name", "first_name"))  # type: ignore[arg-type]
        for name, kind in zip(OURS, TYPES, strict=True)
    )
    made = tuple(Pair(f"{i + 1:x}", i * 3, len(rows) + i, 0.5 + i / 60) for i in range(pairs))
    policy.setdefault("reviewer_budget", Fraction(3, 10))
    return Review("r1", "sample", Policy(fields, name_swaps=(("first_name", "last_name"),), **policy), people, made)


def open_session(folder: Path, review: Review | None = None) -> ReviewSession:
    review = review or sample_review()
    folder.mkdir(parents=True, exist_ok=True)
    ledger = Ledger.create(folder / "ledger.db", KEY, review.fingerprint(), "anna")
    return ReviewSession(review, ledger, "anna", bytes, bytes)
