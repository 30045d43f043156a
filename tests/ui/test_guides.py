"""Guides and help speak the words of the screen: every button and page that they name is one the window shows."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from pprl_desktop import cli, resources
from pprl_desktop.codes.base import REGISTRY, method
from pprl_desktop.project.steps import STEPS
from tests.ui.test_i18n import texts

LANGUAGES = ("en", "de")
BOLD = re.compile(r"\*\*(.+?)\*\*")
NAME = re.compile(r"(?<!\*)\*(?!\*)(.+?)(?<!\*)\*(?!\*)")  # *in italics*, not **bold**
DECORATION = re.compile(r"^[●○◐✓×◆ ]+|[&]|[ …]+$")


def read(room: str, language: str, name: str) -> str:
    return (resources.root() / room / language / f"{name}.md").read_text(encoding="utf-8")


def german() -> dict[str, str]:
    return dict(json.loads(resources.find("i18n", "de.json").read_text(encoding="utf-8")))


def on_screen(language: str) -> set[str]:
    """What buttons, cards and pages are called, without mnemonics, marks and dots."""
    shown = texts() | {method(name).title.template for name in REGISTRY}
    if language == "de":
        words = german()
        shown = {words[text] for text in shown if text in words}
    return {DECORATION.sub("", text) for text in shown}


def step_titles(language: str) -> list[str]:
    words = german() if language == "de" else {}
    return [words.get(step.title.template, step.title.template) for step in STEPS]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_button_and_page_in_the_quick_guide_is_on_the_screen(language: str) -> None:
    named = {DECORATION.sub("", name) for name in NAME.findall(read("guides", language, "ten_minutes"))}
    assert len(named) >= 18
    assert sorted(named - on_screen(language)) == []


# in italics because they matter, not because something is called so
STRESSED = {
    "en": {
        "card", "same bytes", "next delivery", "decoys", "question", "reference distances", "new",
        "also where only a third party links them", "not from the partner", "compared", "into the result",
        "record number", "and", "confirmed", "before", "which of its pseudonyms", "whole", "per edit and distance",
        "per query", "per record", "Distances to a public reference set", "Codes made with the shared secret",
    },
    "de": {
        "Karte", "dieselben Bytes", "nächsten Lieferung", "neue", "auch wo nur Dritte sie verknüpfen",
        "nicht vor dem Partner", "verglichen", "ins Ergebnis", "und", "bestätigt", "bevor",
        "welche seiner Pseudonyme", "ganzen", "je Änderung und Abstand", "je Anfrage", "je Datensatz",
        "Abstände zu einer öffentlichen Referenzmenge", "Mit dem gemeinsamen Geheimnis gebildete Codes",
    },
}  # fmt: skip


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_button_and_heading_that_a_help_page_names_is_on_the_screen(language: str) -> None:
    pages = [path for room in ("help", "guides") for path in (resources.root() / room / language).glob("*.md")]
    named = {
        DECORATION.sub("", name)
        for path in pages
        for name in NAME.findall(re.sub(r"`[^`]*`", "", path.read_text(encoding="utf-8")))
    }
    assert sorted(named - STRESSED[language] - on_screen(language)) == []
    assert sorted(STRESSED[language] - named) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_quick_guide_and_the_introduction_walk_the_steps_in_their_order(language: str) -> None:
    titles = step_titles(language)
    bold = [name.rstrip(".") for name in BOLD.findall(read("guides", language, "ten_minutes"))]
    walked = [name for name in bold if name in titles]
    assert walked == [title for title in titles if title != titles[8]]  # the review is told of in a sentence
    numbered = re.findall(r"^\d+\. \*\*(.+?)\.?\*\*", read("help", language, "introduction"), re.MULTILINE)
    assert [name.rstrip(".") for name in numbered] == titles


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_words_are_in_the_order_of_the_alphabet(language: str) -> None:
    found = [name.casefold().replace("ü", "u") for name in BOLD.findall(read("help", language, "glossary"))]
    assert found == sorted(found)
    assert len(found) >= 25


def test_both_languages_explain_as_many_words_and_hold_the_same_parts() -> None:
    words = [len(BOLD.findall(read("help", language, "glossary"))) for language in LANGUAGES]
    assert abs(words[0] - words[1]) <= 2
    for guide in ("ten_minutes", "data_protection"):
        shapes = [
            [line.split(" ")[0] for line in read("guides", language, guide).splitlines() if line[:1] in "#|-!"]
            for language in LANGUAGES
        ]
        assert [len(shape) for shape in shapes] == [len(shapes[0])] * 2


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_command_in_the_guides_is_a_verb(language: str) -> None:
    pages = [path for room in ("help", "guides") for path in (resources.root() / room / language).glob("*.md")]
    verbs = {word for path in pages for word in re.findall(r"`pprl-desktop ([a-z]+)", path.read_text(encoding="utf-8"))}
    assert {"report", "releases"} <= verbs
    assert verbs <= set(cli.VERBS)


def test_the_readme_names_files_and_commands_that_exist() -> None:
    root = Path(__file__).resolve().parent.parent.parent
    text = (root / "README.md").read_text(encoding="utf-8")
    targets = re.findall(r"\]\(([\w./-]+)\)", text)
    verbs = set(re.findall(r"pprl-desktop ([a-z]+)(?: |$|`)", text, re.MULTILINE))
    assert targets
    assert [target for target in targets if not (root / target).exists()] == []
    assert "demo" in verbs
    assert verbs <= set(cli.VERBS)
