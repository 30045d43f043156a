"""Previews are free, so they may tell nothing worth having: the attack of someone who knows how often names occur.

At a budget of 0 nothing can be opened. Whoever knows the counts works out what the preview of every name would look
like, and reads a name where only one fits what is shown.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from pprl_desktop.problem import Problem
from pprl_desktop.review.classes import FEWEST, bounds_of, told
from pprl_desktop.review.fitting import Fitting
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


def slipped(name: str, draw: np.random.Generator) -> str:
    """As people mistype it: a letter replaced, left out, doubled, or two changed places."""
    at = int(draw.integers(len(name) - 1))
    other = str(draw.choice(list("AEIOSTRN")))
    return [
        name[:at] + other + name[at + 1 :], name[:at] + name[at + 1 :], name[: at + 1] + name[at:],
        name[:at] + name[at + 1] + name[at] + name[at + 2 :],
    ][int(draw.integers(4))]  # fmt: skip


@pytest.mark.parametrize(("seed", "kappa"), [(1, 1), (2, 3)])
def test_at_a_budget_of_nothing_no_name_with_a_slip_is_read_from_the_crowd(seed: int, kappa: int) -> None:
    """Whoever knows every value of both files, the slips among them, works out the picture of any two of them."""
    draw = np.random.default_rng(seed)
    people = population(50, seed)
    for at in range(1, len(people), 2):
        first, last, sex = people[at]
        people[at] = (first, slipped(last, draw), sex)
    values = {person[1]: at for at, person in enumerate(people)}  # any record that holds it
    real = [(at, at + 1) for at in range(0, len(people), 2) if people[at][1] != people[at + 1][1]]
    close = [(a, b) for x, a in values.items() for y, b in values.items() if x != y and abs(len(x) - len(y)) < 2]
    fields = (ReviewField("first_name"), ReviewField("last_name"), ReviewField("sex", "category"))
    review = make_review(people, [*real, *close], fields=fields, reviewer_budget=Fraction(0), kappa=kappa)
    gate = Gate(review, Memory(), "anna")  # type: ignore[arg-type]
    by_mask: dict[str, set[str]] = defaultdict(set)
    by_all: dict[object, set[str]] = defaultdict(set)
    for pair, (a, _) in enumerate([*real, *close]):
        by_mask[str(gate.cells(pair)[1].drawing)].add(people[a][1])
        by_all[shown(gate, pair, 1)].add(people[a][1])
    for pair in range(len(real)):
        alone = len(by_mask[str(gate.cells(pair)[1].drawing)])
        assert len(by_all[shown(gate, pair, 1)]) >= min(alone, FEWEST // 2)  # exact: no class of so few


def test_a_review_counted_by_the_classes_of_its_fields_goes_on(make_gate, monkeypatch: pytest.MonkeyPatch) -> None:
    """As the second version charged it. What it opened and decided stays; from here on today's rule counts."""
    draw = np.random.default_rng(5)
    people = population(400, 5)
    for at in range(1, len(people), 2):
        first, last, sex = people[at]
        people[at] = (first, slipped(last, draw), sex)
    fields = (ReviewField("first_name"), ReviewField("last_name"), ReviewField("sex", "category"))
    review = make_review(people, [(at, at + 1) for at in range(0, 400, 2)], fields=fields)
    with monkeypatch.context() as then:
        then.setattr(Fitting, "bounds", lambda self, field, *_: self.every[field])
        old = make_gate(review)
        for pair in range(30):
            if old.cells(pair)[1].kind != "identical":
                old.reveal(pair, 1)
        ledger = old._ledger
        ledger.append({"what": "decide", "who": "anna", "pair": review.pairs[0].id, "point": "6"})
    gate = Gate(review, ledger, "anna")
    assert [gate.levels(pair) for pair in range(30)] == [old.levels(pair) for pair in range(30)]
    assert gate.risk == old.risk
    assert gate.charged not in (old.charged, gate.risk)  # otherwise this shows nothing
    gate.reveal(30, 1)
    assert Gate(review, ledger, "anna").charged == gate.charged
    others = [(first, last + "X", sex) for first, last, sex in people]
    with pytest.raises(Problem, match="does not belong"):
        Gate(replace(review, people=make_review(others, [(0, 1)], fields=fields).people), ledger, "anna")


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
