"""What strangers agree on: random pairs, the cuts they give, and u for every level and value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from pprl_desktop.codes import tokens
from pprl_desktop.codes.base import Smashed
from pprl_desktop.compute.threads import in_blocks, interruptible
from pprl_desktop.decisions.adaptive import candidates as blocking
from pprl_desktop.decisions.adaptive.levels import (
    EQUAL,
    EQUAL_BUT_FOR_NOISE,
    GROUPS,
    INITIAL,
    LEVELS,
    MISSING,
    NEAR_LEVELS,
    OTHER_INITIAL,
    Codes,
    FieldLevels,
    find_facts,
    pair_levels,
    view,
)
from pprl_desktop.decisions.adaptive.patterns import Patterns
from pprl_desktop.decisions.adaptive.similarity import flip_rate, similar
from pprl_desktop.decisions.adaptive.tuning import Tuning
from pprl_desktop.decisions.base import Numbers, Rows
from pprl_desktop.decisions.rules import AdaptiveRule, FieldComparison
from pprl_desktop.progress import Progress
from pprl_desktop.said import Said

TABLE_CELLS = 48 << 20  # level tables kept in memory of the records of one file, all fields together
ROUNDING = 2e-3  # similarities nearer than this are one: blocks and single pairs round differently

Floats = npt.NDArray[np.float32]
Levels = npt.NDArray[np.uint8]


@dataclass(frozen=True, eq=False)
class Null:
    own: Rows
    partner: Rows


@dataclass(frozen=True, eq=False)
class File:
    """Records of one file compared with each other, as if one were the partner's."""

    fields: tuple[FieldLevels, ...]
    rows: Rows  # the records of the file that take part
    own: Rows  # random pairs of different records, by their place among those
    partner: Rows
    levels: Levels  # [pairs, fields] of the random pairs
    whole: bool  # nobody but exact copies is left out
    among: tuple[FieldLevels, ...] = ()  # of all records of both files, this one's first; none where nobody can count

    @cached_property
    def patterns(self) -> Patterns:
        """How the random pairs look."""
        return Patterns.of(self.levels)

    def some(self, kept: npt.NDArray[np.bool_]) -> File:
        """Without the other records."""
        at = np.flatnonzero(kept)
        place = np.cumsum(kept) - 1
        pairs = kept[self.own] & kept[self.partner]
        fields = tuple(one.of(one.own.some(at), one.partner.some(at)) for one in self.fields)
        own, partner = (place[rows[pairs]].astype(np.int32) for rows in (self.own, self.partner))
        return File(fields, self.rows[kept], own, partner, self.levels[pairs], self.whole, self.among)

    def counted(self, fields: Sequence[FieldLevels], side: int) -> File:
        """With values as rare as they are among the people of both files, as for pairs between them.

        Two people of one name in the own file are no more than one in either: counted in the own file alone, each
        would make the name of the other a common one, and families would never look like counterparts. Who is held
        twice is found without it: there a name that only two records have is no proof that they are one person.
        """
        if not all(one.exact for one in fields):
            return self
        among = tuple(map(_turned, fields)) if side else tuple(fields)
        among = tuple(replace(one, frequency=_frequency(one.own.counts, one.partner.counts, one)) for one in among)
        made = []
        for one, all_of in zip(self.fields, among, strict=True):
            present = one.own.codes >= 0
            place = np.full(one.own.values, -1, dtype=np.int64)
            place[one.own.codes[present]] = all_of.own.codes[self.rows[present]]
            assert all_of.frequency is not None
            made.append(replace(one, frequency=np.where(place >= 0, np.append(all_of.frequency, 0.0)[place], 0.0)))
        return replace(self, fields=tuple(made), among=among)


@dataclass(frozen=True, eq=False)
class Within:
    files: tuple[File, ...]  # the own file, the partner's

    def without(self, gone: Sequence[int]) -> Within:
        """With these fields left out."""
        made: list[File] = []
        if not gone:
            return self
        for file in self.files:
            levels = file.levels.copy()
            levels[:, list(gone)] = MISSING
            fields = tuple(one.nobody() if f in gone else one for f, one in enumerate(file.fields))
            made.append(replace(file, fields=fields, levels=levels))
        return Within(tuple(made))

    @property
    def patterns(self) -> Patterns:
        """How random pairs within either file look."""
        first, *others = (one.patterns for one in self.files)
        return first.together(others[0]) if others else first


def taken(smashed: Smashed, rows: Rows) -> Smashed:
    """The smashed data of some rows."""
    return replace(smashed, rows=len(rows), parts=tuple(replace(part, rows=part.rows[rows]) for part in smashed.parts))


