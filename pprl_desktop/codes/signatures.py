"""The inner loops of codes: weighted sums of signs, bits set by pieces (compiled; imported only when they run)."""

from __future__ import annotations

from typing import Any

from pprl_desktop.compute.threads import jit


@jit
def add_up(values: Any, starts: Any, piece: Any, weight: Any, signs: Any, sums: Any) -> None:
    """sums[row] += the weighted signs of all pieces of values[row]; a missing value (-1) adds nothing."""
    for row in range(len(values)):
        value = values[row]
        if value < 0:
            continue
        for entry in range(starts[value], starts[value + 1]):
            heavy = weight[entry]
            side = signs[piece[entry]]
            here = sums[row]
            for bit in range(len(here)):
                here[bit] += heavy * side[bit]


@jit
def set_bits(values: Any, starts: Any, piece: Any, places: Any, filled: Any) -> None:
    """filled[row, bit] becomes true for all bits of all pieces of values[row]; a missing value (-1) sets nothing."""
    for row in range(len(values)):
        value = values[row]
        if value < 0:
            continue
        for entry in range(starts[value], starts[value + 1]):
            for bit in places[piece[entry]]:
                filled[row, bit] = True
