"""The own key: make it, unlock it, lock it. A card that any pane can show where keys are needed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFileDialog, QLineEdit, QPlainTextEdit, QProgressBar, QWidget

from pprl_desktop.problem import Problem
from pprl_desktop.progress import Progress
from pprl_desktop.ui.desk import Desk
from pprl_desktop.ui.kit.i18n import tr, tr_core
from pprl_desktop.ui.kit.jobs import Job
from pprl_desktop.ui.widgets.banner import Banner, RemarkStrip
from pprl_desktop.ui.widgets.basics import (
    Card,
    Pages,
    SecretEdit,
    boxed,
    button,
    column,
    icon_label,
    label,
    labelled,
    row,
)

STRENGTH = {"too short": 8, "weak": 33, "fair": 66, "strong": 100}  # how full the bar is


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

    def __init__(self, desk: Desk) -> None:
        super().__init__(tr("Your identity"))
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
        return boxed(
            column(
                label(
                    tr(
                        "A pair of keys that only you hold. Partners know you by your card; "
                        "files for you open only here."
                    ),
                    "muted",
                ),
                labelled(tr("Name that partners see"), self.name),
                labelled(tr("Passphrase"), self.secret),
                self.strength,
                labelled(tr("Passphrase again"), self.again),
                row(self.make, self.why_not, None, gap=1.5),
                row(button(tr("I have a backup …"), lambda: self.stack.setCurrentIndex(3), kind="link"), None),
                None,
            )
        )

    def _build_locked(self) -> QWidget:
        self.locked_name = label("", "strong")
        self.typed = SecretEdit(tr("Passphrase"))
        self.typed.edit.returnPressed.connect(self._unlock)
        self.open_button = button(tr("&Unlock"), self._unlock, kind="primary")
        return boxed(
            column(
                row(icon_label("lock", "muted"), self.locked_name, None),
                label(
                    tr("Your key is locked. It is needed to sign, to seal and to open files from partners."), "muted"
                ),
                labelled(tr("Passphrase"), self.typed),
                row(self.open_button, None),
                None,
            )
        )

    def _build_open(self) -> QWidget:
        self.open_name = label("", "strong")
        self.open_id = label("", "small", selectable=True)
        return boxed(
            column(
                row(icon_label("key", "accent_text"), self.open_name, None),
                self.open_id,
                label(tr("Unlocked until you lock it or close the program."), "muted"),
                row(
                    button(tr("&Save your card …"), self._save_card, icon="save"),
                    button(tr("&Lock"), self._lock, icon="lock"),
                    None,
                ),
                row(button(tr("Back up the key …"), self._backup, kind="link"), None),
                None,
            )
        )

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
            self.locked_name.setText(home.own_card().name)
            self.stack.setCurrentIndex(1)
        else:
            self.open_name.setText(own.name)
            self.open_id.setText(tr("Fingerprint {id}", id=own.card().id))
            self.stack.setCurrentIndex(2)

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

    def _save_card(self) -> None:
        from pprl_desktop.exchange.card import SUFFIX

        own = self.desk.home.own_card()
        safe = "".join(c if c.isalnum() else "_" for c in own.name).strip("_") or "card"
        name, _ = QFileDialog.getSaveFileName(
            self, tr("Save your card"), f"{safe}{SUFFIX}", f"{tr('Contact cards')} (*{SUFFIX})"
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
        self.messages.show_banner(
            Banner(
                "good",
                tr("Your card is written."),
                tr("Send it to the partner by any way; it is public. Then compare the safety number by telephone."),
                closable=True,
            )
        )

    def _backup(self) -> None:
        from pprl_desktop.ui.panes.backup import show_backup

        show_backup(self, self.desk)
