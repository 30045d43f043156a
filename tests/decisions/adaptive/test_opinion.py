"""The second opinion: what a field that was left out says of the pairs that the others have picked."""

from __future__ import annotations

import itertools
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from pprl_desktop.decisions.adaptive.levels import DIFFERS, EQUAL
from pprl_desktop.decisions.adaptive.opinion import (
    Opinion,
    ViewedPairs,
    ViewOpinion,
    _silent,
    confirmed,
    second_opinion,
)
from pprl_desktop.decisions.adaptive.tuning import Tuning
from pprl_desktop.decisions.adaptive.verdict import _differ
from pprl_desktop.decisions.adaptive.views import _between, _in_common, changed_together, views

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
    asked = _silent(told, pairs(0.5), Tuning())
    assert [one.silent for one in asked] == [False, False, False, silent]


@pytest.mark.parametrize(("found", "silent"), [(0.05, True), (0.23, False)], ids=["by chance", "beyond chance"])
def test_codes_that_counterparts_share_by_chance_only_have_no_veto(found: float, silent: bool) -> None:
    """1 to 6 on one side, 0 to 5 on the other: most codes occur on both, and mean something else."""
    seen = replace(pairs(0.5), coded=(3,))
    told = [a_view(0, 0.98, 1.0), a_view(1, 0.95, 1.0), a_view(2, 0.9, 0.98), a_view(3, found, 0.0)]
    told[3] = replace(told[3], chance=0.2)
    assert [one.view for one in _silent(told, seen, TUNING) if one.silent] == ([3] if silent else [])
    assert not any(one.silent for one in _silent(told, pairs(0.5), TUNING))


def test_a_code_that_the_other_side_lacks_does_not_make_a_view_telling() -> None:
    """Nobody agrees on F where the other side writes 0 and M; M is what every second stranger agrees on."""
    seen = pairs(0.5)
    mine = np.random.default_rng(1).random(len(seen.u)) < 0.6
    u = seen.u.copy()
    u[:, 3] = np.where(mine, 0.0, 0.5)
    met = np.ones(u.shape, np.bool_)
    met[:, 3] = ~mine
    total = seen.weights.sum(axis=1)
    for one, telling in ((replace(seen, u=u), True), (replace(seen, u=u, met=met), False)):
        assert second_opinion(one, total, -60.0, 2000.0, TUNING).views[3].telling is telling


@pytest.mark.parametrize(
    ("found", "alike", "best", "links", "relatives"),
    [
        (0.67, 0.76, 82, 10, True), (0.67, 0.95, 82, 10, False), (0.67, 0.76, 5, 10, False), (0.9, 0.9, 82, 10, False),
        (0.67, 0.76, 82, 200, False),
    ],
    ids=["a third differ", "by slips", "too few to say", "nicknames", "two hundred links agree"],
)  # fmt: skip
def test_first_names_that_many_of_the_surest_pairs_lack_mean_relatives(
    found: float, alike: float, best: float, links: int, relatives: bool
) -> None:
    told = (ViewOpinion(0, found, found, best, True, alike), a_view(1, 0.95, 0.95), a_view(2, 0.87, 0.9))
    flags, weights = np.ones((links, 3), dtype=np.bool_), np.ones((links, 3))
    shown = ViewedPairs(weights, flags, 0.01 * weights, flags, np.zeros(3, dtype=np.bool_))
    opinion, first = Opinion(np.zeros(links), told), (True, False, False)
    made = _differ(first, opinion, ((0,), (1,), (2,)), shown, np.ones(links), TUNING.same_first, TUNING)
    assert made is relatives


def test_a_view_left_out_takes_along_what_is_charged_to_others_for_it() -> None:
    """Else pairs that agree on it would rank lower without it than pairs that do not, and seem fewer than they are."""
    lifts = np.array([[0.0, 2.0, 0.0], [0.0, 0.0, 0.0]])  # the first pair agrees on both fields, charged to the second
    rows = np.arange(2)
    pairs = SimpleNamespace(
        own=rows, rows=rows, levels=np.zeros((2, 3), np.uint8), lifts=lifts, among=range(3), people=None
    )
    edges = [SimpleNamespace(first=0, second=1)]
    columns = [(0,), (1,), (2,)]
    alone = [_in_common(pairs, members, edges, TUNING).tolist() for members in columns]
    assert alone == [[-2.0, 0.0], [0.0, 0.0], [0.0, 0.0]]
    assert _between(pairs, columns, edges, TUNING, 0, 1).tolist() == [2.0, 0.0]
    assert _between(pairs, columns, edges, TUNING, 0, 2).tolist() == [0.0, 0.0]
