"""Files as stewards have them: workbooks, files of statistics programs, packed text. All are written here."""

from __future__ import annotations

import datetime
import gzip
import shutil
import zipfile
from pathlib import Path

import pytest

from pprl_desktop.problem import Problem
from pprl_desktop.records import formats, packed, workbook_scan
from pprl_desktop.records.reading import ReadOptions, preview, read_table
from pprl_desktop.records.table import Table
from tests.hostility import Tally

FILES = Path(__file__).parent / "files"
HEADER = ["id", "name", "born", "zip", "score", "member"]
ROWS = [
    ["0007", "Müller, Anna", datetime.date(1980, 3, 2), "01067", 1.5, True],
    ["0008", " Óscar  ", datetime.datetime(1975, 12, 31, 8, 30), "99999", 12.0, False],
    ["0009", None, None, "00123", -3, None],
]
TEXTS = [
    ["0007", "Müller, Anna", "1980-03-02", "01067", "1.5", "TRUE"],
    ["0008", " Óscar  ", "1975-12-31 08:30:00", "99999", "12", "FALSE"],
    ["0009", "", "", "00123", "-3", ""],
]


def cells(table: Table) -> list[list[str]]:
    return [[column.cell(row) for column in table.columns] for row in range(table.rows)]


def workbook(path: Path, sheets: dict[str, list[list[object]]]) -> Path:
    import openpyxl

    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        page = book.create_sheet(name)
        for row in rows:
            page.append(row)
    book.save(path)
    return path


def open_document(path: Path, rows: list[list[str]], **more: list[list[str]]) -> Path:
    cell, row = "table:table-cell", "table:table-row"
    sheets = ""
    for name, lines in {"First": rows, **more}.items():
        sheets += f'<table:table table:name="{name}">'
        for each in lines:
            written = "".join(f'<{cell} office:value-type="string"><text:p>{text}</text:p></{cell}>' for text in each)
            sheets += f"<{row}>{written}</{row}>"
        sheets += "</table:table>"
    names = " ".join(
        f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for name in ("office", "table", "text")
    )
    with zipfile.ZipFile(path, "w") as made:
        made.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        made.writestr(
            "META-INF/manifest.xml",
            '<m:manifest xmlns:m="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"/>',
        )
        made.writestr(
            "content.xml",
            f'<?xml version="1.0"?><office:document-content {names}><office:body><office:spreadsheet>'
            f"{sheets}</office:spreadsheet></office:body>"
            "</office:document-content>",
        )
    return path


def test_a_workbook_is_read_as_it_is_seen(tmp_path: Path) -> None:
    path = workbook(tmp_path / "people.xlsx", {"People": [HEADER, *ROWS]})
    reading = read_table(path)
    assert reading.table.names == tuple(HEADER)
    assert cells(reading.table) == TEXTS
    assert (reading.encoding, reading.sheet, reading.header_line) == ("xlsx", "People", 1)
    assert reading.rules
    assert len(reading.sha256) == 64
    assert preview(path, rows=1).table.rows == 1


def test_names_in_two_lines_are_put_together_and_said(tmp_path: Path) -> None:
    """As spreadsheets for people have them: what belongs together has a name above, over merged cells."""
    rows: list[list[object]] = [
        ["Patients 2026", "", "", "", "", "", ""],
        ["No", "Name", "", "Birth", "", "Admission", "Sex"],
        ["", "First name", "Last name", "Year", "Month", "Year", ""],
    ]
    rows += [[n, "Anna", f"Meyer{'ab'[n % 2]}", 1950 + n, n % 12 + 1, 2024, "f"] for n in range(1, 30)]
    reading = read_table(workbook(tmp_path / "two.xlsx", {"S": rows}))
    assert reading.table.names == ("No", "First name", "Last name", "Birth Year", "Month", "Admission Year", "Sex")
    assert reading.table.rows == 29
    assert any("stand in lines 2 and 3" in str(one) for one in reading.warnings)
    again = read_table(tmp_path / "two.xlsx", ReadOptions(header_line=reading.header_line))  # as a project keeps it
    assert cells(again.table) == cells(reading.table)
    assert read_table(tmp_path / "two.xlsx", ReadOptions(header_line=3)).table.names[3:6] == (
        "Year",
        "Month",
        "Year (2)",
    )
    gap = [["No", "Name", ""], [1, "Anna", "Meyer"], [2, "Bert", "Kohl"], [3, "Cleo", "Wirth"]]
    assert read_table(workbook(tmp_path / "gap.xlsx", {"S": gap})).table.rows == 3  # a person is not taken for names


