"""Review: decide the uncertain pairs, opening no more than needed, within a privacy budget."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QMouseEvent
from PySide6.QtWidgets import QFileDialog, QFrame, QPushButton, QScrollArea, QStackedWidget, QWidget

from pprl_desktop.job.review_path import TakenIn, decisions_of, take_in
from pprl_desktop.problem import Problem
from pprl_desktop.progress import Progress
from pprl_desktop.ui.kit.i18n import tr, tr_n
from pprl_desktop.ui.panes._keyed import KeyedPane
from pprl_desktop.ui.panes.review_answer import AnswerInClear
from pprl_desktop.ui.panes.review_panel import ReviewPanel
from pprl_desktop.ui.panes.review_partner import PartnerReview
from pprl_desktop.ui.panes.review_setup import NewReview, OpenReview, own_page, suggested_folder
from pprl_desktop.ui.panes.review_summary import ReviewSummary
from pprl_desktop.ui.widgets.basics import boxed, button, column, row
from pprl_desktop.ui.widgets.pair_view import CellWidget

if TYPE_CHECKING:
    from pprl_desktop.review.desk import Desk as ManagerDesk
    from pprl_desktop.review.session import ReviewSession
    from pprl_desktop.review.share import Share


_START, PAIRS_PAGE, _END, _ANSWER, OWN_PAGE = range(5)


def _scrolling(page: QWidget) -> QScrollArea:
    made = QScrollArea()
    made.setWidgetResizable(True)
    made.setFrameShape(QFrame.Shape.NoFrame)
    made.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    made.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # a click on blank space leaves the keys with the pair
    page.setObjectName("page")
    made.setWidget(page)
    return made


class ReviewPane(KeyedPane):
    NAME = "review"
    NEEDS: ClassVar[tuple[str, ...]] = ("table_path", "fields", "columns", "review_path", "review_budget")
    GIVES: ClassVar[tuple[str, ...]] = ("review_path", "review_budget", "decisions")
    MESSAGES = {  # noqa: RUF012
        "all": "All pairs are decided.",
        "budget": "This would go over the privacy budget.",
    }
    SCROLLS = False

    def build(self) -> None:
        self.share: Share | None = None
        self.share_path = ""
        self.manager: ManagerDesk | None = None
        self.panel = ReviewPanel()
        self.panel.moved.connect(self._moved)
        self.panel.finished.connect(self._finished)
        self.new = NewReview()
        self.new.looked_for.connect(self._look_at)
        self.new.asked.connect(self._make)
        self.old = OpenReview()
        self.old.share_asked.connect(self._open_share)
        self.old.desk_asked.connect(self._open_desk)
        self.with_partner = PartnerReview(self)
        self.with_partner.asked.connect(self._make_with_partner)
        self.with_partner.continued.connect(lambda secret: self._open_desk(self.project.choices.review_path, secret))
        self.with_partner.answer_wanted.connect(self._answer)
        self.with_partner.titled.connect(self.head)
        self.answer = AnswerInClear(self)
        self.answer.titled.connect(self.head)
        self.answer.ended.connect(self.show_state)
        self.summary = ReviewSummary()
        self.summary.again.connect(self._look_again)
        other = button(tr("Review two tables of your own, or a share from a manager …"), self._show_own, kind="link")
        self.stack = QStackedWidget()
        for page in (
            self._start_page(other),
            self.panel,
            boxed(column(self.summary, None)),
            boxed(column(self.answer, None)),
            self._own_page(),
        ):
            self.stack.addWidget(_scrolling(page))
        self.body.addWidget(self.identity)
        self.body.addWidget(self.stack, 1)
        self.head_right.addWidget(self.panel.meter)
        self.panel.meter.setMinimumWidth(320)
        self.panel.meter.hide()
        self.previous = button(tr("Previous pair"), lambda: self._step(-1))
        self.following = button(tr("Next pair"), lambda: self._step(1))
        self.back_to_start = button(tr("Back to the review"), self.show_state)
        self.not_now = button(tr("Not now"), self.show_state)
        self.back_to_pairs = button(tr("Back to the pairs"), lambda: self._look_again(""))
        self.hand_back = button(tr("Hand back decisions …"), self._hand_back, icon="send")

    def _own_page(self) -> QWidget:
        return own_page(self.new, self.old)

    def _start_page(self, other: QWidget) -> QWidget:
        return boxed(column(self.with_partner, row(other, None), None, gap=4))

    # arriving -------------------------------------------------------------------------------------

    def show_state(self) -> None:
        session = self.desk.findings.session
        self.manager = self.desk.findings.manager
        self.identity.setVisible(bool(self.reason()))
        if session is not None:
            if session.current is None or (self.panel.session is session and self.stack.currentIndex() == _END):
                self.panel.session = session
                self._sum_up(session)
            else:
                self._work_on(session)
            return
        choices = self.project.choices
        self.head(
            tr("Review the uncertain pairs"),
            tr("You see how two records differ, not what they say; opening a cell costs a little of the budget."),
        )
        self.panel.meter.hide()
        self.new.show_fields(choices.fields, choices.review_budget)
        self.old.show_folder(choices.review_path)
        self.identity.setVisible(self.desk.identity() is None and bool(choices.agreement))
        self.stack.setCurrentIndex(_START)
        self._show_start()
        self._menu()
        self.changed.emit()

    def _show_start(self) -> None:
        self.with_partner.refresh()

    def _answer(self) -> None:
        self.stack.setCurrentIndex(_ANSWER)
        self.answer.look()
        self.changed.emit()

    def _show_own(self) -> None:
        """The manager of two tables at hand, and shares: apart from the way with a partner."""
        self.head(
            tr("Review two tables of your own"),
            tr("Both are on this computer: no key, no partner, nothing leaves. Or help with somebody else's review."),
        )
        self.messages.clear()
        self.stack.setCurrentIndex(OWN_PAGE)
        self.changed.emit()

    def _work_on(self, session: ReviewSession) -> None:
        if self.panel.session is not session:
            self.panel.open_session(session)
        self.stack.setCurrentIndex(PAIRS_PAGE)
        self.panel.meter.show()
        self._moved()
        self._menu()
        self.panel.take_focus()

    def _sum_up(self, session: ReviewSession) -> None:
        """Nothing is left to decide: the keys of the pairs are dead here."""
        agreement = self.project.choices.agreement
        agreed = self.desk.home.agreement(agreement) if self._with_partner() else None
        self.summary.show_session(
            session,
            result_sent=agreed is not None and agreed.latest_sent("result") is not None,
            partner=agreed.partner_side.name if agreed is not None else "",
        )
        self.head(
            tr_n("The pair is decided", "All {n} pairs are decided", len(session.order)),
            tr("Nothing is changed until you take the decisions in."),
        )
        self.panel.meter.hide()
        self.stack.setCurrentIndex(_END)
        self.setFocus(Qt.FocusReason.OtherFocusReason)  # not on "Look again", which Enter would press
        self._menu()
        self.changed.emit()

    def _look_again(self, pair: str) -> None:
        session = self.panel.session
        if session is None:
            return
        if not pair:
            pair = session.current or session.order[-1]
        self.stack.setCurrentIndex(PAIRS_PAGE)
        self.panel.meter.show()
        self.panel.go(pair)
        self.panel.take_focus()

    def _step(self, by: int) -> None:
        self.panel.step_pair(by)
        self.panel.take_focus()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        super().mousePressEvent(event)
        if self.stack.currentIndex() == PAIRS_PAGE:
            self.panel.take_focus()

    def _moved(self) -> None:
        sentence = tr("{where} · what was opened stays counted", where=self.panel.where())
        self.head(tr("Is this the same person?"), sentence)
        self.changed.emit()

    def _finished(self) -> None:
        self.messages.clear()
        assert self.panel.session is not None
        self._sum_up(self.panel.session)

    # opening --------------------------------------------------------------------------------------

    def _look_at(self, path: str, sheet: str) -> None:
        from pprl_desktop.job.reviewing import look_at

        fields = self.project.choices.fields
        self.messages.clear()
        self.run(tr("Reading the second table"), lambda p: look_at(Path(path), fields, sheet, p), self.new.show_second)

    def _make(self, plan: Any, passphrase: str) -> None:
        from pprl_desktop.job.reviewing import make_review

        own_table, choices = self.desk.own_table, self.project.choices
        folder = suggested_folder(self.project.folder)
        self.messages.clear()

        def work(progress: Progress) -> ManagerDesk:
            made = make_review(own_table, choices, plan, folder, passphrase, progress.part(0.0, 0.9))
            made.session(progress.part(0.9, 1.0))
            return made

        def done(made: ManagerDesk) -> None:
            self.change("Make a review", review_path=str(folder), review_budget=str(float(plan.budget)))
            self._opened_desk(made)

        self.run(tr("Making the review"), work, done)

    def _make_with_partner(self, passphrase: str) -> None:
        partnership = self.desk.partnership()
        own_table, choices = self.desk.own_table, self.project.choices
        folder = suggested_folder(self.project.folder)
        self.messages.clear()
        if partnership is None:
            return

        def work(progress: Progress) -> ManagerDesk:
            made = partnership.review(
                own_table, choices, folder, passphrase, budget=Fraction(choices.review_budget),
                progress=progress.part(0.0, 0.9),
            )  # fmt: skip
            made.session(progress.part(0.9, 1.0))
            return made

        def done(made: ManagerDesk) -> None:
            self.change("Make a review", review_path=str(folder))
            self._opened_desk(made)

        self.run(tr("Making the review"), work, done)

    def _with_partner(self) -> bool:
        """Whether decisions are about pairs with the partner, and so become part of the match with them."""
        return self.manager is not None and not self.manager.review.own_crowd

    def _open_desk(self, path: str, passphrase: str) -> None:
        from pprl_desktop.review.desk import Desk as ManagerDesk

        self.messages.clear()

        def work(progress: Progress) -> ManagerDesk:
            opened = ManagerDesk.open(Path(path), passphrase)
            opened.session(progress)
            return opened

        def done(opened: ManagerDesk) -> None:
            if self.project.choices.review_path != path:
                self.change("Open a review", review_path=path)
            self._opened_desk(opened)

        self.run(tr("Opening the review"), work, done)

    def _opened_desk(self, opened: ManagerDesk) -> None:
        self.manager, self.share = opened, None
        self.desk.findings.manager, self.desk.findings.session = opened, opened.session()
        self.show_state()

    def _open_share(self, path: str, passphrase: str) -> None:
        from pprl_desktop.review import share

        self.messages.clear()

        def work(progress: Progress) -> tuple[Share, ReviewSession]:
            opened = share.open_share(Path(path), passphrase)
            return opened, share.start(Path(path), opened, progress=progress)

        self.run(tr("Opening the share"), work, lambda found: self._share_opened(found[0], found[1], path))

    def _share_opened(self, opened: Share, session: ReviewSession, path: str) -> None:
        self.share, self.share_path = opened, path
        self.desk.findings.manager, self.desk.findings.session = None, session
        self.show_state()

    def _hand_back(self) -> None:
        from pprl_desktop.review import share

        session = self.panel.session
        if self.share is None or session is None:
            return
        suggested = str(Path(self.share_path).with_suffix(share.RETURN_SUFFIX))
        name, _ = QFileDialog.getSaveFileName(self, tr("Hand back decisions"), suggested)
        if name:
            share.return_decisions(session, self.share, Path(name))
            self.say(
                "good",
                tr("The decisions are written, sealed for the manager."),
                tr("Send this file back. It holds decisions and costs, no value of a record."),
            )

    def accepts(self, suffix: str) -> bool:
        return suffix in (".share", ".pprl", ".age")

    def take_file(self, path: str) -> None:
        if not path.endswith(".share"):
            self.with_partner.take_file(path)
            return
        self._show_own()
        self.old.share.set_path(path)
        self.old.share_secret.setFocus()

    # the shell asks -------------------------------------------------------------------------------

    def leads_on(self) -> bool:
        """Beside the question whether values may leave in clear nothing else is offered."""
        return self.stack.currentIndex() != _ANSWER

    def enter_is_next(self) -> bool:
        """Leaving is not what Enter does where there is something to decide, to confirm, or to begin."""
        here = self.stack.currentIndex()
        return here not in (PAIRS_PAGE, _ANSWER) and not (here == _START and self.with_partner.to_do())

    def reason(self) -> str:
        if self._with_partner() and self.desk.identity() is None:
            return tr("Unlock your key: the decisions become part of the match, which is sealed with it.")
        return ""

    def next_text(self) -> str:
        session = self.panel.session
        if session is None or self.stack.currentIndex() in (_START, _ANSWER, OWN_PAGE):
            return tr("Next: without review")
        if session.advance().to_go == 0:
            return tr("Take the decisions in") if self.manager is not None else ""
        return tr("Next: leave the rest")

    def status(self) -> str:
        if self.stack.currentIndex() == _ANSWER:
            return tr("Nothing has left yet.")
        if self.panel.session is None:
            return ""
        return self.panel.advance_words(self.manager.votes() if self.manager is not None else ())

    def extra_buttons(self) -> list[QPushButton]:
        if self.stack.currentIndex() == _ANSWER:
            return [self.not_now, *([self.answer.write] if self.answer.possible() else [])]
        if self.stack.currentIndex() == OWN_PAGE:
            return [self.back_to_start]
        if self.panel.session is None or self.stack.currentIndex() == _START:
            return []
        if self.stack.currentIndex() == _END:
            return [*([self.hand_back] if self.share is not None else []), self.back_to_pairs]
        return [*([self.hand_back] if self.share is not None else []), self.previous, self.following]

    def go_on(self, done: Callable[[], None]) -> None:
        from pprl_desktop.job.kept import review_told

        session, manager = self.panel.session, self.manager
        if session is None:
            done()
            return
        if manager is None:  # a share: its manager tells what came of it
            self.desk.confirm("review", {"share": session.ledger.head.encode()})
            done()
            return

        enter = self._entering()

        def work(progress: Progress) -> tuple[bytes, TakenIn | None]:
            return review_told(manager, progress.part(0.5, 1.0)), enter(manager, progress.part(0.0, 0.5))

        def told(found: tuple[bytes, TakenIn | None]) -> None:
            self.desk.confirm("review", {"review": found[0], "taken": decisions_of(manager).encode()})
            if found[1] is None or found[1].result_is_current:
                done()
                return
            self.desk.findings.outcome = None
            if self.project.choices.result_path:
                self.change("Take decisions in", result_path="")
            self.desk.go_to.emit("results")

        self.run(tr("Taking the decisions in"), work, told)

    def _entering(self) -> Callable[[ManagerDesk, Progress], TakenIn | None]:
        """What makes the decisions part of the match, in the worker."""
        partnership = self.desk.partnership() if self._with_partner() else None
        return lambda manager, progress: take_in(partnership, manager, progress) if partnership is not None else None

    # menu -----------------------------------------------------------------------------------------

    def _menu(self) -> None:
        menus = getattr(self.window(), "menus", None)
        if menus is None:
            return
        menu = menus.review
        menu.clear()
        panel = self.panel
        for text, keys, act in (
            (tr("&Open the next level"), "Space", panel.reveal),
            (tr("&Go to the cheapest helpful cell"), "G", panel.go_cheapest),
            (tr("&Take the last decision back"), "U", panel.undo),
            (tr("&Bring it back"), "Shift+U", panel.redo),
            (tr("Add a &note …"), "N", panel.ask_note),
            (tr("&Legend"), "?", panel.show_legend),
        ):
            action = QAction(f"{text}\t{keys}", menu)  # shown only: the panel takes these keys itself
            action.setEnabled(panel.session is not None and self.stack.currentIndex() == PAIRS_PAGE)
            action.triggered.connect(lambda _c=False, a=act: self._guarded(a))
            menu.addAction(action)
        menu.addSeparator()
        marks = QAction(tr("Show the &marks of the paper"), menu)
        marks.setCheckable(True)
        marks.setChecked(CellWidget.paper_marks)
        marks.toggled.connect(self._show_marks)
        menu.addAction(marks)
        hide = QAction(tr("&Hide the score (blind)"), menu)
        hide.setCheckable(True)
        blind = panel.session is not None and panel.session.review.policy.blind
        hide.setChecked(blind or panel.hide_score)
        hide.setEnabled(panel.session is not None and not blind)
        hide.toggled.connect(self._hide_score)
        menu.addAction(hide)

    def _guarded(self, act: Callable[[], object]) -> None:
        try:
            act()
        except Problem as problem:
            self.show_problem(problem)

    def _show_marks(self, on: bool) -> None:
        CellWidget.paper_marks = on
        if self.panel.session is not None:
            self.panel.show_pair(keep_cell=True)

    def _hide_score(self, on: bool) -> None:
        self.panel.hide_score = on
        self._moved()
