"""Awkward files: the adaptive decision neither collapses nor claims what is not there."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace

import numpy as np
import pytest

from pprl_desktop.decisions.adaptive import check as adaptive_check
from pprl_desktop.decisions.adaptive import dependence as adaptive_dependence
from pprl_desktop.decisions.adaptive import strangers as adaptive_null
from pprl_desktop.decisions.adaptive.dependence import Edge
from pprl_desktop.decisions.adaptive.levels import DIFFERS, EQUAL, LEVELS, MISSING
from pprl_desktop.decisions.adaptive.tuning import Tuning
from pprl_desktop.decisions.base import Match
from tests.benchmarks.stress import (
    ADDRESS,
    BASIC,
    Files,
    accepted,
    an_id_alone,
    duplicates_inside,
    figures,
    matched,
    moved,
    one_to_many,
    other_digits,
    shared,
)
from tests.benchmarks.stress_people import slips


def linked(files: Files, method: str = "bloom", epsilon: float | None = None, noise: str = "one-sided") -> Match:
    return matched(method, files[0], files[1], files[3], epsilon, noise)


def f1(files: Files, method: str = "bloom") -> float:
    return figures(accepted(linked(files, method)), files[2])[2]


@pytest.mark.parametrize(
    "files",
    [
        lambda: shared(BASIC, (60, 60), 0, seed=5),
        lambda: shared(("last",), (300, 300), 0),
        lambda: shared(("last", "first"), (400, 400), 0),
        lambda: shared(BASIC, (30, 900), 0),
        lambda: shared(ADDRESS, (400, 400), 0, household=4),
    ],
    ids=["tiny", "last name only", "names only", "unequal", "relatives in both files"],
)
def test_where_nobody_is_in_both_files_nobody_is_linked(files: Callable[[], Files]) -> None:
    assert len(accepted(linked(files()))) <= 2


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("one_to_one", [True, False])
def test_codes_that_mean_something_else_on_the_other_side_have_no_veto(seed: int, one_to_one: bool) -> None:
    """Neither side may find nobody while the other fields confirm each other."""
    a, b, truth, _ = other_digits(seed=seed)
    for files in ((a, b, truth, one_to_one), (b, a, {(y, x) for x, y in truth}, one_to_one)):
        assert f1(files) > 0.9


@pytest.mark.parametrize("noise", ["one-sided", "two-sided"])
@pytest.mark.parametrize("method", ["bloom", "simhash"])
def test_nor_under_noise(method: str, noise: str) -> None:
    assert len(accepted(linked(shared(BASIC, (300, 300), 0), method, 5.0, noise))) <= 2


@pytest.mark.parametrize("sizes", [(50, 50, 25), (50, 50, 4), (20, 300, 12), (5, 40, 3)])
@pytest.mark.parametrize("method", ["bloom", "split"])
def test_tiny_files_are_linked(method: str, sizes: tuple[int, int, int]) -> None:
    assert f1(shared(BASIC, sizes[:2], sizes[2], seed=1), method) > 0.85


def test_everybody_may_be_in_both_files() -> None:
    assert f1(shared(BASIC, (150, 150), 150, touched=1.0, further=0.5)) > 0.97


def test_a_number_alone_links_where_the_name_has_changed() -> None:
    files = an_id_alone()
    changed = {(row, row) for row in range(170)}
    assert len(accepted(linked(files)) & changed) > 150


@pytest.mark.parametrize("method", ["bloom", "split"])
def test_who_has_moved_is_linked_by_what_has_stayed(method: str) -> None:
    """A new street, zip code and town are one change: none of the three confirms that the others are a stranger's."""
    files = moved(500)
    assert figures(accepted(linked(files, method)), files[2])[1] > 0.97


def test_relatives_at_one_address_are_not_taken_for_one_person() -> None:
    made = linked(shared((*BASIC, "street", "phone"), (400, 400), 150, household=4))
    assert figures(accepted(made), {(row, row) for row in range(150)})[0] > 0.95


def test_relatives_are_told_apart_where_a_person_has_many_records() -> None:
    assert f1(one_to_many(ADDRESS, 3)) > 0.85


def test_forgotten_duplicates_cost_little() -> None:
    assert f1(duplicates_inside(400)) > 0.95


@pytest.mark.parametrize(("fields", "found"), [(BASIC, 0.89), ((*ADDRESS, "born", "phone"), 0.92)])
def test_dirty_records_of_one_person_do_not_make_fields_depend_on_each_other(
    fields: tuple[str, ...], found: float
) -> None:
    """Copies within a file that differ in many fields make all fields agree together; none of it is dependence."""
    own, partner, truth, one = one_to_many(fields, copies=6)
    dirty = slips(partner, 3, touched=1.0, further=0.6)
    assert figures(accepted(linked((own, dirty, truth, one))), truth)[1] > found


