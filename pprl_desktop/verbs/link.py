"""`pprl-desktop link A [B]`: two files of one's own, or the duplicates within one; nothing leaves this computer."""

from __future__ import annotations

import argparse
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pprl_desktop.cli import Answer
from pprl_desktop.problem import Problem
from pprl_desktop.progress import Progress
from pprl_desktop.verbs import _exchange, _options, _review_create

if TYPE_CHECKING:
    from pprl_desktop.decisions.base import Match
    from pprl_desktop.job.own_files import Outcome, OwnFiles
    from pprl_desktop.project.choices import Choices

NAME = "link.pprlproject"  # in the folder of the results, unless named


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("a", metavar="A", help="a table: CSV, Excel, SAS, Stata, SPSS ...")
    parser.add_argument("b", metavar="B", nargs="?", help="the second table; without it, duplicates within A are found")
    parser.add_argument("--out", required=True, metavar="DIR", help="where table, report and project go")
    parser.add_argument("--project", metavar="FILE", help=f"project file (default: {NAME} in that folder)")
    parser.add_argument("--again", action="store_true", help="read the files anew, with new suggestions")
    _options.reading_options(parser, tables=2)
    parser.add_argument("--make-b", action="append", default=[], metavar="STEP", help="the same in B; --make is for A")
    fields = parser.add_argument_group("what is compared (default: what both files hold of a person)")
    fields.add_argument(
        "--fields", metavar="COLUMN[=COLUMN-B][:TYPE],...",
        help="columns of A, each with its counterpart in B where that is named differently",
    )  # fmt: skip
    fields.add_argument("--direction", choices=("one-to-one", "one-to-many", "many-to-one", "many-to-many"),
                        help="how often a person may occur (default: by who is held twice)")  # fmt: skip
    fields.add_argument("--accept", type=_options.score, metavar="SCORE", help="accept pairs from this score on")
    fields.add_argument("--review-from", type=_options.score, metavar="SCORE", help="uncertain from this score on")
    table = parser.add_argument_group("the linked table")
    table.add_argument("--form", choices=("csv", "xlsx", "dta", "parquet"), help="default: as before, at first csv")
    table.add_argument("--sensitive-a", metavar="COLUMN,...", help="columns of A that go into it (default: suggested)")
    table.add_argument("--sensitive-b", metavar="COLUMN,...", help="columns of B that go into it")
    table.add_argument("--permit-identifying", action="store_true", help="also the columns that were compared")
    table.add_argument("--permit-record-numbers", action="store_true", help="also the own record numbers")
    review = parser.add_argument_group("masked review of the uncertain pairs ('review next', 'review assign' ...)")
    review.add_argument("--review", metavar="DIR", help="make it there, for the manager")
    review.add_argument("--budget", type=_review_create.share, default=Fraction(3, 10), help="KAPR (default: 0.3)")
    review.add_argument("--kappa", type=int, default=1, help="smallest crowd a reveal may leave (default: 1)")
    review.add_argument("--audit", type=int, default=0, metavar="N", help="with N accepted and N rejected pairs")
    review.add_argument("--take-in", metavar="DIR", help="take in what was decided in that review")
    _exchange.passphrase_option(parser)


def run(args: argparse.Namespace, progress: Progress) -> Answer:
    from pprl_desktop.job.own_files import OwnFiles
    from pprl_desktop.job.own_finish import must_write

    if args.form:
        must_write(args.form)
    if args.review and args.take_in:
        raise Problem("A review is made or taken in, not both.", do="Give one of the two.", place="arguments")
    files = (Path(args.a), Path(args.b)) if args.b else (Path(args.a),)
    place = Path(args.project) if args.project else Path(args.out) / NAME
    how = (_options.how_read(args), replace(_options.how_read(args, 1), made=tuple(args.make_b)))[: len(files)]
    own = OwnFiles.opened(place, files, how, again=args.again, progress=progress.part(0.0, 0.3))
    with own.project:
        return _run(args, own, progress.part(0.3, 1.0))


def _run(args: argparse.Namespace, own: OwnFiles, progress: Progress) -> Answer:
    from pprl_desktop.job.kept import linked_artefact, match_artefact
    from pprl_desktop.job.own_finish import READ, Permitted, finish

    project = own.project
    _choose(args, own)
    for problem in project.problems("fields"):
        raise problem
    project.confirm("fields")
    match = own.kept_match(project.choices) or own.match(project.choices, progress.part(0.0, 0.7))
    project.confirm("match", {"match": match_artefact(match)})
    reviewed = _reviewed(args, own, match, progress.part(0.7, 0.8))
    made = finish(
        own, Path(args.out), match, Permitted(args.permit_identifying, args.permit_record_numbers),
        progress=progress.part(0.8, 1.0),
    )  # fmt: skip
    project.change("Write results", output_folder=args.out)
    project.confirm("finish", {"linked": linked_artefact(made.linked)})
    data = _data(own, match, made.outcome, project.choices) | reviewed
    data["reading"] = [{"file": name, **problem.as_dict()} for name, problem in own.remarks()]
    data |= {"table": made.linked.path, "report": made.report, "project": str(project.path),
             "rows": made.linked.rows, "columns": list(made.linked.columns)}  # fmt: skip
    sections = [one for one in made.told.sections if str(one.title) not in ("Masked review", str(READ))]
    lines = [line for one in sections for line in (f"{one.title}:", *(f"  {said}" for said in one.sentences))]
    lines = [*(f"Note: {name}: {problem}" for name, problem in own.remarks()), *lines]  # with what to do
    lines += [f"Fields: {', '.join(_pairs(project.choices))}", f"Table: {made.linked.path}", f"Report: {made.report}"]
    if reviewed.get("review"):
        lines.append(
            f"Review: {reviewed['review']} ({reviewed['pairs_to_review']} pairs). Then: link ... --take-in DIR"
        )
    return Answer("\n".join(lines), data)


