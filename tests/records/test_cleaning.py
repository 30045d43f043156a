"""Cleaning: declared steps, the same on every machine, and idempotent."""

from __future__ import annotations

import unicodedata

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pprl_desktop.problem import Problem
from pprl_desktop.progress import Cancelled, Progress
from pprl_desktop.records.cleaning import before_after, clean, clean_values, date_report
from pprl_desktop.records.fields import KINDS, Cleaning, Field
from pprl_desktop.records.normalise import normalise, one
from pprl_desktop.records.numbers import plain_number
from pprl_desktop.records.table import Column, Table


def cleaned(kind: str, *values: str, **steps: object) -> list[str]:
    field = Field.of("f", kind).with_cleaning(**steps)
    return clean_values(np.array(values, dtype=object), field)


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("  Smith ", "SMITH"),
        ("Jones\u200b", "JONES"),
        ("\tAnn\u00a0", "ANN"),
        ("Bob\u3000", "BOB"),
        ("O'Brien", "OBRIEN"),
        ("O’Brien", "OBRIEN"),
        ("O´Brien", "OBRIEN"),
        ("O`Brien", "OBRIEN"),
        ("Meyer-Lang", "MEYER LANG"),
        ("St.John", "ST JOHN"),
        ("Müller", "MULLER"),
        ("Mu\u0308ller", "MULLER"),
        ("Straße", "STRASSE"),
        ("STRAẞE", "STRASSE"),
        ("Łukasz Ærø", "LUKASZ AERO"),
        ("ışık", "ISIK"),
        ("IŞIK", "ISIK"),
        ("İbrahim", "IBRAHIM"),
        ("ﬁnn", "FINN"),
        ("Ｓｍｉｔｈ", "SMITH"),
        ("Ὀδυσσεύς", "ΟΔΥΣΣΕΥΣ"),
        ("김민준", "김민준"),
        ("कृष्ण", "कृष्ण"),
        ("さくら", "さくら"),
        ("soft\u00adhyphen", "SOFTHYPHEN"),
        ("two\nlines", "TWO LINES"),
        ("Null", "NULL"),
        ("...", ""),
        ("", ""),
    ],
)
def test_names(written: str, read: str) -> None:
    assert cleaned("name", written) == [read]


def test_diacritics_policies() -> None:
    assert cleaned("name", "Müller", "Åse", "Ñu", diacritics="transliterate") == ["MUELLER", "AASE", "NU"]
    assert cleaned("name", "Müller", "Mu\u0308ller", diacritics="keep") == ["MÜLLER", "MÜLLER"]


def test_case_and_punctuation_can_be_kept() -> None:
    assert cleaned("name", "O'Brien-Lee", case="keep", punctuation="keep") == ["O'Brien-Lee"]
    assert cleaned("name", "O'Brien-Lee", punctuation="remove") == ["OBRIENLEE"]


def test_titles_and_particles_go_only_if_chosen_and_never_leave_nothing() -> None:
    names = ("Dr. Anna von der Heide", "Prof. Dr. med. Berg", "de la", "Dr", "van Gogh Jr.", "Vanessa", "Drake")
    assert cleaned("name", *names)[0] == "DR ANNA VON DER HEIDE"
    assert cleaned("name", *names, drop_titles=True, drop_particles=True) == [
        "ANNA HEIDE", "BERG", "DE LA", "DR", "GOGH", "VANESSA", "DRAKE",
    ]  # fmt: skip


def test_missing_words_are_the_stewards_choice() -> None:
    assert cleaned("name", "Null", "NA") == ["NULL", "NA"]
    assert cleaned("name", "Null", " na ", "Nadia", missing_words=("na", "n/a")) == ["NULL", "", "NADIA"]


def test_ids_keep_zeros_and_lose_what_only_looks() -> None:
    assert cleaned("id", "0012-3", "12 34", "ab 1", "272.0", "1.05", "1E5") == [
        "00123",
        "1234",
        "AB1",
        "272",
        "105",
        "1E5",
    ]


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("1986.0", "1986"), ("1986", "1986"), ("007", "7"), ("1,5", "1.5"), ("1.50", "1.5"), ("1.234,5", "1234.5"),
        ("1,234.5", "1234.5"), ("1,234,567", "1234567"), ("1 234,5", "1234.5"), ("1'234", "1234"), ("+5", "5"),
        ("-5.0", "-5"), ("-0", "0"), (",5", "0.5"), ("1,234", "1.234"), ("1.234", "1.234"), ("abc", "abc"), ("-", "-"),
        ("12a", "12a"), ("1e5", "1e5"),
    ],
)  # fmt: skip
def test_numbers(written: str, read: str) -> None:
    assert plain_number(written) == read


def test_a_table_becomes_fields_with_missing_marked() -> None:
    table = Table.of(["id", "Name", "Born"], [("1", "ann", "1.2.90"), ("2", " ", ""), ("3", "Ann", "1990-02-01")])
    fields = (Field.of("first"), Field.of("dob", "date"))
    made = clean(table, fields, {"first": "Name", "dob": "Born"})
    assert made.column("first").codes.tolist() == [0, -1, 0]
    assert list(made.column("dob").values) == ["19900201"]
    assert made.column("dob").codes.tolist() == [0, -1, 0]
    assert made.fields == fields
    with pytest.raises(Problem, match="Did you mean 'Name'"):
        clean(table, fields, {"first": "Nmae", "dob": "Born"})


def test_codes_that_were_missing_stay_missing() -> None:
    column = Column("a", np.array(["x"], dtype=object), np.array([0, -1], dtype=np.int32))
    assert clean(Table((column,)), [Field.of("a")], {}).column("a").codes.tolist() == [0, -1]


