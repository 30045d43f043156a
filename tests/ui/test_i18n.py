"""Every text on the screen can be translated, and German is complete."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from pprl_desktop import resources
from pprl_desktop.privacy.statements import statement
from pprl_desktop.project.steps import STEPS
from pprl_desktop.rehearsal.rehearse import rehearse
from pprl_desktop.said import Said
from pprl_desktop.ui.kit import i18n
from tests.privacy.people import people, recipe, short

UI = Path(i18n.__file__).parent.parent
CALLS = {"tr": 1, "tr_n": 2}
NAMED_CHANGES = {"change", "_keep"}


def _calls() -> Iterator[tuple[str, str, ast.Call]]:
    for path in sorted(UI.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                func = node.func
                name = func.id if isinstance(func, ast.Name) else func.attr if isinstance(func, ast.Attribute) else ""
                yield path.name, name, node


def texts() -> set[str]:
    found = {step.title.template for step in STEPS}
    for _file, name, node in _calls():
        wanted = CALLS.get(name, 1 if name in NAMED_CHANGES else 0)
        for argument in node.args[:wanted]:
            if isinstance(argument, ast.Constant) and isinstance(argument.value, str) and argument.value:
                found.add(argument.value)
    return found


@pytest.fixture
def german() -> dict[str, str]:
    return json.loads(resources.find("i18n", "de.json").read_text(encoding="utf-8"))


@pytest.fixture(autouse=True)
def _back_to_english() -> Iterator[None]:
    yield
    i18n.install(None, "en")


def test_german_has_every_text_of_the_window(german: dict[str, str]) -> None:
    assert sorted(texts() - set(german)) == []


def test_values_in_a_sentence_are_translated_where_they_are_words_and_kept_where_they_are_names() -> None:
    i18n.install(None, "de")
    said = i18n.tr_core(Said("The partner could name at least {n} of 100 records by last name.", n=34.5))
    assert said == "Der Partner könnte mindestens 34,5 von 100 Datensätzen mit Nachnamen benennen."
    unmapped = Said("The field '{name}' is mapped to no reference attribute.", name="all pairs")
    assert "„all pairs“" in i18n.tr_core(unmapped)


ENGLISH = re.compile(
    r"\b(the|of|with|and|records|would|only|from|is|are|per|not|that|their|which|each|can|but)\b", re.I
)


@pytest.mark.parametrize(("name", "settings"), [("split", {}), ("bloom", {}), ("simhash", {"epsilon": 2.0})])
def test_what_the_rehearsal_and_the_statement_say_is_german_to_the_last_word(
    name: str, settings: dict[str, object]
) -> None:
    """Sentences within sentences: only real ones show whether every part of them was found."""
    i18n.install(None, "de")
    table, made = people(40), recipe(name, **settings)  # type: ignore[arg-type]
    found, said = rehearse(table, made, dictionary=short(table), sample=40), statement(made, 1000)
    texts = [*found.sentences(), *(one.sentence for one in found.changes), *found.notes, said.summary, *said.sentences]
    assert len(found.changes) > 1
    assert [text for text in map(i18n.tr_core, texts) if ENGLISH.search(text)] == []


def test_no_sentence_is_built_up_from_parts() -> None:
    """tr() takes a whole text: an f-string or a sum could not be translated."""
    wrong = [
        f"{file}:{node.lineno}"
        for file, name, node in _calls()
        if name in CALLS
        for argument in node.args[: CALLS[name]]
        if isinstance(argument, ast.JoinedStr | ast.BinOp)
    ]
    assert not wrong


def test_texts_for_people_pass_through_tr() -> None:
    """Labels, buttons and cards get no bare English words."""
    makers = {"label", "button", "Card", "EmptyState", "labelled", "Banner", "setPlaceholderText", "setToolTip"}
    wrong = []
    for file, name, node in _calls():
        if name not in makers:
            continue
        for argument in node.args:
            text = argument.value if isinstance(argument, ast.Constant) else None
            if isinstance(text, str) and re.search(r"[A-Za-z]{3,} [A-Za-z]{2,}", text):
                wrong.append(f"{file}:{node.lineno} {text}")
    assert not wrong


def test_numbers_and_lengths_follow_the_language() -> None:
    assert i18n.number(12480) == "12,480"
    i18n.install(None, "de")
    assert i18n.number(12480) == "12.480"
    assert i18n.number(0.5, 2) == "0,50"


def test_the_pseudo_locale_is_about_40_percent_longer() -> None:
    source = "Nothing leaves this computer until you send a file yourself."
    i18n.install(None, i18n.PSEUDO)
    assert 1.3 * len(source) < len(i18n.tr(source)) < 1.6 * len(source)
    assert i18n.tr("{n} rows", n=3).count("3") == 1


def test_every_help_page_is_there_in_both_languages() -> None:
    english = {path.name for path in (resources.root() / "help" / "en").glob("*.md")}
    german = {path.name for path in (resources.root() / "help" / "de").glob("*.md")}
    assert english == german
    from pprl_desktop.ui.panes.help import PAGES

    assert {f"{page}.md" for page in PAGES} == english


def test_links_in_help_pages_lead_somewhere() -> None:
    from pprl_desktop.ui.shell.help_panel import page_path

    links = [
        (path.name, target)
        for path in (resources.root() / "help").rglob("*.md")
        for target in re.findall(r"\]\(([\w-]+)\.md\)", path.read_text(encoding="utf-8"))
    ]
    assert links
    assert [link for link in links if page_path(link[1]) is None] == []
