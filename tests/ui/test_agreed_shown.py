"""After the partner's terms are signed, the pages before show them, and what is measured there is what was agreed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QFileDialog, QLineEdit, QPushButton

from pprl_desktop.codes.recipe import settings
from pprl_desktop.exchange.agreeing import Offer, propose
from pprl_desktop.job.kept import rehearsal_of
from pprl_desktop.job.own_table import OwnTable
from pprl_desktop.project.choices import Choices
from pprl_desktop.records.fields import Field
from pprl_desktop.ui.panes.agreement_columns import ColumnChoice
from pprl_desktop.ui.shell.main_window import MainWindow
from tests.exchange.conftest import introduce, make_party

TRADES = (("King", "baker"), ("Stone", "nurse"), ("Brook", "pilot"), ("Vale", "smith"), ("Moor", "cook"))
PEOPLE = [(first, *other) for first in ("Ada", "Ivy", "Jon", "Ulf", "Eva", "Tom") for other in TRADES]
TABLE = "Given name;Family name;Born;Profession;Diagnosis\n" + "".join(
    f"{first};{last};{1 + i % 28:02d}/{1 + i % 12:02d}/19{40 + i};{trade};D{i % 9}\n"
    for i, (first, last, trade) in enumerate(PEOPLE)
)


def proposed_to(
    window: MainWindow,
    folder: Path,
    qtbot,  # type: ignore[no-untyped-def]
    **terms: str,
) -> tuple[MainWindow, Callable[[], None]]:
    """A clinic with an empty project, a registry's proposal and a table in its folder; how to wait for its window."""
    a, b = make_party(folder / "a", "Registry"), make_party(folder / "b", "Clinic")
    introduce(a, b)
    fields = (Field.of("first_name", "name"), Field.of("surname", "name"), Field.of("dob", "date"))
    offer = Offer("bloom", fields, settings("bloom"), **terms)  # type: ignore[arg-type]
    propose(a.home, a.own, a.home.contacts()[0], offer, folder / "proposal.pprl")
    (folder / "clinic.csv").write_text(TABLE, encoding="cp1252")
    desk = window.desk

    def wait() -> None:
        qtbot.wait(30)
        qtbot.waitUntil(lambda: desk.jobs.busy() is None)
        qtbot.wait(30)

    desk.create_project(folder / "p" / "p.pprlproject")
    desk.change("home", home=str(b.home.path))
    desk.unlocked(b.own)
    return window, wait


def test_fields_and_method_show_what_was_signed(
    open_window: Callable[..., MainWindow],
    tmp_path: Path,
    qtbot,
    monkeypatch,  # type: ignore[no-untyped-def]
) -> None:
    window, wait = proposed_to(open_window(), tmp_path, qtbot, rule="both", purpose="test")
    desk = window.desk
    window.open_file(tmp_path / "clinic.csv")
    wait()
    for page in ("fields", "method"):  # looked at before: their own, superseded choices
        window.next.click()
        wait()
        assert window.current == page
    window.show_pane("agreement")
    window.pane().take_file(str(tmp_path / "proposal.pprl"))
    wait()
    monkeypatch.setattr(QFileDialog, "getSaveFileName", staticmethod(lambda *_a, **_k: (str(tmp_path / "q.pprl"), "")))
    assert window.pane().reason() == ""
    qtbot.mouseClick(window.next, Qt.MouseButton.LeftButton)
    wait()
    choices = desk.need_project().choices
    assert choices.method == "bloom"
    window.show_pane("fields")
    wait()
    assert shown_fields(window) == {"first_name": "Given name", "surname": "Family name", "dob": "Born"}
    window.show_pane("method")
    wait()
    qtbot.waitUntil(lambda: rehearsal_of(desk.need_project()) is not None)
    assert {one.step.name: one.state for one in desk.need_project().states()}["method"] == "done"
    assert "agreed with Registry" in window.pane().messages.banners()[0].what.text()

    # another delivery of the table: other columns, the same fields
    again = TABLE.replace("Given name;Family name", "Vorname;Nachname").replace(";Moor;", ";unknown;")
    (tmp_path / "again.csv").write_text(again, encoding="cp1252")
    window.open_file(tmp_path / "again.csv")
    wait()
    banners = window.pane().messages.banners()
    assert any("unknown" in one.what.text() for one in banners)
    assert not any(b.text() == "Treat as missing" for one in banners for b in one.findChildren(QPushButton))  # signed
    window.show_pane("fields")
    wait()
    assert shown_fields(window) == {"first_name": "Vorname", "surname": "Nachname", "dob": "Born"}
    assert desk.need_project().choices.method == "bloom"


