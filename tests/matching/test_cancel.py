"""Cancel stops every stage of every method: counted in looks and blocks, never by the clock.

How long it takes in seconds is measured by tests/benchmarks/cancel.py.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any

import numpy as np
import pytest

from pprl_desktop.codes.base import method
from pprl_desktop.compute import assignment
from pprl_desktop.compute.attended import THREAD
from pprl_desktop.compute.threads import threads_of
from pprl_desktop.decisions.adaptive import listed_scan
from pprl_desktop.decisions.base import MatchOptions
from pprl_desktop.decisions.learn import learn
from pprl_desktop.evaluation.play import play
from pprl_desktop.evaluation.synthetic import forecast
from pprl_desktop.evaluation.tables import Contest, Truth, compare, sweep
from pprl_desktop.progress import Cancelled, Progress
from pprl_desktop.records.table import CleanTable
from tests.matching.cases import CASES, Run, prepared
from tests.matching.people import two_files

SOON = 60.0  # s: a thread that has not ended by then never will
PLACES = 2  # random points per stage
WHOLE = ("bloom record", "dp-nn", "split noise")
ASKER = 0.2  # s of processor time between two looks: the asking thread only listens and uses next to none

Work = Callable[[Progress], Any]


class Listener:
    """Presses Cancel at a given look, counted from 1; 0: never."""

    def __init__(self, at: int = 0) -> None:
        self.asked, self._at = 0, at
        self.pressed = threading.Event()

    def __call__(self) -> bool:
        self.asked += 1
        if self._at and self.asked >= self._at:
            self.pressed.set()
        return self.pressed.is_set()


@cache
def files() -> tuple[Any, Any]:
    left, right, _ = two_files(4, 150, 70)
    return tuple(CleanTable(side.fields[:2], side.columns[:2]) for side in (left, right))  # type: ignore[return-value]


@cache
def run_of(case: str) -> Run:
    return prepared(case, *files())


def stages(case: str) -> dict[str, Work]:
    run, (left, right) = run_of(case), files()
    made, options = method(run.recipe.method), MatchOptions()
    found: dict[str, Work] = {
        "smash": lambda progress: made.smash(left, run.recipe, progress),
        "learn": lambda progress: learn(left, run.own, run.recipe, 0, progress),
        "match": lambda progress: run.match(options, progress),
    }
    if case in WHOLE:  # both parties in one stage: made of the same pieces for every method
        found["play"] = lambda progress: play(left, right, run.recipe, options, progress=progress)
        found["forecast"] = lambda progress: forecast(left, run.recipe, most=80, progress=progress)
    return found


@pytest.mark.parametrize("case", CASES)
def test_every_stage_stops_at_the_look_that_is_told_so_and_hardly_begins_another_block(
    case: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    random = np.random.default_rng(0)
    submit = ThreadPoolExecutor.submit
    for name, work in stages(case).items():
        whole = Listener()
        work(Progress(None, whole, attended=True))
        for at in random.integers(1, whole.asked + 1, PLACES if whole.asked else 0).tolist():
            listener, late = Listener(at), []

            def counted(pool: Any, job: Any, *args: Any, listener: Any = listener, late: Any = late) -> Any:
                def begin(*args: Any) -> Any:
                    if listener.pressed.is_set():
                        late.append(1)
                    return job(*args)

                return submit(pool, begin, *args)

            monkeypatch.setattr(ThreadPoolExecutor, "submit", counted)
            try:
                work(Progress(None, listener, attended=True))
                stopped = False
            except Cancelled:
                stopped = True
            monkeypatch.setattr(ThreadPoolExecutor, "submit", submit)
            # while blocks are waited for, looks depend on the clock: a run may end before the look is reached
            assert stopped == listener.pressed.is_set(), name
            # blocks that were handed out already
            assert len(late) <= 2 * threads_of(0) + 2, name
            assert not [thread for thread in threading.enumerate() if thread.name.startswith(THREAD)], name


@pytest.mark.parametrize("case", ["bloom field", "split"])
def test_large_files_stop_as_well(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listed_scan, "FULL_SCAN", 0.0)
    run, whole = run_of(case), Listener()
    run.match(MatchOptions(), Progress(None, whole, attended=True))
    assert whole.asked > 20
    for at in range(1, 20, 3):
        listener = Listener(at)
        with pytest.raises(Cancelled):
            run.match(MatchOptions(), Progress(None, listener, attended=True))


@pytest.mark.parametrize("case", CASES)
def test_nothing_begins_once_cancel_was_pressed_and_the_threads_end(case: str) -> None:
    for work in stages(case).values():
        with pytest.raises(Cancelled):
            work(Progress(None, lambda: True))
    for name in {"match", "forecast"} & set(stages(case)):
        pressed = threading.Event()

        def report(done: float, what: str, pressed: threading.Event = pressed) -> None:
            pressed.set()  # at the first sign of life

        with pytest.raises(Cancelled):
            stages(case)[name](Progress(report, pressed.is_set))
    for thread in threading.enumerate():
        if thread.name.startswith(THREAD):
            thread.join(SOON)
            assert not thread.is_alive()


def test_a_sweep_and_a_comparison_stop_as_well() -> None:
    left, right = files()
    contest = Contest(left, right, Truth(np.zeros((0, 2), np.int64)), MatchOptions())
    recipes = [run_of(case).recipe for case in ("bloom record", "plain")]
    for work in (
        lambda progress: sweep(contest, run_of("simhash record noise").recipe, (1.0, 2.0), progress),
        lambda progress: compare(contest, recipes, progress),
    ):
        listener = Listener(20)
        with pytest.raises(Cancelled):
            work(Progress(None, listener, attended=True))
        assert listener.asked == 20


@pytest.mark.parametrize("case", ["bloom record", "split-svm", "split"])
def test_the_asking_thread_only_listens(case: str) -> None:
    longest, last = 0.0, time.thread_time()

    def cancelled() -> bool:
        nonlocal longest, last
        now = time.thread_time()
        longest, last = max(longest, now - last), now
        return False

    for work in stages(case).values():
        last = time.thread_time()
        work(Progress(lambda done, what: None, cancelled))
    assert longest < ASKER


def tangle(rows: int, each: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """One large component in which rows fight for columns."""
    random = np.random.default_rng(0)
    key = np.unique(random.integers(0, rows * rows, rows * each))
    return (key // rows).astype(np.int32), (key % rows).astype(np.int32), random.random(len(key)) + 0.1


def test_the_assignment_of_one_huge_component_looks_again_and_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(assignment, "DENSE_LIMIT", 0)
    monkeypatch.setattr(assignment, "AT_ONCE", 30_000)
    listener = Listener()
    assignment.assign(*tangle(1000, 30), Progress(None, listener, attended=True))
    assert listener.asked > 10
    with pytest.raises(Cancelled):
        assignment.assign(*tangle(1000, 30), Progress(None, Listener(10), attended=True))
