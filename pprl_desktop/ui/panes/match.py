"""Matches: match with the partner's bundle, look at the scores, set the two borders."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from PySide6.QtWidgets import QSizePolicy, QWidget

from pprl_desktop.codes.directions import words
from pprl_desktop.decisions.base import ACCEPT, REVIEW
from pprl_desktop.job.findings import Row, ShownMatch
from pprl_desktop.job.matches import match_rows
from pprl_desktop.ui.kit.i18n import tr, tr_core, tr_n
from pprl_desktop.ui.kit.turns import Later, Turns
from pprl_desktop.ui.kit.words import count, exact, of_100, range_of_100, size
from pprl_desktop.ui.panes._keyed import KeyedPane
from pprl_desktop.ui.plots.histogram import ScoreHistogram
from pprl_desktop.ui.plots.precision_recall import Curve, PrecisionRecallPlot
from pprl_desktop.ui.widgets.basics import Pages, Section, boxed, button, column, label, least_height
from pprl_desktop.ui.widgets.empty import EmptyState
from pprl_desktop.ui.widgets.evidence import LEAST, EvidenceDelegate, bars_width, evidence_words
from pprl_desktop.ui.widgets.reflow import columns
from pprl_desktop.ui.widgets.table import DataTable
from pprl_desktop.ui.widgets.table_model import ColumnSpec

if TYPE_CHECKING:
    from pprl_desktop.decisions.base import Match
    from pprl_desktop.progress import Progress


def band_words() -> dict[int, str]:
    return {ACCEPT: tr("● same"), REVIEW: tr("◐ review"), 0: tr("○ not the same")}


def pseudonym_words(raw: bytes) -> str:
    """Enough of a random name to tell two apart: 7F3A·C219."""
    text = raw.hex().upper()
    return f"{text[:4]}·{text[4:8]}"


def table_rows(match: Match, names: Any) -> list[Row]:
    """The table of pairs as plain values; made by the worker, because there may be many."""
    return [
        (
            one.own + 1,
            pseudonym_words(names[one.partner].tobytes()) if names is not None else "",
            one.score,
            one.probability,
            one.band,
            one.next_best,
            one.evidence,
        )
        for one in match_rows(match)
    ]


class MatchPane(KeyedPane):
    NAME = "match"
    NEEDS = ("agreement", "partner_path", "table_path")
    GIVES = ("accept", "review", "match")
    WIDE = True

    def build(self) -> None:
        self.head(tr("Where to draw the lines"), "")
        self._turns = Turns(self, lambda: self.desk.project)
        self.pages = Pages()
        self.ready = EmptyState(
            "match",
            tr("Ready to match"),
            tr("Your records are compared with the partner's numbers, on this computer only. Nothing is sent."),
            ((tr("&Match now"), self._match),),
        )
        start = Section()
        start.add(self.ready)
        self.pages.addWidget(start)
        self.found = Later(self._build_found)
        self.pages.addWidget(self.found)
        self.body.addWidget(self.identity)
        self.body.addWidget(self.pages, 1)
        self._looked_for: tuple[str, str] | None = None
        self.again = button(tr("Match again"), self._match)
        self.reset = button(tr("Lines as suggested"), self._suggested)

    def _build_found(self) -> QWidget:
        scores = Section(tr("How alike the best pairs are"), tr("Drag the two lines; the counts follow."))
        self.histogram = ScoreHistogram(height=190)
        self.histogram.lines_set.connect(self._set_lines)
        self.histogram.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)
        least_height(self.histogram, 240)
        scores.add(self.histogram)
        means = Section(tr("What that means"))
        self.meaning = label("", "muted")
        self.curve = PrecisionRecallPlot(height=150)
        self.curve.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)
        least_height(self.curve, 200)
        means.add(self.meaning, self.curve)
        top = columns(scores, means, least=300, shares=(3, 2))
        self.list = Section(tr("Pairs, best first"))
        self.table: DataTable | None = None
        return boxed(column(top, self.list, gap=2))

    # what is shown --------------------------------------------------------------------------------

    def show_state(self) -> None:
        own = self.desk.identity()
        self.identity.setVisible(own is None)
        self.pages.setVisible(own is not None)
        shown = self.desk.findings.shown
        if shown is not None:
            self._show(shown.match, shown.rows)
        elif own is not None and self._looked_for != self._bundles():
            self._reopen()
        else:
            self.pages.setCurrentIndex(0)
            self._ask_memory()
        self.changed.emit()

    def _bundles(self) -> tuple[str, str]:
        choices = self.project.choices
        return choices.agreement, choices.partner_sha256

    def _reopen(self) -> None:
        """A match that was finished before is kept at home, sealed: nothing is compared again."""
        partnership, choices, self._looked_for = self.desk.partnership(), self.project.choices, self._bundles()
        if partnership is None:
            return
        self.pages.setCurrentIndex(0)

        def work(progress: Progress) -> ShownMatch | None:
            found = partnership.kept_match(choices, progress)
            return ShownMatch(found, table_rows(found, partnership.partner_names())) if found is not None else None

        def done(shown: ShownMatch | None) -> None:
            if shown is not None:
                self._keep(shown)
            else:
                self._ask_memory()

        self.run(tr("Opening the finished match"), work, done, key="match.kept")

    def leave(self) -> None:
        self.desk.jobs.cancel_key("match.memory")

    def _ask_memory(self) -> None:
        """How much memory it will take, worked out in the background while the steward reads the page."""
        partnership, choices, own_table = self.desk.partnership(), self.project.choices, self.desk.own_table
        self.ready.say("")
        if partnership is None or self.project.state("partner").state != "done":
            return
        self.run(
            tr("Working out the memory"), lambda progress: partnership.outlook(own_table, choices, progress=progress),
            lambda needed: self.ready.say(tr("It will take at most about {size} of memory.", size=size(needed.bytes))),
            key="match.memory", quiet=True, problem=lambda _problem: None,
        )  # fmt: skip

    def _show(self, match: Match, rows: list[Row]) -> None:
        """In parts, because a click must not wait for all of it; what may be refused comes before them."""
        partnership = self.desk.partnership()
        partner = partnership.partner_name if partnership is not None else ""
        self._turns.run(
            self.changed.emit,
            self.found.widget,
            lambda: self._show_head(match, partner),
            lambda: self.histogram.show_scores(match.scored.score[match.chosen], match.review, match.accept),
            lambda: self._show_meaning(match),
            lambda: self._show_table(match, rows),
        )

    def _show_head(self, match: Match, partner: str) -> None:
        self.pages.setCurrentIndex(1)
        self.sentence.setText(
            tr(
                "{n} of your records against the bundle of {partner}. The counts are of the best pair of each record.",
                n=count(self.project.choices.rows),
                partner=partner,
            )
        )
        self.messages.clear()
        for text in match.warnings:
            self.say("warning", tr_core(text))

    def _show_meaning(self, match: Match) -> None:
        from pprl_desktop.job.matches import expected_curve

        found = expected_curve(match)
        if found is None or found.working is None:
            self.meaning.setText(tr("This method gives no calibrated forecast; review a sample to know more."))
            self.curve.show_curve(Curve((), (), ()))
            return
        recall, precision = found.working
        expected = tr(
            "Expected, not known: about {wrong} accepted pairs are wrong ({range}); about {missed} shared "
            "people are missed.",
            wrong=of_100(1 - precision),
            range=range_of_100(
                1 - match.expected.get("precision_high", precision), 1 - match.expected.get("precision_low", precision)
            ),
            missed=of_100(1 - recall),
        )
        self.meaning.setText(" ".join([expected, *map(tr_core, match.scored.caveats())]))
        self.curve.show_curve(
            Curve(found.recall.tolist(), found.precision.tolist(), found.threshold.tolist(), found.working)
        )

    def _show_table(self, match: Match, rows: list[Row]) -> None:
        fields = match.scored.fields
        if self.table is not None:
            self.table.deleteLater()
        self.list.say(
            tr(
                "Why, from left to right: {fields}. A bar above the line speaks for the pair, below it against.",
                fields=" · ".join(fields),
            )
        )
        self.table = DataTable(
            tr("Pairs, best first"),
            [
                ColumnSpec(tr("Your row"), count, right=True),
                ColumnSpec(tr("Partner's random name"), mono=True),
                ColumnSpec(tr("Score"), lambda v: exact(v, 3), right=True),
                ColumnSpec(tr("Probability"), lambda v: exact(v, 3), right=True),
                ColumnSpec(tr("Band"), lambda band: band_words()[band]),
                ColumnSpec(tr("Next best"), lambda v: exact(v, 3), right=True),
                ColumnSpec(
                    tr("Why, field by field"),
                    lambda weights: evidence_words(fields, weights),
                    tip=lambda weights: evidence_words(fields, weights),
                    delegate=EvidenceDelegate,
                    width=bars_width(len(fields)),
                    least=bars_width(len(fields), LEAST),
                ),
            ],
            filter_line=True,
            rows_high=8,
        )
        self.table.show_rows(rows)
        self.list.add(self.table)

    # what the steward does ------------------------------------------------------------------------

    def _match(self) -> None:
        partnership, choices, own_table = self.desk.partnership(), self.project.choices, self.desk.own_table
        if partnership is None:
            return
        self.messages.clear()
        self.desk.jobs.cancel_key("match.memory")

        def work(progress: Progress) -> ShownMatch:
            made = partnership.match(own_table, choices, progress=progress)
            return ShownMatch(made, table_rows(made, partnership.partner_names()))

        self.run(tr("Matching"), work, self._keep)

    def _keep(self, shown: ShownMatch) -> None:
        self.desk.findings.shown = shown
        self._show(shown.match, shown.rows)

    def _set_lines(self, review: float, accept: float) -> None:
        self.change("Move the lines", accept=accept, review=review)
        self._decide()

    def _suggested(self) -> None:
        self.change("Lines as suggested", accept=None, review=None)
        self._decide()

    def _decide(self) -> None:
        """Bands and assignment again, on the same scores."""
        match, partnership, choices = self.desk.findings.match, self.desk.partnership(), self.project.choices
        if match is None or partnership is None:
            return

        def work(progress: Progress) -> ShownMatch:
            made = partnership.decide(match, choices, progress)
            return ShownMatch(made, table_rows(made, partnership.partner_names()))

        self.run(tr("Drawing the lines"), work, self._keep, key="match.decide", quiet=True)

    # moving on ------------------------------------------------------------------------------------

    def extra_buttons(self) -> list[Any]:
        return [self.reset, self.again] if self.desk.findings.match is not None else []

    def reason(self) -> str:
        return self.key_reason() or ("" if self.desk.findings.match is not None else tr("Match first."))

    def next_text(self) -> str:
        return tr("Next: results")

    def status(self) -> str:
        match = self.desk.findings.match
        if match is None:
            return ""
        accepted = tr_n("{n} pair accepted", "{n} pairs accepted", len(match.accepted()))
        ties = tr_n("{n} tie", "{n} ties", match.ties) if match.ties else ""
        settings = self.project.choices.settings
        how = tr("optimal one-to-one") if settings.one_to_one else tr_core(words(settings.direction))
        return " · ".join(part for part in (accepted, ties, how) if part)

    def go_on(self, done: Callable[[], None]) -> None:
        from pprl_desktop.job.kept import match_artefact

        match, partnership = self.desk.findings.match, self.desk.partnership()
        assert match is not None
        assert partnership is not None
        partnership.keep(match)
        self.desk.confirm("match", {"match": match_artefact(match)})
        done()
