"""Dates of spreadsheets and statistics programs: kept as they were seen, and no file is lost for one that is none."""

from __future__ import annotations

import zipfile
from datetime import date, timedelta
from pathlib import Path

import pytest

from pprl_desktop.problem import Problem
from pprl_desktop.records import moments, workbook_scan
from pprl_desktop.records.reading import Reading, ReadOptions, read_table

FILES = Path(__file__).parent / "files"


def column(reading: Reading, name: str) -> list[str]:
    return reading.table.column(name).cells()


def told(reading: Reading) -> str:
    return " ".join(str(one) for one in reading.warnings)


@pytest.mark.parametrize("ending", ["xls", "ods"])
def test_what_gnumeric_wrote_is_read_as_it_was_seen(ending: str) -> None:
    """Written by Gnumeric 1.12: dates, times, zeros, spaces, a remark, formulas with values, errors, merged cells."""
    reading = read_table(FILES / f"gnumeric.{ending}")
    assert column(reading, "birth") == ["1980-02-03", "1950-12-31 23:59:59", "1900-01-01", "2024-02-29", ""]
    assert column(reading, "fdate")[:3] == ["1980-02-04", "1951-01-01 23:59:59", "1900-01-02"]
    assert column(reading, "time")[:3] == ["08:30:00", "00:00:00", "23:59:59"]
    assert column(reading, "elapsed")[:2] == ["30:00:00", "00:03:00"]
    assert column(reading, "plz") == ["01234", "00099", "", "00007", ""]
    assert column(reading, "name") == [" Anna  Maria ", "Öz<&>", "", "last", ""]
    assert column(reading, "multi")[:4] == ["a\nb", "tab\there", "  lead", "trail  "]
    assert column(reading, "err") == [""] * 5
    assert column(reading, "cur")[0] == "12.5"
    assert "10 cells are formulas" in told(reading)
    assert "1 merged range" in told(reading)
    assert "remark" not in repr(reading.table)
    assert column(read_table(FILES / f"gnumeric.{ending}", ReadOptions(sheet="Zwei")), "k") == ["007"]


@pytest.mark.parametrize("ending", [".sav", ".dta", ".xpt"])
def test_an_impossible_date_costs_its_cell_and_is_counted(tmp_path: Path, ending: str) -> None:
    import pandas as pd
    import pyreadstat

    start, day, shown, write = {
        ".sav": (date(1582, 10, 14), 86400, "DATE11", pyreadstat.write_sav),
        ".dta": (date(1960, 1, 1), 1, "%tdDD/NN/CCYY", pyreadstat.write_dta),
        ".xpt": (date(1960, 1, 1), 1, "YYMMDD10.", pyreadstat.write_xport),
    }[ending]
    born = [float((date(1980, 2, 3) - start).days * day), 1e15, float("nan"), 1e15, -1e12]
    path = tmp_path / f"people{ending}"
    write(pd.DataFrame({"name": list("ABCDE"), "born": born}), str(path), variable_format={"born": shown})
    reading = read_table(path)
    assert column(reading, "born") == ["1980-02-03", "", "", "", ""]
    assert column(reading, "name") == list("ABCDE")
    assert "3 cells hold a date that the calendar does not have" in told(reading)


@pytest.mark.parametrize("base", [1900, 1904])
def test_a_workbook_says_how_many_dates_are_none(tmp_path: Path, base: int) -> None:
    """Excel shows day 0 as 00.01.1900 and a number below it not at all; the library calls both a time of day."""
    import openpyxl
    from openpyxl.utils.datetime import CALENDAR_MAC_1904

    book = openpyxl.Workbook()
    if base == 1904:
        book.epoch = CALENDAR_MAC_1904
    sheet = book.active
    sheet.append(["name", "born", "at", "number"])
    for name, born in zip(
        "ABCDEFGH", [36526, -5, 0, 0.5, 60, 2958466 - 1462 * (base == 1904), 1e10, 36526.5], strict=True
    ):
        sheet.append([name, born, 0.25, -5])
    for line in range(2, 10):
        sheet.cell(line, 2).number_format, sheet.cell(line, 3).number_format = "dd.mm.yyyy", "hh:mm"
    book.save(tmp_path / "people.xlsx")
    reading = read_table(tmp_path / "people.xlsx")
    if base == 1900:
        assert column(reading, "born") == ["2000-01-01", "", "", "", "", "", "", "2000-01-01 12:00:00"]
        assert "6 cells hold a date that the calendar does not have: they are missing." in told(reading)
    else:
        first, day_60 = ["1904-01-01", "1904-01-01 12:00:00"], "1904-03-01"  # there day 0 is a day
        assert column(reading, "born") == ["2004-01-02", "", *first, day_60, "", "", "2004-01-02 12:00:00"]
        assert "3 cells hold a date that the calendar does not have: they are missing." in told(reading)
    assert column(reading, "at") == ["06:00:00"] * 8
    assert column(reading, "number") == ["-5"] * 8


