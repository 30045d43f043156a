"""The linked table for the programs people go on with: the same cells in each form, and nothing in it runs."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from pprl_desktop.problem import Problem
from pprl_desktop.records import writing
from pprl_desktop.records.reading import read_table
from pprl_desktop.records.writing import ENDINGS, stata_names, write_table

HEADER = ["link_id", "Diagnose Ä", "=sum"]
ROWS = [
    ["00a1", "=cmd|' /C calc'!A0", "-5"],
    ["00b2", "", "+49 123"],
    ["00c3", "ünï <&> \x01", "@x"],
    ["00d4", "\tx", "\rx"],
]
SAFE = [
    ["00a1", "'=cmd|' /C calc'!A0", "-5"],
    ["00b2", "", "'+49 123"],
    ["00c3", "ünï <&> \x01", "'@x"],
    ["00d4", "'\tx", "'\rx"],
]


def written(path: Path) -> Path:
    try:
        write_table(path, HEADER, ROWS)
    except Problem as problem:
        if path.suffix == ".parquet" and "not installed" in str(problem.what):
            pytest.skip("pyarrow is not installed here")
        raise
    return path


@pytest.mark.parametrize("ending", ENDINGS)
def test_every_form_holds_the_same_harmless_cells(tmp_path: Path, ending: str) -> None:
    table = read_table(written(tmp_path / f"linked{ending}")).table
    found = [[column.cell(row) for column in table.columns] for row in range(table.rows)]
    assert found == SAFE
    assert table.names[0] == "link_id"


@pytest.mark.parametrize("ending", ENDINGS)
def test_no_form_tells_when_the_table_was_written(tmp_path: Path, ending: str) -> None:
    """A table is handed on: the hour of its making tells of the steward, and was never agreed."""
    first, again = (written(tmp_path / f"{name}{ending}") for name in ("linked", "again"))
    assert first.read_bytes() == again.read_bytes()  # a clock finer than this test
    if ending == ".xlsx":  # coarser ones, each where its form keeps it
        with zipfile.ZipFile(first) as book:
            assert {one.date_time for one in book.infolist()} == {(1980, 1, 1, 0, 0, 0)}
            assert not [one for one in book.namelist() if one.startswith("docProps")]
    if ending == ".dta":
        import pandas

        with pandas.io.stata.StataReader(first) as reader:
            assert reader.time_stamp == "01 Jan 1980 00:00"


def test_a_workbook_holds_text_and_no_formula(tmp_path: Path) -> None:
    import openpyxl

    page = openpyxl.load_workbook(written(tmp_path / "linked.xlsx")).active
    kinds = {cell.data_type for row in page.rows for cell in row if cell.value is not None}
    assert kinds == {"s"}
    assert page["A2"].value == "00a1"  # with its zeros


def test_stata_gets_names_it_allows_and_the_titles_as_labels(tmp_path: Path) -> None:
    import pandas

    assert stata_names(["a b", "A b", "1x", "if", "n" * 40, ""]) == (
        "a_b", "A_b_2", "_1x", "if_2", "n" * 32, "column",
    )  # fmt: skip
    with pandas.io.stata.StataReader(written(tmp_path / "linked.dta")) as reader:
        assert reader.variable_labels()["Diagnose_Ä"] == "Diagnose Ä"


def test_an_unknown_form_and_one_that_cannot_hold_the_table_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(Problem, match="cannot be written as"):
        write_table(tmp_path / "linked.doc", HEADER, ROWS)
    with pytest.raises(Problem, match="longer than"):
        write_table(tmp_path / "linked.xlsx", HEADER, [["1", "x" * 40_000, ""]])
    monkeypatch.setattr(writing, "MOST_ROWS", 3)
    with pytest.raises(Problem, match="at most 3 rows"):
        write_table(tmp_path / "linked.xlsx", HEADER, ROWS)
    assert list(tmp_path.iterdir()) == []  # whole or not at all
