"""result: export, import and reconcile results."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pprl_desktop.cli import Answer
from pprl_desktop.problem import Problem
from pprl_desktop.progress import Progress
from pprl_desktop.verbs import _exchange, _options
from pprl_desktop.verbs.open import opened

if TYPE_CHECKING:
    from pprl_desktop.exchange.results import Outcome
    from pprl_desktop.job.partnership import Partnership


def arguments(parser: argparse.ArgumentParser) -> None:
    steps = _exchange.steps(
        parser,
        export="write the accepted pairs for the partner",
        **{"import": "take in the partner's result"},
        reconcile="put both results together and write the own linked rows",
    )
    for step in steps.values():
        _exchange.common(step)
    _exchange.agreement_option(steps["export"])
    _exchange.sealing(steps["export"])
    steps["import"].add_argument("file", metavar="FILE")
    steps["import"].add_argument("--receipt", metavar="FILE", help="also write a sealed confirmation for the partner")
    _exchange.agreement_option(steps["reconcile"])
    steps["reconcile"].add_argument("--out", metavar="FILE.csv", help="own rows with a link id each")
    steps["reconcile"].add_argument("--table", metavar="TABLE.csv", help="own table, for --id and --linked")
    steps["reconcile"].add_argument(
        "--linked", metavar="FILE.csv|.xlsx|.dta|.parquet",
        help="the linked table without identifying columns: link ids, and the columns of --sensitive",
    )  # fmt: skip
    steps["reconcile"].add_argument(
        "--sensitive", default="", metavar="COLUMN,...", help="columns of the own table that go into --linked"
    )
    _options.reading_options(steps["reconcile"])
    steps["reconcile"].add_argument("--id", metavar="COLUMN", help="a column of the own table to put beside each row")


def run(args: argparse.Namespace, progress: Progress) -> Answer:
    if args.step == "import":
        return opened(args, *_exchange.unlock(args), progress)
    partnership = _exchange.partnership(args)
    if args.step == "export":
        made = partnership.send_result(Path(args.out), progress)
        text = (
            f"Result {made.sequence} with {made.accepted:,} accepted pairs"
            f"{f' and {made.to_review:,} to review' if made.to_review else ''} written for {partnership.partner_name}."
        )
        return Answer(text, {**asdict(made), "file": args.out})
    return _reconcile(args, partnership)


def _reconcile(args: argparse.Namespace, partnership: Partnership) -> Answer:
    merged, rule = partnership.outcome(), partnership.agreement.terms.rule
    counts = merged.counts()
    if args.out:
        _write(args, partnership, merged)
    told, data = _linked(args, partnership, merged) if args.linked else ([], {})
    text = (
        f"Both sides: {counts['both']:,}; only mine: {counts['only_mine']:,}; only theirs: {counts['only_theirs']:,}. "
        f"Under the rule '{rule}': {counts['linked']:,} linked, {counts['open']:,} left for review."
    )
    if merged.unsure:
        text += f" Unsure here and not linked: {merged.unsure:,}."
    return Answer(
        "\n".join([text, *told]),
        {"agreement": partnership.id, "rule": rule, **counts, "unsure": merged.unsure, "file": args.out or "", **data},
    )


def _linked(args: argparse.Namespace, partnership: Partnership, merged: Outcome) -> tuple[list[str], dict[str, Any]]:
    """The table that goes on to analysis; what identifies a person is refused here."""
    from pprl_desktop.job.outputs import will_hold, write_linked
    from pprl_desktop.job.own_table import OwnTable

    if not args.table:
        raise Problem("The linked table needs your table.", do="Give it with --table.", place="table")
    wanted = [name.strip() for name in args.sensitive.split(",") if name.strip()]
    own, choices = OwnTable(), partnership.choices(Path(args.table), {}, _options.how_read(args))
    if args.id:
        choices = choices.changed(id_column=args.id)
    matching = set(dict(choices.columns).values())
    if matching & set(wanted):
        raise Problem(
            f"'{sorted(matching & set(wanted))[0]}' identifies people: it is a matching column.",
            do="Leave it out of --sensitive.",
            place="sensitive",
        )
    table = partnership.exported_table(own, choices)
    made = write_linked(Path(args.linked), table, merged, wanted, first=partnership.first_ids(own, choices))
    lines = [*map(str, will_hold(wanted)), f"{made.rows:,} rows written to {args.linked}.", *map(str, made.notes)]
    return lines, {"linked_file": args.linked, "linked_rows": made.rows, "linked_columns": list(made.columns)}


def _write(args: argparse.Namespace, partnership: Partnership, merged: Outcome) -> None:
    """Own rows only: row number, id if wanted, link id (the same on both sides), and whether it is linked or open."""
    from pprl_desktop.job.own_table import OwnTable
    from pprl_desktop.records.writing import write_csv

    ids: list[str] | None = None
    if args.id:
        if not args.table:
            raise Problem("The id column needs the table.", do="Give it with --table.", place="table")
        choices = partnership.choices(Path(args.table), {}, _options.how_read(args))
        ids = OwnTable().table(choices).column(args.id).cells()
    rows = []
    for pairs, links, status in (
        (merged.reconciled.linked, merged.links, "linked"),
        (merged.reconciled.open, merged.to_review, "review"),
    ):
        for own_row, link in zip(pairs[:, 0].tolist(), links, strict=True):
            rows.append([str(own_row + 1), *([ids[own_row]] if ids else []), link, status])
    rows.sort(key=lambda row: (int(row[0]), row[-2]))
    write_csv(Path(args.out), ["row", *(["id"] if ids else []), "link", "status"], rows)
