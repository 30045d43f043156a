"""Whole jobs by the verbs with planted surnames: none is said, none lies in a file, and no file is open to others.

What holds cells in clear on purpose is sealed (a partner's answer, a review), so it must not show there either. The
quick cases of single verbs, each in a process of its own, are in tests/test_nothing_personal.py.
"""

from __future__ import annotations

import csv
import itertools
import json
import os
import random
import stat
import sys
import tempfile
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pprl_desktop.cli import main
from pprl_desktop.exchange.home import Home
from pprl_desktop.records.reading import read_table
from pprl_desktop.records.writing import write_table
from tests.exchange.conftest import PASSPHRASE, introduce, make_party

FIRST = "Anna Berta Carla Dora Emil Fritz Gustav Hanna Ida Jakob Karl Lena Marie Nina Otto Paul".split()
LAST = [f"Xyloqu{end}" for end in "witz meyer schulz becker koch richter klein wolf neumann".split()]
FIELDS = "first_name,last_name,born:date,sex:category,city:text"
PLANTED = "xyloqu"  # long enough that no sealed file holds it by chance
SHARED, EACH = 50, 80


class Scene:
    """A folder with homes, tables and post; runs verbs and looks at what they say and leave."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder, self.capsys, self.made = folder, capsys, 0
        for name in ("tables", "post", "tmp"):
            (folder / name).mkdir(mode=0o700)

    def home(self, name: str) -> Home:
        return Home(self.folder / name)

    def out(self, name: str) -> Path:
        return self.folder / "post" / name

    def __call__(self, home: str, *argv: object, code: int = 0, words: bool = False) -> Any:
        at = ["--home", str(self.folder / home)] if home else []
        assert main([*map(str, argv), *at, *([] if words else ["--json"])]) == code, self.capsys.readouterr()
        found = self.capsys.readouterr()
        for text in (found.out, found.err):
            assert PLANTED not in text.lower(), argv
            assert "Traceback" not in text
            assert not any(unicodedata.category(one)[0] == "C" and one not in "\n\t" for one in text), argv
        return None if words else json.loads(found.out or found.err)

    def look(self) -> None:
        for path in self.folder.rglob("*"):
            if self.folder / "tables" in path.parents:
                continue
            assert PLANTED not in path.name.lower()
            if sys.platform != "win32":
                mode = path.stat().st_mode
                assert not stat.S_ISDIR(mode) or path.is_relative_to(self.folder / "tmp") or not mode & 0o077, path.name
                assert not stat.S_ISREG(mode) or not mode & 0o077, f"{path.name}: {oct(mode)}"
            if path.is_file():
                held = path.read_bytes().lower()
                for wide in ("utf-8", "utf-16-le"):
                    assert PLANTED.encode(wide) not in held, path.name
        assert not list((self.folder / "tmp").iterdir())


@pytest.fixture
def scene(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Iterator[Scene]:
    monkeypatch.setenv("PPRL_PASSPHRASE", PASSPHRASE)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    before = os.umask(0)  # the most careless setting
    try:
        yield Scene(tmp_path, capsys)
    finally:
        os.umask(before)


@pytest.fixture
def tables(scene: Scene) -> list[Path]:
    """Three files that share people; the second and third spell some of them otherwise."""
    draw = random.Random(5)
    people = [
        (draw.choice(FIRST), draw.choice(LAST) + draw.choice(("", "er", "son", "mann")),
         f"{draw.randint(1930, 2010)}-{draw.randint(1, 12):02}-{draw.randint(1, 28):02}", draw.choice("FM"),
         f"{draw.choice(LAST)}dorf") for _ in range(2 * EACH - SHARED)
    ]  # fmt: skip
    made = []
    for name, start in (("a", 0), ("b", EACH - SHARED), ("c", (EACH - SHARED) // 2)):
        lines = []
        for number, (first, last, born, sex, city) in enumerate(people[start : start + EACH], start):
            slips = name != "a" and draw.random() < 0.5
            spelt = f"{last[:6]}z{last[7:]}" if slips else last
            moved = f"{draw.choice(LAST)}hausen" if name != "a" and draw.random() < 0.3 else city
            lines.append((f"{name}{number}", first, spelt, born, sex, moved, f"D{number % 9}"))
        made.append(scene.folder / "tables" / f"{name}.csv")
        with made[-1].open("w", newline="", encoding="utf-8") as out:
            csv.writer(out).writerows([("id", "first_name", "last_name", "born", "sex", "city", "diagnosis"), *lines])
    return made


def introduced(scene: Scene, *names: str) -> None:
    parties = [make_party(scene.folder / name, f"Registry {name}") for name in names]
    for one, other in itertools.combinations(parties, 2):
        introduce(one, other)


def agreed(scene: Scene, one: str, other: str, *terms: object, table: Path | None = None) -> tuple[str, str]:
    weighs = ("--table", table) if table else ()
    scene(one, "agree", "propose", "--with", f"Registry {other}", "--fields", FIELDS, "--rule", "review", "--max-clear",
          "80", *terms, "--out", scene.out("proposal.pprl"))  # fmt: skip
    scene(other, "agree", "show", scene.out("proposal.pprl"), *weighs, words=True)
    found = scene(other, "agree", "accept", scene.out("proposal.pprl"), *weighs, "--out", scene.out("accepted.pprl"))
    scene(one, "agree", "finish", scene.out("accepted.pprl"))
    return "--agreement", str(found["id"])


def linked(scene: Scene, sides: dict[str, Path], at: tuple[str, str]) -> None:
    """Bundles, matches and results both ways; whatever is alike at all is unsure, so that there is a review."""
    one, other = sides
    for here, there in ((one, other), (other, one)):
        scene(here, "export", sides[here], *at, "--id", "id", "--out", scene.out(f"{here}.pprl"))
        scene(there, "open", scene.out(f"{here}.pprl"), "--receipt", scene.out("receipt.pprl"))
        scene(here, "open", scene.out("receipt.pprl"))
    for here in sides:
        scene(here, "match", sides[here], *at, "--accept", "12", "--review", "1", "--pairs-out", scene.out("p.csv"))
        scene(here, "match", sides[here], *at, "--accept", "12", "--review", "1", words=True)
    for here, there in ((one, other), (other, one)):
        scene(here, "result", "export", *at, "--out", scene.out(f"result {here}.pprl"))
        scene(there, "result", "import", scene.out(f"result {here}.pprl"))


def finished(scene: Scene, sides: dict[str, Path], at: tuple[str, str], ending: str = "csv") -> None:
    for here, table in sides.items():
        scene(here, "result", "reconcile", *at, "--out", scene.out(f"{here} links.csv"), "--table", table, "--id", "id",
              "--linked", scene.out(f"{here} linked.{ending}"), "--sensitive", "diagnosis")  # fmt: skip
        scene(here, "report", *at, "--out", scene.out(f"{here}.html"))
        scene(here, "report", *at, words=True)
        scene(here, "releases", "list", words=True)
        scene(here, "releases", "verify")


def test_nobody_is_named_on_the_way_to_a_review_and_the_next_delivery(scene: Scene, tables: list[Path]) -> None:
    introduced(scene, "a", "b")
    sides = dict(zip("ab", tables, strict=False))
    at = agreed(scene, "a", "b", "--method", "bloom")
    linked(scene, sides, at)
    scene("a", "review", "ask", *at, "--out", scene.out("ask.pprl"))
    scene("b", "open", scene.out("ask.pprl"))
    answer = ("b", "review", "answer", tables[1], *at, "--out", scene.out("cells.pprl"))
    told = scene(*answer, code=2)  # what would leave
    assert told["records"] > 3
    assert not scene.out("cells.pprl").exists()
    scene(*answer, "--send-in-clear", told["records"])
    scene("a", "open", scene.out("cells.pprl"))
    review = scene.folder / "review"
    scene("a", "review", "create", review, "--partner", tables[0], *at, "--budget", "0.9")
    for decision in ("6", "1"):
        scene("a", "review", "next", review, words=True)
        scene("a", "review", "decide", review, decision)
    scene("a", "review", "status", review, words=True)
    scene("a", "review", "report", review, "--out", scene.out("review.txt"))
    scene("a", "review", "verify", review)
    scene("a", "review", "take-in", review, *at)
    finished(scene, sides, at)
    scene.look()
    changed = scene.folder / "tables" / "later.csv"
    lines = tables[0].read_text(encoding="utf-8").splitlines()
    lines[3] = lines[3].replace("Xyloqu", "Xyloquy", 1)
    changed.write_text("\n".join([*lines[:-2], "a999,Neu,Xyloquneu,1999-01-01,F,Xyloqustadt,D1"]), encoding="utf-8")
    later = ("export", changed, *at, "--id", "id", "--out", scene.out("later.pprl"))
    scene("a", *later, code=2)
    scene("a", *later, "--adds-up")
    scene("b", "open", scene.out("later.pprl"))
    linked_again = scene("b", "match", tables[1], *at)
    assert linked_again["accepted"] > 20
    scene("b", "result", "export", *at, "--out", scene.out("later result.pprl"))
    scene("a", "open", scene.out("later result.pprl"))
    scene.look()


def test_nobody_is_named_by_questions_and_answers(scene: Scene, tables: list[Path]) -> None:
    introduced(scene, "a", "b")
    sides = dict(zip("ab", tables, strict=False))
    at = agreed(scene, "a", "b", "--method", "blind", "--table", tables[0], "--coverage", "0.5", "--partner-rows", EACH,
                table=tables[1])  # fmt: skip
    scene("a", "ask", tables[0], *at, "--id", "id", "--out", scene.out("question.pprl"), "--keep-seed")
    scene("b", "open", scene.out("question.pprl"))
    scene("b", "answer", tables[1], *at, "--id", "id", "--out", scene.out("answer.pprl"))
    scene("a", "open", scene.out("answer.pprl"))
    assert scene("a", "match", tables[0], *at)["accepted"] > 10
    scene("a", "result", "export", *at, "--out", scene.out("result.pprl"))
    scene("b", "result", "import", scene.out("result.pprl"))
    finished(scene, sides, at, "xlsx")
    assert scene("a", "audit", scene.out("question.pprl"), "--table", tables[0], *at)["unexplained"] == 0
    scene("b", "answer", tables[0], *at, "--out", scene.out("other.pprl"), code=2)  # another table
    scene.look()


def test_nobody_is_named_by_a_group(scene: Scene, tables: list[Path]) -> None:
    introduced(scene, "a", "b", "c")
    table = dict(zip("abc", tables, strict=True))
    scene("a", "groups", "new", "--name", "Three", "--with", "Registry b", "--with", "Registry c", "--out",
          scene.out("three.pprlgroup"))  # fmt: skip
    for one, other in itertools.combinations("abc", 2):
        at = agreed(scene, one, other, "--method", "bloom", "--group", scene.out("three.pprlgroup"))
        linked(scene, {one: table[one], other: table[other]}, at)
    for one in "bc":
        scene(one, "groups", "send", "--table", table[one], "--out", scene.out("links.pprl"))
        scene("a", "open", scene.out("links.pprl"))
    scene("a", "groups", "form", "--table", table["a"], "--contradictions", scene.out("no.csv"))
    for one in "bc":
        scene("a", "groups", "tell", "--to", f"Registry {one}", "--out", scene.out(f"told {one}.pprl"))
        scene(one, "open", scene.out(f"told {one}.pprl"))
        scene(one, "groups", "write", "--table", table[one], "--out", scene.out(f"groups {one}.csv"))
        scene(one, "groups", "status", words=True)
    scene.look()


def test_nobody_is_named_by_files_of_ones_own(
    scene: Scene, tables: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    workbook = scene.folder / "tables" / "a.xlsx"
    table = read_table(tables[0]).table
    write_table(workbook, table.names, list(zip(*(one.cells() for one in table.columns), strict=True)))
    scene("", "profile", workbook, words=True)
    scene("", "link", workbook, "--out", scene.folder / "one")
    scene("", "link", workbook, "--out", scene.folder / "one", words=True)
    review = scene.folder / "review"
    scene("", "link", workbook, tables[1], "--out", scene.folder / "two", "--review", review, "--audit", "3")
    scene("", "review", "next", review, words=True)
    scene("", "review", "decide", review, "6")
    monkeypatch.setenv("PPRL_REVIEWER_PASSPHRASE", "another passphrase here 7")
    scene("", "review", "assign", review, "--reviewer", "Anna", "--tranche", "2", "--out", scene.folder / "shares")
    scene("", "link", workbook, tables[1], "--out", scene.folder / "two", "--take-in", review)
    scene.look()
