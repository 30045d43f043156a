"""The adaptive decision on large files: lists of similar values against comparing all pairs, as ratios in one run.

python -m tests.benchmarks.adaptive_scale [--rows 50000] [--large 200000] [--million] [--method split,bloom]

People who do not exist: names with their frequencies, a date of birth, a postcode; a quarter of them are in both files,
with slips in the second (the corrupter's usual rates). Each run is a process of its own, so the peak memory is its own.
Compiling is done before the clock starts. A unit is the exact scan of 50,000 x 50,000 codes on as many threads, in the
same process (tests/benchmarks/unit.py). "Met" is the share of true pairs that became candidates.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from pprl_desktop.codes.base import Recipe, Rule, Settings, Smashed, method
from pprl_desktop.codes.corrupt import corrupt
from pprl_desktop.codes.mapping import default_mapping
from pprl_desktop.decisions.adaptive import listed_scan
from pprl_desktop.decisions.base import MatchOptions
from pprl_desktop.decisions.learn import learn
from pprl_desktop.matching.match import match, outlook
from pprl_desktop.progress import NO_PROGRESS
from pprl_desktop.records.table import CleanTable
from pprl_desktop.reference.load import reference_set
from tests.benchmarks.scan_people import people
from tests.benchmarks.unit import peak, peak_begins, unit

SHARED = 4  # one person in so many is in both files


def files(rows: int) -> tuple[CleanTable, CleanTable]:
    """The last quarter of the first file is the first quarter of the second."""
    start = rows - rows // SHARED
    everyone = people(start + rows, 7)
    return everyone.take(np.arange(rows)), corrupt(everyone.take(np.arange(start, start + rows)), 3)


def prepared(name: str, rows: int) -> tuple[Smashed, Smashed, Rule]:
    left, right = files(rows)
    made = method(name)
    recipe = Recipe(name, left.fields, replace(Settings(), decision="adaptive", layout="field"), secret=b"s" * 32)
    if made.uses_reference:
        reference = reference_set("us-200")
        recipe = replace(recipe, reference=reference, mapping=default_mapping(left.fields, reference))
    own, partner = (made.smash(side, recipe, NO_PROGRESS) for side in (left, right))
    return own, partner, learn(left, own, recipe, 0, NO_PROGRESS)


def stage(name: str, rows: int, way: str, met_file: str) -> dict[str, float]:
    """One match in this process; the own rows whose counterpart was met are written to a file."""
    listed_scan.FULL_SCAN = float("inf") if way == "full" else 0.0
    match(*prepared(name, 400), MatchOptions())  # compiles
    own, partner, rule = prepared(name, rows)
    measure = unit()
    foreseen, alone = (outlook(own, partner, rule, MatchOptions(threads=threads)) for threads in (0, 1))
    before = peak_begins()
    wall, cpu = time.perf_counter(), time.process_time()
    found = match(own, partner, rule, MatchOptions())
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    start, shared, scored = rows - rows // SHARED, rows // SHARED, found.scored
    true = scored.own - start == scored.partner
    if met_file:
        np.save(met_file, scored.own[true])
    accepted = found.accepted()
    right = int(true[accepted].sum())
    return {
        "seconds": wall,
        "cpu": cpu,
        "units": wall / measure.wall,
        "cpu_units": cpu / measure.cpu,
        "expected_seconds": float("nan") if foreseen.seconds is None else foreseen.seconds,
        "expected_cpu": float("nan") if alone.seconds is None else alone.seconds,
        "candidates": len(scored),
        "met": float(true.sum()) / shared,
        "told": float(scored.notes.get("candidate_recall", float("nan"))),
        "precision": right / max(len(accepted), 1),
        "recall": right / shared,
        "f1": 2 * right / max(len(accepted) + shared, 1),
        "foreseen_mb": foreseen.bytes / (1 << 20),
        "before_mb": before,
        "smashed_mb": (own.nbytes() + partner.nbytes()) / (1 << 20),
        "peak_mb": peak(),
    }


def apart(name: str, rows: int, way: str, met_file: Path) -> dict[str, float]:
    command = [sys.executable, "-m", "tests.benchmarks.adaptive_scale", "--stage", name, str(rows), way, str(met_file)]
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found: dict[str, float] = json.loads(out.strip().splitlines()[-1])
    return found


def line(found: dict[str, float]) -> str:
    taken = found["peak_mb"] - found["before_mb"] + found["smashed_mb"]
    foreseen, cpu = found["foreseen_mb"], found["expected_cpu"] / found["cpu"]
    return (
        f"{found['seconds']:.0f} s ({found['cpu']:.0f} s of a core; {found['expected_seconds']:.0f} s expected), "
        f"{found['units']:.1f} units ({found['cpu_units']:.1f} in processor time), "
        f"{found['candidates']:,.0f} candidates, met {found['met']:.4f}, told {found['told']:.4f}, "
        f"precision {found['precision']:.4f} recall {found['recall']:.4f} F1 {found['f1']:.4f}, "
        f"peak {found['peak_mb']:.0f} MB; memory foreseen {foreseen / taken:.2f} of what was taken, "
        f"time of a core {cpu:.2f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=50_000, help="both ways; 0: leave out")
    parser.add_argument("--large", type=int, default=200_000, help="by lists alone; 0: leave out")
    parser.add_argument("--million", action="store_true")
    parser.add_argument("--method", default="split,bloom")
    parser.add_argument("--stage", nargs=4, metavar=("METHOD", "ROWS", "WAY", "FILE"))
    asked = parser.parse_args()
    if asked.stage:
        name, rows, way, met_file = asked.stage
        print(json.dumps(stage(name, int(rows), way, met_file)))
        return
    with tempfile.TemporaryDirectory() as folder:
        for name in asked.method.split(","):
            if asked.rows:
                both_ways(name, asked.rows, Path(folder))
            for rows in (asked.large, 1_000_000 if asked.million else 0):
                if rows:
                    found = apart(name, rows, "lists", Path(folder) / "lists.npy")
                    print(f"{name}, {rows:,} x {rows:,}, lists: {line(found)}", flush=True)


def both_ways(name: str, rows: int, folder: Path) -> None:
    full = apart(name, rows, "full", folder / "full.npy")
    print(f"{name}, {rows:,} x {rows:,}, all pairs: {line(full)}", flush=True)
    fast = apart(name, rows, "lists", folder / "lists.npy")
    print(f"{name}, {rows:,} x {rows:,}, lists: {line(fast)}")
    met = np.load(folder / "full.npy")
    also = np.isin(met, np.load(folder / "lists.npy")).mean()
    print(
        f"  {full['seconds'] / fast['seconds']:.1f} times faster "
        f"({full['cpu'] / fast['cpu']:.1f} in seconds of a core); "
        f"{also:.4f} of the true pairs that all pairs gave were met (told: {fast['told']:.4f}); "
        f"F1 {fast['f1'] - full['f1']:+.4f}",
        flush=True,
    )


if __name__ == "__main__":
    main()
