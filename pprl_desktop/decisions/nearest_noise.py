"""Who wins a noisy search for the nearest record: exact odds by distance class, one weighted draw per query.

The distances of a query to all n own records are whole numbers clipped to a public range of W + 1 classes, so all that
matters is how many records lie in each class. The odds that the winner comes from a class are one-dimensional
integrals on fixed nodes; within a class all records are alike. So a query costs microseconds, not n draws.

Replacing one own record changes one distance by at most W (which is public). For the answer to one query:
laplace            argmin of distance + Laplace(2W/epsilon): epsilon-DP (report noisy max), the seed's noise.
permute-and-flip   (McKenna and Sheldon 2020) records in random order, each taken with exp(-epsilon (d - best)/W);
                   equal to the argmin of distance - Exponential(W/epsilon). As only one distance changes, epsilon/W is
                   enough where the general case needs epsilon/2W: the changed record's own chance moves by at most
                   e^epsilon (the exponential has no memory), any other's by at most as much.
m queries cost m times epsilon. Below epsilon = ln n the n - 1 far records together outweigh the one that is near,
whatever the mechanism.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from pprl_desktop.codes.base import NearestNoise

Numbers = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]


def odds(counts: Counts, epsilon: float, kind: NearestNoise) -> Numbers:
    """counts[query, class] records at each distance -> probability that the winner is of that class."""
    width = counts.shape[1] - 1
    if kind == "laplace":
        made = _laplace(counts.astype(np.float64), width, epsilon)
    else:
        made = _permute_and_flip(counts, width, epsilon)
    return np.asarray(made / made.sum(axis=1, keepdims=True))


def draw(chances: Numbers, words: npt.NDArray[np.uint64]) -> npt.NDArray[np.int64]:
    """One class per row, by one random 64-bit word each, in whole numbers of 2**-62."""
    borders = np.cumsum(chances, axis=1)
    borders = np.floor(borders / borders[:, -1:] * 2.0**62)
    borders[:, -1] = 2.0**62
    picked = (words >> np.uint64(2)).astype(np.float64)[:, None]
    return np.asarray((picked >= borders).sum(axis=1).clip(0, chances.shape[1] - 1), np.int64)


def best_recall(rows: int, epsilon: float, kind: NearestNoise, width: int, none_at: int) -> tuple[float, float]:
    """For a query with its record at distance 0 and all others far: share answered rightly; without: share answered."""
    counts = np.zeros((2, width + 1), np.int64)
    counts[:, width] = max(rows - 1, 0), rows
    counts[0, 0] = 1
    counts[:, none_at] += 1
    made = odds(counts, epsilon, kind)
    far = 1.0 - 1.0 / max(int(counts[1, none_at]), 1) * made[1, none_at]
    return float(made[0, 0]), float(far)


def _permute_and_flip(counts: Counts, width: int, epsilon: float) -> Numbers:
    """P(class k) = h_k p_k * integral over arrival times t in (0, 1) of the product of (1 - p t) over the others."""
    best = np.argmax(counts > 0, axis=1)
    at = best[:, None] + np.arange(width + 1)
    shifted = np.where(at <= width, np.take_along_axis(counts, np.minimum(at, width), axis=1), 0).astype(np.float64)
    chance = np.exp(-epsilon * np.arange(width + 1) / max(width, 1))
    nodes, weights = _arrivals()
    stay = np.log1p(-np.outer(nodes, chance))  # [nodes, classes]
    alone = np.exp(np.minimum(shifted @ stay.T, 0.0)) * weights  # [queries, nodes]
    won = shifted * chance * (alone @ np.exp(-stay))
    out: Numbers = np.zeros_like(won)
    rows, columns = np.nonzero(at <= width)
    out[rows, at[rows, columns]] = won[rows, columns]
    return out


def _laplace(counts: Numbers, width: int, epsilon: float) -> Numbers:
    """P(class d) = h_d * integral of hazard(x - d) * product over all records of P(noisy distance > x)."""
    weights, beyond, hazard = _thresholds(width, epsilon)
    alone = np.exp(np.minimum(counts @ beyond.T, 0.0)) * weights
    return np.asarray(counts * (alone @ hazard))


@lru_cache(maxsize=1)
def _arrivals() -> tuple[Numbers, Numbers]:
    """Nodes on (0, 1), dense near 0: with n records taken at once the first arrives at about 1/n."""
    return _nodes(np.concatenate([[0.0], np.logspace(-9, 0, 19)]), 12)


@lru_cache(maxsize=8)
def _thresholds(width: int, epsilon: float) -> tuple[Numbers, Numbers, Numbers]:
    scale = 2.0 * width / epsilon
    low = -scale * np.linspace(
        45.0, 0.0, 46
    )  # 50k draws reach 11 scales below; the densities have kinks at whole numbers
    inside = np.arange(1, width + 1)
    high = width + scale * np.linspace(0.5, 10.0, 20)
    nodes, weights = _nodes(np.concatenate([low, inside, high]), 6)
    y = (nodes[:, None] - np.arange(width + 1)) / scale
    below = 0.5 * np.exp(np.minimum(y, 0.0))
    beyond = np.where(y < 0, np.log1p(-below), -math.log(2.0) - np.maximum(y, 0.0))
    hazard = np.where(y < 0, below / (1 - below), 1.0) / scale
    return weights, beyond, hazard


def _nodes(borders: Numbers, each: int) -> tuple[Numbers, Numbers]:
    """Gauss-Legendre on every piece between two borders."""
    x, w = np.polynomial.legendre.leggauss(each)
    half = np.diff(borders)[:, None] / 2
    middle = (borders[1:] + borders[:-1])[:, None] / 2
    return (middle + half * x).ravel(), (half * w).ravel()
