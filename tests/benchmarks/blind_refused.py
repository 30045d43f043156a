"""How often does the partner refuse the keys that were chosen on the other side's table, and what does room cost?

    python -m tests.benchmarks.blind_refused [--sizes 100x100,300x300,...] [--populations 10 --seed N] [--bound .10]

Both sides as in the program: one prepares a proposal on its table, the other weighs it on its own, once. Made-up
populations only. A line per pair of sizes: proposals made, share that the partner would refuse, the mean of what is
reached on the own table and on the partner's (as shares of what may be signed), the ninth decile of the second,
the mean share of true pairs that share a key (0 where no proposal could be made), processor seconds of a proposal.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass, replace

import numpy as np

from pprl_desktop.job.blind import Wish, prepare, weigh
from pprl_desktop.problem import Problem
from pprl_desktop.records.table import CleanTable
from tests.benchmarks.believe import suggested
from tests.benchmarks.blind_clear import joined
from tests.benchmarks.populations import draw, make

SIZES = "100x100,200x200,500x500,1000x1000,2000x2000,2000x200,200x2000,600x300"


@dataclass(frozen=True)
class Proposal:
    own: float  # on the table on which the keys were chosen, as a share of what may be signed (Meter.over)
    partner: float
    recall: float  # share of the true pairs that share a key
    seconds: float


def proposed(a: CleanTable, b: CleanTable, truth: frozenset[tuple[int, int]], bound: float | None) -> Proposal | None:
    """None where no keys can be proposed at all."""
    since = time.process_time()
    try:
        made = prepare(a, Wish(b.rows, bound))
    except Problem:
        return None
    seconds = time.process_time() - since
    agreed = made.terms.coverage
    theirs = weigh(b, made.terms, "accepter").meter.over(agreed)
    found = {(int(x), int(y)) for x, y in joined(a, b, made.terms.recipe)}
    recall = len(found & truth) / max(len(truth), 1)
    return Proposal(made.weighed.meter.over(agreed), theirs, recall, seconds)


def line(sizes: tuple[int, int], seeds: range, bound: float | None) -> str:
    tried, made = 0, []
    for seed in seeds:
        population = make(replace(draw(seed), people=sizes, overlap=0.5, twice=(0.0, 0.0)))
        a, b = suggested(population)
        kinds = {one.kind for one in a.fields}
        if not kinds - {"name", "category"}:
            continue  # names only: refused beforehand
        tried += 1
        one = proposed(a, b, population.truth, bound)
        if one is not None:
            made.append(one)
    if not made:
        return f"{sizes[0]}x{sizes[1]}: no proposal of {tried}"
    own, theirs, recall, seconds = (
        np.array([getattr(one, name) for one in made]) for name in ("own", "partner", "recall", "seconds")
    )
    return (
        f"{f'{sizes[0]}x{sizes[1]}':<10} {len(made):3}/{tried:<3} {np.mean(theirs > 1.005):7.2f} {own.mean():5.2f} "
        f"{theirs.mean():8.2f} {np.quantile(theirs, 0.9):7.2f} {recall.sum() / tried:7.3f} {seconds.mean():5.1f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default=SIZES)
    parser.add_argument("--populations", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--bound", type=float, default=None)
    args = parser.parse_args()
    print(f"{'rows':<10} {'made':>7} {'refused':>7} {'own':>5} {'partner':>8} {'9 in 10':>7} {'recall':>7} {'s':>5}")
    for sizes in args.sizes.split(","):
        own, other = (int(one) for one in sizes.split("x"))
        print(line((own, other), range(args.seed, args.seed + args.populations), args.bound), flush=True)


if __name__ == "__main__":
    main()
