"""What is written in several ways is compared in one: telephone numbers and house numbers."""

from __future__ import annotations

import numpy as np
import pytest

from pprl_desktop.records.cleaning import clean_values
from pprl_desktop.records.fields import Field
from pprl_desktop.records.kinds import guess_kind
from pprl_desktop.records.table import Column


def cleaned(name: str, kind: str, *values: str) -> list[str]:
    return clean_values(np.array(values, dtype=object), Field.of(name, kind))


def test_one_telephone_number_however_it_is_written() -> None:
    written = ("+49 171 555 01 23", "0171/5550123", "0049 (171) 5550123", "(0171) 555-0123")
    assert set(cleaned("Mobile", "id", *written)) == {"15550123"}
    assert cleaned("Telefon", "id", "000000000", "12", "", "no phone") == ["", "", "", ""]


@pytest.mark.parametrize("heading", ["phone", "Telefonnummer", "teléfono", "Mobile phone"])
def test_a_column_of_telephone_numbers_is_one_of_codes(heading: str) -> None:
    assert guess_kind(Column.of(heading, [f"+49 ({171 + n}) 555-{n:04}" for n in range(50)])) == "id"


def test_a_house_number_stands_behind_the_street() -> None:
    written = ("12 Main St.", "Main St, 12", "12A High Street", "17", "Rue de la Gare 4 bis", "5th Avenue")
    assert cleaned("address", "text", *written) == [
        "MAIN ST 12", "MAIN ST 12", "HIGH ST 12A", "17", "RUE DE LA GARE 4 BIS", "5TH AV",
    ]  # fmt: skip
    once = cleaned("address", "text", *written)
    assert cleaned("address", "text", *once) == once


@pytest.mark.parametrize(
    "written",
    [
        ("12 Main Street", "Main St. 12", "main ST 12"),
        ("Hauptstraße 7", "Hauptstr. 7", "HAUPTSTRASSE 7"),
        ("Lange Straße 7", "Lange Str. 7"),
        ("Avenida de Mayo 3", "Av. de Mayo 3", "Avda. de Mayo 3"),
        ("14 North Park Road", "14 N. Park Rd"),
    ],
)
def test_words_of_an_address_are_shortened_alike(written: tuple[str, ...]) -> None:
    made = set(cleaned("street", "text", *written))
    assert len(made) == 1
    assert cleaned("street", "text", *made) == list(made)


def test_words_of_a_town_stay_as_they_are() -> None:
    assert cleaned("city", "text", "North Street", "Saint Paul") == ["NORTH STREET", "SAINT PAUL"]


def test_an_id_that_is_no_telephone_keeps_its_digits() -> None:
    assert cleaned("ssn", "id", "0171 5550123 4") == ["017155501234"]
