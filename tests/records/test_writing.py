"""Written tables are whole, and safe in a spreadsheet where asked."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

import pytest

from pprl_desktop.records.reading import read_table
from pprl_desktop.records.writing import harmless, write_csv


def test_what_is_written_reads_back_unchanged(tmp_path: Path) -> None:
    rows = [["0001", "Müller, A.", 'say "x"'], ["1E5", "two\nlines", "=1+1"]]
    write_csv(tmp_path / "t.csv", ["id", "name", "note"], rows)
    table = read_table(tmp_path / "t.csv").table
    assert [list(row) for row in zip(*(c.cells() for c in table.columns), strict=True)] == rows


def test_formulas_become_text_and_numbers_stay(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    write_csv(path, ["=a", "b"], [["=HYPERLINK(1)", "-1,5"], ["@x", "+49 30"]], for_spreadsheet=True)
    with path.open(encoding="utf-8-sig", newline="") as file:
        assert list(csv.reader(file)) == [["'=a", "b"], ["'=HYPERLINK(1)", "-1,5"], ["'@x", "'+49 30"]]
    assert harmless("Ann") == "Ann"


def test_a_failure_leaves_the_old_file_and_no_rest(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    write_csv(path, ["a"], [["1"]])

    def rows() -> Iterator[list[str]]:
        yield ["2"]
        raise RuntimeError

    with pytest.raises(RuntimeError):
        write_csv(path, ["a"], rows())
    assert path.read_text().split() == ["a", "1"]
    assert list(tmp_path.iterdir()) == [path]
