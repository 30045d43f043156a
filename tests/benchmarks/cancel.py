"""How long Cancel goes unheard, for every method and stage: `python -m tests.benchmarks.cancel [--quick] [name ...]`.

Columns, in seconds on the wall (run it on a quiet machine; the goal is 0.2 from Cancel to stop):
  heard   longest time between two looks of the asking thread at the Cancel button
  work    longest time between two looks of the working thread: what may still run after Cancel
  block   longest single piece of work given to a thread
  stop    the stage is really cancelled at a few places: longest time until the asker is free again
  left    and until every thread of the stage has ended
Where the work looks too rarely, the stack that kept it busy is printed.
"""

from __future__ import annotations

import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from pprl_desktop.codes.base import Recipe, Settings, method
from pprl_desktop.codes.corrupt import corrupt
from pprl_desktop.codes.mapping import default_mapping
from pprl_desktop.compute.attended import THREAD
from pprl_desktop.decisions.base import MatchOptions
from pprl_desktop.decisions.learn import learn
from pprl_desktop.evaluation.synthetic import forecast
from pprl_desktop.matching.match import match
from pprl_desktop.privacy.keystream import Keystream
from pprl_desktop.privacy.noise import bundle_epsilon, noised
from pprl_desktop.progress import NO_PROGRESS, Cancelled, Progress
from pprl_desktop.records.table import CleanTable
from pprl_desktop.reference.load import reference_set
from tests.benchmarks.scan_people import people

GOAL = 0.2
SUSPECT = 0.12  # s after which the stack of the work is noted
PLACES = (0.02, 0.35, 0.6, 0.9)  # of the stage's time at which it is cancelled

SVM, RECORD = Settings(decision="svm"), Settings(decision="threshold", layout="record")
CASES: dict[str, tuple[str, Settings, int]] = {  # method, settings, rows of each side
    "split": ("split", Settings(), 20_000),
    "split-svm": ("split-svm", SVM, 50_000),
    "split-svm rbf": ("split-svm", replace(SVM, kernel="rbf"), 50_000),
    "split-svm eps 1": ("split-svm", replace(SVM, epsilon=1.0), 3_000),
    "simhash field": ("simhash", Settings(), 20_000),
    "simhash": ("simhash", RECORD, 50_000),
    "simhash eps 2": ("simhash", replace(RECORD, epsilon=2.0), 50_000),
    "simhash lsh": ("simhash", RECORD, 200_000),
    "bloom field": ("bloom", Settings(), 20_000),
    "bloom": ("bloom", RECORD, 50_000),
    "bloom eps 2": ("bloom", replace(RECORD, epsilon=2.0), 50_000),
    "dp-nn": ("dp-nn", Settings(decision="nearest", layout="record", epsilon=20.0), 20_000),
    "plain": ("plain", SVM, 10_000),
}
SMASHED = 200_000  # rows for smashing alone


@dataclass
class Watch:
    """Notes every look at the Cancel button, by thread, and every block given to a pool."""

    heard: float = 0.0
    work: float = 0.0
    block: float = 0.0
    block_of: str = ""
    stack: str = ""
    _last: dict[int, float] = field(default_factory=dict)
    _noted: float = 0.0

    def look(self) -> None:
        me, now = threading.current_thread(), time.perf_counter()
        gap = now - self._last.get(threading.get_ident(), now)
        self._last[threading.get_ident()] = now
        if me is threading.main_thread():
            self.heard = max(self.heard, gap)
        elif me.name == THREAD:
            self.work = max(self.work, gap)

    def watch(self, over: threading.Event) -> None:
        while not over.wait(0.01):
            for thread in threading.enumerate():
                last = self._last.get(thread.ident or 0)
                if thread.name != THREAD or last is None:
                    continue
                silent = time.perf_counter() - last
                frame = sys._current_frames().get(thread.ident or 0)
                if silent > max(SUSPECT, self._noted) and frame is not None:
                    self._noted, self.stack = silent, shown(traceback.extract_stack(frame))

    def timed(self, work: Callable[..., Any], *args: Any) -> Any:
        start = time.perf_counter()
        try:
            return work(*args)
        finally:
            taken = time.perf_counter() - start
            if taken > self.block:
                self.block, self.block_of = taken, getattr(work, "__qualname__", repr(work))


def shown(stack: traceback.StackSummary) -> str:
    ours = [line for line in stack if "/threading.py" not in line.filename and "attended" not in line.filename]
    return " < ".join(f"{line.filename.rsplit('/', 1)[-1]}:{line.lineno} {line.name}" for line in reversed(ours[-6:]))


