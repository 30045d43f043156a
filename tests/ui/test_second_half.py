"""What looked or led wrong from the partner's file to the report, when the job was driven in the real window."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
from PySide6.QtCore import QRectF, QSizeF
from PySide6.QtGui import QTextDocument
from PySide6.QtWidgets import QApplication, QLabel, QWidget

from pprl_desktop.job.document import Document, Fact, Part
from pprl_desktop.said import Said
from pprl_desktop.ui.panes.review_partner import NewPassphrase
from pprl_desktop.ui.plots.histogram import ScoreHistogram
from pprl_desktop.ui.plots.precision_recall import Curve, PrecisionRecallPlot
from pprl_desktop.ui.shell.main_window import MainWindow
from pprl_desktop.ui.widgets import paper
from tests.exchange.test_clear_cells import scene
from tests.review.test_partner import review_offer, told
from tests.ui.test_review_path import Desk, before_the_review


def settle() -> None:
    for _ in range(3):
        QApplication.sendPostedEvents()
        QApplication.processEvents()


def unreviewed(window: MainWindow, folder: Path, qtbot) -> Desk:  # type: ignore[no-untyped-def]
    """Both results are told, and nothing is asked for yet."""
    a, b = scene(folder, review_offer())
    told(a, b, folder)
    return before_the_review(window, a, folder, qtbot)


def test_a_low_plot_shows_its_point_and_its_words_whole(qtbot) -> None:  # type: ignore[no-untyped-def]
    plot = PrecisionRecallPlot(height=120)
    qtbot.addWidget(plot)
    plot.resize(700, 150)
    plot.show_curve(Curve([0.2, 0.99], [1.0, 0.999], [3.0, 1.0], (0.99, 0.999)))
    plot.show()
    settle()
    box, left = plot.item.getViewBox(), plot.item.getAxis("left")
    seen = box.sceneBoundingRect()
    point = box.mapViewToScene(box.viewRect().topLeft().__class__(0.99, 0.999))
    assert seen.top() + 6 <= point.y() <= seen.bottom() - 6
    assert left.label.boundingRect().width() <= left.size().height()
    assert plot.readout.geometry().bottom() <= plot.rect().bottom()


def test_both_lines_keep_their_names_wherever_they_stand(qtbot) -> None:  # type: ignore[no-untyped-def]
    plot = ScoreHistogram(height=120)
    qtbot.addWidget(plot)
    plot.resize(740, 170)
    plot.show()
    scores = np.linspace(-2.0, 20.0, 200)
    for review, accept in ((-2.0, 0.1), (-2.0, 19.9), (5.0, 10.0), (19.8, 19.9)):
        plot.show_scores(scores, review, accept, odds=True)
        settle()
        names = [line.label for line in (plot.review_line, plot.accept_line)]
        shown = [one.mapRectToScene(one.boundingRect()) for one in names]
        assert all(one.isVisible() for one in names)
        whole = QRectF(plot.canvas.rect())
        assert all(whole.contains(one) for one in shown), (review, accept)
        assert not shown[0].intersects(shown[1]), (review, accept)


def test_nothing_moves_below_the_counts_while_a_line_is_dragged(
    open_window: Callable[..., MainWindow], tmp_path: Path, qtbot
) -> None:  # type: ignore[no-untyped-def]
    window = open_window()
    at = unreviewed(window, tmp_path, qtbot)
    window.resize(1024, 676)
    window.show_pane("match")
    at.wait()
    pane = window.pane()
    qtbot.waitUntil(lambda: pane.table is not None and pane.plots.isVisible())
    at.wait()

    def say(many: int, wrong: str) -> int:
        pane._say_counts(many, 0, 0)
        for shown in (pane.expected, pane.second):
            shown.setVisible(True)
            shown.show_number(wrong, "", "0 to 7 of 1,000")
        settle()
        return int(pane.plots.y())

    before = say(218, "1 of 1,000")
    assert say(210, "under 1 of 1,000") == before


def test_a_request_is_in_the_post_as_soon_as_it_is_written(
    open_window: Callable[..., MainWindow], tmp_path: Path, qtbot, monkeypatch
) -> None:  # type: ignore[no-untyped-def]
    window = open_window()
    at = unreviewed(window, tmp_path, qtbot)
    window.show_pane("review")
    at.wait()
    asks = window.pane().with_partner
    slip = " ".join(one.text() for one in asks.slip.findChildren(QLabel))
    assert "your bundle of" in slip, "what a request adds to was told before"
    monkeypatch.setattr("pprl_desktop.ui.panes.review_partner.out_path", lambda *_a: tmp_path / "ask.pprl")
    asks.ask.click()
    at.wait()
    assert asks.open.isVisible()
    qtbot.waitUntil(lambda: window.steps.buttons["review"].entry.mark == "waiting")
    assert window.beside.buttons["post"].entry.count == 1
    window.show_pane("finish")
    at.wait()
    assert "Waiting for" in window.pane().status(), "not all steps are done while the partner is awaited"


def test_of_the_open_pairs_the_own_ones_are_counted_apart(
    open_window: Callable[..., MainWindow], tmp_path: Path, qtbot
) -> None:  # type: ignore[no-untyped-def]
    window = open_window()
    at = unreviewed(window, tmp_path, qtbot)
    pane = window.pane()
    outcome = window.desk.findings.outcome
    assert outcome is not None
    pane._unsure = outcome.left_open - 1
    pane._say_linked(outcome, 3)
    assert f"{outcome.left_open - 1} of them for you to review" in pane.linked.note.text()
    pane._unsure = outcome.left_open
    pane._say_linked(outcome, 3)
    assert "for you to review" not in pane.linked.note.text()
    at.wait()


def test_why_a_passphrase_is_not_good_stands_on_one_line(qtbot) -> None:  # type: ignore[no-untyped-def]
    form = NewPassphrase("Start")
    qtbot.addWidget(form)
    form.resize(740, 160)
    form.show()
    form.secret.edit.setText("four quiet rivers turn")
    settle()
    assert form.why.text()
    assert form.why.fontMetrics().horizontalAdvance(form.why.text()) <= form.why.width()


def test_the_steps_stay_where_they_are_when_one_gets_a_reason(
    open_window: Callable[..., MainWindow], tmp_path: Path
) -> None:
    """A click meant for one step opens no other, and nothing has to be scrolled to."""

    window = open_window()
    window.desk.create_project(tmp_path / "p.pprlproject", "Northmere Heart Registry × Saltham Hospital Trust, 2026")
    window.resize(1024, 676)
    settle()
    places = {name: made.y() for name, made in window.steps.buttons.items()}
    entries = [made.entry for made in window.steps.buttons.values()]
    told = [replace(one, mark="waiting", why="waiting for Saltham") if one.name == "review" else one for one in entries]
    window.steps.show_entries(told)
    settle()
    assert {name: made.y() for name, made in window.steps.buttons.items() if name != "finish"} == {
        name: y for name, y in places.items() if name != "finish"
    }
    lowest: QWidget = list(window.beside.buttons.values())[-1]
    bottom = lowest.mapTo(window.side, lowest.rect().bottomLeft()).y()
    assert bottom <= window.side.height()


def test_no_title_of_a_document_stands_alone_at_the_foot_of_a_page(qapp) -> None:  # type: ignore[no-untyped-def]
    moved = 0
    for lines in range(15, 60):
        text = QTextDocument()
        before = "".join(f"<p>{n}</p>" for n in range(lines))
        text.setHtml(f'{before}<p style="font-weight:600">Masked review</p><p>No pair was reviewed.</p>')
        text.setPageSize(QSizeF(600, 800))
        pages = text.documentLayout()

        def stands(words: str, text: QTextDocument = text) -> int:
            return int(text.documentLayout().blockBoundingRect(text.find(words).block()).top() // 800)

        alone = stands("Masked review") < stands("No pair was")
        paper._keep_titles(text)
        assert pages is text.documentLayout()
        assert stands("Masked review") == stands("No pair was"), lines
        moved += alone
    assert moved, "one of them stood alone"


def test_a_full_first_page_is_followed_by_the_next_and_not_by_an_empty_one(qapp, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    """Whatever its length, there are as many pages as its parts fill."""
    title = Said("{n}", n=1)
    asked = 0
    for lines in range(20, 40):
        facts = tuple(Fact(Said("{n}", n=n), Said("{n}", n=n)) for n in range(lines))
        alone = Document(title, "Ours", "", facts=facts, facts_title=title)
        if paper.write_pdf(alone, tmp_path / "alone.pdf") == 1:  # how many lines fit depends on the font
            made = replace(alone, parts=(Part(title, sentences=(title,)),))
            assert paper.write_pdf(made, tmp_path / "made.pdf") == 2, lines
            asked += 1
    assert asked
