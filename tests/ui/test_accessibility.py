"""A walk over every page: names on all controls, tab order, no state told by colour alone, nothing cut off."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QWidget,
)

from pprl_desktop.ui.kit import i18n, theme
from pprl_desktop.ui.panes.base import Pane
from pprl_desktop.ui.shell.main_window import MainWindow
from pprl_desktop.ui.shell.stepper import mark_words
from tests.ui.walk import PAGES, shown, spoken_name, visit, walk_window, walked

CONTROLS = (QAbstractButton, QComboBox, QLineEdit, QAbstractSpinBox, QAbstractSlider, QPlainTextEdit, QAbstractItemView)


@pytest.fixture(scope="module")
def full_window(tmp_path_factory: pytest.TempPathFactory, qapp) -> Iterator[MainWindow]:  # type: ignore[no-untyped-def]
    """A project with the sample table loaded; later pages show what they show before there is more."""
    with walked(tmp_path_factory.mktemp("walk")) as window:
        yield window


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_rendered_texts_have_contrast(full_window: MainWindow, mode: theme.Mode, qtbot) -> None:  # type: ignore[no-untyped-def]
    """The colour a label really has against the surface it really stands on."""
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    try:
        theme.apply(app, mode)
        for name in ("welcome", "contacts", "settings", "data"):
            pane = visit(full_window, name, qtbot)
            for widget in shown(pane, QLabel):
                assert isinstance(widget, QLabel)
                if not widget.text() or not widget.isEnabled():
                    continue
                ink = widget.palette().color(widget.foregroundRole()).name()
                grounds = (theme.current().surface, theme.current().window)
                assert max(theme.contrast(ink, ground) for ground in grounds) >= 4.5, widget.text()
    finally:
        theme.apply(app, "light")


def test_states_are_told_by_shape_and_word_as_well(full_window: MainWindow) -> None:
    """Two steps that differ in state differ in their words, and messages name their kind."""
    from pprl_desktop.ui.widgets.banner import Banner, kind_word

    words = [mark_words(mark) for mark in ("to do", "ready", "done", "stale", "problem")]
    assert len(set(words)) == 5
    kinds = ("info", "good", "warning", "problem")
    assert len({kind_word(kind) for kind in kinds}) == 4
    for kind in kinds:
        banner = Banner(kind, "Text")
        assert banner.accessibleName().startswith(kind_word(kind))
        banner.deleteLater()


def test_larger_text_reaches_everything(full_window: MainWindow, qtbot) -> None:  # type: ignore[no-untyped-def]
    before = full_window.pane().title.fontMetrics().height()
    full_window.desk.prefer(zoom=1.5)
    try:
        assert full_window.pane().title.fontMetrics().height() > 1.3 * before
    finally:
        full_window.desk.prefer(zoom=1.0)


def test_the_language_changes_at_once_and_the_steward_stays(full_window: MainWindow, qtbot) -> None:  # type: ignore[no-untyped-def]
    full_window.show_pane("settings")
    full_window.desk.prefer(language="de")
    try:
        qtbot.waitUntil(lambda: full_window.pane().title.text() == "Einstellungen")
        assert full_window.current == "settings"
        assert full_window.menus.bar.actions()[0].text() == "&Datei"
    finally:
        full_window.desk.prefer(language="en")
        QApplication.processEvents()
        i18n.install(None, "en")


@pytest.mark.parametrize("name", PAGES)
def test_every_control_has_a_name(full_window: MainWindow, name: str) -> None:
    pane = visit(full_window, name)
    inner = (QComboBox, QAbstractSpinBox)
    nameless = [
        f"{type(w).__name__} in {type(w.parentWidget()).__name__}"
        for w in shown(pane, CONTROLS)
        if not spoken_name(w) and not isinstance(w.parentWidget(), inner)
    ]
    assert not nameless
    assert pane.accessibleName()
    assert pane.title.text()


def test_the_frame_around_the_pages_is_named_too(full_window: MainWindow) -> None:
    for button in full_window.findChildren(QAbstractButton):
        if button.isVisibleTo(full_window):
            assert spoken_name(button), button
    for step in full_window.steps.buttons.values():
        assert mark_words(step.entry.mark) in step.accessibleName()


@pytest.mark.parametrize("name", PAGES)
def test_tab_goes_through_the_page_in_reading_order(full_window: MainWindow, name: str, qtbot) -> None:  # type: ignore[no-untyped-def]
    """Each Tab moves right or down; a step back up is only allowed into the next column of cards."""
    pane = visit(full_window, name, qtbot)
    full_window.activateWindow()
    stops: list[QWidget] = []
    start = pane.nextInFocusChain()
    widget = start
    while widget is not pane:
        tabbed = bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus)
        if tabbed and pane.isAncestorOf(widget) and widget.isVisibleTo(pane) and widget.isEnabled():
            stops.append(widget)
        widget = widget.nextInFocusChain()
        if widget is start:
            break
    places = [w.mapTo(pane, w.rect().topLeft()) for w in stops]
    backwards = [
        (type(a).__name__, spoken_name(a), type(b).__name__, spoken_name(b))
        for a, b, p, q in zip(stops, stops[1:], places, places[1:], strict=False)
        if q.y() < p.y() - 40 and q.x() <= p.x() - 40
    ]
    assert not backwards


@pytest.mark.parametrize("name", PAGES)
def test_nothing_is_wider_than_a_window_of_1024(full_window: MainWindow, name: str, qtbot) -> None:  # type: ignore[no-untyped-def]
    """The page never scrolls sideways, so what is wider than its room would be cut off."""
    pane = visit(full_window, name, qtbot)
    assert _too_wide(pane) == 0


@pytest.mark.parametrize("language", [i18n.PSEUDO, "de"])
def test_longer_texts_do_not_break_any_page(
    language: str,
    tmp_path: Path,
    qapp,  # type: ignore[no-untyped-def]
) -> None:
    window = walk_window(tmp_path / "long.pprlproject", language)
    try:
        wrong = {}
        for name in PAGES:
            pane = visit(window, name)
            if _too_wide(pane) or _clipped_buttons(pane):
                wrong[name] = (_too_wide(pane), _clipped_buttons(pane))
        assert not wrong
    finally:
        i18n.install(None, "en")
        window.close()
        window.deleteLater()


def _too_wide(pane: Pane) -> int:
    """Pixels by which the page needs more room than it has."""
    scroller = getattr(pane, "scroller", None)
    if scroller is None:
        return max(0, pane.minimumSizeHint().width() - pane.width())
    return max(0, scroller.widget().minimumSizeHint().width() - scroller.viewport().width())


def _clipped_buttons(pane: Pane) -> list[str]:
    return [
        spoken_name(w)
        for w in shown(pane, QAbstractButton)
        if isinstance(w, QAbstractButton) and w.text() and w.width() < w.minimumSizeHint().width() - 1
    ]
