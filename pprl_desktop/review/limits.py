"""The limits of a review: smallest crowd, and budgets per reviewer, review, pair and field."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from pprl_desktop.problem import Problem
from pprl_desktop.review.plan import Policy
from pprl_desktop.said import Said

CLOSE = 1e-9  # totals nearer than this to a limit are compared as exact fractions


@dataclass(frozen=True)
class FieldUse:
    """A field with a budget of its own: its part of what was charged, and what would be added."""

    name: str
    limit: Fraction
    so_far: Fraction
    more: Fraction


@dataclass(frozen=True)
class Asked:
    """What a reveal would add to what was spent."""

    spent: Fraction  # what was charged so far
    cost: Fraction
    pair: Fraction  # the pair on its own scale, afterwards
    fields: tuple[FieldUse, ...]
    crowd: int  # the smallest crowd it would leave


def refusal(policy: Policy, asked: Asked) -> Problem | None:
    """Why it may not be opened; None if it may. Budgets first: what cannot be paid tells nothing of the crowd."""
    if asked.cost and (problem := _over_budget(policy, asked)) is not None:
        return problem
    if asked.crowd < policy.kappa:
        return Problem(
            Said("This would leave fewer than {kappa} people it could be.", kappa=policy.kappa),
            "The manager set that as the smallest crowd, over all pairs of a record together.",
            "Decide with what is open, or open another cell.",
            place="smallest crowd",
        )
    return None


def _over_budget(policy: Policy, asked: Asked) -> Problem | None:
    if over(asked.spent, asked.cost, policy.reviewer_budget):
        return _too_dear(Said("your privacy budget"), "reviewer budget")
    if over(asked.spent, asked.cost, policy.review_budget):
        return _too_dear(Said("the privacy budget of the review"), "review budget")
    if asked.pair > policy.pair_budget:
        return _too_dear(Said("the privacy budget of this pair"), "pair budget")
    for field in asked.fields:
        if over(field.so_far, field.more, field.limit):
            return _too_dear(Said("the privacy budget of '{name}'", name=field.name), "field budget")
    return None


def _too_dear(whose: Said | str, place: str) -> Problem:
    return Problem(
        Said("This would go over {whose}.", whose=whose),
        "What was opened stays counted.",
        "Decide with what is open, choose 'cannot tell', or ask the manager for a larger budget.",
        place=place,
    )


def over(total: Fraction, cost: Fraction, limit: Fraction) -> bool:
    """Exact where it matters; the fractions of a long review are large numbers."""
    near = float(total) + float(cost) - float(limit)
    return near > 0 if abs(near) > CLOSE else total + cost > limit
