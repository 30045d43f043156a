"""Hostile files in numbers: what was tried, what became of it, how long the slowest took, what it cost in memory.

A case is refused with a Problem or accepted; whatever else is raised is a traceback, and the run goes on so that all
are counted. `finish` prints the line of figures and fails where a promise was broken.

Memory is what the process holds at its peak, over what it held just before. The peak of getrusage would not do: it
remembers what was needed for making the files, and a child process inherits that of its parent.
"""

from __future__ import annotations

import copy
import ctypes
import gc
import random
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeVar

from pprl_desktop.problem import Problem

SECONDS = 5.0  # of the processor: a case that takes longer hangs. One that waits for ever ends by the limit for tests
MEMORY = 100 << 20  # bytes over what the process had before

Result = TypeVar("Result")

ODD: tuple[Any, ...] = (
    -1, 0, 1, 2, 7, 255, 1 << 16, 1 << 31, (1 << 63) - 1, "", "x", "x" * 300, "../../x", "\u202e", "a\nb", "\x1b[2K",
    "\u3164", "0", "1e308", "nan", "00" * 32, "ff" * 32, "ff" * 64, [], [[]], {}, {"a": 1}, [-1, 1 << 40], ["a"],
    "zstd", "uint64", "record", "either", "review", "per record", "split", "dp-nn", 20_000, "2026-11-17T00:00:00Z",
)  # fmt: skip


@dataclass
class Tally:
    kind: str
    refused: int = 0
    accepted: int = 0
    wrong: list[str] = field(default_factory=list)  # accepted and should not have been
    tracebacks: list[str] = field(default_factory=list)
    slowest: float = 0.0
    base: int = field(default_factory=lambda: memory_before())

    def case(self, act: Callable[[], Result], wrong: Callable[[Result], str] = lambda _: "") -> bool:
        """Tries one file; whether it was accepted. `wrong` says what is not right about an accepted one."""
        start = time.process_time()  # by the clock, a busy machine looks like a hang
        try:
            made = act()
        except Problem:
            self.refused += 1
            return False
        except Exception as error:
            place = traceback.extract_tb(error.__traceback__)[-1]
            self.tracebacks.append(
                f"{type(error).__name__} {place.filename.rsplit('/', 1)[-1]}:{place.lineno}: {error}"
            )
            return False
        finally:
            self.slowest = max(self.slowest, time.process_time() - start)
        self.accepted += 1
        if reason := wrong(made):
            self.wrong.append(reason)
        return True

    @property
    def cases(self) -> int:
        return self.refused + self.accepted + len(self.tracebacks)

    def finish(self, left_over: int = 0) -> None:
        memory = peak_memory() - self.base
        told(self.cases, self.accepted, self.slowest, memory)
        print(
            f"HOSTILE {self.kind}: {self.cases} cases, {self.refused} refused, {self.accepted} accepted, "
            f"{len(self.wrong)} wrongly, {len(self.tracebacks)} tracebacks, {left_over} left over, "
            f"slowest {self.slowest:.2f} s, {memory >> 20} MB over the base"
        )
        assert not self.tracebacks, self.tracebacks[:10]
        assert not self.wrong, self.wrong[:10]
        assert not left_over
        assert self.slowest < SECONDS
        assert memory < MEMORY


_ALL: list[tuple[int, int, float, int]] = []


def told(cases: int, accepted: int, slowest: float, memory: int) -> None:
    """The sum of a run so far: whoever reads its last line has the figures of the whole."""
    _ALL.append((cases, accepted, slowest, memory))
    total, taken = (sum(one[at] for one in _ALL) for at in (0, 1))
    worst, most = (max(one[at] for one in _ALL) for at in (2, 3))
    print(
        f"HOSTILE so far: {total} cases, {taken} accepted, slowest {worst:.2f} s, at most {most >> 20} MB over the base"
    )


def memory_before() -> int:
    """Bytes the process holds now; what it freed is given back first, and the peak before is forgotten."""
    if sys.platform != "linux":
        return peak_memory()
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    with open("/proc/self/clear_refs", "w") as peak:
        peak.write("5")
    return _status("VmRSS")


def peak_memory() -> int:
    if sys.platform == "linux":
        return _status("VmHWM")
    if sys.platform == "win32":
        return 0
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << (0 if sys.platform == "darwin" else 10)


def _status(name: str) -> int:
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith(name)) << 10


def places(plain: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    items = plain.items() if isinstance(plain, dict) else enumerate(plain) if isinstance(plain, list) else ()
    for key, value in items:
        yield (*path, key)
        yield from places(value, (*path, key))


def spoilt(draw: random.Random, plain: Any, odd: tuple[Any, ...] = ODD) -> Any:
    """One to three values somewhere replaced, removed, added, moved or nudged."""
    plain = copy.deepcopy(plain)
    for _ in range(draw.choice((1, 1, 1, 2, 3))):
        spots = list(places(plain))
        if not spots:
            return plain
        *front, last = draw.choice(spots)
        node = plain
        for key in front:
            node = node[key]
        how, value = draw.randrange(6), node[last]
        if how == 0:
            del node[last]
        elif how == 1 and isinstance(node, dict):
            node[draw.choice(["extra", "name", "rows", "\u200b"])] = copy.deepcopy(draw.choice(odd))
        elif how == 2 and isinstance(node, list):
            node.insert(draw.randrange(len(node) + 1), copy.deepcopy(draw.choice([value, *odd])))
        elif how == 3 and isinstance(value, int):
            node[last] = value + draw.choice([-1, 1, 1000, -value])
        elif how == 3 and isinstance(value, str) and value:
            at = draw.randrange(len(value))
            node[last] = value[:at] + draw.choice(["", "0", "f", "A", " ", "\u202e", "\n"]) + value[at + 1 :]
        else:
            node[last] = copy.deepcopy(draw.choice(odd))
    return plain


def mangled(draw: random.Random, data: bytes, other: bytes = b"") -> bytes:
    """Bytes changed, cut, added, doubled, turned round or spliced."""
    made = bytearray(data or b"\0")
    at = draw.randrange(len(made))
    how = draw.randrange(9)
    if how == 0:
        made[at] ^= 1 << draw.randrange(8)
    elif how == 1:
        made[at] = draw.randrange(256)
    elif how == 2:
        del made[at:]
    elif how == 3:
        made += draw.randbytes(draw.choice([1, 16, 100, 70_000]))
    elif how == 4:
        made[at:at] = draw.randbytes(draw.randrange(1, 40))
    elif how == 5:
        del made[at : at + draw.randrange(1, 40)]
    elif how == 6:
        made = made[:at] + bytearray((other or data)[draw.randrange(len(other or data)) :])
    elif how == 7:
        end = min(len(made), at + draw.randrange(1, 200))
        made[at:end] = made[at:end][::-1]
    else:
        made[at:at] = made[at : at + draw.randrange(1, 400)] * draw.choice([1, 2, 50])
    return bytes(made)
