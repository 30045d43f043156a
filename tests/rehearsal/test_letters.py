"""Values in no list are found letter by letter: the partner can smash any string it likes."""

from __future__ import annotations

import numpy as np
import pytest

from pprl_desktop.privacy.keystream import Keystream
from pprl_desktop.privacy.mechanisms import add_laplace, flip_bits
from pprl_desktop.records.fields import Field
from pprl_desktop.records.table import CleanTable, Column
from pprl_desktop.rehearsal.dictionaries import Guesses, guesses_for
from pprl_desktop.rehearsal.letters import Spelling, distance, expected_misfit, letters_of, search, smasher
from pprl_desktop.rehearsal.rehearse import rehearse
from pprl_desktop.rehearsal.target import Target
from tests.privacy.people import NAMES, people, recipe, short

# made up; none is in the lists
UNLISTED = (
    "ANDERSSOHN",
    "MALINALD",
    "WIRBELAU",
    "SMITH-JOHNSEN",
    "THOMPSYN",
    "HUBSCHMARTIN",
    "JOHNSTAMOUL",
    "TAMILSON",
)


def named(last: tuple[str, ...]) -> CleanTable:
    return CleanTable(NAMES, (Column.of("last_name", last), Column.of("first_name", ["MARY"] * len(last))))


@pytest.mark.parametrize("name", ["split", "split-svm", "simhash", "bloom"])
def test_names_in_no_list_are_read_without_noise(name: str) -> None:
    found = rehearse(named(UNLISTED), recipe(name), dictionary=short(people(10)), changes=False)
    assert found.fields[0].listed.hits == 0
    assert found.fields[0].recovered.hits >= 5


def test_hardened_filters_hide_no_spelling_from_who_holds_the_secret() -> None:
    made = recipe("bloom", balanced=True, fold=1)
    found = rehearse(named(UNLISTED), made, dictionary=short(people(10)), changes=False)
    assert found.fields[0].recovered.hits >= len(UNLISTED) - 2


@pytest.mark.parametrize(("name", "epsilon"), [("bloom", 2.0), ("simhash", 2.0), ("split", 3.0)])
def test_a_row_that_no_listed_name_explains_is_searched_under_noise_too(name: str, epsilon: float) -> None:
    found = rehearse(named(UNLISTED), recipe(name, epsilon=epsilon), dictionary=short(people(10)), changes=False)
    assert found.fields[0].recovered.hits >= len(UNLISTED) // 2


def test_a_listed_name_is_not_taken_for_another_by_the_search() -> None:
    table = people(200)
    found = rehearse(table, recipe("bloom", epsilon=2.0), dictionary=short(table), changes=False)
    assert {one.recovered.share for one in found.fields} == {1.0}


def test_of_strings_with_the_same_code_the_shortest_is_taken() -> None:
    """MALINALINA has the letter pairs of MALINA, and so the same filter."""
    made = recipe("bloom", (Field.of("last_name"),))
    guesses = list_of("MALINALINA", "SMITH")
    smash = smasher(Target(CleanTable((), ()), made, (), (guesses,)), guesses, ["last_name.bits"])
    found = search(smash(["MALINA"]), True, [["MALINALINA"]], smash, letters_of(guesses))
    assert found.texts.tolist() == ["MALINA"]


def list_of(*values: str) -> Guesses:
    fields = (Field.of("last_name"),)
    table = CleanTable(fields, (Column.of("last_name", values),))
    return guesses_for(table, fields, {"last_name": short(table, 0)["last_name"]}, {})[0]


@pytest.mark.parametrize("bits", [True, False])
def test_the_expected_misfit_is_that_of_the_noise(bits: bool) -> None:
    rng = np.random.default_rng(1)
    codes = np.tile(rng.integers(0, 256 if bits else 12, (1, 200), np.uint8), (2000, 1))
    noisy = codes.copy()
    (flip_bits if bits else add_laplace)(noisy, 0.7, Keystream.repeatable(1, "misfit"))
    apart = distance(noisy, codes, bits)
    mean, spread = expected_misfit(codes[:1], bits, 0.7)
    assert apart.mean() == pytest.approx(mean[0], rel=0.01)
    assert apart.std() == pytest.approx(spread[0], rel=0.08)


def test_a_name_is_likelier_than_a_row_of_letters() -> None:
    spelling = Spelling(guesses_for(people(5), NAMES, {}, {})[0])
    assert spelling.log_prior("ANDERSSOHN") > spelling.log_prior("XQZWVKJHGF") + 10
