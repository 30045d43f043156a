"""Loops over arrays of points and scalars that call libsodium by address, without the interpreter lock."""

from __future__ import annotations

from typing import Any

from numba import types
from numba.extending import intrinsic

from pprl_desktop.compute.threads import jit

BLOCK = 128  # bytes of a SHA-512 block


@intrinsic
def _call1(typing: Any, address: Any, a: Any) -> Any:
    """int function(pointer)"""
    return types.int32(types.intp, types.intp), _pointers(1)


@intrinsic
def _call2(typing: Any, address: Any, a: Any, b: Any) -> Any:
    """int function(pointer, pointer)"""
    return types.int32(types.intp, types.intp, types.intp), _pointers(2)


@intrinsic
def _call3(typing: Any, address: Any, a: Any, b: Any, c: Any) -> Any:
    """int function(pointer, pointer, pointer)"""
    return types.int32(types.intp, types.intp, types.intp, types.intp), _pointers(3)


@intrinsic
def _call_hash(typing: Any, address: Any, out: Any, data: Any, length: Any) -> Any:
    """int function(pointer, pointer, unsigned long long)"""
    return types.int32(types.intp, types.intp, types.intp, types.intp), _pointers(2, sizes=1)


def _pointers(count: int, sizes: int = 0) -> Any:
    from llvmlite import ir

    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = ir.IntType(8).as_pointer()
        kind = ir.FunctionType(ir.IntType(32), [pointer] * count + [ir.IntType(64)] * sizes)
        function = builder.inttoptr(args[0], kind.as_pointer())
        given = [builder.inttoptr(one, pointer) for one in args[1 : 1 + count]] + list(args[1 + count :])
        return builder.call(function, given)

    return build


@jit
def multiply(call: int, scalars: Any, points: Any, out: Any, good: Any) -> None:
    """out = scalar x point; not good where a point is invalid or the product is the identity (scalars: one or each)."""
    step = 0 if len(scalars) == 1 else 32
    a, b, c = out.ctypes.data, scalars.ctypes.data, points.ctypes.data
    for i in range(len(points)):
        good[i] = _call3(call, a + 32 * i, b + step * i, c + 32 * i) == 0


@jit
def multiply_base(call: int, scalars: Any, out: Any, good: Any) -> None:
    a, b = out.ctypes.data, scalars.ctypes.data
    for i in range(len(scalars)):
        good[i] = _call2(call, a + 32 * i, b + 32 * i) == 0


@jit
def valid(call: int, points: Any, good: Any) -> None:
    a = points.ctypes.data
    for i in range(len(points)):
        good[i] = _call1(call, a + 32 * i) == 1


@jit
def add(call: int, left: Any, right: Any, out: Any, good: Any) -> None:
    a, b, c = out.ctypes.data, left.ctypes.data, right.ctypes.data
    for i in range(len(left)):
        good[i] = _call3(call, a + 32 * i, b + 32 * i, c + 32 * i) == 0


@jit
def hash_to_group(sha512: int, from_hash: int, messages: Any, first: Any, second: Any, wide: Any, out: Any) -> None:
    """RFC 9497 by expand_message_xmd of RFC 9380: 64 bytes of SHA-512 per message, mapped to a point.

    `first` and `second` are the two blocks to be hashed with everything but the message in place; the caller holds all
    arrays, because numba frees an array of its own once only its address is in use.
    """
    width = messages.shape[1]
    a, b, c = first.ctypes.data, second.ctypes.data, wide.ctypes.data
    points = out.ctypes.data
    for i in range(len(messages)):
        first[BLOCK : BLOCK + width] = messages[i]
        _call_hash(sha512, b, a, len(first))
        _call_hash(sha512, c, b, len(second))
        _call2(from_hash, points + 32 * i, c)


@jit
def hash_rows(sha512: int, rows: Any, out: Any) -> None:
    """SHA-512 of each row."""
    a, b, width = out.ctypes.data, rows.ctypes.data, rows.shape[1]
    for i in range(len(rows)):
        _call_hash(sha512, a + 64 * i, b + width * i, width)


@jit
def reduce_scalars(call: int, wide: Any, out: Any) -> None:
    """64 bytes each, taken modulo the order of the group."""
    a, b = out.ctypes.data, wide.ctypes.data
    for i in range(len(wide)):
        _call2(call, a + 32 * i, b + 64 * i)


@jit
def invert_all(times: int, invert: int, scalars: Any, rest: Any, swap: Any, out: Any) -> int:
    """All inverses by one inversion (Montgomery's trick); -1 where one of them is zero."""
    count = len(scalars)
    if not count:
        return 0
    a, b = out.ctypes.data, scalars.ctypes.data
    out[0] = scalars[0]
    for i in range(1, count):  # out[i] = s_0 .. s_i
        _call3(times, a + 32 * i, a + 32 * (i - 1), b + 32 * i)
    r, s = rest.ctypes.data, swap.ctypes.data
    if _call2(invert, r, a + 32 * (count - 1)) != 0:
        return -1
    for i in range(count - 1, 0, -1):
        _call3(times, s, r, a + 32 * (i - 1))
        out[i] = swap
        _call3(times, s, r, b + 32 * i)
        rest[:] = swap
    out[0] = rest
    return 0
