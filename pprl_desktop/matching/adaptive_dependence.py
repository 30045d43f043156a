"""Dependent fields must not count twice: a zip code that agrees takes the town along.

How often two records of one file agree on both fields, against how often they would if the fields were independent, is
the lift; it is measured within a file, where no pair is a match, and divided out of the weight of pairs that agree on
both. A tree of the strongest lifts (Chow and Liu 1968) keeps three dependent fields from being corrected three times.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from pprl_desktop.matching.adaptive_null import copies, equal_frequency
from pprl_desktop.matching.base import Numbers, Rows
from pprl_desktop.matching.levels import EQUAL, LEVELS, MISSING, NEAR, QUANTILES, SHIFTED, WORD, Codes, FieldLevels
from pprl_desktop.methods.blocks import interruptible
from pprl_desktop.progress import NO_PROGRESS, Progress

LEAST = 1.15  # lifts below this are left alone
SEEN = 8.0  # pairs of records that must agree on both fields, beyond chance, before a lift is believed
SIGMA = 3.0  # standard deviations of chance
DOUBT = 2.0  # pairs worth of trust in independence
SHRINK = 1.0  # records worth of trust in the average over all values, against the count for these two
RARITY = (0.75, 2.0, 6.0, 20.0, 80.0)  # other holders of a value, per RARITY_ROWS records
RARITY_ROWS = 2000
BINS = len(RARITY) + 1
CLOSE = 1e-2  # near levels rarer than this among strangers count as a kind of agreement

Floats = npt.NDArray[np.float32]
Levels = npt.NDArray[np.uint8]
Flags = npt.NDArray[np.bool_]

# classes of agreement: 0 none, 1 close, 2 equal
OTHER, NEARLY, SAME, CLASSES = 0, 1, 2, 3


def _classes() -> npt.NDArray[np.int64]:
    of = np.zeros(MISSING + 1, dtype=np.int64)
    for place, quantile in enumerate(QUANTILES):
        of[NEAR + place] = NEARLY if quantile <= CLOSE else OTHER
    of[[WORD, SHIFTED]] = NEARLY
    of[EQUAL] = SAME
    return of


CLASS_OF = _classes()


@dataclass(frozen=True, eq=False)
class Edge:
    first: int  # index of the field that carries its full weight
    second: int  # index of the field whose weight is lowered
    lift: Numbers  # [levels, levels], 1 where the fields do not both agree
    overall: float  # of all pairs that agree on both somehow, or are equal in both
    rarity: Numbers  # [bins, bins] lift of joint equality by how rare the two values are


def edges(fields: Sequence[FieldLevels], sampled: Levels, progress: Progress = NO_PROGRESS) -> tuple[Edge, ...]:
    """The tree of dependent fields, strongest first. `sampled` [pairs, fields]: levels of pairs within one file."""
    found = []
    single = (
        ~copies([one.own.codes for one in fields]),  # a copy agrees with its original on everything
        ~copies([one.partner.codes for one in fields]),
    )
    for first in range(len(fields)):
        for second in range(first + 1, len(fields)):
            progress.check()
            lift, rarity = _lifts(sampled[:, first], sampled[:, second]), np.ones((BINS, BINS))
            if fields[first].exact:
                lift[EQUAL, EQUAL], rarity = _exact_lift(fields[first], fields[second], single)
            edge = Edge(first, second, lift, float(lift.max()), rarity)
            if edge.overall > LEAST:
                found.append(edge)
    found.sort(key=lambda edge: (-edge.overall, edge.first, edge.second))
    group = list(range(len(fields)))
    tree = []
    for edge in found:
        a, b = group[edge.first], group[edge.second]
        if a != b:
            tree.append(edge)
            group = [a if one == b else one for one in group]
    return tuple(tree)


def _lifts(first: Levels, second: Levels) -> Numbers:
    """[levels, levels] lift where both fields agree somehow, 1 elsewhere.

    Estimated for the classes of agreement, then moved towards what single levels show: among people of one town a town
    that is spelt almost alike is common, while the same similarity says little elsewhere.
    """
    present = (first < LEVELS) & (second < LEVELS)
    cell = first[present].astype(np.int64) * LEVELS + second[present]
    count = np.bincount(cell, minlength=LEVELS * LEVELS).reshape(LEVELS, LEVELS).astype(np.float64)
    expected = count.sum(axis=1, keepdims=True) * count.sum(axis=0, keepdims=True) / max(count.sum(), 1.0)
    classes = CLASS_OF[:LEVELS]
    into = np.zeros((CLASSES, LEVELS))
    into[classes, np.arange(LEVELS)] = 1.0
    both, chance = into @ count @ into.T, into @ expected @ into.T
    believed = both - chance > SEEN + SIGMA * np.sqrt(chance)
    believed[OTHER, :] = believed[:, OTHER] = False
    coarse = np.where(believed, (both + DOUBT) / (chance + DOUBT), 1.0)[np.ix_(classes, classes)]
    fine = (count + DOUBT) / (expected + DOUBT / coarse)
    return np.where(coarse > 1.0, np.maximum(fine, 1.0), 1.0)


def _exact_lift(first: FieldLevels, second: FieldLevels, rows: tuple[Flags, Flags]) -> tuple[float, Numbers]:
    """Joint equality among all pairs within either file, by counting values: its lift, and its lift by rarity.

    Two who share a rare name and a village are mostly relatives; two who share a common one are mostly not.
    """
    sides = [
        _joint(first.own.codes[rows[0]], second.own.codes[rows[0]]),
        _joint(first.partner.codes[rows[1]], second.partner.codes[rows[1]]),
    ]
    both, expected = sides[0][0] + sides[1][0], sides[0][1] + sides[1][1]
    if both.sum() - expected.sum() <= SEEN + SIGMA * expected.sum() ** 0.5:
        return 1.0, np.ones((BINS, BINS))
    average = float((both.sum() + DOUBT) / (expected.sum() + DOUBT))
    return average, np.asarray((both + DOUBT) / (expected + DOUBT / average))


def _joint(first: Codes, second: Codes) -> tuple[Numbers, Numbers]:
    """[bins, bins] pairs of rows equal in both fields: how many there are, and how many independence would give."""
    present = (first >= 0) & (second >= 0)
    a, b = first[present].astype(np.int64), second[present].astype(np.int64)
    rows = len(a)
    both, expected = np.zeros((BINS, BINS)), np.zeros((BINS, BINS))
    if rows < 2:
        return both, expected
    count_a, count_b = np.bincount(a), np.bincount(b)
    bin_a, bin_b = _bin(count_a - 1, rows), _bin(count_b - 1, rows)
    width = len(count_b)
    key, joint = np.unique(a * width + b, return_counts=True)
    np.add.at(both, (bin_a[key // width], bin_b[key % width]), _pairs(joint))
    by_a = np.bincount(bin_a, weights=_pairs(count_a), minlength=BINS)
    by_b = np.bincount(bin_b, weights=_pairs(count_b), minlength=BINS)
    return both, np.outer(by_a, by_b) / (rows * (rows - 1) / 2)


def _bin(others: npt.NDArray[Any], rows: int) -> npt.NDArray[np.int64]:
    """How common a value is: by the number of other records that hold it, in a file of RARITY_ROWS."""
    return np.digitize(others * (RARITY_ROWS / max(rows, 1)), RARITY)


def _pairs(counts: npt.NDArray[np.int64]) -> Numbers:
    wide = counts.astype(np.float64)
    return np.asarray(wide * (wide - 1) / 2)


def corrections(
    fields: Sequence[FieldLevels], tree: Sequence[Edge], own: Rows, levels: Levels, progress: Progress = NO_PROGRESS
) -> Floats:
    """[pairs, edges] log of the lift of what the two fields of the edge have in common."""
    made = np.zeros((len(own), len(tree)), dtype=np.float32)
    for place, edge in enumerate(tree):
        progress.check()
        a, b = levels[:, edge.first], levels[:, edge.second]
        present = np.flatnonzero((a < LEVELS) & (b < LEVELS))
        made[present, place] = np.log(edge.lift[a[present], b[present]])
        equal = np.flatnonzero((a == EQUAL) & (b == EQUAL))
        if len(equal) and fields[edge.first].exact:
            made[equal, place] = interruptible(
                progress, _log_lift, fields[edge.first], fields[edge.second], edge.rarity, own[equal]
            )
    return made


def _log_lift(first: FieldLevels, second: FieldLevels, rarity: Numbers, rows: Rows) -> Floats:
    """How much likelier than by independence a stranger holds both values of an own record.

    The lift of values as rare as these is the mean of a gamma prior, corrected by how many records do hold both (a
    village has one zip code); the two of the pair itself, which would vouch for each other, are left out.
    """
    a, b = first.own.codes[rows], second.own.codes[rows]
    joint_own, rows_own = _joint_counts(first.own.codes, second.own.codes, a, b)
    joint_partner, rows_partner = _joint_counts(
        first.partner.codes, second.partner.codes, first.equal_to[a], second.equal_to[b]
    )
    seen, records = np.maximum(joint_own + joint_partner - 2.0, 0.0), rows_own + rows_partner
    others = [
        one.own.counts[code] + one.partner.counts[one.equal_to[code]] - 2.0 for one, code in ((first, a), (second, b))
    ]
    average = rarity[_bin(others[0], records), _bin(others[1], records)]
    chance = equal_frequency(first)[a] * equal_frequency(second)[b]
    rate = (seen + SHRINK) / (records + SHRINK / (average * chance))
    return np.asarray(np.log(np.maximum(rate / chance, 1.0)), dtype=np.float32)


def _joint_counts(
    first: Codes, second: Codes, wanted_first: Codes, wanted_second: Codes
) -> tuple[npt.NDArray[np.int64], int]:
    """How many rows hold each wanted combination, and how many hold both fields at all."""
    present = (first >= 0) & (second >= 0)
    width = int(second.max(initial=0)) + 1
    key, count = np.unique(first[present].astype(np.int64) * width + second[present], return_counts=True)
    wanted = wanted_first.astype(np.int64) * width + wanted_second
    if not len(key):
        return np.zeros(len(wanted), np.int64), 0
    at = np.minimum(np.searchsorted(key, wanted), len(key) - 1)
    return np.where(key[at] == wanted, count[at], 0), int(present.sum())
