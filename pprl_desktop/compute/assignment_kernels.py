"""Shortest augmenting paths on a sparse graph (Jonker and Volgenant 1987); imported only when a component is large.

scipy's sparse solver holds the interpreter lock until it is done, so that Cancel would go unheard; this one takes the
rows a few at a time.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pprl_desktop.compute.threads import jit

NOBODY = -1


@jit
def augment(
    first: Any, column: Any, gain: Any, u: Any, v: Any, of_row: Any, of_column: Any, start: Any, budget: Any
) -> Any:
    """Adds rows from `start` on to the best assignment of the rows before, until `budget` pairs were looked at.

    Returns the next row. A row may also stay alone, at no cost; a pair costs minus its gain.
    first      [rows + 1] first pair of each row; column, gain: of each pair, sorted by row
    u, v       duals of rows and columns
    of_row     pair taken by each row, of_column: row that took each column; both -1: none
    """
    columns = v.shape[0]
    distance = np.full(columns, np.inf)
    came_by = np.full(columns, NOBODY, dtype=np.int64)  # pair that reached the column
    from_row = np.full(columns, NOBODY, dtype=np.int64)
    settled = np.zeros(columns, dtype=np.bool_)
    touched = np.empty(columns, dtype=np.int64)
    order = np.empty(columns, dtype=np.int64)  # settled columns
    heap_key = np.empty(64)
    heap_column = np.empty(64, dtype=np.int64)
    looked = 0
    row = start
    while row < first.shape[0] - 1 and looked < budget:
        size = seen = done = 0
        here, near = row, 0.0
        alone_at, alone_row = np.inf, row
        sink = NOBODY
        while True:
            if near - u[here] < alone_at:
                alone_at, alone_row = near - u[here], here
            for pair in range(first[here], first[here + 1]):
                looked += 1
                j = column[pair]
                if settled[j]:
                    continue
                far = near - gain[pair] - u[here] - v[j]
                if far < distance[j]:
                    if distance[j] == np.inf:
                        touched[seen] = j
                        seen += 1
                    distance[j], came_by[j], from_row[j] = far, pair, here
                    if size == heap_key.shape[0]:
                        heap_key = np.concatenate((heap_key, np.empty(size)))
                        heap_column = np.concatenate((heap_column, np.empty(size, dtype=np.int64)))
                    at = size
                    size += 1
                    while at > 0:
                        up = (at - 1) // 2
                        if heap_key[up] < far or (heap_key[up] == far and heap_column[up] <= j):
                            break
                        heap_key[at], heap_column[at] = heap_key[up], heap_column[up]
                        at = up
                    heap_key[at], heap_column[at] = far, j
            best = NOBODY
            while size > 0 and best == NOBODY:
                key, j = heap_key[0], heap_column[0]
                size -= 1
                last_key, last_column = heap_key[size], heap_column[size]
                at = 0
                while 2 * at + 1 < size:
                    down = 2 * at + 1
                    if down + 1 < size and (
                        heap_key[down + 1] < heap_key[down]
                        or (heap_key[down + 1] == heap_key[down] and heap_column[down + 1] < heap_column[down])
                    ):
                        down += 1
                    if last_key < heap_key[down] or (last_key == heap_key[down] and last_column <= heap_column[down]):
                        break
                    heap_key[at], heap_column[at] = heap_key[down], heap_column[down]
                    at = down
                heap_key[at], heap_column[at] = last_key, last_column
                if not settled[j] and key == distance[j]:
                    best = j
            if best == NOBODY or alone_at <= distance[best]:
                near = alone_at
                break
            near = distance[best]
            if of_column[best] == NOBODY:
                sink = best
                break
            settled[best] = True
            order[done] = best
            done += 1
            here = of_column[best]
        u[row] += near
        for k in range(done):
            j = order[k]
            u[of_column[j]] += near - distance[j]
            v[j] -= near - distance[j]
        if sink == NOBODY:  # the row that gives up its column, or the new one itself, stays alone
            pair = of_row[alone_row]
            of_row[alone_row] = NOBODY
            sink = column[pair] if pair != NOBODY else NOBODY
        while sink != NOBODY:
            taker, pair = from_row[sink], came_by[sink]
            before = of_row[taker]
            of_row[taker], of_column[sink] = pair, taker
            sink = column[before] if before != NOBODY else NOBODY
        for k in range(seen):
            j = touched[k]
            distance[j], came_by[j], from_row[j], settled[j] = np.inf, NOBODY, NOBODY, False
        row += 1
    return row
