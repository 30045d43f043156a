"""The adaptive decision links without labels, whatever the fields, and says how sure it is."""

from __future__ import annotations

import numpy as np
import pytest

from pprl_desktop.decisions.base import MatchOptions
from pprl_desktop.decisions.learn import learn
from pprl_desktop.progress import Cancelled, Progress
from tests.matching.people import FIELDS, accepted, f1, linked, population, smashed, table, two_files


def test_two_files_are_linked_without_labels() -> None:
    left, right, truth = two_files()
    made = linked(left, right)
    assert f1(accepted(made), truth) > 0.95
    assert made.expected["precision"] > 0.9
    assert abs(made.expected["true_pairs"] - len(truth)) < 0.15 * len(truth)


def test_the_same_seed_gives_the_same_figures() -> None:
    left, right, _ = two_files(3, 200, 80)
    one, two = linked(left, right), linked(left, right)
    assert (one.scored.score == two.scored.score).all()
    assert (one.band == two.band).all()


def test_every_pair_comes_with_evidence_per_field() -> None:
    left, right, _ = two_files(1, 200, 80)
    scored = linked(left, right).scored
    assert scored.fields == FIELDS
    assert scored.evidence.shape == (len(scored), len(FIELDS))
    best = int(np.argmax(scored.score))
    assert np.nansum(scored.evidence[best]) > 5
    missing = right.column("born").codes[scored.partner] < 0
    assert np.isnan(scored.evidence[missing, 2]).all(), "a missing field is no evidence"


def test_probabilities_tell_about_the_true_share() -> None:
    shares = []
    for seed in range(3):
        left, right, truth = two_files(10 + seed, 400, 150)
        scored = linked(left, right).scored
        is_true = np.array([pair in truth for pair in zip(scored.own.tolist(), scored.partner.tolist(), strict=True)])
        shares.append((float(scored.probability.sum()), int(is_true.sum())))
    predicted, true = (sum(values) for values in zip(*shares, strict=True))
    assert 0.85 * true < predicted < 1.15 * true


def test_no_overlap_gives_next_to_no_matches() -> None:
    random = np.random.default_rng(5)
    people = population(random, 600)
    made = linked(table(FIELDS, people[:300]), table(FIELDS, people[300:]))
    assert len(accepted(made)) <= 4


@pytest.mark.parametrize("fields", [("last",), ("last", "first"), ("born",), ("zip",)])
def test_any_number_of_fields_works(fields: tuple[str, ...]) -> None:
    random = np.random.default_rng(2)
    rows = [[row[FIELDS.index(name)] for name in fields] for row in population(random, 100)]
    made = linked(table(fields, rows), table(fields, rows))
    assert made.scored.fields == fields
    assert np.isfinite(made.scored.probability).all()
    assert all(rows[own] == rows[partner] for own, partner in accepted(made))


def test_twenty_fields_work() -> None:
    from pprl_desktop.records.fields import Field
    from pprl_desktop.records.table import CleanTable, Column

    left, right, truth = two_files(4, 150, 60)

    def widened(one: CleanTable) -> CleanTable:
        columns = [
            Column(f"{column.name}{copy}", column.values, column.codes) for copy in range(4) for column in one.columns
        ]
        return CleanTable(
            tuple(Field.of(c.name, f.kind) for c, f in zip(columns, 4 * one.fields, strict=True)), tuple(columns)
        )

    made = linked(widened(left), widened(right))
    assert f1(accepted(made), truth) > 0.8, "four copies of each field say no more than one"


@pytest.mark.parametrize("sizes", [(0, 0), (0, 5), (5, 0), (1, 1), (1, 5), (5, 1)])
def test_empty_and_tiny_tables_never_crash(sizes: tuple[int, int]) -> None:
    people = population(np.random.default_rng(0), 5)
    made = linked(table(FIELDS, people[: sizes[0]]), table(FIELDS, people[: sizes[1]]))
    assert len(made.accepted()) <= min(sizes)


def test_a_record_without_any_value_is_never_linked() -> None:
    people = population(np.random.default_rng(0), 50)
    nobody = ["", "", "", "", ""]
    made = linked(table(FIELDS, [*people, nobody]), table(FIELDS, [*people, nobody]))
    assert (50, 50) not in accepted(made)
    assert len(accepted(made)) >= 45


def test_a_whole_column_may_be_missing() -> None:
    people = population(np.random.default_rng(0), 120)
    blank = [[row[0], row[1], row[2], "", row[4]] for row in people]
    assert len(accepted(linked(table(FIELDS, people), table(FIELDS, blank)))) > 100


