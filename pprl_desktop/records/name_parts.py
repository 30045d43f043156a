"""A full name in one column: its first and last name are found and offered as two columns.

In one piece, twins and couples look like one person with a slip, and whoever changed the last name looks like a
stranger. Such a part is named by its column, "full_name (first)", wherever a column can be named.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from pprl_desktop.records.normalise import PARTICLES

MOST = 0.8  # share of the filled rows that must have both parts


def parted(text: str) -> tuple[str, str]:
    """ "Last, First" at its comma; otherwise the last word is the last name, with the particles (von, de la) before it.

    A single word is a last name.
    """
    text = " ".join(text.split())
    if "," in text:
        last, _, first = text.partition(",")
        return first.strip(), last.strip()
    words = text.split(" ")
    at = len(words) - 1
    while at > 1 and words[at - 1].upper().strip(".'") in PARTICLES:  # the first word is never a particle
        at -= 1
    return (" ".join(words[:at]), " ".join(words[at:])) if len(words) > 1 else ("", text)


def has_parts(values: Sequence[str], counts: npt.NDArray[np.int64]) -> bool:
    """Whether nearly all of these names, each held by so many rows, have a first and a last part."""
    filled = np.array([bool(text.strip()) for text in values], dtype=bool)
    both = np.array([all(parted(text)) for text in values], dtype=bool)
    return int(counts[both].sum()) >= MOST * max(int(counts[filled].sum()), 1)
