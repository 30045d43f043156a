"""Keys and recipes: which atoms name a person together, as words of the agreement, and the keys of a table."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from pprl_desktop.codes.keys.atoms import (
    BOTH,
    FORMS,
    FULL_DATE,
    PAIR_FORMS,
    SLIP,
    Atom,
    AtomColumn,
    column_of,
)
from pprl_desktop.problem import Problem
from pprl_desktop.records.fields import Field
from pprl_desktop.records.table import CleanTable
from pprl_desktop.said import Said

VERSION = 1  # of the atoms: what a form makes of a value must never change under one version
LEAST_FIELDS = 3  # that a key must have; a full date counts as two, a category never
MOST_ATOMS = 4
MOST_SLIPS = 2  # atoms with deletions in one key
MOST_VALUES = 64  # key values of one record and one type: what is more is left out, in the order of the texts
DIGEST = 16  # bytes of an atom's text in a key

Bytes = npt.NDArray[np.uint8]
Rows = npt.NDArray[np.int32]


@dataclass(frozen=True, order=True)
class Key:
    """One type of key: atoms of different fields that must all agree."""

    atoms: tuple[Atom, ...]

    def said(self) -> Said:
        made = self.atoms[0].said()
        for atom in self.atoms[1:]:
            made = Said("{one} + {other}", one=made, other=atom.said())
        return made

    def words(self) -> str:
        return str(self.said())

    @property
    def parts(self) -> frozenset[tuple[frozenset[str], str]]:
        """What the key is made of, in whatever order: two keys of the same parts are one, with two budgets."""
        return frozenset((frozenset(atom.fields), atom.form) for atom in self.atoms)

    @property
    def fields(self) -> tuple[str, ...]:
        return tuple(name for atom in self.atoms for name in atom.fields)


@dataclass(frozen=True)
class KeyRecipe:
    """The keys that both sides of a blind agreement make alike; `codes.base.Recipe` is for codes that are compared."""

    keys: tuple[Key, ...]
    version: int = VERSION

    def words(self) -> tuple[str, ...]:
        return tuple(key.words() for key in self.keys)


def strength(key: Key, fields: Mapping[str, Field]) -> int:
    """Fields that a key counts: a category none, a full date two, both of two names two."""
    total = 0
    for atom in key.atoms:
        kind = fields[atom.fields[0]].kind
        if kind == "category":
            continue
        total += 2 if atom.form == BOTH or (kind == "date" and atom.form in FULL_DATE) else 1
    return total


def problem_with(key: Key, fields: Mapping[str, Field]) -> Problem | None:
    """Why this type of key may not be used, whoever chose it."""
    for atom in key.atoms:
        unknown = [name for name in atom.fields if name not in fields]
        pair = atom.form in PAIR_FORMS
        if unknown or len(atom.fields) != 1 + pair:
            return Problem(
                "A key speaks of a field that is not agreed.",
                "It cannot be made.",
                "Choose the keys anew.",
                place="keys",
            )
        kinds = {fields[name].kind for name in atom.fields}
        fits = kinds == {"name"} if pair else atom.form in FORMS[fields[atom.fields[0]].kind]
        if not fits:
            return Problem(
                "A key uses a part of a field that its kind does not have.", "It cannot be made.",
                "Choose the keys anew.", place="keys",
            )  # fmt: skip
    names = key.fields
    if len(set(names)) != len(names) or not 2 <= len(key.atoms) <= MOST_ATOMS or _slips(key) > MOST_SLIPS:
        return Problem(
            "A key uses a field twice, or too many parts.", "It cannot be made.", "Choose the keys anew.", place="keys"
        )
    if strength(key, fields) < LEAST_FIELDS:
        return Problem(
            Said("The key '{key}' has fewer than three fields.", key=key.words()),
            "So few fields name too many people, and a partner could guess them (a full date counts as two; sex and "
            "categories never count).",
            "Choose keys with more fields.",
            place="keys",
        )
    return None


def check(recipe: KeyRecipe, fields: Sequence[Field]) -> None:
    known = {one.name: one for one in fields}
    if not recipe.keys or len({key.parts for key in recipe.keys}) != len(recipe.keys):
        raise Problem("The list of keys is empty or names one twice.", do="Choose the keys anew.", place="keys")
    if recipe.version != VERSION:
        raise Problem(
            "The keys belong to another version of the program.",
            "What a key is made of must be the same on both sides.",
            "Use the same version of PPRL Desktop on both sides.",
            place="keys",
        )
    for key in recipe.keys:
        if (wrong := problem_with(key, known)) is not None:
            raise wrong


def _slips(key: Key) -> int:
    return sum(atom.form == SLIP for atom in key.atoms)


@dataclass(frozen=True, eq=False)
class KeyValues:
    """The key values of one type over a table: one line per record and value, distinct within the record."""

    key: Key
    rows: Rows  # record of each line, rising
    digests: Bytes = field(repr=False)  # [lines, atoms x DIGEST]: the texts of the atoms, hashed one by one


class Columns:
    """The atoms of one table, each made once."""

    def __init__(self, table: CleanTable) -> None:
        self.table = table
        self._made: dict[Atom, AtomColumn] = {}
        self._digests: dict[Atom, Bytes] = {}

    def __getitem__(self, atom: Atom) -> AtomColumn:
        if atom not in self._made:
            self._made[atom] = column_of(atom, self.table)
        return self._made[atom]

    def digests(self, atom: Atom) -> Bytes:
        """One hash per text of the atom."""
        if atom not in self._digests:
            texts = self[atom].texts
            joined = b"".join(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:DIGEST] for text in texts)
            self._digests[atom] = np.frombuffer(joined, np.uint8).reshape(-1, DIGEST)
        return self._digests[atom]


def lines_of(columns: Columns, key: Key) -> tuple[Rows, npt.NDArray[np.int32]]:
    """Record and texts (one per atom) of every key value: the product of the atoms' texts, record by record."""
    made = [columns[atom] for atom in key.atoms]
    present = np.logical_and.reduce([one.units >= 0 for one in made])
    rows = np.flatnonzero(present).astype(np.int32)
    chosen = np.zeros((len(rows), 0), dtype=np.int32)
    for one in made:
        units = one.units[rows]
        sizes = one.sizes[units]
        at = np.repeat(np.arange(len(rows)), sizes)
        offset = np.arange(len(at)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        items = one.items[one.start[units[at]] + offset]
        rows, chosen = rows[at], np.column_stack([chosen[at], items]).astype(np.int32)
    if len(rows):
        first = np.flatnonzero(np.diff(rows, prepend=-1))
        within = np.arange(len(rows)) - np.repeat(first, np.diff(np.append(first, len(rows))))
        rows, chosen = rows[within < MOST_VALUES], chosen[within < MOST_VALUES]
    return rows, chosen


def values_of(columns: Columns, key: Key) -> KeyValues:
    rows, chosen = lines_of(columns, key)
    digests = [columns.digests(atom)[chosen[:, place]] for place, atom in enumerate(key.atoms)]
    return KeyValues(key, rows, np.concatenate(digests, axis=1) if digests else np.zeros((0, 0), np.uint8))
