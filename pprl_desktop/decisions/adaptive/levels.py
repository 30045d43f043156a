"""Levels of agreement: what two smashed values of one field have in common, on a scale that no encoding can bend.

A similarity means nothing by itself: it depends on the method, the noise, the field. What means the same everywhere is
how rarely strangers are that similar. So each field's similarity is cut at fixed quantiles of random pairs; equality
of keyed tokens stands above, and a few other facts that tokens tell (a shared word, a swapped date, an initial) beside.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from pprl_desktop.codes import tokens
from pprl_desktop.codes.base import Part, Smashed
from pprl_desktop.compute.engines import Portable
from pprl_desktop.decisions.rules import FieldComparison
from pprl_desktop.progress import NO_PROGRESS, Progress

# level codes; NEAR, NEAR + 1 .. are ever rarer among strangers, as Tuning.quantiles says
DIFFERS, NEAR, NEAR_LEVELS = 0, 1, 7
EQUAL = NEAR + NEAR_LEVELS
# SHIFTED: a known other form of the same: day and month swapped, a year off by one, Bill for William
WORD, SHIFTED, INITIAL, OTHER_INITIAL = EQUAL + 1, EQUAL + 2, EQUAL + 3, EQUAL + 4
LEVELS = OTHER_INITIAL + 1
MISSING = 255
# an initial says nothing about the rest of the name, so these two levels share a probability of their own
GROUPS = (tuple(range(INITIAL)), (INITIAL, OTHER_INITIAL))

EQUAL_BUT_FOR_NOISE = 5e5  # similarities above this are equality
BLOCK_CELLS = 1 << 20  # pairs of values compared in one go: some tens of ms
PAIRS_AT_ONCE = 1 << 17  # single pairs looked up in one go
MANY = 3_000_000  # distinct value pairs a word may make before it is too common to count

Codes = npt.NDArray[np.int32]
Tokens = npt.NDArray[np.uint64]
Levels = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float32]


def names(quantiles: Sequence[float]) -> tuple[str, ...]:
    """The levels as a reader sees them, by the share of strangers that are as similar."""
    near = (f"near {100 * quantile:g}%" for quantile in quantiles)
    return ("differs", *near, "equal", "shares a word", "another form", "initial", "other initial")


@dataclass(frozen=True, eq=False)
class View:
    """One field of one side by its distinct values."""

    codes: Codes  # row -> value, -1 missing
    counts: npt.NDArray[np.int64]  # rows per value; where some people are held twice, people per value
    tokens: dict[str, Tokens]  # role -> token of each value, 0: none
    parts: tuple[tuple[Part, Codes], ...]  # value parts, and which of their rows each value has
    once: npt.NDArray[np.bool_] | None = None  # rows that stand for a person, where some are held twice

    def of_people(self, once: npt.NDArray[np.bool_]) -> View:
        """The same rows, but only these are counted."""
        here = self.codes[once]
        return replace(self, counts=np.bincount(here[here >= 0], minlength=self.values), once=once)

    def some(self, rows: npt.NDArray[np.int64]) -> View:
        here = self.codes[rows]
        return replace(self, codes=here, counts=np.bincount(here[here >= 0], minlength=self.values))

    def nobody(self) -> View:
        """As if nobody had a value."""
        return replace(self, codes=np.full_like(self.codes, -1), counts=np.zeros_like(self.counts))

    @property
    def values(self) -> int:
        return len(self.counts)

    @property
    def present(self) -> int:
        """Rows that have a value; where some people are held twice, people."""
        return int(self.counts.sum())

    def rows_per_value(self) -> npt.NDArray[np.int64]:
        return np.bincount(self.codes[self.codes >= 0], minlength=self.values)


def view(smashed: Smashed, comparison: FieldComparison) -> View:
    shown = smashed.of_field(comparison.field)
    valued = [part for part in shown if part.name in comparison.values]
    keyed = [part for part in shown if part.kind == "token"]
    basis = valued or [part for part in keyed if part.role == tokens.EQUAL]
    if not basis:
        nobody = np.full(smashed.rows, -1, dtype=np.int32)
        return View(nobody, np.zeros(0, np.int64), {}, ())
    first, codes = _distinct([part.rows for part in basis])
    marks = {}
    for part in keyed:
        number = np.append(tokens.as_numbers(part.values), np.uint64(0))  # index -1 reads the appended 0
        marks[part.role] = number[part.rows[first]]
    counts = np.bincount(codes[codes >= 0], minlength=len(first))
    return View(codes, counts, marks, tuple((part, part.rows[first]) for part in valued))


def _distinct(indexes: Sequence[Codes]) -> tuple[npt.NDArray[np.int64], Codes]:
    """First row of each distinct combination, and the combination of each row; -1 where any is missing."""
    present = np.logical_and.reduce([index >= 0 for index in indexes])
    rows = np.flatnonzero(present)
    codes = np.full(len(indexes[0]), -1, dtype=np.int32)
    if not len(rows):
        return rows, codes
    key = indexes[0][rows].astype(np.int64)
    for index in indexes[1:]:
        _, key = np.unique(key, return_inverse=True)
        key = key * (int(index.max()) + 1) + index[rows]
    _, first, inverse = np.unique(key, return_index=True, return_inverse=True)
    codes[rows] = inverse
    return rows[first], codes


@dataclass(eq=False)
class FieldLevels:
    """Levels of one field between two sides, computed for blocks of own values when asked."""

    comparison: FieldComparison
    own: View
    partner: View
    similar: Similar
    exact: bool  # equality can be seen (no noise on either side)
    cuts: npt.NDArray[np.float64] = field(default_factory=lambda: np.full(NEAR_LEVELS, np.inf))
    facts: tuple[Codes, Codes, Levels] = field(default_factory=lambda: _nothing())  # sorted by both values
    equal_to: Codes = field(default_factory=lambda: np.zeros(0, np.int32))  # own value -> equal partner value or -1
    frequency: npt.NDArray[np.float64] | None = None  # share of people by own value, where it was counted elsewhere
    _all: Levels | None = None
    _facts_at: npt.NDArray[np.int64] | None = None  # [own values + 1] where the facts of each begin

    def of(self, own: View, partner: View) -> FieldLevels:
        """The same values, held by other rows."""
        return replace(self, own=own, partner=partner)

    def nobody(self) -> FieldLevels:
        """Left out: as if nobody had a value."""
        return self.of(self.own.nobody(), self.partner.nobody())

    def keep_far_forms(self, spelled_alike: int, progress: Progress = NO_PROGRESS) -> None:
        """Other forms of a name that are spelled alike count by their spelling, which is rarer among strangers."""
        a, b, what = self.facts
        forms = np.flatnonzero(what == SHIFTED)
        if self.comparison.kind != "name" or not len(forms):
            return
        spelled = self.cut(self.similar.pairs(a[forms], b[forms], progress)).reshape(-1)
        kept = np.ones(len(a), np.bool_)
        kept[forms[spelled >= NEAR + spelled_alike]] = False
        self.facts, self._facts_at = (a[kept], b[kept], what[kept]), None

    def partner_rows_equal(self) -> npt.NDArray[np.float64] | None:
        """Partner records equal to each own value, where the whole table is at hand."""
        if self._all is None:
            return None
        return np.asarray((self._all == EQUAL) @ self.partner.counts.astype(np.float64))

    def rows(self, values: Codes) -> Levels:
        """Levels of some own values against all partner values."""
        return self._all[values] if self._all is not None else self._compute(values)

    def keep_all(self, threads: int, progress: Progress) -> None:
        """Compute once and keep; for fields whose table of distinct values is small."""
        from pprl_desktop.compute.bits import in_blocks

        if self._all is not None:
            return
        made = np.empty((self.own.values, self.partner.values), dtype=np.uint8)
        step = max(1, BLOCK_CELLS // max(self.partner.values, 1))
        starts = range(0, len(made), step)
        for start, rows in zip(starts, in_blocks(_Rows(self, step), starts, threads, progress), strict=True):
            made[start : start + step] = rows
        self._all = made

    def pairs(
        self, own: Codes, partner: Codes, similarity: Floats | None = None, progress: Progress = NO_PROGRESS
    ) -> Levels:
        """Levels of single pairs of values (no missing ones), from their similarity where it is known already."""
        if self._all is None and similarity is None:
            similarity = self.similar.pairs(own, partner, progress)
        made = np.empty(len(own), dtype=np.uint8)
        for start in range(0, len(own), PAIRS_AT_ONCE):
            progress.check()
            some = slice(start, start + PAIRS_AT_ONCE)
            made[some] = self._some_pairs(own[some], partner[some], None if similarity is None else similarity[some])
        return made

    def _some_pairs(self, own: Codes, partner: Codes, similarity: Floats | None) -> Levels:
        if self._all is not None:
            return self._all[own, partner]
        assert similarity is not None
        from pprl_desktop.decisions.adaptive.kernels import tell

        level = self.cut(similarity)
        a, b, what = self.facts
        if len(a):
            if self._facts_at is None:
                self._facts_at = np.searchsorted(a, np.arange(self.own.values + 1))
            tell(own, partner, self._facts_at, b, what, level)
        self._initials(level, own, partner)
        return level

    def _compute(self, values: Codes) -> Levels:
        level = self.cut(self.similar.block(values))
        a, b, what = self.facts
        if len(a):
            place = np.full(self.own.values, -1, dtype=np.int64)
            place[values] = np.arange(len(values))
            here = np.flatnonzero(place[a] >= 0)
            level[place[a[here]], b[here]] = what[here]
        own, partner = values[:, None], np.arange(self.partner.values, dtype=np.int32)[None, :]
        self._initials(level, own, partner)
        return level

    def cut(self, similarity: Floats) -> Levels:
        """The levels of similarities, before tokens have their say."""
        from pprl_desktop.decisions.adaptive.kernels import cut

        level = np.empty(similarity.shape, dtype=np.uint8)
        # one cut more: values that noise alone may have made different (levels_similar.SAME) are equal
        cuts = np.append(self.cuts, EQUAL_BUT_FOR_NOISE).astype(np.float32)
        cut(np.atleast_2d(similarity), np.minimum(cuts, EQUAL_BUT_FOR_NOISE), np.atleast_2d(level))
        return level

    def _initials(self, level: Levels, own: Codes, partner: Codes) -> None:
        mine, theirs = self.own.tokens, self.partner.tokens
        if tokens.INITIAL not in mine or tokens.INITIAL not in theirs:
            return
        none_a, none_b = np.zeros(self.own.values, np.uint64), np.zeros(self.partner.values, np.uint64)
        single_a = mine.get(tokens.SINGLE, none_a) != 0
        single_b = theirs.get(tokens.SINGLE, none_b) != 0
        if not single_a.any() and not single_b.any():
            return
        letter_a, letter_b = mine[tokens.INITIAL], theirs[tokens.INITIAL]
        if own.ndim == 1:
            hit = single_a[own] | single_b[partner]
            level[hit] = np.where(letter_a[own[hit]] == letter_b[partner[hit]], INITIAL, OTHER_INITIAL)
            return
        columns = np.flatnonzero(single_b)
        if len(columns):
            same = letter_a[own[:, 0]][:, None] == letter_b[columns][None, :]
            level[:, columns] = np.where(same, INITIAL, OTHER_INITIAL)
        lines = np.flatnonzero(single_a[own[:, 0]])
        if len(lines):
            same = letter_a[own[lines, 0]][:, None] == letter_b[None, :]
            level[lines] = np.where(same, INITIAL, OTHER_INITIAL)


@dataclass(frozen=True, eq=False)
class _Rows(Portable[int, Levels]):
    """Levels of a few own values, from one on, against all of the partner's."""

    field: FieldLevels
    step: int

    def __call__(self, start: int) -> Levels:
        return self.field.rows(np.arange(start, min(start + self.step, self.field.own.values), dtype=np.int32))


