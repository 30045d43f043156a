"""How much the rehearsal's attacks read: `python tests/benchmarks/attacks.py [PEOPLE.csv] [CASE ...]`, cases from 1.

Without a file, people are made up from the built-in lists, so nothing is unlisted. With one (columns last_name,
first_name, middle_name, age, gender) the goals are those of the project: figures of the first version in brackets.
Seconds are of the processor; on a busy machine they are too high.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pprl_desktop.records.cleaning import clean
from pprl_desktop.records.fields import Field
from pprl_desktop.records.reading import read_table
from pprl_desktop.records.table import CleanTable
from pprl_desktop.reference.load import reference_set
from pprl_desktop.rehearsal.rehearse import rehearse
from tests.privacy.people import NAMES, people, recipe

FOUR = (*NAMES, Field.of("middle_name"), Field.of("age", "number"))


@dataclass(frozen=True)
class Case:
    method: str
    fields: tuple[Field, ...]
    goal: str
    sample: int = 1000
    settings: dict[str, Any] = field(default_factory=dict)
    secret_reference: bool = False


CASES = (
    Case("split", FOUR, "partner 88 (82)"),
    Case("bloom", FOUR, "partner 88 (82), outsider's first names 35 (2)"),
    Case("simhash", FOUR, "partner 88 (82)"),
    Case("split", FOUR, "outsider without the secret reference set", secret_reference=True),
    Case("simhash", NAMES, "partner 70 (52)", 300, {"epsilon": 0.5, "layout": "record"}),
    Case("simhash", FOUR, "partner (9)", 300, {"epsilon": 0.5, "layout": "record"}),
    Case("bloom", FOUR, "partner (21)", 300, {"epsilon": 0.5, "layout": "record"}),
    Case("simhash", FOUR, "partner (81)", 300, {"epsilon": 0.5}),
    Case("bloom", FOUR, "outsider under weak noise", 1000, {"epsilon": 2.0}),
)


def main() -> None:
    given = [one for one in sys.argv[1:] if not one.isdigit()]
    wanted = [int(one) - 1 for one in sys.argv[1:] if one.isdigit()] or range(len(CASES))
    for case in (CASES[number] for number in wanted):
        table = _table(given, case.fields)
        made = recipe(case.method, case.fields, **case.settings)
        if case.secret_reference:
            from dataclasses import replace

            made = replace(made, reference=reference_set("secret-200", made.secret))
        used = time.process_time()
        found = rehearse(table, made, sample=case.sample, changes=False)
        first = found.outsider.first.words() if found.outsider.first else ""
        print(
            f"{case.method:8} {len(case.fields)} fields {case.settings}: partner {found.partner.named.words()}, "
            f"outsider {found.outsider.named.words()}, its first names {first}; {time.process_time() - used:.1f} s. "
            f"Goal: {case.goal}.",
            flush=True,
        )


def _table(given: list[str], fields: tuple[Field, ...]) -> CleanTable:
    if not given:
        return people(5000, fields)
    return clean(read_table(Path(given[0])).table, fields, {})


if __name__ == "__main__":
    main()
