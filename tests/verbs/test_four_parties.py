"""Four parties on one population, from cards to groups and the review after them, by the verbs alone.

    PEOPLE=500 pytest -n 0 -m slow -s tests/verbs/test_four_parties.py

prints precision and recall of the pairwise links, of their plain closure and of the groups.
"""

from __future__ import annotations

import csv
import itertools
import json
import os
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from pprl_desktop import cli
from pprl_desktop.exchange.home import Home
from pprl_desktop.exchange.passphrase import Cost
from pprl_desktop.matching.groups import Link, Record, closure
from tests.benchmarks import groups as population
from tests.job import parties

FIELDS = ",".join(one.name if one.kind == "text" else f"{one.name}:{one.kind}" for one in population.FIELDS)
PEOPLE = int(os.environ.get("PEOPLE", "150"))
Pairs = set[tuple[Record, Record]]


@dataclass
class Steward:
    """A home folder that nothing but verbs writes to."""

    name: str
    home: Path
    table: Path
    capsys: pytest.CaptureFixture[str]
    agreed: dict[str, str] = field(default_factory=dict)  # partner -> agreement

    def __call__(self, *argv: object, code: int = 0) -> dict[str, Any]:
        found = cli.main([*map(str, argv), "--home", str(self.home), "--json"])
        said = self.capsys.readouterr()
        assert found == code, said.err
        made: dict[str, Any] = json.loads(said.out if code == 0 else said.err)
        return made


