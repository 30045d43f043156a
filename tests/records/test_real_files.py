"""What files of real programs held that made-up ones did not: each was found in files that others publish."""

from __future__ import annotations

import contextlib
import os
import struct
import subprocess
import sys
import zipfile
from datetime import date
from pathlib import Path

import pytest

from pprl_desktop.problem import Problem
from pprl_desktop.records import biff, formats
from pprl_desktop.records.hushed import hushed
from pprl_desktop.records.reading import Reading, ReadOptions, read_table
from tests.records.test_formats import open_document

FILES = Path(__file__).parent / "files"


def column(reading: Reading, name: str) -> list[str]:
    return list(reading.table.column(name).cells())


def refused(path: Path) -> str:
    with pytest.raises(Problem) as caught:
        read_table(path)
    return str(caught.value)


def test_days_counted_from_1904_are_so_also_where_a_newer_program_says_more_of_the_workbook(tmp_path: Path) -> None:
    """Excel for Mac writes a second element of that name, and the library forgets the first: four years too early."""
    import openpyxl
    from openpyxl.utils.datetime import CALENDAR_MAC_1904

    book = openpyxl.Workbook()
    book.epoch = CALENDAR_MAC_1904
    sheet = book.active
    sheet.append(["id", "born", "number"])
    sheet.append([1, date(1985, 3, 7), 29651])
    sheet.append([2, date(1904, 1, 3), 2])
    book.save(tmp_path / "plain.xlsx")
    more = (
        b'<extLst><ext uri="{1}" xmlns:x15="urn:x"><x15:workbookPr chartTrackingRefBase="1"/></ext></extLst></workbook>'
    )
    with zipfile.ZipFile(tmp_path / "plain.xlsx") as old, zipfile.ZipFile(tmp_path / "people.xlsx", "w") as new:
        for name in old.namelist():
            new.writestr(name, old.read(name).replace(b"</workbook>", more))
    for name in ("plain.xlsx", "people.xlsx"):
        reading = read_table(tmp_path / name)
        assert column(reading, "born") == ["1985-03-07", "1904-01-03"]
        assert column(reading, "number") == ["29651", "2"]


def with_a_chart(stream: bytes) -> bytes:
    """A chart with one saved number at the end of the last sheet."""
    chart = struct.pack("<HHHH4x", biff.BOF, 8, biff.BIFF8, 0x0020)
    number = struct.pack("<HHHHHd", biff.NUMBER, 14, 0, 0, 0, 169.0)
    end = struct.pack("<HH", biff.EOF, 0)
    at = stream.rindex(end)
    return stream[:at] + chart + number + end + stream[at:]


def test_an_xls_whose_chart_would_be_read_as_cells_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "people.xls"
    path.write_bytes((FILES / "gnumeric.xls").read_bytes())
    assert read_table(path).table.rows
    stream = biff.workbook(path.read_bytes())
    monkeypatch.setattr(biff, "workbook", lambda _: with_a_chart(stream))
    seen = biff.seen(path.read_bytes())
    assert seen is not None
    (last,) = seen.mixed
    with pytest.raises(Problem, match="holds a chart"):
        read_table(path, ReadOptions(sheet=last))
    assert read_table(path).table.rows  # the first sheet has none


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252"])
@pytest.mark.parametrize("version", [114, 118])
def test_letters_of_a_stata_file_are_read_whatever_it_says_of_them(tmp_path: Path, version: int, encoding: str) -> None:
    """Before version 118 nothing is said, and programs write what they like; later ones say UTF-8, and some lie."""
    import pandas as pd

    names = ["Müller", "Ágnes Í", "Zoë"]
    path = tmp_path / "people.dta"
    pd.DataFrame({"name": [f"{at}{'x' * len(one.encode())}" for at, one in enumerate(names)]}).to_stata(
        path, version=version, write_index=False
    )
    data = path.read_bytes()
    for at, one in enumerate(names):
        place = f"{at}{'x' * len(one.encode())}".encode()
        data = data.replace(place, one.encode(encoding).ljust(len(place), b"\0"))
    path.write_bytes(data)
    assert column(read_table(path), "name") == names


