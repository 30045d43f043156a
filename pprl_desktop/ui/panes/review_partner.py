"""The uncertain pairs with the partner: ask for their cells, answer a request, make the review of what came back."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal

from pprl_desktop.decisions.base import REVIEW
from pprl_desktop.problem import Problem
from pprl_desktop.ui.kit.i18n import tr, tr_core, tr_n
from pprl_desktop.ui.kit.words import count
from pprl_desktop.ui.panes._files import choose_sealed, out_path
from pprl_desktop.ui.panes.base import Pane
from pprl_desktop.ui.panes.review_answer import AnswerInClear
from pprl_desktop.ui.widgets.basics import SecretEdit, Section, button, label, labelled, row
from pprl_desktop.ui.widgets.reflow import flow

if TYPE_CHECKING:
    from pprl_desktop.exchange.clear_cells import Asked
    from pprl_desktop.exchange.inbox import Received


class PartnerReview(Section):
    """Shown when the project has an agreement. Cells in clear travel only in an answer that was shown and confirmed."""

    asked = Signal(str)  # make the review with this passphrase

    def __init__(self, pane: Pane) -> None:
        super().__init__(
            tr("With the partner"),
            tr(
                "The partner holds the other half of the uncertain pairs. Ask for those cells, or answer their request."
            ),
        )
        self.pane = pane
        self.state = label("", "muted")
        self.ask = button(tr("&Ask for the cells …"), self._ask, icon="send")
        self.open = button(tr("Open the partner's file …"), self._choose, icon="inbox")
        self.answer = AnswerInClear(pane)
        self.secret = SecretEdit(tr("Passphrase of the review"))
        self.make = button(tr("Make the review of the partner's answer"), self._make, kind="primary")
        self.waits = label(tr("Open the partner's request or answer first."), "small")
        self.add(
            self.state,
            flow(self.ask, self.open),
            self.answer,
            labelled(tr("Passphrase of the review"), self.secret),
            row(self.make, self.waits, None),
        )

    def refresh(self) -> None:
        """What can be done now, and how many pairs it is about."""
        desk = self.pane.desk
        choices, own = self.pane.project.choices, desk.identity()
        ready = own is not None and bool(choices.agreement) and desk.home.has_agreement(choices.agreement)
        self.setVisible(bool(choices.agreement))
        self.ask.setEnabled(ready)
        self.open.setEnabled(ready)
        agreement = desk.home.agreement(choices.agreement) if ready else None
        came = agreement is not None and any(item.kind == "review" for item in agreement.received)
        for control in (self.secret, self.make):
            control.setEnabled(came)  # there is something to make a review of
        self.answer.setVisible(came)
        self.waits.setVisible(ready and not came)
        if own is None:
            self.state.setText(tr("Unlock your key on the page Identity and contacts first."))
            return
        if agreement is None:
            return
        if agreement.terms.rule != "review":
            self.ask.setEnabled(False)
            self.state.setText(
                tr("No review was agreed with the partner: no cell is asked for or sent under this agreement.")
            )
            return
        partnership = desk.partnership()
        try:
            waiting = partnership.kept().count(REVIEW) if partnership is not None else 0
        except Problem:
            waiting = 0
        self.ask.setEnabled(waiting > 0)
        self.state.setText(
            tr_n("{n} pair of the match is uncertain.", "{n} pairs of the match are uncertain.", waiting)
            if waiting
            else tr("No pair of the match is uncertain, or there is no match yet.")
        )

    # what the steward does ------------------------------------------------------------------------

    def _ask(self) -> None:
        partnership = self.pane.desk.partnership()
        out = out_path(self.pane, tr("Ask for the cells"), "review-request.pprl")
        if partnership is None or out is None:
            return

        def done(asked: Asked) -> None:
            self.pane.say(
                "good",
                tr("The request for {n} records is written.", n=count(asked.records)),
                tr("Send {file} to the partner. It names records by random names only.", file=out.name),
            )

        self.pane.run(tr("Writing the request"), lambda progress: partnership.ask(out, progress), done)

    def _choose(self) -> None:
        name = choose_sealed(self.pane)
        if name:
            self.pane.desk.file_given.emit(name)

    def take_file(self, path: str) -> None:
        from pprl_desktop.job.partnership import Partnership

        desk, own = self.pane.desk, self.pane.desk.identity()
        if own is None:
            return
        home = desk.home

        def done(received: Received) -> None:
            self.answer.reset()
            self.pane.say("good", tr_core(received.sentence))
            self.refresh()

        expected = desk.need_project().choices.agreement
        self.pane.run(
            tr("Checking the file"),
            lambda progress: Partnership.open(home, own, Path(path), progress, expected=expected),
            done,
        )

    def _make(self) -> None:
        self.asked.emit(self.secret.text())
        self.secret.clear()