def pair_levels(fields: Sequence[FieldLevels], own: Codes, partner: Codes, progress: Progress = NO_PROGRESS) -> Levels:
    """[pairs, fields] of own rows with partner rows, MISSING where either has no value."""
    levels = np.full((len(own), len(fields)), MISSING, dtype=np.uint8)
    for f, one in enumerate(fields):
        progress.check()
        a, b = one.own.codes[own], one.partner.codes[partner]
        present = np.flatnonzero((a >= 0) & (b >= 0))
        levels[present, f] = one.pairs(a[present], b[present], progress=progress)
    return levels


class Similar(ABC):
    """How two values are compared; larger is more alike. One subclass per measure."""

    @abstractmethod
    def block(self, own: Codes) -> Floats:
        """Each of these own values with every value of the partner."""

    @abstractmethod
    def pairs(self, own: Codes, partner: Codes, progress: Progress = NO_PROGRESS) -> Floats:
        """Own and partner values one by one."""

    @abstractmethod
    def near(self, own: Codes, least: float, progress: Progress = NO_PROGRESS) -> tuple[Codes, Codes, Floats]:
        """Places among these own values, partner values and similarities of all pairs more alike than `least`."""

    @abstractmethod
    def between(self, own: View, partner: View, epsilon: tuple[float | None, float | None]) -> Similar:
        """The same measure on other values: what was fitted here stays as it is."""


