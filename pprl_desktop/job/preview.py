"""Before anything leaves: what the choices promise, what they would find, and what a partner could read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.project.choices import Choices

if TYPE_CHECKING:
    from pprl_desktop.codes.base import Settings
    from pprl_desktop.evaluation.synthetic import Forecast
    from pprl_desktop.job.own_table import OwnTable
    from pprl_desktop.privacy.claims import Statement
    from pprl_desktop.records.fields import Field
    from pprl_desktop.reference.overlap import Overlap
    from pprl_desktop.reference.sets import ReferenceSet
    from pprl_desktop.rehearsal.dictionaries import Role
    from pprl_desktop.rehearsal.rehearse import Rehearsal


def statement(choices: Choices, settings: Settings | None = None) -> Statement:
    from pprl_desktop.privacy.statements import statement

    return statement(choices.recipe(settings), choices.rows)


def forecast(
    own: OwnTable,
    choices: Choices,
    settings: Settings | None = None,
    *,
    most: int = 2000,
    progress: Progress = NO_PROGRESS,
) -> Forecast:
    """Expected precision and recall on synthetic pairs of the own records."""
    from pprl_desktop.evaluation.synthetic import forecast

    clean = own.clean(choices, progress.part(0.0, 0.2))
    return forecast(clean, choices.recipe(settings), most=most, progress=progress.part(0.2, 1.0))


@dataclass(frozen=True)
class Attacker:
    """What the rehearsed partner has, where it differs from the usual: lists of names, and which fields hold names."""

    lists: Mapping[str, Path] = field(default_factory=dict)  # field -> CSV with the columns value, count
    roles: Mapping[str, Role] = field(default_factory=dict)
    spare: tuple[Field, ...] = ()  # further own fields, tried as "more fields"


def rehearse(
    own: OwnTable,
    choices: Choices,
    *,
    attacker: Attacker | None = None,
    sample: int = 300,
    seed: int = 0,
    changes: bool = True,
    progress: Progress = NO_PROGRESS,
) -> Rehearsal:
    """The partner played against the own smashed data; with `changes`, against stronger settings too."""
    from pprl_desktop.rehearsal.dictionaries import read_list
    from pprl_desktop.rehearsal.rehearse import rehearse

    attacker, recipe = attacker or Attacker(), choices.recipe()
    lists = {name: read_list(path) for name, path in attacker.lists.items()}
    wider = choices.changed(
        fields=(*choices.fields, *attacker.spare),
        columns=(*choices.columns, *((one.name, one.name) for one in attacker.spare)),
    )
    clean = own.clean(wider if attacker.spare else choices, progress.part(0.0, 0.2))
    return rehearse(
        clean, recipe, dictionary=lists, roles=attacker.roles, sample=sample, seed=seed, changes=changes,
        progress=progress.part(0.2, 1.0),
    )  # fmt: skip


def overlap(own: OwnTable, choices: Choices, progress: Progress = NO_PROGRESS) -> Overlap:
    """How many own values stand in the reference set, and why that matters."""
    from pprl_desktop.reference.overlap import overlap

    return overlap(own.clean(choices, progress), reference(choices), choices.recipe().mapping)


def reference(choices: Choices) -> ReferenceSet:
    """The chosen reference set, also beside a method that uses none."""
    from pprl_desktop.codes.recipe import PLAYED_SECRET
    from pprl_desktop.reference.load import reference_set

    return reference_set(choices.reference, PLAYED_SECRET)


def example(choices: Choices, field_name: str, text: str) -> tuple[str, tuple[int, ...]]:
    """A typed value after cleaning, and the first numbers that would leave for it."""
    from pprl_desktop.codes.base import method
    from pprl_desktop.records.cleaning import clean
    from pprl_desktop.records.table import Table

    recipe = choices.recipe()
    table = Table.of([one.name for one in choices.fields], [[text] * len(choices.fields)])
    cleaned = clean(table, choices.fields, {one.name: one.name for one in choices.fields})
    smashed = method(choices.method).smash(cleaned, recipe, NO_PROGRESS)
    value = cleaned.column(field_name).cell(0)
    parts = smashed.of_field(field_name) or smashed.parts
    numbers = next((part.values[0] for part in parts if part.role == "value" and len(part.values)), ())
    return value, tuple(int(number) for number in numbers)
