"""The profile guesses well, counts right, and holds no personal value."""

from __future__ import annotations

import json
import random

import numpy as np
import pytest

from pprl_desktop.progress import Cancelled, Progress
from pprl_desktop.records.cleaning import clean
from pprl_desktop.records.duplicates import distinct_rows, find_duplicates, without_copies
from pprl_desktop.records.fields import Field
from pprl_desktop.records.profile import guess_kind, profile
from pprl_desktop.records.shapes import shape, shapes
from pprl_desktop.records.table import Column, Table

FIRST = "Anna Bert Clara Dora Emil Franz Greta Hans Ida Jan Karl Lena Max Nora Otto Paula Rosa Sven Tilda Udo".split()
LAST = "Adler Berger Conrad Decker Engel Fischer Groß Huber Ibsen Jansen Keller Lorenz Müller Neumann Ohm".split()
HEADER = ("pid", "first_name", "last_name", "dob", "plz", "city", "sex", "diagnosis", "income", "note", "rank")


def hospital(rows: int = 400) -> Table:
    draw = random.Random(3)
    made = []
    for row in range(rows):
        made.append(
            (
                f"P{row:05}",
                draw.choice(FIRST),
                f"{draw.choice(LAST)}-{draw.choice(LAST)}" if row % 9 == 0 else draw.choice(LAST),
                ""
                if row % 10 == 0
                else f"{draw.randint(1, 28):02}.{draw.randint(1, 12):02}.{draw.randint(1930, 2010)}",
                f"{draw.randint(1000, 99999):05}",
                draw.choice(["Essen", "Köln", "Halle", "Bonn", "Ulm"]) + draw.choice(["", " Nord", " Süd"]),
                draw.choice("mf"),
                f"{draw.choice('CEIJ')}{draw.randint(10, 99)}.{draw.randint(0, 9)}",
                str(draw.randint(900, 90000)),
                f"Patient came on day {draw.randint(1, 9)} and left again, {draw.choice(FIRST)} knows why.",
                str(draw.randint(1, 500) / 10),
            )
        )
    return Table.of(HEADER, made)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("pid", "id"), ("first_name", "name"), ("last_name", "name"), ("dob", "date"), ("plz", "id"), ("city", "text"),
        ("sex", "category"), ("income", "number"), ("note", "text"), ("rank", "number"),
    ],
)  # fmt: skip
def test_kinds_are_guessed(name: str, kind: str) -> None:
    assert guess_kind(hospital().column(name)) == kind


@pytest.mark.parametrize(
    ("heading", "cells", "kind"),
    [
        ("c1", ["Anna", "Bert", "Zoë", "Jean-Luc", "O'Neil"] * 4, "name"),
        ("c2", ["1990-01-02", "1991-03-04", "", "1992-05-06"], "date"),
        ("c3", ["19900102", "19910304", "19920506"], "date"),
        ("c4", ["1956", "1987", "1990", "1931"], "date"),
        ("c5", ["2011", "0800", "6230", "3000"] * 10, "id"),
        ("c6", ["1.5", "2", "17,25"], "number"),
        ("c7", ["AB-1234", "CD-9876", "EF-0001"], "id"),
        ("c8", ["12 Long Road, Westbury", "The Old Mill near the bridge by the river", "5 Hill"], "text"),
        ("birth_year", ["1986.0", "1990.0"], "date"),
        ("date_of_birth", ["44197", "30000"], "date"),
        ("c9", ["yes", "no", "yes", "yes"] * 30, "category"),
        ("surname", ["Null", "True"] * 30, "name"),
        ("sex", ["1", "2", "2", ""] * 30, "category"),
        ("Geschlecht", ["0", "1", "2", "9"], "category"),
        ("gender", ["12", "47", "33"] * 30, "number"),
        ("rank", ["1", "2"] * 30, "number"),
        ("empty", ["", " "], "text"),
    ],
)
def test_kinds_by_content(heading: str, cells: list[str], kind: str) -> None:
    assert guess_kind(Column.of(heading, cells)) == kind


def test_suggestions() -> None:
    made = profile(hospital())
    assert made.id_column == "pid"
    assert set(made.matching) == {"first_name", "last_name", "dob", "plz", "city", "sex"}
    assert set(made.sensitive) == {"diagnosis", "income"}


