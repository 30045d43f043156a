"""What the verbs for partners with other tools share."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from pprl_desktop.cli import Answer
from pprl_desktop.progress import Progress
from pprl_desktop.verbs import _options

if TYPE_CHECKING:
    from pprl_desktop.job.other_tools import Written
    from pprl_desktop.records.table import Table
    from pprl_desktop.rehearsal.formats import FormatRehearsal
    from pprl_desktop.said import Said


def table_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("table", metavar="TABLE.csv")
    parser.add_argument("--secret-file", required=True, metavar="FILE", help="the shared secret, one line")
    parser.add_argument("--columns", metavar="NAME=COLUMN,...", help="own columns where they are named differently")
    _options.reading_options(parser)
    parser.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="print plain data")


def leaving(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--to", required=True, metavar="NAME", help="who gets the file; stands in the ledger")
    parser.add_argument("--out", required=True, metavar="FILE", help="where the file goes")
    parser.add_argument("--home", metavar="DIR", help="the home folder (default: that of this user)")


def sample_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--sample", type=int, default=300, metavar="N", help="own records attacked (default: 300)")


def rehearsed(read: FormatRehearsal, gives_away: Said) -> Answer:
    text = "\n".join([*map(str, read.sentences()), str(gives_away)])
    return Answer(text, {**read.as_dict(), "gives_away": str(gives_away)})


def opened(args: argparse.Namespace, progress: Progress) -> tuple[Table, bytes]:
    from pprl_desktop.job.other_tools import read_secret

    return _options.read(args.table, progress, _options.how_read(args)), read_secret(Path(args.secret_file))


def same_names(table: Table) -> dict[str, str]:
    """Attributes whose column has their name."""
    from pprl_desktop.interchange.link_tokens import ATTRIBUTES

    return {name: name for name in ATTRIBUTES if table.has(name)}


def answer(written: Written) -> Answer:
    lines = [
        f"{written.records:,} records written; entry {written.entry} of the ledger.",
        str(written.gives_away),
        *map(str, written.notes),
    ]
    data = {"records": written.records, "entry": written.entry, "notes": [str(one) for one in written.notes]}
    return Answer("\n".join(lines), {**data, "gives_away": str(written.gives_away)})
