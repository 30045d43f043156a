"""`review create`: the options of a review, and the review made from tables, MINDFIRL's files or a partner's cells."""

from __future__ import annotations

import argparse
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from pprl_desktop.problem import Problem
from pprl_desktop.progress import Progress
from pprl_desktop.verbs import _exchange, _options

if TYPE_CHECKING:
    from pprl_desktop.review.plan import Policy, Review, ReviewField


def arguments(parser: argparse.ArgumentParser) -> None:
    source = parser.add_argument_group("where the pairs come from")
    source.add_argument("--a", metavar="A.csv", help="first table")
    source.add_argument("--b", metavar="B.csv", help="second table")
    source.add_argument("--pairs", metavar="P.csv", help="columns id_a, id_b, and score and band if there are any")
    source.add_argument("--id", default="id", metavar="COLUMN", help="record id in both tables (default: id)")
    source.add_argument("--id-b", metavar="COLUMN", help="record id in the second table, if named differently")
    source.add_argument("--fields", metavar="NAME[:TYPE],...", help="identifying fields to show")
    source.add_argument("--columns-b", metavar="COLUMN,...", help="their columns in the second table")
    source.add_argument("--mindfirl", metavar="FILE", help="instead: a pair file of MINDFIRL")
    source.add_argument("--frequencies", metavar="FILE", help="frequency file of MINDFIRL (F|L,name,count)")
    source.add_argument("--partner", metavar="TABLE.csv", help="instead: own table, with the cells the partner sent")
    source.add_argument("--columns", metavar="FIELD=COLUMN,...", help="own columns, with --partner")
    _options.reading_options(parser, tables=3)
    plan = parser.add_argument_group("what reviewers may see")
    plan.add_argument("--budget", type=share, default=Fraction(3, 10), help="KAPR per reviewer (default: 0.3)")
    plan.add_argument("--review-budget", type=share, default=Fraction(1), help="of all reviewers together")
    plan.add_argument("--pair-budget", type=share, default=Fraction(1), help="of a pair on its own scale")
    plan.add_argument("--field-budget", action="append", default=[], metavar="FIELD=SHARE")
    plan.add_argument("--cap", action="append", default=[], metavar="FIELD=never|partial|last4")
    plan.add_argument("--cell-type", action="append", default=[], metavar="FIELD=fixed|variable|date|category")
    plan.add_argument("--kappa", type=int, default=1, help="smallest crowd a reveal may leave (default: 1)")
    plan.add_argument("--start", choices=("masked", "partial", "full"), default="masked", help="charged when shown")
    plan.add_argument("--date-swap", choices=("elements", "digits"), default="elements")
    plan.add_argument("--name-swap", metavar="FIRST,LAST|none", help="fields of a name swap (default: by their names)")
    plan.add_argument("--no-frequencies", action="store_true", help="do not show how common a name is")
    plan.add_argument("--show-score", action="store_true", help="reviewers see the score (default: blind)")
    plan.add_argument("--order", choices=("shuffled", "score", "field"), default="shuffled")
    plan.add_argument("--order-field", default="", metavar="FIELD")
    plan.add_argument("--permit-identifying", action="store_true", help="identifying fields may be exported at the end")
    plan.add_argument("--title", default="")


def share(text: str) -> Fraction:
    try:
        found = Fraction(text.rstrip("% ")) / (100 if text.rstrip().endswith("%") else 1)
    except (ValueError, ZeroDivisionError):
        raise argparse.ArgumentTypeError(f"'{text}' is not a share such as 0.3 or 30%") from None
    if not 0 <= found <= 1:
        raise argparse.ArgumentTypeError(f"'{text}' is not between 0 and 1")
    return found


def make(args: argparse.Namespace, passphrase: str, progress: Progress) -> Review:
    chosen = [name for name in ("pairs", "mindfirl", "partner") if getattr(args, name)]
    if len(chosen) != 1:
        raise Problem(
            "It is not clear where the pairs come from.",
            do="Give --a, --b, --fields and --pairs; or --mindfirl FILE; or --partner TABLE.",
            place="pairs",
        )
    if chosen == ["mindfirl"]:
        return _from_mindfirl(args)
    return _from_partner(args, passphrase, progress) if chosen == ["partner"] else _from_tables(args, progress)


