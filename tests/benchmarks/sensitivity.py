"""What each number of a decision's tuning does: every one halved and doubled, on the developers' sets.

    python -m tests.benchmarks.sensitivity [--decision adaptive] [--sets rldata500,772001:whole] [--only strength,free]
                                           [--method bloom] [--epsilon 4] [--size 250] [--part 1/4]

A set is a name of tests/benchmarks/quality.py, or a made-up population by its seed and condition (populations.py), with
a direction where it is not one-to-one: 772002:whole:many-to-many.
Each row prints what half of a number and twice of it do (shares stay below 1, whole numbers stay whole, each part of a
row of numbers is changed alike): F1 of the accepted pairs of one side, expected precision, expected matches in their
share, and whether the program calls the result reliable. A number whose change does nothing on any set and that guards
nothing is removed; limits of memory and time are no tuning and are not here.
"""

from __future__ import annotations

import argparse
import math
from dataclasses import dataclass, fields, replace
from typing import Any

from pprl_desktop.codes.base import Rule, Smashed, method
from pprl_desktop.codes.directions import DIRECTIONS, Direction, of_flag
from pprl_desktop.decisions.base import MatchOptions
from pprl_desktop.decisions.learn import learn
from pprl_desktop.decisions.plain_learning import learn_plain
from pprl_desktop.decisions.plain_tuning import Tuning as PlainTuning
from pprl_desktop.decisions.svm.training import Training
from pprl_desktop.decisions.svm.tuning import Tuning as SvmTuning
from pprl_desktop.decisions.threshold.learning import learn_bits
from pprl_desktop.decisions.threshold.tuning import Tuning as ThresholdTuning
from pprl_desktop.decisions.tuning import Tuning
from pprl_desktop.evaluation.play import released
from pprl_desktop.matching.match import match
from pprl_desktop.progress import NO_PROGRESS
from tests.benchmarks.quality import Truth, figures, load, recipe_for

METHODS = {"adaptive": "bloom", "threshold": "bloom", "svm": "split-svm", "plain": "plain"}
Case = tuple[Any, Smashed, Smashed, Any, Truth, MatchOptions]


@dataclass(frozen=True)
class Said:
    """What a decision came to, and what it said of itself; 0 where it gives no such figure."""

    f1: float
    precision: float
    matches: float
    reliable: bool

    def changes(self, usual: Said) -> tuple[float, float, float, float]:
        most = max(usual.matches, self.matches, 1.0)
        return (
            self.f1 - usual.f1, self.precision - usual.precision, (self.matches - usual.matches) / most,
            float(self.reliable) - float(usual.reliable),
        )  # fmt: skip


def population(name: str, size: int) -> tuple[Any, Any, Truth, Direction]:
    from tests.benchmarks.believe import suggested
    from tests.benchmarks.populations import draw, make, under

    seed, condition, *direction = name.split(":")
    made = make(under(draw(int(seed), size), condition))
    a, b = suggested(made)
    return a, b, made.truth, DIRECTIONS[DIRECTIONS.index(direction[0])] if direction else "one-to-one"  # type: ignore[arg-type]


def known(name: str) -> tuple[Any, Any, Truth, Direction]:
    a, b, truth, one_to_one = load(name)
    return a, b, truth, of_flag(one_to_one)


def case(decision: str, name: str, by: str, epsilon: float | None, size: int) -> Case:
    a, b, truth, direction = population(name, size) if ":" in name else known(name)
    recipe = recipe_for(by or METHODS[decision], a, direction == "one-to-one", epsilon)
    layout = "record" if decision == "threshold" else "field"
    made_by = "svm" if decision == "plain" else decision
    recipe = replace(recipe, settings=replace(recipe.settings, layout=layout, decision=made_by, direction=direction))  # type: ignore[arg-type]
    made = method(recipe.method)
    own, partner = (made.smash(side, recipe, NO_PROGRESS) for side in (a, b))
    if epsilon is not None:
        own, partner = (released(side, recipe, 0, number) for number, side in enumerate((own, partner)))
    return a, own, partner, recipe, truth, MatchOptions(direction)


