"""report: everything agreed, released and disclosed under an agreement, as one page without a value of any record."""

from __future__ import annotations

import argparse
from pathlib import Path

from pprl_desktop import files
from pprl_desktop.cli import Answer
from pprl_desktop.progress import Progress
from pprl_desktop.verbs import _exchange


def arguments(parser: argparse.ArgumentParser) -> None:
    _exchange.common(parser)
    _exchange.agreement_option(parser)
    parser.add_argument("--out", metavar="FILE.html", help="where the page goes (default: print it as text)")


def run(args: argparse.Namespace, progress: Progress) -> Answer:
    from pprl_desktop.job.finishing import so_far
    from pprl_desktop.job.report import to_html, to_text

    partnership = _exchange.partnership(args)
    made = so_far(partnership, f"What was disclosed: {partnership.identity.name}")
    progress.at(1.0)
    if not args.out:
        return Answer(to_text(made), made.as_dict())
    files.write_text(Path(args.out), to_html(made))
    return Answer(f"The report is in {args.out}.", {**made.as_dict(), "file": args.out})
