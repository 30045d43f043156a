"""Keys are chosen on the own table alone: they hold under damage, stay below the bound, and say what they are."""

from __future__ import annotations

import numpy as np
import pytest

from pprl_desktop.codes.corrupt import corrupt
from pprl_desktop.codes.keys import coverage, recipe
from pprl_desktop.codes.keys.atoms import BOTH, FORMS, SLIP, Atom, deletions, sounds
from pprl_desktop.codes.keys.choose import TUNING, choose, room_for_partner
from pprl_desktop.codes.keys.recipe import Columns, Key, KeyRecipe, values_of
from pprl_desktop.codes.keys.worlds import HeldKeys, worlds_of
from pprl_desktop.problem import Problem
from pprl_desktop.records.fields import Field
from pprl_desktop.records.table import CleanTable, Column
from tests.codes.keys.people import FIELDS, people, plain_join


def test_chosen_keys_find_damaged_people_and_stay_below_the_bound() -> None:
    table = people(2000)
    choice = choose(table, 2000, bound=0.05)
    damaged = corrupt(table, 99)
    pairs = plain_join(table, damaged, choice.recipe)
    assert np.mean([(row, row) in pairs for row in range(table.rows)]) > 0.9
    columns = Columns(table)
    guesser = coverage.Guesser(columns, "public")
    reached = [
        coverage.hits(guesser, key, 2000 * len(values_of(columns, key).rows) / table.rows) for key in choice.recipe.keys
    ]
    assert coverage.union(reached) <= 0.06
    assert choice.values <= TUNING.values
    recipe.check(choice.recipe, FIELDS)


def test_no_key_is_taken_that_the_others_make_needless() -> None:
    table = people(800)
    keys = choose(table, 800).recipe.keys
    assert len(keys) > 1
    worlds = worlds_of(table)
    whole = HeldKeys(worlds, KeyRecipe(keys)).recall(len(keys)) @ worlds.weights()
    for out in keys:
        rest = tuple(key for key in keys if key != out)
        assert HeldKeys(worlds, KeyRecipe(rest)).recall(len(rest)) @ worlds.weights() < whole


def test_a_proposal_leaves_more_room_the_fewer_records_there_are() -> None:
    assert room_for_partner(0.1, 10**9, 10**9) == pytest.approx(0.1, abs=1e-4)
    assert room_for_partner(0.1, 5000, 5000) == pytest.approx(0.1 - 1.65 * (0.09 * 2 / 5000) ** 0.5)
    assert room_for_partner(0.1, 5000, 200) < room_for_partner(0.1, 5000, 5000)
    assert room_for_partner(0.1, 200, 5000) == 0.1
    assert room_for_partner(0.1, 30, 30) == 0.05


def reached(table: CleanTable, keys: KeyRecipe, made_by: CleanTable) -> float:
    """Union coverage of a table whose partner may ask as many keys as another table makes."""
    guesser = coverage.Guesser(Columns(table), "public")
    asked = [len(values_of(Columns(made_by), key).rows) for key in keys.keys]
    return coverage.union([coverage.hits(guesser, key, count) for key, count in zip(keys.keys, asked, strict=True)])


def test_a_smaller_table_of_the_partner_stays_below_the_bound_too() -> None:
    """Few records are easier to guess than many, and the larger side may ask more."""
    own, partner = people(2000, 1), people(150, 2)
    choice = choose(own, partner.rows, bound=0.05)
    assert reached(partner, choice.recipe, own) <= 0.07
    assert reached(own, choice.recipe, partner) < 0.01


def test_keys_reach_about_as_few_of_people_they_were_not_chosen_on() -> None:
    """Chosen on few records, keys would pass by these very records and hit others."""
    elsewhere = []
    for seed in range(4):
        own, partner = people(200, 2 * seed), people(200, 2 * seed + 1)
        elsewhere.append(reached(partner, choose(own, 200, bound=0.05, seed=seed).recipe, own))
    assert np.mean(elsewhere) <= 0.08


def test_slips_of_the_worlds_seldom_meet_a_first_letter() -> None:
    made = worlds_of(people(3000))
    world = next(one for one in made.worlds if one.name == "a slip in every word")
    before, after = (one.column("last_name").cells() for one in (made.people, world.damaged))
    changed = [(old, new) for old, new in zip(before, after, strict=True) if new and old != new]
    first = np.mean([old[0] != new[0] for old, new in changed])
    assert len(changed) > 0.8 * made.people.rows
    assert 0.01 < first < 0.09


def test_any_cell_may_go_wrong_on_its_own() -> None:
    made = worlds_of(people(3000))
    world = next(one for one in made.worlds if one.name == "any cell wrong")
    same = []
    for one in ("last_name", "first_name", "birth", "city"):
        before, after = (table.column(one).cells() for table in (made.people, world.damaged))
        same.append([old == new for old, new in zip(before, after, strict=True)])
    shares = np.mean(same, axis=1)
    assert (shares > 0.5).all()
    assert (shares < 0.75).all()
    both = np.mean(np.logical_and(same[0], same[1]))
    assert both == pytest.approx(shares[0] * shares[1], abs=0.05)


