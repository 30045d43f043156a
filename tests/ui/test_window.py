"""The window opens, shows its steps, and says what it takes."""

from __future__ import annotations

import gc
import weakref
from pathlib import Path

from PySide6.QtCore import QEvent, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton

from pprl_desktop import resources
from pprl_desktop.exchange import contacts, identity
from pprl_desktop.exchange.card import write
from pprl_desktop.ui.app import make_application, make_window
from pprl_desktop.ui.shell.main_window import MainWindow
from pprl_desktop.ui.widgets.banner import Banner

SECRET = "four harbour mill lanes"


def test_it_opens_on_the_welcome_page(window: MainWindow) -> None:
    assert window.current == "welcome"
    assert window.menus.bar.actions()[0].text() == "&File"


def test_a_new_project_shows_its_steps_and_starts_with_the_data(window: MainWindow, tmp_path: Path) -> None:
    window.desk.create_project(tmp_path / "one.pprlproject", "One")
    assert list(window.steps.buttons) == [state.step.name for state in window.desk.project.states()]
    assert window.current == "data"
    assert window.steps.buttons["data"].isEnabled()
    assert not window.steps.buttons["export"].isEnabled()


def test_a_wrong_file_is_refused_with_what_is_accepted(window: MainWindow, tmp_path: Path) -> None:
    wrong = tmp_path / "picture.png"
    wrong.write_bytes(b"PNG")
    window.open_file(wrong)
    (banner,) = window.pane().messages.banners()
    assert ".png" in banner.what.text()
    assert "tables" in banner.more.text()


def test_a_table_dropped_anywhere_opens_on_the_data_page(window: MainWindow, tmp_path: Path, qtbot) -> None:  # type: ignore[no-untyped-def]
    window.desk.create_project(tmp_path / "one.pprlproject", "One")
    window.show_pane("settings")
    table = tmp_path / "people.csv"
    table.write_text("id,last_name\n1,ADA\n2,KING\n", encoding="utf-8")
    drop(window, table)
    qtbot.waitUntil(lambda: window.current == "data" and window.desk.project.choices.rows == 2)


def test_a_table_dropped_before_there_is_a_project_waits_for_a_name(window: MainWindow, tmp_path: Path, qtbot) -> None:  # type: ignore[no-untyped-def]
    table = tmp_path / "people.csv"
    table.write_text("id,last_name\n1,ADA\n2,KING\n", encoding="utf-8")
    drop(window, table)
    qtbot.waitUntil(lambda: bool(window.pane().messages.banners()))
    assert window.current == "welcome"
    welcome = window.pane()
    welcome.place.setText(str(tmp_path))
    welcome.name.setText("Named")
    welcome.make.click()
    qtbot.waitUntil(lambda: window.desk.project is not None and window.desk.project.choices.rows == 2)


