"""The masked-review panel: keyboard only from start to end, priced before it is opened, never undone."""

from __future__ import annotations

import time
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QVBoxLayout, QWidget

from pprl_desktop.review.cells import Cell
from pprl_desktop.review.marks import Level
from pprl_desktop.review.plan import Review
from pprl_desktop.ui.kit import theme
from pprl_desktop.ui.panes.review_panel import ReviewPanel
from tests.ui.reviews import open_session, sample_review

FRAME = 0.016  # s


@pytest.fixture
def make_panel(qtbot, tmp_path: Path) -> Iterator[object]:  # type: ignore[no-untyped-def]
    sessions = []

    def make(review: Review | None = None) -> ReviewPanel:
        from PySide6.QtWidgets import QApplication

        theme.apply(QApplication.instance(), "light")  # type: ignore[arg-type]
        frame = QWidget()
        panel = ReviewPanel()
        layout = QVBoxLayout(frame)
        layout.addWidget(panel.meter)
        layout.addWidget(panel)
        frame.resize(1100, 760)
        qtbot.addWidget(frame)
        frame.show()
        frame.activateWindow()
        session = open_session(tmp_path / f"review{len(sessions)}", review)
        sessions.append(session)
        panel.open_session(session)
        panel.grid.focus_cell(0)
        panel.frame_kept = frame  # type: ignore[attr-defined]
        return panel

    yield make
    for session in sessions:
        session.ledger.close()


