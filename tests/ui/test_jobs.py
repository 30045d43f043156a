"""Long work: one worker thread, progress, cancel at the next look, and litter that never takes long."""

from __future__ import annotations

import gc
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent

from pprl_desktop.problem import Problem
from pprl_desktop.progress import Progress
from pprl_desktop.ui.kit import garbage
from pprl_desktop.ui.kit.jobs import Job, Jobs


@pytest.fixture
def jobs(qtbot) -> Iterator[Jobs]:  # type: ignore[no-untyped-def]
    made = Jobs()
    yield made
    made.close()


def slow(progress: Progress, seconds: float = 1000.0) -> str:
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
    qtbot.waitUntil(lambda: bool(got))
    assert got == [(42, True)]
    assert work_thread != [here]


def test_work_is_over_only_when_its_result_is_on_the_page(jobs: Jobs, qtbot) -> None:  # type: ignore[no-untyped-def]
    shown: list[int] = []
    worked = threading.Event()

    def work(progress: Progress) -> int:
        worked.set()
        return 7

    jobs.start(Job("a title", work, done=shown.append))
    assert worked.wait(10)
    time.sleep(0.2)  # the worker has ended; nothing was delivered, since this thread has not looked
    assert jobs.busy() is not None
    assert not jobs.idle()
    assert not shown
    qtbot.waitUntil(lambda: jobs.busy() is None)
    assert shown == [7]
    assert jobs.idle()


def test_cancel_is_seen_at_the_next_look(jobs: Jobs, qtbot) -> None:  # type: ignore[no-untyped-def]
    ended: list[str] = []
    looks: list[bool] = []
    jobs.ended.connect(lambda _job, end: ended.append(end))

    def work(progress: Progress) -> None:
        while True:
            looks.append(job.stop.is_set())
            progress.at(0.5, "Counting")
            time.sleep(0.01)

    job = Job("Work", work)  # named before it is started: work looks at it at once
    jobs.start(job)
    qtbot.waitUntil(lambda: job.fraction > 0)
    jobs.cancel(job)
    assert jobs.busy() is None
    qtbot.waitUntil(lambda: bool(ended))
    assert ended == ["cancelled"]
    assert sum(looks) <= 1


def test_a_problem_of_the_core_reaches_whoever_started_the_work(jobs: Jobs, qtbot) -> None:  # type: ignore[no-untyped-def]
    seen: list[Problem] = []

    def work(_progress: Progress) -> None:
        raise Problem("It is empty.", "There is nothing in it.", "Choose another.")

    jobs.start(Job("Work", work, problem=seen.append))
    qtbot.waitUntil(lambda: bool(seen))
    assert seen == [Problem("It is empty.", "There is nothing in it.", "Choose another.")]


def test_a_fault_names_its_kind_and_no_value(jobs: Jobs, qtbot) -> None:  # type: ignore[no-untyped-def]
    seen: list[Problem] = []

    def work(_progress: Progress) -> None:
        raise KeyError("MUELLER")

    jobs.start(Job("Work", work, problem=seen.append))
    qtbot.waitUntil(lambda: bool(seen))
    assert "KeyError" in str(seen[0].sentence())
    assert "MUELLER" not in str(seen[0].sentence())


def test_starting_the_same_work_again_replaces_it(jobs: Jobs, qtbot) -> None:  # type: ignore[no-untyped-def]
    got: list[str] = []
    jobs.start(Job("Forecast", slow, key="forecast", quiet=True, done=lambda _r: got.append("old")))
    qtbot.wait(60)
    jobs.start(Job("Forecast", lambda _p: 1, key="forecast", quiet=True, done=lambda _r: got.append("new")))
    qtbot.waitUntil(lambda: bool(got))
    assert got == ["new"]


def test_quiet_work_gives_way_to_what_the_steward_starts(jobs: Jobs, qtbot) -> None:  # type: ignore[no-untyped-def]
    got: list[str] = []
    jobs.start(Job("Forecast", slow, key="forecast", quiet=True))
    qtbot.wait(60)
    jobs.start(Job("Export", lambda _p: 1, key="export", done=lambda _r: got.append("export")))
    qtbot.waitUntil(lambda: bool(got))


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
        qtbot.waitUntil(lambda: bool(done))
        qtbot.wait(300)
    finally:
        gc.callbacks.remove(note)
    assert threads == {threading.get_ident()}


def test_much_litter_is_set_aside_instead_of_looked_through(jobs: Jobs, qtbot) -> None:  # type: ignore[no-untyped-def]
    looked: list[str] = []
    many = [[] for _ in range(garbage.MOST_YOUNG + 10_000)]  # type: ignore[var-annotated]
    gc.callbacks.append(lambda phase, _info: looked.append(phase))
    try:
        before = gc.get_freeze_count()
        jobs.garbage.look()
        assert looked == []
        assert gc.get_freeze_count() - before >= len(many)
    finally:
        gc.callbacks.pop()


