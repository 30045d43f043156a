"""What a screen reader is given, asked as it asks: through QAccessible, on every page and in the dialogs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QApplication, QDialog, QWidget

from pprl_desktop.records.fields import Field
from pprl_desktop.ui.panes._cleaning import CleaningDialog
from pprl_desktop.ui.panes.base import Pane
from pprl_desktop.ui.panes.review_panel import ReviewPanel
from pprl_desktop.ui.plots.base import Plot
from pprl_desktop.ui.shell import about
from pprl_desktop.ui.shell.help_panel import page_path
from pprl_desktop.ui.shell.main_window import MainWindow
from pprl_desktop.ui.widgets.basics import icon_label
from tests.ui.reviews import open_session
from tests.ui.walk import PAGES, visit, walk_window, walked

ROLES = QAccessible.Role
# a picture beside a text repeats it and stays silent
CONTROLS = {
    ROLES.Button, ROLES.CheckBox, ROLES.RadioButton, ROLES.ComboBox, ROLES.EditableText, ROLES.Slider, ROLES.SpinBox,
    ROLES.Table, ROLES.List, ROLES.Tree, ROLES.PageTab, ROLES.Link, ROLES.ButtonMenu, ROLES.Cell,
}  # fmt: skip


@pytest.fixture(scope="module")
def window(tmp_path_factory: pytest.TempPathFactory, qapp) -> Iterator[MainWindow]:  # type: ignore[no-untyped-def]
    with walked(tmp_path_factory.mktemp("spoken")) as made:
        yield made


def nameless(widget: QWidget) -> list[str]:
    """Controls in sight that a screen reader would announce by their kind alone."""
    QApplication.processEvents()
    found = []
    for one in [widget, *widget.findChildren(QWidget)]:
        if not one.isVisibleTo(widget) or one.objectName().startswith("qt_"):
            continue
        spoken = QAccessible.queryAccessibleInterface(one)
        if spoken is None or spoken.role() not in CONTROLS or spoken.state().invisible:
            continue
        owner = one.parentWidget()
        inner = owner is not None and type(owner).__name__ in ("QComboBox", "QSpinBox", "QDoubleSpinBox")
        if not inner and not spoken.text(QAccessible.Text.Name).strip():
            found.append(f"{type(one).__name__} ({spoken.role().name}) in {type(owner).__name__}")
    return found


@pytest.mark.parametrize("name", PAGES)
def test_every_control_of_a_page_says_its_name(window: MainWindow, name: str) -> None:
    assert nameless(visit(window, name)) == []


def cleaning(window: MainWindow, _folder: Path) -> QWidget:
    return CleaningDialog(Field.of("last_name", "name"), window)


def about_us(window: MainWindow, _folder: Path) -> QWidget:
    return about.AboutDialog(window)


def twin(window: MainWindow, _folder: Path) -> QWidget:
    plot = visit(window, "method").findChildren(Plot)[0]
    return plot.show_table()


def panel(_window: MainWindow, folder: Path) -> QWidget:
    made = ReviewPanel()
    made.open_session(open_session(folder / "review"))
    return made


@pytest.mark.parametrize("make", [cleaning, about_us, twin, panel])
def test_every_control_of_a_dialog_says_its_name(
    make: Callable[[MainWindow, Path], QWidget], window: MainWindow, tmp_path: Path
) -> None:
    made = make(window, tmp_path)
    made.show()
    assert nameless(made) == []
    if isinstance(made, QDialog):
        assert made.windowTitle()
    if isinstance(made, ReviewPanel):
        assert made.session is not None
        made.session.ledger.close()
    made.close()
    made.deleteLater()


@pytest.mark.parametrize("name", PAGES)
def test_every_plot_of_a_page_has_a_summary_and_a_table(window: MainWindow, name: str) -> None:
    for plot in visit(window, name).findChildren(Plot):
        spoken = QAccessible.queryAccessibleInterface(plot)
        assert spoken.text(QAccessible.Text.Name)
        assert plot.summary()
        columns, rows = plot.table()
        assert columns or not rows


@pytest.mark.parametrize("name", PAGES)
def test_a_page_says_what_it_needs_and_gives_and_has_help(window: MainWindow, name: str) -> None:
    pane: Pane = visit(window, name)
    on_path = [state.step.name for state in window.desk.need_project().states()]
    if name in on_path:
        assert pane.NEEDS or name == "data"
        assert pane.GIVES
    assert name == "help" or page_path(pane.HELP or name) is not None


@pytest.mark.parametrize("language", ["en", "de"])
def test_no_two_keys_of_a_page_are_the_same(language: str, tmp_path: Path, qapp) -> None:  # type: ignore[no-untyped-def]
    """Alt and a letter leads to one place: on the page, in the bar below it, and in each menu."""
    from pprl_desktop.ui.kit import i18n

    made = walk_window(tmp_path / "keys.pprlproject", language)
    try:
        wrong = {}
        for name in PAGES:
            visit(made, name)
            double = double_keys(made)
            if double:
                wrong[name] = double
        assert not wrong
    finally:
        i18n.install(None, "en")
        made.close()
        made.deleteLater()


def double_keys(window: MainWindow) -> list[list[str]]:
    """What Alt and one letter would lead to: Qt presses none of several, it only hands the focus round."""
    taken: dict[str, list[str]] = {}
    for text in mnemonics(window):
        taken.setdefault(text[text.index("&") + 1].casefold(), []).append(text)
    return [texts for texts in taken.values() if len(texts) > 1]


def mnemonics(window: MainWindow) -> list[str]:
    from PySide6.QtWidgets import QAbstractButton, QLabel

    found = [action.text() for action in window.menus.bar.actions() if action.isVisible()]
    for one in window.findChildren(QWidget):
        if not one.isVisibleTo(window) or not one.isEnabled():
            continue  # its key is free for others
        if isinstance(one, QAbstractButton) or (isinstance(one, QLabel) and one.buddy() is not None):
            found.append(one.text())
    return [text for text in found if "&" in text.replace("&&", "") and not text.endswith("&")]


def test_what_has_a_name_is_a_group_and_a_small_picture_beside_its_word_is_nothing(window: MainWindow) -> None:
    """Readers leave fillers out, so a page that had the focus as one was heard by nobody."""
    pane = visit(window, "method")
    assert QAccessible.queryAccessibleInterface(pane).role() == QAccessible.Role.Grouping
    plain = QWidget()
    assert QAccessible.queryAccessibleInterface(plain).role() != QAccessible.Role.Grouping
    icon = icon_label("lock")
    assert QAccessible.queryAccessibleInterface(icon).role() == QAccessible.Role.Whitespace
    icon.setAccessibleName("locked")
    assert QAccessible.queryAccessibleInterface(icon).role() == QAccessible.Role.Graphic
