"""The plain yardstick: equal to the double loop, blind to missing values, never exportable."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from rapidfuzz.distance import OSA

from pprl_desktop.codes import plain
from pprl_desktop.codes.base import Recipe, Smashed
from pprl_desktop.codes.corrupt import SINGLE_EDITS, corrupt
from pprl_desktop.decisions.base import MatchOptions
from pprl_desktop.decisions.learn import learn
from pprl_desktop.decisions.plain_learning import PlainRule
from pprl_desktop.matching.match import match, score
from pprl_desktop.progress import NO_PROGRESS
from pprl_desktop.records.fields import Field
from pprl_desktop.records.table import MISSING, CleanTable, Column

LETTERS = "ABCDEFGHIKLMNOPRSTUW"
FIELDS = (Field.of("last"), Field.of("first"), Field.of("born", "date"))
RECIPE = Recipe("plain", FIELDS, plain.METHOD.defaults())
RULE = PlainRule(("last", "first", "born"), 1.0, np.array([1.0, 0.5, 2.0]), np.array([1.5, 1.0, 1.0]))


def people(rows: int, seed: int = 0, missing: float = 0.0) -> CleanTable:
    random = np.random.default_rng(seed)

    def word() -> str:
        return "".join(random.choice(list(LETTERS), size=random.integers(3, 9)))

    columns = []
    for field in FIELDS:
        cells = [f"19{random.integers(30, 99)}-0{random.integers(1, 9)}-1{random.integers(0, 9)}" for _ in range(rows)]
        made = Column.of(field.name, cells if field.kind == "date" else [word() for _ in range(rows)])
        codes = np.where(random.random(rows) < missing, MISSING, made.codes).astype(np.int32)
        columns.append(Column(field.name, made.values, codes))
    return CleanTable(FIELDS, tuple(columns))


def smash(table: CleanTable) -> Smashed:
    return plain.METHOD.smash(table, RECIPE, NO_PROGRESS)


def test_the_join_equals_the_double_loop() -> None:
    a = people(60, missing=0.2)
    b = corrupt(a, 3)
    found = score(smash(a), smash(b), RULE, MatchOptions())
    expected = {}
    for i in range(a.rows):
        for j in range(b.rows):
            total, both = RULE.base, False
            for place in range(3):
                x, y = a.columns[place].cell(i), b.columns[place].cell(j)
                if x and y:
                    both = True
                    total += RULE.weight[place] * (RULE.neutral[place] - min(OSA.distance(x, y), RULE.tuning.cap))
            if both and total >= -1.5 * 2.0:
                expected[i, j] = total
    got = dict(zip(zip(found.own.tolist(), found.partner.tolist(), strict=True), found.score.tolist(), strict=True))
    assert got.keys() == expected.keys()
    assert all(abs(got[pair] - expected[pair]) < 1e-4 for pair in got)
    assert np.allclose(np.nansum(found.evidence, axis=1) + RULE.base, found.score, atol=1e-4)


def test_learned_from_slips_it_finds_the_slips() -> None:
    a = people(300)
    b = corrupt(a, 7, SINGLE_EDITS)
    rule = learn(a, smash(a), RECIPE, 0, NO_PROGRESS)
    found = match(smash(a), smash(b), rule, MatchOptions())
    accepted = found.accepted()
    right = found.scored.own[accepted] == found.scored.partner[accepted]
    assert right.mean() > 0.99
    assert right.sum() > 290


def test_it_is_not_exportable_and_has_no_noise() -> None:
    assert not plain.METHOD.exportable
    assert {part.kind for part in smash(people(3)).parts} == {"clear"}
    assert plain.METHOD.problems(RECIPE) == ()
    assert plain.METHOD.problems(replace(RECIPE, settings=replace(RECIPE.settings, epsilon=1.0)))
    assert plain.METHOD.problems(replace(RECIPE, settings=replace(RECIPE.settings, decision="adaptive")))


def test_a_record_without_fields_is_never_linked() -> None:
    a = people(5)
    gone = CleanTable(FIELDS, tuple(Column(c.name, c.values, np.full(5, MISSING, np.int32)) for c in a.columns))
    assert len(score(smash(gone), smash(gone), replace(RULE, base=100.0), MatchOptions())) == 0


@pytest.mark.parametrize(("own", "partner"), [(0, 3), (3, 0), (0, 0), (1, 1)])
def test_empty_tables_and_one_row(own: int, partner: int) -> None:
    a, b = people(own), people(partner)
    rule = learn(a, smash(a), RECIPE, 0, NO_PROGRESS)
    found = match(smash(a), smash(b), rule, MatchOptions())
    assert len(found.scored) <= own * partner
    assert len(found.accepted()) == (1 if own == partner == 1 else 0)


def test_too_many_pairs_give_a_warning_with_the_count() -> None:
    same = people(1).take(np.zeros(100, np.int64))
    found = score(smash(same), smash(same), RULE, MatchOptions(memory=64 * 500))
    assert len(found) == 500
    assert "10,000 pairs" in str(found.warnings[0])


def test_unicode_values_survive() -> None:
    table = CleanTable((Field.of("last"),), (Column.of("last", ["ŁUKASZ", "李小龍", "Ñ"]),))
    part = plain.METHOD.smash(table, replace(RECIPE, fields=table.fields), NO_PROGRESS).parts[0]
    assert plain.texts(part) == ["ŁUKASZ", "李小龍", "Ñ"]
