"""A sentence is a value: it keeps its template and what stands in it, and becomes words in the reader's language."""

from __future__ import annotations

import ast
import copy
import json
import pickle
import re
from dataclasses import asdict, dataclass, replace
from datetime import date
from pathlib import Path

import pytest

import pprl_desktop
from pprl_desktop.languages import language
from pprl_desktop.problem import Problem
from pprl_desktop.said import (
    ENGLISH,
    NOTHING,
    PLACE,
    Language,
    Said,
    from_plain,
    names_in,
    sentences,
    to_plain,
)
from tests.templates import given, templates

GERMAN = language("de")


def _with(**translations: str) -> Language:
    return replace(GERMAN, sentences=translations)


def _german(english: str, german: str) -> Language:
    return replace(GERMAN, sentences={english: german})


@pytest.mark.parametrize(
    ("template", "value", "english", "german"),
    [
        ("{x}", 12480, "12,480", "12.480"),
        ("{x:plain}", 1904, "1904", "1904"),
        ("{x:count}", 1234.6, "1,235", "1.235"),
        ("{x:decimals 2}", 0.5, "0.50", "0,50"),
        ("{x:figures 4}", 0.123456, "0.1235", "0,1235"),
        ("{x:percent 1}", 0.345, "34.5%", "34,5\u00a0%"),
        ("{x}", 0.5, "0.5", "0,5"),
        ("{x:date}", "2026-11-17T10:00:00+00:00", "17 November 2026", "17. November 2026"),
        ("{x:date}", date(2026, 3, 1), "1 March 2026", "1. März 2026"),
        ("{x}", "last_name 1.5", "last_name 1.5", "last_name 1.5"),
        ("{x}", ("a", 1000), "a, 1,000", "a, 1.000"),
        ("{x:and}", ("a", "b", "c"), "a, b and c", "a, b und c"),
        ("{x:or}", ("a",), "a", "a"),
    ],
)
def test_values_are_written_as_the_language_writes_them(
    template: str, value: object, english: str, german: str
) -> None:
    said = Said(template, x=value)  # type: ignore[arg-type]
    assert str(said) == said.words(ENGLISH) == english
    assert said.words(GERMAN) == german


def test_a_translation_says_the_names_only_and_may_turn_their_order_round() -> None:
    said = Said("{share:percent} of '{name}'", share=0.25, name="sex")
    assert said.words(_german(said.template, "„{name}“: {share}")) == "„sex“: 25\u00a0%"


def test_a_sentence_within_a_sentence_is_translated_and_a_name_that_reads_like_one_is_not() -> None:
    both = replace(GERMAN, sentences={"It is {what}.": "Es ist {what}.", "a folder": "ein Ordner"})
    assert Said("It is {what}.", what=Said("a folder")).words(both) == "Es ist ein Ordner."
    assert Said("It is {what}.", what="a folder").words(both) == "Es ist a folder."
    assert Said("It is {what}.", what=[Said("a folder"), "x"]).words(both) == "Es ist ein Ordner, x."


def test_the_form_goes_with_the_number_in_every_language() -> None:
    said = Said("{n} {n|row is|rows are} short", n=1)
    assert str(said) == "1 row is short"
    assert str(Said(said.template, n=1200)) == "1,200 rows are short"
    named = Said("{n|Line {which} is|{n} lines ({which}) are} short", n=1, which=[3])
    assert str(named) == "Line 3 is short"
    assert str(Said(named.template, n=2, which=[3, 5])) == "2 lines (3, 5) are short"
    assert names_in(named.template) == {"n", "which"}

    def polish(n: float) -> int:
        few = n % 10 in (2, 3, 4) and n % 100 not in (12, 13, 14)
        return 0 if n == 1 else 1 if few else 2

    three = Language("pl", form=polish, sentences={said.template: "{n} {n|wiersz|wiersze|wierszy}"})
    assert [Said(said.template, n=n).words(three) for n in (1, 3, 5, 12, 22)] == [
        "1 wiersz", "3 wiersze", "5 wierszy", "12 wierszy", "22 wiersze",
    ]  # fmt: skip


def test_several_sentences_are_one() -> None:
    assert str(sentences("One.", NOTHING, Said("Two {n}.", n=2))) == "One. Two 2."
    assert sentences(NOTHING, "One.") == Said("One.")
    assert not sentences()


