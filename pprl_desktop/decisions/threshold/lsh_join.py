"""The inner loops of banded LSH (compiled; imported only when it runs)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pprl_desktop.compute.bit_planes import ones_in, pair_score
from pprl_desktop.compute.threads import jit, jit_each_run


@jit
def keys(words: Any, places: Any) -> Any:
    """The bits of each row at the places, as one number."""
    out = np.zeros(len(words), np.uint64)
    for row in range(len(words)):
        key = np.uint64(0)
        for place in places:
            key = (key << np.uint64(1)) | ((words[row, place // 64] >> np.uint64(place % 64)) & np.uint64(1))
        out[row] = key
    return out


@jit
def _met_before(one: Any, other: Any, masks: Any, number: int) -> bool:
    for band in range(number):
        apart = False
        for word in range(len(one)):
            if (one[word] ^ other[word]) & masks[band, word]:
                apart = True
                break
        if not apart:
            return True
    return False


class Sorted(NamedTuple):
    """One side, its rows sorted by their key in this band."""

    keys: Any
    order: Any
    words: Any
    ones: Any


class Band(NamedTuple):
    """Which band it is, what a pair must reach, and how much may be done in one call."""

    masks: Any  # [bands, words] the places of each band
    number: int
    numbers: Any
    floor: float
    crowd: int
    work: int


class Out(NamedTuple):
    rows: Any
    others: Any
    scores: Any


@jit_each_run
def join(own: Sorted, partner: Sorted, band: Band, at: int, there: int, out: Out) -> Any:
    """Compares sorted own rows from `at` on with the partner rows of the same key, until the work or the room is used.

    A pair that agrees at all places of a band before this one (`masks` [bands, words]) was taken there.
    Returns where to go on in both, how many pairs reached the floor, and how many comparisons were spared.
    """
    mine, order, words, ones = own
    theirs, their_order, their_words, their_ones = partner
    masks, number, numbers, floor, crowd, work = band
    rows, others, scores = out
    held = spared = done = 0
    while at < len(mine) and done < work and held + crowd <= len(scores):
        key = mine[at]
        while there < len(theirs) and theirs[there] < key:
            there += 1
        stop = there
        while stop < len(theirs) and theirs[stop] == key:
            stop += 1
        while at < len(mine) and mine[at] == key and done < work and held + crowd <= len(scores):
            row = order[at]
            last = min(stop, there + crowd)
            spared += stop - last
            for place in range(there, last):
                other = their_order[place]
                shared = np.uint64(0)
                for word in range(words.shape[1]):
                    shared += ones_in(words[row, word] & their_words[other, word])
                value = pair_score(numbers, np.int64(shared), ones[row], their_ones[other])
                if value >= floor and not _met_before(words[row], their_words[other], masks, number):
                    rows[held] = row
                    others[held] = other
                    scores[held] = value
                    held += 1
            done += last - there + 1
            at += 1
    return at, there, held, spared
