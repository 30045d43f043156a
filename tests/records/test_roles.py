"""What a heading means is known in one place, and every room that asks gets the same answer."""

from __future__ import annotations

import pytest

from pprl_desktop.records.fields import Field
from pprl_desktop.records.hints import hint
from pprl_desktop.records.roles import WORDS, role
from pprl_desktop.rehearsal.dictionaries import role_of
from pprl_desktop.review.sources import name_swaps


@pytest.mark.parametrize(
    ("heading", "wanted"),
    [
        ("last_name", "last"), ("SURNAME", "last"), ("Nachname", "last"), ("apellido", "last"), ("Cognome", "last"),
        ("nom_de_famille", "last"), ("patientsurname", "last"), ("familyName", "last"),
        ("first_name", "first"), ("Vorname", "first"), ("Prénom", "first"), ("nombre", "first"), ("givenName", "first"),
        ("middle_name", "middle"), ("second_name", "middle"), ("date_of_birth", "birth"), ("Geburtsdatum", "birth"),
        ("gender", "sex"), ("Wohnort", "city"), ("PLZ", "postcode"), ("street_address", "street"),
        ("income", ""), ("id", ""),
    ],
)  # fmt: skip
def test_a_heading_has_its_role_in_many_languages(heading: str, wanted: str) -> None:
    assert role(heading) == wanted


@pytest.mark.parametrize("first", ["first_name", "vorname", "nombre", "prenom"])
@pytest.mark.parametrize("last", ["last_name", "nachname", "apellido", "cognome"])
def test_what_is_attacked_as_a_last_name_is_seen_as_swapped_with_the_first(first: str, last: str) -> None:
    assert role_of(Field.of(last)) == "last"
    assert role_of(Field.of(first)) == "first"
    assert name_swaps((first, last)) == ((first, last),)


def test_hints_know_every_word_of_a_name_or_a_place() -> None:
    for known, meaning in (("last", "person"), ("first", "person"), ("street", "place"), ("postcode", "place")):
        whole = [word for word in WORDS[known] if len(word) > 4 and word not in ("famille", "christian")]  # type: ignore[index]
        assert [word for word in whole if hint(word) != meaning] == []
