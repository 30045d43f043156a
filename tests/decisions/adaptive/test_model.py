"""What the adaptive decision learned is a value: shown, saved as plain text, loaded, and put on other pairs."""

from __future__ import annotations

import json

import numpy as np
import pytest

from pprl_desktop.decisions.adaptive.check import log_ratio
from pprl_desktop.decisions.adaptive.learning import Files, Learned, find, first_belief, learn
from pprl_desktop.decisions.adaptive.model import Model
from pprl_desktop.decisions.adaptive.run import lay_side_by_side
from pprl_desktop.decisions.base import MatchOptions
from pprl_desktop.decisions.rules import adaptive_rule
from pprl_desktop.progress import NO_PROGRESS
from tests.matching.people import linked, smashed, two_files


@pytest.fixture(scope="module")
def round_one() -> tuple[Files, Learned]:
    left, right, _ = two_files(3, 300, 120)
    own, partner, recipe = smashed(left, right)
    random = np.random.default_rng(0)
    rule = adaptive_rule(own, recipe, "dice")
    files = lay_side_by_side(own, partner, rule, MatchOptions(), random, NO_PROGRESS)
    belief = first_belief(files, NO_PROGRESS)
    pairs = find(files, belief, random, NO_PROGRESS)
    return files, learn(files, belief, pairs, np.zeros(len(pairs.own)), np.zeros(len(pairs.own)), NO_PROGRESS)


def test_a_saved_model_weighs_pairs_as_the_learned_one_does(round_one: tuple[Files, Learned]) -> None:
    files, learned = round_one
    loaded = Model.from_plain(json.loads(json.dumps(learned.model.to_plain())))
    own, partner = learned.pairs.own, learned.pairs.partner
    assert len(learned.model.edges) > 0
    ratios = log_ratio(files.fields, learned.model, own, partner)
    assert ratios.std() > 1
    assert (log_ratio(files.fields, loaded, own, partner) == ratios).all()
    assert loaded.to_plain() == learned.model.to_plain()


def test_a_model_of_other_levels_is_not_loaded(round_one: tuple[Files, Learned]) -> None:
    plain = round_one[1].model.to_plain()
    with pytest.raises(ValueError, match="other levels"):
        Model.from_plain({**plain, "levels": plain["levels"][1:]})


def test_learning_changes_nothing_that_was_believed_before(round_one: tuple[Files, Learned]) -> None:
    files, learned = round_one
    before = learned.model.to_plain(), [table.copy() for table in learned.belief.log_u]
    again = learn(files, learned.belief, learned.pairs, learned.surplus + 1.0, learned.doubt, NO_PROGRESS)
    assert again.model.matches != learned.model.matches
    assert learned.model.to_plain() == before[0]
    assert all((now == then).all() for now, then in zip(learned.belief.log_u, before[1], strict=True))


def test_every_result_carries_the_model_that_made_it() -> None:
    left, right, _ = two_files(3, 200, 80)
    notes = linked(left, right).scored.notes
    model = Model.from_plain(json.loads(json.dumps(notes["model"])))
    assert model.fields == tuple(notes["levels"])
    assert model.shown()["expected_matches"] == notes["expected_matches"]
