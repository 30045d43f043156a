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
from pprl_desktop.ui.widgets.basics import Card, SecretEdit, button, label, labelled, row
from pprl_desktop.ui.widgets.reflow import flow

if TYPE_CHECKING:
    from pprl_desktop.exchange.inbox import Received
    from pprl_desktop.review.partner import Sent


class PartnerReview(Card):
    """Shown when the project has an agreement. Clear cells travel only in the answer, sealed to the partner."""

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
        self.answer = button(tr("Ans&wer the partner's request …"), self._answer)
        self.answer.setToolTip(tr("Sends the agreed fields of the records they asked for, and of no others."))
        self.secret = SecretEdit(tr("Passphrase of the review"))
        self.make = button(tr("Make the review of the partner's answer"), self._make, kind="primary")
        self.waits = label(tr("Open the partner's request or answer first."), "small")
        self.add(
            self.state,
            flow(self.ask, self.open, self.answer),
            labelled(tr("Passphrase of the review"), self.secret),
            row(self.make, self.waits, None),
        )

    def refresh(self) -> None:
        """What can be done now, and how many pairs it is about."""
        desk = self.pane.desk
        choices, own = self.pane.project.choices, desk.identity()
        ready = own is not None and bool(choices.agreement) and desk.home.has_pact(choices.agreement)
        self.setVisible(bool(choices.agreement))
        self.ask.setEnabled(ready)
        self.open.setEnabled(ready)
        pact = desk.home.pact(choices.agreement) if ready else None
        came = pact is not None and any(item.kind == "review" for item in pact.received)
        for control in (self.answer, self.secret, self.make):
            control.setEnabled(came)  # there is something to answer, or to make a review of
        self.waits.setVisible(ready and not came)
        if own is None:
            self.state.setText(tr("Unlock your key on the page Identity and contacts first."))
            return
        if pact is None:
            return
        from pprl_desktop.exchange import linking

        try:
            found = linking.kept(desk.home, own, pact)
            waiting = found.count(REVIEW)
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
        from pprl_desktop.review import partner

        desk, own = self.pane.desk, self.pane.desk.identity()
        out = out_path(self.pane, tr("Ask for the cells"), "review-request.pprl")
        if own is None or out is None:
            return
        home, pact = desk.home, desk.home.pact(self.pane.project.choices.agreement)

        def done(sent: Sent) -> None:
            self.pane.say(
                "good",
                tr("The request for {n} records is written.", n=count(sent.records)),
                tr("Send {file} to the partner. It names records by random names only.", file=out.name),
            )

        self.pane.run(tr("Writing the request"), lambda progress: partner.ask(home, own, pact, out, progress), done)

    def _choose(self) -> None:
        name = choose_sealed(self.pane)
        if name:
            self.take_file(name)

    def take_file(self, path: str) -> None:
        from pprl_desktop.exchange import inbox

        desk, own = self.pane.desk, self.pane.desk.identity()
        if own is None:
            return
        home = desk.home

        def done(received: Received) -> None:
            self.pane.say("good", tr_core(received.sentence), tr_core(received.statement))
            self.refresh()

        self.pane.run(tr("Checking the file"), lambda progress: inbox.open_file(home, own, Path(path), progress), done)

    def _answer(self) -> None:
        from pprl_desktop.job.reviewing import answer_partner

        desk, own = self.pane.desk, self.pane.desk.identity()
        out = out_path(self.pane, tr("Answer the partner's request"), "review-answer.pprl")
        if own is None or out is None:
            return
        home, choices, place = desk.home, self.pane.project.choices, desk.workplace

        def done(sent: Sent) -> None:
            self.pane.say(
                "good",
                tr("The cells of {n} records are written, sealed for the partner.", n=count(sent.records)),
                tr("Send {file}. The partner sees them masked and counts what is opened.", file=out.name),
            )

        self.pane.run(
            tr("Writing the answer"), lambda progress: answer_partner(place, choices, home, own, out, progress), done
        )

    def _make(self) -> None:
        self.asked.emit(self.secret.text())
        self.secret.clear()
