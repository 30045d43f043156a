"""Smashing measures distinct values against the reference set: the paper's Example 1, clipping, and what leaves."""

from __future__ import annotations

import numpy as np
import pytest
from rapidfuzz.distance import Levenshtein

from pprl_desktop.codes.base import Recipe
from pprl_desktop.codes.distances import distance_parts, reference_distances
from pprl_desktop.progress import NO_PROGRESS, Cancelled, Progress
from pprl_desktop.records.fields import Field
from pprl_desktop.records.table import CleanTable, Column
from pprl_desktop.reference.sets import ReferenceSet


def slow_distance(a: str, b: str) -> int:
    """The textbook recurrence: the oracle for the fast one."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        last, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            last, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, last + (x != y))
    return row[-1]


def test_example_1_of_the_paper() -> None:
    # First -> First, Last -> Last, Middle -> {First, Last}; the paper prints [[6,3],[5,5],[7,2],[5,5]] for
    # ADA IVY KING against [CHARLIE ADLER], [JAY ADLER]. Its arithmetic is right here: IVY to CHARLIE is 7 although
    # both hold an I, because using it costs as many edits as it saves.
    reference = ReferenceSet.of("paper", ["first", "last"], [["CHARLIE", "ADLER"], ["JAY", "ADLER"]])
    fields = tuple(Field.of(name) for name in ("first_name", "last_name", "middle_name"))
    cells = {"first_name": "ADA", "last_name": "KING", "middle_name": "IVY"}
    table = CleanTable(fields, tuple(Column.of(name, [cell]) for name, cell in cells.items()))
    mapping = (("first_name", ("first",)), ("last_name", ("last",)), ("middle_name", ("first", "last")))
    parts = distance_parts(table, Recipe("split-svm", fields, reference=reference, mapping=mapping))
    assert [part.values[0].tolist() for part in parts] == [[6, 3], [5, 5], [7, 2], [5, 5]]
    assert [part.name for part in parts] == [
        "first_name.first", "last_name.last", "middle_name.first", "middle_name.last",
    ]  # fmt: skip


def test_distances_are_those_of_the_textbook() -> None:
    values = ["", "A", "ANNA", "MÜLLER", "李小龙", "O BRIEN", "X" * 70, "CHRISTOPHER"]
    reference = ["ANN", "MILLER", "李", "X" * 65, "ANN", "KRISTOFFER"]
    found = reference_distances(values, reference)
    assert found.dtype == np.uint8
    assert found.tolist() == [[slow_distance(v, r) for r in reference] for v in values]
    assert found[2, 0] == Levenshtein.distance("ANNA", "ANN") == 1


def test_a_distance_beyond_a_byte_is_clipped() -> None:
    assert reference_distances(["A" * 254, "A" * 255, "A" * 256, "A" * 900], ["B"]).reshape(-1).tolist() == [
        254, 255, 255, 255,
    ]  # fmt: skip


@pytest.mark.parametrize(("values", "reference"), [([], ["A"]), (["A"], []), ([], [])])
def test_nothing_to_measure_gives_an_empty_array(values: list[str], reference: list[str]) -> None:
    assert reference_distances(values, reference).shape == (len(values), len(reference))


def test_only_values_that_occur_in_the_rows_are_smashed() -> None:
    fields = (Field.of("last_name"),)
    table = CleanTable(fields, (Column.of("last_name", ["ABEL", "BAKER", "CHASE"]),)).take(np.array([2, 2]))
    reference = ReferenceSet.of("small", ["last"], [["ABEL"], ["BAKER"]])
    (part,) = distance_parts(table, Recipe("split-svm", fields, reference=reference))
    assert part.values.shape == (1, 2)
    assert part.rows.tolist() == [0, 0]


def test_measuring_can_be_cancelled() -> None:
    values = [f"NAME{i}" for i in range(200_000)]
    with pytest.raises(Cancelled):
        reference_distances(values, [f"R{i}" for i in range(100)], 0, Progress(None, lambda: True))
    assert NO_PROGRESS is not None
