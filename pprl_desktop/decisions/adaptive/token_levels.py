"""Levels of agreement from variants alone: which of them two values share, whether as tokens or as clear texts."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pprl_desktop.codes.keys.atoms import SLIP, SOUND
from pprl_desktop.codes.keys.variants import ABSENT, LAYOUT, LETTER, NEXT, TURNED, WHOLE, WORDS, Marks
from pprl_desktop.decisions.adaptive.levels import (
    DIFFERS,
    EQUAL,
    INITIAL,
    MISSING,
    NEAR,
    OTHER_INITIAL,
    SHIFTED,
    WORD,
)
from pprl_desktop.records.fields import FieldKind

# how rarely strangers share a form decides its level; u is counted anyway, the order only starts EM at the right end
LEVEL = {
    WHOLE: EQUAL, SLIP: NEAR + 6, SOUND: NEAR + 4, "first 3": NEAR + 3, "last 3": NEAR + 2, "initial": NEAR + 1,
    TURNED: SHIFTED, NEXT: SHIFTED, WORDS: WORD, "first 4": NEAR + 3,
    "month and day": NEAR + 4, "year and month": NEAR + 5, "year and day": NEAR + 2, "year": NEAR + 1,
}  # fmt: skip

Levels = npt.NDArray[np.uint8]
Status = npt.NDArray[np.uint8]


def levels_of(kind: FieldKind, own: Marks, partner: Marks, own_status: Status, partner_status: Status) -> Levels:
    """Pair by pair the level of agreement of one field, from the marks of the variants of both sides."""
    level = np.full(len(own), DIFFERS, dtype=np.uint8)
    undecided = np.ones(len(own), dtype=np.bool_)
    start = 0
    for form, count in LAYOUT[kind]:
        mine, theirs = own[:, start : start + count], partner[:, start : start + count]
        start += count
        met = np.zeros(len(own), dtype=np.bool_)
        for one in range(count):
            some = mine[:, one, None]
            met |= ((some == theirs) & (some != 0)).any(axis=1)
        level[undecided & met] = LEVEL[form]
        undecided &= ~met
    if kind == "name":  # an initial says nothing about the rest of the name
        letter = (own_status == LETTER) | (partner_status == LETTER)
        initial = own[:, -1] == partner[:, -1]
        level[letter] = np.where(initial[letter], INITIAL, OTHER_INITIAL)
    level[(own_status == ABSENT) | (partner_status == ABSENT)] = MISSING
    return level
