"""Worlds of damage: what the partner's records of the same people may look like, made from the own ones.

No world is a forecast. A recipe is wanted that holds in many of them, because nobody knows which one is real.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from pprl_desktop.codes.corrupt import SINGLE_EDITS, Rates, corrupt
from pprl_desktop.codes.keys.atoms import Atom, AtomColumn
from pprl_desktop.codes.keys.recipe import Columns, KeyRecipe
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.records.fields import Field
from pprl_desktop.records.roles import role
from pprl_desktop.records.table import MISSING, CleanTable, Column

LOST = "without"  # how worlds begin in which whole fields are lost
PEOPLE = 1000  # own records in each world: with fewer, keys are chosen that suit these people and nobody else
LOST_TOGETHER = 12  # pairs of fields that are lost together, at most
SHORT, SHORTEST = 0.2, 3  # share of the names that lose their end, and the letters that stay at least

OTHER, SLIPPED = 0.1, 0.3  # share of the cells, each on its own, that hold another value, or the value with a slip
# few slips meet the first letter: 1.4, 7.8 and 7 of 100 (Yannakoudakis and Fawthrop 1983, Pollock and Zamora 1984,
# Mitton 1987, all in Kukich 1992), a third of what slips at any place would give
BEGINNINGS = 1 / 3

LIGHT = Rates(touched=0.7, further=0.15, initial=0.1, swap=0.05, missing=0.1)
HEAVY = Rates(touched=1.0, further=0.65, initial=0.1, swap=0.1, missing=0.1, most=6)
HOLES = Rates(
    touched=0.9, further=0.5, insert=0.1, delete=0.1, substitute=0.1, transpose=0.1, keyboard=0.1, ocr=0.0,
    phonetic=0.1, initial=2.0, swap=0.0, missing=2.0, date=0.1,
)  # fmt: skip
SWAPPED = Rates(
    touched=0.9, further=0.1, insert=0.1, delete=0.1, substitute=0.1, transpose=0.1, keyboard=0.1, ocr=0.0,
    phonetic=0.1, initial=0.0, swap=6.0, missing=0.1, date=3.0,
)  # fmt: skip

Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class World:
    name: str
    weight: float  # in the mean recall
    damaged: CleanTable = field(repr=False)


@dataclass(frozen=True, eq=False)
class Worlds:
    """The same people, whole and in every world."""

    people: CleanTable = field(repr=False)
    worlds: tuple[World, ...]

    def holds(self, atoms: Sequence[Atom], progress: Progress = NO_PROGRESS) -> Flags:
        """[worlds x people, atoms]: the atom shares a text between the record and its damaged copy."""
        whole = Columns(self.people)
        made = np.zeros((len(self.worlds) * self.people.rows, len(atoms)), dtype=np.bool_)
        for place, world in enumerate(self.worlds):
            progress.at(place / len(self.worlds), "Trying keys on damaged copies")
            columns = Columns(world.damaged)
            some = slice(place * self.people.rows, (place + 1) * self.people.rows)
            for at, atom in enumerate(atoms):
                progress.check()
                made[some, at] = shared(whole[atom], columns[atom])
        return made

    def weights(self) -> npt.NDArray[np.float64]:
        """Per world, adding up to one."""
        given = np.array([world.weight for world in self.worlds])
        return np.asarray(given / given.sum())


def shared(left: AtomColumn, right: AtomColumn) -> Flags:
    """Row by row: do the two sets of texts meet?"""
    known = {text: place for place, text in enumerate(left.texts)}
    place_of = np.array([known.get(text, -1) for text in right.texts] or [-1], dtype=np.int64)
    made = np.zeros(len(left.units), dtype=np.bool_)
    seen: dict[tuple[int, int], bool] = {}
    for row in np.flatnonzero((left.units >= 0) & (right.units >= 0)).tolist():
        a, b = int(left.units[row]), int(right.units[row])
        if (a, b) not in seen:
            mine = set(left.items[left.start[a] : left.start[a + 1]].tolist())
            theirs = place_of[right.items[right.start[b] : right.start[b + 1]]].tolist()
            seen[a, b] = not mine.isdisjoint(theirs)
        made[row] = seen[a, b]
    return made


class HeldKeys:
    """Who shares a key of a recipe with the own damaged copy, world by world."""

    def __init__(self, worlds: Worlds, recipe: KeyRecipe, progress: Progress = NO_PROGRESS) -> None:
        atoms = sorted({atom for key in recipe.keys for atom in key.atoms})
        held = worlds.holds(atoms, progress)
        place = {atom: at for at, atom in enumerate(atoms)}
        each = [held[:, [place[atom] for atom in key.atoms]].all(axis=1) for key in recipe.keys]
        self._any = np.logical_or.accumulate(np.array(each), axis=0)  # [keys, worlds x people]
        self._worlds = len(worlds.worlds)

    def recall(self, keys: int) -> npt.NDArray[np.float64]:
        """Per world the share of people that the first so many keys find."""
        return np.asarray(self._any[keys - 1].reshape(self._worlds, -1).mean(axis=1))


def recall_range(recall: Sequence[tuple[str, float]]) -> tuple[float, float]:
    """Over the worlds in which fields are damaged, not those in which whole fields are lost."""
    shares = [share for name, share in recall if not name.startswith(LOST)]
    return min(shares), max(shares)


def worlds_of(table: CleanTable, seed: int = 0, people: int = PEOPLE) -> Worlds:
    random = np.random.default_rng(seed)
    rows = np.sort(random.choice(table.rows, size=min(people, table.rows), replace=False))
    some = _own_values_only(table.take(rows))
    here = _as_incomplete(some, table, random)
    made = [
        World("light slips", 1.5, _beginnings_kept(here, corrupt(here, seed + 1, LIGHT), random)),
        World("heavy slips", 1.0, _beginnings_kept(here, corrupt(here, seed + 2, HEAVY), random)),
        World("a slip in every word", 1.0, _slip_everywhere(here, seed + 5, random)),
        World("as incomplete as here", 2.5, here),  # the only one of which the own file is a sample
        World("missing and initials", 1.0, _cut_short(corrupt(here, seed + 3, HOLES), random)),
        World("changed", 1.5, _changed(_cut_short(here, random), random)),
        World("swapped", 0.5, corrupt(here, seed + 4, SWAPPED)),
        World("any cell wrong", 1.5, _anywhere(here, seed + 6, random)),
    ]
    names = [one.name for one in some.fields]
    alone = [(name,) for name in names]
    pairs = list(itertools.combinations(names, 2))
    if len(pairs) > LOST_TOGETHER:
        pairs = [pairs[place] for place in np.sort(random.choice(len(pairs), LOST_TOGETHER, replace=False))]
    if len(names) > 3:  # with three fields or fewer a key has no field to do without
        made += [World(f"{LOST} {lost[0]}", 1.5 / len(alone), _without(some, lost)) for lost in alone]
    if len(names) > 4:
        made += [World(f"{LOST} {' and '.join(lost)}", 0.5 / len(pairs), _without(some, lost)) for lost in pairs]
    return Worlds(some, tuple(made))


def _own_values_only(table: CleanTable) -> CleanTable:
    """Without the values that only rows left out hold: every world makes its atoms of each value anew."""
    columns = []
    for one in table.columns:
        used = one.counts() > 0
        codes = np.append(np.cumsum(used) - 1, MISSING)[one.codes]  # code -1 reads the appended one
        columns.append(Column(one.name, one.values[used], codes.astype(np.int32)))
    return CleanTable(table.fields, tuple(columns))


def _without(table: CleanTable, lost: Sequence[str]) -> CleanTable:
    columns = tuple(
        Column(one.name, one.values, np.full_like(one.codes, MISSING)) if one.name in lost else one
        for one in table.columns
    )
    return CleanTable(table.fields, columns)


def _slip_everywhere(table: CleanTable, seed: int, random: np.random.Generator) -> CleanTable:
    """One slip of the keyboard in every name and text: files that were typed from handwriting, or read by a machine."""
    columns = [
        _slipped(one, column, seed + place, random) if one.kind in ("name", "text") else column
        for place, (one, column) in enumerate(zip(table.fields, table.columns, strict=True))
    ]
    return CleanTable(table.fields, tuple(columns))


def _slipped(one: Field, column: Column, seed: int, random: np.random.Generator) -> Column:
    """One slip in every cell."""
    alone = CleanTable((one,), (column,))
    return _beginnings_kept(alone, corrupt(alone, seed, SINGLE_EDITS), random).columns[0]


def _beginnings_kept(table: CleanTable, damaged: CleanTable, random: np.random.Generator) -> CleanTable:
    """Most slips of the first letter of a word undone: people seldom make them."""
    columns = []
    for one, whole, column in zip(table.fields, table.columns, damaged.columns, strict=True):
        if one.kind in ("name", "text"):
            cells, before = column.cells(), whole.cells()
            undone = random.random(table.rows) >= BEGINNINGS
            cells = [
                old if undo and _first_letter_slipped(old, new) else new
                for old, new, undo in zip(before, cells, undone.tolist(), strict=True)
            ]
            column = _of_cells(column.name, cells)
        columns.append(column)
    return CleanTable(table.fields, tuple(columns))


def _first_letter_slipped(old: str, new: str) -> bool:
    """Was the first letter exchanged, lost, pushed back or changed with the second, and nothing else?"""
    if not old or not new or old == new or old[0] == new[0]:
        return False
    return old[1:] in (new[1:], new) or new[1:] == old or (old[1::-1] == new[:2] and old[2:] == new[2:])


def _anywhere(table: CleanTable, seed: int, random: np.random.Generator) -> CleanTable:
    """Cells go wrong each on its own, whatever became of the rest of the record: another value, one slip of the
    keyboard, one part of a date, a number off by one."""
    columns = []
    for place, (one, column) in enumerate(zip(table.fields, table.columns, strict=True)):
        drawn = random.random(table.rows)
        column = _redrawn(column, drawn < OTHER, random)
        cells = column.cells()
        others = [cells[row] for row in random.permutation(table.rows).tolist()]
        slipped = _slipped(one, column, seed + place, random).cells()
        here = (drawn >= OTHER) & (drawn < OTHER + SLIPPED) & (column.codes != MISSING)
        for row in np.flatnonzero(here).tolist():
            if one.kind == "date":
                cells[row] = _date_with_part_of(cells[row], others[row], int(random.integers(4)))
            elif one.kind == "number" and cells[row].isdigit():
                cells[row] = str(int(cells[row]) + int(random.choice([-1, 1])))
            elif one.kind != "category":
                cells[row] = slipped[row]
        columns.append(_of_cells(column.name, cells))
    return CleanTable(table.fields, tuple(columns))


def _date_with_part_of(value: str, other: str, part: int) -> str:
    """Another year, month or day, or day and month changed."""
    if not (len(value) == len(other) == 8):
        return other
    return (other[:4] + value[4:], value[:4] + other[4:6] + value[6:], value[:6] + other[6:],
            value[:4] + value[6:] + value[4:6])[part]  # fmt: skip


def _as_incomplete(some: CleanTable, table: CleanTable, random: np.random.Generator) -> CleanTable:
    """Values are missing, or mere initials, as often as in the own table: files of one kind have the same holes."""
    columns = []
    for one, column, whole in zip(some.fields, some.columns, table.columns, strict=True):
        missing = float((whole.codes == MISSING).mean()) + 0.02
        lost = random.random(some.rows) < missing
        column = Column(column.name, column.values, np.where(lost, MISSING, column.codes).astype(np.int32))
        if one.kind == "name":
            short = float(single_letters(whole)) + 0.01
            column = _moved(column, _initials(column), random.random(some.rows) < short)
        columns.append(column)
    return CleanTable(some.fields, tuple(columns))


def single_letters(column: Column) -> float:
    """Share of the values of a column, by rows, that are one letter."""
    present = column.codes[column.codes >= 0]
    if not len(present):
        return 0.0
    return float(np.array([len(str(value)) == 1 for value in column.values])[present].mean())


def _initials(column: Column) -> Column:
    return Column.of(column.name, [cell[:1] for cell in column.cells()])


def _cut_short(table: CleanTable, random: np.random.Generator) -> CleanTable:
    """A fifth of the names lose their end: ELIZ for ELIZABETH, or what a form had room for. Ends are lost, beginnings
    are not, which slips at any place do not show."""
    columns = []
    for one, column in zip(table.fields, table.columns, strict=True):
        if one.kind == "name":
            cells = column.cells()
            for row in np.flatnonzero(random.random(table.rows) < SHORT).tolist():
                if len(cells[row]) > SHORTEST:
                    cells[row] = cells[row][: int(random.integers(SHORTEST, len(cells[row])))]
            column = _of_cells(column.name, cells)
        columns.append(column)
    return CleanTable(table.fields, tuple(columns))


def _changed(table: CleanTable, random: np.random.Generator) -> CleanTable:
    """People years later: half have another last name (half of these keep the old one in another name field), half have
    moved, a tenth of the categories is recoded. Where no heading says which name is the last one, each in turn."""
    rows = table.rows
    columns = {one.name: one for one in table.columns}
    names = [one.name for one in table.fields if one.kind == "name"]
    lasts = [name for name in names if role(name) == "last"] or names
    changing = random.integers(0, max(len(lasts), 1), rows)
    for place, name in enumerate(lasts):
        here = (changing == place) & (random.random(rows) < 0.5)
        old = columns[name]
        others = sorted((other for other in names if other != name), key=lambda other: role(other) == "first")
        if others:  # a given name gives way last
            columns[others[0]] = _moved(columns[others[0]], old, here & (random.random(rows) < 0.5))
        columns[name] = _redrawn(old, here, random)
    moved = random.random(rows) < 0.5
    for one in table.fields:
        if one.kind in ("text", "id"):
            columns[one.name] = _redrawn(columns[one.name], moved, random)
        elif one.kind == "category":
            columns[one.name] = _redrawn(columns[one.name], random.random(rows) < 0.1, random)
        elif one.kind == "number":
            columns[one.name] = _redrawn(columns[one.name], random.random(rows) < 0.05, random)
    return CleanTable(table.fields, tuple(columns[one.name] for one in table.columns))


def _redrawn(column: Column, where: Flags, random: np.random.Generator) -> Column:
    """Another person's value at these rows."""
    codes = np.where(where & (column.codes != MISSING), random.permutation(column.codes), column.codes)
    return Column(column.name, column.values, codes.astype(np.int32))


def _moved(into: Column, old: Column, where: Flags) -> Column:
    """The values of another column put into this one at these rows."""
    cells = into.cells()
    for row in np.flatnonzero(where & (old.codes != MISSING)).tolist():
        cells[row] = old.cell(row)
    return _of_cells(into.name, cells)


def _of_cells(name: str, cells: Sequence[str]) -> Column:
    """A column of a cleaned table: empty cells are missing."""
    made = Column.of(name, cells)
    blank = [place for place, value in enumerate(made.values) if value == ""]
    return Column(made.name, made.values, np.where(np.isin(made.codes, blank), MISSING, made.codes).astype(np.int32))
