"""How long a rehearsal takes: `python tests/benchmarks/rehearsal.py [ROWS] [CASE ...]`, cases by number from 1.

Limit of the product: 5,000 sampled records against 90,000 dictionary entries per field within 60 s on two cores.
The people are made up from the built-in name lists.
"""

from __future__ import annotations

import sys
import time
from typing import Any

from pprl_desktop.records.fields import Field
from pprl_desktop.rehearsal.rehearse import rehearse
from tests.privacy.people import FIVE, NAMES, people, recipe

CASES: tuple[tuple[str, tuple[Field, ...], dict[str, Any]], ...] = (
    ("split", NAMES, {}),
    ("split", NAMES, {"epsilon": 1.0}),
    ("bloom", NAMES, {"epsilon": 1.0}),
    ("bloom", FIVE, {"epsilon": 0.5, "layout": "record"}),
    ("simhash", FIVE, {"epsilon": 0.5, "layout": "record"}),
)


def main() -> None:
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 5000
    wanted = [int(number) - 1 for number in sys.argv[2:]] or range(len(CASES))
    for name, fields, settings in (CASES[number] for number in wanted):
        table, made = people(rows, fields), recipe(name, fields, **settings)
        for changes in (False, True):
            started, used = time.perf_counter(), time.process_time()
            found = rehearse(table, made, sample=rows, changes=changes)
            what = "with stronger settings tried" if changes else "attacks only"
            print(
                f"{name:8} {len(fields)} fields {settings}: {time.perf_counter() - started:6.1f} s "
                f"({time.process_time() - used:.1f} s of processor time) {what}; "
                f"named {found.partner.named.words()}",
                flush=True,
            )


if __name__ == "__main__":
    main()
