"""Previews are free, so they may tell nothing worth having: the attack of someone who knows how often names occur.

At a budget of 0 nothing can be opened. Whoever knows the counts works out what the preview of every name would look
like, and reads a name where only one fits what is shown.
"""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction

import numpy as np
import pytest

from pprl_desktop.review.classes import FEWEST, bounds_of, told
from pprl_desktop.review.gate import Gate
from pprl_desktop.review.plan import ReviewField
from tests.review.people import make_review
from tests.review.test_gate import Memory

ONSETS, ENDS = "B D F G H K L M N P R S T V W".split(), "AL EN IK OS UR AN ER IN OT UM".split()
NAMES = [first + middle.lower().upper() + end for first in ONSETS for middle in ("A", "E", "I", "O") for end in ENDS]
FIRST = [first + end for first in ONSETS for end in ENDS]


def population(rows: int, seed: int) -> list[tuple[str, str, str]]:
    """Invented people, twice each as two files hold them; names follow the law of real ones: few often, many seldom."""
    draw = np.random.default_rng(seed)

    def names(listed: list[str], size: int) -> list[str]:
        weights = 1 / np.arange(1, len(listed) + 1)
        return list(draw.choice(listed, size, p=weights / weights.sum()))

    people = zip(names(FIRST, rows), names(NAMES, rows), draw.choice(["F", "M"], rows), strict=True)
    return [person for person in people for _ in range(2)]


def shown(gate: Gate, pair: int, field: int) -> tuple[object, ...]:
    """Everything about a cell that is seen without paying."""
    preview, cell = gate.previews(pair)[field], gate.cells(pair)[field]
    assert preview is not None
    place = preview.refusal.place if preview.refusal else ""
    return preview.cost, preview.k, preview.characters, preview.shows, place, str(cell.drawing), cell.spoken


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_at_a_budget_of_nothing_no_name_is_read_from_the_crowd(seed: int) -> None:
    people = population(1500, seed)
    fields = (ReviewField("first_name"), ReviewField("last_name"), ReviewField("sex", "category"))
    pairs = [(at, at + 1) for at in range(0, len(people), 2)]
    review = make_review(people, pairs, fields=fields, reviewer_budget=Fraction(0))
    gate = Gate(review, Memory(), "anna")  # type: ignore[arg-type]
    for field in (0, 1):
        fitting: dict[object, set[str]] = defaultdict(set)
        for pair, (a, _) in enumerate(pairs):
            fitting[shown(gate, pair, field)].add(people[a][field])
        assert min(len(names) for names in fitting.values()) >= FEWEST
    assert gate.charged == gate.risk == 0
    assert gate._ledger.bodies == []  # type: ignore[attr-defined]


def test_a_class_that_few_values_fall_into_is_joined() -> None:
    assert bounds_of(np.array([1] * 50 + [3] * 40 + [10] * 30 + [100] * 20)) == {1, 2, 5, 20}
    assert bounds_of(np.array([1] * 50 + [3] * 40 + [10] * 30 + [100])) == {1, 2, 5}  # the only frequent one
    assert bounds_of(np.array([1] + [3] * 40 + [10] * 30)) == {1, 5, 20}  # the only rare one
    assert bounds_of(np.array([2000, 2100])) == {1, 2, 5, 20}  # all in one class: it tells nothing
    assert bounds_of(np.array([2000, 3])) == {1}


def test_opening_more_never_makes_the_told_crowd_larger() -> None:
    wide, narrow = frozenset({1, 2, 5, 20}), frozenset({1, 5})
    for k in range(1, 60):
        assert told(k, [wide], 1) <= k
        assert told(k, [wide, narrow], 1) <= told(k, [wide], 1)
        assert told(k, [wide], 1) <= told(k + 1, [wide], 1)
    assert told(7, [wide], 6) == 6  # below the floor nothing is opened anyway
