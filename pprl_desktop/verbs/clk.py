"""clk: CLKs for and from partners who use clkhash or anonlink, and the zip of the CODI tools."""

from __future__ import annotations

import argparse
from pathlib import Path

from pprl_desktop.cli import Answer
from pprl_desktop.problem import Problem
from pprl_desktop.progress import Progress
from pprl_desktop.verbs import _exchange, _other_tools, _pairs


def arguments(parser: argparse.ArgumentParser) -> None:
    made = _exchange.steps(
        parser,
        write="hash a table by a linkage schema and write the CLKs, as clkhash does",
        match="match the own table with a partner's CLKs",
        rehearse="count what whoever holds the secret could read in the CLKs, before they leave",
    )
    for step in made.values():
        _other_tools.table_options(step)
        step.add_argument(
            "--schema", required=True, action="append", metavar="SCHEMA.json",
            help="linkage schema of version 3; for a zip of the CODI tools, several",
        )  # fmt: skip
    _other_tools.leaving(made["write"])
    made["write"].add_argument(
        "--codi", action="store_true", help="write the zip of the CODI tools, with the secret they derive"
    )
    made["match"].add_argument("--partner", required=True, metavar="CLKS.json", help="the partner's CLKs, or its zip")
    _pairs.option(made["match"])
    _pairs.file_option(made["match"])
    _other_tools.sample_option(made["rehearse"])


def run(args: argparse.Namespace, progress: Progress) -> Answer:
    from pprl_desktop.job import other_tools

    schemas = [Path(one) for one in args.schema]
    if len(schemas) > 1 and not getattr(args, "codi", False):
        raise Problem(
            "Several schemas go only into the zip of the CODI tools.", do="Give --codi, or one schema.", place="schema"
        )
    table, secret = _other_tools.opened(args, progress.part(0.0, 0.2))
    columns = _exchange.columns(args.columns, [])
    rest = progress.part(0.2, 1.0)
    if args.step == "write":
        home, out = _exchange.home(args), Path(args.out)
        if args.codi:
            made = other_tools.write_codi(home, table, schemas, secret, columns, args.to, out, rest)
        else:
            made = other_tools.write_clks(home, table, schemas[0], secret, columns, args.to, out, rest)
        return _other_tools.answer(made)
    if args.step == "rehearse":
        read = other_tools.rehearse_clks(table, schemas[0], secret, columns, sample=args.sample, progress=rest)
        return _other_tools.rehearsed(read, other_tools.CLK_GIVES_AWAY)
    from pprl_desktop.decisions.base import MatchOptions

    found, schema = other_tools.match_clks(table, schemas[0], secret, columns, Path(args.partner), MatchOptions(), rest)
    accepted, review = len(found.accepted()), len(found.to_review())
    text = f"{accepted:,} pairs accepted, {review:,} to review."
    written = _pairs.write(args, found, table)
    return Answer(
        "\n".join([text, *written, *map(str, schema.warnings), *(f"Note: {one}" for one in found.warnings)]),
        {
            "accepted": accepted,
            "review": review,
            "expected": dict(found.expected),
            "pairs": _pairs.records(found, args.pairs),
            "warnings": [str(one) for one in (*schema.warnings, *found.warnings)],
            "file": args.pairs_out or "",
        },
    )
