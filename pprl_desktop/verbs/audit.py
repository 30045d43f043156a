"""audit: whether every key of a question came from a record of a table (method blind)."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path

from pprl_desktop.cli import Answer
from pprl_desktop.progress import Progress
from pprl_desktop.verbs import _exchange, _options


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("question", metavar="QUESTION", help="the sealed question as it was sent")
    parser.add_argument("--table", required=True, metavar="TABLE.csv", help="the table it is said to be about")
    parser.add_argument("--columns", metavar="FIELD=COLUMN,...", help="own columns where they are named differently")
    _options.reading_options(parser)
    _exchange.agreement_option(parser)
    _exchange.common(parser)
    parser.set_defaults(json=False)


def run(args: argparse.Namespace, progress: Progress) -> Answer:
    partnership = _exchange.partnership(args)
    table, choices = _exchange.own_table(args, partnership, progress.part(0.0, 0.1))
    made = partnership.audit(Path(args.question), table, choices, progress.part(0.1, 1.0))
    lines = [*map(str, made.sentences()), f"SHA-256 of the question, as entered in the ledger: {made.sha256}"]
    return Answer("\n".join(lines), asdict(made), code=int(bool(made.unexplained) or made.answered is False))
