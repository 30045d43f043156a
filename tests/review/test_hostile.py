"""Shares, tranches, decisions and MINDFIRL files that lie: refused in a sentence or harmless, never a traceback.

The hostile content is sealed with the right passphrase and key: only what it holds is wrong.
"""

from __future__ import annotations

import contextlib
import copy
import random
import subprocess
import sys
import textwrap
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pprl_desktop.exchange import age, passphrase_seal
from pprl_desktop.exchange.passphrase import Cost
from pprl_desktop.problem import Problem
from pprl_desktop.review import mindfirl, sealing
from pprl_desktop.review import share as shares
from pprl_desktop.review.desk import Desk
from tests.hostility import Tally, mangled, places
from tests.review.test_desk import WORDS, review

SECRET = f"{WORDS} anna"
QUICK, FULL = 100, 2000
MEMORY = 100 << 20  # bytes over what is there before
VALUES: tuple[Any, ...] = (
    None, True, -1, 0, 1, 2**31, 2**63, 10**400, 1.5, float("1e308"), "", "x", "\0", "é\u202e", "9" * 5000, "1/0",
    "-3", "0/0", "nan", [], [[]], {}, {"a": 1}, ["x"] * 3, [None], "MARTHA0", "full", "r1:anna", "ff" * 32,
)  # fmt: skip
ARRAYS: tuple[Any, ...] = (
    np.zeros(0, np.int64), np.full((3, 3), -5, np.int32), np.full(16, 2**31 - 1, np.int32), np.zeros((2, 2), np.uint8),
    np.full((8, 2), 2**62, np.int64), np.full(16, 255, np.uint8), np.full((16, 2), -2, np.int32),
)  # fmt: skip


def nested(depth: int) -> Any:
    made: Any = []
    for _ in range(depth):
        made = [made]
    return made


def spoilt(plain: dict[str, Any], arrays: dict[str, Any], draw: random.Random) -> tuple[dict[str, Any], dict[str, Any]]:
    """One to three changes anywhere: a value of another kind, something missing or more, another array."""
    plain, arrays = copy.deepcopy(plain), dict(arrays)
    for _ in range(draw.choice((1, 1, 2, 3))):
        if arrays and draw.random() < 0.35:
            name = draw.choice(sorted(arrays))
            how = draw.randrange(4)
            if how == 0:
                del arrays[name]
            elif how == 1:
                arrays[name] = draw.choice(ARRAYS)
            elif how == 2 and arrays[name].size:
                changed = arrays[name].copy()
                changed.reshape(-1)[draw.randrange(changed.size)] = draw.choice((0, 1, 127, 200))
                arrays[name] = changed
            else:
                arrays[name] = np.concatenate([arrays[name], arrays[name]])
            continue
        *front, last = draw.choice(list(places(plain)))
        node: Any = plain
        for key in front:
            node = node[key]
        if draw.random() < 0.2:
            del node[last]
        else:
            node[last] = copy.deepcopy(draw.choice(VALUES))
    return plain, arrays


def hold(monkeypatch: pytest.MonkeyPatch, name: str) -> list[tuple[Any, ...]]:
    """What the program is about to seal, as it hands it over."""
    held: list[tuple[Any, ...]] = []
    real = getattr(sealing, name)

    def write(*arguments: Any) -> None:
        held.append(arguments)
        real(*arguments)

    monkeypatch.setattr(sealing, name, write)
    return held


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with Desk.create(tmp_path / "r", review(), WORDS) as made:
        yield made


def open_and_work(path: Path) -> None:
    """All that a reviewer's program does with a share that opens."""
    share = shares.open_share(path, SECRET)
    session = shares.start(path, share)
    try:
        for pair in session.order[:2]:
            view = session.view(pair)
            session.reveal(view.cells[0].field, pair)
            session.decide(6, "", pair)
        shares.return_decisions(session, share, path.with_suffix(".back"))
    finally:
        session.ledger.close()


def outcome(act: Callable[[], object]) -> str:
    try:
        act()
    except Problem:
        return "refused"
    return "accepted"


