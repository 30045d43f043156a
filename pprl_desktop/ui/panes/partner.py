"""Partner's bundle: open it, with every check before anything is taken in."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pprl_desktop.ui.kit.i18n import tr, tr_core, tr_n
from pprl_desktop.ui.panes._keyed import KeyedPane
from pprl_desktop.ui.panes._leaving import SendCard
from pprl_desktop.ui.panes.blind_answer import AnswerQuestion
from pprl_desktop.ui.panes.post import look
from pprl_desktop.ui.widgets.banner import clear
from pprl_desktop.ui.widgets.basics import Section, button
from pprl_desktop.ui.widgets.empty import EmptyState
from pprl_desktop.ui.widgets.facts import fact

if TYPE_CHECKING:
    from pprl_desktop.exchange.inbox import Received


class PartnerPane(KeyedPane):
    NAME = "partner"
    TAKES = True
    NEEDS = ("agreement",)
    GIVES = ("partner_path", "partner_sha256")

    def build(self) -> None:
        self.empty = EmptyState(
            "inbox",
            tr("Drop the partner's file here"),
            tr("A file ending in .pprl. It is checked completely before anything of it is kept."),
            ((tr("&Open the bundle …"), self.choose_file),),
            drops=True,
        )
        self.here = Section(tr("What was checked"))
        self.here.head.addWidget(button(tr("Open another file …"), self.choose_file))
        self.body.addWidget(self.identity)
        self.sent = SendCard(self)
        self.body.addWidget(self.empty)
        self.body.addWidget(self.sent)
        self.body.addWidget(self.here)
        self.then = Section(tr("What comes next"))
        for icon, text in (
            ("match", tr("Your own records are compared with the partner's numbers, on this computer only.")),
            ("chart", tr("You see how alike the best pairs are, and draw two lines: same, review, not the same.")),
            ("review", tr("Uncertain pairs can be reviewed masked, opening only what you need.")),
            ("send", tr("The partner learns of a pair only when you write and send your result.")),
        ):
            self.then.add(fact(icon, text, size=20))
        self.body.addWidget(self.then)
        self.answering = AnswerQuestion(self)
        self.answering.written.connect(self._answered)
        self.body.addWidget(self.answering)
        self.answering.hide()
        self.body.addStretch(1)

    def _answered(self, _path: str) -> None:
        item = self.desk.home.agreement(self.project.choices.agreement).latest_received("question")
        digest = item.digest if item is not None else ""
        self.messages.clear()  # that a question came, unanswered, holds no longer
        self.change(tr("Answer the question"), partner_path=digest, partner_sha256=digest)
        self.show_state()

    def _comes(self) -> Literal["bundle", "question", "answer"]:
        """What the partner sends here."""
        parts = self.blind_parts()
        return "bundle" if parts is None else "question" if parts[1] else "answer"

    def _answers_now(self) -> bool:
        """The question is here, the key open, and nothing was answered yet."""
        return self._comes() == "question" and bool(self._question()) and not self.project.choices.partner_path

    def show_state(self) -> None:
        own, choices, comes = self.desk.identity(), self.project.choices, self._comes()
        agreed = self.desk.home.has_agreement(choices.agreement)
        self._say_head(comes)
        words = {
            "bundle": tr("&Open the bundle …"), "question": tr("&Open the question …"),
            "answer": tr("&Open the answer …"),
        }  # fmt: skip
        self.empty.buttons[0].setText(words[comes])
        answering = self._answers_now() and own is not None
        self.answering.setVisible(answering)
        self.then.setVisible(comes == "bundle" and not answering)
        self.identity.setVisible(own is None)
        self.here.setVisible(bool(choices.partner_path) and agreed)
        self.empty.setVisible(own is not None and not choices.partner_path and not answering)
        if answering:
            self.answering.show_question(self._question())
        elif choices.partner_path and agreed:
            self._tell()
        self._show_answer()
        self.changed.emit()

    def _show_answer(self) -> None:
        """The own answer, as long as it is to be sent."""
        path = self._to_send()
        self.sent.setVisible(path is not None)
        if path is not None:
            self.sent.show_file(path, self._partner())

    def _to_send(self) -> Path | None:
        """Where the answer lies that has not gone yet."""
        letter = look(self.desk).to_send
        return letter.path if letter is not None and letter.kind == "answer" else None

    def _partner(self) -> str:
        return self.desk.home.agreement(self.project.choices.agreement).partner_side.name

    def _question(self) -> str:
        """The digest of the partner's question, once it came."""
        item = self.desk.home.agreement(self.project.choices.agreement).latest_received("question")
        return item.digest if item is not None else ""

    def _say_head(self, comes: Literal["bundle", "question", "answer"]) -> None:
        """What there is to do, or that it is done."""
        here = bool(self.project.choices.partner_path)
        if comes == "bundle" and not (here and self.desk.home.has_agreement(self.project.choices.agreement)):
            self.head(
                tr("Open the partner's bundle"),
                tr("It must come from the partner of the agreement, for you, unchanged, and fit what was agreed."),
            )
            return
        partner, opens = self._partner(), tr("It opens only records that share a key.")
        if comes == "bundle":
            self.head(
                tr("The bundle of {partner} is here", partner=partner),
                tr("Checked completely and kept. Comparing comes next, on this computer only."),
            )
        elif comes == "answer":
            self.head(
                tr("The answer of {partner} is here", partner=partner)
                if here
                else tr("Open the answer of {partner}", partner=partner),
                opens,
            )
        elif here:
            self.head(
                tr("Send your answer to {partner}", partner=partner)
                if self._to_send() is not None
                else tr("You have answered {partner}", partner=partner),
                tr("It is written and sealed; its key is destroyed. {partner} decides, and sends its result.",
                   partner=partner),
            )  # fmt: skip
        elif self._question():
            self.head(
                tr("Answer the question of {partner}", partner=partner),
                tr("Written and sealed here; you send the file yourself. Only {partner} can open it.", partner=partner),
            )
        else:
            self.head(tr("Waiting for the question of {partner}", partner=partner), tr("Drop it here when it comes."))

    def _tell(self) -> None:
        agreement = self.desk.home.agreement(self.project.choices.agreement)
        clear(self.here.body)
        rows = self.desk.findings.partner_rows
        lines = [
            tr("From {partner}, whose safety number you compared", partner=agreement.partner_side.name),
            tr("Sealed for you, signed, complete and unchanged"),
            tr("As agreed: the same fields, method, noise and reference set")
            if agreement.terms.blind is None
            else tr("As agreed: the same fields, keys and limits"),
            *([tr_n("{n} record under random names", "{n} records under random names", rows)] if rows else []),
            tr_n(
                "{n} file received under this agreement so far",
                "{n} files received under this agreement so far",
                len(agreement.received),
            ),
        ]
        for text in lines:
            self.here.body.addLayout(fact("check", text, "accent_text"))

    # what the steward does ------------------------------------------------------------------------

    def received(self, received: Received, path: str) -> None:
        if received.proposal is not None or received.kind in ("accepted", "declined"):
            self.say(
                "info",
                tr_core(received.sentence),
                tr("It belongs to the agreement."),
                (tr("Go there"), lambda: self.desk.go_to.emit("agreement")),
            )
        elif received.kind == "question" and received.agreement is not None:
            self.say("good", tr_core(received.sentence))
        elif received.kind in ("data", "answer") and received.agreement is not None:
            self.desk.findings.partner_rows = received.rows
            item = received.item
            self.change(
                "Open partner's bundle", partner_path=path, partner_sha256=item.digest if item is not None else ""
            )
            self.say("good", tr_core(received.sentence))
        elif received.kind == "result":
            self.change("Open partner's result", partner_result_path=path)
            self.say(
                "good",
                tr_core(received.sentence),
                tr("It is put together with yours on the page Results."),
                (tr("Go there"), lambda: self.desk.go_to.emit("results")),
            )
        else:
            self.say("info", tr_core(received.sentence))
        self.show_state()

    # moving on ------------------------------------------------------------------------------------

    def reason(self) -> str:
        if self.key_reason() or self._answers_now():
            return self.key_reason() or self.answering.reason()
        found, comes = self.project.problems("partner"), self._comes()
        if found and comes != "bundle":
            partner = self._partner()
            return (
                tr("The question of {partner} is not here yet.", partner=partner)
                if comes == "question"
                else tr("The answer of {partner} is not here yet.", partner=partner)
            )
        return tr_core(found[0].sentence()) if found else ""

    def status(self) -> str:
        return tr("Nothing has left yet.") if self._answers_now() else ""

    def next_text(self) -> str:
        if self._answers_now():
            return tr("&Write the answer …")
        return tr("Next: matches") if self._comes() == "question" else tr("Next: match")

    def help_page(self) -> str:
        return self.blind_help()

    def go_on(self, done: Callable[[], None]) -> None:
        if self._answers_now():
            self.answering.write_answer()
            return
        if self.answers_only() and self.project.state("export").state != "done":
            self.desk.confirm("export")  # who answers asks nothing: the question step is not left behind
        self.desk.confirm("partner")
        done()
