"""Matches: match with the partner's bundle, see how sure each pair is, set the two lines, ask why."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from PySide6.QtWidgets import QFileDialog, QFrame, QPushButton, QSizePolicy, QTabWidget, QWidget

from pprl_desktop.decisions.base import ACCEPT, REVIEW
from pprl_desktop.job.findings import Row, ShownMatch
from pprl_desktop.job.matches import Judged, best_scores, judged
from pprl_desktop.problem import Problem
from pprl_desktop.ui.kit.i18n import tr, tr_core, tr_n
from pprl_desktop.ui.kit.tips import set_tip
from pprl_desktop.ui.kit.turns import Later, Turns
from pprl_desktop.ui.kit.wheel import wheel_scrolls_the_page
from pprl_desktop.ui.kit.words import count, exact, of_100, of_100_like, percent, size
from pprl_desktop.ui.panes._keyed import KeyedPane
from pprl_desktop.ui.panes.match_doubt import Doubt
from pprl_desktop.ui.panes.match_pairs import (
    BAND,
    SCORE,
    THEIRS,
    WHY,
    YOURS,
    band_mark,
    band_words,
    called,
    differing,
    own_numbers,
    table_rows,
    wrong_range,
)
from pprl_desktop.ui.plots.histogram import ScoreHistogram
from pprl_desktop.ui.plots.precision_recall import Curve, PrecisionRecallPlot
from pprl_desktop.ui.widgets.basics import Pages, Section, boxed, button, column, least_height, row
from pprl_desktop.ui.widgets.empty import EmptyState
from pprl_desktop.ui.widgets.facts import tag
from pprl_desktop.ui.widgets.numbers import BigNumber
from pprl_desktop.ui.widgets.pair_view import field_title
from pprl_desktop.ui.widgets.reflow import columns, flow
from pprl_desktop.ui.widgets.table import DataTable
from pprl_desktop.ui.widgets.table_model import ColumnSpec
from pprl_desktop.ui.widgets.waterfall import Waterfall, odds_words, steps_of

if TYPE_CHECKING:
    from pprl_desktop.decisions.base import Match
    from pprl_desktop.exchange.linking import AssignedPairs
    from pprl_desktop.job.own_table import OwnTable
    from pprl_desktop.progress import Progress
    from pprl_desktop.project.choices import Choices


class Linkage(Protocol):
    """What the page asks of whoever matches: the job with a partner, or the one of own files."""

    def match(self, own: OwnTable, choices: Choices, *, progress: Progress = ...) -> Match: ...
    def decide(self, match: Match, choices: Choices, progress: Progress = ...) -> Match: ...
    def kept_match(self, choices: Choices, progress: Progress = ...) -> Match | None: ...
    def partner_names(self) -> Any: ...


class MatchPane(KeyedPane):
    NAME = "match"
    NEEDS = ("agreement", "partner_path", "table_path")
    GIVES = ("accept", "review", "match")
    WIDE = True

    def build(self) -> None:
        self.head(tr("Find the same people"), tr("On this computer only; nothing is sent."))
        self._turns = Turns(self, lambda: self.desk.project)
        self._looked_for: tuple[str, str] | None = None
        self.pages = Pages()
        self.ready = EmptyState("match", *self._ready_words(), ((tr("&Match now"), self._match),))
        self.pages.addWidget(boxed(column(self.ready, None)))
        self.save_pairs = button(
            tr("Save all pairs …"), self._save_pairs, kind="link",
            tip=tr("Splink's users and R read it; the help lists its columns."),
        )  # fmt: skip
        self.reset = button(
            tr("As suggested"), self._suggested, kind="link", tip=tr("Put the lines where the program suggests")
        )
        self.found = Later(self._build_found)
        self.pages.addWidget(self.found)
        self.body.addWidget(self.identity)
        self.body.addWidget(self.pages, 1)
        self.theirs = EmptyState(
            "match",
            tr("Nothing to match here"),
            tr("You have answered. The partner sends its result when it has decided."),
        )
        self.theirs.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self.body.addWidget(self.theirs)
        self.room = QWidget()  # where the key is locked and nothing else is shown; a stretch would squeeze the plots
        self.body.addWidget(self.room, 1)
        self._decided: tuple[float | None, float | None] | None = None  # lines of the shown match
        self.again = button(tr("Match again"), self._match)

    def _build_found(self) -> QWidget:
        self.same = BigNumber(tr("● same person"), "accent")
        self.unsure = BigNumber(tr("◆ unsure"), "warm", "second")
        self.different = BigNumber(tr("○ different"), "muted", "second")
        self.expected = BigNumber(tr("wrong, expected"), "", "second")
        self.second = BigNumber(tr("wrong, second opinion"), "", "second")
        for one in (self.same, self.unsure, self.different):
            one.what.setWordWrap(False)  # while a line is dragged nothing below moves
        self.verdict = flow()
        counts = row(self.same, self.unsure, self.different, None, gap=2)
        self.opinions = boxed(row(self.expected, column(self.second, boxed(self.verdict), None, gap=0.5), None, gap=2))
        top = columns(counts, self.opinions, least=300, gap=3)
        self.doubt = Doubt()
        self.doubt.go_to.connect(self.desk.go_to)
        self.histogram = ScoreHistogram(height=120)
        self.histogram.lines_set.connect(self._set_lines)
        self.histogram.lines_moved.connect(lambda *_: self._count())
        self.histogram.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)
        least_height(self.histogram, 150)
        self.curve = PrecisionRecallPlot(height=120)
        self.curve.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)
        least_height(self.curve, 150)
        self.plots = QTabWidget()
        wheel_scrolls_the_page(self.plots.tabBar())
        self.plots.setDocumentMode(True)
        self.plots.setAccessibleName(tr("Plots"))
        self.plots.addTab(self.histogram, tr("How sure"))
        self.plots.addTab(self.curve, tr("Right and found"))
        self.plots.tabBar().setDrawBase(False)
        self.plots.setCornerWidget(self.reset)
        least_height(self.plots, 178)
        self.list = Section(tr("Pairs, nearest to the lines first"))
        self.list.head.addWidget(self.save_pairs)
        self.table: DataTable | None = None
        self.why = Section(tr("Why"))
        self.waterfall = Waterfall()
        self.why.add(self.waterfall, None)
        self.why.setFrameShape(QFrame.Shape.NoFrame)
        self.why.heading.setMinimumHeight(self.save_pairs.sizeHint().height())  # on the line of the other heading
        pairs = columns(self.list, self.why, least=260, shares=(5, 3), gap=3)
        whole = column(top, self.doubt, self.plots, pairs, gap=2)
        whole.setStretch(2, 1)  # a larger window makes the plot and the list larger, not the space around the numbers
        whole.setStretch(3, 2)
        return boxed(whole)

    # with whom --------------------------------------------------------------------------------------

    def _ready_words(self) -> tuple[str, str]:
        return tr("Ready to match"), tr("Your records are compared with the partner's file, pair by pair.")

    def linkage(self) -> Linkage | None:
        """Who matches: the job with the partner; None while the key is locked."""
        return self.desk.partnership()

    def unlocked(self) -> bool:
        return self.desk.identity() is not None

    def _row_heads(self) -> tuple[str, str]:
        return tr("Yours"), tr("Theirs")

    # what is shown --------------------------------------------------------------------------------

    def show_state(self) -> None:
        own = self.unlocked()
        self.identity.setVisible(not own)
        self.pages.setVisible(own and not self.answers_only())
        self.theirs.setVisible(self.answers_only())
        self.room.setVisible(not own or self.answers_only())
        if self.answers_only():
            self.head(tr("The partner decides"), tr("Whoever asks draws the lines, once; both sides go by its result."))
            self.changed.emit()
            return
        shown = self.desk.findings.shown
        if shown is not None:
            self._show(shown.match, shown.rows)
            if self._decided not in (None, self._lines()):  # undone or changed while another page was in front
                self._decide()
        elif own and self._looked_for != self._bundles():
            self._reopen()
        else:
            self.pages.setCurrentIndex(0)
            self._ask_memory()
        self.changed.emit()

    def _lines(self) -> tuple[float | None, float | None]:
        return self.project.choices.accept, self.project.choices.review

    def _bundles(self) -> tuple[str, str]:
        choices = self.project.choices
        return choices.agreement, choices.partner_sha256

    def _reopen(self) -> None:
        """A match that was finished before is kept at home, sealed: nothing is compared again."""
        partnership, choices, self._looked_for = self.linkage(), self.project.choices, self._bundles()
        if partnership is None:
            return
        self.pages.setCurrentIndex(0)

        def work(progress: Progress) -> ShownMatch | None:
            found = partnership.kept_match(choices, progress)
            return self._shown(found, partnership) if found is not None else None

        def done(shown: ShownMatch | None) -> None:
            if shown is not None:
                self._keep(shown)
            else:
                self._match()  # whoever comes here wants it; Cancel stops it

        def refused(problem: Problem) -> None:
            self._working(False)
            self.show_problem(problem)

        self._working(True, tr("Opening the finished match …"))
        self.run(
            tr("Opening the finished match"), work, done, key="match.kept", problem=refused,
            cancelled=lambda: self._working(False),
        )  # fmt: skip

    def _shown(self, match: Match, linkage: Linkage) -> ShownMatch:
        """In the worker: the match with its pairs, each called as the steward's own table calls it."""
        choices = self.project.choices
        numbers = own_numbers(self.desk.own_table, choices) if choices.kind != "one file" else None
        return ShownMatch(match, table_rows(match, linkage.partner_names(), numbers))

    def leave(self) -> None:
        self.desk.jobs.cancel_key("match.memory")

    def _ask_memory(self) -> None:
        """How much memory it will take, worked out in the background while the steward reads the page."""
        partnership, choices, own_table = self.desk.partnership(), self.project.choices, self.desk.own_table
        self.ready.say("")
        if partnership is None or self.project.state("partner").state != "done" or self.blind_parts() is not None:
            return
        self.run(
            tr("Working out the memory"), lambda progress: partnership.outlook(own_table, choices, progress=progress),
            lambda needed: self.ready.say(tr("It will take at most about {size} of memory.", size=size(needed.bytes))),
            key="match.memory", quiet=True, problem=lambda _problem: None,
        )  # fmt: skip

    def _show(self, match: Match, rows: list[Row]) -> None:
        """In parts, because a click must not wait for all of it; what may be refused comes before them."""
        told = judged(match)
        self._turns.run(
            self.changed.emit,
            self.found.widget,
            lambda: self._show_head(match, told),
            lambda: self._show_scores(match),
            lambda: self._show_meaning(match),
            lambda: self._show_table(match, rows),
            self.changed.emit,
        )

    def _show_head(self, match: Match, told: Judged) -> None:
        self.pages.setCurrentIndex(1)
        if told.reliable:
            self.head(tr("Where to draw the lines"), tr("Drag the lines; the counts follow."))
        elif told.misses_more and len(told.reasons) == 1:
            self.head(
                tr("More people may be missed than the figures say"),
                tr("The pairs found are confirmed. How many were not found is not."),
            )
        else:
            self.head(
                tr("The program cannot tell which pairs are right"),
                tr("No second opinion confirms the figures: use no number yet."),
            )
        self.opinions.setVisible(told.reliable or told.misses_more)  # else they are the large numbers below
        self.doubt.show_doubt(told, own=self.project.choices.kind != "partner")
        self.messages.clear()
        for text in match.warnings:
            self.say("warning", tr_core(text))
        self._say_reviewed(match)

    def _say_reviewed(self, match: Match) -> None:
        """After a review the result holds more than the lines say; where the lines were moved, it holds other pairs."""
        partnership, moved = self.desk.partnership(), self.project.state("match").state != "done"
        if partnership is None or moved or not self.project.artefact("taken"):
            return

        def done(found: AssignedPairs) -> None:
            more = found.count(ACCEPT) - len(match.accepted())
            if more:
                said = tr_n("The review added {n} pair.", "The review added {n} pairs.", more)
                holds = tr_n("Your result holds {n} pair.", "Your result holds {n} pairs.", found.count(ACCEPT))
                self.say("info", said, holds)

        self.run(
            tr("Opening the finished match"), lambda _progress: partnership.kept(), done, key="match.found", quiet=True,
            problem=lambda _problem: None,
        )  # fmt: skip

    def _show_scores(self, match: Match) -> None:
        odds = bool(np.isfinite(match.scored.probability).all()) and len(match.scored) > 0
        self.histogram.show_scores(best_scores(match), match.review, match.accept, odds=odds)
        accepted, unsure = len(match.accepted()), len(match.to_review())
        others = max(len(self.histogram.scores) - accepted - unsure, 0)
        self._say_counts(accepted, unsure, others)

    def _say_counts(self, accepted: int, unsure: int, others: int) -> None:
        for shown, many in ((self.same, accepted), (self.unsure, unsure), (self.different, others)):
            shown.show_number(count(many))

    def _count(self) -> None:
        """While a line is dragged: counted on the best pair of each record."""
        different, unsure, same = self.histogram.counts()
        self._say_counts(same, unsure, different)

    def _show_meaning(self, match: Match) -> None:
        from pprl_desktop.job.matches import expected_curve

        told, found = judged(match), expected_curve(match)
        while self.verdict.count():
            widget = self.verdict.takeAt(0).widget()
            widget.deleteLater()
        known = not math.isnan(told.wrong)
        self.expected.show_number(
            of_100(told.wrong) if known else "–", "",
            wrong_range(told.wrong, told.wrong_low, told.wrong_high) if known else tr("this method gives no forecast"),
            percent(told.wrong, 2) if known else "",
        )  # fmt: skip
        second = not math.isnan(told.second)
        self.second.setVisible(second)
        if second:
            self.second.show_number(of_100_like(told.second, told.wrong), "", "", percent(told.second, 2))
            self.verdict.addWidget(
                tag(tr("they agree") if told.agree else tr("≠ they differ"), "accent" if told.agree else "warm")
            )
        set_tip(self.expected, " ".join([self.expected.toolTip(), *map(tr_core, match.scored.caveats())]).strip())
        if found is None or found.working is None:
            self.curve.show_curve(Curve((), (), ()))
            return
        self.curve.show_curve(
            Curve(found.recall.tolist(), found.precision.tolist(), found.threshold.tolist(), found.working)
        )

    def _show_table(self, match: Match, rows: list[Row]) -> None:
        fields = match.scored.fields
        odds = self.histogram.odds
        mine, theirs = self._row_heads()
        if self.table is not None:
            self.table.deleteLater()
        self.table = DataTable(
            tr("Pairs, nearest to the lines first"),
            [
                ColumnSpec(mine, called, right=not rows or not isinstance(rows[0][YOURS], str), least=64),
                ColumnSpec(theirs, width=76, least=66),
                ColumnSpec(
                    tr("How sure"), odds_words if odds else (lambda v: exact(v, 3)), right=True,
                    tip=lambda v: tr("score {score}", score=exact(v, 3)),
                ),
                ColumnSpec(tr("Band"), band_mark, heard=lambda band: band_words()[band]),
                ColumnSpec(tr("What differs"), width=150, least=84),
            ],
            rows_high=6, dense=True,
        )  # fmt: skip
        self.table.show_rows(
            [(one[YOURS], one[THEIRS], one[SCORE], one[BAND], differing(fields, one[WHY])) for one in rows]
        )
        self.table.selected.connect(lambda place: self._explain(fields, rows[place]) if place >= 0 else None)
        self.list.add(self.table)
        if rows:
            self._explain(fields, rows[0])
        else:
            self.waterfall.show_pair((), math.nan)

    def _explain(self, fields: tuple[str, ...], chosen: Row) -> None:
        self.why.heading.setText(
            tr(
                "Why {row} is {band}", row=called(chosen[YOURS]),
                band={ACCEPT: tr("the same person"), REVIEW: tr("unsure")}.get(chosen[BAND], tr("different")),
            )
        )  # fmt: skip
        names = tuple(map(field_title, fields))
        self.waterfall.show_pair(steps_of(names, chosen[WHY], chosen[SCORE]), chosen[SCORE])

    # what the steward does ------------------------------------------------------------------------

    def _match(self) -> None:
        partnership, choices, own_table = self.linkage(), self.project.choices, self.desk.own_table
        if partnership is None:
            return
        self.messages.clear()
        self.desk.jobs.cancel_key("match.memory")
        self._working(True)

        def work(progress: Progress) -> ShownMatch:
            return self._shown(partnership.match(own_table, choices, progress=progress), partnership)

        def stopped() -> None:
            self._working(False)
            self._ask_memory()

        def refused(problem: Problem) -> None:
            self._working(False)
            unsent = self.blind_parts() is None and not choices.bundle_path
            act = (tr("Go there"), lambda: self.desk.go_to.emit("export"))
            self.show_problem(problem, act) if unsent else self.show_problem(problem)

        where = self.desk.cluster() if choices.kind != "one file" else None  # of own files nothing leaves this computer
        self.run(tr("Matching"), work, self._keep, problem=refused, cancelled=stopped, where=where)

    def _working_words(self) -> str:
        return tr("Comparing the two tables …")

    def _working(self, now: bool, what: str = "") -> None:
        """While it is compared there is nothing to press but Cancel."""
        self.ready.heading.setText((what or self._working_words()) if now else tr("Ready to match"))
        self.ready.buttons[0].setVisible(not now)
        if now:
            self.ready.say("")
        self.changed.emit()

    def _keep(self, shown: ShownMatch) -> None:
        self._working(False)
        self.desk.findings.shown = shown
        self._decided = self._lines()
        self._show(shown.match, shown.rows)

    def _set_lines(self, review: float, accept: float) -> None:
        self.change("Move the lines", accept=accept, review=review)
        self._decide()

    def _suggested(self) -> None:
        self.change("Lines as suggested", accept=None, review=None)
        self._decide()

    def _decide(self) -> None:
        """Bands and assignment again, on the same scores."""
        match, partnership, choices = self.desk.findings.match, self.linkage(), self.project.choices
        if match is None or partnership is None:
            return

        def work(progress: Progress) -> ShownMatch:
            return self._shown(partnership.decide(match, choices, progress), partnership)

        self.run(tr("Drawing the lines"), work, self._keep, key="match.decide", quiet=True)

    # moving on ------------------------------------------------------------------------------------

    def extra_buttons(self) -> list[QPushButton]:
        return [self.again] if self.desk.findings.match is not None else []

    def _save_pairs(self) -> None:
        name, _ = QFileDialog.getSaveFileName(self, tr("Save the pairs"), "pairs.csv", "*.csv")
        if name:
            self.save_pairs_to(Path(name))

    def save_pairs_to(self, out: Path) -> None:
        from pprl_desktop.job import other_tools

        match = self.desk.findings.match
        assert match is not None

        def done(n: int) -> None:
            self.say("good", tr_n("{n} pair written to {file}.", "{n} pairs written to {file}.", n, file=out.name))

        work = lambda progress: other_tools.write_pairs(out, match, None, progress)  # noqa: E731
        self.run(tr("Writing the pairs"), work, done)

    def reason(self) -> str:
        return self.key_reason() or (
            "" if self.answers_only() or self.desk.findings.match is not None else tr("Match first.")
        )

    def next_text(self) -> str:
        match = self.desk.findings.match
        return tr("Go on anyway") if match is not None and not judged(match).reliable else tr("Next: results")

    def status(self) -> str:
        match = self.desk.findings.match
        unreliable = match is not None and not judged(match).reliable
        return tr("Not reliable. The report says so on its first page.") if unreliable else ""

    def go_on(self, done: Callable[[], None]) -> None:
        from pprl_desktop.job.kept import match_artefact

        match, partnership = self.desk.findings.match, self.desk.partnership()
        if self.answers_only():
            self.desk.confirm("match")
            done()
            return
        assert match is not None
        assert partnership is not None
        partnership.keep(match)
        self.desk.confirm("match", {"match": match_artefact(match)})
        if self.project.choices.result_path and not partnership.result_is_current():
            self.desk.findings.outcome = None
            self.change("Other pairs", result_path="")  # what was sent is out of date; Results says so
        done()
