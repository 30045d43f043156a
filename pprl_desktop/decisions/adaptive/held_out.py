"""The second opinion on recall: pairs found without views against pairs found with them.

What is linked agrees on a view more often than counterparts do, if those who differ on it were not found: whoever has
moved is missing among the linked, and nothing in them shows it. So a view is left out, and of the pairs that all others
make certain, whatever it says, the share that agrees on it is counted: the share m of all counterparts. Those linked
who agree on it are then m of all there are (Lincoln and Petersen: found by the view, found by the rest, found by both).
Two views are left out together as well: who differs on both was never met, so nothing has joined street and town.

Counterparts who differ on more, and those who differ on nothing but are too common, are in no count: what is found here
is the least that is missing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from pprl_desktop.compute.intervals import Z_95, wilson
from pprl_desktop.decisions.adaptive.opinion import Opinion, Strangers, ViewedPairs, ranked
from pprl_desktop.decisions.adaptive.tuning import Tuning
from pprl_desktop.decisions.base import Numbers

Labels = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Held:
    """How many counterparts there are for each one believed, by pairs found without these views."""

    views: tuple[int, ...]
    times: float
    low: float
    high: float
    out_of: int  # people whom the others make certain


@dataclass(frozen=True, eq=False)
class Linked:
    """Pairs with who they are and what is believed of them."""

    people: tuple[Labels, Labels]  # [pairs] own, partner's
    total: Numbers  # [pairs] log odds before the competition
    probability: Numbers  # [pairs]


def held_out(
    seen: ViewedPairs,
    opinion: Opinion,
    pairs: Linked,
    bar: float,
    strangers: Sequence[Strangers],
    times: float,
    tuning: Tuning,
) -> Held | None:
    """Of one view and of two at a time, those that surely miss most; None where too few are certain without any.

    bar         log odds below which pairs were not kept
    strangers   within the files; `times`: pairs between the files for each pair within them
    """
    possible = _not_beaten(pairs)
    asked = [one.view for one in opinion.asked]
    left_out = [*((one,) for one in asked), *combinations(asked, 2)]
    seen = _together(seen, left_out)
    strangers = [replace(file, seen=_together(file.seen, left_out)) for file in strangers]
    # the one that misses most has the word: each must hold as surely as all of them together
    z = NormalDist().inv_cdf(1.0 - (1.0 - NormalDist().cdf(Z_95)) / max(len(left_out), 1))
    made = []
    for view, views in enumerate(left_out):
        rest, fair = ranked(seen, view, pairs.total, bar)
        at = np.flatnonzero(fair & possible & (rest >= tuning.certain))
        at, wrong = _certain(seen, view, rest, at, strangers, times, tuning)
        label = np.unique(pairs.people[0][at] * (int(pairs.people[1].max(initial=0)) + 1) + pairs.people[1][at])
        if len(label) < tuning.held_out_least:
            continue
        agree = float(seen.agrees[at, view].sum()) - wrong * float(seen.u[at, view].mean())
        m = float(np.clip(agree / max(len(at) - wrong, 1.0), 1e-3, 1.0))
        known = seen.known[:, view]
        believed = float(pairs.probability[known].sum())
        alike = float(pairs.probability[known & seen.agrees[:, view]].sum()) / max(believed, 1e-9)
        low, high = wilson(m, len(label), z)
        likely, least, most = (max(alike / max(share, 1e-3), 1.0) for share in (m, high, low))
        made.append(Held(views, likely, least, most, len(label)))
    return max(made, key=lambda one: (one.low, one.out_of), default=None)


def _together(seen: ViewedPairs, left_out: Sequence[tuple[int, ...]]) -> ViewedPairs:
    """A column for each of `left_out`: its views agree where one of them does."""
    shape = (len(seen.weights), len(left_out))
    weights, strange = np.zeros(shape), np.ones(shape)
    agrees, known = (np.zeros(shape, dtype=np.bool_) for _ in range(2))
    for place, views in enumerate(left_out):
        for view in views:
            here = seen.known[:, view]
            weights[:, place] += seen.weights[:, view]
            strange[:, place] *= np.where(here, 1.0 - seen.u[:, view], 1.0)
            agrees[:, place] |= here & seen.agrees[:, view]
            known[:, place] |= here
        if len(views) == 2 and seen.between is not None:
            weights[:, place] += seen.between(*views)
    return ViewedPairs(weights, agrees, 1.0 - strange, known, np.zeros(len(left_out), dtype=np.bool_))


def _not_beaten(pairs: Linked) -> npt.NDArray[np.bool_]:
    """[pairs] whether neither of the two people is believed to be somebody else."""
    own, partner = pairs.people
    wide = int(partner.max(initial=0)) + 1
    both = own * wide + partner
    believed = pairs.probability >= 0.5
    taken = np.isin(own, own[believed]) | np.isin(partner, partner[believed])
    return np.asarray(~taken | np.isin(both, both[believed]))


def _certain(
    seen: ViewedPairs,
    view: int,
    rest: Numbers,
    at: Labels,
    strangers: Sequence[Strangers],
    times: float,
    tuning: Tuning,
) -> tuple[Labels, float]:
    """The pairs from the rank upwards at which strangers are few among them, and how many strangers those are."""
    if not len(at):
        return at, 0.0
    ranks, weights = [np.zeros(0)], [np.zeros(0)]
    for file in strangers:
        other, fair = ranked(file.seen, view, file.total, -np.inf)
        here = fair & (other >= tuning.certain)
        ranks.append(other[here])
        weights.append(file.weight[here])
    rank, weight = np.concatenate(ranks), np.concatenate(weights) * times
    order = np.argsort(-rest[at], kind="stable")
    at = at[order]
    by = np.argsort(-rank, kind="stable")
    upto = np.concatenate([[0.0], np.cumsum(weight[by])])
    wrong = upto[np.searchsorted(-rank[by], -rest[at], side="right")]
    few = np.flatnonzero(wrong <= tuning.held_out_wrong * np.arange(1, len(at) + 1))
    last = int(few[-1]) + 1 if len(few) else 0
    return at[:last], float(wrong[last - 1]) if last else 0.0
