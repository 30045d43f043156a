"""Records that nothing tells apart are counted and told, and never break the memory that was foreseen."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

from pprl_desktop.codes.base import Recipe, method
from pprl_desktop.decisions.base import MatchOptions
from pprl_desktop.decisions.namesakes import groups, most_equal_pairs, warning
from pprl_desktop.evaluation.play import play
from pprl_desktop.said import Said
from tests.matching.people import smashed, table, two_files

TWINS = table(("last", "first"), [["SMITH", "JOHN"]] * 2000)
WAYS = [
    ("split", "adaptive", "field"),
    ("split-svm", "svm", "field"),
    ("bloom", "adaptive", "field"),
    ("bloom", "threshold", "record"),
    ("simhash", "adaptive", "field"),
    ("simhash", "threshold", "record"),
    ("dp-nn", "nearest", "record"),
    ("plain", "svm", "field"),
]


def recipe_for(name: str, decision: str, layout: str) -> Recipe:
    made = method(name)
    recipe = Recipe(name, TWINS.fields, replace(made.defaults(), decision=decision, layout=layout), secret=b"s" * 32)
    if made.uses_reference:
        from pprl_desktop.codes.mapping import default_mapping
        from pprl_desktop.reference.load import reference_set

        reference = reference_set("us-200")
        return replace(recipe, reference=reference, mapping=default_mapping(TWINS.fields, reference))
    return recipe


@pytest.mark.slow
@pytest.mark.parametrize(("name", "decision", "layout"), WAYS)
def test_two_thousand_namesakes_on_both_sides_take_seconds_and_are_told(name: str, decision: str, layout: str) -> None:
    since, room = time.process_time(), 64 << 20
    made = play(TWINS, TWINS, recipe_for(name, decision, layout), MatchOptions(memory=room))
    assert time.process_time() - since < 40
    for side in (made.a, made.b):
        assert any("2,000 records" in text for text in side.match.warnings)
        assert len(side.match.scored) * 48 <= room
    assert 0 < made.memory < 512 << 20


def test_namesakes_are_counted_whatever_the_layout() -> None:
    rows = [["SMITH", "JOHN"]] * 30 + [["SMITH", "MARY"]] * 20 + [["DOE", "JANE"], ["", ""], ["", ""]]
    people = table(("last", "first"), rows)
    for settings in ({}, {"layout": "record", "decision": "threshold"}):
        own, partner, _ = smashed(people, people, **settings)
        assert sorted(groups(own).tolist()) == [20, 30]
        assert most_equal_pairs(own, partner) == 30 * 30 + 20 * 20
        assert "50 records of the own file" in str(warning(own, Said("own")))
        assert "30 in the largest group" in str(warning(own, Said("own")))


def test_a_few_namesakes_are_no_cause_for_a_warning() -> None:
    left, right, _ = two_files(0, 300, 100)
    own, _, _ = smashed(left, right)
    assert not warning(own, Said("own"))


def test_under_noise_no_record_equals_another() -> None:
    own, partner, _ = smashed(TWINS, TWINS)
    assert most_equal_pairs(own, replace(partner, epsilon=1.0)) == 0
