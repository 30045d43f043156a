"""The review with the partner as a path: ask for the cells, wait for them, review; or continue what was begun."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QSizePolicy, QWidget

from pprl_desktop.job.review_path import Decided, ReviewStands, decided, stands
from pprl_desktop.ui.kit.i18n import tr, tr_n
from pprl_desktop.ui.kit.words import count, day_words, days_since, said_days
from pprl_desktop.ui.panes._files import choose_sealed, out_path
from pprl_desktop.ui.panes._leaving import SendCard, adds_up
from pprl_desktop.ui.panes.base import Pane
from pprl_desktop.ui.panes.post import look
from pprl_desktop.ui.panes.unlock import StrengthBar
from pprl_desktop.ui.widgets.basics import Pages, boxed, button, column, label, row, set_kind
from pprl_desktop.ui.widgets.inputs import SecretEdit, labelled, on_enter
from pprl_desktop.ui.widgets.numbers import BigNumber
from pprl_desktop.ui.widgets.reflow import columns, flow
from pprl_desktop.ui.widgets.slip import ReleaseSlip, Slip

if TYPE_CHECKING:
    from pprl_desktop.exchange.clear_cells import Asked
    from pprl_desktop.exchange.inbox import Received

_NOTHING, _ASK, _WAIT, _REVIEW, _CONTINUE = range(5)


class NewPassphrase(QWidget):
    """Typed twice, judged while it is typed; the reason it is not good enough stands below it."""

    accepted = Signal(str)

    def __init__(self, words: str) -> None:
        super().__init__()
        self.secret, self.again = SecretEdit(tr("Passphrase of the review")), SecretEdit(tr("The same again"))
        self.strength = StrengthBar()
        self.make = button(words, self._done, kind="primary")
        self.why = label("", "small")
        self.why.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)  # on one line where it can
        for one in (self.secret, self.again):
            one.edit.textChanged.connect(self._check)
            on_enter(one.edit, self._done)
        both = columns(
            labelled(tr("Passphrase of the review"), self.secret), labelled(tr("The same again"), self.again), least=240
        )
        self.setLayout(column(both, self.strength, row(self.make, self.why, gap=1.5), gap=1))
        self._check()

    def _check(self) -> None:
        self.strength.judge(self.secret.text())
        reason = ""
        if self.strength.level == "too short":
            reason = tr("The passphrase is too short.") if self.secret.text() else ""
        elif self.secret.text() != self.again.text():
            reason = tr("The two are not the same yet.")
        self.why.setText(reason)
        self.make.setEnabled(not reason and self.strength.level != "too short")

    def _done(self) -> None:
        if self.make.isEnabled():
            secret = self.secret.text()
            self.secret.clear()
            self.again.clear()
            self.accepted.emit(secret)


class PartnerReview(QWidget):
    """One state at a time; cells in clear travel only in an answer that was shown and confirmed."""

    asked = Signal(str)  # make the review with this passphrase
    continued = Signal(str)  # open the review of the project with this passphrase
    answer_wanted = Signal()
    titled = Signal(str, str)  # what the page is called in this state

    def __init__(self, pane: Pane) -> None:
        super().__init__()
        self.pane = pane
        self.stands: ReviewStands | None = None
        self.number = BigNumber("", "warm")
        self.text = label("")
        self.pages = Pages()
        self.slip = ReleaseSlip()
        self.ask = button(tr("&Ask for the cells …"), self._ask, kind="primary", icon="send")
        self.open = button(tr("&Open their file …"), self._choose, kind="primary", icon="inbox")
        self.new = NewPassphrase(tr("&Start the review"))
        self.new.accepted.connect(self.asked)
        self.secret = SecretEdit(tr("Passphrase of the review"))
        on_enter(self.secret.edit, self._continue)
        self.go_on = button(tr("&Continue the review"), self._continue, kind="primary")
        for page in (
            boxed(column()),
            boxed(column(self.slip, flow(self.ask), gap=2)),
            boxed(column(flow(self.open))),
            boxed(column(self.new)),
            boxed(column(labelled(tr("Passphrase of the review"), self.secret), row(self.go_on, None), gap=1)),
        ):
            self.pages.addWidget(page)
        self.path = label("", "muted")
        self.send = SendCard(pane)
        self.send.hide()
        top = columns(self.number, self.text, least=220, shares=(1, 2), gap=3)
        self.setLayout(column(self.send, top, self.pages, self.path, gap=2))

    # what is shown --------------------------------------------------------------------------------

    def to_do(self) -> bool:
        """Whether this page waits for the steward or the partner."""
        return self.pages.currentIndex() != _NOTHING

    def refresh(self) -> None:
        """The letters are opened by the worker; until then the page says what it knows."""
        partnership = self.pane.desk.partnership()
        begun = decided(self.pane.project)
        if begun is not None:
            self._show_begun(begun)
        elif partnership is None:
            self._show(_NOTHING, "–", "", self._no_partner())
        if partnership is None:
            return
        self.pane.run(
            tr("Looking where the review stands"), lambda progress: stands(partnership, progress), self._stand,
            key="review.stands", quiet=True, problem=lambda _problem: None,
        )  # fmt: skip

    def _no_partner(self) -> str:
        if not self.pane.project.choices.agreement:
            return tr("There is no agreement yet. You can review two tables of your own.")
        return tr("Unlock your key: the match is sealed with it.")

    def _stand(self, found: ReviewStands) -> None:
        self.stands = found
        self.pane.messages.clear()
        self._show_to_send(found.partner)
        if found.request and not found.answered:
            said = tr("{partner} asks to review pairs with you, since {day}.", partner=found.partner,
                      day=day_words(found.request))  # fmt: skip
            act = (tr("See what would leave"), self.answer_wanted.emit)
            self.pane.say("warning", said, tr("Nothing leaves by looking."), act)
        begun = decided(self.pane.project)
        if begun is not None:
            self._show_begun(begun)
        elif not found.agreed:
            self.titled.emit(tr("No review was agreed"), tr("Unsure pairs stay unlinked."))
            words = tr("No review was agreed with {partner}: no cell is asked for or sent.", partner=found.partner)
            unsure = count(found.unsure) if found.decides else ""  # whoever only answers does not know
            self._show(_NOTHING, unsure, tr("{n|pair is|pairs are} unsure", n=found.unsure), words)
        elif found.came:
            self._show_review(found)
        elif found.asked:
            self._show_wait(found)
        elif not found.decides:
            self._show_theirs(found)
        elif found.unsure:
            self._show_ask(found)
        else:
            words = tr("Nothing to review.") if found.matched else tr("Match first; then the unsure pairs stand here.")
            self._show(_NOTHING, "0", tr("{n|pair is|pairs are} unsure", n=0), words)
        self.pane.changed.emit()

    def _show_to_send(self, partner: str) -> None:
        """A request or an answer that was written and has not gone yet: which file, and where it lies."""
        letter = look(self.pane.desk).to_send
        mine = letter is not None and letter.kind.startswith("review") and letter.path is not None
        self.send.setVisible(mine)
        set_kind(self.ask, "" if mine else "primary")  # first what was written goes its way
        if letter is not None and letter.path is not None and mine:
            clear_text = tr("It holds values in clear. The record of releases says which.")
            self.send.show_file(letter.path, partner, (clear_text,) if letter.form == "clear" else ())

    def _show(self, page: int, number: str, what: str, words: str, unit: str = "") -> None:
        self.pages.setCurrentIndex(page)
        self.number.setVisible(bool(number))
        self.number.say(what)
        self.number.show_number(number, unit)
        self.number.set_tint("" if page == _WAIT else "warm")
        self.text.setText(words)
        self.path.setText("")

    def _show_ask(self, found: ReviewStands) -> None:
        self.titled.emit(
            tr_n("Review {n} unsure pair", "Review {n} unsure pairs", found.unsure),
            tr("You see how two records differ, not what they say; opening a cell costs a little of the budget."),
        )
        self._show(
            _ASK, count(found.unsure), tr("{n|pair is|pairs are} unsure", n=found.unsure),
            tr(
                "<b>1 You ask, 2 {partner} answers, 3 you review.</b> {partner} holds the other half of each pair and "
                "decides whether to send it.",
                partner=found.partner,
            ),
        )  # fmt: skip
        self.slip.show_slip(
            Slip(
                tr("a request: which pairs you are unsure of"), found.partner, "numbers",
                tr_n("{n} pair, by random names", "{n} pairs, by random names", found.unsure),
                tr("which of its records you find alike, and no value"),
                adds_up(self.pane, result=True),
            )
        )  # fmt: skip
        self.ask.setEnabled(found.refused is None)
        if found.refused is not None:  # said before a file is chosen, with the way out
            self.pane.show_problem(found.refused, (tr("To the lines"), lambda: self.pane.desk.go_to.emit("match")))

    def _show_theirs(self, found: ReviewStands) -> None:
        """Who only answers with blind has no match of its own: the asking side reviews, if it does."""
        partner = found.partner
        self.titled.emit(
            tr("{partner} reviews, if it is unsure", partner=partner),
            tr("You have no pairs of your own to look at: whoever asks decides."),
        )
        if found.answered:
            words = tr(
                "<b>What comes next:</b> {partner} looks at the pairs and may send a new result. Drop it anywhere on "
                "this window.", partner=partner,
            )  # fmt: skip
        else:
            words = tr(
                "<b>Nothing to do here.</b> If {partner} asks for cells, its request comes as a file; you see what "
                "would leave, and confirm it, before anything does.", partner=partner,
            )  # fmt: skip
        self._show(_NOTHING, "", "", words)

    def _show_wait(self, found: ReviewStands) -> None:
        self.titled.emit(
            tr("Waiting for the cells of {partner}", partner=found.partner),
            tr("Your request is written. Nothing in clear has left your computer."),
        )
        number, unit = said_days(days_since(found.asked))
        self._show(
            _WAIT, number, tr("since {day}", day=day_words(found.asked)),
            tr(
                "<b>What comes next:</b> {partner} sees what would leave, confirms it and sends a file. Drop it "
                "anywhere on this window.",
                partner=found.partner,
            ), unit,
        )  # fmt: skip

    def _show_review(self, found: ReviewStands) -> None:
        self.titled.emit(
            tr("Review the uncertain pairs"),
            tr("The cells are here, since {day}. They are shown masked, and what is opened is counted.",
               day=day_words(found.came)),
        )  # fmt: skip
        self._show(
            _REVIEW, count(found.cells), tr_n("record of theirs came", "records of theirs came", found.cells),
            tr("The review gets a passphrase of its own: its folder holds cells of {partner} in clear, sealed with it.",
               partner=found.partner),
        )  # fmt: skip
        self._type_in(self.new.secret)

    def _show_begun(self, begun: Decided) -> None:
        self.titled.emit(
            tr("Continue the review"), tr("Every decision and every cost is kept, whatever ended the program.")
        )
        waits = " " + tr("They are not taken in yet.") if begun.waits else ""
        self._show(
            _CONTINUE, count(begun.pairs), tr("{n|pair is|pairs are} decided", n=begun.pairs),
            tr("{same} the same, {different} different, {open} cannot tell.", same=count(begun.same),
               different=count(begun.different), open=count(begun.cannot_tell)) + waits,
        )  # fmt: skip
        self._type_in(self.secret)

    def _type_in(self, secret: SecretEdit) -> None:
        """What is asked for can be typed at once, unless the key is asked for first."""
        if self.pane.hasFocus() and self.pane.desk.identity() is not None:
            secret.edit.setFocus(Qt.FocusReason.OtherFocusReason)

    # what the steward does ------------------------------------------------------------------------

    def _continue(self) -> None:
        secret = self.secret.text()
        if not secret:
            self.secret.edit.setFocus(Qt.FocusReason.OtherFocusReason)
            return
        self.secret.clear()
        self.continued.emit(secret)

    def _ask(self) -> None:
        partnership = self.pane.desk.partnership()
        out = out_path(self.pane, tr("Ask for the cells"), "review-request.pprl")
        if partnership is None or out is None:
            return

        def done(_asked: Asked) -> None:
            self.refresh()

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
        home, expected = desk.home, self.pane.project.choices.agreement

        def done(received: Received) -> None:
            came = received.item.digest if received.item is not None else ""
            asks = any(one.kind == "review_request" and one.digest == came for one in look(desk).letters)
            self.answer_wanted.emit() if asks else self.refresh()

        self.pane.run(
            tr("Checking the file"),
            lambda progress: Partnership.open(home, own, Path(path), progress, expected=expected),
            done,
        )
