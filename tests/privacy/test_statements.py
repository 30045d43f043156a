"""One statement per recipe: numbers with units, theorems named, the same object for every reader."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest

from pprl_desktop.codes import idf
from pprl_desktop.codes.base import REGISTRY, Recipe, Settings, method
from pprl_desktop.exchange.release_totals import record_epsilon
from pprl_desktop.privacy.claims import Statement
from pprl_desktop.privacy.shape import _probe, shape
from pprl_desktop.privacy.statements import (
    ENCRYPTION,
    WORKSTATION,
    epsilon_unit,
    statement,
)
from pprl_desktop.records.fields import Field
from pprl_desktop.reference.sets import ReferenceSet

FIELDS = (Field.of("last_name"), Field.of("first_name"), Field.of("birth", "date"))
REFERENCE = ReferenceSet.of(
    "twenty", ("first", "last", "digits"), [(f"F{n}", f"L{n}", f"19{n:02}0101") for n in range(20)]
)
MAPPING = (("last_name", ("last",)), ("first_name", ("first", "last")), ("birth", ("digits",)))


def recipe(name: str, **settings: object) -> Recipe:
    made = method(name)
    chosen = replace(made.defaults(), **settings)  # type: ignore[arg-type]
    if made.uses_reference:
        return Recipe(name, FIELDS, chosen, REFERENCE, MAPPING, b"s" * 32)
    return Recipe(name, FIELDS, chosen, secret=b"s" * 32)


CASES: list[tuple[str, dict[str, object]]] = [
    *(
        (name, how)
        for name in REGISTRY
        if method(name).smashes
        for how in ({}, {"epsilon": 1.0}, {"epsilon": 0.5, "decoys": 100})
    ),
    *((name, {"layout": "record", "decision": "threshold"}) for name in ("bloom", "simhash")),
    *((name, {"layout": "record", "decision": "threshold", "epsilon": 2.0}) for name in ("bloom", "simhash")),
]


@pytest.fixture
def made(request: pytest.FixtureRequest) -> Recipe:
    name, how = request.param
    return recipe(name, **how)


@pytest.mark.parametrize("made", CASES, ids=str, indirect=True)
class TestEveryMethod:
    def test_it_says_something_and_never_an_epsilon_without_a_unit(self, made: Recipe) -> None:
        said = statement(made, 5000)
        assert said.summary
        assert WORKSTATION in said.leaves_open
        for text in map(str, (said.summary, *said.sentences, *said.protects, *said.leaves_open)):
            for match in re.finditer(r"epsilon (\d[\d.]*)", text):
                assert text[match.end() :].startswith(" per "), text
        for number in said.numbers:
            assert str(number.unit).startswith("per ")
            assert number.basis
            assert re.fullmatch(r"\d+(\.\d+)?", number.value)

    def test_it_fits_a_manifest(self, made: Recipe) -> None:
        said = statement(made, 5000)
        plain = json.loads(json.dumps(said.as_dict()))

        def leaves(value: object) -> list[object]:
            if isinstance(value, dict):
                return [leaf for one in value.values() for leaf in leaves(one)]
            return [leaf for one in value for leaf in leaves(one)] if isinstance(value, list) else [value]

        assert all(isinstance(leaf, (str, int)) and not isinstance(leaf, bool) for leaf in leaves(plain))

    def test_encryption_is_never_said_to_protect_from_the_partner(self, made: Recipe) -> None:
        said = statement(made, 5000)
        assert made.method == "plain" or ENCRYPTION in said.protects
        assert "not protect it from the partner" in str(ENCRYPTION)


def value(said: Statement, unit: str, bound: str) -> float:
    return next(float(n.value) for n in said.numbers if str(n.unit).startswith(unit) and n.bound == bound)


def test_bits_add_up_to_the_record() -> None:
    said = statement(recipe("bloom", layout="record", decision="threshold", epsilon=1.0), 5000)
    assert value(said, "per bit", "exact") == 1
    assert value(said, "per record", "worst case") == 1024
    assert 473 < value(said, "per record", "tighter") < 1024
    assert "1024 per record" in str(said.summary)
    assert record_epsilon(said) == "1024"


def test_the_field_layout_counts_the_bits_of_every_field() -> None:
    said = statement(recipe("bloom", epsilon=1.0), 5000)
    assert value(said, "per record", "worst case") == 3 * 1024
    assert value(said, "per field, last_name", "worst case") == 1024


def test_balanced_filters_are_charged_for_their_second_half() -> None:
    said = statement(recipe("bloom", layout="record", decision="threshold", epsilon=1.0, balanced=True), 5000)
    assert value(said, "per record", "worst case") == 2048


def test_even_odds_need_the_logarithm_of_the_candidates() -> None:
    said = statement(recipe("bloom", epsilon=1.0), 5000)
    needed = next(number for number in said.numbers if number.name == "needed")
    assert needed.value == "8.52"
    assert "excludes nothing" in said.text()


def test_reference_distances_are_stated_per_edit() -> None:
    said = statement(recipe("split", epsilon=0.5), 5000)
    assert said.mechanism == "discrete Laplace"
    assert said.unit == "per edit and distance"
    assert value(said, "per edit", "worst case") == 0.5 * 40  # the first name has two attributes of twenty
    assert value(said, "per record", "worst case") == 0.5 * 80 * 255
    assert "small changes" in said.text()


def test_without_noise_epsilon_is_unlimited() -> None:
    said = statement(recipe("split"), 5000)
    assert "epsilon is unlimited" in str(said.sentences[0])
    assert said.epsilon == said.unit == record_epsilon(said) == ""
    assert any("reference set is public" in str(one) for one in said.leaves_open)


@pytest.mark.parametrize("epsilon", [None, 2.0])
@pytest.mark.parametrize("name", [one for one in REGISTRY if method(one).exportable and method(one).smashes])
def test_what_somebody_without_the_secret_can_do_is_always_said(name: str, epsilon: float | None) -> None:
    """Whoever breaks the encryption, or copies the opened bundle: with noise and without, for every method."""
    told = " ".join(map(str, statement(recipe(name, epsilon=epsilon), 1000).leaves_open))
    assert ("without the shared secret" in told) != ("The reference set is public" in told)


@pytest.mark.parametrize(
    ("name", "settings", "played"),
    [("bloom", {}, True), ("bloom", {"epsilon": 1.0}, True), ("bloom", {"layout": "record"}, False),
     ("simhash", {"layout": "record", "epsilon": 1.0}, False), ("split", {"epsilon": 0.5}, False), ("split", {}, True)],
)  # fmt: skip
def test_the_rehearsal_is_said_to_play_an_outsider_only_where_it_does(
    name: str, settings: dict[str, object], played: bool
) -> None:
    """It compares codes of fields, by bits or exact distances: neither whole records nor distances with noise."""
    of = recipe(name, **settings)
    if method(name).uses_reference:
        of = replace(of, reference=replace(REFERENCE, name="secret-20"))
    told = " ".join(map(str, statement(of, 1000).leaves_open))
    assert ("The rehearsal plays that." in told, "The rehearsal does not play that." in told) == (played, not played)


def test_queries_add_up() -> None:
    said = statement(recipe("dp-nn", epsilon=15.0), 50_000, queries=1000)
    assert said.unit == "per query"
    assert value(said, "per record", "worst case") == 15_000
    assert "most answers are noise" in statement(recipe("dp-nn", epsilon=5.0), 50_000).text()


def test_the_unit_of_a_setting_is_known_without_noise_too() -> None:
    assert epsilon_unit(recipe("split")) == "per edit and distance"
    assert epsilon_unit(recipe("bloom")) == "per bit"
    assert epsilon_unit(recipe("dp-nn")) == "per query"


def test_decoys_are_never_called_private() -> None:
    said = statement(recipe("bloom", epsilon=1.0, decoys=500), 5000)
    assert any("500 decoys" in str(one) and "no epsilon follows" in str(one) for one in said.sentences)


def test_a_recipe_of_two_rows_does_not_divide_by_zero() -> None:
    for rows in (0, 1, 2):
        assert statement(recipe("bloom", epsilon=1.0), rows).summary


def test_the_settings_default_is_a_recipe_without_noise() -> None:
    assert Settings().epsilon is None


@pytest.mark.parametrize("epsilon", [None, 1.0])
@pytest.mark.parametrize("layout", ["field", "record"])
def test_the_shape_that_is_known_without_trying_is_the_true_one(layout: str, epsilon: float | None) -> None:
    for made in (recipe("simhash", layout=layout, epsilon=epsilon, bits=512), recipe("dp-nn", layout="record")):
        assert shape(made) == _probe(replace(made, settings=replace(made.settings, epsilon=None)))


def test_describing_a_method_never_waits_for_the_name_lists(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("the weights of name pieces were asked for")

    monkeypatch.setattr(idf, "weight", refuse)
    for layout in ("field", "record"):
        for epsilon in (None, 1.0):
            assert statement(recipe("simhash", layout=layout, epsilon=epsilon), 100).summary


def test_the_theorem_is_that_of_the_noise_that_was_chosen() -> None:
    assert "Permute-and-flip" in statement(recipe("dp-nn", epsilon=15.0), 100).theorems[0].template
    assert "noisy max" in statement(recipe("dp-nn", epsilon=15.0, nearest="laplace"), 100).theorems[0].template
