"""Speed of split-svm as ratios within one run, on people who do not exist.

python tests/benchmarks/split_speed.py [--rows 50000] [--million]

The baseline is Algorithm 3 pair by pair in memory: scipy cosine distances per mapped attribute and the linear decision,
timed on 2,000 x 2,000 and scaled by pairs. Compiling is done before the clock starts. Each stage runs in a process of
its own, so the peak memory is its own.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time

import numpy as np

from pprl_desktop.codes.base import Recipe, Settings, Smashed, method
from pprl_desktop.codes.corrupt import Rates, corrupt
from pprl_desktop.decisions.base import MatchOptions
from pprl_desktop.decisions.learn import learn as learned
from pprl_desktop.matching.decide import decide
from pprl_desktop.matching.match import score
from pprl_desktop.progress import NO_PROGRESS
from pprl_desktop.records.fields import Field
from pprl_desktop.records.table import CleanTable, Column
from pprl_desktop.reference.load import reference_set
from pprl_desktop.reference.names import dictionary

FIELDS = tuple(Field.of(name) for name in ("last_name", "first_name", "middle_name"))
BASELINE_ROWS = 2000
SVM = method("split-svm")


def people(rows: int, seed: int) -> CleanTable:
    """Recombined names with their frequencies in the population."""
    rng = np.random.default_rng(seed)
    columns = []
    for field, kind in zip(FIELDS, ("last", "first", "first"), strict=True):
        names = dictionary("last" if kind == "last" else "first")
        weights = np.asarray(names.counts, dtype=np.float64)
        codes = rng.choice(len(weights), size=rows, p=weights / weights.sum())
        used, codes = np.unique(codes, return_inverse=True)
        values = np.empty(len(used), dtype=object)
        values[:] = [str(names.values[k]) for k in used]
        columns.append(Column(field.name, values, codes.astype(np.int32)))
    return CleanTable(FIELDS, tuple(columns))


def both_sides(rows: int) -> tuple[CleanTable, CleanTable]:
    """A quarter of the people are on both sides, with slips."""
    everyone = people(2 * rows - rows // 4, 7)
    partner = np.arange(rows - rows // 4, 2 * rows - rows // 4)
    slips = Rates(touched=1.0, further=0.0, initial=0.0, swap=0.0, missing=0.0)
    return everyone.take(np.arange(rows)), corrupt(everyone.take(partner), 3, slips)


def recipe(reference: str, kernel: str) -> Recipe:
    settings = Settings(decision="svm", kernel="rbf" if kernel == "rbf" else "linear")
    return Recipe("split-svm", FIELDS, settings, reference_set(reference))


def stage(rows: int, reference: str, kernel: str) -> dict[str, float]:
    """Seconds of each step and the peak memory, in this process."""
    r = recipe(reference, kernel)
    small = people(300, 1)
    warm = SVM.smash(small, r, NO_PROGRESS)
    decide(score(warm, warm, learned(small, warm, r, 0, NO_PROGRESS), MatchOptions()), MatchOptions())
    own, partner = both_sides(rows)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    clocks = [_clock()]
    a, b = SVM.smash(own, r, NO_PROGRESS), SVM.smash(partner, r, NO_PROGRESS)
    clocks.append(_clock())
    rule = learned(own, a, r, 1, NO_PROGRESS)
    clocks.append(_clock())
    scored = score(a, b, rule, MatchOptions())
    clocks.append(_clock())
    made = decide(scored, MatchOptions())
    clocks.append(_clock())
    (smash, smash_cpu), (learn, learn_cpu), (join, join_cpu), (assign, assign_cpu) = np.diff(clocks, axis=0).tolist()
    return {
        "smash": smash,
        "learn": learn,
        "match": join,
        "assign": assign,
        "smash+match": smash + join,
        "smash+match cpu": smash_cpu + join_cpu,
        "learn+assign cpu": learn_cpu + assign_cpu,
        "pairs": len(scored),
        "accepted": len(made.accepted()),
        "before_mb": before / 1024,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def baseline(rows: int) -> dict[str, float]:
    """Algorithm 3 pair by pair for 2,000 x 2,000 records, scaled to rows x rows."""
    from scipy.spatial.distance import cdist

    r = recipe("us-200", "linear")
    own, partner = both_sides(BASELINE_ROWS)
    a, b = SVM.smash(own, r, NO_PROGRESS), SVM.smash(partner, r, NO_PROGRESS)
    start = _clock()
    total = np.zeros((BASELINE_ROWS, BASELINE_ROWS))
    for part in a.parts:
        total += cdist(_rows(a, part.name), _rows(b, part.name), "cosine")
    (total <= 0.02).sum()
    seconds, cpu = np.subtract(_clock(), start).tolist()
    more = (rows / BASELINE_ROWS) ** 2
    return {"seconds": seconds, "scaled": seconds * more, "scaled cpu": cpu * more}


def _clock() -> tuple[float, float]:
    """Seconds on the wall and of all cores: the second hardly depends on what else the machine does."""
    return time.perf_counter(), time.process_time()


def _rows(side: Smashed, name: str) -> np.ndarray:
    part = side.part(name)
    return part.values[part.rows].astype(np.float64)


def apart(*arguments: str) -> dict[str, float]:
    out = subprocess.run([sys.executable, __file__, *arguments], capture_output=True, text=True, check=True).stdout
    found: dict[str, float] = json.loads(out.strip().splitlines()[-1])
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=50_000)
    parser.add_argument("--million", action="store_true")
    parser.add_argument("--stage", nargs=2, metavar=("REFERENCE", "KERNEL"))
    parser.add_argument("--baseline", action="store_true")
    asked = parser.parse_args()
    if asked.stage:
        print(json.dumps(stage(asked.rows, *asked.stage)))
        return
    if asked.baseline:
        print(json.dumps(baseline(asked.rows)))
        return
    rows = str(asked.rows)
    slow = apart("--rows", rows, "--baseline")
    print(f"pair by pair, scaled to {asked.rows:,} x {asked.rows:,}: {slow['scaled']:.0f} s", flush=True)
    linear = apart("--rows", rows, "--stage", "us-200", "linear")
    base = linear["smash+match"]
    print(f"linear, 200 reference records: {_line(linear)}")
    print(f"  {slow['scaled'] / base:.0f} times faster than pair by pair (goal: 200),")
    print(f"  {slow['scaled cpu'] / linear['smash+match cpu']:.0f} times in seconds of a core")
    print(
        f"  training, threshold, assignment: {(linear['learn'] + linear['assign']) / base:.2f} of it (goal: 1)", end=""
    )
    print(f", {linear['learn+assign cpu'] / linear['smash+match cpu']:.2f} in seconds of a core", flush=True)
    for reference, kernel, goal in (("us-2000", "linear", 6), ("us-200", "rbf", 3)):
        found = apart("--rows", rows, "--stage", reference, kernel)
        print(f"{kernel}, {reference}: {_line(found)}")
        print(f"  {found['smash+match'] / base:.2f} times linear with 200 (goal: at most {goal})", flush=True)
    if asked.million:
        found = apart("--rows", "1000000", "--stage", "us-200", "linear")
        print(f"1M x 1M: {_line(found)}\n  {found['smash+match'] / base:.0f} times 50k (goal: at most 100)")


def _line(found: dict[str, float]) -> str:
    steps = ", ".join(f"{name} {found[name]:.2f} s" for name in ("smash", "learn", "match", "assign"))
    return f"{steps}; {found['pairs']:.0f} pairs; peak {found['peak_mb']:.0f} MB ({found['before_mb']:.0f} before)"


if __name__ == "__main__":
    main()
