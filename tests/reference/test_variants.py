"""Other forms of given names: the table, its tokens, and what they are worth to the decision."""

from __future__ import annotations

import random

import pytest

from pprl_desktop import resources
from pprl_desktop.codes import tokens
from pprl_desktop.codes.recipe import build, settings
from pprl_desktop.decisions.base import MatchOptions
from pprl_desktop.evaluation.play import play
from pprl_desktop.records.fields import Field
from pprl_desktop.records.table import CleanTable, Column
from pprl_desktop.reference.names import dictionary
from pprl_desktop.reference.variants import MOST, groups_of


def one_name(a: str, b: str) -> bool:
    return bool(set(groups_of(a)) & set(groups_of(b)))


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("WILLIAM", "BILL"), ("Elisabeth", "Lisa"), ("Małgorzata", "Gosia"), ("FRANCISCO", "Paco"),
        ("Giuseppe", "Beppe"), ("Cornelis", "Kees"), ("Aleksandr", "Sasha"), ("Mehmet", "Mohammed"),
        ("LARS", "LASSE"), ("JEAN", "Giovanni"),
        ("Anna-Maria", "Ania"), ("JÖRG", "Georg"), ("Yiannis", "Ioannis"), ("ALZBETA", "Eliska"), ("ISTVAN", "Pista"),
    ],
)  # fmt: skip
def test_forms_of_one_name_share_a_group(a: str, b: str) -> None:
    assert one_name(a, b)


@pytest.mark.parametrize(("a", "b"), [("WILLIAM", "ROBERT"), ("ANNA", "MARIA"), ("ALBERT", "HERBERT"), ("X", "Y")])
def test_different_names_do_not(a: str, b: str) -> None:
    assert not one_name(a, b)


def test_the_table_is_tidy_and_large() -> None:
    lines = resources.find("names", "given_variants.txt").read_text(encoding="utf-8").splitlines()
    groups = [line.split(" ") for line in lines if line and not line.startswith("#")]
    assert len(groups) > 900
    assert all(name.isascii() and name.isupper() and len(group) > 1 for group in groups for name in group)
    assert all(len(set(group)) == len(group) for group in groups)


def test_few_strangers_share_a_group() -> None:
    """A level of agreement that every tenth pair of strangers reached would say nothing."""
    names = dictionary("first")
    drawn = random.Random(1).choices(names.values, names.shares.tolist(), k=20_000)
    shared = sum(a != b and one_name(a, b) for a, b in zip(drawn[::2], drawn[1::2], strict=True))
    assert shared / 10_000 < 0.02


def table(rows: list[tuple[str, str, str]]) -> CleanTable:
    fields = Field.of("first"), Field.of("last"), Field.of("born", "date")
    columns = tuple(Column.of(one.name, cells) for one, cells in zip(fields, zip(*rows, strict=True), strict=True))
    return CleanTable(fields, columns)


def test_tokens_tell_the_group_and_only_with_the_secret() -> None:
    column = Column.of("first", ["WILLIAM", "BILL", "QWXYZ", "BERT"])
    made = {part.role: part for part in tokens.field_parts(Field.of("first"), column, b"s" * 32)}
    assert set(tokens.VARIANT_ROLES) <= set(made)
    first = made["variant1"]
    assert first.rows[0] == first.rows[1] != first.rows[3]
    assert first.rows[2] == -1
    other = {part.role: part for part in tokens.field_parts(Field.of("first"), column, b"t" * 32)}
    assert (first.values != other["variant1"].values).any()
    assert len(groups_of("BERT")) == MOST


def test_a_nickname_is_linked_to_the_full_name() -> None:
    draw = random.Random(3)
    given = [("WILLIAM", "BILL"), ("ROBERT", "BOB"), ("MARGARET", "PEGGY"), ("RICHARD", "DICK"), ("HENRY", "HANK")]
    names = dictionary("first").values[:60]
    lasts = dictionary("last").values[:120]

    def person() -> tuple[str, str, str]:
        return draw.choice(names), draw.choice(lasts), f"19{draw.randint(40, 99)}{draw.randint(1, 12):02}11"

    left, right = [person() for _ in range(400)], []
    right = [*left[:200], *(person() for _ in range(200))]
    for row in range(60):
        full, short = given[row % len(given)]
        left[row] = (full, left[row][1], left[row][2])
        right[row] = (short, left[row][1], left[row][2])
    made = play(table(left), table(right), build("bloom", table(left).fields, settings("bloom")), MatchOptions())
    found = {(int(a), int(b)) for a, b in made.linked}
    assert sum((row, row) in found for row in range(60)) >= 57
