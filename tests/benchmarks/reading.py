"""Reading, cleaning and profiling a million rows against pandas.read_csv alone on the same file in the same run.

    python tests/benchmarks/reading.py [--rows N] [--quoted] [--distinct]

Prints the ratios of the promise: reading, and all of it, against pandas.read_csv(dtype=str), and memory beyond the
table against the text. Seconds are those of a processor, so that a busy machine tells the same. Each measurement has a
process of its own; the best of three counts for both.
"""

from __future__ import annotations

import argparse
import csv
import json
import random
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
READ_PROMISE, TIME_PROMISE, MEMORY_PROMISE = 2.0, 3.0, 6.0


KINDS = ("id", "name", "name", "date", "id", "text", "name", "id")


def write(path: Path, rows: int, *, quoted: bool, distinct: bool) -> None:
    """Eight columns as a hospital has them; `distinct`: nearly every cell is another one (the worst case)."""
    sys.path.insert(0, str(ROOT))
    from pprl_desktop.reference.names import dictionary

    draw = random.Random(5)
    first, last = dictionary("first"), dictionary("last")
    firsts = draw.choices(first.values, first.counts.tolist(), k=rows)
    lasts = draw.choices(last.values, last.counts.tolist(), k=rows)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_ALL if quoted else csv.QUOTE_MINIMAL)
        writer.writerow(["id", "first_name", "last_name", "birth_date", "zip", "street", "city", "phone"])
        for row in range(rows):
            tail = f"-{draw.getrandbits(40):x}" if distinct else ""
            date = f"{draw.randint(1920, 2015)}-{draw.randint(1, 12):02}-{draw.randint(1, 28):02}"
            name = f"{lasts[row].title()}é" if row % 50 == 0 else lasts[row].title()
            given = firsts[row].title()
            place = [
                f"{lasts[-row].title()} St {row % 300}{tail}",
                lasts[row % 3000].title(),
                f"{draw.getrandbits(30)}",
            ]
            writer.writerow([f"P{row:07}", given + tail, name + tail, date, f"{draw.randint(501, 99950):05}", *place])


def measure_pandas(path: str) -> dict[str, float]:
    import pandas

    start = time.process_time()
    pandas.read_csv(path, dtype=str)
    return {"seconds": time.process_time() - start}


def measure_ours(path: str) -> dict[str, float]:
    sys.path.insert(0, str(ROOT))
    import gc

    import psutil

    from pprl_desktop.records.cleaning import clean
    from pprl_desktop.records.fields import Field
    from pprl_desktop.records.profile import profile
    from pprl_desktop.records.reading import read_table

    me, peak, stop = psutil.Process(), [0], threading.Event()

    def watch() -> None:
        while not stop.wait(0.01):
            peak[0] = max(peak[0], me.memory_info().rss)

    watcher = threading.Thread(target=watch)
    watcher.start()
    start = time.process_time()
    reading = read_table(path)
    read = time.process_time()
    fields = [Field.of(name, kind) for name, kind in zip(reading.table.names, KINDS, strict=True)]
    cleaned = clean(reading.table, fields, {})
    done = time.process_time()
    profile(reading.table)
    end = time.process_time()
    stop.set()
    watcher.join()
    gc.collect()
    with_tables = me.memory_info().rss  # the table, the cleaned table and the program itself
    del cleaned
    return {
        "seconds": end - start,
        "read": read - start,
        "clean": done - read,
        "profile": end - done,
        "beyond": float(max(peak[0] - with_tables, 0)),
        "peak": float(peak[0]),
    }


def run(what: str, path: Path) -> dict[str, float]:
    done = subprocess.run([sys.executable, __file__, "--measure", what, str(path)], capture_output=True, check=True)
    made: dict[str, float] = json.loads(done.stdout)
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--quoted", action="store_true")
    parser.add_argument("--distinct", action="store_true")
    parser.add_argument("--measure", nargs=2, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.measure:
        what, file = args.measure
        print(json.dumps(measure_pandas(file) if what == "pandas" else measure_ours(file)))
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "people.csv"
        write(path, args.rows, quoted=args.quoted, distinct=args.distinct)
        size = path.stat().st_size
        pairs = [(run("pandas", path), run("ours", path)) for _ in range(3)]
    pandas = min(pair[0]["seconds"] for pair in pairs)
    ours = min((pair[1] for pair in pairs), key=lambda one: one["seconds"])
    print(f"{args.rows:,} rows, {size / 1e6:.0f} MB; pandas.read_csv {pandas:.2f} s")
    print(f"read {ours['read']:.2f} s, clean {ours['clean']:.2f} s, profile {ours['profile']:.2f} s")
    print(f"read   {ours['read'] / pandas:.2f} x pandas.read_csv (promise: at most {READ_PROMISE:g})")
    print(f"all    {ours['seconds'] / pandas:.2f} x pandas.read_csv (promise: at most {TIME_PROMISE:g})")
    print(f"memory {ours['beyond'] / size:.2f} x the text beyond the table (promise: at most {MEMORY_PROMISE:g})")


if __name__ == "__main__":
    main()
