"""Fast ways to count and look up pairs, beside slow and obvious ones."""

from __future__ import annotations

import numpy as np

from pprl_desktop.decisions.adaptive import patterns
from pprl_desktop.decisions.adaptive.kernels import tell
from pprl_desktop.decisions.adaptive.patterns import Patterns, told_apart


def test_each_pair_keeps_its_pattern_and_each_pattern_its_pairs() -> None:
    random = np.random.default_rng(3)
    levels = np.asarray(random.integers(0, 14, (20_000, 4)), dtype=np.uint8)  # more patterns than the first table holds
    first, which = told_apart(levels)
    assert (levels[first][which] == levels).all()
    rows, count = np.unique(levels, axis=0, return_counts=True)
    assert len(rows) > patterns.SLOTS // 2
    made = Patterns.of(levels)
    order = np.lexsort(made.levels.T[::-1])
    assert (made.levels[order] == rows).all()
    assert (made.count[order] == count).all()
    assert made.pairs == len(levels)
    assert (made.by_level(2, 14) == np.bincount(levels[:, 2], minlength=14)).all()


def test_no_pairs_are_no_pattern() -> None:
    made = Patterns.of(np.zeros((0, 3), np.uint8))
    assert made.pairs == 0
    assert made.levels.shape == (0, 3)


def test_what_is_known_of_two_values_takes_the_place_of_their_similarity() -> None:
    random = np.random.default_rng(4)
    known = np.unique(random.integers(0, 40, (300, 2)), axis=0).astype(np.int32)
    what = np.asarray(random.integers(1, 9, len(known)), dtype=np.uint8)
    own, partner = (np.asarray(random.integers(0, 40, 5000), dtype=np.int32) for _ in range(2))
    told = np.zeros(5000, dtype=np.uint8)
    tell(own, partner, np.searchsorted(known[:, 0], np.arange(41)), known[:, 1].copy(), what, told)
    facts = {(a, b): level for (a, b), level in zip(known.tolist(), what.tolist(), strict=True)}
    expected = [facts.get(pair, 0) for pair in zip(own.tolist(), partner.tolist(), strict=True)]
    assert any(expected)
    assert told.tolist() == expected
