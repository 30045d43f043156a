"""Whether the program's figures can be believed, on populations that nobody has seen.

    python -m tests.benchmarks.believe --seed N [--populations 12] [--size 2500] [--methods bloom]
                                       [--directions one,many] [--worlds]

Each population is linked as a steward would who follows every suggestion. A line per run: F1, true and expected
precision, the second opinion with its interval, whether the program calls the figures reliable; then how far the
figures were off over all. A one-to-one result is measured against the pairs it can hold at most.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass

import numpy as np

from pprl_desktop.codes.directions import of_flag
from pprl_desktop.decisions.base import MatchOptions
from pprl_desktop.evaluation.believed import believed as of_both
from pprl_desktop.evaluation.play import Play, play
from pprl_desktop.records.cleaning import clean
from pprl_desktop.records.fields import Field
from pprl_desktop.records.profile import profile
from pprl_desktop.records.table import CleanTable
from tests.benchmarks.populations import Population, draw, make
from tests.benchmarks.quality import recipe_for

TOO_HIGH = 0.1  # expected above true precision: a false figure
STRAY = 5000  # records per stray pair that may be linked where nobody is shared


@dataclass(frozen=True)
class Line:
    seed: int
    shared: int  # true pairs that can be found
    linked: int
    right: int
    expected: float
    expected_recall: float
    opinion: tuple[float, float, float]  # second opinion: precision, low, high
    reliable: bool
    records: int
    seconds: float

    @property
    def precision(self) -> float:
        return self.right / self.linked if self.linked else 1.0

    @property
    def recall(self) -> float:
        return self.right / self.shared if self.shared else 1.0

    @property
    def f1(self) -> float:
        total = self.linked + self.shared
        return 2 * self.right / total if total else 1.0

    @property
    def off(self) -> float:
        """Expected minus true precision; nothing linked is nothing claimed."""
        return self.expected - self.precision if self.linked else 0.0


def suggested(population: Population) -> tuple[CleanTable, CleanTable]:
    """Both files in the fields that the program suggests to both sides."""
    a, b = profile(population.a), profile(population.b)
    names = [name for name in a.matching if name in b.matching] or list(a.matching)
    fields = tuple(Field.of(name, a.column(name).kind) for name in names)
    columns = {name: name for name in names}
    return clean(population.a, fields, columns), clean(population.b, fields, columns)


def line(population: Population, method: str, one_to_one: bool) -> Line:
    a, b = suggested(population)
    since = time.perf_counter()
    made = play(a, b, recipe_for(method, a, one_to_one, None), MatchOptions(of_flag(one_to_one)))
    linked = {(int(x), int(y)) for x, y in made.linked}
    most = population.one_to_one_at_most() if one_to_one else len(population.truth)
    expected, opinion, reliable = believed(made)
    return Line(
        population.world.seed,
        most,
        len(linked),
        len(linked & population.truth),
        expected[0],
        expected[1],
        opinion,
        reliable,
        a.rows + b.rows,
        time.perf_counter() - since,
    )


def believed(made: Play) -> tuple[tuple[float, float], tuple[float, float, float], bool]:
    """Expected precision and recall, second opinion and reliability of the reconciled result."""
    told = of_both(made.linked, ((made.a.match, False), (made.b.match, True)))
    expected, second = told.expected, told.second_opinion
    return (
        (expected.get("precision", np.nan), expected.get("recall", np.nan)),
        (second.get("precision", np.nan), second.get("low", np.nan), second.get("high", np.nan)),
        told.reliable,
    )


def summary(lines: list[Line]) -> str:
    found = [one for one in lines if one.shared]
    nobody = [one for one in lines if not one.shared]
    claimed = [one for one in lines if one.linked and np.isfinite(one.expected)]
    off = np.array([one.off for one in claimed if one.reliable])
    high = [one for one in claimed if one.off > TOO_HIGH]
    right = [one for one in claimed if abs(one.off) <= TOO_HIGH]
    stray = sum(one.linked for one in nobody)
    recall = np.array([abs(one.expected_recall - one.recall) for one in claimed if one.reliable and one.shared])
    return "\n".join(
        [
            f"mean F1 {np.mean([one.f1 for one in found]):.3f} over {len(found)}; "
            f"{len(high)} of {len(claimed)} promise a precision more than {TOO_HIGH} too high, "
            f"{sum(one.reliable for one in high)} of them without a warning",
            f"where reliable ({len(off)}): |expected - true precision| median {np.median(np.abs(off)):.3f}, "
            f"95 % within {np.quantile(np.abs(off), 0.95):.3f}; recall median {np.median(recall):.3f}"
            if len(off)
            else "nothing reliable",
            f"called unreliable although right: {sum(not one.reliable for one in right)} of {len(right)}",
            f"nobody shared: {stray} stray pairs among {sum(one.records for one in nobody):,} records "
            f"(allowed {sum(one.records for one in nobody) / STRAY:.1f}), {sum(one.seconds for one in lines):.0f} s",
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, required=True, help="a number not used before")
    parser.add_argument("--populations", type=int, default=12)
    parser.add_argument("--size", type=int, default=2500)
    parser.add_argument("--methods", default="bloom")
    parser.add_argument("--directions", default="one,many")
    parser.add_argument("--worlds", action="store_true", help="say what each population is like")
    args = parser.parse_args()
    for method in args.methods.split(","):
        for direction in args.directions.split(","):
            lines = []
            print(f"{method}, one-to-{direction}")
            for seed in range(args.seed, args.seed + args.populations):
                population = make(draw(seed, args.size))
                one = line(population, method, direction == "one")
                lines.append(one)
                print(
                    f"{seed:>6}  F1 {one.f1:.3f}  P {one.precision:.3f}  expected {one.expected:.3f}  second "
                    f"{one.opinion[0]:.3f} ({one.opinion[1]:.2f}-{one.opinion[2]:.2f})  R {one.recall:.3f}  expected "
                    f"{one.expected_recall:.3f}  {'' if one.reliable else 'not reliable'}  {one.linked} of "
                    f"{one.shared}, {one.seconds:.1f} s" + (f"  {population.world.said()}" if args.worlds else ""),
                    flush=True,
                )
            print(summary(lines), flush=True)


if __name__ == "__main__":
    main()
