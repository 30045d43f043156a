"""The memory the steward allows is kept in every method: a warning with the count, never a crash."""

from __future__ import annotations

import re
import tracemalloc

import numpy as np
import pytest

from pprl_desktop.decisions.base import Match, MatchOptions
from pprl_desktop.matching.match import estimate
from tests.matching.cases import CASES, Run, prepared
from tests.matching.people import FIELDS, population, table, two_files

ALLOWED = 4 << 20  # bytes for pairs
LEAST_PER_PAIR = 28  # bytes: two rows, score, probability, one column of evidence
REST = 120 << 20  # what a match of small tables needs beside its pairs; 4 million pairs would take 500 MB
TWINS = 2000


def capped(run: Run, options: MatchOptions) -> tuple[Match, int]:
    tracemalloc.start()
    try:
        found = run.match(options)
        return found, tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def counts(found: Match) -> list[int]:
    return [int(each.replace(",", "")) for text in found.warnings for each in re.findall(r"\d[\d,]*", str(text))]


@pytest.mark.parametrize("case", [case for case in CASES if "noise" not in case and "rbf" not in case])
def test_two_thousand_namesakes_on_both_sides_stay_within_the_memory_allowed(case: str) -> None:
    everyone = population(np.random.default_rng(0), 30)
    twins = table(FIELDS, everyone[:1] * TWINS + everyone[1:])
    run = prepared(case, twins, twins)
    found, peak = capped(run, MatchOptions(memory=ALLOWED))
    assert len(found.scored) * LEAST_PER_PAIR <= ALLOWED
    assert peak < ALLOWED + REST
    assert TWINS in counts(found)
    assert estimate(run.own, run.partner, run.rule, MatchOptions(memory=ALLOWED)) < ALLOWED + 4 * REST


@pytest.mark.parametrize("case", CASES)
def test_a_threshold_set_too_low_stays_within_the_memory_allowed(case: str) -> None:
    left, right, _ = two_files(1, 200, 60)
    run = prepared(case, left, right)
    little = 100_000
    found, peak = capped(run, MatchOptions(memory=little, accept=-1e9, review=-1e9))
    everything = run.match(MatchOptions(accept=-1e9, review=-1e9))
    assert len(found.scored) * LEAST_PER_PAIR <= max(little, 1000 * LEAST_PER_PAIR)
    assert peak < REST
    if len(found.scored) < len(everything.scored):  # pairs were left out: said, with their number
        assert max(counts(found), default=0) > len(found.scored)
    assert found.chosen.sum() <= 200
