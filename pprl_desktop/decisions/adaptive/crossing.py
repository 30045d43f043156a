"""Values found in another field: a maiden name that is now the middle name, first and last name exchanged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pprl_desktop.decisions.adaptive.levels import DIFFERS, EQUAL, MISSING, FieldLevels, Tokens, word_tokens
from pprl_desktop.decisions.base import Rows

CROSSING = ("name", "date")  # kinds whose fields are compared with each other

Levels = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Crossing:
    own: int  # index of the field on the own side
    partner: int  # index of the other field on the partner's side


def crossings(fields: Sequence[FieldLevels], most: int) -> tuple[Crossing, ...]:
    """At most so many ordered pairs of fields."""
    if not all(one.exact for one in fields):
        return ()
    found = []
    for a, one in enumerate(fields):
        for b, other in enumerate(fields):
            alike = a != b and one.comparison.kind == other.comparison.kind and one.comparison.kind in CROSSING
            if alike and one.own.tokens and other.partner.tokens:
                found.append(Crossing(a, b))
    return tuple(found[:most])


def compare(
    fields: Sequence[FieldLevels], crossing: Crossing, own: Rows, partner: Rows, levels: Levels
) -> tuple[Levels, Floats]:
    """Level (DIFFERS, EQUAL or MISSING) and log u per pair. Says nothing where a field agrees with itself."""
    mine, theirs = fields[crossing.own].own, fields[crossing.partner].partner
    a, b = mine.codes[own], theirs.codes[partner]
    level = np.full(len(own), MISSING, dtype=np.uint8)
    log_u = np.zeros(len(own), dtype=np.float32)
    open_ = (levels[:, crossing.own] != EQUAL) & (levels[:, crossing.partner] != EQUAL) & (a >= 0) & (b >= 0)
    at = np.flatnonzero(open_)
    level[at] = DIFFERS
    if not len(at):
        return level, log_u
    shared = np.zeros(len(at), dtype=np.uint64)
    for left in word_tokens(mine):
        for right in word_tokens(theirs):
            x, y = left[a[at]], right[b[at]]
            shared = np.where((x == y) & (x != 0) & (shared == 0), x, shared)
    hit = shared != 0
    level[at[hit]] = EQUAL
    log_u[at[hit]] = np.log(_frequency(fields[crossing.partner], shared[hit]))
    return level, log_u


def _frequency(field: FieldLevels, wanted: Tokens) -> npt.NDArray[np.float64]:
    """Share of records, of both sides, that hold this token in the field."""
    marks, counts = [], []
    for side in (field.own, field.partner):
        for mark in word_tokens(side):
            marks.append(mark)
            counts.append(side.counts)
    known, at = np.unique(np.concatenate(marks), return_inverse=True)
    total = np.bincount(at, weights=np.concatenate(counts).astype(np.float64))
    place = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
    seen = np.where(known[place] == wanted, total[place], 1.0)
    return np.asarray(np.maximum(seen, 1.0) / max(field.own.present + field.partner.present, 1))
