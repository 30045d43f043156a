"""The corrupter makes the slips it promises, the same ones for the same seed."""

from __future__ import annotations

import numpy as np
import pytest
from rapidfuzz.distance import OSA

from pprl_desktop.codes.corrupt import SINGLE_EDITS, Rates, corrupt
from pprl_desktop.records.fields import KINDS, Field
from pprl_desktop.records.table import MISSING, CleanTable, Column

NAMES = ["ANNA", "BO", "MÜLLER", "O BRIEN", "X", "李", "PHILIPPA", "", "SCHMIDT", "LEE"]


def table_of(**columns: tuple[str, list[str]]) -> CleanTable:
    fields, made = [], []
    for name, (kind, cells) in columns.items():
        column = Column.of(name, [cell for cell in cells if cell])
        codes = np.full(len(cells), MISSING, dtype=np.int32)
        codes[[i for i, cell in enumerate(cells) if cell]] = column.codes
        fields.append(Field.of(name, kind))
        made.append(Column(name, column.values, codes))
    return CleanTable(tuple(fields), tuple(made))


def people(rows: int = 400) -> CleanTable:
    first = [NAMES[i % len(NAMES)] for i in range(rows)]
    last = [NAMES[(i * 7 + 3) % len(NAMES)] for i in range(rows)]
    born = [f"19{i % 90 + 10}-{i % 12 + 1:02d}-{i % 28 + 1:02d}" for i in range(rows)]
    sex = ["FM"[i % 2] for i in range(rows)]
    return table_of(first=("name", first), last=("name", last), born=("date", born), sex=("category", sex))


def test_same_seed_same_copy_and_another_seed_another() -> None:
    table = people()
    once, again, other = corrupt(table, 5), corrupt(table, 5), corrupt(table, 6)
    assert [c.cells() for c in once.columns] == [c.cells() for c in again.columns]
    assert [c.cells() for c in once.columns] != [c.cells() for c in other.columns]


def test_the_original_is_not_changed() -> None:
    table = people()
    before = [c.cells() for c in table.columns]
    corrupt(table, 1)
    assert [c.cells() for c in table.columns] == before


def test_values_stay_distinct_and_the_empty_text_is_never_a_value() -> None:
    for column in corrupt(people(), 3, Rates(further=0.8)).columns:
        assert len(set(column.values)) == len(column.values)
        assert "" not in set(column.values)
        assert column.codes.min() >= MISSING
        assert column.codes.max() < len(column.values)


def test_a_single_edit_changes_one_field_by_about_one_character() -> None:
    table = table_of(first=("name", ["ALEXANDER", "JOHANNA"] * 200), last=("name", ["MEYER", "THOMPSON"] * 200))
    bad = corrupt(table, 2, SINGLE_EDITS)
    for before, after in zip(
        zip(*(c.cells() for c in table.columns), strict=True),
        zip(*(c.cells() for c in bad.columns), strict=True),
        strict=True,
    ):
        changed = [(x, y) for x, y in zip(before, after, strict=True) if x != y]
        assert len(changed) == 1
        assert OSA.distance(*changed[0]) <= 3  # a look-alike such as SCH for SH may cost two


def test_the_share_of_touched_records_is_the_one_asked_for() -> None:
    table = people(4000).take(np.flatnonzero(np.arange(4000) % 10 != 7))
    bad = corrupt(table, 4, Rates(touched=0.25, further=0.0))
    before = zip(*(column.cells() for column in table.columns), strict=True)
    after = zip(*(column.cells() for column in bad.columns), strict=True)
    touched = sum(x != y for x, y in zip(before, after, strict=True))
    assert touched / table.rows == pytest.approx(0.25, abs=0.03)


def test_swaps_stay_within_one_kind_of_field() -> None:
    only_swaps = Rates(
        touched=1.0, further=0.0, insert=0, delete=0, substitute=0, transpose=0, keyboard=0, ocr=0, phonetic=0,
        initial=0, missing=0, date=0,
    )  # fmt: skip
    table = people(50)
    bad = corrupt(table, 1, only_swaps)
    assert bad.column("sex").cells() == table.column("sex").cells()
    assert bad.column("born").cells() == table.column("born").cells()
    names = list(zip(table.column("first").cells(), table.column("last").cells(), strict=True))
    swapped = list(zip(bad.column("last").cells(), bad.column("first").cells(), strict=True))
    assert any(a == b and a[0] != a[1] for a, b in zip(names, swapped, strict=True))


def test_dates_stay_dates() -> None:
    only_dates = Rates(touched=1.0, substitute=0, transpose=0, keyboard=0, missing=0, swap=0)
    bad = corrupt(table_of(born=("date", ["1980-03-04", "19991231", "2000-02-30"] * 50)), 9, only_dates)
    assert len(set(bad.column("born").cells())) > 3
    for value in bad.column("born").cells():
        digits = value.replace("-", "")
        assert len(digits) == 8
        assert 1 <= int(digits[4:6]) <= 12
        assert 1 <= int(digits[6:]) <= 31


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("cells", [[], ["A"], [""], ["", "", ""], ["7"], ["X Y"] * 5, ["é"]])
def test_any_kind_and_any_size_works(kind: str, cells: list[str]) -> None:
    table = table_of(field=(kind, cells))
    assert corrupt(table, 0, Rates(touched=1.0, further=0.9)).rows == len(cells)


def test_a_missing_cell_only_fills_by_a_swap() -> None:
    table = table_of(note=("text", ["", "A", "", "B"] * 20))
    assert [c for c in corrupt(table, 3).column("note").cells()[::2] if c] == []
