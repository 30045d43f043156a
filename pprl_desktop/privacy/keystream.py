"""Random bits for the privacy mechanisms: an AES-256-CTR keystream seeded from the operating system.

numpy's generators are made for simulation: who sees enough of their output can continue it and take
the noise off again. Here the noise is as hard to predict as AES is to break.
"""

from __future__ import annotations

import hashlib
import os
from typing import Any

import numpy as np
import numpy.typing as npt
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

SEED_BYTES = 32  # an AES-256 key
_ZEROS = bytes(1 << 18)  # encrypting zeros gives the keystream itself


class Keystream:
    """One stream of random bytes, never repeated. Not shared between threads: give each its own."""

    def __init__(self, seed: bytes | None = None) -> None:
        """Without a seed: fresh from the operating system, kept nowhere. A fixed seed is for tests
        and for measurements that must be repeatable; what is exported never uses one."""
        if seed is not None and len(seed) != SEED_BYTES:
            raise ValueError(f"a seed has {SEED_BYTES} bytes")
        self.fresh = seed is None
        key = os.urandom(SEED_BYTES) if seed is None else seed
        # one key per stream, so the counter may start at zero; it is 128 bits wide and never wraps
        self._cipher = Cipher(algorithms.AES(key), modes.CTR(bytes(16))).encryptor()

    @classmethod
    def repeatable(cls, seed: int, purpose: str = "") -> Keystream:
        """The same stream for the same seed and purpose, for tests and `evaluate`."""
        return cls(hashlib.sha256(f"pprl-keystream/v1\0{purpose}\0{seed}".encode()).digest())

    def fill(self, target: npt.NDArray[Any]) -> None:
        """Overwrite a contiguous array with random bytes."""
        room = memoryview(target.data).cast("B")
        step = len(_ZEROS)
        for start in range(0, len(room), step):
            piece = room[start : start + step]
            self._cipher.update_into(_ZEROS[: len(piece)] if len(piece) < step else _ZEROS, piece)

    def words(self, count: int) -> npt.NDArray[np.uint64]:
        """Independent uniform 64-bit integers."""
        made = np.empty(count, dtype="<u8")
        self.fill(made)
        return made

    def halves(self, count: int) -> npt.NDArray[np.uint16]:
        """Independent uniform 16-bit integers."""
        made = np.empty(count, dtype="<u2")
        self.fill(made)
        return made

    def below(self, bound: int, count: int) -> npt.NDArray[np.int64]:
        """Independent uniform integers in [0, bound), exactly: the biased end of the range is redrawn."""
        if not 0 < bound <= 1 << 62:
            raise ValueError("the bound must be positive and at most 2^62")
        limit = np.uint64((1 << 64) - (1 << 64) % bound - 1)  # the last word of the unbiased range
        made = self.words(count)
        while (biased := np.flatnonzero(made > limit)).size:
            made[biased] = self.words(biased.size)
        return (made % np.uint64(bound)).astype(np.int64)

    def permutation(self, count: int) -> npt.NDArray[np.int64]:
        """A uniformly random order of 0..count-1 (sorting distinct random keys; equal keys are redrawn)."""
        while True:
            keys = self.words(count)
            order = np.argsort(keys, kind="stable")
            if not (np.diff(keys[order]) == 0).any():
                return order.astype(np.int64)
