"""Files as people have them: each reads right, or is refused with a sentence that names the line."""

from __future__ import annotations

import codecs
import time
import zipfile
from itertools import pairwise
from pathlib import Path

import pytest

from pprl_desktop.problem import Problem
from pprl_desktop.progress import Cancelled, Progress
from pprl_desktop.records.profile import profile
from pprl_desktop.records.reading import ReadOptions, preview, read_table
from pprl_desktop.records.table import Table


@pytest.fixture
def written(tmp_path: Path):
    def write(content: str | bytes, name: str = "people.csv") -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
        return path

    return write


def rows(table: Table) -> list[tuple[str, ...]]:
    return list(zip(*(column.cells() for column in table.columns), strict=True))


PEOPLE = "id,last,first\n1,Müller,Zoë\n2,Łukasz,Paweł\n"
READ = [("1", "Müller", "Zoë"), ("2", "Łukasz", "Paweł")]


@pytest.mark.parametrize(
    ("data", "encoding"),
    [
        (PEOPLE.encode("utf-8"), "utf-8"),
        (codecs.BOM_UTF8 + PEOPLE.encode("utf-8"), "utf-8-sig"),
        (codecs.BOM_UTF16_LE + PEOPLE.encode("utf-16-le"), "utf-16"),
        (codecs.BOM_UTF16_BE + PEOPLE.encode("utf-16-be"), "utf-16"),
        (PEOPLE.encode("utf-16-le"), "utf-16-le"),
        (PEOPLE.encode("utf-16-be"), "utf-16-be"),
        (codecs.BOM_UTF32_LE + PEOPLE.encode("utf-32-le"), "utf-32"),
    ],
)
def test_unicode_files_read_alike_and_the_encoding_can_be_asked_for_again(written, data: bytes, encoding: str) -> None:
    path = written(data)
    reading = read_table(path)
    assert (reading.table.names, rows(reading.table)) == (("id", "last", "first"), READ)
    assert reading.encoding == encoding
    assert rows(read_table(path, ReadOptions(encoding=reading.encoding)).table) == READ


def test_a_western_file_falls_back_and_says_so(written) -> None:
    reading = read_table(written("id,last\n1,Meyer\n2,Müller – Groß\n".encode("cp1252")))
    assert reading.encoding == "cp1252"
    assert reading.table.column("last").cells() == ["Meyer", "Müller – Groß"]
    assert [w.place for w in reading.warnings] == ["line 3"]
    assert "cp1252" in str(reading.warnings[0].what)


def test_bytes_that_cp1252_lacks_are_read_as_latin_1(written) -> None:
    reading = read_table(written(b"id,last\n1,M\xfcller\n2,\x81\x8d\n"))
    assert reading.encoding == "latin-1"
    assert reading.table.column("last").cells() == ["Müller", "\x81\x8d"]


def test_a_damaged_utf8_file_keeps_its_umlauts_and_names_the_line(written) -> None:
    reading = read_table(written("id,last\n1,Müller\n2,".encode() + b"0\xff1\n" + "3,Groß\n".encode()))
    assert reading.table.column("last").cells() == ["Müller", "0ÿ1", "Groß"]
    assert reading.warnings[0].place == "line 3"
    again = read_table(written("id,last\n1,Mü\n2,".encode() + b"\xff\n"), ReadOptions(encoding=reading.encoding))
    assert again.table.column("last").cells() == ["Mü", "ÿ"]


def test_damage_beyond_the_first_block_is_found(written) -> None:
    good = "id,last\n" + "".join(f"{n},Müller\n" for n in range(150_000))
    reading = read_table(written(good.encode() + b"x,\xff\n"))
    assert reading.warnings[0].place == "line 150002"
    assert reading.table.rows == 150_001


