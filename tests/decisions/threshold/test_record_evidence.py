"""Evidence per field from one code per record: exact bits, lower where a slip is, nothing where nothing is known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pprl_desktop.codes.base import Recipe, Settings, Smashed, method
from pprl_desktop.codes.bloom import bloom_fields
from pprl_desktop.codes.simhash import simhash_fields
from pprl_desktop.decisions.learn import learn
from pprl_desktop.decisions.nearest_learning import NearestRule
from pprl_desktop.decisions.rules import BitsRule
from pprl_desktop.decisions.threshold.learning import flip_rate
from pprl_desktop.decisions.threshold.record_evidence import FieldEvidence, RecordFields
from pprl_desktop.progress import NO_PROGRESS, Cancelled, Progress
from pprl_desktop.records.fields import Field
from pprl_desktop.records.table import MISSING, CleanTable, Column
from pprl_desktop.reference.names import dictionary

RECORD = Settings(decision="threshold", layout="record")
FIELDS = (Field.of("last"), Field.of("first"), Field.of("born", "date"), Field.of("code", "id"))
ROWS, SLIPS = 300, 200
FIRST = 1  # the field that gets the slips


def people() -> CleanTable:
    random = np.random.default_rng(4)
    first, last = dictionary("first"), dictionary("last")
    return CleanTable(
        FIELDS,
        (
            Column.of("last", map(str, random.choice(last.values, ROWS, p=last.shares))),
            Column.of("first", map(str, random.choice(first.values, ROWS, p=first.shares))),
            Column.of("born", [f"{y}{m:02d}14" for y, m in random.integers((1940, 1), (1999, 13), (ROWS, 2))]),
            Column.of("code", [f"{code:05d}" for code in random.integers(10_000, 20_000, ROWS)]),
        ),
    )


PEOPLE = people()


def changed(name: str, cells: list[str]) -> CleanTable:
    return replace(
        PEOPLE, columns=tuple(Column.of(name, cells) if column.name == name else column for column in PEOPLE.columns)
    )


def blanked(table: CleanTable, name: str, rows: slice = slice(None)) -> CleanTable:
    columns = []
    for column in table.columns:
        codes = column.codes.copy()
        if column.name == name:
            codes[rows] = MISSING
        columns.append(replace(column, codes=codes))
    return replace(table, columns=tuple(columns))


def codes(table: CleanTable, recipe: Recipe) -> np.ndarray:
    part = method(recipe.method).smash(table, recipe, NO_PROGRESS).part("record")
    return part.values[part.rows]


def fields_of(table: CleanTable, recipe: Recipe) -> RecordFields:
    return (bloom_fields if recipe.method == "bloom" else simhash_fields)(table, recipe, NO_PROGRESS)


@pytest.mark.parametrize(
    ("name", "settings"),
    [("bloom", {}), ("bloom", {"fold": 1}), ("bloom", {"balanced": True}), ("bloom", {"salt_field": "code"}),
     ("simhash", {})],
)  # fmt: skip
def test_a_field_decides_the_bits_that_are_different_without_it(name: str, settings: dict[str, object]) -> None:
    """The twin: the same table smashed with that field empty."""
    recipe = Recipe(name, FIELDS, replace(RECORD, **settings), secret=b"s" * 32)
    made = fields_of(PEOPLE, recipe).decided(np.arange(ROWS))
    whole = codes(PEOPLE, recipe)
    assert (made.code == whole).all()
    for place, field in enumerate(FIELDS):
        if field.name != recipe.settings.salt_field:
            assert (made.bits[place] == whole ^ codes(blanked(PEOPLE, field.name), recipe)).all()


def released(table: CleanTable, recipe: Recipe) -> np.ndarray:
    """The partner's codes, with the agreed noise in the bits."""
    made, rate = codes(table, recipe), flip_rate(recipe.settings.epsilon)
    if recipe.method == "dp-nn" or not rate:
        return made
    return made ^ np.packbits(np.random.default_rng(1).random((len(made), 8 * made.shape[1])) < rate, axis=1)


