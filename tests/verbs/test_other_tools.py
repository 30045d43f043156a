"""Partners with other tools, from the terminal: what is written is in the ledger, what is found is true."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from pprl_desktop.cli import main
from pprl_desktop.resources import root

SAMPLES = root() / "samples"
FEATURE: dict[str, Any] = {
    "format": {"type": "string", "encoding": "utf-8", "case": "upper"},
    "hashing": {"comparison": {"type": "ngram", "n": 2}, "strategy": {"bitsPerFeature": 200}},
}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    names = ["last_name", "first_name", "birth_date", "city"]
    features = [{"identifier": name, **FEATURE} for name in names]
    features[2] = {**features[2], "format": {"type": "date", "format": "%Y-%m-%d"}}
    features[2]["hashing"] = {**FEATURE["hashing"], "missingValue": {"sentinel": ""}}
    kdf = {"type": "HKDF", "hash": "SHA256", "keySize": 64}
    schema = {"version": 3, "clkConfig": {"l": 1024, "kdf": kdf}, "features": features}
    (tmp_path / "schema.json").write_text(json.dumps(schema))
    (tmp_path / "secret").write_text("a long shared secret\n")
    return tmp_path


def told(capsys: Any, *argv: str) -> Any:
    assert main([*argv, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_clks_find_the_same_people_and_stand_in_the_ledger(place: Path, capsys: Any) -> None:
    common = ["--schema", str(place / "schema.json"), "--secret-file", str(place / "secret")]
    a, b = str(SAMPLES / "hospital_a.csv"), str(SAMPLES / "hospital_b.csv")
    out, home = str(place / "b.json"), str(place / "home")
    made = told(capsys, "clk", "write", b, *common, *columns(b), "--to", "Registry", "--out", out, "--home", home)
    assert made["records"] == 1200
    assert "telephone book" in made["gives_away"]
    assert any("birth_date" in one for one in made["notes"]), "its dates were rewritten, and that is told"
    entries = told(capsys, "releases", "list", "--home", home)["disclosures"]
    assert [(one["what"], one["partner"], one["records"]) for one in entries] == [("CLKs", "Registry", 1200)]
    assert entries[0]["file"]
    found = told(capsys, "clk", "match", a, *common, *columns(a), "--partner", out, "--pairs", "2000")
    pairs = {(one["own_row"], one["partner_row"]) for one in found["pairs"] if one["band"] == "accept"}
    true = truth(a, b)
    assert len(pairs & true) > 0.9 * len(true)
    assert len(pairs - true) < 0.05 * len(pairs)


def columns(table: str) -> list[str]:
    with open(table, newline="", encoding="utf-8") as source:
        header = next(csv.reader(source))
    wanted = {"last_name": ("last_name", "surname"), "first_name": ("first_name", "given_name"),
              "birth_date": ("birth_date", "date_of_birth", "dob"), "city": ("city", "town")}  # fmt: skip
    found = {name: next(one for one in known if one in header) for name, known in wanted.items()}
    return ["--columns", ",".join(f"{name}={column}" for name, column in found.items())]


def truth(a: str, b: str) -> set[tuple[int, int]]:
    rows = []
    for table in (a, b):
        with open(table, newline="", encoding="utf-8") as source:
            reader = csv.reader(source)
            next(reader)
            rows.append({row[0]: at for at, row in enumerate(reader, start=1)})
    with open(SAMPLES / "truth.csv", newline="", encoding="utf-8") as source:
        return {(rows[0][one["id_a"]], rows[1][one["id_b"]]) for one in csv.DictReader(source)}


def test_tokens_are_written_matched_and_entered(place: Path, capsys: Any) -> None:
    people = "first_name,last_name,sex,birth_date\nAnna,Smith,F,1980-02-29\nBob,Jones,M,1970-01-02\nX,,M,\n"
    (place / "a.csv").write_text(people)
    secret = ["--secret-file", str(place / "secret")]
    made = told(
        capsys, "tokens", "write", str(place / "a.csv"), *secret, "--to", "Clinic", "--out", str(place / "t.csv"),
        "--home", str(place / "home"),
    )  # fmt: skip
    assert made["records"] == 2
    assert "no token" in made["notes"][0]
    found = told(capsys, "tokens", "match", str(place / "a.csv"), *secret, "--partner", str(place / "t.csv"))
    assert [(one["own_row"], one["partner_record"]) for one in found["pairs"]] == [(1, "1"), (2, "2")]
    entries = told(capsys, "releases", "list", "--home", str(place / "home"))["disclosures"]
    assert [(one["what"], one["partner"]) for one in entries] == [("tokens", "Clinic")]


@pytest.mark.parametrize(
    "change",
    [{"--schema": "missing.json"}, {"--secret-file": "short"}, {"--to": "\u202etsil"}, {"--columns": "city=nowhere"}],
)
def test_bad_input_gets_a_sentence_and_leaves_nothing(place: Path, capsys: Any, change: dict[str, str]) -> None:
    (place / "short").write_text("abc")
    b = str(SAMPLES / "hospital_b.csv")
    given = {"--schema": "schema.json", "--secret-file": "secret", "--out": "out.json", "--home": "home"}
    given = {name: str(place / value) for name, value in given.items()}
    given |= {"--to": "Registry", "--columns": columns(b)[1]}
    given |= {
        name: str(place / value) if name.endswith(("schema", "file")) else value for name, value in change.items()
    }
    assert main(["clk", "write", b, *(part for pair in given.items() for part in pair)]) == 2
    assert "Traceback" not in capsys.readouterr().err
    assert not (place / "out.json").exists()
    home = str(place / "home")
    assert not told(capsys, "releases", "list", "--home", home).get("disclosures")
