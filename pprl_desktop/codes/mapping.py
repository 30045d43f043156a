"""The default mapping M: which reference attributes a field is measured against.

Fields of one kind share one attribute, so a value can be compared with another field of its kind (a maiden name that
is now the middle name). Names of fields only choose among name attributes; no method depends on them for its result.
"""

from __future__ import annotations

from collections.abc import Sequence

from pprl_desktop.codes.base import Recipe
from pprl_desktop.problem import Problem
from pprl_desktop.records.fields import Field
from pprl_desktop.records.roles import Role, role
from pprl_desktop.reference.derived import DIGITS
from pprl_desktop.reference.sets import ReferenceSet
from pprl_desktop.said import Said

Mapping = tuple[tuple[str, tuple[str, ...]], ...]

_PLACE: tuple[Role, ...] = ("city", "street", "postcode")


def default_mapping(fields: Sequence[Field], reference: ReferenceSet) -> Mapping:
    """Names and categories -> the shared name attribute, text -> a place-like one, digits -> the digit strings."""
    shared = _name_attribute(reference)
    by_kind = {
        "name": shared,
        "category": shared,
        "text": _spoken(reference, _PLACE) or shared,
        "date": _digits(reference) or shared,
        "id": _digits(reference) or shared,
        "number": _digits(reference) or shared,
    }
    return tuple((field.name, (by_kind[field.kind],)) for field in fields)


def _name_attribute(reference: ReferenceSet) -> str:
    """The attribute of last names if one says so, else the one with the most different values."""
    found = _spoken(reference, ("last",))
    if found:
        return found
    texts = [name for name in reference.attributes if name != DIGITS] or list(reference.attributes)
    return max(texts, key=lambda name: len(set(reference.attribute(name))))


def _spoken(reference: ReferenceSet, wanted: Sequence[Role]) -> str:
    return next((name for name in reference.attributes if role(name) in wanted), "")


def _digits(reference: ReferenceSet) -> str:
    return DIGITS if DIGITS in reference.attributes else ""


def mapping_problems(recipe: Recipe) -> tuple[Problem, ...]:
    """What is wrong with reference set and mapping before any work starts."""
    reference = recipe.reference
    if reference is None or not reference.size:
        return (
            Problem(
                "No reference set is chosen.",
                "This method measures every value against public reference records.",
                "Choose a reference set, for example us-200.",
                place="reference",
            ),
        )
    found: list[Problem] = []
    names = [field.name for field in recipe.fields]
    for name, attributes in recipe.mapping:
        if name not in names:
            found.append(
                Problem(
                    Said("The mapping speaks of a field '{name}' that is not among the matching fields.", name=name),
                    Said("The matching fields are: {names}.", names=", ".join(names)),
                    "Map one of these or add the field.",
                    place=name,
                )
            )
        elif not attributes:
            found.append(
                Problem(
                    Said("The field '{name}' is mapped to no reference attribute.", name=name),
                    "Without one its values cannot be compared.",
                    "Map it to at least one attribute or leave the field out.",
                    place=name,
                )
            )
        found += [
            Problem(
                Said("The reference set has no attribute '{attribute}'.", attribute=attribute),
                Said("It has: {attributes}.", attributes=", ".join(reference.attributes)),
                Said("Map '{name}' to one of these.", name=name),
                place=name,
            )
            for attribute in attributes
            if attribute not in reference.attributes
        ]
    return tuple(found)
