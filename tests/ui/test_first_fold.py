"""Title, the one number and the buttons that decide are in sight without scrolling, on every page in every state, and
Alt with a letter leads to one place there."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QRect
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QWidget

from pprl_desktop.ui import scenes
from pprl_desktop.ui.kit import i18n
from pprl_desktop.ui.panes.base import Pane
from pprl_desktop.ui.shell.main_window import MainWindow
from pprl_desktop.ui.widgets.paper import PaperView
from tests.ui.test_spoken import double_keys

SCREEN = (1020, 664)  # what title bar and edges of a window leave of a screen of 1024 x 700
ROOM = 2  # px
DECIDES = ("primary", "clear", "danger")  # kinds of buttons
QUICK = (
    "contacts-empty", "contacts-nobody", "data-empty", "data-refused", "data-remarks", "fields-twice",
    "agreement-nobody", "post-empty",
    "releases-empty", "groups-empty", "other_tools-empty", "settings-refused", "contacts-locked", "contacts-compare",
    "agreement-propose", "agreement-locked", "agreement-wrong-passphrase", "groups-making",
)  # fmt: skip
LANGUAGES = ("en", "de")


@pytest.mark.parametrize("language", LANGUAGES)
def test_in_the_states_before_anything_is_agreed(language: str, tmp_path: Path, qapp, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    assert wrong_in(language, tmp_path, monkeypatch, QUICK) == {}


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
def test_in_every_state_there_is(language: str, tmp_path: Path, qapp, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    assert wrong_in(language, tmp_path, monkeypatch, scenes.NAMES) == {}


def wrong_in(language: str, folder: Path, monkeypatch, wanted: Collection[str]) -> dict[str, list[str]]:  # type: ignore[no-untyped-def]
    from pprl_desktop.ui.app import make_application, make_window

    for name in ("PPRL_DESKTOP_SETTINGS", "PPRL_HOME", "PPRL_STATE"):
        monkeypatch.setenv(name, str(folder / name))
    app = make_application()
    window = make_window(app, ("--light", f"--language={language}"))
    found: dict[str, list[str]] = {}
    seen = set()
    try:
        window.show()
        for name in scenes.play(scenes.Set(app, window, folder), lambda one: one in wanted):
            window.resize(*SCREEN)
            QApplication.processEvents()
            wrong = [*out_of_sight(window), *(f"one key: {', '.join(texts)}" for texts in double_keys(window))]
            seen.add(name)
            if wrong:
                found[name] = wrong
    finally:
        i18n.install(None, "en")
        window.desk.jobs.cancel()
        window.close()
        window.deleteLater()
    assert seen == set(wanted)
    return found


def out_of_sight(window: MainWindow) -> list[str]:
    """What would have to be scrolled to, by its words."""
    pane = window.pane()
    blue = window.blue()
    watched: list[QWidget] = [pane.title, *([blue] if blue is not None else [])]
    watched += [one for one in pane.findChildren(QPushButton) if one.property("kind") in DECIDES]
    if not any(one.isVisibleTo(window) for one in pane.findChildren(PaperView)):  # who reads a document scrolls
        watched += [one for one in pane.findChildren(QLabel) if one.property("role") == "figure"]
    hidden = [one for one in watched if one.isVisibleTo(window) and not in_sight(one, window, pane)]
    return [f"{type(one).__name__}: {one.text()}" for one in dict.fromkeys(hidden)]  # type: ignore[attr-defined]


def in_sight(one: QWidget, window: MainWindow, pane: Pane) -> bool:
    view = pane.scroller.viewport() if pane.SCROLLS and pane.scroller.isAncestorOf(one) else window
    shown = QRect(one.mapTo(view, QPoint(0, 0)), one.size())
    return view.rect().adjusted(-ROOM, -ROOM, ROOM, ROOM).contains(shown)
