"""A cluster of real processes gives what threads give, to the bit, whoever dies on the way."""

from __future__ import annotations

import hashlib
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from pprl_desktop.codes.base import Rule, Smashed
from pprl_desktop.compute import packing
from pprl_desktop.compute.engines import Portable, in_use, using
from pprl_desktop.decisions.adaptive import listed_scan
from pprl_desktop.decisions.base import Match, MatchOptions
from pprl_desktop.matching.engines import cluster
from pprl_desktop.matching.engines.store import Store
from pprl_desktop.matching.match import match
from pprl_desktop.problem import Problem
from pprl_desktop.progress import Cancelled, Progress
from pprl_desktop.records.table import CleanTable
from tests.benchmarks import adaptive_scale
from tests.benchmarks.adaptive_scale import files as adaptive_scale_files
from tests.benchmarks.adaptive_scale import prepared
from tests.matching.engines import grid
from tests.matching.engines.grid import Grid

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="process groups of the POSIX kind")


def digest(made: Match) -> str:
    scored = made.scored
    whole = (scored.own, scored.partner, scored.score, scored.probability, made.band)
    return hashlib.sha256(b"".join(np.ascontiguousarray(part).tobytes() for part in whole)).hexdigest()


@pytest.fixture(scope="module")
def two_workers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Grid]:
    with grid.running(tmp_path_factory.mktemp("grid")) as made:
        yield made


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many blocks on few records, by lists of similar values as with large files."""
    monkeypatch.setattr(listed_scan, "FULL_SCAN", 0.0)
    monkeypatch.setattr(listed_scan, "UNIT_WORK", 1 << 14)


def test_a_cluster_gives_what_threads_give(two_workers: Grid, small_blocks: None) -> None:
    sides = prepared("bloom", 1200)
    here = match(*sides, MatchOptions())
    with cluster.at(two_workers.place) as engine:
        assert engine is not None
        assert in_use() is engine
        there = match(*sides, MatchOptions())
    assert in_use() is None
    assert digest(here) == digest(there)
    assert len(here.accepted()) > 200
    assert not list(two_workers.shared.iterdir()), "nothing stays in the shared folder"


def test_cancel_ends_the_work_and_keeps_finished_blocks(two_workers: Grid, small_blocks: None) -> None:
    sides = prepared("bloom", 1200)
    stop = threading.Event()

    def seen(fraction: float, what: object) -> None:
        if "similar records" in str(what) and fraction > 0.3:
            stop.set()

    with cluster.at(two_workers.place) as engine:
        assert engine is not None
        with pytest.raises(Cancelled):
            match(*sides, MatchOptions(), Progress(seen, stop.is_set))
        assert stop.is_set()
        done = list((two_workers.shared / "pprl-desktop-blocks" / "done").iterdir())
        assert done


@pytest.mark.parametrize("engine", ["dask:tcp://127.0.0.1:8786", "dask:127.0.0.1:8786", "dask:tls://host", "spark"])
def test_only_tls_addresses_are_engines(engine: str, tmp_path: Path) -> None:
    with pytest.raises(Problem, match="not an engine"):
        cluster.place(engine, tmp_path, tmp_path, tmp_path, tmp_path)


def test_a_cluster_needs_certificates_and_a_folder(tmp_path: Path) -> None:
    with pytest.raises(Problem, match="--tls-ca"):
        cluster.place("dask:tls://localhost:8786", None, None, None, tmp_path)
    ca, certificate, key = grid.certificates(tmp_path / "tls")
    with pytest.raises(Problem, match="folder that the workers share"):
        cluster.place("dask:tls://localhost:8786", ca, certificate, key, tmp_path / "absent")
    assert cluster.place("threads", None, None, None, None) is None


def test_nobody_there_is_a_sentence(tmp_path: Path) -> None:
    nobody = Grid(tmp_path)
    with pytest.raises(Problem, match="does not answer"), cluster.at(nobody.place):
        pytest.fail("connected to nobody")


def test_a_stranger_without_the_certificate_is_not_let_in(two_workers: Grid, tmp_path: Path) -> None:
    stranger = Grid(tmp_path)
    stranger.port = two_workers.port
    with pytest.raises(Problem, match="does not answer"), cluster.at(stranger.place):
        pytest.fail("let in with another authority's certificate")


@pytest.mark.slow
def test_a_plain_connection_is_not_let_in(two_workers: Grid) -> None:
    from distributed import Client

    with pytest.raises((OSError, TimeoutError)):
        Client(f"tcp://{grid.HOST}:{two_workers.port}", timeout=5, set_as_default=False)


@pytest.mark.slow
def test_a_killed_worker_changes_nothing(tmp_path: Path, small_blocks: None) -> None:
    sides = prepared("split", 3000)
    here = match(*sides, MatchOptions())
    with grid.running(tmp_path) as made, cluster.at(made.place):
        killed = threading.Event()

        def seen(fraction: float, what: object) -> None:
            if "similar records" in str(what) and not killed.is_set():
                os.killpg(made.workers[0].pid, signal.SIGKILL)
                killed.set()

        there = match(*sides, MatchOptions(), Progress(seen))
        assert killed.is_set()
    assert digest(here) == digest(there)


@pytest.mark.slow
def test_a_dead_scheduler_is_waited_for_and_finished_blocks_are_not_done_again(
    tmp_path: Path, small_blocks: None
) -> None:
    sides = prepared("split", 3000)
    here = match(*sides, MatchOptions())
    with grid.running(tmp_path) as made, cluster.at(made.place):
        waited: list[str] = []
        killed = threading.Event()

        def revive() -> None:
            time.sleep(3)
            made.start_scheduler()
            for _ in range(2):
                made.start_worker()

        def seen(fraction: float, what: object) -> None:
            if "similar records" in str(what) and not killed.is_set():
                killed.set()
                assert made.scheduler is not None
                os.killpg(made.scheduler.pid, signal.SIGKILL)
                made.scheduler.wait()
                for worker in made.workers:
                    os.killpg(worker.pid, signal.SIGKILL)
                threading.Thread(target=revive, daemon=True).start()
            if "waiting for it" in str(what):
                waited.append(str(what))

        there = match(*sides, MatchOptions(), Progress(seen))
        assert killed.is_set()
        assert waited
    assert digest(here) == digest(there)


@pytest.mark.slow
def test_a_worker_of_another_version_is_refused(tmp_path: Path) -> None:
    old = tmp_path / "old" / "sitecustomize.py"
    old.parent.mkdir()
    old.write_text("import pprl_desktop\npprl_desktop.__version__ = '0.0.1'\n")
    made = Grid(tmp_path)
    try:
        made.start_scheduler()
        made.start_worker(environment={"PYTHONPATH": f"{old.parent}:{grid.REPOSITORY}"})
        made.wait_for(1)
        with pytest.raises(Problem, match=r"runs version 0\.0\.1"), cluster.at(made.place):
            pytest.fail("an older worker was taken")
    finally:
        made.stop()


@pytest.mark.slow
def test_workers_of_one_gigabyte_are_enough(tmp_path: Path, small_blocks: None) -> None:
    import psutil

    def processes(made: Grid) -> set[int]:
        return {child.pid for worker in made.workers for child in psutil.Process(worker.pid).children(recursive=True)}

    sides = prepared("split", 6000)
    here = match(*sides, MatchOptions())
    made = Grid(tmp_path)
    try:
        made.start_scheduler()
        for _ in range(2):
            made.start_worker("--nanny", "--memory-limit", "1GB")
        made.wait_for(2)
        before = processes(made)
        with cluster.at(made.place):
            there = match(*sides, MatchOptions())
        assert before <= processes(made), "a worker was ended for its memory and started again"
        most = max(psutil.Process(pid).memory_info().rss for pid in before)
    finally:
        made.stop()
    assert digest(here) == digest(there)
    assert most < 1e9


PLANTED = "QUISENBERRYOWEN"


def with_planted_surname(rows: int) -> tuple[CleanTable, CleanTable]:
    made = []
    for table in adaptive_scale_files(rows):
        columns = []
        for column in table.columns:
            values = column.values.copy()
            if column.name == "last_name":
                values[column.codes[:5]] = PLANTED
            columns.append(replace(column, values=values))
        made.append(replace(table, columns=tuple(columns)))
    return made[0], made[1]


def test_no_surname_reaches_the_shared_folder(
    tmp_path: Path, small_blocks: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Everything a match hands to an engine is packed here as for a cluster, and searched."""
    monkeypatch.setattr(adaptive_scale, "files", with_planted_surname)
    assert any(PLANTED in set(column.values) for column in with_planted_surname(600)[0].columns)
    store = Store(tmp_path)
    store.prepare()
    stages: set[str] = set()

    class Looking:
        name = "a folder to look into"

        def run(self, work: Portable, blocks, progress, what) -> Iterator:  # type: ignore[no-untyped-def, type-arg]
            stages.add(type(work).__name__)
            again = store.get_work(store.put_work(work))
            for place, block in enumerate(packing.loads(packing.dumps(list(blocks)))):
                done = again(block)
                store.put_done(f"{what}-{place}".replace(" ", "-"), b"k" * 32, done)
                yield done

    for method in ("split", "bloom"):
        sides: tuple[Smashed, Smashed, Rule] = prepared(method, 600)
        with using(Looking()):
            match(*sides, MatchOptions())
    assert {"_Near", "_Comparing"} <= stages
    assert list((store.folder / "arrays").iterdir())
    written = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert not [data for data in written if PLANTED.encode() in data.upper()]
