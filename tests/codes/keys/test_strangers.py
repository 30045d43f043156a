"""How many strangers will share a key is told from few of them, with the range that chance gives."""

from __future__ import annotations

import numpy as np
import pytest

from pprl_desktop.codes.keys.atoms import Atom
from pprl_desktop.codes.keys.recipe import Columns, Key, KeyRecipe
from pprl_desktop.codes.keys.strangers import Near, Shared
from tests.benchmarks.blind_clear import joined
from tests.codes.keys.people import people

RARE = Key((Atom(("last_name",), "whole"), Atom(("first_name",), "whole"), Atom(("birth",), "year and month")))
OFTEN = Key((Atom(("last_name",), "first 3"), Atom(("first_name",), "first 3"), Atom(("birth",), "year")))


def counted(rows: int, key: Key, seed: int) -> Shared:
    return Near(Columns(people(rows, seed))).start().with_key(key)


@pytest.mark.parametrize(("rows", "key"), [(400, OFTEN), (1500, OFTEN), (1500, RARE)])
def test_the_strangers_met_lie_in_the_range_told_nine_of_ten_times(rows: int, key: Key) -> None:
    within, tables = 0, 40
    for seed in range(tables):
        low, high = counted(rows, key, seed).opened_by_chance(rows)
        met = len(np.unique(joined(people(rows, 1000 + seed), people(rows, seed), KeyRecipe((key,)))[:, 1])) / rows
        within += low <= met <= high
    assert within >= 0.8 * tables


def test_where_many_strangers_were_seen_the_range_is_narrow() -> None:
    shared = counted(4000, OFTEN, 0)
    low, high = shared.opened_by_chance(4000)
    assert low < shared.opened(4000) < high
    assert high / low < 1.8


def test_where_nobody_was_seen_some_may_still_be_met() -> None:
    alone = Key((*RARE.atoms[:2], Atom(("birth",), "whole"), Atom(("city",), "whole")))
    shared = counted(100, alone, 0)
    assert shared.opened(100) == 0.0
    low, high = shared.opened_by_chance(100)
    assert low == 0.0 < high
