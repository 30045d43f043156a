"""The rule of the split-learning method: whole-number weights of distances, a budget, and what the own table taught.

score = sum over fields of (neutral cost - cost of the pair): a field speaks for a match below its neutral cost and
against it above, and a field that is missing on either side says nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from pprl_desktop.codes.base import Kernel, Rule
from pprl_desktop.decisions.svm.tuning import Tuning

UNIT = 1 << 24  # cost of a pair at the operating point: fine enough that rounding weights changes nothing

Ints = npt.NDArray[np.int64]
Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Weights:
    """Per field and reference attribute: cost of a step of the cosine distance, and of one edit of difference."""

    cosine: Ints  # [fields, attributes]
    largest: Ints
    neutral: Ints  # [fields] what a missing field costs
    budget: int  # pairs that cost more are never looked at

    def without(self, f: int) -> Weights:
        """The same weights blind to one field."""
        cosine, largest, neutral = self.cosine.copy(), self.largest.copy(), self.neutral.copy()
        cosine[f], largest[f], neutral[f] = 0, 0, 0
        return Weights(cosine, largest, neutral, self.budget)

    def with_budget(self, budget: int) -> Weights:
        return replace(self, budget=int(budget))


@dataclass(frozen=True, eq=False)
class Rbf:
    """A radial basis function SVM on the costs of the fields, in neutral costs."""

    support: Numbers  # [vectors, fields]
    coefficients: Numbers
    gamma: float
    intercept: float

    def decision(self, points: Numbers) -> Numbers:
        out = np.empty(len(points))
        lengths = (self.support**2).sum(axis=1)
        for start in range(0, len(points), 2048):
            x = points[start : start + 2048]
            apart = (x**2).sum(axis=1)[:, None] + lengths[None, :] - 2.0 * (x @ self.support.T)
            out[start : start + 2048] = np.exp(-self.gamma * np.maximum(apart, 0.0)) @ self.coefficients
        return out + self.intercept


@dataclass(frozen=True, eq=False)
class Null:
    """How pairs that do not belong together score in the own table, which holds each person once."""

    scores: Numbers  # of all pairs above the floor, rising
    best: Numbers  # the best of each row that has one, rising
    rows: int  # rows looked at
    table: int  # rows they were compared with


@dataclass(frozen=True, eq=False)
class SplitRule(Rule):
    kernel: Kernel
    fields: tuple[str, ...]
    parts: tuple[tuple[str, ...], ...]  # per field, the parts compared
    weights: Weights
    slope: float  # log-odds per unit of the decision, so that scores read as log-odds
    null: Null = field(repr=False)
    matches: Numbers = field(repr=False)  # scores of the synthetic matches, rising
    rbf: Rbf | None = None
    floor: float = -np.inf  # pairs that score less are not kept
    one_to_one: bool = True
    tuning: Tuning = field(default_factory=Tuning)

    def scores(self, costs: Ints) -> Numbers:
        """Score of pairs by the costs of their fields, [pairs, fields]."""
        if self.rbf is None:
            out: Numbers = self.slope * (self.weights.neutral.sum() - costs.sum(axis=1)) / UNIT
            return out
        return self.slope * self._tabulated(costs)

    def evidence(self, costs: Ints, missing: npt.NDArray[np.bool_]) -> npt.NDArray[np.float32]:
        """What each field says: positive for a match, NaN where it is missing. Linear rules: adds up to the score."""
        scale = self.slope if self.rbf is None else 1.0
        out = (scale * (self.weights.neutral - costs) / UNIT).astype(np.float32)
        out[missing] = np.nan
        return out

    def _tabulated(self, costs: Ints) -> Numbers:
        """The RBF decision from a table over the cells that occur; each cell is computed once."""
        assert self.rbf is not None
        cells = cells_of(costs, self.weights.neutral, self.tuning)
        size = self.tuning.rbf_cells * self.tuning.rbf_widest + 1
        key = np.zeros(len(cells), dtype=np.uint64)
        for f in range(cells.shape[1]):
            # wraps around beyond nine fields: an odd factor keeps keys apart in practice, and np.unique rows make sure
            key = key * np.uint64(size) + cells[:, f].astype(np.uint64)
        if cells.shape[1] <= 9:
            _, first, back = np.unique(key, return_index=True, return_inverse=True)
        else:
            _, first, back = np.unique(cells, axis=0, return_index=True, return_inverse=True)
        table = self.rbf.decision(cells[first] / self.tuning.rbf_cells)
        return np.round(table, 9)[back.reshape(-1)]


def cells_of(costs: Ints, neutral: Ints, tuning: Tuning) -> Ints:
    """Costs on the fixed grid: 0 is equal, `rbf_cells` the neutral cost, which is also where missing fields lie."""
    steps = tuning.rbf_cells
    whole: Ints = np.minimum(costs * steps // np.maximum(neutral, 1), steps * tuning.rbf_widest)
    return whole
