"""The data page: its button in the first fold, what is wrong with a table said with its cure, first rows in sight."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QComboBox, QPushButton

from pprl_desktop.ui.shell.main_window import MainWindow

ARROW = 26  # px of a flat box beside its words
ROWS = [f"{n};Anna{chr(97 + n)};Meyer{chr(97 + n)};{10 + n}.03.19{50 + n};{'MF'[n % 2]};Köln" for n in range(16)]
ROWS[-1] = ROWS[-1].replace("Köln", "Bonn")  # a town that is not the same in every row
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


IN_PARTS = "Nr;Nachname;Vorname;geb_tag;geb_monat;geb_jahr\n" + "".join(
    f"{90000 + n};Meyer{chr(97 + n)};Anna{chr(97 + n)};{1 + n};{1 + n % 12};{1950 + n}\n" for n in range(24)
)


def test_columns_that_make_up_a_date_are_not_called_unused(open_window, tmp_path: Path, qtbot) -> None:  # type: ignore[no-untyped-def]
    window = open_window("--light", "--language=de")
    window.resize(1024, 700)
    window.desk.create_project(tmp_path / "parts.pprlproject", "Teile")
    table = tmp_path / "parts.csv"
    table.write_text(IN_PARTS, encoding="utf-8")
    window.open_file(table)
    qtbot.waitUntil(lambda: window.desk.findings.seen is not None and window.next.isEnabled())
    qtbot.waitUntil(lambda: len(window.pane().profile._lines) == 6)
    boxes = [b for b in window.pane().findChildren(QComboBox) if b.accessibleName().startswith("Verwendung von ")]
    assert [b.currentText() for b in boxes if "geb_" in b.accessibleName()] == ["Wird abgeglichen"] * 3
    for box in boxes:  # the longest word of the list has its place beside the arrow
        words = max(box.fontMetrics().horizontalAdvance(box.itemText(n)) for n in range(box.count()))
        assert words <= box.width() - ARROW
    assert ("geb", "geb_jahr + geb_monat + geb_tag") in window.desk.project.choices.columns
    window.show_pane("fields")
    qtbot.waitUntil(lambda: "Nr" in window.pane().unused_note.text())
    assert "geb_" not in window.pane().unused_note.text()
    window.show_pane("data")
    qtbot.waitUntil(lambda: len(window.pane().profile._lines) == 6)
    window.pane()._set_use("geb_tag", "")
    assert "geb" not in dict(window.desk.project.choices.columns)


def test_numbers_and_dates_of_the_first_rows_are_whole(window: MainWindow, tmp_path: Path, qtbot) -> None:  # type: ignore[no-untyped-def]
    window.resize(1024, 700)
    window.desk.create_project(tmp_path / "rows.pprlproject", "Rows")
    table = tmp_path / "rows.csv"
    rows = [f"N-{20000 + n},Anna,Meyer,1960-08-{10 + n},F,Harbour Row {n},{40000 + n},I{n}" for n in range(20)]
    table.write_text("\n".join(["record_no,first_name,last_name,birth_date,sex,street,postcode,ward", *rows]))
    window.open_file(table)
    qtbot.waitUntil(lambda: window.desk.findings.seen is not None and window.next.isEnabled())
    qtbot.waitUntil(lambda: window.pane()._preview is not None and window.pane()._preview.isVisible())
    preview = window.pane()._preview
    qtbot.waitUntil(lambda: preview.view.isColumnHidden(7))  # there is no room for all
    shown = [place for place in range(preview.model.columnCount()) if not preview.view.isColumnHidden(place)]
    titles = [preview.model.columns[place].title for place in shown]
    assert titles[:4] == ["record_no", "first_name", "last_name", "birth_date"]
    for place in (0, 3):
        wide = preview.view.sizeHintForIndex(preview.proxy.index(0, place)).width()
        assert preview.view.columnWidth(place) >= wide
