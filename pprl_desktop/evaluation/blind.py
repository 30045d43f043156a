"""Plays the method blind with both parties in one process: real questions, real answers, real group operations."""

from __future__ import annotations

import hashlib
import time
from dataclasses import dataclass, field

import numpy as np

from pprl_desktop.blind.answer import answer
from pprl_desktop.blind.decide import decide_opened
from pprl_desktop.blind.meter import Meter, limits_for, lines_per_key, measure, over_agreed
from pprl_desktop.blind.opened import open_answer
from pprl_desktop.blind.plan import Plan
from pprl_desktop.blind.question import ask, asker
from pprl_desktop.codes.keys.choose import TUNING, Choice, choose, room_for_partner
from pprl_desktop.codes.recipe import PLAYED_SECRET
from pprl_desktop.compute.attended import stage
from pprl_desktop.decisions.base import Match, MatchOptions
from pprl_desktop.matching.reconcile import Pairs, as_pairs
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.records.table import CleanTable

TRIES = 4  # times the bound is tightened where keys chosen on one table reach too many records of the other


@dataclass(frozen=True, eq=False)
class BlindPlay:
    choice: Choice
    plan: Plan
    meters: tuple[Meter, Meter]  # of the asker's table and of the answerer's
    match: Match  # the asker's: own row, row of the answerer
    pairs: Pairs  # accepted
    opened: Pairs = field(repr=False)  # all pairs that share a key
    question_bytes: int
    answer_bytes: int
    keys_per_record: float
    seconds: dict[str, float]
    cpu: dict[str, float]  # of each side

    @property
    def coverage(self) -> float:
        """The larger of both sides'."""
        return max(meter.coverage for meter in self.meters)


@stage
def play_blind(
    a: CleanTable,
    b: CleanTable,
    options: MatchOptions,
    *,
    coverage: float | None = None,
    seed: int = 0,
    progress: Progress = NO_PROGRESS,
) -> BlindPlay:
    """`a` asks, `b` answers. Keys are chosen on the asker's table, and both sides measure before they agree."""
    clock, seconds = time.perf_counter(), {}
    bound = TUNING.bound if coverage is None else coverage
    choice, plan, meters = agreed_keys(a, b, bound, seed, progress.part(0.0, 0.2))
    seconds["choose"] = time.perf_counter() - clock

    clock, cpu = time.perf_counter(), time.process_time()
    made = asker(a, plan, PLAYED_SECRET, progress.part(0.2, 0.22))
    own_seed, other_seed = (_seed(seed, side) for side in ("asker", "answerer"))
    question = ask(made, own_seed, options.threads, progress.part(0.22, 0.4))
    asked = time.process_time() - cpu
    seconds["ask"] = time.perf_counter() - clock

    clock, cpu = time.perf_counter(), time.process_time()
    given, kept = answer(b, plan, PLAYED_SECRET, question, other_seed, options.threads, progress.part(0.4, 0.7))
    answered = time.process_time() - cpu
    seconds["answer"] = time.perf_counter() - clock

    clock, cpu = time.perf_counter(), time.process_time()
    opened = open_answer(made, own_seed, question, given, options.threads, progress.part(0.7, 0.9))
    match = decide_opened(a, opened, plan.recipe, b.rows, options, progress.part(0.9, 1.0))
    asked += time.process_time() - cpu
    seconds["match"] = time.perf_counter() - clock

    row_of = np.full(plan.slots, -1, dtype=np.int64)
    row_of[kept.slot_of] = np.arange(b.rows)
    turned = row_of[opened.slots]
    match = _with_rows(match, turned)
    accepted = match.accepted()
    return BlindPlay(
        choice, plan, meters, match, as_pairs(match.scored.own[accepted], match.scored.partner[accepted]),
        as_pairs(opened.own, turned[opened.partner]), question.nbytes,
        sum(array.nbytes for array in given.arrays.values()),
        sum(lines_per_key(a, plan.recipe)) / max(a.rows, 1), seconds,
        {"asker": asked, "answerer": answered},
    )  # fmt: skip


def agreed_keys(
    a: CleanTable, b: CleanTable, bound: float, seed: int, progress: Progress
) -> tuple[Choice, Plan, tuple[Meter, Meter]]:
    """As two stewards would: one proposes, the other measures; over the bound on either side, a tighter proposal."""
    wanted = room_for_partner(bound, a.rows, b.rows)
    for attempt in range(TRIES):
        part = progress.part(attempt / TRIES, (attempt + 1) / TRIES)
        choice = choose(a, b.rows, wanted, seed, progress=part.part(0.0, 0.8))
        limits = limits_for(a, choice.recipe, b.rows, asks=True)
        plan = Plan("evaluation", a.fields, choice.recipe, limits.asked, limits.rows, limits.values, b.rows)
        meters = (
            measure(a, choice.recipe, plan.rows, b.rows, seed),
            measure(b, choice.recipe, plan.asked, a.rows, seed),
        )
        worst = max(meter.over(bound) for meter in meters)
        if worst <= 1.0:
            return choice, plan, meters
        wanted *= 0.97 / worst
    problem = over_agreed(max(meters, key=lambda meter: meter.over(bound)), bound)
    if problem is not None:
        raise problem
    return choice, plan, meters


def _seed(seed: int, side: str) -> bytes:
    """A fixed seed is right here, and only here: both parties are played on this computer."""
    return hashlib.sha256(f"{side} {seed}".encode()).digest()


def _with_rows(match: Match, row_of: np.ndarray[tuple[int], np.dtype[np.int64]]) -> Match:
    """The match with rows of the answerer instead of opened records."""
    from dataclasses import replace

    partner = row_of[match.scored.partner].astype(np.int32)
    return replace(match, scored=replace(match.scored, partner=partner))
