"""Columns joined or split before anything else: declared, on the own side only, and shown before and after."""

from __future__ import annotations

from pathlib import Path

import pytest

from pprl_desktop.problem import Problem
from pprl_desktop.records.column_steps import Step, apply, parse
from pprl_desktop.records.reading import ReadOptions, read_table
from pprl_desktop.records.table import Column, Table

PEOPLE = Table.of(
    ["full", "y", "m", "d", "street", "no"],
    [
        ["Anna Maria Müller", "1980", "3", "2", "High St", "5"],
        ["von der Heide, Jan", "1975", "12", "31", "Low St", ""],
        ["Jan van der Berg", "1975", "", "", "", ""],
        ["Cher", "", "", "", "X", "1"],
        ["", "", "", "", "", ""],
    ],
)


def column(table: Table, name: str) -> list[str]:
    return table.column(name).cells()


def test_three_columns_become_one_date() -> None:
    table, (made,) = apply(PEOPLE, ["born = date(y, m, d)"])
    assert column(table, "born") == ["1980-03-02", "1975-12-31", "1975", "", ""]
    assert table.names == (*PEOPLE.names, "born")
    assert (made.filled, made.partly) == (3, 0)


@pytest.mark.parametrize(
    ("cells", "text"),
    [
        (("1950", "März", "7"), "1950-03-07"),
        (("50", "Jänner", "7."), "1950-01-07"),
        (("07", "12.0", "31.0"), "2007-12-31"),
        (("1950", "", "7"), "1950"),
        (("", "3", "7"), ""),
        (("7", "3", "1950"), "7-03-1950"),  # day first: read as any other date
        (("12", "1950", "3"), "12-1950-03"),  # no date, and as it stands there
    ],
)
def test_a_month_by_its_name_and_a_short_year(cells: tuple[str, str, str], text: str) -> None:
    table = Table(tuple(Column.of(name, [cell]) for name, cell in zip(("Jahr", "Monat", "Tag"), cells, strict=True)))
    made, (done,) = apply(table, ["geboren = date(Jahr, Monat, Tag)"])
    assert made.column("geboren").cells() == [text]
    assert done.no_date == (text == "12-1950-03")


def test_parts_that_make_no_day_are_counted_and_shown_first() -> None:
    rows = [["1999", "2", "31"], ["1999", "2", "28"], ["1999", "13", "1"], ["abc", "1", "1"], ["2000", "2", "29"]]
    table, (made,) = apply(Table.of(["y", "m", "d"], rows), ["born = date(y, m, d)"])
    assert column(table, "born")[0] == "1999-02-31"  # as written: a mistyped day still compares well
    assert (made.filled, made.partly, made.no_date) == (3, 0, 2)  # 1999-13-01 reads as the 13th of January
    assert [after for _, after in made.examples[:2]] == [("1999-02-31",), ("abc-01-01",)]
    assert "3 rows filled, 0 not wholly. 2 are no date of the calendar and stay as written." in str(made.said())


def test_a_full_name_becomes_first_and_last_name() -> None:
    table, (made,) = apply(PEOPLE, ["first, last = name(full)"])
    assert column(table, "last") == ["Müller", "von der Heide", "van der Berg", "Cher", ""]
    assert column(table, "first") == ["Anna Maria", "Jan", "Jan", "", ""]
    assert (made.filled, made.partly) == (3, 1)
    assert made.examples[0] == (("Cher",), ("", "Cher"))  # what did not go wholly is shown first
    assert "3 rows filled, 1 not wholly" in str(made.said())


def test_columns_are_joined_and_split_at_a_sign() -> None:
    table, _ = apply(PEOPLE, ["address = join(street, no)", 'last, first = split(full, ",")'])
    assert column(table, "address") == ["High St 5", "Low St", "", "X 1", ""]
    assert column(table, "last")[:2] == ["Anna Maria Müller", "von der Heide"]
    assert column(table, "first")[:2] == ["", "Jan"]


def test_a_later_step_builds_on_an_earlier_one() -> None:
    table, _ = apply(PEOPLE, ["first, last = name(full)", "again = join(last, first)"])
    assert column(table, "again")[0] == "Müller Anna Maria"


def test_a_step_is_written_and_read_alike() -> None:
    text = Step.written("split", ["a, b", "c"], ["name (full)"], ",")
    assert parse(text).into == ("a, b", "c")
    assert parse(text).of == ("name (full)",)
    assert parse(text).sign == ","


@pytest.mark.parametrize(
    "wrong",
    ["", "x", "a = b", "a = date(y)", "a, b = date(y, m, d)", "a = name(full)", "a, b = split(full)", "a = run(x, y)",
     "a = join(y, y)", "a, a = name(full)", "a" * 2000],
)  # fmt: skip
def test_a_step_that_cannot_be_used_is_told(wrong: str) -> None:
    with pytest.raises(Problem, match="cannot be used") as problem:
        parse(wrong)
    assert problem.value.do


def test_what_is_wrong_with_a_step_is_told() -> None:
    with pytest.raises(Problem, match="no step 'glue'"):
        parse("a = glue(b, c)")
    with pytest.raises(Problem, match="sign at which to split is missing"):
        parse("a, b = split(c)")


def test_a_column_that_is_there_or_is_not_there_is_told() -> None:
    with pytest.raises(Problem, match="already"):
        apply(PEOPLE, ["y = join(m, d)"])
    with pytest.raises(Problem, match="no column 'month'"):
        apply(PEOPLE, ["born = date(y, month, d)"])


def test_steps_are_part_of_the_reading(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text("id,full\n1,Ann Lee\n2,Ben Ray\n", encoding="utf-8")
    reading = read_table(path, ReadOptions(made=("first, last = name(full)",)))
    assert reading.table.names == ("id", "full", "first", "last")
    assert reading.applied[0].filled == 2
