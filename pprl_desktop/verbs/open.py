"""open: check and open whatever the partner sent."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from pprl_desktop.cli import Answer
from pprl_desktop.progress import Progress
from pprl_desktop.verbs import _exchange

if TYPE_CHECKING:
    from pprl_desktop.exchange.home import Home
    from pprl_desktop.exchange.identity import Identity


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE")
    parser.add_argument("--receipt", metavar="FILE", help="also write a sealed confirmation for the partner")
    _exchange.common(parser)
    parser.set_defaults(json=False)


def run(args: argparse.Namespace, progress: Progress) -> Answer:
    here, own = _exchange.unlock(args)
    return opened(args, here, own, progress)


def opened(args: argparse.Namespace, here: Home, own: Identity, progress: Progress) -> Answer:
    from pprl_desktop.job.partnership import Partnership

    progress.at(0.0, "Checking")
    received = Partnership.open(here, own, Path(args.file), progress)
    lines = [str(received.sentence)]
    data: dict[str, object] = {
        "kind": received.kind, "partner": received.contact.name, "rows": received.rows,
        "statement": str(received.statement),
    }  # fmt: skip
    if received.proposal is not None:
        words = [str(one) for one in received.proposal.in_words()]
        lines += ["", *words]
        data |= {"id": received.proposal.terms.id, "words": words}
    elif received.statement:
        lines.append(f"Privacy: {received.statement}")
    if received.agreement is not None:
        data["agreement"] = received.agreement.id
    if received.item is not None:
        data["sequence"] = received.item.sequence
        if args.receipt and received.agreement is not None:
            Partnership(here, own, received.agreement.id).receipt(received, Path(args.receipt))
            lines.append("A confirmation for the partner was written.")
    progress.at(1.0)
    return Answer("\n".join(lines), data)
