"""Decoys look like the rest, are known to their owner, and are nobody."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from pprl_desktop.codes import decoys
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


def insured(rows: int, number: Callable[[int], str]) -> CleanTable:
    fields = (Field.of("last"), Field.of("first"), Field.of("zip", "id"), Field.of("insurance_number", "id"))
    cells = [[f"L{row % 17}", f"F{row % 13}", f"{10_000 + row % 9}", number(row)] for row in range(rows)]
    return CleanTable(fields, tuple(Column.of(f.name, [row[at] for row in cells]) for at, f in enumerate(fields)))


def with_check(digits: str, check: Callable[[str], bool], length: int = 1) -> str:
    """The number with the check digits that make it right."""
    return next(digits + f"{last:0{length}}" for last in range(10**length) if check(digits + f"{last:0{length}}"))


def test_a_decoy_has_nobodys_number_in_the_form_of_the_others() -> None:
    plain = insured(300, lambda row: f"A{(row * 7919 + 1234567) % 10**7:07}")
    real = set(plain.columns[3].cells())
    table, is_decoy = add_decoys(plain, 200, seed=5)
    made = [cell for cell, decoy in zip(table.columns[3].cells(), is_decoy, strict=True) if decoy]
    assert not real & set(made)
    assert len(set(made)) == 200  # nor another decoy's
    assert all(len(one) == 8 and one[0] == "A" and one[1:].isdecimal() for one in made)
    assert set(table.columns[2].cells()) == set(plain.columns[2].cells())  # a postcode is a place, and stays one
    assert [cell for cell, decoy in zip(table.columns[3].cells(), is_decoy, strict=True) if not decoy] == (
        plain.columns[3].cells()
    )


@pytest.mark.parametrize("check", decoys.CHECKS)
def test_a_check_digit_does_not_tell_a_decoy(check: Callable[[str], bool]) -> None:
    length = 2 if check is decoys._modulo_97 else 1
    numbers = [f"{(row * 104729 + 271828) % 10**8:08}" for row in range(900)]
    right = [n for n in numbers if any(check(n + f"{last:0{length}}") for last in range(10**length))]
    plain = insured(300, lambda row: with_check(right[row], check, length))
    table, is_decoy = add_decoys(plain, 100, seed=6)
    made = [cell for cell, decoy in zip(table.columns[3].cells(), is_decoy, strict=True) if decoy]
    assert sum(map(check, made)) >= 99


@pytest.mark.parametrize(
    ("check", "right"),
    [(0, "4539578763621486"), (1, "9434765919"), (2, "36574261809"), (3, "255081416802538")],
)
def test_check_digits_are_those_of_the_standards(check: int, right: str) -> None:
    """Examples as published: a test card, an NHS number, a German tax number, a French personal number."""
    assert decoys.CHECKS[check](right)
    wrong = right[:-1] + str((int(right[-1]) + 1) % 10)
    assert not decoys.CHECKS[check](wrong)


def test_where_every_number_is_taken_a_decoy_goes_without_one() -> None:
    table, is_decoy = add_decoys(insured(100, lambda row: f"{row:02}"), 30, seed=7)
    assert {cell for cell, decoy in zip(table.columns[3].cells(), is_decoy, strict=True) if decoy} == {""}
