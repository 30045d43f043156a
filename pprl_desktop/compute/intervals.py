"""The interval of a share: Wilson (1927), which holds near 0 and 1 and for few trials."""

from __future__ import annotations

import math

Z_95 = 1.959963984540054  # 95 % of a normal distribution lie within


def wilson(share: float, trials: float, z: float = Z_95) -> tuple[float, float]:
    """`share` of `trials`; 0 to 1 where nothing was tried."""
    if trials <= 0:
        return 0.0, 1.0
    square = z * z / trials
    middle = (share + square / 2) / (1 + square)
    half = z / (1 + square) * math.sqrt(share * (1 - share) / trials + square / (4 * trials))
    return max(0.0, middle - half), min(1.0, middle + half)
