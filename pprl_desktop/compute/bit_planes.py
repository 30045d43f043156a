"""Bit-sliced counting: the ones that 256 rows share with one row, in one go of vector registers (compiled).

256 partner rows lie side by side as bit planes (plane j holds bit j of each of them), so one register works on 256
pairs at once. The ones shared with an own row are the sum of the planes at its set bits, added up by a tree of
carry-save adders (Harley and Seal; Mula, Kurz and Lemire 2018): five logic operations per plane, ten per pair at 1024
bits half full, where sixteen words of popcount take 48. The comparison with the bar is made on the bit-sliced sums, so
only pairs that may pass are looked at one by one, and those are counted again word by word: the result is exact.
The vectors are plain LLVM vector types: AVX2, AVX-512 and NEON come from the same lines.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from pprl_desktop.compute.threads import jit

Words = npt.NDArray[np.uint64]
Ints = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float64]

LANES = 4  # 64-bit words in a vector: 256 rows in one group. 8 was slower on AVX2 (registers spill)
GROUP = 64 * LANES
LEVEL = 5  # the adder tree takes 2**LEVEL planes at a time
SUMS = 11  # binary digits of the bit-sliced sums; more of them cost a tenth of the speed
MAX_BLOCKS = (1 << SUMS >> LEVEL) - 1  # planes beyond these are not added up but taken as shared, which loses no pair
SMALL = 1e-9  # the least denominator of a score


class OwnRows(NamedTuple):
    words: Words  # [rows, words]
    ones: Ints  # set bits of each row
    bits: npt.NDArray[np.uint16]  # [rows, places] the set bits
    blocks: Ints  # of 2**LEVEL planes that each row adds up


class PartnerRows(NamedTuple):
    """Sorted by their number of set bits."""

    words: Words
    ones: Ints
    order: Ints  # the row each of them was
    planes: Words  # [groups, bits, LANES]


@intrinsic
def ones_in(typing: Any, word: Any) -> Any:
    """The number of set bits of a 64-bit word, one instruction where the processor has it."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), build


