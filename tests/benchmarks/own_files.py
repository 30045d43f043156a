"""Which way carries the decision best where both files are at hand, on populations that nobody has seen.

    python -m tests.benchmarks.own_files FIRST_SEED POPULATIONS SIZE [METHOD ...]

Each population is linked once, as job/own_files.py does, with the suggested fields and direction. A line per run; then
mean F1, wrong links and the largest error of an expected precision that was called reliable, by method.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass

import numpy as np

from pprl_desktop.codes.base import method
from pprl_desktop.codes.directions import Direction, suggested
from pprl_desktop.codes.recipe import build, settings
from pprl_desktop.decisions.base import MatchOptions
from pprl_desktop.decisions.learn import learn
from pprl_desktop.job.held_twice import find
from pprl_desktop.matching.match import match
from pprl_desktop.progress import NO_PROGRESS
from pprl_desktop.records.table import CleanTable
from tests.benchmarks import believe
from tests.benchmarks.populations import Population, draw, make

METHODS = ("bloom", "split", "simhash")


@dataclass(frozen=True)
class Line:
    f1: float
    wrong: int
    off: float  # expected minus true precision
    reliable: bool
    shared: int


def line(population: Population, tables: tuple[CleanTable, CleanTable], direction: Direction, name: str) -> Line:
    a, b = tables
    recipe = build(name, a.fields, settings(name, direction=direction, layout="field"), "us-200")
    since = time.process_time()
    own, other = (method(name).smash(one, recipe, NO_PROGRESS) for one in (a, b))
    made = match(own, other, learn(a, own, recipe, 0), MatchOptions(direction))
    at = made.accepted()
    linked = set(zip(made.scored.own[at].tolist(), made.scored.partner[at].tolist(), strict=True))
    shared = population.one_to_one_at_most() if direction == "one-to-one" else len(population.truth)
    right = len(linked & population.truth)
    precision = right / len(linked) if linked else 1.0
    f1 = 2 * right / (len(linked) + shared) if linked or shared else 1.0
    expected = made.expected.get("precision", float("nan"))
    print(
        f"{population.world.seed} {name:8} {direction:13} F1 {f1:.3f} precision {precision:.3f} "
        f"expected {expected:.3f} reliable {made.reliable} {time.process_time() - since:.1f} s of processor time",
        flush=True,
    )
    return Line(f1, len(linked) - right, expected - precision if linked else 0.0, made.reliable, shared)


def main() -> None:
    first, populations, size = map(int, sys.argv[1:4])
    found: dict[str, list[Line]] = {name: [] for name in sys.argv[4:] or METHODS}
    for seed in range(first, first + populations):
        population = make(draw(seed, size))
        tables = believe.suggested(population)
        direction = suggested(find(tables[0]).share, find(tables[1]).share)
        for name, lines in found.items():
            lines.append(line(population, tables, direction, name))
    for name, lines in found.items():
        f1 = np.mean([one.f1 for one in lines if one.shared])
        off = max((abs(one.off) for one in lines if one.reliable), default=0.0)
        print(f"{name}: mean F1 {f1:.3f}, {sum(one.wrong for one in lines)} wrong links, reliable but off by {off:.3f}")


if __name__ == "__main__":
    main()
