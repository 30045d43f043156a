"""A file that was sent, written once more from the home folder: the same bytes, entered as sent again before the copy.

Whoever lost a file on its way cannot open the ones behind it, and no step of the job writes any but the newest again.
"""

from __future__ import annotations

from pathlib import Path

from pprl_desktop import files
from pprl_desktop.exchange import contacts, letters, refusals
from pprl_desktop.exchange.agreement import Agreement, Item
from pprl_desktop.exchange.home import Home
from pprl_desktop.problem import Problem
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.said import Said

TERMS = 0  # in place of a number: the own proposal, or the own answer to the partner's


def write(home: Home, agreement_id: str, number: int, out: Path, progress: Progress = NO_PROGRESS) -> str:
    """What kind of file it is. Needs no key: it was sealed for the partner when it was made."""
    with home.locked():
        agreement = home.agreement(agreement_id)
        if number == TERMS:
            return _terms(home, agreement, out, progress)
        agreement.must_be_in_force()
        item = next((one for one in agreement.sent if one.sequence == number), None)
        if item is None:
            raise _never_sent(agreement, number)
        contacts.must_be_verified(home.contact(agreement.contact))
        kept = letters.kept_sent(home, agreement, item)
        _enter(home, agreement, item, files.sha256(kept))
        letters.copy(kept, out, progress)
        return item.kind


def _terms(home: Home, agreement: Agreement, out: Path, progress: Progress) -> str:
    """Holds no record of anybody, so it is in no ledger."""
    if agreement.state not in ("proposed", "in force"):
        agreement.must_be_in_force()
    proposed = agreement.role == "proposer"
    kept = home.folder(agreement.id) / ("proposal.pprl" if proposed else "answer.pprl")
    if not kept.is_file():
        raise refusals.lost_sent(agreement.partner_side.name, TERMS)
    letters.copy(kept, out, progress)
    return "proposal" if proposed else "accepted"


def _enter(home: Home, agreement: Agreement, item: Item, sha256: str) -> None:
    ledger = home.ledger()
    if item.kind == "data":
        entered = next((one for one in ledger.releases() if one.number == item.release), None)
        if entered is not None and entered.file in ("", sha256):
            return ledger.resent(item.release)
    else:
        beside = [one for one in ledger.disclosures() if one.agreement == agreement.id and not one.received]
        found = next((one for one in beside if one.file == sha256), None)
        if found is not None:
            return ledger.disclosed_again(found)
    raise Problem(
        "The record of releases does not know this file.",
        "It is older than such entries, or it is not the file that was sent.",
        "Write it in the step that wrote it first, or propose a new agreement.",
        place="releases",
    )


def _never_sent(agreement: Agreement, number: int) -> Problem:
    sent = [one.sequence for one in agreement.sent]
    why = (
        Said("The last one is file {last}.", last=sent[-1])
        if sent
        else Said("Nothing was sent under this agreement yet.")
    )
    return Problem(
        Said("There is no file {number} for {partner}.", number=number, partner=agreement.partner_side.name),
        why,
        "Ask the partner which number its program names.",
        place="number",
    )
