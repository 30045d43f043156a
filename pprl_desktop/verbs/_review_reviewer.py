"""Steps of `review` at work on pairs: look, open, decide, hand back."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pprl_desktop.cli import Answer
from pprl_desktop.problem import Problem
from pprl_desktop.progress import Progress
from pprl_desktop.verbs import _exchange
from pprl_desktop.verbs import _review_manager as manager
from pprl_desktop.verbs import _review_opening as opening
from pprl_desktop.verbs import _review_text as text

if TYPE_CHECKING:
    pass

NEW_VARIABLE = "PPRL_NEW_PASSPHRASE"
DISCLOSED = "What was opened stays counted."


def next(args: argparse.Namespace, progress: Progress) -> Answer:
    with opening.session(args, progress) as (session, _):
        if session.current is None:
            advance = session.advance()
            return Answer("All pairs are decided.", {"pair": None, "advance": text.advance_data(advance)})
        view = session.view()
        return Answer(text.pair_text(view), text.pair_data(view))


def show(args: argparse.Namespace, progress: Progress) -> Answer:
    with opening.session(args, progress) as (session, _):
        view = session.go(args.pair)
        return Answer(text.pair_text(view), text.pair_data(view))


def reveal(args: argparse.Namespace, progress: Progress) -> Answer:
    from pprl_desktop.review.marks import Level

    with opening.session(args, progress) as (session, _):
        level = Level[args.level.upper()] if args.level else None
        done = session.reveal(args.field, args.pair, level)
        view = session.view(done.cell.pair)
        paid = f"Opened {args.field} ({done.cell.level.word}) for {text.percent(done.cost)}. {DISCLOSED}"
        data = {"cost": str(done.cost), "cell": text.cell_data(done.cell), **text.pair_data(view)}
        return Answer(f"{paid}\n\n{text.pair_text(view)}", data)


def decide(args: argparse.Namespace, progress: Progress) -> Answer:
    with opening.session(args, progress) as (session, _):
        done = session.decide(args.point, args.note, args.pair)
        return _decided(done)


def _decided(done: Any) -> Answer:
    now = "undecided" if done.step.now is None else done.step.now.words
    data = {
        "pair": done.step.pair, "point": None if done.step.now is None else done.step.now.point,
        "next": done.current, "advance": text.advance_data(done.advance),
    }  # fmt: skip
    return Answer(f"Pair {done.step.pair}: {now}. {text.advance_text(done.advance)}", data)


def note(args: argparse.Namespace, progress: Progress) -> Answer:
    with opening.session(args, progress) as (session, _):
        session.annotate(args.text, args.pair)
        return Answer("The note is kept, sealed.", {"pair": args.pair or session.current})


def undo(args: argparse.Namespace, progress: Progress) -> Answer:
    with opening.session(args, progress) as (session, _):
        answer = _decided(session.undo())
        return Answer(f"{answer.text} {DISCLOSED}", answer.data)


def redo(args: argparse.Namespace, progress: Progress) -> Answer:
    with opening.session(args, progress) as (session, _):
        return _decided(session.redo())


def status(args: argparse.Namespace, progress: Progress) -> Answer:
    if not opening.is_share(Path(args.review)):
        return manager.desk_status(args, progress)
    with opening.session(args, progress) as (session, _):
        advance, meter = session.advance(), session.gate.meter()
        data = {
            "reviewer": session.who, "advance": text.advance_data(advance), "meter": text.meter_data(meter),
            "next": session.current, "upcoming": list(session.upcoming()),
            "latest": [{"pair": d.pair, "point": d.point} for d in session.decisions.latest(10)],
        }  # fmt: skip
        spent = f"Charged {text.percent(meter.charged)} of {text.percent(meter.limit)}, KAPR {text.percent(meter.risk)}"
        return Answer(
            f"{text.advance_text(advance)}\n{spent}, characters opened {text.percent(meter.characters)}.", data
        )


def hand_back(args: argparse.Namespace, progress: Progress) -> Answer:
    from pprl_desktop.review.share import return_decisions

    with opening.session(args, progress) as (session, share):
        if share is None:
            raise Problem("The manager's own decisions are here already.", do="Give a .share file.", place="review")
        return_decisions(session, share, Path(args.out))
        advance = session.advance()
        left = f" {advance.to_go} pairs are still undecided." if advance.to_go else ""
        return Answer(
            f"Send {args.out} to the manager. Only the manager can open it.{left}",
            {"file": args.out, "advance": text.advance_data(advance)},
        )


def passphrase(args: argparse.Namespace, progress: Progress) -> Answer:
    from pprl_desktop.review.share import change_passphrase

    old = _exchange.passphrase(args)
    if NEW_VARIABLE in os.environ:
        new = os.environ[NEW_VARIABLE]
    elif sys.stdin.isatty():
        import getpass

        new = getpass.getpass("New passphrase: ")
        if getpass.getpass("New passphrase again: ") != new:
            raise Problem("The two passphrases differ.", do="Try again.", place="passphrase")
    else:
        raise Problem("The new passphrase is missing.", do=f"Put it into {NEW_VARIABLE}.", place="passphrase")
    change_passphrase(Path(args.review), old, new)
    return Answer("The share now opens with your own passphrase only.", {"changed": True})
