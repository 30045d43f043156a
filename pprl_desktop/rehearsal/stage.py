"""The stage of a rehearsal: which own records are attacked under which recipe, and what a partner reads of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from pprl_desktop.codes.base import Recipe, method
from pprl_desktop.privacy.keystream import Keystream
from pprl_desktop.privacy.noise import bundle_epsilon, leaving
from pprl_desktop.problem import Problem
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.records.table import CleanTable
from pprl_desktop.reference.names import NameList
from pprl_desktop.rehearsal.dictionaries import Guesses, Role, guesses_for
from pprl_desktop.rehearsal.findings import Names
from pprl_desktop.rehearsal.lookup import decode_field
from pprl_desktop.rehearsal.record import decode_record
from pprl_desktop.rehearsal.shares import Share
from pprl_desktop.rehearsal.signatures import decode_signatures, signed
from pprl_desktop.rehearsal.spelling import can_be_spelt, spelt
from pprl_desktop.rehearsal.target import Target
from pprl_desktop.rehearsal.unlisted import searched
from pprl_desktop.said import Said

JOINED = 1500  # own records attacked where all fields are in one code, which takes long: not fewer combinations
SALTS = 10  # values of a salt field that are attacked: each needs all lists smashed anew, and they are not cut short

Texts = npt.NDArray[np.object_]
Decoded = Mapping[str, Texts]  # field -> the attacker's guess per row


@dataclass(frozen=True, eq=False)
class Stage:
    whole: CleanTable  # the recipe's fields of all rows
    spare: CleanTable  # all fields at hand, of all rows
    chosen: npt.NDArray[np.int64]
    recipe: Recipe
    guesses: tuple[Guesses, ...]
    first: str  # field names; '' where there is none
    last: str
    notes: tuple[Said, ...] = ()

    @property
    def sample(self) -> CleanTable:
        return self.whole.take(self.chosen)

    @property
    def epsilon(self) -> float | None:
        return bundle_epsilon(self.recipe)

    def leaving(self, copy: int, seed: int) -> Any:
        return leaving(self.sample, self.recipe, Keystream.repeatable(seed, f"rehearsed release {copy}"))

    def smaller(self, rows: int) -> Stage:
        return replace(self, chosen=self.chosen[:rows])


def staged(
    table: CleanTable,
    recipe: Recipe,
    given: Mapping[str, NameList],
    roles: Mapping[str, Role],
    sample: int,
    seed: int,
    progress: Progress,
) -> Stage:
    if not table.rows:
        raise Problem(
            "The table has no records.", "There is nothing to rehearse.", "Load a table first.", place="table"
        )
    columns = tuple(table.column(one.name) for one in recipe.fields)
    whole = CleanTable(recipe.fields, columns)
    progress.at(0.0, "Preparing the dictionaries")
    guesses = guesses_for(whole, recipe.fields, given, roles)
    by_role: dict[str, str] = {}
    for one in guesses:
        by_role.setdefault(one.role, one.field.name)
    first, last = by_role.get("first", ""), by_role.get("last", by_role.get("name", ""))
    if not (first or last):
        raise Problem(
            "There is no name among the matching fields.",
            "The rehearsal counts how many people could be named.",
            "Say which field holds the first and which the last name.",
            place="fields",
        )
    order = np.random.default_rng(seed).permutation(table.rows)  # which rows are looked at is no secret
    notes = [
        Said(
            "Nobody has a list of the values of '{field}', so it was not attacked; short numbers fall to trying all.",
            field=one.name,
        )
        for one in recipe.fields
        if one.name not in {guess.field.name for guess in guesses}
    ]
    if recipe.settings.salt_field:
        notes.append(
            Said(
                "The salt '{field}' is taken as found: whoever holds the secret can try its values.",
                field=recipe.settings.salt_field,
            )
        )
    most = max(1, min(sample, JOINED) if recipe.settings.layout == "record" else sample)
    salt = recipe.settings.salt_field
    chosen = _with_few_salts(whole.column(salt).codes, order, most) if salt else order[:most]
    return Stage(whole, table, chosen, recipe, guesses, first, last, tuple(notes))


def _with_few_salts(salts: npt.NDArray[np.int32], order: npt.NDArray[np.int64], sample: int) -> npt.NDArray[np.int64]:
    """A sample in two stages: values of the salt by how many rows have them, then as many rows of each.

    Every row is as likely to be in it as any other, and the lists need not be cut however many salts there are.
    """
    some = list(dict.fromkeys(salts[order].tolist()))[:SALTS]
    each = max(1, sample // len(some))
    rows = np.concatenate([order[salts[order] == salt][:each] for salt in some])
    return rows[np.argsort(np.argsort(order)[rows])]  # in the random order again


def attacked(stage: Stage, releases: int, seed: int, progress: Progress = NO_PROGRESS) -> Decoded:
    """What the partner reads from so many releases of the sample."""
    progress.at(0.0, "Smashing the sample as it would leave")
    sent = tuple(stage.leaving(copy, seed) for copy in range(releases))
    target = Target(stage.sample, stage.recipe, sent, stage.guesses)
    groups = list(_by_salt(stage, target))
    found: dict[str, Texts] = {}
    for number, (rows, one) in enumerate(groups):
        part = progress.part(0.05 + 0.95 * number / len(groups), 0.05 + 0.95 * (number + 1) / len(groups))
        for name, texts in {**_decoded(one, seed, part), **_known(one)}.items():
            found.setdefault(name, np.full(target.rows, "", dtype=object))[rows] = texts
    return found


def _decoded(target: Target, seed: int, progress: Progress) -> Decoded:
    alone = [one for one in target.guesses if target.releases[0].of_field(one.field.name)]
    if not alone:
        lists, rest = progress.part(0.0, 0.7), progress.part(0.7, 1.0)
        found = decode_signatures(target, lists) if signed(target.recipe) else decode_record(target, seed, lists)
        if not found or target.maker is not None:
            return found
        return searched(target, spelt(target, found, rest) if can_be_spelt(target) else found, rest)
    found = {}
    sizes = np.cumsum([0, *(len(one) for one in alone)])
    for place, one in enumerate(alone):
        part = progress.part(float(sizes[place] / sizes[-1]), float(sizes[place + 1] / sizes[-1]))
        part.at(0.0, Said("Looking up {field}", field=one.field.name))
        found[one.field.name] = decode_field(target, one, progress=part)
    return found


def _known(target: Target) -> Decoded:
    return {name: np.full(target.rows, value, dtype=object) for name, value in target.fixed}


def _by_salt(stage: Stage, target: Target) -> Any:
    """The whole target, or one target per value of the salt field."""
    salt = stage.recipe.settings.salt_field
    if not salt or "salt_field" not in method(stage.recipe.method).reads:
        yield np.arange(target.rows), target
        return
    codes = target.table.column(salt).codes
    values = np.unique(codes)
    others = tuple(one for one in target.guesses if one.field.name != salt)
    for code in values.tolist():
        rows = np.flatnonzero(codes == code)
        value = "" if code < 0 else str(target.table.column(salt).values[code])
        releases = tuple(
            replace(one, rows=len(rows), parts=tuple(replace(part, rows=part.rows[rows]) for part in one.parts))
            for one in target.releases
        )
        fixed = ((salt, value),) if value else ()
        yield rows, Target(target.table.take(rows), target.recipe, releases, others, fixed)


def named(stage: Stage, decoded: Decoded) -> Names:
    hits, present = {}, {}
    for name in filter(None, (stage.first, stage.last)):
        truth = np.array(stage.sample.column(name).cells(), dtype=object)
        present[name] = truth != ""
        hits[name] = present[name] & (truth == decoded.get(name, ""))
    shares = {name: Share.among(hits[name], present[name]) for name in hits}
    if not (stage.first and stage.last):
        return Names(shares.get(stage.first), shares.get(stage.last), None)
    there = present[stage.first] & present[stage.last]
    both = Share.among(hits[stage.first] & hits[stage.last], there)
    spoken = [decoded[one.field.name] for one in stage.guesses if one.role != "other" and one.field.name in decoded]
    truths = [stage.sample.column(name).cells() for name in (stage.first, stage.last)]
    wanted = list(zip(*truths, strict=True))
    heard = list(zip(*spoken, strict=True)) or [()] * len(wanted)
    read = np.array([set(truth) <= set(guess) for truth, guess in zip(wanted, heard, strict=True)], dtype=bool)
    return Names(shares[stage.first], shares[stage.last], both, Share.among(read, there))
