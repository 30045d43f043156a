"""Columns that others determine are found on the clear table and not suggested beside them."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

import pytest

from pprl_desktop.records.cleaning import clean
from pprl_desktop.records.date_parts import short_name
from pprl_desktop.records.fields import Field
from pprl_desktop.records.profile import profile
from pprl_desktop.records.table import Table

FIRST = "Anna Bert Clara Dora Emil Franz Greta Hans Ida Jan Karl Lena Max Nora Otto Paula Rosa Sven Tilda Udo".split()
LAST = "Adler Berger Conrad Decker Engel Fischer Gross Huber Ibsen Jansen Keller Lorenz Moser Neumann Ohm".split()
TOWNS = "Essen Bonn Halle Ulm Celle Emden Hagen Jena Kiel Mainz".split()


def people(columns: str, rows: int = 400) -> Table:
    """A table of the columns named, of people who do not exist."""
    draw = random.Random(5)
    made = []
    for row in range(rows):
        first, last, town = draw.choice(FIRST), draw.choice(LAST), draw.randrange(len(TOWNS))
        year, month, day = draw.randint(1940, 2005), draw.randint(1, 12), draw.randint(1, 28)
        cells = {
            "rec_id": f"R{row}", "first_name": first, "last_name": last, "full_name": f"{first} {last}",
            "name": f"{last}, {first}", "initials": first[0] + last[0], "dob": f"{year}-{month:02}-{day:02}",
            "birth_year": str(year), "birth_month": str(month), "birth_day": str(day), "age": str(2024 - year),
            "zip": str(10000 + 10 * town + draw.randint(0, 2)), "city": TOWNS[town], "sex": draw.choice("FM"),
            "email": f"{first}.{last}{draw.randint(1, 99)}@mail.example".lower(),
        }  # fmt: skip
        made.append([cells[name] for name in columns.split()])
    return Table.of(columns.split(), made)


@pytest.mark.parametrize(
    ("columns", "column", "how", "beside"),
    [
        ("first_name last_name full_name dob", "full_name", "holds", {"first_name", "last_name"}),
        ("name first_name last_name", "name", "holds", {"first_name", "last_name"}),
        ("last_name full_name dob", "last_name", "within", {"full_name (first)", "full_name (last)"}),
        ("full_name dob", "full_name", "holds", {"full_name (first)", "full_name (last)"}),
        ("first_name last_name dob age", "age", "age", {"dob"}),
        ("first_name last_name dob birth_year", "birth_year", "within", {"dob"}),
        ("first_name last_name initials", "initials", "initials", {"first_name"}),
        ("first_name last_name zip city", "city", "follows", {"zip"}),
        ("first_name last_name dob email", "email", "holds", {"first_name", "last_name"}),
    ],
)
def test_a_column_that_others_determine_is_not_suggested_and_says_why(
    columns: str, column: str, how: str, beside: set[str]
) -> None:
    made = profile(people(f"rec_id {columns}"))
    found = made.repeats(column)
    assert found is not None
    assert (found.how, set(found.beside)) == (how, beside)
    assert column not in made.matching
    assert beside <= set(made.matching)


def test_independent_columns_are_all_suggested() -> None:
    made = profile(people("rec_id first_name last_name dob zip sex"))
    assert made.redundant == ()
    assert set(made.matching) == {"first_name", "last_name", "dob", "zip", "sex"}


def test_names_alone_keep_the_mail_address() -> None:
    """It is the only thing that tells namesakes apart."""
    assert "email" in profile(people("rec_id first_name last_name email")).matching


def test_a_date_in_parts_is_offered_as_one_date() -> None:
    table = people("rec_id first_name last_name birth_day birth_month birth_year")
    made = profile(table)
    name = "birth_year + birth_month + birth_day"
    assert made.matching == ("first_name", "last_name", name)
    assert made.column(name).kind == "date"
    cleaned = clean(table, [Field.of(name, "date")], {})
    year, month, day = (table.column(part).cell(7) for part in name.split(" + "))
    assert cleaned.column(name).cell(7) == f"{year}{int(month):02}{int(day):02}"


def test_a_full_name_alone_is_offered_as_first_and_last_name() -> None:
    table = people("rec_id full_name dob")
    made = profile(table)
    first, last = "full_name (first)", "full_name (last)"
    assert set(made.matching) == {first, last, "dob"}
    whole = table.column("full_name").cell(7).split(" ")
    assert [table.column(name).cell(7) for name in (first, last)] == whole
    assert made.column(first).kind == made.column(last).kind == "name"
    assert made.repeats("full_name") is not None


def test_names_of_one_word_stay_one_column() -> None:
    assert set(profile(people("rec_id last_name dob")).matching) == {"last_name", "dob"}


def test_a_heading_that_looks_like_a_part_is_the_column_it_names() -> None:
    table = Table.of(("name", "name (first)"), [("Anna Berg", "Bob")])
    assert table.column("name (first)").cell(0) == "Bob"
    assert table.column("name (last)").cell(0) == "Berg"


@pytest.mark.parametrize(
    "headings", [("GebTag", "GebMon", "GebJahr"), ("birth_d", "birth_m", "birth_y"), ("dob dd", "dob mm", "dob yyyy")]
)
def test_the_parts_of_a_date_are_known_by_their_short_words(headings: tuple[str, str, str]) -> None:
    table = people("rec_id first_name last_name birth_day birth_month birth_year")
    names = dict(zip(("birth_day", "birth_month", "birth_year"), headings, strict=True))
    renamed = Table(tuple(replace(one, name=names.get(one.name, one.name)) for one in table.columns))
    assert " + ".join(reversed(headings)) in profile(renamed).matching


def test_short_words_for_names_are_names() -> None:
    table = people("rec_id first_name last_name dob")
    names = {"first_name": "fn", "last_name": "NAME1"}
    renamed = Table(tuple(replace(one, name=names.get(one.name, one.name)) for one in table.columns))
    assert {"fn", "NAME1"} <= set(profile(renamed).matching)


def test_a_part_that_is_missing_leaves_as_much_of_the_date_as_there_is() -> None:
    table = Table.of(
        ["year", "month", "day"], [["1980", "4", ""], ["1980", "", "7"], ["", "4", "7"], ["1981", "4", "7"]]
    )
    cells = clean(table, [Field.of("born", "date")], {"born": "year + month + day"}).column("born").cells()
    assert cells == ["198004", "1980", "", "19810407"]


@pytest.mark.parametrize(
    ("headings", "name"),
    [
        (("geb_jahr", "geb_monat", "geb_tag"), "geb"),
        (("dobYear", "dobMonth", "dobDay"), "dob"),
        (("year", "month", "day"), "date"),
        (("Birth.Year", "birth.month", "birth.day"), "Birth"),
    ],
)
def test_a_field_on_a_date_in_parts_has_a_short_name(headings: tuple[str, ...], name: str) -> None:
    assert short_name(" + ".join(headings)) == name
    assert short_name(headings[0]) == headings[0]


def test_age_is_evidence_where_no_birth_date_is_there() -> None:
    assert "age" in profile(people("rec_id first_name last_name age city")).matching


def test_no_value_of_the_table_is_in_what_is_said() -> None:
    told = str([one.as_dict() for one in profile(people("rec_id first_name last_name full_name dob age")).redundant])
    assert "full_name" in told, "something is said"
    assert not any(name in told for name in FIRST + LAST)


def table_of(header: str, make: Callable[[random.Random, int], list[str]], rows: int = 400) -> Table:
    draw = random.Random(11)
    return Table.of(header.split("|"), [make(draw, row) for row in range(rows)])


def test_a_name_without_blanks_is_found_beside_its_parts() -> None:
    def one(draw: random.Random, row: int) -> list[str]:
        family, given = draw.choice("王李张刘陈杨赵黄"), draw.choice("小大国志文明") + draw.choice("明华强军伟芳")
        return [str(row), family + given, family, given, f"{draw.randint(1950, 2000)}-0{draw.randint(1, 9)}-11"]

    made = profile(table_of("编号|姓名|姓|名|生日", one))
    found = made.repeats("姓名")
    assert found is not None
    assert set(found.beside) == {"姓", "名"}
    assert made.matching == ("姓", "名", "生日")


def test_an_address_is_found_beside_street_number_and_town() -> None:
    def one(draw: random.Random, row: int) -> list[str]:
        street, house, town = draw.choice(LAST) + "weg", str(draw.randint(1, 80)), draw.choice(TOWNS)
        return [draw.choice(FIRST), draw.choice(LAST), f"{street} {house}, {town}", street, house, town]

    made = profile(table_of("Vorname|Nachname|Anschrift|Straße|Hausnr|Ort", one))
    found = made.repeats("Anschrift")
    assert found is not None
    assert set(found.beside) >= {"Straße", "Ort"}


@pytest.mark.parametrize(
    ("heading", "cell", "how"),
    [
        ("initials", lambda first, last, year: f"{first[0]}.{last[0]}.", "initials"),
        ("initials", lambda first, last, year: f"{first[0]} {last[0]}", "initials"),
        ("initial", lambda first, last, year: first[0], "start"),
        (
            "age group",
            lambda first, last, year: f"{(2024 - year) // 10 * 10}-{(2024 - year) // 10 * 10 + 9}",
            "follows",
        ),
        ("edad", lambda first, last, year: str(2024 - year), "age"),
        ("año de nacimiento", lambda first, last, year: str(year), "within"),
        ("name code", lambda first, last, year: f"{last[0]}{100 + 7 * LAST.index(last)}", "follows"),
    ],
)
def test_what_is_worked_out_of_a_column_is_found_in_any_form(
    heading: str, cell: Callable[[str, str, int], str], how: str
) -> None:
    def one(draw: random.Random, row: int) -> list[str]:
        first, last, year = draw.choice(FIRST), draw.choice(LAST), draw.randint(1935, 2010)
        born = f"{draw.randint(1, 28):02}.{draw.randint(1, 12):02}.{year}"
        return [first, last, born, cell(first, last, year)]

    made = profile(table_of(f"first name|surname|date of birth|{heading}", one))
    assert made.matching == ("first name", "surname", "date of birth")
    found = made.repeats(heading)
    assert found is not None
    assert found.how == how


@pytest.mark.parametrize(
    "header",
    [
        "Nom|Prénom|Date de naissance|Code postal|Ville",
        "Apellidos|Nombre|Fecha de nacimiento|Código postal|Ciudad",
        "Cognome|Nome|Data di nascita|CAP|Comune",
        "Achternaam|Voornaam|Geboortedatum|Postcode|Woonplaats",
        "Nazwisko|Imię|Data urodzenia|Kod pocztowy|Miasto",
        "Efternamn|Förnamn|Födelsedatum|Postnummer|Ort",
        "Soyadı|Adı|Doğum tarihi|Posta kodu|Şehir",
        "Фамилия|Имя|Дата рождения|Индекс|Город",
        "Sukunimi|Etunimi|Syntymäaika|Postinumero|Kaupunki",
    ],
)
def test_headings_of_many_languages_are_understood(header: str) -> None:
    def one(draw: random.Random, row: int) -> list[str]:
        town = draw.randrange(len(TOWNS))
        born = f"{draw.randint(1940, 2005)}-{draw.randint(1, 12):02}-{draw.randint(1, 28):02}"
        return [draw.choice(LAST), draw.choice(FIRST), born, str(20000 + 10 * town + draw.randint(0, 2)), TOWNS[town]]

    made = profile(table_of(header, one))
    names = header.split("|")
    assert made.matching == tuple(names[:4])
    found = made.repeats(names[4])
    assert found is not None
    assert found.beside == (names[3],)


def test_a_maiden_name_that_is_often_the_last_name_stays() -> None:
    def one(draw: random.Random, row: int) -> list[str]:
        last = draw.choice(LAST)
        return [
            draw.choice(FIRST),
            last,
            last if draw.random() < 0.8 else draw.choice(LAST),
            str(draw.randint(1940, 2000)),
        ]

    assert "maiden name" in profile(table_of("first name|last name|maiden name|birth year", one)).matching


def test_slips_do_not_hide_that_a_town_follows_from_its_zip_code() -> None:
    def one(draw: random.Random, row: int) -> list[str]:
        town = draw.randrange(len(TOWNS))
        name = TOWNS[town] if draw.random() > 0.12 else TOWNS[town] + str(row)
        return [draw.choice(FIRST), draw.choice(LAST), str(20000 + town), name]

    assert len({"zip", "city"} & set(profile(table_of("first|last|zip|city", one, 800)).matching)) == 1


def test_a_family_that_lives_together_makes_no_place_follow_from_its_name() -> None:
    """In a small file most people of one name are a household: their zip code is evidence nevertheless."""
    rows = random.Random(3)
    homes = [(f"NAME{home:03}", str(20000 + rows.randrange(400))) for home in range(90)]

    def one(draw: random.Random, row: int) -> list[str]:
        last, code = homes[row % len(homes)]
        return [draw.choice(FIRST), last, str(draw.randint(1940, 2000)), code]

    assert "zip" in profile(table_of("first name|last name|birth year|zip", one, 180)).matching
