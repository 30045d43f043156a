"""demo: the whole two-party job on the built-in sample; then, with a screen, the window on that project."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pprl_desktop.cli import Answer
from pprl_desktop.progress import Progress

if TYPE_CHECKING:
    from pprl_desktop.job.demo import Summary

DEFAULT_OUT = "pprl-demo"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--out", default=DEFAULT_OUT, metavar="DIR", help=f"folder to write to (default: {DEFAULT_OUT})"
    )
    parser.add_argument("--headless", action="store_true", help="do not open the window afterwards")


def run(args: argparse.Namespace, progress: Progress) -> Answer:
    from pprl_desktop.job.demo import run_demo

    summary = run_demo(Path(args.out), progress)
    if args.json or args.headless:
        return Answer(_text(summary, ""), summary.as_dict())
    if not screen():
        return Answer(_text(summary, "There is no screen here, so the window stays closed."), summary.as_dict())
    print(_text(summary, "The window opens on the first hospital's project."), flush=True)
    from pprl_desktop.ui import app

    code = app.run([summary.project])
    return Answer("", summary.as_dict(), code)


def screen() -> bool:
    """Whether a window can be shown: always on Windows and macOS, with a display elsewhere."""
    if os.environ.get("QT_QPA_PLATFORM") in ("offscreen", "minimal"):
        return False
    if sys.platform in ("win32", "darwin"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _text(summary: Summary, end: str) -> str:
    from pprl_desktop.job.demo import PASSPHRASE

    figures, counts = summary.figures, summary.counts
    both = summary.rows
    lines = [
        "Two hospitals that do not exist have just linked their records, each with its own key and folder,",
        "exchanging nothing but sealed files:",
        "",
        f"  1. Keys and cards    compared by telephone: {' '.join(summary.safety_words.split()[:4])} …",
        f"  2. Agreement         method {summary.method}; fields {', '.join(summary.fields)}",
        f"  3. Bundles           {both[0]:,} and {both[1]:,} records as smashed data, "
        f"{summary.bundle_bytes[0] / 1e6:.1f} and {summary.bundle_bytes[1] / 1e6:.1f} MB, encrypted and signed",
        f"  4. Matching          {summary.accepted[0]:,} and {summary.accepted[1]:,} pairs accepted, "
        f"{summary.to_review[0]:,} and {summary.to_review[1]:,} uncertain",
        f"  5. Results           {counts['linked']:,} pairs linked: both sides agreed on {counts['both']:,}",
        "",
        f"The sample knows the truth: of {figures.true_pairs:,} shared people {figures.correct_pairs:,} were found "
        f"(recall {figures.recall:.1%}), and {figures.predicted_pairs - figures.correct_pairs:,} of "
        f"{figures.predicted_pairs:,} links are wrong (precision {figures.precision:.1%}).",
        f"Privacy: {summary.statement}",
        f"Rehearsed before anything left: {summary.rehearsal} The window shows what noise would change.",
        "",
        f"Everything is in {summary.folder}: the post between the two, a linked table and a report for each.",
        f"The passphrase of both sample keys is: {PASSPHRASE}",
    ]
    return "\n".join([*lines, *(["", end] if end else [])])
