"""Reconciling: nothing appears that neither side found, and one-to-one holds where it was agreed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pprl_desktop.codes.directions import DIRECTIONS, Direction, once
from pprl_desktop.matching.reconcile import RULES, Pairs, as_pairs, reconcile
from pprl_desktop.problem import Problem

rows = st.integers(0, 5)
pair_sets = st.sets(st.tuples(rows, rows), max_size=10)


def pairs(some: set[tuple[int, int]]) -> Pairs:
    listed = sorted(some)
    return as_pairs([a for a, _ in listed], [b for _, b in listed])


def as_set(some: Pairs) -> set[tuple[int, int]]:
    return {(int(a), int(b)) for a, b in some}


@given(pair_sets, pair_sets, st.sampled_from(RULES), st.sampled_from(DIRECTIONS))
def test_every_pair_stands_in_exactly_one_group(mine: set, theirs: set, rule: str, direction: Direction) -> None:
    merged = reconcile(pairs(mine), pairs(theirs), rule, direction=direction)
    assert as_set(merged.both) == mine & theirs
    assert as_set(merged.only_mine) == mine - theirs
    assert as_set(merged.only_theirs) == theirs - mine
    assert as_set(merged.linked) <= mine | theirs
    assert not as_set(merged.linked) & as_set(merged.open)
    if rule != "both":
        assert as_set(merged.linked) | as_set(merged.open) == mine | theirs


@given(st.permutations(range(6)), st.permutations(range(6)), st.integers(0, 6), st.integers(0, 6))
def test_either_keeps_one_to_one(mine: list[int], theirs: list[int], some: int, others: int) -> None:
    left = as_pairs(list(range(some)), mine[:some])
    right = as_pairs(list(range(others)), theirs[:others])
    linked = reconcile(left, right, "either").linked
    assert len(set(linked[:, 0])) == len(set(linked[:, 1])) == len(linked)


@given(pair_sets, pair_sets, st.sampled_from(DIRECTIONS))
def test_either_adds_no_second_counterpart_to_a_side_that_may_have_one(
    mine: set, theirs: set, direction: Direction
) -> None:
    merged = reconcile(pairs(mine), pairs(theirs), "either", direction=direction)
    added = as_set(merged.linked) - as_set(merged.both)
    for side, alone in enumerate(once(direction)):
        assert not alone or all(sum(pair[side] == one[side] for pair in mine | theirs) == 1 for one in added)


def test_nothing_on_either_side_gives_nothing() -> None:
    empty = np.zeros((0, 2), np.int64)
    assert all(len(reconcile(empty, empty, rule).linked) == 0 for rule in RULES)


def test_a_rule_nobody_knows_is_refused() -> None:
    with pytest.raises(Problem, match="not a rule"):
        reconcile(pairs(set()), pairs(set()), "majority")  # type: ignore[arg-type]
