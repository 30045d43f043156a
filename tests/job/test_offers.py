"""Between own choices and an agreement: columns are guessed, differences are named."""

from __future__ import annotations

from pprl_desktop import resources
from pprl_desktop.job.demo import COLUMNS_B
from pprl_desktop.job.offers import guess_columns, offer_of
from pprl_desktop.job.own_table import OwnTable, suggested
from pprl_desktop.project.choices import Choices
from pprl_desktop.records.fields import Field
from pprl_desktop.records.profile import profile as profiled
from pprl_desktop.records.table import Table


def test_the_partners_fields_find_the_own_columns_of_the_sample() -> None:
    fields = suggested(OwnTable().load(resources.find("samples", "hospital_a.csv")).profile)["fields"]
    profile = OwnTable().load(resources.find("samples", "hospital_b.csv")).profile
    found = guess_columns(fields, profile, {})
    assert found == {one.name: COLUMNS_B[one.name] for one in fields}


def test_a_mapping_made_before_wins_and_no_column_serves_twice() -> None:
    seen = OwnTable().load(resources.find("samples", "hospital_a.csv"))
    choices = Choices().changed(**seen.changes())
    found = guess_columns(choices.fields, seen.profile, {"last_name": "first_name"})
    assert found["last_name"] == "first_name"
    assert len(set(found.values())) == len(found)


def test_agreed_first_and_last_names_are_found_in_a_full_name() -> None:
    people = [(f"Ann{n} Berg{n}", f"{1950 + n}-01-02") for n in range(40)]
    profile = profiled(Table.of(("Name", "geboren"), people))
    fields = [Field.of("first_name", "name"), Field.of("last_name", "name"), Field.of("date_of_birth", "date")]
    assert guess_columns(fields, profile, {}) == {
        "first_name": "Name (first)", "last_name": "Name (last)", "date_of_birth": "geboren",
    }  # fmt: skip


def test_an_offer_says_what_was_chosen() -> None:
    choices = Choices(method="bloom", rule="either")
    offer = offer_of(choices, "cohort study")
    assert (offer.method, offer.rule, offer.purpose) == ("bloom", "either", "cohort study")
