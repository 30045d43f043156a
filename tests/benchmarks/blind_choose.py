"""How long does the choice of keys take?

    python -m tests.benchmarks.blind_choose [--rows 50000] [--profile]

A made-up table with eight fields (two names and a middle name, date of birth, sex, street, zip code, city) against a
partner of the same size: processor seconds of the choice and of the meter, keys, coverage.
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import time
from dataclasses import replace

from pprl_desktop.blind.meter import limits_for, measure
from pprl_desktop.codes.keys.choose import choose, room_for_partner
from pprl_desktop.records.cleaning import clean
from pprl_desktop.records.fields import Field
from pprl_desktop.records.table import CleanTable
from tests.benchmarks.populations import draw, make

FIELDS = (
    Field.of("first_name"), Field.of("middle_name"), Field.of("last_name"), Field.of("date_of_birth", "date"),
    Field.of("sex", "category"), Field.of("street", "text"), Field.of("zip", "id"), Field.of("city", "text"),
)  # fmt: skip
COLUMNS = ("first", "middle", "last", "dob", "sex", "street", "zip", "city")


def table_of(rows: int, seed: int = 4242) -> CleanTable:
    world = replace(
        draw(seed), people=(rows, 40), overlap=0.5, twice=(0.0, 0.0), columns=COLUMNS, culture="american", formats=(),
        renamed_columns=False,
    )  # fmt: skip
    return clean(make(world).a, FIELDS, {one.name: one.name for one in FIELDS})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=50_000)
    parser.add_argument("--bound", type=float, default=0.10)
    parser.add_argument("--profile", action="store_true")
    args = parser.parse_args()
    table = table_of(args.rows)
    kinds = ", ".join(f"{one.name}: {one.kind}" for one in table.fields)
    print(f"{table.rows:,} records, {len(table.fields)} fields ({kinds})", flush=True)
    watch = cProfile.Profile()
    if args.profile:
        watch.enable()
    since = time.process_time()
    made = choose(table, table.rows, room_for_partner(args.bound, table.rows, table.rows))
    chosen = time.process_time() - since
    watch.disable()
    print(f"chosen in {chosen:.1f} s of a core: {len(made.recipe.keys)} keys, coverage {made.coverage:.3f}", flush=True)
    since = time.process_time()
    limits = limits_for(table, made.recipe, table.rows, asks=False)
    meter = measure(table, made.recipe, limits.asked, table.rows)
    print(f"measured in {time.process_time() - since:.1f} s of a core: coverage {meter.coverage:.3f}")
    if args.profile:
        pstats.Stats(watch).sort_stats("cumtime").print_stats(30)


if __name__ == "__main__":
    main()
