"""The last step: the linked table and the report, in one folder, whole or not at all."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from pprl_desktop import files
from pprl_desktop.job.disclosure import Happened, Rehearsed, report
from pprl_desktop.job.outputs import Linked, not_written, write_linked
from pprl_desktop.job.report import Report, to_html
from pprl_desktop.problem import Problem
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.records.writing import must_be_writable
from pprl_desktop.said import ENGLISH, Language, Said

if TYPE_CHECKING:
    from pprl_desktop.decisions.base import Match
    from pprl_desktop.evaluation.figures import Figures
    from pprl_desktop.exchange.results import Outcome
    from pprl_desktop.job.own_table import OwnTable
    from pprl_desktop.job.partnership import Partnership
    from pprl_desktop.privacy.claims import Statement
    from pprl_desktop.project.choices import Choices


@dataclass(frozen=True)
class Finished:
    linked: Linked
    report: str
    told: Report = field(repr=False)  # the report as it was written
    statement: Statement = field(repr=False)


def so_far(partnership: Partnership, title: str) -> Report:
    """The report of what has happened under an agreement until now, whatever step it is at."""
    from pprl_desktop.privacy.statements import statement

    home, agreement = partnership.home, partnership.agreement
    outcome, kept = None, None
    with contextlib.suppress(Problem):  # not matched yet, or not both results here: the report says so
        kept = partnership.kept()
        outcome = partnership.outcome()
    rows = next((release.table.rows for release in home.ledger().releases() if release.agreement == agreement.id), 0)
    said = statement(partnership.recipe(), rows) if rows else None
    return report(Happened(home, agreement, said, found=kept, outcome=outcome), title)


@dataclass(frozen=True, eq=False)
class Course:
    """How the job went, as far as the report tells it; what did not happen stays empty."""

    title: str
    match: Match | None = None
    matched: Sequence[Said] = ()  # the sentences on the match as they were kept, where it is no longer at hand
    outcome: Outcome | None = None  # None: as both results give it now
    rehearsal: Rehearsed | None = None
    figures: Figures | None = None  # only where the truth is known
    review: Sequence[Said] = ()


def finish(
    partnership: Partnership,
    own_table: OwnTable,
    choices: Choices,
    folder: Path,
    course: Course,
    *,
    identifying: Sequence[str] = (),
    language: Language = ENGLISH,
    progress: Progress = NO_PROGRESS,
) -> Finished:
    """`identifying` columns only where that was permitted separately; the report is written in `language`."""
    from pprl_desktop.privacy.statements import statement

    must_be_writable(f".{choices.output_form}")
    outcome = course.outcome if course.outcome is not None else partnership.outcome()
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        table = own_table.table(choices, progress.part(0.0, 0.6))
        linked = write_linked(
            folder / f"linked.{choices.output_form}", table, outcome, choices.sensitive, identifying,
            partnership.first_ids(own_table, choices),
        )  # fmt: skip
        said = statement(partnership.recipe(), table.rows)
        happened = Happened(
            partnership.home, partnership.agreement, said, course.rehearsal, course.match,
            matched=tuple(course.matched), outcome=outcome, figures=course.figures, review=tuple(course.review),
            table=Said("The linked table of this side holds {held}.", held=linked.held()),
        )  # fmt: skip
        page, told = folder / "report.html", report(happened, course.title)
        files.write_text(page, to_html(told, language))
    except OSError:
        raise not_written() from None
    progress.at(1.0)
    return Finished(linked, str(page), told, said)
