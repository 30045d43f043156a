"""The adaptive decision on opened pairs (blind): levels from shared variants, u and frequencies from the own file.

The partner's file is never seen as a whole, so what strangers agree on is counted among the own records, and the
partner's *declared* number of records is the other size: with the number of opened ones the odds would be far too good.
Weights are learned on the opened pairs by the same EM (weights.py) and held to pairs of strangers within the own file
that share a key (check.surplus).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from pprl_desktop.codes.keys.variants import ABSENT, LAYOUT, Marks
from pprl_desktop.decisions.adaptive import weights as em
from pprl_desktop.decisions.adaptive.check import held_twice, surplus
from pprl_desktop.decisions.adaptive.levels import (
    DIFFERS,
    EQUAL,
    INITIAL,
    LEVELS,
    MISSING,
    NEAR,
    OTHER_INITIAL,
    SHIFTED,
    WORD,
)
from pprl_desktop.decisions.adaptive.opinion import by_step, left_by_strangers
from pprl_desktop.decisions.adaptive.strangers import shares
from pprl_desktop.decisions.adaptive.token_levels import LEVEL, levels_of
from pprl_desktop.decisions.adaptive.tuning import Tuning
from pprl_desktop.decisions.base import MatchOptions, Numbers, Rows, Scored
from pprl_desktop.decisions.thresholds import from_probabilities
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.records.fields import Field

TUNING = Tuning()
AT_ONCE = 1 << 16  # pairs compared in one go

Levels = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Side:
    """Records as variants: of the own table, or those of the partner that were opened."""

    codes: tuple[npt.NDArray[np.int32], ...] = field(repr=False)  # per field: row -> value, -1 missing
    marks: tuple[Marks, ...] = field(repr=False)  # per field: [values, places]
    status: npt.NDArray[np.uint8] = field(repr=False)  # [rows, fields]

    def of(self, place: int, rows: Rows) -> Marks:
        if not len(self.marks[place]):
            return np.zeros((len(rows), self.marks[place].shape[1]), np.uint64)
        return np.asarray(self.marks[place][self.codes[place][rows]])


@dataclass(frozen=True, eq=False)
class Strangers:
    """Pairs of own records that share a key and are not the same person."""

    own: Rows = field(repr=False)
    partner: Rows = field(repr=False)
    out_of: float  # pairs of records they were found among


@dataclass(frozen=True, eq=False)
class _Joint:
    """Two fields of which one tells the other."""

    first: int
    second: int
    known: npt.NDArray[np.int64] = field(repr=False)  # combinations of values that the own table holds, rising
    count: Numbers = field(repr=False)  # of each
    told: tuple[float, float]  # how often strangers who agree on the first agree on the second, and the other way round


class _Null:
    """What strangers agree on, counted in the own file."""

    def __init__(self, fields: Sequence[Field], own: Side, random: np.random.Generator, tuning: Tuning) -> None:
        self.fields, self.tuning = tuple(fields), tuning
        self.side = own
        rows = len(own.status)
        a = random.integers(0, rows, tuning.opened_sample, dtype=np.int32)
        b = random.integers(0, rows, tuning.opened_sample, dtype=np.int32)
        a, b = a[a != b], b[a != b]
        self.sampled = len(a)
        levels = compare(fields, own, own, a, b)
        self.seen = [
            np.bincount(levels[:, f], minlength=LEVELS)[:LEVELS].astype(np.float64) for f in range(len(fields))
        ]
        self.u = [shares(one, tuning.unseen) for one in self.seen]
        self.crossings = [
            (f, g)
            for f, one in enumerate(fields)
            for g, other in enumerate(fields)
            if f != g and one.kind == other.kind == "name"
        ]
        self._frequency = [_frequencies(codes, len(marks)) for codes, marks in zip(own.codes, own.marks, strict=True)]
        self._letters = [self._letter_share(f) for f in range(len(fields))]
        self._whole = [self._by_mark(f) for f in range(len(fields))]
        self.joint = self._dependent()

    def _letter_share(self, f: int) -> Numbers | None:
        if self.fields[f].kind != "name" or not len(self.side.marks[f]):
            return None
        letters = self.side.marks[f][:, -1]
        known, at = np.unique(letters, return_inverse=True)
        count = np.bincount(self.side.codes[f][self.side.codes[f] >= 0], minlength=len(letters))
        share = np.bincount(at, weights=count, minlength=len(known)) / max(float(count.sum()), 1.0)
        return np.asarray(np.clip(share[at], 1e-4, 0.999))

    def _by_mark(self, f: int) -> tuple[Marks, Numbers]:
        """Whole value -> share of the rows that hold it in this field; for values found in another field."""
        marks = self.side.marks[f][:, 0]
        order = np.argsort(marks, kind="stable")
        return marks[order], self._frequency[f][order]

    def _dependent(self) -> list[_Joint]:
        """A forest of fields that strangers agree on together more often than by chance, with joint counts."""
        found = []
        for f in range(len(self.fields)):
            for g in range(f + 1, len(self.fields)):
                a, b = self.side.codes[f], self.side.codes[g]
                both = (a >= 0) & (b >= 0)
                n = max(int(both.sum()), 1)
                width = max(len(self.side.marks[g]), 1)
                known, count = np.unique(a[both].astype(np.int64) * width + b[both], return_counts=True)
                together = float((count * (count - 1.0)).sum()) / max(n * (n - 1.0), 1.0)
                each = [np.bincount(codes).astype(np.float64) for codes in (a[both], b[both])]
                agree = [float((one * (one - 1.0)).sum()) / max(n * (n - 1.0), 1.0) for one in each]
                alone = agree[0] * agree[1]
                known_of = together * n * n / 2  # with a handful of pairs nothing is known
                tuning = self.tuning
                if known_of >= tuning.opened_seen and alone > 0 and np.log(together / alone) > tuning.opened_lift:
                    told = together / agree[0], together / agree[1]
                    found.append((float(np.log(together / alone)), _Joint(f, g, known, count.astype(np.float64), told)))
        kept, root = [], list(range(len(self.fields)))
        for _, one in sorted(found, key=lambda each: -each[0]):
            if root[one.first] != root[one.second]:
                root = [root[one.first] if each == root[one.second] else each for each in root]
                kept.append(one)
        return kept

    def log_u(self, a: Rows, levels: Levels, crossed: Levels, partner: Side, b: Rows) -> Floats:
        """[pairs, fields + crossings]: log of how often strangers are on this level, with the value's own frequency."""
        made = np.zeros((len(a), len(self.fields) + len(self.crossings)), dtype=np.float32)
        for f in range(len(self.fields)):
            here = np.flatnonzero(levels[:, f] != MISSING)
            made[here, f] = np.log(np.maximum(self.u[f], 1e-12))[levels[here, f]]
            code = self.side.codes[f][a[here]]
            equal = levels[here, f] == EQUAL
            made[here[equal], f] = np.log(self._frequency[f][code[equal]])
            letter = self._letters[f]
            if letter is not None:
                for level, share in ((INITIAL, letter), (OTHER_INITIAL, np.maximum(1 - letter, 1e-3))):
                    at = levels[here, f] == level
                    made[here[at], f] = np.log(share[code[at]])
        for c, (f, g) in enumerate(self.crossings):
            hit = np.flatnonzero(crossed[:, c] == EQUAL)
            if len(hit):
                mark = self.side.of(f, a[hit])[:, 0]
                known, share = self._whole[g]
                at = np.minimum(np.searchsorted(known, mark), len(known) - 1)
                least = 1.0 / max(len(self.side.status), 1)
                found = np.where(known[at] == mark, share[at], least)
                made[hit, len(self.fields) + c] = np.log(np.maximum(found, least))
        return made

    def lift(self, a: Rows, levels: Levels, log_u: Floats) -> Numbers:
        """What dependent fields say twice, to be divided out."""
        total, doubt = np.zeros(len(a)), self.tuning.opened_doubt
        for joint in self.joint:
            f, g = joint.first, joint.second
            both = np.flatnonzero((levels[:, f] == EQUAL) & (levels[:, g] == EQUAL))
            if not len(both):
                continue
            width = max(len(self.side.marks[g]), 1)
            first, second = self.side.codes[f][a[both]], self.side.codes[g][a[both]]
            wanted = first.astype(np.int64) * width + second
            at = np.minimum(np.searchsorted(joint.known, wanted), len(joint.known) - 1)
            others = joint.count[at] - 1.0  # of the own records with both values, without the one at hand
            told = np.zeros(len(both))
            for here, value, there, usual in ((f, first, g, joint.told[0]), (g, second, f, joint.told[1])):
                holders = np.bincount(self.side.codes[here][self.side.codes[here] >= 0])[value] - 1.0
                share = np.exp(log_u[both, there].astype(np.float64))
                # a value that no other own record holds tells as much of the other field as values usually do
                given = (others + doubt * np.maximum(usual, share)) / (holders + doubt)
                told = np.maximum(told, np.log(given / share))
            total[both] += told
        return total


