"""The protocol: what is opened is exactly the join of the keys, and what disagrees is refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pprl_desktop.blind import group
from pprl_desktop.blind.answer import Answer, answer, running_numbers
from pprl_desktop.blind.opened import open_answer
from pprl_desktop.blind.plan import hmac_rows
from pprl_desktop.blind.question import ask, asker
from pprl_desktop.codes.keys.variants import clear_marks, status_of
from pprl_desktop.decisions.adaptive.token_levels import levels_of
from pprl_desktop.problem import Problem
from pprl_desktop.records.table import MISSING, CleanTable, Column
from tests.blind.playing import OTHER, RECIPE, SECRET, SEED, plan_for, played, two_tables
from tests.codes.keys.people import plain_join


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_opened_pairs_are_exactly_the_join_of_the_keys(seed: int) -> None:
    a, b = two_tables(100, seed)
    plan = plan_for(a, b)
    _, _, kept, opened = played(a, b, plan)
    row_of = {int(slot): row for row, slot in enumerate(kept.slot_of)}
    found = {(int(i), row_of[int(opened.slots[j])]) for i, j in zip(opened.own, opened.partner, strict=True)}
    assert found == plain_join(a, b, RECIPE)
    assert len(found) > 20


def test_levels_from_tokens_are_those_from_clear_values() -> None:
    a, b = two_tables(100)
    _, _, kept, opened = played(a, b, plan_for(a, b))
    row_of = np.empty(int(kept.slot_of.max()) + 1, dtype=np.int64)
    row_of[kept.slot_of] = np.arange(b.rows)
    rows = row_of[opened.slots[opened.partner]]
    both = CleanTable(a.fields, tuple(_stacked(x, y) for x, y in zip(a.columns, b.columns, strict=True)))
    clear, status = clear_marks(both), status_of(both)
    seen = set()
    for place, one in enumerate(a.fields):
        codes = both.columns[place].codes
        mine, theirs = clear[one.name][codes[opened.own]], clear[one.name][codes[a.rows + rows]]
        from_clear = levels_of(one.kind, mine, theirs, status[opened.own, place], status[a.rows + rows, place])
        own = opened.own_marks[one.name][a.columns[place].codes[opened.own]]
        from_tokens = levels_of(
            one.kind, own, opened.marks[one.name][opened.partner],
            status_of(a)[opened.own, place], opened.status[opened.partner, place],
        )  # fmt: skip
        assert (from_clear == from_tokens).all(), one.name
        seen.update(from_clear.tolist())
    assert len(seen) > 6


def _stacked(first: Column, second: Column) -> Column:
    made = Column.of(first.name, [*first.cells(), *second.cells()])
    blank = [place for place, value in enumerate(made.values) if value == ""]
    return Column(made.name, made.values, np.where(np.isin(made.codes, blank), MISSING, made.codes).astype(np.int32))


def test_the_same_seed_makes_the_same_question_and_another_seed_another() -> None:
    a, b = two_tables(40)
    plan = plan_for(a, b)
    made = asker(a, plan, SECRET)
    one, again, other = ask(made, SEED), ask(made, SEED), ask(made, OTHER)
    assert all((one[name] == again[name]).all() for name in one)
    assert all(not set(map(bytes, one[name])) & set(map(bytes, other[name])) for name in one)


def test_a_question_has_the_agreed_size_whatever_the_table() -> None:
    a, b = two_tables(40)
    plan = plan_for(a, b)
    small = asker(a.take(np.arange(3)), plan, SECRET)
    assert {name: len(points) for name, points in ask(small, SEED).items()} == dict(plan.batches())


def test_more_than_agreed_is_left_out_and_the_rest_still_opens() -> None:
    """A table with more keys than the partner foresaw loses some of them by chance, never the agreed numbers."""
    a, b = two_tables(80)
    plan = plan_for(a, b)
    fewer = replace(plan, asked=(20, *plan.asked[1:]), rows=(20, *plan.rows[1:]))
    made = asker(a, fewer, SECRET)
    question = ask(made, SEED)
    assert question.left_out > 0
    assert len(question["key0"]) == 20
    given, kept = answer(b, fewer, SECRET, question, OTHER)
    assert len(given.tags("key0")) == 20
    opened = open_answer(made, SEED, question, given)
    row_of = np.full(fewer.slots, -1)
    row_of[kept.slot_of] = np.arange(b.rows)
    found = set(zip(opened.own.tolist(), row_of[opened.slots[opened.partner]].tolist(), strict=True))
    assert found
    assert found <= plain_join(a, b, plan.recipe)


def test_a_question_with_bad_points_or_repeated_ones_is_refused() -> None:
    a, b = two_tables(30)
    plan = plan_for(a, b)
    question = ask(asker(a, plan, SECRET), SEED)
    for bad in (np.zeros(32, np.uint8), np.full(32, 255, np.uint8)):
        points = question["key0"].copy()
        points[3] = bad
        with pytest.raises(Problem, match="valid element"):
            answer(b, plan, SECRET, {**question, "key0": points}, OTHER)
    points = question["key1"].copy()
    points[3] = points[4]
    with pytest.raises(Problem, match="twice"):
        answer(b, plan, SECRET, {**question, "key1": points}, OTHER)
    with pytest.raises(Problem, match="not the one that was agreed"):
        answer(b, plan, SECRET, {**question, "key1": points[:-1]}, OTHER)


def _with(given: Answer, name: str, array: group.Bytes) -> Answer:
    return Answer({**given.arrays, name: array})


@pytest.mark.parametrize("part", ["points", "labels", "slots", "proofs", "public", "one scalar more"])
def test_an_answer_that_contradicts_itself_is_refused(part: str) -> None:
    a, b = two_tables(60)
    plan = plan_for(a, b)
    made = asker(a, plan, SECRET)
    question = ask(made, SEED)
    given, _ = answer(b, plan, SECRET, question, OTHER)
    if part == "points":
        given = _with(given, "points.key0", given.points("key0")[::-1].copy())
    elif part == "labels":
        given = _with(given, "labels.key0", given.labels("key0") ^ 1)
    elif part == "slots":
        given = _with(given, "slots", given.slots ^ 1)
    elif part == "proofs":
        given = _with(given, "proofs", given.proofs ^ 1)
    elif part == "public":
        given = _with(given, "public", given.public[::-1].copy())
    else:  # a second scalar for half of the points
        points = given.points("key0")
        points[::2], _ = group.multiply(group.scalar_of(2), points[::2])
        given = _with(given, "points.key0", points)
    with pytest.raises(Problem, match=r"contradicts itself|valid element"):
        open_answer(made, SEED, question, given)


@pytest.mark.parametrize("part", ["labels", "slots"])
def test_a_record_that_does_not_open_is_no_reason_to_complain(part: str) -> None:
    """It fails only for an asker who holds one of its keys: the complaint would tell the partner whom the asker has."""
    a, b = two_tables(60)
    plan = plan_for(a, b)
    made = asker(a, plan, SECRET)
    question = ask(made, SEED)
    given, _ = answer(b, plan, SECRET, question, OTHER)
    name = "labels.key0" if part == "labels" else "slots"
    given = _with(given, name, given.arrays[name] ^ 1)
    with pytest.raises(Problem) as raised:
        open_answer(made, SEED, question, given)
    assert "do not tell the partner" in str(raised.value.do)


def test_without_the_secret_nothing_is_opened() -> None:
    a, b = two_tables(60)
    plan = plan_for(a, b)
    stranger = asker(a, plan, bytes(32))
    question = ask(stranger, SEED)
    given, _ = answer(b, plan, SECRET, question, OTHER)
    assert not len(open_answer(stranger, SEED, question, given).own)


def test_running_numbers_count_each_key_from_zero() -> None:
    lines = np.array([3, 1, 3, 3, 2, 1])
    numbers = running_numbers(lines, np.random.default_rng(0).permutation(6))
    for key in (1, 2, 3):
        assert sorted(numbers[lines == key].tolist()) == list(range(int((lines == key).sum())))


def test_inputs_are_hmacs() -> None:
    import hashlib
    import hmac

    rows = group.Stream(bytes(32), "rows").bytes(40 * 3).reshape(3, 40)
    for key in (b"short", bytes(200)):
        made = hmac_rows(key, rows)
        assert [row.tobytes() for row in made] == [hmac.digest(key, row.tobytes(), hashlib.sha512)[:32] for row in rows]
