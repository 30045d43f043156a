"""Power cuts and full disks while a result or cells in clear leave: counted once, whole or not there, told rightly."""

from __future__ import annotations

import random
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from pprl_desktop import files
from pprl_desktop.exchange import clear_cells, inbox, results, seal
from pprl_desktop.exchange.home import Home
from pprl_desktop.exchange.signatory import Signatory
from pprl_desktop.problem import Problem
from tests.review.test_partner import THERE, matched, review_offer

from .conftest import PASSPHRASE, Party, everything
from .test_clear_cells import scene
from .test_power import small_disk

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="mounts, signals and limits of POSIX")

WORKER = """
    import sys
    from pathlib import Path
    from pprl_desktop.exchange import clear_cells, results
    from pprl_desktop.exchange.home import Home
    from pprl_desktop.exchange.signatory import Signatory
    from tests.exchange.conftest import PASSPHRASE
    from tests.review.test_partner import THERE
    home = Home(Path(sys.argv[1]))
    signatory = Signatory(home, home.unlock(PASSPHRASE), home.agreement().id)
    shown = clear_cells.would_leave(signatory, THERE)
    print("ready", flush=True)
    if sys.argv[3] == "answer":
        clear_cells.answer(signatory, THERE, Path(sys.argv[2]), shown)
    else:
        results.export(signatory, Path(sys.argv[2]))
    print("done", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def asked(tmp_path: Path) -> tuple[Party, Party]:
    """B was asked for cells and has not answered."""
    a, b = scene(tmp_path, review_offer())
    matched(a, b)
    clear_cells.ask(a.signed(), tmp_path / "ask.pprl")
    inbox.open_file(b.home, b.own, tmp_path / "ask.pprl")
    return a, b


def finish(b: Party, home: Home, what: str, out: Path) -> None:
    agreement = home.agreement()
    if what == "answer":
        shown = clear_cells.would_leave(Signatory(home, b.own, agreement.id), THERE)
        clear_cells.answer(Signatory(home, b.own, agreement.id), THERE, out, shown)
    else:
        results.export(Signatory(home, b.own, agreement.id), out)


def check(a: Party, b: Party, home: Home, what: str, out: Path) -> None:
    """After whatever happened: the record is whole, every sent file is in it, and a file that is there is whole."""
    ledger = home.ledger()
    assert ledger.verify().whole
    kind = "clear cells" if what == "answer" else "result"
    entered = [one for one in ledger.disclosures() if one.what == kind and not one.received]
    sent = [item for item in home.agreement().sent if item.kind in ("result", "review")]
    assert len(sent) <= len(entered) <= 1  # counted before its file, and once
    if out.exists():
        seal.open_sealed(out, [a.own.keys], [b.own.keys.public().sign]).check()
        assert len(sent) == 1


def cut(asked: tuple[Party, Party], folder: Path, what: str, times: int) -> None:
    a, b = asked
    draw, confirmed = random.Random(7), 0
    for turn in range(times):
        home, out = Home(folder / f"home {turn}"), folder / f"{turn}.pprl"
        shutil.copytree(b.home.path, home.path)
        running = subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(WORKER), str(home.path), str(out), what],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=Path(__file__).parents[2],
        )  # fmt: skip
        assert running.stdout is not None
        assert running.stdin is not None
        assert running.stdout.readline() == b"ready\n"
        time.sleep(draw.random() * 0.25)
        running.send_signal(signal.SIGKILL)
        confirmed += b"done" in running.stdout.read()
        running.wait()
        running.stdout.close()
        running.stdin.close()
        home.unlock(PASSPHRASE)
        check(a, b, home, what, out)
        finish(b, home, what, out)
        check(a, b, home, what, out)
        received = Home(folder / f"partner {turn}")
        shutil.copytree(a.home.path, received.path)
        inbox.open_file(received, a.own, out)
        assert not [path for path in (*folder.glob(".*.part"), *home.path.rglob("*.part")) if "record" in path.name]
        for place in (home.path, received.path):
            shutil.rmtree(place)
        out.unlink()
    print(f"KILLED {what}: {times} times, {confirmed} of them after the end")


@pytest.mark.parametrize("what", ["answer", "result"])
def test_a_power_cut_counts_once_and_leaves_a_whole_file_or_none(asked, tmp_path, what) -> None:
    cut(asked, tmp_path, what, 2)


@pytest.mark.slow
@pytest.mark.parametrize("what", ["answer", "result"])
def test_many_power_cuts_count_once(asked, tmp_path, what) -> None:
    cut(asked, tmp_path, what, 40)


def fill(disk: Path, leave: int) -> Path:
    """A file that takes all but `leave` bytes of the disk."""
    filler = disk / "filler"
    with open(filler, "wb") as out:
        out.write(bytes(max(0, shutil.disk_usage(disk).free - leave)))
    return filler


@pytest.mark.parametrize("what", ["answer", "result", "entry"])
def test_on_a_full_disk_nothing_half_leaves_and_the_sentence_is_right(asked, tmp_path, monkeypatch, what) -> None:
    """From no room at all to enough, in small steps: wherever the disk runs full, the next try finds the truth."""
    a, b = asked
    monkeypatch.setattr(files, "need_space", lambda *_: None)
    acts: dict[str, Callable[[Home, Path], object]] = {
        "answer": lambda home, out: finish(b, home, "answer", out),
        "result": lambda home, out: finish(b, home, "result", out),
        "entry": lambda home, out: home.ledger().set_limit("clear records", 50),
    }
    failed = 0
    with small_disk(tmp_path, 4) as disk:
        for leave in range(0, 220_000, 20_000):
            home, out = Home(disk / "home"), disk / "out.pprl"
            shutil.copytree(b.home.path, home.path)
            entries = home.ledger().verify().events
            filler = fill(disk, leave)
            said = ""
            try:
                acts[what](home, out)
            except Problem as problem:
                said = str(problem.sentence())
            assert not said or (said.startswith("The disk is full.") and "backup" not in said)
            failed += bool(said)
            filler.unlink()
            found = home.ledger().verify()
            assert found.whole
            assert found.events >= entries
            if what != "entry":
                check(a, b, home, what, out)
                finish(b, home, what, out)
                check(a, b, home, what, out)
            assert not [name for name in everything(home.path) if name.endswith(".part")]
            shutil.rmtree(home.path)
            out.unlink(missing_ok=True)
    assert failed