@pytest.fixture
def four(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> list[Steward]:
    monkeypatch.setenv("PPRL_PASSPHRASE", "four unrelated words here")
    monkeypatch.setattr(Home.create, "__defaults__", (Cost(memory=8, passes=1, lanes=1),))
    tables, whose = population.files(tmp_path, PEOPLE, 3)
    capsys.readouterr()  # it says what it drew
    made = []
    for number, (name, table, people) in enumerate(zip(parties.NAMES, tables, whose, strict=True)):
        with table.open(newline="", encoding="utf-8") as source:
            rows = list(csv.reader(source))
        lines = [[*row, str(who)] for row, who in zip(rows[1:], people, strict=True)]
        parties.write(table, [*rows[0], "person"], lines)
        made.append(Steward(name, tmp_path / f"home{number}", table, capsys))
        made[-1]("card", "new", "--name", name)
        made[-1]("card", "export", "--out", tmp_path / f"{name}.pprlcard")
    for one, other in itertools.permutations(made, 2):
        seen = one("card", "import", tmp_path / f"{other.name}.pprlcard")
        one("card", "verify", other.name, "--number", seen["safety_digits"])
    return made


def link(one: Steward, other: Steward, group: Path, post: Path) -> None:
    """Agreement with consent, bundles, matches, results: bloom."""
    propose(one, other, group, post, "--method", "bloom", "--rule", "review", "--max-clear", 60)
    for here, there in ((one, other), (other, one)):
        here("export", here.table, "--agreement", here.agreed[there.name], "--out", post / "bundle.pprl")
        there("open", post / "bundle.pprl")
    for here, there in ((one, other), (other, one)):
        here("match", here.table, "--agreement", here.agreed[there.name])
        here("result", "export", "--agreement", here.agreed[there.name], "--out", post / f"{here.name}.pprl")
    for here, there in ((one, other), (other, one)):
        there("result", "import", post / f"{here.name}.pprl")


def link_blind(one: Steward, other: Steward, group: Path, post: Path) -> None:
    propose(one, other, group, post, "--method", "blind", "--coverage", 0.5, "--asks", "me", "--table", one.table,
            "--partner-rows", len(persons(other)))  # fmt: skip
    agreed = "--agreement", one.agreed[other.name]
    one("ask", one.table, *agreed, "--out", post / "question.pprl")
    other("open", post / "question.pprl")
    other("answer", other.table, *agreed, "--out", post / "answer.pprl")
    one("open", post / "answer.pprl")
    one("match", one.table, *agreed)
    one("result", "export", *agreed, "--out", post / "result.pprl")
    other("result", "import", post / "result.pprl")


def propose(one: Steward, other: Steward, group: Path, post: Path, *more: object) -> None:
    made = one("agree", "propose", "--with", other.name, "--fields", FIELDS, "--group", group, *more, "--out",
               post / "proposal.pprl")  # fmt: skip
    assert "only through a third party" in " ".join(made["words"]), "the consent stands in what is signed"
    seen = ("--table", other.table) if "blind" in more else ()
    shown = " ".join(other("agree", "show", post / "proposal.pprl", *seen)["words"])
    assert "only through a third party" in shown
    agreed = other("agree", "accept", post / "proposal.pprl", *seen, "--out", post / "answer.pprl")["id"]
    one("agree", "finish", post / "answer.pprl")
    one.agreed[other.name] = other.agreed[one.name] = agreed


def persons(one: Steward) -> list[str]:
    with one.table.open(newline="", encoding="utf-8") as source:
        return [row["person"] for row in csv.DictReader(source)]


def pairwise(stewards: list[Steward], post: Path) -> Pairs:
    found: Pairs = set()
    for one, other in itertools.combinations(stewards, 2):
        rows = []
        for here, there in ((one, other), (other, one)):
            here("result", "reconcile", "--agreement", here.agreed[there.name], "--out", post / "links.csv")
            with (post / "links.csv").open(newline="", encoding="utf-8") as source:
                linked = [row for row in csv.DictReader(source) if row["status"] == "linked"]
            rows.append({row["link"]: str(int(row["row"]) - 1) for row in linked})
        found |= {(Record(one.name, row), Record(other.name, rows[1][id])) for id, row in rows[0].items()}
    return found


def grouped(stewards: list[Steward], post: Path) -> Pairs:
    """Every party's own table of groups, joined by the ids that all have."""
    people: dict[str, list[tuple[str, str]]] = {}
    for one in stewards:
        one("groups", "write", "--table", one.table, "--sensitive", "person", "--out", post / "groups.csv")
        with (post / "groups.csv").open(newline="", encoding="utf-8-sig") as source:
            for row in csv.DictReader(source):
                people.setdefault(row["group_id"], []).append((one.name, row["person"]))
    place = {one.name: {who: str(row) for row, who in enumerate(persons(one))} for one in stewards}
    return {
        (Record(a, place[a][x]), Record(b, place[b][y]))
        for found in people.values()
        for (a, x), (b, y) in itertools.combinations(found, 2)
    }


def judge(stewards: list[Steward]) -> Callable[[str, Pairs], tuple[float, float]]:
    who = {one.name: persons(one) for one in stewards}
    true = sum(len(set(who[a.name]) & set(who[b.name])) for a, b in itertools.combinations(stewards, 2))

    def figures(name: str, pairs: Pairs) -> tuple[float, float]:
        right = sum(who[a.party][int(a.handle)] == who[b.party][int(b.handle)] for a, b in pairs)
        precision, recall = right / max(len(pairs), 1), right / true
        with stewards[0].capsys.disabled():
            print(f"\n  {name:<16} precision {precision:.4f}  recall {recall:.4f}  ({len(pairs)} pairs)", end="")
        return precision, recall

    return figures


def report(stewards: list[Steward], post: Path) -> dict[str, Any]:
    """Everyone's links to the first, groups formed, everyone told."""
    first, *others = stewards
    for one in others:
        sent = one("groups", "send", "--table", one.table, "--out", post / "links.pprl")
        assert sent["to"] == first.name
        first("open", post / "links.pprl")
    formed = first("groups", "form", "--table", first.table)
    for one in others:
        first("groups", "tell", "--to", one.name, "--out", post / "told.pprl")
        one("open", post / "told.pprl")
    return formed


def reviewed(one: Steward, other: Steward, post: Path, number: int) -> int:
    """The masked review with one party, to its end: asked, answered in clear as agreed, decided by the truth."""
    agreed = "--agreement", one.agreed[other.name]
    one("review", "ask", *agreed, "--out", post / "ask.pprl")
    other("open", post / "ask.pprl")
    answer = "review", "answer", other.table, *agreed, "--out", post / "cells.pprl", "--send-in-clear"
    said = other(*answer, 0, code=2)["problem"]["what"]  # the number confirms that the steward has seen what leaves
    other(*answer, re.findall(r"(\d+) records? would leave", said)[0])
    one("open", post / "cells.pprl")
    place = post / f"review{number}"
    pairs = one("review", "create", place, "--partner", one.table, *agreed, "--budget", "1")["pairs"]
    for _ in range(pairs):
        one("review", "decide", place, 1)  # whoever contradicts a surer link is somebody else
    one("review", "take-in", place, *agreed)
    one("result", "export", *agreed, "--out", post / "again.pprl")
    other("result", "import", post / "again.pprl")
    return pairs


@pytest.mark.slow
def test_four_homes_by_verbs_alone_and_contradictions_go_to_review_and_come_back(
    four: list[Steward], tmp_path: Path
) -> None:
    post = tmp_path / "post"
    post.mkdir()
    first, *others = four
    first("groups", "new", "--name", "Four", *itertools.chain(*(("--with", one.name) for one in others)), "--out",
          post / "g.pprlgroup")  # fmt: skip
    for one, other in itertools.combinations(four, 2):
        link(one, other, post / "g.pprlgroup", post)
    figures = judge(four)
    direct = pairwise(four, post)
    alone = figures("pairwise", direct)
    joined = {frozenset(group) for group in closure(Link(a, b, 1.0) for a, b in direct)}
    closed = figures("plain closure", population._cross(joined))
    formed = report(four, post)
    together = figures("groups", grouped(four, post))
    assert together[0] >= closed[0], "never plain transitive closure"
    assert together[1] >= alone[1], "what two missed, the others found"
    contradictions = formed["contradictions"]
    assert contradictions
    # every party sends its own doubts back to the review with that party, tells it, and both decide
    moved = {one.name: one("groups", "review")["moved"] for one in four}
    assert sum(each["moved"] for found in moved.values() for each in found) >= len(contradictions)
    touched = {tuple(sorted((name, each["party"]))) for name, found in moved.items() for each in found if each["moved"]}
    by_name = {one.name: one for one in four}
    for number, names in enumerate(sorted(touched)):
        one, other = (by_name[name] for name in names)
        for here, there in ((one, other), (other, one)):
            here("result", "export", "--agreement", here.agreed[there.name], "--out", post / f"{here.name}.pprl")
        for here, there in ((one, other), (other, one)):
            there("result", "import", post / f"{here.name}.pprl")
        assert one("result", "reconcile", "--agreement", one.agreed[other.name])["open"] > 0, "open until decided"
        assert reviewed(one, other, post, number) > 0
    again = report(four, post)
    after = figures("after the review", grouped(four, post))
    assert len(again["contradictions"]) < len(contradictions)
    assert after[0] >= together[0]
    assert {one["what"] for one in others[0]("releases", "list")["disclosures"]} >= {"result", "group links"}


@pytest.mark.slow
def test_groups_after_blind(four: list[Steward], tmp_path: Path) -> None:
    """Only the side that asks has a match; both have the result, and that is what a group is made of."""
    post = tmp_path / "post"
    post.mkdir()
    three = four[:3]
    first, *others = three
    first("groups", "new", "--name", "Three", *itertools.chain(*(("--with", one.name) for one in others)), "--out",
          post / "g.pprlgroup")  # fmt: skip
    # keys chosen on the table that is easier to guess fit the other one too
    for one, other in itertools.combinations(three[::-1], 2):
        link_blind(one, other, post / "g.pprlgroup", post)
    figures = judge(three)
    alone = figures("blind, pairwise", pairwise(three, post))
    report(three, post)
    together = figures("blind, groups", grouped(three, post))
    assert together[1] >= alone[1] - 0.01
    assert together[0] >= 0.9
