"""Partners with other tools, from the terminal: what is written is in the ledger, what is found is true."""

from __future__ import annotations

import csv
import json
import zipfile
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
    (tmp_path / "secret").write_text("a5ec4e7b" * 4 + "\n")
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


@pytest.mark.parametrize("limit", [("without noise", "0"), ("per record", "1000")])
def test_a_limit_on_what_has_no_noise_stops_files_for_other_tools(place: Path, capsys: Any, limit: Any) -> None:
    home, a = ["--home", str(place / "home")], str(SAMPLES / "hospital_a.csv")
    secret = ["--secret-file", str(place / "secret"), "--to", "Registry", *home]
    told(capsys, "releases", "limit", *limit, *home)
    (place / "few.csv").write_text("first_name,last_name,sex,birth_date\nAnna,Smith,F,1980-02-29\n")
    out = place / "out.json"
    clks = ["clk", "write", a, "--schema", str(place / "schema.json"), *secret, *columns(a), "--out", str(out)]
    for argv in (clks, ["tokens", "write", str(place / "few.csv"), *secret, "--out", str(out)]):
        assert main([*argv, "--json"]) == 2
        assert "does not allow a release without noise" in json.loads(capsys.readouterr().err)["problem"]["what"]
        assert not out.exists()
    assert told(capsys, "releases", "list", *home)["disclosures"] == []


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


def test_the_zip_of_the_codi_tools_is_written_and_matched_from_the_terminal(place: Path, capsys: Any) -> None:
    plain = json.loads((place / "schema.json").read_text())
    (place / "names.json").write_text(json.dumps({**plain, "features": plain["features"][:2]}))
    schemas = ["--schema", str(place / "schema.json"), "--schema", str(place / "names.json")]
    secret = ["--secret-file", str(place / "secret")]
    a, b = str(SAMPLES / "hospital_a.csv"), str(SAMPLES / "hospital_b.csv")
    out, home = str(place / "b.zip"), str(place / "home")
    leaving = ["--to", "Registry", "--out", out, "--home", home]
    made = told(capsys, "clk", "write", b, *schemas, *secret, *columns(b), *leaving, "--codi")
    assert made["records"] == 1200
    with zipfile.ZipFile(out) as archive:
        *hashed, about = archive.namelist()
        assert hashed == ["output/schema.json", "output/names.json"]
        assert {"number_of_records", "creation_date", "garble_time"} <= set(json.loads(archive.read(about)))
    entries = told(capsys, "releases", "list", "--home", home)["disclosures"]
    assert [(one["what"], one["records"]) for one in entries] == [("CLKs", 1200)]
    pairs = place / "pairs.csv"
    found = told(
        capsys, "clk", "match", a, "--schema", str(place / "schema.json"), *secret, *columns(a), "--partner", out,
        "--pairs-out", str(pairs),
    )  # fmt: skip
    with pairs.open(newline="") as source:
        rows = list(csv.DictReader(source))
    assert len(rows) == found["accepted"] + found["review"]
    accepted = {(int(one["unique_id_l"]), int(one["unique_id_r"])) for one in rows if one["band"] == "accept"}
    assert len(accepted & truth(a, b)) > 0.9 * len(truth(a, b)), "the zip's own secret was derived on both sides"
    assert "evidence_last_name" in rows[0]
    refused(capsys, "another file", "clk", "match", a, "--schema", str(place / "secret"), *secret, "--partner", out)
    refused(capsys, "go only into the zip", "clk", "write", b, *schemas, *secret, *columns(b), *leaving)


def refused(capsys: Any, said: str, *argv: str) -> None:
    assert main([*argv]) == 2
    words = capsys.readouterr().err
    assert "Traceback" not in words
    assert said in words or said == "another file", words


def test_what_the_formats_give_away_is_counted_before_they_leave(place: Path, capsys: Any) -> None:
    common = ["--schema", str(place / "schema.json"), "--secret-file", str(place / "secret")]
    a = str(SAMPLES / "hospital_a.csv")
    found = told(capsys, "clk", "rehearse", a, *common, "--sample", "40")
    assert found["partner"]["both"]["share"] > 0.8
    assert "could name at least" in found["sentences"][0]
    assert "telephone book" in found["gives_away"]
    tokens = told(capsys, "tokens", "rehearse", a, "--secret-file", str(place / "secret"))
    assert tokens["partner"]["both"]["share"] > 0.8
    assert not (place / "home").exists(), "nothing left, so nothing was entered"


def test_a_schema_of_doublehash_does_not_go_into_the_zip_of_codi(place: Path, capsys: Any) -> None:
    plain = json.loads((place / "schema.json").read_text())
    for one in plain["features"]:
        one["hashing"]["hash"] = {"type": "doubleHash"}
    (place / "double.json").write_text(json.dumps(plain))
    b = str(SAMPLES / "hospital_b.csv")
    refused(
        capsys, "uses doubleHash", "clk", "write", b, "--schema", str(place / "double.json"), "--secret-file",
        str(place / "secret"), *columns(b), "--to", "X", "--out", str(place / "o.zip"), "--codi", "--home",
        str(place / "home"),
    )  # fmt: skip
    assert not (place / "o.zip").exists()
    assert not (place / "home" / "releases.sqlite").exists()
