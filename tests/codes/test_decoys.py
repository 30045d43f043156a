"""Decoys look like the rest, are known to their owner, and are nobody."""

from __future__ import annotations

import numpy as np

from pprl_desktop.codes.decoys import add_decoys
from pprl_desktop.records.fields import Field
from pprl_desktop.records.table import CleanTable, Column

FIELDS = (Field.of("last"), Field.of("first"), Field.of("city", "text"), Field.of("zip", "id"))


def people(rows: int) -> CleanTable:
    cells = [[f"L{row % 17}", f"F{row % 13}", f"C{row % 7}", f"Z{row % 7}"] for row in range(rows)]
    return CleanTable(FIELDS, tuple(Column.of(f.name, [row[at] for row in cells]) for at, f in enumerate(FIELDS)))


def test_real_rows_keep_their_order_and_decoys_are_marked() -> None:
    table, is_decoy = add_decoys(people(200), 50, seed=1)
    assert table.rows == 250
    assert is_decoy.sum() == 50
    for mixed, plain in zip(table.columns, people(200).columns, strict=True):
        assert [cell for cell, decoy in zip(mixed.cells(), is_decoy, strict=True) if not decoy] == plain.cells()


def test_a_decoy_is_nobody_but_its_place_exists() -> None:
    plain = people(200)
    real = set(zip(*(column.cells() for column in plain.columns), strict=True))
    places = {row[2:] for row in real}
    table, is_decoy = add_decoys(plain, 100, seed=2)
    rows = list(zip(*(column.cells() for column in table.columns), strict=True))
    decoys = [row for row, decoy in zip(rows, is_decoy, strict=True) if decoy]
    assert not real & set(decoys)
    assert {row[2:] for row in decoys} <= places


def test_decoys_stand_anywhere_and_differ_without_a_seed() -> None:
    one, other = (add_decoys(people(300), 100)[1] for _ in range(2))
    assert (one != other).any()
    assert one[:200].any()
    assert one[-200:].any()


def test_no_decoys_and_no_rows() -> None:
    table, is_decoy = add_decoys(people(5), 0)
    assert table.rows == 5
    assert not is_decoy.any()
    empty = CleanTable(FIELDS, tuple(Column(f.name, np.empty(0, object), np.empty(0, np.int32)) for f in FIELDS))
    assert add_decoys(empty, 10)[0].rows == 0
