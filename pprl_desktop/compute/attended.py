"""Cancel is heard by construction: a stage works on a thread of its own, and whoever asked for it only listens.

The asking thread computes nothing. It passes reports on and looks at the Cancel button every LOOK_EVERY seconds,
whatever the work is busy with; the work hears of it at its own next look and ends there. So the answer to Cancel never
waits for a sort of millions, a library's training loop or a function that is just being compiled, as long as these let
go of the interpreter lock, and what remains running is over after one block (tests/benchmarks/cancel.py measures both).
"""

from __future__ import annotations

import contextvars
import functools
import inspect
import queue
import threading
from collections.abc import Callable, Collection, Iterator
from typing import Generic, ParamSpec, TypeVar, TypeVarTuple

from pprl_desktop.progress import Progress
from pprl_desktop.said import Said

LOOK_EVERY = 0.03  # s
GRACE = 0.05  # s that a cancelled stage is given to end before it is left behind
THREAD = "stage"  # name of the working threads

LOOP = 1024  # rounds of a plain Python loop between two looks: a few ms

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")
Ts = TypeVarTuple("Ts")

Report = tuple[float, Said]


def attended(progress: Progress, work: Callable[[Progress], R]) -> R:
    """What `work` gives. It must not leave anything half-done where others see it: it may be left behind."""
    progress.check()
    if progress.attended or not progress.can_be_cancelled:
        return work(progress)
    return _Stage(work).run(progress)


class _Stage(Generic[R]):
    def __init__(self, work: Callable[[Progress], R]) -> None:
        self._work = work
        self._said: queue.SimpleQueue[Report | None] = queue.SimpleQueue()  # None: the work is over
        self._stop = threading.Event()
        self._made: list[R] = []
        self._wrong: BaseException | None = None

    def run(self, progress: Progress) -> R:
        context = contextvars.copy_context()  # numpy's error settings are those of the asking thread
        thread = threading.Thread(target=context.run, args=(self._do,), name=THREAD, daemon=True)
        thread.start()
        try:
            self._listen(progress)
        finally:  # Cancelled, an interrupt from the keyboard, or simply the end
            self._stop.set()
            thread.join(GRACE)
        if self._wrong is not None:
            try:
                raise self._wrong
            finally:
                self._wrong = None  # its traceback holds all that the work held
        return self._made[0]

    def _listen(self, progress: Progress) -> None:
        while True:
            try:
                said = self._said.get(timeout=LOOK_EVERY)
            except queue.Empty:
                progress.check()
                continue
            if said is None:
                return
            progress.at(*said)

    def _do(self) -> None:
        try:
            inner = Progress(lambda done, what: self._said.put((done, what)), self._stop.is_set, attended=True)
            self._made.append(self._work(inner))
        except BaseException as wrong:  # handed to the asking thread
            self._wrong = None if self._stop.is_set() else wrong
        finally:
            self._said.put(None)


def interruptible(progress: Progress, work: Callable[[*Ts], R], *args: *Ts) -> R:
    """One long call that cannot be cut into blocks (a sort of millions), with Cancel heard meanwhile."""
    return attended(progress, lambda _: work(*args))


def looking(items: Collection[T], progress: Progress, what: Said | str = "") -> Iterator[T]:
    """The items one by one, with a look at the Cancel button every few milliseconds: for loops in plain Python."""
    for place, item in enumerate(items):
        if place % LOOP == 0:
            progress.at(place / len(items), what)
        yield item


def stage(function: Callable[P, R]) -> Callable[P, R]:
    """A function with an argument `progress` that is always attended."""
    place = inspect.signature(function)

    @functools.wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        given = place.bind(*args, **kwargs)
        given.apply_defaults()

        def work(inner: Progress) -> R:
            given.arguments["progress"] = inner
            return function(*given.args, **given.kwargs)

        return attended(given.arguments["progress"], work)

    return run
