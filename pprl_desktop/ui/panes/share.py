"""A share of somebody else's review: a reviewer needs neither a project nor a key of their own, only its passphrase."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton, QWidget

from pprl_desktop.ui.kit.i18n import tr, tr_n
from pprl_desktop.ui.panes.review import _END, _START, ReviewPane
from pprl_desktop.ui.panes.review_setup import FileRow
from pprl_desktop.ui.widgets.basics import boxed, button, column, label, row
from pprl_desktop.ui.widgets.inputs import SecretEdit, labelled, on_enter

if TYPE_CHECKING:
    from pprl_desktop.review.session import ReviewSession
    from pprl_desktop.review.share import Share


class SharePane(ReviewPane):
    NAME = "share"
    NEEDS = ()
    GIVES = ()
    HELP = "review"

    def _start_page(self, other: QWidget) -> QWidget:
        other.hide()
        self.file = FileRow(tr("Share from a manager"), f"{tr('Shares')} (*.share)")
        self.secret = SecretEdit(tr("Passphrase of the share"))
        self.open = button(tr("&Open the share"), self._asked, kind="primary")
        on_enter(self.secret.edit, self._asked)
        told = label(tr("Some pairs of somebody else's review, within a budget of their own."), "muted")
        return boxed(
            column(
                told,
                labelled(tr("Share"), self.file),
                labelled(tr("Passphrase"), self.secret),
                row(self.open, None),
                None,
            )
        )

    def show_state(self) -> None:
        self.identity.hide()
        if self.panel.session is not None:
            if self.panel.session.current is None:
                self._sum_up(self.panel.session)
            else:
                self._work_on(self.panel.session)
            return
        self.head(
            tr("Help with somebody else's review"),
            tr("You see how two records differ, not what they say; opening a cell costs a little of the budget."),
        )
        self.panel.meter.hide()
        self.stack.setCurrentIndex(_START)
        self._menu()
        self.changed.emit()

    def _asked(self) -> None:
        if self.file.path():
            self._open_share(self.file.path(), self.secret.text())
            self.secret.clear()

    def _share_opened(self, opened: Share, session: ReviewSession, path: str) -> None:
        self.share, self.share_path = opened, path
        self.panel.grid.name_rows(tr("one"), tr("other"))  # a share does not say whose the records are
        self._work_on(session) if session.current is not None else self._sum_up(session)

    def _sum_up(self, session: ReviewSession) -> None:
        self.panel.session = session
        self.summary.show_session(session, result_sent=False, partner="")
        self.head(
            tr_n("The pair is decided", "All {n} pairs are decided", len(session.order)),
            tr("Hand the decisions back: the manager takes them in."),
        )
        self.panel.meter.hide()
        self.stack.setCurrentIndex(_END)
        self.setFocus(Qt.FocusReason.OtherFocusReason)
        self._menu()
        self.changed.emit()

    # the shell asks -------------------------------------------------------------------------------

    def accepts(self, suffix: str) -> bool:
        return suffix == ".share"

    def take_file(self, path: str) -> None:
        session = self.panel.session
        if session is not None and path != self.share_path:
            session.ledger.close()
            self.panel.session = self.share = None
            self.show_state()
        self.file.set_path(path)
        self.secret.edit.setFocus()

    def reason(self) -> str:
        return ""

    def next_text(self) -> str:
        return ""

    def typed_first(self) -> QWidget | None:
        return self.secret.edit if self.panel.session is None else None

    def enter_is_next(self) -> bool:
        return False

    def extra_buttons(self) -> list[QPushButton]:
        return super().extra_buttons() if self.panel.session is not None else []
