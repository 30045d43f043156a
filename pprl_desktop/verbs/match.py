"""match: the own table against the partner's bundle."""

from __future__ import annotations

import argparse

from pprl_desktop.cli import Answer
from pprl_desktop.progress import Progress
from pprl_desktop.verbs import _exchange


def arguments(parser: argparse.ArgumentParser) -> None:
    _exchange.table_options(parser)
    _exchange.agreement_option(parser)
    parser.add_argument(
        "--accept", type=float, metavar="SCORE", help="threshold by hand (default: chosen by the program)"
    )
    parser.add_argument("--review", type=float, metavar="SCORE", help="where the review band begins")
    parser.add_argument("--memory", type=int, default=2048, metavar="MB", help="for pairs (default: 2048)")
    _exchange.common(parser)
    parser.set_defaults(json=False)


def run(args: argparse.Namespace, progress: Progress) -> Answer:
    from pprl_desktop.exchange import linking
    from pprl_desktop.matching.base import ACCEPT, REVIEW

    here, own = _exchange.unlock(args)
    pact, table = _exchange.clean_table(args, here, here.pact(args.agreement), progress.part(0.0, 0.2))
    progress.at(0.2, "Matching")
    made = linking.match_with_partner(
        here, own, pact, table, accept=args.accept, review=args.review, memory=args.memory << 20,
        progress=progress.part(0.2, 1.0),
    )  # fmt: skip
    found = linking.keep(here, own, pact, made)
    accepted, review = found.count(ACCEPT), found.count(REVIEW)
    expected = {name: float(value) for name, value in made.expected.items()}
    lines = [
        f"{accepted:,} pairs accepted, {review:,} to review "
        f"(accept from {found.accept:.4g}, review from {found.review:.4g}).",
        *(
            f"Expected {name}: about {100 * expected[name]:.0f} of 100 (an estimate, not a fact)."
            for name in ("precision", "recall")
            if name in expected
        ),
        *(f"Note: {warning}" for warning in made.warnings),
    ]  # fmt: skip
    progress.at(1.0)
    return Answer("\n".join(lines), {
        "agreement": pact.id, "accepted": accepted, "review": review, "candidates": len(made.scored),
        "examined": made.scored.examined, "accept_threshold": found.accept, "review_threshold": found.review,
        "expected": expected, "ties": made.ties, "warnings": list(made.warnings),
    })  # fmt: skip
