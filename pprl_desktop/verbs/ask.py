"""ask: write the sealed question of the method blind."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path

from pprl_desktop.cli import Answer
from pprl_desktop.progress import Progress
from pprl_desktop.verbs import _exchange


def arguments(parser: argparse.ArgumentParser) -> None:
    _exchange.leaving(
        parser, "--keep-seed",
        "keep the seed of the blinds, sealed, for an auditor (default: destroyed with the result)",
    )  # fmt: skip


def run(args: argparse.Namespace, progress: Progress) -> Answer:
    partnership = _exchange.partnership(args)
    table, choices = _exchange.own_table(args, partnership, progress.part(0.0, 0.1))
    made = partnership.send_question(
        table, choices, Path(args.out), keep_seed=args.keep_seed, progress=progress.part(0.1, 1.0)
    )
    lines = [
        f"Question of {made.points:,} points about {made.records:,} records written ({made.bytes:,} bytes), sealed for "
        f"{partnership.partner_name} only.",
        *(["These are the same bytes as before: nothing new is asked."] if made.resent else []),
        "Every point is multiplied by a random number of its own: nobody can test a guess on it.",
        "The seed of these numbers stays in your home folder, sealed, "
        + ("for an auditor." if made.seed_kept else "and is destroyed with the result."),
        *([f"{made.left_out:,} keys or values were more than agreed and are not asked."] if made.left_out else []),
    ]
    progress.at(1.0)
    return Answer("\n".join(lines), {**asdict(made), "file": args.out})
