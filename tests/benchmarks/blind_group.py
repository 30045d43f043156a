"""Speed and memory of the group under the method blind.

    python -m tests.benchmarks.blind_group [--keys 20000] [--memory ROWS] [--play ROWS]

Processor time per key (one hash to the group and two multiplications), one thread against two by the clock, and the
most that a question and its answer hold in memory for ROWS records with twelve keys of one value each. For the latter
multiplications are left out: they take time, not memory. `--play` plays question and answer with the same keys for
real: processor seconds of each side, from the table to the opened records, and what travels.
"""

from __future__ import annotations

import argparse
import resource
import time

import numpy as np

from pprl_desktop.blind import group, oprf
from pprl_desktop.blind.answer import answer
from pprl_desktop.blind.opened import open_answer
from pprl_desktop.blind.plan import Plan, asked_for
from pprl_desktop.blind.question import ask, asker
from pprl_desktop.codes.keys.atoms import Atom
from pprl_desktop.codes.keys.recipe import Key, KeyRecipe
from pprl_desktop.codes.keys.variants import groups_of, variants_of
from pprl_desktop.records.table import CleanTable
from tests.codes.keys.people import people

FORMS = (("last_name", "whole"), ("last_name", "first 3"), ("first_name", "whole"), ("first_name", "first 3"))
DATES = ("whole", "year and month", "month and day", "year and day")


def speed(keys: int) -> None:
    inputs = np.random.default_rng(0).integers(0, 256, (keys, 32), dtype=np.uint8)
    scalars = group.Stream(bytes(32), "speed").scalars(keys)
    oprf.hash_to_group(inputs[:8])  # compiled before the clock starts
    group.multiply(scalars[:8], oprf.hash_to_group(inputs[:8]))
    spent = {}
    for threads in (1, 2):
        wall, cpu = time.perf_counter(), time.process_time()
        points = oprf.hash_to_group(inputs, threads=threads)
        once, _ = group.multiply(scalars, points, threads)
        group.multiply(scalars[:1], once, threads)
        spent[threads] = time.perf_counter() - wall, time.process_time() - cpu
    for threads, (wall, cpu) in spent.items():
        print(f"{threads} threads: {1e6 * cpu / keys:6.1f} us of processor time per key, {wall:6.2f} s by the clock")
    print(f"two threads are {spent[1][0] / spent[2][0]:.2f} times as fast as one")


def planned(table: CleanTable) -> Plan:
    """Twelve keys of one value each."""
    keys = [Key((Atom((name,), form), Atom(("birth",), date))) for name, form in FORMS for date in DATES[:3]]
    values = tuple(asked_for(len(variants_of(table, name)) + 20) for name in groups_of(table.fields))
    asked = (asked_for(table.rows + 20),) * len(keys)
    rows = (table.rows + 20,) * len(keys)
    return Plan("measured", table.fields, KeyRecipe(tuple(keys)), asked, rows, values, table.rows)


def played(rows: int) -> None:
    """The same people on both sides: every record is opened, which is the most there can be to do."""
    mine, theirs = people(rows), people(rows)
    plan = planned(mine)
    since = time.process_time()
    made = asker(mine, plan, b"secret")
    question = ask(made, bytes(32))
    asked = time.process_time() - since
    print(f"question {asked:.1f} s of a core, {question.nbytes / 1e6:.1f} MB", flush=True)
    since = time.process_time()
    given, _ = answer(theirs, plan, b"secret", question, bytes(31) + b"1")
    size = sum(array.nbytes for array in given.arrays.values())
    print(f"answer   {time.process_time() - since:.1f} s of a core, {size / 1e6:.1f} MB", flush=True)
    since = time.process_time()
    opened = open_answer(made, bytes(32), question, given)
    asked += time.process_time() - since
    print(
        f"{rows:,} records x {len(plan.asked)} keys: asker {asked:.1f} s of a core in all, question and answer "
        f"{(question.nbytes + size) / 1e6:.1f} MB, {len(opened.slots):,} records opened",
        flush=True,
    )


def without_multiplying(rows: int) -> tuple[float, float]:
    """Seconds of a core and MB of a question and its answer, beyond the table."""
    group.multiply = lambda scalars, points, *_, **__: (points ^ scalars, np.ones(len(points), bool))  # type: ignore[assignment]
    oprf.hash_to_group = lambda inputs, *_, **__: np.ascontiguousarray(inputs)  # type: ignore[assignment]
    oprf.prove = lambda *_, **__: np.zeros(64, np.uint8)
    table = people(rows)
    plan = planned(table)
    base, cpu = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, time.process_time()
    question = ask(asker(table, plan, b"secret"), bytes(32))
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{rows:,} records x {len(plan.asked)} keys: table {base:,.0f} MB, with the question {most:,.0f} MB at most")
    answer(table, plan, b"secret", question, bytes(32))
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"  with the answer (question held too) {most:,.0f} MB at most")
    return time.process_time() - cpu, most - base


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keys", type=int, default=20_000)
    parser.add_argument("--memory", type=int, default=0, metavar="ROWS")
    parser.add_argument("--play", type=int, default=0, metavar="ROWS")
    args = parser.parse_args()
    if args.play:
        played(args.play)
    elif args.memory:
        without_multiplying(args.memory)
    else:
        speed(args.keys)


if __name__ == "__main__":
    main()
