"""Numbers in the open: each says its unit, origin and date, is read by its decision, and is saved with the result."""

from __future__ import annotations

import datetime
import json
import re
from dataclasses import fields, replace
from pathlib import Path

import pytest

import pprl_desktop.decisions
from pprl_desktop.decisions.adaptive.tuning import Tuning as AdaptiveTuning
from pprl_desktop.decisions.learn import learn
from pprl_desktop.decisions.nearest_tuning import Tuning as NearestTuning
from pprl_desktop.decisions.plain_tuning import Tuning as PlainTuning
from pprl_desktop.decisions.standing import Tuning as StandingTuning
from pprl_desktop.decisions.svm.tuning import Tuning as SvmTuning
from pprl_desktop.decisions.threshold.tuning import Tuning as ThresholdTuning
from pprl_desktop.decisions.tuning import Tuning
from pprl_desktop.matching.tuning import Tuning as BandsTuning

ROOM = Path(pprl_desktop.decisions.__file__).parent
MATCHING = ROOM.parent / "matching"
TUNINGS: tuple[type[Tuning], ...] = (
    AdaptiveTuning,
    ThresholdTuning,
    SvmTuning,
    NearestTuning,
    PlainTuning,
    BandsTuning,
    StandingTuning,
)
EVERY = [(kind, one.name) for kind in TUNINGS for one in fields(kind)]


def named(value: object) -> str:
    return value.DECISION if isinstance(value, type) and issubclass(value, Tuning) else str(value)


@pytest.mark.parametrize(("kind", "name"), EVERY, ids=named)
def test_every_number_says_its_unit_its_origin_and_when_it_was_measured(kind: type[Tuning], name: str) -> None:
    told = next(one for one in fields(kind) if one.name == name).metadata
    assert len(told["unit"]) > 3
    assert len(told["origin"]) > 3
    assert datetime.date.fromisoformat(told["measured"]) >= datetime.date(2026, 1, 1)


@pytest.mark.parametrize(("kind", "name"), EVERY, ids=named)
def test_every_number_is_read_from_the_tuning(kind: type[Tuning], name: str) -> None:
    sources = "\n".join(
        path.read_text() for path in (*ROOM.rglob("*.py"), *MATCHING.glob("*.py")) if "tuning" not in path.name
    )
    assert re.search(rf"tuning\.{name}\b", sources, re.IGNORECASE)


@pytest.mark.parametrize("kind", TUNINGS, ids=named)
def test_a_tuning_comes_back_from_plain_text(kind: type[Tuning]) -> None:
    first = fields(kind)[0].name
    assert kind.from_plain(json.loads(json.dumps(kind().to_plain()))) == kind()
    assert kind().changed() == {}
    other = kind.from_plain({**kind().to_plain(), first: 0})
    assert other.changed() == {first: 0}
    with pytest.raises(ValueError, match="of another version: gone"):
        kind.from_plain({**kind().to_plain(), "gone": 1})


def test_a_changed_number_changes_the_result_and_is_saved_with_it() -> None:
    from pprl_desktop.decisions.base import MatchOptions
    from pprl_desktop.decisions.rules import AdaptiveRule
    from pprl_desktop.matching.match import match
    from pprl_desktop.progress import NO_PROGRESS
    from tests.matching.people import smashed, two_files

    left, right, _ = two_files(3, 200, 80)
    own, partner, recipe = smashed(left, right)
    rule = learn(left, own, recipe, 0, NO_PROGRESS)
    assert isinstance(rule, AdaptiveRule)
    usual = match(own, partner, rule, MatchOptions())
    other = match(own, partner, replace(rule, tuning=replace(rule.tuning, strength=500.0)), MatchOptions())
    assert usual.scored.notes["expected_matches"] != other.scored.notes["expected_matches"]
    assert usual.scored.notes["model"]["tuning"]["strength"] == 25.0
    assert other.scored.notes["model"]["tuning"]["strength"] == 500.0


@pytest.mark.parametrize("name", ["split-svm", "simhash", "dp-nn", "plain", "bloom"])
def test_every_result_says_the_numbers_it_was_made_with(name: str) -> None:
    from pprl_desktop.codes.base import Settings
    from pprl_desktop.codes.recipe import build, settings
    from pprl_desktop.decisions.base import MatchOptions
    from pprl_desktop.evaluation.play import play
    from tests.matching.people import two_files

    left, right, _ = two_files(3, 60, 30)
    wanted: Settings = settings(name, layout="record") if name == "simhash" else settings(name)
    played = play(left, right, build(name, left.fields, wanted, "us-200"), MatchOptions(), seed=0)
    usual = {kind.DECISION: kind() for kind in TUNINGS}
    decision = "plain" if name == "plain" else wanted.decision
    made = played.a.match
    assert made.scored.tuning == json.loads(json.dumps(usual[decision].to_plain()))
    assert made.tuning == {
        **made.scored.tuning, "bands": BandsTuning().to_plain(), "standing": StandingTuning().to_plain()
    }  # fmt: skip