def test_a_maiden_name_in_the_middle_is_found() -> None:
    random = np.random.default_rng(8)
    rows = [[row[0], row[1], "", row[2]] for row in population(random, 400)]
    fields = ("last", "first", "middle", "born")
    married = [list(row) for row in rows[:200]]
    for place, row in enumerate(married[:60]):
        row[2], row[0] = row[0], rows[399 - place][0]
    made = linked(table(fields, rows), table(fields, married))
    found = {(row, row) for row in range(60)} & accepted(made)
    assert len(found) > 50


def test_dependent_fields_do_not_count_twice() -> None:
    left, right, _ = two_files(6, 500, 150)
    notes = linked(left, right).scored.notes
    assert {"town", "zip"} in [set(edge["fields"]) for edge in notes["dependent"]]


def test_two_thousand_namesakes_stay_within_the_memory_given() -> None:
    rows = [row[:2] for row in population(np.random.default_rng(3), 1200)] + [["SMITH", "JOHN"]] * 400
    made = linked(table(("last", "first"), rows), table(("last", "first"), rows), MatchOptions(memory=20 << 20))
    assert len(made.scored) * 400 <= 20 << 20
    assert any("pairs" in str(warning) for warning in made.warnings)


def test_one_to_many_may_link_a_record_twice() -> None:
    people = population(np.random.default_rng(1), 200)
    made = linked(
        table(FIELDS, people), table(FIELDS, people + people[:50]), MatchOptions("one-to-many"), direction="one-to-many"
    )
    truth = {(row, row) for row in range(200)} | {(row, 200 + row) for row in range(50)}
    assert f1(accepted(made), truth) > 0.95


@pytest.mark.parametrize("noise", ["one-sided", "two-sided"])
def test_it_works_with_noise_and_without_tokens(noise: str) -> None:
    from pprl_desktop.matching.match import match
    from pprl_desktop.privacy.keystream import Keystream
    from pprl_desktop.privacy.noise import noised
    from pprl_desktop.progress import NO_PROGRESS

    left, right, truth = two_files(2, 300, 150)
    own, partner, recipe = smashed(left, right, epsilon=3.0, noise=noise)
    partner = noised(partner, 3.0, Keystream.repeatable(0, "b"))
    if noise == "two-sided":
        own = noised(own, 3.0, Keystream.repeatable(0, "a"))
    rule = learn(left, own, recipe, 0, NO_PROGRESS)
    assert f1(accepted(match(own, partner, rule, MatchOptions())), truth) > 0.85


def test_cancel_stops_the_work() -> None:
    left, right, _ = two_files(0, 100, 50)
    with pytest.raises(Cancelled):
        linked(left, right, progress=Progress(cancelled=lambda: True))


def test_memory_and_time_are_foreseen_before_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    from pprl_desktop.decisions.adaptive import run as adaptive
    from pprl_desktop.decisions.rules import AdaptiveRule
    from pprl_desktop.progress import NO_PROGRESS

    left, right, _ = two_files(0, 100, 50)
    own, partner, recipe = smashed(left, right)
    rule = learn(left, own, recipe, 0, NO_PROGRESS)
    assert isinstance(rule, AdaptiveRule)
    small, large = (adaptive.outlook(own, partner, rule, MatchOptions(memory=size)) for size in (1 << 16, 1 << 30))
    assert 0 < small.bytes < large.bytes < 2 << 30
    assert small.seconds is None, "small files are not worth a trial"
    monkeypatch.setattr(adaptive, "SMALL", 0)
    tried = adaptive.outlook(own, partner, rule, MatchOptions())
    assert 0 < tried.bytes < 2 << 30
    assert tried.seconds is not None
    assert tried.seconds > 0


def test_values_that_nobody_has_take_no_memory() -> None:
    """A part of a large table keeps all its values."""
    from pprl_desktop.decisions.adaptive import run as adaptive
    from pprl_desktop.progress import NO_PROGRESS

    people = population(np.random.default_rng(1), 2000)
    few, part = table(FIELDS, people[:100]), table(FIELDS, people).take(np.arange(100))
    bytes_of = []
    for one in (few, part):
        own, partner, recipe = smashed(one, one)
        bytes_of.append(adaptive.outlook(own, partner, learn(one, own, recipe, 0, NO_PROGRESS), MatchOptions()).bytes)
    assert bytes_of[0] == bytes_of[1]


def test_duplicates_in_the_own_file_are_told() -> None:
    people = population(np.random.default_rng(1), 500)
    made = linked(table(FIELDS, people[:250] + people[150:250]), table(FIELDS, people[:100] + people[250:]))
    assert any("duplicates" in str(warning) for warning in made.warnings)
