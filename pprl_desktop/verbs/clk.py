"""clk: CLKs for and from partners who use clkhash or anonlink."""

from __future__ import annotations

import argparse
from pathlib import Path

from pprl_desktop.cli import Answer
from pprl_desktop.progress import Progress
from pprl_desktop.verbs import _exchange, _other_tools, _pairs


def arguments(parser: argparse.ArgumentParser) -> None:
    made = _exchange.steps(
        parser,
        write="hash a table by a linkage schema and write the CLKs, as clkhash does",
        match="match the own table with a partner's CLKs",
    )
    for step in made.values():
        _other_tools.table_options(step)
        step.add_argument("--schema", required=True, metavar="SCHEMA.json", help="linkage schema of version 3")
    _other_tools.leaving(made["write"])
    made["match"].add_argument("--partner", required=True, metavar="CLKS.json", help="the partner's CLKs")
    _pairs.option(made["match"])


def run(args: argparse.Namespace, progress: Progress) -> Answer:
    from pprl_desktop.job import other_tools

    table, secret = _other_tools.opened(args, progress.part(0.0, 0.2))
    columns = _exchange.columns(args.columns, [])
    rest = progress.part(0.2, 1.0)
    if args.step == "write":
        home, out = _exchange.home(args), Path(args.out)
        return _other_tools.answer(
            other_tools.write_clks(home, table, Path(args.schema), secret, columns, args.to, out, rest)
        )
    from pprl_desktop.decisions.base import MatchOptions

    found, schema = other_tools.match_clks(
        table, Path(args.schema), secret, columns, Path(args.partner), MatchOptions(), rest
    )
    accepted, review = len(found.accepted()), len(found.to_review())
    text = f"{accepted:,} pairs accepted, {review:,} to review."
    return Answer(
        "\n".join([text, *map(str, schema.warnings), *(f"Note: {one}" for one in found.warnings)]),
        {
            "accepted": accepted,
            "review": review,
            "expected": dict(found.expected),
            "pairs": _pairs.records(found, args.pairs),
            "warnings": [str(one) for one in (*schema.warnings, *found.warnings)],
        },
    )