@pytest.mark.parametrize(
    ("program", "shown", "number", "text"),
    [
        ("sav", "ADATE10", 86400.0, "1582-10-15"),
        ("sav", "DATETIME20", 86400.0 + 3661, "1582-10-15 01:01:01"),
        ("sav", "MOYR8", 12_535_776_000.0, "1980-01"),
        ("sav", "QYR6", 12_535_776_000.0, "1980-Q1"),
        ("sav", "TIME8", 90_061.0, "25:01:01"),
        ("sas7bdat", "DATE9", 0.0, "1960-01-01"),
        ("sas7bdat", "E8601DA10.", -1.0, "1959-12-31"),
        ("sas7bdat", "DATETIME22.3", 86_399.0, "1960-01-01 23:59:59"),
        ("sas7bdat", "DTDATE9", 86_400.0, "1960-01-02"),
        ("sas7bdat", "DATE9", 745_153.0, "4000-02-28"),
        ("sas7bdat", "DATE9", 745_154.0, "4000-03-01"),  # SAS gives that year no leap day, nor 8000
        ("sas7bdat", "YYMMDD10", 2_936_547.0, "9999-12-31"),
        ("xpt", "DATETIME19.", 2_936_547.0 * 86_400 + 86_399, "9999-12-31 23:59:59"),
        ("sas7bdat", "TOD8.", 3 * 86_400.0 + 3661, "01:01:01"),
        ("xpt", "MONYY7.", 31.0, "1960-02"),
        ("xpt", "TIME5.", 60.0, "00:01:00"),
        ("dta", "%tdD_m_Y", 1.0, "1960-01-02"),
        ("dta", "%d", 1.0, "1960-01-02"),
        ("dta", "%tc", 1000.0, "1960-01-01 00:00:01"),
        ("dta", "%tcHH:MM", 60_000.0, "00:01:00"),
        ("dta", "%tm", -1.0, "1959-12"),
        ("dta", "%tq", 5.0, "1961-Q2"),
        ("dta", "%tw", 51.0, "1960-W52"),
    ],
)
def test_a_number_of_a_statistics_program_is_the_moment_it_shows(
    program: str, shown: str, number: float, text: str
) -> None:
    clock = moments.of_statistics(program, shown)
    assert clock is not None
    assert clock.read(number) == text
    assert clock.read(1e300) is None


@pytest.mark.parametrize(
    ("program", "shown"),
    [
        ("sav", "F8.2"),
        ("sav", "A10"),
        ("dta", "%9.0g"),
        ("dta", "%-9s"),
        ("xpt", "BEST12."),
        ("xpt", None),
        ("sav", ""),
    ],
)
def test_a_number_that_is_no_date_stays_one(program: str, shown: str | None) -> None:
    assert moments.of_statistics(program, shown) is None


@pytest.mark.parametrize(
    "pattern", ["General", "0.00", '#,##0 "days"', "[Red]0", "0.0E+00", "@", "_-* 0", r"0\d", "00000"]
)
def test_a_pattern_of_a_workbook_without_a_day_is_no_date(pattern: str) -> None:
    assert moments.of_workbook(164, pattern, False) is None