def with_noise(smashed: Smashed, epsilon: float | None, random: np.random.Generator) -> Smashed:
    """As the partner's noise would leave these rows: for comparison at home only, nothing of this is ever sent."""
    if epsilon is None or smashed.epsilon is not None:
        return smashed
    parts = []
    for part in smashed.parts:
        if part.kind == "token":
            continue
        present = np.flatnonzero(part.rows >= 0)
        values = part.values[part.rows[present]]
        rows = np.full(len(part.rows), -1, dtype=np.int32)
        rows[present] = np.arange(len(present), dtype=np.int32)
        if part.kind == "bits":
            values = values ^ np.packbits(random.random((len(values), 8 * part.width)) < flip_rate(epsilon), axis=1)
        else:
            two_sided = random.geometric(-np.expm1(-epsilon), values.shape) - random.geometric(
                -np.expm1(-epsilon), values.shape
            )
            values = np.clip(values.astype(np.int64) + two_sided, 0, 255).astype(np.uint8)
        parts.append(replace(part, rows=rows, values=values))
    return replace(smashed, parts=tuple(parts), epsilon=epsilon)


def random_pairs(own: int, partner: int, random: np.random.Generator, tuning: Tuning) -> Null:
    """All pairs of small files, else a sample."""
    if own * partner <= tuning.null_pairs:
        a, b = np.divmod(np.arange(own * partner, dtype=np.int64), max(partner, 1))
        return Null(a.astype(np.int32), b.astype(np.int32))
    return Null(
        random.integers(0, own, tuning.null_pairs, dtype=np.int32),
        random.integers(0, partner, tuning.null_pairs, dtype=np.int32),
    )


def build(
    own: Smashed, partner: Smashed, rule: AdaptiveRule, null: Null, progress: Progress, threads: int = 1
) -> tuple[list[FieldLevels], list[Numbers]]:
    """Levels of every usable field, and how many random pairs fall on each level of it. Each field is a block."""
    exact = own.epsilon is None and partner.epsilon is None

    def levels_of(comparison: FieldComparison) -> tuple[FieldLevels, Numbers]:
        mine, theirs = (interruptible(progress, view, side, comparison) for side in (own, partner))
        noise = own.epsilon, partner.epsilon
        measure = interruptible(progress, similar, mine, theirs, comparison.measure, noise, rule.tuning)
        facts, equal_to = interruptible(progress, find_facts, mine, theirs, exact)
        one = FieldLevels(comparison, mine, theirs, measure, exact, facts=facts, equal_to=equal_to)
        a, b = mine.codes[null.own], theirs.codes[null.partner]
        present = (a >= 0) & (b >= 0)
        a, b = a[present], b[present]
        similarity = measure.pairs(a, b, progress)
        one.cuts = _cuts(one, a, b, similarity, rule.tuning)
        one.keep_far_forms(rule.tuning.spelled_alike, progress)
        return one, np.bincount(one.pairs(a, b, similarity, progress), minlength=LEVELS).astype(np.float64)

    fields, seen = [], []
    for one, count in in_blocks(levels_of, rule.comparisons, threads, progress):
        fields.append(one)
        seen.append(count)
        progress.at(len(fields) / len(rule.comparisons), Said("Comparing {field}", field=one.comparison.field))
    return fields, seen


def within(
    own: Smashed,
    partner: Smashed,
    fields: Sequence[FieldLevels],
    tuning: Tuning,
    random: np.random.Generator,
    progress: Progress,
    threads: int = 1,
) -> Within:
    """Pairs of different records of one file, compared as if one were the partner's.

    Both files take part, because often only one of them is full of slips. Where the partner's carries noise, the own
    one is compared as noisily, so that noise makes strangers look equal in both or in neither.
    """
    mine = _within(own, partner.epsilon, fields, tuning, random, progress, threads)
    theirs = _within(partner, partner.epsilon or own.epsilon, fields, tuning, random, progress, threads)
    return Within((mine, theirs))


def copies(codes: Sequence[Codes], fields: int) -> npt.NDArray[np.bool_]:
    """Rows that repeat an earlier row in all fields, with enough `fields` present to rule out mere namesakes.

    Fields in which all values differ (as under noise) leave nothing to be found.
    """
    return np.asarray(originals(codes, fields) != np.arange(len(codes[0])))


