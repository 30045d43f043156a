"""Column names as people type them: finding one, and naming the nearest when it is not there."""

from __future__ import annotations

from collections.abc import Sequence

from pprl_desktop.problem import Problem, did_you_mean
from pprl_desktop.said import Said, sentences


def no_such_column(name: str, names: Sequence[str]) -> Problem:
    shown = [*names[:12], *(["…"] if len(names) > 12 else [])]
    return Problem(
        Said("There is no column '{name}'.", name=name),
        Said("The file has: {shown}.", shown=shown),
        sentences(did_you_mean(name, names), "Choose one of these columns."),
        place=name,
    )
