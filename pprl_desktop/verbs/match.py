"""match: the own table against the partner's bundle."""

from __future__ import annotations

import argparse
import math
from collections.abc import Mapping

from pprl_desktop.cli import Answer
from pprl_desktop.progress import Progress
from pprl_desktop.verbs import _exchange, _options, _pairs


def arguments(parser: argparse.ArgumentParser) -> None:
    _exchange.table_options(parser)
    _exchange.agreement_option(parser)
    parser.add_argument(
        "--accept", type=_options.score, metavar="SCORE", help="threshold by hand (default: chosen by the program)"
    )
    parser.add_argument("--review", type=_options.score, metavar="SCORE", help="where the review band begins")
    _options.memory_option(parser)
    _options.engine_options(parser)
    _pairs.option(parser)
    _pairs.file_option(parser)
    _exchange.common(parser)
    parser.set_defaults(json=False)


def run(args: argparse.Namespace, progress: Progress) -> Answer:
    from pprl_desktop.decisions.base import ACCEPT, REVIEW

    partnership = _exchange.partnership(args)
    table, choices = _exchange.own_table(args, partnership, progress.part(0.0, 0.2))
    choices = choices.changed(accept=args.accept, review=args.review)
    progress.at(0.2, "Matching")
    made = partnership.match(table, choices, memory=args.memory << 20, progress=progress.part(0.2, 1.0))
    found = partnership.keep(made)
    accepted, review = found.count(ACCEPT), found.count(REVIEW)
    expected = {name: float(value) for name, value in made.expected.items()}
    told = [
        f"Expected {name}: about {_of_100(expected, name)} of 100 "
        f"({_of_100(expected, name + '_low')} to {_of_100(expected, name + '_high')}; an estimate, not a fact)."
        for name in ("precision", "recall")
        if math.isfinite(expected.get(name, math.nan)) and made.reliable
    ]
    if made.second_opinion:
        low, high = (100 * made.second_opinion[name] for name in ("low", "high"))
        told.append(f"Second opinion, by fields left out: {low:.1f} to {high:.1f} of 100 accepted pairs are right.")
    if "recall" in made.second_opinion:
        low, high = (100 * made.second_opinion[name] for name in ("recall_low", "recall_high"))
        told.append(f"By pairs found without a field, at most {low:.1f} to {high:.1f} of 100 shared people are found.")
    told += [str(one) for one in (*made.reasons, *made.cures)]
    caveats = made.scored.caveats() if told else ()
    lines = [
        f"{accepted:,} pairs accepted, {review:,} to review "
        f"(accept from {found.accept:.4g}, review from {found.review:.4g}).",
        *told,
        *map(str, caveats),
        *_pairs.write(args, made, table.table(choices)),
        *(f"Note: {warning}" for warning in made.warnings),
    ]  # fmt: skip
    progress.at(1.0)
    return Answer("\n".join(lines), {
        "agreement": partnership.id, "accepted": accepted, "review": review, "candidates": len(made.scored),
        "examined": made.scored.examined, "accept_threshold": found.accept, "review_threshold": found.review,
        "expected": expected, "second_opinion": dict(made.second_opinion), "reliable": made.reliable,
        "reasons": list(made.reasons), "cures": list(made.cures),
        "caveats": list(caveats), "tuning": dict(made.tuning),
        "ties": made.ties, "warnings": list(made.warnings),
        "pairs": _pairs.records(made, args.pairs),
    })  # fmt: skip


def _of_100(expected: Mapping[str, float], name: str) -> str:
    return f"{100 * expected[name]:.1f}".removesuffix(".0")
