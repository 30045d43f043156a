"""Partner's bundle: open it, with every check before anything is taken in."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from pprl_desktop.ui.kit.i18n import tr, tr_core, tr_n
from pprl_desktop.ui.panes._keyed import KeyedPane
from pprl_desktop.ui.panes.blind_answer import AnswerQuestion
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
        self.empty = Section()
        self.empty.add(
            EmptyState(
                "inbox",
                tr("Drop the partner's file here"),
                tr("A file ending in .pprl. It is checked completely before anything of it is kept."),
                ((tr("&Open the bundle …"), self.choose_file),),
                drops=True,
            )
        )
        self.here = Section(tr("What was checked"))
        self.here.head.addWidget(button(tr("Open another file …"), self.choose_file))
        self.body.addWidget(self.identity)
        self.body.addWidget(self.empty)
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
        self.change(tr("Answer the question"), partner_path=digest, partner_sha256=digest)
        self.show_state()

    def show_state(self) -> None:
        own, choices = self.desk.identity(), self.project.choices
        parts = self.blind_parts()
        question = self._question() if parts is not None and parts[1] else ""
        self.answering.setVisible(bool(question) and own is not None and not choices.partner_path)
        self.then.setVisible(parts is None)
        if parts is None:
            self._head_bundle()
        else:
            self._head_blind(parts, bool(question))
            if self.answering.isVisibleTo(self):
                self.identity.hide()
                self.here.hide()
                self.empty.hide()
                self.answering.show_question(question)
                self.changed.emit()
                return
        self.identity.setVisible(own is None)
        self.here.setVisible(bool(choices.partner_path))
        self.empty.setVisible(own is not None and not choices.partner_path)
        if choices.partner_path and self.desk.home.has_agreement(choices.agreement):
            self._tell()
        self.changed.emit()

    def _question(self) -> str:
        """The digest of the partner's question, once it came."""
        item = self.desk.home.agreement(self.project.choices.agreement).latest_received("question")
        return item.digest if item is not None else ""

    def _head_bundle(self) -> None:
        """What there is to do, or that it is done."""
        choices, home = self.project.choices, self.desk.home
        if choices.partner_path and home.has_agreement(choices.agreement):
            partner = home.agreement(choices.agreement).partner_side.name
            self.head(
                tr("The bundle of {partner} is here", partner=partner),
                tr("Checked completely and kept. Comparing comes next, on this computer only."),
            )
        else:
            self.head(
                tr("Open the partner's bundle"),
                tr("It must come from the partner of the agreement, for you, unchanged, and fit what was agreed."),
            )

    def _head_blind(self, parts: tuple[bool, bool], asked: bool) -> None:
        partner = self.desk.home.agreement(self.project.choices.agreement).partner_side.name
        if parts[1] and asked:
            self.head(
                tr("Answer the question of {partner}", partner=partner),
                tr("Written and sealed here; you send the file yourself. Only {partner} can open it.", partner=partner),
            )
        elif parts[1]:
            self.head(tr("Waiting for the question of {partner}", partner=partner), tr("Drop it here when it comes."))
        elif self.project.choices.partner_path:
            self.head(
                tr("The answer of {partner} is here", partner=partner), tr("It opens only records that share a key.")
            )
        else:
            self.head(
                tr("Open the answer of {partner}", partner=partner), tr("It opens only records that share a key.")
            )

    def _tell(self) -> None:
        agreement = self.desk.home.agreement(self.project.choices.agreement)
        clear(self.here.body)
        rows = self.desk.findings.partner_rows
        lines = [
            tr("From {partner}, whose safety number you compared", partner=agreement.partner_side.name),
            tr("Sealed for you, signed, complete and unchanged"),
            tr("As agreed: the same fields, method, noise and reference set"),
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
        found = self.project.problems("partner")
        return self.key_reason() or (tr_core(found[0].sentence()) if found else "")

    def next_text(self) -> str:
        return tr("Next: match")

    def go_on(self, done: Callable[[], None]) -> None:
        self.desk.confirm("partner")
        done()
