"""Distinct values of many byte strings at once, with numpy alone: what makes a million rows quick.

A string of up to eight bytes is its own 64-bit key; longer ones are hashed to one. Two different values share a key
about once in 10^19 pairs, so a table of a million different values is wrong with a chance of 3 in 100 million.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Bytes = npt.NDArray[np.uint8]
Index = npt.NDArray[np.int64]
Keys = npt.NDArray[np.uint64]
Codes = npt.NDArray[np.int32]

WORD = 8
_ODD = np.uint64(0x9E3779B97F4A7C15)
_MIX = np.uint64(0xBF58476D1CE4E5B9)
_TAIL = np.array([(1 << (8 * used)) - 1 for used in range(WORD)] + [2**64 - 1], dtype=np.uint64)


@dataclass(frozen=True, eq=False)
class Cells:
    """Strings as places in one buffer, which ends in eight bytes that belong to no string."""

    buffer: Bytes
    starts: Index
    lengths: Index

    @classmethod
    def of(cls, data: bytes, starts: Index, lengths: Index) -> Cells:
        return cls(np.frombuffer(data + bytes(WORD), dtype=np.uint8), starts, lengths)

    @classmethod
    def from_texts(cls, texts: Sequence[str]) -> Cells | None:
        """None if a text holds a NUL, which is the mark between them here."""
        data = "\0".join(texts).encode("utf-8", "surrogatepass")
        buffer = np.frombuffer(data + bytes(WORD), dtype=np.uint8)
        ends = np.append(np.flatnonzero(buffer[: len(data)] == 0), len(data))
        if len(ends) != len(texts):
            return None
        starts = np.concatenate(([0], ends[:-1] + 1))
        return cls(buffer, starts, ends - starts)

    def take(self, which: Any) -> Cells:
        return Cells(self.buffer, self.starts[which], self.lengths[which])

    def keys(self) -> Keys:
        """One key a string; equal strings have equal keys."""
        words = np.ndarray((len(self.buffer) - WORD + 1,), dtype="<u8", buffer=self.buffer, strides=(1,))
        keys: Keys = words[self.starts] & _TAIL[np.minimum(self.lengths, WORD)]
        longer, done = np.flatnonzero(self.lengths > WORD), WORD
        while len(longer):
            lengths = self.lengths[longer]
            word = words[self.starts[longer] + done] & _TAIL[np.minimum(lengths - done, WORD)]
            mixed = (keys[longer] ^ (keys[longer] >> np.uint64(29))) * _MIX + word
            mixed *= _ODD
            keys[longer] = mixed ^ (mixed >> np.uint64(32))
            done += WORD
            longer = longer[lengths > done]
        return keys

    def texts(self) -> list[str]:
        """The strings themselves: all bytes moved together, then decoded and cut once."""
        if not len(self.starts):
            return []
        room = self.lengths + 1  # a NUL after each
        ends = np.cumsum(room)
        source = np.arange(ends[-1]) + np.repeat(self.starts - (ends - room), room)
        moved = self.buffer[source]
        moved[ends - 1] = 0
        text: str = moved[:-1].tobytes().decode("utf-8", "surrogatepass")
        return text.split("\0")


def first_rows(keys: Keys) -> Codes:
    """For each key the first place that has the same one: a hash table that all keys enter at once.

    In a slot that several keys want, the first one stays; the others try again with another spread.
    """
    firsts = np.empty(len(keys), dtype=np.int32)
    pending = np.arange(len(keys), dtype=np.int32)
    odd = _ODD
    while len(pending):
        mine = keys[pending]
        bits = int(4 * len(pending)).bit_length()
        slots = (((mine ^ (mine >> np.uint64(31))) * odd) >> np.uint64(64 - bits)).astype(np.int64)
        table = np.empty(1 << bits, dtype=np.int32)
        table[slots[::-1]] = pending[::-1]  # written last, so the first row of a slot stays
        owner = table[slots]
        firsts[pending] = owner
        pending = pending[keys[owner] != mine]
        odd = np.uint64(int(odd) * int(_MIX) % 2**64)  # odd times odd is odd
    return firsts


def factorise(keys: Keys) -> tuple[Codes, Index]:
    """Codes in order of first appearance, and where each code appears first."""
    firsts = first_rows(keys)
    where = np.flatnonzero(firsts == np.arange(len(keys), dtype=np.int32))
    number = np.empty(len(keys), dtype=np.int32)
    number[where] = np.arange(len(where), dtype=np.int32)
    return number[firsts], where


def factorise_rows(values: npt.NDArray[Any]) -> tuple[Index, Index]:
    """Where each different row of an array appears first, in no order that tells anything, and which one each row is.

    By keys, because numpy sorts whole rows without letting another thread run: the window would stand still.
    """
    rows, width = len(values), values[:1].nbytes
    plain = np.ascontiguousarray(values).reshape(-1).view(np.uint8)
    cells = Cells(np.append(plain, np.zeros(WORD, np.uint8)), np.arange(rows) * width, np.full(rows, width))
    _, first, which = np.unique(cells.keys(), return_index=True, return_inverse=True)
    return first.astype(np.int64), which.reshape(-1).astype(np.int64)


def factorise_texts(texts: Sequence[str]) -> tuple[Codes, Index]:
    """The same for texts."""
    cells = Cells.from_texts(texts) if texts else None
    if cells is not None:
        return factorise(cells.keys())
    seen: dict[str, int] = {}
    codes = np.fromiter((seen.setdefault(text, len(seen)) for text in texts), np.int32, len(texts))
    where = np.unique(codes, return_index=True)[1].astype(np.int64)
    return codes, where