def test_records_of_one_person_are_no_sign_of_a_bad_forecast_where_they_are_expected() -> None:
    own, partner, truth, one = one_to_many(BASIC, copies=6)
    turned = (partner, own, {(b, a) for a, b in truth}, one)  # the file with many records of a person is the own one
    assert not any("forecast may be too good" in str(warning) for warning in linked(turned).warnings)


def test_people_held_twice_where_nobody_should_be_are_told() -> None:
    own, partner, truth, _ = one_to_many(BASIC, copies=2)
    made = linked((own, partner, truth, True))
    found, people = accepted(made), {row for row, _ in truth}
    assert len({row for row, _ in found & truth}) > 0.9 * len(people)
    assert any("more than one record in the partner's file" in str(warning) for warning in made.warnings)
    own, partner, truth, one = shared(BASIC, (400, 400), 150)
    assert not any("more than one record" in str(warning) for warning in linked((own, partner, truth, one)).warnings)


def test_a_value_that_nobody_else_holds_is_rarer_than_one_in_so_many() -> None:
    ids, names = np.ones(1000, dtype=np.int64), np.array([1] * 200 + [2] * 400)
    assert 1 - adaptive_null._discount(ids, ids) < 0.01
    assert 1 - adaptive_null._discount(names, names) > 0.5


def test_records_of_one_person_make_up_one_person() -> None:
    own, partner = np.repeat(np.arange(2, dtype=np.int32), 3), np.tile(np.arange(3, dtype=np.int32), 2)
    people = adaptive_null.People.of(own, partner, np.ones(6), (4, 3))
    assert people.own[:2].sum() + people.partner.sum() == pytest.approx(1.0)
    assert people.own[2:].tolist() == [1.0, 1.0], "who matches nobody is a person"


def test_the_tree_is_drawn_over_the_fields_that_agree() -> None:
    def edge(first: int, second: int, overall: float) -> Edge:
        return Edge(first, second, np.ones((LEVELS, LEVELS)), overall, np.ones((1, 1)), 0.0, False)

    found = (edge(0, 1, 90.0), edge(1, 2, 50.0), edge(0, 2, 20.0))
    both = adaptive_dependence.SAME
    everything = adaptive_dependence._charged(np.array([both, both, both], np.uint8), found)
    assert everything.tolist() == [1, 2, -1]
    slip_in_the_middle = adaptive_dependence._charged(np.array([0, 0, both], np.uint8), found)
    assert slip_in_the_middle.tolist() == [-1, -1, 2]


def test_only_records_that_differ_in_nothing_may_be_copies() -> None:
    levels = np.array([[EQUAL] * 5, [EQUAL] * 4 + [DIFFERS], [EQUAL] * 3 + [MISSING] * 2], np.uint8)
    assert adaptive_dependence.likely_copies(levels, Tuning()).tolist() == [True, False, False]


def test_strangers_that_the_weights_do_not_expect_make_strangers_likelier() -> None:
    pairs = np.linspace(0.0, 10.0, 200)
    wrong = np.full(200, 0.1)
    more = adaptive_check.surplus(np.full(100, 5.0), 1000.0, pairs, wrong, 1000.0, Tuning())
    assert more[100] > 1.0
    assert abs(more[0]) < 0.5
    assert not adaptive_check.surplus(np.zeros(0), 0.0, pairs, wrong, 1000.0, Tuning()).any()


def test_who_has_moved_and_is_held_twice_does_not_make_name_and_birth_one_field() -> None:
    """Records of one person with other addresses: same names, same day of birth. Twins differ in the first name."""
    kinds = ("name", "name", "date", "text", "id")
    fields = [SimpleNamespace(comparison=SimpleNamespace(kind=kind)) for kind in kinds]
    moved_once = [EQUAL, EQUAL, EQUAL, DIFFERS, DIFFERS]
    twins = [EQUAL, DIFFERS, EQUAL, EQUAL, EQUAL]
    born_elsewhere = [EQUAL, EQUAL, DIFFERS, EQUAL, DIFFERS]
    only_a_name = [EQUAL, MISSING, EQUAL, DIFFERS, DIFFERS]
    levels = np.array([moved_once, twins, born_elsewhere, only_a_name], dtype=np.uint8)
    found = adaptive_dependence.named_alike(fields, levels, Tuning())  # type: ignore[arg-type]
    assert found.tolist() == [True, False, False, False]
