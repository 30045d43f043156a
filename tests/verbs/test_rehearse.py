"""The verb rehearse, from a CSV to figures."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pprl_desktop.cli import main

ROWS = [
    "Smith,Mary,1970-01-02",
    "Johnson,James,1980-02-03",
    "Williams,Linda,1990-03-04",
    "Qxzqxz,Robert,1960-04-05",
] * 10


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "own.csv"
    path.write_text("surname,given,born\n" + "\n".join(ROWS) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def lists(tmp_path: Path) -> list[str]:
    (tmp_path / "last.csv").write_text("name,count\nSMITH,9\nJOHNSON,5\nWILLIAMS,3\nBROWN,1\n", encoding="utf-8")
    (tmp_path / "first.csv").write_text("name,count\nMARY,9\nJAMES,5\nLINDA,3\nROBERT,1\n", encoding="utf-8")
    return ["--dictionary", f"surname={tmp_path / 'last.csv'}", "--dictionary", f"given={tmp_path / 'first.csv'}"]


def test_figures_as_json(table: Path, lists: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    argv = [
        "rehearse",
        str(table),
        "--fields",
        "surname,given:name",
        "--method",
        "bloom",
        *lists,
        "--no-changes",
        "--json",
    ]
    assert main(argv) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["partner"]["both"]["hits"] == 30
    assert found["partner"]["both"]["of"] == 40
    assert found["privacy"]["mechanism"] == "none"
    assert "could name at least 75 of 100" in found["headline"]


def test_text_without_names_unless_asked_for(table: Path, lists: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    argv = ["rehearse", str(table), "--fields", "surname,given:name", "--method", "bloom", *lists, "--no-changes"]
    assert main(argv) == 0
    text = capsys.readouterr().out
    assert "The partner could name at least 75 of 100" in text
    assert "SMITH" not in text
    assert main([*argv, "--examples"]) == 0
    assert "for your eyes only" in capsys.readouterr().out


def test_columns_and_roles_can_be_named(table: Path, lists: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    argv = ["rehearse", str(table), "--fields", "a:name,b:name", "--columns", "surname,given", "--method", "bloom"]
    files = [item.replace("surname=", "a=").replace("given=", "b=") for item in lists]
    assert main([*argv, "--last", "a", "--first", "b", *files, "--no-changes", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["partner"]["first"]["share"] == 1.0


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--method", "plain"], "exports nothing"),
        (["--sample", "0"], "at least one"),
        (["--dictionary", "town=x.csv"], "belongs to one of the fields"),
        (["--first", "town"], "not among the fields"),
        (["--epsilon", "0"], "not a number above 0"),
        (["--epsilon", "50", "--method", "bloom", "--no-changes"], "at most 40"),
    ],
)
def test_bad_input_is_one_sentence(table: Path, more: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rehearse", str(table), "--fields", "surname,given:name", *more]) == 2
    assert said in capsys.readouterr().err


def test_the_record_layout_needs_no_decision_to_be_named(
    table: Path, lists: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    argv = ["rehearse", str(table), "--fields", "surname,given:name", "--method", "bloom", *lists]
    assert main([*argv, "--layout", "record", "--no-changes", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["layout"] == "record"
