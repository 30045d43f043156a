"""Steps of `review` that are the manager's: make, hand out, take back, settle, export."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pprl_desktop.cli import Answer
from pprl_desktop.problem import Problem
from pprl_desktop.progress import Progress
from pprl_desktop.verbs import _exchange, _review_create
from pprl_desktop.verbs import _review_opening as opening
from pprl_desktop.verbs import _review_text as text

if TYPE_CHECKING:
    from pprl_desktop.review.desk import Desk

REVIEWER_VARIABLE = "PPRL_REVIEWER_PASSPHRASE"


def create(args: argparse.Namespace, progress: Progress) -> Answer:
    from pprl_desktop.review.desk import Desk

    secret = _exchange.passphrase(args, new=True)
    review = _review_create.make(args, secret, progress)
    with Desk.create(Path(args.review), review, secret, identifying=args.permit_identifying):
        data = {
            "review": review.id, "pairs": len(review.pairs), "records": len(review.people),
            "policy": review.policy.as_dict(),
        }  # fmt: skip
    return Answer(
        f"A review of {len(review.pairs)} pairs over {len(review.people):,} records was made.\n"
        "Work on it with 'review next', or hand out shares with 'review assign'.",
        data,
    )


def assign(args: argparse.Namespace, progress: Progress) -> Answer:
    with opening.desk(args) as desk:
        secrets = _reviewer_passphrases(args)
        out = Path(args.out) if args.out else None
        written = desk.assign(secrets, args.overlap, out, whole_crowd=args.crowd == "all", tranche=args.tranche)
        return _handed_out(desk, written)


def third(args: argparse.Namespace, progress: Progress) -> Answer:
    with opening.desk(args) as desk:
        (name, secret), *_ = _reviewer_passphrases(args).items()
        return _handed_out(desk, desk.third_opinion(name, secret, Path(args.out) if args.out else None))


def _handed_out(desk: Desk, written: Mapping[str, Path]) -> Answer:
    sizes = {name: count for name, (count, _) in desk.shares().items() if name in written}
    held = {name: desk.handed_out(name) for name in written}
    lines = [
        f"{name}: {held[name][0]} of {sizes[name]} pairs in {path}; whoever holds the file can open every cell of "
        f"{held[name][1]:,} records."
        for name, path in written.items()
    ]
    lines.append("Give each reviewer the file, and the passphrase by another way.")
    if any(left for _, _, left in held.values()):
        lines.append("The other pairs follow when the decisions come back: 'review merge' writes the next ones.")
    data = {n: {"file": str(p), "pairs": sizes[n], "held_pairs": held[n][0], "held_records": held[n][1]}
            for n, p in written.items()}  # fmt: skip
    return Answer("\n".join(lines), {"shares": data})


def _reviewer_passphrases(args: argparse.Namespace) -> dict[str, str]:
    """One for each reviewer: lines of a variable, or a prompt."""
    if REVIEWER_VARIABLE in os.environ:
        lines = os.environ[REVIEWER_VARIABLE].splitlines()
        if len(lines) != len(args.reviewer):
            raise Problem(
                f"{len(lines)} passphrases were given for {len(args.reviewer)} reviewers.",
                do=f"Put one line for each into {REVIEWER_VARIABLE}.",
                place="passphrase",
            )
        return dict(zip(args.reviewer, lines, strict=True))
    if not sys.stdin.isatty():
        raise Problem(
            "Each reviewer's share needs a passphrase.",
            "There is no terminal to ask for it.",
            f"Put one line for each reviewer into {REVIEWER_VARIABLE}.",
            place="passphrase",
        )
    import getpass

    return {name: getpass.getpass(f"First passphrase of {name}: ") for name in args.reviewer}


def merge(args: argparse.Namespace, progress: Progress) -> Answer:
    with opening.desk(args) as desk:
        losses = [desk.merge(Path(file), progress) for file in args.files]
        conflicts = desk.conflicts()
        lines = [
            f"{loss.reviewer}: {loss.decided} decisions, KAPR {loss.risk_percent:.3f} % by the returned ledger; "
            f"at most every cell of {loss.held_pairs:,} pairs ({loss.held_records:,} records)."
            for loss in losses
        ]
        following: dict[str, str] = {}
        for loss in losses:
            with contextlib.suppress(Problem):  # not all decided yet: the next ones wait
                path = desk.next_tranche(loss.reviewer, Path(args.out) if args.out else None)
                if path is not None:
                    following[loss.reviewer] = str(path)
        lines += [
            f"The next pairs for {name}: {path}. Send it; it belongs beside the share."
            for name, path in following.items()
        ]
        lines.append(f"{len(conflicts)} conflicts.")
        return Answer(
            "\n".join(lines),
            {
                "merged": [loss.as_dict() for loss in losses], "conflicts": [c.pair for c in conflicts],
                "next": following,
            },
        )  # fmt: skip


def conflicts(args: argparse.Namespace, progress: Progress) -> Answer:
    from pprl_desktop.review.decisions import POINTS

    with opening.desk(args) as desk:
        lines, data = [], []
        for conflict in desk.conflicts():
            lines.append(f"Pair {conflict.pair}")
            lines += [
                f"  {vote.reviewer}: {POINTS[vote.point]}" + (f" ({vote.note})" if vote.note else "")
                for vote in conflict.votes
            ]
            cells = desk.look_at(conflict.pair, progress) if args.show else ()
            if cells:
                lines += [f"  {line}" for line in text.table(cells, [None] * len(cells))]
            data.append(
                {
                    "pair": conflict.pair,
                    "votes": [vars(vote) for vote in conflict.votes],
                    "opened": [level.word for level in conflict.opened],
                    "cells": [text.cell_data(cell) for cell in cells],
                }
            )
        return Answer("\n".join(lines) or "There are no conflicts.", {"conflicts": data, "agreement": _agreement(desk)})


def _agreement(desk: Desk) -> list[dict[str, Any]]:
    """Cohen's kappa of every two voters over the pairs both decided."""
    from itertools import combinations

    from pprl_desktop.review.estimates import cohens_kappa

    votes = desk.votes()
    names = sorted({vote.reviewer for each in votes.values() for vote in each})
    found = []
    for first, second in combinations(names, 2):
        both = [
            (a.same, b.same)
            for each in votes.values()
            for a in each
            for b in each
            if a.reviewer == first and b.reviewer == second
        ]
        if both:
            made = cohens_kappa([a for a, _ in both], [b for _, b in both])
            found.append({"reviewers": [first, second], **vars(made), "words": made.words})
    return found


