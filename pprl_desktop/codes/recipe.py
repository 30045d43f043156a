"""The one builder of settings and recipes, so that what is rehearsed, proposed, signed and sent cannot differ.

settings()  what was asked for, on top of a method's own settings
changed()   settings with something asked for anew: noise and layout bring along what belongs to them
build()     fields, settings, reference set and secret -> the recipe both parties follow
of_other_tool()  the same for codes made by a schema of another program
checked()   the same recipe, or the Problem that its method has with it
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from pprl_desktop.codes.base import Recipe, Settings, method
from pprl_desktop.codes.layouts import decision_of
from pprl_desktop.codes.mapping import Mapping, default_mapping
from pprl_desktop.records.fields import Field
from pprl_desktop.reference.sets import ReferenceSet

# a fixed secret is right where both parties are played on one computer; every agreement makes a fresh one
PLAYED_SECRET = b"both parties are played on this computer"


def settings(name: str, **wanted: Any) -> Settings:
    """A method's own settings with what was asked for."""
    return changed(name, method(name).defaults(), **wanted)


def changed(name: str, now: Settings, **wanted: Any) -> Settings:
    """Like dataclasses.replace, but what belongs together stays together unless both were asked for.

    Noise that was not there before brings one code per record: epsilon is per bit, so a record of five fields with a
    code each carries five times the bits, and the partner's dictionary reads names from them at an epsilon where the
    record code gives little away (rehearsal/). A layout brings the decision that can be made on it.
    """
    coded = method(name).both_layouts
    if coded and wanted.get("epsilon") is not None and now.epsilon is None:
        wanted.setdefault("layout", "record")
    if coded and "layout" in wanted:
        wanted.setdefault("decision", decision_of(wanted["layout"]))
    return replace(now, **wanted)


def build(
    name: str,
    fields: Sequence[Field],
    settings: Settings,
    reference: str | ReferenceSet | None = None,
    mapping: Mapping = (),
    secret: bytes = PLAYED_SECRET,
) -> Recipe:
    """A reference set is given whole or by its name or file, and used where the method needs one."""
    from pprl_desktop.reference.load import reference_set

    if not method(name).uses_reference:
        return Recipe(name, tuple(fields), settings, secret=secret)
    used = reference_set(reference, secret) if isinstance(reference, str) else reference
    if used is not None and not mapping:
        mapping = default_mapping(fields, used)
    return Recipe(name, tuple(fields), settings, used, mapping, secret)


def of_other_tool(name: str, fields: Sequence[Field], secret: bytes) -> Recipe:
    """For codes that another tool's schema makes: no method of this program, and none of its settings apply."""
    return Recipe(name, tuple(fields), secret=secret)


def checked(recipe: Recipe) -> Recipe:
    for problem in method(recipe.method).problems(recipe):
        raise problem
    return recipe
