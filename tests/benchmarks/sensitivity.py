"""What each number of a decision's tuning does: every one halved and doubled, on the developers' pairs.

    python -m tests.benchmarks.sensitivity [--decision adaptive] [--sets rldata500,fake1000] [--only strength,lowest]

Each row prints the F1 of the accepted pairs of one side with the usual number, with half of it and with twice of it
(shares stay below 1, whole numbers stay whole, each part of a row of numbers is changed alike), and the largest change.
A number whose change does nothing on any set and that guards nothing is a candidate to be removed; the limits of memory
and time are no tuning and are not here.
"""

from __future__ import annotations

import argparse
from dataclasses import fields, replace
from typing import Any

import numpy as np

from pprl_desktop.codes.base import Rule, Smashed, method
from pprl_desktop.decisions.base import MatchOptions
from pprl_desktop.decisions.learn import learn
from pprl_desktop.decisions.plain_learning import learn_plain
from pprl_desktop.decisions.plain_tuning import Tuning as PlainTuning
from pprl_desktop.decisions.svm.training import Training
from pprl_desktop.decisions.svm.tuning import Tuning as SvmTuning
from pprl_desktop.decisions.threshold.learning import learn_bits
from pprl_desktop.decisions.threshold.tuning import Tuning as ThresholdTuning
from pprl_desktop.decisions.tuning import Tuning
from pprl_desktop.matching.match import match
from pprl_desktop.progress import NO_PROGRESS
from tests.benchmarks.quality import Truth, figures, load, recipe_for

METHODS = {"adaptive": "bloom", "threshold": "bloom", "svm": "split-svm", "plain": "plain"}
Case = tuple[Any, Smashed, Smashed, Any, Truth, MatchOptions]


def case(decision: str, name: str) -> Case:
    from pprl_desktop.codes.directions import of_flag

    a, b, truth, one_to_one = load(name)
    recipe = recipe_for(METHODS[decision], a, one_to_one, None)
    layout = "record" if decision == "threshold" else "field"
    made_by = "svm" if decision == "plain" else decision
    recipe = replace(recipe, settings=replace(recipe.settings, layout=layout, decision=made_by))  # type: ignore[arg-type]
    made = method(recipe.method)
    own, partner = (made.smash(side, recipe, NO_PROGRESS) for side in (a, b))
    return a, own, partner, recipe, truth, MatchOptions(of_flag(one_to_one))


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


def f1(decision: str, one: Case, tuning: Tuning | None) -> float:
    made = match(one[1], one[2], rule_with(decision, one, tuning), one[5])
    rows = made.accepted()
    found = set(zip(made.scored.own[rows].tolist(), made.scored.partner[rows].tolist(), strict=True))
    return figures(found, one[4])[2]


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
    args = parser.parse_args()
    cases = {name: case(args.decision, name) for name in args.sets.split(",")}
    usual: Tuning = rule_with(args.decision, next(iter(cases.values())), None).tuning  # type: ignore[attr-defined]
    base = {name: f1(args.decision, one, usual) for name, one in cases.items()}
    print("usual", *(f"{name} {value:.4f}" for name, value in base.items()), flush=True)
    for one in fields(usual):
        if args.only and one.name not in args.only.split(","):
            continue
        changes, told = [], []
        for name, known in cases.items():
            both = []
            for by in (0.5, 2.0):
                other = replace(usual, **{one.name: scaled(getattr(usual, one.name), by)})
                try:
                    both.append(f1(args.decision, known, other) - base[name])
                except Exception as error:  # a number that cannot be changed so far says so
                    told.append(f"{name} x{by}: {type(error).__name__}")
            changes += both
            told += [f"{name} {' '.join(f'{change:+.4f}' for change in both)}"]
        largest = float(np.abs(changes).max(initial=0.0))
        print(f"{one.name:22} {largest:.4f}  {'; '.join(told)}", flush=True)


if __name__ == "__main__":
    main()