def resolve(args: argparse.Namespace, progress: Progress) -> Answer:
    with opening.desk(args) as desk:
        desk.resolve(args.pair, args.point)
        left = len(desk.conflicts())
        return Answer(f"Settled. {left} conflicts are left.", {"pair": args.pair, "point": args.point, "left": left})


def permit(args: argparse.Namespace, progress: Progress) -> Answer:
    with opening.desk(args) as desk:
        desk.permit_identifying()
    return Answer("Identifying fields may now be exported. The ledger says so.", {"identifying": True})


def export(args: argparse.Namespace, progress: Progress) -> Answer:
    from pprl_desktop.verbs import _options

    with opening.desk(args) as desk:
        if args.shape == "decisions":
            from pprl_desktop.review.export import write_decisions

            desk.ledger.remember_file(Path(args.out))
            votes = {pair: len(each) for pair, each in desk.votes().items()}
            lines = write_decisions(Path(args.out), desk.review, desk.outcome(), votes)
        else:
            sensitive = [[c.strip() for c in t.split(",") if c.strip()] for t in (args.sensitive_a, args.sensitive_b)]
            given = [side for side, columns in zip("ab", sensitive, strict=True) if columns and not getattr(args, side)]
            if given:
                raise Problem(
                    f"The table of the sensitive columns of side {given[0]} is missing.",
                    do=f"Give --{given[0]} TABLE.csv.",
                    place=given[0],
                )
            chosen = [(getattr(args, side), columns) for side, columns in zip("ab", sensitive, strict=True)]
            how = [_options.how_read(args, place) for place in range(2)]
            tables = [
                _options.read(path, progress, options) if path else _no_table()
                for (path, _), options in zip(chosen, how, strict=True)
            ]
            lines = desk.export(
                Path(args.out),
                tables,
                [c for _, c in chosen],
                args.shape,
                identifying=args.identifying,
                progress=progress,
            )
    return Answer(f"{lines} lines were written to {args.out}.", {"lines": lines, "file": args.out})


def _no_table() -> Any:
    from pprl_desktop.records.table import Table

    return Table(())


def desk_status(args: argparse.Namespace, progress: Progress) -> Answer:
    from pprl_desktop.review.estimates import count, estimate, threshold_from_labels

    with opening.desk(args) as desk:
        outcome = desk.outcome()
        made = estimate(count(desk.review.strata, desk.review.pairs, outcome))
        learned = threshold_from_labels(desk.review.pairs, outcome, desk.review.strata)
        settled = sum(same is not None for same in outcome.values())
        shares = {name: {"pairs": n, "returned": back} for name, (n, back) in desk.shares().items()}
        conflicts = [conflict.pair for conflict in desk.conflicts()]
        agreement = _agreement(desk)
        session = desk.session(progress)
        meter = session.gate.meter()
        lines = [
            f"{len(desk.review.pairs)} pairs, {settled} settled, {len(conflicts)} conflicts.",
            *(f"{n}: {s['pairs']} pairs, {'returned' if s['returned'] else 'out'}" for n, s in shares.items()),
            *(_estimate_line(n, i) for n, i in (("Precision", made.precision_after), ("Recall", made.recall_after))),
            str(made.sentence),
        ]
        if learned is not None:
            lines.append(f"The decisions suggest accepting from a score of {learned.score:.4g}.")
        for each in agreement:
            first, second = each["reviewers"]
            lines.append(
                f"{first} and {second}: Cohen's kappa {each['kappa']:.2f} ({each['words']}), {each['pairs']} pairs"
            )
        data = {
            "pairs": len(desk.review.pairs), "settled": settled, "conflicts": conflicts, "shares": shares,
            "advance": text.advance_data(session.advance()), "meter": text.meter_data(meter), "next": session.current,
            "estimates": {
                "precision": made.precision.as_dict(), "recall": made.recall.as_dict(),
                "precision_after": made.precision_after.as_dict(), "recall_after": made.recall_after.as_dict(),
                "strata": [
                    {"name": c.stratum.name, "population": c.stratum.population, "reviewed": c.reviewed, "same": c.same}
                    for c in made.strata
                ],
                "enough": made.enough, "more": made.more, "sentence": str(made.sentence),
            },
            "threshold": None if learned is None else vars(learned),
            "agreement": agreement,
        }  # fmt: skip
        return Answer("\n".join(lines), data)


def _estimate_line(name: str, interval: Any) -> str:
    return (
        f"{name} after the review: about {interval.value:.1%} ({interval.low:.1%} to {interval.high:.1%}), an estimate."
    )