def test_a_proposal_is_read_and_signed_before_anything_else_is_chosen(
    open_window: Callable[..., MainWindow],
    tmp_path: Path,
    qtbot,  # type: ignore[no-untyped-def]
    monkeypatch,  # type: ignore[no-untyped-def]
) -> None:
    window, wait = proposed_to(open_window(), tmp_path, qtbot, rule="review", purpose="Heart follow-up")
    desk = window.desk
    window.show_pane("agreement")
    pane = window.pane()
    pane.take_file(str(tmp_path / "proposal.pprl"))
    wait()
    read = pane.read.text.toPlainText()
    for words in ("Heart follow-up", "Registry", "First name, Surname, Dob", "Bloom filter", "What stays open"):
        assert words in read
    assert "layout" not in read.split("Every detail")[0]
    assert "Load your table" in window.next.accessibleName()
    window.open_file(tmp_path / "clinic.csv")
    wait()
    window.show_pane("agreement")
    wait()
    assert pane.reason() == ""
    qtbot.waitUntil(lambda: "of your people could be named" in pane.read.text.toPlainText())
    pane.mapping.boxes["surname"].setCurrentText("Given name")
    pane.mapping._check(tell=True)
    assert "one fact would count twice" in pane.reason()
    pane.mapping.boxes["surname"].setCurrentText("Family name")
    pane.mapping._check(tell=True)
    pdf = tmp_path / "agreement.pdf"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", staticmethod(lambda *_a, **_k: (str(pdf), "")))
    pane.pdf.click()
    assert pdf.read_bytes().startswith(b"%PDF")
    monkeypatch.setattr(QFileDialog, "getSaveFileName", staticmethod(lambda *_a, **_k: (str(tmp_path / "q.pprl"), "")))
    qtbot.mouseClick(window.next, Qt.MouseButton.LeftButton)
    wait()
    states = {one.step.name: one.state for one in desk.need_project().states()}
    assert [states[name] for name in ("data", "fields", "method")] == ["done"] * 3
    window.next.click()
    wait()
    assert window.current == "export"


def shown_fields(window: MainWindow) -> dict[str, str]:
    """The names and columns on the page Fields, as they can be read there."""
    names = [one.text() for one in window.pane().findChildren(QLineEdit) if one.accessibleName().startswith("Name of")]
    boxes = [one for one in window.pane().findChildren(QComboBox) if one.accessibleName().startswith("Column")]
    return dict(zip(names, (str(one.currentData()) for one in boxes), strict=True))


def test_a_date_in_three_columns_and_a_full_name_are_the_columns_of_a_proposal(
    window: MainWindow, tmp_path: Path
) -> None:
    table = tmp_path / "parts.csv"
    rows = [f"{n},Anna{chr(97 + n)} Meyer{chr(97 + n)},{1 + n},{1 + n % 12},{1950 + n}" for n in range(24)]
    table.write_text("\n".join(["no,name,dob_day,dob_month,dob_year", *rows]) + "\n", encoding="utf-8")
    seen = OwnTable().load(table)
    fields = (Field.of("first_name"), Field.of("last_name"), Field.of("dob", "date"))
    choice = ColumnChoice()
    choice.show_fields(fields, seen, Choices())
    date = "dob_year + dob_month + dob_day"
    assert dict(choice.columns()) == {"first_name": "name (first)", "last_name": "name (last)", "dob": date}
    assert choice.problem() == ""
    assert choice.boxes["dob"].findData("dob_day") > 0
