"""Two fields on one column, or a column of another kind, are said beside the field, and not accepted in silence."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QComboBox, QLabel

from pprl_desktop.ui.shell.main_window import MainWindow

PEOPLE = "no,first,last,born,plz,job\n" + "".join(
    f"{n},Anna{chr(97 + n)},Meyer{chr(97 + n)},19{50 + n}-03-{10 + n},{10000 + 37 * n},Baker\n" for n in range(18)
)


def loaded(window: MainWindow, tmp_path: Path, qtbot) -> None:  # type: ignore[no-untyped-def]
    window.resize(1024, 700)
    window.desk.create_project(tmp_path / "one.pprlproject", "One")
    table = tmp_path / "people.csv"
    table.write_text(PEOPLE, encoding="utf-8")
    window.open_file(table)
    qtbot.waitUntil(lambda: window.desk.findings.seen is not None and window.next.isEnabled())
    window.show_pane("fields")


def choose(window: MainWindow, field: str, column: str, qtbot) -> None:  # type: ignore[no-untyped-def]
    box = next(b for b in window.pane().findChildren(QComboBox) if b.accessibleName() == f"Column of {field}")
    box.setCurrentIndex(box.findData(column))
    box.activated.emit(box.currentIndex())
    qtbot.waitUntil(lambda: window.desk.project.choices.column_of(field) == column)


def said(window: MainWindow) -> str:
    pane = window.pane()
    return " ".join(one.text() for one in pane.findChildren(QLabel) if one.isVisibleTo(pane))


def test_two_fields_on_one_column_close_the_way_on(window: MainWindow, tmp_path: Path, qtbot) -> None:  # type: ignore[no-untyped-def]
    loaded(window, tmp_path, qtbot)
    assert window.next.isEnabled()
    high = window.pane().list.sizeHint().height()
    choose(window, "first", "last", qtbot)
    qtbot.waitUntil(lambda: "'last' is also the column of last" in said(window))
    assert not window.next.isEnabled()
    qtbot.waitUntil(lambda: "→" in said(window))  # the examples of all fields are still there
    assert "used twice" in window.bottom.reason.text()
    window.menus.undo.trigger()
    assert window.desk.project.choices.column_of("first") == "first"
    assert window.next.isEnabled()
    qtbot.waitUntil(lambda: window.pane().list.sizeHint().height() == high)  # no hole is left where the trouble stood


def test_a_column_of_another_kind_is_said_beside_its_field(window: MainWindow, tmp_path: Path, qtbot) -> None:  # type: ignore[no-untyped-def]
    loaded(window, tmp_path, qtbot)
    choose(window, "plz", "job", qtbot)
    qtbot.waitUntil(lambda: "'job' looks like another kind" in said(window))
    choose(window, "born", "job", qtbot)
    assert not window.next.isEnabled()


def test_undo_goes_where_the_change_is_seen_and_never_behind_what_left(
    window: MainWindow, tmp_path: Path, qtbot
) -> None:  # type: ignore[no-untyped-def]
    loaded(window, tmp_path, qtbot)
    choose(window, "first", "job", qtbot)
    window.show_pane("settings")
    window.menus.undo.trigger()
    assert window.current == "fields"
    assert "Choose column" in window.bottom.status.text()
    window.desk.change("Create bundle", bundle_path="/sent/bundle.pprl")
    window.refresh()
    assert not window.menus.undo.isEnabled()
    window.menus.undo.trigger()
    assert window.desk.project.choices.bundle_path == "/sent/bundle.pprl"
    window.desk.change("Move the lines", accept=0.9, review=0.5)
    window.refresh()
    assert "Move the lines" in window.menus.undo.text()
    window.menus.undo.trigger()
    assert window.current == "match"
    assert window.desk.project.choices.accept is None


def test_a_step_to_be_done_again_says_after_what(window: MainWindow, tmp_path: Path, qtbot) -> None:  # type: ignore[no-untyped-def]
    loaded(window, tmp_path, qtbot)
    window.desk.confirm("data")
    window.desk.confirm("fields")
    choose(window, "first", "job", qtbot)
    window.refresh()
    assert window.steps.buttons["fields"].entry.why == "after “Choose column”"
