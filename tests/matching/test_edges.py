"""What every method must take: no rows, one row, gaps alone, copies, one-to-many, every kind of field, any script."""

from __future__ import annotations

import numpy as np
import pytest

from pprl_desktop.decisions.base import MatchOptions
from pprl_desktop.records.fields import Field
from pprl_desktop.records.table import MISSING, CleanTable, Column
from tests.matching.cases import CASES, prepared
from tests.matching.people import accepted, f1, population, table

NAMES = ("last", "first", "born")
# the two kernels of split-svm differ only in the machine that is trained
FEWER = [case for case in CASES if case not in ("split-svm rbf", "split noise", "bloom record noise")]
CLEAR = [case for case in CASES if "noise" not in case and case != "dp-nn"]


def some(count: int, seed: int = 0) -> list[list[str]]:
    return [row[:3] for row in population(np.random.default_rng(seed), count)]


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize(("own", "partner"), [(0, 0), (0, 3), (3, 0), (1, 1)])
def test_tables_of_no_and_of_one_row(case: str, own: int, partner: int) -> None:
    everyone = some(6)
    found = prepared(case, table(NAMES, everyone[:own]), table(NAMES, everyone[:partner])).match()
    assert accepted(found) <= {(i, j) for i in range(own) for j in range(partner)}
    assert len(accepted(found)) <= min(own, partner)
    if case in CLEAR and (own, partner) == (1, 1):
        assert accepted(found) == {(0, 0)}


@pytest.mark.parametrize("case", CASES)
def test_records_of_nothing_but_gaps_are_never_linked(case: str) -> None:
    everyone = some(40)
    rows = [*everyone, ["", "", ""], ["", "", ""]]
    found = prepared(case, table(NAMES, rows), table(NAMES, rows)).match()
    assert not {pair for pair in accepted(found) if max(pair) >= len(everyone)}
    assert len(accepted(found)) >= 30


@pytest.mark.parametrize("case", CASES)
def test_files_of_nothing_but_gaps_link_nobody(case: str) -> None:
    gaps = table(NAMES, [["", "", ""]] * 4)
    assert not accepted(prepared(case, gaps, gaps).match())


@pytest.mark.parametrize("case", FEWER)
def test_copies_within_a_file_are_no_hindrance(case: str) -> None:
    everyone = some(60)
    own, partner = table(NAMES, everyone + everyone[:20]), table(NAMES, everyone)
    found = accepted(prepared(case, own, partner).match())
    assert len(found) == len({i for i, _ in found}) == len({j for _, j in found})
    right = {(i % 60, j) for i, j in found if i % 60 == j}
    assert len(right) >= 50


@pytest.mark.parametrize("case", [case for case in CLEAR if case in FEWER])
def test_one_to_many_links_every_copy(case: str) -> None:
    everyone = some(80)
    own, partner = table(NAMES, everyone), table(NAMES, everyone + everyone[:30])
    options = MatchOptions("many-to-many")
    found = accepted(prepared(case, own, partner, one_to_one=False).match(options))
    wanted = {(i, i) for i in range(80)} | {(i, 80 + i) for i in range(30)}
    assert f1(found, wanted) > 0.95


@pytest.mark.parametrize("case", CASES)
def test_every_kind_of_field_in_any_script(case: str) -> None:
    """Names beyond ASCII (composed and not), right to left, without case, outside the basic plane."""
    random = np.random.default_rng(0)
    last = [
        "ŁUKASZEWICZ",
        "MÜLLER",
        "O'BRIEN",
        "МИХАЙЛОВ",
        "ΠΑΠΑΔΟΠΟΥΛΟΣ",
        "李",
        "محمد",
        "NÚÑEZ",
        "\U00020bb7野",
        "ØSTERGÅRD",
    ]
    first = ["JOSÉ", "JOSE\u0301", "SØREN", "ANNA MARÍA", "玲", "И", "李小龍", "ZOË", "DVOŘÁK", "ÞÓR"]
    values = {
        "last": ("name", [f"{last[k % 10]} {k // 10}" for k in range(60)]),
        "first": ("name", [first[k] for k in random.integers(0, 10, 60)]),
        "street": ("text", [f"STRAẞE {k} Ö" for k in random.integers(1, 400, 60)]),
        "born": ("date", [f"19{k:02d}{k % 12 + 1:02d}{k % 28 + 1:02d}" for k in random.integers(10, 99, 60)]),
        "number": ("id", [f"{k:06d}" for k in random.integers(0, 999_999, 60)]),
        "age": ("number", [str(k) for k in random.integers(18, 90, 60)]),
        "sex": ("category", ["♀" if k else "♂" for k in random.integers(0, 2, 60)]),
    }
    fields = tuple(Field.of(name, kind) for name, (kind, _) in values.items())
    columns = [Column.of(name, cells) for name, (_, cells) in values.items()]
    gaps = [
        Column(column.name, column.values, np.where(random.random(60) < 0.1, MISSING, column.codes).astype(np.int32))
        for column in columns
    ]
    own, partner = CleanTable(fields, tuple(columns)), CleanTable(fields, tuple(gaps))
    found = accepted(prepared(case, own, partner).match())
    assert f1(found, {(row, row) for row in range(60)}) > 0.9
