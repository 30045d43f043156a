"""Dependent fields must not count twice: a zip code that agrees takes the town along.

How often two records of one file agree on both fields, against how often they would if the fields were independent, is
the lift; it is measured within each file, where no pair is a match, and divided out of the weight of pairs that agree on
both. A tree of the strongest lifts (Chow and Liu 1968) keeps three dependent fields from being corrected three times.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pprl_desktop.matching.base import Rows
from pprl_desktop.matching.levels import EQUAL, Codes, FieldLevels

LEAST = 1.15  # lifts below this are left alone
SEEN = 12  # pairs of records that must agree on both fields before a lift is believed
SHRINK = 1.0  # expected joint records worth of trust in the average lift

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Edge:
    first: int  # index of the field that carries its full weight
    second: int  # index of the field whose weight is lowered
    lift: float


@dataclass(frozen=True, eq=False)
class _Joint:
    """How often the two fields are equal together in one file."""

    both: float
    expected: float


def edges(fields: Sequence[FieldLevels]) -> tuple[Edge, ...]:
    """The tree of dependent fields, strongest first."""
    found = []
    for first in range(len(fields)):
        for second in range(first + 1, len(fields)):
            lift = _lift(fields[first], fields[second])
            if lift > LEAST:
                found.append(Edge(first, second, lift))
    found.sort(key=lambda edge: (-edge.lift, edge.first, edge.second))
    group = list(range(len(fields)))
    tree = []
    for edge in found:
        a, b = group[edge.first], group[edge.second]
        if a != b:
            tree.append(edge)
            group = [a if one == b else one for one in group]
    return tuple(tree)


def _lift(first: FieldLevels, second: FieldLevels) -> float:
    sides = [_joint(first.own.codes, second.own.codes), _joint(first.partner.codes, second.partner.codes)]
    both, expected = sum(side.both for side in sides), sum(side.expected for side in sides)
    if both < SEEN:
        return 1.0
    return (both + SEEN) / (expected + SEEN)


def _joint(first: Codes, second: Codes) -> _Joint:
    present = (first >= 0) & (second >= 0)
    a, b = first[present].astype(np.int64), second[present].astype(np.int64)
    rows = len(a)
    if rows < 2:
        return _Joint(0.0, 0.0)
    _, joint = np.unique(a * (int(b.max()) + 1) + b, return_counts=True)
    pairs = rows * (rows - 1) / 2
    return _Joint(_pairs(joint), _pairs(np.bincount(a)) * _pairs(np.bincount(b)) / pairs)


def _pairs(counts: npt.NDArray[np.int64]) -> float:
    wide = counts.astype(np.float64)
    return float((wide * (wide - 1) / 2).sum())


def corrections(
    fields: Sequence[FieldLevels], tree: Sequence[Edge], own: Rows, partner: Rows, levels: npt.NDArray[np.uint8]
) -> Floats:
    """[pairs, edges] log of the lift where both fields of the edge are equal, for these very values."""
    made = np.zeros((len(own), len(tree)), dtype=np.float32)
    for place, edge in enumerate(tree):
        agree = np.flatnonzero((levels[:, edge.first] == EQUAL) & (levels[:, edge.second] == EQUAL))
        made[agree, place] = _log_lift(fields[edge.first], fields[edge.second], edge.lift, own[agree])
    return made


def _log_lift(first: FieldLevels, second: FieldLevels, average: float, rows: Rows) -> Floats:
    """The average lift, moved towards what was counted for the two values (a village has one zip code, a city many).

    Counts leave out the two records of the pair itself, which would vouch for each other.
    """
    joint_a, rows_a = _counts(first.own.codes, second.own.codes, rows, first.own.codes, second.own.codes)
    wanted_first, wanted_second = first.equal_to[first.own.codes[rows]], second.equal_to[second.own.codes[rows]]
    joint_b, rows_b = _joint_counts(first.partner.codes, second.partner.codes, wanted_first, wanted_second)
    single = [
        one.own.counts[one.own.codes[rows]] + one.partner.counts[one.equal_to[one.own.codes[rows]]] - 2
        for one in (first, second)
    ]
    seen = np.maximum(joint_a + joint_b - 2, 0)
    expected = average * single[0] * single[1] / max(rows_a + rows_b - 2, 1)
    lift = average * (seen + SHRINK) / (expected + SHRINK)
    return np.log(np.maximum(lift, 1.0)).astype(np.float32)


def _counts(
    first: Codes, second: Codes, rows: Rows, all_first: Codes, all_second: Codes
) -> tuple[npt.NDArray[np.int64], int]:
    return _joint_counts(all_first, all_second, first[rows], second[rows])


def _joint_counts(
    first: Codes, second: Codes, wanted_first: Codes, wanted_second: Codes
) -> tuple[npt.NDArray[np.int64], int]:
    present = (first >= 0) & (second >= 0)
    width = int(second.max(initial=0)) + 1
    key, count = np.unique(first[present].astype(np.int64) * width + second[present], return_counts=True)
    wanted = wanted_first.astype(np.int64) * width + wanted_second
    at = np.minimum(np.searchsorted(key, wanted), max(len(key) - 1, 0))
    hit = key[at] == wanted if len(key) else np.zeros(len(wanted), dtype=np.bool_)
    return np.where(hit, count[at] if len(key) else 0, 0), int(present.sum())
