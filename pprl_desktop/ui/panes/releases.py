"""Releases so far: the ledger of everything that left this computer, what it adds up to, and whether it is whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QStackedWidget

from pprl_desktop.codes.base import method
from pprl_desktop.exchange.disclosures import CLEAR
from pprl_desktop.job.disclosure import repeated
from pprl_desktop.privacy.claims import UNITS
from pprl_desktop.problem import Failure, Problem
from pprl_desktop.progress import Progress
from pprl_desktop.ui.kit.i18n import tr, tr_core, tr_n
from pprl_desktop.ui.kit.words import count, moment_of, recently
from pprl_desktop.ui.panes.base import Pane
from pprl_desktop.ui.widgets.basics import Section, boxed, button, column, label, row
from pprl_desktop.ui.widgets.empty import EmptyState
from pprl_desktop.ui.widgets.table import DataTable
from pprl_desktop.ui.widgets.table_model import ColumnSpec

if TYPE_CHECKING:
    from pprl_desktop.exchange.blind import History
    from pprl_desktop.exchange.disclosures import Disclosure
    from pprl_desktop.exchange.release_chain import Verification
    from pprl_desktop.exchange.release_repair import Repaired
    from pprl_desktop.exchange.releases import Release

MOST_ROWS = 10  # that are seen at once: below a few there is no empty table


class ReleasesPane(Pane):
    NAME = "releases"
    NEEDS = ("home",)
    GIVES = ("nothing: it only shows",)
    MESSAGES = {"whole": "The ledger is whole.", "broken": "The ledger was changed from outside."}  # noqa: RUF012

    def build(self) -> None:
        self.head(
            tr("What has left this computer"),
            tr("Everything that leaves is written down before its file is made. What goes to one partner adds up."),
        )
        self.table = DataTable(
            tr("Releases"),
            [
                ColumnSpec(tr("No."), count, right=True, width=52),
                ColumnSpec(tr("When"), lambda made: recently(moment_of(str(made)).timestamp()), tip=str),
                ColumnSpec(tr("Partner")),
                ColumnSpec(tr("Rows"), count, right=True),
                ColumnSpec(tr("Method and noise")),
                ColumnSpec(tr("Per record"), right=True),
                ColumnSpec(tr("Table"), mono=True),
            ],
            filter_line=True,
            fit=MOST_ROWS,
        )
        self.card = Section()
        self.card.setAccessibleName(tr("Releases"))
        check = button(tr("Verif&y the ledger"), self._verify, icon="shield")
        self.sums = label("", "small")  # guesses of several runs, codes of the last delivery under each agreement
        self.card.add(self.table, self.sums, row(None, check), None)
        self.empty = Section()
        self.empty.add(
            EmptyState(
                "ledger",
                tr("Nothing has left yet"),
                tr(
                    "When you create a bundle or answer a partner, it is listed here: "
                    "when, for whom, with how much noise."
                ),
            ),
            None,
        )
        self.stack = QStackedWidget()
        self.stack.addWidget(self.empty)
        self.stack.addWidget(self.card)
        self.body.addWidget(boxed(column(self.stack)), 1)

    def enter(self) -> None:
        from pprl_desktop.job.blind import answers_given

        self.messages.clear()
        home = self.desk.home
        releases: tuple[Release, ...] = ()
        beside: tuple[Disclosure, ...] = ()
        given: tuple[tuple[str, History], ...] = ()
        try:
            if home.ledger_path.exists() or home.noted().anything:
                ledger = home.ledger()
                releases, beside, given = ledger.releases(), ledger.disclosures(), answers_given(ledger)
                if (problem := ledger.verify().problem) is not None:
                    self._not_whole(problem)
        except Problem as problem:
            self._not_whole(problem)
        names = {one.card.party.sign: one.name for one in home.contacts()} if home.exists else {}
        rows = [_row(release, names) for release in releases] + [_beside(one, names) for one in beside]
        sums = [tr_core(one.said(names.get(partner, partner[:12]))) for partner, one in given]
        sums += [tr_core(said) for said in {one.agreement: said for one, said in repeated(releases)}.values()]
        self.sums.setText("\n".join(sums))
        self.sums.setVisible(bool(sums))
        self.table.show_rows(sorted(rows, key=lambda one: int(str(one[0]))))
        self.stack.setCurrentIndex(1 if rows else 0)

    def _verify(self) -> None:
        home = self.desk.home
        self.messages.clear()

        def work(_progress: Progress) -> Verification:
            return home.ledger().verify()

        def done(found: Verification) -> None:
            if found.problem is not None:
                self._not_whole(found.problem)
            else:
                self.say(
                    "good",
                    tr("The ledger is whole."),
                    tr_n(
                        "{n} entry, each sealed to the one before.",
                        "{n} entries, each sealed to the one before.",
                        found.events,
                    ),
                )

        self.run(tr("Verifying the ledger"), work, done, problem=self._not_whole)

    def _not_whole(self, problem: Problem) -> None:
        failed = isinstance(problem, Failure)  # the computer refused: there is nothing to repair
        self.show_problem(problem, None if failed else (tr("&Repair the record"), self._repair))

    def _repair(self) -> None:
        """From what the agreements know; a copy put back from a backup would be an older one again."""
        own, home = self.desk.identity(), self.desk.home
        self.messages.clear()
        if own is None:
            self.say("warning", tr("Unlock your key first."), tr("The record's key is sealed to it."))
            return

        def work(_progress: Progress) -> Repaired:
            from pprl_desktop.exchange.release_repair import repair

            return repair(home, own)

        def done(made: Repaired) -> None:
            self.enter()
            first, *rest = (tr_core(one) for one in made.sentences())
            self.say("warning", first, " ".join(rest))

        self.run(tr("Repairing the record of releases"), work, done)


def _row(release: Release, names: dict[str, str]) -> tuple[object, ...]:
    partner = names.get(release.partner, release.partner[:12])
    noise = tr("no noise") if not release.epsilon else f"ε {release.epsilon} {tr_core(UNITS[release.unit])}"
    return (
        release.number,
        release.time,
        partner if not release.sent else tr("{partner}, sent again {n}×", partner=partner, n=count(release.sent)),
        release.table.rows,
        tr("{method}, {noise}", method=tr_core(method(release.method).title), noise=noise),
        release.record_epsilon or tr("no limit"),
        release.table.digest[:8],
    )


def _beside(one: Disclosure, names: dict[str, str]) -> tuple[object, ...]:
    """A result, a request, or cells in clear: no epsilon belongs to it."""
    partner = names.get(one.partner, one.partner[:12])
    return (
        one.number,
        one.time,
        partner if not one.sent else tr("{partner}, sent again {n}×", partner=partner, n=count(one.sent)),
        one.records,
        tr("received: {what}", what=_what(one)) if one.received else _what(one),
        tr("in clear") if one.what == CLEAR else "",
        "",
    )


def _what(one: Disclosure) -> str:
    if one.what == CLEAR:
        return tr("cells in clear: {names}", names=", ".join(one.fields))
    special = {
        "result": tr("result, pairs by random names"),
        "request for cells": tr("request for cells, by random names"),
        "question": tr("blind question"),
        "answer": tr("answer to a blind question, {n} guesses", n=count(one.guesses)),
        "CLKs": tr("CLKs of {names}, not sealed", names=", ".join(one.fields)),
        "tokens": tr("tokens of {names}, not sealed", names=", ".join(one.fields)),
        "group links": tr("links for a group, by random names"),
        "groups": tr("groups, by random names"),
    }
    return special[one.what]
