"""The gate: preview equals charge, nothing over budget, written before it is shown."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pprl_desktop.problem import Problem
from pprl_desktop.review.cells import Disclosure
from pprl_desktop.review.gate import Gate
from pprl_desktop.review.ledger import Ledger
from pprl_desktop.review.marks import Level
from pprl_desktop.review.plan import ReviewField
from tests.review import slow_crowd
from tests.review.people import KEY, make_review

M, P, F = Level.MASKED, Level.PARTIAL, Level.FULL
PEOPLE = (
    ("ANNA", "KATZ", "1964-08-09", "W", "1000151475"),
    ("ANNE", "KATZ", "1964-09-08", "W", "1000151575"),
    ("ANNA", "KATZ", "1964-08-09", "B", "1000151475"),
    ("BERT", "MOOR", "1950-01-02", "W", "2000151475"),
    ("BERTA", "MOORE", "1905-01-02", "", "2000151475"),
    ("KATZ", "ANNA", "", "W", "3000000001"),
    ("", "LIND", "1999-12-31", "", ""),
    ("ÉLISE", "LIND", "1999-12-30", "B", "4000000001"),
)
TYPES = ("variable", "variable", "date", "category", "fixed")
PAIRS = ((0, 1), (0, 2), (3, 4), (0, 5), (6, 7), (1, 2))


class Memory:
    """A ledger that only remembers, for thousands of gates in a property test."""

    def __init__(self) -> None:
        self.entries: tuple = ()
        self.bodies: list[dict] = []

    def append(self, body, note=None) -> None:
        self.bodies.append(dict(body))


def memory_gate(review) -> Gate:
    return Gate(review, Memory(), "anna")  # type: ignore[arg-type]


def tried(gate: Gate, pair: int, field: int) -> tuple[Disclosure | None, Problem | None]:
    try:
        return gate.reveal(pair, field), None
    except Problem as problem:
        return None, problem


CLICKS = st.lists(st.tuples(st.integers(0, len(PAIRS) - 1), st.integers(0, len(TYPES) - 1)), max_size=25)
CAP = st.sampled_from(["none", "none", "never", "partial", "last4"])
PLANS = st.fixed_dictionaries(
    {
        "fields": st.tuples(*(st.builds(ReviewField, st.just(f"f{j}"), st.just(t), CAP) for j, t in enumerate(TYPES))),
        "kappa": st.sampled_from([1, 1, 2, 3]),
        "start": st.sampled_from([M, M, P, F]),
        "date_swap": st.sampled_from(["elements", "digits"]),
        "name_swaps": st.sampled_from([(), (("f0", "f1"),)]),
    }
)
quick = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@quick
@given(PLANS, CLICKS)
def test_preview_equals_charge_and_risk_only_grows(plan, clicks) -> None:
    review = make_review(PEOPLE, PAIRS, **plan)
    gate = memory_gate(review)
    for pair, field in clicks:
        gate.open(pair)
        before, spent = gate.risk, gate.charged
        preview = gate.previews(pair)[field]
        done, refusal = tried(gate, pair, field)
        if done is None:
            assert preview is None or preview.refusal == refusal
            assert (gate.risk, gate.charged) == (before, spent)
            continue
        assert preview is not None
        assert preview.refusal is None
        assert done.cost == preview.cost == gate.charged - spent >= 0
        rows = gate._opened.state(pair).rows
        assert preview.k == (rows[0].told, rows[1].told)
        assert all(row.told <= row.k for row in rows)
        assert before <= gate.risk <= gate.charged <= 1
        assert done.cell.level == preview.level
        assert 0 <= gate.risk <= 1
        assert min(row.k for row in rows) >= plan["kappa"] >= 1
        assert gate.meter(pair).together_k <= gate.meter(pair).smallest_k
        assert sum(gate.field_risks().values()) == gate.risk * len(TYPES)


@quick
@given(PLANS, CLICKS)
def test_crowds_equal_brute_force(plan, clicks) -> None:
    review = make_review(PEOPLE, PAIRS, **plan)
    gate = memory_gate(review)
    for pair, field in clicks:
        if tried(gate, pair, field)[0] is None:
            continue
        state = gate._opened.state(pair)
        for row in (0, 1):
            assert state.rows[row].k == slow_crowd.count(review.people.columns, gate._opened.now(state, row))


def test_the_order_of_opening_does_not_matter() -> None:
    cells = [(0, 0), (0, 2), (2, 1), (5, 4)]
    totals = set()
    for order in permutations(cells):
        gate = memory_gate(make_review(PEOPLE, PAIRS, TYPES))
        for pair, field in order:
            gate.reveal(pair, field)
        totals.add((gate.risk, gate.charged, gate.meter().characters))
    assert len(totals) == 1


def test_everything_open_is_at_most_one(make_gate) -> None:
    gate = make_gate(make_review(PEOPLE, PAIRS, TYPES, start=F))
    for pair in range(len(PAIRS)):
        gate.open(pair)
    assert 0 < gate.risk <= 1
    assert gate.meter().characters == 1


# --- refusals ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("policy", "place"),
    [
        ({"reviewer_budget": Fraction(1, 1000)}, "reviewer budget"),
        ({"review_budget": Fraction(1, 1000)}, "review budget"),
        ({"pair_budget": Fraction(1, 1000)}, "pair budget"),
        ({"kappa": 9}, "smallest crowd"),
    ],
)
def test_over_a_limit_nothing_is_opened_and_the_reason_is_given(make_gate, policy, place) -> None:
    gate = make_gate(make_review(PEOPLE, PAIRS, TYPES, **policy))
    preview = gate.previews(0)[0]
    assert preview.refusal.place == place
    with pytest.raises(Problem) as refusal:
        gate.reveal(0, 0)
    assert refusal.value == preview.refusal
    assert str(refusal.value.why)
    assert str(refusal.value.do)
    assert gate.levels(0) == (M,) * 5
    assert gate.risk == 0
    assert gate._ledger.entries[-1].what == "refuse"


def test_a_field_has_a_budget_of_its_own(make_gate) -> None:
    fields = [ReviewField(f"f{j}", t, limit=Fraction(1, 1000) if j == 0 else None) for j, t in enumerate(TYPES)]
    gate = make_gate(make_review(PEOPLE, PAIRS, fields=fields))
    gate.reveal(0, 2)
    with pytest.raises(Problem) as refusal:
        gate.reveal(0, 0)
    assert refusal.value.place == "field budget"


def test_a_budget_may_be_spent_to_its_last_digit(make_gate) -> None:
    cost = memory_gate(make_review(PEOPLE, PAIRS, TYPES)).previews(0)[0].cost
    gate = make_gate(make_review(PEOPLE, PAIRS, TYPES, reviewer_budget=cost))
    gate.reveal(0, 0)
    assert gate.charged == cost == gate.meter().limit
    just_under = make_gate(make_review(PEOPLE, PAIRS, TYPES, reviewer_budget=cost - Fraction(1, 10**15)))
    with pytest.raises(Problem):
        just_under.reveal(0, 0)


@pytest.mark.parametrize(
    ("cap", "words"),
    [
        ("never", "no characters"),
        ("partial", "only the differing characters"),
        ("last4", "only the last 4"),
        ("none", "Everything is open"),
    ],
)
def test_caps_hold_and_are_explained(make_gate, cap, words) -> None:
    fields = [ReviewField(f"f{j}", t, cap if j == 4 else "none") for j, t in enumerate(TYPES)]
    gate = make_gate(make_review(PEOPLE, PAIRS, fields=fields))
    refusals = [tried(gate, 0, 4)[1] for _ in range(3)]
    assert words in str(refusals[-1].sentence())
    cell = gate.cells(0)[4]
    shown = "".join(glyph.text for glyph in cell.drawing.above if glyph.open)
    assert shown == {"never": "", "partial": "4", "last4": "1475", "none": "1000151475"}[cap]
    assert words in str(cell.closed)


def test_a_value_missing_on_both_sides_cannot_be_opened(make_gate) -> None:
    gate = make_gate(make_review([("", "A"), ("", "B")], [(0, 1)], ("variable", "variable")))
    with pytest.raises(Problem, match="missing on both sides"):
        gate.reveal(0, 0)
    assert gate.previews(0)[0] is None


def test_asking_for_what_is_open_already_costs_nothing(make_gate) -> None:
    gate = make_gate(make_review(PEOPLE, PAIRS, TYPES))
    gate.reveal(0, 0, P)
    with pytest.raises(Problem, match="open already"):
        gate.reveal(0, 0, P)


def test_a_record_seen_in_two_pairs_counts_together(make_gate) -> None:
    """Pair by pair the crowd stays at 2 or more, but both openings together would single the record out."""
    rows = [("ANNA", "1"), ("BERT", "2"), ("CARL", "3"), ("ANNA", "9"), ("DORA", "1")]
    free = make_gate(make_review(rows, [(0, 1), (0, 2)], ("category", "category")))
    free.reveal(0, 0)
    assert (free.meter(1).smallest_k, free.meter(1).together_k) == (5, 2)  # two are called ANNA
    rows += [("BERT", "2"), ("CARL", "3")]
    gate = make_gate(make_review(rows, [(0, 1), (0, 2)], ("category", "category"), kappa=2))
    gate.reveal(0, 0)
    preview = gate.previews(1)[1]
    assert min(preview.k) == 2
    assert preview.refusal.place == "smallest crowd"
    with pytest.raises(Problem, match="fewer than 2 people"):
        gate.reveal(1, 1)
    assert [(t.pairs, t.cells, t.k) for t in gate.traces()] == [(1, 1, 2), (1, 1, 2)]


# --- start modes ------------------------------------------------------------------------------------------------


def test_the_start_mode_is_charged_once(make_gate) -> None:
    gate = make_gate(make_review(PEOPLE, PAIRS, TYPES, start=P))
    assert gate.cells(0)[0].level == M  # nothing is shown before it is charged
    first = gate.open(0)
    assert first[0].level == P
    cost = gate.risk
    assert cost > 0
    gate.open(0)
    assert gate.risk == cost
    assert [entry.what for entry in gate._ledger.entries] == ["begin", "start"]


def test_a_start_mode_that_costs_too_much_leaves_the_pair_masked(make_gate) -> None:
    gate = make_gate(make_review(PEOPLE, PAIRS, TYPES, start=F, reviewer_budget=Fraction(1, 100)))
    assert {cell.level for cell in gate.open(0)} == {M}
    assert gate.risk == 0


# --- the ledger comes first -------------------------------------------------------------------------------------


def test_what_was_opened_is_open_again_after_a_restart(make_gate, tmp_path) -> None:
    review = make_review(PEOPLE, PAIRS, TYPES, start=P)
    gate = make_gate(review)
    for pair, field in ((0, 0), (2, 1), (3, 0)):
        gate.reveal(pair, field)
    gate._ledger.close()
    with Ledger(gate._ledger.path, KEY) as ledger:
        again = Gate(review, ledger, "anna")
        assert again.risk == gate.risk
        assert again.cells(0) == gate.cells(0)
        assert again.meter(2) == gate.meter(2)


def test_nothing_is_shown_when_the_ledger_cannot_be_written() -> None:
    class Full(Memory):
        def append(self, body, note=None) -> None:
            raise Problem("The ledger could not be written.")

    for start in (M, P):
        gate = Gate(make_review(PEOPLE, PAIRS, TYPES, start=start), Full(), "anna")  # type: ignore[arg-type]
        with pytest.raises(Problem, match="ledger"):
            gate.reveal(0, 0)
        if start == P:
            with pytest.raises(Problem, match="ledger"):
                gate.open(0)
        assert gate.levels(0) == (M,) * 5
        assert gate.risk == 0


def test_a_ledger_of_another_review_is_refused(make_gate) -> None:
    review = make_review(PEOPLE, PAIRS, TYPES)
    gate = make_gate(review)
    gate.reveal(0, 0)
    for other in (
        make_review(PEOPLE, PAIRS, TYPES, kappa=2),  # another plan
        make_review([(r[0] + "X", *r[1:]) for r in PEOPLE], PAIRS, TYPES),  # other records: the total does not fit
    ):
        with pytest.raises(Problem, match="does not belong"):
            Gate(other, gate._ledger, "anna")
    gate._ledger.append({"what": "start", "pair": "ffff", "levels": "MMMMM", "cost": "0", "total": "0.000000000000"})
    with pytest.raises(Problem, match="does not belong"):
        Gate(review, gate._ledger, "anna")


def test_entries_hold_no_value_of_a_record(make_gate) -> None:
    gate = make_gate(make_review(PEOPLE, PAIRS, TYPES, start=P))
    for pair in range(len(PAIRS)):
        for field in range(len(TYPES)):
            said = [str(tried(gate, pair, field)[1]) for _ in range(2)]
            assert not [value for row in PEOPLE for value in row if len(value) > 2 and value in "".join(said)]
    written = gate._ledger.path.read_bytes().decode("latin-1")
    assert not [value for row in PEOPLE for value in row if len(value) > 2 and value in written]


# --- the picture ------------------------------------------------------------------------------------------------


def test_frequencies_show_where_asked(make_gate) -> None:
    fields = [ReviewField(f"f{j}", t, frequency=j == 0) for j, t in enumerate(TYPES)]
    gate = make_gate(make_review(PEOPLE, PAIRS, fields=fields))
    assert gate.cells(0)[0].frequency == ("rare", "unique")
    assert gate.cells(0)[1].frequency == ("", "")
    assert gate.cells(4)[0].frequency == ("", "unique")


def test_imported_frequencies_come_first(make_gate) -> None:
    from dataclasses import replace

    review = make_review([("ANNA",), ("ANNE",)], [(0, 1)], fields=[ReviewField("f0", frequency=True)])
    review = replace(review, people=replace(review.people, counts=({"ANNA": 4000},)))
    assert make_gate(review).cells(0)[0].frequency == ("very common", "unique")


def test_pairs_are_ranked_by_what_a_field_shows(make_gate) -> None:
    gate = make_gate(make_review(PEOPLE, PAIRS, TYPES))
    assert sorted(range(6), key=lambda pair: gate.rank(pair, 0))[0] in (0, 2)
    assert gate.rank(1, 0) > gate.rank(4, 0) > gate.rank(0, 0)


def test_an_empty_review_has_a_meter(make_gate) -> None:
    gate = make_gate(make_review(PEOPLE, [], TYPES))
    assert gate.meter().risk == 0
    assert gate.meter().characters == 0
    assert gate.traces() == ()


def test_what_reviewers_opened_is_granted_to_the_manager_and_counted(make_gate) -> None:
    review = make_review(PEOPLE, PAIRS, TYPES, reviewer_budget=Fraction(1, 10**6))
    gate = make_gate(review)
    cells = gate.grant(0, (P, M, F, M, M))
    assert [cell.level for cell in cells] == [P, M, F, M, M]
    assert gate.risk > review.policy.reviewer_budget
    before = len(gate._ledger.entries)
    assert gate.grant(0, (M, M, P, M, M)) == cells
    assert len(gate._ledger.entries) == before
    again = Gate(review, gate._ledger, "anna")
    assert again.risk == gate.risk
    assert again.levels(0) == (P, M, F, M, M)
