"""Lists of similar values: for each own value of a field, the partner's values that are more than strangers to it.

Large files hold far fewer distinct values than pairs of records, so similar *values* are found first, once, and pairs
of records through them (listed_scan.py). What is not in a list differs, as far as the levels of the list reach.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pprl_desktop.codes import tokens
from pprl_desktop.compute.engines import Portable
from pprl_desktop.compute.threads import in_blocks, interruptible
from pprl_desktop.decisions.adaptive.levels import (
    EQUAL,
    INITIAL,
    NEAR,
    Codes,
    FieldLevels,
    Levels,
    join,
)
from pprl_desktop.decisions.adaptive.tuning import Tuning
from pprl_desktop.progress import Progress

MOST_CELLS = 1.2e11  # pairs of values of one field compared at most: some minutes; beyond it only tokens are joined
ENTRIES = 20_000_000  # entries of one list: 100 MB, and as much again while it is made
SMALL = 2_000_000  # pairs of values of a field that are all listed
SAMPLE = 200_000  # pairs of values from which the length of the lists is foreseen
UNIT_CELLS = 1 << 22  # pairs of values compared in one block: some tens of ms
LEAST_VALUES = 64  # own values in one block at least, so that the partner's are not fetched for each of them

Places = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Lists:
    """Sorted by own value, then by partner value."""

    start: Places  # [own values + 1] where the list of each own value begins
    value: Codes  # partner value
    level: Levels
    lowest: int  # near levels from this one on are in the lists


def usual(tuning: Tuning) -> int:
    """The lowest near level that is listed: less similar values weigh next to nothing."""
    return NEAR + sum(share > tuning.listed_from for share in tuning.quantiles)


def make(one: FieldLevels, tuning: Tuning, threads: int, progress: Progress) -> Lists:
    lowest = _lowest(one, tuning)
    found = one.facts
    if lowest < EQUAL:
        found = interruptible(progress, _merged, one, _near(one, lowest, threads, progress), found)
    own, partner, level = interruptible(progress, _with_initials, one, found)
    start = np.searchsorted(own, np.arange(one.own.values + 1))
    return Lists(start, partner, level, lowest)


def _lowest(one: FieldLevels, tuning: Tuning) -> int:
    """The lowest near level that fits the room for entries; EQUAL: none does."""
    every = float(one.own.values) * one.partner.values
    if not one.own.parts or not one.partner.parts or not every or every > MOST_CELLS:
        return EQUAL
    if every <= SMALL:
        return NEAR
    random = np.random.default_rng(0)
    a = random.integers(0, one.own.values, SAMPLE, dtype=np.int32)
    b = random.integers(0, one.partner.values, SAMPLE, dtype=np.int32)
    similarity = one.similar.pairs(a, b)
    for level in range(usual(tuning), EQUAL):
        if every * float((similarity > one.cuts[level - NEAR]).mean()) <= ENTRIES:
            return level
    return EQUAL


def _near(one: FieldLevels, lowest: int, threads: int, progress: Progress) -> tuple[Codes, Codes, Levels]:
    least = float(one.cuts[lowest - NEAR])
    interruptible(progress, one.similar.near, np.zeros(1, np.int32), least)  # prepares what all blocks need
    step = max(LEAST_VALUES, UNIT_CELLS // max(one.partner.values, 1))
    starts = range(0, one.own.values, step)
    return _joined(list(in_blocks(_Near(one, least, step), starts, threads, progress)))


@dataclass(frozen=True, eq=False)
class _Near(Portable[int, tuple[Codes, Codes, Levels]]):
    field: FieldLevels
    least: float
    step: int

    def __call__(self, start: int) -> tuple[Codes, Codes, Levels]:
        values = np.arange(start, min(start + self.step, self.field.own.values), dtype=np.int32)
        own, partner, similarity = self.field.similar.near(values, self.least)
        order = np.lexsort((partner, own))
        return values[own[order]], partner[order], self.field.cut(similarity[order])


def _joined(parts: Sequence[tuple[Codes, Codes, Levels]]) -> tuple[Codes, Codes, Levels]:
    own = np.concatenate([part[0] for part in parts] or [np.zeros(0, np.int32)])
    partner = np.concatenate([part[1] for part in parts] or [np.zeros(0, np.int32)])
    return own, partner, np.concatenate([part[2] for part in parts] or [np.zeros(0, np.uint8)])


def _merged(
    one: FieldLevels, weaker: tuple[Codes, Codes, Levels], stronger: tuple[Codes, Codes, Levels]
) -> tuple[Codes, Codes, Levels]:
    """Two sorted lists as one; where both speak of a pair of values the stronger one is right."""
    width = max(one.partner.values, 1)
    keys = [own.astype(np.int64) * width + partner for own, partner, _ in (weaker, stronger)]
    if len(keys[1]):
        at = np.minimum(np.searchsorted(keys[1], keys[0]), len(keys[1]) - 1)
        alone = keys[1][at] != keys[0]
        weaker = weaker[0][alone], weaker[1][alone], weaker[2][alone]
        place = np.searchsorted(keys[0][alone], keys[1])
        weaker = (
            np.insert(weaker[0], place, stronger[0]),
            np.insert(weaker[1], place, stronger[1]),
            np.insert(weaker[2], place, stronger[2]),
        )
    return weaker


def _with_initials(one: FieldLevels, listed: tuple[Codes, Codes, Levels]) -> tuple[Codes, Codes, Levels]:
    """An initial agrees with every name it begins, and tells nothing else about it (as FieldLevels has it)."""
    mine, theirs = one.own.tokens, one.partner.tokens
    if tokens.INITIAL not in mine or tokens.INITIAL not in theirs:
        return listed
    single_a = mine.get(tokens.SINGLE, np.zeros(one.own.values, np.uint64)) != 0
    single_b = theirs.get(tokens.SINGLE, np.zeros(one.partner.values, np.uint64)) != 0
    if not single_a.any() and not single_b.any():
        return listed
    own, partner, level = listed
    whole = ~(single_a[own] | single_b[partner])
    letter_a, letter_b, none = mine[tokens.INITIAL], theirs[tokens.INITIAL], np.uint64(0)
    pairs = [
        join(np.where(single_a, letter_a, none), letter_b),
        join(np.where(single_a, none, letter_a), np.where(single_b, letter_b, none)),
    ]
    a, b = np.concatenate([pair[0] for pair in pairs]), np.concatenate([pair[1] for pair in pairs])
    order = np.lexsort((b, a))
    initials = a[order], b[order], np.full(len(a), INITIAL, dtype=np.uint8)
    return _merged(one, (own[whole], partner[whole], level[whole]), initials)