def test_of_many_places_those_that_tell_people_apart_are_suggested() -> None:
    draw = random.Random(5)
    columns = {
        "first_name": [draw.choice(FIRST) for _ in range(600)],
        "last_name": [draw.choice(LAST) + draw.choice(LAST).lower() for _ in range(600)],
        "dob": [f"{draw.randint(1930, 2010)}-{draw.randint(1, 12):02}-{draw.randint(1, 28):02}" for _ in range(600)],
        "state": [draw.choice(["North", "South"]) for _ in range(600)],
        "address_2": [draw.choice(LAST) + " House" if row % 3 == 0 else "" for row in range(600)],
        "street_number": [str(draw.randint(1, 40)) for _ in range(600)],
        "address_1": [f"{draw.choice(LAST)} {draw.choice(LAST)} Road" for _ in range(600)],
        "suburb": [draw.choice(LAST) + draw.choice(FIRST) for _ in range(600)],
        "postcode": [str(draw.randint(1000, 9999)) for _ in range(600)],
        "phone": [f"0{draw.randint(10**8, 10**9 - 1)}" for _ in range(600)],
    }
    table = Table(tuple(Column.of(name, values) for name, values in columns.items()))
    suggested = profile(table).matching
    assert set(columns) - set(suggested) == {"state", "address_2"}


def test_a_column_of_sexes_in_numbers_is_suggested_and_compares_with_letters() -> None:
    rows = [(LAST[row % 15], FIRST[row % 20], str(1 + row % 2)) for row in range(300)]
    columns = zip(("last", "first", "sex"), zip(*rows, strict=True), strict=True)
    table = Table(tuple(Column.of(name, list(cells)) for name, cells in columns))
    assert "sex" in profile(table).matching
    field = Field.of("sex", profile(table).column("sex").kind)
    assert set(clean(table, (field,), {}).columns[0].values) == {"M", "F"}


def test_sensitive_columns_are_found_by_content_too() -> None:
    cells = {
        "x1": ["C50.1", "E11.9", "I10.0", "J45.2"] * 10,
        "x2": ["White", "Black", "Asian", "Other"] * 10,
        "x3": ["1.200 €", "800 €", "95 €", "3 €"] * 10,
        "x4": ["positive", "negative"] * 20,
        "x5": ["red", "green"] * 20,
    }
    table = Table(tuple(Column.of(name, values) for name, values in cells.items()))
    assert profile(table).sensitive == ("x1", "x2", "x3", "x4")


def test_counts() -> None:
    made = profile(hospital())
    dob = made.column("dob")
    assert dob.missing == pytest.approx(0.1)
    assert (dob.shortest, dob.longest) == (10, 10)
    assert [(one.shape, one.share) for one in dob.shapes] == [("99.99.9999", 1.0)]
    assert made.column("sex").distinct == 2
    assert made.rows == 400


def test_no_personal_value_is_in_the_profile() -> None:
    table = hospital()
    text = json.dumps(profile(table).as_dict(), ensure_ascii=False)
    for name in ("first_name", "last_name", "dob", "diagnosis", "note", "city"):
        for value in table.column(name).values:
            assert not value or f'"{value}"' not in text
    assert not any(value in text for value in LAST)


def test_shapes() -> None:
    assert shape("Meier-Ost") == "Aaaaa-Aaa"
    assert shape("01/02/1990") == "99/99/9999"
    assert shape("王小明 Łö") == "xxx Aa"
    assert len(shape("x" * 500)) == 24
    assert [s.shape for s in shapes(["a\nb", "c d"], np.array([1, 1]))] == ["a a"]


def test_words_that_may_mean_unknown_are_offered_not_applied() -> None:
    table = Table.of(["last_name"], [("Null",), ("Smith",), ("n/a",), ("n/a",)])
    assert profile(table).column("last_name").missing_words == (("Null", 1), ("n/a", 2))
    assert profile(table).column("last_name").missing == 0


def test_duplicates_exact_and_near() -> None:
    rows = [
        ("1", "Anna", "Berger", "1990-01-02"),
        ("2", "Anna", "Berger", "1990-01-02"),  # exact
        ("3", "ANNA ", "Berger", "1990-01-02"),  # exact once cleaned
        ("4", "Anna", "Bergre", "1990-01-02"),  # near
        ("5", "Bert", "Berger", "1990-01-02"),  # a sibling: the first name is another one
        ("6", "Karl", "Ohm", "1950-05-05"),
        ("7", "", "", ""),
        ("8", "", "", ""),
    ]
    made = profile(Table.of(["id", "first_name", "last_name", "dob"], rows))
    assert made.exact_duplicates == 2
    assert made.duplicates.exact == 2
    assert made.near_duplicates == 1