def evidence(name: str, epsilon: float | None, partner: CleanTable, own: CleanTable = PEOPLE) -> np.ndarray:
    made = method(name)
    recipe = Recipe(name, FIELDS, replace(made.defaults(), layout="record", epsilon=epsilon), secret=b"s" * 32)
    if name != "dp-nn":
        recipe = replace(recipe, settings=replace(recipe.settings, decision="threshold"))
    smashed: Smashed = made.smash(own, recipe, NO_PROGRESS)
    rule = learn(own, smashed, recipe, 0, NO_PROGRESS)
    assert isinstance(rule, BitsRule | NearestRule)
    assert rule.why is not None
    flip = 0.0 if name == "dp-nn" else flip_rate(epsilon)
    here = np.arange(own.rows)
    return rule.why.of_pairs(here, released(partner, recipe), here, flip)


def slipped() -> CleanTable:
    """The same people; the third letter of the first name of the first SLIPS is wrong."""
    cells = [one[:2] + ("Q" if one[2:3] != "Q" else "X") + one[3:] for one in PEOPLE.column("first").cells()[:SLIPS]]
    return changed("first", cells + PEOPLE.column("first").cells()[SLIPS:])


@pytest.mark.parametrize(
    ("name", "epsilon"),
    [("bloom", None), ("bloom", 2.0), ("bloom", 1.0), ("simhash", None), ("simhash", 2.0), ("simhash", 1.0),
     ("dp-nn", 20.0)],
)  # fmt: skip
def test_a_field_with_a_slip_has_visibly_less_evidence_than_fields_that_agree(name: str, epsilon: float | None) -> None:
    made = evidence(name, epsilon, slipped())
    others = [place for place in range(len(FIELDS)) if place != FIRST]
    assert np.median(made[:SLIPS, FIRST]) < np.median(made[SLIPS:, FIRST]) - 1.5, "than without the slip"
    lowest = (made[:SLIPS, [FIRST]] < made[:SLIPS, others]).all(axis=1).mean()
    assert lowest > (0.7 if epsilon == 1.0 else 0.95), "it is the weakest field of nearly every such pair"
    assert (np.median(made[SLIPS:], axis=0) > 2).all(), "fields that agree speak for the pair"


@pytest.mark.parametrize(("name", "epsilon"), [("bloom", 2.0), ("simhash", 2.0), ("dp-nn", 20.0)])
def test_another_value_speaks_against_and_a_missing_own_value_not_at_all(name: str, epsilon: float) -> None:
    other = evidence(name, epsilon, changed("last", ["KOWALCZYK"] * ROWS))
    assert np.median(other[:, 0]) < -1
    assert (np.median(other[:, 1:], axis=0) > 1).all()
    lost = evidence(name, epsilon, PEOPLE, blanked(PEOPLE, "last", slice(0, 50)))
    assert np.isnan(lost[:50, 0]).all()
    assert np.isfinite(lost[50:]).all()
    assert np.isfinite(lost[:, 1:]).all()


def test_more_noise_makes_evidence_weaker() -> None:
    means = [np.median(evidence("bloom", epsilon, PEOPLE)) for epsilon in (None, 2.0, 1.0, 0.5)]
    assert means == sorted(means, reverse=True)


@pytest.mark.parametrize("name", ["bloom", "simhash", "dp-nn"])
def test_a_table_of_few_rows_is_explained_by_constants(name: str) -> None:
    few = PEOPLE.take(np.arange(3))
    made = evidence(name, 20.0, few, few)
    assert made.shape == (3, len(FIELDS))
    assert (made > 0).all()


def test_explaining_can_be_cancelled() -> None:
    recipe = Recipe("simhash", FIELDS, RECORD, secret=b"s" * 32)
    why = FieldEvidence(fields_of(PEOPLE, recipe), ())
    here = np.arange(ROWS)
    with pytest.raises(Cancelled):
        why.of_pairs(here, codes(PEOPLE, recipe), here, 0.0, Progress(None, lambda: True))
