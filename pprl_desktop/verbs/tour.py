"""tour: every page of the window with the sample project, in every state, as pictures."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from pprl_desktop.cli import Answer
from pprl_desktop.problem import Problem
from pprl_desktop.progress import Progress


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--out", required=True, metavar="DIR", help="folder for the pictures")
    parser.add_argument("--demo", metavar="DIR", help="use the folder of an earlier 'demo --out DIR'")
    parser.add_argument("--pages", metavar="NAMES", help="only these pages, separated by commas")
    parser.add_argument("--language", default="en", help="en, de, or pseudo: every text 40 %% longer")
    parser.add_argument("--size", metavar="WxH", help="only one window size, such as 1024x700")
    parser.add_argument("--palette", choices=("light", "dark"), help="only one of them")
    parser.add_argument("--text-size", type=float, default=1.0, metavar="FACTOR", help="1.0 to 2.0")


def run(args: argparse.Namespace, progress: Progress) -> Answer:
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from pprl_desktop.ui import tour

    pages = tuple(args.pages.split(",")) if args.pages else ()
    plan = tour.Plan(
        Path(args.out), Path(args.demo) if args.demo else None, pages, args.language, args.text_size,
        (_size(args.size),) if args.size else tour.SIZES, (args.palette,) if args.palette else tour.THEMES,
    )  # fmt: skip
    files = tour.take(plan, progress)
    return Answer(f"{len(files)} pictures in {args.out}.", {"files": [str(path) for path in files]})


def _size(text: str) -> tuple[int, int]:
    wide, _, high = text.partition("x")
    if not (wide.isdigit() and high.isdigit() and 640 <= int(wide) <= 8000 and 400 <= int(high) <= 8000):
        raise Problem("A window size is written like 1024x700.", do="Give another one with --size.", place="size")
    return int(wide), int(high)