def test_the_steward_chooses_the_encoding(written) -> None:
    path = written("id,last\n1,Дмитрий\n".encode("cp1251"))
    assert read_table(path, ReadOptions(encoding="cp1251")).table.column("last").cells() == ["Дмитрий"]
    with pytest.raises(Problem, match="unknown"):
        read_table(path, ReadOptions(encoding="klingon"))
    with pytest.raises(Problem) as refused:
        read_table(written(b"id,last\n1,a\n2,\x81\n"), ReadOptions(encoding="cp1252"))
    assert refused.value.place == "line 3"


@pytest.mark.parametrize("separator", [",", ";", "\t", "|", "||", "::", "~", "^", "¦"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_any_separator_and_line_end(written, separator: str, end: str) -> None:
    lines = [["id", "name", "score"], ["1", "Müller", "1.5"], ["2", "Lee", ""], ["3", "D'Angelo", "2.5"]]
    reading = read_table(written(end.join(separator.join(line) for line in lines)))
    assert reading.separator == separator
    assert rows(reading.table) == [tuple(line) for line in lines[1:]]


def test_a_decimal_comma_is_not_the_separator(written) -> None:
    text = "id;name;score\n1;A;1,5\n2;B;2,5\n3;C;3,5\n"
    assert read_table(written(text)).table.column("score").cells() == ["1,5", "2,5", "3,5"]


def test_single_quotes_backslashes_and_blanks_before_quotes(written) -> None:
    single = read_table(written("id,name\n'1','a, b'\n'2','c'\n'3','d'\n"))
    assert rows(single.table) == [("1", "a, b"), ("2", "c"), ("3", "d")]
    escaped = read_table(written('id,name\n1,"say \\"hi\\", you"\n2,"x, y"\n'))
    assert rows(escaped.table) == [("1", 'say "hi", you'), ("2", "x, y")]
    blank = read_table(written('id, name, town\n1, "a, b", "c"\n2, "d", "e"\n'))
    assert rows(blank.table) == [("1", "a, b", "c"), ("2", "d", "e")]


def test_everything_is_text(written) -> None:
    cells = ["0123", "Null", "1E5", "01/02/1990", "NaN", "TRUE", " x ", "=1+1", "1,5", "N/A", "-", "∞"]
    text = "id;v\n" + "".join(f"{i};{cell}\n" for i, cell in enumerate(cells))
    assert read_table(written(text)).table.column("v").cells() == cells


def test_quoted_cells_may_hold_separators_quotes_and_lines(written) -> None:
    text = 'id,note,x\r\n1,"a, ""b""\r\nc\nd",y\r\n2,"",z\r\n'
    assert rows(read_table(written(text)).table) == [("1", 'a, "b"\r\nc\nd', "y"), ("2", "", "z")]


def test_a_quote_inside_an_unquoted_cell_is_text(written) -> None:
    assert rows(read_table(written('id,size,x\n1,5"x7",a\n2,6,b\n')).table) == [("1", '5"x7"', "a"), ("2", "6", "b")]


def test_the_same_value_read_both_ways_is_one_value(written) -> None:
    """The quick and the careful way meet in one file: a block with a long cell, then one without."""
    start = 'id,v\n0,"two\nlines"\n1,"say ""a"""\n' + "".join(f'{n},"say ""a"""\n' for n in range(2, 80_000))
    table = read_table(written(start)).table
    assert list(table.column("v").values) == ["two\nlines", 'say "a"']


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('id,last,first\n1,"Smith,Ann\n2,Jones,Bob\n', 2),
        ('id,last,first\n1,Smith,Ann\n2,"Jones,Bob\n3,"Brown",Cy\n', 3),
        ('id,last,first\n1,"a\nb",c\n2,"Jones"x,Bob\n3,Brown,Cy\n', 4),
        ('id,"last,first\n1,Smith,Ann\n', 1),
        ("id,last,first\n" + "".join(f"{n},a,b\n" for n in range(1, 200_000)) + '0,"Open,b\n1,c,d\n', 200_001),
    ],
)  # fmt: skip
def test_an_open_quote_is_refused_with_its_line(written, text: str, line: int) -> None:
    with pytest.raises(Problem) as refused:
        read_table(written(text))
    assert refused.value.place == f"line {line}"
    assert "Smith" not in str(refused.value)
    assert "Jones" not in str(refused.value)


