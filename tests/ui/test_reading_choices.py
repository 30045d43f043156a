"""The data page: sheet, labels, fixed widths, declared rules, and columns joined or split, chosen and kept."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QLabel, QPushButton

from pprl_desktop.records.column_steps import apply
from pprl_desktop.records.table import Column, Table
from pprl_desktop.ui.panes._reading import JoinColumnsDialog, WidthsDialog
from pprl_desktop.ui.shell.main_window import MainWindow

PEOPLE = Table((Column.of("nr", ["1", "2"]), Column.of("full_name", ["Anna Meyer", "Ben Auer"])))


def opened(window: MainWindow, path: Path, qtbot) -> None:  # type: ignore[no-untyped-def]
    if window.desk.project is None:
        window.desk.create_project(path.with_suffix(".pprlproject"), "Data")
    window.open_file(path)
    qtbot.waitUntil(lambda: window.desk.findings.seen is not None)
    settled(window, qtbot)


def settled(window: MainWindow, qtbot) -> None:  # type: ignore[no-untyped-def]
    qtbot.waitUntil(lambda: not window.desk.jobs.busy())


def choose(box, data) -> None:  # type: ignore[no-untyped-def]
    box.setCurrentIndex(box.findData(data))
    box.activated.emit(box.currentIndex())


@pytest.fixture
def book(tmp_path: Path) -> Path:
    import openpyxl

    made = openpyxl.Workbook()
    made.active.title = "Notes"
    for row in (["what", "when"], ["x", "y"]):
        made.active.append(row)
    people = made.create_sheet("People")
    people.append(["nr", "full_name", "year", "month", "day"])
    for n in range(12):
        people.append([n, f"Anna{chr(97 + n)} Meyer{chr(97 + n)}", 1950 + n, 1 + n, 2 + n])
    made.save(tmp_path / "people.xlsx")
    return tmp_path / "people.xlsx"


def test_the_sheet_is_chosen_and_kept_and_the_rules_are_shown(window: MainWindow, book: Path, qtbot) -> None:  # type: ignore[no-untyped-def]
    opened(window, book, qtbot)
    pane = window.pane()
    assert pane.sheet.isVisibleTo(pane)
    assert not pane.separator.isVisibleTo(pane)
    assert not pane.labels.isVisibleTo(pane)
    choose(pane.sheet, "People")
    qtbot.waitUntil(lambda: window.desk.project.choices.sheet == "People")
    settled(window, qtbot)
    assert window.desk.project.choices.rows == 12
    assert window.desk.own_table.table(window.desk.project.choices).names[1] == "full_name"
    pane.how_text.click()
    shown = " ".join(one.text() for banner in pane.messages.banners() for one in banner.findChildren(QLabel))
    assert "Dates are written as year-month-day" in shown


def test_columns_are_made_after_they_were_seen_and_can_be_taken_back(window: MainWindow, book: Path, qtbot) -> None:  # type: ignore[no-untyped-def]
    opened(window, book, qtbot)
    pane = window.pane()
    choose(pane.sheet, "People")
    qtbot.waitUntil(lambda: window.desk.project.choices.rows == 12)
    settled(window, qtbot)
    pane.join.click()
    dialog = pane.findChild(JoinColumnsDialog)
    assert not dialog.take.isEnabled()
    choose(dialog.how, "name")
    choose(dialog.sources[0], "full_name")
    assert "Annaa Meyera" in dialog.shown.text()
    assert "12 rows filled" in dialog.shown.text()
    dialog.take.click()
    qtbot.waitUntil(lambda: window.desk.project.choices.made != ())
    settled(window, qtbot)
    choices = window.desk.project.choices
    assert choices.made == ("first_name, last_name = name(full_name)",)
    assert {"first_name", "last_name"} <= set(dict(choices.columns).values())
    assert "full_name" not in dict(choices.columns).values()
    back = [one for one in pane.findChildren(QPushButton) if one.text() == "Take it back"]
    back[0].click()
    qtbot.waitUntil(lambda: window.desk.project.choices.made == ())


@pytest.mark.parametrize(
    ("how", "of", "into", "asked"),
    [
        ("join", ["full_name"], "joined", "Choose the columns."),
        ("date", ["full_name"], "born", "Choose the columns."),
        ("name", ["full_name"], "one", "Give two new columns."),
        ("split", ["full_name"], "one", "Give two new columns or more, and a sign."),
        ("join", ["full_name", "nr"], "one, two", "Give one new column."),
    ],
)
def test_half_a_choice_asks_for_the_rest_in_words_of_the_window(qtbot, how, of, into, asked) -> None:  # type: ignore[no-untyped-def]
    dialog = JoinColumnsDialog(["nr", "full_name"], lambda text: apply(PEOPLE, [text])[1][0])
    qtbot.addWidget(dialog)
    choose(dialog.how, how)
    for box, name in zip(dialog.sources, of, strict=False):
        choose(box, name)
    dialog.into.setText(into)
    assert dialog.shown.text() == asked  # and not how a step is written in the terminal
    assert not dialog.take.isEnabled()


def test_fixed_widths_are_asked_for_and_a_wrong_layout_is_told(window: MainWindow, tmp_path: Path, qtbot) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "people.txt"
    path.write_text("".join(f"{n:04d}Meyer{chr(97 + n)}    Anna{chr(97 + n)}\n" for n in range(9)), encoding="utf-8")
    opened(window, path, qtbot)
    pane = window.pane()
    choose(pane.separator, "widths")
    dialog = pane.findChild(WidthsDialog)
    dialog.edit.setPlainText("nr 1-4\nlast_name 5-14\nfirst_name 15-24")
    dialog.accept()
    qtbot.waitUntil(lambda: window.desk.project.choices.widths != "")
    settled(window, qtbot)
    choices = window.desk.project.choices
    assert choices.rows == 9
    assert window.desk.own_table.table(choices).column("last_name").cell(0) == "Meyera"


def test_labels_or_codes_are_a_choice_that_is_kept(window: MainWindow, tmp_path: Path, qtbot) -> None:  # type: ignore[no-untyped-def]
    import pandas as pd
    import pyreadstat

    frame = pd.DataFrame({"nr": [f"{n}" for n in range(6)], "sex": [1.0, 2.0] * 3})
    pyreadstat.write_sav(frame, str(tmp_path / "p.sav"), variable_value_labels={"sex": {1: "male", 2: "female"}})
    opened(window, tmp_path / "p.sav", qtbot)
    pane = window.pane()
    assert pane.labels.isVisibleTo(pane)
    choose(pane.labels, False)
    qtbot.waitUntil(lambda: window.desk.project.choices.labels is False)
    settled(window, qtbot)
    assert window.desk.own_table.table(window.desk.project.choices).column("sex").cell(0) == "1"


def test_a_file_that_needs_widths_asks_for_them_in_place(window: MainWindow, tmp_path: Path, qtbot) -> None:  # type: ignore[no-untyped-def]
    """Without a table at hand the choices of how it is read are not to be seen."""
    lines = [f"{n:05}{'VON DER HEIDE'[: 4 + n]:<16}{'ANNA':<8}1950{n:02}11" for n in range(1, 9)]
    path = tmp_path / "people.dat"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    window.desk.create_project(tmp_path / "p.pprlproject", "Data")
    pane = window.pane()
    pane.take_file(str(path))
    qtbot.waitUntil(lambda: bool(pane.messages.banners()))
    settled(window, qtbot)
    ask = [one for one in pane.findChildren(QPushButton) if one.text() == "Say where the columns stand …"]
    ask[0].click()
    dialog = pane.findChild(WidthsDialog)
    assert lines[0] in dialog.lines.toPlainText()
    dialog.edit.setPlainText("id 1-5\nlast_name 6-21\nfirst_name 22-29\nborn 30-37")
    dialog.accept()
    qtbot.waitUntil(lambda: window.desk.project.choices.widths != "")
    settled(window, qtbot)
    assert pane.seen.columns == ("id", "last_name", "first_name", "born")
    assert window.desk.own_table.table(window.desk.project.choices).column("last_name").cell(7) == "VON DER HEID"
