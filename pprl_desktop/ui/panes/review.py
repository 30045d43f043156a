"""Review: decide the uncertain pairs, opening no more than needed, within a privacy budget."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFileDialog, QFrame, QPushButton, QScrollArea, QStackedWidget

from pprl_desktop.problem import Problem
from pprl_desktop.progress import Progress
from pprl_desktop.ui.kit.i18n import tr, tr_core
from pprl_desktop.ui.panes.base import Pane
from pprl_desktop.ui.panes.review_panel import ReviewPanel
from pprl_desktop.ui.panes.review_partner import PartnerReview
from pprl_desktop.ui.panes.review_setup import NewReview, OpenReview, setup_page, suggested_folder
from pprl_desktop.ui.widgets.basics import button

if TYPE_CHECKING:
    from pprl_desktop.review.desk import Desk as ManagerDesk
    from pprl_desktop.review.session import ReviewSession
    from pprl_desktop.review.share import Share


class ReviewPane(Pane):
    NAME = "review"
    NEEDS = ("table_path", "fields", "columns", "review_path", "review_budget")
    GIVES = ("review_path", "review_budget", "decisions")
    MESSAGES = {  # noqa: RUF012
        "all": "All pairs are decided.",
        "budget": "This would go over the privacy budget.",
    }
    SCROLLS = False
    WIDE = True

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
        setup = QScrollArea()
        setup.setWidgetResizable(True)
        setup.setFrameShape(QFrame.Shape.NoFrame)
        setup.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.with_partner = PartnerReview(self)
        self.with_partner.asked.connect(self._make_with_partner)
        page = setup_page(self.with_partner, self.new, self.old)
        page.setObjectName("page")
        setup.setWidget(page)
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        self.panel.setObjectName("page")
        scroll.setWidget(self.panel)
        self.stack = QStackedWidget()
        self.stack.addWidget(setup)
        self.stack.addWidget(scroll)
        self.body.addWidget(self.stack, 1)
        self.head_right.addWidget(self.panel.meter)
        self.panel.meter.setMinimumWidth(320)
        self.panel.meter.hide()
        self.previous = button(tr("Previous pair"), lambda: self.panel.step_pair(-1))
        self.following = button(tr("Next pair"), lambda: self.panel.step_pair(1))
        self.hand_back = button(tr("Hand back decisions …"), self._hand_back, icon="send")

    # arriving -------------------------------------------------------------------------------------

    def enter(self) -> None:
        session = self.desk.findings.session
        if session is not None:
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
        self.with_partner.refresh()
        self.stack.setCurrentIndex(0)
        self._menu()

    def _work_on(self, session: ReviewSession) -> None:
        if self.panel.session is not session:
            self.panel.open_session(session)
        self.stack.setCurrentIndex(1)
        self.panel.meter.show()
        self._moved()
        self._menu()
        self.panel.grid.focus_cell(self.panel._looked)

    def _moved(self) -> None:
        sentence = tr("{where} · what was opened stays counted", where=self.panel.where())
        self.head(tr("Is this the same person?"), sentence)
        self.changed.emit()

    def _finished(self) -> None:
        self.messages.clear()
        self.say(
            "good", tr("All pairs are decided."), tr("Decisions can still be changed: go back to a pair, or press U.")
        )
        self.changed.emit()

    # opening --------------------------------------------------------------------------------------

    def _look_at(self, path: str) -> None:
        from pprl_desktop.job.reviewing import look_at

        fields = self.project.choices.fields
        self.messages.clear()
        self.run(tr("Reading the second table"), lambda p: look_at(Path(path), fields, p), self.new.show_second)

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

    def _take_in(self) -> None:
        """Decisions on pairs with the partner become part of the own match; the result must then be written again."""
        partnership, manager = self.desk.partnership(), self.manager
        if partnership is None or manager is None or manager.review.own_crowd:
            return
        partnership.take_in(manager.review, manager.outcome(), manager.losses())
        self.desk.findings.outcome = None
        self.change("Take decisions in", result_path="")

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
        self._work_on(opened.session())

    def _open_share(self, path: str, passphrase: str) -> None:
        from pprl_desktop.review import share

        self.messages.clear()

        def work(progress: Progress) -> tuple[Share, ReviewSession]:
            opened = share.open_share(Path(path), passphrase)
            return opened, share.start(Path(path), opened, progress=progress)

        def done(found: tuple[Share, ReviewSession]) -> None:
            self.share, self.share_path = found[0], path
            self.desk.findings.manager, self.desk.findings.session = None, found[1]
            self._work_on(found[1])

        self.run(tr("Opening the share"), work, done)

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
        self.old.share.set_path(path)
        self.old.share_secret.setFocus()

    # the shell asks -------------------------------------------------------------------------------

    def reason(self) -> str:
        return ""

    def next_text(self) -> str:
        session = self.panel.session
        if session is None or self.stack.currentIndex() == 0:
            return tr("Next: without review")
        return "" if session.advance().to_go == 0 else tr("Next: leave the rest")

    def status(self) -> str:
        return self.panel.advance_words() if self.panel.session is not None else ""

    def extra_buttons(self) -> list[QPushButton]:
        if self.panel.session is None:
            return []
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

        def told(found: bytes) -> None:
            self._take_in()
            self.desk.confirm("review", {"review": found})
            done()

        self.run(tr("Adding up the review"), lambda progress: review_told(manager, progress), told)

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
            action.setEnabled(panel.session is not None)
            action.triggered.connect(lambda _c=False, a=act: self._guarded(a))
            menu.addAction(action)
        menu.addSeparator()
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
            self.show_problem(Problem(tr_core(problem.what), tr_core(problem.why), tr_core(problem.do)))

    def _hide_score(self, on: bool) -> None:
        self.panel.hide_score = on
        self._moved()