def test_a_choice_is_the_same_again() -> None:
    table = people(400)
    assert choose(table, 400, seed=3).recipe == choose(table, 400, seed=3).recipe


def test_keys_are_words_a_steward_can_read() -> None:
    key = Key((Atom(("last_name",), SLIP), Atom(("first_name",), "initial"), Atom(("birth",), "year")))
    assert key.words() == "last name with one slip + initial of first name + year of birth"


@pytest.mark.parametrize(
    "atoms",
    [
        (Atom(("last_name",), "whole"), Atom(("first_name",), "whole")),
        (Atom(("last_name",), "whole"), Atom(("birth",), "year"), Atom(("sex",), "whole")),
    ],
)
def test_a_key_of_fewer_than_three_fields_is_refused(atoms: tuple[Atom, ...]) -> None:
    with pytest.raises(Problem, match="fewer than three fields"):
        recipe.check(KeyRecipe((Key(atoms),)), FIELDS)


def test_a_full_date_counts_as_two() -> None:
    recipe.check(KeyRecipe((Key((Atom(("last_name",), "whole"), Atom(("birth",), "whole"))),)), FIELDS)


@pytest.mark.parametrize(
    "atoms",
    [
        (Atom(("last_name",), "year"), Atom(("birth",), "whole")),
        (Atom(("nobody",), "whole"), Atom(("birth",), "whole")),
        (Atom(("last_name",), "whole"), Atom(("last_name",), SLIP), Atom(("birth",), "whole")),
        (Atom(("last_name", "city"), BOTH), Atom(("birth",), "whole")),
    ],
)
def test_keys_that_cannot_be_made_are_refused(atoms: tuple[Atom, ...]) -> None:
    with pytest.raises(Problem):
        recipe.check(KeyRecipe((Key(atoms),)), FIELDS)


def test_names_alone_are_refused_with_a_reason() -> None:
    table = people(300)
    kept = tuple(one for one in FIELDS if one.kind in ("name", "category"))
    with pytest.raises(Problem, match="more than names"):
        choose(CleanTable(kept, tuple(table.column(one.name) for one in kept)), 300)


def test_guessable_fields_are_refused_with_a_reason() -> None:
    """Few values in every field: any key is guessed by as many questions as there are records."""
    random = np.random.default_rng(0)
    fields = (Field.of("last"), Field.of("first"), Field.of("age", "number"))
    cells = [random.choice(["ANNE", "BERT", "CARL"], 5000).tolist() for _ in range(2)]
    columns = [Column.of("last", cells[0]), Column.of("first", cells[1])]
    columns.append(Column.of("age", random.choice(["30", "40"], 5000).tolist()))
    with pytest.raises(Problem, match="coverage"):
        choose(CleanTable(fields, tuple(columns)), 5000)


def test_one_slip_apart_shares_a_text() -> None:
    for other in ("MEIER", "MEYR", "MEYERS", "EMYER", "MEYEN"):
        assert set(deletions("MEYER")) & set(deletions(other)), other
    assert not set(deletions("MEYER")) & set(deletions("SCHULZ"))


def test_names_that_sound_alike_share_a_text_in_latin_letters_only() -> None:
    assert sounds("MEIER") == sounds("MAYER") == sounds("MEYR")
    assert sounds("PHILIP") == sounds("FILLIP")
    assert sounds("田中") == ()
    assert sounds("Müller") == sounds("MULLER")


def test_any_script_makes_keys() -> None:
    table = CleanTable(FIELDS[:3], (
        Column.of("last_name", ["田中", "ΠΑΠΠΑΣ", "إبراهيم"]),
        Column.of("first_name", ["一郎", "ΝΙΚΟΣ", "علي"]),
        Column.of("birth", ["19700102", "19800304", "19900506"]),
    ))  # fmt: skip
    key = Key((Atom(("last_name",), "first 3"), Atom(("first_name",), SLIP), Atom(("birth",), "year")))
    assert set(values_of(Columns(table), key).rows.tolist()) == {0, 1, 2}


def test_what_a_form_makes_never_changes_under_one_version() -> None:
    """Both sides must make the same keys: a change here needs a new VERSION."""
    import hashlib

    made = []
    examples = {
        "name": "MAYER SMITH",
        "date": "19700312",
        "number": "41",
        "id": "AB1234",
        "text": "UPPER MAIN ST",
        "category": "F",
    }
    for kind, forms in FORMS.items():
        made += [f"{kind} {form} {make(examples[kind])}" for form, make in forms.items()]
    digest = hashlib.sha256("\n".join(made).encode()).hexdigest()
    assert (recipe.VERSION, digest[:16]) == (1, "c47a80db514d3c0c")
