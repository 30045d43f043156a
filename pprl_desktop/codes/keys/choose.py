"""Chooses the keys on the own table alone: greedily, by what they find in the worlds against what guessing reaches."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from pprl_desktop.codes.keys import coverage, strangers
from pprl_desktop.codes.keys.atoms import SLIP, Atom, atoms_of
from pprl_desktop.codes.keys.reach import Reach
from pprl_desktop.codes.keys.recipe import (
    LEAST_FIELDS,
    MOST_ATOMS,
    MOST_SLIPS,
    Columns,
    Key,
    KeyRecipe,
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
    """What was tuned, with its unit (ARCHITECTURE 4.6; measured with tests/benchmarks/blind.py)."""

    bound: float = 0.10  # union coverage
    bound_with_date: float = 0.05  # where a full date of birth leaves less to guess
    errors: float = 1.65  # standard errors below the bound that a proposal leaves: the partner refuses one in twenty
    values: float = 24.0  # key values per record, all types together
    strangers: float = 0.1  # own pairs of strangers that share a key, per record
    types: int = 24
    mixes: tuple[float, ...] = (0.1, 0.3, 0.5, 0.7, 0.9)  # of a key's cost: coverage against values, shares of bounds
    floors: tuple[float, ...] = (1e-4, 1e-3, 5e-3)  # coverage that every key is taken to cost at least
    kept: int = 800  # candidates per mix that the greedy choice looks at
    least_gain: float = 5e-4  # recall, below which a further type is not worth its questions
    unavoidable: float = 0.02  # share of the people of a world whom nobody expects to find (see _Taken.worth)
    price: float = 1e-3  # worth that one value per record must bring
    exchanges: int = 350  # times that a few keys give way and their room is filled anew
    exchanged: int = 5  # keys that give way at once, at most


TUNING = Tuning()


@dataclass(frozen=True, eq=False)
class Choice:
    recipe: KeyRecipe
    recall: tuple[tuple[str, float], ...]  # world -> share of people that share a key
    added: tuple[float, ...]  # per key: mean recall that it added when it was chosen
    values: float  # per record, all types
    coverage: float  # as counted while choosing
    bound: float
    worth: float = 0.0  # what was made as large as possible
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
    directions: int = 1,
) -> Choice:
    """The keys for this table and a partner with so many records, who asks or is asked (two `directions`: both).
    `worlds`: what may have happened to the partner's records, where more is known of it than nothing."""
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
    pool = _pool(
        table, keys, atoms, held, worlds, partner_rows, directions, bound, seed, tuning, progress.part(0.4, 0.75)
    )
    found: list[Choice] = []
    grid = list(itertools.product(tuning.mixes, tuning.floors))
    for place, (mix, floor) in enumerate(grid):
        progress.at(0.75 + 0.1 * place / len(grid), "Choosing keys")
        found.append(_filled(_Taken(pool, bound, tuning), mix, floor, progress).choice())
    best = max(found, key=_worth)
    if not best.recipe.keys:
        raise over_bound(bound)
    best = _pruned(pool, _exchanged(pool, best, bound, tuning, seed, progress.part(0.85, 1.0)), tuning)
    progress.at(1.0)
    return replace(best, dependent=telling)


def _worth(choice: Choice) -> tuple[float, float]:
    return choice.worth, -choice.coverage


def room_for_partner(bound: float, rows: int, partner_rows: int, tuning: Tuning = TUNING) -> float:
    """What a proposal may take up of the bound. Only one table is here; the same keys reach another share of the
    partner's, and even where both hold people of one kind the two shares differ by chance, the more the fewer
    records there are. Never less than half: the partner counts on its own table and refuses where that is not enough.
    A much larger table of the partner's is harder to guess than the own one, and needs no room.
    """
    if partner_rows >= 2 * rows:
        return bound
    chance = math.sqrt(bound * (1.0 - bound) * (1.0 / max(rows, 1) + 1.0 / max(partner_rows, 1)))
    return max(bound - tuning.errors * chance, 0.5 * bound)


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
        Said("No key stays below the coverage of {share} of 100.", share=f"{round(100 * bound, 1):g}"),
        "With so many questions a lying partner could guess more of the records than that. Part of the agreed bound is "
        "left free, because the same keys reach another share of the partner's records.",
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
    reach: Reach

    def places(self, recipe: KeyRecipe) -> list[int]:
        place_of = {key: place for place, key in enumerate(self.keys)}
        return [place_of[key] for key in recipe.keys]