def _nothing() -> tuple[Codes, Codes, Levels]:
    return np.zeros(0, np.int32), np.zeros(0, np.int32), np.zeros(0, np.uint8)


def find_facts(own: View, partner: View, exact: bool) -> tuple[tuple[Codes, Codes, Levels], Codes]:
    """Pairs of values about which tokens tell something, and the equal partner value of each own value."""
    a, b = _equal_values(own, partner, exact)
    equal_to = np.full(own.values, -1, dtype=np.int32)
    equal_to[a] = b
    found = [(a, b, EQUAL)]
    if exact:
        found += [(*joined, SHIFTED) for joined in _shifted(own, partner)]
        found += [(*joined, WORD) for joined in _shared_words(own, partner)]
    left = np.concatenate([pair[0] for pair in found]).astype(np.int32)
    right = np.concatenate([pair[1] for pair in found]).astype(np.int32)
    what = np.concatenate([np.full(len(pair[0]), pair[2], np.uint8) for pair in found])
    key = left.astype(np.int64) * max(partner.values, 1) + right
    _, first = np.unique(key, return_index=True)  # what was found first is the stronger fact
    return (left[first], right[first], what[first]), equal_to


def _equal_values(own: View, partner: View, exact: bool) -> tuple[Codes, Codes]:
    if tokens.EQUAL in own.tokens and tokens.EQUAL in partner.tokens:
        return join(own.tokens[tokens.EQUAL], partner.tokens[tokens.EQUAL])
    if not exact or not own.parts or not partner.parts or not own.values or not partner.values:
        return np.zeros(0, np.int32), np.zeros(0, np.int32)
    left = np.concatenate([part.values[rows] for part, rows in own.parts], axis=1)
    right = np.concatenate([part.values[rows] for part, rows in partner.parts], axis=1)
    return join(*_fingerprints(left, right))


