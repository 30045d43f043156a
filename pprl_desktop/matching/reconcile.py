"""What to do where the two sides decided differently: both / either / review (ARCHITECTURE 1, step 8)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from pprl_desktop.codes.directions import Direction, once
from pprl_desktop.problem import Problem
from pprl_desktop.said import Said

ReconcileRule = Literal["both", "either", "review"]
RULES: tuple[ReconcileRule, ...] = get_args(ReconcileRule)
RULE_WORDS: dict[str, Said] = {
    "both": Said("A pair is linked when both sides accept it"),
    "either": Said("A pair is linked when one side accepts it and nothing speaks against it"),
    "review": Said("What only one side accepts goes to the masked review"),
}
DEFAULT_RULE: ReconcileRule = "both"  # nothing is linked that one side would not link

Pairs = npt.NDArray[np.int64]  # [n, 2]: own row, partner's row


@dataclass(frozen=True, eq=False)
class Reconciled:
    """Pairs as [own row, partner row]. `linked` and `open` follow from the agreed rule."""

    both: Pairs
    only_mine: Pairs
    only_theirs: Pairs
    linked: Pairs
    open: Pairs  # left for review


def as_pairs(own: npt.ArrayLike, partner: npt.ArrayLike) -> Pairs:
    return np.stack([np.asarray(own, np.int64), np.asarray(partner, np.int64)], axis=1).reshape(-1, 2)


def reconcile(
    mine: Pairs, theirs: Pairs, rule: ReconcileRule = DEFAULT_RULE, *, direction: Direction = "one-to-one"
) -> Reconciled:
    """`theirs` already turned round to [own row, partner row]; `direction` is the one from own to partner."""
    if rule not in RULES:
        raise Problem(
            Said("'{rule}' is not a rule.", rule=rule),
            Said("The rules are: {rules}.", rules=", ".join(RULES)),
            place="rule",
        )
    width = 1 + max((int(pairs[:, 1].max()) for pairs in (mine, theirs) if len(pairs)), default=0)
    a, b = np.unique(mine[:, 0] * width + mine[:, 1]), np.unique(theirs[:, 0] * width + theirs[:, 1])
    shared = np.intersect1d(a, b, assume_unique=True)
    split = (_split(keys, width) for keys in (shared, np.setdiff1d(a, shared), np.setdiff1d(b, shared)))
    both, only_mine, only_theirs = split
    rest = np.concatenate([only_mine, only_theirs])
    if rule == "both":
        return Reconciled(both, only_mine, only_theirs, both, rest[:0])
    if rule == "review":
        return Reconciled(both, only_mine, only_theirs, both, rest)
    free = _without_conflict(both, rest, once(direction))
    linked = np.concatenate([both, rest[free]])
    return Reconciled(both, only_mine, only_theirs, linked, rest[~free])


def _split(keys: npt.NDArray[np.int64], width: int) -> Pairs:
    return np.stack([keys // width, keys % width], axis=1).reshape(-1, 2)


def _without_conflict(both: Pairs, rest: Pairs, alone: tuple[bool, bool]) -> npt.NDArray[np.bool_]:
    """Of the pairs that one side found, those whose rows are in no other pair where that was agreed."""
    everything = np.concatenate([both, rest])
    free = np.ones(len(rest), bool)
    for side in np.flatnonzero(alone):
        rows, counts = np.unique(everything[:, side], return_counts=True)
        free &= counts[np.searchsorted(rows, rest[:, side])] == 1
    return free