def _pool(
    table: CleanTable,
    keys: list[Key],
    atoms: Sequence[Atom],
    held: npt.NDArray[np.bool_],
    worlds: Worlds,
    partner_rows: int,
    directions: int,
    bound: float,
    seed: int,
    tuning: Tuning,
    progress: Progress,
) -> _Pool:
    """Everything the greedy choice needs of each key, for the keys that stay below the bound alone."""
    columns = Columns(table)
    reach = Reach(columns, partner_rows, directions, seed)
    place_of = {atom: place for place, atom in enumerate(atoms)}
    people, count = worlds.people.rows, len(worlds.worlds)
    by_world = np.packbits(held.reshape(count, people, len(atoms)).transpose(2, 0, 1), axis=2)
    mean = np.array([columns[atom].mean_values() for atom in atoms])
    filled = np.array([float((columns[atom].units >= 0).mean()) for atom in atoms])
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
        hit = reach.roughly(key, values)
        cover = float(hit.mean())
        if cover > bound:
            continue
        rows.append((key, holds, np.packbits(hit), values, recall, cover))
    if not rows:
        raise over_bound(bound)
    kept = _promising(rows, bound, tuning)
    return _Pool(
        [rows[place][0] for place in kept],
        np.array([rows[place][1] for place in kept], dtype=np.uint8).reshape(len(kept), count, -1),
        np.array([rows[place][2] for place in kept], dtype=np.uint8).reshape(len(kept), -1),
        np.array([rows[place][3] for place in kept]),
        np.array([rows[place][4] for place in kept]),
        np.array([rows[place][5] for place in kept]),
        worlds, people, reach.sampled, strangers.Near(columns, seed), reach,
    )  # fmt: skip


