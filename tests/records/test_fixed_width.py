"""Text with fixed widths: a small layout says which characters make up which column."""

from __future__ import annotations

from pathlib import Path

import pytest

from pprl_desktop.problem import Problem
from pprl_desktop.records.fixed_width import Cut, parse_layout
from pprl_desktop.records.reading import ReadOptions, preview, read_table

LAYOUT = "id 1-4, last 5-14, first 15-24, born 25-32"
LINES = ("0007Müller    Anna      19800302", "0008O'Neil    Ben       19751231", "0009Şahin     Óscar")


def written(path: Path, *lines: str, end: str = "\n", encoding: str = "utf-8") -> Path:
    path.write_bytes(end.join([*lines, ""]).encode(encoding))
    return path


@pytest.mark.parametrize(("end", "encoding"), [("\n", "utf-8"), ("\r\n", "utf-16"), ("\r", "utf-8")])
def test_characters_are_counted_whatever_the_encoding(tmp_path: Path, end: str, encoding: str) -> None:
    reading = read_table(written(tmp_path / "p.txt", *LINES, end=end, encoding=encoding), ReadOptions(widths=LAYOUT))
    assert reading.table.names == ("id", "last", "first", "born")
    assert reading.table.column("last").cells() == ["Müller", "O'Neil", "Şahin"]
    assert reading.table.column("id").cells() == ["0007", "0008", "0009"]
    assert reading.table.column("born").cells() == ["19800302", "19751231", ""]
    assert reading.rules
    assert reading.widths == LAYOUT


def test_a_line_of_names_is_recognised_and_can_be_named(tmp_path: Path) -> None:
    path = written(tmp_path / "p.txt", "ID  LAST      FIRST     BORN", *LINES)
    assert read_table(path, ReadOptions(widths=LAYOUT)).table.rows == 3
    assert read_table(path, ReadOptions(widths=LAYOUT, header_line=0)).table.rows == 4
    assert read_table(path, ReadOptions(widths=LAYOUT, header_line=2)).table.rows == 2
    assert preview(path, ReadOptions(widths=LAYOUT), rows=2).table.rows == 2


def test_what_does_not_fit_the_layout_is_told_with_its_line(tmp_path: Path) -> None:
    path = written(tmp_path / "p.txt", LINES[0] + " more", LINES[1], LINES[2])
    told = [str(one.what) for one in read_table(path, ReadOptions(widths=LAYOUT)).warnings]
    assert told == [
        "1 line goes on behind the last column; the first is line 1.",
        "1 line ends before the last column; the first is line 3.",
    ]


def test_a_tab_is_refused_because_cells_would_shift(tmp_path: Path) -> None:
    path = written(tmp_path / "p.txt", LINES[0], "0008\tO'Neil")
    with pytest.raises(Problem, match="Line 2 holds a tab"):
        read_table(path, ReadOptions(widths=LAYOUT))


def test_columns_may_leave_gaps_and_stand_in_any_order() -> None:
    assert parse_layout("b 5-6\na 1-2; c: 9") == (Cut("a", 1, 2), Cut("b", 5, 6), Cut("c", 9, 9))


@pytest.mark.parametrize(
    "wrong", ["", "id", "id 0-3", "id 5-3", "a 1-4, b 4-6", "a 1-2, a 3-4", "id 1-99999999", "id one-two"]
)
def test_a_layout_that_cannot_be_used_is_told(wrong: str) -> None:
    with pytest.raises(Problem, match="layout") as problem:
        parse_layout(wrong)
    assert problem.value.do
    assert problem.value.why


def test_a_workbook_has_no_widths_and_text_no_sheets(tmp_path: Path) -> None:
    path = written(tmp_path / "p.txt", *LINES)
    with pytest.raises(Problem, match="no sheets"):
        read_table(path, ReadOptions(sheet="People"))
    (tmp_path / "p.dta").write_bytes(b"x")
    with pytest.raises(Problem, match="no fixed widths"):
        read_table(tmp_path / "p.dta", ReadOptions(widths=LAYOUT))


def test_a_file_of_fixed_widths_is_called_one(tmp_path: Path) -> None:
    path = tmp_path / "people.dat"
    names = ["MEYER", "VON DER HEIDE", "O BRIEN", "KOHL"] * 5
    path.write_text("".join(f"{n:05}{name:<20}{'ANNA':<10}1950{n % 12:02}\n" for n, name in enumerate(names)))
    with pytest.raises(Problem, match="fixed places") as found:
        read_table(path)
    assert "--widths" in str(found.value.do)
    assert "fixed places" in str(preview(path).warnings[0])
