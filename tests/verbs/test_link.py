"""`pprl-desktop link`: two files of one's own, and duplicates within one, from the terminal."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from pprl_desktop import resources
from pprl_desktop.cli import main
from pprl_desktop.review.desk import Desk

SECRET = "a passphrase of the manager 7"


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    """The sample's two hospitals; the second with other headings."""
    made = []
    for name in ("hospital_a.csv", "hospital_b.csv"):
        text = resources.find("samples", name).read_text(encoding="utf-8")
        (tmp_path / name).write_text(text, encoding="utf-8")
        made.append(str(tmp_path / name))
    return made[0], made[1]


def said(capsys: pytest.CaptureFixture[str], *argv: str) -> dict:  # type: ignore[type-arg]
    assert main(["link", *argv, "--json"]) == 0
    return dict(json.loads(capsys.readouterr().out))


def test_two_files_are_linked_reviewed_and_written(
    tmp_path: Path, files: tuple[str, str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    out = str(tmp_path / "out")
    monkeypatch.setenv("PPRL_PASSPHRASE", SECRET)
    made = said(capsys, *files, "--out", out, "--review", str(tmp_path / "r"), "--audit", "3")
    assert made["kind"] == "two files"
    assert made["links"] > 500
    assert {"precision", "recall"} <= set(made["expected"])
    assert {"precision", "low", "high"} <= set(made["second_opinion"])
    assert made["reliable"] is True
    with Desk.open(tmp_path / "r", SECRET) as desk:
        session = desk.session()
        for pair in desk.review.pairs:
            session.decide(1, pair=pair.id)
        pairs = len(desk.review.pairs)
    again = said(capsys, *files, "--out", out, "--take-in", str(tmp_path / "r"))
    assert again["taken_in"] == again["decided"] == pairs
    assert again["links"] < made["links"]
    assert again["open"] == 0
    with Path(again["table"]).open(encoding="utf-8-sig", newline="") as source:
        rows = list(csv.DictReader(source))
    assert len(rows) == again["links"]


def test_duplicates_of_one_file_are_told_in_words(
    tmp_path: Path, files: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    table = Path(files[0])
    table.write_bytes(table.read_text(encoding="utf-8").replace("Garden", "Gärden").encode("cp1252"))
    assert main(["link", files[0], "--out", str(tmp_path / "out")]) == 0
    text = capsys.readouterr().out
    assert "Note: hospital_a.csv: The file is not UTF-8" in text  # what the reader found is said here too
    report = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "hospital_a.csv: The file is not UTF-8" in report
    assert "How the files were read" in report
    assert "Nobody was found twice among 1,500 records." in text
    assert text.count("The file is not UTF-8") == 1
    assert main(["link", files[0], "--out", str(tmp_path / "out")]) == 0  # with the project that is there
    assert "Note: hospital_a.csv: The file is not UTF-8" in capsys.readouterr().out
    assert "Nothing left this computer" in text


@pytest.mark.parametrize("form", ["xlsx", "dta", "parquet"])
def test_the_linked_table_is_written_in_the_form_that_is_asked_for(
    tmp_path: Path, files: tuple[str, str], capsys: pytest.CaptureFixture[str], form: str
) -> None:
    from pprl_desktop.records.reading import read_table

    if form == "parquet":
        pytest.importorskip("pyarrow")
    made = said(capsys, *files, "--out", str(tmp_path / "out"), "--form", form)
    assert Path(made["table"]).name == f"linked.{form}"
    table = read_table(Path(made["table"])).table
    assert table.rows == made["rows"] > 50
    assert table.names[0] == "person_id"
    assert said(capsys, *files, "--out", str(tmp_path / "out"))["table"] == made["table"], "kept with the project"


def test_columns_named_by_hand_are_used(
    tmp_path: Path, files: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    table = Path(files[1])
    lines = table.read_text(encoding="utf-8").splitlines()
    first = lines[0].split(",")
    places = {name: first.index(other) for name, other in (("last_name", "surname"), ("birth_date", "dob"))}
    named = [f"{name}=k{place}" for name, place in places.items()]
    table.write_text("\n".join([",".join(f"k{n}" for n in range(len(first))), *lines[1:]]), encoding="utf-8")
    made = said(capsys, *files, "--out", str(tmp_path / "out"), "--fields", ",".join(named))
    assert [one["b"] for one in made["fields"]] == [one.split("=")[1] for one in named]


@pytest.mark.parametrize(
    "more",
    [
        ("--fields", "no_such_column"),
        ("--fields", "last_name=no_such_column"),
        ("--sensitive-a", "no_such_column"),
        ("--direction", "sideways"),
        ("--accept", "many"),
    ],
)
def test_a_bad_call_gets_a_sentence(
    tmp_path: Path, files: tuple[str, str], capsys: pytest.CaptureFixture[str], more: tuple[str, str]
) -> None:
    assert main(["link", *files, "--out", str(tmp_path / "out"), *more]) == 2
    told = capsys.readouterr().err
    assert told.strip()
    assert "Traceback" not in told


def test_the_same_file_twice_and_a_file_that_is_not_there_get_a_sentence(
    tmp_path: Path, files: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["link", files[0], files[0], "--out", str(tmp_path / "out")]) == 2
    assert "Both files are the same." in capsys.readouterr().err
    assert main(["link", files[0], str(tmp_path / "none.csv"), "--out", str(tmp_path / "out")]) == 2
    assert not (tmp_path / "out" / "link.pprlproject").exists()


def test_each_file_is_read_as_the_terminal_says(
    tmp_path: Path, files: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Of the second file only the widths are known; of the first a column is made of two."""
    with Path(files[1]).open(encoding="utf-8", newline="") as source:
        rows = list(csv.reader(source))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    ends = [sum(widths[: at + 1]) for at in range(len(widths))]
    layout = ", ".join(
        f'"{name}" {end - width + 1}-{end}' for name, width, end in zip(rows[0], widths, ends, strict=True)
    )
    lines = ["".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows[1:]]
    (tmp_path / "b.dat").write_text("\n".join(lines) + "\n", encoding="utf-8")
    call = (files[0], str(tmp_path / "b.dat"), "--out", str(tmp_path / "out"), "--widths", "", "--widths", layout)
    made = said(capsys, *call, "--make", "town = join(postcode, city)")
    assert made["links"] > 500
    assert made["links"] == said(capsys, *call)["links"]  # as the project was read
    assert main(["link", *call[:-1], "id 1-4"]) == 2
    assert "--again" in capsys.readouterr().err
