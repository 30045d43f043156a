"""Speed of the exact scan against its baselines in one run: `python -m tests.benchmarks.scan_bits [rows]`.

Top 10 per row over 1024 bits, one core: the bit-sliced scan, a plain popcount loop, and anonlink's C++ Dice where that
package is installed (PyPI anonlink needs setuptools < 81). Only a slice of the own rows is timed, in CPU seconds; pairs
per second are compared. Goal: at least as fast as anonlink, three times as fast if possible.
`--lsh`: banded LSH, recall told against reached; `--million`: the same at a million rows on either side (under 8 GB).
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable

import numpy as np

from pprl_desktop.codes.base import Recipe, Rule, Settings, Smashed, method
from pprl_desktop.codes.corrupt import corrupt
from pprl_desktop.compute import bits as kernels
from pprl_desktop.compute.bit_planes import ones_in
from pprl_desktop.compute.bits import Bytes, Similarity
from pprl_desktop.compute.threads import jit
from pprl_desktop.decisions.base import MatchOptions
from pprl_desktop.decisions.learn import learn
from pprl_desktop.decisions.threshold import lsh
from pprl_desktop.decisions.threshold.scan import run
from pprl_desktop.evaluation.play import peak_memory_mb
from pprl_desktop.progress import NO_PROGRESS
from tests.benchmarks.scan_people import people
from tests.benchmarks.unit import unit

OWN = 4096  # rows timed
SMALL = 256  # rows for the slow baselines
K = 10


@jit
def plain_top(own, partner, ones, partner_ones, best, ids):  # type: ignore[no-untyped-def]
    """The popcount loop: sixteen words per pair, an insertion when a pair is among the best."""
    for row in range(own.shape[0]):
        for other in range(partner.shape[0]):
            shared = np.uint64(0)
            for word in range(16):
                shared += ones_in(own[row, word] & partner[other, word])
            value = 2 * np.int64(shared) - ones[row] - partner_ones[other]
            if value > best[row, -1]:
                spot = best.shape[1] - 1
                while spot > 0 and best[row, spot - 1] < value:
                    best[row, spot] = best[row, spot - 1]
                    ids[row, spot] = ids[row, spot - 1]
                    spot -= 1
                best[row, spot] = value
                ids[row, spot] = other


def plain(own: Bytes, partner: Bytes) -> None:
    mine, theirs = kernels.words_of(own), kernels.words_of(partner)
    best, ids = np.full((len(mine), K), -10_000, np.int64), np.zeros((len(mine), K), np.int32)
    plain_top(mine, theirs, kernels.ones_of(mine), kernels.ones_of(theirs), best, ids)


def sliced(similarity: Similarity) -> Callable[[Bytes, Bytes], None]:
    def scan(own: Bytes, partner: Bytes) -> None:
        kernels.top(own, kernels.prepare(partner), similarity, K, threads=1)

    return scan


def anonlink_dice(own: Bytes, partner: Bytes) -> None:
    from anonlink.similarities import dice_coefficient_accelerated
    from bitarray import bitarray

    def rows(packed: Bytes) -> list[bitarray]:
        made = []
        for row in packed:
            each = bitarray()
            each.frombytes(row.tobytes())
            made.append(each)
        return made

    mine, theirs = rows(own), rows(partner)
    start = time.process_time()
    dice_coefficient_accelerated([mine, theirs], 0.0, K)
    anonlink_dice.seconds = time.process_time() - start  # type: ignore[attr-defined]  # without the conversion


def rate(scan: Callable[[Bytes, Bytes], None], own: Bytes, partner: Bytes) -> float:
    scan(own[:8], partner[:512])  # compiles
    best = np.inf
    for _ in range(3):
        start = time.process_time()
        scan(own, partner)
        best = min(best, getattr(scan, "seconds", time.process_time() - start))
    return len(own) * len(partner) / best / 1e6


def main(rows: int = 50_000) -> None:
    table = people(rows)
    made = method("simhash")
    recipe = Recipe("simhash", table.fields, Settings(decision="threshold", layout="record"), secret=bytes(32))
    part = made.smash(table, recipe, NO_PROGRESS).part("record")
    partner = part.values[part.rows]
    copies = made.smash(corrupt(table.take(np.arange(min(OWN, rows))), 1), recipe, NO_PROGRESS).part("record")
    own = copies.values[copies.rows[copies.rows >= 0]]
    print(f"{rows:,} partner rows, 1024 bits, top {K} per row, one core; million pairs per second")
    slow = rate(plain, own[:SMALL], partner)
    print(f"  popcount loop            {slow:8.0f}")
    for name, similarity in (("Hamming", Similarity.hamming(1024)), ("Dice", Similarity.dice(1024))):
        fast = rate(sliced(similarity), own, partner)
        print(f"  bit-sliced scan {name:<9}{fast:8.0f}   {fast / slow:.1f} times the loop")
    warnings.simplefilter("ignore")
    try:
        theirs = rate(anonlink_dice, own[:SMALL], partner)
    except ImportError:
        print("  anonlink is not installed; 105 million pairs per second were measured before")
        theirs = 105.0
    else:
        print(f"  anonlink C++ Dice        {theirs:8.0f}")
    print(f"  the scan is {fast / theirs:.1f} times as fast as anonlink")


def banded_files(rows: int) -> tuple[Smashed, Smashed, Rule]:
    """One code per record of the same people twice, the second time with slips."""
    table = people(rows)
    made = method("simhash")
    recipe = Recipe("simhash", table.fields, Settings(decision="threshold", layout="record"), secret=bytes(32))
    own = made.smash(table, recipe, NO_PROGRESS)
    partner = made.smash(corrupt(table, 1), recipe, NO_PROGRESS)
    return own, partner, learn(table, own, recipe, 0, NO_PROGRESS)


def banded(rows: int) -> None:
    own, partner, rule = banded_files(rows)
    lsh.EXACT_PAIRS = 0
    measure = unit()
    start, cpu = time.perf_counter(), time.process_time()
    found = run(own, partner, rule, MatchOptions(), NO_PROGRESS)
    taken, cpu = time.perf_counter() - start, time.process_time() - cpu
    reached = float((found.own == found.partner).sum()) / rows
    told = found.notes.get("candidate_recall", float("nan"))
    print(f"{rows:,} x {rows:,}: {found.notes['candidates']}; {taken:.0f} s")
    print(f"  {taken / measure.wall:.1f} units by the clock,", end="")
    print(f" {cpu / measure.cpu:.1f} in processor time (unit: {measure.wall:.2f} s, {measure.cpu:.2f} s of a core)")
    print(f"  candidate recall told {told:.4f}, reached {reached:.4f}; {peak_memory_mb():,.0f} MB at most")


if __name__ == "__main__":
    numbers = [int(each) for each in sys.argv[1:] if each.isdigit()]
    if "--million" in sys.argv:
        banded(1_000_000)
    else:
        banded(*numbers) if "--lsh" in sys.argv else main(*numbers)
