"""The fast scans return what the obvious double loop returns, to the last pair."""

from __future__ import annotations

import numpy as np
import pytest

from pprl_desktop.compute import bits as kernels
from pprl_desktop.compute.bits import Bytes, Similarity
from pprl_desktop.progress import Cancelled, Progress

DICE = Similarity.dice(1024)


def hamming(bits: int) -> Similarity:
    return Similarity.hamming(bits)


def slow_scores(own: Bytes, partner: Bytes, similarity: Similarity) -> np.ndarray:
    a, b = np.unpackbits(own, axis=1).astype(np.int64), np.unpackbits(partner, axis=1).astype(np.int64)
    return similarity.score(a @ b.T, a.sum(1)[:, None], b.sum(1)[None, :])


def slow_top(scores: np.ndarray, k: int, floor: float) -> list[tuple[int, int, float]]:
    out = []
    for row in range(len(scores)):
        best = sorted(range(scores.shape[1]), key=lambda column: (-scores[row, column], column))
        out += [(row, column, scores[row, column]) for column in best[:k] if scores[row, column] >= floor]
    return out


def as_list(pairs: kernels.Pairs) -> list[tuple[int, int, float]]:
    return list(zip(pairs.own.tolist(), pairs.partner.tolist(), pairs.score.tolist(), strict=True))


def random_bits(rows: int, bits: int, fill: float, seed: int) -> Bytes:
    rng = np.random.default_rng(seed)
    return np.packbits(rng.random((rows, bits)) < rng.uniform(fill / 2, min(1, fill * 1.5), (rows, 1)), axis=1)


@pytest.mark.parametrize("bits", [8, 72, 1024, 8192])
@pytest.mark.parametrize("fill", [0.05, 0.5, 0.95])
@pytest.mark.parametrize("kind", ["hamming", "dice", "corrected"])
def test_top_k_equals_the_double_loop(bits: int, fill: float, kind: str) -> None:
    own, partner = random_bits(40, bits, fill, 1), random_bits(530, bits, fill, 2)
    partner[100:130] = own[:30]  # equal rows, and many of them
    partner[160:190] = partner[0]
    similarity = {
        "hamming": hamming(bits),
        "dice": DICE,
        "corrected": Similarity.dice(bits, 0.1, 0.27),
    }[kind]
    scores = slow_scores(own, partner, similarity)
    for k, floor in [(1, -np.inf), (7, -np.inf), (5, float(np.quantile(scores, 0.99))), (600, -np.inf)]:
        fast = kernels.top(own, kernels.prepare(partner), similarity, k, floor)
        assert as_list(fast) == slow_top(scores, k, floor)


@pytest.mark.parametrize("rows", [1, 255, 256, 257, 700])
def test_all_pairs_above_a_bar_equal_the_double_loop(rows: int) -> None:
    own, partner = random_bits(300, 128, 0.4, 3), random_bits(rows, 128, 0.4, 4)
    scores = slow_scores(own, partner, DICE)
    floor = float(np.sort(scores.ravel())[-min(500, scores.size)])
    fast = kernels.above(own, kernels.prepare(partner), DICE, floor, 10**6)
    assert as_list(fast) == slow_top(scores, rows, floor)
    assert fast.found == len(fast.own)


def test_full_rows_do_not_overflow_the_sums() -> None:
    full = np.full((3, 256), 255, np.uint8)
    fast = kernels.above(full, kernels.prepare(full), hamming(2048), 1.0, 100)
    assert fast.found == 9


def test_pairs_beyond_the_limit_are_counted_not_kept() -> None:
    same = np.zeros((1000, 16), np.uint8)
    found = kernels.above(same, kernels.prepare(same), hamming(128), 0.5, 5000)
    assert found.found == 1_000_000
    assert len(found.own) <= 5000 * 6  # blocks under way at the same time may each fill the rest


@pytest.mark.parametrize(("own", "partner"), [(0, 5), (5, 0), (0, 0)])
def test_nothing_to_compare_gives_nothing(own: int, partner: int) -> None:
    mine, theirs = np.zeros((own, 16), np.uint8), kernels.prepare(np.zeros((partner, 16), np.uint8))
    assert len(kernels.top(mine, theirs, DICE, 3).own) == 0
    assert kernels.above(mine, theirs, DICE, 0.0, 10).found == 0


def test_the_scan_does_not_depend_on_threads() -> None:
    own, partner = random_bits(900, 256, 0.5, 5), kernels.prepare(random_bits(900, 256, 0.5, 6))
    one = kernels.top(own, partner, hamming(256), 3, threads=1)
    four = kernels.top(own, partner, hamming(256), 3, threads=4)
    assert as_list(one) == as_list(four)


def test_cancel_stops_the_scan() -> None:
    own, partner = random_bits(5000, 1024, 0.5, 5), kernels.prepare(random_bits(5000, 1024, 0.5, 6))
    asked = iter([False] * 4)
    with pytest.raises(Cancelled):
        kernels.top(own, partner, hamming(1024), 3, progress=Progress(cancelled=lambda: next(asked, True)))


def test_shared_ones_of_listed_pairs() -> None:
    own, partner = random_bits(20, 200, 0.5, 7), random_bits(30, 200, 0.5, 8)
    rows, columns = np.array([0, 5, 19], np.int32), np.array([29, 5, 0], np.int32)
    fast = kernels.shared_ones(kernels.words_of(own), kernels.words_of(partner), rows, columns)
    slow = (np.unpackbits(own, axis=1)[rows] & np.unpackbits(partner, axis=1)[columns]).sum(axis=1)
    assert fast.tolist() == slow.tolist()


@pytest.mark.parametrize(
    ("rows", "others", "words"), [(1, 1, 1), (3, 130, 2), (6, 300, 5), (70, 600, 16), (9, 257, 40)]
)
def test_the_search_for_shared_ones_finds_what_a_plain_loop_finds(rows: int, others: int, words: int) -> None:
    random = np.random.default_rng(words)
    left = random.integers(0, 2**64, (rows, words), dtype=np.uint64) & random.integers(0, 2**63, words, dtype=np.uint64)
    right = random.integers(0, 2**64, (others, words), dtype=np.uint64)
    left[0], right[0] = 2**64 - 1, 0  # all ones, and none
    ones = np.arange(64 * words + 1)
    shared = np.bitwise_count(left[:, None, :] & right[None, :, :]).sum(axis=2, dtype=np.int64)
    for share in (0.55, 0.0):
        need = np.ceil(share * np.minimum(ones[:, None], ones[None, :])).astype(np.int32)
        need += (ones[:, None] % 2).astype(np.int32)  # it may be anything
        needed = need[np.bitwise_count(left).sum(axis=1)][:, np.bitwise_count(right).sum(axis=1)]
        own, partner = kernels.sharing(left, kernels.prepare(right.view(np.uint8)), need)
        wanted = list(zip(*np.nonzero(shared >= needed), strict=True))
        assert sorted(zip(own.tolist(), partner.tolist(), strict=True)) == wanted
        assert wanted
