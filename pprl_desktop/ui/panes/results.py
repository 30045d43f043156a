"""Results: exchange what each side decided, and see where they agree."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QCheckBox, QPushButton, QSizePolicy

from pprl_desktop.decisions.base import ACCEPT, REVIEW
from pprl_desktop.job.kept import outcome_artefact
from pprl_desktop.ui.kit.i18n import tr, tr_core, tr_n
from pprl_desktop.ui.kit.words import count
from pprl_desktop.ui.panes._files import next_path, out_path
from pprl_desktop.ui.panes._keyed import KeyedPane
from pprl_desktop.ui.panes._leaving import SendCard, adds_up
from pprl_desktop.ui.panes._work import rule_words
from pprl_desktop.ui.panes.post import look
from pprl_desktop.ui.widgets.basics import Section, boxed, button, column, line
from pprl_desktop.ui.widgets.empty import EmptyState
from pprl_desktop.ui.widgets.inputs import check_line
from pprl_desktop.ui.widgets.numbers import BigNumber
from pprl_desktop.ui.widgets.reflow import columns
from pprl_desktop.ui.widgets.slip import ReleaseSlip, Slip
from pprl_desktop.ui.widgets.table import DataTable
from pprl_desktop.ui.widgets.table_model import ColumnSpec

if TYPE_CHECKING:
    from pprl_desktop.exchange.inbox import Received
    from pprl_desktop.exchange.linking import AssignedPairs
    from pprl_desktop.exchange.results import ExportedResult, Outcome


FOUND_BY = 2  # column of the table


class ResultsPane(KeyedPane):
    NAME = "results"
    TAKES = True
    NEEDS = ("agreement", "match")
    GIVES = ("result_path", "partner_result_path", "outcome")

    def build(self) -> None:
        self.head(tr("Both results are together"), "")
        self.slip = ReleaseSlip()
        self.accepted = BigNumber("", "accent")
        self.known = QCheckBox()
        self.known.toggled.connect(lambda _on: self.changed.emit())
        self.confirm = check_line(self.known, tr("I may tell them these pairs. Once sent they cannot be taken back."))
        leaves = Section(tr("What leaves")).add(self.slip)
        beside = column(self.accepted, None, gap=2)
        self.asking = boxed(
            column(columns(leaves, beside, least=290, shares=(3, 2), gap=4), line(), self.confirm, gap=2)
        )
        self.sent = SendCard(self)
        self.sent.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self.theirs = EmptyState("inbox", "", "", ((tr("&Open their result …"), self.choose_file),), drops=True)
        self.linked = BigNumber("", "accent")
        self.numbers = {
            "both": BigNumber(tr("found by both sides"), "", "second"),
            "only_mine": BigNumber(tr("found by you alone"), "", "second"),
            "only_theirs": BigNumber(tr("found by the partner alone"), "", "second"),
        }
        self.figures = boxed(columns(self.linked, *self.numbers.values(), least=150, gap=3))
        self.list = Section(
            tr("Your rows in these results"), tr("The partner has the same link ids on theirs, and nothing more.")
        )
        self.table = DataTable(
            tr("Your rows in these results"),
            [
                ColumnSpec(tr("Your row"), count, right=True),
                ColumnSpec(tr("Link id"), mono=True),
                ColumnSpec(tr("Found by")),
                ColumnSpec(tr("State")),
            ],
            filter_line=True, rows_high=8, dense=True,
        )  # fmt: skip
        self.list.add(self.table)
        self.write = button(tr("&Write it again …"), self._write_again)
        self._again = False  # the steward wants to write what was written before, and sees the slip first
        self._wrote = False  # a result was just written: once both are together, the step is done with it
        self._unsure, self._counted = 0, False  # pairs that the own match left open, once that is known
        self.as_it_is = button(tr("Not now"), self._leave_it)
        self.open = button(tr("Open another result …"), self.choose_file)
        for one in (self.identity, self.figures, self.asking, self.sent, self.theirs):
            self.body.addWidget(one)
        self.body.addWidget(self.list, 1)
        self.body.addStretch(0)

    # what is shown --------------------------------------------------------------------------------

    def enter(self) -> None:
        known = self.desk.findings.outcome is not None
        self.known.setChecked(False)
        super().enter()
        if known:  # a newer result may have come in
            self.put_together(self._show_state)

    def leave(self) -> None:
        self._again = False
        super().leave()

    def show_state(self) -> None:
        own = self.desk.identity()
        self.identity.setVisible(own is None)
        if self.desk.findings.outcome is None:
            self.put_together(self._show_state)
        self._look_at_own()
        self._show_state()
        if own is None:
            for one in (self.asking, self.theirs):
                one.hide()

    def _partner(self) -> str:
        return self.desk.home.agreement(self.project.choices.agreement).partner_side.name

    def _look_at_own(self) -> None:
        """How many pairs the result will hold: the lines and the review together, as kept at home."""
        partnership = self.desk.partnership()
        if partnership is None or self.answers_only():
            return

        def done(found: AssignedPairs) -> None:
            self._unsure, self._counted = found.count(REVIEW), True
            self._tell(found.count(ACCEPT))
            outcome = self.desk.findings.outcome
            if outcome is not None and self._state() == "both":
                self._say_linked(outcome, outcome.counts()["linked"])
            self.changed.emit()

        self._tell(None)
        self.run(
            tr("Opening the finished match"), lambda _progress: partnership.kept(), done, key="results.found",
            quiet=True, problem=lambda _problem: None,
        )  # fmt: skip

    def _tell(self, accepted: int | None) -> None:
        partner, rows = self._partner(), self.project.choices.rows
        self.accepted.say(tr("{n|pair is|pairs are} the same person, you say", n=accepted or 0))
        self.accepted.show_number(count(accepted) if accepted is not None else "…", "", tr("by your lines and review"))
        many = tr_n("{n} pair", "{n} pairs", accepted) if accepted is not None else tr("the accepted pairs")
        what = tr("<b>Random names</b> of the pairs you accept; no field, no value")
        learns = tr("which of its records are people that you hold too")
        if self._unsure and self._rule() == "review":
            what = tr("<b>Random names</b> of the pairs you accept, and of those you are unsure of; no field, no value")
            learns = tr("which of its records are people that you hold too, and of which you are unsure")
            many = tr("{pairs} and {n} unsure", pairs=many, n=count(self._unsure))
        records = tr_n("{n} record", "{n} records", rows)
        self.slip.show_slip(
            Slip(
                what, partner, "numbers", tr("{pairs} out of your {records}", pairs=many, records=records), learns,
                adds_up(self, result=True),
            )
        )  # fmt: skip

    def _rule(self) -> str:
        return self.desk.home.agreement(self.project.choices.agreement).terms.rule

    def _state(self) -> str:
        """write: the own result is missing; wait: theirs is; both: put together."""
        choices = self.project.choices
        if (self._again or not choices.result_path) and not self.answers_only():
            return "write"
        if not choices.partner_result_path and not self.asks_only():
            return "wait"
        return "both"

    def _say_head(self, state: str, outcome: Outcome | None) -> None:
        partner = self._partner()
        if state == "write" and self._written_before():
            self.head(
                tr("Send {partner} your new result", partner=partner),
                tr(
                    "Your pairs have changed since: the result you sent is out of date. Write it again and send it to "
                    "{partner} again.",
                    partner=partner,
                ),
            )
        elif state == "write":
            self.head(
                tr("Tell {partner} which pairs you accept", partner=partner),
                tr("Sealed for them alone. Who asked decides; they go by it.")
                if self.asks_only()
                else tr("Sealed for them alone. They send theirs; nothing else passes."),
            )
        elif state == "wait":
            self.head(
                tr("Waiting for the result of {partner}", partner=partner),
                tr("When it comes, drop it anywhere on this window."),
            )
        elif self.asks_only():
            decides = tr("You asked, so you decide; {partner} goes by it.", partner=partner)
            self.head(tr("Your result is written"), decides)
        elif self.answers_only():
            self.head(
                tr("The result of {partner} is here", partner=partner),
                tr("{partner} asked, so it decides; both sides go by it.", partner=partner),
            )
        else:
            rule = rule_words()[self._rule()]
            self.head(
                tr("Both results are together") if outcome is not None else tr("Both are being put together"),
                tr("As agreed: {rule}.", rule=rule),
            )

    def _show_state(self) -> None:
        outcome, state, choices = self.desk.findings.outcome, self._state(), self.project.choices
        self._say_head(state, outcome)
        self.asking.setVisible(state == "write")
        self.confirm.setVisible(state == "write")
        waiting = bool(choices.result_path) and (state == "wait" or (state == "both" and self._to_send()))
        self.sent.setVisible(waiting)
        if waiting:
            self.sent.show_file(Path(choices.result_path), self._partner())
        self.theirs.setVisible(state == "wait")
        self.theirs.tell(tr("Did it come?"), tr("A file ending in .pprl. It is checked before anything of it is kept."))
        self._show_outcome(outcome if state == "both" else None)
        if outcome is not None and state == "both" and (self._wrote or self.project.state("results").state == "done"):
            self._wrote = False
            self._confirm()  # a newer result is here: what was written of the old one is stale
        self.changed.emit()

    def _confirm(self) -> None:
        outcome = self.desk.findings.outcome
        assert outcome is not None
        made = outcome_artefact(outcome)
        if self.project.state("results").state == "done" and self.project.artefact("outcome") is None:
            self.project.keep("outcome", made)  # confirmed by an earlier version, which kept none
            return
        if self.project.state("results").state != "done" or self.project.artefact("outcome") != made:
            self.desk.confirm("results", {"outcome": made})

    def _show_outcome(self, outcome: Outcome | None) -> None:
        self.list.setVisible(outcome is not None)
        self.figures.setVisible(outcome is not None)
        if outcome is None:
            return
        counts = outcome.counts()
        alone = self.asks_only() or self.answers_only()  # one side decides: nothing to compare
        for shown in self.numbers.values():
            shown.setVisible(not alone)
        self.table.view.setColumnHidden(FOUND_BY, alone)
        self._say_linked(outcome, counts["linked"])
        for name, shown in self.numbers.items():
            shown.show_number(count(counts[name]))
        merged = outcome.reconciled
        by: dict[tuple[int, int], str] = {}
        for pairs, words in (
            (merged.both, tr("both sides")),
            (merged.only_mine, tr("only you")),
            (merged.only_theirs, tr("only the partner")),
        ):
            by |= dict.fromkeys(map(tuple, pairs.tolist()), words)
        rows = []
        for pairs, links, state in (
            (merged.linked, outcome.links, tr("● linked")),
            (merged.open, outcome.to_review, tr("◐ open for review")),
        ):
            rows += [
                (a + 1, link, by.get((a, b), ""), state) for (a, b), link in zip(pairs.tolist(), links, strict=True)
            ]
        self.table.show_rows(rows)

    def _say_linked(self, outcome: Outcome, linked: int) -> None:
        """Pairs left open may be unsure to the partner alone: those are not this side's to review."""
        left, mine = outcome.left_open, self._unsure
        said = tr_n("{n} pair is left open", "{n} pairs are left open", left) if left else ""
        if self._counted and mine < left and self.blind_parts() is None:
            said = tr("{open}, {n} of them for you to review", open=said, n=count(mine))
        self.linked.say(tr("{n|person is|people are} in both tables", n=linked))
        self.linked.show_number(count(linked), "", said)

    # what the steward does ------------------------------------------------------------------------

    def received(self, received: Received, path: str) -> None:
        if received.kind == "result":
            self.change("Open partner's result", partner_result_path=path)
            self.say("good", tr_core(received.sentence))
        else:
            self.say("info", tr_core(received.sentence), tr("It is not a result."))
        self.enter()

    def _to_send(self) -> bool:
        """Whether the own result has not gone yet."""
        letter = look(self.desk).to_send
        return letter is not None and letter.kind == "result"

    def _write_again(self) -> None:
        """What leaves is shown each time, also where it is the same again."""
        self._again = True
        self.known.setChecked(False)
        self.show_state()

    def _leave_it(self) -> None:
        self._again = False
        self.show_state()

    def _export(self) -> None:
        out = out_path(self, tr("Write your result"), "result.pprl")
        if out is not None:
            self._write(out)

    def _write(self, out: Path) -> None:
        partnership = self.desk.partnership()
        if partnership is None:
            return

        def done(made: ExportedResult) -> None:
            self.desk.findings.outcome = None
            self._again, self._wrote = False, self.project.state("results").state in ("done", "stale")
            self.change("Write result", result_path=str(out))
            pairs = tr_n("{n} accepted pair, sealed.", "{n} accepted pairs, sealed.", made.accepted)
            if made.to_review:
                pairs += " " + tr("Of {n} more it says that you are unsure.", n=count(made.to_review))
            self.say("good", tr("Your result is written."), pairs)
            self.known.setChecked(False)
            self.enter()

        self.run(
            tr("Writing the result"),
            lambda progress: partnership.send_result(out, progress),
            done,
        )

    def _written_before(self) -> bool:
        """A result was sent, and is out of date since."""
        choices, home = self.project.choices, self.desk.home
        if self._again or choices.result_path or not choices.agreement or not home.has_agreement(choices.agreement):
            return False
        return home.agreement(choices.agreement).latest_sent("result") is not None

    # moving on ------------------------------------------------------------------------------------

    def extra_buttons(self) -> list[QPushButton]:
        if self._again:
            return [self.as_it_is]
        if self._state() == "write" or self.answers_only():
            return [self.open] if self.answers_only() and self._state() == "both" else []
        return [self.write] if self.asks_only() or self._state() == "wait" else [self.open, self.write]

    def reason(self) -> str:
        if self.key_reason():
            return self.key_reason()
        state = self._state()
        if state == "write":
            return "" if self.known.isChecked() else tr("Say that you may send it.")
        if state == "wait":
            return tr("Their result is not here yet.")
        return "" if self.desk.findings.outcome is not None else tr("Both are being put together.")

    def help_page(self) -> str:
        return self.blind_help()

    def status(self) -> str:
        return tr("Nothing has left on this page yet.") if self._state() == "write" else ""

    def next_text(self) -> str:
        if self._state() == "write":
            return tr("Write the result again") if self._written_before() else tr("&Write your result …")
        if self.project.state("review").state == "done":
            return tr("Next: finish")
        if not self._unsure or self.project.choices.rule != "review":  # then they stay unlinked
            return tr("Next: review")
        return tr_n("Next: review {n} pair", "Next: review {n} pairs", self._unsure)

    def go_on(self, done: Callable[[], None]) -> None:
        if self._state() == "write":
            if self._written_before():
                self._write(next_path(self, "result"))
            else:
                self._export()
            return
        self._confirm()
        if self.project.state("review").state == "done":
            self.desk.go_to.emit("finish")
        else:
            done()