def originals(codes: Sequence[Codes], fields: int) -> npt.NDArray[np.int64]:
    """For each row the first one of which it is a copy: mostly itself."""
    # one number for all fields of a row: comparing rows as a whole takes twenty times as long
    random = np.random.default_rng(0)
    key = np.zeros(len(codes[0]), dtype=np.uint64)
    for code in codes:
        mark = random.integers(1, 2**63, size=int(code.max(initial=-1)) + 2, dtype=np.uint64)
        key += mark[code]  # a missing value reads the last one
    _, first, which = np.unique(key, return_index=True, return_inverse=True)
    present = np.sum([code >= 0 for code in codes], axis=0)
    return np.asarray(np.where(present >= fields, first[which], np.arange(len(key))))


def _within(
    file: Smashed,
    epsilon: float | None,
    fields: Sequence[FieldLevels],
    tuning: Tuning,
    random: np.random.Generator,
    progress: Progress,
    threads: int,
) -> File:
    progress.check()
    codes = [interruptible(progress, view, file, one.comparison).codes for one in fields]
    single = np.flatnonzero(~interruptible(progress, copies, codes, tuning.copy_fields))
    rows = np.sort(random.choice(single, size=min(len(single), tuning.within_rows), replace=False)).astype(np.int32)
    mine = taken(file, rows)
    theirs = mine if file.epsilon == epsilon else with_noise(mine, epsilon, random)
    null = random_pairs(len(rows), len(rows), random, tuning)
    different = null.own != null.partner
    null = Null(null.own[different], null.partner[different])
    made = _laid_out(mine, theirs, fields, tuning, progress)
    blocking.prepare(made, threads, progress.part(1.0, 1.0), TABLE_CELLS)  # all its pairs are compared, several times
    levels = pair_levels(made, null.own, null.partner, progress)
    return File(made, rows, null.own, null.partner, levels, len(rows) == len(single))


def of_rows(file: Smashed, rows: Rows, fields: Sequence[FieldLevels], tuning: Tuning, progress: Progress) -> File:
    """Some records of a file, to be compared with each other; no random pairs are drawn."""
    mine, none = taken(file, rows), np.zeros(0, np.int32)
    made = _laid_out(mine, mine, fields, tuning, progress)
    return File(made, rows, none, none, np.zeros((0, len(made)), np.uint8), False)


def _laid_out(
    mine: Smashed, theirs: Smashed, fields: Sequence[FieldLevels], tuning: Tuning, progress: Progress
) -> tuple[FieldLevels, ...]:
    """Levels between these records, with the cuts of `fields`."""
    made = []
    for one in fields:
        progress.check()
        left, right = view(mine, one.comparison), view(theirs, one.comparison)
        measure = interruptible(progress, one.similar.between, left, right, (mine.epsilon, theirs.epsilon))
        facts, equal_to = find_facts(left, right, one.exact)
        if not one.own.present or not one.partner.present:  # left out: the files write it differently
            left, right = left.nobody(), right.nobody()
        made.append(FieldLevels(one.comparison, left, right, measure, one.exact, one.cuts, facts, equal_to))
        made[-1].keep_far_forms(tuning.spelled_alike, progress)
    return tuple(made)


def _cuts(one: FieldLevels, own: Codes, partner: Codes, similarity: Floats, tuning: Tuning) -> Numbers:
    """Similarities that the given shares of random pairs exceed; equal values are no part of this."""
    differ = one.equal_to[own] != partner if one.exact and len(own) else similarity < EQUAL_BUT_FOR_NOISE
    cuts = np.full(NEAR_LEVELS, np.inf)
    if not differ.any():
        return cuts
    ranked = np.sort(similarity[differ])[::-1].astype(np.float64)
    for place, share in enumerate(tuning.quantiles):
        above = int(share * len(own))
        if above < len(ranked):
            cuts[place] = ranked[above] + ROUNDING  # a level begins above this value, so at most this share exceeds it
        else:
            cuts[place] = ranked[-1] - 1.0
    return cuts


def shares(seen: Numbers, unseen: float) -> Numbers:
    """u by level, within each group of levels that exclude each other; each has `unseen` pairs beyond those seen."""
    u = np.full(LEVELS, 1e-9)
    for group in map(list, GROUPS):
        total = seen[group].sum() + unseen * len(group)
        u[group] = (seen[group] + unseen) / total
    return u


def log_u(one: FieldLevels, u: Numbers, people: People | None = None) -> Floats:
    """[own values, levels]: u of the level, and of the value itself where two values are equal."""
    made = np.tile(np.log(np.maximum(u, 1e-12)), (one.own.values, 1))
    if one.own.values:
        frequency = equal_frequency(one, people)
        known = frequency > 0
        made[known, EQUAL] = np.log(frequency[known])
        letter = initial_frequency(one)
        if letter is not None:
            made[:, INITIAL] = np.log(letter)
            made[:, OTHER_INITIAL] = np.log(np.maximum(1 - letter, 1e-3))
    return made.astype(np.float32)


