"""Chooses the keys on the own table alone: greedily, by what they find in the worlds against what guessing reaches."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from pprl_desktop.codes.keys import coverage, strangers
from pprl_desktop.codes.keys.atoms import SLIP, Atom, atoms_of
from pprl_desktop.codes.keys.recipe import (
    LEAST_FIELDS,
    MOST_ATOMS,
    MOST_SLIPS,
    Columns,
    Key,
    Recipe,
    lines_of,
    strength,
)
from pprl_desktop.codes.keys.worlds import Worlds, recall_range, single_letters, worlds_of
from pprl_desktop.problem import Problem
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.records.fields import Field
from pprl_desktop.records.table import CleanTable
from pprl_desktop.said import Said

Bits = npt.NDArray[np.uint8]
Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Tuning:
    """What was tuned, with its unit (ARCHITECTURE 4.6; measured on the developers' sets with blind_quality.py)."""

    bound: float = 0.10  # union coverage
    bound_with_date: float = 0.05  # where a full date of birth leaves less to guess
    proposed: float = 0.9  # share of the bound that a proposal takes up: the partner's table is guessed a little better
    values: float = 24.0  # key values per record, all types together
    strangers: float = 0.1  # own pairs of strangers that share a key, per record
    types: int = 14
    weights: tuple[float, ...] = (6.0, 2.0, 0.7, 0.2)  # recall that a unit of coverage is worth, falling
    prices: tuple[float, ...] = (4e-3, 1e-3, 2e-4)  # recall that one value per record must bring, falling
    kept: int = 1200  # candidates per pair of multipliers that the greedy choice looks at
    sample: int = 5000  # own records on which coverage is counted while choosing
    least_gain: float = 2e-4  # recall, below which a further type is not worth its questions
    exchanges: int = 4  # times that one key may be taken out again and its room filled anew
    least_better: float = 1e-3  # recall that an exchange must bring
    padding: float = 1.06  # budget beyond the expected number of keys: slack of the limits, and what is asked twice


TUNING = Tuning()


@dataclass(frozen=True, eq=False)
class Choice:
    recipe: Recipe
    recall: tuple[tuple[str, float], ...]  # world -> share of people that share a key
    added: tuple[float, ...]  # per key: mean recall that it added when it was chosen
    values: float  # per record, all types
    coverage: float  # as counted while choosing
    bound: float
    dependent: frozenset[frozenset[str]] = field(default=frozenset(), repr=False)

    @property
    def mean_recall(self) -> float:
        return float(sum(self.added))

    def recall_range(self) -> tuple[float, float]:
        """Over the worlds in which fields are damaged, not those in which whole fields are lost."""
        return recall_range(self.recall)


def choose(
    table: CleanTable,
    partner_rows: int,
    bound: float | None = None,
    seed: int = 0,
    tuning: Tuning = TUNING,
    progress: Progress = NO_PROGRESS,
    worlds: Worlds | None = None,
) -> Choice:
    """The keys for this table, against a partner who may ask about so many records. `worlds`: what may have happened to
    the partner's records, where more is known of it than nothing."""
    refuse_fields(table.fields)
    if bound is None:
        bound = tuning.bound_with_date if has_full_date(table) else tuning.bound
    atoms = _useful(table)
    telling = coverage.dependent(table, seed)
    # fields that tell each other in one key cost questions and add little: only where nothing else is left
    keys = list(_candidates(table, atoms, telling)) or list(_candidates(table, atoms, frozenset()))
    if not keys:
        raise too_few_fields()
    progress.at(0.05, "Trying keys on damaged copies")
    worlds = worlds or worlds_of(table, seed)
    held = worlds.holds(atoms, progress.part(0.05, 0.4))
    pool = _pool(table, keys, atoms, held, worlds, partner_rows, bound, seed, tuning, progress.part(0.4, 0.75))
    found: list[Choice] = []
    grid = list(itertools.product(range(len(tuning.weights)), range(len(tuning.prices))))
    for place, (first, second) in enumerate(grid):
        progress.at(0.75 + 0.2 * place / len(grid), "Choosing keys")
        taken = _Taken(pool, bound, tuning)
        found.append(_filled(taken, tuning.weights[first:], tuning.prices[second:], progress))
    best = max(found, key=_worth)
    if not best.recipe.keys:
        raise over_bound(bound)
    best = _exchanged(pool, best, bound, tuning, progress)
    progress.at(1.0)
    return replace(best, dependent=telling)


def _worth(choice: Choice) -> tuple[float, float]:
    return choice.mean_recall - 1e-4 * choice.values, -choice.coverage


def refuse_fields(fields: Sequence[Field]) -> None:
    """Fields with which blind must not be used at all."""
    kinds = {one.kind for one in fields}
    if not kinds - {"name", "category"}:
        raise Problem(
            "Blind needs more than names.",
            "With names alone a partner can guess most keys, and few slips are survived.",
            "Add a date of birth, an age, a place or a number, or choose another method.",
            place="fields",
        )


def too_few_fields() -> Problem:
    return Problem(
        "These fields make no key that names a person.",
        "A key needs three fields that do not tell each other (a full date counts as two; sex and categories never "
        "count).",
        "Add a field, or choose another method.",
        place="fields",
    )


def over_bound(bound: float) -> Problem:
    return Problem(
        Said("No key stays below the coverage of {share} of 100.", share=f"{100 * bound:g}"),
        "With so many questions a lying partner could guess more of your records than that.",
        "Add a field that is hard to guess, allow a larger coverage, or link fewer records at a time.",
        place="coverage",
    )


def has_full_date(table: CleanTable) -> bool:
    for one in table.fields:
        if one.kind == "date":
            column = table.column(one.name)
            full = np.array([len(str(value)) == 8 and str(value).isdigit() for value in column.values] or [False])
            if float(full[column.codes[column.codes >= 0]].mean() if (column.codes >= 0).any() else 0.0) > 0.5:
                return True
    return False


def _useful(table: CleanTable) -> tuple[Atom, ...]:
    """Atoms of fields that are filled in at least a twentieth of the records and have more than one value."""
    good = {
        one.name
        for one in table.columns
        if float((one.codes >= 0).mean()) >= 0.05 and len(np.unique(one.codes[one.codes >= 0])) > 1
    }
    # a column of initials meets whole names in the partner's file: only the letter can be shared
    letters = {
        one.name
        for one, column in zip(table.fields, table.columns, strict=True)
        if one.kind == "name" and single_letters(column) > 0.8
    }
    return tuple(
        atom
        for atom in atoms_of(table.fields)
        if set(atom.fields) <= good and (atom.form == "initial" or not letters & set(atom.fields))
    )


def _candidates(table: CleanTable, atoms: Sequence[Atom], telling: frozenset[frozenset[str]]) -> Iterator[Key]:
    fields = {one.name: one for one in table.fields}

    def grow(chosen: tuple[Atom, ...], start: int) -> Iterator[Key]:
        if len(chosen) >= 2:
            key = Key(chosen)
            if strength(key, fields) >= LEAST_FIELDS:
                yield key
        if len(chosen) == MOST_ATOMS:
            return
        used = [name for atom in chosen for name in atom.fields]
        for place in range(start, len(atoms)):
            atom = atoms[place]
            if set(atom.fields) & set(used):
                continue
            if any(frozenset((one, two)) in telling for one in used for two in atom.fields):
                continue
            if atom.form == SLIP and sum(one.form == SLIP for one in chosen) >= MOST_SLIPS:
                continue
            yield from grow((*chosen, atom), place + 1)

    yield from grow((), 0)


@dataclass(frozen=True, eq=False)
class _Pool:
    keys: list[Key]
    holds: Bits  # [keys, worlds, people / 8]
    hit: Bits  # [keys, sample / 8]: reached by guessing
    values: Numbers  # per record
    recall: Numbers
    cover: Numbers
    worlds: Worlds
    people: int
    sampled: int
    near: strangers.Near
    reach: _Reach


class _Reach:
    """What guessing reaches of the whole table, to the last record: for the keys that are about to be taken."""

    def __init__(self, guesser: coverage.Guesser, records: float) -> None:
        self._guesser = guesser
        self._records = records
        self._hits: dict[Key, Numbers] = {}

    def hits(self, key: Key) -> Numbers:
        if key not in self._hits:
            rows = max(self._guesser.columns.table.rows, 1)
            budget = max(self._records * len(lines_of(self._guesser.columns, key)[0]) / rows, 1.0)
            self._hits[key] = coverage.hits(self._guesser, key, budget)
        return self._hits[key]


def _pool(
    table: CleanTable,
    keys: list[Key],
    atoms: Sequence[Atom],
    held: npt.NDArray[np.bool_],
    worlds: Worlds,
    partner_rows: int,
    bound: float,
    seed: int,
    tuning: Tuning,
    progress: Progress,
) -> _Pool:
    """Everything the greedy choice needs of each key, for the keys that stay below the bound alone."""
    columns = Columns(table)
    guesser = coverage.Guesser(columns, "public")
    place_of = {atom: place for place, atom in enumerate(atoms)}
    people, count = worlds.people.rows, len(worlds.worlds)
    by_world = np.packbits(held.reshape(count, people, len(atoms)).transpose(2, 0, 1), axis=2)
    mean = np.array([columns[atom].mean_values() for atom in atoms])
    filled = np.array([float((columns[atom].units >= 0).mean()) for atom in atoms])
    random = np.random.default_rng(seed)
    some = np.sort(random.choice(table.rows, min(tuning.sample, table.rows), replace=False))
    weights = worlds.weights()
    rows: list[tuple[Key, Bits, Bits, float, float, float]] = []
    for place, key in enumerate(keys):
        if place % 256 == 0:
            progress.at(place / len(keys), "Weighing keys")
        at = [place_of[atom] for atom in key.atoms]
        values = float(np.prod(mean[at]) * np.prod(filled[at]))
        if values > tuning.values:
            continue
        holds = np.bitwise_and.reduce(by_world[at], axis=0)
        recall = float(np.bitwise_count(holds).sum(axis=1) / people @ weights)
        if recall < 0.02:
            continue
        budget = max(partner_rows * values * tuning.padding, 1.0)
        odds = guesser.of_key(key)
        end = coverage.bar([one.counts(coverage.COARSE, 4 * budget) for one in odds], budget, coverage.COARSE)
        hit = end.hits(-np.sum([one.best[some] for one in odds], axis=0)) >= 0.5
        cover = float(hit.mean())
        if cover > bound:
            continue
        rows.append((key, holds, np.packbits(hit), values, recall, cover))
    if not rows:
        raise over_bound(bound)
    kept = _promising(rows, tuning)
    return _Pool(
        [rows[place][0] for place in kept],
        np.array([rows[place][1] for place in kept], dtype=np.uint8).reshape(len(kept), count, -1),
        np.array([rows[place][2] for place in kept], dtype=np.uint8).reshape(len(kept), -1),
        np.array([rows[place][3] for place in kept]),
        np.array([rows[place][4] for place in kept]),
        np.array([rows[place][5] for place in kept]),
        worlds, people, len(some), strangers.Near(columns, seed), _Reach(guesser, partner_rows * tuning.padding),
    )  # fmt: skip


def _promising(rows: Sequence[tuple[Key, Bits, Bits, float, float, float]], tuning: Tuning) -> list[int]:
    """The best under each pair of multipliers, and the best of each world."""
    values, recall, cover = (np.array([row[place] for row in rows]) for place in (3, 4, 5))
    kept: set[int] = set()
    for weight, price in itertools.product(tuning.weights, tuning.prices):
        net = recall - weight * cover - price * values
        kept.update(np.argsort(-net, kind="stable")[: tuning.kept].tolist())
    held = np.array([np.bitwise_count(row[1]).sum(axis=1) for row in rows])  # [keys, worlds]
    for world in range(held.shape[1]):
        net = held[:, world] / max(held.max(), 1) - 2.0 * cover - 4e-3 * values
        kept.update(np.argsort(-net, kind="stable")[: tuning.kept // 20].tolist())
    return sorted(kept)


class _Taken:
    """The keys taken so far: who is found and who could be guessed through them, and whether another still fits."""

    def __init__(self, pool: _Pool, bound: float, tuning: Tuning) -> None:
        self.pool, self.bound, self.tuning = pool, bound, tuning
        self.shares = pool.worlds.weights()
        self.missing: Bits = ~np.zeros_like(pool.holds[0])  # people not found yet, by world
        self.unhit: Bits = ~np.zeros_like(pool.hit[0])
        self.missed: Numbers = np.ones(1)  # per record of the table the chance that no guess reaches it
        self.near = pool.near.start()
        self.chosen: list[int] = []
        self.added: list[float] = []
        self.values, self.cover = 0.0, 0.0

    def gain(self, at: npt.NDArray[np.int64]) -> Numbers:
        found = np.bitwise_count(self.pool.holds[at] & self.missing).sum(axis=2) / self.pool.people
        return np.asarray(found @ self.shares)

    def reached(self, at: npt.NDArray[np.int64]) -> Numbers:
        """More records that guessing reaches, as far as the sample tells."""
        return np.asarray(np.bitwise_count(self.pool.hit[at] & self.unhit).sum(axis=1) / self.pool.sampled)

    def take(self, place: int) -> bool:
        """Takes a key unless the whole table, or the strangers who share it, speak against it."""
        key = self.pool.keys[place]
        near, missed = self.near.with_key(key), self.missed * (1.0 - self.pool.reach.hits(key))
        if near.per_record > self.tuning.strangers or 1.0 - missed.mean() > self.bound:
            return False
        self.added.append(float(self.gain(np.array([place]))[0]))
        self.near, self.missed = near, missed
        self.chosen.append(place)
        self.values, self.cover = self.values + float(self.pool.values[place]), float(1.0 - missed.mean())
        self.missing = self.missing & ~self.pool.holds[place]
        self.unhit = self.unhit & ~self.pool.hit[place]
        return True

    def choice(self) -> Choice:
        pool = self.pool
        spare = self.missing.shape[1] * 8 - pool.people  # bits beyond the last person
        found = 1.0 - (np.bitwise_count(self.missing).sum(axis=1) - spare) / pool.people
        recall = tuple((world.name, float(share)) for world, share in zip(pool.worlds.worlds, found, strict=True))
        recipe = Recipe(tuple(pool.keys[place] for place in self.chosen))
        return Choice(recipe, recall, tuple(self.added), self.values, self.cover, self.bound)


def _filled(
    taken: _Taken,
    weights: Sequence[float],
    prices: Sequence[float],
    progress: Progress,
    without: Sequence[int] = (),
) -> Choice:
    """Greedily, the key that brings most recall for its coverage and its values first; what a weight leaves of the
    coverage goes to the next, smaller one, and what a price leaves of the values likewise, so that one dear key does
    not keep out many cheap ones."""
    for weight in weights:
        _fill(taken, weight, prices[0], progress, without)
    for price in prices[1:]:
        _fill(taken, weights[-1], price, progress, without)
    return taken.choice()


def _fill(taken: _Taken, weight: float, price: float, progress: Progress, without: Sequence[int]) -> None:
    pool, tuning = taken.pool, taken.tuning
    open_ = np.ones(len(pool.keys), dtype=np.bool_)
    open_[[*taken.chosen, *without]] = False
    while open_.any() and len(taken.chosen) < tuning.types:
        progress.check()
        at = np.flatnonzero(open_)
        gain, more = taken.gain(at), taken.reached(at)
        fits = (taken.cover + more <= taken.bound) & (taken.values + pool.values[at] <= tuning.values)
        fits &= gain >= tuning.least_gain
        open_[at[~fits]] = False
        net = np.where(fits, gain - weight * more - price * pool.values[at], -np.inf)
        best = int(np.argmax(net))
        if net[best] <= 0:
            break
        open_[at[best]] = False
        taken.take(int(at[best]))


def _exchanged(pool: _Pool, best: Choice, bound: float, tuning: Tuning, progress: Progress) -> Choice:
    """A key that was good alone may stand in the way of better ones: each in turn is taken out and its room filled."""
    place_of = {key: place for place, key in enumerate(pool.keys)}
    for _ in range(tuning.exchanges):
        tried = []
        for out in best.recipe.keys:
            taken = _Taken(pool, bound, tuning)
            for key in best.recipe.keys:
                if key != out:
                    taken.take(place_of[key])
            tried.append(_filled(taken, tuning.weights[1:], tuning.prices[1:], progress, (place_of[out],)))
        better = max(tried, key=_worth)
        if _worth(better)[0] < _worth(best)[0] + tuning.least_better:
            break
        best = better
    return best
