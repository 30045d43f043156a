"""Links become people: never against the majority, never against a reviewer."""

from __future__ import annotations

import numpy as np

from pprl_desktop.matching.persons import persons

ONE_FILE = np.zeros(8, np.int8)


def groups(found) -> set[frozenset[int]]:  # type: ignore[no-untyped-def]
    made: dict[int, set[int]] = {}
    for row, label in enumerate(found.label.tolist()):
        made.setdefault(label, set()).add(row)
    return {frozenset(one) for one in made.values() if len(one) > 1}


def test_records_that_are_linked_are_one_person() -> None:
    found = persons(ONE_FILE, [(0, 1, 0.9), (1, 2, 0.8), (0, 2, 0.7), (4, 5, 0.95)])
    assert groups(found) == {frozenset((0, 1, 2)), frozenset((4, 5))}
    assert found.refused == 0


def test_one_link_between_two_groups_does_not_make_them_one_person() -> None:
    sure = [(0, 1, 0.99), (1, 2, 0.99), (0, 2, 0.99), (4, 5, 0.98), (5, 6, 0.98), (4, 6, 0.98)]
    found = persons(ONE_FILE, [*sure, (2, 4, 0.6)])
    assert groups(found) == {frozenset((0, 1, 2)), frozenset((4, 5, 6))}
    assert found.refused == 1


def test_what_a_reviewer_calls_different_stays_apart_although_a_chain_leads_there() -> None:
    found = persons(ONE_FILE, [(0, 1, 0.9), (1, 2, 0.9)], apart=[(0, 2)])
    assert groups(found) == {frozenset((0, 1))}
    assert found.refused == 1


def test_exact_copies_count_once_when_the_majority_is_asked() -> None:
    copies = [(0, 1, 1.0), (0, 2, 1.0), (0, 3, 1.0)]
    assert groups(persons(ONE_FILE, [*copies, (0, 5, 0.8)])) == {frozenset((0, 1, 2, 3, 5))}


def test_across_two_files_only_pairs_of_both_count() -> None:
    sides = np.array([0, 0, 1, 1], np.int8)
    found = persons(sides, [(0, 2, 0.9), (1, 2, 0.8)])
    assert groups(found) == {frozenset((0, 1, 2))}