def test_the_sheet_is_chosen_and_the_others_are_named(tmp_path: Path) -> None:
    path = workbook(tmp_path / "two.xlsx", {"Notes": [], "A": [["id", "name"], [1, "Ann"]], "B": [["id"], [2], [3]]})
    first = read_table(path)
    assert first.sheet == "A"
    assert any("B" in str(one.what) and one.place == "sheet" for one in first.warnings)
    assert read_table(path, ReadOptions(sheet="B")).table.rows == 2
    with pytest.raises(Problem, match="no sheet 'C'"):
        read_table(path, ReadOptions(sheet="C"))


@pytest.mark.parametrize("ending", ["xlsx", "ods"])
def test_a_sheet_of_remarks_is_not_taken_for_the_table(tmp_path: Path, ending: str) -> None:
    """Nobody could choose another sheet of a file that was refused."""
    remarks, people = [["see the sheet People"]], [["id", "name"], ["1", "Ann"]]
    if ending == "xlsx":
        path = workbook(tmp_path / "p.xlsx", {"Notes": [], "Readme": remarks, "People": people, "More": people})
        alone = workbook(tmp_path / "r.xlsx", {"Readme": [["name"], ["Ann"]], "Notes": []})
    else:
        path = open_document(tmp_path / "p.ods", remarks, People=people, More=people)
        alone = open_document(tmp_path / "r.ods", [["name"], ["Ann"]], Notes=[])
    assert read_table(path).sheet == "People"
    assert cells(read_table(path).table) == [["1", "Ann"]]
    assert cells(read_table(alone).table) == [["Ann"]], "one column, where no sheet has more"


def test_a_workbook_without_headings_loses_nobody(tmp_path: Path) -> None:
    path = workbook(tmp_path / "bare.xlsx", {"S": [["Anna", "Smith", "1980-01-02"], ["Ben", "Jones", "1975-03-04"]]})
    assert (read_table(path).table.rows, read_table(path).header_line) == (2, 0)
    titled = workbook(
        tmp_path / "title.xlsx", {"S": [["Patients"], [], ["id", "last", "dob"], [1, "Smith", "1980-01-02"]]}
    )
    assert read_table(titled).table.names == ("id", "last", "dob")


def test_an_open_document_is_read(tmp_path: Path) -> None:
    path = open_document(tmp_path / "people.ods", [["id", "name"], ["007", "Anna"], ["008", "Ben"]])
    assert cells(read_table(path).table) == [["007", "Anna"], ["008", "Ben"]]


def test_formulas_are_not_run_and_macros_and_links_are_ignored_aloud(tmp_path: Path) -> None:
    path = workbook(
        tmp_path / "f.xlsx", {"S": [["id", "name"], [1, '=HYPERLINK("http://x.example","Ann")'], [2, "Ben"]]}
    )
    with zipfile.ZipFile(path, "a") as book:
        book.writestr("xl/vbaProject.bin", b"macro")
        book.writestr("xl/externalLinks/externalLink1.xml", b"<x/>")
    reading = read_table(path)
    assert "HYPERLINK" not in str(cells(reading.table))
    told = " ".join(str(one.what) for one in reading.warnings)
    assert "macros" in told
    assert "links" in told