def test_everything_is_looked_through_only_when_nothing_runs_and_nobody_is_there(jobs: Jobs, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    clock = {"now": 1000.0}
    monkeypatch.setattr(garbage.time, "monotonic", lambda: clock["now"])
    busy, full = [True], []
    collector = garbage.Collector(lambda: busy[0])
    monkeypatch.setattr(collector, "look_through_everything", lambda: full.append(clock["now"]))
    collector.worked()
    clock["now"] += garbage.UNTOUCHED + 1
    collector.look()
    assert not full, "work is running"
    busy[0] = False
    collector.eventFilter(collector, QEvent(QEvent.Type.KeyPress))
    collector.look()
    assert not full, "somebody has just pressed a key"
    clock["now"] += garbage.UNTOUCHED + 1
    collector.look()
    assert full
    collector.close()


def test_what_a_page_asks_for_in_the_background_starts_after_it_is_drawn(jobs: Jobs, qtbot) -> None:  # type: ignore[no-untyped-def]
    started: list[str] = []
    jobs.start(Job("Forecast", lambda _p: started.append("quiet"), quiet=True))
    time.sleep(0.1)  # the window's thread is still drawing
    assert started == []
    assert not jobs.idle()
    qtbot.waitUntil(lambda: bool(started))


def test_the_bar_shows_progress_and_cancel_is_seen_at_once(window, qtbot) -> None:  # type: ignore[no-untyped-def]
    bar = window.job_bar
    window.desk.jobs.start(Job("Counting", slow))
    qtbot.waitUntil(bar.isVisible)
    qtbot.waitUntil(lambda: bar.bar.value() > 0)
    assert bar.title.text() == "Counting"
    bar.cancel.click()
    assert not bar.cancel.isEnabled()
    assert bar.cancel.text() == "Stopping …"
    qtbot.waitUntil(lambda: not bar.isVisible())
    assert window.desk.jobs.idle()


def test_the_bar_says_how_long_it_will_take(window) -> None:  # type: ignore[no-untyped-def]
    job = Job("Counting", slow, started=time.monotonic() - 60, fraction=0.5, what="Reading")
    window.job_bar._started(job)
    window.job_bar._progressed(job)
    assert window.job_bar.detail.text() == "Reading · 60 seconds left"
    window.job_bar._ended(job, "done")


def test_a_step_that_fails_or_is_cancelled_leaves_the_finished_one(window, tmp_path: Path, qtbot) -> None:  # type: ignore[no-untyped-def]
    """A table is there; the next is unreadable, a third is stopped: the first is still there, and still shown."""
    desk = window.desk
    desk.create_project(tmp_path / "one.pprlproject", "One")
    good, bad = tmp_path / "good.csv", tmp_path / "bad.csv"
    good.write_text("id,last_name\n1,ADA\n2,KING\n", encoding="utf-8")
    bad.write_bytes(b"")
    window.open_file(good)
    qtbot.waitUntil(lambda: desk.need_project().choices.rows == 2)
    kept, seen = desk.need_project().choices, desk.findings.seen
    window.open_file(bad)
    qtbot.waitUntil(lambda: bool(window.pane().messages.banners()))
    assert desk.need_project().choices == kept
    window.open_file(good)
    desk.jobs.cancel()
    qtbot.waitUntil(desk.jobs.idle)
    qtbot.wait(20)
    assert desk.need_project().choices == kept
    assert desk.findings.seen is seen
    assert len(window.pane().profile._lines) == 2


def test_a_window_closed_in_the_middle_of_work_leaves_its_widgets_to_this_thread(qtbot) -> None:  # type: ignore[no-untyped-def]
    """Work that overstays the window's patience went on with the interpreter's collector switched on again, and held
    what the window had handed it: widgets died on the wrong thread, and the next window crashed."""
    jobs, go_on, at_work = Jobs(), threading.Event(), threading.Event()
    died: list[int] = []

    class Page:
        def show(self, _result: object) -> None: ...

        def __del__(self) -> None:
            died.append(threading.get_ident())

    def work(_progress: Progress) -> None:
        at_work.set()
        go_on.wait(60)

    jobs.start(Job("Work", work, done=Page().show))
    assert at_work.wait(60)
    QCoreApplication.processEvents()  # what was reported so far no longer holds the job
    jobs.close(timeout=0.01)
    assert not gc.isenabled()
    go_on.set()
    assert jobs.wait(60)
    gc.collect()
    assert died == [threading.get_ident()]


def test_work_that_waits_for_what_is_being_stopped_is_shown_at_once(window, qtbot) -> None:  # type: ignore[no-untyped-def]
    """Something in the background looks up late: the steward who pressed a button sees that it was pressed."""
    free = threading.Event()
    running = threading.Event()

    def deaf(_progress: Progress) -> None:
        running.set()
        free.wait(60)

    window.desk.jobs.start(Job("Measuring", deaf, quiet=True))
    qtbot.waitUntil(running.is_set)
    window.desk.jobs.start(Job("Making your keys", lambda _p: None))
    try:
        qtbot.waitUntil(window.job_bar.isVisible)
        assert window.job_bar.title.text() == "Making your keys"
        assert not window.next.isEnabled()
    finally:
        free.set()
    qtbot.waitUntil(lambda: window.desk.jobs.idle())
    assert not window.job_bar.isVisible()


def test_what_was_worked_through_before_cancel_is_not_shown_after_it(jobs: Jobs, qtbot) -> None:  # type: ignore[no-untyped-def]
    ended, shown = threading.Event(), []
    cancelled: list[str] = []
    job = Job("Reading", lambda _p: ended.set(), done=shown.append, cancelled=lambda: cancelled.append("yes"))
    jobs.start(job)
    assert ended.wait(60)
    while jobs._running is job:  # the result is on its way to this thread, which does not look
        time.sleep(0.001)
    jobs.cancel()
    qtbot.waitUntil(lambda: bool(cancelled))
    assert shown == []
