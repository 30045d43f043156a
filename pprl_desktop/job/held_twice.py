"""How many people the own table holds more than once: found by the decision itself, on clear text, at home.

Only the share ever leaves, in an agreement, and never who. A large table is not compared as a whole: records that share
a value of its most telling field are, for a choice of such values, so that copies stay together.
"""

from __future__ import annotations

import secrets
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from pprl_desktop.codes.directions import Direction, suggested
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.records.table import CleanTable
from pprl_desktop.said import NOTHING, Said

MOST = 20_000  # records compared with each other: about ten seconds of one processor
METHOD = "bloom"  # the field layout without noise loses least of a value


@dataclass(frozen=True)
class HeldTwice:
    """`sizes` says how many people have how many records; `expected` adds up the probabilities of the pairs found."""

    rows: int  # of the table
    looked_at: int  # records; fewer than there are where the table is large
    repeated: int  # records beyond the first of their person, among those
    expected: float  # pairs of one person's records that are no exact copies
    sizes: tuple[tuple[int, int], ...]  # (records, people)

    @property
    def share(self) -> float:
        """Of the records, those that repeat a person."""
        return self.repeated / self.looked_at if self.looked_at else 0.0

    @property
    def direction(self) -> Direction:
        """What the own side asks for; the partner's side is the partner's to say."""
        return suggested(self.share, None)

    def said(self) -> Said:
        if not self.repeated:
            return Said("Nobody seems to be held twice ({n} records compared).", n=self.looked_at)
        people = sum(count for _, count in self.sizes)
        return Said(
            "About {share:decimals 1} of 100 records repeat a person: {repeated|one record|{repeated} records} "
            "beyond the first of {people|one person|{people} people} among {n} compared{most}.",
            share=100 * self.share,
            repeated=self.repeated,
            people=people,
            n=self.looked_at,
            most=self._most(),
        )

    def _most(self) -> Said:
        largest = max((records for records, _ in self.sizes), default=1)
        return Said("; at most {n} records of one person", n=largest) if largest > 2 else NOTHING

    def as_dict(self) -> dict[str, Any]:
        return {
            **asdict(self),
            "sizes": {str(records): people for records, people in self.sizes},
            "share": round(self.share, 4),
            "direction": self.direction,
        }


def find(table: CleanTable, progress: Progress = NO_PROGRESS) -> HeldTwice:
    from pprl_desktop.codes.recipe import build, settings
    from pprl_desktop.decisions.adaptive.deduplication import held_twice
    from pprl_desktop.matching.party import one_table

    some = table.take(_together(table)) if table.rows > MOST else table
    recipe = build(METHOD, table.fields, settings(METHOD), secret=secrets.token_bytes(32))
    ready = one_table(some, recipe, progress.part(0.0, 0.25))
    found = held_twice(ready.own, ready.rule, progress=progress.part(0.25, 1.0))
    progress.at(1.0)
    sizes = tuple(sorted(found.sizes().items()))
    return HeldTwice(table.rows, some.rows, found.repeated, round(found.expected, 1), sizes)


def _together(table: CleanTable) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Rows of some values of the most telling field, about MOST of them: one person's records mostly share it."""
    telling = max(table.columns, key=lambda one: len(one.values) * float(np.mean(one.codes >= 0)))
    order = np.random.default_rng(0).permutation(len(telling.values))
    reached = np.cumsum(telling.counts()[order])
    chosen = order[: max(int(np.searchsorted(reached, MOST, "right")), 1)]
    return np.flatnonzero(np.isin(telling.codes, chosen))
