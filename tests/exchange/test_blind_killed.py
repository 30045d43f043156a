"""Killed at any moment, question, answer and result leave nothing or go on to the same bytes; secrets are gone."""

from __future__ import annotations

import hashlib
import os
import random
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import numpy as np
import pytest

from pprl_desktop.blind import answer as answering
from pprl_desktop.blind import group
from pprl_desktop.exchange import blind_kept, letters, seal
from pprl_desktop.problem import Problem
from tests.exchange.blinded import Two, agree, introduced

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals and /proc of POSIX")

# one step of the job in a process of its own, on the homes of a folder
STEP = """
    import sys
    from pathlib import Path
    from pprl_desktop.exchange.home import Home
    from tests.exchange.blinded import Two, tables
    from tests.exchange.conftest import PASSPHRASE, Party
    folder, step = Path(sys.argv[1]), sys.argv[2]
    parties = [Party(home, home.unlock(PASSPHRASE)) for home in (Home(folder / "a"), Home(folder / "b"))]
    two = Two(*parties, folder, *tables())
    print("ready", flush=True)
    {"ask": lambda: two.ask(), "answer": lambda: two.answer(), "result": lambda: two.result()}[step]()
    print("done", flush=True)
"""


def killed(folder: Path, step: str, wait: float) -> bool:
    """Runs a step and kills it some time after it has begun; whether it was done before."""
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(STEP), str(folder), step], stdout=subprocess.PIPE, text=True,
        cwd=Path(__file__).parents[2], env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    time.sleep(wait)
    process.send_signal(signal.SIGKILL)
    rest = process.stdout.read()
    process.stdout.close()
    process.wait()
    return "done" in rest


@pytest.fixture(scope="module")
def agreed(tmp_path_factory: pytest.TempPathFactory) -> Two:
    return agree(introduced(tmp_path_factory.mktemp("killed") / "scene"))


def go_on(two: Two, step: str, out: Path) -> None:
    """After a kill: no half file at the target; what was written is whole; the next try ends with one file for all."""
    before = out.read_bytes() if out.exists() else None
    {"ask": two.ask, "answer": two.answer, "result": two.result}[step]()
    first = out.read_bytes()
    assert before in (None, first)
    {"ask": two.ask, "answer": two.answer, "result": two.result}[step]()
    assert out.read_bytes() == first
    assert not list(two.folder.rglob(".*.part"))


def journey(two: Two, waits: dict[str, float]) -> None:
    killed(two.folder, "ask", waits["ask"])
    go_on(two, "ask", two.folder / "question-a.pprl")
    two.open("b", two.folder / "question-a.pprl")
    killed(two.folder, "answer", waits["answer"])
    go_on(two, "answer", two.folder / "answer-b.pprl")
    two.open("a", two.folder / "answer-b.pprl")
    two.match()
    killed(two.folder, "result", waits["result"])
    go_on(two, "result", two.folder / "result-a.pprl")
    two.open("b", two.folder / "result-a.pprl")
    assert sorted(two.job("a").outcome().links) == sorted(two.job("b").outcome().links)
    for home, what in ((two.a.home, "question"), (two.b.home, "answer")):
        assert len([one for one in home.ledger().disclosures() if one.what == what]) == 1


def test_a_kill_at_any_point_goes_on_to_the_same_files(agreed: Two, tmp_path: Path) -> None:
    journey(agreed.moved(tmp_path / "scene"), {"ask": 0.15, "answer": 0.4, "result": 0.02})


@pytest.mark.slow
@pytest.mark.parametrize("number", range(25))
def test_kills_at_many_points_go_on_to_the_same_files(agreed: Two, tmp_path: Path, number: int) -> None:
    draw = random.Random(400 + number)
    waits = {"ask": 2 * draw.random(), "answer": 3 * draw.random(), "result": 0.3 * draw.random()}
    journey(agreed.moved(tmp_path / "scene"), waits)


# ---- secrets


Trace = tuple[int, bytes]  # of a secret: its first four bytes and its hash, so that the search does not hold it itself


def trace(secret: np.ndarray) -> Trace:
    return int(secret[:4].copy().view("<u4")[0]), hashlib.sha256(secret.tobytes()).digest()


def memory_holds(*traces: Trace) -> list[bool]:
    """Whether this process holds any of these secrets of 32 bytes in memory that it can write to."""
    found = [False] * len(traces)
    with open("/proc/self/maps") as maps, open("/proc/self/mem", "rb", 0) as memory:
        for line in maps:
            span, rights = line.split()[:2]
            start, end = (int(part, 16) for part in span.split("-"))
            if not rights.startswith("rw") or "[v" in line:
                continue
            for at in range(start, end, 1 << 22):
                try:
                    memory.seek(at)
                    data = memory.read(min((1 << 22) + 32, end - at))
                except (OSError, ValueError):
                    continue
                for place, one in enumerate(traces):
                    found[place] = found[place] or _in(data, *one)
    return found


def _in(data: bytes, first: int, digest: bytes) -> bool:
    for shift in range(4):
        words = np.frombuffer(data, "<u4", count=(len(data) - shift) // 4, offset=shift)
        for place in np.flatnonzero(words == first).tolist():
            some = data[shift + 4 * place : shift + 4 * place + 32]
            if hashlib.sha256(some).digest() == digest:
                return True
    return False


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="reads the memory of this process")
def test_scalars_and_seed_are_gone_from_memory_and_disk_after_the_answer(
    agreed: Two, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    two = agreed.moved(tmp_path / "scene")
    two.open("b", two.ask())
    kept: list[Trace] = []
    random_seed, answered = group.random_seed, answering._answered

    def seeds(count: int = 32) -> np.ndarray:
        made = random_seed(count)
        kept.append(trace(made))
        return made

    def scalars(*args: object) -> object:
        kept.extend(trace(one) for one in args[5][:3])  # type: ignore[index]
        return answered(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(group, "random_seed", seeds)
    monkeypatch.setattr(answering, "_answered", scalars)
    two.answer()
    assert len(kept) == 4
    held = random_seed()
    assert memory_holds(trace(held)) == [True]  # the search finds what is there
    assert memory_holds(*kept) == [False] * len(kept)
    everything = b"".join(_readable(two, path) for path in tmp_path.rglob("*") if path.is_file())
    assert [_in(everything, *one) for one in kept] == [False] * len(kept)


def _readable(two: Two, path: Path) -> bytes:
    """A file as it lies there, and what the answerer's own key opens of it."""
    data = path.read_bytes()
    try:
        inner = seal.open_bytes(data, two.b.own.all_keys)
    except Problem:
        inner = b""
    try:
        arrays = b"".join(one.tobytes() for one in letters.open_own(two.b.own, path).load().values())
    except Problem:
        arrays = b""
    return data + inner + arrays


def test_the_seed_of_the_blinds_is_sealed_and_destroyed_with_the_result(agreed: Two, tmp_path: Path) -> None:
    two = agreed.moved(tmp_path / "scene")
    two.open("b", two.ask())
    path = blind_kept.seed_path(two.a.home, two.job("a").agreement)
    assert path.stat().st_mode & 0o077 == 0
    with pytest.raises(Problem):
        seal.open_bytes(path.read_bytes(), two.b.own.all_keys)
    seed = seal.open_bytes(path.read_bytes(), two.a.own.all_keys)[:32]
    two.open("a", two.answer())
    two.match()
    two.result()
    assert not path.exists()
    for one in tmp_path.rglob("*"):
        if one.is_file():
            assert seed not in _readable(Two(two.b, two.a, two.folder, two.table_a, two.table_b), one)
