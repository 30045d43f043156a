"""The outsider's attack: similarities of codes against similarities of names."""

from __future__ import annotations

import numpy as np
import pytest

from pprl_desktop.privacy.keystream import Keystream
from pprl_desktop.privacy.mechanisms import flip_bits
from pprl_desktop.rehearsal.graph import Landmarks, by_landmarks, clustered, matched, similarities


def test_similarity_is_agreement_of_bits_or_nearness_of_distances() -> None:
    rng = np.random.default_rng(1)
    left, right = rng.integers(0, 256, (4, 16), np.uint8), rng.integers(0, 256, (5, 16), np.uint8)
    for row in range(4):
        for other in range(5):
            differ = int(np.bitwise_count(left[row] ^ right[other]).sum())
            assert similarities(left, right, True)[row, other] == pytest.approx(1 - 2 * differ / 128, abs=1e-6)
            apart = np.abs(left[row].astype(int) - right[other]).mean()
            assert similarities(left, right, False)[row, other] == pytest.approx(-apart, rel=1e-5)


def test_a_graph_is_found_again_under_another_order_of_its_points() -> None:
    rng = np.random.default_rng(2)
    points = rng.normal(size=(40, 6)).astype(np.float32)
    similar = points @ points.T
    order = rng.permutation(40)
    fit = np.zeros((40, 40), np.float32)
    fit[np.arange(8), order[:8]] = 3  # a few are known from their frequency
    inverse = np.empty(40, np.int64)
    inverse[order] = np.arange(40)
    found = matched(similar, similar[np.ix_(inverse, inverse)], fit, 5.0)
    assert (found == order).mean() > 0.9


def test_a_code_gets_the_name_that_is_as_similar_to_the_landmarks() -> None:
    """Two secrets: codes are rotated by one and shadows by the other; similarities stay."""
    rng = np.random.default_rng(3)
    words = rng.integers(0, 2, (60, 512)).astype(bool)
    mine, theirs = (np.packbits(words[:, rng.permutation(512)], axis=1) for _ in "ab")
    known = Landmarks(mine[:30], theirs[:30])
    assert by_landmarks(known, mine, theirs, True).tolist() == list(range(60))


def test_noisy_rows_of_one_value_are_gathered() -> None:
    rng = np.random.default_rng(4)
    values = rng.integers(0, 256, (12, 128), np.uint8)
    truth = rng.integers(0, 12, 200)
    rows = values[truth].copy()
    flip_bits(rows, 2.0, Keystream.repeatable(1, "gathered"))
    majority, which = clustered(rows, 2.0)
    assert len(majority) == 12
    for value in range(12):
        assert len(set(which[truth == value])) == 1
        assert np.bitwise_count(majority[which[truth == value][0]] ^ values[value]).sum() < 40