def test_what_the_library_decodes_wrongly_is_decoded_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of Vietnamese text in files of SAS every value got the last letter of the one before."""
    import pandas as pd
    import pyreadstat

    names = ["Nguyễn", "Trần", "Đỗ"]
    pyreadstat.write_sav(pd.DataFrame({"tên": names, "c": [1.0, 2.0, 1.0]}), str(tmp_path / "people.sav"))
    monkeypatch.setattr(formats, "DECODED", {"UTF-8": "utf-8"})  # no program here writes the other
    reading = read_table(tmp_path / "people.sav")
    assert column(reading, "tên") == names
    growing = formats._Growing("name", letters="cp1258")
    growing.add(["Tr\u00e2\u0300n".encode("cp1258").decode("latin-1"), None])
    assert list(growing.column().values) == ["Tr\u00e2\u0300n", ""]


def test_a_file_whose_letters_or_version_are_unknown_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import pyreadstat

    path = tmp_path / "people.sas7bdat"
    path.write_bytes(b"no such file")
    for reason, told in (
        ("File has an unsupported character set", "is in an encoding that cannot be read here"),
        ("This version of the file format is not supported", "is in a version of .sas7bdat that cannot be read here"),
        ("Invalid file, or file has unsupported features", "cannot be read as .sas7bdat"),
    ):

        def fails(*_: object, reason: str = reason, **__: object) -> None:
            raise pyreadstat._readstat_parser.ReadstatError(reason)

        monkeypatch.setattr(pyreadstat, "read_sas7bdat", fails)
        assert told in refused(path)


def test_the_missing_number_of_old_stata_files_is_missing() -> None:
    assert formats.as_text(2.0**333) == ""
    assert formats.as_text(2.0**332) != ""


def test_a_parquet_file_of_lists_alone_or_of_packed_differences_is_named_for_what_it_is(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    parquet.write_table(pyarrow.table({"a": [[1], [2]], "b": [{"c": 1}, {"c": 2}]}), tmp_path / "lists.parquet")
    assert "holds no column of single values" in refused(tmp_path / "lists.parquet")
    parquet.write_table(
        pyarrow.table({"name": ["Anna", "Anne"]}), tmp_path / "deltas.parquet",
        use_dictionary=False, column_encoding={"name": "DELTA_BYTE_ARRAY"},
    )  # fmt: skip
    assert "are packed in a way that is not read here" in refused(tmp_path / "deltas.parquet")


def test_a_spoilt_xls_is_refused_and_the_library_says_nothing(tmp_path: Path) -> None:
    """Its panic would print what it stumbled over: looked at is what a whole process writes to its terminal."""
    spoilt = bytearray((FILES / "zeros.xls").read_bytes())
    spoilt[3924] = 0x17  # a formula that claims a longer text than it has
    (tmp_path / "spoilt.xls").write_bytes(spoilt)
    bare = "import sys, python_calamine; python_calamine.load_workbook(sys.argv[1])"
    loud = subprocess.run([sys.executable, "-c", bare, tmp_path / "spoilt.xls"], capture_output=True, check=False)
    assert b"panicked" in loud.stderr  # or this test shows nothing
    ran = subprocess.run(
        [sys.executable, "-m", "pprl_desktop", "profile", tmp_path / "spoilt.xls"], capture_output=True, check=False,
        text=True,
    )  # fmt: skip
    assert ran.returncode != 0
    assert "cannot be read as .xls" in ran.stderr
    assert "panicked" not in ran.stderr + ran.stdout
    assert len(ran.stderr.splitlines()) <= 4


def test_a_hushed_call_gives_the_terminal_back(capfd: pytest.CaptureFixture[str]) -> None:
    with contextlib.suppress(ValueError), hushed():
        os.write(2, b"a cell")
        raise ValueError
    os.write(2, b"later")
    assert capfd.readouterr().err == "later"


def test_whole_numbers_have_no_decimal_point_as_long_as_they_are_exact() -> None:
    assert formats.as_text(4915112345678901.0) == "4915112345678901"
    assert formats.as_text(-9007199254740991.0) == "-9007199254740991"
    assert formats.as_text(1e300) == "1e+300"


def test_the_first_sheet_that_is_read_is_one_in_sight(tmp_path: Path) -> None:
    import openpyxl

    book = openpyxl.Workbook()
    book.active.append(["id", "codes"])
    book.active.append([1, 2])
    book.active.sheet_state = "hidden"
    seen = book.create_sheet("People")
    seen.append(["id", "name"])
    seen.append([1, "Ann"])
    book.active = 1
    book.save(tmp_path / "people.xlsx")
    reading = read_table(tmp_path / "people.xlsx")
    assert reading.sheet == "People"
    assert reading.table.names == ("id", "name")
    assert "the file also has: Sheet" in " ".join(map(str, reading.warnings))
    assert read_table(tmp_path / "people.xlsx", ReadOptions(sheet="Sheet")).table.names == ("id", "codes")


@pytest.mark.parametrize("name", ["people.xlsb", "people.numbers", "people.docx", "people.accdb", "people.rds"])
def test_a_file_of_a_kind_that_nothing_here_reads_is_told_so(tmp_path: Path, name: str) -> None:
    """Not to be renamed: under the other name it would not be read either."""
    with zipfile.ZipFile(tmp_path / name, "w") as made:
        made.writestr("xl/workbook.bin", b"\0\1\2")
    told = refused(tmp_path / name)
    assert f"'{name}' is a file of the kind {Path(name).suffix}, which is not read here." in told
    (tmp_path / name).write_text("id,name\n1,Ann\n", encoding="utf-8")
    assert column(read_table(tmp_path / name), "name") == ["Ann"]


def changed(path: Path, old: bytes, new: bytes) -> Path:
    """An .ods whose content says something else."""
    with zipfile.ZipFile(path) as packed:
        parts = {name: packed.read(name) for name in packed.namelist()}
    assert old in parts["content.xml"]
    with zipfile.ZipFile(path, "w") as made:
        for name, data in parts.items():
            made.writestr(name, data.replace(old, new) if name == "content.xml" else data)
    return path


def test_a_hidden_sheet_of_an_open_document_is_not_read_before_one_in_sight(tmp_path: Path) -> None:
    people = [["id", "name"], ["1", "Ann"], ["2", "Bob"]]
    path = open_document(tmp_path / "people.ods", [["Remarks"]], Old=[["id", "code"], ["9", "x"]], People=people)
    style = (
        b'<office:automatic-styles xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0"><style:style '
        b'style:name="ta2" style:family="table"><style:table-properties table:display="false"/></style:style>'
        b"</office:automatic-styles><office:body>"
    )
    changed(path, b"<office:body>", style)
    changed(path, b'table:name="Old"', b'table:name="Old" table:style-name="ta2"')
    reading = read_table(path)
    assert reading.sheet == "People"
    assert column(reading, "name") == ["Ann", "Bob"]
    assert column(read_table(path, ReadOptions(sheet="Old")), "code") == ["x"]


@pytest.mark.parametrize("ending", ["xlsx", "xls", "ods"])
def test_records_that_a_filter_hides_are_read_and_told(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"people.{ending}"
    told = "1 row is hidden in the sheet, by a filter or by hand: it was read too."
    if ending == "xlsx":
        import openpyxl

        book = openpyxl.Workbook()
        for row in (["id", "name"], [1, "Ann"], [2, "Bob"]):
            book.active.append(row)
        book.active.row_dimensions[2].hidden = True
        book.active.row_dimensions[7].hidden = True  # it holds nothing
        book.save(path)
    elif ending == "ods":
        open_document(path, [["id", "name"], ["1", "Ann"], ["2", "Bob"]])
        row = b"<table:table-row>"
        one = row + b'<table:table-cell office:value-type="string"><text:p>1<'
        changed(path, one, one.replace(row, b'<table:table-row table:visibility="filter">'))
    else:
        data = bytearray((FILES / "zeros.xls").read_bytes())
        at = data.index(struct.pack("<HHH", biff.ROW, 16, 1)) + 4
        assert not data[at + 12] & biff.UNSEEN
        assert told not in " ".join(map(str, read_table(FILES / "zeros.xls").warnings))
        data[at + 12] |= biff.UNSEEN
        path.write_bytes(data)
    reading = read_table(path)
    assert told in " ".join(map(str, reading.warnings))
    if ending != "xls":
        assert column(reading, "name") == ["Ann", "Bob"]


def test_yes_and_no_that_libreoffice_keeps_as_formulas_are_true_and_false(tmp_path: Path) -> None:
    path = open_document(tmp_path / "people.ods", [["id", "smokes"], ["1", "yes"], ["2", "no"]])
    cell = b'<table:table-cell office:value-type="string"><text:p>%s</text:p>'
    formula = (
        b'<table:table-cell table:formula="of:=%s()" office:value-type="float" office:value="%d"><text:p>%s</text:p>'
    )
    changed(path, cell % b"yes", formula % (b"TRUE", 1, b"WAHR"))
    changed(path, cell % b"no", formula % (b"FALSE", 0, b"FALSCH"))
    assert column(read_table(path), "smokes") == ["TRUE", "FALSE"]


@pytest.mark.parametrize("ending", ["dta", "parquet"])
def test_a_number_in_four_bytes_has_the_digits_it_was_given(tmp_path: Path, ending: str) -> None:
    """Most numbers of Stata are kept so; as one of eight bytes .1 is .10000000149011612."""
    import numpy as np
    import pandas

    table = pandas.DataFrame({"weight": np.array([0.1, 2.0, 123456792.0, np.nan], np.float32)})
    path = tmp_path / f"people.{ending}"
    if ending == "dta":
        table.to_stata(path, write_index=False)
    else:
        table.to_parquet(path)
    assert column(read_table(path), "weight") == ["0.1", "2", "123456792", ""]


def test_what_a_statistics_program_marks_as_missing_is_missing_and_the_rules_say_so(tmp_path: Path) -> None:
    import pandas
    import pyreadstat

    answers = pandas.DataFrame({"name": ["Ann", "XX"], "sex": [1.0, 98.0]})
    pyreadstat.write_sav(
        answers, tmp_path / "people.sav", missing_ranges={"name": ["XX"], "sex": [{"lo": 98, "hi": 99}]},
        variable_value_labels={"sex": {1.0: "female", 98.0: "not asked"}},
    )  # fmt: skip
    pyreadstat.write_dta(
        pandas.DataFrame({"name": ["Ann", "Bob"], "sex": [1, "b"]}), tmp_path / "people.dta",
        missing_user_values={"sex": ["b"]}, variable_value_labels={"sex": {1: "female", "b": "not asked"}},
    )  # fmt: skip
    reading = read_table(tmp_path / "people.sav")
    assert column(reading, "name") == ["Ann", ""]
    assert column(reading, "sex") == column(read_table(tmp_path / "people.dta"), "sex") == ["female", ""]
    assert any("mark as missing is missing" in str(rule) for rule in reading.rules)


def test_an_xls_whose_stream_is_written_in_capitals_is_read(tmp_path: Path) -> None:
    data = (FILES / "zeros.xls").read_bytes()
    small, large = (name.encode("utf-16-le") for name in ("Workbook", "WORKBOOK"))
    assert small in data
    (tmp_path / "people.xls").write_bytes(data.replace(small, large))
    made, usual = read_table(tmp_path / "people.xls").table, read_table(FILES / "zeros.xls").table
    assert [list(one.cells()) for one in made.columns] == [list(one.cells()) for one in usual.columns]
