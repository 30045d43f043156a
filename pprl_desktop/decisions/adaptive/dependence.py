"""Dependent fields must not count twice: a zip code that agrees takes the town along.

How often two records of one file agree on both fields, against how often they would if the fields were independent, is
the lift; it is measured within a file, where no pair is a match, and divided out of the weight of pairs that agree on
both. A tree of the strongest lifts (Chow and Liu 1968) keeps three dependent fields from being corrected three times.
The tree is drawn over the fields that agree: a slip in the zip code does not make street and town independent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from pprl_desktop.compute.threads import interruptible
from pprl_desktop.decisions.adaptive.levels import (
    EQUAL,
    LEVELS,
    MISSING,
    NEAR,
    SHIFTED,
    WORD,
    Codes,
    FieldLevels,
    View,
)
from pprl_desktop.decisions.adaptive.patterns import Patterns
from pprl_desktop.decisions.adaptive.strangers import People, copies, equal_frequency, shares
from pprl_desktop.decisions.adaptive.tuning import Tuning
from pprl_desktop.decisions.base import Numbers, Rows
from pprl_desktop.progress import NO_PROGRESS, Progress

AT_ONCE = 1 << 17  # pairs whose trees are drawn in one go
RARITY_ROWS = 2000  # records to which the rarity of a value is scaled

Floats = npt.NDArray[np.float32]
Levels = npt.NDArray[np.uint8]
Flags = npt.NDArray[np.bool_]

# classes of agreement: 0 none, 1 close, 2 equal
OTHER, NEARLY, SAME, CLASSES = 0, 1, 2, 3
_ALMOST = (np.arange(LEVELS) >= NEAR) & (np.arange(LEVELS) <= EQUAL)  # equal, or nearly: levels a slip leads to


@lru_cache(maxsize=8)
def classes(tuning: Tuning) -> npt.NDArray[np.int8]:
    """[levels] OTHER, NEARLY or SAME."""
    of = np.zeros(MISSING + 1, dtype=np.int8)
    for place, quantile in enumerate(tuning.quantiles):
        of[NEAR + place] = NEARLY if quantile <= tuning.close else OTHER
    of[[WORD, SHIFTED]] = NEARLY
    of[EQUAL] = SAME
    return of


@dataclass(frozen=True, eq=False)
class Edge:
    first: int  # index of a field
    second: int  # of the other
    lift: Numbers  # [levels, levels], 1 where the fields do not both agree
    overall: float  # of all pairs that agree on both somehow, or are equal in both
    rarity: Numbers  # [bins, bins] lift of joint equality by how rare the two values are
    together: Numbers  # [bins, bins] share of strangers equal in both beyond chance: how many belong together
    counted: bool  # whether records that hold both values can be seen, and are strangers
    copies: float = 0.0  # further records of a person that hold both values too and were not found, per record


def edges(
    fields: Sequence[FieldLevels],
    sampled: Patterns,
    one_to_one: bool,
    m: Numbers,
    tuning: Tuning,
    progress: Progress = NO_PROGRESS,
    repeated: float = 0.0,
) -> tuple[Edge, ...]:
    """Pairs of dependent fields, strongest first. `sampled`: how pairs within one file look.

    Pairs that may be one person are left out. Where a person may have many records, some of them differ so much that
    they stay: they make any two fields equal together as often as one person's records are (`m` [fields, levels]), so
    what can be explained by that is no dependence of the two. `repeated`: pairs of one person's records that were found
    and left out before, per pair that is left; those that were not found are few beside them.
    """
    found, bins, equal = [], len(tuning.rarity) + 1, m[:, EQUAL]
    doubtful = (likely_copies if one_to_one else next_to_nothing)(sampled.levels, tuning)
    doubtful |= named_alike(fields, sampled.levels, tuning)
    pairs, same, sampled = sampled.pairs, sampled.some(doubtful), sampled.some(~doubtful)
    single = (
        interruptible(progress, _single, [one.own for one in fields], tuning),
        interruptible(progress, _single, [one.partner for one in fields], tuning),
    )
    repeats = _repeats(sampled, equal, tuning, progress, False) if repeated or not one_to_one else 0.0
    if one_to_one and repeats > tuning.copies_missed * repeated:  # so many are no copies that were missed: families
        repeats = min(_repeats(sampled, equal, tuning, progress, True), tuning.copies_missed * repeated)
    records = max(sum(int(one.sum()) for one in single) / 2, 1.0)
    for first in range(len(fields)):
        for second in range(first + 1, len(fields)):
            progress.check()
            count = _together(sampled, first, second)
            if one_to_one and repeats:
                count = _without_copies(count, tuning.lift_allowed * repeats, (m[first], m[second]))
            lift, rarity = _lifts(count, tuning), np.ones((bins, bins))
            copied = tuning.lift_allowed * repeats * float(equal[first] * equal[second])
            if fields[first].exact and one_to_one:
                lift[EQUAL, EQUAL], rarity, together = _exact_lift(
                    fields[first],
                    fields[second],
                    single,
                    _equal_in_both(same, first, second) / max(pairs, 1) + copied,
                    tuning,
                )
            else:
                excess, doubt = _excess(count, tuning)
                kept = max(1.0 - copied / excess, 0.0) if excess > doubt else 0.0
                lift, together = 1.0 + (lift - 1.0) * (kept if repeats else 1.0), np.full((bins, bins), kept * excess)
            counted = fields[first].exact and one_to_one
            overall = float(lift.max())
            lift = _with_slips(lift, count, (m[first], m[second]), tuning)
            edge = Edge(first, second, lift, overall, rarity, together, counted, copied * records)
            if edge.overall > tuning.least_lift:
                found.append(edge)
    found.sort(key=lambda edge: (-edge.overall, edge.first, edge.second))
    return tuple(found[: tuning.most_edges])


def _single(views: Sequence[View], tuning: Tuning) -> Flags:
    """The rows that stand for a person: a copy agrees with its original."""
    if views[0].once is not None:
        return views[0].once
    return ~copies([one.codes for one in views], tuning.copy_fields)


def _compared(levels: Levels, tuning: Tuning) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint8]]:
    """Per pair: the fields present on both sides, and those of them that differ."""
    of = classes(tuning)
    present, differ = (np.zeros(len(levels), dtype=np.uint8) for _ in range(2))
    for f in range(levels.shape[1]):
        level = levels[:, f]
        present += level < LEVELS
        differ += (level < LEVELS) & (of[level] == OTHER)
    return present, differ


def likely_copies(levels: Levels, tuning: Tuning) -> Flags:
    """Pairs of records that differ in no field, with enough fields present to rule out mere namesakes.

    In a file said to hold nobody twice they are forgotten duplicates rather than strangers.
    """
    present, differ = _compared(levels, tuning)
    return np.asarray((present >= tuning.copy_fields) & (differ == 0))


def next_to_nothing(levels: Levels, tuning: Tuning) -> Flags:
    """Pairs that differ in one field at most, or a quarter of them: where people come often, one of them."""
    present, differ = _compared(levels, tuning)
    return np.asarray(differ <= np.maximum(1, present // 4))


def named_alike(fields: Sequence[FieldLevels], levels: Levels, tuning: Tuning) -> Flags:
    """Pairs of one day of birth whose names all agree: one person, whatever else has changed.

    Left among strangers, those who moved would make name, date of birth and telephone look like one field. Twins have
    different first names.
    """
    of, kinds = classes(tuning), [one.comparison.kind for one in fields]
    born, differ = np.zeros(len(levels), dtype=np.bool_), np.zeros(len(levels), dtype=np.bool_)
    names = np.zeros(len(levels), dtype=np.uint8)
    for f, kind in enumerate(kinds):
        level = levels[:, f]
        if kind == "date":
            born |= level == EQUAL
        elif kind == "name":
            names += level < LEVELS
            differ |= (level < LEVELS) & (of[level] == OTHER)
    return np.asarray(born & ~differ & (names >= 2))


def _equal_in_both(some: Patterns, first: int, second: int) -> float:
    both = (some.levels[:, first] == EQUAL) & (some.levels[:, second] == EQUAL)
    return float(some.count[both].sum())


def _together(some: Patterns, first: int, second: int) -> Numbers:
    """[levels, levels] how many pairs have these levels in two fields that both have."""
    codes = MISSING + 1
    cell = some.levels[:, first].astype(np.intp) * codes + some.levels[:, second]
    count = np.asarray(np.bincount(cell, some.count, codes * codes), dtype=np.float64)
    return count.reshape(codes, codes)[:LEVELS, :LEVELS]


def _excess(count: Numbers, tuning: Tuning) -> tuple[float, float]:
    """Share of these pairs that are equal in both fields beyond chance, and how much of that may be luck."""
    pairs = max(float(count.sum()), 1.0)
    chance = float(count[EQUAL].sum()) * float(count[:, EQUAL].sum()) / pairs
    luck = tuning.lift_seen + tuning.lift_sigma * chance**0.5
    return (float(count[EQUAL, EQUAL]) - chance) / pairs, luck / pairs


def _repeats(sampled: Patterns, equal: Numbers, tuning: Tuning, progress: Progress, every_field: bool) -> float:
    """The share of one person's records among these pairs that would explain the excess of most pairs of fields.

    `every_field`: of most pairs of each field. A family shares name, street and telephone, but not the first name.
    """
    fields = sampled.levels.shape[1]
    found = np.full((fields, fields), np.nan)
    for first in range(fields):
        for second in range(first + 1, fields):
            progress.check()
            both = max(float(equal[first] * equal[second]), 1e-6)
            excess = _excess(_together(sampled, first, second), tuning)[0] / both
            found[first, second] = found[second, first] = excess
    if fields < 3:
        return 0.0
    usual = np.nanquantile(found, tuning.usually_independent, axis=1 if every_field else None)
    return max(float(np.min(usual)), 0.0)


def _without_copies(count: Numbers, copies: float, m: tuple[Numbers, Numbers]) -> Numbers:
    """Without the pairs of one person that are expected, `copies` of all, as far as they are more than chance gives."""
    pairs = max(float(count.sum()), 1.0)
    chance = count.sum(axis=1, keepdims=True) * count.sum(axis=0, keepdims=True) / pairs
    return np.asarray(np.maximum(count - copies * pairs * np.outer(*m), np.minimum(count, chance)))


def tree(found: Sequence[Edge]) -> tuple[Edge, ...]:
    """The edges that are left when all fields agree."""
    charged = _charged(np.full(len(found), SAME, dtype=np.uint8), found)
    return tuple(edge for edge, field in zip(found, charged, strict=True) if field >= 0)


def _charged(agree: Levels, found: Sequence[Edge]) -> npt.NDArray[np.int8]:
    """The field that each edge takes its lift from, -1 where a circle of stronger edges has said it all.

    `agree` is how the two fields of each edge agree: OTHER (then there is no lift), NEARLY, SAME (first choice).

    Every field pays once, to the one it hangs on; the first field of a tree keeps its full weight.
    """
    group = {end: end for edge in found for end in (edge.first, edge.second)}
    near: dict[int, list[tuple[int, int]]] = {end: [] for end in group}
    for place in np.concatenate([np.flatnonzero(agree == kind) for kind in (SAME, NEARLY)]).tolist():
        first, second = found[place].first, found[place].second
        a, b = group[first], group[second]
        if a != b:
            near[first].append((second, place))
            near[second].append((first, place))
            group = {end: a if one == b else one for end, one in group.items()}
    charged = np.full(len(found), -1, dtype=np.int8)
    reached: set[int] = set()
    for start in sorted(near):
        waiting = [] if start in reached else [start]
        while waiting:
            here = waiting.pop()
            reached.add(here)
            for other, place in near[here]:
                if other not in reached:
                    charged[place] = other
                    waiting.append(other)
    return charged


def _forests(agree: Levels, found: Sequence[Edge]) -> npt.NDArray[np.int8]:
    """[pairs, edges] the fields charged, worked out once for all pairs that agree on the same fields."""
    kinds = np.ascontiguousarray(agree).view(np.dtype((np.void, agree.shape[1]))).reshape(-1)
    _, first, which = np.unique(kinds, return_index=True, return_inverse=True)
    return np.stack([_charged(agree[place], found) for place in first])[which]


def _lifts(count: Numbers, tuning: Tuning) -> Numbers:
    """[levels, levels] lift where both fields agree somehow, 1 elsewhere.

    Estimated for the classes of agreement, then moved towards what single levels show: among people of one town a town
    that is spelt almost alike is common, while the same similarity says little elsewhere.
    """
    expected = count.sum(axis=1, keepdims=True) * count.sum(axis=0, keepdims=True) / max(count.sum(), 1.0)
    of, doubt = classes(tuning)[:LEVELS], tuning.lift_doubt
    into = np.zeros((CLASSES, LEVELS))
    into[of, np.arange(LEVELS)] = 1.0
    both, chance = into @ count @ into.T, into @ expected @ into.T
    believed = both - chance > tuning.lift_seen + tuning.lift_sigma * np.sqrt(chance)
    believed[OTHER, :] = believed[:, OTHER] = False
    coarse = np.where(believed, (both + doubt) / (chance + doubt), 1.0)[np.ix_(of, of)]
    fine = (count + doubt) / (expected + doubt / coarse)
    return np.where(coarse > 1.0, np.maximum(fine, 1.0), 1.0)


def _with_slips(lift: Numbers, count: Numbers, m: tuple[Numbers, Numbers], tuning: Tuning) -> Numbers:
    """The lift of values that are almost equal is at least that of equal ones in which a slip was made.

    Whoever shares a last name with a stranger shares the name at birth too, mostly: where one of the two is misspelt,
    the strangers are as few as those with two equal names, and fewer by the share of slips. Seldom seen within a file.
    Slips spread those strangers over the levels and add none, however seldom counterparts are equal.
    """
    u = [shares(seen, tuning.unseen) for seen in (count.sum(axis=1), count.sum(axis=0))]
    both = lift[EQUAL, EQUAL] * u[0][EQUAL] * u[1][EQUAL]  # share of strangers who are equal in both
    slips = [np.where(_ALMOST, row / max(float(row[_ALMOST].sum()), 1e-6), 0.0) for row in m]
    least = both * np.outer(slips[0] / u[0], slips[1] / u[1])
    return np.maximum(lift, np.where(lift[EQUAL, EQUAL] > 1.0, least, 1.0))


def _exact_lift(
    first: FieldLevels, second: FieldLevels, rows: tuple[Flags, Flags], copied: float, tuning: Tuning
) -> tuple[float, Numbers, Numbers]:
    """Joint equality among all pairs within either file, by counting values: its lift, by rarity, and its excess.

    Two who share a rare name and a village are mostly relatives; two who share a common one are mostly not. `copied` is
    the share of pairs that are equal in both because they are copies of each other. The excess, too, is that of values
    as rare as these, moved from the average of all: towns fill with their own common names, and a rare one has no part.
    """
    sides = [
        _joint(first.own.codes[rows[0]], second.own.codes[rows[0]], tuning.rarity),
        _joint(first.partner.codes[rows[1]], second.partner.codes[rows[1]], tuning.rarity),
    ]
    both, expected = sides[0][0] + sides[1][0], sides[0][1] + sides[1][1]
    by_rarity = sides[0][2] + sides[1][2]
    pairs = max(float(by_rarity.sum()), 1.0)
    excess = float(both.sum() - expected.sum())
    if excess > 0:
        both = expected + (both - expected) * max(1.0 - copied * pairs / excess, 0.0)
        excess = float(both.sum() - expected.sum())
    if excess <= tuning.lift_seen + tuning.lift_sigma * expected.sum() ** 0.5:
        return 1.0, np.ones(both.shape), np.zeros(both.shape)
    doubt, related = tuning.lift_doubt, tuning.lift_related
    average = float((both.sum() + doubt) / (expected.sum() + doubt))
    together = (np.maximum(both - expected, 0.0) + related) / (by_rarity + related * pairs / excess)
    return average, np.asarray((both + doubt) / (expected + doubt / average)), np.asarray(together)


def _joint(first: Codes, second: Codes, rarity: tuple[float, ...]) -> tuple[Numbers, Numbers, Numbers]:
    """[bins, bins] pairs of rows equal in both fields: how many there are, and how many independence would give.

    And how many pairs there are in all, of a record with values as rare and any other.
    """
    present = (first >= 0) & (second >= 0)
    a, b = first[present].astype(np.int64), second[present].astype(np.int64)
    rows, bins = len(a), len(rarity) + 1
    both, expected = np.zeros((bins, bins)), np.zeros((bins, bins))
    if rows < 2:
        return both, expected, np.zeros((bins, bins))
    count_a, count_b = np.bincount(a), np.bincount(b)
    bin_a, bin_b = _bin(count_a - 1, rows, rarity), _bin(count_b - 1, rows, rarity)
    width = len(count_b)
    key, joint = np.unique(a * width + b, return_counts=True)
    np.add.at(both, (bin_a[key // width], bin_b[key % width]), _pairs(joint))
    by_a = np.bincount(bin_a, weights=_pairs(count_a), minlength=bins)
    by_b = np.bincount(bin_b, weights=_pairs(count_b), minlength=bins)
    pairs = rows * (rows - 1) / 2
    holders = np.zeros((bins, bins))
    np.add.at(holders, (bin_a[a], bin_b[b]), 1.0)
    return both, np.outer(by_a, by_b) / pairs, holders * (rows - 1) / 2


def _bin(others: npt.NDArray[Any], rows: int, rarity: tuple[float, ...]) -> npt.NDArray[np.int64]:
    """How common a value is: by the number of other records that hold it, in a file of RARITY_ROWS."""
    return np.digitize(others * (RARITY_ROWS / max(rows, 1)), rarity)


def _pairs(counts: npt.NDArray[np.int64]) -> Numbers:
    wide = counts.astype(np.float64)
    return np.asarray(wide * (wide - 1) / 2)


def corrections(
    fields: Sequence[FieldLevels],
    found: Sequence[Edge],
    own: Rows,
    levels: Levels,
    tuning: Tuning,
    people: People | None = None,
    progress: Progress = NO_PROGRESS,
) -> Floats:
    """[pairs, fields] log of the lift of what the field has in common with those that count before it."""
    made = np.zeros((len(own), len(fields)), dtype=np.float32)
    if not found:
        return made
    joint = [interruptible(progress, _Joint, fields, edge, tuning, people) for edge in found]
    for start in range(0, len(own), AT_ONCE):
        some = slice(start, start + AT_ONCE)
        lifts = np.zeros((len(own[some]), len(found)), dtype=np.float32)
        agree = np.zeros(lifts.shape, dtype=np.uint8)
        for place, (edge, counted) in enumerate(zip(found, joint, strict=True)):
            progress.check()
            a, b = levels[some, edge.first], levels[some, edge.second]
            present = np.flatnonzero((a < LEVELS) & (b < LEVELS))
            lifts[present, place] = np.log(edge.lift[a[present], b[present]])
            agree[:, place] = np.where(lifts[:, place] > 0, NEARLY, OTHER)
            equal = np.flatnonzero((a == EQUAL) & (b == EQUAL))
            if len(equal):
                lifts[equal, place] = counted.log_lift(own[some][equal])
            agree[equal, place] = SAME
        charged = _forests(agree, found)
        for place, edge in enumerate(found):
            for field in (edge.first, edge.second):
                made[some, field] += np.where(charged[:, place] == field, lifts[:, place], np.float32(0))
    return made


class _Joint:
    """How much likelier than by independence a stranger holds both values of an own record.

    Expected is the lift of values as rare as these; but whoever has a rare name has as many relatives as others have.
    Where records can be counted, that is the mean of a gamma prior, corrected by how many records do hold both (a
    village has one zip code); the two of the pair itself, which would vouch for each other, are left out.
    """

    def __init__(self, fields: Sequence[FieldLevels], edge: Edge, tuning: Tuning, people: People | None) -> None:
        self._tuning = tuning
        self._edge, self._first, self._second = edge, fields[edge.first], fields[edge.second]
        self._alone = equal_frequency(self._first, people), equal_frequency(self._second, people)
        if edge.counted:
            self._own = _Combinations(self._first.own, self._second.own)
            self._partner = _Combinations(self._first.partner, self._second.partner)

    def log_lift(self, rows: Rows) -> Floats:
        a, b = self._first.own.codes[rows], self._second.own.codes[rows]
        alone = self._alone[0][a], self._alone[1][b]
        chance = np.maximum(alone[0] * alone[1], 1e-12)
        if self._edge.counted:
            rate = self._counted(a, b, chance, np.minimum(*alone))
        else:
            rate = self._expected(self._edge.lift[EQUAL, EQUAL], chance, np.minimum(*alone), self._edge.together[0, 0])
        known = (alone[0] > 0) & (alone[1] > 0)  # under noise a value's own frequency may not be
        lift = np.where(known, rate / chance, self._edge.lift[EQUAL, EQUAL])
        return np.asarray(np.log(np.maximum(lift, 1.0)), dtype=np.float32)

    @staticmethod
    def _expected(average: Numbers, chance: Numbers, most: Numbers, together: Numbers) -> Numbers:
        return np.asarray(np.minimum(np.maximum(average * chance, chance + together), most))

    def _counted(self, a: Codes, b: Codes, chance: Numbers, most: Numbers) -> Numbers:
        first, second = self._first, self._second
        records = self._own.rows + self._partner.rows
        others = [
            one.own.counts[code] + np.append(one.partner.counts, 0)[one.equal_to[code]] - 2.0
            for one, code in ((first, a), (second, b))
        ]
        rarity, shrink = self._tuning.rarity, self._tuning.lift_shrink
        rare = _bin(others[0], records, rarity), _bin(others[1], records, rarity)
        joint = self._own.count(a, b) + self._partner.count(first.equal_to[a], second.equal_to[b])
        expected = self._expected(self._edge.rarity[rare], chance, most, self._edge.together[rare])
        expected = np.maximum(expected, 1e-12)
        by_chance = expected * records  # of the others who hold both, these are strangers and the copies are not
        strangers = np.maximum(joint - 2.0, 0.0) * by_chance / (by_chance + self._edge.copies)
        return np.asarray((strangers + shrink) / (records + shrink / expected))


class _Combinations:
    """The rows of one file that hold both fields, counted by their combination of values."""

    def __init__(self, one: View, other: View) -> None:
        first, second = one.codes, other.codes
        present = (first >= 0) & (second >= 0)
        if one.once is not None:
            present &= one.once
        self.rows = int(present.sum())
        self._width = int(second.max(initial=0)) + 1
        combined = first[present].astype(np.int64) * self._width + second[present]
        self._key, self._count = np.unique(combined, return_counts=True)

    def count(self, first: Codes, second: Codes) -> npt.NDArray[np.int64]:
        if not self.rows:
            return np.zeros(len(first), np.int64)
        wanted = first.astype(np.int64) * self._width + second
        at = np.minimum(np.searchsorted(self._key, wanted), len(self._key) - 1)
        return np.where((self._key[at] == wanted) & (first >= 0) & (second >= 0), self._count[at], 0)
