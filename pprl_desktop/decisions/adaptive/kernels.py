"""The inner loops of the adaptive decision; imported only when it runs."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from numba import types
from numba.extending import intrinsic

from pprl_desktop.compute.bits import jit


@intrinsic
def _ones(typingctx: Any, word: Any) -> Any:
    """The processor's population count."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.uint64(types.uint64), code


@jit
def common_bits(left: Any, right: Any, out: Any) -> None:
    """out[i, j] = ones that rows left[i] and right[j] share."""
    for i in range(left.shape[0]):
        for j in range(right.shape[0]):
            total = np.uint64(0)
            for k in range(left.shape[1]):
                total += _ones(left[i, k] & right[j, k])
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
            total += _ones(left[own[p], k] & right[partner[p], k])
        out[p] = total


@jit
def sharing(left: Any, ones_left: Any, right: Any, ones_right: Any, need: Any, own: Any, partner: Any) -> int:
    """Pairs of rows that share as many ones as `need` asks of rows with so many ones; returns how many there are.

    As many as there is room for are written to `own` and `partner`.
    """
    found = 0
    for i in range(left.shape[0]):
        needed = need[ones_left[i]]
        for j in range(right.shape[0]):
            least = needed[ones_right[j]]
            if least > ones_right[j] or least > ones_left[i]:
                continue
            total = np.uint64(0)
            for k in range(left.shape[1]):
                total += _ones(left[i, k] & right[j, k])
            if np.int64(total) >= least:
                if found < own.shape[0]:
                    own[found], partner[found] = i, j
                found += 1
    return found


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


Words = npt.NDArray[np.uint64]


def as_words(values: npt.NDArray[np.uint8]) -> Words:
    """Packed bits as 64-bit words, padded with zeros."""
    short = -values.shape[1] % 8
    if short:
        values = np.concatenate([values, np.zeros((len(values), short), np.uint8)], axis=1)
    return np.ascontiguousarray(values).view(np.uint64)
