"""Review of own files: the manager makes it, decides pairs, or hands them out to reviewers in shares and tranches."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QFileDialog, QLineEdit, QPushButton, QWidget

from pprl_desktop.problem import Problem
from pprl_desktop.ui.kit.i18n import tr
from pprl_desktop.ui.kit.words import count
from pprl_desktop.ui.panes._files import show_in_folder
from pprl_desktop.ui.panes.review import OWN_PAGE, PAIRS_PAGE, ReviewPane
from pprl_desktop.ui.panes.review_setup import suggested_folder
from pprl_desktop.ui.panes.unlock import StrengthBar
from pprl_desktop.ui.widgets.basics import Section, boxed, button, column, filled, label, row, row_button
from pprl_desktop.ui.widgets.conflicts import Conflicts
from pprl_desktop.ui.widgets.inputs import SecretEdit, check_line, labelled, on_enter, spin
from pprl_desktop.ui.widgets.numbers import BigNumber
from pprl_desktop.ui.widgets.reflow import columns
from pprl_desktop.ui.widgets.rows import Head, Rows

if TYPE_CHECKING:
    from pprl_desktop.job.own_files import ReviewRules
    from pprl_desktop.job.review_path import TakenIn
    from pprl_desktop.progress import Progress
    from pprl_desktop.review.desk import Desk as ManagerDesk
    from pprl_desktop.review.report import PrivacyLoss

REVIEWERS = 3  # lines offered


class Begin(QWidget):
    """How many pairs are unsure, what reviewers may see, and the passphrase; or the review there is."""

    asked = Signal(object, str)  # ReviewRules, passphrase
    continued = Signal(str)  # passphrase

    def __init__(self) -> None:
        super().__init__()
        self.unsure = BigNumber("", "warm")
        self.limit = spin(tr("Limit of the privacy risk"), 1, 100, 30, " %")
        self.kappa = spin(tr("Smallest crowd"), 1, 100, 1)
        self.audit = spin(tr("Sure pairs to check, too"), 0, 200, 0)
        self.blind = QCheckBox()
        self.blind.setChecked(True)
        self.secret, self.again = SecretEdit(tr("Passphrase of the review")), SecretEdit(tr("The same again"))
        self.strength = StrengthBar()
        for one in (self.secret, self.again):
            one.edit.textChanged.connect(self.check)
        self.audit.valueChanged.connect(lambda _n: self.check())
        self.make = button(tr("&Make the review"), self._make, kind="primary")
        self.why = label("", "small")
        self.new = Section(tr("What a reviewer may open"))
        self.new.add(
            columns(
                labelled(tr("Limit of the privacy risk"), self.limit),
                labelled(tr("Smallest crowd"), self.kappa),
                labelled(tr("Sure pairs to check, too"), self.audit),
                least=150,
                gap=2,
            ),
            check_line(self.blind, tr("Hide the score while deciding")),
            columns(
                labelled(tr("Passphrase of the review"), self.secret),
                labelled(tr("The same again"), self.again),
                least=220,
                gap=2,
            ),
            self.strength,
            filled(row(self.make, self.why, gap=1.5)),
        )
        self.old_secret = SecretEdit(tr("Passphrase of the review"))
        on_enter(self.old_secret.edit, self._continue)
        self.go_on = button(tr("&Continue the review"), self._continue, kind="primary")
        self.old = Section(tr("A review was made"), tr("It goes on where it was left, whatever ended the program."))
        self.old.add(labelled(tr("Passphrase of the review"), self.old_secret), row(self.go_on, None))
        self.setLayout(column(self.unsure, self.old, self.new, None, gap=3))
        self._pairs = 0

    def show_state(self, pairs: int, made: bool, limit: str) -> None:
        self._pairs = pairs
        self.unsure.say(tr("{n|pair is|pairs are} unsure", n=pairs))
        self.unsure.show_number(count(pairs))
        self.old.setVisible(made)
        self.new.setVisible(not made)
        self.limit.setValue(max(1, round(100 * float(Fraction(limit)))))
        self.check()

    def check(self) -> None:
        self.strength.judge(self.secret.text())
        reason = ""
        if not self._pairs and not self.audit.value():
            reason = tr("No pair is unsure; ask for some sure ones to check them.")
        elif self.strength.level == "too short":
            reason = tr("The passphrase is too short.")
        elif self.secret.text() != self.again.text():
            reason = tr("The two passphrases differ.")
        self.make.setEnabled(not reason)
        self.why.setText(reason)

    def rules(self) -> ReviewRules:
        from pprl_desktop.job.own_files import ReviewRules

        return ReviewRules(
            Fraction(self.limit.value(), 100), self.kappa.value(), self.blind.isChecked(), self.audit.value()
        )

    def _make(self) -> None:
        secret = self.secret.text()
        self.secret.clear()
        self.again.clear()
        self.asked.emit(self.rules(), secret)

    def _continue(self) -> None:
        secret = self.old_secret.text()
        self.old_secret.clear()
        self.continued.emit(secret)


class Reviewers(QWidget):
    """Shares for others: who has which, what came back, and new ones."""

    wanted = Signal(object, int, float)  # {name: passphrase}, tranche, overlap
    merged = Signal(str)  # decisions file
    shown = Signal(str)  # a path

    def __init__(self) -> None:
        super().__init__()
        heads = (
            Head(tr("Reviewer"), 2),
            Head(tr("Pairs handed out"), 2),
            Head(tr("Decisions"), 2),
            Head("", right=True),
        )
        self.list = Rows(tr("Reviewers"), heads, high=40, indent=0)
        self.none = label(tr("No pair was handed out: you decide them all yourself."), "muted")
        self.conflicts = Conflicts()
        self.take = button(tr("&Take decisions in …"), self._take)
        self.new = Section(
            tr("Hand pairs out"),
            tr("Each gets a sealed file with the cells of a few pairs, the next ones against the decisions on them."),
        )
        self.lines: list[tuple[QLineEdit, SecretEdit]] = []
        for number in range(1, REVIEWERS + 1):
            name = QLineEdit()
            name.setPlaceholderText(tr("Name of reviewer {n}", n=number))
            name.setAccessibleName(tr("Name of reviewer {n}", n=number))
            name.textChanged.connect(self._check)
            secret = SecretEdit(tr("First passphrase of reviewer {n}", n=number))
            secret.edit.setPlaceholderText(tr("first passphrase"))
            secret.edit.textChanged.connect(self._check)
            self.lines.append((name, secret))
            self.new.add(columns(name, secret, least=220, gap=2))
        self.tranche = spin(tr("Pairs at a time"), 1, 200, 10)
        self.overlap = spin(tr("Seen by two"), 0, 100, 0, " %")
        self.give = button(tr("&Write the shares"), self._give)
        self.why = label("", "small")
        self.new.add(
            columns(
                labelled(tr("Pairs at a time"), self.tranche), labelled(tr("Seen by two"), self.overlap), least=150
            ),
            filled(row(self.give, self.why, gap=1.5)),
        )
        self.setLayout(column(self.none, self.list, row(self.take, None), self.conflicts, self.new, None, gap=2))
        self._check()

    def show_desk(self, desk: ManagerDesk) -> None:
        held = desk.shares()
        self.none.setVisible(not held)
        self.list.setVisible(bool(held))
        self.take.setVisible(bool(held))
        self.list.clear()
        for name, (pairs, back) in held.items():
            given, _records, _left = desk.handed_out(name)
            out = tr("{given} of {all}", given=count(given), all=count(pairs))
            came = tr("came back") if back else tr("awaited")
            show = row_button(tr("Show in folder"), lambda: self.shown.emit(str(desk.folder)))
            self.list.add(label(name, "strong"), label(out), label(came), show)
        self.conflicts.show_conflicts(desk.conflicts())

    def _named(self) -> dict[str, str]:
        return {name.text().strip(): secret.text() for name, secret in self.lines if name.text().strip()}

    def _check(self) -> None:
        named = self._named()
        reason = "" if named else tr("Name at least one reviewer.")
        if not reason and not all(named.values()):
            reason = tr("Each needs a first passphrase.")
        self.give.setEnabled(not reason)
        self.why.setText(reason)

    def _give(self) -> None:
        named = self._named()
        for _name, secret in self.lines:
            secret.clear()
        self.wanted.emit(named, self.tranche.value(), self.overlap.value() / 100)

    def _take(self) -> None:
        name, _ = QFileDialog.getOpenFileName(self, tr("Decisions of a reviewer"))
        if name:
            self.merged.emit(name)


class OwnReviewPane(ReviewPane):
    HELP = "own_files"

    def build(self) -> None:
        self.begin, self.reviewers = Begin(), Reviewers()
        self.begin.asked.connect(self._make_own)
        self.begin.continued.connect(lambda secret: self._open_desk(self.project.choices.review_path, secret))
        self.reviewers.wanted.connect(self._hand_out)
        self.reviewers.merged.connect(self._merge)
        self.reviewers.conflicts.looked.connect(self._show_conflict)
        self.reviewers.conflicts.settled.connect(self._settle)
        self.reviewers.shown.connect(lambda path: show_in_folder(self, Path(path)))
        super().build()
        two = self.project.choices.kind == "two files"  # neither row is anybody else's
        for grid in (self.panel.grid, self.reviewers.conflicts.grid):
            grid.name_rows(*((tr("in A"), tr("in B")) if two else (tr("one"), tr("other"))))
        self.to_reviewers = button(tr("Reviewer&s …"), self._show_own)

    def key_reason(self) -> str:
        return ""

    def _start_page(self, other: QWidget) -> QWidget:
        other.hide()
        return boxed(column(self.begin, None))

    def _own_page(self) -> QWidget:
        return boxed(column(self.reviewers, None))

    def _show_start(self) -> None:
        choices, match = self.project.choices, self.desk.findings.match
        made = bool(choices.review_path) and Path(choices.review_path).is_dir()
        self.identity.hide()
        self.begin.show_state(len(match.to_review()) if match is not None else 0, made, choices.review_budget)
        if match is None:
            self._reopen_match()

    def _reopen_match(self) -> None:
        from pprl_desktop.job.findings import ShownMatch
        from pprl_desktop.ui.panes.match_pairs import table_rows

        own, choices = self.desk.own_files, self.project.choices

        def work(progress: Progress) -> ShownMatch | None:
            found = own.kept_match(choices, progress)
            return ShownMatch(found, table_rows(found, None)) if found is not None else None

        def done(shown: ShownMatch | None) -> None:
            if shown is None:
                self.say("warning", tr("The files must be matched again first."))
                return
            self.desk.findings.shown = shown
            self._show_start()

        self.run(tr("Opening the finished match"), work, done, key="match.kept")

    def _show_own(self) -> None:
        if self.manager is None:
            return
        self.head(
            tr("Who else reviews"),
            tr("A share is the only thing of this project that may leave this computer; its ledger says so first."),
        )
        self.messages.clear()
        self.reviewers.show_desk(self.manager)
        self.panel.meter.hide()
        self.stack.setCurrentIndex(OWN_PAGE)
        self.changed.emit()

    # what the manager does ------------------------------------------------------------------------

    def _make_own(self, rules: ReviewRules, passphrase: str) -> None:
        own, choices, match = self.desk.own_files, self.project.choices, self.desk.findings.match
        folder = suggested_folder(self.project.folder)
        self.messages.clear()
        if match is None:
            return

        def work(progress: Progress) -> ManagerDesk:
            made = own.review(choices, match, folder, passphrase, rules, progress.part(0.0, 0.9))
            made.session(progress.part(0.9, 1.0))
            return made

        def done(made: ManagerDesk) -> None:
            self.change("Make a review", review_path=str(folder), review_budget=str(float(rules.budget)))
            self._opened_desk(made)

        self.run(tr("Making the review"), work, done)

    def _hand_out(self, passphrases: dict[str, str], tranche: int, overlap: float) -> None:
        manager = self.manager
        if manager is None:
            return
        self.messages.clear()

        def done(written: dict[str, Path]) -> None:
            self.reviewers.show_desk(manager)
            names = ", ".join(path.name for path in written.values())
            self.say("good", tr("Written: {files}", files=names),
                     tr("Give each reviewer the file, and the passphrase by another way."))  # fmt: skip

        work = lambda _progress: manager.assign(passphrases, overlap, tranche=tranche)  # noqa: E731
        self.run(tr("Writing the shares"), work, done)

    def _merge(self, path: str) -> None:
        manager = self.manager
        if manager is None:
            return
        self.messages.clear()

        def work(progress: Progress) -> tuple[PrivacyLoss, Path | None]:
            loss, following = manager.merge(Path(path), progress), None
            with contextlib.suppress(Problem):  # not all decided yet: the next ones wait
                following = manager.next_tranche(loss.reviewer)
            return loss, following

        def done(found: tuple[PrivacyLoss, Path | None]) -> None:
            loss, following = found
            self.reviewers.show_desk(manager)
            said = tr("{name}: {n|one decision|{n} decisions} taken in.", name=loss.reviewer, n=loss.decided)
            more = tr("The next pairs for them: {file}", file=following.name) if following is not None else ""
            self.say("good", said, more)

        self.run(tr("Taking decisions in"), work, done)

    def _show_conflict(self, pair: str) -> None:
        """As its voters saw it together; the gate counts it before a cell is shown."""
        manager, shown = self.manager, self.reviewers.conflicts
        if manager is not None:
            work = lambda progress: manager.look_at(pair, progress)  # noqa: E731
            self.run(tr("Opening the pair"), work, lambda cells: shown.show_cells(pair, cells))

    def _settle(self, pair: str, point: int) -> None:
        if self.manager is None:
            return
        self.manager.resolve(pair, point)
        self.reviewers.show_desk(self.manager)
        if not self.manager.conflicts():
            self.say("good", tr("Every pair on which votes differed is settled."))

    # the shell asks -------------------------------------------------------------------------------

    def accepts(self, suffix: str) -> bool:
        return False

    def extra_buttons(self) -> list[QPushButton]:
        found = super().extra_buttons()
        if self.manager is not None and self.stack.currentIndex() != OWN_PAGE:
            return [self.to_reviewers, *found]
        return found

    def next_text(self) -> str:
        if self.manager is not None and self.stack.currentIndex() not in (PAIRS_PAGE, OWN_PAGE):
            return super().next_text()
        return tr("Take the decisions in") if self.manager is not None else super().next_text()

    def _entering(self) -> Callable[[ManagerDesk, Progress], TakenIn | None]:
        own, findings = self.desk.own_files, self.desk.findings
        findings.own_outcome = None

        def enter(manager: ManagerDesk, _progress: Progress) -> None:
            own.take_in(manager)

        return enter
