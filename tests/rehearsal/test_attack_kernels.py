"""The compiled loops of the attacker agree with slow, obvious twins."""

from __future__ import annotations

import numpy as np
import pytest

from pprl_desktop.progress import Cancelled, Progress
from pprl_desktop.rehearsal import attack_kernels
from pprl_desktop.rehearsal.attack_kernels import top_bits, top_distances, top_joint, top_sums


def best(scores: np.ndarray, k: int) -> np.ndarray:
    return np.argsort(-scores, axis=1, kind="stable")[:, :k]


def test_the_best_entries_by_bits_in_common() -> None:
    rng = np.random.default_rng(1)
    rows, entries = rng.integers(0, 256, (70, 19), np.uint8), rng.integers(0, 256, (3000, 19), np.uint8)
    bias = rng.normal(size=3000).astype(np.float32)
    shared = np.unpackbits(rows, axis=1).astype(int) @ np.unpackbits(entries, axis=1).T.astype(int)
    scores = np.float32(0.37) * shared.astype(np.float32) + bias
    ids, found = top_bits(rows, entries, 0.37, bias, 5)
    assert np.array_equal(ids, best(scores, 5))
    assert np.allclose(found, -np.sort(-scores, axis=1)[:, :5], atol=1e-3)


def test_the_best_entries_by_absolute_differences() -> None:
    rng = np.random.default_rng(2)
    entries = rng.integers(0, 20, (500, 40)).astype(np.uint8)
    rows = np.clip(entries[rng.integers(0, 500, 70)] + rng.integers(-2, 3, (70, 40)), 0, 255).astype(np.uint8)
    bias = rng.normal(size=500).astype(np.float32)
    apart = np.abs(rows[:, None].astype(int) - entries[None].astype(int)).sum(axis=2)
    ids, _ = top_distances(rows, entries, 0.8, bias, 1)
    assert np.array_equal(ids, best(-0.8 * apart + bias, 1))


def test_a_large_reference_set_is_thinned_out_for_the_shortlist_only(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    entries = rng.integers(0, 20, (800, 60)).astype(np.uint8)
    rows = np.clip(entries[:50] + rng.integers(-1, 2, (50, 60)), 0, 255).astype(np.uint8)
    monkeypatch.setattr(attack_kernels, "PRODUCT_COLUMNS", 20)
    ids, _ = top_distances(rows, entries, 1.0, np.zeros(800, np.float32), 1)
    assert ids[:, 0].tolist() == list(range(50))


def test_fewer_entries_than_asked_for() -> None:
    ids, _ = top_bits(np.ones((2, 8), np.uint8), np.ones((3, 8), np.uint8), 1.0, np.zeros(3, np.float32), 10)
    assert ids.shape == (2, 3)
    ids, _ = top_bits(np.ones((0, 8), np.uint8), np.ones((3, 8), np.uint8), 1.0, np.zeros(3, np.float32), 1)
    assert ids.shape == (0, 1)


def test_the_loops_can_be_cancelled() -> None:
    rows = np.zeros((200, 8), np.uint8)
    stop = Progress(cancelled=lambda: True)
    with pytest.raises(Cancelled):
        top_bits(rows, rows, 1.0, np.zeros(200, np.float32), 1, stop)
    with pytest.raises(Cancelled):
        top_distances(rows, rows, 1.0, np.zeros(200, np.float32), 1, stop)


def test_the_best_entries_by_the_pull_of_their_pieces() -> None:
    rng = np.random.default_rng(4)
    pull = rng.normal(size=(70, 30)).astype(np.float32)
    starts = np.concatenate([[0], np.cumsum(rng.integers(1, 9, 400))])
    piece = rng.integers(0, 30, starts[-1]).astype(np.int32)
    weight = rng.integers(1, 9, starts[-1]).astype(np.float32)
    bias = rng.normal(size=400).astype(np.float32)
    slow = np.zeros((70, 400), np.float32)
    for entry in range(400):
        own = slice(starts[entry], starts[entry + 1])
        slow[:, entry] = pull[:, piece[own]] @ weight[own] + bias[entry]
    assert np.array_equal(top_sums(pull, starts, piece, weight, bias, 3), best(slow, 3))


def test_the_best_pairs_by_their_sums_cut_at_a_limit() -> None:
    rng = np.random.default_rng(5)
    known = rng.integers(-900, 900, (20, 128)).astype(np.int16)
    more = rng.integers(-900, 900, (30, 128)).astype(np.int16)
    mine, theirs = rng.normal(size=20).astype(np.float32), rng.normal(size=30).astype(np.float32)
    cut = np.clip(known[:, None].astype(int) + more[None], -300, 300).sum(axis=2)
    slow = (0.01 * cut + mine[:, None] + theirs).reshape(1, -1)
    ids, scores = top_joint(known, more, 300, 0.01, mine, theirs, 7)
    assert np.array_equal(ids, best(slow, 7)[0])
    assert np.allclose(scores, -np.sort(-slow)[0, :7], atol=1e-3)