@pytest.mark.parametrize("from_1904", [False, True])
def test_a_serial_is_the_day_that_the_workbook_shows(from_1904: bool) -> None:
    clock = moments.of_workbook(164, '[$-407]dd. mmm yyyy "um" hh:mm', from_1904)
    assert clock is not None
    start = date(1904, 1, 1) if from_1904 else date(1899, 12, 30)
    for day in (date(1904, 1, 2), date(1980, 2, 29), date(9999, 12, 31)):
        assert moments.of_serial(clock, (day - start) / timedelta(days=1)) == day.isoformat()
    assert moments.of_serial(clock, -1) is None
    assert moments.of_serial(clock, 3e6) is None
    if not from_1904:
        assert [moments.of_serial(clock, n) for n in (1, 59, 61)] == ["1900-01-01", "1900-02-28", "1900-03-01"]


def spoilt(path: Path, old: bytes, new: bytes) -> Path:
    with zipfile.ZipFile(FILES / "gnumeric.ods") as packed:
        parts = {name: packed.read(name) for name in packed.namelist()}
    assert old in parts["content.xml"]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        for name, data in parts.items():
            made.writestr(name, data.replace(old, new, 1) if name == "content.xml" else data)
    return path


def test_of_a_moment_that_shows_its_time_alone_the_time_is_taken(tmp_path: Path) -> None:
    """A program that took over a workbook whose days are counted from 1904 writes such moments."""
    reading = read_table(spoilt(tmp_path / "people.ods", b'"PT08H30M00S"', b'"PT35096H30M00S"'))
    assert column(reading, "time")[0] == "08:30:00"
    assert column(reading, "elapsed")[0] == "30:00:00"


def test_an_open_document_with_an_impossible_date_loses_that_cell(tmp_path: Path) -> None:
    path = spoilt(tmp_path / "odd.ods", b'office:date-value="1980-02-03"', b'office:date-value="12345-02-03"')
    reading = read_table(path)
    assert column(reading, "birth")[:2] == ["", "1950-12-31 23:59:59"]
    assert "1 cell holds a date" in told(reading)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"</office:spreadsheet>", b""),  # cut
        (b"<office:document-content", b'<!DOCTYPE x [<!ENTITY a "b">]><office:document-content'),
        (b'office:date-value="1980-02-03"', b'office:date-value="1980-02-03" table:number-columns-repeated="99999"'),
        (b'office:value-type="date"', b'office:value-type="date" table:number-columns-repeated="many"'),
    ],
)
def test_an_open_document_that_lies_is_refused_in_a_sentence(tmp_path: Path, old: bytes, new: bytes) -> None:
    with pytest.raises(Problem) as problem:
        read_table(spoilt(tmp_path / "lies.ods", old, new))
    assert problem.value.do


def test_empty_rows_at_the_end_of_a_sheet_cost_nothing(tmp_path: Path) -> None:
    end = b'<table:table-row table:number-rows-repeated="900000000"><table:table-cell '
    end += b'table:number-columns-repeated="900000000"/></table:table-row></table:table>'
    path = spoilt(tmp_path / "long.ods", b"</table:table>", end)
    assert read_table(path).table.rows == read_table(FILES / "gnumeric.ods").table.rows


def test_deleted_cells_that_a_document_remembers_are_no_cells(tmp_path: Path) -> None:
    kept = b"<table:tracked-changes><table:table-cell><text:p>gone</text:p></table:table-cell></table:tracked-changes>"
    path = spoilt(tmp_path / "tracked.ods", b"<office:spreadsheet>", b"<office:spreadsheet>" + kept)
    assert read_table(path).table.names == read_table(FILES / "gnumeric.ods").table.names


def test_a_sheet_of_more_rows_than_any_program_has_is_refused(tmp_path: Path) -> None:
    many = f'table:number-rows-repeated="{workbook_scan.MOST_ROWS + 1}"'.encode()
    with zipfile.ZipFile(FILES / "gnumeric.ods") as packed:
        content = packed.read("content.xml")
    last = content[: content.index(b"trail")].rfind(b"<table:table-row")
    tag = content[last : content.index(b">", last)]
    path = spoilt(tmp_path / "rows.ods", content[last : content.index(b"trail")],
                  tag + b" " + many + content[last + len(tag) : content.index(b"trail")])  # fmt: skip
    with pytest.raises(Problem, match="too large"):
        read_table(path)
