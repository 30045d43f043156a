"""The nearest neighbour under noise: what is answered, what is not said, and what it costs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pprl_desktop.codes import dp_nn
from pprl_desktop.codes.base import Part, Recipe, Smashed
from pprl_desktop.decisions.base import MatchOptions, Scored
from pprl_desktop.decisions.learn import learn
from pprl_desktop.decisions.nearest import run
from pprl_desktop.decisions.nearest_learning import NearestRule
from pprl_desktop.matching.match import match
from pprl_desktop.progress import NO_PROGRESS, Cancelled, Progress
from pprl_desktop.records.fields import Field

RULE = NearestRule(near=23, far=31, epsilon=20.0, noise="permute-and-flip")


def smashed(bits: np.ndarray, missing: tuple[int, ...] = ()) -> Smashed:
    rows = np.arange(len(bits), dtype=np.int32)
    rows[list(missing)] = -1
    return Smashed("dp-nn", len(bits), (Part("record", "", "bits", "value", rows, np.packbits(bits, axis=1)),))


def two_sides(rows: int, queries: int, flips: int = 5, seed: int = 1) -> tuple[Smashed, Smashed]:
    random = np.random.default_rng(seed)
    own = random.random((rows, 104)) < 0.5
    asked = own[:queries].copy()
    for row in asked:
        row[random.choice(104, flips, replace=False)] ^= True
    return smashed(own), smashed(asked)


def answer(own: Smashed, partner: Smashed, rule: NearestRule = RULE, seed: int = 0, memory: int = 1 << 30) -> Scored:
    random = np.random.default_rng(seed)
    return run(own, partner, rule, MatchOptions(random_bytes=random.bytes, memory=memory), NO_PROGRESS)


@pytest.mark.parametrize("noise", ["permute-and-flip", "laplace"])
def test_with_a_large_epsilon_the_nearest_record_answers(noise: str) -> None:
    found = answer(*two_sides(500, 100), replace(RULE, epsilon=100.0, noise=noise))  # type: ignore[arg-type]
    assert found.partner.tolist() == list(range(100))
    assert (found.own == found.partner).all()


def test_answers_follow_the_stated_odds() -> None:
    """One near record among 200, epsilon 5 per query: counted over 4,000 queries."""
    own, _ = two_sides(200, 1)
    bits = np.unpackbits(own.parts[0].values, axis=1)[:, :104].astype(bool)
    same = smashed(np.repeat(bits[:1], 4000, axis=0))
    found = answer(own, same, replace(RULE, epsilon=5.0))
    chance, _ = dp_nn_odds(200, 5.0)
    right = float((found.own == 0).sum()) / 4000
    assert abs(right - chance) < 0.03
    others = np.bincount(found.own, minlength=200)[1:]
    assert others.max() < 60  # the far ones are equally likely


def dp_nn_odds(rows: int, epsilon: float) -> tuple[float, float]:
    from pprl_desktop.decisions.nearest_noise import best_recall

    return best_recall(rows, epsilon, "permute-and-flip", RULE.width, RULE.none_at)


def test_strangers_are_answered_with_no_match() -> None:
    own, _ = two_sides(300, 1)
    strangers, _ = two_sides(100, 1, seed=9)
    assert len(answer(own, strangers, replace(RULE, epsilon=40.0))) == 0


def test_every_pair_has_the_same_score_so_that_no_distance_is_told() -> None:
    found = answer(*two_sides(300, 100, flips=8))
    assert len(set(found.score.tolist())) == 1
    assert len(set(found.probability.tolist())) == 1
    assert np.isnan(found.evidence).all()


def test_records_without_a_field_are_neither_asked_nor_linked() -> None:
    random = np.random.default_rng(1)
    bits = random.random((50, 104)) < 0.5
    found = answer(smashed(bits, missing=(3,)), smashed(bits, missing=(7,)), replace(RULE, epsilon=1.0))
    assert 3 not in found.own
    assert 7 not in found.partner


def test_the_cost_and_the_limit_are_said_with_the_numbers() -> None:
    found = answer(*two_sides(500, 100), replace(RULE, epsilon=2.0))
    assert found.notes["epsilon_in_all"] == 200.0
    assert "100 queries cost 200" in str(found.warnings[0])
    assert "ln n = 6.2" in str(found.warnings[1])
    assert len(answer(*two_sides(500, 100)).warnings) == 1


def test_the_recall_to_expect_is_that_of_the_mechanism() -> None:
    own, asked = two_sides(300, 200)
    rule = replace(RULE, epsilon=8.0)
    made = match(own, asked, rule, MatchOptions("many-to-many", random_bytes=np.random.default_rng(0).bytes))
    assert made.expected["recall"] == pytest.approx(dp_nn_odds(300, 8.0)[0])


def test_the_bound_is_a_constant_of_the_method() -> None:
    from pprl_desktop.records.table import CleanTable, Column

    fields = (Field.of("last"),)
    recipe = Recipe("dp-nn", fields, dp_nn.METHOD.defaults(), secret=b"s")
    rules = []
    for seed, names in enumerate((["BAUER", "KOCH"], [f"{a}{b}ERMANN" for a in "BDFGHJKL" for b in "AEIOU"])):
        table = CleanTable(fields, (Column.of("last", names),))
        own = dp_nn.METHOD.smash(table, recipe, NO_PROGRESS)
        rules.append(learn(table, own, recipe, seed, NO_PROGRESS))
    assert rules[0] == rules[1]


def test_little_memory_gives_the_same_answers() -> None:
    own, asked = two_sides(400, 200)
    crowd = replace(RULE, near=10, far=90)  # nearly every record is near
    assert answer(own, asked, crowd, memory=400 * 48).partner.size == answer(own, asked, crowd).partner.size


def test_the_same_stream_gives_the_same_answers_and_the_system_source_works() -> None:
    own, asked = two_sides(300, 100)
    rule = replace(RULE, epsilon=6.0)
    one, other = answer(own, asked, rule, seed=5), answer(own, asked, rule, seed=5)
    assert one.own.tolist() == other.own.tolist()
    assert len(run(own, asked, replace(RULE, epsilon=100.0), MatchOptions(), NO_PROGRESS)) == 100


def test_the_same_seed_gives_the_same_evaluation() -> None:
    from pprl_desktop.evaluation.play import play
    from pprl_desktop.records.table import CleanTable, Column

    fields = (Field.of("last"),)
    table = CleanTable(fields, (Column.of("last", [f"{a}{b}ERMANN" for a in "BDFGHJKL" for b in "AEIOU"]),))
    recipe = Recipe("dp-nn", fields, replace(dp_nn.METHOD.defaults(), epsilon=4.0), secret=b"s")
    linked = [play(table, table, recipe, MatchOptions(), seed=seed).a.pairs.tolist() for seed in (1, 1, 2)]
    assert linked[0] == linked[1] != linked[2]


def test_without_noise_the_nearest_itself_is_answered() -> None:
    found = answer(*two_sides(300, 100), replace(RULE, epsilon=None))
    assert (found.own == found.partner).all()
    assert len(found) == 100


@pytest.mark.parametrize(("rows", "queries"), [(0, 5), (5, 0), (0, 0), (1, 1)])
def test_empty_tables_and_one_row(rows: int, queries: int) -> None:
    own, asked = smashed(np.zeros((rows, 104), bool)), smashed(np.zeros((queries, 104), bool))
    found = match(own, asked, RULE, MatchOptions())
    assert len(found.scored) <= min(rows, queries)


def test_answering_can_be_cancelled() -> None:
    own, asked = two_sides(300, 100)
    with pytest.raises(Cancelled):
        run(own, asked, RULE, MatchOptions(), Progress(cancelled=lambda: True))


def test_what_is_wrong_with_a_recipe_is_said() -> None:
    fields = (Field.of("last"),)
    good = dp_nn.METHOD.defaults()
    assert dp_nn.METHOD.problems(Recipe("dp-nn", fields, good)) == ()
    for settings in (
        replace(good, epsilon=None),
        replace(good, epsilon=-1.0),
        replace(good, decision="svm"),
        replace(good, layout="field"),
        replace(good, bits=3),
    ):
        assert dp_nn.METHOD.problems(Recipe("dp-nn", fields, settings))
