"""Column names as people type them: finding one, and naming the nearest when it is not there."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from pprl_desktop.problem import Problem


def no_such_column(name: str, names: Sequence[str]) -> Problem:
    lower = {candidate.casefold(): candidate for candidate in names}
    close = difflib.get_close_matches(name.casefold(), list(lower), n=1)
    do = "Choose one of these columns."
    shown = ", ".join(names[:12]) + (", …" if len(names) > 12 else "")
    return Problem(
        f"There is no column '{name}'.",
        f"The file has: {shown}.",
        f"Did you mean '{lower[close[0]]}'? {do}" if close else do,
        place=name,
    )
