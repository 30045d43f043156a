"""The frame of the window: wheel, Enter, size, drops and remarks behave the same on every page."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QMimeData, QObject, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QGuiApplication, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractSlider,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLineEdit,
    QPushButton,
    QTabBar,
    QWidget,
)

from pprl_desktop import resources
from pprl_desktop.ui.shell.main_window import MainWindow
from pprl_desktop.ui.widgets.banner import Banner
from tests.ui.walk import PAGES, shown, visit, walk_window


def turn_wheel(over: QWidget, at: QPoint | None = None) -> None:
    """`at`: where the pointer is on the screen; the middle of what is turned over."""
    centre = QPointF(over.rect().center())
    event = QWheelEvent(
        centre, QPointF(at or over.mapToGlobal(over.rect().center())), QPoint(), QPoint(0, -120),
        Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(over, event)


def state_of(control: QWidget) -> object:
    if isinstance(control, QComboBox | QTabBar):
        return control.currentIndex()
    assert isinstance(control, QAbstractSlider | QAbstractSpinBox)
    return control.value()  # type: ignore[union-attr]


def test_the_wheel_changes_no_control_on_any_page(tmp_path: Path, qapp: QApplication) -> None:
    window = walk_window(tmp_path / "wheel.pprlproject", "en")
    try:
        window.resize(1024, 700)
        turned = 0
        for name in PAGES:
            pane = visit(window, name)
            window.setFocus()
            controls = shown(pane, (QComboBox, QAbstractSpinBox, QTabBar, QAbstractSlider))  # type: ignore[arg-type]
            for control in controls:
                if type(control).__name__ == "QScrollBar" or not control.isEnabled():
                    continue
                before = state_of(control)
                turn_wheel(control)
                turned += 1
                assert state_of(control) == before, f"{name}: {control.accessibleName()}"
                assert not control.hasFocus()
        assert turned > 5
    finally:
        window.desk.jobs.cancel()
        window.close()
        window.deleteLater()


def box_with_focus(window: MainWindow) -> QComboBox:
    """The first box of the settings, at its first entry."""
    window.show_pane("settings")
    (box, *_) = shown(window.pane(), QComboBox)  # type: ignore[arg-type]
    assert isinstance(box, QComboBox)
    box.blockSignals(True)
    box.setCurrentIndex(0)
    window.activateWindow()
    box.setFocus()
    if not box.hasFocus():
        pytest.skip("this screen gives no focus")
    return box


def test_a_control_that_has_the_focus_follows_the_wheel(window: MainWindow) -> None:
    box = box_with_focus(window)
    turn_wheel(box)
    assert box.currentIndex() == 1


def test_a_turn_of_the_wheel_that_scrolls_the_page_passes_a_control_with_the_focus(window: MainWindow) -> None:
    """Seen with the rule of an agreement: the page was scrolled, the box came under the pointer, another rule stood."""
    box = box_with_focus(window)
    pane = window.pane()
    at = box.mapToGlobal(box.rect().center())
    turn_wheel(pane.scroller.viewport(), at)
    turn_wheel(box, at)
    assert box.currentIndex() == 0
    turn_wheel(box, at + QPoint(2, 0))
    assert box.currentIndex() == 1


def test_a_refused_file_does_not_keep_the_next_ones_from_being_opened(
    window: MainWindow,
    tmp_path: Path,
    qtbot,  # type: ignore[no-untyped-def]
) -> None:
    window.desk.create_project(tmp_path / "several.pprlproject", "Several")
    strange = tmp_path / "notes.xyz"
    strange.write_text("nothing", encoding="utf-8")
    sample = resources.find("samples", "hospital_a.csv")
    window.open_files([strange, tmp_path / "gone.csv", sample])
    qtbot.waitUntil(lambda: window.desk.need_project().choices.table_path == str(sample))


def test_enter_presses_the_blue_button_and_says_so(window: MainWindow, tmp_path: Path, qtbot) -> None:  # type: ignore[no-untyped-def]
    window.desk.create_project(tmp_path / "one.pprlproject", "One")
    window.open_file(resources.find("samples", "hospital_a.csv"))
    qtbot.waitUntil(lambda: window.next.isEnabled() and window.blue() is window.next)
    assert window.next.property("enter")
    QTest.keyClick(window, Qt.Key.Key_Return)
    assert window.current == "fields"


def test_alt_and_its_letter_press_next_and_so_does_a_key_that_works_in_fields(
    window: MainWindow, tmp_path: Path, qtbot
) -> None:  # type: ignore[no-untyped-def]
    """A button has one shortcut of its own: the second one took the underlined letter away."""
    window.desk.create_project(tmp_path / "one.pprlproject", "One")
    window.open_file(resources.find("samples", "hospital_a.csv"))
    qtbot.waitUntil(lambda: window.next.isEnabled() and window.current == "data")
    letter = window.next.text()[window.next.text().index("&") + 1]
    for key, held in ((getattr(Qt.Key, f"Key_{letter}"), "Alt"), (Qt.Key.Key_Return, "Control")):
        window.show_pane("data")
        QTest.keyClick(window, key, getattr(Qt.KeyboardModifier, f"{held}Modifier"))
        qtbot.waitUntil(lambda: window.current == "fields")


@pytest.mark.parametrize("page", ["contacts", "settings", "help"])
def test_there_is_a_way_home_without_a_project(window: MainWindow, page: str) -> None:
    window.show_pane(page)
    assert window.back.isVisibleTo(window)
    window.back.click()
    assert window.current == "welcome"
    window.show_pane(page)
    QTest.keyClick(window, Qt.Key.Key_Escape)
    assert window.current == "welcome"
    window.show_pane(page)
    window.side.home.click()
    assert window.current == "welcome"


def test_the_key_to_the_start_page_works_in_a_field_for_text(window: MainWindow, tmp_path: Path, qtbot) -> None:  # type: ignore[no-untyped-def]
    window.desk.create_project(tmp_path / "one.pprlproject", "One")
    window.show_pane("agreement")
    name = window.pane().identity.name
    name.setFocus()
    qtbot.waitUntil(window.isActiveWindow)
    QTest.keyClick(name, Qt.Key.Key_Home, Qt.KeyboardModifier.AltModifier)
    qtbot.waitUntil(lambda: window.current == "welcome")


def test_the_window_opens_inside_the_screen_and_remembers_its_size(open_window: Callable[..., MainWindow]) -> None:
    first = open_window()
    room = QGuiApplication.primaryScreen().availableGeometry()
    assert first.width() <= room.width()
    assert first.height() < room.height()
    first.resize(761, 503)
    first.close()
    second = open_window()
    assert (second.width(), second.height()) == (761, 503)


def test_a_dropped_file_is_taken_as_a_copy_or_not_at_all(window: MainWindow, tmp_path: Path) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(tmp_path / "people.csv"))])
    move, copy = Qt.DropAction.MoveAction, Qt.DropAction.CopyAction
    keys = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    both = QDropEvent(QPointF(5, 5), move | copy, data, *keys)
    both.setDropAction(move)
    window.dropEvent(both)
    assert both.isAccepted()
    assert both.dropAction() == copy
    only_move = QDragEnterEvent(QPoint(5, 5), move, data, *keys)
    only_move.ignore()
    window.dragEnterEvent(only_move)
    assert not only_move.isAccepted()


def test_several_remarks_are_one_line_with_a_count(window: MainWindow) -> None:
    pane = window.pane()
    pane.say("info", "Told.", "More of it.")
    pane.say("warning", "To mend.", "Because of this.")
    pane.say("warning", "Also this.")
    first, *rest = pane.messages.banners()
    assert first.what.text() == "To mend."
    assert first.isVisibleTo(pane)
    assert not any(one.isVisibleTo(pane) for one in rest)
    assert not first.more.isVisibleTo(pane)
    assert first.rest.text() == "and 2 more remarks"
    first.rest.click()
    assert all(one.isVisibleTo(pane) for one in rest)
    assert first.more.isVisibleTo(pane)


def test_a_problem_is_brought_into_view_and_is_gone_at_the_next_visit(window: MainWindow, qtbot) -> None:  # type: ignore[no-untyped-def]
    window.resize(760, 460)
    window.show_pane("settings")
    pane = window.pane()
    bar = pane.scroller.verticalScrollBar()
    qtbot.waitUntil(lambda: bar.maximum() > 0)
    bar.setValue(bar.maximum())
    pane.messages.show_banner(Banner("problem", "It went wrong."))
    qtbot.waitUntil(lambda: bar.value() < bar.maximum())
    window.show_pane("help")
    window.show_pane("settings")
    assert not pane.messages.banners()


def test_focus_falls_to_the_page_when_what_had_it_goes_away(window: MainWindow, qtbot) -> None:  # type: ignore[no-untyped-def]
    """Not to the next in the tab order, where Enter would press a step of the list or some button at the bottom."""
    window.show_pane("contacts")
    window.activateWindow()
    field = next(one for one in shown(window.pane(), QLineEdit) if one.isEnabled())  # type: ignore[arg-type]
    field.setFocus()
    if not field.hasFocus():
        pytest.skip("this screen gives no focus")
    field.parentWidget().hide()
    qtbot.waitUntil(lambda: window.focusWidget() is window.pane())


def test_only_one_button_of_a_page_is_blue(window: MainWindow) -> None:
    """A file that was recognised comes first: the ways to begin step back behind it."""
    window.show_pane("welcome")
    pane = window.pane()
    begin = pane.buttons["people"]
    assert begin.property("enter")
    assert not begin.property("behind")
    read: list[int] = []
    window.activateWindow()
    QApplication.processEvents()
    pane.say("info", "A file.", "It can be read.", ("Read it", lambda: read.append(1)), lead=True)
    assert begin.property("behind")
    assert not begin.property("enter")
    QTest.keyClick(window, Qt.Key.Key_Return)
    assert read == [1]


def test_a_button_that_comes_and_goes_in_one_turn_never_becomes_a_window(window: MainWindow) -> None:
    """The layout shows what it was given a turn later; by then the page may have taken it back."""
    window.show_pane("settings")
    for _ in range(2):
        button = QPushButton("PDF", window)
        window.bottom.show_extra([button])
        window.bottom.show_extra([])
        QApplication.processEvents()
        assert not button.isVisible()
        assert button.isHidden()


def test_no_page_flashes_a_window_of_its_own(tmp_path: Path, qapp: QApplication) -> None:
    """A widget shown before it has its place is a small empty window on the steward's screen for a moment."""
    window = walk_window(tmp_path / "flash.pprlproject", "en")
    seen: list[str] = []

    class Watch(QObject):
        def eventFilter(self, watched: QObject, event: QEvent) -> bool:
            if event.type() == QEvent.Type.Show and isinstance(watched, QWidget) and watched.isWindow():
                seen.append(f"{window.current}: {type(watched).__name__}")
            return False

    watch = Watch()
    qapp.installEventFilter(watch)
    try:
        for name in PAGES:
            visit(window, name)
        assert seen == []
    finally:
        qapp.removeEventFilter(watch)
        window.desk.jobs.cancel()
        window.close()
        window.deleteLater()
