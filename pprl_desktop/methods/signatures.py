"""The inner loop of SimHash: weighted sums of rows of signs (compiled; imported only when it runs)."""

from __future__ import annotations

from typing import Any

from pprl_desktop.methods.blocks import jit


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
