"""The unit of the benchmarks: the exact scan of 50,000 x 50,000 codes of 1024 bits, top ten per row.

A tenth of the own rows is scanned and the rest reckoned. Ratios to it in the same run hardly depend on the computer;
of the two kinds the one in processor time hardly depends on what else the computer does.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from pprl_desktop.codes.base import Recipe, Settings, method
from pprl_desktop.compute import bits
from pprl_desktop.compute.bits import Similarity
from pprl_desktop.progress import NO_PROGRESS
from tests.benchmarks.scan_people import people

ROWS, TIMED, BEST = 50_000, 5_000, 10


@dataclass(frozen=True)
class Unit:
    wall: float  # seconds
    cpu: float  # seconds of a core


def unit(threads: int = 0) -> Unit:
    table = people(ROWS)
    recipe = Recipe("simhash", table.fields, Settings(decision="threshold", layout="record"), secret=bytes(32))
    part = method("simhash").smash(table, recipe, NO_PROGRESS).part("record")
    codes = part.values[part.rows]
    planes, measure = bits.prepare(codes), Similarity.hamming(8 * codes.shape[1])
    bits.top(codes[:8], planes, measure, BEST, threads=threads)  # compiles
    spent = []
    for _ in range(3):
        wall, cpu = time.perf_counter(), time.process_time()
        bits.top(codes[:TIMED], planes, measure, BEST, threads=threads)
        spent.append((time.perf_counter() - wall, time.process_time() - cpu))
    wall, cpu = (min(each) * ROWS / TIMED for each in zip(*spent, strict=True))
    return Unit(wall, cpu)


def peak_begins() -> float:
    """MB that this process holds now; what it held at most so far is forgotten (Linux only)."""
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    return _held("VmRSS")


def peak() -> float:
    """MB that this process held at most since then. A peak of the preparation would hide what a step takes."""
    return _held("VmHWM")


def _held(name: str) -> float:
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith(name))
