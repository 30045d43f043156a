"""Long work on one worker thread: progress, time left, cancel; results come back on the window's thread.

Python runs one thread at a time: while the worker computes in Python, the window's thread gets its turn after
one switch interval, again and again while it draws. The usual 5 ms add up to a window that stutters.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from PySide6.QtCore import QObject, QTimer, Signal

from pprl_desktop.job.engine import Place, at
from pprl_desktop.problem import Problem
from pprl_desktop.progress import Cancelled, Progress
from pprl_desktop.said import NOTHING, Said
from pprl_desktop.ui.kit.garbage import Collector
from pprl_desktop.ui.kit.i18n import number, tr

SWITCH = 0.0005  # s after which the worker lets the window's thread run
DRAW_FIRST = 30  # ms: what a page asks for in the background waits until the page is drawn
BEHIND = 5  # steps of niceness; more would let other programs starve the work while the window waits for it
JUDGE_AFTER = 1.0  # s: no "time left" before this much of the work was seen

Work = Callable[[Progress], Any]
End = Literal["done", "problem", "failed", "cancelled"]


@dataclass(eq=False)
class Job:
    """One piece of work. `key` names what it is about: starting it again replaces the earlier one."""

    title: str
    work: Work = field(repr=False)
    key: str = ""
    quiet: bool = False  # background: no bar, gives way to work the steward started
    done: Callable[[Any], None] | None = field(default=None, repr=False)
    problem: Callable[[Problem], None] | None = field(default=None, repr=False)
    cancelled: Callable[[], None] | None = field(default=None, repr=False)
    stop: threading.Event = field(default_factory=threading.Event, repr=False)
    started: float = 0.0
    fraction: float = 0.0
    what: Said = NOTHING
    held: bool = False  # not yet to be started
    where: Place | None = None  # the cluster whose workers do its blocks
    keeps: bool = False  # gives way without being dropped: it starts anew once nobody waits
    put_off: bool = False  # stopped for work the steward waits for, to be started anew

    def seconds_left(self) -> float | None:
        spent = time.monotonic() - self.started
        if not self.started or spent < JUDGE_AFTER or self.fraction < 0.02:
            return None
        return spent * (1.0 - self.fraction) / self.fraction


def _give_way() -> None:
    """On Linux the work and the threads it starts run behind the window's: with all cores at work it gets one first."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), BEHIND)


def time_words(seconds: float) -> str:
    """A duration as one says it."""
    if seconds < 5:
        return tr("a few seconds")
    if seconds < 90:
        return tr("{n} seconds", n=number(5 * round(seconds / 5)))
    if seconds < 5400:
        return tr("{n} minutes", n=number(max(2, round(seconds / 60))))
    return tr("{n} hours", n=number(seconds / 3600, 1))


