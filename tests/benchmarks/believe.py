"""Whether the program's figures can be believed, on populations that nobody has seen.

    python -m tests.benchmarks.believe --seed N [--populations 12] [--size 2500 | 30-800 | any] [--methods bloom,split]
                [--directions one-to-one,many-to-many] [--conditions whole,nobody] [--some K] [--out RUNS.jsonl]
    python -m tests.benchmarks.believe --table RUNS.jsonl [RUNS.jsonl ...]

Each population is linked as a steward would who follows every suggestion, under every condition (the whole files,
nobody shared, one in a hundred, 30 against 30, 200 against all), in every direction, with every method; with --some, K
of these drawn at random. A run is a line of --out. --table prints the goals with what was reached over all runs of
those files, and how often pairs of some probability were right. A one-to-one result is measured against the pairs it
can hold at most.
"""

from __future__ import annotations

import argparse
import itertools
import json
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np

from pprl_desktop.codes.directions import DIRECTIONS, Direction
from pprl_desktop.decisions.base import REJECT, MatchOptions
from pprl_desktop.evaluation.believed import believed
from pprl_desktop.evaluation.play import Play, play
from pprl_desktop.records.cleaning import clean
from pprl_desktop.records.fields import Field
from pprl_desktop.records.profile import profile
from pprl_desktop.records.table import CleanTable
from tests.benchmarks.populations import CONDITIONS, Population, draw, make, under
from tests.benchmarks.quality import recipe_for

TOO_HIGH = 0.1  # expected above true precision: a false figure
FEW = 20  # links below which luck decides whether a figure was right
STRAY = 5000  # records per stray pair that may be linked where nobody is shared
BINS = (0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 0.97, 0.99, 1.0)  # of probabilities, for the reliability plot


@dataclass(frozen=True)
class Line:
    seed: int
    condition: str
    method: str
    direction: str
    records: int
    shared: int  # true pairs that can be found
    linked: int
    right: int
    expected: float | None  # precision; None: the program gave no figure
    expected_recall: float | None
    second: tuple[float, float, float] | None  # second opinion: precision, low, high
    reliable: bool
    reasons: tuple[str, ...]
    seconds: float  # of the processor
    pairs: tuple[int, ...]  # pairs looked at, by probability
    right_pairs: tuple[int, ...]
    world: str

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
        return self.expected - self.precision if self.linked and self.expected is not None else 0.0

    def said(self) -> str:
        expected, recall = (f"{one:.3f}" if one is not None else "-" for one in (self.expected, self.expected_recall))
        second = "{:.3f} ({:.2f}-{:.2f})".format(*self.second) if self.second else "-"
        return (
            f"{self.seed:>7} {self.condition:<9} {self.method:<6} {self.direction:<12} F1 {self.f1:.3f}  "
            f"P {self.precision:.3f} expected {expected} second {second}  R {self.recall:.3f} expected {recall}  "
            f"{'' if self.reliable else 'not reliable'}  {self.linked} of {self.shared}, {self.seconds:.1f} s"
        )


def suggested(population: Population) -> tuple[CleanTable, CleanTable]:
    """Both files in the fields that the program suggests to both sides."""
    a, b = profile(population.a), profile(population.b)
    names = [name for name in a.matching if name in b.matching] or list(a.matching)
    fields = tuple(Field.of(name, a.column(name).kind) for name in names)
    columns = {name: name for name in names}
    return clean(population.a, fields, columns), clean(population.b, fields, columns)


def line(population: Population, condition: str, method: str, direction: Direction) -> Line:
    a, b = suggested(population)
    since = time.process_time()
    recipe = recipe_for(method, a, direction == "one-to-one", None)
    recipe = replace(recipe, settings=replace(recipe.settings, direction=direction))
    made = play(a, b, recipe, MatchOptions(direction))
    spent = time.process_time() - since
    linked = {(int(x), int(y)) for x, y in made.linked}
    most = population.one_to_one_at_most() if direction == "one-to-one" else len(population.truth)
    told = believed(made.linked, ((made.a.match, False), (made.b.match, True)))
    pairs, right = _by_probability(made, population)
    second = told.second_opinion
    return Line(
        population.world.seed,
        condition,
        method,
        direction,
        a.rows + b.rows,
        most,
        len(linked),
        len(linked & population.truth),
        told.expected.get("precision"),
        told.expected.get("recall"),
        (second["precision"], second["low"], second["high"]) if second else None,
        told.reliable,
        tuple(one.template for one in told.reasons),
        round(spent, 2),
        pairs,
        right,
        population.world.said(),
    )


