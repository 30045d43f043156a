"""Recall at 1 of the nearest neighbour under noise: `python -m tests.benchmarks.scan_nearest [rows]`.

Goals at 50,000 records: permute-and-flip 12 .83, 15 .98, 20 .998; the seed's Laplace noise 20 .21, 30 .88.
"""

from __future__ import annotations

import sys
import time
from dataclasses import replace

import numpy as np

from pprl_desktop.codes.base import Recipe, method
from pprl_desktop.codes.corrupt import SINGLE_EDITS, Rates, corrupt
from pprl_desktop.decisions.base import MatchOptions
from pprl_desktop.decisions.learn import learn
from pprl_desktop.decisions.nearest import run
from pprl_desktop.progress import NO_PROGRESS
from tests.benchmarks.scan_people import people

QUERIES = 2000


def main(rows: int = 50_000) -> None:
    made = method("dp-nn")
    table = people(rows)
    strangers = people(QUERIES, seed=1)
    recipe = Recipe("dp-nn", table.fields, made.defaults(), secret=bytes(32))
    own = made.smash(table, recipe, NO_PROGRESS)
    chosen = table.take(np.arange(QUERIES))
    asked = {
        "one slip per record": made.smash(corrupt(chosen, 1, SINGLE_EDITS), recipe, NO_PROGRESS),
        "usual slips": made.smash(corrupt(chosen, 1, Rates()), recipe, NO_PROGRESS),
        "nobody here": made.smash(strangers, recipe, NO_PROGRESS),
    }
    print(f"{rows:,} records, {QUERIES:,} queries; ln n = {np.log(rows):.1f}")
    print(f"{'noise':<18}{'epsilon':>8}" + "".join(f"{name:>22}" for name in asked) + f"{'ms/query':>10}")
    for noise, epsilons in (("permute-and-flip", (5, 8, 10, 12, 15, 20)), ("laplace", (12, 20, 30, 40))):
        for epsilon in epsilons:
            settings = replace(recipe.settings, epsilon=float(epsilon), nearest=noise)
            rule = learn(table, own, replace(recipe, settings=settings), 0, NO_PROGRESS)
            shown, start = [], time.perf_counter()
            for name, bundle in asked.items():
                random = np.random.default_rng(epsilon)
                found = run(own, bundle, rule, MatchOptions(random_bytes=random.bytes), NO_PROGRESS)
                right = int((found.own == found.partner).sum())
                shown.append(
                    f"{len(found) / QUERIES:.3f} answered" if name == "nobody here" else f"{right / QUERIES:.3f}"
                )
            taken = 1000 * (time.perf_counter() - start) / (len(asked) * QUERIES)
            print(f"{noise:<18}{epsilon:>8}" + "".join(f"{text:>22}" for text in shown) + f"{taken:>10.2f}")


if __name__ == "__main__":
    main(*(int(each) for each in sys.argv[1:2]))
