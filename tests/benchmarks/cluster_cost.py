"""What a match of 50 million records with 50 million would cost on a cluster, reckoned from blocks measured here.

    python -m tests.benchmarks.cluster_cost [--rows 25000,50000,100000] [--method bloom] [--to 50000000] [--machines 20]
        [--cores 8]

Every block that a cluster would be given is timed in this process (seconds of a core), with the bytes of its work.
Each stage is then carried on by its own law, whose assumptions are printed beside it; nothing of this was measured at
the size it is reckoned for.
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pprl_desktop.compute import packing
from pprl_desktop.compute.engines import Portable, using
from pprl_desktop.decisions.adaptive import listed_scan, outlook, value_lists
from pprl_desktop.decisions.base import MatchOptions
from pprl_desktop.matching.match import match
from pprl_desktop.progress import Progress
from tests.benchmarks.adaptive_scale import prepared

NEAR, COMPARE = "_Near", "_Comparing"


@dataclass
class Counting:
    """An engine that does the blocks here and keeps what each stage took."""

    name: str = "counting"
    seconds: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    blocks: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    carried: dict[str, int] = field(default_factory=lambda: defaultdict(int))

    def threads(self) -> int:
        return 1

    def run(self, work: Portable[Any, Any], blocks: Sequence[Any], progress: Progress, what: object) -> Iterator[Any]:
        stage = type(work).__name__
        self.carried[stage] = max(self.carried[stage], len(packing.dumps(work)))
        for block in blocks:
            since = time.thread_time()
            done = work(block)
            self.seconds[stage] += time.thread_time() - since
            self.blocks[stage] += 1
            yield done


@dataclass(frozen=True)
class Measured:
    rows: int
    values: tuple[tuple[int, int], ...]  # distinct values of each field, own and partner's
    near: float  # seconds of a core in all
    compare: float
    rest: float  # what the workstation does itself
    index_bytes: int  # what a worker holds to compare
    blocks: int
    row_work: float  # comparisons per own row of the last look


def measure(name: str, rows: int) -> Measured:
    own, partner, rule = prepared(name, rows)
    engine, looks, plain = Counting(), [0.0], listed_scan._units

    def units(*args: Any) -> listed_scan.Units:
        made = plain(*args)
        looks.append(made.work / max(sum(map(len, made.blocks)), 1))
        return made

    listed_scan._units = units  # type: ignore[assignment]
    cpu = time.process_time()
    with using(engine):
        match(own, partner, rule, MatchOptions())
    cpu = time.process_time() - cpu
    listed_scan._units = plain
    values = tuple(
        (outlook._values(own, one), outlook._values(partner, one))
        for one in rule.comparisons  # type: ignore[attr-defined]
    )
    near, compare = engine.seconds[NEAR], engine.seconds[COMPARE]
    return Measured(
        rows, values, near, compare, cpu - near - compare, engine.carried[COMPARE], engine.blocks[COMPARE], looks[-1]
    )


def slope(x: Sequence[float], y: Sequence[float]) -> float:
    return float(np.polyfit(np.log(x), np.log(np.maximum(y, 1e-9)), 1)[0])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", default="25000,50000,100000")
    parser.add_argument("--method", default="bloom")
    parser.add_argument("--to", type=int, default=50_000_000)
    parser.add_argument("--machines", type=int, default=20)
    parser.add_argument("--cores", type=int, default=8)
    asked = parser.parse_args()
    listed_scan.FULL_SCAN = 0.0
    match(*prepared(asked.method, 400), MatchOptions())  # compiles
    made = []
    for rows in map(int, asked.rows.split(",")):
        made.append(measure(asked.method, rows))
        print(f"measured {made[-1]}", flush=True)
    sizes, last = [float(one.rows) for one in made], made[-1]
    larger = asked.to / last.rows
    cells = 0.0
    tokens_only = 0
    for place, (a, b) in enumerate(last.values):
        grow = [slope(sizes, [one.values[place][side] for one in made]) for side in (0, 1)]
        then = a * larger ** min(grow[0], 1.0) * b * larger ** min(grow[1], 1.0)
        tokens_only += then > value_lists.MOST_CELLS
        cells += then if then <= value_lists.MOST_CELLS else 0.0
    now = sum(float(a) * b for a, b in last.values)
    near = last.near * cells / now
    # a row meets more others in larger files, until ROW_WORK bounds a look
    work = max(last.row_work, 1.0)
    natural = work * larger ** slope(sizes, [one.row_work for one in made])
    compare = last.compare / last.rows * min(natural, listed_scan.ROW_WORK) / work * asked.to
    rest = last.rest * larger ** max(slope(sizes, [one.rest for one in made]), 1.0)
    held = last.index_bytes * larger
    spread = asked.machines * asked.cores
    print(
        f"\n{asked.to:,} x {asked.to:,} by {asked.method}, {asked.machines} machines of {asked.cores} cores, reckoned:"
    )
    print("| stage | core hours | where | hours |\n|---|---|---|---|")
    for name, seconds, where, cores in (
        ("similar values", near, "workers", spread),
        ("comparing records", compare, "workers", spread),
        ("learning, laying side by side", rest, "the workstation", 1),
    ):
        print(f"| {name} | {seconds / 3600:,.1f} | {where} | {seconds / cores / 3600:,.2f} |")
    print(f"| in all | {(near + compare + rest) / 3600:,.1f} | | {((near + compare) / spread + rest) / 3600:,.2f} |")
    print(f"memory of a worker for the index: {held / 1e9:,.0f} GB (grows with the rows; one copy per process)")
    print("assumed: distinct values grow as between the measured sizes, and no faster than the rows;")
    print(f"  {tokens_only} of {len(last.values)} fields have too many values to compare: joined by tokens alone;")
    print(f"  at most {listed_scan.ROW_WORK:,.0f} comparisons per row and look, {work:,.0f} at {last.rows:,} rows;")
    print("  workers as fast as one core here, no time for the network, no worker lost, even blocks (told beforehand).")


if __name__ == "__main__":
    main()
