"""rehearse: play the partner, and others, against the own table exactly as it would leave."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from pprl_desktop.cli import Answer
from pprl_desktop.problem import Problem
from pprl_desktop.progress import Progress
from pprl_desktop.verbs import _options

if TYPE_CHECKING:
    from pprl_desktop.job.own_table import OwnTable
    from pprl_desktop.project.choices import Choices
    from pprl_desktop.records.fields import Field
    from pprl_desktop.records.table import Table
    from pprl_desktop.rehearsal.dictionaries import Role
    from pprl_desktop.rehearsal.rehearse import Rehearsal


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("table", metavar="TABLE.csv", help="the own table")
    parser.add_argument("--fields", required=True, help="matching fields: last_name,first_name,birth_date:date")
    parser.add_argument("--columns", help="own columns in the order of the fields, where their names differ")
    parser.add_argument("--spare", default="", metavar="FIELDS", help="further fields to try as 'more fields'")
    parser.add_argument(
        "--dictionary", action="append", default=[], metavar="FIELD=FILE", help="CSV with the columns value, count"
    )
    parser.add_argument("--first", metavar="FIELD", help="the field with the first name (default: by its name)")
    parser.add_argument("--last", metavar="FIELD", help="the field with the last name (default: by its name)")
    parser.add_argument("--sample", type=int, default=5000, metavar="N", help="own records attacked (default: 5000)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--no-changes", action="store_true", help="do not try stronger settings")
    parser.add_argument("--examples", action="store_true", help="show a few own records (never with --json)")
    _options.method_options(parser, blind=True)
    _options.reading_options(parser)
    _options.engine_options(parser)
    parser.add_argument("--partner-rows", type=int, default=0, metavar="N", help="of blind (default: as many as here)")


def run(args: argparse.Namespace, progress: Progress) -> Answer:
    from pprl_desktop.codes.base import method
    from pprl_desktop.job import preview
    from pprl_desktop.job.own_table import OwnTable, as_choices
    from pprl_desktop.project.choices import Choices

    if args.sample < 1:
        raise Problem("The sample must hold at least one record.", do="Give --sample 5000.", place="sample")
    if not method(args.method).exportable:
        raise Problem(
            f"The method '{args.method}' exports nothing.",
            "There is no bundle to attack.",
            "Choose another.",
            place="method",
        )
    own, source = OwnTable(), Choices(table_path=args.table, **as_choices(_options.how_read(args)))
    table = own.table(source, progress.part(0.0, 0.05))
    fields = _options.parse_fields(args.fields, table) if not args.columns else _mapped(args, table)
    choices = _options.choices_from(args, fields, _options.columns_for(fields, args.columns)).changed(
        table_path=args.table, rows=table.rows, **as_choices(_options.how_read(args))
    )
    if not method(args.method).smashes:
        return _blind(args, own, choices, progress.part(0.05, 1.0))
    choices.checked_recipe()
    known = {one.name for one in fields}
    spare = _options.parse_fields(args.spare, table) if args.spare else ()
    attacker = preview.Attacker(_lists(args.dictionary, known), _roles(args, known), spare)
    rehearsal = preview.rehearse(
        own, choices, attacker=attacker, sample=args.sample, seed=args.seed, changes=not args.no_changes,
        progress=progress.part(0.05, 1.0),
    )  # fmt: skip
    said = preview.statement(choices)
    data = {**rehearsal.as_dict(), "privacy": said.as_dict()}
    return Answer(_text(rehearsal, said.summary, examples=args.examples), data)


def _blind(args: argparse.Namespace, own: OwnTable, choices: Choices, progress: Progress) -> Answer:
    """The partner asks: honestly, and lying in every question."""
    from pprl_desktop.job import preview
    from pprl_desktop.job.blind import Wish, rehearse

    table = own.clean(choices, progress.part(0.0, 0.1))
    wish = Wish(args.partner_rows or table.rows, args.coverage, "partner")
    rehearsal = rehearse(table, wish, sample=min(args.sample, 500), seed=args.seed, progress=progress.part(0.1, 1.0))
    said = preview.statement(choices)
    lines = [*map(str, rehearsal.sentences()), "", f"Privacy: {said.summary}"]
    return Answer("\n".join(lines), {**rehearsal.as_dict(), "privacy": said.as_dict()})


def _mapped(args: argparse.Namespace, table: Table) -> tuple[Field, ...]:
    """Fields named otherwise than the columns: the kind is guessed from the column."""
    from pprl_desktop.job.own_table import named_fields

    items = [piece.strip().partition(":") for piece in args.fields.split(",") if piece.strip()]
    columns = [piece.strip() for piece in args.columns.split(",")]
    if len(columns) != len(items):
        raise Problem(
            f"{len(columns)} columns were given for {len(items)} fields.",
            do="Give one column for each field, in the same order.",
            place="columns",
        )
    return named_fields(table, [(name, kind, column) for (name, _, kind), column in zip(items, columns, strict=True)])


def _lists(items: list[str], known: set[str]) -> dict[str, Path]:
    lists = {}
    for item in items:
        name, sign, path = item.partition("=")
        if not sign or name not in known:
            raise Problem(
                "A dictionary belongs to one of the fields.",
                f"The fields are: {', '.join(sorted(known))}.",
                "Give it as --dictionary FIELD=FILE.",
                place="dictionary",
            )
        lists[name] = Path(path)
    return lists


def _roles(args: argparse.Namespace, known: set[str]) -> dict[str, Role]:
    roles: dict[str, Role] = {}
    for role in ("first", "last"):
        name = getattr(args, role)
        if name is None:
            continue
        if name not in known:
            raise Problem(
                f"'{name}' is not among the fields.",
                f"The fields are: {', '.join(sorted(known))}.",
                f"Give one of them as --{role}.",
                place=role,
            )
        roles[name] = "first" if role == "first" else "last"
    return roles


def _text(found: Rehearsal, summary: object, *, examples: bool) -> str:
    lines = [
        f"{found.sampled:,} of {found.rows:,} records were attacked.",
        *map(str, found.sentences()),
        "",
        "Field by field:",
    ]
    for one in found.fields:
        lines.append(
            f"  {one.field}: at least {one.recovered.words()} recovered; {one.listed.words()} are in the list "
            f"({one.entries:,} entries: {one.source}); guessing {one.guessing.words()}; "
            f"without the secret at least {one.outsider.words()}."
        )
    lines += ["", f"What can be claimed: {summary}"]
    if examples and found.examples:
        lines += ["", "Own records, and what the partner would read (for your eyes only):"]
        lines += [f"  {' '.join(one.truth)}  ->  {' '.join(one.guess)}" for one in found.examples]
    return "\n".join(lines)
