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


def population(rows: int) -> CleanTable:
    """First names belong to a sex and to a generation."""
    rng = np.random.default_rng(3)
    fields = (Field.of("last"), Field.of("first"), Field.of("sex", "category"), Field.of("birth", "date"))
    cells = []
    for _ in range(rows):
        sex, decade = "FM"[rng.integers(2)], int(rng.integers(193, 201))
        birth = f"{decade}{rng.integers(10)}{rng.integers(1, 13):02}{rng.integers(1, 29):02}"
        cells.append([f"L{rng.integers(300)}", f"{sex}{decade}{rng.integers(9)}", sex, birth])
    return CleanTable(fields, tuple(Column.of(f.name, [row[at] for row in cells]) for at, f in enumerate(fields)))


def test_a_decoy_cannot_be_told_by_a_first_name_of_the_other_sex_or_of_another_generation() -> None:
    table, is_decoy = add_decoys(population(3000), 3000, seed=5)
    rows = list(zip(*(column.cells() for column in table.columns), strict=True))
    decoys = [row for row, decoy in zip(rows, is_decoy, strict=True) if decoy]
    assert [row for row in decoys if row[1][0] != row[2]] == []
    assert sum(row[1][1:4] != row[3][:3] for row in decoys) < 0.02 * len(decoys)


def test_rare_kinds_draw_from_a_wider_one() -> None:
    """Two people of a kind of their own would lend each other's names only."""
    fields = (Field.of("first"), Field.of("group", "category"))
    cells = [(f"F{row}", "A" if row > 1 else "B") for row in range(60)]
    table = CleanTable(fields, tuple(Column.of(f.name, [row[at] for row in cells]) for at, f in enumerate(fields)))
    mixed, is_decoy = add_decoys(table, 600, seed=1)
    rows = list(zip(*(column.cells() for column in mixed.columns), strict=True))
    rare = {row[0] for row, decoy in zip(rows, is_decoy, strict=True) if decoy and row[1] == "B"}
    assert len(rare) > 2
