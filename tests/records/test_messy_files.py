"""Every file of the collection of messy files behaves as the list beside it says."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from pprl_desktop.problem import Problem
from pprl_desktop.records.cleaning import clean
from pprl_desktop.records.fields import Field
from pprl_desktop.records.profile import profile
from pprl_desktop.records.reading import read_table

NAMES = [Field.of("last_name"), Field.of("first_name")]


@pytest.fixture
def messy(shared_data: Path) -> Path:
    folder = shared_data / "messy_csv"
    if not folder.is_dir():
        pytest.skip("the messy files are not there")
    return folder


def expected(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_every_listed_file_reads_as_listed_or_is_refused_by_line(messy: Path) -> None:
    refused = {"unclosed_quote.csv": "line 2", "ragged_long.csv": "line 3"}
    empty = {"empty.csv": "empty", "only_bom.csv": "empty", "header_only.csv": "no records"}
    for entry in expected(messy / "EXPECTED_person.csv"):
        name = entry["file"]
        if name in refused or name in empty:
            with pytest.raises(Problem) as problem:
                read_table(messy / name)
            assert name in empty or problem.value.place == refused[name]
            assert name in refused or empty[name] in str(problem.value.what)
            continue
        table = read_table(messy / name).table
        assert (name, table.rows, len(table.columns)) == (name, int(entry["rows"]), int(entry["cols"]))


def test_every_real_file_has_the_listed_counts(messy: Path) -> None:
    entries = list(expected(messy / "EXPECTED_real.csv"))
    assert entries
    for entry in entries:
        table = read_table(messy / entry["file"]).table
        assert table.rows + 1 == int(entry["records_incl_header"]), entry["file"]
        assert len(table.columns) == int(entry["max_fields"]), entry["file"]


def test_the_traps(messy: Path) -> None:
    def column(file: str, name: str) -> list[str]:
        return read_table(messy / file).table.column(name).cells()

    assert column("semicolon_decimal_comma.csv", "score")[0] == "1,5"
    assert "\r" not in "".join(column("mixed_eol.csv", "zip"))
    assert column("words_that_are_nulls.csv", "last_name") == ["Null", "None", "True", "NaN"]
    assert len(set(column("leading_zeros_excel.csv", "id"))) == 4
    assert column("leading_zeros_excel.csv", "id")[0] == "0001"
    assert column("formula_injection.csv", "first_name")[1] == "@x"
    assert read_table(messy / "bad_utf8.csv").warnings[0].place == "line 3"
    assert read_table(messy / "nul_bytes.csv").warnings[0].place == "line 2"
    assert read_table(messy / "preamble.csv").header_line == 4
    assert len(read_table(messy / "long_name_header.csv").table.names[1]) == 5000


def test_cleaning_makes_the_right_ones_equal(messy: Path) -> None:
    def cells(file: str, name: str) -> list[str]:
        return clean(read_table(messy / file).table, NAMES, {}).column(name).cells()

    assert cells("whitespace.csv", "last_name") == ["SMITH", "JONES"]
    assert cells("whitespace.csv", "first_name") == ["ANN", "BOB"]
    assert len(set(cells("case_turkish.csv", "last_name"))) == 2
    assert len(set(cells("case_turkish.csv", "first_name"))) == 2
    assert cells("nfc_nfd_a.csv", "last_name") == ["MULLER", "NUNEZ"]
    assert cells("words_that_are_nulls.csv", "last_name")[0] == "NULL"
    missing = clean(read_table(messy / "all_missing_names.csv").table, NAMES, {})
    assert missing.column("last_name").codes.tolist() == [-1, -1, 0]
    assert all(cells("utf8_all_scripts.csv", "last_name"))


def test_the_profile_warns_of_duplicate_ids_and_namesakes(messy: Path) -> None:
    twice = profile(read_table(messy / "duplicate_ids.csv").table)
    assert twice.duplicate_ids == 2
    assert "(1)" in str(twice.warnings[0].what)
    same = profile(read_table(messy / "identical_people.csv").table)
    assert same.exact_duplicates == 1999
    assert profile(read_table(messy / "leading_zeros_excel.csv").table).column("dob").dates.serial == 1
