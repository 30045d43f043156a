"""How much a piece of a value says, from public knowledge only: rare pieces of names weigh up to twice the common ones.

Both parties need the very same weights, so they are whole numbers worked out in integer arithmetic from the public name
list that ships with the program, never from either side's data (a weight fitted on private data would also leak).
"""

from __future__ import annotations

from functools import cache

from pprl_desktop.codes import qgrams
from pprl_desktop.records.fields import FieldKind
from pprl_desktop.reference.names import dictionary

UNIT = 16  # weights are sixteenths
# Uncapped weights hurt, because one mistyped letter makes rare pieces. With this cap dirty names keep twice the F1 they
# have with a cap of three, and clean ones lose nothing.
CAP = 2 * UNIT
COMMON_DIGITS = ("0:1", "0:2", "1:9", "1:0")  # the century in a date
COMMON_DIGIT = UNIT // 4


def weight(piece: str, kind: FieldKind) -> int:
    """In sixteenths, from 1 to CAP."""
    if kind == "name":
        return _names().get(piece, CAP)
    if kind == "date" and piece in COMMON_DIGITS:
        return COMMON_DIGIT
    return UNIT


@cache
def _names() -> dict[str, int]:
    """1/2 + 1/4 log2(bearers of any name / bearers of a name with the piece), from the Census lists of names."""
    bearers: dict[str, int] = {}
    total = 0
    for names in (dictionary("first"), dictionary("last")):
        for name, count in zip(names.values, names.counts.tolist(), strict=True):
            total += count
            for piece in qgrams.pieces(name, "name"):
                bearers[piece] = bearers.get(piece, 0) + count
    return {piece: min(UNIT // 2 + _quarter_log2(total, count), CAP) for piece, count in bearers.items()}


def _quarter_log2(whole: int, part: int) -> int:
    """floor(UNIT/4 * log2(whole / part)) without a floating-point logarithm, which differs between machines."""
    power = UNIT // 4
    times: int = whole**power // max(part, 1) ** power
    return times.bit_length() - 1