def equal_frequency(one: FieldLevels, people: People | None = None) -> Numbers:
    """Share of people with the own value, over both files; who holds it in both counts once."""
    if not one.exact:
        return _frequency_under_noise(one)
    if one.frequency is not None:
        return one.frequency
    own, partner = people.holders(one) if people else (one.own.counts, one.partner.counts)
    return np.where(one.equal_to >= 0, _frequency(own, partner, one, 0.0 if people else 1.0), 0.0)


def _frequency(
    own: npt.NDArray[Any], partner: npt.NDArray[Any], one: FieldLevels, counted_twice: float = 1.0
) -> Numbers:
    """[own values] share of people, from the holders of each value on either side."""
    opposite = np.append(partner, 0)[one.equal_to]
    seen = np.maximum(own + opposite - counted_twice, 1.0) - _discount(own, partner)
    return np.asarray(seen / max(float(own.sum() + partner.sum()), 1.0))


def _turned(one: FieldLevels) -> FieldLevels:
    """Counted from the other side; nothing is compared with it."""
    equal_to = np.full(one.partner.values, -1, dtype=np.int32)
    there = np.flatnonzero(one.equal_to >= 0)
    equal_to[one.equal_to[there]] = there
    return replace(one, own=one.partner, partner=one.own, equal_to=equal_to, frequency=None)


def _discount(own: npt.NDArray[Any], partner: npt.NDArray[Any]) -> float:
    """What a count says too much, because a value that was drawn at all was drawn by luck (Kneser and Ney 1995).

    Where nearly every value of a file occurs once, as of a telephone number, the next record will hardly hold one of
    them: seen once is then far less than one in so many. Counted within each file, where no person comes twice.
    """
    once, twice = (sum(int((np.rint(side) == times).sum()) for side in (own, partner)) for times in (1, 2))
    return once / (once + 2.0 * (twice + 1.0))  # one more than seen: files may be small


@dataclass(frozen=True, eq=False)
class People:
    """Where a person may have many records, each record is the part of a person that it makes up.

    Else values would seem as common as their holders are talkative, and agreeing on them worth less than it is.
    """

    own: Numbers  # per row
    partner: Numbers

    @classmethod
    def of(cls, own: Rows, partner: Rows, probability: Numbers, sizes: tuple[int, int]) -> People:
        """From the probability of each pair: a row's person has the rows it matches, and those that these match."""
        there = np.bincount(own, probability, sizes[0]), np.bincount(partner, probability, sizes[1])
        shares = []
        for rows, others, count, back in ((own, partner, *there), (partner, own, *there[::-1])):
            here = np.bincount(rows, probability * back[others], len(count)) / np.maximum(count, 1e-9)
            shares.append(1.0 / (count + np.maximum(here, 1.0)))
        return cls(shares[0], shares[1])

    def holders(self, one: FieldLevels) -> tuple[Numbers, Numbers]:
        """People by value of the field, on either side."""
        made = []
        for side, share in ((one.own, self.own), (one.partner, self.partner)):
            present = side.codes >= 0
            made.append(np.bincount(side.codes[present], share[present], side.values).astype(np.float64))
        return made[0], made[1]


def _frequency_under_noise(one: FieldLevels) -> Numbers:
    """From the records of the partner that noise alone may have made different; 0 where that is not known."""
    there = one.partner_rows_equal()
    if there is None:
        return np.zeros(one.own.values)
    if one.own.values < one.own.present:  # the own side is clean and can be counted too
        return np.asarray(np.maximum(one.own.counts + there - 1.0, 1.0) / (one.own.present + one.partner.present))
    return np.asarray(np.maximum(there, 1.0) / max(one.partner.present, 1))


def initial_frequency(one: FieldLevels) -> Numbers | None:
    if tokens.INITIAL not in one.own.tokens or tokens.INITIAL not in one.partner.tokens:
        return None
    marks = np.concatenate([one.own.tokens[tokens.INITIAL], one.partner.tokens[tokens.INITIAL]])
    counts = np.concatenate([one.own.counts, one.partner.counts]).astype(np.float64)
    _, at = np.unique(marks, return_inverse=True)
    share = np.bincount(at, weights=counts) / max(counts.sum(), 1.0)
    return np.asarray(np.clip(share[at[: one.own.values]], 1e-4, 0.999))


def without_matches(seen: Numbers, sampled: int, all_pairs: float, matched: Numbers) -> Numbers:
    """Random pairs contain matches too, many in small files: take their expected number out."""
    part = matched * (sampled / max(all_pairs, 1.0))
    return np.asarray(np.maximum(seen - part, 0.0))
