"""export: smash the own table under an agreement and write the sealed bundle for the partner."""

from __future__ import annotations

import argparse
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from pprl_desktop.cli import Answer, harmless
from pprl_desktop.progress import Progress
from pprl_desktop.said import as_said
from pprl_desktop.verbs import _exchange

if TYPE_CHECKING:
    from pprl_desktop.exchange.bundles import Plan


def arguments(parser: argparse.ArgumentParser) -> None:
    _exchange.leaving(
        parser, "--adds-up",
        "release it although it adds to what the partner has already; without this the sums are shown and asked",
    )  # fmt: skip


def _asked(plan: Plan, *, agreed: bool) -> Plan:
    """The sums before anything is written, and the steward's word on them."""
    asked = sys.stdin.isatty() and not agreed
    for sentence in plan.outlook.sentences if asked else ():  # otherwise the refusal or the answer says them
        print(harmless(str(sentence)), file=sys.stderr)
    if asked:
        agreed = input("Release it all the same? Type yes: ").strip().lower() == "yes"
    if not agreed:
        problem = plan.question()
        problem.do = as_said("Look at the sums, then give --adds-up if you want it. Nothing was written.")
        raise problem
    return plan.confirm()


def run(args: argparse.Namespace, progress: Progress) -> Answer:
    partnership = _exchange.partnership(args)
    table, choices = _exchange.own_table(args, partnership, progress.part(0.0, 0.2))
    plan = partnership.plan(table, choices)
    if plan.asks:
        plan = _asked(plan, agreed=args.adds_up)
    progress.at(0.2, "Smashing and sealing")
    made = partnership.export(table, choices, Path(args.out), progress.part(0.2, 1.0), seen=plan)
    decoys = f" and {made.decoys:,} decoys" if made.decoys else ""
    lines = [
        f"Bundle {made.sequence} of {made.rows:,} records{decoys} written ({made.bytes:,} bytes), sealed for "
        f"{partnership.partner_name} only.",
        *(["These are the same bytes as before: nothing new is disclosed."] if made.resent else []),
        f"Privacy: {made.statement}",
        *map(str, made.notes),
        "Which record has which pseudonym stays in your home folder.",
    ]
    progress.at(1.0)
    return Answer("\n".join(lines), {**asdict(made), "file": args.out})