def test_an_open_quote_in_a_big_file_does_not_eat_the_memory_or_the_day(written) -> None:
    path = written('id,last,first\n1,"Smith,Ann\n' + "2,Jones,Bob\n" * 800_000)
    start = time.process_time()
    with pytest.raises(Problem, match="line 2"):
        read_table(path)
    assert time.process_time() - start < 10


def test_lines_swallowed_by_a_closed_quote_are_pointed_out(written) -> None:
    reading = read_table(written('id,last,first\n1,Smith,"Ann\n2,Jones,Bob"\n3,Brown,Cy\n'))
    assert reading.table.rows == 2
    assert [w.place for w in reading.warnings] == ["line 2"]


@pytest.mark.parametrize("bad", ["2,Jones,Bob,extra,more", "2,Jones", '2,"Jones,x",Bob,"y"'])
def test_ragged_lines_are_refused_by_line_or_left_out_if_asked(written, bad: str) -> None:
    path = written(f"id,last,first\n1,Smith,Ann\n{bad}\n3,Brown,Cy\n")
    with pytest.raises(Problem, match="Line 3") as refused:
        read_table(path)
    assert refused.value.place == "line 3"
    kept = read_table(path, ReadOptions(ragged="leave out"))
    assert kept.table.column("id").cells() == ["1", "3"]
    assert kept.warnings[0].place == "line 3"


def test_short_lines_can_be_padded_and_empty_tails_are_trimmed(written) -> None:
    padded = read_table(written("a,b,c\n1,2\n3,4,5\n"), ReadOptions(ragged="pad"))
    assert rows(padded.table) == [("1", "2", ""), ("3", "4", "5")]
    trimmed = read_table(written("a,b,c\n1,2,3,,\n3,4,5\n"))
    assert rows(trimmed.table) == [("1", "2", "3"), ("3", "4", "5")]
    assert len(padded.warnings) == len(trimmed.warnings) == 1


def test_a_header_narrower_than_every_row_is_not_taken_for_a_preamble(written) -> None:
    with pytest.raises(Problem, match="header has 3"):
        read_table(written("a,b,c\n" + "0,1,2,3\n" * 30))


def test_headers_become_usable(written) -> None:
    reading = read_table(written("id , name,name,,name (2)\n1,a,b,c,d\n"))
    assert reading.table.names == ("id", "name", "name (3)", "column 4", "name (2)")
    assert len(reading.warnings) == 2


def test_a_file_without_header(written) -> None:
    path = written("1,Smith,1990-01-01\n2,Jones,1991-01-01\n")
    reading = read_table(path)
    assert reading.table.names == ("column 1", "column 2", "column 3")
    assert (reading.header_line, reading.table.rows) == (0, 2)
    assert any("taken for a record" in str(w.what) for w in reading.warnings)
    assert any("looks like a record" in str(w.what) for w in read_table(path, ReadOptions(header_line=1)).warnings)


