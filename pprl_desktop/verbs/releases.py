"""releases: list everything released so far, verify and repair the record of it, set the organisation's limits."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from pprl_desktop.cli import FAILURE, Answer
from pprl_desktop.exchange.disclosures import CLEAR, CLEAR_RECORDS
from pprl_desktop.exchange.release_totals import RELEASES
from pprl_desktop.job.disclosure import repeated
from pprl_desktop.problem import Problem
from pprl_desktop.progress import Progress
from pprl_desktop.verbs import _exchange

if TYPE_CHECKING:
    from pprl_desktop.exchange.disclosures import Disclosure
    from pprl_desktop.exchange.releases import Release, ReleaseLedger


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--home", metavar="DIR", help="the home folder (default: that of this user)")
    steps = parser.add_subparsers(dest="step", metavar="list|verify|limit|repair")
    steps.add_parser("list", help="everything that left: bundles with their epsilon, results, cells in clear (default)")
    verify = steps.add_parser(
        "verify", help="check that no entry was changed or removed, and that no agreement knows more"
    )
    verify.add_argument("--head", default="", help="the last hash noted in a report: shows a cut-off end")
    limit = steps.add_parser("limit", help="the most that may be released of a table to one partner")
    limit.add_argument(
        "unit", nargs="?", help="such as 'per record', 'per bit', 'without noise', 'releases' or 'clear records'"
    )
    limit.add_argument("most", nargs="?", help="a number, or 'none' to take the limit away; 'without noise' takes 0")
    repair = steps.add_parser("repair", help="enter again what the agreements know and an older or damaged record lost")
    _exchange.passphrase_option(repair)
    for step in steps.choices.values():  # may stand before or after the step
        step.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="print plain data")
        step.add_argument("--home", metavar="DIR", default=argparse.SUPPRESS, help="the home folder")


def run(args: argparse.Namespace, progress: Progress) -> Answer:
    home = _exchange.home(args)
    if args.step == "repair":
        return _repair(args)
    if args.step != "limit" and not home.ledger_path.exists() and not home.noted().anything:
        return Answer("Nothing has been released from this computer.", {"releases": [], "limits": {}, "events": 0})
    ledger = home.ledger()
    if args.step == "verify":
        return _verify(ledger, args.head)
    if args.step == "limit":
        with home.locked():
            return _limit(ledger, args.unit, args.most)
    return _list(ledger)


def _repair(args: argparse.Namespace) -> Answer:
    from pprl_desktop.exchange.release_repair import repair

    here, own = _exchange.unlock(args)
    made = repair(here, own)
    return Answer("\n".join(map(str, made.sentences())), vars(made))


def _list(ledger: ReleaseLedger) -> Answer:
    from pprl_desktop.job.blind import answers_given

    releases, limits = ledger.releases(), ledger.limits()
    checked = ledger.verify()
    beside = ledger.disclosures()
    data: dict[str, Any] = {
        "releases": [one.as_dict() for one in releases],
        "disclosures": [one.as_dict() for one in beside],
        "limits": dict(limits),
        "events": checked.events,
        "head": checked.head,
        "whole": checked.whole,
    }
    by_number = {one.number: _line(one) for one in releases} | {one.number: _beside_line(one) for one in beside}
    lines = [by_number[number] for number in sorted(by_number)] or ["Nothing has been released yet."]
    lines += [str(said) for _, said in repeated(releases)]
    given = answers_given(ledger)
    lines += [str(found.said(partner[:16])) for partner, found in given]
    data["guesses"] = {partner: found.guesses for partner, found in given}
    lines += [f"Limit: {_limit_words(unit, most)}" for unit, most in limits.items()]
    lines.append(_chain_words(checked.events, checked.head) if checked.problem is None else str(checked.problem))
    return Answer("\n".join(lines), data, 0 if checked.whole else FAILURE)


def _line(one: Release) -> str:
    noise = f"epsilon {one.epsilon} {one.unit}, at most {one.record_epsilon} per record" if one.epsilon else "no noise"
    written = "" if one.file else " (entered, file not finished)"
    return (
        f"{one.number}. {one.time[:16].replace('T', ' ')} UTC: {one.table.rows:,} records to {one.partner[:16]} "
        f"under agreement {one.agreement[:16]}, {one.method}, {noise}{_again(one.sent)}{written}"
    )


def _again(times: int) -> str:
    return f", sent again {'once' if times == 1 else f'{times:,} times'}" if times else ""


def _beside_line(one: Disclosure) -> str:
    """Results, requests and cells in clear; those in clear are told as such."""
    what = f"{one.what.upper()} ({', '.join(one.fields)})" if one.what == CLEAR else one.what
    way = "from" if one.received else "to"
    written = "" if one.file or one.received else " (entered, file not finished)"
    return (
        f"{one.number}. {one.time[:16].replace('T', ' ')} UTC: {what}, {one.records:,} "
        f"{'pairs' if one.what in ('result', 'request for cells') else 'records'} {way} {one.partner[:16]}"
        f"{f', {one.guesses:,} guesses' if one.guesses else ''}"
        f"{f' under agreement {one.agreement[:16]}' if one.agreement else ''}{_again(one.sent)}{written}"
    )


def _limit_words(unit: str, most: float) -> str:
    if unit == "without noise":
        return "none without noise."
    if unit == RELEASES:
        return f"{most:,.0f} releases of the same people to one partner."
    return f"{most:,.0f} records in clear to one partner." if unit == CLEAR_RECORDS else f"epsilon {most:g} {unit}."


def _verify(ledger: ReleaseLedger, head: str) -> Answer:
    found = ledger.verify(head)
    data = {"whole": found.whole, "events": found.events, "head": found.head}
    if found.problem is not None:
        return Answer(str(found.problem), {**data, "problem": found.problem.as_dict()}, FAILURE)
    return Answer(_chain_words(found.events, found.head), data)


def _chain_words(events: int, head: str) -> str:
    return f"The record of releases is whole: {events:,} entries, the last one is {head}."


def _limit(ledger: ReleaseLedger, unit: str | None, most: str | None) -> Answer:
    if unit is not None:
        ledger.set_limit(unit, _number(most))
    limits = dict(ledger.limits())
    lines = [
        "Releases without noise are not allowed." if name == "without noise"
        else f"At most {value:,.0f} records in clear to one partner." if name == CLEAR_RECORDS
        else f"At most {value:,.0f} releases of the same people to one partner." if name == RELEASES
        else f"At most epsilon {value:g} {name} of a table to one partner."
        for name, value in limits.items()
    ] or ["There is no limit."]  # fmt: skip
    return Answer("\n".join(lines), {"limits": limits})


def _number(text: str | None) -> float | None:
    if text is None:
        raise Problem("The limit is missing.", do="Give a number, or 'none' to take the limit away.", place="most")
    if text.lower() == "none":
        return None
    try:
        return float(text)
    except ValueError:
        raise Problem(
            f"'{text}' is not a number.", do="Give a number, or 'none' to take the limit away.", place="most"
        ) from None
