"""The estimators know the answer: EM finds what the pairs were drawn with, and the fast counts equal the slow ones."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from pprl_desktop.decisions.adaptive import crossing as crossing_room
from pprl_desktop.decisions.adaptive.dependence import _joint
from pprl_desktop.decisions.adaptive.levels import DIFFERS, EQUAL, INITIAL, LEVELS, MISSING, pair_levels
from pprl_desktop.decisions.adaptive.run import lay_side_by_side
from pprl_desktop.decisions.adaptive.tuning import Tuning
from pprl_desktop.decisions.adaptive.unseen import below
from pprl_desktop.decisions.adaptive.weights import Candidates, Fit, Graph, Sizes, fit
from pprl_desktop.decisions.base import MatchOptions
from pprl_desktop.decisions.rules import adaptive_rule
from pprl_desktop.progress import NO_PROGRESS
from tests.matching.people import smashed, table

M = np.array([0.95, 0.9, 0.8, 0.85])  # share of counterparts that are equal, by field
U = np.array([0.02, 0.1, 0.005, 0.05])  # the same of strangers
TUNING = Tuning()
WEAK = 0.5  # pseudo-matches of the prior: what is learned is the pairs' own


def drawn(seed: int, rows: int, matches: int, missing: float = 0.0, free: float = TUNING.free) -> Candidates:
    """All pairs of two files; the first `matches` rows of either are the same people."""
    random = np.random.default_rng(seed)
    own, partner = (side.ravel() for side in np.meshgrid(np.arange(rows), np.arange(rows), indexing="ij"))
    same = (own == partner) & (own < matches)
    chance = np.where(same[:, None], M, U)
    levels = np.where(random.random(chance.shape) < chance, EQUAL, DIFFERS).astype(np.uint8)
    log_u = np.where(levels == EQUAL, np.log(U), np.log(1 - U)).astype(np.float32)
    gone = random.random(levels.shape) < missing
    levels[gone], log_u[gone] = MISSING, 0.0
    extra = np.zeros(len(own), np.float32)
    return Candidates(own, partner, levels, log_u, extra, Sizes(rows, rows, True, free))


def learned(candidates: Candidates, one_to_one: bool = True, start: float = 0.7) -> Fit:
    prior = np.zeros((len(M), LEVELS))
    prior[:, DIFFERS], prior[:, EQUAL] = 1 - start, start
    return fit(
        candidates, prior, np.full(len(M), WEAK), prior, 20.0, 0, one_to_one, TUNING, NO_PROGRESS
    )  # fmt: skip


@pytest.mark.parametrize(
    ("rows", "matches", "missing"),
    [
        (200, 120, 0.0),
        (200, 60, 0.1),
        (150, 100, 0.05),
        (200, 120, 0.2),
        (200, 186, 0.2),
        (200, 200, 0.0),  # everybody is shared
    ],
)
def test_em_recovers_the_shares_and_the_number_of_matches_it_was_given(rows: int, matches: int, missing: float) -> None:
    """Within their standard errors over several draws; matches count whose pairs show too little to be believed."""
    must_recover([learned(drawn(seed, rows, matches, missing)) for seed in range(16)], matches)


def test_what_em_misses_where_everybody_is_shared_is_what_it_was_told() -> None:
    """With gaps, that a twentieth has no counterpart costs a few in a hundred; not told so, it finds them all."""
    must_recover([learned(drawn(seed, 200, 200, 0.2, free=0.0)) for seed in range(16)], 200)
    told = [learned(drawn(seed, 200, 200, 0.2)).matches for seed in range(16)]
    assert 195 < float(np.mean(told)) < 200


def must_recover(fits: list[Fit], matches: int) -> None:
    shares = np.array([found.m[:, EQUAL] for found in fits])
    assert (np.abs(shares.mean(axis=0) - M) < shares.std(axis=0)).all()
    counted = np.array([found.matches for found in fits])
    assert abs(counted.mean() - matches) < counted.std()


def test_matches_that_show_too_little_are_those_of_all_patterns() -> None:
    """Each pattern of agreement written down, with its chance among counterparts."""
    random = np.random.default_rng(4)
    share, ratio, cut = random.dirichlet(np.ones(3), 5), random.normal(0.0, 2.0, (5, 3)), 0.7
    wanted = np.zeros((5, 3))
    for pattern in itertools.product(range(3), repeat=5):
        if sum(ratio[field, level] for field, level in enumerate(pattern)) <= cut:
            chance = math.prod(share[field, level] for field, level in enumerate(pattern))
            for field, level in enumerate(pattern):
                wanted[field, level] += chance
    assert below(share, ratio, cut) == pytest.approx(wanted, abs=2e-3)


def test_where_nobody_is_shared_next_to_nothing_is_found() -> None:
    assert learned(drawn(1, 200, 0)).matches < 2.0


def test_em_equals_its_slow_twin() -> None:
    """One pair, one field, one level at a time, as Fellegi and Sunter write it."""
    candidates = drawn(5, 12, 7, missing=0.1)
    fast = learned(candidates, one_to_one=False)
    fields, pairs = range(len(M)), range(len(candidates.own))
    m, matches, left = [0.7] * len(M), 20.0, TUNING.unseen_rounds
    u = [(math.log(1 - one), math.log(one), 0.0) for one in U.tolist()]  # of what differs, is equal, is missing
    gone = [[0.0] * 3 for _ in fields]
    for _ in range(fast.rounds):
        odds = candidates.sizes.odds(matches)
        probability, count = [], [[0.0] * 3 for _ in fields]
        for pair in pairs:
            ratio, kinds = 0.0, [_kind(level) for level in candidates.levels[pair]]
            for field, kind in enumerate(kinds):
                ratio += (math.log(1 - m[field]), math.log(m[field]), 0.0)[kind] - u[field][kind]
            certain = math.exp(ratio + math.log(odds)) if ratio > TUNING.least_evidence else 0.0
            probability.append(certain / (1 + certain))
            for field, kind in enumerate(kinds):
                count[field][kind] += probability[-1]
        seen = sum(probability)
        if left < TUNING.unseen_rounds:
            known = [[count[field][kind] + gone[field][kind] for kind in range(3)] for field in fields]
            gone = _too_little(m, u, known, seen)
        matches, before = seen + sum(gone[0]), list(m)
        for field in fields:
            differ, equal, _ = (count[field][kind] + gone[field][kind] for kind in range(3))
            m[field] = (equal + WEAK * 0.7) / (differ + equal + WEAK)
        settled = max(abs(new - old) for new, old in zip(m, before, strict=True)) < TUNING.settled
        left -= settled or left < TUNING.unseen_rounds
    assert fast.m[:, EQUAL] == pytest.approx(m, abs=5e-3)
    assert fast.matches == pytest.approx(matches, rel=5e-3)
    assert fast.probability == pytest.approx(np.array(probability), abs=5e-3)


def _kind(level: int) -> int:
    return {DIFFERS: 0, EQUAL: 1, MISSING: 2}[int(level)]


def _too_little(
    m: list[float], u: list[tuple[float, float, float]], known: list[list[float]], seen: float
) -> list[list[float]]:
    """What the matches agree on that no pair shows, by field: all patterns of four fields, one at a time."""
    gone, under = [[0.0] * 3 for _ in m], 0.0
    for pattern in itertools.product(range(3), repeat=len(m)):
        chance, ratio = 1.0, 0.0
        for field, kind in enumerate(pattern):
            gap = known[field][2] / sum(known[field])
            chance *= ((1 - gap) * (1 - m[field]), (1 - gap) * m[field], gap)[kind]
            ratio += (math.log(1 - m[field]), math.log(m[field]), 0.0)[kind] - u[field][kind]
        if ratio <= TUNING.least_evidence:
            under += chance
            for field, kind in enumerate(pattern):
                gone[field][kind] += chance
    times = seen * min(under, TUNING.most_unseen) / (1 - min(under, TUNING.most_unseen)) / max(under, 1e-12)
    return [[times * part for part in row] for row in gone]


@pytest.mark.parametrize("seed", range(5))
def test_one_to_one_probabilities_equal_the_sum_over_all_matchings(seed: int) -> None:
    """Exact on a tree; every matching of a small random one is written down."""
    random = np.random.default_rng(seed)
    edges = [(0, 0), (0, 1), (1, 1), (2, 1), (2, 2), (3, 2)]
    odds = np.exp(random.normal(0.0, 2.0, len(edges)))
    total, held = 0.0, np.zeros(len(edges))
    for chosen in itertools.product((False, True), repeat=len(edges)):
        taken = [edge for edge, yes in zip(edges, chosen, strict=True) if yes]
        if any(len({edge[side] for edge in taken}) < len(taken) for side in (0, 1)):
            continue
        weight = float(np.prod(odds[list(chosen)]))
        total += weight
        held += weight * np.array(chosen)
    own, partner = (np.array([edge[side] for edge in edges]) for side in (0, 1))
    assert Graph(own, partner).marginals(np.log(odds), rounds=30) == pytest.approx(held / total, abs=1e-9)


def test_what_two_fields_agree_on_together_is_counted_as_pair_by_pair() -> None:
    random = np.random.default_rng(2)
    first = random.integers(-1, 6, 80).astype(np.int32)
    second = np.where(random.random(80) < 0.7, first, random.integers(-1, 5, 80)).astype(np.int32)
    both, expected, _ = _joint(first, second, ())
    rows = [row for row in range(80) if first[row] >= 0 and second[row] >= 0]
    pairs = list(itertools.combinations(rows, 2))
    alike = [(first[a] == first[b], second[a] == second[b]) for a, b in pairs]
    assert both.sum() == sum(one and other for one, other in alike)
    chance = sum(one for one, _ in alike) * sum(other for _, other in alike) / len(pairs)
    assert expected.sum() == pytest.approx(chance)


LEFT = [["MEYER", "ANNA", "19700101"], ["BERG", "ULLA", "19800202"], ["KLEIN", "A", ""], ["", "ROSA", "19900303"]]
RIGHT = [
    ["ANNA", "MEYER", "19700101"],
    ["BERG", "ULLA", "19800202"],
    ["KLEIN", "ANNA", "19600404"],
    ["LANG", "BERG", ""],
]


def test_levels_and_crossings_are_those_of_the_clear_values() -> None:
    """Equal, missing, an initial, and a value in the other field: compared with the names themselves."""
    fields = ("last", "first", "born")
    left, right = table(fields, LEFT), table(fields, RIGHT)
    own, partner, recipe = smashed(left, right)
    files = lay_side_by_side(
        own, partner, adaptive_rule(own, recipe, "dice"), MatchOptions(), np.random.default_rng(0), NO_PROGRESS
    )
    a, b = (side.ravel() for side in np.meshgrid(np.arange(4), np.arange(4), indexing="ij"))
    levels = pair_levels(files.fields, a, b)
    for pair, (row, other) in enumerate(zip(a, b, strict=True)):
        for field in range(3):
            x, y = LEFT[row][field], RIGHT[other][field]
            if not x or not y:
                assert levels[pair, field] == MISSING
            else:
                assert (levels[pair, field] == EQUAL) == (x == y)
    assert levels[(a == 2) & (b == 2), 1].tolist() == [INITIAL]
    for crossing in crossing_room.crossings(files.fields, 10):
        found, _ = crossing_room.compare(files.fields, crossing, a, b, levels)
        for pair, (row, other) in enumerate(zip(a, b, strict=True)):
            x, y = LEFT[row][crossing.own], RIGHT[other][crossing.partner]
            agrees = any(levels[pair, one] == EQUAL for one in (crossing.own, crossing.partner))
            wanted = MISSING if not x or not y or agrees else EQUAL if x == y else DIFFERS
            assert found[pair] == wanted, (x, y)