def _frequencies(codes: npt.NDArray[np.int32], values: int) -> Numbers:
    """Share of strangers with each value, less what a count says too much because it was seen at all."""
    count = np.bincount(codes[codes >= 0], minlength=max(values, 1)).astype(np.float64)
    once, twice = float((count == 1).sum()), float((count == 2).sum())
    discount = once / (once + 2.0 * (twice + 1.0))
    return np.asarray(np.maximum(count - discount, 0.05) / max(float(count.sum()), 1.0))


def compare(fields: Sequence[Field], own: Side, partner: Side, a: Rows, b: Rows) -> Levels:
    """[pairs, fields]: the levels of agreement."""
    made = np.full((len(a), len(fields)), MISSING, dtype=np.uint8)
    for start in range(0, len(a), AT_ONCE):
        some = slice(start, start + AT_ONCE)
        for f, one in enumerate(fields):
            made[some, f] = levels_of(
                one.kind, own.of(f, a[some]), partner.of(f, b[some]), own.status[a[some], f], partner.status[b[some], f]
            )
    return made


def _crossed(null: _Null, own: Side, partner: Side, a: Rows, b: Rows, levels: Levels) -> Levels:
    """[pairs, crossings]: is the own value of one name the partner's value of another, where neither agrees itself?"""
    made = np.full((len(a), len(null.crossings)), MISSING, dtype=np.uint8)
    for c, (f, g) in enumerate(null.crossings):
        open_ = (levels[:, f] != EQUAL) & (levels[:, g] != EQUAL)
        open_ &= (own.status[a, f] != ABSENT) & (partner.status[b, g] != ABSENT)
        at = np.flatnonzero(open_)
        same = own.of(f, a[at])[:, 0] == partner.of(g, b[at])[:, 0]
        made[at, c] = np.where(same, EQUAL, DIFFERS)
    return made