def hostile_shares(desk: Desk, folder: Path, monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    held = hold(monkeypatch, "write_under_passphrase")
    good = desk.assign({"anna": SECRET}, out=folder / "out")["anna"].read_bytes()
    _, part, plain, arrays, _, signer = held[-1]
    draw, path = random.Random(20261117), folder / "hostile.share"
    path.write_bytes(good)
    open_and_work(path)  # the libraries are loaded
    tally = Tally("share")
    for _ in range(count):
        for rest in folder.glob("hostile.*"):
            rest.unlink()
        if draw.random() < 0.15:
            path.write_bytes(mangled(draw, good))
        else:
            wrong, other = spoilt(plain, arrays, draw)
            sealing.write_under_passphrase(path, part, wrong, other, SECRET, signer)
        tally.case(lambda: open_and_work(path))
    beside = {rest.name for rest in folder.glob("*hostile*")} | {rest.name for rest in folder.glob(".*")}
    allowed = {"hostile.share", "hostile.share.ledger", "hostile.share.ledger.head", "hostile.back"}
    tally.finish(len(beside - allowed))
    assert tally.refused > count / 2


def test_hostile_shares_are_refused_in_words_or_do_no_harm(desk, tmp_path, monkeypatch) -> None:
    hostile_shares(desk, tmp_path, monkeypatch, QUICK)


@pytest.mark.slow
def test_two_thousand_hostile_shares(desk, tmp_path, monkeypatch) -> None:
    hostile_shares(desk, tmp_path, monkeypatch, FULL)


@pytest.mark.parametrize("depth", [500, 100_000])
def test_deep_nesting_is_refused_in_words(desk, tmp_path, monkeypatch, depth) -> None:
    """Written by hand: the program itself could not."""
    written = desk.assign({"anna": SECRET}, out=tmp_path / "out")
    share = shares.open_share(written["anna"], SECRET)
    text = b'{"review":' + b"[" * depth + b"]" * depth + b"}"
    monkeypatch.setattr(sealing.json, "dumps", lambda *_a, **_k: text.decode())
    for part, write in (("share", sealing.write_under_passphrase), ("decisions", sealing.write_to_key)):
        path = tmp_path / f"deep.{part}"
        to = SECRET if part == "share" else share.back_to
        write(path, part, {}, {}, to, share.notes)
        with pytest.raises(Problem):
            shares.open_share(path, SECRET) if part == "share" else desk.merge(path)


def hostile_decisions(desk: Desk, folder: Path, monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    written = desk.assign({"anna": SECRET}, out=folder / "out")
    held = hold(monkeypatch, "write_to_key")
    open_and_work(written["anna"])
    _, part, plain, arrays, key, signer = held[-1]
    assert part == "decisions"
    draw, path = random.Random(4), folder / "hostile.decisions"
    entries, before = len(desk.ledger.entries), desk.outcome()
    tally = Tally("decisions")

    def wrong(_: object) -> str:
        """What is not chained (the fingerprint of the plan, a note) may differ; votes may not."""
        return "" if {point for point in desk.outcome().values() if point is not None} <= {True} else "votes"

    for _ in range(count):
        spoiled, other = spoilt(plain, arrays, draw)
        sealing.write_to_key(path, part, spoiled, other, key, signer)
        if draw.random() < 0.15:
            path.write_bytes(mangled(draw, path.read_bytes()))
        tally.case(lambda: desk.merge(path), wrong)
    path.unlink()
    tally.finish(len(list(folder.glob("*hostile*"))))
    assert len(desk.ledger.entries) - entries == tally.accepted
    assert tally.accepted < count / 4
    assert tally.accepted or desk.outcome() == before
    assert desk.merge(written["anna"].with_suffix(".back")).decided == 2


def test_hostile_decisions_are_refused_in_words_and_change_nothing(desk, tmp_path, monkeypatch) -> None:
    hostile_decisions(desk, tmp_path, monkeypatch, QUICK)


@pytest.mark.slow
def test_two_thousand_hostile_decisions(desk, tmp_path, monkeypatch) -> None:
    hostile_decisions(desk, tmp_path, monkeypatch, FULL)


def hostile_tranches(desk: Desk, folder: Path, monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    path = desk.assign({"anna": SECRET}, out=folder / "out", tranche=4)["anna"]
    share = shares.open_share(path, SECRET)
    session = shares.start(path, share)
    for pair in session.order:
        session.decide(6, "", pair)
    desk.merge(shares.return_decisions(session, share, folder / "back"))
    session.ledger.close()
    held = hold(monkeypatch, "write_to_key")
    beside = desk.next_tranche("anna", folder / "out")
    _, part, plain, arrays, key, signer = next(one for one in held if one[1] == "tranche")
    kept = path.read_bytes()
    draw, tally = random.Random(5), Tally("tranche")
    for _ in range(count):
        wrong, other = spoilt(plain, arrays, draw)
        sealing.write_to_key(beside, part, wrong, other, key, signer)
        tally.case(lambda: open_and_work(path))
        path.write_bytes(kept)
        for rest in path.parent.glob("*.2.ledger*"):
            rest.unlink()
    tally.finish(len(list(path.parent.glob(".*"))))
    sealing.write_to_key(beside, part, plain, arrays, key, share.notes)  # not by the manager
    with pytest.raises(Problem):
        shares.open_share(path, SECRET)


def test_hostile_tranches_are_refused_in_words(desk, tmp_path, monkeypatch) -> None:
    hostile_tranches(desk, tmp_path, monkeypatch, QUICK)


@pytest.mark.slow
def test_two_thousand_hostile_tranches(desk, tmp_path, monkeypatch) -> None:
    hostile_tranches(desk, tmp_path, monkeypatch, FULL)


@pytest.mark.parametrize("name", ["plain", "array", "values"])
def test_a_small_file_that_unpacks_to_much_costs_little(desk, tmp_path, monkeypatch, name) -> None:
    held = hold(monkeypatch, "write_under_passphrase")
    desk.assign({"anna": SECRET}, out=tmp_path / "out")
    _, part, plain, arrays, _, signer = held[-1]
    if name == "plain":
        plain = {**plain, "reviewer": [[]] * 7_000_000}
    elif name == "array":
        arrays = {**arrays, "settled": np.zeros((40_000_000, 2), np.int64)}
    else:
        arrays = {**arrays, "v0.text": np.full(60 << 20, 65, np.uint8), "v0.ends": np.arange(1, 1 + (1 << 20))}
    path = tmp_path / "bomb.share"
    sealing.write_under_passphrase(path, part, plain, arrays, SECRET, signer)
    del plain, arrays
    assert path.stat().st_size < 3 << 20
    tracemalloc.start()
    with pytest.raises(Problem):
        shares.open_share(path, SECRET)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < MEMORY


def with_stanzas(path: Path, stanzas: list[age.Stanza]) -> None:
    """A share whose header says something else about the passphrase."""
    first, rest = path.read_bytes().split(b"---", 1)
    path.write_bytes(first.split(b"-> ", 1)[0] + b"".join(map(age._format, stanzas)) + b"---" + rest)


@pytest.mark.parametrize(
    "stanza",
    [
        age.Stanza("scrypt", ("A" * 22, "18"), bytes(32)),
        age.Stanza("scrypt", ("A" * 22, "9" * 4000), bytes(32)),
        age.Stanza(passphrase_seal.STANZA, ("00" * 16, "65537", "3", "4"), bytes(32)),
        age.Stanza(passphrase_seal.STANZA, ("00" * 16, "65536", "11", "4"), bytes(32)),
        age.Stanza(passphrase_seal.STANZA, ("00" * 16, "65536", "3", "9"), bytes(32)),
        age.Stanza(passphrase_seal.STANZA, ("00" * 16, "65536", "3"), bytes(32)),
        age.Stanza(passphrase_seal.STANZA, ("00" * 16, "9" * 4000, "3", "4"), bytes(32)),
        age.Stanza(passphrase_seal.STANZA, ("zz" * 16, "64", "1", "1"), bytes(32)),
        age.Stanza(passphrase_seal.STANZA, ("00" * 16, "64", "1", "1"), bytes(8)),
        age.Stanza(passphrase_seal.STANZA, (), bytes(32)),
    ],
)
def test_a_file_that_asks_for_much_work_is_refused(desk, tmp_path, monkeypatch, stanza) -> None:
    written = desk.assign({"anna": SECRET}, out=tmp_path / "out")["anna"]
    with_stanzas(written, [stanza])
    monkeypatch.setattr(age.Passphrase, "_key", lambda *_: pytest.fail("the work was done"))
    monkeypatch.setattr(passphrase_seal, "stretch", lambda *_: pytest.fail("the work was done"))
    with pytest.raises(Problem):
        shares.open_share(written, SECRET)


def test_a_file_makes_the_program_work_once_whatever_its_header_holds(desk, tmp_path, monkeypatch) -> None:
    written = desk.assign({"anna": SECRET}, out=tmp_path / "out")["anna"]
    cheap = [age.Stanza(passphrase_seal.STANZA, (f"{at:032x}", "65536", "10", "8"), bytes(32)) for at in range(300)]
    with_stanzas(written, cheap)
    real, worked = passphrase_seal.stretch, []
    monkeypatch.setattr(
        passphrase_seal, "stretch", lambda *given: worked.append(given) or real(*given[:2], sealing.COST)
    )
    with pytest.raises(Problem):
        shares.open_share(written, SECRET)
    assert len(worked) == 1


OPENS = """
    import sys
    from pathlib import Path
    from pprl_desktop.problem import Problem
    from pprl_desktop.review import session, share as shares
    from tests.hostility import memory_before, peak_memory
    base = memory_before()
    for path, secret in zip(sys.argv[1::2], sys.argv[2::2]):
        try:
            share = shares.open_share(Path(path), secret)
            session = shares.start(Path(path), share)
            session.reveal(session.view(session.order[0]).cells[0].field, session.order[0])
            session.ledger.close()
        except Problem as problem:
            print("refused", end=" ")
        print(peak_memory() - base)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="peak memory is measured the POSIX way")
def test_a_share_sealed_as_the_program_seals_it_costs_less_than_100_mb(desk, tmp_path, monkeypatch) -> None:
    """Passphrase included: in a process of its own, under the real cost, with the right and with a wrong passphrase."""
    monkeypatch.setattr(sealing, "COST", Cost())
    path = desk.assign({"anna": SECRET}, out=tmp_path / "out")["anna"]
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(OPENS), path, "a wrong passphrase", path, SECRET],
        capture_output=True, text=True, cwd=Path(__file__).parents[2],
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    wrong, right = done.stdout.splitlines()
    assert wrong.startswith("refused")
    assert int(wrong.split()[1]) < MEMORY
    assert 60 << 20 < int(right) < MEMORY  # the passphrase was stretched here


@pytest.mark.parametrize("what", ["pipe", "folder", "missing"])
def test_what_is_not_a_file_is_refused_at_once(tmp_path, what) -> None:
    import os

    path = tmp_path / "x.share"
    if what == "pipe":
        os.mkfifo(path)
    elif what == "folder":
        path.mkdir()
    with pytest.raises(Problem):
        shares.open_share(path, SECRET)


RECURSIVE = (
    "CREATE VIEW {name} AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
    "SELECT i AS number, i AS time, i AS body, i AS hash, i AS seal, i AS path, i AS box FROM n"
)


@pytest.mark.parametrize(
    "statements",
    [
        ("DROP TABLE entries", RECURSIVE.format(name="entries")),
        ("DROP TABLE files", RECURSIVE.format(name="files")),
        ("CREATE TRIGGER t AFTER INSERT ON entries BEGIN DELETE FROM notes; END",),
        ("UPDATE entries SET body = zeroblob(300000000)",),
        ("UPDATE entries SET body = CAST(x'ff' AS TEXT)",),
        ("UPDATE entries SET body = replace(hex(zeroblob(50000)), '0', '[')",),
        ("UPDATE entries SET body = '[]'",),
        ("UPDATE entries SET body = '{}'",),
        ("UPDATE entries SET body = '{\"what\": 5}'",),
        ("UPDATE entries SET time = 5, hash = 7",),
        ("UPDATE entries SET number = number + 2147483648",),
    ],
)
def test_a_hostile_ledger_is_refused_in_words_at_once(tmp_path, statements) -> None:
    """A project names the folder of its review: opening the project reads this ledger, without any passphrase."""
    import sqlite3

    from pprl_desktop.review.ledger import Ledger, files_of, read_entries, verify

    path = tmp_path / "ledger"
    with Ledger.create(path, b"k" * 32, "0" * 64, "anna") as ledger:
        ledger.append({"what": "decide", "who": "anna", "pair": "1", "point": "6"})
    file = sqlite3.connect(path, isolation_level=None)
    for statement in statements:
        file.execute(statement)
    file.close()
    tracemalloc.start()
    for read in (read_entries, verify, lambda p: Ledger(p, b"k" * 32), files_of):
        with contextlib.suppress(Problem):  # the list of files may be read where only the entries are wrong
            found = read(path)
            assert read is files_of or (read is verify and found.problems), "accepted"
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < MEMORY


def test_deleting_a_share_deletes_nothing_that_the_review_did_not_write(desk, tmp_path) -> None:
    """Whoever made the share knows the key of its ledger, and can lay a ledger beside it that names any file."""
    path = desk.assign({"anna": SECRET}, out=tmp_path / "out")["anna"]
    share = shares.open_share(path, SECRET)
    session = shares.start(path, share)
    diary = tmp_path / "diary.txt"
    diary.write_text("mine")
    back = shares.return_decisions(session, share, tmp_path / "back.decisions")
    session.ledger.remember_file(diary)
    session.ledger.close()
    gone = shares.delete(path)
    assert diary.read_text() == "mine"
    assert back in gone
    assert not back.exists()


MINDFIRL = "ID,voter_reg_num,first_name,last_name,dob,sex,race,cntfn,cntln\n"


@pytest.mark.parametrize(
    "text",
    [
        MINDFIRL + f"1,1,ADA,IVERSEN,08/09/1964,F,W,{'9' * 5002},3\n1,1,ADA,IVERSON,08/09/1964,F,W,2,3\n",
        MINDFIRL + "1,1,ADA,IVERSEN,08/09/1964,F,W,²,³\n1,1,ADA,IVERSON,08/09/1964,F,W,2,3\n",
        MINDFIRL + "1,1,ADA\n1,1,ADA,IVERSON,08/09/1964,F,W,2,3\n",
        MINDFIRL,
        "PairID,ID\n1,2\n1,3\n",
        "1,2,3\n",
        "\0\0\0",
        ",".join(str(i) for i in range(18)) + "\n" + ",".join("9" * 5002 for _ in range(18)) + "\n",
        "PairID,PAIRID,ID,first_name\n1,1,2,A\n1,1,3,B\n",
        "x" * 300_000 + "\n1,2\n",
        'ID,first_name\n1,"' + "A" * 200_000 + '"\n1,B\n',
    ],
)
def test_hostile_mindfirl_files_are_refused_in_words_or_read(tmp_path, text) -> None:
    path = tmp_path / "m.csv"
    path.write_text(text, encoding="utf-8")

    def make() -> None:
        Desk.create(tmp_path / "m", mindfirl.read_review(path), WORDS).close()

    outcome(make)


def test_a_count_of_five_thousand_digits_is_refused_in_words(tmp_path) -> None:
    (tmp_path / "f.csv").write_text(f"F,ADA,{'9' * 5002}\n")
    with pytest.raises(Problem, match="Line 1 of the frequency file"):
        mindfirl.read_frequencies(tmp_path / "f.csv")


@pytest.mark.parametrize("length", [1001, 1_000_000])
def test_a_cell_that_would_keep_the_screen_busy_is_refused_before_it_is_drawn(tmp_path, length) -> None:
    path = tmp_path / "m.csv"
    path.write_text(f"{MINDFIRL}1,1,{'A' * length},IVERSEN,08/09/1964,F,W,1,3\n1,1,ADA,IVERSON,08/09/1964,F,W,2,3\n")
    with pytest.raises(Problem, match="too long"):
        mindfirl.read_review(path)


def test_long_cells_are_told_apart_without_being_aligned(monkeypatch) -> None:
    from pprl_desktop.review import masking

    monkeypatch.setattr(masking, "align", lambda *_: pytest.fail("aligned"))
    assert masking.mask("variable", "AB" * 500, "AB" * 499 + "CD").kind == "different"
