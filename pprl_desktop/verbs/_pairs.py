"""Pairs as plain records with the evidence per field: why this pair. Row numbers only, never a value of a record."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from pprl_desktop.decisions.base import Match
    from pprl_desktop.records.table import Table

LISTED = 20


def option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--pairs", type=_count, default=LISTED, metavar="N",
        help=f"pairs that --json lists with their evidence per field, the least certain first (default: {LISTED})",
    )  # fmt: skip


def file_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--pairs-out", metavar="FILE.csv", help="write all pairs with probability and evidence, as Splink and R read it"
    )
    parser.add_argument("--id", metavar="COLUMN", help="own column that names the rows there (default: row number)")


def write(args: argparse.Namespace, match: Match, table: Table) -> list[str]:
    """Where asked for; what was written, in words."""
    if not args.pairs_out:
        return []
    from pprl_desktop.job.other_tools import write_pairs

    ids = table.column(args.id).cells() if args.id else None
    count = write_pairs(Path(args.pairs_out), match, ids)
    return [f"{count:,} pairs written to {args.pairs_out}. The file stays with you: it names your own rows."]


def _count(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise argparse.ArgumentTypeError(f"'{text}' is not a number of pairs")
    return int(text)


def records(match: Match, most: int, correct: npt.NDArray[np.bool_] | None = None) -> list[dict[str, Any]]:
    """The pairs to accept or to review that lie nearest to the border; `correct` tells of every pair if it is true."""
    import numpy as np

    from pprl_desktop.decisions.base import BAND_NAMES

    scored, kept = match.scored, match.kept()
    by = np.argsort(np.abs(scored.score[kept] - match.accept), kind="stable")[:most]
    shown = kept[by]
    evidence = match.evidence[by] if match.evidence is not None else scored.why(shown)
    made = []
    for pair, why in zip(shown.tolist(), evidence.tolist(), strict=True):
        one: dict[str, Any] = {
            "own_row": int(scored.own[pair]) + 1,
            "partner_row": int(scored.partner[pair]) + 1,
            "score": round(float(scored.score[pair]), 4),
            "probability": round(float(scored.probability[pair]), 6),
            "band": BAND_NAMES[int(match.band[pair])],
            "evidence": {name: round(said, 3) for name, said in zip(scored.fields, why, strict=True)},
        }
        made.append(one if correct is None else {**one, "correct": bool(correct[pair])})
    return made
