"""How many strangers share a key: pairs of different people within the own table, as far as it can tell."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from pprl_desktop.codes.keys.recipe import Columns, Key, lines_of

ROWS = 20_000  # of a larger table a sample is looked at
MOST_PAIRS = 4_000_000  # of one key: beyond it the key is hopeless, and counting ends
SAME = 0.85  # share of the fields both have that are equal from which a pair is one person held twice
CHANCE = 1.645  # standard errors either way that hold nine of ten counts

Pairs = npt.NDArray[np.int64]


class Near:
    """Counts strangers on a table, or on a sample of it, scaled to its size."""

    def __init__(self, columns: Columns, seed: int = 0, rows: int = ROWS) -> None:
        table = columns.table
        self.scale = 1.0
        self.rows = table.rows
        self.chosen = np.arange(table.rows)  # rows of the table that are looked at
        if table.rows > rows:
            some = np.sort(np.random.default_rng(seed).choice(table.rows, rows, replace=False))
            self.scale = (table.rows - 1) / (rows - 1)
            columns = Columns(table.take(some))
            self.rows = rows
            self.chosen = some
        self.columns = columns
        self._pairs: dict[Key, Pairs | None] = {}

    def start(self) -> Shared:
        return Shared(self, np.zeros(0, np.int64))

    def pairs(self, key: Key) -> Pairs | None:
        """first row x rows + second row of every pair of strangers that shares a key of this type; None: too many."""
        if key not in self._pairs:
            self._pairs[key] = self._found(key)
        return self._pairs[key]

    def _found(self, key: Key) -> Pairs | None:
        rows, chosen = lines_of(self.columns, key)
        mark = np.zeros(len(rows), dtype=np.uint64)
        random = np.random.default_rng(7)
        for place in range(chosen.shape[1]):
            marks = random.integers(1, 1 << 63, size=int(chosen[:, place].max(initial=0)) + 1, dtype=np.uint64)
            mark = (mark ^ marks[chosen[:, place]]) * np.uint64(0x9E3779B97F4A7C15)
        order = np.argsort(mark, kind="stable")
        ranked, people = mark[order], rows[order].astype(np.int64)
        made = []
        total = 0
        for step in range(1, len(ranked)):  # lines that are `step` apart within a run of equal marks
            same = np.flatnonzero(ranked[step:] == ranked[:-step])
            if not len(same):
                break
            total += len(same)
            if total > MOST_PAIRS:
                return None
            a, b = people[same], people[same + step]
            made.append(np.where(a < b, a * self.rows + b, b * self.rows + a)[a != b])
        if not made:
            return np.zeros(0, np.int64)
        return self._strangers(np.unique(np.concatenate(made)))

    def _strangers(self, pairs: Pairs) -> Pairs:
        a, b = pairs // self.rows, pairs % self.rows
        both, equal = np.zeros(len(pairs)), np.zeros(len(pairs))
        for column in self.columns.table.columns:
            x, y = column.codes[a], column.codes[b]
            present = (x >= 0) & (y >= 0)
            both += present
            equal += present & (x == y)
        return pairs[equal < SAME * np.maximum(both, 1)]


@dataclass(frozen=True, eq=False)
class Shared:
    """Strangers that share a key of any of the types given so far."""

    near: Near
    pairs: Pairs = field(repr=False)
    too_many: bool = False

    def with_key(self, key: Key) -> Shared:
        more = self.near.pairs(key)
        if more is None:
            return Shared(self.near, self.pairs, True)
        return Shared(self.near, np.union1d(self.pairs, more), self.too_many)

    @property
    def per_record(self) -> float:
        """Pairs of strangers per record of the table."""
        if self.too_many:
            return float("inf")
        return self.near.scale * len(self.pairs) / max(self.near.rows, 1)

    def opened(self, others: int) -> float:
        """Share of records that would share a key with a stranger among so many records of the partner."""
        return self._share(len(self._ends()), others)

    def opened_by_chance(self, others: int) -> tuple[float, float]:
        """The share that `opened` tells is counted on few pairs, and few will be met: both counts may be others by
        chance. Nine of ten times it lies between these."""
        if self.too_many:
            return 1.0, 1.0
        ends = len(self._ends())
        share = self._share(max(ends, 1), others)  # one record in place of none
        met = share * self.near.scale * self.near.rows
        error = CHANCE * math.sqrt(1.0 / (0.5 * ends + 0.5) + 1.0 / (met + 0.5))
        return share * math.exp(-error) if ends else 0.0, min(share * math.exp(error), 1.0)

    def _ends(self) -> Pairs:
        """Records that share a key with a stranger."""
        return np.unique(np.concatenate([self.pairs // self.near.rows, self.pairs % self.near.rows]))

    def _share(self, ends: int, others: int) -> float:
        if self.too_many:
            return 1.0
        alone = 1.0 - ends / max(self.near.rows, 1)
        compared = max(self.near.rows - 1, 1)  # records each one was compared with
        return float(1.0 - max(alone, 1e-12) ** (others / compared))
