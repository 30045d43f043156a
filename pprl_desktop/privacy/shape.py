"""What leaves under a recipe: kinds of parts, fields and widths, known before anything is smashed."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from pprl_desktop.codes import tokens
from pprl_desktop.codes.base import Part, PartKind, Recipe, method
from pprl_desktop.progress import NO_PROGRESS
from pprl_desktop.records.table import CleanTable, Column


def kinds(recipe: Recipe) -> set[PartKind]:
    return {kind for kind, _, _ in shape(recipe)} - ({"token"} if recipe.settings.epsilon is not None else set())


def widths(recipe: Recipe, kind: PartKind) -> dict[str, int]:
    """Bits or distances that leave per field ('' for the whole record)."""
    by_field: dict[str, int] = {}
    for found, name, width in shape(recipe):
        if found == kind:
            by_field[name] = by_field.get(name, 0) + width * (8 if kind == "bits" else 1)
    return by_field


def shape(recipe: Recipe) -> tuple[tuple[PartKind, str, int], ...]:
    """Asked for while a slider moves, so signatures are not tried: that would load the compiler and the name lists."""
    if recipe.method == "dp-nn" or (recipe.method == "simhash" and recipe.settings.layout == "record"):
        return (("bits", "", recipe.settings.bits // 8),)
    plain = replace(recipe, secret=b"only the shape is looked at", settings=replace(recipe.settings, epsilon=None))
    if recipe.method == "simhash":
        codes: list[tuple[PartKind, str, int]] = [("bits", one.name, plain.settings.bits // 8) for one in plain.fields]
        return (*codes, *_of(tokens.parts(_sample(plain), plain)))
    return _probe(plain)


@lru_cache(maxsize=32)
def _probe(recipe: Recipe) -> tuple[tuple[PartKind, str, int], ...]:
    """Kind, field and width in bytes of every part, by smashing one made-up record: no second list to keep right."""
    return _of(method(recipe.method).smash(_sample(recipe), recipe, NO_PROGRESS).parts)


def _of(parts: tuple[Part, ...]) -> tuple[tuple[PartKind, str, int], ...]:
    return tuple((part.kind, part.field, part.width) for part in parts)


def _sample(recipe: Recipe) -> CleanTable:
    sample = {"date": "19700101", "number": "1", "id": "1"}
    columns = tuple(Column.of(one.name, [sample.get(one.kind, "A")]) for one in recipe.fields)
    return CleanTable(recipe.fields, columns)
