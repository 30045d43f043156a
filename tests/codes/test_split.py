"""The default method: distances and tokens leave together, tokens only without noise, and the adaptive rule decides."""

from __future__ import annotations

import numpy as np

from pprl_desktop.codes.base import Recipe, Settings, method
from pprl_desktop.decisions.learn import learn
from pprl_desktop.decisions.rules import AdaptiveRule
from pprl_desktop.decisions.svm.rule import SplitRule
from pprl_desktop.progress import NO_PROGRESS
from pprl_desktop.records.fields import Field
from pprl_desktop.records.table import CleanTable, Column
from pprl_desktop.reference.load import reference_set

FIELDS = (Field.of("last_name"), Field.of("born", "date"))
TABLE = CleanTable(
    FIELDS, (Column.of("last_name", ["ABEL", "BAKER", "ABEL"]), Column.of("born", ["19800102", "19770505", "20010203"]))
)
SECRET = bytes(range(32))


def recipe(settings: Settings) -> Recipe:
    return Recipe("split", FIELDS, settings, reference_set("us-200"), secret=SECRET)


def test_distances_and_tokens_leave_together() -> None:
    split = method("split")
    smashed = split.smash(TABLE, recipe(split.defaults()), NO_PROGRESS)
    assert {part.kind for part in smashed.of_field("last_name")} == {"distances", "token"}
    assert {part.kind for part in smashed.of_field("born")} == {"distances", "token"}
    distances = smashed.part("last_name.last")
    assert distances.values.shape == (2, 200)
    assert distances.rows.tolist() == [0, 1, 0]
    assert len({part.name for part in smashed.parts}) == len(smashed.parts)


def test_with_noise_no_token_leaves() -> None:
    smashed = method("split").smash(TABLE, recipe(Settings(epsilon=1.0)), NO_PROGRESS)
    assert {part.kind for part in smashed.parts} == {"distances"}


def test_the_same_table_is_smashed_the_same_way_every_time() -> None:
    one, two = (method("split").smash(TABLE, recipe(Settings()), NO_PROGRESS) for _ in range(2))
    assert one.parts
    assert all(np.array_equal(a.values, b.values) for a, b in zip(one.parts, two.parts, strict=True))


def test_the_decision_chooses_the_rule() -> None:
    split = method("split")
    adaptive, svm = recipe(Settings()), recipe(Settings(decision="svm"))
    own = split.smash(TABLE, adaptive, NO_PROGRESS)
    rule = learn(TABLE, own, adaptive, 0, NO_PROGRESS)
    assert isinstance(rule, AdaptiveRule)
    assert [comparison.values for comparison in rule.comparisons] == [("last_name.last",), ("born.digits",)]
    assert isinstance(learn(TABLE, own, svm, 0, NO_PROGRESS), SplitRule)
