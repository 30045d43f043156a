"""What the adaptive decision will take, foreseen before it starts: memory, and roughly the time.

The number of candidates and the speed of this computer cannot be known from sizes alone. So a thousand records of
either file are compared first, as the run will do it, and the figures are scaled up.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from pprl_desktop.codes.base import Part, Smashed
from pprl_desktop.compute.threads import one_blas_thread, threads_of
from pprl_desktop.decisions.adaptive import candidates as blocking
from pprl_desktop.decisions.adaptive import listed_scan, value_lists
from pprl_desktop.decisions.adaptive import strangers as adaptive_null
from pprl_desktop.decisions.adaptive import weights as em
from pprl_desktop.decisions.adaptive.levels import EQUAL, LEVELS, NEAR, FieldLevels
from pprl_desktop.decisions.base import Outlook
from pprl_desktop.decisions.rules import AdaptiveRule, FieldComparison
from pprl_desktop.progress import NO_PROGRESS

ROWS = 1000  # of either file
TRIED = 1 << 22  # pairs of values compared to see how fast it goes
NOTICED = 3.0  # pairs of the trial that may just not have shown
# relative to the speed seen in the trial: what one pair of values costs (in large files the groups of bits are more
# alike in their ones, so fewer are looked at twice), one comparison by way of the lists in those of the trial, one
# candidate in all rounds of learning, and what does not depend on the size. Measured in processor time at 50,000 to
# 200,000 records of four fields, 2026-11; tests/benchmarks/adaptive_scale.py prints what was told beside what was taken
BITS_COST, VECTORS_COST = 0.6, 1.1
LISTED_COST, CANDIDATE_COST, FIXED_COST = 2.5, 600.0, 8.0e8
FEWER = 0.7  # candidates for each one that the trial foresees: values outside the lists are not looked at
WORKING = 140 << 20  # bytes that do not depend on the size: random pairs, records of one file compared
SAMPLED = 64 << 20  # bytes of random pairs, of files so small that no trial is made
BLOCK_BYTES = 12  # of a pair of records while its block is compared
ENTRY_MADE, ENTRY_KEPT = 40, 10  # bytes of an entry of a list while it is made, and after
VALUE_BYTES = 48 * LEVELS  # weights, counts and steps of an own value
PAIR_BYTES, PAIR_FIELD_BYTES = 100, 25  # of a candidate, and more for each field


@dataclass(frozen=True)
class Trial:
    candidates: float  # share of pairs above the bar
    pair: float  # seconds of a core to compare one pair of records
    cell: float  # seconds of a core to compare one pair of values, mean over the fields
    equal: float  # share of pairs with an equal value, summed over the fields


@dataclass(frozen=True, eq=False)
class Start:
    """How the run begins."""

    lowest: float  # bar of the first round
    most: int  # candidates held


def outlook(own: Smashed, partner: Smashed, rule: AdaptiveRule, start: Start, threads: int) -> Outlook:
    tried = _trial(own, partner, rule, start)
    share = rule.tuning.quantiles[value_lists.usual(rule.tuning) - NEAR]  # of values in a list
    pairs = float(own.rows) * partner.rows
    seen = pairs * tried.candidates + NOTICED * pairs / min(pairs, ROWS * ROWS)
    sizes = [(_values(own, one), _values(partner, one)) for one in rule.comparisons]
    cells = [float(a) * b for a, b in sizes]
    cores, rounds, count = threads_of(threads), rule.tuning.rounds, len(sizes)
    encoded = sum(
        (a + b) * _width(own, one) * (6 if one.measure == "vectors" else 2)
        for one, (a, b) in zip(rule.comparisons, sizes, strict=True)
    )
    pair_bytes = PAIR_BYTES + PAIR_FIELD_BYTES * count
    if listed_scan.wanted(own.rows, partner.rows):
        found = min(float(start.most), FEWER * seen)
        entries = [min(each * share, value_lists.ENTRIES) for each in cells]
        kept = ENTRY_KEPT * sum(entries) + VALUE_BYTES * sum(a for a, _ in sizes)
        kept += 4.0 * count * (count + 3) * (own.rows + partner.rows)
        # what makes the longest list is gone before the candidates are there
        held = max(ENTRY_MADE * max(entries, default=0.0), kept + found * pair_bytes)
        met = min(pairs * (count * share + tried.equal), listed_scan.ROW_WORK * own.rows)
        per_cell = tried.cell * (VECTORS_COST if rule.comparisons[0].measure == "vectors" else BITS_COST)
        compared = sum(each for each in cells if each <= value_lists.MOST_CELLS) * per_cell
        compared += rounds * met * LISTED_COST * tried.pair
    else:
        found = min(float(start.most), seen)
        held = float(min(sum(cells), blocking.TABLE_CELLS)) + found * pair_bytes
        held += BLOCK_BYTES * cores * blocking.BLOCK_PAIRS
        compared = sum(cells) * tried.cell + rounds * pairs * tried.pair
    seconds = compared / cores + (found * CANDIDATE_COST + FIXED_COST) * tried.pair
    return Outlook(int(encoded + WORKING + held), seconds)


def untried(own: Smashed, partner: Smashed, rule: AdaptiveRule, most: int, threads: int) -> int:
    """Bytes that small files take at most, for which no trial is made."""
    pairs, count = own.rows * partner.rows, len(rule.comparisons)
    cells = sum(_values(own, one) * _values(partner, one) for one in rule.comparisons)
    # three tables of levels: between the files, and within either
    held = 3 * min(cells, blocking.TABLE_CELLS) + most * (PAIR_BYTES + PAIR_FIELD_BYTES * count)
    return held + BLOCK_BYTES * min(threads_of(threads) * blocking.BLOCK_PAIRS, pairs) + SAMPLED


def _values(side: Smashed, comparison: FieldComparison) -> int:
    """Distinct values that occur."""
    used = (part.rows[part.rows >= 0] for part in side.of_field(comparison.field))
    return max((int(np.count_nonzero(np.bincount(rows))) for rows in used), default=0)


def _width(side: Smashed, comparison: FieldComparison) -> int:
    """Bytes of one value in all parts that are compared."""
    found: list[Part] = [part for part in side.of_field(comparison.field) if part.name in comparison.values]
    return sum(part.width for part in found)


def _trial(own: Smashed, partner: Smashed, rule: AdaptiveRule, start: Start) -> Trial:
    random = np.random.default_rng(0)
    sides = []
    for side in (own, partner):
        rows = np.sort(random.choice(side.rows, size=min(ROWS, side.rows), replace=False)).astype(np.int32)
        sides.append(adaptive_null.taken(side, rows))
    with one_blas_thread():
        null = adaptive_null.random_pairs(sides[0].rows, sides[1].rows, random, rule.tuning)
        fields, seen = adaptive_null.build(sides[0], sides[1], rule, null, NO_PROGRESS)
        log_u = [
            adaptive_null.log_u(one, adaptive_null.shares(count, rule.tuning.unseen))
            for one, count in zip(fields, seen, strict=True)
        ]
        weights = em.tables(em.prior_m(fields, rule.tuning), log_u)
        blocking.prepare(fields, 1, NO_PROGRESS)
        cell = _cell_seconds(fields, value_lists.usual(rule.tuning))
        blocking.scores(fields, weights, np.zeros(1, np.int32))  # loads the kernel
        since = time.thread_time()
        scores = blocking.scores(fields, weights, np.arange(sides[0].rows, dtype=np.int32))
        pair = (time.thread_time() - since) / scores.size
    equal = sum(float(count[EQUAL]) / max(float(count.sum()), 1.0) for count in seen)
    return Trial(float((scores >= start.lowest).mean()), pair, cell, equal)


def _cell_seconds(fields: list[FieldLevels], lowest: int) -> float:
    spent, cells = 0.0, 0
    for one in fields:
        if not one.own.values or not one.partner.values:
            continue
        values = np.arange(min(one.own.values, TRIED // one.partner.values), dtype=np.int32)
        least = float(one.cuts[lowest - NEAR])
        one.similar.near(values[:1], least)
        since = time.thread_time()
        one.similar.near(values, least)
        spent += time.thread_time() - since
        cells += len(values) * one.partner.values
    return spent / max(cells, 1)
