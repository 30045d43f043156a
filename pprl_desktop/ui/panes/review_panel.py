"""The masked-review panel: one pair at a time, keyboard only if wished, every opening priced before it happens."""

from __future__ import annotations

import html
from collections.abc import Collection, Sequence

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QKeyEvent, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QDialog, QSizePolicy, QVBoxLayout, QWidget

from pprl_desktop.problem import Problem
from pprl_desktop.review.marks import Level
from pprl_desktop.review.session import LEGEND, PairView, ReviewSession
from pprl_desktop.ui.kit import icons, theme
from pprl_desktop.ui.kit.i18n import tr, tr_core
from pprl_desktop.ui.kit.jobs import time_words
from pprl_desktop.ui.kit.theme import GRID
from pprl_desktop.ui.kit.words import count, exact, percent
from pprl_desktop.ui.widgets.asking import ask_words
from pprl_desktop.ui.widgets.banner import Banner, RemarkStrip
from pprl_desktop.ui.widgets.basics import Section, boxed, button, column, label, least_height, row
from pprl_desktop.ui.widgets.decision_panel import DecisionPanel, point_words
from pprl_desktop.ui.widgets.meter import Meter
from pprl_desktop.ui.widgets.pair_view import PairGrid, field_title, opening_words
from pprl_desktop.ui.widgets.reflow import columns
from pprl_desktop.ui.widgets.review_lists import NEXT, DecidedPairs, NextPairs, UpcomingPair

LISTS_AFTER = 40  # ms
LISTS_HIGH = 170  # px below which the lists are left out: the pair and the decision come first


