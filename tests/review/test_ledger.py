"""The ledger: on disk before anything is shown, whole after any kill, no personal value, tampering is found."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pprl_desktop.problem import Problem
from pprl_desktop.review.decisions import Decisions
from pprl_desktop.review.gate import Gate
from pprl_desktop.review.ledger import Ledger, chain_problems, files_of, remove, verify
from pprl_desktop.review.marks import Level
from tests.review.people import KEY, long_review

PLAN = "0" * 64


def made(path: Path, count: int = 3) -> Path:
    with Ledger.create(path, KEY, PLAN, "anna") as ledger:
        for i in range(count):
            ledger.append({"what": "decide", "who": "anna", "pair": f"{i:x}", "point": "6"})
    return path


def test_a_ledger_reads_back_what_was_written(tmp_path) -> None:
    path = made(tmp_path / "l")
    found = verify(path)
    assert (found.ok, found.entries, found.plan, found.sealed) == (True, 4, PLAN, False)
    assert verify(path, KEY).sealed
    with Ledger(path, KEY) as ledger:
        assert [entry.what for entry in ledger.entries] == ["begin", "decide", "decide", "decide"]
        assert ledger.head == found.head
        assert chain_problems(ledger.entries) == ()
    with pytest.raises(Problem, match="begun already"):
        Ledger.create(path, KEY, PLAN, "anna")


@pytest.mark.parametrize(
    ("tamper", "word"),
    [
        ("UPDATE entries SET body = replace(body, '6', '1') WHERE number = 3", "altered"),
        ("UPDATE entries SET time = '2020-01-01T00:00:00+00:00' WHERE number = 2", "altered"),
        ("UPDATE entries SET time = 'yesterday' WHERE number = 2", "damaged"),
        ("DELETE FROM entries WHERE number = 2", "missing"),
        ("DELETE FROM entries WHERE number = 4", "cut off"),
        ("UPDATE entries SET body = 'not json' WHERE number = 2", "damaged"),
    ],
)
def test_tampering_is_found(tmp_path, tamper, word) -> None:
    path = made(tmp_path / "l")
    with sqlite3.connect(path) as file:
        file.execute(tamper)
    file.close()
    try:
        problems = verify(path).problems
    except Problem as problem:
        problems = (problem,)
    assert word in str(problems[0].sentence())
    with pytest.raises(Problem, match="not whole"):
        Ledger(path, KEY)


def test_a_chain_rewritten_without_the_key_is_found(tmp_path) -> None:
    forged = made(tmp_path / "forged")
    with pytest.raises(Problem, match="not written by this review"):
        Ledger(forged, b"another key" * 3)
    assert verify(forged).ok  # its hashes fit; only the seals tell
    assert not verify(forged, b"another key" * 3).ok


def test_other_files_are_not_ledgers(tmp_path) -> None:
    (tmp_path / "text").write_text("no database at all, but long enough to look at " * 40)
    with pytest.raises(Problem, match="not whole"):
        verify(tmp_path / "text")
    path = made(tmp_path / "l")
    with sqlite3.connect(path) as file:
        file.execute("PRAGMA user_version = 99")
    file.close()
    with pytest.raises(Problem, match="newer version"):
        Ledger(path, KEY)


def test_two_windows_on_one_review_are_told(tmp_path) -> None:
    path = made(tmp_path / "l")
    with Ledger(path, KEY) as one, Ledger(path, KEY) as two:
        one.append({"what": "decide", "who": "anna", "pair": "1", "point": "1"})
        with pytest.raises(Problem, match="another window"):
            two.append({"what": "decide", "who": "anna", "pair": "2", "point": "1"})
        assert len(two.entries) == 4


def test_a_ledger_that_cannot_be_written_says_so(tmp_path) -> None:
    path = made(tmp_path / "l")
    with Ledger(path, KEY) as ledger, sqlite3.connect(path, isolation_level=None) as holder:
        ledger._file.execute("PRAGMA busy_timeout = 10")
        holder.execute("BEGIN EXCLUSIVE")
        with pytest.raises(Problem, match="could not be written"):
            ledger.append({"what": "decide", "who": "anna", "pair": "1", "point": "1"})
        holder.execute("ROLLBACK")
    holder.close()


@pytest.mark.parametrize(
    "body",
    [
        {"what": "decide", "pair": "MILLER", "point": "6"},
        {"what": "anything"},
        {"what": "decide", "value": "MILLER"},
        {"what": "reveal", "cost": "about a third"},
    ],
)
def test_an_entry_cannot_carry_a_value(tmp_path, body) -> None:
    with Ledger(made(tmp_path / "l"), KEY) as ledger, pytest.raises(ValueError, match="must not hold"):
        ledger.append(body)


def test_files_and_places_are_remembered_beside_the_chain(tmp_path) -> None:
    path = made(tmp_path / "l")
    with Ledger(path, KEY) as ledger:
        ledger.remember_file(tmp_path / "out.csv")
        ledger.remember("pair", "1f")
        assert ledger.recall("pair") == "1f"
        assert ledger.recall("order") == ""
        assert ledger.files() == ((tmp_path / "out.csv").resolve(),)
    assert files_of(path) == ((tmp_path / "out.csv").resolve(),)
    assert {file.name for file in remove(path)} == {"l", "l.head"}


WORKER = """
import sys
from pathlib import Path
from pprl_desktop.problem import Problem
from pprl_desktop.review.decisions import Decisions
from pprl_desktop.review.gate import Gate
from pprl_desktop.review.ledger import Ledger
from tests.review.people import KEY, long_review

