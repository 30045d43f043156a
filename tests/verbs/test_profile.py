"""`pprl-desktop profile`: clear text, plain data, one sentence for what is wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pprl_desktop.cli import BAD_INPUT, main

PEOPLE = "id;last_name;born;diagnosis\n1;Müller;01/02/1990;C50.1\n2;Zebedee;13/02/1990;E11.9\n3;Null;;I10\n"


@pytest.fixture
def people(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    path.write_text(PEOPLE, encoding="utf-8")
    return path


def test_the_text_is_for_people_and_names_nobody(people: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["profile", str(people)]) == 0
    out = capsys.readouterr().out
    assert "3 records, 4 columns; utf-8, separator semicolon, column names in line 1." in out
    assert "99/99/9999 100%" in out
    assert "Sensitive columns:    diagnosis" in out
    assert "day before month is taken" in out
    assert "Müller" not in out
    assert "Zebedee" not in out


def test_the_data_are_plain(people: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["profile", str(people), "--json"]) == 0
    out = capsys.readouterr().out
    data = json.loads(out)
    assert (data["rows"], data["separator"], data["id_column"]) == (3, ";", "id")
    assert [column["kind"] for column in data["columns"][:3]] == ["id", "name", "date"]
    assert "Zebedee" not in out


def test_options_reach_the_reader(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "t.txt"
    path.write_text("x\ty\n1\t2\t3\n4\t5\n", encoding="utf-8")
    assert main(["profile", str(path), "--separator", "\\t", "--ragged", "leave out", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["rows"] == 1


def test_a_bad_file_is_one_sentence_and_code_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "bad.csv"
    path.write_text('id,name\n1,"Zebedee\n2,x\n', encoding="utf-8")
    assert main(["profile", str(path)]) == BAD_INPUT
    caught = capsys.readouterr()
    assert "line 2" in caught.err
    assert "Zebedee" not in caught.err
    assert caught.out == ""


def test_a_date_in_three_columns_is_looked_at_as_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its field is called geb or date, which is no column of the file."""
    for heads in ("geb_tag;geb_monat;geb_jahr", "Tag;Monat;Jahr"):
        path = tmp_path / "people.csv"
        rows = [f"{at};P{at};{1 + at % 28};{1 + at % 12};{1930 + at % 60}" for at in range(60)]
        path.write_text("\n".join([f"Patnr;Nachname;{heads}", *rows]) + "\n", encoding="utf-8")
        assert main(["profile", str(path)]) == 0
        told = capsys.readouterr().out
        assert "60 records compared" in told
        assert "Record id:            Patnr" in told


def test_a_bare_number_is_no_record_number_where_another_column_names_every_row(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "people.csv"
    rows = [f"K{at:04};Meyer{at};Lange Str.;{1 + at % 40}" for at in range(60)]
    path.write_text("\n".join(["Kennung;Nachname;Straße;Nr", *rows]) + "\n", encoding="utf-8")
    assert main(["profile", str(path)]) == 0
    assert "Record id:            Kennung" in capsys.readouterr().out
