"""tour: every page of the window with the sample project, as pictures."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from pprl_desktop.cli import Answer
from pprl_desktop.progress import Progress


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--out", required=True, metavar="DIR", help="folder for the pictures")
    parser.add_argument("--demo", metavar="DIR", help="use the folder of an earlier 'demo --out DIR'")
    parser.add_argument("--pages", metavar="NAMES", help="only these pages, separated by commas")
    parser.add_argument("--language", default="en", help="en, de, or pseudo: every text 40 %% longer")
    parser.add_argument("--text-size", type=float, default=1.0, metavar="FACTOR", help="1.0 to 2.0")


def run(args: argparse.Namespace, progress: Progress) -> Answer:
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from pprl_desktop.ui import tour

    pages = tuple(args.pages.split(",")) if args.pages else ()
    plan = tour.Plan(Path(args.out), Path(args.demo) if args.demo else None, pages, args.language, args.text_size)
    files = tour.take(plan, progress)
    return Answer(f"{len(files)} pictures in {args.out}.", {"files": [str(path) for path in files]})
