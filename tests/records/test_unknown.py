"""Words for "unknown": what they hide is still found."""

from __future__ import annotations

import numpy as np

from pprl_desktop.job.own_files import Paired
from pprl_desktop.project.choices import Choices
from pprl_desktop.records.cleaning import clean
from pprl_desktop.records.counterparts import counterparts
from pprl_desktop.records.kinds import guess_kind
from pprl_desktop.records.profile import profile
from pprl_desktop.records.table import Column, Table
from pprl_desktop.records.unknown import known, stand_ins

NAMES = ["NOWAK", "KOWALSKI", "LIS", "WOJCIK", "KRAWCZYK", "MAZUR", "KACZMAREK", "ZAJAC", "PAWLAK", "DUDA"]


def people(rows: int = 200) -> list[tuple[str, str, int, int, int]]:
    random = np.random.default_rng(0)
    firsts = [f"{one}A" for one in ("ANN", "EW", "ZOFI", "HANN", "OLG")]
    return [
        (
            NAMES[int(random.integers(10))] + NAMES[int(random.integers(10))][:3],
            firsts[int(random.integers(5))],
            int(random.integers(1930, 2010)),
            int(random.integers(1, 13)),
            int(random.integers(1, 29)),
        )
        for _ in range(rows)
    ]


def test_every_third_cell_says_unknown_and_the_kind_is_found() -> None:
    ages = Column.of("age", [("k.A.", str(20 + n % 60), str(30 + n % 50))[n % 3] for n in range(90)])
    assert guess_kind(ages) == "number"
    assert stand_ins(ages) == ("k.A.",)
    assert known(ages).cells()[:3] == ["", "21", "32"]


def test_a_surname_is_no_word_for_unknown() -> None:
    column = Column.of("name", ["Null", "None", "NA", "Unknown", "n/a"])
    assert stand_ins(column) == ("Unknown", "n/a")


def test_a_date_in_three_columns_with_gaps_is_one_date_and_meets_the_other_files() -> None:
    everyone = people()
    a = Table.of(["last", "first", "dob"], [(last, first, f"{y}-{m:02}-{d:02}") for last, first, y, m, d in everyone])
    b = Table.of(
        ["last", "first", "byear", "bmonth", "bday"],
        [
            (last, first, *(("UNKNOWN",) * 3 if row % 4 == 0 else (str(y), str(m), str(d))))
            for row, (last, first, y, m, d) in enumerate(everyone)
        ],
    )
    pairs = counterparts((a, b), (profile(a), profile(b)))
    assert ("dob", "byear + bmonth + bday", "date") in [(one.first, one.second, one.kind) for one in pairs]
    dates = clean(b, Paired(pairs).changes(Choices())["fields"], {one.first: one.second for one in pairs}).column("dob")
    assert dates.cells()[:2] == ["", f"{everyone[1][2]}{everyone[1][3]:02}{everyone[1][4]:02}"]


def test_words_for_unknown_do_not_meet_each_other_in_own_files() -> None:
    rows = [(last, "unknown" if n % 3 == 0 else f"town {n % 7}") for n, (last, *_) in enumerate(people())]
    tables = Table.of(["last", "town"], rows), Table.of(["last", "city"], rows[::-1])
    pairs = counterparts(tables, (profile(tables[0]), profile(tables[1])))
    fields = {one.name: one for one in Paired(pairs).changes(Choices())["fields"]}
    assert fields["town"].cleaning.missing_words == ("unknown",)
    assert "UNKNOWN" not in clean(tables[0], tuple(fields.values()), {}).column("town").values


def test_a_full_name_that_begins_with_the_last_name_meets_the_separate_ones() -> None:
    everyone = people()
    a = Table.of(["surname", "forename", "dob"], [(x, y, f"{z}-01-0{1 + z % 9}") for x, y, z, *_ in everyone])
    b = Table.of(["patient name", "dob"], [(f"{x} {y}", f"{z}-01-0{1 + z % 9}") for x, y, z, *_ in everyone])
    pairs = {one.first: one.second for one in counterparts((a, b), (profile(a), profile(b)))}
    assert (pairs["surname"], pairs["forename"]) == ("patient name (first)", "patient name (last)")