@intrinsic
def first_one(typing: Any, word: Any) -> Any:
    """The place of the lowest set bit."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 0))

    return types.uint64(types.uint64), build


def _passing(sums: int) -> Any:
    """Which rows of a group share at least `need` ones with the listed bits; the sums hold `sums` binary digits."""

    @intrinsic
    def passing(typing: Any, planes: Any, bits: Any, blocks: Any, need: Any, mask: Any) -> Any:
        def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            planes, bits, blocks, need, mask = arguments
            word, half, small = ir.IntType(64), ir.IntType(16), ir.IntType(32)
            vector = ir.VectorType(word, LANES)
            base = builder.inttoptr(planes, vector.as_pointer())
            listed = builder.inttoptr(bits, half.as_pointer())
            zeros, all_ones = ir.Constant(vector, [0] * LANES), ir.Constant(vector, [-1] * LANES)
            kept = [cgutils.alloca_once(builder, vector) for _ in range(sums)]
            for place in kept:
                builder.store(zeros, place)
            with cgutils.for_range(builder, blocks) as loop:
                start = builder.mul(loop.index, ir.Constant(loop.index.type, 1 << LEVEL))
                digits = [builder.load(place) for place in kept]
                taken = iter(range(1 << LEVEL))

                def tree(level: int) -> Any:
                    """Adds 2**level planes into the digits below `level` and returns the carry."""
                    if level == 0:
                        at = builder.add(start, ir.Constant(start.type, next(taken)))
                        bit = builder.zext(builder.load(builder.gep(listed, [at])), word)
                        return builder.load(builder.gep(base, [bit]), align=8)
                    x, y, z = tree(level - 1), tree(level - 1), digits[level - 1]
                    either = builder.xor(x, y)
                    digits[level - 1] = builder.xor(either, z)
                    return builder.or_(builder.and_(x, y), builder.and_(either, z))

                carry = tree(LEVEL)
                for digit in range(LEVEL, sums):
                    digits[digit], carry = builder.xor(digits[digit], carry), builder.and_(digits[digit], carry)
                for place, value in zip(kept, digits, strict=True):
                    builder.store(value, place)
            borrow = zeros  # of sum - need, from the lowest digit up
            for digit, place in enumerate(kept):
                bit = builder.and_(builder.lshr(need, ir.Constant(word, digit)), ir.Constant(word, 1))
                one = builder.insert_element(
                    ir.Constant(vector, ir.Undefined), builder.sub(ir.Constant(word, 0), bit), ir.Constant(small, 0)
                )
                spread = ir.Constant(ir.VectorType(small, LANES), [0] * LANES)
                needed = builder.shuffle_vector(one, ir.Constant(vector, ir.Undefined), spread)
                lacking = builder.xor(builder.load(place), all_ones)
                borrow = builder.or_(builder.and_(lacking, borrow), builder.and_(needed, builder.or_(lacking, borrow)))
            builder.store(builder.xor(borrow, all_ones), builder.inttoptr(mask, vector.as_pointer()), align=8)
            return context.get_dummy_value()

        return types.void(types.uintp, types.uintp, types.intp, types.int64, types.uintp), build

    return passing


_PASSING = _passing(SUMS)


@jit
def fill_planes(words: Words, planes: Words) -> None:
    for row in range(words.shape[0]):
        group, lane = row // GROUP, row % GROUP
        bit = np.uint64(1) << np.uint64(lane % 64)
        for place in range(words.shape[1]):
            word = words[row, place]
            while word:
                planes[group, place * 64 + np.int64(first_one(word)), lane // 64] |= bit
                word &= word - np.uint64(1)


@jit
def list_bits(words: Words, bits: Any) -> None:
    for row in range(words.shape[0]):
        at = 0
        for place in range(words.shape[1]):
            word = words[row, place]
            while word:
                bits[row, at] = place * 64 + np.int64(first_one(word))
                at += 1
                word &= word - np.uint64(1)


@jit
def shared(own: Words, partner: Words, own_rows: Ints, partner_rows: Ints, out: Ints) -> None:
    for pair in range(len(own_rows)):
        total = np.uint64(0)
        for word in range(own.shape[1]):
            total += ones_in(own[own_rows[pair], word] & partner[partner_rows[pair], word])
        out[pair] = total


@jit
def _need(numbers: Floats, bar: float, own: int, low: int, high: int) -> int:
    """The fewest shared ones with which some row of the group may reach the bar; too few cost time, not truth."""
    least = np.inf
    for partner in (low, high):
        over = numbers[3] + numbers[4] * own + numbers[5] * partner
        if over <= numbers[6]:
            return 0
        least = min(least, bar * over - numbers[0] - numbers[1] * own - numbers[2] * partner)
    if not least > 0.0:
        return 0
    return int(min(np.ceil(least - 1e-6), 1e9))


@jit
def pair_score(numbers: Floats, shared: int, own: int, partner: int) -> float:
    over = numbers[3] + numbers[4] * own + numbers[5] * partner
    value: float = (shared + numbers[0] + numbers[1] * own + numbers[2] * partner) / max(over, numbers[6])
    return value


@jit
def top(own: OwnRows, partner: PartnerRows, numbers: Floats, floor: float, best: Floats, ids: Ints) -> None:
    words, ones, bits, blocks = own.words, own.ones, own.bits, own.blocks
    p_words, p_ones, p_order, planes = partner.words, partner.ones, partner.order, partner.planes
    mask = np.empty(LANES, np.uint64)
    mask_at, group_at, bits_at = mask.ctypes.data, planes.ctypes.data, bits.ctypes.data
    group_bytes, bits_bytes = planes.shape[1] * LANES * 8, bits.shape[1] * 2
    k = best.shape[1]
    for group in range(planes.shape[0]):
        first = group * GROUP
        last = min(first + GROUP, len(p_ones)) - 1
        for row in range(words.shape[0]):
            bar = max(floor, best[row, k - 1])
            need = _need(numbers, bar, ones[row], p_ones[first], p_ones[last])
            if need > ones[row] or need > p_ones[last]:
                continue
            need = max(need - max(ones[row] - MAX_BLOCKS * (1 << LEVEL), 0), 0)
            _PASSING(
                group_at + group * group_bytes, bits_at + row * bits_bytes, min(blocks[row], MAX_BLOCKS), need, mask_at
            )
            for lanes in range(LANES):
                word = mask[lanes]
                while word:
                    at = first + lanes * 64 + np.int64(first_one(word))
                    word &= word - np.uint64(1)
                    if at > last:
                        break
                    shared = np.uint64(0)
                    for place in range(words.shape[1]):
                        shared += ones_in(words[row, place] & p_words[at, place])
                    value = pair_score(numbers, np.int64(shared), ones[row], p_ones[at])
                    row_id = p_order[at]
                    if (
                        value < floor
                        or value < best[row, k - 1]
                        or (value == best[row, k - 1] and row_id > ids[row, k - 1])
                    ):
                        continue
                    spot = k - 1
                    while spot > 0 and (
                        best[row, spot - 1] < value or (best[row, spot - 1] == value and ids[row, spot - 1] > row_id)
                    ):
                        best[row, spot] = best[row, spot - 1]
                        ids[row, spot] = ids[row, spot - 1]
                        spot -= 1
                    best[row, spot] = value
                    ids[row, spot] = row_id


@jit
def above(
    own: OwnRows, partner: PartnerRows, numbers: Floats, floor: float, rows: Ints, ids: Ints, scores: Floats
) -> int:
    words, ones, bits, blocks = own.words, own.ones, own.bits, own.blocks
    p_words, p_ones, p_order, planes = partner.words, partner.ones, partner.order, partner.planes
    mask = np.empty(LANES, np.uint64)
    mask_at, group_at, bits_at = mask.ctypes.data, planes.ctypes.data, bits.ctypes.data
    group_bytes, bits_bytes = planes.shape[1] * LANES * 8, bits.shape[1] * 2
    found = 0
    for group in range(planes.shape[0]):
        first = group * GROUP
        last = min(first + GROUP, len(p_ones)) - 1
        for row in range(words.shape[0]):
            need = _need(numbers, floor, ones[row], p_ones[first], p_ones[last])
            if need > ones[row] or need > p_ones[last]:
                continue
            need = max(need - max(ones[row] - MAX_BLOCKS * (1 << LEVEL), 0), 0)
            _PASSING(
                group_at + group * group_bytes, bits_at + row * bits_bytes, min(blocks[row], MAX_BLOCKS), need, mask_at
            )
            for lanes in range(LANES):
                word = mask[lanes]
                while word:
                    at = first + lanes * 64 + np.int64(first_one(word))
                    word &= word - np.uint64(1)
                    if at > last:
                        break
                    shared = np.uint64(0)
                    for place in range(words.shape[1]):
                        shared += ones_in(words[row, place] & p_words[at, place])
                    value = pair_score(numbers, np.int64(shared), ones[row], p_ones[at])
                    if value < floor:
                        continue
                    if found < len(rows):
                        rows[found] = row
                        ids[found] = p_order[at]
                        scores[found] = value
                    found += 1
    return found


@jit
def sharing(own: OwnRows, partner: PartnerRows, need: Ints, rows: Ints, ids: Ints) -> int:
    """Pairs that share as many ones as `need` [own ones, partner ones] asks; returns how many there are.

    As many as there is room for are written to `rows` and `ids`.
    """
    words, ones, bits, blocks = own.words, own.ones, own.bits, own.blocks
    p_words, p_ones, p_order, planes = partner.words, partner.ones, partner.order, partner.planes
    mask = np.empty(LANES, np.uint64)
    mask_at, group_at, bits_at = mask.ctypes.data, planes.ctypes.data, bits.ctypes.data
    group_bytes, bits_bytes = planes.shape[1] * LANES * 8, bits.shape[1] * 2
    found = 0
    for group in range(planes.shape[0]):
        first = group * GROUP
        last = min(first + GROUP, len(p_ones)) - 1
        for row in range(words.shape[0]):
            needed = need[ones[row]]
            least, hope = needed[p_ones[first]], False
            for theirs in range(p_ones[first], p_ones[last] + 1):
                least = min(least, needed[theirs])
                hope |= needed[theirs] <= min(ones[row], theirs)
            if not hope:
                continue
            least = max(least - max(ones[row] - MAX_BLOCKS * (1 << LEVEL), 0), 0)
            _PASSING(
                group_at + group * group_bytes, bits_at + row * bits_bytes, min(blocks[row], MAX_BLOCKS), least, mask_at
            )
            for lanes in range(LANES):
                word = mask[lanes]
                while word:
                    at = first + lanes * 64 + np.int64(first_one(word))
                    word &= word - np.uint64(1)
                    if at > last:
                        break
                    shared = np.uint64(0)
                    for place in range(words.shape[1]):
                        shared += ones_in(words[row, place] & p_words[at, place])
                    if np.int64(shared) < needed[p_ones[at]]:
                        continue
                    if found < len(rows):
                        rows[found], ids[found] = row, p_order[at]
                    found += 1
    return found
