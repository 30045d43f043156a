"""How much the rehearsal's attacks read: `python -m tests.benchmarks.attacks [PEOPLE.csv] [CASE ...]`, cases from 1.

With a file (columns last_name, first_name, middle_name, age, gender) the goals are those of the project; what the first
version read stands in brackets. Without one, people are made up from the built-in lists, so nothing is unlisted and the
goals say little. Seconds are of the processor.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from pprl_desktop.codes.decoys import add_decoys
from pprl_desktop.records.cleaning import clean
from pprl_desktop.records.fields import Field
from pprl_desktop.records.reading import read_table
from pprl_desktop.records.table import CleanTable
from pprl_desktop.reference.load import reference_set
from pprl_desktop.rehearsal.rehearse import rehearse
from pprl_desktop.rehearsal.shares import Share
from pprl_desktop.said import Said
from tests.privacy.people import NAMES, people, recipe

FOUR = (*NAMES, Field.of("middle_name"), Field.of("age", "number"))
WITH_SEX = (*NAMES, Field.of("gender", "category"), Field.of("age", "number"))
SAMPLES = (60, 200, 600, 1000)  # of the salted filter: its figure must not grow or fall with them
KNOWN = 4  # bearers of a first name in the attacker's own records, none of the other sex: then its sex is known

Table = Callable[[tuple[Field, ...]], CleanTable]


@dataclass(frozen=True)
class Case:
    """A bundle that is attacked. `partner`, `outsider`: at least so many of 100 named, and first names read."""

    method: str
    fields: tuple[Field, ...]
    before: str
    partner: int = 0
    outsider: int = 0
    sample: int = 1000
    settings: dict[str, Any] = field(default_factory=dict)
    secret_reference: bool = False

    def run(self, table: Table) -> None:
        made = recipe(self.method, self.fields, **self.settings)
        if self.secret_reference:
            made = replace(made, reference=reference_set("secret-200", made.secret))
        used = time.process_time()
        found = rehearse(table(self.fields), made, sample=self.sample, changes=False)
        first = found.outsider.first
        print(
            f"{self.method:8} {len(self.fields)} fields {self.settings}: partner {found.partner.named.words()}"
            f"{_goal(found.partner.named, self.partner)}, outsider {found.outsider.named.words()}, its first names "
            f"{first.words() if first else '-'}{_goal(first, self.outsider)}. First version: {self.before}. "
            f"{time.process_time() - used:.1f} s",
            flush=True,
        )


@dataclass(frozen=True)
class Salted:
    """The same salted filter, attacked on samples of several sizes: the figures must be the same within their error."""

    def run(self, table: Table) -> None:
        settings = {"layout": "record", "balanced": True, "fold": 1, "salt_field": "age"}
        made, whole, used = recipe("bloom", FOUR, **settings), table(FOUR), time.process_time()
        found = [rehearse(whole, made, sample=rows, changes=False).partner.named for rows in SAMPLES]
        same = max(one.low for one in found) <= min(one.high for one in found)
        told = "; ".join(f"{rows} rows {one.words()}" for rows, one in zip(SAMPLES, found, strict=True))
        print(
            f"bloom    4 fields {settings}: {told} [{'held' if same else 'NOT HELD'}: the intervals have a value in "
            f"common]. First version: 37 of 100 on 1,000 rows, 58 on 24. {time.process_time() - used:.1f} s",
            flush=True,
        )


@dataclass(frozen=True)
class Decoys:
    """Decoys told from records by sex against first name, by someone who holds other people's records."""

    def run(self, table: Table) -> None:
        whole = table(WITH_SEX)
        half = np.random.default_rng(1).permutation(whole.rows)
        theirs, mine = (whole.take(np.sort(part)) for part in np.array_split(half, 2))
        mixed, is_decoy = add_decoys(mine, mine.rows, seed=1)
        known: dict[str, set[str]] = {}
        bearers = list(zip(theirs.column("first_name").cells(), theirs.column("gender").cells(), strict=True))
        for name, many in Counter(name for name, sex in bearers if sex).items():
            if many >= KNOWN:
                known[name] = {sex for other, sex in bearers if other == name and sex}
        names, sexes = mixed.column("first_name").cells(), mixed.column("gender").cells()
        drawn = np.random.default_rng(2).permutation(sexes)

        def told(shown: Sequence[str], which: npt.NDArray[np.bool_]) -> Said:
            odd = [
                bool(sex) and name in known and sex not in known[name] for name, sex in zip(names, shown, strict=True)
            ]
            return Share.among(np.array(odd), which).words()

        print(
            f"decoys   told by sex against first name: {told(sexes, is_decoy)}, {told(sexes, ~is_decoy)} of the "
            f"real rows by mistake; {told(drawn, is_decoy)} if their sex were drawn alone. First version: 39 of 100",
            flush=True,
        )


CASES: tuple[Case | Salted | Decoys, ...] = (
    Case("split", FOUR, "82", partner=88),
    Case("bloom", FOUR, "82, first names 2", partner=88, outsider=35),
    Case("simhash", FOUR, "82", partner=88),
    Case("simhash", NAMES, "52", partner=70, sample=300, settings={"epsilon": 0.5, "layout": "record"}),
    Salted(),
    Decoys(),
    Case("split", FOUR, "first names 2", secret_reference=True),
    Case("simhash", FOUR, "9", sample=300, settings={"epsilon": 0.5, "layout": "record"}),
    Case("bloom", FOUR, "21", sample=300, settings={"epsilon": 0.5, "layout": "record"}),
    Case("bloom", FOUR, "81", sample=300, settings={"layout": "record"}),
    Case("simhash", FOUR, "81", sample=300, settings={"epsilon": 0.5}),
    Case("bloom", FOUR, "-", settings={"epsilon": 2.0}),
)


def _goal(found: Share | None, least: int) -> str:
    if not least or found is None:
        return ""
    return f" [{'held' if 100 * found.share >= least else 'NOT HELD'}: at least {least}]"


def main() -> None:
    given = [one for one in sys.argv[1:] if not one.isdigit()]
    wanted = [int(one) - 1 for one in sys.argv[1:] if one.isdigit()] or range(len(CASES))

    def table(fields: tuple[Field, ...]) -> CleanTable:
        return clean(read_table(Path(given[0])).table, fields, {}) if given else people(5000, fields)

    for number in wanted:
        print(f"{number + 1:2} ", end="")
        CASES[number].run(table)


if __name__ == "__main__":
    main()
