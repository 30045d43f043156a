"""What is decided about opened pairs."""

from __future__ import annotations

import numpy as np

from pprl_desktop.codes.keys.atoms import Atom
from pprl_desktop.codes.keys.recipe import Key, KeyRecipe
from pprl_desktop.decisions.base import MatchOptions
from pprl_desktop.records.fields import Field
from pprl_desktop.records.table import CleanTable, Column
from tests.benchmarks.blind_clear import decided
from tests.codes.keys.people import people

SHARED, RELATIVES = 150, 25
RECIPE = KeyRecipe(
    (
        Key((Atom(("last_name",), "whole"), Atom(("first_name",), "initial"), Atom(("zip",), "whole"))),
        Key((Atom(("first_name",), "whole"), Atom(("birth",), "whole"))),
        Key((Atom(("last_name",), "initial"), Atom(("zip",), "whole"), Atom(("city",), "whole"))),
    )
)


def neighbours(rows: int) -> tuple[CleanTable, CleanTable]:
    """Two tables with SHARED people in common. Two thousand zip codes, nearly all of them rare in a table, each of one
    of a hundred towns. RELATIVES of the second live where somebody of the first with their last name does."""
    everyone = people(2 * rows - SHARED)
    random = np.random.default_rng(3)
    codes = random.integers(0, 2000, everyone.rows)
    last = everyone.columns[0]
    codes[-RELATIVES:], family = codes[:RELATIVES], last.codes.copy()
    family[-RELATIVES:] = family[:RELATIVES]
    columns = [Column(last.name, last.values, family), *everyone.columns[1:3]]
    columns += [
        Column.of("zip", [str(20_000 + 7 * code) for code in codes.tolist()]),
        Column.of("city", [f"TOWN {code % 100}" for code in codes.tolist()]),
    ]
    fields = (*everyone.fields[:3], Field.of("zip", "id"), Field.of("city", "text"))
    table = CleanTable(fields, tuple(columns))
    return table.take(np.arange(rows)), table.take(np.arange(rows - SHARED, everyone.rows))


def test_a_town_that_its_zip_code_tells_does_not_count_twice() -> None:
    """Not even where no other own record has that zip code."""
    rows = 1500
    a, b = neighbours(rows)
    match, opened = decided(a, b, RECIPE, MatchOptions())
    at = match.accepted()
    own, partner = match.scored.own[at], match.scored.partner[at]
    right = (own - (rows - SHARED) == partner) & (partner < SHARED)
    assert len(opened) >= SHARED + RELATIVES
    assert right.sum() >= 0.95 * SHARED
    assert (~right).sum() <= 2
