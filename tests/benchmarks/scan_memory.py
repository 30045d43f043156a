"""Memory that matching takes against what was told before: `python -m tests.benchmarks.scan_memory [name ...]`.

Each line runs in a fresh process (Linux): MB told by engine.estimate, MB taken (the most the process held while
matching, less what it held before, with the smashed data of both sides). Goal: told within a factor of 1.4 of taken.
"""

from __future__ import annotations

import ctypes
import gc
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

from pprl_desktop.codes.base import method
from pprl_desktop.decisions.base import MatchOptions
from pprl_desktop.decisions.learn import learn
from pprl_desktop.matching.match import estimate, match
from pprl_desktop.privacy.keystream import Keystream
from pprl_desktop.privacy.noise import bundle_epsilon, noised
from pprl_desktop.progress import NO_PROGRESS
from tests.benchmarks.cancel import CASES, recipe_of, two_sides

SIZES: dict[str, tuple[int, ...]] = {
    "split": (3_000, 10_000),
    "split-svm": (10_000, 30_000, 100_000),
    "split-svm rbf": (10_000, 30_000, 100_000),
    "simhash": (20_000, 50_000, 100_000),
    "simhash eps 2": (20_000, 50_000, 100_000),
    "simhash lsh": (150_000, 250_000),
    "bloom field": (3_000, 10_000),
    "bloom": (20_000, 50_000, 100_000),
    "bloom eps 2": (20_000, 50_000, 100_000),
    "dp-nn": (5_000, 20_000, 50_000),
    "plain": (2_000, 5_000, 10_000),
}
GOAL = 1.4
NAMED = {"split-svm": 3, "split-svm rbf": 3}  # the first so many fields only: last name, first name, birth date


def held(line: str) -> int:
    for text in Path("/proc/self/status").read_text().splitlines():
        if text.startswith(line):
            return int(text.split()[1]) << 10
    raise OSError("the system does not tell")


def one(name: str, rows: int) -> None:
    kind, settings, _ = CASES[name]
    made = method(kind)
    warm, _ = two_sides(300)
    small = recipe_of(kind, settings, warm)
    first = made.smash(warm, small, NO_PROGRESS)
    match(first, first, learn(warm, first, small, 0, NO_PROGRESS), MatchOptions(), NO_PROGRESS)  # compiles
    a, b = two_sides(rows)
    if fields := NAMED.get(name):
        a, b = (replace(side, fields=side.fields[:fields], columns=side.columns[:fields]) for side in (a, b))
    recipe = recipe_of(kind, settings, a)
    own, partner = (made.smash(side, recipe, NO_PROGRESS) for side in (a, b))
    partner = noised(partner, bundle_epsilon(recipe), Keystream.repeatable(0, "b"))
    rule = learn(a, own, recipe, 0, NO_PROGRESS)
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    before = held("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")  # forgets the peak
    told = estimate(own, partner, rule, MatchOptions())
    match(own, partner, rule, MatchOptions(), NO_PROGRESS)
    taken = held("VmHWM") - before + own.nbytes() + partner.nbytes()
    mark = "" if 1 / GOAL <= told / taken <= GOAL else "  <--"
    print(f"{name:<16}{rows:>10,}{told >> 20:>8,}{taken >> 20:>8,}{told / taken:>8.2f}{mark}", flush=True)


def main(names: list[str]) -> None:
    print(f"{'':<16}{'rows':>10}{'told':>8}{'taken':>8}{'ratio':>8}", flush=True)
    for name in names:
        for rows in SIZES[name]:
            subprocess.run([sys.executable, "-m", "tests.benchmarks.scan_memory", "--one", name, str(rows)], check=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        one(sys.argv[2], int(sys.argv[3]))
    else:
        main(sys.argv[1:] or list(SIZES))
