"""The split join gives the pairs of Algorithm 3's double loop, within the memory allowed, and can be stopped."""

from __future__ import annotations

import math
import threading
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pprl_desktop.codes.base import Part, Smashed
from pprl_desktop.decisions.base import MatchOptions, Scored
from pprl_desktop.decisions.svm import search as split_search
from pprl_desktop.decisions.svm.join import estimated_memory, run
from pprl_desktop.decisions.svm.kernels import GRID
from pprl_desktop.decisions.svm.rule import UNIT, Null, Rbf, SplitRule, Weights
from pprl_desktop.problem import Problem
from pprl_desktop.progress import NO_PROGRESS, Cancelled, Progress


def smashed(columns: list[list[list[int] | None]], attributes: int = 1) -> Smashed:
    """One part per field and attribute from plain vectors per row; None is missing."""
    parts = []
    for f, cells in enumerate(columns):
        known = [tuple(cell) for cell in cells if cell is not None]
        distinct = sorted(set(known))
        rows = np.array([-1 if cell is None else distinct.index(tuple(cell)) for cell in cells], dtype=np.int32)
        width = len(distinct[0]) if distinct else 4
        values = np.array(distinct, dtype=np.uint8).reshape(len(distinct), width)
        for g in range(attributes):
            parts.append(Part(f"f{f}.a{g}", f"f{f}", "distances", "value", rows, np.roll(values, g, axis=1) // (g + 1)))
    return Smashed("split-svm", len(columns[0]) if columns else 0, tuple(parts))


def rule_for(fields: int, budget: float, rbf: bool = False, attributes: int = 1) -> SplitRule:
    cosine = np.full((fields, attributes), int(4.0 * UNIT / GRID), dtype=np.int64)
    largest = np.full((fields, attributes), UNIT // 5, dtype=np.int64)
    cosine[0], largest[-1] = cosine[0] * 2, UNIT // 9
    neutral = np.full(fields, max(UNIT // 2, int(budget * UNIT / fields) + 1), dtype=np.int64)
    weights = Weights(cosine, largest, neutral, int(budget * UNIT))
    null = Null(np.array([-5.0]), np.array([-5.0]), 10, 10)
    parts = tuple(tuple(f"f{f}.a{g}" for g in range(attributes)) for f in range(fields))
    machine = None
    if rbf:
        support = np.vstack([np.zeros(fields), np.full(fields, 1.2), np.eye(fields)[0]])
        machine = Rbf(support, np.array([1.0, -0.9, 0.3]), 1.5, -0.1)
    names = tuple(f"f{f}" for f in range(fields))
    return SplitRule(
        "rbf" if rbf else "linear", names, parts, weights, 2.0, null, np.zeros(0), machine, 0.05 if rbf else -np.inf
    )


def slow_twin(own: Smashed, partner: Smashed, rule: SplitRule) -> dict[tuple[int, int], float]:
    """Algorithm 3 as printed, lines 1-9: for every own record, for every partner record, compare and decide."""
    found = {}
    for i in range(own.rows):
        for j in range(partner.rows):
            costs = []
            for f, names in enumerate(rule.parts):
                cost: int | None = 0
                for g, name in enumerate(names):
                    a, b = own.part(name), partner.part(name)
                    if a.rows[i] < 0 or b.rows[j] < 0:
                        cost = None
                        break
                    x = [int(n) for n in a.values[a.rows[i]]]
                    y = [int(n) for n in b.values[b.rows[j]]]
                    assert cost is not None
                    cost += int(rule.weights.cosine[f, g]) * cosine_steps(x, y)
                    cost += int(rule.weights.largest[f, g]) * max(abs(p - q) for p, q in zip(x, y, strict=True))
                costs.append(int(rule.weights.neutral[f]) if cost is None else cost)
            if sum(costs) > rule.weights.budget:
                continue
            score = float(rule.scores(np.array([costs], dtype=np.int64))[0])
            if score >= rule.floor:
                found[i, j] = score
    return found


def cosine_steps(x: list[int], y: list[int]) -> int:
    xx, yy, xy = sum(p * p for p in x), sum(q * q for q in y), sum(p * q for p, q in zip(x, y, strict=True))
    if xx == 0 or yy == 0:
        return 0 if xx == yy else GRID
    return round(GRID * (1.0 - xy / math.sqrt(float(xx) * float(yy))))


def as_dict(scored: Scored) -> dict[tuple[int, int], float]:
    pairs = list(zip(scored.own.tolist(), scored.partner.tolist(), strict=True))
    assert len(set(pairs)) == len(pairs)
    return dict(zip(pairs, scored.score.tolist(), strict=True))


def agree(own: Smashed, partner: Smashed, rule: SplitRule) -> int:
    fast, slow = as_dict(run(own, partner, rule, MatchOptions(threads=1), NO_PROGRESS)), slow_twin(own, partner, rule)
    assert fast.keys() == slow.keys()
    assert all(fast[pair] == pytest.approx(slow[pair]) for pair in slow)
    return len(slow)


vectors = st.lists(st.integers(0, 9), min_size=4, max_size=4)


@st.composite
def tables(draw: st.DrawFn) -> tuple[Smashed, Smashed, int]:
    fields = draw(st.integers(1, 4))
    pool = [draw(st.lists(vectors, min_size=1, max_size=5)) for _ in range(fields)]
    cell = [st.one_of(st.none(), st.sampled_from(values)) for values in pool]
    sides = []
    for _ in range(2):
        rows = draw(st.integers(0, 9))
        sides.append([draw(st.lists(cell[f], min_size=rows, max_size=rows)) for f in range(fields)])
    return smashed(sides[0]), smashed(sides[1]), fields


@settings(max_examples=80, deadline=None)
@given(tables(), st.sampled_from([0.0, 0.3, 0.7, 1.1, 2.5]), st.booleans())
def test_the_join_finds_exactly_the_pairs_of_the_double_loop(
    made: tuple[Smashed, Smashed, int], budget: float, rbf: bool
) -> None:
    own, partner, fields = made
    agree(own, partner, rule_for(fields, budget, rbf))


def name_like(rng: np.random.Generator, rows: int, fields: int, width: int = 40) -> Smashed:
    """Vectors that look like edit distances: a common pattern, a length, and a little of their own."""
    columns: list[list[list[int] | None]] = []
    base = np.random.default_rng(1).integers(3, 9, (fields, width))
    for f in range(fields):
        own = np.random.default_rng(f).integers(-1, 2, (60, width)) + np.random.default_rng(f).integers(-2, 3, (60, 1))
        values = np.clip(base[f] + own, 0, 255)
        cells: list[list[int] | None] = [values[k].tolist() for k in rng.integers(0, 60, rows)]
        for k in rng.integers(0, rows, rows // 10):
            cells[k] = None
        columns.append(cells)
    return columns  # type: ignore[return-value]


@pytest.mark.parametrize("rbf", [False, True])
@pytest.mark.parametrize(("fields", "attributes", "budget"), [(1, 1, 0.5), (2, 2, 1.1), (3, 1, 0.9), (4, 1, 1.6)])
def test_the_join_agrees_with_the_double_loop_on_vectors_like_names(
    fields: int, attributes: int, budget: float, rbf: bool
) -> None:
    rng = np.random.default_rng(fields)
    own = smashed(name_like(rng, 90, fields), attributes)  # type: ignore[arg-type]
    partner = smashed(name_like(rng, 80, fields), attributes)  # type: ignore[arg-type]
    assert agree(own, partner, rule_for(fields, budget, rbf, attributes)) > (0 if rbf else 10)


@pytest.mark.parametrize("cut", split_search.CUTS)
@pytest.mark.parametrize("fields", [1, 2, 3, 4])
def test_where_the_search_is_cut_never_changes_what_is_found(
    fields: int, cut: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(split_search, "CUTS", (cut,))
    rng = np.random.default_rng(fields)
    own = smashed(name_like(rng, 60, fields))  # type: ignore[arg-type]
    partner = smashed(name_like(rng, 50, fields))  # type: ignore[arg-type]
    assert agree(own, partner, rule_for(fields, 0.3 + 0.4 * fields, False)) > 5


def test_values_of_many_tiles_are_all_found() -> None:
    rng = np.random.default_rng(5)
    base = rng.integers(2, 12, 24)
    drawn = [np.clip(base + rng.integers(-3, 4, 24) + rng.integers(-4, 5), 0, 255).tolist() for _ in range(900)]
    own, partner = smashed([drawn[:150], drawn[150:300]]), smashed([drawn, [*drawn[150:], *drawn[:150]]])
    assert agree(own, partner, rule_for(2, 0.5, False)) >= 150


def test_reference_records_that_occur_twice_count_twice() -> None:
    rng = np.random.default_rng(3)
    once = rng.integers(0, 9, (12, 3))
    cells: list[list[int] | None] = [np.repeat(row, [3, 1, 2]).tolist() for row in once]
    agree(smashed([cells]), smashed([cells[::-1]]), rule_for(1, 0.8))


@pytest.mark.parametrize("rows", [0, 1])
def test_tables_of_no_and_of_one_row(rows: int) -> None:
    some = smashed([[[1, 2, 3, 4]] * rows])
    many = smashed([[[1, 2, 3, 4], [9, 9, 9, 9], None]])
    assert agree(some, many, rule_for(1, 0.5)) == rows
    assert agree(many, some, rule_for(1, 0.5)) == rows


def test_a_record_with_nothing_to_compare_is_never_linked() -> None:
    nobody = smashed([[None, None], [None, [1, 2, 3, 4]]])
    other = smashed([[[1, 2, 3, 4], None], [None, None]])
    assert len(run(nobody, other, rule_for(2, 0.9), MatchOptions(), NO_PROGRESS)) == 0


def test_evidence_adds_up_to_the_score_and_is_empty_where_a_field_is_missing() -> None:
    rng = np.random.default_rng(0)
    own, partner = smashed(name_like(rng, 60, 3)), smashed(name_like(rng, 60, 3))  # type: ignore[arg-type]
    scored = run(own, partner, rule_for(3, 1.2), MatchOptions(), NO_PROGRESS)
    assert np.isnan(scored.evidence).any()
    assert np.nansum(scored.evidence, axis=1) == pytest.approx(scored.score, abs=1e-4)
    gone = own.part("f0.a0").rows[scored.own] < 0
    assert np.isnan(scored.evidence[gone, 0]).all()


def test_pairs_come_best_first_and_do_not_depend_on_threads() -> None:
    rng = np.random.default_rng(5)
    own, partner = smashed(name_like(rng, 300, 3)), smashed(name_like(rng, 300, 3))  # type: ignore[arg-type]
    rule = rule_for(3, 1.4)
    for memory in (1 << 30, 400_000):
        one, two = (run(own, partner, rule, MatchOptions(threads=t, memory=memory), NO_PROGRESS) for t in (1, 3))
        assert np.array_equal(one.own, two.own)
        assert np.array_equal(one.partner, two.partner)
        assert (np.diff(one.score) <= 0).all()


def test_a_threshold_too_low_keeps_the_best_pairs_and_says_so() -> None:
    rng = np.random.default_rng(6)
    own, partner = smashed(name_like(rng, 400, 3)), smashed(name_like(rng, 400, 3))  # type: ignore[arg-type]
    rule = rule_for(3, 3.0)
    everything = run(own, partner, rule, MatchOptions(), NO_PROGRESS)
    assert len(everything) > 20_000
    some = run(own, partner, rule, MatchOptions(memory=1_000_000), NO_PROGRESS)
    assert 0 < len(some) < 6000
    assert "pairs reach the lowest score" in str(some.warnings[0])
    best = as_dict(everything)
    worst = min(as_dict(some).values())
    assert as_dict(some).keys() >= {pair for pair, score in best.items() if score > worst}


def test_two_thousand_namesakes_on_both_sides_stay_within_the_memory_and_every_one_can_be_assigned() -> None:
    same = smashed([[[4, 5, 6, 7]] * 2000, [[1, 1, 2, 3]] * 2000])
    scored = run(same, same, rule_for(2, 0.5), MatchOptions(memory=2_000_000), NO_PROGRESS)
    assert len(scored) < 15_000
    assert "4,000,000" in str(scored.warnings[0])
    assert len(set(scored.own.tolist())) == len(set(scored.partner.tolist())) == 2000


def test_memory_is_told_beforehand() -> None:
    rng = np.random.default_rng(2)
    own, partner = smashed(name_like(rng, 100, 2)), smashed(name_like(rng, 100, 2))  # type: ignore[arg-type]
    small = estimated_memory(own, partner, rule_for(2, 1.0), MatchOptions())
    assert 0 < small < 10_000_000


def test_smashed_data_from_another_reference_set_are_refused() -> None:
    with pytest.raises(Problem, match="reference"):
        run(smashed([[[1, 2]]]), smashed([[[1, 2, 3]]]), rule_for(1, 1.0), MatchOptions(), NO_PROGRESS)
    with pytest.raises(Problem, match="lack"):
        run(smashed([[[1, 2]]]), Smashed("split-svm", 1, ()), rule_for(1, 1.0), MatchOptions(), NO_PROGRESS)


def test_cancel_stops_within_a_fifth_of_a_second() -> None:
    rng = np.random.default_rng(8)
    tiny = smashed(name_like(rng, 5, 3))  # type: ignore[arg-type]
    run(tiny, tiny, rule_for(3, 1.0), MatchOptions(), NO_PROGRESS)  # compiled before the clock starts
    rows, width = 30_000, 60
    values = rng.integers(0, 12, (rows, width)).astype(np.uint8)
    every = np.arange(rows, dtype=np.int32)
    parts = tuple(Part(f"f{f}.a0", f"f{f}", "distances", "value", every, values) for f in range(3))
    big = Smashed("split-svm", rows, parts)
    asked: list[float] = []
    pressed = threading.Event()
    threading.Timer(1.0, lambda: (asked.append(time.perf_counter()), pressed.set())).start()  # type: ignore[func-returns-value]
    with pytest.raises(Cancelled):
        run(big, big, rule_for(3, 4.0), MatchOptions(), Progress(None, pressed.is_set))
    assert time.perf_counter() - asked[0] < 0.4  # 0.2 s on an idle machine
