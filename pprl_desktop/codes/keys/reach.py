"""What a lying partner reaches of the side that is easier to guess: counted for many keys while they are chosen."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pprl_desktop.codes.keys import coverage
from pprl_desktop.codes.keys.recipe import Columns, Key, lines_of

PADDING = 1.06  # budget beyond the expected number of keys: slack of the limits, and what is asked twice
SPARE = 20  # questions of each kind beyond that
SAMPLE = 5000  # records on which coverage is counted roughly
SMALLER = 0.9  # times the own records, below which the partner's table is the one that is easier to guess
PARTS = 4  # of the own table that stand for a smaller one of the partner
RECOMBINED = 8  # times as many people put together from several records, in tables of few

Numbers = npt.NDArray[np.float64]
Rows = npt.NDArray[np.int64]


class Reach:
    """What guessing reaches, on the side that is easier to guess: the smaller table, whom the larger one may ask more.
    Where that is the partner's, parts of the own table of its size stand for it."""

    def __init__(self, columns: Columns, partner_rows: int, directions: int, seed: int) -> None:
        rows = columns.table.rows
        self.columns = columns
        self._hits: dict[Key, Numbers] = {}
        random = np.random.default_rng(seed)
        self.records = float(directions * max(rows, partner_rows))
        if partner_rows >= SMALLER * rows:
            self._exposed = [columns]
        else:
            order, size = random.permutation(rows), max(partner_rows, 1)
            self._exposed = [
                Columns(columns.table.take(np.sort(order[part * size : (part + 1) * size])))
                for part in range(min(rows // size, PARTS))
            ]
        self._guessers = [coverage.Guesser(one, "public") for one in self._exposed]
        times = min(RECOMBINED, SAMPLE // (len(self._exposed) * self._exposed[0].table.rows))
        self._people = [recombined(one, times, random) for one in self._guessers]
        most = max(SAMPLE // len(self._exposed), 1)
        self._some = [
            {name: rows[_spread(len(rows), most)] for name, rows in people.items()} for people in self._people
        ]
        self.sampled = sum(len(next(iter(one.values()))) for one in self._some)
        self._made_up = np.concatenate(
            [
                np.arange(len(next(iter(people.values())))) >= one.table.rows
                for one, people in zip(self._exposed, self._people, strict=True)
            ]
        )

    def roughly(self, key: Key, values: float) -> npt.NDArray[np.bool_]:
        """Which records of a sample are reached; `values`: keys of this type per record."""
        budget = self.records * values * PADDING + SPARE
        made = []
        for guesser, some in zip(self._guessers, self._some, strict=True):
            odds = guesser.of_key(key)
            end = coverage.bar([one.counts(coverage.COARSE, 4 * budget) for one in odds], budget, coverage.COARSE)
            made.append(end.hits(costs(guesser, key, some)) >= 0.5)
        return np.concatenate(made)

    def hits(self, key: Key) -> Numbers:
        """To the last record: for the keys that are about to be taken."""
        if key not in self._hits:
            values = len(lines_of(self.columns, key)[0]) / max(self.columns.table.rows, 1)
            budget = self.records * values * PADDING + SPARE
            made = []
            for guesser, people in zip(self._guessers, self._people, strict=True):
                odds = guesser.of_key(key)
                end = coverage.bar([one.counts(coverage.FINE, 4 * budget) for one in odds], budget, coverage.FINE)
                made.append(end.hits(costs(guesser, key, people)))
            self._hits[key] = np.concatenate(made)
        return self._hits[key]

    def share(self, missed: Numbers) -> float:
        """Of the records, and of those put together from several: the larger."""
        return max(1.0 - float(missed[some].mean()) for some in (~self._made_up, self._made_up) if some.any())


def costs(guesser: coverage.Guesser, key: Key, people: dict[str, Rows]) -> Numbers:
    parts = guesser.parts(key)
    return np.asarray(-np.sum([guesser.odds(part).best[people[part[0].fields[0]]] for part in parts], axis=0))


def _spread(count: int, most: int) -> Rows:
    return np.unique(np.linspace(0, count - 1, min(count, most)).astype(np.int64))


def recombined(guesser: coverage.Guesser, times: int, random: np.random.Generator) -> dict[str, Rows]:
    """Field -> the record from which each person has it: first the records themselves, then people put together from
    the name of one record, the date of another, the address of a third (fields that tell each other stay together).
    Keys are chosen that reach few of the very records at hand; of people who could as well be there they reach as many
    as of the partner's."""
    table = guesser.columns.table
    together = [{one.name} for one in table.fields]
    for pair in guesser.telling:
        met = [group for group in together if group & pair]
        together = [group for group in together if not group & pair] + [set[str]().union(*met)]
    itself = np.arange(table.rows)
    made: dict[str, Rows] = {}
    for group in sorted(map(sorted, together)):
        rows = np.concatenate([itself, *(random.permutation(table.rows) for _ in range(times))])
        made |= dict.fromkeys(group, rows)
    return made
