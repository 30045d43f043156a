"""A watchdog for the event loop: every gap between two beats, and how much of it was ours.

A gap has three parts: the window's thread computed, it waited for another thread of the program (Python runs one
at a time), or the machine was busy with others. Linux says the third part: in /proc/self/task/N/schedstat (ready to
run without a processor), /proc/stat (time taken by other guests) and /proc/pressure (waiting for the disk).
"""

from __future__ import annotations

import faulthandler
import os
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import Qt, QTimer

LONGEST = 0.1  # s between two beats of the event loop
BEAT = 5  # ms
LOOK_EVERY = 0.05  # s between two looks at what others took: a look costs a little itself
LOOK_AFTER = 0.06  # s: the stacks of all threads are noted when a beat is this late


@dataclass(frozen=True)
class Gap:
    """One late beat. All in seconds."""

    during: str
    wall: float
    computed: float  # by the window's thread itself
    others: float  # no processor was free for the window's thread or the thread it waited for
    stacks: str = ""

    @property
    def ours(self) -> float:
        return max(self.wall - self.others, self.computed)

    def __str__(self) -> str:
        return f"{self.during}: {self.wall:.3f} s, of it {self.computed:.3f} computed, {self.others:.3f} others'"


class Watchdog:
    """Beats on the thread it is made on. `watch()` names what is going on now, `rest()` stops counting."""

    def __init__(self, *, stacks: bool = False) -> None:
        self.gaps: list[Gap] = []
        self._during = ""
        self._file = tempfile.TemporaryFile("w+") if stacks else None  # noqa: SIM115 - lives as long as the dog
        self._last = (0.0, 0.0)
        self._others, self._looked = Others(), 0.0
        self._timer = QTimer()
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._beat)

    def watch(self, during: str) -> None:
        self._during = during
        self._last = (time.perf_counter(), time.thread_time())
        self._looked = self._last[0]
        self._others.look()
        self._arm()
        self._timer.start(BEAT)

    def rest(self) -> None:
        if self._timer.isActive():
            self._beat()
        self._timer.stop()
        if self._file is not None:
            faulthandler.cancel_dump_traceback_later()

    def worst(self, during: str) -> Gap:
        return max((gap for gap in self.gaps if gap.during == during), key=lambda gap: gap.wall)

    def late(self) -> list[Gap]:
        return [gap for gap in self.gaps if gap.wall > LONGEST]

    def _arm(self) -> None:
        if self._file is not None:
            faulthandler.dump_traceback_later(LOOK_AFTER, repeat=True, file=self._file)

    def _beat(self) -> None:
        wall, computed = time.perf_counter() - self._last[0], time.thread_time() - self._last[1]
        stacks = ""
        if self._file is not None and wall > LOOK_AFTER:
            faulthandler.cancel_dump_traceback_later()
            self._file.seek(0)
            stacks = self._file.read()
            self._file.seek(0)
            self._file.truncate()
        others = 0.0
        if time.perf_counter() - self._looked > LOOK_EVERY:
            self._looked = time.perf_counter()
            others = self._others.look()
        self.gaps.append(Gap(self._during, wall, computed, min(others, wall), stacks))
        self._arm()
        self._last = (time.perf_counter(), time.thread_time())


class Others:
    """What others took from this program since the last look: processors, the whole machine, the disk."""

    def __init__(self) -> None:
        self._seen: dict[str, float] = {}
        self.look()

    def look(self) -> float:
        now = {f"thread {one.native_id}": _ready_in_vain(one.native_id) for one in threading.enumerate()}
        now |= {"machine": _taken_away(), "disk": _disk_busy()}
        took = sum(max(0.0, value - self._seen.get(name, value)) for name, value in now.items())
        self._seen = now
        return took


def _ready_in_vain(thread: int | None) -> float:
    """Seconds that a thread was ready to run and got no processor."""
    try:
        return int(Path(f"/proc/self/task/{thread}/schedstat").read_bytes().split()[1]) / 1e9
    except (OSError, IndexError):
        return 0.0


def _taken_away() -> float:
    """Seconds that other guests of the same machine had our processors."""
    try:
        with Path("/proc/stat").open("rb") as file:
            return int(file.readline().split()[8]) / os.sysconf("SC_CLK_TCK")
    except (OSError, IndexError):
        return 0.0


def _disk_busy() -> float:
    """Seconds that somebody waited for the disk."""
    try:
        return int(Path("/proc/pressure/io").read_text().split("total=")[1].split()[0]) / 1e6
    except (OSError, IndexError):
        return 0.0
