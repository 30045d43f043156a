"""The best one-to-one assignment on a sparse graph of candidate pairs, exact, component by component."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pprl_desktop.compute.threads import interruptible
from pprl_desktop.progress import NO_PROGRESS, Progress

Rows = npt.NDArray[np.int32]
Gains = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

DENSE_LIMIT = 4_000_000  # cells of a dense component: above it the sparse solver is used
LARGE = 5_000  # pairs from which a single call may take longer than Cancel should wait
AT_ONCE = 3_000_000  # pairs the sparse solver looks at between two questions whether to go on
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
    order = useful[interruptible(progress, np.lexsort, (partner[useful], own[useful]))]
    order = interruptible(progress, _without_repeats, order, own, partner, gain)
    label = interruptible(progress, _components, own[order], partner[order])
    by_component = order[interruptible(progress, _stable_order, label)]
    starts = np.flatnonzero(np.diff(np.sort(label), prepend=-1))
    ends = np.append(starts[1:], len(by_component))
    ties = 0
    alone = ends - starts == 1
    chosen[by_component[starts[alone]]] = True
    many = np.flatnonzero(~alone)
    for count, place in enumerate(many):
        pairs = by_component[starts[place] : ends[place]]
        if count % 64 == 0 or len(pairs) >= LARGE:
            progress.at(count / len(many), "Assigning pairs")
        picked, tied = _solve(own[pairs], partner[pairs], gain[pairs], progress)
        chosen[pairs[picked]] = True
        ties += tied
    return Assignment(chosen, ties)


def _stable_order(label: npt.NDArray[np.int32]) -> npt.NDArray[np.int64]:
    return np.argsort(label, kind="stable")


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


def _solve(own: Rows, partner: Rows, gain: Gains, progress: Progress) -> tuple[npt.NDArray[np.int64], int]:
    """Exact within one component: star-shaped ones at sight, the others as a linear assignment."""
    left, a = np.unique(own, return_inverse=True)
    right, b = np.unique(partner, return_inverse=True)
    if len(left) == 1 or len(right) == 1:
        best = float(gain.max())
        winners = np.flatnonzero(gain >= best - TIE)
        return winners[:1], int(len(winners) > 1)
    if len(left) * len(right) <= DENSE_LIMIT:
        if len(gain) < LARGE:
            picked = _dense(a, b, gain, len(left), len(right))
            return picked, _count_ties(a, b, gain, picked)
        picked = interruptible(progress, _dense, a, b, gain, len(left), len(right))
    else:
        picked = _sparse(a, b, gain, len(left), len(right), progress)
    return picked, interruptible(progress, _count_ties, a, b, gain, picked)


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
    a: npt.NDArray[np.int64], b: npt.NDArray[np.int64], gain: Gains, rows: int, columns: int, progress: Progress
) -> npt.NDArray[np.int64]:
    """Row by row along shortest augmenting paths; the pairs come sorted by row."""
    from pprl_desktop.compute.assignment_kernels import augment

    first = np.searchsorted(a, np.arange(rows + 1))
    u, v = np.zeros(rows), np.zeros(columns)
    of_row, of_column = np.full(rows, -1, dtype=np.int64), np.full(columns, -1, dtype=np.int64)
    row = 0
    while row < rows:
        row = int(interruptible(progress, augment, first, b, gain, u, v, of_row, of_column, row, AT_ONCE))
    return of_row[of_row >= 0]


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