def _prior(fields: Sequence[Field], crossings: int, tuning: Tuning) -> Numbers:
    """What counterparts usually agree on, before any pair was seen."""
    m = np.zeros((len(fields) + crossings, LEVELS))
    m[: len(fields), DIFFERS] = tuning.prior_differs
    m[: len(fields), NEAR:EQUAL] = tuning.opened_near
    m[: len(fields), EQUAL] = tuning.prior_equal
    m[: len(fields), WORD], m[: len(fields), SHIFTED] = tuning.prior_word, tuning.prior_shifted
    m[: len(fields), INITIAL], m[: len(fields), OTHER_INITIAL] = tuning.prior_initial
    m[len(fields) :, DIFFERS], m[len(fields) :, EQUAL] = 1 - tuning.prior_cross, tuning.prior_cross
    return m


def score(
    fields: Sequence[Field],
    own: Side,
    partner: Side,
    pairs: tuple[Rows, Rows],
    near: Strangers,
    partner_rows: int,
    options: MatchOptions,
    progress: Progress = NO_PROGRESS,
    tuning: Tuning = TUNING,
) -> Scored:
    """Probabilities of the opened pairs; `partner_rows` is the declared number of records, opened or not."""
    names = tuple(one.name for one in fields)
    a, b = pairs
    if not len(a):
        none = np.zeros(0, np.int32)
        return Scored(none, none, np.zeros(0), np.zeros(0), np.zeros((0, len(names)), np.float32), names, 0.0, 0)
    progress.at(0.0, "Comparing opened records")
    null = _Null(fields, own, np.random.default_rng(options.seed), tuning)
    levels = compare(fields, own, partner, a, b)
    crossed = _crossed(null, own, partner, a, b, levels)
    within = compare(fields, own, own, near.own, near.partner)
    within_crossed = _crossed(null, own, own, near.own, near.partner, within)
    sizes = em.Sizes(len(own.status), partner_rows, options.one_to_one, tuning.free)
    prior = _prior(fields, len(null.crossings), tuning)
    strength = np.array([tuning.strength] * len(fields) + [tuning.cross_strength] * len(null.crossings))
    m, matches, more = prior.copy(), tuning.overlap * min(sizes.own, sizes.partner), np.zeros(len(a))
    for place in range(tuning.holds + 1):
        part = progress.part(0.1 + 0.8 * place / (tuning.holds + 1), 0.1 + 0.8 * (place + 1) / (tuning.holds + 1))
        log_u = null.log_u(a, levels, crossed, partner, b)
        lift = null.lift(a, levels, log_u)
        whole = np.concatenate([levels, crossed], axis=1)
        candidates = em.Candidates(a, b, whole, log_u, (lift + more).astype(np.float32), sizes)
        fit = em.fit(candidates, prior, strength, m, matches, len(fields), options.one_to_one, tuning, part)
        m, matches = fit.m, fit.matches
        all_pairs = float(sizes.own) * sizes.partner
        own_u = null.log_u(near.own, within, within_crossed, own, near.partner)
        ratios = _ratios(m, within, within_crossed, own_u) - null.lift(near.own, within, own_u)
        prior_odds = float(np.log(sizes.odds(matches)))
        if place == tuning.holds or not options.one_to_one:
            break
        plain = fit.log_odds - prior_odds + more
        at = np.flatnonzero(plain >= tuning.lowest_held - prior_odds)
        found = surplus(ratios, near.out_of, plain[at], 1 - fit.probability[at], all_pairs, tuning)
        more[at] = np.clip(more[at] + found, 0.0, tuning.most_held)
    ratio = fit.log_odds - prior_odds + more
    left = _left_by_strangers(ratio, ratios, near.out_of, float(np.log((matches + 0.5) / all_pairs)), all_pairs, tuning)
    lowest = np.minimum(fit.log_odds, left + prior_odds - float(np.log((matches + 0.5) / all_pairs)))
    probability = em.Graph(a, b).marginals(lowest, progress) if options.one_to_one else _sigmoid(lowest)
    probability = np.clip(probability, 1e-12, 1 - 1e-12)
    made = np.log(probability) - np.log1p(-probability)
    best = from_probabilities(made, probability)
    threshold = min(best.score, 0.0) if best.f1 >= tuning.worthwhile else 0.0
    twice = held_twice(a, b, fit.log_odds + more, tuning) if options.one_to_one else []
    return Scored(
        a.astype(np.int32), b.astype(np.int32), made, probability,
        _evidence(m, levels, crossed, log_u, null.crossings, len(fields)), names, threshold, len(a),
        tuple(twice),
        {
            "expected_matches": float(matches),
            "match_rate": float(matches) / max(min(sizes.own, sizes.partner), 1),
            "candidates": len(a),
            "em_rounds": fit.rounds,
            "views_asked": len(fields),
            "tuning": tuning.to_plain(),
            "levels": _shown(fields, m, null.u),
        },
        second=_sigmoid(left),
        strangers=_sigmoid(left),
    )  # fmt: skip