def test_closing_asks_only_while_work_is_running(window: MainWindow, qtbot, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    import time

    from PySide6.QtWidgets import QMessageBox

    from pprl_desktop.progress import Progress
    from pprl_desktop.ui.kit.jobs import Job

    asked: list[str] = []

    def keep_working(box: QMessageBox) -> int:
        asked.append(box.text())
        return 0

    monkeypatch.setattr(QMessageBox, "exec", keep_working)

    def work(progress: Progress) -> None:
        for step in range(1000):
            progress.at(step / 1000)
            time.sleep(0.01)

    job = window.desk.jobs.start(Job("Counting", work))
    qtbot.waitUntil(lambda: job.fraction > 0)
    assert not window.close()
    assert "Counting" in asked[0]
    window.desk.jobs.cancel()
    qtbot.waitUntil(window.desk.jobs.idle)
    assert window.close()
    assert len(asked) == 1


def test_undo_names_what_it_takes_back(window: MainWindow, tmp_path: Path) -> None:
    window.desk.create_project(tmp_path / "one.pprlproject", "One")
    window.desk.change("Choose rule", rule="either")
    assert window.menus.undo.text() == "&Undo: Choose rule"
    window.menus.undo.trigger()
    assert window.desk.project.choices.rule == "both"
    assert window.menus.redo.text() == "&Redo: Choose rule"


def test_f1_shows_help_for_the_page_even_in_a_small_window(window: MainWindow) -> None:
    window.resize(1024, 700)
    assert not window.help.isVisibleTo(window)
    window.show_help()
    assert window.help.isVisibleTo(window)
    assert window.help.text.toPlainText()


def drop(window: MainWindow, path: Path) -> None:
    from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
    from PySide6.QtGui import QDropEvent

    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    window.dropEvent(
        QDropEvent(
            QPointF(10, 10), Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
        )
    )


def test_the_fields_are_laid_out_before_next_is_pressed(window: MainWindow, tmp_path: Path, qtbot) -> None:  # type: ignore[no-untyped-def]
    window.desk.create_project(tmp_path / "job.pprlproject", "Job")
    window.open_file(resources.find("samples", "hospital_a.csv"))
    qtbot.waitUntil(lambda: getattr(window.panes.get("fields"), "_prepared", None) is not None)
    lines = window.panes["fields"]._lines  # type: ignore[attr-defined]
    window.next.click()
    assert window.current == "fields"
    assert window.pane()._lines is lines, "nothing is built twice"
    window.pane()._remove(0)
    qtbot.waitUntil(lambda: len(window.pane()._lines) == len(lines) - 1)


def test_without_an_identity_its_name_is_typed_at_once(window: MainWindow, qtbot) -> None:  # type: ignore[no-untyped-def]
    window.show_pane("contacts")
    assert window.focusWidget() is window.pane().identity.name
    window.show_pane("settings")
    assert window.focusWidget() is window.pane()


def test_what_is_typed_first_keeps_the_focus_when_a_project_opens(window: MainWindow, tmp_path: Path, qtbot) -> None:  # type: ignore[no-untyped-def]
    """On a page that needs the key, whatever had the focus before and went."""
    from pprl_desktop.exchange import identity

    window.show()
    window.activateWindow()
    window.desk.create_project(tmp_path / "Heart.pprlproject", "Heart")
    window.show_pane("agreement")
    assert window.focusWidget() is window.pane().identity.name
    assert window.blue() is None
    for edit in (window.pane().identity.secret.edit, window.pane().identity.again.edit):
        edit.setText(SECRET)
    window.pane().identity.name.setText("Northmere")
    qtbot.waitUntil(lambda: bool(window.pane().identity.make.property("enter")))  # Enter makes it, and says so
    with window.desk.home.locked():
        window.desk.home.create(identity.new("Northmere"), SECRET)
    path = window.desk.need_project().path
    window.desk.need_project()
    window.show_pane("welcome")
    window.desk.close_project()
    window.resume = lambda: "agreement"  # type: ignore[method-assign]
    window.desk.open_project(path)
    qtbot.wait(50)
    assert window.focusWidget() is window.pane().identity.typed.edit


def test_a_locked_key_waits_for_its_passphrase_and_a_new_card_for_its_words(
    window: MainWindow, tmp_path: Path, qtbot
) -> None:  # type: ignore[no-untyped-def]
    window.resize(1024, 700)
    window.desk.home.create(identity.new("Alpha Clinic"), SECRET)
    card = tmp_path / "beta.pprlcard"
    beta = identity.new("Beta Registry")
    card.write_bytes(write(beta.keys, beta.name))
    window.show_pane("contacts")
    pane = window.pane()
    locked = pane.identity
    assert window.focusWidget() is locked.typed.edit
    locked.open_button.click()  # nothing is typed yet: nothing is refused
    assert not locked.messages.banners()
    assert window.desk.jobs.idle()
    window.open_file(card)
    locked.typed.edit.setText(SECRET)
    locked.open_button.click()
    qtbot.waitUntil(lambda: window.desk.identity() is not None)
    shown = {one.text().replace("&", ""): one for one in pane.findChildren(QPushButton)}
    compare, same = shown["Compare"], shown["All twelve are the same"]
    qtbot.waitUntil(lambda: bool(compare.property("enter")))  # before anybody moves the pointer
    qtbot.waitUntil(lambda: compare.mapTo(pane, compare.pos()).y() == same.mapTo(pane, same.pos()).y())
    locked.messages.show_banner(Banner("info", "Your card is written."))
    same.click()
    assert window.desk.home.contacts()[0].state == "verified"
    assert not locked.messages.banners()


def test_a_number_typed_wrongly_and_then_rightly_is_said_to_be_verified(
    window: MainWindow, tmp_path: Path, qtbot
) -> None:  # type: ignore[no-untyped-def]
    """The Enter that compared closed the message about it: the line was gone, and its close button had the focus."""
    own, beta = identity.new("Alpha Clinic"), identity.new("Beta Registry")
    window.desk.home.create(own, SECRET)
    window.desk.unlocked(own)
    window.show_pane("contacts")
    (tmp_path / "beta.pprlcard").write_bytes(write(beta.keys, beta.name))
    window.pane().take_file(str(tmp_path / "beta.pprlcard"))
    pane = window.pane()
    right = contacts.number_with(own.card(), window.desk.home.contacts()[0]).as_text()
    for words, said in (("ladder " * 12, "problem"), (right, "good")):
        pane.typed.setFocus()
        qtbot.waitUntil(lambda: window.focusWidget() is pane.typed)
        pane.typed.setText(words)
        QTest.keyClick(pane.typed, Qt.Key.Key_Return)
        assert [one.kind for one in pane.messages.banners()] == [said]
    assert "Beta Registry is verified" in pane.messages.banners()[0].accessibleName()
    assert window.current == "contacts"


def test_a_closed_window_and_its_tables_are_let_go_of(qapp) -> None:  # type: ignore[no-untyped-def]
    """What Qt keeps of it nobody can collect: a thousand windows of tests would keep a thousand tables."""
    window = make_window(make_application(), ("--light", "--language=en"))
    window.show()
    window.activateWindow()
    qapp.processEvents()
    assert window.focusWidget() is not None  # which it loses by being closed
    known = weakref.ref(window)
    window.close()
    window.deleteLater()
    qapp.sendPostedEvents(window, QEvent.Type.DeferredDelete)
    del window
    qapp.processEvents()
    gc.unfreeze()
    gc.collect()
    assert known() is None
