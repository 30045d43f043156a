"""The own key: make it, unlock it, lock it. A card that any pane can show where keys are needed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QLayout, QLineEdit, QPlainTextEdit, QProgressBar, QWidget

from pprl_desktop.problem import Problem
from pprl_desktop.progress import Progress
from pprl_desktop.ui.desk import Desk, usual_folder
from pprl_desktop.ui.kit.i18n import tr, tr_core
from pprl_desktop.ui.kit.jobs import Job
from pprl_desktop.ui.kit.tips import set_tip
from pprl_desktop.ui.widgets.banner import RemarkStrip
from pprl_desktop.ui.widgets.basics import Card, Pages, boxed, button, column, filled, icon_label, label, row
from pprl_desktop.ui.widgets.facts import fact
from pprl_desktop.ui.widgets.inputs import SecretEdit, labelled, on_enter
from pprl_desktop.ui.widgets.reflow import columns

STRENGTH = {"too short": 8, "weak": 33, "fair": 66, "strong": 100}  # how full the bar is
SECRET_WIDE = 320  # px: a passphrase to unlock is short, the line would be the page's


def strength_words(level: str) -> str:
    return {"too short": tr("too short"), "weak": tr("weak"), "fair": tr("fair"), "strong": tr("strong")}[level]


class StrengthBar(QWidget):
    """How hard a passphrase is to guess, live, in a bar and in words."""

    def __init__(self) -> None:
        super().__init__()
        self.bar = QProgressBar()
        self.bar.setRange(0, 100)
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName(tr("Strength of the passphrase"))
        self.words = label("", "small")
        self.setLayout(column(self.bar, self.words, gap=0.5))
        self.level = ""
        self.judge("")

    def judge(self, passphrase: str) -> None:
        from pprl_desktop.exchange.passphrase import strength

        found = strength(passphrase)
        self.level = found.level
        self.bar.setValue(STRENGTH[found.level] if passphrase else 0)
        text = tr_core(found.sentence) if passphrase else tr("Four unrelated words are good and easy to remember.")
        self.words.setText(text)
        self.bar.setAccessibleDescription(text)


class IdentityCard(Card):
    """Three states: no identity yet, locked, unlocked."""

    changed = Signal()
    card_written = Signal(str)

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self.setAccessibleName(tr("Your identity"))
        self.desk = desk
        self.messages = RemarkStrip()
        self.stack = Pages()
        self.stack.addWidget(self._build_new())
        self.stack.addWidget(self._build_locked())
        self.stack.addWidget(self._build_open())
        self.stack.addWidget(self._build_restore())
        self.add(self.messages, self.stack, None)
        desk.identity_changed.connect(self.refresh)
        self.refresh()

    # states ---------------------------------------------------------------------------------------

    def _build_new(self) -> QWidget:
        self.name = QLineEdit()
        self.name.setPlaceholderText(tr("for example: Heart registry, data office"))
        self.secret = SecretEdit(tr("New passphrase"))
        self.again = SecretEdit(tr("Passphrase again"))
        self.strength = StrengthBar()
        self.secret.edit.textChanged.connect(self._check_new)
        self.again.edit.textChanged.connect(self._check_new)
        self.name.textChanged.connect(self._check_new)
        self.make = button(tr("&Make identity"), self._make, kind="primary")
        self.why_not = label("", "small")
        form = column(
            labelled(tr("Name that partners see"), self.name),
            labelled(tr("Passphrase"), self.secret),
            self.strength,
            labelled(tr("Passphrase again"), self.again),
            filled(row(self.make, self.why_not, gap=1.5)),
            None,
        )
        told = column(
            label(tr("What it is"), "heading"),
            fact("key", tr("A pair of keys that only you hold: one half stays here, under your passphrase.")),
            fact("people", tr("The other half is your card. Partners know you by it; it is public.")),
            fact("lock", tr("Files that partners make for you open only with this key.")),
            row(button(tr("I have a backup …"), lambda: self.stack.setCurrentIndex(3), kind="link"), None),
            None,
            gap=1.5,
        )
        return boxed(columns(form, told, least=280, shares=(3, 2), gap=4))

    def _build_locked(self) -> QWidget:
        self.locked_name = label("", "muted")
        self.typed = SecretEdit(tr("Passphrase"))
        self.typed.edit.setPlaceholderText(tr("Passphrase"))
        on_enter(self.typed.edit, self._unlock)
        self.typed.setMaximumWidth(SECRET_WIDE)
        self.open_button = button(tr("&Unlock"), self._unlock, kind="primary")
        entry = row(self.typed, self.open_button, None)
        entry.setStretch(0, 1)
        told = column(label(tr("Your key is locked"), "heading"), self.locked_name, entry, gap=0.5)
        return boxed(_beside_icon("lock", "warm_text", told))

    def _build_open(self) -> QWidget:
        self.open_name = label("", "heading")
        self.open_id = label(tr("Unlocked until you close the program."), "muted")
        told = column(self.open_name, self.open_id, gap=0.5)
        self.card_button = button(tr("&Save your card …"), self.save_card, icon="save")
        verbs = row(
            None,
            button(tr("Back up the key …"), self._backup, kind="link"),
            button(tr("&Lock"), self._lock, icon="lock"),
            self.card_button,
        )
        return boxed(_beside_icon("key", "accent_text", columns(told, verbs, least=220, shares=(1, 1))))

    def _build_restore(self) -> QWidget:
        self.words = QPlainTextEdit()
        self.words.setAccessibleName(tr("The 48 words"))
        self.words.setPlaceholderText(tr("the 48 words of the printed sheet"))
        self.words.setMaximumHeight(120)
        self.restored_name = QLineEdit()
        self.restored_secret = SecretEdit(tr("New passphrase"))
        bar = StrengthBar()
        self.restored_secret.edit.textChanged.connect(bar.judge)
        return boxed(
            column(
                labelled(tr("Name that partners see"), self.restored_name),
                labelled(tr("The 48 words"), self.words),
                labelled(tr("New passphrase"), self.restored_secret),
                bar,
                row(
                    button(tr("&Restore"), self._restore, kind="primary"),
                    button(tr("Back"), lambda: self.stack.setCurrentIndex(0)),
                    None,
                ),
                None,
            )
        )

    # showing --------------------------------------------------------------------------------------

    def refresh(self) -> None:
        home, own = self.desk.home, self.desk.identity()
        if not home.exists:
            self.stack.setCurrentIndex(0)
            self._check_new()
        elif own is None:
            needed = tr("{name}: needed to sign, to seal and to open files from partners.", name=home.own_card().name)
            self.locked_name.setText(needed)
            self.stack.setCurrentIndex(1)
        else:
            self.open_name.setText(own.name)
            set_tip(self.open_name, tr("Fingerprint {id}", id=own.card().id))
            self.stack.setCurrentIndex(2)

    def typed_first(self) -> QWidget | None:
        """Without an identity its name, while it is locked the passphrase."""
        return {0: self.name, 1: self.typed.edit}.get(self.stack.currentIndex())

    def ask(self) -> None:
        """Something waits for the key: the next thing typed is the passphrase."""
        if self.stack.currentIndex() == 1:
            self.typed.edit.setFocus(Qt.FocusReason.OtherFocusReason)

    def _check_new(self) -> None:
        self.strength.judge(self.secret.text())
        reason = ""
        if not self.name.text().strip():
            reason = tr("Give a name first.")
        elif self.strength.level == "too short":
            reason = tr("The passphrase is too short.")
        elif self.secret.text() != self.again.text():
            reason = tr("The two passphrases differ.")
        self.make.setEnabled(not reason)
        self.why_not.setText(reason)

    # doing ----------------------------------------------------------------------------------------

    def _work(self, title: str, work: Callable[[Progress], object]) -> None:
        """Keys are stretched on the worker thread: that takes most of a second on purpose."""
        self.messages.clear()

        def done(identity: object) -> None:
            for edit in (self.secret, self.again, self.typed, self.restored_secret):
                edit.clear()
            self.words.clear()
            self.desk.unlocked(identity)  # type: ignore[arg-type]
            self.changed.emit()

        self.desk.jobs.start(Job(title, work, "identity", False, done, self.messages.show_problem))

    def _make(self) -> None:
        from pprl_desktop.exchange import identity

        home, name, secret = self.desk.home, self.name.text().strip(), self.secret.text()

        def work(_progress: Progress) -> object:
            made = identity.new(name)
            with home.locked():
                home.create(made, secret)
            return made

        self._work(tr("Making your keys"), work)

    def _unlock(self) -> None:
        home, secret = self.desk.home, self.typed.text()
        if not secret:
            self.ask()
            return
        self._work(tr("Unlocking your key"), lambda _progress: home.unlock(secret))

    def _restore(self) -> None:
        from pprl_desktop.exchange import identity

        home, name = self.desk.home, self.restored_name.text().strip()
        secret, words = self.restored_secret.text(), self.words.toPlainText()

        def work(_progress: Progress) -> object:
            made = identity.from_words(name, words)
            with home.locked():
                home.create(made, secret)
            return made

        self._work(tr("Restoring your keys"), work)

    def _lock(self) -> None:
        self.desk.unlocked(None)
        self.changed.emit()

    def save_card(self) -> None:
        from pprl_desktop.exchange.card import SUFFIX

        own = self.desk.home.own_card()
        safe = "".join(c if c.isalnum() else "_" for c in own.name).strip("_") or "card"
        name, _ = QFileDialog.getSaveFileName(
            self,
            tr("Save your card"),
            str(usual_folder().parent / f"{safe}{SUFFIX}"),
            f"{tr('Contact cards')} (*{SUFFIX})",
        )
        if name:
            self.save_card_to(Path(name))

    def save_card_to(self, path: Path) -> None:
        from pprl_desktop import files

        try:
            files.write_bytes(path, self.desk.home.own_card_bytes())
        except Problem as problem:
            self.messages.show_problem(problem)
            return
        self.messages.clear()
        self.card_written.emit(str(path))

    def _backup(self) -> None:
        from pprl_desktop.ui.panes.backup import show_backup

        show_backup(self, self.desk)


def _beside_icon(name: str, token: str, told: QLayout) -> QHBoxLayout:
    """The state of the key as a picture, at the first line of what is said of it."""
    picture = icon_label(name, token)
    made = row(picture, told, gap=1.5)
    made.setStretch(1, 1)
    made.setAlignment(picture, Qt.AlignmentFlag.AlignTop)
    return made