def _fingerprints(left: npt.NDArray[np.uint8], right: npt.NDArray[np.uint8]) -> tuple[Tokens, Tokens]:
    rows = np.ascontiguousarray(np.concatenate([left, right]))
    _, mark = np.unique(rows.view(np.dtype((np.void, rows.shape[1]))).reshape(-1), return_inverse=True)
    number = mark.astype(np.uint64) + np.uint64(1)
    return number[: len(left)], number[len(left) :]


def _shifted(own: View, partner: View) -> list[tuple[Codes, Codes]]:
    found = []
    for role in (tokens.SWAPPED, tokens.NEXT):
        if role in own.tokens and tokens.EQUAL in partner.tokens:
            found.append(join(own.tokens[role], partner.tokens[tokens.EQUAL]))
        if role in partner.tokens and tokens.EQUAL in own.tokens:
            found.append(join(own.tokens[tokens.EQUAL], partner.tokens[role]))
    forms = [[side.tokens[role] for role in tokens.VARIANT_ROLES if role in side.tokens] for side in (own, partner)]
    return found + [join(a, b) for a in forms[0] for b in forms[1]]


def _shared_words(own: View, partner: View) -> list[tuple[Codes, Codes]]:
    mine, theirs = word_tokens(own), word_tokens(partner)
    found = [join(a, b) for a in mine[1:] for b in theirs] + [join(mine[0], b) for b in theirs[1:]]
    return [pair for pair in found if len(pair[0]) <= MANY]


def word_tokens(side: View) -> list[Tokens]:
    """The value as a whole, then its words."""
    whole = side.tokens.get(tokens.EQUAL)
    if whole is None:
        return [np.zeros(side.values, np.uint64)]
    return [whole, *(side.tokens[role] for role in tokens.WORD_ROLES if role in side.tokens)]


def join(left: Tokens, right: Tokens, most: int = 4 * MANY) -> tuple[Codes, Codes]:
    """All pairs of equal tokens (0 is none), without the most common tokens once there are more than `most`."""
    order = np.argsort(right, kind="stable")
    ranked = right[order]
    start, end = np.searchsorted(ranked, left, "left"), np.searchsorted(ranked, left, "right")
    number = np.where(left != 0, end - start, 0)
    if int(number.sum()) > most:
        by_size = np.argsort(number, kind="stable")
        too_many = by_size[np.cumsum(number[by_size]) > most]
        number[too_many] = 0
    a = np.repeat(np.arange(len(left)), number)
    offset = np.arange(len(a)) - np.repeat(np.cumsum(number) - number, number)
    b = order[np.repeat(start, number) + offset]
    return a.astype(np.int32), b.astype(np.int32)
