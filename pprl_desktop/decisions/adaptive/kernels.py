"""The inner loops of the adaptive decision; imported only when it runs."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from pprl_desktop.compute.bit_planes import ones_in
from pprl_desktop.compute.threads import jit, jit_bound

LANES = 64  # products looked at together: where none passes, none is looked at alone


@jit
def common_bits(left: Any, right: Any, out: Any) -> None:
    """out[i, j] = ones that rows left[i] and right[j] share."""
    for i in range(left.shape[0]):
        for j in range(right.shape[0]):
            total = np.uint64(0)
            for k in range(left.shape[1]):
                total += ones_in(left[i, k] & right[j, k])
            out[i, j] = total


@jit
def add_weights(levels: Any, at: Any, weights: Any, codes: Any, out: Any) -> None:
    """out[i, j] += weights[i, levels[at[i], codes[j]]]; a missing value on either side adds nothing.

    levels   uint8 [own values in this block, partner values]
    at       row of levels for each own record of the block, -1: missing
    codes    partner value of each partner record, -1: missing
    """
    values = levels.shape[1]
    line = np.zeros(values + 1, dtype=np.float32)  # the last one stands for missing
    for i in range(at.shape[0]):
        if at[i] < 0:
            continue
        for v in range(values):
            line[v] = weights[i, levels[at[i], v]]
        for j in range(codes.shape[0]):
            out[i, j] += line[codes[j]]


@jit
def common_bits_of_pairs(left: Any, right: Any, own: Any, partner: Any, out: Any) -> None:
    """out[p] = ones that rows left[own[p]] and right[partner[p]] share."""
    for p in range(own.shape[0]):
        total = np.uint64(0)
        for k in range(left.shape[1]):
            total += ones_in(left[own[p], k] & right[partner[p], k])
        out[p] = total


@jit
def squared_distances(left: Any, right: Any, own: Any, partner: Any, out: Any) -> None:
    """out[p] = squared distance of rows left[own[p]] and right[partner[p]]; sixteen sums, always in the same order."""
    width = left.shape[1]
    sums = np.zeros(16, np.float32)
    for p in range(own.shape[0]):
        a, b = left[own[p]], right[partner[p]]
        sums[:] = 0.0
        whole = width // 16 * 16
        for k in range(0, whole, 16):
            for lane in range(16):
                differ = a[k + lane] - b[k + lane]
                sums[lane] += differ * differ
        total = np.float32(0.0)
        for lane in range(16):
            total += sums[lane]
        for k in range(whole, width):
            total += (a[k] - b[k]) * (a[k] - b[k])
        out[p] = total


@jit_bound
def close(product: Any, bar: Any, left: Any, right: Any, most: float, own: Any, partner: Any) -> int:
    """Pairs of rows less than `most` (squared) apart, but for rounding; returns how many there are.

    As many as there is room for are written to `own` and `partner`.

    product  [left rows, right rows]: only where it exceeds the bar of its row can a pair be close
    """
    found = 0
    for i in range(product.shape[0]):
        over, mine = bar[i], left[i]
        for start in range(0, product.shape[1], LANES):
            line = product[i, start : start + LANES]
            some = np.int32(0)
            for j in range(line.shape[0]):
                some = np.int32(some + np.int32(line[j] > over))
            if some == 0:
                continue
            for j in range(line.shape[0]):
                if line[j] > over:
                    other = right[start + j]
                    distance = np.float32(0.0)
                    for k in range(mine.shape[0]):
                        distance += (mine[k] - other[k]) * (mine[k] - other[k])
                    if distance < most:
                        if found < own.shape[0]:
                            own[found], partner[found] = i, start + j
                        found += 1
    return found


@jit
def cut(similarity: Any, cuts: Any, out: Any) -> None:
    """out = how many of the rising cuts each similarity exceeds."""
    for i in range(similarity.shape[0]):
        for j in range(similarity.shape[1]):
            level = 0
            for k in range(cuts.shape[0]):
                if similarity[i, j] > cuts[k]:
                    level += 1
            out[i, j] = level


@jit
def tell(own: Any, partner: Any, start: Any, value: Any, what: Any, out: Any) -> None:
    """out[p] = what is known of the values own[p] and partner[p], where anything is.

    start         [own values + 1] where in `value` and `what` that begins which is known of each
    value, what   partner values, rising for each own one, and the level
    """
    for p in range(own.shape[0]):
        low, high, wanted = start[own[p]], start[own[p] + 1], partner[p]
        end = high
        while low < high:
            middle = (low + high) // 2
            if value[middle] < wanted:
                low = middle + 1
            else:
                high = middle
        if low < end and value[low] == wanted:
            out[p] = what[low]


@jit
def add_field(chance: Any, share: Any, ratio: Any, step: float, out: Any) -> None:
    """out += the distribution of a sum to which a field adds ratio[level], as often as share[level] says.

    chance   of the sum so far, in cells of that step: what falls between two is shared out, the edges keep the rest
    """
    last = chance.shape[0] - 1
    for level in range(share.shape[0]):
        if share[level] <= 0:
            continue
        whole = np.int64(np.floor(ratio[level] / step))
        rest = ratio[level] / step - whole
        for cell in range(chance.shape[0]):
            if chance[cell] != 0:
                part = share[level] * chance[cell]
                out[min(max(cell + whole, 0), last)] += (1 - rest) * part
                out[min(max(cell + whole + 1, 0), last)] += rest * part


@jit
def free(order: Any, starts: Any, pull: Any, out: Any) -> None:
    """out[pair] = 1 / (1 + sum of the pull of the other pairs of its node).

    order    pairs, those of one node side by side; starts [nodes + 1]
    The largest is left out of the sum it would drown.
    """
    for node in range(starts.shape[0] - 1):
        first, last = starts[node], starts[node + 1]
        top, tops, rest = -1.0, 0.0, 0.0
        for at in range(first, last):
            here = pull[order[at]]
            if here > top:
                rest += tops * max(top, 0.0)
                top, tops = here, 1.0
            elif here == top:
                tops += 1.0
            else:
                rest += here
        for at in range(first, last):
            pair = order[at]
            here = pull[pair]
            others = rest + (tops - 1.0) * top if here == top else max(rest - here, 0.0) + tops * top
            out[pair] = 1.0 / (1.0 + others)


@jit
def tell_apart(rows: Any, table: Any, first: Any, which: Any) -> int:
    """which[i] = number of the pattern that rows[i] shows, in the order in which they come; returns how many there are.

    table   a power of two of places, all -1
    first   a row of each pattern; where there are more than it has room for, -1 is returned
    """
    found, most = 0, table.shape[0] - 1
    for i in range(rows.shape[0]):
        mark = np.uint64(1469598103934665603)
        for k in range(rows.shape[1]):
            mark = (mark ^ np.uint64(rows[i, k])) * np.uint64(1099511628211)  # Fowler, Noll and Vo
        at = np.int64(mark ^ (mark >> np.uint64(32))) & most
        while True:
            known = table[at]
            if known < 0:
                if found == first.shape[0]:
                    return -1
                table[at], first[found], which[i] = found, i, found
                found += 1
                break
            other, same = first[known], True
            for k in range(rows.shape[1]):
                if rows[i, k] != rows[other, k]:
                    same = False
                    break
            if same:
                which[i] = known
                break
            at = (at + 1) & most
    return found


Words = npt.NDArray[np.uint64]


def as_words(values: npt.NDArray[np.uint8]) -> Words:
    """Packed bits as 64-bit words, padded with zeros."""
    short = -values.shape[1] % 8
    if short:
        values = np.concatenate([values, np.zeros((len(values), short), np.uint8)], axis=1)
    return np.ascontiguousarray(values).view(np.uint64)
