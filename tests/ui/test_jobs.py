"""Long work: one worker thread, progress, cancel within 0.2 s, and a window that never waits."""

from __future__ import annotations

import gc
import threading
import time
from collections.abc import Iterator

import pytest

from pprl_desktop.problem import Problem
from pprl_desktop.progress import Progress
from pprl_desktop.ui.jobs import Job, Jobs


@pytest.fixture
def jobs(qtbot) -> Iterator[Jobs]:  # type: ignore[no-untyped-def]
    made = Jobs()
    yield made
    made.close()


def slow(progress: Progress, seconds: float = 20.0) -> str:
    start = time.monotonic()
    while (spent := time.monotonic() - start) < seconds:
        progress.at(spent / seconds, "Counting")
        time.sleep(0.01)
    return "counted"


def test_the_result_arrives_on_the_windows_thread(jobs: Jobs, qtbot) -> None:  # type: ignore[no-untyped-def]
    got: list[tuple[object, bool]] = []
    here = threading.get_ident()
    work_thread: list[int] = []

    def work(_progress: Progress) -> int:
        work_thread.append(threading.get_ident())
        return 42

    jobs.start(Job("Work", work, done=lambda result: got.append((result, threading.get_ident() == here))))
    qtbot.waitUntil(lambda: bool(got), timeout=3000)
    assert got == [(42, True)]
    assert work_thread != [here]


def test_cancel_takes_less_than_a_fifth_of_a_second(jobs: Jobs, qtbot) -> None:  # type: ignore[no-untyped-def]
    ended: list[str] = []
    jobs.ended.connect(lambda _job, end: ended.append(end))
    job = jobs.start(Job("Work", slow))
    qtbot.waitUntil(lambda: job.fraction > 0, timeout=3000)
    start = time.monotonic()
    jobs.cancel(job)
    assert jobs.busy() is None
    qtbot.waitUntil(lambda: bool(ended), timeout=3000)
    assert time.monotonic() - start < 0.2
    assert ended == ["cancelled"]


def test_a_problem_of_the_core_reaches_whoever_started_the_work(jobs: Jobs, qtbot) -> None:  # type: ignore[no-untyped-def]
    seen: list[Problem] = []

    def work(_progress: Progress) -> None:
        raise Problem("It is empty.", "There is nothing in it.", "Choose another.")

    jobs.start(Job("Work", work, problem=seen.append))
    qtbot.waitUntil(lambda: bool(seen), timeout=3000)
    assert seen == [Problem("It is empty.", "There is nothing in it.", "Choose another.")]


def test_a_fault_names_its_kind_and_no_value(jobs: Jobs, qtbot) -> None:  # type: ignore[no-untyped-def]
    seen: list[Problem] = []

    def work(_progress: Progress) -> None:
        raise KeyError("MUELLER")

    jobs.start(Job("Work", work, problem=seen.append))
    qtbot.waitUntil(lambda: bool(seen), timeout=3000)
    assert "KeyError" in seen[0].sentence()
    assert "MUELLER" not in seen[0].sentence()


def test_starting_the_same_work_again_replaces_it(jobs: Jobs, qtbot) -> None:  # type: ignore[no-untyped-def]
    got: list[str] = []
    jobs.start(Job("Forecast", slow, key="forecast", quiet=True, done=lambda _r: got.append("old")))
    qtbot.wait(60)
    jobs.start(Job("Forecast", lambda _p: 1, key="forecast", quiet=True, done=lambda _r: got.append("new")))
    qtbot.waitUntil(lambda: bool(got), timeout=3000)
    assert got == ["new"]


def test_quiet_work_gives_way_to_what_the_steward_starts(jobs: Jobs, qtbot) -> None:  # type: ignore[no-untyped-def]
    got: list[str] = []
    jobs.start(Job("Forecast", slow, key="forecast", quiet=True))
    qtbot.wait(60)
    jobs.start(Job("Export", lambda _p: 1, key="export", done=lambda _r: got.append("export")))
    qtbot.waitUntil(lambda: bool(got), timeout=1000)


def test_garbage_is_collected_on_the_windows_thread_only(jobs: Jobs, qtbot) -> None:  # type: ignore[no-untyped-def]
    threads: set[int] = set()

    def note(phase: str, _info: dict[str, int]) -> None:
        threads.add(threading.get_ident())

    gc.callbacks.append(note)
    try:
        done: list[object] = []

        def litter(progress: Progress) -> int:
            for i in range(200_000):
                cycle: list[object] = []
                cycle.append(cycle)
                if i % 1000 == 0:
                    progress.at(i / 200_000)
            return 1

        jobs.start(Job("Litter", litter, done=done.append))
        qtbot.waitUntil(lambda: bool(done), timeout=10_000)
        qtbot.wait(300)
    finally:
        gc.callbacks.remove(note)
    assert threads == {threading.get_ident()}


def test_the_bar_shows_progress_and_cancel_is_seen_at_once(window, qtbot) -> None:  # type: ignore[no-untyped-def]
    bar = window.job_bar
    window.desk.jobs.start(Job("Counting", slow))
    qtbot.waitUntil(bar.isVisible, timeout=3000)
    qtbot.waitUntil(lambda: bar.bar.value() > 0, timeout=3000)
    assert bar.title.text() == "Counting"
    start = time.monotonic()
    bar.cancel.click()
    assert not bar.cancel.isEnabled()
    qtbot.waitUntil(lambda: not bar.isVisible(), timeout=3000)
    assert time.monotonic() - start < 0.2
