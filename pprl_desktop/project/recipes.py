"""The recipe that the steward's choices describe, before a partner's secret exists."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pprl_desktop.project.choices import Choices

if TYPE_CHECKING:
    from pprl_desktop.codes.base import Recipe, Settings

# what forecasts and rehearsals are played with before a partner's secret exists
IMAGINED_SECRET = b"a secret for rehearsals on the own computer"


def recipe_of(choices: Choices, secret: bytes = IMAGINED_SECRET, settings: Settings | None = None) -> Recipe:
    """The recipe that the present choices describe."""
    from pprl_desktop.codes.base import Recipe, method
    from pprl_desktop.codes.mapping import default_mapping
    from pprl_desktop.reference.load import reference_set

    chosen = method(choices.method)
    reference = reference_set(choices.reference, secret) if chosen.uses_reference else None
    mapping = choices.mapping
    if reference is not None and not mapping:
        mapping = default_mapping(choices.fields, reference)
    return Recipe(choices.method, choices.fields, settings or choices.settings, reference, mapping, secret)


def with_method(choices: Choices, name: str) -> Choices:
    """Another method with its own defaults; noise and direction stay as the steward set them where they apply."""
    from pprl_desktop.codes.base import method

    defaults = method(name).defaults()
    return choices.changed(
        method=name, settings=replace(defaults, one_to_one=choices.settings.one_to_one, decoys=choices.settings.decoys)
    )
