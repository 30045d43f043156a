"""Quality, coverage and cost of the method blind on the benchmark pairs, through the real protocol.

    python -m tests.benchmarks.blind [--sets A,B] [--coverage U] [--filters] [--clear] [--populations 8 --seed N]

A line per set: precision, recall and F1 of the asker's result, its expected precision, the share of true pairs that
share a key, the range of it told beforehand, the records opened by strangers and what was told of them, coverage as
both sides measured it, keys per record, megabytes of question and answer, processor seconds per side. `--filters` adds
the F1 of field Bloom filters as evidence on the very same opened pairs. `--clear` joins the keys in clear in place of
the protocol (blind_clear.py): the same pairs in a tenth of the time, and no megabytes or seconds. Fields are given as a
steward would give them; `--populations` takes made-up ones instead, with the fields that the program suggests.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace

import numpy as np

from pprl_desktop.blind.meter import lines_per_key
from pprl_desktop.codes.directions import of_flag
from pprl_desktop.codes.keys.choose import TUNING
from pprl_desktop.decisions.base import MatchOptions
from pprl_desktop.evaluation.blind import BlindPlay, agreed_keys, play_blind
from pprl_desktop.matching.decide import decide
from pprl_desktop.matching.reconcile import as_pairs
from pprl_desktop.problem import Problem
from pprl_desktop.progress import NO_PROGRESS
from pprl_desktop.records.table import CleanTable
from tests.benchmarks import quality
from tests.benchmarks.believe import suggested
from tests.benchmarks.blind_clear import decided
from tests.benchmarks.populations import draw, make

AGED = f"{quality.NAMES} age:number gender:category"
SETS = {
    "mp_10k_e1+age": ("ncvr_mp_10k_e1", AGED, True),
    "mp_10k_e5+age": ("ncvr_mp_10k_e5", AGED, True),
    **{name: quality.SETS[name] for name in ("temporal_5k", "temporal_10k", "febrl4", "pseudopeople", "oz_mod")},
    **{name: quality.SETS[name] for name in ("intl_de", "de_time", "missing_4k")},
}
MORE = {
    "mp_50k_e1+age": ("ncvr_mp_50k_e1", AGED, True),
    "temporal_10k+": quality.SETS["temporal_10k+"],
    "fakename_e5": quality.SETS["fakename_e5"],
    "anu_ocp20": quality.SETS["anu_ocp20"],
    "rldata500": quality.SETS["rldata500"],
}
HEAD = (
    f"{'set':<14} {'P':>6} {'R':>6} {'F1':>6} {'exp. P':>6} {'keyR':>6} {'told':>11} {'strg':>6} {'told':>6} "
    f"{'by chance':>11} {'cover':>6} {'own':>6} {'10 N':>6} {'keys':>5} {'q MB':>6} {'a MB':>6} {'ask s':>6} "
    f"{'ans s':>6} {'choose':>6} {'filt.':>6}"
)


def told(name: str, made: BlindPlay, truth: quality.Truth, rows: int, choosing: float, filters: str) -> str:
    p, r, f = quality.figures({(int(x), int(y)) for x, y in made.pairs}, truth)
    opened = {(int(x), int(y)) for x, y in made.opened}
    strangers = len({y for x, y in opened - truth}) / max(rows, 1)
    low, high = made.choice.recall_range()
    meters = made.meters
    low_chance, high_chance = meters[1].strangers_range
    return (
        f"{name:<14} {p:6.3f} {r:6.3f} {f:6.4f} {made.match.expected.get('precision', np.nan):6.3f} "
        f"{len(opened & truth) / max(len(truth), 1):6.3f} {low:5.2f}-{high:5.2f} {strangers:6.4f} "
        f"{meters[1].strangers:6.4f} {low_chance:5.3f}-{high_chance:5.3f} {made.coverage:6.3f} "
        f"{max(one.coverage_own for one in meters):6.3f} {max(one.coverage_10n for one in meters):6.3f} "
        f"{made.keys_per_record:5.1f} {made.question_bytes / 1e6:6.1f} "
        f"{made.answer_bytes / 1e6:6.1f} {made.cpu['asker']:6.1f} {made.cpu['answerer']:6.1f} {choosing:6.1f} {filters}"
    )


def in_clear(a: CleanTable, b: CleanTable, options: MatchOptions, *, coverage: float | None) -> BlindPlay:
    bound = TUNING.bound if coverage is None else coverage
    choice, plan, meters = agreed_keys(a, b, bound, 0, NO_PROGRESS)
    match, opened = decided(a, b, choice.recipe, options)
    accepted = match.accepted()
    pairs = as_pairs(match.scored.own[accepted], match.scored.partner[accepted])
    keys = sum(lines_per_key(a, choice.recipe)) / max(a.rows, 1)
    return BlindPlay(
        choice, plan, meters, match, pairs, as_pairs(opened[:, 0], opened[:, 1]), 0, 0, keys, {},
        {"asker": 0.0, "answerer": 0.0},
    )  # fmt: skip


def with_filters(made: BlindPlay, a: CleanTable, b: CleanTable, truth: quality.Truth, one_to_one: bool) -> str:
    """F1 of field filters as evidence, on the opened pairs alone."""
    played = quality.private("bloom", a, b, one_to_one, None)
    scored = played.a.match.scored
    width = b.rows + 1
    kept = np.flatnonzero(np.isin(scored.own.astype(np.int64) * width + scored.partner, made.opened @ (width, 1)))
    some = replace(
        scored, own=scored.own[kept], partner=scored.partner[kept], score=scored.score[kept],
        probability=scored.probability[kept], evidence=scored.evidence[kept] if scored.evidence is not None else None,
        second=scored.second[kept] if scored.second is not None else None,
        strangers=scored.strangers[kept] if scored.strangers is not None else None,
    )  # fmt: skip
    match = decide(some, MatchOptions(of_flag(one_to_one)))
    at = match.accepted()
    found = set(zip(some.own[at].tolist(), some.partner[at].tolist(), strict=True))
    return f"{quality.figures(found, truth)[2]:6.4f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--coverage", type=float, default=None)
    parser.add_argument("--filters", action="store_true")
    parser.add_argument("--clear", action="store_true")
    parser.add_argument("--populations", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    quality.SETS |= SETS | MORE
    print(HEAD, flush=True)
    if args.populations:
        for seed in range(args.seed, args.seed + args.populations):
            population = make(draw(seed))
            a, b = suggested(population)
            print(f"  {population.world.said()}", flush=True)
            one(f"seed {seed}", a, b, set(population.truth), True, args)
        return
    for name in args.sets.split(","):
        one(name, *quality.load(name), args)


def one(
    name: str, a: CleanTable, b: CleanTable, truth: quality.Truth, one_to_one: bool, args: argparse.Namespace
) -> None:
    since = time.process_time()
    try:
        options = MatchOptions(of_flag(one_to_one))
        play = in_clear if args.clear else play_blind
        made = play(a, b, options, coverage=args.coverage)
    except Problem as problem:
        print(f"{name:<14} refused: {problem.what} ({time.process_time() - since:.0f} s)", flush=True)
        return
    choosing = time.process_time() - since - sum(made.cpu.values())
    filters = with_filters(made, a, b, truth, one_to_one) if args.filters else ""
    print(told(name, made, truth, b.rows, choosing, filters), flush=True)


if __name__ == "__main__":
    main()