def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    path = workbook(tmp_path / "bomb.xlsx", {"S": [["id"], [1]]})
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as book:
        book.writestr("xl/media/zeros.bin", bytes(80 << 20))
    with pytest.raises(Problem, match="Unpacked it would take 80 MB"):
        read_table(path)
    (tmp_path / "bomb.csv.gz").write_bytes(gzip.compress(bytes(80 << 20)))
    with pytest.raises(Problem, match="Unpacked it would take"):
        read_table(tmp_path / "bomb.csv.gz")


@pytest.mark.parametrize("ending", formats.ENDINGS)
def test_a_file_that_is_something_else_is_refused_in_a_sentence(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"broken{ending}"
    path.write_bytes(b"PK\x03\x04 this is nothing of the kind \x00\xff" * 20)
    with pytest.raises(Problem) as told:
        read_table(path)
    assert told.value.do


@pytest.mark.parametrize("ending", [".dta", ".sav", ".xpt"])
def test_files_of_statistics_programs_are_read(tmp_path: Path, ending: str) -> None:
    import pandas as pd
    import pyreadstat

    frame = pd.DataFrame({"id": ["007", "008"], "name": ["Ann", ""], "sex": [1.0, 2.0], "score": [1.5, float("nan")]})
    path = tmp_path / f"people{ending}"
    labels = {"sex": {1: "male", 2: "female"}}
    if ending == ".dta":
        pyreadstat.write_dta(frame, str(path), variable_value_labels=labels)
    elif ending == ".sav":
        pyreadstat.write_sav(frame, str(path), variable_value_labels=labels)
    else:
        pyreadstat.write_xport(frame, str(path))
    sexes = ["1", "2"] if ending == ".xpt" else ["male", "female"]
    assert cells(read_table(path).table) == [["007", "Ann", sexes[0], "1.5"], ["008", "", sexes[1], ""]]
    assert cells(read_table(path, ReadOptions(labels=False)).table)[0][2] == "1"


def test_labels_or_codes_are_a_choice_that_is_told(tmp_path: Path) -> None:
    import pandas as pd
    import pyreadstat

    frame = pd.DataFrame({"id": ["1", "2", "3"], "sex": [1.0, 2.0, 9.0]})
    path = tmp_path / "people.sav"
    pyreadstat.write_sav(frame, str(path), variable_value_labels={"sex": {1: "male", 2: "female"}})
    labels, codes = read_table(path), read_table(path, ReadOptions(labels=False))
    assert (labels.labelled, codes.labelled) == (1, 1)
    assert labels.table.column("sex").cells() == ["male", "female", "9"]
    assert codes.table.column("sex").cells() == ["1", "2", "9"]
    assert "stand for the codes" in str(labels.warnings[0].what)
    assert "codes were taken" in str(codes.warnings[0].what)


def test_a_large_file_of_a_statistics_program_is_read_piece_by_piece(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import pandas as pd
    import pyreadstat

    frame = pd.DataFrame({"id": [f"{n:03d}" for n in range(25)], "score": [n / 2 for n in range(25)]})
    pyreadstat.write_dta(frame, str(tmp_path / "p.dta"))
    whole = cells(read_table(tmp_path / "p.dta").table)
    monkeypatch.setattr(formats, "CHUNK", 14)
    assert cells(read_table(tmp_path / "p.dta").table) == whole
    assert len(whole) == 25


def test_leading_zeros_that_a_workbook_shows_are_kept(tmp_path: Path) -> None:
    import openpyxl

    book = openpyxl.Workbook()
    page = book.active
    page.append(["id", "zip", "n"])
    for row, (zip_code, n) in enumerate(((1067, 5), (99999, 6)), 2):
        page.append([row, zip_code, n])
        page.cell(row, 2).number_format = "00000"
    book.save(tmp_path / "zip.xlsx")
    assert cells(read_table(tmp_path / "zip.xlsx").table) == [["2", "01067", "5"], ["3", "99999", "6"]]


@pytest.mark.parametrize("name", ["zeros.xls", "zeros.ods"])
def test_what_a_spreadsheet_program_wrote_is_read_as_it_was_seen(name: str) -> None:
    """Written by LibreOffice 7.4: a number format of zeros, a date, a text like a formula, formulas with values."""
    reading = read_table(FILES / name)
    assert [row[1:4] for row in cells(reading.table)] == [
        ["Müller", "01067", "1980-02-03"], ["Özil", "99999", "1901-01-01"], ["=cmd", "00123", "2001-12-31"],
    ]  # fmt: skip
    assert [row[6] for row in cells(reading.table)] == ["2", "4", "6"]
    assert any("3 cells are formulas" in str(one) for one in reading.warnings)
    assert cells(read_table(FILES / name, ReadOptions(sheet="Other")).table) == [["007", "008"]]


@pytest.mark.parametrize("keep", [0.05, 0.3, 0.6, 0.9])
def test_an_xls_that_is_cut_ends_in_a_sentence(tmp_path: Path, keep: float) -> None:
    whole = (FILES / "zeros.xls").read_bytes()
    (tmp_path / "cut.xls").write_bytes(whole[: int(keep * len(whole))])
    with pytest.raises(Problem) as problem:
        read_table(tmp_path / "cut.xls")
    assert problem.value.do


@pytest.mark.parametrize(
    ("places", "values"),
    [
        ((47,), (115,)),  # sectors of the table of sectors
        ((30,), (60,)),  # size of a sector
        ((3646, 3647), (0, 210)),  # a sheet whose first row stands behind its last
        ((3652,), (255,)),  # rows of a sheet
        ((67,), (200,)),  # sectors of small streams
    ],
)
def test_a_count_that_an_xls_claims_does_not_end_the_program(
    tmp_path: Path, places: tuple[int, ...], values: tuple[int, ...]
) -> None:
    """The library sets aside what the file claims and aborts the process, which no one can catch."""
    spoilt = bytearray((FILES / "zeros.xls").read_bytes())
    for place, value in zip(places, values, strict=True):
        spoilt[place] = value
    (tmp_path / "spoilt.xls").write_bytes(spoilt)
    with pytest.raises(Problem):
        read_table(tmp_path / "spoilt.xls")


def test_a_cell_with_zeros_that_stands_for_millions_is_refused(tmp_path: Path) -> None:
    path = open_document(tmp_path / "bomb.ods", [["zip"], ["01067"]])
    with zipfile.ZipFile(path) as packed:
        parts = {name: packed.read(name) for name in packed.namelist()}
    one = b'<table:table-row><table:table-cell office:value-type="string"><text:p>01067'
    many = b'<table:table-row table:number-rows-repeated="9000000"><table:table-cell office:value-type="float" ' \
           b'office:value="1067"><text:p>01067'  # fmt: skip
    assert one in parts["content.xml"]
    with zipfile.ZipFile(path, "w") as packed:
        for name, data in parts.items():
            packed.writestr(name, data.replace(one, many))
    with pytest.raises(Problem, match="too large"):
        read_table(path)


def test_two_cells_in_opposite_corners_do_not_take_the_memory(tmp_path: Path) -> None:
    """A reader that lays the sheet out would need 400 GB, and the program would be gone."""
    import openpyxl

    book = openpyxl.Workbook()
    book.active["A1"], book.active["XFD1048576"] = "id", 1
    book.save(tmp_path / "corners.xlsx")
    with pytest.raises(Problem, match="too large"):
        read_table(tmp_path / "corners.xlsx")
    repeated = 'table:number-rows-repeated="1000000" table:number-columns-repeated="1000000"'
    path = open_document(tmp_path / "many.ods", [["id", "name"], ["1", "Ann"]])
    text = zipfile.ZipFile(path).read("content.xml").decode()
    rows, columns = repeated.split(" ")
    text = text.replace("<table:table-row>", f"<table:table-row {rows}>").replace(
        "<table:table-cell ", f"<table:table-cell {columns} "
    )
    with zipfile.ZipFile(tmp_path / "many.ods", "w") as made:
        made.writestr("content.xml", text)
    with pytest.raises(Problem, match="too large"):
        read_table(tmp_path / "many.ods")


def test_a_sheet_whose_cells_name_no_place_is_measured_too(tmp_path: Path) -> None:
    path = workbook(tmp_path / "p.xlsx", {"S": [["id"], [1]]})
    wide = "<row r='1048576'>" + "<c><v>1</v></c>" * 200 + "</row>"
    with zipfile.ZipFile(path) as book:
        parts = {name: book.read(name) for name in book.namelist()}
    sheet = parts["xl/worksheets/sheet1.xml"].replace(b"</sheetData>", wide.encode() + b"</sheetData>")
    with zipfile.ZipFile(path, "w") as book:
        for name, data in {**parts, "xl/worksheets/sheet1.xml": sheet}.items():
            book.writestr(name, data)
    with pytest.raises(Problem, match="too large"):
        read_table(path)


def test_formulas_without_a_saved_value_are_told(tmp_path: Path) -> None:
    path = workbook(tmp_path / "f.xlsx", {"S": [["id", "n"], [1, "=1+1"], [2, 3]]})
    reading = read_table(path)
    assert cells(reading.table) == [["1", ""], ["2", "3"]]
    assert any("no saved value" in str(one.what) for one in reading.warnings)


def test_merged_cells_are_told(tmp_path: Path) -> None:
    import openpyxl

    book = openpyxl.Workbook()
    for row in (["id", "name"], [1, "Ann"], [2, "Ben"]):
        book.active.append(row)
    book.active.merge_cells("B2:B3")
    book.save(tmp_path / "m.xlsx")
    assert any("merged" in str(one.what) for one in read_table(tmp_path / "m.xlsx").warnings)


@pytest.mark.parametrize(
    ("name", "data", "told"),
    [
        ("locked.xlsx", workbook_scan.OLE + bytes(600) + "EncryptedPackage".encode("utf-16-le"), "password"),
        ("old.xlsx", workbook_scan.OLE + bytes(600), "kind .xls"),
        ("web.xls", b"<html><table><tr><td>id</td></tr></table></html>", "holds text"),
        ("text.xls", b"id;name\n1;Ann\n", "holds text"),
        ("cut.csv", workbook_scan.OLE + bytes(600), "old Excel workbook"),
    ],
)
def test_a_file_under_a_wrong_name_is_called_what_it_is(tmp_path: Path, name: str, data: bytes, told: str) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(Problem, match=told) as problem:
        read_table(tmp_path / name)
    assert problem.value.do


@pytest.mark.parametrize("ending", [".xlsx", ".xls", ".ods"])
def test_a_workbook_under_another_name_is_told(tmp_path: Path, ending: str) -> None:
    source = workbook(tmp_path / "people.xlsx", {"S": [["id"], [1]]})
    if ending == ".xlsx":
        source = open_document(tmp_path / "people.ods", [["id"], ["1"]])
    shutil.copy(source, tmp_path / f"renamed{ending}")
    with pytest.raises(Problem, match="in truth a file of the kind"):
        read_table(tmp_path / f"renamed{ending}")


@pytest.mark.parametrize("keep", [0.2, 0.5, 0.9, 0.99])
def test_a_truncated_file_is_refused_in_a_sentence(tmp_path: Path, keep: float) -> None:
    import pandas as pd
    import pyreadstat

    frame = pd.DataFrame({"id": [f"{n:05d}" for n in range(400)], "name": ["Ann"] * 400})
    pyreadstat.write_dta(frame, str(tmp_path / "p.dta"))
    workbook(tmp_path / "p.xlsx", {"S": [["id", "name"], *([n, "Ann"] for n in range(400))]})
    for name in ("p.dta", "p.xlsx"):
        whole = (tmp_path / name).read_bytes()
        cut = tmp_path / f"cut-{name}"
        cut.write_bytes(whole[: int(keep * len(whole))])
        with pytest.raises(Problem) as problem:
            read_table(cut)
        assert problem.value.do


def test_parquet_is_read_or_its_part_is_named(tmp_path: Path) -> None:
    path = tmp_path / "people.parquet"
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        path.write_bytes(b"PAR1")
        with pytest.raises(Problem, match="not installed"):
            read_table(path)
        return
    held = pyarrow.table({"id": ["007", "008"], "born": [datetime.date(1980, 3, 2), None], "n": [1, 2]})
    parquet.write_table(held, path)
    assert cells(read_table(path).table) == [["007", "1980-03-02", "1"], ["008", "", "2"]]


def test_a_parquet_text_that_stands_in_every_row_is_one_text(tmp_path: Path) -> None:
    """Some hundred bytes of a file: unpacked row by row they would be 4 GB."""
    pyarrow = pytest.importorskip("pyarrow")
    parquet, path = pytest.importorskip("pyarrow.parquet"), tmp_path / "people.parquet"
    same = pyarrow.DictionaryArray.from_arrays(pyarrow.array([0] * 200_000, "int32"), ["x" * 20_000])
    parquet.write_table(pyarrow.table({"a": same, "b": [[1]] * 200_000}), path, compression="zstd")
    assert path.stat().st_size < 10_000
    tally = Tally("parquet")
    tally.case(lambda: read_table(path), lambda found: "" if found.table.names == ("a",) else "a list was read")
    assert tally.accepted
    tally.finish()
    warning = read_table(path).warnings[0]
    assert str(warning.what) == "1 column was left out: b."


@pytest.mark.parametrize("ending", ["zsav", "parquet"])
def test_a_small_file_that_unpacks_to_much_text_is_refused(tmp_path: Path, ending: str) -> None:
    path, long = tmp_path / f"people.{ending}", [f"{'x' * 9000}{i}" for i in range(8000)]
    if ending == "zsav":
        import pandas
        import pyreadstat

        pyreadstat.write_sav(pandas.DataFrame({"a": long}), str(path), compress=True)
    else:
        pyarrow = pytest.importorskip("pyarrow")
        pytest.importorskip("pyarrow.parquet").write_table(
            pyarrow.table({"a": long}), path, compression="zstd", use_dictionary=False
        )
    assert path.stat().st_size < 1 << 20
    tally = Tally(ending)
    assert not tally.case(lambda: read_table(path))
    tally.finish()


def test_a_gzip_file_of_countless_parts_is_refused_at_once(tmp_path: Path) -> None:
    path = tmp_path / "people.csv.gz"
    path.write_bytes(gzip.compress(b"id,name\n1,ANNA\n2,BERTA\n") + gzip.compress(b"") * 200_000)
    tally = Tally("gzip")
    assert not tally.case(lambda: read_table(path))
    tally.finish()
    lines = [f"{i},ANNA{i}\n".encode() for i in range(50)]
    path.write_bytes(b"".join(map(gzip.compress, [b"id,name\n", *lines])))  # as a log that is appended to
    assert read_table(path).table.rows == 50


def test_nothing_but_the_file_is_touched(tmp_path: Path) -> None:
    path = workbook(tmp_path / "people.xlsx", {"S": [HEADER, *ROWS]})
    before = sorted(tmp_path.iterdir())
    read_table(path)
    shutil.copy(path, tmp_path / "copy.xlsx")
    assert sorted(tmp_path.iterdir()) == sorted([*before, tmp_path / "copy.xlsx"])
    assert packed.is_packed(path.read_bytes()[:4])


@pytest.mark.parametrize("ending", [".csv", *formats.ENDINGS])
def test_an_empty_file_is_said_to_be_empty_whatever_its_kind(tmp_path: Path, ending: str) -> None:
    (tmp_path / f"people{ending}").touch()
    with pytest.raises(Problem, match="is empty"):
        read_table(tmp_path / f"people{ending}")
