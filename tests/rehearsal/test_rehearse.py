"""The rehearsal finds what a partner would find, and says it with an interval."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from pprl_desktop.problem import Problem
from pprl_desktop.progress import Cancelled, Progress
from pprl_desktop.records.fields import Field
from pprl_desktop.records.table import CleanTable, Column
from pprl_desktop.reference.load import reference_set
from pprl_desktop.rehearsal.rehearse import Rehearsal, recovered_share, rehearse
from tests.privacy.people import FIVE, NAMES, people, recipe, short


def played(name: str, rows: int = 150, fields: tuple[Field, ...] = NAMES, **settings: object) -> Rehearsal:
    table = people(rows, fields)
    made = recipe(name, fields, **settings)
    return rehearse(table, made, dictionary=short(table), sample=rows, changes=False)


# ---- (a) the partner


@pytest.mark.parametrize("name", ["split", "split-svm", "simhash", "bloom"])
def test_without_noise_every_listed_name_is_found(name: str) -> None:
    found = played(name)
    assert found.partner.both is not None
    assert found.partner.both.share == 1.0
    assert all(one.recovered_listed.share == 1.0 for one in found.fields)
    assert found.guessing.named.share < 0.05


@pytest.mark.parametrize("name", ["simhash", "bloom"])
def test_a_record_in_one_row_of_bits_is_read_as_a_whole(name: str) -> None:
    assert played(name, layout="record").partner.named.share > 0.97


@pytest.mark.parametrize("name", ["simhash", "bloom"])
def test_one_row_per_field_hides_nothing_at_an_epsilon_that_blurs_one_row_per_record(name: str) -> None:
    by_field = played(name, epsilon=0.5).partner.named.share
    five = played(name, 100, FIVE, epsilon=0.5, layout="record").partner.named.share
    assert by_field > 0.95
    assert five < 0.6 * by_field


def test_strong_noise_leaves_only_guessing() -> None:
    assert played("bloom", layout="record", epsilon=0.02).partner.named.share < 0.05
    assert played("split", epsilon=0.01).partner.named.share < 0.05


def test_noise_on_distances_is_decoded_by_likelihood() -> None:
    assert played("split", epsilon=2.0).partner.named.share > 0.95


def test_values_that_are_neither_listed_nor_found_are_not_counted() -> None:
    table = CleanTable(NAMES, (Column.of("last_name", ["QXZQXZ", "SMITH"]), Column.of("first_name", ["ZZQQX", "MARY"])))
    found = rehearse(table, recipe("bloom"), dictionary=short(people(10)), changes=False)
    assert found.partner.both is not None
    assert (found.partner.both.hits, found.partner.both.of) == (1, 2)
    last = found.fields[0]
    assert (last.listed.hits, last.recovered_listed.share) == (1, 1.0)


def test_a_misspelt_name_is_counted_as_close() -> None:
    table = CleanTable(NAMES, (Column.of("last_name", ["ANDERSSON"] * 9), Column.of("first_name", ["MARY"] * 9)))
    found = rehearse(table, recipe("bloom", epsilon=0.4), dictionary=short(people(10)), changes=False)
    assert found.fields[0].recovered.hits < found.fields[0].close.hits


def test_double_names_are_read_word_by_word_where_words_have_tokens() -> None:
    table = CleanTable(NAMES, (Column.of("last_name", ["SMITH JONES"]), Column.of("first_name", ["MARY"])))
    assert rehearse(table, recipe("split"), dictionary=short(people(10)), changes=False).partner.named.hits == 1


def test_a_missing_name_is_not_counted() -> None:
    last = Column("last_name", np.array(["SMITH"], dtype=object), np.array([0, -1], dtype=np.int32))
    table = CleanTable(NAMES, (last, Column.of("first_name", ["MARY", "JOHN"])))
    for made in (recipe("bloom"), recipe("bloom", layout="record", epsilon=5.0), recipe("split", epsilon=2.0)):
        found = rehearse(table, made, dictionary=short(people(10)), changes=False)
        assert found.partner.named.of == 1


def test_a_salt_is_tried_out_by_the_partner() -> None:
    fields = (*NAMES, Field.of("county", "category"))
    table = people(30, fields)
    salted = recipe("bloom", fields, salt_field="county")
    found = rehearse(table, salted, dictionary=short(table, 50), changes=False)
    assert found.partner.named.share == 1.0
    assert "salt" in str(found.notes[0])


def test_a_salted_figure_does_not_depend_on_how_many_records_are_sampled() -> None:
    """Every list is tried whole under every salt that is attacked; fewer salts are, when there are many."""
    fields = (*NAMES, Field.of("county", "category"))
    table = people(400, fields)
    salted = recipe("bloom", fields, salt_field="county", layout="record")
    for sample in (12, 120):
        found = rehearse(table, salted, dictionary=short(table, 2000), sample=sample, changes=False)
        assert found.partner.named.share > 0.97
        assert len({table.column("county").cell(one.row) for one in found.examples}) > 1


# ---- (b) the outsider


def test_a_public_reference_set_needs_no_secret() -> None:
    table = people(150)
    found = rehearse(table, recipe("split-svm"), dictionary=short(table), changes=False)
    assert found.outsider.named.share > 0.95


@pytest.mark.parametrize("name", ["bloom", "simhash"])
def test_similar_bits_are_read_without_the_secret(name: str) -> None:
    """Codes are compared with codes, names with names: no list is smashed with the secret for that."""
    table = people(2500)
    found = rehearse(table, recipe(name), sample=400, changes=False)
    assert found.outsider.first is not None
    assert found.outsider.first.share > 0.35
    assert found.outsider.first.share > 5 * found.guessing.first.share  # type: ignore[union-attr]


def test_a_secret_reference_set_hides_names_in_part_only() -> None:
    table = people(2500)
    public = recipe("split")
    secret = replace(public, reference=reference_set("secret-200", public.secret))
    found = rehearse(table, secret, sample=400, changes=False)
    assert found.outsider.first is not None
    assert found.outsider.first.share > 0.1


def test_equal_values_give_their_frequency_away_without_the_secret() -> None:
    last = Column.of("last_name", ["SMITH"] * 60 + ["JOHNSON"] * 30 + ["WILLIAMS"] * 10)
    table = CleanTable(NAMES, (last, Column.of("first_name", ["MARY"] * 100)))
    lists = short(people(10))
    found = rehearse(table, recipe("bloom"), dictionary=lists, changes=False)
    assert found.fields[0].outsider.hits == 100  # the three most frequent names, in that order
    noisy = rehearse(table, recipe("bloom", epsilon=1.0), dictionary=lists, changes=False)
    assert noisy.fields[0].outsider.hits >= 60  # at least the most frequent can be guessed


# ---- (c) two releases


def test_two_releases_are_linked_and_average_the_noise_out() -> None:
    table = people(150)
    made = recipe("bloom", layout="record", epsilon=0.5)
    found = rehearse(table, made, dictionary=short(table), sample=150)
    assert found.twice is not None
    assert found.twice.named.share > found.partner.named.share
    assert found.linked.share > 10 / 150


def test_without_noise_a_row_is_found_again_by_equality() -> None:
    found = played("bloom")
    assert found.twice is None
    assert found.linked.share > 0.95


# ---- what would change


def test_stronger_settings_are_tried_and_measured() -> None:
    table = people(120, FIVE)
    made = recipe("simhash", NAMES, layout="record", epsilon=1.0)
    found = rehearse(table, made, dictionary=short(table), sample=120)
    changes = {change.name: change for change in found.changes}
    assert set(changes) == {"epsilon", "more fields", "decoys"}
    assert changes["epsilon"].named.share < found.partner.named.share
    assert changes["more fields"].named.share < found.partner.named.share
    assert "real people" in str(changes["decoys"].sentence)


def test_fewer_reference_records_and_the_record_layout_are_tried() -> None:
    table = people(60)
    split = rehearse(table, recipe("split"), dictionary=short(table, 100))
    assert any("100 reference records instead of 200" in str(one.sentence) for one in split.changes)
    bloom = rehearse(table, recipe("bloom", epsilon=0.25), dictionary=short(table, 100))
    layout = next(one for one in bloom.changes if one.name == "record layout")
    assert layout.named.share <= bloom.partner.named.share


# ---- saying it


def test_figures_are_plain_and_hold_no_name() -> None:
    table = people(60)
    found = rehearse(table, recipe("bloom"), dictionary=short(table, 100))
    text = json.dumps(found.as_dict()) + repr(found)
    assert "could name at least" in text
    assert found.examples
    assert not [name for name in table.column("last_name").values if f'"{name}"' in text or f" {name} " in text]
    assert found.examples[0].truth == found.examples[0].guess


def test_the_same_seed_gives_the_same_figures() -> None:
    table = people(80)
    made = recipe("simhash", layout="record", epsilon=0.5)
    one, two = (recovered_share(table, made, dictionary=short(table), seed=3) for _ in "ab")
    assert one == two


def test_a_sample_is_smaller_than_the_table_and_says_so() -> None:
    found = rehearse(people(200), recipe("bloom"), dictionary=short(people(200)), sample=50, changes=False)
    assert (found.rows, found.sampled, found.partner.named.of) == (200, 50, 50)
    assert found.partner.named.low < 1.0


def test_without_a_name_field_there_is_nothing_to_name() -> None:
    table = people(5, (Field.of("town", "text"),))
    with pytest.raises(Problem, match="no name"):
        rehearse(table, recipe("bloom", table.fields))
    with pytest.raises(Problem, match="no records"):
        rehearse(table.take(np.zeros(0, np.int64)), recipe("bloom", table.fields))


def test_a_name_field_of_another_name_can_be_pointed_out() -> None:
    table = people(30, (Field.of("xyz"),))
    found = rehearse(table, recipe("bloom", table.fields), roles={"xyz": "first"}, changes=False)
    assert found.partner.first is not None
    assert found.partner.first.share == 1.0
    assert str(found.headline).endswith("by first name.")


def test_nearest_neighbour_noise_is_not_in_the_bundle() -> None:
    table = people(40)
    found = rehearse(table, recipe("dp-nn", epsilon=10.0), dictionary=short(table, 100), changes=False)
    assert found.epsilon is None


def test_it_can_be_cancelled_on_the_way() -> None:
    calls = iter(range(1000))
    table = people(60)
    with pytest.raises(Cancelled):
        rehearse(
            table, recipe("bloom"), dictionary=short(table, 100), progress=Progress(cancelled=lambda: next(calls) > 10)
        )


# ---- the claims of the product, on real data and the whole list


@pytest.mark.slow
def test_split_with_200_reference_records_gives_every_listed_value_away(shared_data: Path) -> None:
    from pprl_desktop.records.cleaning import clean
    from pprl_desktop.records.reading import read_table

    fields = (*NAMES, Field.of("middle_name"))
    table = clean(read_table(shared_data / "pairs" / "ncvr_mp_5k_e1" / "a.csv").table, fields, {})
    for name in ("split", "split-svm"):
        found = rehearse(table, recipe(name, fields), changes=False)
        assert found.sampled == 5000
        assert all(one.recovered_listed.share >= 0.99 for one in found.fields)


@pytest.mark.slow
def test_simhash_with_strong_noise_and_five_fields_gives_a_small_share_away(shared_data: Path) -> None:
    from pprl_desktop.records.cleaning import clean
    from pprl_desktop.records.reading import read_table

    fields = (*NAMES, Field.of("middle_name"), Field.of("city", "text"), Field.of("age", "number"))
    table = clean(read_table(shared_data / "pairs" / "ncvr_mp_5k_e1" / "a.csv").table, fields, {})
    share = recovered_share(table, recipe("simhash", fields, layout="record", epsilon=0.5), sample=500)
    assert share.high < 0.15
