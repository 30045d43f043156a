"""Does a second round pay, whose keys are chosen from what the first one showed?

    python -m tests.benchmarks.blind_second [--sets temporal_5k,missing_4k] [--populations 6 --seed N --size 1200]
                                            [--first .10] [--more .05]

Round one as always. Its match tells how often each field of one person agrees, slips, differs or is missing (the m that
EM learned); round two damages own records by these rates, leaves out whom round one would find, and chooses further
keys within `--more` coverage. Beside it one round that may use the coverage of both from the start. Four lines per set,
each as soon as it is known: F1, share of true pairs that share a key and union coverage (the larger of both sides) of
round one, of both rounds, of one round with the sum, and of one round whose keys were chosen on the true pairs
themselves ("told the truth"): more than any round could learn. Played in clear (blind_clear.py).
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from pprl_desktop.blind.meter import limits_for, measure
from pprl_desktop.codes.corrupt import SINGLE_EDITS, corrupt
from pprl_desktop.codes.directions import of_flag
from pprl_desktop.codes.keys.choose import choose
from pprl_desktop.codes.keys.recipe import KeyRecipe
from pprl_desktop.codes.keys.worlds import HeldKeys, World, Worlds
from pprl_desktop.decisions.base import Match, MatchOptions
from pprl_desktop.evaluation.blind import agreed_keys
from pprl_desktop.problem import Problem
from pprl_desktop.progress import NO_PROGRESS
from pprl_desktop.records.table import MISSING, CleanTable, Column
from tests.benchmarks import blind, quality
from tests.benchmarks.believe import suggested
from tests.benchmarks.blind_clear import decided
from tests.benchmarks.populations import World as Lives
from tests.benchmarks.populations import draw, make

PEOPLE = 2000  # own records that are damaged as the first round showed
COLUMNS = (
    ("first", "middle", "last", "year", "sex", "region"),
    ("first", "last", "dob", "zip", "sex"),
    ("first", "middle", "last", "age", "sex"),
)
Set = tuple[str, CleanTable, CleanTable, quality.Truth, bool]


def as_shown(table: CleanTable, match: Match, seed: int = 0) -> CleanTable:
    """Records damaged field by field: kept, slipped, shortened or replaced as often as in the first round's match."""
    random = np.random.default_rng(seed)
    columns = []
    for place, (one, column) in enumerate(zip(table.fields, table.columns, strict=True)):
        share = {level["level"]: level["m"] for level in match.scored.notes["levels"][one.name]}
        differs, whole = share.get("differs", 0.0), share.get("whole", 1.0)
        short = share.get("initial", 0.0) if one.kind == "name" else 0.0
        near = max(1.0 - differs - whole, 0.0)
        drawn = random.random(table.rows)
        codes = np.where((drawn < differs) & (column.codes != MISSING), random.permutation(column.codes), column.codes)
        slipped = corrupt(CleanTable((one,), (column,)), seed + place, SINGLE_EDITS).columns[0].cells()
        cells = Column(column.name, column.values, codes.astype(np.int32)).cells()
        for row in np.flatnonzero((drawn >= differs) & (drawn < differs + near)).tolist():
            cells[row] = cells[row][:1] if random.random() < short / max(near, 1e-9) else slipped[row]
        made = Column.of(column.name, cells)
        blank = [at for at, value in enumerate(made.values) if value == ""]
        columns.append(replace(made, codes=np.where(np.isin(made.codes, blank), MISSING, made.codes).astype(np.int32)))
    return CleanTable(table.fields, tuple(columns))


def second_recipe(table: CleanTable, partner_rows: int, first: KeyRecipe, match: Match, more: float) -> KeyRecipe:
    random = np.random.default_rng(1)
    people = table.take(random.integers(0, table.rows, PEOPLE))
    damaged = as_shown(people, match)
    found = HeldKeys(Worlds(people, (World("as shown", 1.0, damaged),)), first)._any[-1]
    left = np.flatnonzero(~found)
    if len(left) < 20:
        raise Problem("The first round leaves nobody.")
    world = Worlds(people.take(left), (World("as shown", 1.0, damaged.take(left)),))
    made = choose(table, partner_rows, more, worlds=world).recipe
    return KeyRecipe(tuple(key for key in made.keys if key not in first.keys))