def test_before_and_after() -> None:
    table = Table.of(["n"], [("Ann",), ("Zoë-Li",), ("-",), ("ANN",)])
    (shown,) = before_after(table, [Field.of("n")], {})
    assert shown.changed == 3
    assert shown.emptied == 1
    assert ("Zoë-Li", "ZOE LI") in shown.examples


def test_letters_of_a_number_that_stood_apart_are_joined_as_if_they_never_had() -> None:
    number = Field("case", "id", Cleaning(unicode="NFC", diacritics="keep", punctuation="remove"))
    assert clean_values(np.array(["\u1100 \u1161", "A \u0301"], dtype=object), number) == ["\uac00", "\u00c1"]


def test_cancel_is_heard() -> None:
    table = Table.of(["n"], [(f"name {n}",) for n in range(50_000)])
    with pytest.raises(Cancelled):
        clean(table, [Field.of("n")], {}, Progress(cancelled=lambda: True))


STEPS = st.builds(
    Cleaning,
    unicode=st.sampled_from(["NFC", "NFKC"]),
    case=st.sampled_from(["upper", "keep"]),
    diacritics=st.sampled_from(["keep", "strip", "transliterate"]),
    punctuation=st.sampled_from(["keep", "space", "remove"]),
    drop_titles=st.booleans(),
    drop_particles=st.booleans(),
    day_order=st.sampled_from(["auto", "day-first", "month-first"]),
)
LETTERS = st.text(
    st.sampled_from(list("aA1 .-'/:,´¨ßẞıİſŉÄÅØłéσςΐǰﬀ\u0301\u0308\u0307\u200b\u00ad한ᄒ\u1161漢")), max_size=10
)
ANY = st.one_of(
    st.text(max_size=12), LETTERS, st.sampled_from(["Dr. von Berg", "1.2.90", "31/12/1990", "1986.0", "12 May 1990"])
)


@settings(max_examples=400, deadline=None)
@given(text=ANY, kind=st.sampled_from(KINDS), steps=STEPS)
def test_cleaning_is_idempotent_and_never_crashes(text: str, kind: str, steps: Cleaning) -> None:
    field = Field("f", kind, steps)  # type: ignore[arg-type]
    (once,) = clean_values(np.array([text], dtype=object), field)
    (twice,) = clean_values(np.array([once], dtype=object), field)
    assert once == twice
    assert once == once.strip()
    once.encode("utf-8")


@pytest.mark.slow
@settings(max_examples=20_000, deadline=None)
@given(text=ANY, kind=st.sampled_from(KINDS), steps=STEPS)
def test_cleaning_is_idempotent_thoroughly(text: str, kind: str, steps: Cleaning) -> None:
    field = Field("f", kind, steps)  # type: ignore[arg-type]
    (once,) = clean_values(np.array([text], dtype=object), field)
    assert clean_values(np.array([once], dtype=object), field) == [once]
    forms = [np.array([unicodedata.normalize(form, text)], dtype=object) for form in ("NFC", "NFD")]
    assert clean_values(forms[0], field) == clean_values(forms[1], field)


@settings(max_examples=300, deadline=None)
@given(text=ANY, steps=STEPS)
def test_composed_and_decomposed_text_clean_alike(text: str, steps: Cleaning) -> None:
    forms = [unicodedata.normalize(form, text) for form in ("NFC", "NFD")]
    assert one(forms[0], steps) == one(forms[1], steps)


@settings(max_examples=300, deadline=None)
@given(texts=st.lists(st.text(st.characters(max_codepoint=0x2FF), max_size=8), min_size=1, max_size=5), steps=STEPS)
def test_many_at_once_is_the_same_as_one_by_one(texts: list[str], steps: Cleaning) -> None:
    assert normalise(texts, steps) == [one(text, steps) for text in texts]


def test_date_report_of_a_column() -> None:
    proven = date_report(Column.of("d", ["01/02/1990", "13/02/1990", "13/02/1990", "x", ""]))
    assert (proven.order, proven.proven, proven.ambiguous, proven.only_day_first) == ("day-first", True, 1, 2)
    assert (proven.unparsed, proven.missing, proven.rows) == (1, 1, 5)
    assert "prove" in str(proven.sentence())


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        ("F M F", "F M F"), ("Female male FEMALE", "F M F"), ("2 1 2", "F M F"), ("w m d", "F M X"),
        ("weiblich männlich divers", "F M X"), ("Frau Herr Frau", "F M F"), ("Mujer Hombre", "F M"), ("M H M", "F M F"),
        ("H F", "M F"), ("K M", "F M"), ("V M", "F M"), ("Mrs Mr.", "F M"), ("K E", "F M"), ("unknown 9 0", "- - -"),
        ("HERMAPHRODITE F", "HERMAPHRODITE F"),
    ],
)  # fmt: skip
def test_words_for_the_sex_are_made_alike_whatever_the_language(cells: str, expected: str) -> None:
    table = Table.of(["sex"], [[cell] for cell in cells.split()])
    cleaned = clean(table, [Field.of("sex", "category")], {}).column("sex").cells()
    assert [cell or "-" for cell in cleaned] == expected.split()


def test_a_category_that_is_no_sex_keeps_its_words() -> None:
    table = Table.of(["group"], [["W"], ["2"]])
    assert clean(table, [Field.of("group", "category")], {}).column("group").cells() == ["W", "2"]
    kept = Field.of("sex", "category").with_cleaning(recode="keep")
    assert clean(table, [kept], {"sex": "group"}).column("sex").cells() == ["W", "2"]
