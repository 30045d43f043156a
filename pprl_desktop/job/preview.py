"""Before anything leaves: what the choices promise, what they would find, and what a partner could read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.project.choices import Choices

if TYPE_CHECKING:
    from pprl_desktop.codes.base import Settings
    from pprl_desktop.evaluation.synthetic import Forecast
    from pprl_desktop.job.own_table import OwnTable
    from pprl_desktop.privacy.claims import Statement
    from pprl_desktop.reference.overlap import Overlap
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


def rehearse(
    own: OwnTable, choices: Choices, *, sample: int = 300, changes: bool = True, progress: Progress = NO_PROGRESS
) -> Rehearsal:
    """The partner played against the own smashed data; with `changes`, against stronger settings too."""
    from pprl_desktop.rehearsal.rehearse import rehearse

    clean = own.clean(choices, progress.part(0.0, 0.2))
    return rehearse(clean, choices.recipe(), sample=sample, changes=changes, progress=progress.part(0.2, 1.0))


def overlap(own: OwnTable, choices: Choices, progress: Progress = NO_PROGRESS) -> Overlap:
    """How many own values stand in the reference set, and why that matters."""
    from pprl_desktop.codes.recipe import PLAYED_SECRET
    from pprl_desktop.reference.load import reference_set
    from pprl_desktop.reference.overlap import overlap

    recipe = choices.recipe()
    reference = recipe.reference or reference_set(choices.reference, PLAYED_SECRET)  # agreed is a method without one
    return overlap(own.clean(choices, progress), reference, recipe.mapping)


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
