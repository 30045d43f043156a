"""agree: propose, show, accept, decline and finish an agreement."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pprl_desktop.cli import Answer
from pprl_desktop.problem import Problem
from pprl_desktop.progress import Progress
from pprl_desktop.verbs import _blind, _exchange, _options

if TYPE_CHECKING:
    from pprl_desktop.codes.base import Settings
    from pprl_desktop.exchange.agreement import Agreement
    from pprl_desktop.records.fields import Field


def arguments(parser: argparse.ArgumentParser) -> None:
    steps = _exchange.steps(
        parser,
        propose="write a proposal for a verified contact",
        show="show a proposal that came in, or an agreement at home, in plain words",
        accept="sign a proposal and write the answer",
        decline="decline a proposal with a reason",
        finish="take in the partner's answer",
        list="list all agreements",
        again="write a file that was sent before once more, the same bytes, for a partner who lost it",
        end="end an agreement on this side",
    )
    for name, step in steps.items():
        _exchange.common(step, unlocks=name not in {"list", "again", "end"})
    _propose_options(steps["propose"])
    steps["show"].add_argument("what", metavar="FILE|ID")
    for name in ("accept", "decline", "finish"):
        steps[name].add_argument("file", metavar="FILE")
    for name in ("propose", "accept", "decline"):
        _exchange.sealing(steps[name])
    for name in ("show", "accept"):
        _blind.weighing_options(steps[name])
    for name in ("decline", "end"):
        steps[name].add_argument("--reason", required=True, help="a sentence; the partner of a proposal reads it")
    for name in ("again", "end"):
        steps[name].add_argument("id", metavar="ID")
    steps["again"].add_argument(
        "--number", type=int, required=True, metavar="N",
        help="of the file, as the partner's program names it; 0: the own proposal or answer",
    )  # fmt: skip
    steps["again"].add_argument("--out", required=True, metavar="FILE.pprl", help="where to write it")


def _propose_options(step: argparse.ArgumentParser) -> None:
    step.add_argument("--with", dest="contact", required=True, metavar="CONTACT")
    step.add_argument(
        "--like", metavar="ID", help="terms of an agreement with somebody else: method, fields, cleaning, limits"
    )
    step.add_argument("--fields", metavar="NAME[:TYPE],...", help="matching fields, common to both sides")
    step.add_argument("--table", metavar="TABLE.csv", help="own table, to guess the types that are not given")
    step.add_argument(
        "--cleaning", action="append", default=[], metavar="FIELD.STEP=VALUE",
        help="a cleaning step that differs from the usual, such as last_name.diacritics=transliterate",
    )  # fmt: skip
    _options.method_options(step, blind=True)
    _blind.options(step)
    _exchange.seal_option(step)
    step.add_argument("--decoys", type=int, default=0, metavar="N", help="records that do not exist (default: 0)")
    step.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="a further setting of the method"
    )
    step.add_argument("--rule", default="both", choices=("both", "either", "review"), help="where the sides differ")
    step.add_argument("--max-rows", type=int, default=1_000_000, metavar="N", help="default: 1,000,000")
    step.add_argument("--max-mb", type=int, default=4096, metavar="MB", help="of one file (default: 4096)")
    step.add_argument(
        "--max-clear", type=int, default=5, metavar="N",
        help="with the rule 'review': of 100 records, how many may be sent in clear (default: 5)",
    )  # fmt: skip
    step.add_argument("--purpose", default="", help="what the linkage is for")
    step.add_argument(
        "--group", metavar="FILE.pprlgroup", help="the group of several parties that both sides consent to"
    )
    _options.reading_options(step)


def run(args: argparse.Namespace, progress: Progress) -> Answer:
    return {
        "propose": _propose, "show": _show, "accept": _accept, "decline": _decline, "finish": _finish,
        "list": _list, "again": _again, "end": _end,
    }[args.step](args, progress)  # fmt: skip


def _propose(args: argparse.Namespace, progress: Progress) -> Answer:
    from pprl_desktop.codes.base import method
    from pprl_desktop.exchange.agreeing import Offer
    from pprl_desktop.exchange.terms import Limits
    from pprl_desktop.job.partnership import Partnership

    here = _exchange.home(args)
    here.own_card()
    contact = Partnership.verified_contact(here, args.contact)
    if bool(args.like) == bool(args.fields):
        raise Problem(
            "It is not clear which terms to propose." if args.like else "The matching fields are missing.",
            do="Give --fields, or --like ID for the terms of an earlier agreement.",
            place="fields",
        )
    if args.like:
        offer = Partnership.same_terms(here, args.like)
        args.method = offer.method
    else:
        offer = Offer(
            args.method, _fields(args), _settings(args), args.reference, rule=args.rule,
            limits=Limits(args.max_rows, args.max_mb, args.max_clear), purpose=args.purpose, seal=args.seal,
        )  # fmt: skip
    if args.group:
        from pprl_desktop.job.groups import read_file

        offer = replace(offer, group=read_file(Path(args.group)))
    if args.table:
        offer = replace(offer, repeats=_repeats(args, offer.fields, progress))
    weighed = None
    if not method(args.method).smashes:
        prepared = _blind.prepared(args, offer.fields, here, contact.card.party.sign, progress)
        offer, weighed = replace(offer, blind=prepared.terms), prepared.weighed
    elif args.coverage is not None or args.mutual or args.partner_rows:
        raise Problem(
            "Only 'blind' has a coverage, a partner's number of records and two directions.",
            do="Leave them out, or choose --method blind.",
            place="method",
        )
    lines, data = _blind.told(weighed)
    here, own = _exchange.unlock(args)
    agreement = Partnership.propose(here, own, contact.id, offer, Path(args.out)).agreement
    words = [str(one) for one in agreement.in_words()]
    text = "\n".join([*words, *lines, "", f"Proposal {agreement.id[:12]} written. Send it to {contact.name}."])
    return Answer(text, {**_exchange.agreement_data(agreement), "words": list(words), "file": args.out, **data})


def _repeats(args: argparse.Namespace, fields: tuple[Field, ...], progress: Progress) -> float:
    """The share of records that repeat a person; who they are stays at home."""
    from pprl_desktop.job.own_table import OwnTable, as_choices
    from pprl_desktop.project.choices import Choices

    read = as_choices(_options.how_read(args))
    same = tuple((one.name, one.name) for one in fields)
    twice = OwnTable().held_twice(Choices(table_path=args.table, fields=fields, columns=same, **read), progress)
    return twice.share if twice is not None else 0.0


def _fields(args: argparse.Namespace) -> tuple[Field, ...]:
    from pprl_desktop.records.fields import Field

    if args.table:
        found = _options.parse_fields(args.fields, _options.read(args.table, options=_options.how_read(args)))
    else:
        pieces = [piece.strip() for piece in args.fields.split(",") if piece.strip()]
        found = tuple(Field.of(name, kind or "name") for name, _, kind in (piece.partition(":") for piece in pieces))
    from pprl_desktop.job.offers import with_entry

    by_name = {one.name: one for one in found}
    for text in args.cleaning:
        path, _, value = text.partition("=")
        name, _, step = path.rpartition(".")
        if name not in by_name:
            raise Problem(f"There is no field '{name}' to clean.", do="Write FIELD.STEP=VALUE.", place="cleaning")
        by_name[name] = replace(by_name[name], cleaning=with_entry(by_name[name].cleaning, step, value, "cleaning"))
    return tuple(by_name.values())


def _settings(args: argparse.Namespace) -> Settings:
    from pprl_desktop.codes.base import Settings
    from pprl_desktop.job.offers import with_entry

    plain = Settings()
    further: dict[str, Any] = {"decoys": args.decoys}
    for text in args.set:
        name, _, value = text.partition("=")
        further[name] = getattr(with_entry(plain, name, value, "set"), name)
    return _options.settings_from(args, **further)


def _show(args: argparse.Namespace, progress: Progress) -> Answer:
    from pprl_desktop.job.partnership import Partnership

    if Path(args.what).is_file():
        here, own = _exchange.unlock(args)
        proposal = Partnership.read_proposal(here, own, Path(args.what))
        words = [str(one) for one in proposal.in_words()]
        lines, data = _blind.told(_blind.weighed(args, proposal, progress))
        text = "\n".join([*words, *lines, "", "Nothing is signed yet: 'agree accept' or 'agree decline'."])
        return Answer(text, {"words": list(words), "id": proposal.terms.id, "partner": proposal.contact.name, **data})
    agreement = _exchange.home(args).agreement(args.what)
    words = [str(one) for one in agreement.in_words()]
    return Answer(
        "\n".join([*words, "", _state(agreement)]), {**_exchange.agreement_data(agreement), "words": list(words)}
    )


def _accept(args: argparse.Namespace, progress: Progress) -> Answer:
    from pprl_desktop.job.partnership import Partnership

    here, own = _exchange.unlock(args)
    proposal = Partnership.read_proposal(here, own, Path(args.file))
    weighed = _blind.weighed(args, proposal, progress)
    chosen = _exchange.columns(args.columns, [one.name for one in proposal.terms.fields])
    agreement = Partnership.accept(here, own, proposal, Path(args.out), chosen, weighed=weighed).agreement
    lines, data = _blind.told(weighed)
    text = f"Agreement {agreement.id[:12]} signed and in force here. Send the answer to {proposal.contact.name}."
    return Answer("\n".join([text, *lines]), {**_exchange.agreement_data(agreement), "file": args.out, **data})


def _decline(args: argparse.Namespace, progress: Progress) -> Answer:
    from pprl_desktop.job.partnership import Partnership

    here, own = _exchange.unlock(args)
    proposal = Partnership.read_proposal(here, own, Path(args.file))
    agreement = Partnership.decline(here, own, proposal, args.reason, Path(args.out)).agreement
    text = f"Proposal {agreement.id[:12]} declined. Send the answer to {proposal.contact.name}."
    return Answer(text, {**_exchange.agreement_data(agreement), "file": args.out})


def _finish(args: argparse.Namespace, progress: Progress) -> Answer:
    from pprl_desktop.job.partnership import Partnership

    here, own = _exchange.unlock(args)
    received = Partnership.open(here, own, Path(args.file))
    data = _exchange.agreement_data(received.agreement) if received.agreement else {}
    return Answer(str(received.sentence), {"kind": received.kind, **data})


def _list(args: argparse.Namespace, progress: Progress) -> Answer:
    agreements = _exchange.home(args).agreements()
    lines = [_state(agreement) for agreement in agreements] or ["No agreements yet."]
    return Answer("\n".join(lines), {"agreements": [_exchange.agreement_data(agreement) for agreement in agreements]})


def _again(args: argparse.Namespace, progress: Progress) -> Answer:
    from pprl_desktop.job.partnership import Partnership

    here = _exchange.home(args)
    agreement = here.agreement(args.id)
    kind = Partnership.send_again(here, agreement.id, args.number, Path(args.out), progress)
    text = f"File {args.number} ({kind}) written again, the same bytes. Send it to {agreement.partner_side.name}."
    return Answer(text, {**_exchange.agreement_data(agreement), "kind": kind, "number": args.number, "file": args.out})


def _end(args: argparse.Namespace, progress: Progress) -> Answer:
    from pprl_desktop.job.partnership import Partnership

    agreement = Partnership.end(_exchange.home(args), args.id, args.reason)
    return Answer(
        f"Agreement {agreement.id[:12]} is ended here. Tell the partner.", _exchange.agreement_data(agreement)
    )


def _state(agreement: Agreement) -> str:
    sent, received = (
        ", ".join(one.kind for one in items) or "nothing" for items in (agreement.sent, agreement.received)
    )
    reason = f": {agreement.why}" if agreement.why else ""
    return (
        f"{agreement.id[:12]}  with {agreement.partner_side.name}, {agreement.terms.method}, {agreement.state}{reason}"
        f"; sent {sent}; received {received}"
    )