class ReviewPanel(QWidget):
    """Works on a ReviewSession; cells come from its gate and from nowhere else."""

    moved = Signal()  # another pair, a decision, an opening: whoever shows progress looks again
    finished = Signal()  # the last pair was decided

    def __init__(self) -> None:
        super().__init__()
        self.session: ReviewSession | None = None
        self.seen: PairView | None = None
        self._looked = 0  # the cell whose cost is shown
        self.hide_score = False
        self.meter = Meter(tr("Privacy risk (KAPR)"))
        self.grid = PairGrid()
        self.grid.looked_at.connect(self._look)
        self.grid.opened.connect(self._clicked)
        self.pair_card = Section()
        self.pair_card.setAccessibleName(tr("Pair under review"))
        self.pair_card.add(self.grid)
        self.notices = RemarkStrip()
        self.cell_text = label("")
        self.cell_text.setAlignment(Qt.AlignmentFlag.AlignTop)
        least_height(self.cell_text, 36)  # one line or two: the decisions below stay under the pointer
        self.cell_cost = label("")
        self.open = button(tr("Open"), self.reveal)
        self.open.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the keys stay with the pair
        said = column(self.cell_text, self.cell_cost, gap=0.25)
        self.key = label(tr("Space"), "tiny", wrap=False)
        line = row(said, self.open, self.key, gap=1)
        line.setStretch(0, 1)
        self.hint_text = label("", "small")
        self.choice = DecisionPanel()
        self.choice.decided.connect(self.decide)
        self.choice.note_asked.connect(self.ask_note)
        self.next_pairs = NextPairs()
        self.next_pairs.chosen.connect(self.go)
        self.decided_pairs = DecidedPairs()
        self.decided_pairs.chosen.connect(self.go)
        self.cards = boxed(column(line, self.hint_text, gap=0.5), tr("The cell in focus"))
        lists = columns(self.next_pairs, self.decided_pairs, least=230, shares=(2, 1))
        for one in (self.next_pairs, self.decided_pairs):
            one.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
            one.setMinimumHeight(LISTS_HIGH)
        self.lists = boxed(lists, tr("Other pairs"))
        layout = column(self.pair_card, self.notices, self.cards, self.choice, self.lists, None, gap=1.5)
        layout.setStretch(4, 20)
        self.setLayout(layout)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._lists_later = QTimer(self)  # the pair and the meter are drawn first, the lists a moment later
        self._lists_later.setSingleShot(True)
        self._lists_later.setInterval(LISTS_AFTER)
        self._lists_later.timeout.connect(self._show_lists)

    # showing --------------------------------------------------------------------------------------

    def open_session(self, session: ReviewSession) -> None:
        self.session = session
        self.show_pair()

    def _need(self) -> ReviewSession:
        assert self.session is not None
        return self.session

    def show_pair(self, *, keep_cell: bool = False) -> None:
        session = self._need()
        self._clear_notice()
        self.seen = seen = session.view()
        self.grid.show_cells(seen.cells, seen.previews, seen.suggestion.field if seen.suggestion else "")
        if not keep_cell:
            self._looked = self._first_cell()
        self._show_meter()
        self._show_cell()
        self._show_hint()
        self.choice.show_decision(seen.decision.point if seen.decision else None, seen.note)
        self._lists_later.start()
        QTimer.singleShot(0, self, self._make_room)
        if not keep_cell and (self.grid.focused() >= 0 or self._focus_inside()):
            self.grid.focus_cell(self._looked)
        self.moved.emit()

    def _focus_inside(self) -> bool:
        now = self.window().focusWidget()
        return now is None or self.isAncestorOf(now)

    def _first_cell(self) -> int:
        """The first cell with something to open; the suggestion is a hint, not a path."""
        assert self.seen is not None
        places = [
            i for i, p in enumerate(self.seen.previews) if p is not None and self.seen.cells[i].kind != "identical"
        ]
        return places[0] if places else 0

    def _show_meter(self) -> None:
        assert self.seen is not None
        m = self.seen.meter
        crowd = tr("crowd of at least {k}", k=count(m.smallest_k))
        opened = tr("characters opened {share}", share=percent(float(m.characters)))
        own = self._need().review.own_crowd
        said = tr(
            "Counted with the smallest crowd of each class; KAPR itself is {risk}.", risk=percent(float(m.risk), 2)
        )
        self.meter.more = said if own else f"{said} {tr('Counted over the rows at hand: the true risk is not higher.')}"
        self.meter.show_value(float(m.charged), float(m.limit), f"{opened} · {crowd}")

    def _show_cell(self) -> None:
        assert self.seen is not None
        number = min(self._looked, len(self.seen.cells) - 1)
        cell, preview = self.seen.cells[number], self.seen.previews[number]
        spoken = tr_core(cell.spoken)
        said = spoken.split(": ", 1)[1] if ": " in spoken else spoken  # the name stands before it already
        self.cell_text.setText(f"<b>{html.escape(field_title(cell.field))}:</b> {html.escape(said)}")
        self.cell_cost.setText(opening_words(cell, preview))
        refused = preview is not None and preview.refusal is not None
        theme.set_role(self.cell_cost, "role", "danger" if refused else "strong" if preview is not None else "muted")
        for one in (self.open, self.key):
            one.setVisible(preview is not None)
        if preview is not None:
            self.open.setText(tr("Open the letters") if preview.level == Level.PARTIAL else tr("Open the value"))
            self.open.setEnabled(preview.refusal is None)
        total = None
        if preview is not None:
            total = float(self.seen.meter.charged + preview.cost)
        self.meter.show_preview(total)

    def _show_hint(self) -> None:
        assert self.seen is not None
        hint = self.seen.suggestion
        if hint is None:
            self.hint_text.setText(
                tr("Nothing more can be opened here. Decide with what is open, or choose “cannot tell”.")
            )
            return
        settles = round(10 * hint.settles)
        if not settles:
            self.hint_text.setText(
                tr("No cell is likely to settle this pair. Decide with what is open, or choose “cannot tell”.")
            )
            return
        text = tr(
            "{field}: settles about {n} of 10 pairs like this one, costs {cost}. G goes there.",
            field=field_title(hint.field),
            n=settles,
            cost=percent(float(hint.cost), 2),
        )
        basis = "" if hint.cases else " " + tr("A first guess, before experience.")
        self.hint_text.setText(text + basis)

    def _show_lists(self) -> None:
        if self.session is None:
            return
        session = self.session
        numbers = {pair.id: i for i, pair in enumerate(session.review.pairs)}
        places = {pair: i for i, pair in enumerate(session.order, start=1)}
        upcoming = [
            UpcomingPair(pair, places[pair], session.gate.cells(numbers[pair])) for pair in session.upcoming(NEXT)
        ]
        self.next_pairs.show_pairs(upcoming, tuple(field.name for field in session.review.policy.fields))
        self.decided_pairs.show_session(session)

    def _look(self, number: int) -> None:
        if self.seen is not None and number != self._looked and number < len(self.seen.cells):
            self._looked = number
            self._clear_notice()
            self._show_cell()

    def _clear_notice(self) -> None:
        self.notices.clear()
        self.cards.show()

    # doing ----------------------------------------------------------------------------------------

    def _clicked(self, number: int) -> None:
        self._looked = number
        self.reveal()

    def reveal(self) -> None:
        """Open the next level of the cell in focus. The gate charges first, or refuses with the reason."""
        if self.seen is None:
            return
        cell = self.seen.cells[self._looked]
        preview = self.seen.previews[self._looked]
        try:
            self._need().reveal(cell.field)
        except Problem as problem:
            self._refused(problem, kind="info" if preview is None else "problem")
            return
        self.show_pair(keep_cell=True)
        now = self.seen.cells[self._looked]
        self._say(f"{tr_core(now.spoken)} {self.meter.words()}")

    def decide(self, point: int) -> None:
        session = self._need()
        try:
            done = session.decide(point)
        except Problem as problem:
            self._refused(problem)
            return
        self._say(point_words(point))
        if done.current is None:
            self.finished.emit()
        else:
            self.show_pair()

    def undo(self) -> None:
        self._step("undo")

    def redo(self) -> None:
        self._step("redo")

    def _step(self, what: str) -> None:
        session = self._need()
        try:
            session.undo() if what == "undo" else session.redo()
        except Problem as problem:
            self._refused(problem)
            return
        self.show_pair()
        if what == "undo":
            self._say(tr("Decision taken back. What was opened stays counted."))

    def go(self, pair: str) -> None:
        self._need().go(pair)
        self.show_pair()
        self.grid.focus_cell(self._looked)

    def step_pair(self, by: int) -> None:
        self._need().step(by)
        self.show_pair()

    def go_cheapest(self) -> None:
        assert self.seen is not None
        hint = self.seen.suggestion
        if hint is not None:
            number = next(i for i, cell in enumerate(self.seen.cells) if cell.field == hint.field)
            self.grid.focus_cell(number)

    def ask_note(self) -> None:
        assert self.seen is not None
        text = ask_words(
            self, tr("Note on this pair"), tr("Only reviewers see it; it is sealed in the review."),
            tr("&Save the note"), text=self.seen.note, lines=4,
        )  # fmt: skip
        if text is not None:
            try:
                self._need().annotate(text.strip())
            except Problem as problem:
                self._refused(problem)
                return
            self.show_pair(keep_cell=True)

    def show_legend(self) -> QDialog:
        dialog = QDialog(self.window())
        dialog.setWindowTitle(tr("Legend"))
        layout = QVBoxLayout(dialog)
        layout.setContentsMargins(3 * GRID, 3 * GRID, 3 * GRID, 2 * GRID)
        layout.setSpacing(GRID)
        halves = columns(
            self._explained(tr("What the marks mean"), [(sign, tr_core(words)) for sign, words in LEGEND]),
            self._explained(tr("Keys"), self.key_words()),
            least=300,
            gap=4,
        )
        layout.addLayout(halves)
        note = label(
            tr("Decisions can be taken back. What was opened cannot be closed again: it stays counted."), "warm"
        )
        layout.addWidget(note)
        layout.addLayout(row(None, button(tr("Close"), dialog.accept, kind="primary")))
        dialog.setMinimumWidth(780)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()
        return dialog

    @staticmethod
    def _explained(title: str, lines: Sequence[tuple[str, str]]) -> QVBoxLayout:
        made = column(label(title, "heading"), gap=1)
        for sign, words in lines:
            mark = label(sign, "mono", wrap=False)
            mark.setFixedWidth(icons.grown(80))
            line = row(mark, label(words, "muted"), gap=1)
            line.setStretch(1, 1)
            made.addLayout(line)
        made.addStretch(1)
        return made

    @staticmethod
    def key_words() -> tuple[tuple[str, str], ...]:
        return (
            ("← →", tr("another cell")),
            ("↑ ↓", tr("another pair")),
            (tr("Space"), tr("open the next level of the cell")),
            ("1 2 3", tr("different: surely, probably, perhaps")),
            ("4 5 6", tr("same: perhaps, probably, surely")),
            ("0", tr("cannot tell")),
            ("U", tr("take the last decision back (Shift+U brings it back)")),
            ("G", tr("go to the cheapest helpful cell")),
            ("N", tr("note")),
            ("?", tr("this legend")),
        )

    def _refused(self, problem: Problem, kind: str = "problem") -> None:
        """The reason takes the place of the cards below the pair, so that the decision stays in view."""
        self.notices.clear()
        self.notices.show_banner(Banner.of(problem, kind=kind))
        self.cards.hide()
        self._say(tr_core(problem.sentence()))

    def _say(self, text: str) -> None:
        """Spoken, never more than is on the screen."""
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, text))

    # words for the frame --------------------------------------------------------------------------

    def where(self) -> str:
        assert self.seen is not None
        text = tr("Pair {n} of {all}", n=count(self.seen.number), all=count(self.seen.of))
        if self.seen.score is not None and not self.hide_score:
            text += " · " + tr("score {score}", score=exact(self.seen.score, 3))
        return text

    def advance_words(self, others: Collection[str] = ()) -> str:
        """`others`: pairs that somebody else has decided; the most important first, for a narrow window."""
        session = self._need()
        a = session.advance()
        more = len(set(others) & set(session.order) - session.decisions.current.keys())
        to_go = a.to_go - more
        parts = [tr("{n} decided", n=count(a.decided + more)), tr("{n} to go", n=count(to_go))]
        if more:
            parts.append(tr("{n} of them by reviewers", n=count(more)) if a.decided else tr("all by reviewers"))
        if a.minutes_left is not None and to_go:
            parts.append(tr("{time} left", time=time_words(a.minutes_left * 60 * to_go / a.to_go)))
        return " · ".join(parts)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """On a small screen the pair, its costs and the decision stay in view; the lists give way."""
        super().resizeEvent(event)
        QTimer.singleShot(0, self, self._make_room)

    def _make_room(self) -> None:
        scroller = self.parentWidget()
        high = scroller.height() if scroller is not None else self.height()
        layout = self.layout()
        used = sum(
            layout.itemAt(i).sizeHint().height() + layout.spacing()
            for i in range(layout.count())
            if layout.itemAt(i).widget() is not self.lists and not layout.itemAt(i).isEmpty()
        )
        self.lists.setVisible(high - used >= LISTS_HIGH)
        keys = self.choice.keys  # they stand in the legend as well
        keys.setVisible(used + (0 if keys.isVisibleTo(self) else keys.sizeHint().height() + GRID) <= high)

    # keys and pointer -----------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """On blank space: the keys stay with the pair."""
        super().mousePressEvent(event)
        self.take_focus()

    def take_focus(self) -> None:
        if self.seen is not None:
            self.grid.focus_cell(self._looked)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self.seen is None or not self._key(event):
            super().keyPressEvent(event)

    def _key(self, event: QKeyEvent) -> bool:
        key, text = Qt.Key(event.key()), event.text()
        plain = not event.modifiers() & (Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier)
        if not plain:
            return False
        here = self.grid.focused()
        if key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            self.grid.focus_cell((here if here >= 0 else self._looked) + (1 if key == Qt.Key.Key_Right else -1))
        elif key in (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown):
            self.step_pair(1 if key in (Qt.Key.Key_Down, Qt.Key.Key_PageDown) else -1)
        elif key == Qt.Key.Key_Space:
            self.reveal()
        elif text and text in "0123456":
            self.decide(int(text))
        elif key == Qt.Key.Key_U:
            self.redo() if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else self.undo()
        elif key == Qt.Key.Key_G:
            self.go_cheapest()
        elif key == Qt.Key.Key_N:
            self.ask_note()
        elif text == "?":
            self.show_legend()
        else:
            return False
        return True
