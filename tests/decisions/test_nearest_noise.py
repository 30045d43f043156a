"""The odds of a noisy nearest neighbour: equal to the drawn-out experiment, and as private as stated."""

from __future__ import annotations

import numpy as np
import pytest

from pprl_desktop.decisions import nearest_noise

COUNTS = np.array([[0, 1, 0, 2, 0, 3, 20], [1, 0, 0, 1, 0, 0, 40], [0, 0, 0, 0, 0, 0, 5], [3, 0, 0, 0, 0, 0, 0]])


@pytest.mark.parametrize("epsilon", [0.5, 4.0, 12.0])
def test_permute_and_flip_equals_the_experiment(epsilon: float) -> None:
    """The slow twin: records in random order, each taken with exp(-epsilon (d - best) / W)."""
    random = np.random.default_rng(1)
    made = nearest_noise.odds(COUNTS, epsilon, "permute-and-flip")
    for row, counts in enumerate(COUNTS):
        distances = np.repeat(np.arange(7), counts)
        chance = np.exp(-epsilon * (distances - distances.min()) / 6)
        won = np.zeros(7)
        for _ in range(4000):
            for place in random.permutation(len(distances)):
                if random.random() < chance[place]:
                    won[distances[place]] += 1
                    break
        assert np.abs(won / 4000 - made[row]).max() < 0.035


@pytest.mark.parametrize("epsilon", [0.5, 4.0, 12.0])
def test_laplace_equals_the_experiment(epsilon: float) -> None:
    random = np.random.default_rng(2)
    made = nearest_noise.odds(COUNTS, epsilon, "laplace")
    for row, counts in enumerate(COUNTS):
        distances = np.repeat(np.arange(7), counts)
        noisy = distances + random.laplace(0, 2 * 6 / epsilon, (20000, len(distances)))
        won = np.bincount(distances[noisy.argmin(axis=1)], minlength=7) / 20000
        assert np.abs(won - made[row]).max() < 0.015


@pytest.mark.parametrize("kind", ["permute-and-flip", "laplace"])
@pytest.mark.parametrize("epsilon", [0.5, 2.0, 10.0])
def test_replacing_one_record_changes_no_answer_by_more_than_epsilon(kind: str, epsilon: float) -> None:
    """Per record, not per class: the chance of each single answer, before and after one record moved anywhere."""
    random = np.random.default_rng(3)
    for _ in range(40):
        distances = random.integers(0, 7, size=random.integers(2, 12))
        moved = distances.copy()
        moved[0] = random.integers(0, 7)
        before, after = (_per_record(each, epsilon, kind) for each in (distances, moved))
        assert np.abs(np.log(before) - np.log(after)).max() <= epsilon * (1 + 1e-6)


def _per_record(distances: np.ndarray, epsilon: float, kind: str) -> np.ndarray:
    counts = np.bincount(distances, minlength=7)
    odds = nearest_noise.odds(counts[None, :], epsilon, kind)[0]  # type: ignore[arg-type]
    return odds[distances] / counts[distances]


def test_the_bound_is_tight_enough_to_be_the_stated_one() -> None:
    """A record that moves from far to near among many far ones uses up most of epsilon: the noise is not wasted."""
    far, near = np.full(1000, 6), np.full(1000, 6)
    near[0] = 0
    loss = np.log(_per_record(near, 5.0, "permute-and-flip")[0] / _per_record(far, 5.0, "permute-and-flip")[0])
    assert 4.5 < loss <= 5.0


def test_a_draw_follows_its_odds() -> None:
    random = np.random.default_rng(4)
    odds = np.array([[0.5, 0.0, 0.25, 0.25]])
    drawn = nearest_noise.draw(np.repeat(odds, 20000, axis=0), np.frombuffer(random.bytes(160000), "<u8"))
    assert np.abs(np.bincount(drawn, minlength=4) / 20000 - odds[0]).max() < 0.02
    assert not (drawn == 1).any()


def test_many_records_make_a_small_epsilon_useless() -> None:
    assert nearest_noise.best_recall(50_000, 5.0, "permute-and-flip", 82, 25)[0] < 0.01
    assert nearest_noise.best_recall(50_000, 15.0, "permute-and-flip", 82, 25)[0] > 0.97