def _choose(args: argparse.Namespace, own: OwnFiles) -> None:
    """What was said on the command line, on top of what the project holds."""
    project = own.project
    if args.fields:
        _choose_fields(args.fields, own)
    changes: dict[str, Any] = {}
    for name, value in (("accept", args.accept), ("review", args.review_from)):
        if value is not None:
            changes[name] = value
    if args.form:
        changes["output_form"] = args.form
    if args.direction:
        changes["settings"] = replace(project.choices.settings, direction=args.direction)
    if args.sensitive_a is not None:
        changes["sensitive"] = _columns(args.sensitive_a, own.first.table(project.choices).names)
    if args.sensitive_b is not None:
        if not own.two:
            raise Problem("There is no second file.", do="Leave --sensitive-b out, or give a file B.", place="b")
        second = project.choices.second_file()
        names = _columns(args.sensitive_b, own.second.table(second).names)
        changes["second"] = replace(second, fields=(), sensitive=names)
    project.change("Choose on the command line", **changes)


def _choose_fields(text: str, own: OwnFiles) -> None:
    from pprl_desktop.job.own_table import named_fields, with_words_of

    project = own.project
    wanted, seconds = [], []
    for piece in (piece.strip() for piece in text.split(",") if piece.strip()):
        columns, _, kind = piece.partition(":")
        first, _, other = columns.partition("=")
        wanted.append((first.strip(), kind.strip(), first.strip()))
        seconds.append((first.strip(), other.strip() or first.strip()))
    fields = named_fields(own.first.table(project.choices), wanted)
    if own.two:
        fields = with_words_of(fields, own.second.table(project.choices.second_file()), dict(seconds))
    changes: dict[str, Any] = {"fields": fields, "columns": tuple((one.name, one.name) for one in fields)}
    if own.two:
        second = project.choices.second_file()
        table = own.second.table(second)
        for _, column in seconds:
            table.column(column)  # names the nearest one where there is none of that name
        changes["second"] = replace(second, fields=(), columns=tuple(seconds))
    project.change("Choose fields", **changes)


def _columns(text: str, names: tuple[str, ...]) -> tuple[str, ...]:
    from pprl_desktop.records.names import no_such_column

    found = tuple(piece.strip() for piece in text.split(",") if piece.strip())
    for name in found:
        if name not in names:
            raise no_such_column(name, names)
    return found


def _reviewed(args: argparse.Namespace, own: OwnFiles, match: Match, progress: Progress) -> dict[str, Any]:
    from pprl_desktop.job.kept import review_told
    from pprl_desktop.job.own_files import ReviewRules
    from pprl_desktop.job.review_path import decisions_of
    from pprl_desktop.review.desk import Desk

    project = own.project
    if args.review:
        secret = _exchange.passphrase(args, new=True)
        rules = ReviewRules(args.budget, args.kappa, audit=args.audit)
        with own.review(project.choices, match, Path(args.review), secret, rules, progress) as desk:
            project.change("Make a review", review_path=args.review, review_budget=str(float(args.budget)))
            return {"review": args.review, "pairs_to_review": len(desk.review.pairs)}
    if args.take_in:
        with Desk.open(Path(args.take_in), _exchange.passphrase(args)) as desk:
            held = own.take_in(desk)
            project.change("Open a review", review_path=args.take_in)
            project.confirm("review", {"review": review_told(desk, progress), "taken": decisions_of(desk).encode()})
            return {"taken_in": held}
    return {}


def _pairs(choices: Choices) -> list[str]:
    second = dict(choices.second_file().columns)
    return [f"{one.name} = {second[one.name]}" if one.name in second else one.name for one in choices.fields]


def _data(own: OwnFiles, match: Match, outcome: Outcome, choices: Choices) -> dict[str, Any]:
    second = dict(choices.second_file().columns)
    return {
        "kind": choices.kind,
        "records": [one.rows for one in own.sides()],
        "fields": [{"name": one.name, "kind": one.kind, "a": choices.column_of(one.name), "b": second.get(one.name)}
                   for one in choices.fields],
        "direction": choices.settings.direction if own.two else None,
        "accepted": len(match.accepted()), "uncertain": len(match.to_review()),
        "accept": match.accept, "review_from": match.review,
        "reliable": match.reliable, "reasons": [str(one) for one in match.reasons],
        "cures": [str(one) for one in match.cures], "expected": dict(match.expected),
        "second_opinion": dict(match.second_opinion), "warnings": [str(one) for one in match.warnings],
        "links": len(outcome.pairs), "people": outcome.persons, "linked_records": outcome.records,
        "open": outcome.open, "decided": outcome.decided, "differ": outcome.differ,
        "contradictions": outcome.people.refused,
    }  # fmt: skip
