"""evaluate on bad input: exit code 2, one sentence and what to do, never a traceback."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from pprl_desktop import cli

NAMES = ("ADLER", "BAUER", "CONRAD", "DIETZ", "EBERT", "FRANKE", "GRAF", "HAHN", "JUNG", "KELLER")
GIVEN = ("ANNA", "BERND", "CLARA", "DIRK")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("refusals")

    def write(name: str, rows: list[list[str]]) -> None:
        with (made / name).open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows(rows)

    people = [[last, first, f"19{40 + i}-0{1 + i % 9}-1{i % 9}"] for i, last in enumerate(NAMES) for first in GIVEN]
    write("a.csv", [["rec_id", "last_name", "first_name", "born"], *([f"a{i}", *p] for i, p in enumerate(people))])
    write("b.csv", [["rec_id", "surname", "given", "dob"], *([f"b{i}", *p] for i, p in enumerate(people))])
    pairs = [[f"a{i}", f"b{i}"] for i in range(len(people))]
    write("truth.csv", [["id_a", "id_b"], *pairs])
    write("some_unknown.csv", [["id_a", "id_b"], *pairs, ["a1", "b999"]])
    write("all_unknown.csv", [["id_a", "id_b"], ["x", "y"]])
    write("other_columns.csv", [["left", "right"], ["a1", "b1"]])
    write("header.csv", [["rec_id", "last_name", "first_name", "born"]])
    write("few.csv", [["first"], ["ANNA"], ["BERND"]])
    (made / "empty.csv").write_bytes(b"")
    (made / "zip.csv").write_bytes(b"PK\x03\x04" + bytes(200))
    return made


def command(*more: str, **changes: str | None) -> list[str]:
    """File names stand for files of the folder; None leaves an option out."""
    given = {
        "a": "a.csv", "b": "b.csv", "--truth": "truth.csv", "--fields": "last_name,first_name,born",
        "--columns-b": "surname,given,dob", **{name.replace("_", "-"): value for name, value in changes.items()},
    }  # fmt: skip
    plain = [value for name in ("a", "b") if (value := given.pop(name)) is not None]
    options = [word for name, value in given.items() if value is not None for word in (_option(name), value)]
    return ["evaluate", *plain, *options, *more]


def _option(name: str) -> str:
    return name if name.startswith("--") else f"--{name}"


BLOOM = ("--method", "bloom")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        # files
        (command(a=None), "B.csv"),
        (command(a="gone.csv"), "is not there"),
        (command(b="."), "is a folder"),
        (command(a="empty.csv"), "is empty"),
        (command(b="header.csv"), "no record"),
        (command(a="zip.csv"), "cannot be unpacked"),
        (command(b="a.csv", columns_b=None), "the same file"),
        (command("extra.csv"), "one argument too many"),
        # truth
        (command(**{"--truth": None}), "--truth"),
        (command(**{"--truth": "gone.csv"}), "is not there"),
        (command(**{"--truth": "empty.csv"}), "is empty"),
        (command(**{"--truth": "other_columns.csv"}), "no column 'id_a'"),
        (command(**{"--truth": "some_unknown.csv"}), "1 of 41 pairs of the truth file name an id that is not"),
        (command(**{"--truth": "all_unknown.csv"}), "No pair of the truth file was found"),
        (command(id="rec"), "Did you mean 'rec_id'?"),
        (command(id_b="surname"), "No pair of the truth file was found"),
        # fields
        (command(**{"--fields": None}), "--fields"),
        (command(**{"--fields": ","}), "The list of fields is empty"),
        (command(**{"--fields": "last_name,last_name,born"}), "names 'last_name' twice"),
        (command(**{"--fields": "last_nam,first_name,born"}), "Did you mean 'last_name'?"),
        (command(**{"--fields": "last_name:nam,first_name,born"}), "Did you mean 'name'?"),
        (command(**{"--fields": ":name,first_name,born"}), "no column ''"),
        (command(**{"--columns-b": "surname"}), "1 columns were given for 3 fields"),
        (command(**{"--columns-b": "surname,given,do"}), "Did you mean 'dob'?"),
        (command(**{"--columns-b": "surname,surname,dob"}), "for two fields"),
        (command(**{"--columns-b": None}), "no column 'last_name'"),
        # method and settings
        (command("--method", "blom"), "Did you mean 'bloom'?"),
        (command("--metod", "bloom"), "Did you mean '--method'?"),
        (command(*BLOOM, "--decision", "svm"), "decided by 'adaptive'"),
        (command(*BLOOM, "--decision", "adaptiv"), "Did you mean 'adaptive'?"),
        (command(*BLOOM, "--layout", "recrd"), "Did you mean 'record'?"),
        (command(*BLOOM, "--kernel", "rbf"), "has no kernel"),
        (command("--method", "split", "--layout", "record"), "has no record layout"),
        (command("--method", "plain", "--layout", "record"), "has no record layout"),
        (command("--method", "split-svm", "--decision", "adaptive"), "decided by its SVM"),
        (command("--method", "split-svm", "--kernel", "rbff"), "Did you mean 'rbf'?"),
        (command("--method", "plain", "--epsilon", "1"), "has no noise"),
        (command("--method", "dp-nn", "--layout", "field"), "whole records"),
        (command("--method", "dp-nn", "--noise", "two-sided"), "has no sides"),
        (command(*BLOOM, "--noise", "two-sided"), "Without an epsilon"),
        (command("--reference", "us-20"), "Did you mean 'us-200'?"),
        (command("--reference", "few.csv"), "too few for a reference set"),
        *((command(*BLOOM, "--epsilon", wrong), "is not a number above 0") for wrong in ("0", "-1", "nan", "x", "")),
        *((command(*BLOOM, "--epsilon", wrong), "at most") for wrong in ("41", "1e9", "inf")),
        # the rest
        (command("--one-to-one", "--one-to-many"), "not allowed with"),
        *((command("--seed", wrong), "whole number") for wrong in ("-1", "1.5", "x", "9" * 30)),
        *((command("--memory", wrong), "whole number") for wrong in ("0", "-1", "9" * 30)),
        (command("--accept", "nan"), "not a number"),
        (command("--pairs", "-1"), "not a number of pairs"),
        (command("--rule", "bot"), "Did you mean 'both'?"),
        (command(*BLOOM, "--sweep", "bits=1"), "cannot be swept"),
        (command(*BLOOM, "--sweep", "epsilon=1,,2"), "not understood"),
        (command("--method", "plain", "--sweep"), "no noise to sweep"),
        (command(*BLOOM, "--sweep", "epsilon=1", "--compare"), "different tables"),
        (command("--compare", "--layout", "record"), "has no meaning"),
    ],
)
def test_bad_input_is_a_sentence_and_exit_code_2(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, folder: Path, arguments: list[str], said: str
) -> None:
    monkeypatch.chdir(folder)
    assert cli.main([*arguments, "--json"]) == cli.BAD_INPUT
    shown = capsys.readouterr()
    assert not shown.out
    problem = json.loads(shown.err)["problem"]
    assert said in " ".join((problem["what"], problem["why"], problem["do"]))
    assert problem["do"], "what to do is said"
    assert not any(name in shown.err for name in NAMES), "no value of a record is repeated"
