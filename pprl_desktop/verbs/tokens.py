"""tokens: Open Link Tokens (rules T1 to T5, after the HMAC step) for and from partners who use that tool."""

from __future__ import annotations

import argparse
from pathlib import Path

from pprl_desktop.cli import Answer
from pprl_desktop.progress import Progress
from pprl_desktop.verbs import _exchange, _other_tools


def arguments(parser: argparse.ArgumentParser) -> None:
    made = _exchange.steps(
        parser,
        write="make the tokens of a table",
        match="find which records share a token with a partner's file",
        rehearse="count what whoever holds the secret could read in the tokens, before they leave",
    )
    for step in made.values():
        _other_tools.table_options(step)
    _other_tools.leaving(made["write"])
    made["match"].add_argument("--partner", required=True, metavar="TOKENS.csv", help="the partner's tokens")
    made["match"].add_argument("--out", metavar="FILE.csv", help="write the pairs: own row, partner's record, rules")


def run(args: argparse.Namespace, progress: Progress) -> Answer:
    from pprl_desktop.interchange.link_tokens import ATTRIBUTES
    from pprl_desktop.job import other_tools

    table, secret = _other_tools.opened(args, progress.part(0.0, 0.2))
    columns = _exchange.columns(args.columns, list(ATTRIBUTES)) or _other_tools.same_names(table)
    rest = progress.part(0.2, 1.0)
    if args.step == "write":
        home, out = _exchange.home(args), Path(args.out)
        return _other_tools.answer(other_tools.write_tokens(home, table, columns, secret, args.to, out, rest))
    if args.step == "rehearse":
        return _other_tools.rehearsed(other_tools.rehearse_tokens(table, columns, rest), other_tools.TOKENS_GIVE_AWAY)
    pairs = other_tools.match_tokens(table, columns, secret, Path(args.partner), rest)
    plain = [{"own_row": int(own), "partner_record": record, "rules": list(r)} for (own, record), r in pairs.items()]
    if args.out:
        other_tools.write_token_pairs(Path(args.out), pairs)
    return Answer(f"{len(pairs):,} pairs share a token.", {"pairs": plain, "file": args.out or ""})
