"""Keyed tokens tell equality, initials, shared words and swapped dates, and nothing without the secret."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pprl_desktop.codes import tokens
from pprl_desktop.codes.base import Part, Recipe, Settings
from pprl_desktop.records.fields import Field
from pprl_desktop.records.table import MISSING, CleanTable, Column


def table(**cells: tuple[str, list[str]]) -> CleanTable:
    fields, columns = [], []
    for name, (kind, values) in cells.items():
        column = Column.of(name, values)
        blank = np.flatnonzero(column.values == "")
        codes = column.codes.copy()
        codes[np.isin(codes, blank)] = MISSING
        fields.append(Field.of(name, kind))
        columns.append(Column(name, column.values, codes))
    return CleanTable(tuple(fields), tuple(columns))


def recipe_for(made: CleanTable, secret: bytes = b"k" * 32, **settings: object) -> Recipe:
    return Recipe("bloom", made.fields, replace(Settings(), **settings), secret=secret)


def token_of(parts: tuple[Part, ...], name: str, row: int) -> bytes | None:
    part = next(part for part in parts if part.name == name)
    index = int(part.rows[row])
    return None if index < 0 else part.values[index].tobytes()


def test_equal_values_have_equal_tokens_also_in_another_field_of_the_kind() -> None:
    made = table(last=("name", ["SMITH", "JONES"]), middle=("name", ["ANN", "SMITH"]), city=("text", ["SMITH", "X"]))
    parts = tokens.parts(made, recipe_for(made))
    assert token_of(parts, "last.equal", 0) == token_of(parts, "middle.equal", 1)
    assert token_of(parts, "last.equal", 0) != token_of(parts, "last.equal", 1)
    assert token_of(parts, "last.equal", 0) != token_of(parts, "city.equal", 0), "another kind has another key"


def test_another_secret_gives_other_tokens() -> None:
    made = table(last=("name", ["SMITH"]))
    ours, theirs = (tokens.parts(made, recipe_for(made, secret)) for secret in (b"a" * 32, b"b" * 32))
    assert token_of(ours, "last.equal", 0) != token_of(theirs, "last.equal", 0)


def test_an_initial_meets_the_full_name_and_is_known_as_an_initial() -> None:
    made = table(first=("name", ["JOHN", "J", "KATE"]))
    parts = tokens.parts(made, recipe_for(made))
    assert token_of(parts, "first.initial", 0) == token_of(parts, "first.single", 1)
    assert token_of(parts, "first.single", 0) is None
    assert token_of(parts, "first.initial", 2) != token_of(parts, "first.single", 1)


def test_a_swapped_date_meets_the_true_one() -> None:
    made = table(born=("date", ["19760312", "19761203", "19760325", "19760606"]))
    parts = tokens.parts(made, recipe_for(made))
    assert token_of(parts, "born.swapped", 0) == token_of(parts, "born.equal", 1)
    assert token_of(parts, "born.swapped", 2) is None, "there is no month 25"
    assert token_of(parts, "born.swapped", 3) is None, "the same day and month are no swap"


@pytest.mark.parametrize(("value", "swapped"), [("1976-03-12", "1976-12-03"), ("1976", ""), ("", "")])
def test_swapping_keeps_the_form_of_the_date(value: str, swapped: str) -> None:
    assert tokens.swapped_date(value) == swapped


def test_a_year_off_by_one_is_seen() -> None:
    made = table(year=("number", ["1949", "1950"]))
    parts = tokens.parts(made, recipe_for(made))
    assert token_of(parts, "year.next", 0) == token_of(parts, "year.equal", 1)


def test_words_of_a_double_name_meet_the_single_name() -> None:
    made = table(last=("name", ["SMITH JONES", "JONES", "DE LA CRUZ"]))
    parts = tokens.parts(made, recipe_for(made))
    assert token_of(parts, "last.word2", 0) == token_of(parts, "last.equal", 1)
    assert token_of(parts, "last.word1", 2) is not None
    assert tokens.words("DE LA CRUZ") == ["CRUZ"], "short words are shared by strangers"


def test_a_missing_value_has_no_token() -> None:
    made = table(last=("name", ["SMITH", ""]))
    parts = tokens.parts(made, recipe_for(made))
    assert any(token_of(parts, part.name, 0) for part in parts)
    assert all(token_of(parts, part.name, 1) is None for part in parts)


def test_with_noise_there_are_no_tokens() -> None:
    made = table(last=("name", ["SMITH"]))
    assert tokens.parts(made, recipe_for(made, epsilon=2.0)) == ()


def test_an_empty_table_and_unicode_names_are_fine() -> None:
    assert tokens.parts(table(last=("name", [])), recipe_for(table(last=("name", []))))[0].values.shape == (0, 8)
    made = table(last=("name", ["Łukasz", "李", "Ö"]))
    assert len(tokens.parts(made, recipe_for(made))[0].values) == 3
