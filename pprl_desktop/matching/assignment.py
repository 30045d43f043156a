"""The best one-to-one assignment on a sparse graph of candidate pairs, exact, component by component."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pprl_desktop.matching.base import Rows
from pprl_desktop.progress import NO_PROGRESS, Progress

Gains = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

DENSE_LIMIT = 4_000_000  # cells of a dense component: above it the sparse solver is used
TIE = 1e-9  # gains nearer than this are equal


@dataclass(frozen=True, eq=False)
class Assignment:
    chosen: Flags  # per pair
    ties: int  # chosen pairs that another, equally good assignment would replace


def assign(own: Rows, partner: Rows, gain: Gains, progress: Progress = NO_PROGRESS) -> Assignment:
    """Choose pairs, each row at most once on either side, with the largest sum of gains; pairs with gain <= 0 never.

    The solvers see the pairs in (own row, partner row) order and take no chances, so ties are broken the same way on
    every machine, whatever order the pairs came in.
    """
    chosen = np.zeros(len(own), dtype=np.bool_)
    useful = np.flatnonzero(gain > 0)
    if not len(useful):
        return Assignment(chosen, 0)
    order = useful[np.lexsort((partner[useful], own[useful]))]
    order = _without_repeats(order, own, partner, gain)
    label = _components(own[order], partner[order])
    by_component = order[np.argsort(label, kind="stable")]
    starts = np.flatnonzero(np.diff(np.sort(label), prepend=-1))
    ends = np.append(starts[1:], len(by_component))
    ties = 0
    alone = ends - starts == 1
    chosen[by_component[starts[alone]]] = True
    many = np.flatnonzero(~alone)
    for count, place in enumerate(many):
        if count % 64 == 0:
            progress.at(count / len(many))
        pairs = by_component[starts[place] : ends[place]]
        picked, tied = _solve(own[pairs], partner[pairs], gain[pairs])
        chosen[pairs[picked]] = True
        ties += tied
    return Assignment(chosen, ties)


def _without_repeats(order: npt.NDArray[np.int64], own: Rows, partner: Rows, gain: Gains) -> npt.NDArray[np.int64]:
    """A pair listed twice counts once, with its larger gain."""
    same = (own[order][1:] == own[order][:-1]) & (partner[order][1:] == partner[order][:-1])
    if not same.any():
        return order
    best = order[np.lexsort((-gain[order], partner[order], own[order]))]
    first = np.ones(len(best), dtype=np.bool_)
    first[1:] = (own[best][1:] != own[best][:-1]) | (partner[best][1:] != partner[best][:-1])
    return best[first]


def _components(own: Rows, partner: Rows) -> npt.NDArray[np.int32]:
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    left, a = np.unique(own, return_inverse=True)
    right, b = np.unique(partner, return_inverse=True)
    size = len(left) + len(right)
    graph = coo_matrix((np.ones(len(a), dtype=np.int8), (a, b + len(left))), shape=(size, size))
    label: npt.NDArray[np.int32] = connected_components(graph, directed=False)[1]
    return label[a]


def _solve(own: Rows, partner: Rows, gain: Gains) -> tuple[npt.NDArray[np.int64], int]:
    """Exact within one component: star-shaped ones at sight, the others as a linear assignment."""
    left, a = np.unique(own, return_inverse=True)
    right, b = np.unique(partner, return_inverse=True)
    if len(left) == 1 or len(right) == 1:
        best = float(gain.max())
        winners = np.flatnonzero(gain >= best - TIE)
        return winners[:1], int(len(winners) > 1)
    if len(left) * len(right) <= DENSE_LIMIT:
        picked = _dense(a, b, gain, len(left), len(right))
    else:
        picked = _sparse(a, b, gain, len(left), len(right))
    return picked, _count_ties(a, b, gain, picked)


def _dense(
    a: npt.NDArray[np.int64], b: npt.NDArray[np.int64], gain: Gains, rows: int, columns: int
) -> npt.NDArray[np.int64]:
    from scipy.optimize import linear_sum_assignment

    value = np.zeros((rows, columns))
    pair = np.full((rows, columns), -1, dtype=np.int64)
    value[a, b] = gain
    pair[a, b] = np.arange(len(gain))
    at_row, at_column = linear_sum_assignment(value, maximize=True)
    found: npt.NDArray[np.int64] = pair[at_row, at_column]
    return found[found >= 0]


def _sparse(
    a: npt.NDArray[np.int64], b: npt.NDArray[np.int64], gain: Gains, rows: int, columns: int
) -> npt.NDArray[np.int64]:
    """Every row may also take a column of its own for nothing, so a full matching always exists."""
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching

    top = float(gain.max()) + 1.0
    own_column = np.arange(rows)
    cost = np.concatenate([top - gain, np.full(rows, top)])  # all positive: zero would be no edge
    graph = csr_matrix(
        (cost, (np.concatenate([a, own_column]), np.concatenate([b, columns + own_column]))),
        shape=(rows, columns + rows),
    )
    at_row, at_column = min_weight_full_bipartite_matching(graph)
    real = at_column < columns
    key = a * columns + b
    order = np.argsort(key)
    found = np.searchsorted(key[order], at_row[real].astype(np.int64) * columns + at_column[real])
    picked: npt.NDArray[np.int64] = order[found]
    return picked


def _count_ties(a: npt.NDArray[np.int64], b: npt.NDArray[np.int64], gain: Gains, picked: npt.NDArray[np.int64]) -> int:
    """Chosen pairs that a single exchange would replace at no loss: with a free row, or crosswise with another pair."""
    none = len(gain)
    row_pick = np.full(int(a.max()) + 1, none)
    column_pick = np.full(int(b.max()) + 1, none)
    row_pick[a[picked]] = picked
    column_pick[b[picked]] = picked
    taken = np.zeros(none, dtype=np.bool_)
    taken[picked] = True
    rest = np.flatnonzero(~taken)
    mine, theirs = row_pick[a[rest]], column_pick[b[rest]]
    held = np.append(gain, 0.0)  # the pick of a free row is worth nothing
    back = np.zeros(len(rest))  # what the two partners left over could still make of each other
    both = np.flatnonzero((mine < none) & (theirs < none))
    if len(both):
        width = int(b.max()) + 1
        key = a * width + b
        order = np.argsort(key)
        wanted = a[theirs[both]] * width + b[mine[both]]
        at = np.minimum(np.searchsorted(key[order], wanted), none - 1)
        there = key[order][at] == wanted
        back[both[there]] = gain[order[at[there]]]
    equal = gain[rest] + back >= held[mine] + held[theirs] - TIE
    tied = np.union1d(mine[equal], theirs[equal])
    return int((tied < none).sum())
