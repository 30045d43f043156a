"""Whether everything in a project file is known to this version: what only a newer program understands is refused.

Dropping an unknown choice in silence would give other results than the steward chose, and lose the choice when saving.
"""

from __future__ import annotations

import math
import types
from collections.abc import Mapping
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from pprl_desktop import __version__
from pprl_desktop.problem import Problem
from pprl_desktop.said import Said, sentences

LONGEST_TEXT = 32_768  # characters of a path, name or column
MOST = 1 << 62  # larger than any number that is chosen


def newer(name: str = "") -> Problem:
    """The refusal; `name` is the choice that gave it away."""
    why = Said("This is version {version}.", version=__version__)
    return Problem(
        "The project was made by a newer version of PPRL Desktop.",
        sentences(Said("It holds a choice that this version does not know: {name}.", name=name), why) if name else why,
        "Update the program, then open the project again.",
        place="project",
    )


def checked(kind: type[Any], plain: Mapping[str, Any], place: str = "") -> dict[str, Any]:
    """The plain values of a dataclass, if this version has a place for each of them; missing ones take the default."""
    hints = get_type_hints(kind)
    for name, value in plain.items():
        if name not in hints or not _fits(value, hints[name]):
            raise newer(place + name)
    return dict(plain)


def _fits(value: Any, hint: Any) -> bool:
    """As JSON gives it: tuples are lists, a whole number may stand for a float, dataclasses are dicts."""
    origin = get_origin(hint)
    if origin is Literal:
        return value in get_args(hint)
    if origin in (Union, types.UnionType):
        return any(_fits(value, one) for one in get_args(hint))
    if origin is tuple:
        return isinstance(value, list)
    if hint is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    if hint is int:
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, hint if hint in (str, bool, type(None)) else dict)


def sound(value: Any) -> Any:
    """What JSON gave, unless it holds something that no choice is: raises ValueError."""
    if isinstance(value, dict | list):
        for item in [*value, *value.values()] if isinstance(value, dict) else value:
            sound(item)
    elif isinstance(value, str):
        value.encode("utf-8")  # half a surrogate is no character
        if len(value) > LONGEST_TEXT:
            raise ValueError("text")
    elif isinstance(value, int | float) and not (math.isfinite(value) and abs(value) <= MOST):
        raise ValueError("number")
    return value
