"""Large files: pairs met by way of similar values are those the full scan keeps, within memory and work, and told."""

from __future__ import annotations

import numpy as np
import pytest

from pprl_desktop.decisions.adaptive import candidates as blocking
from pprl_desktop.decisions.adaptive import listed_scan, value_lists
from pprl_desktop.decisions.adaptive import strangers as adaptive_null
from pprl_desktop.decisions.adaptive.learning import BYTES_PER_PAIR
from pprl_desktop.decisions.adaptive.levels import DIFFERS, EQUAL, LEVELS, OTHER_INITIAL, FieldLevels
from pprl_desktop.decisions.adaptive.repeats import of_people
from pprl_desktop.decisions.adaptive.tuning import Tuning
from pprl_desktop.decisions.base import Match, MatchOptions, Scored
from pprl_desktop.decisions.learn import learn
from pprl_desktop.decisions.rules import AdaptiveRule
from pprl_desktop.progress import NO_PROGRESS, Cancelled, Progress
from tests.matching.cases import prepared
from tests.matching.people import FIELDS, accepted, f1, linked, population, smashed, table, two_files


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every file counts as large."""
    monkeypatch.setattr(listed_scan, "FULL_SCAN", 0.0)


def levels_of(left, right, **settings) -> list[FieldLevels]:  # type: ignore[no-untyped-def]
    own, partner, recipe = smashed(left, right, **settings)
    rule = learn(left, own, recipe, 0, NO_PROGRESS)
    null = adaptive_null.random_pairs(own.rows, partner.rows, np.random.default_rng(0), Tuning())
    return adaptive_null.build(own, partner, rule, null, NO_PROGRESS)[0]


def some_weights(fields: list[FieldLevels], seed: int) -> tuple[list[np.ndarray], np.ndarray]:
    """Random weights that fall from equal to differing; what is outside the lists weighs log m of `differs`."""
    random = np.random.default_rng(seed)
    m = np.full((len(fields), LEVELS), 1e-12)
    m[:, DIFFERS] = random.uniform(0.02, 0.3, len(fields))
    made = []
    for f, one in enumerate(fields):
        weight = random.normal(2.0, 2.0, size=(one.own.values, LEVELS)).astype(np.float32)
        weight[:, EQUAL] += 4
        weight[:, DIFFERS] = weight[:, OTHER_INITIAL] = np.float32(np.log(m[f, DIFFERS]))
        made.append(weight)
    return made, m


def pairs(found: blocking.CandidatePairs) -> set[tuple[int, int]]:
    return set(zip(found.own.tolist(), found.partner.tolist(), strict=True))


@pytest.mark.parametrize("bar", [1.0, 6.0, 14.0])
@pytest.mark.parametrize("twice", [0, 100], ids=["everybody once", "many held twice"])
def test_the_same_pairs_as_by_comparing_all(bar: float, twice: int) -> None:
    left, right, _ = two_files(0, 300, 150)
    fields = levels_of(left, right)
    people = tuple(
        np.maximum(np.arange(one.rows) - twice, 0) if twice else np.arange(one.rows) for one in (left, right)
    )
    fields = list(of_people(fields, (people[0], people[1])))
    weights, m = some_weights(fields, 1)
    index = listed_scan.build(fields, Tuning(), 1, NO_PROGRESS)
    found = listed_scan.run(listed_scan.under(index, weights, m), bar, 100_000, 1)
    full = blocking.scan(fields, weights, bar, 100_000, 1, NO_PROGRESS)
    assert len(full.own)
    assert pairs(found) == pairs(full)
    assert found.levels is not None
    for f, one in enumerate(fields):
        a, b = one.own.codes[found.own], one.partner.codes[found.partner]
        here = (a >= 0) & (b >= 0)
        assert (found.levels[here, f] == one.pairs(a[here], b[here])).all()


@pytest.mark.parametrize("name", ["bloom field", "simhash field", "split"])
def test_lists_hold_the_levels_of_the_full_table(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(value_lists, "SMALL", 0)
    made = prepared(name, *two_files(2, 400, 200)[:2])
    null = adaptive_null.random_pairs(made.own.rows, made.partner.rows, np.random.default_rng(0), Tuning())
    assert isinstance(made.rule, AdaptiveRule)
    for one in adaptive_null.build(made.own, made.partner, made.rule, null, NO_PROGRESS)[0]:
        lists = value_lists.make(one, Tuning(), 2, NO_PROGRESS)
        table_ = one.rows(np.arange(one.own.values, dtype=np.int32))
        wanted = (table_ >= lists.lowest) & (table_ != OTHER_INITIAL)
        held = np.zeros_like(wanted)
        own_value = np.repeat(np.arange(one.own.values), np.diff(lists.start))
        held[own_value, lists.value] = True
        assert (held == wanted).mean() > 0.9999  # similarities at a border may round either way
        same = table_[own_value, lists.value] == lists.level
        assert same.mean() > 0.999


def both_ways(monkeypatch: pytest.MonkeyPatch, rows: int, shared: int) -> tuple[Match, Match, set[tuple[int, int]]]:
    left, right, truth = two_files(7, rows, shared)
    monkeypatch.setattr(listed_scan, "FULL_SCAN", 1e12)
    full = linked(left, right)
    monkeypatch.setattr(listed_scan, "FULL_SCAN", 0.0)
    return full, linked(left, right), truth


@pytest.mark.parametrize(("share", "said"), [(0.93, "at least 93.0 of 100"), (0.0, "too few were found to tell")])
def test_what_was_not_compared_is_told_with_a_figure_or_without_one(share: float, said: str) -> None:
    none = np.zeros(0)
    rows = none.astype(np.int32)
    made = Scored(
        rows, rows, none, none, np.zeros((0, 1), np.float32), ("x",), 0.0, 0, notes={"candidate_recall": share}
    )
    assert said in str(made.caveats()[0])


def test_large_files_with_people_held_twice_are_linked_like_small_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    left, right, truth = two_files(11, 1500, 700)
    again = np.concatenate([np.arange(right.rows), np.arange(0, right.rows, 3)])
    twice = right.take(again)
    made = []
    for most in (1e12, 0.0):
        monkeypatch.setattr(listed_scan, "FULL_SCAN", most)
        made.append(accepted(linked(left, twice, MatchOptions("one-to-many"))))
    full, fast = made
    copies = {(x, int(y)) for x, person in truth for y in np.flatnonzero(again == person)}
    assert len(full & copies) > 0.9 * len(copies)
    assert len(full ^ fast) <= 0.005 * len(full)


def candidates(made: Match) -> set[tuple[int, int]]:
    return set(zip(made.scored.own.tolist(), made.scored.partner.tolist(), strict=True))


def test_the_links_are_those_of_the_full_scan_and_the_recall_is_as_told(monkeypatch: pytest.MonkeyPatch) -> None:
    full, fast, truth = both_ways(monkeypatch, 3000, 1500)
    one, other = accepted(full), accepted(fast)
    assert len(one ^ other) <= 0.005 * len(one)
    assert f1(other, truth) > f1(one, truth) - 0.003
    told = fast.scored.notes["candidate_recall"]
    met = candidates(full) & truth
    assert 0.9 < told <= 1.0
    assert len(met & candidates(fast)) >= told * len(met)
    assert any("Not all pairs were compared" in str(one) for one in fast.scored.caveats())
    assert "candidate_recall" not in full.scored.notes, "small files are compared in full"


def test_too_much_work_raises_the_bar_and_lowers_what_is_told(large: None, monkeypatch: pytest.MonkeyPatch) -> None:
    left, right, truth = two_files(7, 900, 450)
    told, found = [], []
    for work in (1e9, 22.0):
        monkeypatch.setattr(listed_scan, "ROW_WORK", work)
        made = linked(left, right)
        told.append(made.scored.notes["candidate_recall"])
        found.append(len(candidates(made) & truth) / len(truth))
    assert found[1] < found[0]
    assert told[1] < told[0]
    assert found[1] >= told[1] * found[0]


def test_blocks_are_told_beforehand_and_none_is_larger_than_the_cap(monkeypatch: pytest.MonkeyPatch) -> None:
    left, right, _ = two_files(0, 300, 150)
    fields = levels_of(left, right)
    fields[0].own.codes[:7] = -1
    weights, m = some_weights(fields, 1)
    scan = listed_scan.under(listed_scan.build(fields, Tuning(), 1, NO_PROGRESS), weights, m)
    bar = 6.0
    cost = scan.plan(scan.index.order, bar)[1] + 1
    monkeypatch.setattr(listed_scan, "UNIT_WORK", 500)
    said: list[str] = []
    listed_scan.run(scan, bar, 100_000, 1, Progress(lambda _, what: said.append(str(what))))
    units = listed_scan._units(scan, scan.index.order, bar, NO_PROGRESS)
    assert np.concatenate(units.blocks).tolist() == scan.index.order.tolist()
    place = {row: at for at, row in enumerate(scan.index.order.tolist())}
    work = [int(sum(cost[place[row]] for row in block.tolist())) for block in units.blocks]
    assert units.largest == max(work)
    assert units.work == sum(work) == int(cost.sum())
    assert max(work) <= 500 + int(cost.max())
    assert len(work) > 5
    assert f"{len(work):,} blocks, the largest with {max(work):,} comparisons" in said[0]
    blank = np.logical_or.reduce([one.own.codes < 0 for one in fields])
    often = [np.unique(one.partner.codes[one.partner.codes >= 0], return_counts=True)[1].max() for one in fields]
    worst = fields[int(np.argmax(often))].comparison.field
    assert f"blanks in {blank.sum():,} own records, one value of {worst} in {max(often):,} of the partner's" in said[0]
    assert blank.sum() == 7


def test_a_field_of_too_many_values_is_joined_by_its_tokens_alone(large: None, monkeypatch: pytest.MonkeyPatch) -> None:
    left, right, truth = two_files(7, 900, 450)
    before = linked(left, right)
    monkeypatch.setattr(value_lists, "MOST_CELLS", 0.0)
    made = linked(left, right)
    met = candidates(before) & truth
    assert len(met & candidates(made)) >= made.scored.notes["candidate_recall"] * len(met)
    assert f1(accepted(made), truth) > 0.8


def test_no_more_pairs_than_the_memory_allows(large: None) -> None:
    left, right, _ = two_files(7, 900, 450)
    most = 500
    made = linked(left, right, MatchOptions(memory=most * BYTES_PER_PAIR))
    assert len(made.scored) <= most


def test_two_thousand_namesakes_stay_within_bounds_and_are_told(large: None) -> None:
    rows = [row[:2] for row in population(np.random.default_rng(3), 500)] + [["SMITH", "JOHN"]] * 2000
    file = table(("last", "first"), rows)
    most = 10_000
    made = linked(file, file, MatchOptions(memory=most * BYTES_PER_PAIR))
    assert len(made.scored) <= most
    assert any("equal to others in all fields" in str(warning) for warning in made.warnings)


def test_threads_change_nothing(large: None) -> None:
    left, right, _ = two_files(7, 600, 300)
    one, two = (linked(left, right, MatchOptions(threads=threads)) for threads in (1, 2))
    assert (one.scored.own == two.scored.own).all()
    assert (one.scored.partner == two.scored.partner).all()
    assert (one.scored.score == two.scored.score).all()
    assert one.scored.notes["candidate_recall"] == two.scored.notes["candidate_recall"]


def test_noise_and_lists_go_together(large: None) -> None:
    left, right, truth = two_files(7, 500, 250)
    made = linked(left, right, epsilon=5.0)
    assert f1(accepted(made), truth) > 0.8


def test_fields_and_records_without_values(large: None) -> None:
    left, right, _ = two_files(7, 60, 30)
    empty = table(FIELDS, [[""] * len(FIELDS)] * 5)
    for one, other in ((left, empty), (empty, right), (empty, empty)):
        assert linked(one, other).scored.notes["candidate_recall"] == 0.0


def test_progress_moves_and_cancel_is_heard_while_comparing(large: None) -> None:
    left, right, _ = two_files(7, 600, 300)
    seen: list[tuple[float, str]] = []
    linked(left, right, progress=Progress(lambda fraction, what: seen.append((fraction, str(what)))))
    assert [fraction for fraction, _ in seen] == sorted(fraction for fraction, _ in seen)
    stages = list(dict.fromkeys(what for _, what in seen))
    for begins in ("Looking for similar values of last", "Comparing similar records: "):
        stage = next(what for what in stages if what.startswith(begins))
        reached: list[str] = []
        stopped = Progress(lambda _, what, at=reached: at.append(str(what)), lambda at=reached, s=stage: s in at)
        with pytest.raises(Cancelled):
            linked(left, right, progress=stopped)
        assert reached[-1] == stage
