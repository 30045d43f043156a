"""Steps of `review` about its records: privacy-loss report, ledger check, the partner's cells, deletion."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pprl_desktop.cli import BAD_INPUT, Answer
from pprl_desktop.problem import Problem
from pprl_desktop.progress import Progress
from pprl_desktop.verbs import _exchange
from pprl_desktop.verbs import _review_opening as opening


def report(args: argparse.Namespace, progress: Progress) -> Answer:
    from pprl_desktop.review.report import privacy_loss

    if opening.is_share(Path(args.review)):
        with opening.session(args, progress) as (session, _):
            points = {pair: d.point for pair, d in session.decisions.current.items()}
            losses = [privacy_loss(session.review, session.gate, session.ledger.entries, points, session.who)]
            remember = session.ledger.remember_file
            return _written(args, losses, remember)
    with opening.desk(args) as desk:
        return _written(args, list(desk.losses(progress)), desk.ledger.remember_file)


def _written(args: argparse.Namespace, losses: list[Any], remember: Callable[[Path], None]) -> Answer:
    said = "\n\n".join(loss.as_text() for loss in losses) or "Nothing was opened."
    if args.out:
        from pprl_desktop import files

        remember(Path(args.out))
        files.write_bytes(Path(args.out), (said + "\n").encode("utf-8"))
    return Answer(said, {"reviewers": [loss.as_dict() for loss in losses]})


def verify(args: argparse.Namespace, progress: Progress) -> Answer:
    """Without a passphrase the chain of hashes; with it also the seals, which nobody without it can forge."""
    from pprl_desktop.review.desk_files import LEDGER
    from pprl_desktop.review.ledger import verify
    from pprl_desktop.review.share import latest_ledger

    path = Path(args.review)
    ledger = latest_ledger(path) if opening.is_share(path) else path / LEDGER
    if not ledger.exists():
        raise Problem("There is no ledger.", "Nothing was opened or decided yet.", place="ledger")
    found = verify(ledger, _ledger_key(args) if args.sealed else None)
    data = {
        "ok": found.ok, "entries": found.entries, "head": found.head, "sealed": found.sealed, "plan": found.plan,
        "problems": [problem.as_dict() for problem in found.problems],
    }  # fmt: skip
    if not found.ok:
        return Answer("\n".join(str(problem) for problem in found.problems), data, 1)
    how = "hashes and seals" if found.sealed else "hashes"
    return Answer(f"The ledger is whole: {found.entries} entries, {how} fit. Head {found.head}.", data)


def _ledger_key(args: argparse.Namespace) -> bytes:
    from pprl_desktop.review.desk_files import ledger_key
    from pprl_desktop.review.share import open_share

    path, secret = Path(args.review), _exchange.passphrase(args)
    return open_share(path, secret).ledger_key if opening.is_share(path) else ledger_key(path, secret)


def ask(args: argparse.Namespace, progress: Progress) -> Answer:
    asked = _exchange.partnership(args).ask(Path(args.out), progress)
    return Answer(
        f"Send {args.out} to the partner: it asks about {asked.pairs} pairs by pseudonym, "
        f"for the cells of {asked.records} records of theirs.",
        {"file": args.out, "pairs": asked.pairs, "records": asked.records},
    )


def answer(args: argparse.Namespace, progress: Progress) -> Answer:
    """Shows what would leave in clear; sends it only when told to, with the number of records named."""
    partnership = _exchange.partnership(args)
    table, choices = _exchange.own_table(args, partnership, progress.part(0.0, 0.4))
    planned = partnership.would_leave(table, choices, progress.part(0.4, 0.6))
    shown = {
        "records": planned.records, "fresh": planned.fresh, "before": planned.before, "most": planned.most,
        "asked": planned.asked, "withheld": planned.withheld, "fields": {f.name: f.forms for f in planned.fields},
    }  # fmt: skip
    lines = [
        *map(str, planned.sentences()),
        *(f"  {one.name}: {one.filled:,} cells of the form {', '.join(one.forms) or 'none'}" for one in planned.fields),
    ]
    if args.send_in_clear is None:
        blocked = [str(planned.blocked)] if planned.blocked is not None else []
        lines += blocked or [f"Nothing was sent. To send it, add --send-in-clear {planned.records}."]
        return Answer("\n".join(lines), {**shown, "sent": False}, BAD_INPUT)
    if args.send_in_clear != planned.records:
        raise Problem(
            f"Nothing was sent: {planned.records:,} records would leave in clear, not {args.send_in_clear:,}.",
            "The number confirms that you have seen what leaves.",
            "Look at it first: leave --send-in-clear away.",
            place="send-in-clear",
        )
    sent = partnership.answer(table, choices, Path(args.out), planned, progress.part(0.6, 1.0))
    return Answer(
        f"{args.out} holds the identifying cells of {sent.records} records in clear: the partner can read them, "
        "nobody else. The record of releases says so.",
        {**shown, "file": args.out, "sent": True, "resent": sent.resent},
    )


def take_in(args: argparse.Namespace, progress: Progress) -> Answer:
    from pprl_desktop.decisions.base import ACCEPT, REVIEW
    from pprl_desktop.job.partnership import Partnership

    secret = _exchange.passphrase(args)  # one passphrase opens the home folder and the review, as it made them
    here = _exchange.home(args)
    partnership = Partnership(here, here.unlock(secret), args.agreement)
    with opening.desk_of(Path(args.review), secret) as desk:
        if desk.review.own_crowd:
            raise Problem(
                "This review is not one with the partner.", do="Use 'review export' for its result.", place="review"
            )
        found = partnership.take_in(desk.review, desk.outcome(), desk.losses(progress))
    accepted, left = found.count(ACCEPT), found.count(REVIEW)
    text = f"{accepted:,} pairs are accepted now, {left:,} are still open. Write the result again: 'result export'."
    return Answer(text, {"accepted": accepted, "open": left})


def delete(args: argparse.Namespace, progress: Progress) -> Answer:
    if not args.yes:
        raise Problem(
            "Nothing was deleted.",
            "Deleting removes records, decisions, shares and exports of this review, and cannot be undone.",
            "Add --yes to do it.",
            place="yes",
        )
    path = Path(args.review)
    if opening.is_share(path):
        from pprl_desktop.review import share as shares

        shares.open_share(path, _exchange.passphrase(args))
        gone = shares.delete(path)
    else:
        with opening.desk(args) as desk:
            gone = desk.delete()
    return Answer(f"{len(gone)} files were removed.", {"removed": [str(file) for file in gone]})
