"""Compiled loops of the split join's reducer."""

from __future__ import annotations

import numpy as np

from pprl_desktop.compute.threads import jit


@jit
def greedy(own, partner, own_rows, partner_rows):  # type: ignore[no-untyped-def]
    """Which of the pairs, best first, are taken when each row may occur once."""
    used_own = np.zeros(own_rows, dtype=np.uint8)
    used_partner = np.zeros(partner_rows, dtype=np.uint8)
    taken = np.zeros(len(own), dtype=np.bool_)
    for k in range(len(own)):
        if used_own[own[k]] == 0 and used_partner[partner[k]] == 0:
            used_own[own[k]] = 1
            used_partner[partner[k]] = 1
            taken[k] = True
    return taken