def test_near_duplicates_agree_with_the_slow_twin() -> None:
    from rapidfuzz.distance import OSA

    draw = random.Random(8)
    rows = [(draw.choice(FIRST), draw.choice(LAST), str(draw.randint(1000, 1019))) for _ in range(120)]
    table = clean(Table.of(["a", "b", "c"], rows), [Field.of("a"), Field.of("b"), Field.of("c", "id")], {})
    unique = sorted(set(zip(*(column.cells() for column in table.columns), strict=True)))

    def near(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
        differ = [(x, y) for x, y in zip(one, other, strict=True) if x != y]
        return len(differ) == 1 and OSA.distance(*differ[0]) <= 2 and max(map(len, differ[0])) > 3

    slow = sum(any(near(one, other) for other in unique[:index]) for index, one in enumerate(unique))
    fast = find_duplicates(table.columns).near
    assert 0 < fast <= slow  # neighbours in a group are compared, not all pairs: a lower bound, never too many


def test_distinct_rows() -> None:
    table = clean(
        Table.of(["a", "b"], [("x", "1"), ("y", "1"), ("x", "1"), ("", "")]), [Field.of("a"), Field.of("b")], {}
    )
    assert distinct_rows(table).tolist() == [0, 1, 3]


def test_a_table_without_its_copies_is_profiled_as_if_they_had_never_been_there() -> None:
    """What only a copy held is gone too: otherwise a column has more different values than rows."""
    table = hospital(60)
    rows = list(zip(*(column.cells() for column in table.columns), strict=True))
    twice = [(f"COPY-NUMBER-{row[0]}", *row[1:]) for row in rows[::7]]
    left = without_copies(Table.of(HEADER, [*rows[:30], *twice[:3], *rows[30:], *twice[3:]]), "pid")
    assert [column.cells() for column in left.columns] == [column.cells() for column in table.columns]
    assert profile(left) == profile(table)
    assert profile(left).id_column == "pid"


def test_a_choice_of_rows_holds_their_values_alone_and_keeps_gaps() -> None:
    column = Column("town", np.array(["Ulm", "Bonn", "Köln"], object), np.array([0, -1, 2, 1, 2, -1], np.int32))
    some = column.take(np.array([1, 2, 4, 0]))
    assert (some.cells(), list(some.values)) == (["", "Köln", "Köln", "Ulm"], ["Köln", "Ulm"])
    assert column.take(np.array([], np.int64)).cells() == []


def test_duplicate_ids_name_rows_but_no_registry_number() -> None:
    rows = [("A1234567", "x"), ("B7654321", "y"), ("A1234567", "z"), ("C0000001", "z")]
    made = profile(Table.of(["patient_id", "name"], rows))
    assert made.duplicate_ids == 2
    assert "records 1 and 3" in str(made.warnings[0].what)
    assert "A1234567" not in str(made.warnings[0])


def test_serial_dates_and_unproven_orders_are_warned_of() -> None:
    made = profile(Table.of(["dob"], [("44197",), ("40000",), ("01/02/1990",)]))
    assert [w.place for w in made.warnings] == ["dob", "dob"]


def test_cancel_is_heard_and_empty_tables_do_not_crash() -> None:
    with pytest.raises(Cancelled):
        profile(hospital(50), Progress(cancelled=lambda: True))
    assert profile(Table.of(["a", "b"], [])).rows == 0
    assert profile(Table(())).columns == ()


def test_names_of_others_are_not_the_persons_own() -> None:
    chosen = random.Random(1)
    rows = [
        (f"{chosen.choice(FIRST)} {chosen.choice(LAST)}", f"{1930 + n % 60}-01-02", f"Dr {LAST[n % 4]}", "2015-03-04")
        for n in range(200)
    ]
    made = profile(Table.of(["patient_name", "dob", "gp_name", "admission_date"], rows))
    assert made.matching == ("dob", "patient_name (first)", "patient_name (last)")


def test_a_name_under_a_heading_that_says_nothing_and_a_day_that_is_not_of_birth() -> None:
    chosen = random.Random(3)
    rows = [
        (f"{chosen.choice(LAST)} {chosen.choice(FIRST)}", f"{1930 + n % 60}-01-1{n % 9}", f"{2010 + n % 9}-03-04")
        for n in range(200)
    ]
    made = profile(Table.of(["Patient", "Geb.-Datum", "Aufnahmedatum"], rows))
    assert made.matching == ("Geb.-Datum", "Patient (first)", "Patient (last)")


def test_the_name_at_birth_does_not_make_the_last_name_superfluous() -> None:
    chosen = random.Random(2)
    rows = []
    for family in range(40):
        last = chosen.choice(LAST) + "aeiou"[family % 5]
        for member in range(4):
            born = chosen.choice(LAST) if member == 0 else last
            dob = f"{1950 + chosen.randrange(60)}-0{1 + family % 9}-1{member}"
            rows.append((last, chosen.choice(FIRST), born, dob))
    made = profile(Table.of(["last_name", "first_name", "maiden_name", "dob"], rows))
    assert made.matching == ("last_name", "first_name", "maiden_name", "dob")
