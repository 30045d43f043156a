"""Benchmark of the privacy meter: 1,000,000 made-up people, 7 fields.

    python -m tests.benchmarks.kapr [--records 1000000] [--pairs 300]

Prints the time and memory of the index, and how long all next-click previews of a pair take (median, p99, worst).
"""

from __future__ import annotations

import argparse
import statistics
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from pprl_desktop.problem import Problem
from pprl_desktop.records.table import Column
from pprl_desktop.review.gate import Gate
from pprl_desktop.review.index import Crowd
from pprl_desktop.review.ledger import Ledger
from pprl_desktop.review.plan import Pair, People, Policy, Review, ReviewField

FRAME = 16.0  # milliseconds
TYPES = ("variable", "variable", "variable", "date", "category", "fixed", "variable")
NAMES = ("first", "last", "middle", "born", "sex", "number", "city")


def word(source: np.random.Generator, low: int, high: int) -> str:
    letters = source.choice(list("EARIOTNSLCUDPMHGBFYWKVXZJQ"), size=int(source.integers(low, high)))
    return "".join(letters)


def column(name: str, values: list[str], codes: np.ndarray) -> Column:
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return Column(name, array, codes.astype(np.int32))


def drawn(name: str, values: list[str], records: int, source: np.random.Generator) -> Column:
    """Few values hold many people, as with names: Zipf."""
    weights = 1 / np.arange(1, len(values) + 1)
    codes = source.choice(len(values), size=records, p=weights / weights.sum())
    return column(name, values, codes)


def people(records: int, seed: int = 1) -> People:
    source = np.random.default_rng(seed)
    days = [f"{y}-{m:02d}-{d:02d}" for y in range(1930, 2011) for m in range(1, 13) for d in range(1, 29)]
    first = sorted({word(source, 3, 11) for _ in range(5_000)})
    last = sorted({word(source, 3, 13) for _ in range(60_000)})
    numbers = [str(n) for n in source.integers(10**9, 10**10, records)]
    columns = (
        drawn("first", first, records, source),
        drawn("last", last, records, source),
        drawn("middle", first, records, source),
        column("born", days, source.integers(0, len(days), records)),
        column("sex", ["F", "M"], source.integers(0, 2, records)),
        column("number", numbers, np.arange(records)),
        drawn("city", sorted({word(source, 5, 16) for _ in range(8_000)}), records, source),
    )
    return People(columns, np.zeros(records, dtype=np.int8), np.arange(records, dtype=np.int64))


def rss() -> float:
    import psutil

    return psutil.Process().memory_info().rss / 1e6


def slipped(made: People, count: int, seed: int = 2) -> tuple[People, tuple[Pair, ...]]:
    """Pairs of a record and a copy with slips in some fields, as they come to review; the copies join the data set."""
    source = np.random.default_rng(seed)
    records = len(made)
    originals = source.integers(0, records, count)
    columns = []
    for each in made.columns:
        values, codes = list(each.values), []
        for record in originals:
            text = each.cell(int(record))
            if source.random() < 0.5 and len(text) > 2:
                at = int(source.integers(0, len(text)))
                values.append(text[:at] + str(source.choice(list("ABE123"))) + text[at + 1 :])
                codes.append(len(values) - 1)
            else:
                codes.append(int(each.codes[record]))
        columns.append(column(each.name, values, np.append(each.codes, codes)))
    pairs = tuple(Pair(f"{i:x}", int(a), records + i) for i, a in enumerate(originals))
    size = records + count
    return People(tuple(columns), np.zeros(size, np.int8), np.arange(size, dtype=np.int64)), pairs


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--pairs", type=int, default=300)
    args = parser.parse_args()
    made, pairs = slipped(people(args.records), args.pairs)
    before = rss()
    begun, busy = time.perf_counter(), time.process_time()
    crowd = Crowd(made.columns)
    built, busy = time.perf_counter() - begun, time.process_time() - busy
    print(f"records {len(made)}, fields {len(TYPES)}")
    print(
        f"index: {built:.2f} s, of the processor {busy:.2f} s (limit 5), {crowd.nbytes() / 1e6:.0f} MB (limit 300), "
        f"process grew by {rss() - before:.0f} MB"
    )
    fields = tuple(ReviewField(n, t) for n, t in zip(NAMES, TYPES, strict=True))  # type: ignore[arg-type]
    for kappa in (1, 2):
        review = Review("bench", "bench", Policy(fields, reviewer_budget=1, kappa=kappa), made, pairs)  # type: ignore[arg-type]
        with (
            TemporaryDirectory() as folder,
            Ledger.create(Path(folder) / "l", b"k", review.fingerprint(), "x") as ledger,
        ):
            measure(Gate(review, ledger, "x", crowd), len(pairs), kappa)


def measure(gate: Gate, pairs: int, kappa: int) -> None:
    """Previews of every pair, masked and again after each of a few openings, as a reviewer goes through them."""
    source = np.random.default_rng(3)
    times: list[float] = []
    busy: list[float] = []  # processor time alone: what a machine with nothing else to do would show
    clicks: list[float] = []
    for pair in range(pairs):
        gate.open(pair)
        for _ in range(4):
            begun, worked = time.perf_counter(), time.thread_time()
            gate.previews(pair)
            times.append(1e3 * (time.perf_counter() - begun))
            busy.append(1e3 * (time.thread_time() - worked))
            try:
                begun = time.perf_counter()
                gate.reveal(pair, int(source.integers(0, len(TYPES))))
                clicks.append(1e3 * (time.perf_counter() - begun))
            except Problem:
                continue
    times.sort()
    busy.sort()
    p99, p99_busy = (each[int(0.99 * len(each))] for each in (times, busy))
    print(
        f"kappa {kappa}: all next-click previews of a pair: median {statistics.median(times):.2f} ms, "
        f"p99 {p99:.2f} ms, worst {times[-1]:.2f} ms over {len(times)} pairs; p99 is {p99 / FRAME:.2f} of a frame "
        f"(processor time alone: {p99_busy:.2f} ms, {p99_busy / FRAME:.2f}); "
        f"a click with its ledger entry: median {statistics.median(clicks):.2f} ms"
    )


if __name__ == "__main__":
    main()
