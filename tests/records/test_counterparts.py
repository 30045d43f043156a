"""Columns of two tables find each other by what their headings say and by what stands in them."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from pprl_desktop.records.counterparts import Counterparts, counterparts
from pprl_desktop.records.profile import profile
from pprl_desktop.records.reading import read_table

FIRST = "ANNA BERND CLARA DIETER EMMA FRANZ GERDA HEINZ IDA JONAS KARLA LUTZ MONA NILS OLGA PAUL".split()
LAST = "MUELLER SCHMIDT KELLER WAGNER BECKER HOFFMANN KOCH RICHTER WOLF NEUMANN ZIMMER KRAUSE LEHMANN".split()
PARTS = ((1930, 2005), (1, 12), (1, 28))
TOWN = "HAMM KIEL JENA ULM TRIER BONN ESSEN CELLE".split()


def people(seed: int, rows: int = 200) -> list[dict[str, str]]:
    source = random.Random(seed)
    return [
        {
            "first": source.choice(FIRST), "last": source.choice(LAST), "town": source.choice(TOWN),
            "born": f"{source.randint(1930, 2005)}-{source.randint(1, 12):02}-{source.randint(1, 28):02}",
            **dict(zip(("year", "month", "day"), (str(source.randint(*of)) for of in PARTS), strict=True)),
            "seen": f"2023-{source.randint(1, 12):02}-{source.randint(1, 28):02}",
        }
        for _ in range(rows)
    ]  # fmt: skip


File = tuple[list[dict[str, str]], dict[str, str]]  # people, and the heading of each of their columns


def compared(tmp_path: Path, *files: File) -> tuple[Counterparts, ...]:
    tables = []
    for name, (persons, heads) in zip(("a.csv", "b.csv"), files, strict=True):
        lines = [",".join(heads.values()), *(",".join(person[key] for key in heads) for person in persons)]
        (tmp_path / name).write_text("\n".join(lines), encoding="utf-8")
        tables.append(read_table(tmp_path / name).table)
    return counterparts((tables[0], tables[1]), (profile(tables[0]), profile(tables[1])))


def found(tmp_path: Path, one: dict[str, str], other: dict[str, str]) -> dict[str, Counterparts]:
    return {made.first: made for made in compared(tmp_path, (people(1), one), (people(2), other))}


def paired(tmp_path: Path, *files: File) -> dict[str, str]:
    return {made.first: made.second for made in compared(tmp_path, *files)}


def test_headings_of_two_languages_find_each_other(tmp_path: Path) -> None:
    made = found(
        tmp_path,
        {"first": "first_name", "last": "surname", "born": "date_of_birth", "town": "city"},
        {"town": "Wohnort", "born": "Geburtsdatum", "last": "Nachname", "first": "Vorname"},
    )
    pairs = {one.first: one.second for one in made.values()}
    assert pairs == {
        "first_name": "Vorname", "surname": "Nachname", "date_of_birth": "Geburtsdatum", "city": "Wohnort",
    }  # fmt: skip
    assert all(one.by_heading for one in made.values())


@pytest.mark.parametrize("whole", [False, True])
def test_a_date_in_three_columns_is_paired_as_a_whole(tmp_path: Path, whole: bool) -> None:
    """Year with date and date with year would fit better, taken together, than date with date."""
    parts = {"year": "birth_year", "month": "birth_month", "day": "birth_day"}
    made = found(
        tmp_path,
        {"first": "first_name", "last": "last_name", **parts},
        {"first": "first_name", "last": "last_name", **({"born": "birth_date"} if whole else parts)},
    )
    joined = "birth_year + birth_month + birth_day"
    assert {one.first: one.second for one in made.values()} == {
        "first_name": "first_name", "last_name": "last_name", joined: "birth_date" if whole else joined,
    }  # fmt: skip


def test_a_full_name_finds_the_first_and_the_last_name_of_the_other_file(tmp_path: Path) -> None:
    persons = [{**one, "full": f"{one['first']} {one['last']}"} for one in people(1)]
    pairs = paired(tmp_path, (people(2), {"last": "surname", "first": "given_name", "born": "date_of_birth"}),
                   (persons, {"full": "Nom complet", "born": "naissance"}))  # fmt: skip
    assert pairs == {
        "surname": "Nom complet (last)", "given_name": "Nom complet (first)", "date_of_birth": "naissance",
    }  # fmt: skip


def test_headings_that_say_nothing_are_paired_by_what_stands_below_them(tmp_path: Path) -> None:
    made = found(
        tmp_path,
        {"first": "first_name", "last": "surname", "born": "date_of_birth"},
        {"last": "field1", "first": "field2", "born": "field3"},
    )
    pairs = {one.first: one.second for one in made.values()}
    assert pairs == {"first_name": "field2", "surname": "field1", "date_of_birth": "field3"}
    assert not made["surname"].by_heading
    assert made["surname"].shared > 0.9


def test_a_date_of_birth_is_not_paired_with_a_date_of_visit(tmp_path: Path) -> None:
    made = found(
        tmp_path,
        {"last": "surname", "born": "datum1"},
        {"last": "surname", "seen": "datum_x"},
    )
    assert "datum1" not in made


@pytest.mark.parametrize("heads", [{"town": "town"}, {"seen": "visit_date"}])
def test_columns_of_another_matter_have_no_counterpart(tmp_path: Path, heads: dict[str, str]) -> None:
    assert found(tmp_path, {"last": "surname", "first": "first_name"}, heads) == {}
