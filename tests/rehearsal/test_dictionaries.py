"""The attacker's lists: names with frequencies, every date, own values for the rest, cleaned as agreed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pprl_desktop.problem import Problem
from pprl_desktop.records.fields import Field
from pprl_desktop.records.table import CleanTable, Column
from pprl_desktop.reference.names import NameList
from pprl_desktop.rehearsal.dictionaries import guesses_for, read_list, role_of


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("last_name", "last"), ("Surname", "last"), ("Nachname", "last"), ("middle_name", "middle"),
        ("first_name", "first"), ("given_name", "first"), ("Vorname", "first"), ("name", "name"),
    ],
)  # fmt: skip
def test_the_role_of_a_field_is_read_from_its_name(name: str, role: str) -> None:
    assert role_of(Field.of(name)) == role


def test_only_names_have_a_role() -> None:
    assert role_of(Field.of("last_visit", "date")) == "other"


def table() -> CleanTable:
    fields = (Field.of("last_name"), Field.of("birth", "date"), Field.of("town", "text"), Field.of("ssn", "id"))
    rows = [("SMITH", "19700102", "LEEDS", "1"), ("XQZ", "19800203", "YORK", "2"), ("SMITH", "", "LEEDS", "3")]
    columns = []
    for place, field in enumerate(fields):
        column = Column.of(field.name, [row[place] for row in rows])
        missing = np.array([value == "" for value in column.values], dtype=bool)
        columns.append(
            Column(column.name, column.values, np.where(missing[column.codes], -1, column.codes).astype(np.int32))
        )
    return CleanTable(fields, tuple(columns))


def test_each_kind_of_field_gets_its_list() -> None:
    made = {one.field.name: one for one in guesses_for(table(), table().fields, {}, {})}
    assert set(made) == {"last_name", "birth", "town"}  # nobody has a list of social security numbers
    assert len(made["last_name"]) > 80_000
    assert made["last_name"].values[made["last_name"].likeliest] == "SMITH"
    assert "19700102" in made["birth"].index
    assert set(made["town"].values) == {"LEEDS", "YORK"}
    assert made["town"].shares.sum() == pytest.approx(1)


def test_truth_tells_listed_from_unlisted_and_missing() -> None:
    made = {one.field.name: one for one in guesses_for(table(), table().fields, {}, {})}
    smith, xqz, _ = made["last_name"].truth(table().column("last_name"))
    assert made["last_name"].values[smith] == "SMITH"
    assert xqz == -1
    assert made["birth"].truth(table().column("birth"))[2] == -2


def test_a_given_list_is_cleaned_and_equal_values_are_added_up() -> None:
    given = {"last_name": NameList(("Müller", "MULLER", "Meier"), np.array([3, 2, 1]))}
    (made,) = guesses_for(table(), table().fields[:1], given, {})
    assert made.values.tolist() == ["MULLER", "MEIER"]
    assert made.shares.tolist() == [5 / 6, 1 / 6]


def test_a_list_is_read_from_a_csv(tmp_path: Path) -> None:
    path = tmp_path / "names.csv"
    path.write_text("name,count\nAAA,10\nBBB,5\nCCC,1\n", encoding="utf-8")
    found = read_list(path)
    assert found.values == ("AAA", "BBB", "CCC")
    assert found.counts.tolist() == [10, 5, 1]


def test_a_list_with_text_for_counts_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "names.csv"
    path.write_text("name,count\nAAA,many\nBBB,few\n", encoding="utf-8")
    with pytest.raises(Problem, match="not a number"):
        read_list(path)
