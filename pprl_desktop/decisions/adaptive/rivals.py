"""Strangers between the files: whoever else resembles a record whose counterpart is certain.

A person has one counterpart at most. So the other candidates of a record that has found its own are strangers, and of
exactly the dangerous kind: the family, the twin, the namesake. Pairs within a file show the same people, but not those
whom they took for one person held twice, and in a large file only a sample of its records is compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pprl_desktop.decisions.adaptive.check import Strangers
from pprl_desktop.decisions.adaptive.learning import Files, Pairs
from pprl_desktop.decisions.adaptive.repeats import Labels
from pprl_desktop.decisions.base import Numbers


@dataclass(frozen=True, eq=False)
class Rivals:
    weight: Numbers  # [pairs] how often the pair was met as one of strangers: from neither side, from one, from both
    share: float  # of all pairs between the files that were looked at for it, of both sides together
    left: float  # share of all pairs of which neither record has a certain counterpart

    @property
    def explained(self) -> Numbers:
        """[pairs] whether somebody else is the counterpart of either record, for certain."""
        return np.minimum(self.weight, 1.0)


def nobody_met(pairs: int) -> Rivals:
    """Where many are held twice, copies that were not found would look like rivals: none is counted."""
    return Rivals(np.zeros(pairs), 0.0, 1.0)


def rivals(files: Files, pairs: Pairs, log_odds: Numbers, near: Sequence[Strangers]) -> Rivals:
    """`log_odds` of the pairs before they compete; who may be held twice after all is no stranger."""
    people = files.people[0][pairs.own], files.people[1][pairs.partner]
    certain = np.flatnonzero(log_odds >= files.tuning.certain)
    certain = certain[np.argsort(log_odds[certain], kind="stable")]
    weight, share, left = np.zeros(len(log_odds)), 0.0, 1.0
    for side in (0, 1):
        mine, theirs = people[side], people[1 - side]
        best = np.full(len(files.people[side]), -1, dtype=np.int64)
        best[mine[certain]] = theirs[certain]  # the most certain one is written last
        at = np.flatnonzero((best[mine] >= 0) & (best[mine] != theirs))
        weight[at] += 1.0 - _same(files, near, 1 - side, best[mine[at]], theirs[at])
        found = float((best >= 0).sum()) / len(np.unique(files.people[side]))
        share, left = share + found, left * max(1.0 - found, files.tuning.free)
    return Rivals(weight, share, left)


def _same(files: Files, near: Sequence[Strangers], side: int, one: Labels, other: Labels) -> Numbers:
    """The probability that two people of a file are one, as found within it; 0 where they are clearly not."""
    same = np.zeros(len(one))
    if side >= len(near) or not len(near[side].own):
        return same
    rows = files.within.files[side].rows
    place = np.full(len(files.people[side]), -1, dtype=np.int64)
    place[rows] = np.arange(len(rows))
    low, high = np.minimum(place[one], place[other]), np.maximum(place[one], place[other])
    keys = near[side].own.astype(np.int64) * len(rows) + near[side].partner
    order = np.argsort(keys)
    wanted = low * len(rows) + high
    found = order[np.minimum(np.searchsorted(keys, wanted, sorter=order), len(keys) - 1)]
    known = (low >= 0) & (keys[found] == wanted)
    same[known] = near[side].same[found[known]]
    return same