review = long_review()
with Ledger(Path(sys.argv[1]), KEY) as ledger:
    gate, decisions = Gate(review, ledger, "anna"), Decisions(ledger, "anna", bytes)
    print("ready", flush=True)
    for pair in range(len(review.pairs)):
        for field in range(2):
            try:
                done = gate.reveal(pair, field)
                print("opened", pair, field, done.cell.level.word, gate.risk, flush=True)
            except Problem:
                pass
        if review.pairs[pair].id not in decisions.current:
            decisions.decide(review.pairs[pair].id, 1 + pair % 6)
            print("decided", review.pairs[pair].id, 1 + pair % 6, flush=True)
"""


def killed_after(count: int, seconds: float, path: Path) -> list[list[str]]:
    """What a working program had shown when it was killed without warning, somewhere after `count` answers."""
    command = [sys.executable, "-c", WORKER, str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2]) as work:
        assert work.stdout is not None
        assert work.stdout.readline() == "ready\n"
        lines = [work.stdout.readline() for _ in range(count)]
        time.sleep(seconds)
        os.kill(work.pid, signal.SIGKILL)
        lines += work.stdout.read().splitlines(keepends=True)
    return [line.split() for line in lines if line.endswith("\n")]


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no SIGKILL")
@pytest.mark.parametrize("rounds", [3, pytest.param(40, marks=pytest.mark.slow)])
def test_a_kill_at_any_moment_loses_no_charge_and_no_decision(tmp_path, rounds) -> None:
    review = long_review()
    path = tmp_path / "ledger"
    Ledger.create(path, KEY, review.fingerprint(), "anna").close()
    seen_levels: dict[tuple[int, int], str] = {}
    seen_points: dict[str, int] = {}
    for turn in range(rounds):
        for line in killed_after(1 + 3 * turn % 7, 0.0017 * (turn % 11), path):
            if line[0] == "opened":
                seen_levels[int(line[1]), int(line[2])] = line[3]
            else:
                seen_points[line[1]] = int(line[2])
        assert verify(path, KEY).ok
        with Ledger(path, KEY) as ledger:
            gate, decisions = Gate(review, ledger, "anna"), Decisions(ledger, "anna", bytes)
            for (pair, field), level in seen_levels.items():
                assert gate.levels(pair)[field] >= Level[level.upper()]
            assert {p: decisions.current[p].point for p in seen_points} == seen_points
            spent = sum(row.term for pair in range(len(review.pairs)) for row in gate._opened.state(pair).rows)
            assert gate.risk == gate._scale.risk(spent)
    assert seen_levels
    assert seen_points