def _from_mindfirl(args: argparse.Namespace) -> Review:
    from pprl_desktop.review.mindfirl import read_review

    made = read_review(Path(args.mindfirl), Path(args.frequencies) if args.frequencies else None, args.title)
    return replace(made, policy=_policy(args, made.policy.fields))


def _from_tables(args: argparse.Namespace, progress: Progress) -> Review:
    from pprl_desktop.job.reviewing import ListedPairs, of_pairs
    from pprl_desktop.review.sources import review_fields

    if not (args.a and args.b and args.fields):
        raise Problem("Two tables and the fields to show are needed.", do="Give --a, --b and --fields.", place="tables")
    a = _options.read(args.a, progress.part(0.0, 0.2), _options.how_read(args, 0))
    b = _options.read(args.b, progress.part(0.2, 0.4), _options.how_read(args, 1))
    listed_how = replace(_options.how_read(args, 2), made=())
    pairs, fields = _options.read(args.pairs, options=listed_how), _options.parse_fields(args.fields, a)
    columns_b = _options.columns_for(fields, args.columns_b)
    listed = ListedPairs(a, b, pairs, args.id, args.id_b or args.id, columns_b)
    frequencies = Path(args.frequencies) if args.frequencies else None
    policy = _policy(args, review_fields(fields))
    return of_pairs(listed, fields, policy, args.title, frequencies, progress.part(0.4, 0.8))


def _from_partner(args: argparse.Namespace, passphrase: str, progress: Progress) -> Review:
    """One passphrase opens the home folder and seals the review."""
    from pprl_desktop.job.partnership import Partnership
    from pprl_desktop.review.sources import review_fields

    here = _exchange.home(args)
    partnership = Partnership(here, here.unlock(passphrase), args.agreement)
    args.table = args.partner
    table, choices = _exchange.own_table(args, partnership, progress.part(0.0, 0.5))
    policy = _policy(args, review_fields(choices.fields))
    return partnership.uncertain(table, choices, policy, args.title, progress.part(0.5, 1.0))


def _policy(args: argparse.Namespace, fields: tuple[ReviewField, ...]) -> Policy:
    from pprl_desktop.review.marks import Level
    from pprl_desktop.review.plan import CAPS, TYPES, Policy
    from pprl_desktop.review.sources import name_swaps

    names = [field.name for field in fields]
    caps = _by_field(args.cap, names, CAPS)
    types = _by_field(args.cell_type, names, TYPES)
    limits = {name: share(text) for name, text in _by_field(args.field_budget, names).items()}
    chosen = tuple(
        replace(
            field,
            cap=cast(Any, caps.get(field.name, field.cap)),
            type=cast(Any, types.get(field.name, field.type)),
            limit=limits.get(field.name),
            frequency=field.frequency and not args.no_frequencies,
        )
        for field in fields
    )
    swaps = name_swaps(names)
    if args.name_swap:
        pieces = [piece.strip() for piece in args.name_swap.split(",")]
        swaps = () if pieces == ["none"] else ((pieces[0], pieces[-1]),)
    return Policy(
        chosen,
        args.budget,
        args.review_budget,
        args.pair_budget,
        args.kappa,
        Level[args.start.upper()],
        args.date_swap,
        swaps,
        not args.show_score,
        args.order,
        args.order_field,
    )


def _by_field(given: list[str], names: list[str], allowed: tuple[str, ...] = ()) -> dict[str, str]:
    """'FIELD=WORD' options; the field must be shown and the word known."""
    from pprl_desktop.records.names import no_such_column

    found = {}
    for text in given:
        name, _, word = text.rpartition("=")
        if name not in names:
            raise no_such_column(name or text, names)
        if allowed and word not in allowed:
            raise Problem(
                f"'{word}' is not possible for '{name}'.", f"Possible: {', '.join(allowed)}.", "Choose one.", place=name
            )
        found[name] = word
    return found
