"""The data page: its button in the first fold, what is wrong with a table said with its cure, first rows in sight."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QComboBox, QPushButton

from pprl_desktop.ui.shell.main_window import MainWindow

ROWS = [f"{n};Anna{chr(97 + n)};Meyer{chr(97 + n)};{10 + n}.03.19{50 + n};{'MF'[n % 2]};Köln" for n in range(16)]
ODD = ["90;Annaa;Meyera;10.03.1950;M;Köln", "91;Berta;Koch;01.01.1753;F;unknown", "92;Carl;Koch;02.02.1960;M;unknown"]


@pytest.fixture
def loaded(window: MainWindow, tmp_path: Path, qtbot) -> MainWindow:  # type: ignore[no-untyped-def]
    window.resize(1024, 700)
    window.desk.create_project(tmp_path / "data.pprlproject", "Data")
    table = tmp_path / "people.csv"
    table.write_text("\n".join(["nr;Vorname;Nachname;geboren;Sex;Ort", *ROWS, *ODD]) + "\n", encoding="cp1252")
    window.open_file(table)
    qtbot.waitUntil(lambda: window.desk.findings.seen is not None and window.next.isEnabled())
    qtbot.waitUntil(lambda: len(window.pane().profile._lines) == 6)
    qtbot.waitUntil(lambda: window.desk.jobs.idle())  # who is held twice is counted behind the page
    return window


def press(window: MainWindow, text: str) -> None:
    for banner in window.pane().messages.banners():
        for one in banner.findChildren(QPushButton):
            if one.text() == text:
                one.click()
                return
    raise AssertionError(f"no button {text}")


def test_the_empty_page_shows_its_button_without_scrolling(window: MainWindow, tmp_path: Path) -> None:
    window.resize(1024, 700)
    window.desk.create_project(tmp_path / "empty.pprlproject", "Empty")
    pane = window.pane()
    choose = pane.empty.buttons[0]
    assert choose.mapTo(pane, choose.rect().bottomLeft()).y() < pane.height()
    assert window.blue() is choose
    assert choose.property("enter")


def test_copies_odd_dates_and_words_for_unknown_are_told_with_their_cure(loaded: MainWindow, qtbot) -> None:  # type: ignore[no-untyped-def]
    told = " ".join(one.what.text() for one in loaded.pane().messages.banners())
    assert "1 record is a copy of another." in told
    assert "1 date in 'geboren' cannot be read" in told
    assert "2 values read like “unknown”" in told
    first, *others = loaded.pane().messages.banners()
    assert len(others) >= 2
    assert first.rest.text() == f"and {len(others)} more remarks"
    assert [one.isVisible() for one in others] == [False] * len(others)
    press(loaded, "Treat as missing")
    field = next(one for one in loaded.desk.project.choices.fields if one.name == "Ort")
    assert "unknown" in [word.lower() for word in field.cleaning.missing_words]


def test_copies_are_removed_and_can_be_taken_in_again(loaded: MainWindow, qtbot) -> None:  # type: ignore[no-untyped-def]
    press(loaded, "Remove the copies")
    qtbot.waitUntil(lambda: loaded.desk.project.choices.rows == 18)
    assert loaded.desk.own_table.table(loaded.desk.project.choices).rows == 18
    assert loaded.pane().number.text() == "18"
    press(loaded, "Take them in again")
    qtbot.waitUntil(lambda: loaded.desk.project.choices.rows == 19)


def test_the_use_of_a_column_is_chosen_in_its_line(loaded: MainWindow, qtbot) -> None:  # type: ignore[no-untyped-def]
    box = next(b for b in loaded.pane().findChildren(QComboBox) if b.accessibleName() == "Use of Ort")
    box.setCurrentIndex(box.findData("sensitive"))
    box.activated.emit(box.currentIndex())
    assert loaded.desk.project.choices.sensitive == ("Ort",)
    assert "Ort" not in [column for _, column in loaded.desk.project.choices.columns]


def test_a_word_for_unknown_among_dates_is_told_once(tmp_path: Path) -> None:
    from pprl_desktop.job.own_table import OwnTable

    table = tmp_path / "dates.csv"
    rows = [*ROWS, "93;Dora;Lang;unbekannt;F;Köln", "94;Emil;Lang;unbekannt;M;Köln"]
    table.write_text("\n".join(["nr;Vorname;Nachname;geboren;Sex;Ort", *rows]) + "\n", encoding="utf-8")
    told = [str(one.what) for one in OwnTable().load(table).quality.remarks if "geboren" in str(one.what)]
    assert told == ["'geboren': 2 values read like “unknown” (unbekannt)."]


def test_first_rows_never_scroll_sideways_inside_the_page(window: MainWindow, tmp_path: Path, qtbot) -> None:  # type: ignore[no-untyped-def]
    window.resize(1024, 700)
    window.show()
    window.desk.create_project(tmp_path / "wide.pprlproject", "Wide")
    table = tmp_path / "wide.csv"
    names = [f"a_long_heading_{n}" for n in range(14)]
    table.write_text("\n".join([",".join(names), *(",".join(f"value{n}{i}" for i in range(14)) for n in range(9))]))
    window.open_file(table)
    pane = window.pane()
    qtbot.waitUntil(lambda: pane._preview is not None and pane._preview.view.isColumnHidden(13))
    view = pane._preview.view
    shown = [place for place in range(14) if not view.isColumnHidden(place)]
    assert shown == list(range(len(shown)))
    assert sum(view.columnWidth(place) for place in shown) <= view.viewport().width()
    assert f"{14 - len(shown)} more columns below" in pane.first_note.text()
