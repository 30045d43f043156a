"""One record is not "1 records": every number that may be one goes with a form of its own, in English and German."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest

from pprl_desktop.languages import catalogue, language
from pprl_desktop.said import ENGLISH, Language, Said
from tests.templates import called, given, templates

FORMS = re.compile(r"\{\w+\|(?:[^{}]|\{\w+\})*\}")
COUNTED = re.compile(
    r"\{(\w+)(?::count)?\}\s+(?:(?:of|your|own|such|more|other|open|equal|longer|new|same|sealed|blind|unsure|uncertain)\s+)?"
    r"(?:records|rows|pairs|links|files|fields|columns|values|cells|people|questions|guesses|groups|characters|letters|"
    r"numbers|entries|copies|minutes|hours|seconds|days|reviewers|decisions|points|blocks|lines|words|workers|threads|"
    r"tokens|sheets|parties|partners|answers|releases|bundles|remarks|dates|openings|comparisons|decoys|bars|shares|runs|"
    r"keys|projects|tables|matches|deliveries|contacts|were|are|have)\b"
)
# limits of this program, and figures of a method: none of them is ever one
LIMITS = {
    "most", "longest", "longest_record", "usual_longest", "max_letters", "max_reason", "shortest", "kappa", "size",
    "guesses", "queries", "points", "widest", "most_fields", "tries", "bands", "length", "largest",
}  # fmt: skip
# of a whole table, or of what does not fit into memory
WHOLE = {
    "rows", "rows_found", "of", "all", "sent", "declared", "total", "found", "skipped", "seen",
    "passing", "sum", "own", "passing2", "held", "blanks",
}  # fmt: skip
# number or not, here it is more than one, or a name
MORE = (
    "; at most {n} records of one", "<b>1 You ask, 2 {partner}", "<b>Blind answers</b>", "A question about",
    "All lines have", "Also, {who}", "An answer about", "At least {n} are", "At most, whatever", "First file:",
    "It holds more than {n}", "Measured on your own", "Nobody seems", "One file with", "Opens the {above}",
    "Second file:", "The links of {name}", "With fewer than {n}", "answer to a blind", "ledger: {entries}",
    "{asks} asks", "{count} come from", "{count} words are", "{field}: {share}", "{method}:",
    "{more} fields instead", "{name}: the answer", "{n|One link|{n} links} between", "{n} bars", "{n} hours",
    "{n} minutes", "{n} numbers in all", "{n} questions, filled", "{n} records · fing", "{n} seconds",
    "The proposal allows {count}", "Files for {n|one reviewer", "{name}: all {records}",
    "{one} and {other}", "{others} other partners", "{party} would have", "{people|One person", "{wrong} links",
)  # fmt: skip


def for_many() -> set[str]:
    """The second of two texts, which is never shown with one."""
    calls = {place.call for place in given() if called(place.call) == "tr_n"}
    return {one.args[1].value for one in calls if isinstance(one.args[1], ast.Constant)}  # type: ignore[misc]


def counting() -> Iterator[tuple[str, str]]:
    many = for_many()
    for where, template in templates():
        for place in COUNTED.finditer(FORMS.sub("~", template)):
            if template not in many and place[1] not in LIMITS | WHOLE:
                yield where, template


def test_a_number_that_may_be_one_has_a_form_for_one() -> None:
    wrong = [f"{where}: {template}" for where, template in counting() if not template.startswith(MORE)]
    assert not wrong


def test_the_list_of_those_that_are_never_one_names_nothing_else() -> None:
    found = [template for _where, template in counting()]
    assert [start for start in MORE if not any(template.startswith(start) for template in found)] == []


def test_no_text_leaves_the_form_to_the_reader() -> None:
    texts = {template for _where, template in templates()} | set(catalogue("de").values())
    assert [text for text in texts if re.search(r"\w\((s|es|e|n|en|er|r)\)", text)] == []


@pytest.mark.parametrize("words", [ENGLISH, language("de")], ids=["en", "de"])
def test_with_one_nothing_is_in_the_plural(words: Language) -> None:
    """Every form for one is said with one: neither language leaves a 1 before a word in the plural."""
    plural = re.compile(
        r"\b1 (records|rows|pairs|links|files|people|cells|lines|groups|Datensätze\w*|Zeilen|Paare\w*|Verknüpfungen|"
        r"Dateien|Personen|Zellen|Gruppen)\b"
    )
    wrong = []
    for _where, template in templates():
        numbers = {place[1:].split("|")[0] for place in FORMS.findall(template)}
        said = Said(template, **dict.fromkeys(numbers, 1)).words(words) if numbers else ""
        if plural.search(said):
            wrong.append(said)
    assert not wrong