def press(panel: ReviewPanel, key: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    QTest.keyClick(panel.window().focusWidget() or panel, key, modifier)


def shown(cell: Cell) -> str:
    return cell.drawing.text(0) + cell.drawing.text(1)


def test_a_whole_review_is_done_by_keyboard_alone(make_panel) -> None:  # type: ignore[no-untyped-def]
    panel = make_panel(sample_review(6))
    ended = []
    panel.finished.connect(lambda: ended.append(True))
    keys = (Qt.Key.Key_6, Qt.Key.Key_1, Qt.Key.Key_0, Qt.Key.Key_3, Qt.Key.Key_5, Qt.Key.Key_4)
    for key in keys:
        press(panel, Qt.Key.Key_Right)
        press(panel, Qt.Key.Key_Space)
        press(panel, key)
    assert ended == [True]
    assert sorted(d.point for d in panel.session.decisions.current.values()) == [0, 1, 3, 4, 5, 6]


def test_space_opens_one_level_and_charges_what_was_announced(make_panel) -> None:  # type: ignore[no-untyped-def]
    panel = make_panel()
    while not any(cell.kind == "aligned" for cell in panel.seen.cells):
        press(panel, Qt.Key.Key_Down)
    place = next(i for i, cell in enumerate(panel.seen.cells) if cell.kind == "aligned")
    panel.grid.focus_cell(place)
    announced = panel.meter.preview
    before = shown(panel.seen.cells[place])
    press(panel, Qt.Key.Key_Space)
    assert panel.seen.cells[place].level == Level.PARTIAL
    assert panel.meter.spent == announced
    assert shown(panel.seen.cells[place]) != before


def test_the_cost_of_the_cell_in_focus_is_shown_before_it_is_opened(make_panel) -> None:  # type: ignore[no-untyped-def]
    panel = make_panel()
    assert any(panel.seen.previews)
    for number, preview in enumerate(panel.seen.previews):
        panel.grid.focus_cell(number)
        expected = None if preview is None else float(panel.seen.meter.charged + preview.cost)
        assert panel.meter.preview == expected
        assert "%" in panel.cell_cost.text() or preview is None or preview.refusal is not None


def test_undo_takes_the_decision_back_but_not_the_disclosure(make_panel) -> None:  # type: ignore[no-untyped-def]
    panel = make_panel()
    first = panel.session.current
    press(panel, Qt.Key.Key_Space)
    spent = panel.meter.spent
    press(panel, Qt.Key.Key_5)
    press(panel, Qt.Key.Key_U)
    assert panel.session.current == first
    assert not panel.session.decisions.current
    assert panel.meter.spent == spent > 0
    press(panel, Qt.Key.Key_U, Qt.KeyboardModifier.ShiftModifier)
    assert panel.session.decisions.current[first].point == 5


def test_a_refusal_says_why_and_opens_nothing(make_panel) -> None:  # type: ignore[no-untyped-def]
    panel = make_panel(sample_review(6, reviewer_budget=Fraction(0)))
    place = next(i for i, p in enumerate(panel.seen.previews) if p is not None and p.cost > 0)
    panel.grid.focus_cell(place)
    before = shown(panel.seen.cells[place])
    press(panel, Qt.Key.Key_Space)
    (banner,) = panel.notices.banners()
    assert "budget" in banner.what.text()
    assert shown(panel.seen.cells[place]) == before


def test_g_goes_to_the_suggested_cell(make_panel) -> None:  # type: ignore[no-untyped-def]
    panel = make_panel()
    press(panel, Qt.Key.Key_G)
    assert panel.seen.cells[panel.grid.focused()].field == panel.seen.suggestion.field


def test_every_cell_speaks_and_says_no_more_than_it_shows(make_panel) -> None:  # type: ignore[no-untyped-def]
    panel = make_panel()
    for widget, cell in zip(panel.grid.cells, panel.seen.cells, strict=True):
        assert widget.accessibleName() == str(cell.spoken)
        assert widget.accessibleDescription()
        hidden = panel.session.review.people.value(
            [f.name for f in panel.session.review.policy.fields].index(cell.field),
            panel.session.review.pairs[panel.session._numbers[panel.session.current]].a,
        )
        assert len(hidden) < 3 or hidden not in widget.accessibleName() + widget.toolTip()


def test_the_score_is_hidden_while_blind(make_panel) -> None:  # type: ignore[no-untyped-def]
    assert "score" not in make_panel(sample_review(6, blind=True)).where()
    assert "score" in make_panel(sample_review(6, blind=False)).where()


def test_looking_ahead_opens_nothing(make_panel, qtbot) -> None:  # type: ignore[no-untyped-def]
    panel = make_panel()
    before = len(panel.session.ledger.entries)
    panel._show_lists()
    assert panel.next_pairs._table.model.rowCount() == 8
    assert len(panel.session.ledger.entries) == before


def test_the_legend_explains_every_sign_and_key(make_panel, qtbot) -> None:  # type: ignore[no-untyped-def]
    panel = make_panel()
    press(panel, Qt.Key.Key_Question)
    from PySide6.QtWidgets import QDialog, QLabel

    (dialog,) = panel.window().findChildren(QDialog)
    texts = " ".join(label.text() for label in dialog.findChildren(QLabel))
    assert all(sign in texts for sign in "*@&×+⇄✓?")
    assert "stays counted" in texts
    dialog.accept()


@pytest.mark.slow
def test_focus_and_preview_stay_within_a_frame_with_a_million_records(make_panel) -> None:  # type: ignore[no-untyped-def]
    """The median over the cells of several pairs; a single step may wait for the disk or the neighbours."""
    import numpy as np

    from pprl_desktop.records.table import Column
    from pprl_desktop.review.plan import People

    small = sample_review(12)
    rng = np.random.default_rng(0)
    many = 1_000_000 - len(small.people)
    columns = tuple(
        Column(c.name, c.values, np.concatenate([c.codes, rng.integers(0, len(c.values), many).astype(np.int32)]))
        for c in small.people.columns
    )
    side = np.concatenate([small.people.side, np.zeros(many, np.int8)])
    people = People(columns, side, np.arange(len(side), dtype=np.int64))
    panel = make_panel(Review(small.id, small.title, small.policy, people, small.pairs))
    spent = []
    for _pair in range(5):
        for number in range(len(panel.seen.cells)):
            start = time.perf_counter()
            panel.session.gate.previews(panel.session._numbers[panel.session.current])
            panel.grid.focus_cell(number)
            spent.append(time.perf_counter() - start)
        panel.step_pair(1)
    assert sorted(spent)[len(spent) // 2] < FRAME


def test_the_decisions_stay_where_they_are_from_pair_to_pair(make_panel, qtbot) -> None:  # type: ignore[no-untyped-def]
    """A pair of few letters takes no less room than the ones before it: what is clicked does not move away."""
    panel = make_panel()
    wide = next(wide for wide in range(500, 1100, 20) if len({*heights(panel, wide)}) > 1)
    panel.frame_kept.resize(wide + panel.frame_kept.width() - panel.grid.width(), 760)
    qtbot.waitUntil(lambda: panel.grid.width() == wide)
    highest = 0
    for pair in panel.session.order:
        panel.go(pair)
        assert panel.grid.minimumHeight() >= highest
        highest = panel.grid.minimumHeight()
    assert highest == max(heights(panel, wide))


def heights(panel: ReviewPanel, wide: int) -> list[int]:
    """What each pair would need in so much room."""
    found = []
    for pair in panel._need().order:
        panel.go(pair)
        found.append(panel.grid._layout_lines(wide)[2])
    return found