@pytest.mark.parametrize(
    ("text", "line", "people"),
    [
        ("Anna,Schmidt\nBen,Meyer\n", 0, 2),
        ("Anna,Schmidt,1980-01-02\n", 0, 1),
        ("SMITH,ANN,F\nJONES,BEN,M\nDOE,JIM,M\n", 0, 3),
        ("A001,Anna,Smith\nA002,Ben,Jones\n", 0, 2),
        ("Main Street 5,Boston\nOak Road 7,Chicago\nElm Street 9,Boston\n", 0, 3),
        ("王小明,1980-01-01\n李四,1990-01-01\n", 0, 2),
        ("first,last\nAnna,Schmidt\nBen,Meyer\n", 1, 2),
        ("sukunimi;etunimi\nVirtanen;Matti\nKorhonen;Anna\n", 1, 2),
        ("姓名,生日\n王小明,1980-01-01\n李四,1990-01-01\n", 1, 2),
        ("NAME,VORNAME,X\nSMITH,ANN,F\nJONES,BEN,M\nDOE,JIM,M\n", 1, 3),
        ("name\nAnna Schmidt\nBen Meyer\n", 1, 2),
        ("c0,c1\n0-1,0-2\n1-1,1-2\n", 1, 2),
        ("id,,,\n1,Anna,Smith,1980-02-03\n2,Ben,Jones,1975-03-04\n", 1, 2),
        (",,,\n1,Anna,Smith,1980-02-03\n2,Ben,Jones,1975-03-04\n", 1, 2),
        ("Patients of 2020,,,\n1,Anna,Smith,1980-02-03\n2,Ben,Jones,1975-03-04\n", 1, 2),
        ("Patients of 2020,,,\nid,last,first,dob\n1,Smith,Anna,1980-02-03\n2,Jones,Ben,1975-03-04\n", 2, 2),
    ],
)
def test_nobody_is_lost_to_the_header(written, text: str, line: int, people: int) -> None:
    reading = read_table(written(text))
    assert (reading.header_line, reading.table.rows) == (line, people)


def test_preamble_lines_are_skipped_aloud(written) -> None:
    text = "Registry of somewhere\nCreated: 2024, by night\n\nid,last,first,zip,x\n1,a,b,c,d\n2,e,f,g,h\n"
    reading = read_table(written(text))
    assert (reading.header_line, reading.table.rows) == (4, 2)
    assert reading.warnings[0].place == "line 4"
    assert read_table(written(text), ReadOptions(header_line=5)).table.names == ("1", "a", "b", "c", "d")


@pytest.mark.parametrize(
    "text",
    [
        "sep=;\nid;last;first\n1;a;b\n2;c;d\n",
        "# made by hand\n# on a, sunny, day\nid,last,first\n1,a,b\n2,c,d\n",
        "Report,,\n,,\nid,last,first\n1,a,b\n2,c,d\n",
        "id\tlast\tfirst\n1\ta\tb\n2\tc\td\n",
    ],
)
def test_lines_above_the_table_are_told_from_its_header(written, text: str) -> None:
    table = read_table(written(text)).table
    assert (table.names, rows(table)) == (("id", "last", "first"), [("1", "a", "b"), ("2", "c", "d")])


def test_one_column_keeps_its_commas(written) -> None:
    assert rows(read_table(written("name\nann\nbob, jr\ncy\n")).table) == [("ann",), ("bob, jr",), ("cy",)]


def test_tabs_win_over_commas_inside_cells(written) -> None:
    text = "id\tname\taddress\n1\tSmith, A\t1 Road, Town\n2\tLee, B\t2 Road, Town\n"
    assert read_table(written(text)).table.column("name").cells() == ["Smith, A", "Lee, B"]


def test_utf16_without_a_mark_in_another_script(written) -> None:
    text = "id,name\n" + "".join(f"{n},Γεωργίου Παπαδόπουλος\n" for n in range(20))
    reading = read_table(written(text.encode("utf-16-be")))
    assert (reading.encoding, reading.table.column("name").cell(0)) == ("utf-16-be", "Γεωργίου Παπαδόπουλος")


def test_blank_lines_are_no_records(written) -> None:
    assert rows(read_table(written("a,b\n\n1,2\n\n\n3,4\n\n")).table) == [("1", "2"), ("3", "4")]
    assert rows(read_table(written("a\n1\n\n2\n")).table) == [("1",), ("2",)]


def test_nul_bytes_are_removed_aloud(written) -> None:
    reading = read_table(written(b"id,last\n1,Sm\0ith\n2,Jones\0\n"))
    assert reading.table.column("last").cells() == ["Smith", "Jones"]
    assert reading.warnings[0].place == "line 2"


