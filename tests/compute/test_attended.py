"""A stage works on a thread of its own; the asking thread hears Cancel whatever the stage is busy with."""

from __future__ import annotations

import gc
import threading
import time
import weakref
from collections.abc import Iterator

import numpy as np
import pytest

from pprl_desktop.compute.attended import THREAD, attended, interruptible, looking, stage
from pprl_desktop.progress import NO_PROGRESS, Cancelled, Progress

SOON = 60.0  # s: a thread that has not ended by then never will


def working() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name.startswith(THREAD)]


@pytest.fixture(autouse=True)
def _no_thread_is_left() -> Iterator[None]:
    yield
    for thread in working():
        thread.join(SOON)
    assert not working()


def never() -> bool:
    return False


def test_a_call_hands_its_result_or_its_error_on() -> None:
    progress = Progress(None, never)
    assert interruptible(progress, divmod, 7, 2) == (3, 1)
    with pytest.raises(ZeroDivisionError):
        interruptible(progress, divmod, 7, 0)


def test_the_asker_is_free_while_the_work_does_not_look_at_all() -> None:
    begun, end = threading.Event(), threading.Event()

    def work(progress: Progress) -> None:
        begun.set()
        end.wait(SOON)

    with pytest.raises(Cancelled):
        attended(Progress(None, begun.is_set), work)
    assert not end.is_set()
    end.set()


def test_the_work_ends_at_its_next_look_and_lets_go_of_its_memory() -> None:
    class Large:
        pass

    held: list[weakref.ref[Large]] = []

    def work(progress: Progress) -> None:
        large = Large()
        held.append(weakref.ref(large))
        while True:
            progress.check()
            time.sleep(0.001)

    with pytest.raises(Cancelled):
        attended(Progress(None, lambda: bool(held)), work)
    for thread in working():
        thread.join(SOON)
    gc.collect()
    assert held[0]() is None


def test_nothing_begins_after_cancel() -> None:
    begun: list[int] = []
    with pytest.raises(Cancelled):
        attended(Progress(None, lambda: True), lambda progress: begun.append(1))
    assert not begun


def test_reports_arrive_on_the_asking_thread_in_order_and_within_the_slice_of_the_bar() -> None:
    seen: list[tuple[float, str, int]] = []
    bar = Progress(lambda done, what: seen.append((done, str(what), threading.get_ident())), never)

    def work(progress: Progress) -> None:
        for place in range(4):
            progress.at(place / 4, f"step {place}")
        progress.part(0.5, 1.0).at(1.0, "end")

    attended(bar.part(0.5, 1.0), work)
    assert [what for _, what, _ in seen] == ["step 0", "step 1", "step 2", "step 3", "end"]
    assert [done for done, _, _ in seen] == [0.5, 0.625, 0.75, 0.875, 1.0]
    assert {ident for *_, ident in seen} == {threading.get_ident()}


def test_a_stage_within_a_stage_and_one_nobody_can_cancel_need_no_thread() -> None:
    idents: list[int] = []

    def note(progress: Progress) -> None:
        idents.append(threading.get_ident())

    def outer(progress: Progress) -> None:
        note(progress)
        attended(progress.part(0.0, 0.5), note)

    attended(Progress(None, never), outer)
    attended(NO_PROGRESS, note)
    assert idents[0] == idents[1] != threading.get_ident() == idents[2]


def test_an_interrupt_in_the_asking_thread_stops_the_work() -> None:
    begun = threading.Event()

    def cancelled() -> bool:
        if begun.is_set():
            raise KeyboardInterrupt
        return False

    def work(progress: Progress) -> None:
        while True:
            begun.set()
            progress.check()

    with pytest.raises(KeyboardInterrupt):
        attended(Progress(None, cancelled), work)


def test_the_error_settings_of_the_asker_hold_in_the_stage() -> None:
    with np.errstate(divide="raise"), pytest.raises(FloatingPointError):
        interruptible(Progress(None, never), np.divide, np.ones(1), np.zeros(1))


def test_a_stage_finds_its_progress_by_name() -> None:
    @stage
    def work(number: int, *, twice: bool = False, progress: Progress = NO_PROGRESS) -> tuple[int, bool]:
        return number * (2 if twice else 1), progress.attended

    assert work(3) == (3, False)
    assert work(3, twice=True, progress=Progress(None, never)) == (6, True)


def test_a_loop_in_python_looks_every_few_rounds() -> None:
    looks: list[int] = []

    def cancelled() -> bool:
        looks.append(1)
        return len(looks) > 3

    rounds: list[int] = []
    with pytest.raises(Cancelled):
        rounds.extend(looking(range(100_000), Progress(None, cancelled)))
    assert len(looks) == 4
    assert list(looking("abc", NO_PROGRESS)) == ["a", "b", "c"]
