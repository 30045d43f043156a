"""Files that would end the whole program inside a library: they are refused before the library sees them."""

from __future__ import annotations

import random
import zipfile
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pyreadstat
import pytest

from pprl_desktop.problem import Problem
from pprl_desktop.progress import NO_PROGRESS
from pprl_desktop.records import spss_scan
from pprl_desktop.records.reading import read_table
from pprl_desktop.records.workbook_scan import scan
from tests.hostility import Tally, mangled

FIRST = '<c r="A1" t="inlineStr"><is><t>a</t></is></c>'
SHEETS = {
    "a column of seven letters": f'<row r="1">{FIRST}<c r="ZZZZZZZ1"><v>1</v></c></row>',
    "a place in small letters": f'<row r="1">{FIRST}<c r="xfd1048576"><v>1</v></c></row>',
    "a row beyond the last": f'<row r="1">{FIRST}</row><row r="4000000000"><c r="A4000000000"><v>1</v></c></row>',
    "a sign within an attribute": f'<row r="1">{FIRST}<c x=">" r="XFD1048576"><v>1</v></c></row>',
    "a tag with another name": f'<p-q:row r="1">{FIRST}<p-q:c r="XFD1048576"><v>1</v></p-q:c></p-q:row>',
    "a tag of many bytes": f'<row r="1">{FIRST}<c {" " * (9 << 20)} r="XFD1048576"><v>1</v></c></row>',
    "rows without a place": f"<row>{'<c/>' * 95}</row>{'<row/>' * 1_100_000}<row><c><v>1</v></c></row>",
}


def workbook(path: Path, sheet: str, **more: str) -> Path:
    """A workbook of one sheet, as little as a reader needs."""
    pd.DataFrame({"last_name": ["Smith"], "born": [1]}).to_excel(path, index=False)
    with zipfile.ZipFile(path) as packed:
        parts = {name: packed.read(name).decode() for name in packed.namelist()}
    if sheet:
        start, _, rest = parts["xl/worksheets/sheet1.xml"].partition("<sheetData>")
        parts["xl/worksheets/sheet1.xml"] = f"{start}<sheetData>{sheet}</sheetData>{rest.partition('</sheetData>')[2]}"
    parts |= more
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
        for name, text in parts.items():
            packed.writestr(name, text)
    return path


@pytest.mark.parametrize("what", SHEETS)
def test_a_sheet_that_says_to_be_endless_is_refused(tmp_path: Path, what: str) -> None:
    path = workbook(tmp_path / "far.xlsx", SHEETS[what])
    with pytest.raises(Problem, match="too large"):
        scan(path, "xlsx", NO_PROGRESS)


def test_a_part_is_looked_into_however_it_begins(tmp_path: Path) -> None:
    path = workbook(tmp_path / "far.xlsx", SHEETS["a place in small letters"])
    with zipfile.ZipFile(path) as packed:
        sheet = packed.read("xl/worksheets/sheet1.xml").decode()
    path = workbook(tmp_path / "far.xlsx", "", **{"xl/worksheets/sheet1.xml": "x" + sheet})
    with pytest.raises(Problem, match="too large"):
        scan(path, "xlsx", NO_PROGRESS)


def test_texts_that_are_not_there_take_no_memory(tmp_path: Path) -> None:
    texts = '<sst xmlns="x" uniqueCount="4000000000"><si><t>a</t></si></sst>'
    with pytest.raises(Problem, match="too large"):
        scan(workbook(tmp_path / "texts.xlsx", "", **{"xl/sharedStrings.xml": texts}), "xlsx", NO_PROGRESS)


def spss(path: Path) -> Path:
    table = pd.DataFrame(
        {"last_name": ["Smith", "Jones"] * 4, "note": ["x" * 700, "y"] * 4, "born": [1, 2] * 4, "n": [1.5] * 8}
    )
    labels = {"born": {1: "one", 2: "two"}}
    about = {"column_labels": ["Name", "A note", "Year", "N"], "missing_ranges": {"n": [9.0]}}
    pyreadstat.write_sav(table, str(path), variable_value_labels=labels, note="two lines\nof text", **about)
    return path


def test_an_spss_file_with_all_parts_is_read(tmp_path: Path) -> None:
    table = read_table(spss(tmp_path / "good.sav")).table
    assert table.column("note").cell(0) == "x" * 700
    assert table.column("born").cell(1) == "two"


WIDER: dict[str, Callable[[bytes], bytes]] = {
    "one": lambda data: data[:180] + (1 << 28).to_bytes(4, "little") + data[184:],  # the width of the first variable
    "in several": lambda data: data.replace(b"=00700", b"=29999", 1),
}


@pytest.mark.parametrize("what", WIDER)
def test_a_text_that_is_wider_than_its_place_is_refused(tmp_path: Path, what: str) -> None:
    path = spss(tmp_path / "wide.sav")
    data = path.read_bytes()
    changed = WIDER[what](data)
    assert changed != data
    with pytest.raises(spss_scan.UnsoundError):
        spss_scan.check(changed)
    path.write_bytes(changed)
    with pytest.raises(Problem, match="cannot be read as"):
        read_table(path)


def test_changed_spss_files_are_refused_or_read(tmp_path: Path) -> None:
    """Without the look at the dictionary every hundredth of them ends the program."""
    good, draw, tally = spss(tmp_path / "good.sav").read_bytes(), random.Random(8), Tally("SPSS")
    path = tmp_path / "hostile.sav"
    for _ in range(300):
        path.write_bytes(mangled(draw, good))
        tally.case(lambda: read_table(path))
    tally.finish()
