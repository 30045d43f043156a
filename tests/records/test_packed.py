"""Files packed by gzip or zip: read like what is inside, or refused with the reason."""

from __future__ import annotations

import gzip
import random
import zipfile
from pathlib import Path

import pytest

from pprl_desktop.problem import Problem
from pprl_desktop.progress import NO_PROGRESS
from pprl_desktop.records.reading import preview, read_table
from pprl_desktop.records.workbook_scan import scan
from tests.hostility import Tally, mangled
from tests.records.test_formats import HEADER, ROWS, cells, open_document, workbook


def test_packed_text_is_read_like_the_text(tmp_path: Path) -> None:
    text = tmp_path / "people.csv"
    text.write_text("id,name\n007,Anna\n008,Ben\n", encoding="utf-8")
    plain = read_table(text)
    (tmp_path / "people.csv.gz").write_bytes(gzip.compress(text.read_bytes()))
    with zipfile.ZipFile(tmp_path / "people.zip", "w") as made:
        made.write(text, "folder/people.csv")
    for name in ("people.csv.gz", "people.zip"):
        reading = read_table(tmp_path / name)
        assert cells(reading.table) == cells(plain.table)
        assert reading.sha256 != plain.sha256
        assert preview(tmp_path / name).table.rows == 2
    with zipfile.ZipFile(tmp_path / "people.zip", "a") as made:
        made.writestr("second.csv", "x")
    with pytest.raises(Problem, match="holds 2 files"):
        read_table(tmp_path / "people.zip")
    cut = tmp_path / "cut.csv.gz"
    cut.write_bytes(gzip.compress(text.read_bytes())[:-6])
    with pytest.raises(Problem, match="cannot be unpacked"):
        read_table(cut)


@pytest.mark.parametrize("ending", [".sav", ".dta", ".parquet"])
@pytest.mark.parametrize("how", ["zip", "gz"])
def test_a_packed_file_of_a_statistics_program_is_read_in_memory(tmp_path: Path, ending: str, how: str) -> None:
    import pandas as pd
    import pyreadstat

    frame = pd.DataFrame({"name": ["Müller", "Özil"], "sex": [1.0, 2.0]})
    plain = tmp_path / f"people{ending}"
    if ending == ".parquet":
        frame.to_parquet(plain)
    else:
        labels = {"sex": {1: "male", 2: "female"}}
        writer = {".sav": pyreadstat.write_sav, ".dta": pyreadstat.write_dta}[ending]
        writer(frame, str(plain), variable_value_labels=labels)
    wanted = read_table(plain)
    path = tmp_path / f"people{ending}.{how}"
    if how == "zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed_:
            packed_.write(plain, plain.name)
    else:
        path.write_bytes(gzip.compress(plain.read_bytes()))
    plain.unlink()
    found = read_table(path)
    assert cells(found.table) == cells(wanted.table)
    assert [str(one) for one in found.warnings] == [str(one) for one in wanted.warnings]
    assert list(tmp_path.iterdir()) == [path]


def test_a_packed_workbook_is_to_be_unpacked(tmp_path: Path) -> None:
    workbook(tmp_path / "people.xlsx", {"S": [HEADER, *ROWS]})
    with zipfile.ZipFile(tmp_path / "people.zip", "w") as packed_:
        packed_.write(tmp_path / "people.xlsx", "people.xlsx")
    with pytest.raises(Problem, match="packed workbook") as found:
        read_table(tmp_path / "people.zip")
    assert "Unpack it" in str(found.value.do)


def test_a_zip_file_of_something_else_is_said_to_hold_no_table(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "people.zip", "w") as packed:
        packed.writestr("inner.zip", b"PK")
    with pytest.raises(Problem, match="no table that is read here") as found:
        read_table(tmp_path / "people.zip")
    assert "nothing else" in str(found.value.why)


def test_a_workbook_that_is_called_zip_is_told_from_a_zip_file(tmp_path: Path) -> None:
    workbook(tmp_path / "people.xlsx", {"S": [HEADER, *ROWS]}).rename(tmp_path / "people.zip")
    with pytest.raises(Problem, match="workbook") as found:
        read_table(tmp_path / "people.zip")
    assert ".xlsx" in str(found.value.do)


def test_changed_packed_files_are_refused_or_read(tmp_path: Path) -> None:
    """A zip file whose list of files points before its beginning was a fault of the program."""
    text = "id,name\n" + "".join(f"{number:03},Anna\n" for number in range(60))
    good = tmp_path / "good.zip"
    with zipfile.ZipFile(good, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("people.csv", text)
    draw, tally = random.Random(3), Tally("packed")
    for name, data in (("hostile.zip", good.read_bytes()), ("hostile.csv.gz", gzip.compress(text.encode()))):
        for _ in range(300):
            (tmp_path / name).write_bytes(mangled(draw, data))
            tally.case(lambda name=name: read_table(tmp_path / name))  # type: ignore[misc]
    tally.finish()


@pytest.mark.parametrize("way", [zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2])
@pytest.mark.parametrize("ending", ["zip", "ods", "xlsx"])
def test_a_way_of_packing_that_asks_for_any_memory_is_refused(tmp_path: Path, ending: str, way: int) -> None:
    path = tmp_path / f"people.{ending}"
    if ending == "zip":
        parts = {"people.csv": b"id,name\n1,Anna\n"}
    else:
        good = open_document(path, [HEADER, *ROWS]) if ending == "ods" else workbook(path, {"A": [HEADER, *ROWS]})
        with zipfile.ZipFile(good) as packed:
            parts = {name: packed.read(name) for name in packed.namelist()}
    with zipfile.ZipFile(path, "w", way) as made:
        for name, data in parts.items():
            made.writestr(name, data)
    with pytest.raises(Problem, match=r"cannot be (unpacked|read)"):
        read_table(path)
    if ending == "xlsx":  # before the library is asked, which has no memory to lose
        with pytest.raises(zipfile.BadZipFile):
            scan(path, ending, NO_PROGRESS)
