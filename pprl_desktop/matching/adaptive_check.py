"""The self-linkage null: how many pairs of different records of one's own file would be called matches.

The posterior believes its own model; where fields depend on each other in a way the model does not know, it claims a
precision that is not there (DESIGN 4.5). The own file holds no match with itself, so every pair above the border is a
false one, and their number carries over to the unmatched records of the two files.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pprl_desktop.matching import adaptive_cross, adaptive_dependence, adaptive_null, blocking
from pprl_desktop.matching.base import Numbers, Rows
from pprl_desktop.matching.levels import DIFFERS, EQUAL, MISSING, FieldLevels
from pprl_desktop.progress import Progress

MOST = 100_000  # false pairs looked at
ENOUGH = 6  # false pairs from which a disagreement is told: fewer may be chance
MARGIN = 0.02  # share of the accepted pairs that is no cause for concern

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Weights:
    """What EM learned, in a form that can be put on other pairs."""

    m: Numbers  # [fields, levels]
    u: list[Numbers]
    cross_m: Numbers
    crossings: tuple[adaptive_cross.Crossing, ...]
    tree: tuple[adaptive_dependence.Edge, ...]


@dataclass(frozen=True)
class SelfLinkage:
    pairs: int  # of different own records that look like matches
    false: float  # wrong pairs to be expected among the accepted, by that
    believed: float  # wrong pairs by the posterior
    accepted: int

    @property
    def precision(self) -> float:
        return max(0.0, 1.0 - self.false / self.accepted) if self.accepted else float("nan")

    def warning(self) -> str:
        surely = self.false * (1 - 2 / max(self.pairs, 1) ** 0.5)
        if self.pairs < ENOUGH or surely < 2 * self.believed + MARGIN * self.accepted:
            return ""
        return (
            f"The forecast may be too good: {self.pairs:,} pairs of different records within the own file look like "
            f"matches, which makes about {self.false:,.0f} wrong pairs among {self.accepted:,} accepted; the weights "
            f"expect {self.believed:,.0f}. Either the own file holds duplicates or some fields repeat each other."
        )


def false_pairs(
    fields: Sequence[FieldLevels], weights: Weights, border: float, threads: int, progress: Progress
) -> tuple[int, float]:
    """Pairs of different records whose log likelihood ratio reaches the border; and out of how many."""
    rows = len(fields[0].own.codes)
    if rows < 2:
        return 0, 0.0
    tables = [adaptive_null.log_u(one, u) for one, u in zip(fields, weights.u, strict=True)]
    added = [
        (np.log(np.maximum(m, 1e-12))[None, :] - table).astype(np.float32)
        for m, table in zip(weights.m, tables, strict=True)
    ]
    # the corrections below only lower the sum, except for values found in another field
    found = blocking.scan(fields, added, border - 4.0, MOST, threads, progress)
    different = found.own != found.partner
    ratio = log_ratio(fields, tables, weights, found.own[different], found.partner[different])
    return int((ratio >= border).sum()) // 2, rows * (rows - 1) / 2


def log_ratio(
    fields: Sequence[FieldLevels], tables: Sequence[Floats], weights: Weights, own: Rows, partner: Rows
) -> Numbers:
    levels = np.full((len(own), len(fields)), MISSING, dtype=np.uint8)
    total = np.zeros(len(own))
    for f, one in enumerate(fields):
        a, b = one.own.codes[own], one.partner.codes[partner]
        here = np.flatnonzero((a >= 0) & (b >= 0))
        levels[here, f] = one.pairs(a[here], b[here])
        m = np.log(np.maximum(weights.m[f], 1e-12))
        total[here] += m[levels[here, f]] - tables[f][a[here], levels[here, f]]
    for crossing, m_found in zip(weights.crossings, weights.cross_m, strict=True):
        level, log_u = adaptive_cross.compare(fields, crossing, own, partner, levels)
        table = np.zeros(MISSING + 1)
        table[DIFFERS], table[EQUAL] = np.log1p(-min(float(m_found), 0.999)), np.log(max(float(m_found), 1e-12))
        total += table[level] - log_u
    lifts = adaptive_dependence.corrections(fields, weights.tree, own, levels)
    return np.asarray(total - lifts.sum(axis=1))
