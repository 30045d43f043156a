"""Opening a review for a step: the manager's folder or a reviewer's share, and work on either."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from pprl_desktop.problem import Problem
from pprl_desktop.progress import Progress
from pprl_desktop.verbs import _exchange

if TYPE_CHECKING:
    from pprl_desktop.review.desk import Desk
    from pprl_desktop.review.session import ReviewSession
    from pprl_desktop.review.share import Share


def is_share(path: Path) -> bool:
    from pprl_desktop.review.share import SUFFIX

    return path.is_file() or path.suffix == SUFFIX


@contextmanager
def desk(args: argparse.Namespace) -> Iterator[Desk]:
    _must_be_a_folder(Path(args.review))
    with desk_of(Path(args.review), _exchange.passphrase(args)) as found:
        yield found


@contextmanager
def desk_of(path: Path, passphrase: str) -> Iterator[Desk]:
    from pprl_desktop.review.desk import Desk

    _must_be_a_folder(path)
    with Desk.open(path, passphrase) as found:
        yield found


def _must_be_a_folder(path: Path) -> None:
    if is_share(path):
        raise Problem(
            "That is a reviewer's share.", "This step is the manager's.", "Give the review's folder.", place="review"
        )


@contextmanager
def session(args: argparse.Namespace, progress: Progress) -> Iterator[tuple[ReviewSession, Share | None]]:
    """At work: a reviewer on a share, or the manager on the own review."""
    from pprl_desktop.review import share as shares

    path = Path(args.review)
    if not is_share(path):
        with desk(args) as opened:
            yield _ordered(opened.session(progress), args), None
        return
    share = shares.open_share(path, _exchange.passphrase(args))
    session = shares.start(path, share, progress=progress)
    try:
        yield _ordered(session, args), share
    finally:
        session.ledger.close()


def _ordered(session: ReviewSession, args: argparse.Namespace) -> ReviewSession:
    if getattr(args, "order", None):
        session.set_order(args.order, args.order_field)
    return session
