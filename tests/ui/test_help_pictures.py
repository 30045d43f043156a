"""The help shows pages of the window, in the reader's language and palette, with words beside every picture."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtGui import QImage, QTextDocument
from PySide6.QtWidgets import QApplication

from pprl_desktop import resources
from pprl_desktop.ui import help_pictures
from pprl_desktop.ui.kit import i18n, theme
from pprl_desktop.ui.panes.help import PAGES
from pprl_desktop.ui.shell.help_panel import HelpText, page_text
from pprl_desktop.ui.shell.main_window import MainWindow
from tests.packaging.loading import load

WITHOUT = {"introduction", "glossary", "threat_model", "blind"}  # about the whole, not about a page
PICTURE = re.compile(r"!\[([^\]]*)\]\(([^)]+)\)")


@pytest.fixture(autouse=True)
def _english_and_light_again(qapp: QApplication) -> Iterator[None]:
    yield
    i18n.install(None, "en")
    theme.apply(qapp, "light")


def placed(text: HelpText) -> list[str]:
    return [form.name() for _, form in help_pictures._pictures(text.document())]


def pages() -> list[Path]:
    found = [path for room in ("help", "guides") for path in (resources.root() / room).rglob("*.md")]
    return [path for path in sorted(found) if "![" in path.read_text(encoding="utf-8")]


def test_every_page_about_a_page_shows_it() -> None:
    for language in ("en", "de"):
        shown = {path.stem for path in pages() if path.parent.name == language and path.parent.parent.name == "help"}
        assert shown == set(PAGES) - WITHOUT


@pytest.mark.parametrize("path", pages(), ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_each_picture_has_words_and_is_there_in_both_palettes(path: Path) -> None:
    pictures = PICTURE.findall(path.read_text(encoding="utf-8"))
    assert pictures
    for words, target in pictures:
        assert len(words) > 20
        light = (path.parent / target).resolve()  # so that the page can be read on a web page too
        assert light.parts[-3:-1] == (path.parent.name, "light")
        for file in (light, light.parent.parent / "dark" / light.name):
            assert file.stat().st_size < load("make_help_pictures").MOST
            assert QImage(str(file)).size().toTuple() == (1024, 700)
        dark = QImage(str(light.parent.parent / "dark" / light.name))
        assert dark.pixelColor(4, 690).lightness() < 60 < QImage(str(light)).pixelColor(4, 690).lightness()


def test_a_picture_is_as_wide_as_the_text_and_has_a_caption(window: MainWindow) -> None:
    for wide in (1000, 1440):
        window.resize(wide, 800)
        window.show_help("match")
        text = window.help.text
        (form,) = [form for _, form in help_pictures._pictures(text.document())]
        assert form.width() <= text.viewport().width()
        assert form.width() > 0.8 * text.viewport().width()
        assert form.height() == round(form.width() * 700 / 1024)
        assert text.horizontalScrollBar().maximum() == 0
        assert "The scores with the two lines" in text.toPlainText()
        stored = text.document().resource(help_pictures._IMAGE, QUrl(form.name()))
        assert stored.width() >= form.width()


def test_language_and_palette_are_the_readers(qapp: QApplication) -> None:
    theme.apply(qapp, "dark")
    i18n.install(None, "de")
    path = help_pictures.picture_path("match")
    assert path is not None
    assert path.parts[-3:] == ("de", "dark", "match.png")
    i18n.install(None, i18n.PSEUDO)
    path = help_pictures.picture_path("match")
    assert path is not None
    assert path.parts[-3:] == ("en", "dark", "match.png")


def test_a_click_enlarges_and_other_pages_are_still_linked(
    window: MainWindow, qtbot, monkeypatch: pytest.MonkeyPatch
) -> None:  # type: ignore[no-untyped-def]
    text = window.help.text
    text.show_text(page_text("method"))
    assert placed(text) == ["picture:method"]
    asked: list[str] = []
    monkeypatch.setattr(text, "enlarge", asked.append)
    text.anchorClicked.emit(QUrl("picture:method"))
    assert asked == ["method"]
    monkeypatch.undo()
    dialog = text.enlarge("method")
    qtbot.addWidget(dialog)
    assert dialog.picture.pixmap().width() > 400
    assert dialog.picture.accessibleName() == dialog.windowTitle() != ""
    with qtbot.waitSignal(text.page_asked):
        text.anchorClicked.emit(QUrl("threat_model.md"))
    dialog.accept()


def test_a_search_looks_through_words_not_through_file_names(window: MainWindow) -> None:
    window.show_pane("help")
    pane = window.pane()
    for words, shown in (("two lines", True), (".png", False)):
        pane.search.setText(words)
        hidden = [pane.list.item(number).isHidden() for number in range(pane.list.count())]
        assert all(hidden) is not shown


def test_a_page_without_its_picture_is_just_text(
    open_window: Callable[..., MainWindow], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(help_pictures, "picture_path", lambda name: None)
    text = open_window().help.text
    text.show_text(page_text("method"))
    assert placed(text) == []
    assert "\ufffc" not in text.toPlainText()


def test_a_damaged_picture_is_left_out(qtbot, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    torn = tmp_path / "torn.png"
    torn.write_bytes(resources.find("help", "pictures", "en", "light", "data.png").read_bytes()[:40])
    monkeypatch.setattr(help_pictures, "picture_path", lambda _name: torn)
    document = QTextDocument()
    document.setMarkdown("before ![words](../pictures/en/light/data.png) after")
    help_pictures.place(document, 300, 1.0)
    assert "words" in document.toPlainText()
