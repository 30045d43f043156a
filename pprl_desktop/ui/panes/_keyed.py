"""Panes that need the own key: the card to unlock it, and sealed files coming in."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QSizePolicy, QWidget

from pprl_desktop.ui.kit.i18n import tr
from pprl_desktop.ui.panes._files import choose_sealed
from pprl_desktop.ui.panes.base import Pane
from pprl_desktop.ui.panes.unlock import IdentityCard

if TYPE_CHECKING:
    from pprl_desktop.exchange.inbox import Received
    from pprl_desktop.exchange.results import Outcome
    from pprl_desktop.progress import Progress
    from pprl_desktop.ui.desk import Desk


class KeyedPane(Pane):
    """`self.identity` is the card for the key; a pane that TAKES sealed files fills in received()."""

    TAKES: ClassVar[bool] = False

    def __init__(self, desk: Desk) -> None:
        self.identity = IdentityCard(desk)
        self.identity.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)  # never a field of grey
        super().__init__(desk)
        self.identity.changed.connect(self._turned)

    def enter(self) -> None:
        self.identity.refresh()
        self.show_state()

    def _turned(self) -> None:
        """The key's card stands at the top; when it goes, Qt passes its focus on and scrolls there."""
        self.show_state()
        if self.SCROLLS:
            QTimer.singleShot(0, self, lambda: self.scroller.verticalScrollBar().setValue(0))

    def typed_first(self) -> QWidget | None:
        """Without the key nothing is signed, sealed or opened: what is typed goes to its card."""
        return self.identity.typed_first() if self.identity.isVisibleTo(self) else None

    def show_state(self) -> None:
        """Show the present state of the project; called at arrival and when the key is locked or unlocked."""

    def key_reason(self) -> str:
        return "" if self.desk.identity() is not None else tr("Unlock your key.")

    # blind ---------------------------------------------------------------------------------------

    def blind_parts(self) -> tuple[bool, bool] | None:
        """Whether this side asks and whether it answers; None where a bundle passes each way."""
        agreement = self.project.choices.agreement
        if not agreement or not self.desk.home.has_agreement(agreement):
            return None
        agreed = self.desk.home.agreement(agreement)
        blind = agreed.terms.blind
        if blind is None:
            return None
        return blind.asked_by(agreed.role) is not None, any(one.asks != agreed.role for one in blind.directions)

    def asks_only(self) -> bool:
        return self.blind_parts() == (True, False)

    def answers_only(self) -> bool:
        return self.blind_parts() == (False, True)

    def blind_help(self) -> str:
        """The help of pages that are about other files where one side asks and the other answers."""
        return "blind" if self.project.choices.agreement and self.blind_parts() is not None else super().help_page()

    # the outcome ---------------------------------------------------------------------------------

    def put_together(self, shown: Callable[[], None]) -> None:
        """What both sides decided, from the results kept at home; after a restart this is where it comes back."""
        partnership, choices = self.desk.partnership(), self.project.choices
        mine, theirs = choices.result_path or self.answers_only(), choices.partner_result_path or self.asks_only()
        if partnership is None or not (mine and theirs):
            return

        def done(outcome: Outcome) -> None:
            self.desk.findings.outcome = outcome
            shown()

        self.run(tr("Putting both together"), lambda _progress: partnership.outcome(), done, key="outcome", quiet=True)

    # sealed files ---------------------------------------------------------------------------------

    def take_file(self, path: str) -> None:
        from pprl_desktop.job.partnership import Partnership

        own, home = self.desk.identity(), self.desk.home
        if own is None:
            self.say("warning", tr("Unlock your key first."), tr("The file is sealed for you alone."))
            return
        self.messages.forget_told()
        expected, partnership = self.project.choices.agreement, self.desk.partnership()

        def taken(progress: Progress) -> Received:
            if partnership is not None:
                return partnership.receive(Path(path), progress)
            return Partnership.open(home, own, Path(path), progress, expected=expected)

        self.run(
            tr("Checking the file"),
            taken,
            lambda received: self.received(received, path),
        )

    def received(self, received: Received, path: str) -> None:
        """A sealed file was checked completely and taken in."""

    def choose_file(self) -> None:
        name = choose_sealed(self)
        if name:
            self.desk.file_given.emit(name)