class Jobs(QObject):
    """The queue and its worker. All signals and callbacks arrive on the window's thread."""

    asked = Signal(object)  # by the steward: it may have to wait for what is being stopped
    started = Signal(object)
    progressed = Signal(object)
    ended = Signal(object, str)  # job, End
    crashed = Signal(object)  # an exception that is the program's fault
    _moved = Signal(object, float, object)
    _finished = Signal(object, str, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._queue: deque[Job] = deque()
        self._wake = threading.Condition()
        self._running: Job | None = None
        self._undelivered: list[Job] = []  # worked through, their result still on its way to the window
        self._closing = False
        self._left: list[tuple[Job, Any]] = []  # what the worker held when the window closed
        self._moved.connect(self._on_moved)
        self._finished.connect(self._on_finished)
        self._usual_switch = sys.getswitchinterval()
        sys.setswitchinterval(SWITCH)
        self.garbage = Collector(lambda: not self.idle(), self)
        self._thread = threading.Thread(target=self._loop, name="work", daemon=True)
        self._thread.start()

    # for the panes --------------------------------------------------------------------------------

    def start(self, job: Job) -> Job:
        with self._wake:
            for other in [*self._queue, *([self._running] if self._running else [])]:
                if job.key and other.key == job.key:
                    other.put_off = False
                    other.stop.set()
                elif other.quiet and not job.quiet and (other is self._running or not other.keeps):
                    other.put_off = other.keeps
                    other.stop.set()
            job.held = job.quiet
            self._queue.append(job)
            self._wake.notify()
        if not job.quiet:
            self.asked.emit(job)
        if job.held:
            QTimer.singleShot(0, self, lambda: QTimer.singleShot(DRAW_FIRST, self, lambda: self._release(job)))
        return job

    def _release(self, job: Job) -> None:
        with self._wake:
            job.held = False
            self._wake.notify()

    def cancel(self, job: Job | None = None) -> None:
        """The flag is seen at the next progress report, at most 50 ms later; queued work never starts, and what was
        just worked through is not shown any more."""
        with self._wake:
            for other in self._held():
                if job is None or other is job:
                    other.put_off = False
                    other.stop.set()
            self._wake.notify()

    def cancel_key(self, key: str) -> None:
        with self._wake:
            for other in self._held():
                if other.key == key:
                    other.put_off = False
                    other.stop.set()

    def busy(self) -> Job | None:
        """The work the steward waits for, if any: until its result is on the page, not only computed."""
        with self._wake:
            for job in self._held():
                if not job.quiet and not job.stop.is_set():
                    return job
        return None

    def behind(self) -> Job | None:
        """What goes on in the background and is kept, whichever page is in front."""
        with self._wake:
            for job in self._held():
                if job.keeps and (job.put_off or not job.stop.is_set()):
                    return job
        return None

    def idle(self) -> bool:
        with self._wake:
            return self._running is None and not self._queue and not self._undelivered

    def close(self, timeout: float = 2.0) -> None:
        self._closing = True
        self.cancel()
        with self._wake:
            self._wake.notify_all()
        self._thread.join(timeout)
        self.garbage.close()
        sys.setswitchinterval(self._usual_switch)

    def wait(self, timeout: float | None = None) -> bool:
        """After close: whether the worker has ended and what it held is gone, on this thread."""
        self._thread.join(timeout)
        if self._thread.is_alive():
            return False
        self._left.clear()
        self._undelivered.clear()
        return True

    def _held(self) -> list[Job]:
        return [*self._undelivered, *([self._running] if self._running else []), *self._queue]

    def _ready(self) -> Job | None:
        """What the steward waits for comes before what only goes on behind."""
        ready = [job for job in self._queue if not job.held]
        return min(ready, key=lambda job: job.quiet, default=None)

    # worker thread --------------------------------------------------------------------------------

    def _loop(self) -> None:
        _give_way()
        while True:
            with self._wake:
                while (next_job := self._ready()) is None and not self._closing:
                    self._wake.wait()
                if next_job is None or self._closing:
                    return
                job = next_job
                self._queue.remove(job)
                self._running = job
            end: End = "done"
            result: Any = None
            try:
                if job.stop.is_set():
                    raise Cancelled
                job.started = time.monotonic()
                self._moved.emit(job, 0.0, "")
                progress = Progress(lambda f, w, j=job: self._moved.emit(j, f, w), job.stop.is_set)
                with at(job.where, progress):
                    result = job.work(progress)
            except Cancelled:
                end = "cancelled"
            except Problem as problem:
                end, result = "problem", problem
            except (Exception, RecursionError) as error:
                end, result = "failed", error
            with self._wake:
                self._running = None
                if not (closing := self._closing):
                    self._undelivered.append(job)
            if closing:
                self._left.append((job, result))  # they may hold the last word on a widget: not to die on this thread
                return
            self._finished.emit(job, end, result)
            del job, next_job, result

    # window's thread ------------------------------------------------------------------------------

    def _on_moved(self, job: Job, fraction: float, what: Said) -> None:
        first = job.fraction == 0.0 and not job.what and fraction == 0.0
        job.fraction, job.what = max(job.fraction, fraction), what or job.what
        if job.stop.is_set() or self._closing:
            return
        (self.started if first else self.progressed).emit(job)

    def _on_finished(self, job: Job, end: End, result: Any) -> None:
        if self._closing:
            return  # the window is gone
        with self._wake:
            self._undelivered.remove(job)
        if job.stop.is_set() and end == "done" and not job.put_off:
            end = "cancelled"  # the steward was faster: what comes too late is not shown
        if end == "cancelled" and job.put_off:
            self._start_anew(job)
            self.garbage.worked()
            return
        try:
            self._deliver(job, end, result)
        finally:  # a fault in showing the result must not leave the bar behind
            self.ended.emit(job, end)
            self.garbage.worked()

    def _start_anew(self, job: Job) -> None:
        with self._wake:
            job.stop, job.put_off, job.fraction, job.started = threading.Event(), False, 0.0, 0.0
            self._queue.append(job)
            self._wake.notify()

    def _deliver(self, job: Job, end: End, result: Any) -> None:
        try:
            if end == "done" and job.done is not None:
                job.done(result)
                return
        except Problem as problem:
            end, result = "problem", problem
        if end == "problem" and job.problem is not None:
            job.problem(result)
        elif end == "cancelled" and job.cancelled is not None:
            job.cancelled()
        elif end == "failed":
            self.crashed.emit(result)
            if job.problem is not None:
                job.problem(fault(result))


def fault(error: BaseException) -> Problem:
    """A mistake of the program or the machine as a sentence; only its kind is named, values may be personal."""
    if isinstance(error, MemoryError):
        return Problem(
            "This computer has too little memory for that.",
            "The data of the last good state are still here.",
            "Close other programs, or use fewer rows.",
        )
    if isinstance(error, OSError) and error.strerror:
        return Problem(
            Said("The computer refused: {reason}.", reason=error.strerror),
            "The disk or the folder does not allow it.",
            "Check the disk and the folder's permissions, then try again.",
        )
    return Problem(
        "The program made a mistake.",
        Said("It was a {kind}; your files and finished steps are unchanged.", kind=type(error).__name__),
        "Try again; if it happens again, send the report from Help > Problem reports.",
    )
