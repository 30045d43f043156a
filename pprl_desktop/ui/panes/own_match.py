"""Matches of own files: the same page, without key and partner."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pprl_desktop.job.matches import judged
from pprl_desktop.problem import Problem
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.ui.kit.i18n import tr, tr_n
from pprl_desktop.ui.panes.match import Linkage, MatchPane

if TYPE_CHECKING:
    from pprl_desktop.decisions.base import Match
    from pprl_desktop.job.matches import Judged
    from pprl_desktop.job.own_files import OwnFiles
    from pprl_desktop.job.own_table import OwnTable
    from pprl_desktop.project.choices import Choices


class _Own:
    """The job of own files as the page asks for it."""

    def __init__(self, files: OwnFiles, choices: Choices) -> None:
        self._files, self._choices = files, choices

    def match(self, own: OwnTable, choices: Choices, *, progress: Progress = NO_PROGRESS) -> Match:
        return self._files.match(choices, progress)

    def decide(self, match: Match, choices: Choices, progress: Progress = NO_PROGRESS) -> Match:
        return self._files.decide(match, choices, progress)

    def kept_match(self, choices: Choices, progress: Progress = NO_PROGRESS) -> Match | None:
        return self._files.kept_match(choices, progress)

    def partner_names(self) -> Any:
        """The records of the second file have no random names: they are called by their own numbers."""
        try:
            return self._files.other_numbers(self._choices)
        except Problem:
            return None


class OwnMatchPane(MatchPane):
    HELP = "own_files"

    def _ready_words(self) -> tuple[str, str]:
        if self.project.choices.kind == "one file":
            return tr("Ready to match"), tr("Every record is compared with every other one of the table.")
        return tr("Ready to match"), tr("The records of both tables are compared, pair by pair.")

    def _working_words(self) -> str:
        one = self.project.choices.kind == "one file"
        return tr("Comparing the records …") if one else super()._working_words()

    def linkage(self) -> Linkage | None:
        return _Own(self.desk.own_files, self.project.choices)

    def unlocked(self) -> bool:
        return True

    def key_reason(self) -> str:
        return ""

    def _row_heads(self) -> tuple[str, str]:
        return (tr("Row"), tr("and row")) if self.project.choices.kind == "one file" else (tr("in A"), tr("in B"))

    def _bundles(self) -> tuple[str, str]:
        return self.desk.own_files.about(self.project.choices), ""

    def show_state(self) -> None:
        if self._looked_for != self._bundles():  # other files or fields than the match that was shown
            self.desk.findings.shown = None
        super().show_state()

    def _ask_memory(self) -> None:
        self.ready.say("")

    def _say_reviewed(self, match: Match) -> None:
        decided = len(self.desk.own_files.decisions(self.project.choices))
        if decided:
            self.say("info", tr_n("{n} pair was decided in a review; that decision holds.",
                                  "{n} pairs were decided in a review; those decisions hold.", decided))  # fmt: skip

    def _show_head(self, match: Match, told: Judged) -> None:
        super()._show_head(match, told)
        if not len(match.accepted()) and not len(match.to_review()) and self.project.choices.kind == "one file":
            self.head(tr("Nobody seems to be held twice"), tr("Every record of the table is another person."))

    def next_text(self) -> str:
        match = self.desk.findings.match
        if match is not None and not judged(match).reliable:
            return tr("Go on anyway")
        return tr("Next: review")

    def go_on(self, done: Callable[[], None]) -> None:
        from pprl_desktop.job.kept import match_artefact

        match = self.desk.findings.match
        assert match is not None
        self.desk.findings.own_outcome = None
        self.desk.confirm("match", {"match": match_artefact(match)})
        done()
