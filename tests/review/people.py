"""Made-up people, and reviews over them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pprl_desktop.records.table import Column
from pprl_desktop.review.plan import Pair, People, Policy, Review, ReviewField

KEY = b"k" * 32
# Table 2 of the paper (invented people)
TABLE2 = (
    ("Mary", "08/09/1964", "Hispanic"),
    ("Mark", "08/09/1964", "Hispanic"),
    ("Mary", "09/08/1964", "Black"),
    ("Mary", "09/08/1964", "Black"),
)
TYPES2 = ("variable", "date", "category")
NAMES2 = ("Name", "DOB", "Race")
ALL_PAIRS2 = ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3))


def missing_aware(name: str, cells: Sequence[str]) -> Column:
    """As cleaning makes it: '' is no value but a missing one."""
    filled = Column.of(name, [cell for cell in cells if cell])
    code = {value: i for i, value in enumerate(filled.values)}
    codes = np.array([code[cell] if cell else -1 for cell in cells], dtype=np.int32)
    return Column(name, filled.values, codes)


def make_review(
    rows: Sequence[Sequence[str]],
    pairs: Sequence[tuple[int, int]],
    types: Sequence[str] = (),
    names: Sequence[str] | None = None,
    fields: Sequence[ReviewField] | None = None,
    scores: Sequence[float] | None = None,
    **policy: Any,
) -> Review:
    names = names or [f"f{i}" for i in range(len(types))]
    chosen = tuple(fields or (ReviewField(n, t) for n, t in zip(names, types, strict=True)))  # type: ignore[arg-type]
    columns = tuple(missing_aware(f.name, [row[j] for row in rows]) for j, f in enumerate(chosen))
    people = People(columns, np.zeros(len(rows), dtype=np.int8), np.arange(len(rows), dtype=np.int64))
    made = tuple(Pair(f"{i + 1:x}", a, b, scores[i] if scores else None) for i, (a, b) in enumerate(pairs))
    policy.setdefault("reviewer_budget", 1)
    return Review("r1", "test", Policy(chosen, **policy), people, made)


def long_review() -> Review:
    """Enough pairs that a kill always meets work under way."""
    rows = [(f"NAME{i % 7}", f"19{i % 90 + 10}-01-{i % 28 + 1:02d}") for i in range(400)]
    return make_review(rows, [(i, i + 1) for i in range(0, 400, 2)], ("variable", "date"))
