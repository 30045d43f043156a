"""What looked or led wrong when the whole job was done by hand in the real window, each told once more."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QPixmap
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QLineEdit, QPushButton, QScrollArea, QWidget

from pprl_desktop import resources
from pprl_desktop.codes.base import REGISTRY, method
from pprl_desktop.exchange import card, contacts, identity
from pprl_desktop.job.ways import Figure, Way, offered
from pprl_desktop.problem import Problem
from pprl_desktop.ui.kit.words import place_of
from pprl_desktop.ui.panes._files import out_path
from pprl_desktop.ui.panes.match_pairs import wrong_range
from pprl_desktop.ui.plots.tradeoff import Spot, TradeOff
from pprl_desktop.ui.shell.main_window import MainWindow
from pprl_desktop.ui.widgets.basics import Brief, button
from pprl_desktop.ui.widgets.inputs import labelled
from pprl_desktop.ui.widgets.reflow import columns
from tests.ui.test_spoken import double_keys


def settle() -> None:
    for _ in range(3):
        QApplication.sendPostedEvents()
        QApplication.processEvents()


def make_key(window: MainWindow, name: str = "Northmere") -> None:
    own = identity.new(name)
    with window.desk.home.locked():
        window.desk.home.create(own, "river candle marble fox")
    window.desk.unlocked(own)


def make_partner(window: MainWindow) -> contacts.Contact:
    """Verified."""
    other, own = identity.new("Saltham Hospital Trust"), window.desk.home.own_card()
    made = contacts.new(card.write(other.keys, other.name))
    made = contacts.verified(made, own, contacts.number_with(own, made).as_text())
    with window.desk.home.locked():
        window.desk.home.keep_contact(made)
    return made


def with_project(window: MainWindow, tmp_path: Path) -> None:
    window.desk.create_project(tmp_path / "Heart.pprlproject", "Heart")
    window.pane().take_file(str(resources.find("samples", "hospital_a.csv")))
    while window.desk.findings.seen is None or not window.desk.jobs.idle():
        QApplication.processEvents()
    settle()


def test_a_project_half_named_is_not_there_when_one_comes_back(window: MainWindow) -> None:
    window.pane().ask_name()
    window.show_pane("contacts")
    window.show_pane("welcome")
    assert window.pane().title.text() == "Which people do two tables share?"
    assert not window.pane().new.isVisibleTo(window)
    assert window.pane().pages.isVisibleTo(window)


def test_the_start_page_is_never_wider_than_its_view(window: MainWindow, tmp_path: Path) -> None:
    """A project that is gone is told with its path, however long that is."""
    window.resize(1024, 700)
    path = tmp_path / ("a very long folder name " * 6) / f"{'Long ' * 20}.pprlproject"
    path.parent.mkdir()
    window.desk.create_project(path, "Long " * 20)
    window.desk.close_project()
    path.unlink()
    window.show_pane("welcome")
    settle()
    scroller = window.pane().findChild(QScrollArea)
    assert scroller is not None
    assert scroller.widget().minimumSizeHint().width() <= scroller.viewport().width()


def test_before_there_is_an_identity_the_page_is_about_making_one(window: MainWindow, tmp_path: Path) -> None:
    window.show_pane("contacts")
    pane = window.pane()
    assert pane.title.text() == "Make your identity"
    assert not pane.list.isVisibleTo(window)
    make_key(window)
    pane.enter()
    assert pane.list.isVisibleTo(window)
    assert pane.title.text() == "Exchange cards with the partner"
    assert pane.blue() is pane.empty.buttons[0]  # the own card goes first
    pane.identity.save_card_to(tmp_path / "northmere.pprlcard")
    assert pane.blue() is pane.empty.buttons[1]
    make_partner(window)
    pane.enter()
    assert pane.title.text() == "Who you are, and who your partners are"


def test_the_words_to_compare_and_their_button_are_in_the_first_fold(window: MainWindow) -> None:
    window.resize(1024, 700)
    window.show()
    make_key(window)
    other = identity.new("Saltham Hospital Trust")
    partner = contacts.new(card.write(other.keys, other.name))
    with window.desk.home.locked():
        window.desk.home.keep_contact(partner)
    window.show_pane("contacts")
    settle()
    pane = window.pane()
    same = next(one for one in pane.findChildren(QPushButton) if one.text() == "All twelve are the same")
    below = same.mapTo(pane.scroller.viewport(), same.rect().bottomLeft()).y()
    assert below <= pane.scroller.viewport().height()


def test_after_a_table_is_read_enter_goes_on_and_does_not_choose_again(
    window: MainWindow, tmp_path: Path, monkeypatch
) -> None:  # type: ignore[no-untyped-def]
    window.show()
    with_project(window, tmp_path)
    pane = window.pane()
    asked: list[str] = []
    monkeypatch.setattr(
        pane, "_asked_file", lambda: asked.append("") or str(resources.find("samples", "hospital_a.csv"))
    )
    pane.another.setFocus(Qt.FocusReason.TabFocusReason)
    pane.another.click()
    while not window.desk.jobs.idle():
        QApplication.processEvents()
    settle()
    assert window.focusWidget() is not pane.another
    QTest.keyClick(window, Qt.Key.Key_Return)
    assert len(asked) == 1
    assert window.current == "fields"


def test_while_a_proposal_is_read_the_table_leads_back_to_it(window: MainWindow, tmp_path: Path) -> None:
    """Who is asked invents no fields and no method."""
    with_project(window, tmp_path)
    window.desk.findings.proposal = object()  # type: ignore[assignment]
    assert window.pane().next_text() == "Next: the proposal"
    window.desk.findings.proposal = None
    assert window.pane().next_text() == "Next: fields"


def test_every_way_has_words_that_are_not_cut(window: MainWindow) -> None:
    cards = [method(name) for name in REGISTRY if method(name).page == "card"]
    assert len(cards) > 2
    assert all(0 < len(card.brief.words()) <= 42 for card in cards)


def test_too_many_who_could_be_named_never_stand_without_a_way_out(window: MainWindow, tmp_path: Path) -> None:
    with_project(window, tmp_path)
    window.desk.confirm("data")
    window.desk.confirm("fields")
    window.show_pane("method")
    pane = window.pane()
    window.desk.jobs.cancel()
    ways = offered(window.desk.need_project().choices)
    used, other = pane._used(), next(one for one in ways if one.key != pane._used().key)
    known: list[Way] = []
    for way, share in ((used, 0.95), (other, 0.02)):
        known.append(Way(way.method, way.settings, found=Figure(0.9, 0.8, 1.0), named=Figure(share, share, share)))
    for one in known:
        pane._know(one)
    pane._show_ways()
    assert "Too many could be named." in pane.why.text()
    assert pane._title(other) in pane.why.text()
    for one in ways:
        if one.key not in (used.key, other.key):
            pane._know(Way(one.method, one.settings, found=Figure(0.5, 0.4, 0.6), named=Figure(0.9, 0.9, 0.9)))
    pane._show_ways()
    assert f"Recommended: {pane._title(other)}." in pane.why.text()
    blue = window.blue()
    assert blue is not None
    assert blue.accessibleName() == f"Use {pane._title(other)}"
    blue.click()
    assert window.desk.need_project().choices.method == other.method
    window.desk.jobs.cancel()


def test_names_of_points_stay_off_the_scale(qtbot) -> None:  # type: ignore[no-untyped-def]
    chart = TradeOff("chart")
    qtbot.addWidget(chart)
    chart.resize(352, 216)
    drawn: list[float] = []
    chart.show_spots(
        [
            Spot("a", "SimHash with noise", 0.98, 0.0),
            Spot("b", "Bloom filter", 0.96, 0.0),
            Spot("c", "Blind", 0.82, 0.05),
        ]
    )
    name = chart._name

    def told(painter, spot, taken) -> None:  # type: ignore[no-untyped-def]
        before = len(taken)
        name(painter, spot, taken)
        drawn.extend(one.left() for one in taken[before:])

    chart._name = told  # type: ignore[method-assign]
    chart.render(QPixmap(chart.size()))
    assert len(drawn) == 3
    assert min(drawn) >= chart._box().left()


def test_a_button_taken_from_the_bottom_bar_opens_no_window_of_its_own(window: MainWindow) -> None:
    """A layout shows what was put into it a turn later, also when it was taken out meanwhile."""
    window.show()
    one = button("A verb")
    window.bottom.show_extra([one])
    window.bottom.show_extra([])
    settle()
    assert not one.isVisible()
    one.deleteLater()


def test_half_a_sentence_is_not_shown_as_the_state(qtbot) -> None:  # type: ignore[no-untyped-def]
    words = Brief(whole=True)
    qtbot.addWidget(words)
    words.setText("Nothing is signed, nothing has left this computer.")

    def ink(width: int) -> bool:
        words.resize(width, 18)
        picture = QPixmap(words.size())
        picture.fill(Qt.GlobalColor.white)
        words.render(picture)
        image = picture.toImage()
        plain = image.pixelColor(0, 0)
        return any(image.pixelColor(x, y) != plain for x in range(image.width()) for y in range(image.height()))

    assert ink(600)
    assert not ink(80)
    words.setText("12 decided · 45 to go · 20 minutes left")
    words.resize(words.fontMetrics().horizontalAdvance("12 decided · 45 to go") + 4, 18)
    assert words.drawn() == ["12 decided · 45 to go"]
    words.resize(words.fontMetrics().horizontalAdvance("12 decided") + 4, 18)
    assert words.drawn() == ["12 decided"]


def test_a_place_is_told_from_the_own_folder_on() -> None:
    assert place_of(Path.home() / "Documents" / "PPRL") == str(Path("Documents") / "PPRL")
    assert place_of(Path("/elsewhere/post")) == str(Path("/elsewhere/post"))


def test_a_file_written_again_is_offered_a_name_of_its_own(window: MainWindow, tmp_path: Path, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    """What was written before may have been sent."""
    window.desk.create_project(tmp_path / "Heart.pprlproject", "Heart")
    offered_: list[str] = []
    monkeypatch.setattr(
        QFileDialog, "getSaveFileName", lambda _pane, _title, path, _kinds: (offered_.append(path) or path, "")
    )
    first = out_path(window.pane(), "Write the proposal", "proposal.pprl")
    assert first is not None
    first.write_bytes(b"sealed")
    out_path(window.pane(), "Write the proposal", "proposal.pprl")
    assert [Path(one).name for one in offered_] == ["proposal.pprl", "proposal-2.pprl"]


def test_a_range_stands_in_the_unit_of_its_number() -> None:
    assert wrong_range(0.023, 0.009, 0.038) == "0.9 to 3.8"
    assert wrong_range(0.2, 0.1, 0.3) == "10 to 30 of 100"
    assert wrong_range(0.004, 0.001, 0.008) == "1 to 8 of 1,000"


def test_fields_beside_each_other_have_their_names_on_one_line(qtbot) -> None:  # type: ignore[no-untyped-def]
    place = QWidget()
    qtbot.addWidget(place)
    edits = [QLineEdit(), QLineEdit()]
    place.setLayout(
        columns(labelled("One", edits[0]), labelled("Other", edits[1], "a note of several words " * 6), least=100)
    )
    place.resize(420, 300)
    place.show()
    settle()
    assert edits[0].y() == edits[1].y()


def test_a_list_that_is_open_stays_open_while_keys_are_counted(window: MainWindow, tmp_path: Path) -> None:
    """Moved or hidden, it would close, and the next Enter would write the proposal."""
    make_key(window)
    with_project(window, tmp_path)
    window.show_pane("agreement")
    pane = window.pane()
    moves: list[object] = []
    watch = _Hidden(moves)
    pane.blind.installEventFilter(watch)
    pane.show_state()
    pane.show_state()
    assert not moves


def test_while_keys_are_counted_a_bar_moves_and_no_heading_stands_alone(
    window: MainWindow, tmp_path: Path, monkeypatch, qtbot
) -> None:  # type: ignore[no-untyped-def]
    halfway = threading.Event()

    def counted(*_given: object) -> None:
        progress = _given[-1]
        progress.at(0.5)
        halfway.wait(60)
        raise Problem("No keys stay below the bound.")

    monkeypatch.setattr("pprl_desktop.job.blind.prepare_own", counted)
    make_key(window)
    partner = make_partner(window)
    with_project(window, tmp_path)
    window.desk.change("Choose method", method="blind", partner=partner.id)
    window.show_pane("agreement")
    view = window.pane().blind
    assert view.bar.isHidden()
    view.rows.setValue(600)
    view.rows.editingFinished.emit()
    try:
        qtbot.waitUntil(lambda: view.bar.value() == 500)
        assert view.bar.isVisibleTo(window)
        assert not window.pane().start.draft_head.isVisibleTo(window)
    finally:
        halfway.set()
    qtbot.waitUntil(lambda: view.state.text().startswith("No keys stay below"))
    assert view.bar.isHidden()


@pytest.mark.parametrize("language", ["en", "de"])
def test_the_keys_of_a_proposal_are_no_two_the_same(open_window, language: str, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    """Alt+W opened the partner's file instead of writing the own."""
    window = open_window("--light", f"--language={language}")
    make_key(window)
    window.desk.create_project(tmp_path / "keys.pprlproject", "Keys")
    window.desk.change("Choose partner", partner=make_partner(window).id)
    window.show_pane("agreement")
    settle()
    assert window.pane().open.isVisibleTo(window)
    assert double_keys(window) == []


class _Hidden(QObject):
    def __init__(self, seen: list[object]) -> None:
        super().__init__()
        self.seen = seen

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Hide, QEvent.Type.ParentChange, QEvent.Type.Move):
            self.seen.append(event.type())
        return False


def test_a_button_that_says_something_else_is_called_so(qtbot) -> None:  # type: ignore[no-untyped-def]
    made, own = button("&Open the bundle"), button("×")
    own.setAccessibleName("Close")
    for one in (made, own):
        qtbot.addWidget(one)
        one.setText("&Open the question")
    assert made.accessibleName() == "Open the question"
    assert own.accessibleName() == "Close"
