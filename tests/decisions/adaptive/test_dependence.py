"""Fields that go together: what a slip may and may not make of it."""

from __future__ import annotations

import numpy as np
import pytest

from pprl_desktop.decisions.adaptive.dependence import _with_slips
from pprl_desktop.decisions.adaptive.levels import DIFFERS, EQUAL, LEVELS, NEAR
from pprl_desktop.decisions.adaptive.strangers import shares
from pprl_desktop.decisions.adaptive.tuning import Tuning


@pytest.mark.parametrize("equal", [0.9, 0.3, 0.01], ids=["seldom a slip", "often", "nearly always"])
def test_slips_spread_the_strangers_who_share_two_values_and_add_none(equal: float) -> None:
    """Where counterparts are hardly ever equal, almost equal values were taken for relatives, and nobody was linked."""
    tuning = Tuning()
    seen = np.zeros(LEVELS)
    seen[DIFFERS], seen[EQUAL], seen[NEAR:EQUAL] = 100_000, 300, 2
    count = np.outer(seen, seen) / seen.sum()
    m = np.full(LEVELS, 1e-4)
    m[EQUAL], m[NEAR:EQUAL] = equal, (1 - equal) / (EQUAL - NEAR)
    lift = np.ones((LEVELS, LEVELS))
    lift[EQUAL, EQUAL] = 60.0
    made = _with_slips(lift, count, (m, m), tuning)
    u = np.outer(shares(count.sum(axis=1), tuning.unseen), shares(count.sum(axis=0), tuning.unseen))
    beyond = float(((made - lift) * u).sum())
    assert 0 < beyond <= lift[EQUAL, EQUAL] * u[EQUAL, EQUAL]
    assert (made >= lift).all()