def watched(work: Callable[[Progress], Any]) -> tuple[Any, float, Watch]:
    """Runs a stage to its end and notes how often it looked."""
    watch, over = Watch(), threading.Event()
    look, submit = Progress.check, ThreadPoolExecutor.submit

    def check(self: Progress) -> None:
        watch.look()
        look(self)

    def given(self: ThreadPoolExecutor, work: Callable[..., Any], *args: Any) -> Any:
        return submit(self, watch.timed, work, *args)

    Progress.check, ThreadPoolExecutor.submit = check, given  # type: ignore[method-assign,assignment]
    monitor = threading.Thread(target=watch.watch, args=(over,), daemon=True)
    monitor.start()
    start = time.perf_counter()
    try:
        made = work(Progress(lambda done, what: None, lambda: False))
        return made, time.perf_counter() - start, watch
    finally:
        Progress.check, ThreadPoolExecutor.submit = look, submit  # type: ignore[method-assign]
        over.set()
        monitor.join()


def cancelled(work: Callable[[Progress], Any], after: float) -> tuple[float, float]:
    """Presses Cancel after some seconds: how long until the asker is free, and until every thread has ended."""
    pressed = [0.0]
    stop = threading.Event()

    def press() -> None:
        pressed[0] = time.perf_counter()
        stop.set()

    timer = threading.Timer(after, press)
    timer.start()
    try:
        work(Progress(lambda done, what: None, stop.is_set))
        timer.cancel()
        return 0.0, 0.0  # it was over before
    except Cancelled:
        free = time.perf_counter()
    while any(thread.name.startswith(THREAD) for thread in threading.enumerate()):
        time.sleep(0.002)
    return free - pressed[0], time.perf_counter() - pressed[0]


def told(what: str, work: Callable[[Progress], Any]) -> Any:
    made, seconds, watch = watched(work)
    stops = [cancelled(work, share * seconds) for share in PLACES] if seconds > 0.3 else [(0.0, 0.0)]
    stop, left = (max(column) for column in zip(*stops, strict=True))
    mark = "" if max(watch.heard, stop) <= GOAL and max(watch.work, watch.block, left) <= GOAL else "  <--"
    print(
        f"{what:<28}{seconds:8.2f}{watch.heard:8.3f}{watch.work:8.3f}{watch.block:8.3f}{stop:8.3f}{left:8.3f}{mark}",
        flush=True,
    )
    if watch.work > GOAL or watch.heard > GOAL:
        print(f"    {watch.stack}")
    if watch.block > GOAL:
        print(f"    block: {watch.block_of}")
    return made


def recipe_of(name: str, settings: Settings, table: CleanTable) -> Recipe:
    made = Recipe(name, table.fields, settings, secret=bytes(32))
    if method(name).uses_reference:
        reference = reference_set("us-200")
        made = replace(made, reference=reference, mapping=default_mapping(table.fields, reference))
    return made


def two_sides(rows: int) -> tuple[CleanTable, CleanTable]:
    """Half of the people are in both files."""
    everyone = people(rows + rows // 2)
    return everyone.take(np.arange(rows)), corrupt(everyone.take(np.arange(rows // 2, rows + rows // 2)), 1)


def stages(name: str, rows: int, smashed: int) -> Iterator[tuple[str, Callable[[Progress], Any]]]:
    kind, settings, _ = CASES[name]
    a, b = two_sides(rows)
    recipe, made = recipe_of(kind, settings, a), method(kind)
    large = people(smashed)
    yield f"{name}: smash {smashed:,}", lambda progress: made.smash(large, recipe, progress)
    own, partner = (made.smash(side, recipe, NO_PROGRESS) for side in (a, b))
    sent = noised(partner, bundle_epsilon(recipe), Keystream.repeatable(0, "b"))
    yield f"{name}: learn {rows:,}", lambda progress: learn(a, own, recipe, 0, progress)
    rule = learn(a, own, recipe, 0, NO_PROGRESS)
    yield f"{name}: match {rows:,}", lambda progress: match(own, sent, rule, MatchOptions(), progress)
    yield f"{name}: forecast", lambda progress: forecast(a, recipe, progress=progress)


def main(names: list[str], quick: bool) -> None:
    print(f"{'':<28}{'seconds':>8}{'heard':>8}{'work':>8}{'block':>8}{'stop':>8}{'left':>8}")
    for name in names:
        _, _, rows = CASES[name]
        for what, work in stages(name, rows // 5 if quick else rows, SMASHED // 5 if quick else SMASHED):
            told(what, work)


if __name__ == "__main__":
    asked = [each for each in sys.argv[1:] if not each.startswith("-")]
    main([name for name in CASES if not asked or name in asked], "--quick" in sys.argv)
