"""ristretto255 over arrays: points and scalars are rows of 32 bytes, worked on in threads (RFC 9496).

Every function takes and gives numpy arrays of uint8; a point that is no point is refused by the library's return code.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from pprl_desktop.blind.library import library
from pprl_desktop.compute.threads import in_blocks
from pprl_desktop.problem import Problem
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.said import NOTHING, Said

Bytes = npt.NDArray[np.uint8]
Flags = npt.NDArray[np.bool_]

SIZE = 32  # bytes of a point or a scalar
ORDER = 2**252 + 27742317777372353535851937790883648493
AT_ONCE = 512  # multiplications between two looks at Cancel: some 30 ms
PAD = 128  # bytes that expand_message_xmd hashes first: one block of SHA-512


def invalid_point() -> Problem:
    return Problem(
        "A point in the file is not a valid element of the group.",
        "It was not made by this program, or it was altered.",
        "Ask your partner to send the file again.",
        place="points",
    )


def _call(name: str) -> int:
    return library().address[name]


def _in_threads(
    count: int,
    work: Callable[[slice], None],
    threads: int,
    progress: Progress,
    what: Said | str,
    at_once: int = AT_ONCE,
) -> None:
    blocks = [slice(start, min(start + at_once, count)) for start in range(0, count, at_once)]
    for _ in in_blocks(work, blocks, threads, progress, what):
        pass


def _rows(given: Bytes, width: int = SIZE) -> Bytes:
    rows = np.ascontiguousarray(given, dtype=np.uint8)
    if rows.ndim != 2 or rows.shape[1] != width:
        raise invalid_point()
    return rows


def multiply(
    scalars: Bytes, points: Bytes, threads: int = 0, progress: Progress = NO_PROGRESS, what: Said | str = NOTHING
) -> tuple[Bytes, Flags]:
    """Scalar times point, one scalar for all or one each; False for what is no point, or the identity."""
    from pprl_desktop.blind import group_kernels

    scalars, points = _rows(scalars), _rows(points)
    assert len(scalars) in (1, len(points))
    out, good = np.zeros_like(points), np.zeros(len(points), dtype=np.bool_)
    call, each = _call("crypto_scalarmult_ristretto255"), len(scalars) > 1

    def work(some: slice) -> None:
        group_kernels.multiply(call, scalars[some] if each else scalars, points[some], out[some], good[some])

    _in_threads(len(points), work, threads, progress, what)
    return out, good


def multiply_base(
    scalars: Bytes, threads: int = 0, progress: Progress = NO_PROGRESS, what: Said | str = NOTHING
) -> Bytes:
    """Scalar times the generator."""
    from pprl_desktop.blind import group_kernels

    scalars = _rows(scalars)
    out, good = np.zeros_like(scalars), np.zeros(len(scalars), dtype=np.bool_)
    call = _call("crypto_scalarmult_ristretto255_base")
    _in_threads(
        len(scalars),
        lambda some: group_kernels.multiply_base(call, scalars[some], out[some], good[some]),
        threads, progress, what,
    )  # fmt: skip
    if not good.all():
        raise invalid_point()
    return out


def add(left: Bytes, right: Bytes) -> Bytes:
    from pprl_desktop.blind import group_kernels

    left, right = _rows(left), _rows(right)
    out, good = np.zeros_like(left), np.zeros(len(left), dtype=np.bool_)
    group_kernels.add(_call("crypto_core_ristretto255_add"), left, right, out, good)
    if not good.all():
        raise invalid_point()
    return out


def hash_to_group(
    messages: Bytes, domain: bytes, threads: int = 0, progress: Progress = NO_PROGRESS, what: Said | str = NOTHING
) -> Bytes:
    """A point per message (rows of one length), by the hash of RFC 9497 under the given domain."""
    from pprl_desktop.blind import group_kernels

    messages = np.ascontiguousarray(messages, dtype=np.uint8)
    width, tail = messages.shape[1], domain + bytes([len(domain)])
    first = np.frombuffer(bytes(PAD + width) + (64).to_bytes(2, "big") + b"\0" + tail, np.uint8)
    second = np.frombuffer(bytes(64) + b"\1" + tail, np.uint8)
    out = np.zeros((len(messages), SIZE), dtype=np.uint8)
    sha512, from_hash = _call("crypto_hash_sha512"), _call("crypto_core_ristretto255_from_hash")

    def work(some: slice) -> None:
        group_kernels.hash_to_group(
            sha512, from_hash, messages[some], first.copy(), second.copy(), np.zeros(64, np.uint8), out[some]
        )

    _in_threads(len(messages), work, threads, progress, what)
    return out


def valid(points: Bytes, threads: int = 0, progress: Progress = NO_PROGRESS, what: str = "Checking points") -> Flags:
    """Which rows are canonical points other than the identity, by the library's own check."""
    from pprl_desktop.blind import group_kernels

    points = _rows(points)
    good = np.zeros(len(points), dtype=np.bool_)
    call = _call("crypto_core_ristretto255_is_valid_point")
    _in_threads(len(points), lambda some: group_kernels.valid(call, points[some], good[some]), threads, progress, what)
    return np.asarray(good & points.any(axis=1))


