"""Record-level bits: exact pairs, honest probabilities, bounded memory."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pprl_desktop.codes.base import Part, Recipe, Settings, Smashed, method
from pprl_desktop.codes.corrupt import corrupt
from pprl_desktop.codes.directions import of_flag
from pprl_desktop.decisions.base import MatchOptions
from pprl_desktop.decisions.learn import learn
from pprl_desktop.decisions.rules import BitsRule
from pprl_desktop.decisions.threshold import lsh
from pprl_desktop.decisions.threshold import scan as bits_scan
from pprl_desktop.decisions.threshold.learning import between, flip_rate
from pprl_desktop.matching.match import match, score
from pprl_desktop.progress import NO_PROGRESS, Cancelled, Progress
from pprl_desktop.records.fields import Field
from pprl_desktop.records.table import MISSING, CleanTable, Column
from pprl_desktop.reference.names import dictionary

RECORD = Settings(decision="threshold", layout="record")


def people(rows: int, seed: int = 0) -> CleanTable:
    random = np.random.default_rng(seed)
    first, last = dictionary("first"), dictionary("last")
    days = [
        f"19{year}-{month:02d}-{day:02d}" for year in range(40, 99) for month in range(1, 13) for day in (3, 11, 24)
    ]
    cells = {
        "last": random.choice(last.values, rows, p=last.shares),
        "first": random.choice(first.values, rows, p=first.shares),
        "born": random.choice(days, rows),
        "code": [f"{code:05d}" for code in random.integers(10_000, 20_000, rows)],
    }
    kinds = {"last": "name", "first": "name", "born": "date", "code": "id"}
    fields = tuple(Field.of(name, kind) for name, kind in kinds.items())
    return CleanTable(fields, tuple(Column.of(name, map(str, cells[name])) for name in kinds))


def noisy(smashed: Smashed, epsilon: float, seed: int = 0) -> Smashed:
    random = np.random.default_rng(seed)
    part = smashed.part("record")
    values = part.values[part.rows]
    values = values ^ np.packbits(random.random((len(values), 8 * part.width)) < flip_rate(epsilon), axis=1)
    made = replace(part, rows=np.arange(len(values), dtype=np.int32), values=values)
    return replace(smashed, parts=(made,), epsilon=epsilon)


def parties(name: str, settings: Settings = RECORD, rows: int = 1200) -> tuple[Smashed, Smashed, BitsRule]:
    """Two tables of which the first half are the same people."""
    table = people(rows)
    half = rows // 2
    copies, strangers = corrupt(table.take(np.arange(half)), 5), people(rows, seed=8)
    joined = CleanTable(
        table.fields,
        tuple(
            Column.of(a.name, a.cells() + b.cells()[half:])
            for a, b in zip(copies.columns, strangers.columns, strict=True)
        ),
    )
    for column in joined.columns:  # '' is a missing value, not a text
        empty = np.flatnonzero(column.values == "")
        if len(empty):
            column.codes[column.codes == empty[0]] = MISSING
    recipe = Recipe(name, table.fields, settings, secret=b"secret of both")
    made = method(name)
    own, partner = made.smash(table, recipe, NO_PROGRESS), made.smash(joined, recipe, NO_PROGRESS)
    if settings.epsilon is not None:
        partner = noisy(partner, settings.epsilon, 1)
        own = noisy(own, settings.epsilon, 2) if settings.noise == "two-sided" else own
    rule = learn(table, own, recipe, 0, NO_PROGRESS)
    assert isinstance(rule, BitsRule)
    return own, partner, rule


@pytest.mark.parametrize(("name", "epsilon", "precision", "recall"), [
    ("simhash", None, 0.98, 0.96), ("simhash", 2.0, 0.98, 0.95), ("simhash", 1.0, 0.96, 0.9),
    ("bloom", None, 0.98, 0.95), ("bloom", 2.0, 0.98, 0.93),
])  # fmt: skip
def test_the_same_people_are_found_without_labels(
    name: str, epsilon: float | None, precision: float, recall: float
) -> None:
    own, partner, rule = parties(name, replace(RECORD, epsilon=epsilon))
    found = match(own, partner, rule, MatchOptions())
    accepted = found.accepted()
    right = int((found.scored.own[accepted] == found.scored.partner[accepted]).sum())
    assert right / len(accepted) >= precision
    assert right / (own.rows // 2) >= recall
    assert abs(found.expected["precision"] - right / len(accepted)) < 0.03


def test_the_scan_equals_the_double_loop_on_rows() -> None:
    """All pairs at or above the floor, corrected for the noise of one side, with duplicates on both."""
    own, partner, rule = parties("simhash", replace(RECORD, epsilon=2.0), rows=200)
    found = score(own, partner, rule, MatchOptions())
    mine, theirs = own.part("record"), partner.part("record")
    bits = (
        np.unpackbits(mine.values[mine.rows], axis=1).astype(float),
        np.unpackbits(theirs.values[theirs.rows], axis=1),
    )
    flips = 1 / (np.exp(2.0) + 1)
    differ = (bits[0][:, None, :] != bits[1][None, :, :]).mean(axis=2)
    similar = 1 - (differ - flips) / (1 - 2 * flips)
    expected = {tuple(pair) for pair in np.argwhere(similar >= found.notes["similarity_floor"] - 1e-12)}
    assert set(zip(found.own.tolist(), found.partner.tolist(), strict=True)) == expected


def test_two_sided_noise_is_corrected_on_both_sides() -> None:
    own, partner, rule = parties("simhash", replace(RECORD, epsilon=3.0, noise="two-sided"))
    found = match(own, partner, rule, MatchOptions())
    accepted = found.accepted()
    assert (found.scored.own[accepted] == found.scored.partner[accepted]).mean() > 0.97
    assert len(accepted) > 0.9 * own.rows / 2


@pytest.mark.parametrize("measure", ["hamming", "dice"])
@pytest.mark.parametrize(("mine", "theirs"), [(0.0, 0.25), (0.2, 0.1)])
def test_corrected_similarities_are_unbiased(measure: str, mine: float, theirs: float) -> None:
    random = np.random.default_rng(0)
    base = random.random(4096) < 0.4
    other = base ^ (random.random(4096) < 0.1)
    clean = between(measure, 4096, 0.0, 0.0).of_rows(np.packbits(base)[None], np.packbits(other)[None])[0]  # type: ignore[arg-type]
    left = np.packbits(base ^ (random.random((200, 4096)) < mine), axis=1)
    right = np.packbits(other ^ (random.random((200, 4096)) < theirs), axis=1)
    seen = between(measure, 4096, mine, theirs).of_rows(left, right)  # type: ignore[arg-type]
    assert abs(seen.mean() - clean) < 4 * seen.std() / np.sqrt(200) + 0.002


def bits_of(rows: list[int], values: np.ndarray) -> Smashed:
    part = Part("record", "", "bits", "value", np.array(rows, np.int32), values)
    return Smashed("simhash", len(rows), (part,))


def test_2000_namesakes_on_both_sides_keep_within_the_memory_and_are_all_linked() -> None:
    own, _, rule = parties("simhash", rows=300)
    crowd = bits_of([0] * 2000, own.part("record").values[:1])
    found = match(crowd, crowd, rule, MatchOptions(memory=1 << 20))
    assert len(found.scored) <= 20 * 2000
    assert "4,000,000 pairs" in str(found.warnings[0])
    assert found.chosen.sum() in (0, 2000)  # indistinguishable: all or none, never a few by chance


@pytest.mark.parametrize(("own", "partner"), [([], [0]), ([0], []), ([], []), ([-1], [0]), ([-1], [-1])])
def test_nothing_to_compare_gives_nothing(own: list[int], partner: list[int]) -> None:
    values = np.zeros((1, 16), np.uint8)
    rule = BitsRule("hamming", 0.8, np.empty(0), np.empty(0))
    found = match(bits_of(own, values), bits_of(partner, values), rule, MatchOptions())
    assert len(found.scored) == 0


def test_one_row_each_is_decided_by_agreed_constants() -> None:
    values = np.random.default_rng(0).integers(0, 256, (2, 128), dtype=np.uint8)
    rule = BitsRule("hamming", np.inf, np.empty(0), np.empty(0))
    same = match(bits_of([0], values), bits_of([0], values), rule, MatchOptions())
    other = match(bits_of([0], values), bits_of([1], values), rule, MatchOptions())
    assert len(same.accepted()) == 1
    assert len(other.accepted()) == 0


def test_one_to_many_finds_every_copy() -> None:
    own, partner, rule = parties("simhash")
    part = partner.part("record")
    twice = replace(partner, rows=2 * partner.rows, parts=(replace(part, rows=np.tile(part.rows, 2)),))
    found = match(own, twice, rule, MatchOptions("many-to-many"))
    accepted = found.accepted()
    right = (found.scored.partner[accepted] % partner.rows == found.scored.own[accepted]).sum()
    assert right / len(accepted) > 0.95
    assert right > 0.9 * own.rows


def test_the_scan_can_be_cancelled() -> None:
    own, partner, rule = parties("simhash", rows=100)
    with pytest.raises(Cancelled):
        bits_scan.run(own, partner, rule, MatchOptions(), Progress(cancelled=lambda: True))


def test_the_same_seed_gives_the_same_figures() -> None:
    one, other = (match(*parties("simhash", rows=400), MatchOptions()) for _ in range(2))
    assert one.scored.score.tolist() == other.scored.score.tolist()
    assert one.band.tolist() == other.band.tolist()


@pytest.mark.parametrize("epsilon", [None, 3.0])
@pytest.mark.parametrize("name", ["simhash", "bloom"])
def test_banded_lsh_reaches_the_candidate_recall_it_states(
    monkeypatch: pytest.MonkeyPatch, epsilon: float | None, name: str
) -> None:
    own, partner, rule = parties(name, replace(RECORD, epsilon=epsilon), rows=3000)
    monkeypatch.setattr(lsh, "EXACT_PAIRS", 0)
    monkeypatch.setattr(lsh, "GAIN", 0.0)
    rule = replace(rule, tuning=replace(rule.tuning, recalls=(0.9,)))
    found = score(own, partner, rule, MatchOptions())
    stated = found.notes["candidate_recall"]
    assert 0.9 <= stated < 0.95
    reached = (found.own == found.partner).sum() / (own.rows // 2)
    assert -0.015 < reached - stated < 0.05  # two standard errors for 1,500 true pairs below the lower end


def test_places_of_a_band_are_drawn_without_putting_back() -> None:
    """Of four equal bits in eight, two places drawn: 4/8 * 3/7; and the recall told lies below the mean."""
    assert np.allclose(lsh.collide(np.array([0.5, 1.0, 0.1]), 8, 2), [4 / 8 * 3 / 7, 1.0, 0.0])
    chance = np.random.default_rng(0).random(500)
    mean = float((1 - (1 - chance) ** 3).mean())
    assert mean - 0.05 < lsh._recall(chance, 3, 1.645) < mean


@pytest.mark.parametrize("bits", [3, 20, 63])
def test_rows_by_key_are_those_of_a_stable_sort(bits: int) -> None:
    """Also where key and row do not fit into one number."""
    keys = np.random.default_rng(bits).integers(0, 2**bits, 3000, dtype=np.uint64)
    ranked, order = lsh.by_key(keys, bits)
    assert (order == np.argsort(keys, kind="stable")).all()
    assert (ranked == keys[order]).all()
    assert [len(part) for part in lsh.by_key(keys[:0], bits)] == [0, 0]


def test_lsh_finds_a_part_of_what_the_exact_scan_finds_with_the_same_similarities(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    own, partner, rule = parties("simhash", rows=800)
    exact = score(own, partner, rule, MatchOptions())
    monkeypatch.setattr(lsh, "EXACT_PAIRS", 0)
    monkeypatch.setattr(lsh, "GAIN", 0.0)
    banded = score(own, partner, rule, MatchOptions())
    pairs = [set(zip(each.own.tolist(), each.partner.tolist(), strict=True)) for each in (exact, banded)]
    assert pairs[1] <= pairs[0]
    assert len(pairs[1]) == len(banded)


def test_lsh_can_be_cancelled_and_crowds_are_cut_short(monkeypatch: pytest.MonkeyPatch) -> None:
    own, _, rule = parties("simhash", rows=300)
    values = np.repeat(own.part("record").values[:1], 3000, axis=0)
    crowd = bits_of(list(range(3000)), values)
    monkeypatch.setattr(lsh, "EXACT_PAIRS", 0)
    monkeypatch.setattr(lsh, "GAIN", 0.0)
    rule = replace(rule, tuning=replace(rule.tuning, crowd=100))
    found = score(crowd, crowd, rule, MatchOptions(memory=1 << 22))
    assert found.notes["skipped_in_crowded_bands"] > 0
    with pytest.raises(Cancelled):
        score(crowd, crowd, rule, MatchOptions(), Progress(cancelled=lambda: True))


def test_tables_of_ordinary_size_are_scanned_exactly() -> None:
    rule = parties("simhash", rows=200)[2]
    similarity = between("hamming", 1024, 0.0, 0.0)
    assert lsh.plan(100_000, 100_000, 1024, similarity, rule, 0.5) is None
    planned = lsh.plan(1_000_000, 1_000_000, 1024, similarity, rule, 0.5)
    assert planned is not None
    assert planned.recall >= 0.8


def test_a_table_of_equal_records_is_no_fault() -> None:
    """Nothing can be learned from it and nobody told apart: no crash, no warning of the arithmetic."""
    table = people(1).take(np.zeros(30, np.int64))
    recipe = Recipe("simhash", table.fields, RECORD, secret=b"secret of both")
    own = method("simhash").smash(table, recipe, NO_PROGRESS)
    rule = learn(table, own, recipe, 0, NO_PROGRESS)
    for one_to_one in (True, False):
        with np.errstate(all="raise", under="ignore"):
            found = match(own, own, rule, MatchOptions(of_flag(one_to_one)))
        assert np.isfinite(found.scored.score).all()


def test_a_tiny_table_under_heavy_noise_links_nobody_by_chance() -> None:
    random = np.random.default_rng(1)
    values = random.integers(0, 256, (5, 16), dtype=np.uint8)
    noise = replace(bits_of(list(range(5)), values), epsilon=0.5)
    rule = BitsRule("hamming", np.inf, np.empty(0), np.empty(0))
    assert len(match(noise, noise, rule, MatchOptions()).accepted()) in (0, 5)
    other = replace(bits_of(list(range(5)), random.integers(0, 256, (5, 16), dtype=np.uint8)), epsilon=0.5)
    assert len(match(noise, other, rule, MatchOptions()).accepted()) == 0
