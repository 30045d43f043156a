"""Crowds in classes: what a preview may tell of k before anything was paid, and what is charged for it.

Whoever knows how often names occur reads a name from its exact count. So a preview tells only in which class the crowd
of the next click falls, the charge is that of the smallest crowd of the class, and a class that few values of a field
fall into is joined with its neighbour. KAPR itself, of what was opened, is counted with the exact crowds.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce

import numpy as np
import numpy.typing as npt

BOUNDS = (1, 2, 5, 20)  # smallest crowds of the classes: 1, 2 to 4, 5 to 19, 20 and more
FEWEST = 10  # different values of a field in a class, unless all of them are in it

Bounds = frozenset[int]
ALL: Bounds = frozenset(BOUNDS)


def bounds_of(counts: npt.NDArray[np.int64]) -> Bounds:
    """The classes of a field, by how often each of its values occurs."""
    bounds = list(BOUNDS)
    while len(bounds) > 1:
        sizes, _ = np.histogram(counts, [*bounds, np.inf])
        small = [at for at, size in enumerate(sizes) if 0 < size < FEWEST and size < len(counts)]
        if not small:
            break
        del bounds[max(small[0], 1)]
    return frozenset(bounds)


def told(k: int, fields: Iterable[Bounds], kappa: int) -> int:
    """The smallest crowd of the class of k, where these fields are open: opening more never makes it larger.

    Below kappa nothing is opened, as everybody knows.
    """
    common = reduce(frozenset.intersection, fields, ALL)
    return max(kappa, *(bound for bound in common if bound <= max(k, 1)))
