"""How privacy losses add up: the plain sum, the exact bound with a small delta, and what a loss allows to guess."""

from __future__ import annotations

import math

import numpy as np

DELTA = 1e-6  # chance that the tighter bound does not hold; stated wherever the bound is


def added(epsilon: float, count: int) -> float:
    """Basic composition: always true, attained when everything differs (Dwork and Roth 2014, theorem 3.14)."""
    return epsilon * count


def tighter(epsilon: float, count: int, delta: float = DELTA) -> float:
    """The smallest total epsilon that holds with probability 1 - delta for `count` mechanisms of epsilon each.

    Kairouz, Oh and Viswanath 2015, theorem 3.3: randomised response is the worst of all mechanisms, so its
    exact loss, a binomial, is a bound for every one of them, and for randomised response itself the truth. Discrete
    Laplace noise under a shift by one has the same two-point loss, so the bound is exact there too.
    """
    if count <= 0:
        return 0.0
    low, high = 0.0, added(epsilon, count)
    if high - low <= 1e-9 or excess(epsilon, count, high * (1 - 1e-9)) > delta:
        return high
    while high - low > max(1e-6, 1e-7 * high):
        middle = (low + high) / 2
        low, high = (middle, high) if excess(epsilon, count, middle) > delta else (low, middle)
    return high


def excess(epsilon: float, count: int, total: float) -> float:
    """delta(total): the expected positive part of 1 - e^(total - loss), with loss = (count - 2 flips) epsilon."""
    flips = np.arange(count + 1)
    loss = (count - 2.0 * flips) * epsilon
    log_p, log_1_p = -np.logaddexp(0.0, epsilon), -np.logaddexp(0.0, -epsilon)
    log_choose = math.lgamma(count + 1) - _log_factorial(flips) - _log_factorial(count - flips)
    over = loss > total
    log_mass = log_choose[over] + flips[over] * log_p + (count - flips[over]) * log_1_p
    return float((np.exp(log_mass) * -np.expm1(total - loss[over])).sum())


def _log_factorial(numbers: np.ndarray[tuple[int], np.dtype[np.int64]]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    table = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, int(numbers.max()) + 1)))])
    return np.asarray(table[numbers])


def even_odds(candidates: int) -> float:
    """Record epsilon below which nobody can be surer than 1/2 which of so many equally likely people a record is."""
    return math.log(candidates - 1) if candidates > 2 else 0.0


def largest_posterior(epsilon: float, candidates: int) -> float:
    """The surest guess that a record epsilon allows among equally likely candidates."""
    return 1.0 / (1.0 + (candidates - 1) * math.exp(-min(epsilon, 700.0)))