def _promising(rows: Sequence[tuple[Key, Bits, Bits, float, float, float]], bound: float, tuning: Tuning) -> list[int]:
    """Those that find most for their cost however it is mixed, over all worlds and in each."""
    values, recall, cover = (np.array([row[place] for row in rows]) for place in (3, 4, 5))
    held = np.array([np.bitwise_count(row[1]).sum(axis=1) for row in rows], dtype=np.float64)  # [keys, worlds]
    kept: set[int] = set()
    for mix, floor in itertools.product(tuning.mixes, tuning.floors):
        cost = _cost(cover, values, mix, floor, bound, tuning)
        kept.update(np.argsort(-recall / cost, kind="stable")[: tuning.kept // len(tuning.floors)].tolist())
        for world in range(held.shape[1]):
            kept.update(np.argsort(-held[:, world] / cost, kind="stable")[: tuning.kept // 40].tolist())
    kept.update(np.argsort(-recall, kind="stable")[: tuning.kept].tolist())
    return sorted(kept)


def _cost(cover: Numbers, values: Numbers, mix: float, floor: float, bound: float, tuning: Tuning) -> Numbers:
    """Of a key, as a share of what may be spent on coverage and on values."""
    return mix * np.maximum(cover, floor) / bound + (1.0 - mix) * values / tuning.values


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

    def more(self, at: npt.NDArray[np.int64]) -> Numbers:
        """[keys, worlds]: further people that each of these keys finds."""
        return np.asarray(np.bitwise_count(self.pool.holds[at] & self.missing).sum(axis=2) / self.pool.people)

    def worth(self, found: Numbers) -> Numbers:
        """Of finding these shares of the people, in [..., worlds]: to halve the misses of one world is worth as much as
        to halve them in another. Where nearly everybody can be found nearly everybody should be, and a world in which
        many are lost in any case does not take all the coverage."""
        return np.asarray(-np.log(1.0 - found + self.tuning.unavoidable) @ self.shares)

    def found(self) -> Numbers:
        spare = self.missing.shape[1] * 8 - self.pool.people  # bits beyond the last person
        return np.asarray(1.0 - (np.bitwise_count(self.missing).sum(axis=1) - spare) / self.pool.people)

    def better(self, more: Numbers) -> Numbers:
        """Worth that keys would add which find so many more."""
        now = self.found()
        return self.worth(np.minimum(now + more, 1.0)) - self.worth(now)

    def reached(self, at: npt.NDArray[np.int64]) -> Numbers:
        """More records that guessing reaches, as far as the sample tells."""
        return np.asarray(np.bitwise_count(self.pool.hit[at] & self.unhit).sum(axis=1) / self.pool.sampled)

    def fits(self, at: npt.NDArray[np.int64], gain: Numbers, reached: Numbers) -> npt.NDArray[np.bool_]:
        """Keys that may still be taken, as far as the sample tells, and are worth it."""
        room = (self.cover + reached <= self.bound) & (self.values + self.pool.values[at] <= self.tuning.values)
        return np.asarray(room & (gain >= self.tuning.least_gain))

    def take(self, place: int) -> bool:
        """Takes a key unless the whole table, or the strangers who share it, speak against it."""
        key = self.pool.keys[place]
        near, missed = self.near.with_key(key), self.missed * (1.0 - self.pool.reach.hits(key))
        cover = self.pool.reach.share(missed)
        if near.per_record > self.tuning.strangers or cover > self.bound:
            return False
        self.added.append(float(self.more(np.array([place]))[0] @ self.shares))
        self.near, self.missed = near, missed
        self.chosen.append(place)
        self.values, self.cover = self.values + float(self.pool.values[place]), cover
        self.missing = self.missing & ~self.pool.holds[place]
        self.unhit = self.unhit & ~self.pool.hit[place]
        return True

    def choice(self) -> Choice:
        pool, found = self.pool, self.found()
        recall = tuple((world.name, float(share)) for world, share in zip(pool.worlds.worlds, found, strict=True))
        recipe = KeyRecipe(tuple(pool.keys[place] for place in self.chosen))
        worth = float(self.worth(found)) - self.tuning.price * self.values
        return Choice(recipe, recall, tuple(self.added), self.values, self.cover, self.bound, worth)


def _filled(taken: _Taken, mix: float, floor: float, progress: Progress, without: Sequence[int] = ()) -> _Taken:
    """Greedily, the key that finds most further people for its cost first: by the ratio and not the difference, or one
    dear key keeps out many cheap ones."""
    pool, tuning = taken.pool, taken.tuning
    open_ = np.ones(len(pool.keys), dtype=np.bool_)
    open_[[*taken.chosen, *without]] = False
    while open_.any() and len(taken.chosen) < tuning.types:
        progress.check()
        at = np.flatnonzero(open_)
        found, reached = taken.more(at), taken.reached(at)
        fits = taken.fits(at, found @ taken.shares, reached)
        open_[at[~fits]] = False
        if not fits.any():
            break
        cost = _cost(reached, pool.values[at], mix, floor, taken.bound, tuning)
        best = int(at[np.argmax(np.where(fits, taken.better(found) / cost, -np.inf))])
        open_[best] = False
        taken.take(best)
    return taken


def _exchanged(pool: _Pool, best: Choice, bound: float, tuning: Tuning, seed: int, progress: Progress) -> Choice:
    """A key that was good alone may stand in the way of better ones: a few are taken out and their room is filled anew,
    at another mix of costs, again and again (large neighbourhood search)."""
    random = np.random.default_rng(seed)
    for time in range(tuning.exchanges):
        progress.at(time / tuning.exchanges, "Choosing keys")
        chosen = pool.places(best.recipe)
        out = random.permutation(chosen)[: int(random.integers(1, tuning.exchanged + 1))].tolist()
        taken = _of(pool, [place for place in chosen if place not in out], bound, tuning)
        mix, floor = random.uniform(min(tuning.mixes), max(tuning.mixes)), float(random.choice(tuning.floors))
        tried = _filled(taken, mix, floor, progress, out[:1]).choice()
        if _worth(tried) > _worth(best):
            best = tried
    return best


def _pruned(pool: _Pool, best: Choice, tuning: Tuning) -> Choice:
    """Without keys that others have made needless: each one costs questions and coverage."""
    left = pool.places(best.recipe)
    while len(left) > 1:
        lost = []
        for out in left:
            rest = _of(pool, [place for place in left if place != out], best.bound, tuning)
            lost.append(float(rest.more(np.array([out]))[0] @ rest.shares))
        if min(lost) >= tuning.least_gain:
            break
        del left[int(np.argmin(lost))]
    return _of(pool, left, best.bound, tuning).choice()


def _of(pool: _Pool, places: Sequence[int], bound: float, tuning: Tuning) -> _Taken:
    taken = _Taken(pool, bound, tuning)
    for place in places:
        taken.take(place)
    return taken