def _sigmoid(log_odds: Numbers) -> Numbers:
    return np.asarray(1.0 / (1.0 + np.exp(-np.clip(log_odds, -em.LARGE, em.LARGE))))


def _left_by_strangers(
    ratio: Numbers, within: Numbers, out_of: float, prior: float, all_pairs: float, tuning: Tuning
) -> Numbers:
    """Log odds of opened pairs by how many pairs of own strangers that share a key have such weights (`within`)."""
    if not out_of:
        return np.full(len(ratio), np.inf)
    low = tuning.lowest_held - tuning.held_margin - prior

    def strangers(size: int) -> Numbers:
        return by_step(within, np.full(len(within), all_pairs / out_of), low, size, tuning)

    return left_by_strangers(ratio, np.ones(len(ratio)), low, strangers, prior, tuning)


def _ratios(m: Numbers, levels: Levels, crossed: Levels, log_u: Floats) -> Numbers:
    whole = np.concatenate([levels, crossed], axis=1)
    total = -log_u.sum(axis=1, dtype=np.float64)
    for f in range(whole.shape[1]):
        table = np.zeros(MISSING + 1)
        table[:LEVELS] = np.log(np.maximum(m[f], 1e-12))
        total += table[whole[:, f]]
    return np.asarray(total)


def _evidence(
    m: Numbers, levels: Levels, crossed: Levels, log_u: Floats, crossings: Sequence[tuple[int, int]], fields: int
) -> Floats:
    made = np.full((len(levels), fields), np.nan, dtype=np.float32)
    for f in range(fields):
        here = np.flatnonzero(levels[:, f] != MISSING)
        made[here, f] = np.log(np.maximum(m[f], 1e-12))[levels[here, f]] - log_u[here, f]
    for c, (f, _) in enumerate(crossings):
        here = np.flatnonzero(crossed[:, c] == EQUAL)
        weight = np.log(max(float(m[fields + c, EQUAL]), 1e-12)) - log_u[here, fields + c]
        made[here, f] = np.nan_to_num(made[here, f]) + weight
    return made


def _shown(fields: Sequence[Field], m: Numbers, u: Sequence[Numbers]) -> dict[str, Any]:
    """m and u of every level that a field of its kind can have, by the variant that is shared."""
    made = {}
    for f, one in enumerate(fields):
        named = {DIFFERS: "differs"} | {LEVEL[form]: form for form, _ in LAYOUT[one.kind]}
        if one.kind == "name":
            named |= {INITIAL: "initial", OTHER_INITIAL: "other initial"}
        made[one.name] = [
            {"level": name, "m": float(m[f, level]), "u": float(u[f][level])} for level, name in named.items()
        ]
    return made
