"""What leaves under a recipe: kinds of parts, fields and widths, known before anything is smashed."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from pprl_desktop.codes.base import PartKind, Recipe, Shape, method, sample
from pprl_desktop.progress import NO_PROGRESS


def kinds(recipe: Recipe) -> set[PartKind]:
    return {kind for kind, _, _ in shape(recipe)} - ({"token"} if recipe.settings.epsilon is not None else set())


def widths(recipe: Recipe, kind: PartKind) -> dict[str, int]:
    """Bits or distances that leave per field ('' for the whole record)."""
    by_field: dict[str, int] = {}
    for found, name, width in shape(recipe):
        if found == kind:
            by_field[name] = by_field.get(name, 0) + width * (8 if kind == "bits" else 1)
    return by_field


def shape(recipe: Recipe) -> Shape:
    """Asked for while a slider moves: a method may know it without trying."""
    plain = replace(recipe, secret=b"only the shape is looked at", settings=replace(recipe.settings, epsilon=None))
    return method(recipe.method).shape(plain) or _probe(plain)


@lru_cache(maxsize=32)
def _probe(recipe: Recipe) -> Shape:
    """Kind, field and width in bytes of every part, by smashing one made-up record: no second list to keep right."""
    parts = method(recipe.method).smash(sample(recipe), recipe, NO_PROGRESS).parts
    return tuple((part.kind, part.field, part.width) for part in parts)
