"""Noise on smashed data: one fresh row per record, nothing left that would undo it."""

from __future__ import annotations

import numpy as np
import pytest

from pprl_desktop.codes.base import Part, Smashed
from pprl_desktop.privacy.keystream import Keystream
from pprl_desktop.privacy.noise import noised
from pprl_desktop.problem import Problem
from pprl_desktop.progress import Cancelled, Progress

ROWS = np.array([0, 1, 0, -1, 2, 0], dtype=np.int32)


def smashed() -> Smashed:
    bits = np.arange(3 * 128, dtype=np.uint8).reshape(3, 128)
    distances = np.array([[0] * 200, [9] * 200, [255] * 200], dtype=np.uint8)
    tokens = np.arange(24, dtype=np.uint8).reshape(3, 8)
    return Smashed(
        "test",
        6,
        (
            Part("last.bits", "last", "bits", "value", ROWS, bits),
            Part("last.first", "last", "distances", "value", ROWS, distances),
            Part("last.equal", "last", "token", "equal", ROWS, tokens),
        ),
    )


def test_without_epsilon_nothing_changes() -> None:
    before = smashed()
    assert noised(before, None, Keystream()) is before


def test_equal_values_get_noise_of_their_own() -> None:
    part = noised(smashed(), 1.0, Keystream.repeatable(1)).part("last.bits")
    assert part.values.shape == (5, 128)
    assert len(np.unique(part.values, axis=0)) == 5


def test_a_missing_field_stays_missing_and_costs_no_row() -> None:
    part = noised(smashed(), 1.0, Keystream()).part("last.bits")
    assert part.rows.tolist() == [0, 1, 2, -1, 3, 4]


def test_the_noise_sits_on_the_right_record() -> None:
    before, after = smashed(), noised(smashed(), 12.0, Keystream.repeatable(2))
    for name in ("last.bits", "last.first"):
        old, new = before.part(name), after.part(name)
        kept = ROWS >= 0
        same = old.values[old.rows[kept]] == new.values[new.rows[kept]]
        assert same.mean() > 0.99


def test_keyed_tokens_do_not_leave_beside_noise() -> None:
    assert [part.name for part in noised(smashed(), 1.0, Keystream()).parts] == ["last.bits", "last.first"]


def test_the_own_smashed_data_are_not_touched() -> None:
    before = smashed()
    copy = before.part("last.bits").values.copy()
    noised(before, 0.5, Keystream())
    assert np.array_equal(before.part("last.bits").values, copy)


def test_data_of_tokens_only_cannot_be_noised() -> None:
    tokens = Smashed("test", 6, (smashed().part("last.equal"),))
    with pytest.raises(Problem, match="cannot carry noise"):
        noised(tokens, 1.0, Keystream())


def test_noise_is_not_added_twice() -> None:
    once = noised(smashed(), 1.0, Keystream())
    assert once.epsilon == 1.0
    with pytest.raises(Problem, match="noise already"):
        noised(once, 1.0, Keystream())


def test_an_empty_table_is_no_trouble() -> None:
    none = np.zeros(0, dtype=np.int32)
    empty = Smashed("test", 0, (Part("x", "x", "bits", "value", none, np.zeros((0, 8), np.uint8)),))
    assert noised(empty, 1.0, Keystream()).part("x").values.shape == (0, 8)
    all_missing = Smashed("t", 2, (Part("x", "x", "bits", "value", none[:0] - 1, np.zeros((0, 8), np.uint8)),))
    assert noised(all_missing, 1.0, Keystream()).rows == 2


def test_noise_can_be_cancelled() -> None:
    with pytest.raises(Cancelled):
        noised(smashed(), 1.0, Keystream(), Progress(cancelled=lambda: True))
