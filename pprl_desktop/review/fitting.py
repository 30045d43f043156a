"""Which values of the data set fit what the mask of a cell shows, and which classes of k tell them apart too well.

A mask shows how long two values are and where they differ. Of all pairs of values that look like that, often only a
few have a crowd of one class: whoever knows the values of the data set would read a name from the class alone. So
classes are joined, for each picture of a mask, until every one holds enough different values (review/classes.py).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import combinations

import numpy as np
import numpy.typing as npt

from pprl_desktop.review.classes import ALL, BOUNDS, FEWEST, Bounds, bounds_of
from pprl_desktop.review.index import POSITIONS, Crowd
from pprl_desktop.review.marks import Cap, Level, Mask
from pprl_desktop.review.masking import DateSwap, mask, shown

Whole = npt.NDArray[np.int64]
Keys = npt.NDArray[np.uint64]
MOST_PAIRS = 10_000  # of values that are looked at; where more fit, the first ones stand for all
LOOKED_AT = 60  # so few are masked one by one: the same letters aligned otherwise are another picture
NOTHING_TOLD: Bounds = frozenset(BOUNDS[:1])
# the classes that may be told, the most telling first; the first of them begins with the smallest crowd in any case
CHOICES: tuple[Bounds, ...] = tuple(
    frozenset((BOUNDS[0], *more)) for size in range(len(BOUNDS) - 1, -1, -1) for more in combinations(BOUNDS[1:], size)
)


class Fitting:
    """Worked out once for every field and picture."""

    def __init__(self, crowd: Crowd, caps: Sequence[Cap], date_swap: DateSwap) -> None:
        self._crowd = crowd
        self._caps = tuple(caps)
        self._date_swap: DateSwap = date_swap
        self.every = tuple(bounds_of(crowd.counts(j)) for j in range(len(crowd.fields)))  # whatever the mask
        self._long = tuple((one.characters[:-1] > 0).sum(axis=1) for one in crowd.fields)
        self._known: dict[Hashable, Bounds] = {}

    def bounds(self, field: int, found: Mask, level: Level, row: int) -> Bounds:
        """The classes of k that may be told of a row in which this cell is open."""
        if level == Level.MASKED:
            return ALL
        every = self.every[field]
        if found.kind == "aligned":
            if (field, found.marks) not in self._known:
                self._known[field, found.marks] = self._of_pairs(field, found)
            partly = self._known[field, found.marks]
            return partly if level == Level.PARTIAL else partly & every
        if found.kind in ("different", "missing", "swapped") and found.type != "category":
            length = len(found.positions(row)) + len(found.separators[row])
            if (field, length) not in self._known:
                of_length = self._crowd.counts(field)[self._long[field] == min(length, POSITIONS)]
                self._known[field, length] = bounds_of(of_length)
            return every & self._known[field, length]
        return every

    def _of_pairs(self, field: int, found: Mask) -> Bounds:
        """Of two aligned values, before their letters are seen."""
        lengths = [sum(place is not None for place in places) for places in self._places(found)]
        if max(lengths) >= POSITIONS:
            return NOTHING_TOLD
        values = [np.flatnonzero(self._long[field] == length) for length in lengths]
        pairs = self._pairs(field, found, values)
        if FEWEST <= pairs.shape[1] <= LOOKED_AT:  # fewer are told nothing anyway, or are all in one class
            pairs = self._that_look_so(field, found, values, pairs)
        crowds = [self._crowds(field, found, values[row], row)[pairs[row]] for row in (0, 1)]
        codes = [values[row][pairs[row]] for row in (0, 1)]
        return next((bounds for bounds in CHOICES if _tells_little(bounds, crowds, codes)), NOTHING_TOLD)

    @staticmethod
    def _places(found: Mask) -> tuple[tuple[int | None, ...], tuple[int | None, ...]]:
        return tuple(mark.a for mark in found.marks), tuple(mark.b for mark in found.marks)

    def _pairs(self, field: int, found: Mask, values: Sequence[Whole]) -> Whole:
        """Places, among the values of each row, of all that have the same letters where the mask says so."""
        table = self._crowd.fields[field].characters
        keys = [_keys(table[values[row]][:, places]) for row, places in enumerate(_equal_places(found))]
        above = np.argsort(keys[0], kind="stable")
        ordered = keys[0][above]
        first, last = (np.searchsorted(ordered, keys[1], side) for side in ("left", "right"))
        each = (last - first).astype(np.int64)
        below = np.repeat(np.arange(len(keys[1])), each)[:MOST_PAIRS]
        within = np.arange(len(below)) - np.repeat(np.cumsum(each) - each, each)[:MOST_PAIRS]
        pairs = np.stack([above[first[below] + within], below]) if len(below) else np.zeros((2, 0), np.int64)
        a, b = (table[values[row][pairs[row]]] for row in (0, 1))
        fits = np.ones(pairs.shape[1], np.bool_)
        for mark in found.marks:
            if mark.kind in ("replace", "transpose") and mark.a is not None and mark.b is not None:
                fits &= a[:, mark.a] != b[:, mark.b]
        return pairs[:, fits]

    def _that_look_so(self, field: int, found: Mask, values: Sequence[Whole], pairs: Whole) -> Whole:
        texts = self._crowd.fields[field].column.values
        same = [
            mask(found.type, texts[values[0][a]], texts[values[1][b]], self._date_swap).marks == found.marks
            for a, b in pairs.T.tolist()
        ]
        return pairs[:, np.array(same, np.bool_)]

    def _crowds(self, field: int, found: Mask, values: Whole, row: int) -> Whole:
        """k of each of these values once the letters are open that the first level shows."""
        visible = sorted(shown(found, Level.PARTIAL, self._caps[field], row))
        keys = _keys(self._crowd.fields[field].characters[values][:, visible])
        _, back = np.unique(keys, return_inverse=True)
        sums = np.bincount(back, weights=self._crowd.counts(field)[values])
        return sums[back].astype(np.int64)


def _equal_places(found: Mask) -> tuple[list[int], list[int]]:
    """Places of both rows whose letters are equal, one by one, by what the mask shows."""
    both = [(mark.kind, mark.flip, mark.a, mark.b) for mark in found.marks if mark.a is not None and mark.b is not None]
    above = [(a, b) for kind, _, a, b in both if kind in ("same", "separator")]
    first, second = ([(a, b) for kind, f, a, b in both if kind in ("transpose", "swap") and f == flip]
                     for flip in (False, True))  # fmt: skip
    if len(first) == len(second):  # what changed places with what
        above += [(a, b) for (a, _), (_, b) in zip(first + second, second + first, strict=True)]
    return [a for a, _ in above], [b for _, b in above]


def _keys(letters: npt.NDArray[np.unsignedinteger]) -> Keys:  # type: ignore[type-arg]
    """One number for each row of letters; two rows that differ share one as good as never."""
    factors = np.random.default_rng(7).integers(1, 1 << 63, letters.shape[1], dtype=np.uint64) | np.uint64(1)
    made: Keys = (letters.astype(np.uint64) * factors).sum(axis=1, dtype=np.uint64)
    return made


def _tells_little(bounds: Bounds, crowds: Sequence[Whole], codes: Sequence[Whole]) -> bool:
    """Every class holds enough different values in both rows, or all are in one."""
    starts = np.array(sorted(bounds))
    classes = [np.searchsorted(starts, crowd, side="right") for crowd in crowds]
    told = classes[0] * (len(BOUNDS) + 1) + classes[1]
    kinds = np.unique(told)
    if len(kinds) <= 1:
        return True
    return all(len(np.unique(codes[row][told == kind])) >= FEWEST for kind in kinds for row in (0, 1))