def scalar_of(number: int) -> Bytes:
    return np.frombuffer((number % ORDER).to_bytes(SIZE, "little"), np.uint8).reshape(1, SIZE)


def number_of(scalar: Bytes) -> int:
    return int.from_bytes(scalar.tobytes(), "little")


def reduced(wide: Bytes) -> Bytes:
    """Rows of 64 bytes as scalars."""
    from pprl_desktop.blind import group_kernels

    wide = np.ascontiguousarray(wide, dtype=np.uint8)
    out = np.zeros((len(wide), SIZE), dtype=np.uint8)
    group_kernels.reduce_scalars(_call("crypto_core_ristretto255_scalar_reduce"), wide, out)
    return out


def inverted(scalars: Bytes) -> Bytes:
    """All inverses by one inversion (Montgomery's trick)."""
    from pprl_desktop.blind import group_kernels

    scalars = _rows(scalars)
    out, rest, swap = np.zeros_like(scalars), np.zeros(SIZE, np.uint8), np.zeros(SIZE, np.uint8)
    names = "crypto_core_ristretto255_scalar_mul", "crypto_core_ristretto255_scalar_invert"
    times, invert = (_call(name) for name in names)
    if group_kernels.invert_all(times, invert, scalars, rest, swap, out) != 0:
        raise Problem("A blind is zero.", "That does not happen by chance.", "Make the question anew.", place="blinds")
    return out


def sha512(rows: Bytes, threads: int = 1, progress: Progress = NO_PROGRESS) -> Bytes:
    """SHA-512 of each row."""
    from pprl_desktop.blind import group_kernels

    rows = np.ascontiguousarray(rows, dtype=np.uint8)
    out = np.zeros((len(rows), 64), dtype=np.uint8)
    call = _call("crypto_hash_sha512")
    _in_threads(
        len(rows), lambda some: group_kernels.hash_rows(call, rows[some], out[some]), threads, progress, "", 1 << 14
    )
    return out


def random_seed(count: int = SIZE) -> Bytes:
    """Random bytes written straight where they can be wiped: a Python `bytes` object cannot be."""
    made = np.zeros(count, dtype=np.uint8)
    _function("randombytes_buf", None, ctypes.c_void_p, ctypes.c_size_t)(made.ctypes.data, count)
    return made


def wipe(*secrets: Bytes) -> None:
    """Overwrites secrets where they lie."""
    for one in secrets:
        one[...] = 0


def scalar_times(one: Bytes, other: Bytes) -> Bytes:
    return _of_scalars("crypto_core_ristretto255_scalar_mul", one, other)


def scalar_minus(one: Bytes, other: Bytes) -> Bytes:
    return _of_scalars("crypto_core_ristretto255_scalar_sub", one, other)


def _of_scalars(name: str, one: Bytes, other: Bytes) -> Bytes:
    """By the library and not by Python's numbers, which nobody can wipe."""
    out = np.zeros((1, SIZE), dtype=np.uint8)
    pointers = [_rows(each).ctypes.data for each in (out, one, other)]
    _function(name, None, *[ctypes.c_void_p] * 3)(*pointers)
    return out


def _function(name: str, result: Any, *arguments: Any) -> Any:
    return ctypes.CFUNCTYPE(result, *arguments)(_call(name))


class Stream:
    """Random bytes that one 32-byte seed and a purpose give again (ChaCha20), so that only the seed must be kept."""

    BLOCK = 64

    def __init__(self, seed: bytes | Bytes, purpose: str) -> None:
        import hashlib

        row = np.zeros((1, 2 * SIZE), dtype=np.uint8)
        row[0, :SIZE] = np.frombuffer(seed, np.uint8)
        row[0, SIZE:] = np.frombuffer(hashlib.sha256(b"pprl-blind-stream/v1\0" + purpose.encode()).digest(), np.uint8)
        made = sha512(row)
        self._key = made[0, :SIZE].copy()
        wipe(row, made)

    def __del__(self) -> None:
        wipe(self._key)

    def bytes(self, count: int, part: int = 0) -> Bytes:
        """The first `count` bytes of one of 2^64 parts."""
        made = np.zeros(count, dtype=np.uint8)
        function = _function(
            "crypto_stream_chacha20", ctypes.c_int,
            ctypes.c_void_p, ctypes.c_ulonglong, ctypes.c_char_p, ctypes.c_void_p,
        )  # fmt: skip
        function(made.ctypes.data, count, part.to_bytes(8, "little"), self._key.ctypes.data)
        return made

    def scalars(self, count: int, part: int = 0) -> Bytes:
        wide = self.bytes(64 * count, part).reshape(-1, 64)
        made = reduced(wide)
        wipe(wide)
        return made

    def order(self, count: int, part: int = 0) -> npt.NDArray[np.int64]:
        """A random order of `count` things; two 64-bit draws are equal once in 2^64 / count^2."""
        return np.argsort(self.bytes(8 * count, part).view(np.uint64), kind="stable")
