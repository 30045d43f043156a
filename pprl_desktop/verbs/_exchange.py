"""What the verbs of the exchange share: home folder, passphrase, table and columns, and how things are said."""

from __future__ import annotations

import argparse
import getpass
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pprl_desktop.problem import Problem
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.verbs import _options

if TYPE_CHECKING:
    from pprl_desktop.exchange.agreement import Agreement
    from pprl_desktop.exchange.contacts import Contact
    from pprl_desktop.exchange.home import Home
    from pprl_desktop.exchange.identity import Identity
    from pprl_desktop.job.own_table import OwnTable
    from pprl_desktop.job.partnership import Partnership
    from pprl_desktop.project.choices import Choices

VARIABLE = "PPRL_PASSPHRASE"
MAX_PASSPHRASE = 1024  # bytes read from a file descriptor


def common(parser: argparse.ArgumentParser, *, unlocks: bool = True) -> None:
    parser.add_argument("--home", metavar="DIR", help="home folder (default: PPRL_HOME or the platform's data folder)")
    parser.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="print plain data")
    if unlocks:
        passphrase_option(parser)


def passphrase_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--passphrase-fd", type=int, metavar="N",
        help=f"read the passphrase from this file descriptor (else: {VARIABLE}, else a prompt; never an argument)",
    )  # fmt: skip


def sealing(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--out", required=True, metavar="FILE", help="where the sealed file for the partner goes")


def leaving(parser: argparse.ArgumentParser, flag: str, help: str) -> None:
    """What writes a file about the own table under an agreement; `flag` is the steward's word that it alone asks."""
    table_options(parser)
    number_option(parser)
    agreement_option(parser)
    sealing(parser)
    parser.add_argument(flag, action="store_true", help=help)
    common(parser)
    parser.set_defaults(json=False)


def seal_option(parser: argparse.ArgumentParser) -> None:
    """Part of a proposal: every file under the agreement is sealed like this."""
    parser.add_argument(
        "--seal", choices=("hybrid", "x25519"), default="hybrid",
        help="hybrid holds against quantum computers; x25519 opens with older age programs (default: hybrid)",
    )  # fmt: skip


def steps(parser: argparse.ArgumentParser, **helps: str) -> dict[str, argparse.ArgumentParser]:
    """One sub-command per step, in the order of the job."""
    made = parser.add_subparsers(dest="step", required=True, metavar="STEP")
    return {
        name: made.add_parser(name.replace("_", "-"), help=text, description=text, allow_abbrev=False)
        for name, text in helps.items()
    }


def home(args: argparse.Namespace) -> Home:
    from pprl_desktop.exchange.home import Home, default_home

    return Home(Path(args.home) if args.home else default_home())


def unlock(args: argparse.Namespace) -> tuple[Home, Identity]:
    here = home(args)
    here.own_card()
    return here, here.unlock(passphrase(args))


def passphrase(args: argparse.Namespace, *, new: bool = False, what: str = "Passphrase") -> str:
    """From a file descriptor, the environment or a prompt; a new one is asked for twice."""
    if args.passphrase_fd is not None:
        return first_line(args.passphrase_fd)
    if VARIABLE in os.environ:
        return os.environ[VARIABLE]
    if not sys.stdin.isatty():
        raise Problem(
            "A passphrase is needed.",
            "There is no terminal to ask for it.",
            f"Give it with --passphrase-fd or in {VARIABLE}.",
            place="passphrase",
        )
    typed = getpass.getpass(f"{what}: ")
    if new:
        from pprl_desktop.exchange.passphrase import strength

        print(strength(typed).sentence, file=sys.stderr)
        if getpass.getpass(f"{what} again: ") != typed:
            raise Problem("The two passphrases differ.", do="Try again.", place="passphrase")
    return typed


def first_line(descriptor: int) -> str:
    try:
        with os.fdopen(os.dup(descriptor), "rb") as source:
            data = source.read(MAX_PASSPHRASE)
        return data.decode("utf-8").splitlines()[0]
    except (OSError, UnicodeDecodeError, IndexError) as error:
        raise Problem(
            "The passphrase could not be read.",
            f"File descriptor {descriptor} gave no line of text.",
            "Check how the program was started.",
            place="passphrase",
        ) from error


def agreement_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--agreement", default="", metavar="ID", help="its id or the beginning (default: the only one)")


def table_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("table", metavar="TABLE.csv")
    parser.add_argument(
        "--columns", metavar="FIELD=COLUMN,...",
        help="own columns where they are named differently; remembered for this agreement",
    )  # fmt: skip
    _options.reading_options(parser)


def number_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--id", metavar="COLUMN",
        help="own record number: tells a changed record from a new one in the next delivery; never leaves, remembered",
    )  # fmt: skip


def columns(text: str | None, fields: list[str]) -> dict[str, str]:
    """'last_name=Surname,dob=Born', or all columns in the order of the fields."""
    pieces = [piece.strip() for piece in (text or "").split(",") if piece.strip()]
    if not pieces:
        return {}
    if all("=" in piece for piece in pieces):
        return {name.strip(): column.strip() for name, _, column in (piece.partition("=") for piece in pieces)}
    if len(pieces) != len(fields):
        raise Problem(
            f"{len(pieces)} columns were given for {len(fields)} fields.",
            do="Write FIELD=COLUMN pairs, or one column for each field in the same order.",
            place="columns",
        )
    return dict(zip(fields, pieces, strict=True))


def partnership(args: argparse.Namespace) -> Partnership:
    """The job under the agreement that was named, with the key unlocked."""
    from pprl_desktop.job.partnership import Partnership

    here, own = unlock(args)
    return Partnership(here, own, args.agreement)


def own_table(
    args: argparse.Namespace, partnership: Partnership, progress: Progress = NO_PROGRESS
) -> tuple[OwnTable, Choices]:
    """The own table, cleaned as agreed; columns, sheet and so on are remembered once it was seen to have them."""
    from pprl_desktop.job.own_table import OwnTable

    progress.at(0.0, "Reading")
    chosen = columns(args.columns, [one.name for one in partnership.agreement.terms.fields])
    how = _options.how_read(args)
    table, choices = OwnTable(), partnership.choices(Path(args.table), chosen, how)
    if getattr(args, "id", None):
        choices = choices.changed(id_column=args.id)
    table.clean(choices, progress)
    partnership.remember(chosen, choices)
    return table, choices


def contact_data(contact: Contact) -> dict[str, Any]:
    return {
        "id": contact.id, "name": contact.name, "state": contact.state, "since": contact.since,
        "note": str(contact.told),
    }  # fmt: skip


def agreement_data(agreement: Agreement) -> dict[str, Any]:
    terms = agreement.terms
    return {
        "id": agreement.id,
        "state": agreement.state,
        "role": agreement.role,
        "partner": agreement.partner_side.name,
        "reason": str(agreement.why),
        "method": terms.method,
        "fields": [one.name for one in terms.fields],
        "epsilon": terms.epsilon,
        "epsilon_unit": terms.unit,
        "rule": terms.rule,
        "columns": dict(agreement.columns),
        "sent": [{"sequence": one.sequence, "kind": one.kind, "seen": one.seen} for one in agreement.sent],
        "received": [{"sequence": one.sequence, "kind": one.kind} for one in agreement.received],
    }
