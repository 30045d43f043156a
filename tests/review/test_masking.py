"""What two cells show of each other: Table 1 of the paper, the display vectors, and the cases they leave out."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pprl_desktop.review.alignment import align, distance
from pprl_desktop.review.graphemes import display_width, graphemes
from pprl_desktop.review.marks import Level
from pprl_desktop.review.masking import Picture, allowed, draw, frequency_class, mask, mask_pair, next_level, shown

M, P, F = Level.MASKED, Level.PARTIAL, Level.FULL
CHECK = ("✓", "✓")


def pictures(type, a, b, level, cap="none", **more):
    drawing = draw(mask(type, a, b, **more), a, b, level, cap)
    return drawing.text(0), drawing.text(1)


VECTORS = (  # type, values, masked, partial (None: there is none)
    ("fixed", ("1742682819", "1742668281"), ("*********@", "*****&****"), ("*********9", "*****6****")),
    ("variable", ("SANCHEZ JR", "SANCHEZ"), ("*******@@@", "*******"), ("******* JR", "*******")),
    ("date", ("08/09/1964", "09/08/1964"), ("@@/&&/****", "&&/@@/****"), ("08/09/****", "09/08/****")),
    ("category", ("White", "Asian"), ("@", "&"), None),
    ("variable", ("Mary", "Mark"), ("***@", "***&"), ("***y", "***k")),
    ("variable", ("MARTHA", "MARHTA"), ("***@&*", "***&@*"), ("***TH*", "***HT*")),
    ("variable", ("JON", "JOHN"), ("***", "**&*"), ("***", "**H*")),
    ("variable", ("PAM", "PAMELA"), ("***", "***&&&"), ("***", "***ELA")),
    ("variable", ("SHIESHA", "SHAMEESHA"), ("**@****", "**&&&****"), ("**I****", "**AME****")),
    ("variable", ("AUSTIN", "AUTWELL"), ("@@@@@@", "&&&&&&&"), None),
    ("variable", ("ANN", "ANNABELLE"), ("@@@", "&&&&&&&&&"), None),
    ("variable", ("AB", "BA"), ("@&", "&@"), ("AB", "BA")),  # MINDFIRL calls this fully different
    ("variable", ("JO", "JO"), CHECK, None),
    ("variable", ("", "ANN"), ("?", "***"), None),
    ("date", ("12/28/1950", "12/28/1905"), ("**/**/**@&", "**/**/**&@"), ("**/**/**50", "**/**/**05")),
    ("date", ("12/27/1944", "12/27/1904"), ("**/**/**@*", "**/**/**&*"), ("**/**/**4*", "**/**/**0*")),
    ("date", ("01/02/1960", "02/01/1961"), ("@@/&&/***@", "&&/@@/***&"), ("01/02/***0", "02/01/***1")),
    ("date", ("10/01/1990", "09/19/1995"), ("@@/@@/@@@@", "&&/&&/&&&&"), None),
    ("date", ("10/01/1990", "09/19/1990"), ("@@/@@/****", "&&/&&/****"), ("10/01/****", "09/19/****")),
    ("date", ("07/04/1946", "07/04/1946"), CHECK, None),
    ("date", ("", "01/01/2000"), ("?", "**/**/****"), None),
    ("date", ("1964-08-09", "1964-09-08"), ("****-@@-&&", "****-&&-@@"), ("****-08-09", "****-09-08")),
    ("date", ("19640809", "19640908"), ("****@@&&", "****&&@@"), ("****0809", "****0908")),
    ("date", ("08091964", "09081964"), ("@@&&****", "&&@@****"), ("0809****", "0908****")),
    ("date", ("1964", "1946"), ("**@&", "**&@"), ("**64", "**46")),  # only a year: compared as text
    ("fixed", ("1000151475", "1000151575"), ("*******@**", "*******&**"), ("*******4**", "*******5**")),
    ("fixed", ("1530042971", "1350082931"), ("*@&**@**@*", "*&@**&**&*"), ("*53**4**7*", "*35**8**3*")),
    ("fixed", ("1234567890", "9876543210"), ("@" * 10, "&" * 10), None),
    ("fixed", ("12345", "1234"), ("@@@@@", "&&&&"), None),  # a fixed length that differs
)


@pytest.mark.parametrize(("type", "values", "masked", "partial"), VECTORS)
def test_vectors(type, values, masked, partial) -> None:
    assert pictures(type, *values, M) == masked
    made = mask(type, *values)
    assert made.has_partial == (partial is not None)
    if partial:
        assert pictures(type, *values, P) == partial
    assert pictures(type, *values, F) == tuple(value or "?" for value in values)


def test_the_shared_vectors_agree(shared_data: Path) -> None:
    data = json.loads((shared_data / "kapr_vectors.json").read_text(encoding="utf-8"))
    code = data["mindfirl_code_display_vectors"]
    compared = 0
    for type, vectors in (("variable", code["strings"]), ("date", code["dates"])):
        for vector in vectors:
            if (vector["a"], vector["b"]) == ("AB", "BA"):
                continue  # a fault of the released code, as the vectors say
            for level, name in ((M, "masked"), (P, "partial")):
                if vector[name]:
                    plain = tuple(re.sub(r"\[\w:(.*?)\]", r"\1", text).replace("check", "✓") for text in vector[name])
                    assert pictures(type, vector["a"], vector["b"], level) == plain
                    compared += 1
    assert compared > len(code["strings"]) + len(code["dates"]) - 2


def test_table_1_and_table_3_show_the_same_swap_differently() -> None:
    values = ("08/09/1964", "09/08/1964")
    assert pictures("date", *values, M, date_swap="digits") == ("*@/*&/****", "*&/*@/****")
    assert pictures("date", *values, P, date_swap="digits") == ("*8/*9/****", "*9/*8/****")


def test_an_inserted_character_leaves_an_aligned_gap_in_the_other_row() -> None:
    drawing = draw(mask("variable", "JON", "JOHN"), "JON", "JOHN", P, "none")
    assert "".join(glyph.text for glyph in drawing.above) == "** *"
    assert "".join(glyph.text for glyph in drawing.below) == "**H*"
    assert "".join(drawing.between) == "  + "
    assert [glyph.gap for glyph in drawing.above] == [False, False, True, False]


def test_first_and_last_name_changed_places_is_one_change() -> None:
    a, b = ("JASON", "BOYLE", "X"), ("BOYLE", "JASON", "X")
    first, last, other = mask_pair(("variable",) * 3, a, b, Picture(name_swaps=((0, 1),)))
    assert (first.kind, last.kind, other.kind) == ("swapped", "swapped", "identical")
    assert draw(first, a[0], b[0], M, "none").text(0) == draw(last, a[1], b[1], M, "none").text(1) == "@@@@@"
    assert draw(first, a[0], b[0], M, "none").text(1) == draw(last, a[1], b[1], M, "none").text(0) == "&&&&&"
    assert next_level(first, M, "none") == F
    same_twice = mask_pair(("variable",) * 2, ("ANN", "ANN"), ("ANN", "ANN"), Picture(name_swaps=((0, 1),)))
    assert [m.kind for m in same_twice] == ["identical", "identical"]


def test_caps() -> None:
    ids = mask("fixed", "1000151475", "1000157575")
    assert [allowed(ids, F, cap) for cap in ("none", "never", "partial", "last4")] == [F, M, P, F]
    assert draw(ids, "1000151475", "1000157575", F, "last4").text(0) == "******1475"
    assert draw(ids, "1000151475", "1000157575", P, "last4").text(0) == "******14**"
    assert next_level(ids, P, "partial") is None
    assert next_level(ids, M, "never") is None
    different = mask("variable", "AUSTIN", "WELLER")
    assert next_level(different, M, "partial") is None
    assert draw(different, "AUSTIN", "WELLER", F, "never").text(0) == "@@@@@@"


def test_levels_that_show_nothing_new_are_skipped() -> None:
    assert next_level(mask("variable", "JO", "JO"), M, "none") == F
    assert next_level(mask("variable", "AB", "BA"), P, "none") is None
    assert next_level(mask("category", "W", "A"), M, "none") == F
    assert next_level(mask("variable", "", ""), M, "none") is None
    assert next_level(mask("variable", "", "ANN"), M, "none") == F
    assert allowed(mask("category", "W", "A"), P, "none") == M


def test_a_category_never_shows_how_long_it_is() -> None:
    assert pictures("category", "White", "", M) == ("*", "?")
    assert pictures("category", "White", "African American", M) == ("@", "&")
    assert pictures("category", "White", "", F) == ("White", "?")


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("Zoe\u0308", ("Z", "o", "ë")),
        ("q\u0323\u0307a", ("q\u0323\u0307", "a")),
        ("👩‍⚕️x", ("👩‍⚕️", "x")),
        ("👍🏽", ("👍🏽",)),
        ("🇩🇪🇫🇷", ("🇩🇪", "🇫🇷")),
        ("\u1112\u1161\u11ab", ("한",)),
        ("\u1112\u1161\u1161x", ("\ud558\u1161", "x")),
        ("a\r\nb", ("a", "\r\n", "b")),
        ("王小明", ("王", "小", "明")),
        ("नि", ("नि",)),
        ("", ()),
    ],
)
def test_text_is_cut_where_readers_cut_it(text, parts) -> None:
    assert graphemes(text) == parts


def test_marks_never_split_a_character() -> None:
    a, b = "q\u0323\u0307uinn", "q\u0323uinn"
    assert pictures("variable", a, b, M) == ("@****", "&****")
    assert pictures("variable", a, b, P) == ("q\u0323\u0307****", "q\u0323****")
    assert display_width("王é") == 3


def test_frequency_classes() -> None:
    assert [frequency_class(n) for n in (1, 2, 5, 6, 100, 101)] == [
        "unique", "rare", "rare", "common", "common", "very common",
    ]  # fmt: skip


TEXT = st.text(alphabet="ABCÉ\u0301 1", max_size=7)


@given(TEXT, TEXT)
def test_an_alignment_costs_the_edit_distance_and_covers_both_texts(a: str, b: str) -> None:
    x, y = graphemes(a), graphemes(b)
    marks = align(x, y)
    edits = sum({"same": 0, "transpose": 0.5}.get(mark.kind, 1) for mark in marks)
    assert edits == distance(x, y)
    assert [mark.a for mark in marks if mark.a is not None] == list(range(len(x)))
    assert [mark.b for mark in marks if mark.b is not None] == list(range(len(y)))
    assert all(x[mark.a] == y[mark.b] for mark in marks if mark.kind == "same")


TYPE = st.sampled_from(["fixed", "variable", "date", "category"])
CAP = st.sampled_from(["none", "never", "partial", "last4"])
DATE = st.from_regex(r"[01][0-9]/[01][0-9]/19[56][0-9]", fullmatch=True)


@given(TYPE, st.one_of(TEXT, DATE), st.one_of(TEXT, DATE), CAP)
def test_a_higher_level_never_shows_less_and_never_more_than_the_cap(type, a, b, cap) -> None:
    made = mask(type, a, b)
    for row, text in enumerate((a, b)):
        sets = [shown(made, level, cap, row) for level in Level]
        assert sets[0] == frozenset()
        assert sets[0] <= sets[1] <= sets[2] <= made.positions(row)
        assert cap != "never" or not sets[2]
        assert cap != "last4" or len(sets[2]) <= 4
        for level in Level:
            drawing = draw(made, a, b, level, cap)
            assert len(drawing.above) == len(drawing.below) == len(drawing.between)
            letters = [g.text for g in (drawing.above, drawing.below)[row] if g.open]
            cut = graphemes(text)
            assert letters == [cut[place] for place in sorted(sets[level])]
