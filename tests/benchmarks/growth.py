"""How time and memory grow with the files: the exponent per method, and a plot.

    python -m tests.benchmarks.growth FOLDER [--rows 50000,100000,200000,400000] [--method split,bloom,record,blind]

Time is that of all cores, memory what the step takes beyond the table before it. The exponent is the slope of a line
through all sizes on logarithmic scales: 1 is twice the cost for twice the rows. split and bloom: the adaptive decision
field by field; record: one code per record by banded LSH; blind: question and answer without the multiplications in
the group, which cost the same per key at any size (tests.benchmarks.blind_group). Each size is a process of its own;
a line is printed as soon as it is known, and FOLDER/growth.svg is written anew after each. What was measured is kept in
FOLDER/growth.json and not measured again, so that it may be done in parts and a run that was cut goes on.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

Point = tuple[int, float, float]  # rows, seconds of a core, MB

TIME_GOAL, MEMORY_GOAL = 1.2, 1.05
COLOURS = ("#1b6ca8", "#c1502e", "#3f7d3a", "#7a4fa3")
WIDTH, HEIGHT, EDGE = 420, 320, 46  # of one of the two plots, in SVG units


def stage(name: str, rows: int) -> tuple[float, float]:
    if name == "blind":
        return blind(rows)
    if name == "record":
        return record(rows)
    from tests.benchmarks.adaptive_scale import stage as adaptive

    found = adaptive(name, rows, "lists", "")
    return found["cpu"], found["peak_mb"] - found["before_mb"]


def record(rows: int) -> tuple[float, float]:
    from pprl_desktop.decisions.base import MatchOptions
    from pprl_desktop.decisions.threshold import lsh
    from pprl_desktop.decisions.threshold.scan import run
    from pprl_desktop.progress import NO_PROGRESS
    from tests.benchmarks.scan_bits import banded_files
    from tests.benchmarks.unit import peak, peak_begins

    lsh.EXACT_PAIRS = 0
    run(*banded_files(400), MatchOptions(), NO_PROGRESS)  # compiles
    made = banded_files(rows)
    before, cpu = peak_begins(), time.process_time()
    run(*made, MatchOptions(), NO_PROGRESS)
    return time.process_time() - cpu, peak() - before


def blind(rows: int) -> tuple[float, float]:
    from tests.benchmarks.blind_group import without_multiplying

    return without_multiplying(rows)


def exponent(rows: Sequence[float], cost: Sequence[float]) -> float:
    if len(rows) < 2 or min(cost) <= 0:
        return math.nan
    return float(np.polyfit(np.log(rows), np.log(cost), 1)[0])


def plot(points: dict[str, list[Point]]) -> str:
    """Two panels, time and memory against rows, both on logarithmic scales."""
    drawn = []
    for panel, (what, at) in enumerate((("seconds of a core", 1), ("MB", 2))):
        every = [(one[0], one[at]) for each in points.values() for one in each if one[at] > 0]
        if not every:
            continue
        low, high = np.log10(np.min(every, axis=0)) - 0.1, np.log10(np.max(every, axis=0)) + 0.1
        left = panel * WIDTH

        def place(rows: float, cost: float, low=low, high=high, left=left) -> str:  # type: ignore[no-untyped-def]
            share = (np.log10([rows, cost]) - low) / (high - low)
            across, up = share * (WIDTH - 2 * EDGE, HEIGHT - 2 * EDGE)
            return f"{left + EDGE + across:.1f},{HEIGHT - EDGE - up:.1f}"

        drawn.append(f'<text x="{left + EDGE}" y="{EDGE / 2}">{what} against rows</text>')
        for colour, each in zip(COLOURS, points.values(), strict=False):
            line = " ".join(place(one[0], one[at]) for one in each if one[at] > 0)
            drawn.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
            for one in each:
                if one[at] > 0:
                    x, y = place(one[0], one[at]).split(",")
                    drawn.append(f'<circle cx="{x}" cy="{y}" r="3" fill="{colour}"/>')
                    drawn.append(f'<text x="{x}" y="{float(y) - 6}" font-size="9">{one[0]:,}: {one[at]:.0f}</text>')
        for turn, (colour, name) in enumerate(zip(COLOURS, points, strict=False)):
            drawn.append(f'<text x="{left + EDGE}" y="{EDGE + 14 * turn}" fill="{colour}">{name}</text>')
    size = f'width="{2 * WIDTH}" height="{HEIGHT}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="12">{"".join(drawn)}</svg>'
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rows", default="50000,100000,200000,400000")
    parser.add_argument("--method", default="split,bloom,record,blind")
    parser.add_argument("--stage", nargs=2, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.stage:
        print(json.dumps(stage(asked.stage[0], int(asked.stage[1]))))
        return
    asked.folder.mkdir(parents=True, exist_ok=True)
    kept = asked.folder / "growth.json"
    known = json.loads(kept.read_text(encoding="utf-8")) if kept.is_file() else {}
    points: dict[str, list[Point]] = {name: [tuple(one) for one in found] for name, found in known.items()}
    for name in asked.method.split(","):
        points.setdefault(name, [])
        for rows in map(int, asked.rows.split(",")):
            if any(one[0] == rows for one in points[name]):
                continue
            command = [sys.executable, "-m", "tests.benchmarks.growth", str(asked.folder), "--stage", name, str(rows)]
            out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
            cpu, memory = json.loads(out.strip().splitlines()[-1])
            points[name] = sorted([*points[name], (rows, cpu, memory)])
            kept.write_text(json.dumps(points), encoding="utf-8")
            print(f"{name}, {rows:,} x {rows:,}: {cpu:.1f} s of a core, {memory:,.0f} MB", flush=True)
            (asked.folder / "growth.svg").write_text(plot(points), encoding="utf-8")
        sizes, cpus, memories = ([one[at] for one in points[name]] for at in (0, 1, 2))
        print(
            f"{name}: time grows with exponent {exponent(sizes, cpus):.2f} (goal {TIME_GOAL}), "
            f"memory {exponent(sizes, memories):.2f} (goal {MEMORY_GOAL})",
            flush=True,
        )


if __name__ == "__main__":
    main()