def test_three_hundred_columns(written) -> None:
    header = [f"c{n}" for n in range(300)]
    lines = [",".join(header)] + [",".join(f"{r}-{n % 7}" for n in range(300)) for r in range(500)]
    table = read_table(written("\n".join(lines))).table
    assert (len(table.columns), table.rows, table.column("c299").cell(499)) == (300, 500, "499-5")


@pytest.mark.parametrize(
    ("content", "word"),
    [
        (b"", "empty"),
        (codecs.BOM_UTF8, "empty"),
        (b" \r\n\r\n", "empty"),
        (b"id,last,first\n", "no records"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "xls"),
        (b"%PDF-1.7\n", "PDF"),
        (b"PK\x05\x06" + bytes(18), "nothing in it"),
        (b"$FL2@(#) SPSS DATA FILE", "ends in .sav"),
        (b"<stata_dta><header>", "ends in .dta"),
        (bytes(12) + b"\xc2\xea\x81\x60", "ends in .sas7bdat"),
        (b"HEADER RECORD*******LIBRARY HEADER", "ends in .xpt"),
        (b"<!DOCTYPE html><html><table>", "HTML"),
        (b"\xef\xbb\xbf<html>", "HTML"),
        (b'[{"id": 1}, {"id": 2}]', "JSON"),
        (b"<?xml version='1.0'?>", "XML"),
    ],
)
def test_what_is_no_table_is_named(written, content: bytes, word: str) -> None:
    with pytest.raises(Problem, match=word):
        read_table(written(content))


def test_a_workbook_called_csv_is_named(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("xl/workbook.xml", "<x/>")
    with pytest.raises(Problem, match="Excel"):
        read_table(path)


def test_missing_files_and_folders(tmp_path: Path) -> None:
    with pytest.raises(Problem, match="not there"):
        read_table(tmp_path / "none.csv")
    with pytest.raises(Problem, match="folder"):
        read_table(tmp_path)


def test_impossible_options_are_refused(written) -> None:
    for options in (ReadOptions(separator="\n"), ReadOptions(separator='"', quote='"'), ReadOptions(header_line=-1)):
        with pytest.raises(Problem):
            read_table(written("a,b\n1,2\n"), options)


def test_the_preview_reads_the_head_only_and_shows_what_would_stop(written) -> None:
    path = written("id,last\n" + "1,Smith\n" * 3_000_000)
    start = time.process_time()
    seen = preview(path, rows=20)
    assert time.process_time() - start < 1
    assert (seen.table.rows, seen.separator, seen.encoding) == (20, ",", "utf-8")
    ragged = preview(written("id,last\n1,a\n2,b,c\n3,d\n"))
    assert ragged.warnings[0].place == "line 3"
    assert rows(ragged.table) == [("1", "a"), ("3", "d")]
    assert preview(written('id,last\n1,"a\n2,b\n')).warnings[0].place == "line 2"


def test_cancel_is_asked_for_at_least_five_times_a_second(written) -> None:
    """In processor time, so that a busy machine does not matter."""
    path = written("id,last,first\n" + "".join(f"{n},Name{n % 977},Given{n % 531}\n" for n in range(400_000)))
    asked = [time.process_time()]

    def cancelled() -> bool:
        asked.append(time.process_time())
        return False

    table = read_table(path, progress=Progress(cancelled=cancelled)).table
    profile(table, Progress(cancelled=cancelled))
    assert max(later - earlier for earlier, later in pairwise(asked)) < 0.2
    with pytest.raises(Cancelled):
        read_table(path, progress=Progress(cancelled=lambda: True))


def test_progress_never_goes_back(written) -> None:
    path = written("id,last\n" + "".join(f"{n},x{n}\n" for n in range(300_000)))
    seen: list[float] = []
    read_table(path, progress=Progress(lambda fraction, what: seen.append(fraction)))
    assert seen == sorted(seen)
    assert seen[-1] == 1.0
