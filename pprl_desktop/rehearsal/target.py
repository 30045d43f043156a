"""What the rehearsed partner has: the bundle as it leaves, the recipe with its secret, and dictionaries to smash."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from pprl_desktop.codes.base import Bytes, Part, PartKind, Recipe, Smashed, method
from pprl_desktop.privacy.noise import bundle_epsilon
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.records.table import MISSING, CleanTable, Column
from pprl_desktop.rehearsal.dictionaries import Guesses

Smash = Callable[[CleanTable, Progress], Smashed]
KEPT_BYTES = 256 << 20  # smashed dictionaries kept for the next rehearsal with the same recipe


@dataclass(frozen=True, eq=False)
class PartRows:
    """One part with a row of bytes per record; zeros where it is not present."""

    kind: PartKind
    values: Bytes
    present: npt.NDArray[np.bool_]

    def take(self, rows: npt.NDArray[np.int64]) -> PartRows:
        return PartRows(self.kind, self.values[rows], self.present[rows])


@dataclass(frozen=True, eq=False)
class Target:
    """Own sampled rows as they would leave; `releases` holds one bundle, or several with fresh noise each."""

    table: CleanTable  # the answers, to score the attack with
    recipe: Recipe
    releases: tuple[Smashed, ...]
    guesses: tuple[Guesses, ...]
    fixed: tuple[tuple[str, str], ...] = ()  # fields whose value the attacker has found already (a salt)
    maker: Smash | None = None  # how another tool's format is made; None: by the method of the recipe

    def smash(self, table: CleanTable, progress: Progress = NO_PROGRESS) -> Smashed:
        """A table of the attacker's, made into what the bundle holds."""
        if self.maker is not None:
            return self.maker(table, progress)
        return method(self.recipe.method).smash(table, self.recipe, progress)

    @property
    def rows(self) -> int:
        return self.table.rows

    @property
    def epsilon(self) -> float | None:
        return bundle_epsilon(self.recipe)

    def guess(self, name: str) -> Guesses | None:
        return next((one for one in self.guesses if one.field.name == name), None)

    def field_rows(self, name: str, kinds: tuple[PartKind, ...]) -> dict[str, PartRows]:
        """The parts of a field ('' for the whole record) by name, releases side by side."""
        found = {}
        for part in self.releases[0].of_field(name):
            if part.kind in kinds:
                sides = [_expanded(release.part(part.name)) for release in self.releases]
                values = np.hstack([side.values for side in sides]) if len(sides) > 1 else sides[0].values
                found[part.name] = PartRows(part.kind, values, sides[0].present)
        return found


Entries = Mapping[str, PartRows]
"""A smashed dictionary by part: row i belongs to entry i."""

_kept: OrderedDict[str, Entries] = OrderedDict()
_lock = threading.Lock()


def smashed_guesses(target: Target, guesses: Guesses, progress: Progress = NO_PROGRESS) -> Entries:
    """Every entry of a list, smashed as the only value of a record. Kept: the same list is often asked for again."""
    key = list_key(target, guesses)
    with _lock:
        if key in _kept:
            _kept.move_to_end(key)
            return _kept[key]
    table = alone(target, {guesses.field.name: guesses.column()}, len(guesses))
    smashed = target.smash(table, progress)
    entries = {part.name: _expanded(part) for part in smashed.parts if part.field in ("", guesses.field.name)}
    with _lock:
        _kept[key] = entries
        while len(_kept) > 1 and sum(map(_bytes, _kept.values())) > KEPT_BYTES:
            _kept.popitem(last=False)
    return entries


def alone(target: Target, columns: Mapping[str, Column], rows: int) -> CleanTable:
    """A table with the recipe's fields in which only the given columns, and what is fixed, have values."""
    made = []
    none = np.empty(0, dtype=object)
    for one in target.recipe.fields:
        if one.name in columns:
            made.append(columns[one.name])
            continue
        fixed = next((value for name, value in target.fixed if name == one.name), None)
        if fixed is None:
            made.append(Column(one.name, none, np.full(rows, MISSING, dtype=np.int32)))
        else:
            value = np.empty(1, dtype=object)
            value[0] = fixed
            made.append(Column(one.name, value, np.zeros(rows, dtype=np.int32)))
    return CleanTable(target.recipe.fields, tuple(made))


def list_key(target: Target, guesses: Guesses) -> str:
    """Noise changes nothing here but whether there are tokens."""
    recipe = target.recipe
    settings = replace(recipe.settings, epsilon=None if target.epsilon is None else 1.0, decoys=0)
    reference = recipe.reference.fingerprint if recipe.reference else ""
    fields = [one.as_dict() for one in recipe.fields]
    secret = hashlib.sha256(b"pprl-rehearsal\0" + recipe.secret).hexdigest()
    text = repr((recipe.method, fields, settings, reference, recipe.mapping, secret, target.fixed))
    return hashlib.sha256(f"{text}\0{guesses.fingerprint}".encode("utf-8", "surrogatepass")).hexdigest()


def _bytes(entries: Entries) -> int:
    return sum(part.values.nbytes for part in entries.values())


def _expanded(part: Part) -> PartRows:
    present = part.rows >= 0
    values = np.zeros((len(part.rows), part.width), dtype=np.uint8)
    if len(part.values):
        values[present] = part.values[part.rows[present]]
    return PartRows(part.kind, values, present)
