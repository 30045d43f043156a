"""report: everything agreed, released and disclosed under an agreement, as one page without a value of any record."""

from __future__ import annotations

import argparse
import contextlib
from pathlib import Path

from pprl_desktop import files
from pprl_desktop.cli import Answer
from pprl_desktop.problem import Problem
from pprl_desktop.progress import Progress
from pprl_desktop.verbs import _exchange


def arguments(parser: argparse.ArgumentParser) -> None:
    _exchange.common(parser)
    _exchange.agreement_option(parser)
    parser.add_argument("--out", metavar="FILE.html", help="where the page goes (default: print it as text)")


def run(args: argparse.Namespace, progress: Progress) -> Answer:
    from pprl_desktop.job.disclosure import Happened, report
    from pprl_desktop.job.report import to_html, to_text
    from pprl_desktop.privacy.statements import statement

    partnership = _exchange.partnership(args)
    home, own, agreement = partnership.home, partnership.identity, partnership.agreement
    recipe = partnership.recipe()
    outcome, found = None, None
    with contextlib.suppress(Problem):  # not matched yet, or not both results here: the report says so
        found = partnership.kept()
        outcome = partnership.outcome()
    rows = next((release.table.rows for release in home.ledger().releases() if release.agreement == agreement.id), 0)
    happened = Happened(home, agreement, statement(recipe, rows) if rows else None, found=found, outcome=outcome)
    made = report(happened, f"What was disclosed: {own.name}")
    progress.at(1.0)
    if not args.out:
        return Answer(to_text(made), made.as_dict())
    files.write_text(Path(args.out), to_html(made))
    return Answer(f"The report is in {args.out}.", {**made.as_dict(), "file": args.out})
