"""Three parties put their links together by the verbs alone; what does not belong gets its sentence and exit code 2."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from pprl_desktop.cli import main
from pprl_desktop.records.reading import read_table
from tests.exchange.conftest import PASSPHRASE
from tests.job import parties
from tests.job.parties import Party
from tests.job.test_groups import tables


@pytest.fixture
def three(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Party]:
    monkeypatch.setenv("PPRL_PASSPHRASE", PASSPHRASE)
    return parties.linked(tmp_path, tables(tmp_path)[:3])


def test_the_whole_way_by_the_verbs(three: list[Party], tmp_path: Path, capsys: Any) -> None:
    a, b, c = three

    def verb(party: Party, *argv: object, code: int = 0) -> Any:
        assert main([*map(str, argv), "--home", str(party.home.path), "--json"]) == code
        said = capsys.readouterr()
        return json.loads(said.out) if code == 0 else json.loads(said.err)["problem"]

    made = verb(a, "groups", "new", "--name", "Other", "--with", b.name, "--with", c.name, "--most", f"{b.name}=2",
                "--out", tmp_path / "g.pprlgroup")  # fmt: skip
    assert {one["name"]: one["most"] for one in made["members"]}[b.name] == 2
    assert verb(c, "groups", "show", tmp_path / "g.pprlgroup")["name"] == "Other"
    status = verb(b, "groups", "status")
    assert {one["party"]: one["compared"] for one in status["standing"]} == {a.name: True, c.name: True}
    assert "not here yet" in verb(a, "groups", "form", "--table", a.table, code=2)["what"]
    assert "puts the links together" in verb(b, "groups", "form", "--table", b.table, code=2)["what"]
    for one in (b, c):
        sent = verb(one, "groups", "send", "--table", one.table, "--out", tmp_path / "links.pprl")
        assert sent["to"] == a.name
        assert verb(a, "open", tmp_path / "links.pprl")["kind"] == "group_links"
    formed = verb(a, "groups", "form", "--table", a.table, "--contradictions", tmp_path / "no.csv")
    with (tmp_path / "no.csv").open(newline="") as source:
        assert len(list(csv.DictReader(source))) == len(formed["contradictions"])
    assert "not in the group" in verb(a, "groups", "tell", "--to", "X", "--out", tmp_path / "t", code=2)["what"]
    assert not (tmp_path / "t").exists()
    verb(a, "groups", "tell", "--to", b.name, "--out", tmp_path / "told.pprl")
    assert verb(b, "open", tmp_path / "told.pprl")["kind"] == "groups"
    told = verb(b, "groups", "write", "--table", b.table, "--out", tmp_path / "groups.csv")
    assert told["records"] > 40
    text = read_table(tmp_path / "groups.csv").table
    for ending in ("xlsx", "dta", "parquet"):
        again = verb(b, "groups", "write", "--table", b.table, "--out", tmp_path / f"groups.{ending}")
        assert again["records"] == told["records"]
        other = read_table(tmp_path / f"groups.{ending}").table
        assert [one.cells() for one in other.columns] == [one.cells() for one in text.columns], ending
        assert ending == "dta" or other.names == text.names
    refused = verb(b, "groups", "write", "--table", b.table, "--out", tmp_path / "groups.pdf", code=2)
    assert ".xlsx" in refused["why"] + refused["do"]
    assert not (tmp_path / "groups.pdf").exists()
    assert {one["what"] for one in verb(b, "releases", "list")["disclosures"]} == {"result", "group links"}
    assert {one["what"] for one in verb(a, "releases", "list")["disclosures"]} == {"result", "groups"}
    assert isinstance(verb(b, "groups", "review")["moved"], list)
