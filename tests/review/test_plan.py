"""The plan of a review: what cannot be meant is refused before anything is made."""

from __future__ import annotations

from fractions import Fraction

import pytest

from pprl_desktop.problem import Problem
from pprl_desktop.review.marks import Level
from pprl_desktop.review.plan import Policy, ReviewField

ONE = (ReviewField("first"), ReviewField("last"))


@pytest.mark.parametrize(
    ("policy", "words"),
    [
        ({"fields": ()}, "at least one field"),
        ({"fields": (ReviewField("a"), ReviewField("a"))}, "usable name"),
        ({"fields": (ReviewField("a\nb"),)}, "usable name"),
        ({"fields": (ReviewField("a", limit=Fraction(2)),)}, "budget for 'a'"),
        ({"reviewer_budget": Fraction(-1)}, "budget for 'reviewer'"),
        ({"review_budget": Fraction(3)}, "budget for 'review'"),
        ({"pair_budget": Fraction(3)}, "budget for 'pair'"),
        ({"kappa": 0}, "smallest crowd"),
        ({"name_swaps": (("first", "shoe"),)}, "no field 'shoe'"),
        ({"order": "field", "order_field": "shoe"}, "no field 'shoe'"),
    ],
)
def test_what_cannot_be_meant_is_refused(policy, words) -> None:
    with pytest.raises(Problem, match=words):
        Policy(**{"fields": ONE, **policy})


def test_a_plan_survives_its_plain_form() -> None:
    made = Policy(
        (ReviewField("first", "fixed", "last4", Fraction(1, 3), True), ReviewField("last")),
        Fraction(1, 7), Fraction(1, 2), Fraction(1, 9), 3, Level.PARTIAL, "digits", (("first", "last"),), False,
        "field", "last",
    )  # fmt: skip
    assert Policy.from_dict(made.as_dict()) == made
