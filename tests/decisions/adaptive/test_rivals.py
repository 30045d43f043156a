"""Strangers between the files are counted on those whose counterpart is known; within a file as between two."""

from __future__ import annotations

import numpy as np
import pytest

from pprl_desktop.codes.base import Smashed
from pprl_desktop.decisions.adaptive.check import log_ratio
from pprl_desktop.decisions.adaptive.learning import Files, Pairs, first_belief
from pprl_desktop.decisions.adaptive.rivals import rivals
from pprl_desktop.decisions.adaptive.run import lay_side_by_side
from pprl_desktop.decisions.base import MatchOptions
from pprl_desktop.decisions.learn import learn
from pprl_desktop.decisions.rules import AdaptiveRule
from pprl_desktop.progress import NO_PROGRESS
from tests.matching.people import FIELDS, population, smashed, table

SIZE = 200


def laid_out() -> tuple[Files, Smashed]:
    """Nobody is shared; the last two of the first file and the last of the second are namesakes of one town."""
    random = np.random.default_rng(4)
    everyone = population(random, 2 * SIZE)
    father, son, grandson = (
        ["GORHELJUN", "VERWIN", born, "TAWINKO", "99999"] for born in ("19300101", "19600202", "19900303")
    )
    left = table(FIELDS, [*everyone[:SIZE], father, son])
    right = table(FIELDS, [*everyone[SIZE:], grandson])
    own, partner, recipe = smashed(left, right)
    rule = learn(left, own, recipe, 0, NO_PROGRESS)
    assert isinstance(rule, AdaptiveRule)
    return lay_side_by_side(own, partner, rule, MatchOptions(), random, NO_PROGRESS), own


def test_namesakes_within_a_file_look_as_they_do_between_two() -> None:
    """Each would make the name of the other a common one, and families would never look like counterparts."""
    files, _ = laid_out()
    model = first_belief(files, NO_PROGRESS).model
    file = files.within.files[0].counted(files.fields, 0)
    place = {int(row): at for at, row in enumerate(file.rows)}
    one, other = (np.array([place[SIZE + at]], np.int32) for at in (0, 1))
    within = log_ratio(file.fields, model, one, other, file)
    between = log_ratio(files.fields, model, np.array([SIZE], np.int32), np.array([SIZE], np.int32))
    assert within == pytest.approx(between, abs=0.5)


def test_whoever_else_resembles_a_record_with_a_certain_counterpart_is_a_stranger() -> None:
    files, _ = laid_out()
    own, partner = np.array([0, 0, 1, 2], np.int32), np.array([0, 1, 1, 3], np.int32)
    levels = np.zeros((4, len(FIELDS)), np.uint8)
    pairs = Pairs(own, partner, levels, -9.0, 4, None, ())
    met = rivals(files, pairs, np.array([9.0, 2.0, 8.0, 1.0]), ())
    assert met.weight.tolist() == [0.0, 2.0, 0.0, 0.0]  # (0, 1): the counterparts of both are others
    assert met.explained.tolist() == [0.0, 1.0, 0.0, 0.0]
    assert met.share == pytest.approx(2 / (SIZE + 2) + 2 / (SIZE + 1))
    assert 0.97 < met.left < 1.0
