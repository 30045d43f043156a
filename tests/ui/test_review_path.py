"""A review with the partner in the window: no slip opens a cell, no decision is lost, and Next leads to the end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QLabel

from pprl_desktop.decisions.base import ACCEPT, REVIEW
from pprl_desktop.job.partnership import Partnership
from pprl_desktop.review.marks import Level
from pprl_desktop.ui.shell.main_window import MainWindow
from tests.exchange.conftest import FIELDS, Party
from tests.exchange.test_clear_cells import scene
from tests.review.test_partner import HERE, THERE, answered, asked, review_offer

SECRET = "four unrelated words here"


@pytest.fixture
def parties(tmp_path: Path) -> tuple[Party, Party]:
    """Both have matched and exchanged results; four pairs are unsure, asked about and answered."""
    a, b = scene(tmp_path, review_offer())
    asked(a, b, tmp_path)
    answered(b, tmp_path / "answer.pprl", THERE)
    Partnership.open(a.home, a.own, tmp_path / "answer.pprl")
    return a, b


class Desk:
    def __init__(self, window: MainWindow, qtbot) -> None:  # type: ignore[no-untyped-def]
        self.window, self.qtbot = window, qtbot

    def wait(self) -> None:
        for _ in range(2):  # what ended may have started something more
            self.qtbot.wait(50)
            self.qtbot.waitUntil(lambda: self.window.desk.jobs.idle())
        self.qtbot.wait(20)

    def next(self) -> None:
        assert self.window.pane().reason() == ""
        self.qtbot.mouseClick(self.window.next, Qt.MouseButton.LeftButton)
        self.wait()

    def key(self, key: Qt.Key) -> None:
        self.qtbot.keyClick(self.window.focusWidget(), key)

    @property
    def panel(self):  # type: ignore[no-untyped-def]
        return self.window.pane().panel

    def states(self) -> dict[str, str]:
        return {one.step.name: one.state for one in self.window.desk.need_project().states()}


def before_the_review(window: MainWindow, a: Party, folder: Path, qtbot) -> Desk:  # type: ignore[no-untyped-def]
    """One side with everything done up to both results, on the page Results."""
    lines = zip(*(column.cells() for column in HERE.columns), strict=True)
    text = "\n".join(["first_name,last_name,born", *(",".join(line) for line in lines)])
    (folder / "here.csv").write_text(text + "\n")
    at = Desk(window, qtbot)
    window.desk.create_project(folder / "p" / "p.pprlproject")
    window.open_file(folder / "here.csv")
    at.wait()
    received = a.agreement.latest_received("data")
    assert received is not None
    window.desk.change(
        "as agreed", home=str(a.home.path), agreement=a.agreement.id, rule="review", fields=FIELDS,
        columns=tuple((one.name, one.name) for one in FIELDS), partner=a.agreement.contact, bundle_path="b",
        partner_path="p", partner_sha256=received.digest, result_path="ra", partner_result_path="rb",
    )  # fmt: skip
    for step in ("data", "fields", "method", "agreement", "export", "partner", "match"):
        window.desk.confirm(step)
    window.desk.unlocked(a.own)
    window.show_pane("results")
    at.wait()
    return at


@pytest.fixture
def reviewer(open_window: Callable[..., MainWindow], parties: tuple[Party, Party], tmp_path: Path, qtbot) -> Desk:  # type: ignore[no-untyped-def]
    """The first side, with everything before the review done, in front of the four pairs."""
    at = before_the_review(open_window(), parties[0], tmp_path, qtbot)
    at.next()
    assert at.window.current == "review"
    at.window.pane()._make_with_partner(SECRET)
    at.wait()
    assert at.panel.session.advance().to_go == 4
    return at


def test_a_click_selects_and_only_a_second_one_opens(reviewer: Desk) -> None:
    panel = reviewer.panel
    panel.session.set_order("score")
    panel.show_pair()
    places = [i for i, one in enumerate(panel.seen.previews) if one is not None]
    if len(places) < 2:
        pytest.skip("nothing to open in this pair")
    cell = panel.grid.cells[places[-1]]
    panel.grid.focus_cell(places[0])
    before = len(panel.session.ledger.entries)
    reviewer.qtbot.mouseClick(cell, Qt.MouseButton.LeftButton)
    assert panel._looked == places[-1]
    assert len(panel.session.ledger.entries) == before
    reviewer.qtbot.mouseDClick(cell, Qt.MouseButton.LeftButton)
    assert len(panel.session.ledger.entries) == before
    reviewer.qtbot.mouseClick(cell, Qt.MouseButton.LeftButton)
    assert panel.seen.cells[places[-1]].level > Level.MASKED


def test_a_click_on_blank_space_leaves_the_keys_with_the_pair(reviewer: Desk) -> None:
    panel = reviewer.panel
    first = panel.session.current
    for where in (panel, reviewer.window.pane(), reviewer.window.pane().stack.currentWidget().viewport()):
        reviewer.qtbot.mouseClick(where, Qt.MouseButton.LeftButton, pos=QPoint(2, where.height() - 2))
    reviewer.key(Qt.Key.Key_6)
    assert panel.session.decisions.current[first].point == 6


def test_the_last_pair_leads_to_a_summary_where_keys_decide_nothing(reviewer: Desk) -> None:
    panel = reviewer.panel
    for key in (Qt.Key.Key_6, Qt.Key.Key_6, Qt.Key.Key_1, Qt.Key.Key_0):
        reviewer.key(key)
    pane = reviewer.window.pane()
    assert pane.summary.isVisible()
    assert reviewer.window.focusWidget() is pane, "what is new is read, and Enter presses the blue button"
    assert [pane.summary.numbers[name].value.text() for name in ("same", "different", "cannot_tell")] == ["2", "1", "1"]
    before = dict(panel.session.decisions.current)
    reviewer.qtbot.keyClick(reviewer.window.focusWidget() or reviewer.window, Qt.Key.Key_2)
    assert panel.session.decisions.current == before
    assert "Take the decisions in" in reviewer.window.next.text()


def test_a_reviewed_project_gets_green_by_next_and_says_what_to_send_again(
    reviewer: Desk, parties: tuple[Party, Party]
) -> None:
    a, _b = parties
    for key in (Qt.Key.Key_6, Qt.Key.Key_6, Qt.Key.Key_6, Qt.Key.Key_1):
        reviewer.key(key)
    reviewer.next()
    assert a.job().kept().count(ACCEPT) == 5
    assert reviewer.window.current == "results"
    assert "send it to Registry again" in reviewer.window.pane().sentence.text()
    assert reviewer.window.pane().reason() != "", "what leaves is confirmed each time"
    slip = " ".join(one.text() for one in reviewer.window.pane().slip.findChildren(QLabel))
    assert "your result of" in slip, "what it adds to was told before"
    reviewer.window.pane().known.click()
    reviewer.next()  # writes it again
    assert a.job(a.agreement.id).result_is_current()
    assert Path(reviewer.window.desk.need_project().choices.result_path).is_file()
    reviewer.next()
    assert reviewer.window.current == "finish"
    reviewer.next()
    assert set(reviewer.states().values()) == {"done"}
    reviewer.window.show_pane("review")
    reviewer.next()
    assert reviewer.window.current == "finish"
    assert set(reviewer.states().values()) == {"done"}


def test_with_a_locked_key_the_page_asks_for_it_instead_of_dropping_decisions(
    reviewer: Desk, parties: tuple[Party, Party]
) -> None:
    a, _b = parties
    reviewer.key(Qt.Key.Key_6)
    reviewer.window.desk.unlocked(None)
    reviewer.window.show_pane("finish")
    reviewer.window.show_pane("review")
    pane = reviewer.window.pane()
    assert "Unlock your key" in pane.reason()
    assert pane.identity.isVisible()
    reviewer.qtbot.mouseClick(reviewer.window.next, Qt.MouseButton.LeftButton)
    assert reviewer.window.current == "review"
    reviewer.window.desk.unlocked(a.own)
    pane.show_state()
    reviewer.next()
    assert a.job().kept().count(ACCEPT) == 3


def test_finish_does_not_write_while_decisions_are_left_behind(reviewer: Desk) -> None:
    reviewer.key(Qt.Key.Key_6)
    reviewer.window.show_pane("finish")
    reviewer.wait()
    assert "not taken in" in reviewer.window.pane().reason()
    assert not reviewer.window.next.isEnabled()


def test_a_table_written_before_is_not_written_again_while_decisions_wait(reviewer: Desk) -> None:
    """Nor does a number stand there that is not known."""
    window = reviewer.window
    window.desk.change("Write results", output_folder="out")
    window.desk.confirm("finish", {"linked": b"{}"})
    reviewer.key(Qt.Key.Key_6)
    window.desk.findings.outcome = None
    window.desk.unlocked(None)
    window.show_pane("finish")
    reviewer.wait()
    pane = window.pane()
    assert pane.make.isVisible()
    assert not pane.make.isEnabled()
    assert not pane.linked.isVisible()


def test_a_begun_review_takes_its_passphrase_at_once(reviewer: Desk) -> None:
    window = reviewer.window
    reviewer.key(Qt.Key.Key_6)
    window.desk.confirm("review")
    window.desk.findings.session = window.desk.findings.manager = None
    window.pane().panel.session = None
    window.show_pane("settings")
    window.show_pane("review")
    reviewer.wait()
    partner = window.pane().with_partner
    assert window.focusWidget() is partner.secret.edit
    reviewer.key(Qt.Key.Key_Return)
    reviewer.wait()
    assert window.pane().messages.banners() == [], "nothing typed is no wrong passphrase"
    reviewer.qtbot.keyClicks(window.focusWidget(), SECRET)
    reviewer.key(Qt.Key.Key_Return)
    reviewer.wait()
    assert window.pane().panel.session.advance().to_go == 3


def test_the_sheet_of_a_second_table_is_chosen_on_the_page(qtbot) -> None:  # type: ignore[no-untyped-def]
    from pprl_desktop.job.reviewing import SecondTable
    from pprl_desktop.ui.panes.review_setup import NewReview

    new = NewReview()
    qtbot.addWidget(new)
    asked: list[tuple[str, str]] = []
    new.looked_for.connect(lambda path, sheet: asked.append((path, sheet)))
    seen = SecondTable("b.csv", 3, ("name",), (("last_name", "name"),), "")
    new.show_second(seen)
    assert not new.sheet_row.isVisibleTo(new)
    new.show_second(replace(seen, path="b.xlsx", sheet="One", sheets=("One", "Two")))
    assert new.sheet_row.isVisibleTo(new)
    assert new.plan().second_sheet == "One"
    new.sheet.setCurrentIndex(1)
    new.sheet.activated.emit(1)
    assert asked == [("b.xlsx", "Two")]


def test_enter_does_not_skip_a_review_that_waits_to_be_begun(reviewer: Desk) -> None:
    window = reviewer.window
    window.desk.findings.session = window.desk.findings.manager = None
    window.pane().panel.session = None
    window.show_pane("review")
    reviewer.wait()
    assert window.pane().with_partner.to_do()
    assert window.blue() is not window.next
    assert not window.next.property("enter")


def test_before_a_result_is_written_the_page_says_that_unsure_pairs_are_named_too(reviewer: Desk) -> None:
    """Under the rule 'review' the result names them as well: the partner learns of which pairs this side is unsure."""
    window = reviewer.window
    assert window.desk.partnership().kept().count(REVIEW) == 4
    window.desk.change("not written yet", result_path="")
    window.show_pane("results")
    reviewer.wait()
    said = " ".join(one.text() for one in window.pane().slip.findChildren(QLabel))
    assert "and of those you are unsure of" in said
    assert "and 4 unsure" in said


def test_where_the_lines_were_moved_the_review_is_not_said_to_have_added_pairs(reviewer: Desk) -> None:
    """The pairs that the higher line gave up were counted as the review's."""
    window = reviewer.window
    window.desk.need_project().keep("taken", b"{}")
    window.show_pane("match")
    reviewer.wait()
    match = window.desk.findings.match
    window.pane()._set_lines(match.review, float(match.scored.score.max()) - 1e-6)
    reviewer.wait()
    assert len(window.desk.findings.match.accepted()) < len(match.accepted())
    assert "added" not in " ".join(one.accessibleName() for one in window.pane().messages.banners())
