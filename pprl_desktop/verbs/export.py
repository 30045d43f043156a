"""export: smash the own table under an agreement and write the sealed bundle for the partner."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path

from pprl_desktop.cli import Answer
from pprl_desktop.progress import Progress
from pprl_desktop.verbs import _exchange


def arguments(parser: argparse.ArgumentParser) -> None:
    _exchange.table_options(parser)
    _exchange.agreement_option(parser)
    _exchange.sealing(parser)
    _exchange.common(parser)
    parser.set_defaults(json=False)


def run(args: argparse.Namespace, progress: Progress) -> Answer:
    partnership = _exchange.partnership(args)
    table, choices = _exchange.own_table(args, partnership, progress.part(0.0, 0.2))
    progress.at(0.2, "Smashing and sealing")
    made = partnership.export(table, choices, Path(args.out), progress.part(0.2, 1.0))
    decoys = f" and {made.decoys:,} decoys" if made.decoys else ""
    lines = [
        f"Bundle {made.sequence} of {made.rows:,} records{decoys} written ({made.bytes:,} bytes), sealed for "
        f"{partnership.partner_name} only.",
        *(["These are the same bytes as before: nothing new is disclosed."] if made.resent else []),
        f"Privacy: {made.statement}",
        *made.notes,
        "Which record has which pseudonym stays in your home folder.",
    ]
    progress.at(1.0)
    return Answer("\n".join(lines), {**asdict(made), "file": args.out})
