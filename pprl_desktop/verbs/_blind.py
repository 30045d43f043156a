"""What 'agree' needs for the method blind: keys for a proposal, and the meter before a signature."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pprl_desktop.problem import Problem
from pprl_desktop.progress import Progress
from pprl_desktop.verbs import _exchange, _options

if TYPE_CHECKING:
    from pprl_desktop.exchange.agreeing import Proposal
    from pprl_desktop.exchange.home import Home
    from pprl_desktop.job.blind import Prepared, Weighed
    from pprl_desktop.records.fields import Field
    from pprl_desktop.records.table import CleanTable


def options(step: argparse.ArgumentParser) -> None:
    group = step.add_argument_group("method blind")
    group.add_argument("--asks", choices=("me", "partner"), default="me", help="who asks (default: me)")
    group.add_argument("--mutual", action="store_true", help="both directions, each with limits of its own")
    group.add_argument("--partner-rows", type=int, default=0, metavar="N", help="true number of the partner's records")
    group.add_argument("--days", type=int, default=90, metavar="N", help="that the agreement lasts (default: 90)")


def weighing_options(step: argparse.ArgumentParser) -> None:
    step.add_argument(
        "--table", metavar="TABLE.csv", help="with blind: own table, on which coverage is counted before signing"
    )
    step.add_argument("--columns", metavar="FIELD=COLUMN,...", help="own columns where they are named differently")
    _options.reading_options(step)


def prepared(
    args: argparse.Namespace, fields: tuple[Field, ...], here: Home, partner: str, progress: Progress
) -> Prepared:
    from pprl_desktop.job.blind import Wish, asked_so_far, prepare

    if not args.table:
        raise Problem(
            "Blind needs your table to choose the keys.",
            "What could be guessed is counted on it before anything is proposed.",
            "Give it with --table.",
            place="table",
        )
    wish = Wish(args.partner_rows, args.coverage, "both" if args.mutual else args.asks, args.days)
    table = _clean(args, fields, {one.name: one.name for one in fields})
    return prepare(table, wish, asked_so_far(here, partner), progress=progress)


def weighed(args: argparse.Namespace, proposal: Proposal, progress: Progress) -> Weighed | None:
    """The meter on the own table, where the proposal is about blind and a table was given."""
    from pprl_desktop.job.blind import asked_so_far, weigh

    terms = proposal.terms
    if terms.blind is None or not args.table:
        return None
    chosen = _exchange.columns(args.columns, [one.name for one in terms.fields])
    table = _clean(args, terms.fields, {one.name: one.name for one in terms.fields} | chosen)
    so_far = asked_so_far(_exchange.home(args), terms.proposer.party.sign)
    return weigh(table, terms.blind, "accepter", so_far, progress=progress)


def told(made: Weighed | None) -> tuple[list[str], dict[str, Any]]:
    """Lines and plain data of a meter."""
    if made is None:
        return [], {}
    lines = ["", "Counted on your table:", *(f"  {one}" for one in made.sentences())]
    lines += [
        f"  {key.words}: {key.budget:,} guesses, {100 * key.alone:.1f} of 100 alone, adds {100 * key.adds:.1f}; "
        f"finds {100 * key.finds:.1f} of 100 that those before it do not"
        for key in made.meter.keys
    ]
    lines += [f"  Note: {one}" for one in made.warnings]
    if made.problem is not None:
        lines.append(f"  {made.problem.what} {made.problem.do}")
    return lines, {"weighed": made.as_dict()}


def _clean(args: argparse.Namespace, fields: tuple[Field, ...], columns: dict[str, str]) -> CleanTable:
    from pprl_desktop.job.own_table import OwnTable, as_choices
    from pprl_desktop.project.choices import Choices

    chosen = tuple((one.name, columns[one.name]) for one in fields)
    read = as_choices(_options.how_read(args))
    return OwnTable().clean(Choices(table_path=str(Path(args.table)), fields=fields, columns=chosen, **read))
