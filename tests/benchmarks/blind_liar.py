"""Does a lying partner open more than the meter told?

    python -m tests.benchmarks.blind_liar [--sets temporal_5k,febrl4] [--populations 4 --seed N --size 2000]

Keys and limits as two stewards would agree on; then the partner guesses best first, every question of its budget, and
the answerer's records that hold a guessed key are counted, all of them (in clear: tests/rehearsal plays the protocol).
A line per set: coverage told by the answerer's meter; opened by the partner that the meter has in mind (public lists,
the rest as frequent as in the table); opened by one who takes the frequencies of its own table in place of the
answerer's; the larger of the two over what was told (at most 1.2 is wanted). Last what the meter tells of a partner who
asks by each key about those whom the other keys miss (codes/keys/careful.py).
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from pprl_desktop.codes.keys import coverage
from pprl_desktop.codes.keys.recipe import Columns, Key, values_of
from pprl_desktop.evaluation.blind import agreed_keys
from pprl_desktop.problem import Problem
from pprl_desktop.progress import NO_PROGRESS
from pprl_desktop.records.table import CleanTable
from pprl_desktop.rehearsal.blind import digests_of
from tests.benchmarks import quality
from tests.benchmarks.believe import suggested
from tests.benchmarks.blind import MORE, SETS
from tests.benchmarks.populations import draw, make


def opened(table: Columns, guesser: coverage.Guesser, key: Key, budget: int) -> np.ndarray:
    """Rows of the table that hold a guessed key."""
    guessed = {row.tobytes() for row in digests_of(coverage.guesses(guesser, key, budget))}
    values = values_of(table, key)
    hit = np.fromiter((row.tobytes() in guessed for row in values.digests), bool, len(values.rows))
    return np.asarray(np.unique(values.rows[hit]))


def line(name: str, a: CleanTable, b: CleanTable, bound: float) -> str:
    since = time.process_time()
    try:
        _, plan, meters = agreed_keys(a, b, bound, 0, NO_PROGRESS)
    except Problem as problem:
        return f"{name:<14} refused: {problem.what}"
    columns = Columns(b)
    liars = coverage.Guesser(columns, "public"), coverage.Guesser(Columns(a), "public")
    hit = np.zeros((2, b.rows), dtype=bool)
    for key, budget in zip(plan.recipe.keys, plan.asked, strict=True):
        for place, liar in enumerate(liars):
            hit[place, opened(columns, liar, key, budget)] = True
    told, (foreseen, own) = meters[1].coverage, hit.mean(axis=1)
    return (
        f"{name:<14} told {told:.4f}  opened {foreseen:.4f}  with its own frequencies {own:.4f}  "
        f"{max(foreseen, own) / max(told, 1e-9):.2f} times  "
        f"a careful one {meters[1].careful:.4f}  ({time.process_time() - since:.0f} s of a core)"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", default="temporal_5k,missing_4k,de_time,oz_mod,intl_de,febrl4")
    parser.add_argument("--coverage", type=float, default=0.10)
    parser.add_argument("--populations", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--size", type=int, default=2000)
    args = parser.parse_args()
    quality.SETS |= SETS | MORE
    if args.populations:
        for seed in range(args.seed, args.seed + args.populations):
            a, b = suggested(make(draw(seed, args.size)))
            print(line(f"seed {seed}", a, b, args.coverage), flush=True)
        return
    for name in args.sets.split(","):
        a, b, _, _ = quality.load(name)
        print(line(name, a, b, args.coverage), flush=True)


if __name__ == "__main__":
    main()
