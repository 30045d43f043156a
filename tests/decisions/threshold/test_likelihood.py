"""The curve from similarity to likelihood ratio: rising, drawn out at its end, honest about duplicates."""

from __future__ import annotations

import numpy as np

from pprl_desktop.decisions.threshold import likelihood
from pprl_desktop.decisions.thresholds import rising


def normal(mean: float, spread: float, size: int, seed: int) -> np.ndarray:
    return np.sort(np.random.default_rng(seed).normal(mean, spread, size))


def test_the_ratio_is_that_of_the_two_densities() -> None:
    matches, bulk = normal(0.8, 0.05, 20_000, 1), normal(0.5, 0.05, 400_000, 2)
    others = bulk[-4000:]
    on = likelihood.axis(matches, others, bulk)
    same = likelihood.match_mass(on, on.count(matches), likelihood.spread_of(matches))
    ratio = likelihood.log_ratio(same, likelihood.other_mass(on, others, len(bulk), bulk))
    x = on.middle()
    true = ((x - 0.5) ** 2 - (x - 0.8) ** 2) / (2 * 0.05**2)
    middle = (x > 0.6) & (x < 0.68)
    assert np.abs(ratio - true)[middle].max() < 0.8
    assert (np.diff(ratio) >= -1e-12).all()


def test_non_matches_do_not_end_where_the_sample_ends() -> None:
    bulk = normal(0.5, 0.05, 100_000, 3)
    matches = normal(0.9, 0.02, 1000, 4)
    on = likelihood.axis(matches, bulk[-1000:], bulk)
    mass = likelihood.other_mass(on, bulk[-1000:], len(bulk), bulk)
    beyond = mass[on.middle() > bulk[-1] + 0.01]
    assert (beyond > 0).all()
    assert (np.diff(np.log(beyond)) < 1e-9).all()


def test_duplicates_in_the_own_table_are_not_taken_for_look_alikes() -> None:
    matches, bulk = normal(0.9, 0.03, 2000, 5), normal(0.5, 0.05, 400_000, 6)
    doubled = np.sort(np.append(bulk[-20_000:], normal(0.9, 0.03, 200, 7)))
    on = likelihood.axis(matches, doubled, bulk)
    same = likelihood.match_mass(on, on.count(matches), likelihood.spread_of(matches))
    top = on.middle() > 0.85
    taken = likelihood.other_mass(on, doubled, len(bulk), bulk)[top].sum()
    seen_through = likelihood.other_mass(on, doubled, len(bulk), bulk, same, records=2000)[top].sum()
    assert seen_through < taken / 10


def test_the_nearest_rising_curve() -> None:
    made = rising(np.array([1.0, 3.0, 2.0, 4.0, 0.0]), np.ones(5))
    assert made.tolist() == [1.0, 2.25, 2.25, 2.25, 2.25]
