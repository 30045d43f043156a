"""The mechanisms draw from the law they claim, and the epsilon they claim holds exactly."""

from __future__ import annotations

import math
from decimal import Context, Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pprl_desktop.privacy.keystream import Keystream
from pprl_desktop.privacy.mechanisms import (
    WORD,
    DiscreteLaplace,
    add_laplace,
    flip_bits,
    flip_probability,
)
from pprl_desktop.problem import Problem
from pprl_desktop.progress import Cancelled, Progress

EPSILONS = [0.01, 0.1, 0.17, 0.3, 0.5, 0.6931, 1.0, 2.0, 5.0, 12.0, 40.0]


def e_to(epsilon: float) -> Fraction:
    """An upper bound of e^epsilon, 50 digits sharp."""
    context = Context(prec=50)
    return Fraction(context.next_plus(context.exp(Decimal(epsilon))))


def chi_square(seen: npt.NDArray[Any], expected: npt.NDArray[Any]) -> float:
    """p-value; sparse cells are pooled."""
    from scipy.stats import chisquare

    order = np.argsort(expected)
    pool = order[np.cumsum(expected[order]) < 20]
    rest = np.setdiff1d(np.arange(len(expected)), pool)
    if pool.size == 0:
        return float(chisquare(seen, expected * seen.sum() / expected.sum()).pvalue)
    rest, joined = rest[1:], np.append(pool, rest[0])
    observed = np.append(seen[rest], seen[joined].sum())
    wanted = np.append(expected[rest], expected[joined].sum())
    return float(chisquare(observed, wanted * observed.sum() / wanted.sum()).pvalue)


# ---- randomised response


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_the_flip_rate_is_rational_and_never_below_the_formula(epsilon: float) -> None:
    p = flip_probability(epsilon)
    assert p.denominator <= WORD
    assert (1 - p) / p <= e_to(epsilon)  # the odds of truth: the whole privacy claim
    assert abs(float(p) - 1 / (math.exp(epsilon) + 1)) < 1e-15


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1.0, 2.0, 5.0])
def test_flips_follow_the_law_over_millions_of_bits(epsilon: float) -> None:
    bits = np.zeros((8_000, 128), dtype=np.uint8)  # 8,192,000 bits
    flip_bits(bits, epsilon, Keystream.repeatable(1, f"flips {epsilon}"))
    flips = np.unpackbits(bits, axis=1)
    p = float(flip_probability(epsilon))
    assert chi_square(np.array([flips.size - flips.sum(), flips.sum()]), flips.size * np.array([1 - p, p])) > 1e-4
    # and within a record: the number of flips is binomial, every position alike, neighbours independent
    from scipy.stats import binom

    in_row = np.bincount(flips.sum(axis=1), minlength=1025)
    assert chi_square(in_row, len(bits) * binom.pmf(np.arange(1025), 1024, p)) > 1e-4
    by_position = flips.sum(axis=0)
    assert ((by_position - len(bits) * p) ** 2 / (len(bits) * p * (1 - p))).sum() < 1024 + 5 * math.sqrt(2048)
    pairs = flips[:, 0::2] * 2 + flips[:, 1::2]
    law = np.array([(1 - p) ** 2, p * (1 - p), p * (1 - p), p * p])
    assert chi_square(np.bincount(pairs.ravel(), minlength=4), pairs.size * law) > 1e-4


def test_a_byte_of_data_decides_nothing_about_its_noise() -> None:
    zeros, data = np.zeros((3, 5), dtype=np.uint8), np.arange(15, dtype=np.uint8).reshape(3, 5)
    noisy = data.copy()
    flip_bits(zeros, 1.0, Keystream.repeatable(5))
    flip_bits(noisy, 1.0, Keystream.repeatable(5))
    assert np.array_equal(noisy ^ data, zeros)


@pytest.mark.parametrize("epsilon", [0.0, -1.0, math.inf, math.nan, 41.0])
def test_a_senseless_epsilon_is_refused_before_any_draw(epsilon: float) -> None:
    with pytest.raises(Problem):
        flip_probability(epsilon)
    with pytest.raises(Problem):
        DiscreteLaplace.of(epsilon)


def test_noise_can_be_cancelled() -> None:
    with pytest.raises(Cancelled):
        flip_bits(np.zeros(1 << 20, dtype=np.uint8), 1.0, Keystream(), Progress(cancelled=lambda: True))


def test_an_array_that_cannot_be_changed_in_place_is_refused() -> None:
    with pytest.raises(ValueError, match="contiguous"):
        flip_bits(np.zeros((4, 4), dtype=np.uint8)[:, ::2], 1.0, Keystream())


# ---- discrete Laplace


