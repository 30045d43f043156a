"""The next delivery of a large table: telling unchanged, changed, new and gone rows apart by keyed fingerprints.

    python -m tests.benchmarks.deliveries [ROWS]

Prints processor seconds and the growth of the process's peak memory for reading what was delivered before and for the
comparison, the bytes that are kept sealed beside a bundle, and whether the four counts are those that were made.
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import numpy.typing as npt

from pprl_desktop.exchange import deliveries
from pprl_desktop.records.fields import Field
from pprl_desktop.records.table import CleanTable, Column
from tests.exchange.conftest import agree, introduce, make_party

CHANGED, NEW, GONE = 0.02, 0.03, 0.01  # shares of the rows
POOLS = {"first_name": 5_000, "last_name": 60_000, "born": 30_000, "zip": 8_000, "street": 200_000}


def main() -> None:
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    random = np.random.default_rng(5)
    codes = [random.integers(0, size, rows).astype(np.int32) for size in POOLS.values()]
    ids = [f"{n:09}" for n in range(rows)]
    print(f"{rows:,} rows, {len(POOLS)} fields; memory at the start {peak():,.0f} MB", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        a, b = make_party(Path(folder) / "a", "A"), make_party(Path(folder) / "b", "B")
        introduce(a, b)
        agree(a, b, Path(folder))
        signatory = a.signed()
        agreement = signatory.agreement
        key = signatory.ledger().key
        start = Lap()
        first = deliveries.compare(key, table(codes), None, ids)
        start.say("fingerprints of the first table")
        target = Path(folder) / "bundle.pprl"
        names = np.frombuffer(random.bytes(16 * rows), np.uint8).reshape(rows, 16)
        deliveries.keep(signatory, agreement, target, first, names, random.permutation(rows), 1)
        kept = deliveries._path(target)
        start.say(f"kept sealed: {kept.stat().st_size / 1e6:,.0f} MB")
        before = held(signatory, kept)
        start.say("opened again, versions told apart")
        now = next_codes(codes, random)
        later = [*ids[round(GONE * rows) :], *(f"N{n:08}" for n in range(round(NEW * rows)))]
        found = deliveries.compare(key, table(now), before, later).carried
        start.say("unchanged, changed, new, gone")
        assert found is not None
        print(f"  {found.unchanged:,} unchanged, {found.changed:,} changed, {found.new:,} new, {found.gone:,} gone")
        assert (found.new, found.gone) == (round(NEW * rows), round(GONE * rows))
        assert found.changed == round(CHANGED * rows)


def table(codes: list[npt.NDArray[np.int32]]) -> CleanTable:
    made = []
    for (name, size), column in zip(POOLS.items(), codes, strict=True):
        values = np.empty(size, object)
        values[:] = [f"{name}{n}" for n in range(size)]
        made.append(Column(name, values, column))
    return CleanTable(tuple(Field.of(name) for name in POOLS), tuple(made))


def next_codes(
    codes: list[npt.NDArray[np.int32]], random: np.random.Generator
) -> list[npt.NDArray[np.int32]]:  # fmt: skip
    rows = len(codes[0])
    stays = [column[round(GONE * rows) :].copy() for column in codes]
    moved = random.choice(len(stays[0]), round(CHANGED * rows), replace=False)
    stays[-1][moved] = (stays[-1][moved] + 1) % POOLS["street"]
    fresh = [random.integers(0, size, round(NEW * rows)).astype(np.int32) for size in POOLS.values()]
    return [np.concatenate(pair) for pair in zip(stays, fresh, strict=True)]


def held(signatory: object, kept: Path) -> deliveries.Known:
    """As deliveries.known() reads it, of one bundle."""
    opened = deliveries.letters.open_own(signatory.identity, kept)  # type: ignore[attr-defined]
    arrays = opened.load()
    marks = arrays["marks"].reshape(-1, len(POOLS), deliveries.MARK)
    keep, who = deliveries._versions(arrays["names"], marks)
    return deliveries.Known(
        arrays["names"][keep], who, arrays["rows"][keep] >= 0, marks[keep], arrays["ids"][keep], arrays["times"][keep],
        np.zeros(len(keep), np.int64), keep, (), (1,), (),
    )  # fmt: skip


class Lap:
    def __init__(self) -> None:
        self.at, self.high = time.process_time(), peak()

    def say(self, what: str) -> None:
        now, high = time.process_time(), peak()
        print(f"  {what:<44} {now - self.at:6.1f} s  + {high - self.high:,.0f} MB", flush=True)
        self.at, self.high = time.process_time(), high


def peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