def test_a_sentence_is_one_value_wherever_it_is_carried() -> None:
    said = Said("{n} {n|row|rows}", n=2)
    for other in (copy.deepcopy(said), pickle.loads(pickle.dumps(said)), Said("{n} {n|row|rows}", n=2)):
        assert other == said
        assert hash(other) == hash(said)
    with pytest.raises(AttributeError):
        said.template = "x"

    @dataclass(frozen=True)
    class Result:
        note: Said

    assert asdict(Result(said)) == {"note": said}


def test_a_file_holds_the_template_and_the_values_and_any_language_reads_them() -> None:
    said = Said("{n} {n|column has|columns have} no name (number {which}).", n=2, which=[4, Said("a folder")])
    plain = json.loads(json.dumps(to_plain(said)))
    assert "2 columns" not in json.dumps(plain)
    assert from_plain(plain) == said
    assert from_plain(plain).words(GERMAN).startswith("2 Spalten haben keinen Namen")


def test_an_old_file_with_finished_words_is_quoted_and_a_forged_one_does_no_harm() -> None:
    assert str(from_plain("Recall: about 97 %.")) == "“Recall: about 97 %.”"
    assert from_plain("Recall: about 97 %.").words(GERMAN) == "„Recall: about 97 %.“"
    assert not from_plain("")
    assert str(from_plain({"said": "{a.__class__} {b}", "with": {"b": None}})) == "{a.__class__} null"
    assert str(from_plain([1])) == "“1”"
    deep: object = "x"
    for _ in range(50):
        deep = {"said": "{a}", "with": {"a": deep}}
    assert str(from_plain(deep)) == "…"


def test_a_value_that_is_missing_leaves_its_place_to_be_seen() -> None:
    assert str(Said("{a} and {b}", a=1)) == "1 and {b}"


def test_a_problem_is_three_sentences() -> None:
    problem = Problem(Said("'{name}' is a folder.", name="x.csv"), "", "Choose a CSV file in it.")
    assert str(problem) == "'x.csv' is a folder. Choose a CSV file in it."
    assert problem.sentence().words(GERMAN) == "„x.csv“ ist ein Ordner. Wählen Sie eine CSV-Datei darin."
    assert problem.as_dict()["what"] == "'x.csv' is a folder."


WORDS = re.compile(r"[A-Za-z]{2}")


def test_german_has_every_template_of_the_source() -> None:
    assert len(set(templates())) > 1000
    wanted = [f"{where} {one!r}" for where, one in templates() if WORDS.search(PLACE.sub("", one))]
    assert [one for one in wanted if ast.literal_eval(one.split(" ", 1)[1]) not in GERMAN.sentences] == []


def test_german_has_nothing_that_the_source_does_not_say() -> None:
    """A sentence that is gone, above all one that was untrue, stays in no catalogue."""
    said = set()
    for path in Path(pprl_desktop.__file__).parent.rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        said |= {one.value for one in ast.walk(tree) if isinstance(one, ast.Constant)}
    assert [one for one in GERMAN.sentences if one not in said] == []


def test_a_translation_has_the_names_of_its_template_and_forms_for_every_plural() -> None:
    wrong = []
    for english, german in GERMAN.sentences.items():
        forms = [len(place[4].split("|")) - 1 for place in PLACE.finditer(german) if place[4]]
        if names_in(english) != names_in(german) or any(n != 2 for n in forms):
            wrong.append(english)
        if english.count("&") != german.count("&") or PLACE.sub("", german).count("{"):
            wrong.append(english)
    assert wrong == []


def test_every_value_of_a_template_is_given() -> None:
    wrong = []
    for place in given():
        if place.name != "Said" or not isinstance(place.node, ast.Constant):
            continue
        names = {one.arg for one in place.call.keywords}
        if None not in names and names != names_in(place.node.value):
            wrong.append(f"{place.where} {place.node.value!r}: {sorted(map(str, names))}")
    assert wrong == []


def test_no_template_is_built_up_from_parts() -> None:
    """An f-string, a sum or str.format() in place of a template could not be translated."""
    wrong = [
        place.where
        for place in given()
        if isinstance(place.node, ast.JoinedStr | ast.BinOp)
        or (isinstance(place.node, ast.Call) and getattr(place.node.func, "attr", "") in ("format", "join"))
    ]
    assert wrong == []