def clipped_law(law: DiscreteLaplace, distance: int) -> list[Fraction]:
    """Weights of the published byte for a true distance, exactly."""
    out = [0] * 256
    for index, weight in enumerate(law.weights):
        out[min(max(distance + index - law.bound, 0), 255)] += weight
    return [Fraction(weight) for weight in out]


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_the_published_byte_is_private_per_edit_without_a_delta(epsilon: float) -> None:
    """For every output and every pair of neighbouring distances the exact ratio is at most e^epsilon."""
    law = DiscreteLaplace.of(epsilon)
    limit = e_to(epsilon)
    assert law.total <= WORD
    assert min(law.weights) >= 1
    here = clipped_law(law, 0)
    for distance in range(255):
        there = clipped_law(law, distance + 1)
        assert all(a <= limit * b and b <= limit * a for a, b in zip(here, there, strict=True)), distance
        here = there


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_the_weights_are_those_of_the_discrete_laplace_law(epsilon: float) -> None:
    law = DiscreteLaplace.of(epsilon)
    q = math.exp(-epsilon)
    ideal = [(1 - q) / (1 + q) * q ** abs(z) for z in range(-254, 255)]
    ideal = [q**255 / (1 + q), *ideal, q**255 / (1 + q)]
    distance = sum(abs(float(law.probability(z)) - p) for z, p in zip(range(-255, 256), ideal, strict=True)) / 2
    assert distance < 2**-30


@pytest.mark.parametrize("epsilon", [0.05, 0.5, 1.0, 3.0])
def test_laplace_draws_follow_the_law_over_millions(epsilon: float) -> None:
    law = DiscreteLaplace.of(epsilon)
    count = 4_000_000
    seen = np.bincount(law.draw(count, Keystream.repeatable(2, f"laplace {epsilon}")).astype(np.int64) + 255)
    seen = np.pad(seen, (0, 511 - len(seen)))
    expected = count * np.array([float(law.probability(z)) for z in range(-255, 256)])
    assert chi_square(seen, expected) > 1e-4


def test_words_beyond_the_table_are_drawn_again() -> None:
    """A small table that leaves half of the words unused still gives its own law."""
    law = DiscreteLaplace(1.0, 1, (WORD // 8, WORD // 4, WORD // 8))
    seen = np.bincount(law.draw(1_000_000, Keystream.repeatable(3)).astype(np.int64) + 1, minlength=3)
    assert chi_square(seen, 1_000_000 * np.array([0.25, 0.5, 0.25])) > 1e-4


def test_the_open_buckets_are_resolved_with_all_64_bits() -> None:
    """An outcome of weight 1 in 2^20 sits inside one 16-bit bucket and is still hit at its own rate."""
    rare = WORD >> 20
    law = DiscreteLaplace(1.0, 1, (rare, WORD - 2 * rare, rare))
    draws = law.draw(30_000_000, Keystream.repeatable(4))
    assert 20 < (draws != 0).sum() < 110  # 57 expected


@given(st.integers(0, 255), st.sampled_from([0.05, 1.0, 5.0]))
@settings(max_examples=30, deadline=None)
def test_noised_distances_stay_bytes(distance: int, epsilon: float) -> None:
    numbers = np.full(2_000, distance, dtype=np.uint8)
    add_laplace(numbers, epsilon, Keystream.repeatable(distance))
    assert abs(int(np.median(numbers)) - distance) <= 2 / epsilon


def test_the_law_is_that_of_opendp() -> None:
    dp: Any = pytest.importorskip("opendp.prelude")
    from scipy.stats import chi2_contingency

    dp.enable_features("contrib")
    count = 50_000
    space = dp.vector_domain(dp.atom_domain(T="i32")), dp.l1_distance(T="i32")
    theirs = np.array(dp.m.make_laplace(*space, scale=2.0)([0] * count))
    ours = DiscreteLaplace.of(0.5).draw(count, Keystream())
    edges = np.arange(-14, 15)
    table = [np.bincount(np.clip(x, -14, 14).astype(np.int64) + 14, minlength=len(edges)) for x in (theirs, ours)]
    assert chi2_contingency(np.array(table)).pvalue > 1e-5  # fresh randomness on both sides: fails once in 100,000


def test_the_flips_are_those_of_opendp() -> None:
    dp: Any = pytest.importorskip("opendp.prelude")
    from scipy.stats import chi2_contingency

    dp.enable_features("contrib")
    count = 16_000
    respond = dp.m.make_randomized_response_bool(prob=float(1 - flip_probability(1.0)))
    theirs = sum(respond(False) for _ in range(count))
    bits = np.zeros(count // 8, dtype=np.uint8)
    flip_bits(bits, 1.0, Keystream())
    ours = int(np.unpackbits(bits).sum())
    assert chi2_contingency([[theirs, count - theirs], [ours, count - ours]]).pvalue > 1e-5
