"""Column names as people type them: finding one, and naming the nearest when it is not there."""

from __future__ import annotations

from collections.abc import Sequence

from pprl_desktop.problem import Problem, did_you_mean


def no_such_column(name: str, names: Sequence[str]) -> Problem:
    shown = ", ".join(names[:12]) + (", …" if len(names) > 12 else "")
    return Problem(
        f"There is no column '{name}'.",
        f"The file has: {shown}.",
        f"{did_you_mean(name, names)}Choose one of these columns.",
        place=name,
    )
