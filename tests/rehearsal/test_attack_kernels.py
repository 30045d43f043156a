"""The compiled loops of the attacker agree with slow, obvious twins."""

from __future__ import annotations

import numpy as np
import pytest

from pprl_desktop.progress import Cancelled, Progress
from pprl_desktop.rehearsal import attack_kernels
from pprl_desktop.rehearsal.attack_kernels import top_bits, top_distances


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
