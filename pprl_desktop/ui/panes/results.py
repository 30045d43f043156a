"""Results: exchange what each side decided, and see where they agree."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from pprl_desktop.job.kept import outcome_artefact
from pprl_desktop.ui.kit.i18n import tr, tr_core
from pprl_desktop.ui.kit.words import count
from pprl_desktop.ui.panes._files import next_path, out_path
from pprl_desktop.ui.panes._keyed import KeyedPane
from pprl_desktop.ui.panes._work import rule_words
from pprl_desktop.ui.widgets.basics import Section, button, label, row, set_kind
from pprl_desktop.ui.widgets.reflow import columns
from pprl_desktop.ui.widgets.table import DataTable
from pprl_desktop.ui.widgets.table_model import ColumnSpec

if TYPE_CHECKING:
    from pprl_desktop.exchange.inbox import Received
    from pprl_desktop.exchange.results import ExportedResult, Outcome


class ResultsPane(KeyedPane):
    NAME = "results"
    TAKES = True
    NEEDS = ("agreement", "match")
    GIVES = ("result_path", "partner_result_path", "outcome")

    def build(self) -> None:
        self.head(
            tr("Put both results together"),
            tr("You send the accepted pairs by random names; the partner sends theirs. Nothing else passes."),
        )
        self.mine = Section(tr("Your result"))
        self.mine_text = label("", "muted")
        self.write = button(tr("&Write your result …"), self._export, kind="primary", icon="send")
        self.mine.add(self.mine_text, row(self.write, None), None)
        self.theirs = Section(tr("The partner's result"))
        self.theirs_text = label("", "muted")
        self.open = button(tr("&Open their result …"), self.choose_file, icon="inbox")
        self.theirs.add(self.theirs_text, row(self.open, None), None)
        files = columns(self.mine, self.theirs, least=290)
        self.numbers, figures = {}, []
        for name, title, sentence in (
            ("both", tr("Both sides"), tr("accepted by you and by the partner")),
            ("only_mine", tr("Only you"), tr("accepted by you, not by the partner")),
            ("only_theirs", tr("Only the partner"), tr("accepted by the partner, not by you")),
            ("linked", tr("Linked"), tr("under the agreed rule")),
        ):
            card = Section(title)
            self.numbers[name] = label("–", "figure", wrap=False)
            card.add(self.numbers[name], label(sentence, "small"), None)
            figures.append(card)
        self.figures = columns(*figures, least=150)
        self.rule = label("", "muted")
        self.list = Section(
            tr("Your linked rows"), tr("The partner has the same link ids on theirs, and nothing more.")
        )
        self.table = DataTable(
            tr("Your linked rows"),
            [
                ColumnSpec(tr("Your row"), count, right=True),
                ColumnSpec(tr("Link id"), mono=True),
                ColumnSpec(tr("Found by")),
                ColumnSpec(tr("State")),
            ],
            filter_line=True,
            rows_high=7,
        )
        self.list.add(self.table)
        self.body.addWidget(self.identity)
        self.body.addLayout(files)
        self.body.addLayout(self.figures)
        self.body.addWidget(self.rule)
        self.body.addWidget(self.list, 1)

    # what is shown --------------------------------------------------------------------------------

    def enter(self) -> None:
        known = self.desk.findings.outcome is not None
        super().enter()
        if known:  # a newer result may have come in
            self.put_together(self._show_state)

    def show_state(self) -> None:
        own, choices = self.desk.identity(), self.project.choices
        self.identity.setVisible(own is None)
        self.mine.setVisible(not self.answers_only())
        self.theirs.setVisible(not self.asks_only())
        partner = self.desk.home.agreement(choices.agreement).partner_side.name
        set_kind(self.write, "" if choices.result_path else "primary")
        if self._written_before():
            self.mine_text.setText(
                tr(
                    "The review has changed it: the result you sent is out of date. Write it again and send it to "
                    "{partner} again.",
                    partner=partner,
                )
            )
        elif choices.result_path:
            self.mine_text.setText(
                tr("Written. Send {file} to {partner}.", file=Path(choices.result_path).name, partner=partner)
            )
        else:
            self.mine_text.setText(tr("A sealed file for {partner}, with the accepted pairs only.", partner=partner))
        if choices.partner_result_path:
            self.theirs_text.setText(tr("Opened, checked, and kept."))
        else:
            self.theirs_text.setText(tr("When {partner} sends theirs, open it here or drop it.", partner=partner))
        rule = self.desk.home.agreement(choices.agreement).terms.rule
        self.rule.setText(tr("Agreed rule: {rule}.", rule=rule_words()[rule]))
        if self.desk.findings.outcome is None:
            self.put_together(self._show_state)
        self._show_state()

    def _show_state(self) -> None:
        outcome = self.desk.findings.outcome
        self._show_outcome(outcome)
        if outcome is not None and self.project.state("results").state == "done":
            self._confirm()  # a newer result of the partner came in: what was written of the old one is stale
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
        if outcome is None:
            for shown in self.numbers.values():
                shown.setText("–")
            return
        counts = outcome.counts()
        for name, shown in self.numbers.items():
            shown.setText(count(counts[name]))
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

    # what the steward does ------------------------------------------------------------------------

    def received(self, received: Received, path: str) -> None:
        if received.kind == "result":
            self.change("Open partner's result", partner_result_path=path)
            self.say("good", tr_core(received.sentence))
        else:
            self.say("info", tr_core(received.sentence), tr("It is not a result."))
        self.enter()

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
            self.change("Write result", result_path=str(out))
            self.say("good", tr("Your result is written."), tr("{n} accepted pairs, sealed.", n=count(made.accepted)))
            self.enter()

        self.run(
            tr("Writing the result"),
            lambda progress: partnership.send_result(out, progress),
            done,
        )

    def _written_before(self) -> bool:
        """A result was sent, and is out of date since."""
        choices, home = self.project.choices, self.desk.home
        if choices.result_path or not choices.agreement or not home.has_agreement(choices.agreement):
            return False
        return home.agreement(choices.agreement).latest_sent("result") is not None

    # moving on ------------------------------------------------------------------------------------

    def reason(self) -> str:
        if self.key_reason():
            return self.key_reason()
        choices = self.project.choices
        if not choices.result_path and not self.answers_only():
            return "" if self._written_before() else tr("Write your result.")
        if not choices.partner_result_path and not self.asks_only():
            return tr("Open the partner's result.")
        return "" if self.desk.findings.outcome is not None else tr("Both are being put together.")

    def next_text(self) -> str:
        if not self.project.choices.result_path and self._written_before():
            return tr("Write the result again")
        if self.project.state("review").state == "done":
            return tr("Next: finish")
        outcome: Outcome | None = self.desk.findings.outcome
        open_pairs = outcome.counts()["open"] if outcome is not None else 0
        return tr("Next: review {n} pairs", n=count(open_pairs)) if open_pairs else tr("Next: review")

    def go_on(self, done: Callable[[], None]) -> None:
        if not self.project.choices.result_path and not self.answers_only():
            self._write(next_path(self, "result"))
            return
        self._confirm()
        if self.project.state("review").state == "done":
            self.desk.go_to.emit("finish")
        else:
            done()