def _by_probability(made: Play, population: Population) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Pairs to accept or to review of the first side by what was said of them, and how many of them are right."""
    match = made.a.match
    at = np.flatnonzero(match.band != REJECT)
    own, partner = match.scored.own[at].tolist(), match.scored.partner[at].tolist()
    right = np.array([pair in population.truth for pair in zip(own, partner, strict=True)], dtype=np.bool_)
    bins = np.clip(np.searchsorted(BINS, match.scored.probability[at], side="right") - 1, 0, len(BINS) - 2)
    pairs, found = (np.bincount(of, minlength=len(BINS) - 1) for of in (bins, bins[right]))
    return tuple(pairs.tolist()), tuple(found.tolist())


# ---- the goals


@dataclass(frozen=True)
class Goal:
    name: str
    reached: str
    goal: str
    held: bool


def goals(lines: Sequence[Line]) -> list[Goal]:
    """Where a figure is given: expected against true. Flagged results count as claims only where they were right."""
    nobody = [one for one in lines if not one.shared]
    claimed = [one for one in lines if one.linked and one.expected is not None]
    off = np.array([abs(one.off) for one in claimed if one.reliable])
    high = [one for one in claimed if one.off > TOO_HIGH]
    unsaid = [one for one in high if one.reliable]
    right = [one for one in claimed if abs(one.off) <= TOO_HIGH and one.shared]
    alarms = [one for one in right if not one.reliable]
    stray, records = sum(one.linked for one in nobody), sum(one.records for one in nobody)
    recall = np.array(
        [
            abs(one.expected_recall - one.recall)
            for one in claimed
            if one.reliable and one.shared and one.expected_recall is not None
        ]
    )
    middle, tail = (float(np.quantile(off, at)) if len(off) else 0.0 for at in (0.5, 0.95))
    recall_middle = float(np.median(recall)) if len(recall) else 0.0
    silent = len(unsaid) / max(len(claimed), 1)
    false = len(alarms) / max(len(right), 1)
    return [
        Goal("precision, expected - true, median", f"{middle:.3f} of {len(off)}", "<= .02", middle <= 0.02),
        Goal("precision, 95 % within", f"{tail:.3f}", "<= .08", tail <= 0.08),
        Goal(f"too high by > {TOO_HIGH}, unsaid", f"{len(unsaid)} of {len(claimed)}", "<= 1 of 100", silent <= 0.01),
        Goal("unreliable although right", f"{len(alarms)} of {len(right)}", "<= 10 of 100", false <= 0.1),
        Goal("recall, expected - true, median", f"{recall_middle:.3f}", "<= .04", recall_middle <= 0.04),
        Goal("nobody shared: stray pairs", f"{stray} in {records:,} records", f"<= 1 in {STRAY:,}",
             stray <= max(records / STRAY, 0)),
    ]  # fmt: skip


def chance_alone(lines: Sequence[Line], times: int = 200) -> tuple[float, float, float]:
    """Median, 95 % and number too high of reliable figures that are exactly right: luck makes the rest."""
    told = [one for one in lines if one.reliable and one.linked and one.shared and one.expected is not None]
    if not told:
        return 0.0, 0.0, 0.0
    expected = np.array([min(one.expected or 0.0, 1.0) for one in told])
    linked = np.array([one.linked for one in told])
    off = expected - np.random.default_rng(0).binomial(linked, expected, size=(times, len(told))) / linked
    middle, tail = (float(np.quantile(np.abs(off), at, axis=1).mean()) for at in (0.5, 0.95))
    return middle, tail, float((off > TOO_HIGH).sum(axis=1).mean())


def table(lines: Sequence[Line]) -> str:
    found = [one for one in lines if one.shared]
    seeds = len({one.seed for one in lines})
    told = [f"{len(lines)} runs on {seeds} populations, mean F1 {np.mean([one.f1 for one in found] or [np.nan]):.3f}"]
    told += [f"  {'+' if one.held else 'NOT':<4} {one.name:<38} {one.reached:<26} {one.goal}" for one in goals(lines)]
    for of, these in (("all", lines), ("of 20 links and more", [one for one in lines if one.linked >= FEW])):
        middle, tail, high = chance_alone(these)
        reached = " | ".join(one.reached for one in goals(these)[:5])
        told.append(f"    {of}: {reached}; by chance alone {middle:.3f} | {tail:.3f} | {high:.1f}")
    for key in ("condition", "method", "direction"):
        for value in sorted({getattr(one, key) for one in lines}):
            these = [one for one in lines if getattr(one, key) == value]
            reached = [one.reached.split(" of ")[0].split(" in ")[0] for one in goals(these)]
            shared = [one.f1 for one in these if one.shared]
            told.append(
                f"    {value:<13} {len(these):>4} runs  F1 {np.mean(shared or [np.nan]):.3f}  precision off "
                f"{reached[0]}/{reached[1]}  unsaid {reached[2]}  alarms {reached[3]}  recall off {reached[4]}  "
                f"stray {reached[5]}"
            )
    pairs, right = (np.sum([getattr(one, of) for one in lines], axis=0) for of in ("pairs", "right_pairs"))
    told.append("  probability said   pairs   right")
    for low, top, count, good in zip(BINS[:-1], BINS[1:], pairs.tolist(), right.tolist(), strict=True):
        share = good / count if count else float("nan")
        told.append(f"    {low:.2f} to {top:.2f} {count:>9}   {share:.3f}  {'#' * round(40 * good / max(count, 1))}")
    return "\n".join(told)


def load(paths: Sequence[str]) -> list[Line]:
    made = []
    for path in paths:
        for text in Path(path).read_text().splitlines():
            plain = json.loads(text)
            for name in ("second", "reasons", "pairs", "right_pairs"):
                plain[name] = None if plain[name] is None else tuple(plain[name])
            made.append(Line(**plain))
    return made


def people(size: str, seed: int) -> int | None:
    """How many in a file: a number, one between two of them (small ones as often as large), or drawn with the world."""
    if size == "any":
        return None
    low, _, high = size.partition("-")
    if not high:
        return int(low)
    return int(int(low) * (int(high) / int(low)) ** np.random.default_rng([seed, 19]).random())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, help="a number not used before")
    parser.add_argument("--populations", type=int, default=12)
    parser.add_argument(
        "--size", default="2500", help="about so many people a file, or between two numbers; any: 30 to 200,000"
    )
    parser.add_argument("--methods", default="bloom,split")
    parser.add_argument("--directions", default=",".join(DIRECTIONS))
    parser.add_argument("--conditions", default=",".join(CONDITIONS))
    parser.add_argument("--some", type=int, help="runs a population, drawn at random")
    parser.add_argument("--out", help="a line is added to this file for each run")
    parser.add_argument("--worlds", action="store_true", help="say what each population is like")
    parser.add_argument("--table", nargs="+", metavar="RUNS.jsonl")
    args = parser.parse_args()
    if args.table:
        print(table(load(args.table)))
        return
    lines = []
    for seed in range(args.seed, args.seed + args.populations):
        world = draw(seed, people(args.size, seed))
        ways = list(itertools.product(args.conditions.split(","), args.methods.split(","), args.directions.split(",")))
        if args.some is not None:
            order = np.random.default_rng([seed, 18]).permutation(len(ways))
            ways = sorted(ways[at] for at in order[: args.some].tolist())
        for condition, these in itertools.groupby(ways, key=lambda way: way[0]):
            population = make(under(world, condition))
            for _, method, direction in these:
                one = line(population, condition, method, direction)
                lines.append(one)
                if args.out:
                    with Path(args.out).open("a") as file:
                        file.write(json.dumps(asdict(one)) + "\n")
                print(one.said() + (f"  {one.world}" if args.worlds else ""), flush=True)
    print(table(lines), flush=True)


if __name__ == "__main__":
    main()
