"""Candidates are exactly the pairs whose weights reach the bar, and never more than allowed."""

from __future__ import annotations

import numpy as np
import pytest

from pprl_desktop.decisions.adaptive import candidates as blocking
from pprl_desktop.decisions.adaptive import strangers as adaptive_null
from pprl_desktop.decisions.adaptive.levels import (
    EQUAL,
    INITIAL,
    LEVELS,
    MISSING,
    OTHER_INITIAL,
    SHIFTED,
    WORD,
    FieldLevels,
)
from pprl_desktop.decisions.adaptive.tuning import Tuning
from pprl_desktop.decisions.adaptive.weights import Graph
from pprl_desktop.decisions.learn import learn
from pprl_desktop.progress import NO_PROGRESS
from tests.matching.people import smashed, table, two_files


def levels_of(left, right, **settings) -> list[FieldLevels]:  # type: ignore[no-untyped-def]
    own, partner, recipe = smashed(left, right, **settings)
    rule = learn(left, own, recipe, 0, NO_PROGRESS)
    null = adaptive_null.random_pairs(own.rows, partner.rows, np.random.default_rng(0), Tuning())
    return adaptive_null.build(own, partner, rule, null, NO_PROGRESS)[0]


def slow_scores(fields: list[FieldLevels], weights: list[np.ndarray]) -> np.ndarray:
    """The obvious double loop."""
    rows, columns = len(fields[0].own.codes), len(fields[0].partner.codes)
    total = np.zeros((rows, columns), dtype=np.float64)
    for one, weight in zip(fields, weights, strict=True):
        for i in range(rows):
            for j in range(columns):
                a, b = one.own.codes[i], one.partner.codes[j]
                if a >= 0 and b >= 0:
                    level = one.pairs(np.array([a], np.int32), np.array([b], np.int32))[0]
                    total[i, j] += weight[a, level]
    return total


def test_the_scan_finds_exactly_the_pairs_of_the_double_loop() -> None:
    left, right, _ = two_files(0, 40, 20)
    for keep in (False, True):
        fields = levels_of(left, right)
        if keep:
            blocking.prepare(fields, 1, NO_PROGRESS)
        random = np.random.default_rng(1)
        weights = [random.normal(size=(one.own.values, LEVELS)).round(2).astype(np.float32) for one in fields]
        slow = slow_scores(fields, weights)
        bar = float(np.quantile(slow, 0.9)) + 1e-4
        found = blocking.scan(fields, weights, bar, 10_000, 2, NO_PROGRESS)
        assert set(zip(found.own.tolist(), found.partner.tolist(), strict=True)) == set(
            zip(*(part.tolist() for part in np.nonzero(slow >= bar)), strict=True)
        )
        assert found.examined == 1600


def test_records_of_one_file_meet_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """And their values have more than one block, with tables kept and without."""
    monkeypatch.setattr(blocking, "BLOCK_PAIRS", 200)
    left, _, _ = two_files(0, 40, 20)
    for keep in (False, True):
        fields = levels_of(left, left)
        if keep:
            blocking.prepare(fields, 1, NO_PROGRESS)
        weights = [
            np.ones((one.own.values, LEVELS), np.float32) * np.arange(LEVELS, dtype=np.float32) for one in fields
        ]
        slow = np.triu(slow_scores(fields, weights), 1)
        bar = float(np.quantile(slow[slow > 0], 0.7))
        found = blocking.scan(fields, weights, bar, 10_000, 2, NO_PROGRESS, once=True)
        met = list(zip(found.own.tolist(), found.partner.tolist(), strict=True))
        assert len(met) == len(set(met)) > 10
        assert set(met) == set(zip(*(part.tolist() for part in np.nonzero(slow >= bar)), strict=True))


def test_no_more_pairs_are_kept_than_allowed_and_the_best_stay() -> None:
    left, right, _ = two_files(0, 60, 30)
    fields = levels_of(left, right)
    random = np.random.default_rng(1)
    weights = [random.normal(size=(one.own.values, LEVELS)).astype(np.float32) for one in fields]
    every = blocking.scan(fields, weights, -100.0, 10_000, 1, NO_PROGRESS)
    few = blocking.scan(fields, weights, -100.0, 50, 1, NO_PROGRESS)
    assert len(every.own) == 3600
    assert len(few.own) == 50
    slow = np.sort(slow_scores(fields, weights).reshape(-1))[-50:]
    assert few.bar <= slow[0] + 1e-4


def test_of_equal_pairs_every_row_keeps_some() -> None:
    rows = [["SMITH", "JOHN"]] * 30
    fields = levels_of(table(("last", "first"), rows), table(("last", "first"), rows))
    weights = [np.ones((one.own.values, LEVELS), np.float32) for one in fields]
    found = blocking.scan(fields, weights, 0.0, 90, 1, NO_PROGRESS)
    assert len(found.own) == 90
    assert len(set(found.own.tolist())) == len(set(found.partner.tolist())) == 30


def test_levels_tell_equal_near_initial_word_and_swapped() -> None:
    left = table(("last", "born"), [["SMITH", "19760312"], ["KOWALSKI", "19801101"], ["J", "19500505"]])
    right = table(
        ("last", "born"), [["SMITH", "19761203"], ["SMITH JONES", "19801101"], ["JACKSON", ""], ["K", "19990909"]]
    )
    last, born = levels_of(left, right)

    def level(one: FieldLevels, i: int, j: int) -> int:
        a, b = one.own.codes[i], one.partner.codes[j]
        if a < 0 or b < 0:
            return MISSING
        single = int(one.pairs(np.array([a], np.int32), np.array([b], np.int32))[0])
        assert single == int(one.rows(np.array([a], np.int32))[0, b]), "blocks and single pairs agree"
        return single

    assert level(last, 0, 0) == EQUAL
    assert level(last, 0, 1) == WORD
    assert level(last, 2, 2) == level(last, 1, 3) == INITIAL
    assert level(last, 2, 0) == OTHER_INITIAL
    assert level(born, 0, 0) == SHIFTED
    assert level(born, 1, 1) == EQUAL
    assert level(born, 0, 2) == MISSING


def test_near_levels_hold_the_share_of_strangers_they_are_named_for() -> None:
    from pprl_desktop.decisions.adaptive.levels import NEAR

    left, right, _ = two_files(1, 500, 0)
    own, partner, recipe = smashed(left, right)
    rule = learn(left, own, recipe, 0, NO_PROGRESS)
    null = adaptive_null.random_pairs(own.rows, partner.rows, np.random.default_rng(0), Tuning())
    _, seen = adaptive_null.build(own, partner, rule, null, NO_PROGRESS)
    for count in seen:
        for place, quantile in enumerate(Tuning().quantiles):
            near = count[NEAR + place : EQUAL].sum() + 0.0
            assert near <= quantile * len(null.own) + 1
    assert any(count[NEAR:EQUAL].sum() for count in seen), "no stranger is near: nothing was looked at"


def test_matching_marginals_are_exact_on_a_small_tree() -> None:
    """Three pairs in a path: all matchings can be listed."""
    odds = np.array([2.0, 0.5, 3.0])
    own, partner = np.array([0, 0, 1], np.int32), np.array([0, 1, 1], np.int32)
    weights = {(): 1.0, (0,): 2.0, (1,): 0.5, (2,): 3.0, (0, 2): 6.0}
    total = sum(weights.values())
    exact = [sum(w for pairs, w in weights.items() if k in pairs) / total for k in range(3)]
    found = Graph(own, partner).marginals(np.log(odds), rounds=20)
    assert np.allclose(found, exact)
