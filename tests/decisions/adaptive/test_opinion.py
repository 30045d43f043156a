"""The second opinion: what a field that was left out says of the pairs that the others have picked."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from pprl_desktop.decisions.adaptive.levels import DIFFERS, EQUAL
from pprl_desktop.decisions.adaptive.opinion import ViewedPairs, ViewOpinion, _silent, confirmed, second_opinion
from pprl_desktop.decisions.adaptive.tuning import Tuning
from pprl_desktop.decisions.adaptive.views import changed_together, views

TUNING = Tuning()
PLAIN = Tuning(opinion_sigma=0.0, opinion_doubt=0.0)


def rising(beyond: list[float], room: list[float]) -> list[float]:
    """The slow twin of pooling: the rising steps with the least squared error (max-min formula)."""
    n = len(beyond)
    return [
        max(min(sum(beyond[j : k + 1]) / sum(room[j : k + 1]) for k in range(i, n)) for j in range(i + 1))
        for i in range(n)
    ]


@pytest.mark.parametrize("seed", range(5))
def test_pooling_is_isotonic_regression(seed: int) -> None:
    random = np.random.default_rng(seed)
    room = random.uniform(1, 9, 12)
    beyond = room * random.uniform(0.05, 0.95, 12)
    made = confirmed(beyond, room, np.zeros(12), PLAIN)
    assert made == pytest.approx(rising(beyond.tolist(), room.tolist()))


def test_what_nothing_speaks_against_is_believed() -> None:
    room = np.full(4, 50.0)
    believed = np.array([0.6, 0.9, 0.999, 0.99999])
    assert confirmed(room, room, believed, TUNING) == pytest.approx(believed)


def pairs(
    precision: float, views: int = 4, count: int = 4000, m: float = 0.9, u: float = 0.02, seed: int = 0
) -> ViewedPairs:
    """Pairs of which a share are counterparts; every view agrees by itself, with weights that are exact."""
    random = np.random.default_rng(seed)
    true = random.random(count) < precision
    agrees = random.random((count, views)) < np.where(true[:, None], m, u)
    weights = np.where(agrees, np.log(m / u), np.log((1 - m) / (1 - u)))
    return ViewedPairs(
        weights, agrees, np.full((count, views), u), np.ones((count, views), np.bool_), np.zeros(views, np.bool_)
    )


def changes(together: bool) -> tuple[tuple[int, int], ...]:
    """Of counterparts, one in seven of whom differs in each of eight fields: in the last three at once, or not."""
    random = np.random.default_rng(0)
    differs = random.random((600, 8)) < 0.14
    if together:
        differs[:, 5:] = differs[:, [5]]
    levels = np.where(differs, DIFFERS, EQUAL).astype(np.uint8)
    evidence = np.where(differs, -2.0, 6.0).astype(np.float32)
    return changed_together(levels, evidence, np.ones(600), -6.0, TUNING)


def test_fields_that_counterparts_change_together_are_one_view() -> None:
    assert set(changes(together=True)) == {(5, 6), (5, 7), (6, 7)}
    assert views((), 8, TUNING, changes(together=True)) == ((0,), (1,), (2,), (3,), (4,), (5, 6, 7))


def test_fields_that_change_each_for_itself_stay_apart() -> None:
    assert changes(together=False) == ()


def test_enough_views_are_left_to_ask() -> None:
    every = [(f, g) for f in range(4) for g in range(f)]
    assert len(views((), 4, TUNING, every)) == TUNING.views_left


@pytest.mark.parametrize("precision", [0.02, 0.2, 0.7])
def test_a_prior_that_is_far_too_good_is_corrected(precision: float) -> None:
    seen = pairs(precision)
    boast = seen.weights.sum(axis=1) + 14.0  # the model takes everyone for a counterpart
    odds = second_opinion(seen, boast, -60.0, float(len(boast)), TUNING).log_odds
    said = 1 / (1 + np.exp(-np.clip(odds, -40, 40)))
    assert abs(float(said.mean()) - precision) < 0.06
    assert float((boast > 0).mean()) > 0.9


def test_a_model_that_is_right_is_left_alone() -> None:
    seen = pairs(0.5)
    right = seen.weights.sum(axis=1)
    odds = second_opinion(seen, right, -60.0, 2000.0, TUNING).log_odds
    assert float(((odds > 0) == (right > 0)).mean()) > 0.98


def without_the_last(foreign: bool) -> ViewedPairs:
    """Counterparts never agree on the fourth view."""
    seen = pairs(0.5)
    agrees, weights = seen.agrees.copy(), seen.weights.copy()
    agrees[:, 3], weights[:, 3] = False, -0.05
    return ViewedPairs(weights, agrees, seen.u, seen.known, np.array([False, False, False, foreign]))


def test_a_field_written_otherwise_is_named_and_has_no_veto() -> None:
    seen = without_the_last(foreign=True)
    told = second_opinion(seen, seen.weights.sum(axis=1), -60.0, 2000.0, TUNING)
    assert [one.view for one in told.views if one.silent] == [3]
    assert float((told.log_odds > 0).mean()) == pytest.approx(0.5, abs=0.03)


def test_first_names_that_never_agree_mean_families() -> None:
    seen = without_the_last(foreign=False)
    told = second_opinion(seen, seen.weights.sum(axis=1), -60.0, 2000.0, TUNING)
    assert not any(one.silent for one in told.views)
    assert int((told.log_odds > 0).sum()) == 0


def test_where_nobody_is_shared_no_view_confirms_anyone() -> None:
    seen = pairs(0.0)
    boast = seen.weights.sum(axis=1) + 14.0
    odds = second_opinion(seen, boast, -60.0, float(len(boast)), TUNING).log_odds
    assert int((odds > 0).sum()) <= 2


def matchings(edges: list[tuple[int, int]]) -> list[tuple[int, ...]]:
    made = []
    for size in range(len(edges) + 1):
        for chosen in itertools.combinations(range(len(edges)), size):
            ends = [edges[at] for at in chosen]
            if len({a for a, _ in ends}) == len({b for _, b in ends}) == size:
                made.append(chosen)
    return made


def test_copies_of_a_person_do_not_compete_with_each_other() -> None:
    """Two records of one person with one counterpart: marginals of people, against all matchings by hand."""
    from pprl_desktop.decisions.adaptive.weights import Graph

    own, partner = np.array([0, 0, 1]), np.array([0, 0, 0])  # rows 0 and 1 are person 0
    log_odds = np.array([2.0, 1.0, 0.5])
    edges, best = [(0, 0), (1, 0)], [2.0, 0.5]
    weight = {chosen: float(np.exp(sum(best[at] for at in chosen))) for chosen in matchings(edges)}
    total = sum(weight.values())
    by_hand = [sum(w for chosen, w in weight.items() if at in chosen) / total for at in range(2)]
    found = Graph(own, partner).marginals(log_odds, rounds=30)
    assert found == pytest.approx([by_hand[0], by_hand[0], by_hand[1]])
    assert Graph(own, partner).count(found) == pytest.approx(sum(by_hand))


def a_view(view: int, found: float, alike: float) -> ViewOpinion:
    return ViewOpinion(view, max(found, 0.3), found, 200.0, True, alike)


@pytest.mark.parametrize(("alike", "silent"), [(0.9, True), (0.02, False)], ids=["full of slips", "another person's"])
def test_a_view_that_nobody_agrees_on_has_no_veto_where_it_speaks_for_the_pairs(alike: float, silent: bool) -> None:
    """A town misspelt in every record is no reason to link nobody; first names that never agree mean families."""
    told = [a_view(0, 0.98, 1.0), a_view(1, 0.95, 1.0), a_view(2, 0.9, 0.98), a_view(3, 0.03, alike)]
    asked = _silent(told, np.zeros(4, dtype=np.bool_), Tuning())
    assert [one.silent for one in asked] == [False, False, False, silent]