def union(a: CleanTable, b: CleanTable, recipe: KeyRecipe) -> float:
    limits = limits_for(a, recipe, b.rows, asks=True)
    return max(measure(a, recipe, limits.rows, b.rows).coverage, measure(b, recipe, limits.asked, a.rows).coverage)


def played(
    a: CleanTable, b: CleanTable, truth: quality.Truth, one_to_one: bool, first: float, more: float
) -> Iterator[str]:
    """Each way as soon as it was played: a run that is cut short has told something."""
    options = MatchOptions(of_flag(one_to_one))

    def told(recipe: KeyRecipe) -> str:
        match, opened = decided(a, b, recipe, options)
        at = match.accepted()
        found = set(zip(match.scored.own[at].tolist(), match.scored.partner[at].tolist(), strict=True))
        shared = len({(int(x), int(y)) for x, y in opened} & truth) / max(len(truth), 1)
        return (
            f"F1 {quality.figures(found, truth)[2]:.4f}  keys find {shared:.3f}  coverage {union(a, b, recipe):.3f}  "
            f"{len(recipe.keys)} keys"
        )

    one = agreed_keys(a, b, first, 0, NO_PROGRESS)[0].recipe
    yield f"one round         {told(one)}"
    try:
        further = second_recipe(a, b.rows, one, decided(a, b, one, options)[0], more)
        yield f"and a second      {told(KeyRecipe((*one.keys, *further.keys)))}"
    except Problem as problem:
        yield f"no second: {problem.what}"
    whole = agreed_keys(a, b, first + more, 0, NO_PROGRESS)[0].recipe
    yield f"the sum at once   {told(whole)}"
    yield f"told the truth    {told(truly(a, b, truth, first))}"


def truly(a: CleanTable, b: CleanTable, truth: quality.Truth, bound: float) -> KeyRecipe:
    """Keys for the damage that is really there."""
    pairs = np.array(sorted(truth))
    pairs = pairs[np.random.default_rng(1).permutation(len(pairs))[:PEOPLE]]
    world = World("as it is", 1.0, b.take(pairs[:, 1]))
    return choose(a, b.rows, bound, worlds=Worlds(a.take(pairs[:, 0]), (world,))).recipe


def renamed(seed: int, size: int) -> Lives:
    """Three in ten have another last name in the second file, which is three times as dirty as the first."""
    return replace(
        draw(seed, size), people=(size, size), overlap=0.5, twice=(0.0, 0.0), renamed=0.3, columns=COLUMNS[seed % 3],
        culture="american", dirt=(0.02, 0.06), missing=(0.03, 0.03), formats=(), gaps_by_group=0.0, institutions=0.0,
    )  # fmt: skip


def sets(args: argparse.Namespace) -> Iterator[Set]:
    quality.SETS |= blind.SETS | blind.MORE
    if args.populations:
        for seed in range(args.seed, args.seed + args.populations):
            population = make(renamed(seed, args.size))
            a, b = suggested(population)
            yield f"seed {seed}", a, b, set(population.truth), True
        return
    for name in args.sets.split(","):
        yield (name, *quality.load(name))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", default="temporal_5k,missing_4k")
    parser.add_argument("--populations", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--size", type=int, default=1200)
    parser.add_argument("--first", type=float, default=0.10)
    parser.add_argument("--more", type=float, default=0.05)
    args = parser.parse_args()
    for name, a, b, truth, one_to_one in sets(args):
        since = time.process_time()
        try:
            for said in played(a, b, truth, one_to_one, args.first, args.more):
                print(f"{name:<14} {said} ({time.process_time() - since:.0f} s)", flush=True)
        except Problem as problem:
            print(f"{name:<14} refused: {problem.what}", flush=True)


if __name__ == "__main__":
    main()