def rule_with(decision: str, one: Case, tuning: Tuning | None) -> Rule:
    table, own, _, recipe, _, _ = one
    if tuning is None:
        return learn(table, own, recipe, 0)
    if isinstance(tuning, ThresholdTuning):
        made = method(recipe.method)
        known = made.record_fields(table, recipe, NO_PROGRESS)
        measure = made.measure(recipe.settings)
        return learn_bits(made, table, own, recipe, measure, known, 0, NO_PROGRESS, tuning)
    if isinstance(tuning, SvmTuning):
        return Training(table, own, recipe, 0, NO_PROGRESS, tuning).rule(recipe.settings.kernel)
    if isinstance(tuning, PlainTuning):
        return learn_plain(table, 0, NO_PROGRESS, tuning)
    return replace(learn(table, own, recipe, 0), tuning=tuning)  # type: ignore[call-arg]


def decided(decision: str, one: Case, tuning: Tuning | None) -> Said:
    made = match(one[1], one[2], rule_with(decision, one, tuning), one[5])
    rows = made.accepted()
    found = set(zip(made.scored.own[rows].tolist(), made.scored.partner[rows].tolist(), strict=True))
    told = (made.expected.get("precision", 0.0), made.expected.get("true_pairs", 0.0))
    precision, matches = (value if math.isfinite(value) else 0.0 for value in told)
    return Said(figures(found, one[4])[2], precision, matches, made.reliable)


def scaled(value: Any, by: float) -> Any:
    if isinstance(value, tuple):
        return tuple(scaled(part, by) for part in value)
    made = value * by
    if isinstance(value, int):
        return max(1, round(made))
    return min(made, (1 + value) / 2) if 0 < value < 1 else made


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--decision", default="adaptive", choices=tuple(METHODS))
    parser.add_argument("--sets", default="rldata500,fake1000")
    parser.add_argument("--only", default="")
    parser.add_argument("--method", default="", choices=("bloom", "split", "simhash"), help="for the adaptive decision")
    parser.add_argument("--epsilon", type=float, help="what noise changes shows only where there is some")
    parser.add_argument("--size", type=int, default=250, help="people of a made-up population")
    parser.add_argument("--part", default="1/1", help="every so-manieth number, to run side by side")
    args = parser.parse_args()
    cases = {name: case(args.decision, name, args.method, args.epsilon, args.size) for name in args.sets.split(",")}
    usual: Tuning = rule_with(args.decision, next(iter(cases.values())), None).tuning  # type: ignore[attr-defined]
    base = {name: decided(args.decision, one, usual) for name, one in cases.items()}
    print("usual", *(f"{name} {said.f1:.4f} ({said.precision:.3f})" for name, said in base.items()), flush=True)
    part, parts = map(int, args.part.split("/"))
    wanted = [one.name for one in fields(usual) if not args.only or one.name in args.only.split(",")]
    for number in wanted[part - 1 :: parts]:
        changes, told = [], []
        for name, known in cases.items():
            for by, word in ((0.5, "half"), (2.0, "twice")):
                other = replace(usual, **{number: scaled(getattr(usual, number), by)})
                try:
                    change = decided(args.decision, known, other).changes(base[name])
                except Exception as error:  # a number that cannot be changed so far says so
                    told.append(f"{name} {word}: {type(error).__name__}")
                    changes.append(math.inf)
                    continue
                changes += map(abs, change)
                if any(change):
                    told.append(f"{name} {word} " + " ".join(f"{one:+.4f}" for one in change))
        print(f"{number:22} {max(changes):.4f}  {'; '.join(told) or 'nothing'}", flush=True)


if __name__ == "__main__":
    main()
