"""Two stewards link their tables by the verbs of the method blind alone: question, answer, result, report, audit."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from pprl_desktop import cli
from pprl_desktop.exchange.home import Home
from tests.exchange.blinded import SHARED, introduced
from tests.exchange.conftest import PASSPHRASE
from tests.verbs.test_evaluate_blind import FIELDS, written


class Verbs:
    def __init__(self, home: Home, capsys: pytest.CaptureFixture[str]) -> None:
        self.home, self.capsys = home, capsys

    def __call__(self, *argv: object, code: int = 0) -> dict[str, Any]:
        assert cli.main([*map(str, argv), "--home", str(self.home.path), "--json"]) == code
        found = self.capsys.readouterr()
        made: dict[str, Any] = json.loads(found.out if code in (0, 1) and found.out else found.err)
        return made


def test_the_job_by_its_verbs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PPRL_PASSPHRASE", PASSPHRASE)
    two = introduced(tmp_path / "homes")
    for name, table in (("a", two.table_a), ("b", two.table_b)):
        written(tmp_path / f"{name}.csv", table, [f"{name}{row}" for row in range(table.rows)])
    a, b = Verbs(two.a.home, capsys), Verbs(two.b.home, capsys)
    files = {name: tmp_path / f"{name}.pprl" for name in ("proposal", "accepted", "question", "answer", "result")}
    table = {name: tmp_path / f"{name}.csv" for name in ("a", "b")}
    propose = (
        "agree", "propose", "--with", two.a.partner.id, "--fields", FIELDS, "--table", table["a"], "--method", "blind",
        "--coverage", "0.3", "--asks", "me", "--out", files["proposal"],
    )  # fmt: skip
    assert "number of records of the partner" in a(*propose, code=2)["problem"]["what"]
    made = a(*propose, "--partner-rows", two.table_b.rows)
    assert made["weighed"]["coverage"] <= 0.3
    assert any("Run 1 of 1" in line for line in made["words"])
    shown = b("agree", "show", files["proposal"], "--table", table["b"])
    assert 0 < shown["weighed"]["coverage"] <= 0.3
    assert shown["weighed"]["coverage_10n"] >= shown["weighed"]["coverage"]
    unseen = b("agree", "accept", files["proposal"], "--out", files["accepted"], code=2)
    assert "not counted" in unseen["problem"]["what"]
    b("agree", "accept", files["proposal"], "--table", table["b"], "--out", files["accepted"])
    a("agree", "finish", files["accepted"])
    a("ask", table["a"], "--out", files["question"], "--keep-seed")
    assert b("open", files["question"])["kind"] == "question"
    answered = b("answer", table["b"], "--out", files["answer"])
    assert answered["guesses"] > two.table_a.rows
    a("open", files["answer"])
    assert a("match", table["a"])["accepted"] > 0.8 * SHARED
    a("result", "export", "--out", files["result"])
    b("result", "import", files["result"])
    linked = [side("result", "reconcile")["linked"] for side in (a, b)]
    assert linked[0] == linked[1] > 0.8 * SHARED
    assert a("audit", files["question"], "--table", table["a"])["unexplained"] == 0
    assert a("audit", files["question"], "--table", table["b"], code=1)["unexplained"] > 0
    assert "answer" in json.dumps(b("releases", "list"))
    for side in (a, b):
        page = json.dumps(side("report"))
        assert "in the record" in page
        assert "are not in the record" not in page
        assert "Diffie-Hellman" in page


def test_names_alone_and_other_methods_are_refused_with_a_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PPRL_PASSPHRASE", PASSPHRASE)
    two = introduced(tmp_path / "homes")
    table = written(tmp_path / "a.csv", two.table_a, [str(row) for row in range(two.table_a.rows)])
    a = Verbs(two.a.home, capsys)
    start = ("agree", "propose", "--with", two.a.partner.id, "--table", table, "--out", tmp_path / "p.pprl")
    names = (*start, "--fields", "last_name,first_name", "--method", "blind", "--partner-rows", 100)
    assert "more than names" in a(*names, code=2)["problem"]["what"]
    bloom = (*start, "--fields", FIELDS, "--method", "bloom", "--coverage", 0.1)
    assert "Only 'blind'" in a(*bloom, code=2)["problem"]["what"]


def test_the_next_delivery_is_a_new_agreement_whose_guesses_are_added_up(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has new names and ids; in each side's linked table stands the id of a record's first link, found at home."""
    monkeypatch.setenv("PPRL_PASSPHRASE", PASSPHRASE)
    two = introduced(tmp_path / "homes")
    mine = written(tmp_path / "a.csv", two.table_a, [f"a{row}" for row in range(two.table_a.rows)])
    theirs = written(tmp_path / "b.csv", two.table_b, [f"b{row}" for row in range(two.table_b.rows)])
    a, b = Verbs(two.a.home, capsys), Verbs(two.b.home, capsys)
    post = {name: tmp_path / f"{name}.pprl" for name in ("proposal", "accepted", "question", "answer", "result")}

    def linked(id: str) -> list[dict[str, dict[str, str]]]:
        """After the answer: each side's linked table, by the own record number."""
        a("open", post["answer"])
        a("match", mine, "--agreement", id)
        a("result", "export", "--agreement", id, "--out", post["result"])
        b("result", "import", post["result"])
        tables = []
        for side, table in ((a, mine), (b, theirs)):
            side("result", "reconcile", "--agreement", id, "--table", table, "--id", "rec_id", "--sensitive", "rec_id",
                 "--linked", tmp_path / "linked.csv")  # fmt: skip
            with (tmp_path / "linked.csv").open(encoding="utf-8-sig") as file:
                tables.append({line["rec_id"]: line for line in csv.DictReader(file)})
        return tables

    def asked(table: Path) -> tuple[str, dict[str, Any], str]:
        """The agreement, what was shown before it was signed, and the words of the proposal."""
        made = a("agree", "propose", "--with", two.a.partner.id, "--fields", FIELDS, "--table", table, "--method",
                 "blind", "--coverage", "0.3", "--partner-rows", two.table_b.rows, "--out",
                 post["proposal"])  # fmt: skip
        capsys.readouterr()
        cli.main(["agree", "show", str(post["proposal"]), "--table", str(theirs), "--home", str(two.b.home.path)])
        seen = capsys.readouterr().out
        id = b("agree", "accept", post["proposal"], "--table", theirs, "--out", post["accepted"])["id"]
        a("agree", "finish", post["accepted"])
        a("ask", table, "--id", "rec_id", "--agreement", id, "--out", post["question"])
        b("open", post["question"])
        return id, made, seen

    first, made, seen = asked(mine)
    assert any("Run 1 of 1" in line for line in made["words"])
    assert "earlier run" not in seen
    assert "new ids" not in seen
    given = b("answer", theirs, "--id", "rec_id", "--agreement", first, "--out", post["answer"])["guesses"]
    before = linked(first)
    header, *lines = mine.read_text(encoding="utf-8").splitlines()
    gone, changed = (next(line for line in lines if line.split(",")[0] == number) for number in list(before[0])[:2])
    number, name, *others = changed.split(",")
    lines = [",".join([number, name + "X", *others]) if line == changed else line for line in lines if line != gone]
    mine.write_text("\n".join([header, *lines[::-1]]) + "\n", encoding="utf-8")
    refused = a("ask", mine, "--agreement", first, "--out", post["question"], code=2)["problem"]
    assert "one agreement allows one question" in refused["why"]
    assert "links get new ids" in refused["do"]

    second, made, seen = asked(mine)
    assert any("Run 2 of 2" in line for line in made["words"])
    assert any("Links of this run get new ids" in line for line in made["words"]), "said before it is signed"
    assert "Links of this run get new ids" in seen
    assert f"asked in one earlier run: {given:,} guesses" in seen, "said before it is signed"
    post["answer"].unlink()
    refused = b("answer", theirs, "--agreement", second, "--out", post["answer"], code=2)["problem"]
    assert "asked before" in refused["what"]
    assert not post["answer"].exists()
    more = b("answer", theirs, "--id", "rec_id", "--agreement", second, "--again", "--out", post["answer"])["guesses"]
    assert list(b("releases", "list")["guesses"].values()) == [given + more]
    cli.main(["releases", "list", "--home", str(two.b.home.path)])
    assert f"2 answers to blind questions: together {given + more:,} guesses" in capsys.readouterr().out

    after = linked(second)
    assert "first_link_id" not in next(iter(before[0].values()))
    for then, now in zip(before, after, strict=True):
        assert len(then.keys() & now.keys()) > 30
        assert not {line["link_id"] for line in now.values()} & {line["link_id"] for line in then.values()}
        for number, line in now.items():
            assert line["first_link_id"] == (then[number]["link_id"] if number in then else "")
    both = [{line["link_id"]: line["first_link_id"] for line in now.values()} for now in after]
    assert both[0] == both[1]
    assert gone.split(",")[0] not in after[0]
