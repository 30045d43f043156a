"""What every sealed file between two stewards shares: its manifest, and the checks of who wrote it for whom."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pprl_desktop import files
from pprl_desktop.exchange import clock, contacts, refusals, seal
from pprl_desktop.exchange.agreement import Agreement, Item
from pprl_desktop.exchange.contacts import Contact
from pprl_desktop.exchange.container import Arrays
from pprl_desktop.exchange.home import Home
from pprl_desktop.exchange.identity import Identity
from pprl_desktop.exchange.manifest import NO_AGREEMENT, NO_PREVIOUS, Manifest
from pprl_desktop.exchange.seal import Opened
from pprl_desktop.exchange.signatory import Signatory
from pprl_desktop.exchange.strict import Plain
from pprl_desktop.exchange.terms import FIRST, Terms
from pprl_desktop.problem import Failure, Problem
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.said import Said

SUFFIX = ".pprl"
PACKED_TIMES = 16  # an honest file packs to no less than a sixteenth of its size: random names and codes hardly repeat
SMALL = 16 << 20  # bytes: what unpacks to no more is read however it is packed


@dataclass(frozen=True)
class Letter:
    """A file whose seal and signature hold, from a known contact, for us. Its arrays were not read yet."""

    opened: Opened
    contact: Contact


def manifest(
    own: Identity,
    contact: Contact,
    kind: str,
    *,
    body: Plain,
    agreement: str = NO_AGREEMENT,
    sequence: int = 0,
    previous: str = NO_PREVIOUS,
    statement: str = "",
) -> Manifest:
    return Manifest(
        kind, os.urandom(16).hex(), agreement, sequence, previous,
        own.keys.public().party, contact.card.party, clock.now(), statement, body,
    )  # fmt: skip


def manifest_to_self(own: Identity, agreement: str, body: Plain) -> Manifest:
    """For what is kept at home, sealed: it comes from us and is for us."""
    party = own.keys.public().party
    return Manifest(
        "data", os.urandom(16).hex(), agreement, 0, NO_PREVIOUS, party, party, clock.now(), "", body
    )  # fmt: skip


def open_letter(home: Home, own: Identity, path: Path) -> Letter:
    """Opens what a partner sent: our key, their signature, their name in it, ours as the one it was written for."""
    known = home.contacts()
    opened = seal.open_sealed(path, [own.keys], contacts.pinned(known))
    contact = contacts.of_sender(known, opened.sender)
    if opened.manifest.recipient != own.keys.public().party:
        raise refusals.passed_on()
    if opened.manifest.sender != contact.card.party:
        raise refusals.malformed("from", "It names other keys than those of the sender's card.")
    return Letter(opened, contact)


def must_be_sealed(letter: Letter, agreed: Terms) -> None:
    """A seal that holds less than the agreed one is refused; one that holds more is not."""
    if letter.opened.mode == "x25519" and agreed.seal == "hybrid" and agreed.version > FIRST:
        raise refusals.weaker_seal()


def must_be_outside(letter: Letter) -> None:
    """A letter that belongs to no chain says so."""
    found = letter.opened.manifest
    if found.sequence or found.previous != NO_PREVIOUS:
        raise refusals.malformed("sequence", "A file of this kind has no number.")


def check_alone(letter: Letter) -> None:
    """Every byte of a letter that is a manifest and nothing else; arrays in it would only cost time and memory."""
    must_be_outside(letter)
    if letter.opened.manifest.entries:
        raise refusals.malformed("entries", "A file of this kind carries no arrays.")
    letter.opened.check()


def must_be_packed(letter: Letter) -> None:
    """For lists that are read whole: some kilobytes that unpack to gigabytes were made to fill the memory."""
    found = letter.opened.manifest
    if found.raw > max(SMALL, PACKED_TIMES * found.stored):
        raise refusals.malformed("entries", "Its lists unpack to far more than an honest file would.")


def agreement_of(home: Home, letter: Letter, *, in_chain: bool = True) -> Agreement:
    """The agreement in force that the letter belongs to, and that it comes next in its direction."""
    found = letter.opened.manifest
    if not home.has_agreement(found.agreement):
        raise refusals.other_agreement()
    agreement = home.agreement(found.agreement)
    if agreement.contact != letter.contact.id or agreement.partner_side.party != found.sender:
        raise refusals.not_from_partner()
    if agreement.own_side.party != found.recipient:
        raise refusals.passed_on()
    agreement.must_be_in_force()
    must_be_sealed(letter, agreement.terms)
    if in_chain:
        agreement.check_next(found, letter.opened.digest)
    limits = agreement.terms.limits
    if found.raw > limits.bytes:
        raise refusals.larger_than_agreed("bytes", found.raw, limits.bytes)
    return agreement


def partner_of(signatory: Signatory) -> Contact:
    """The verified partner of an agreement in force, with the keys both signed for."""
    agreement = signatory.agreement
    agreement.must_be_in_force()
    contact = next((one for one in signatory.home.contacts() if one.id == agreement.contact), None)
    if contact is None or contact.card.party != agreement.partner_side.party:
        raise _no_card()
    contacts.must_be_verified(contact)
    if signatory.identity.keys.public().party != agreement.own_side.party:
        raise Problem(
            "The agreement was signed with a key you have changed.",
            "It holds for the old key only.",
            "Propose a new agreement.",
            place="agreement",
        )
    return contact


def _no_card() -> Problem:
    return Problem(
        "The partner's card is no longer here.", do="Import it again and compare the safety number.", place="contact"
    )


def send(
    signatory: Signatory,
    kind: str,
    body: Plain,
    arrays: Arrays,
    *,
    statement: str = "",
    table: str = "",
    release: int = 0,
    beside: Callable[[Path, Manifest], None] | None = None,
    progress: Progress = NO_PROGRESS,
) -> tuple[Agreement, Item]:
    """Seals the next file of an agreement and keeps it at home; `publish` puts a copy where the steward wants it.

    `beside` writes what belongs to it (the map of pseudonyms) before the record says that the file exists; it is given
    the manifest without the entries.
    """
    agreement = signatory.agreement
    contact = partner_of(signatory)
    sequence, previous = agreement.next_sent()
    made = manifest(
        signatory.identity,
        contact,
        kind,
        body=body,
        agreement=agreement.id,
        sequence=sequence,
        previous=previous,
        statement=statement,
    )
    limits = agreement.terms.limits
    size = sum(array.nbytes for array in arrays.values())
    if size > limits.bytes:
        raise Problem(
            "The file would be larger than agreed.",
            Said("It would hold {size} bytes; the agreement allows {bytes}.", size=size, bytes=limits.bytes),
            "Use fewer rows, or make a new agreement with a higher limit.",
            place="limits",
        )
    item = Item(sequence, kind, "", made.made, table, release)
    target = signatory.folder / "sent" / item.name
    files.make_folder(target.parent)
    digest = seal.seal(target, made, arrays, signatory.identity.keys, contact.card.keys, agreement.terms.seal, progress)
    if beside is not None:
        beside(target, made)
    item = Item(sequence, kind, digest, made.made, table, release)
    changed = agreement.with_sent(item)
    signatory.home.keep_agreement(changed)
    return changed, item


def sent_path(home: Home, agreement: Agreement, item: Item) -> Path:
    return home.folder(agreement.id) / "sent" / item.name


def kept_sent(home: Home, agreement: Agreement, item: Item) -> Path:
    """Where the sealed file lies that the record says was sent; a Problem says what to do where it does not."""
    path = sent_path(home, agreement, item)
    if not path.is_file():
        raise refusals.lost_sent(agreement.partner_side.name, item.sequence)
    return path


def received_path(home: Home, agreement: Agreement, item: Item) -> Path:
    return home.folder(agreement.id) / "received" / item.name


def publish(home: Home, agreement: Agreement, item: Item, out: Path, progress: Progress = NO_PROGRESS) -> None:
    """A copy of the sealed file for the partner: the same bytes however often it is asked for."""
    copy(kept_sent(home, agreement, item), out, progress)


def receive(
    home: Home, letter: Letter, agreement: Agreement, progress: Progress = NO_PROGRESS
) -> tuple[Agreement, Item]:
    """Keeps a letter that was checked: still sealed, in the home folder, as the next one of the partner's chain."""
    found = letter.opened.manifest
    item = Item(found.sequence, found.kind, letter.opened.digest, found.made)
    target = received_path(home, agreement, item)
    files.make_folder(target.parent)
    copy(letter.opened.path, target, progress)
    changed = agreement.with_received(item)
    home.keep_agreement(changed)
    return changed, item


def reopen(signatory: Signatory, item: Item) -> Opened:
    """A letter received earlier, from the home folder."""
    agreement = signatory.agreement
    sign = next((one.card.keys.sign for one in signatory.home.contacts() if one.id == agreement.contact), None)
    if sign is None:
        raise _no_card()
    path = signatory.received_path(item)
    if not path.is_file():
        raise refusals.lost_received(agreement.partner_side.name, item.sequence, missing=True)
    try:
        opened = seal.open_sealed(path, signatory.identity.all_keys, [sign])
    except Failure:
        raise
    except Problem as error:
        raise refusals.lost_received(agreement.partner_side.name, item.sequence, missing=False) from error
    if opened.digest != item.digest:
        raise refusals.lost_received(agreement.partner_side.name, item.sequence, missing=False)
    return opened


# ---- kept at home, sealed to oneself


def seal_to_self(own: Identity, path: Path, agreement: Agreement, body: Plain, arrays: Arrays) -> None:
    """Something only this home folder's owner can read again."""
    public = own.keys.public()
    made = manifest_to_self(own, agreement.id, body)
    seal.seal(path, made, arrays, own.keys, public)


def open_own(own: Identity, path: Path, instead: str = "") -> Opened:
    """`instead`: what to do where it is lost, if it can be made anew."""
    if not path.is_file():
        raise refusals.lost_own(path.name, instead, missing=True)
    try:
        opened = seal.open_sealed(path, own.all_keys, [keys.public().sign for keys in own.all_keys])
        if opened.manifest.sender != opened.manifest.recipient:
            raise refusals.damaged()
        opened.check()
    except Failure:
        raise  # what the computer refused is not damaged
    except Problem as error:
        raise refusals.lost_own(path.name, instead, missing=False) from error
    return opened


def own_copy(target: Path) -> Path:
    """Beside a sent file: what it held, for its sender alone."""
    return target.with_suffix(".own")


def copy(source: Path, target: Path, progress: Progress = NO_PROGRESS) -> None:
    try:
        size = source.stat().st_size
        files.need_space(target.parent, size)
        with files.open_regular(source) as reader, files.replacing(target) as out:
            done = 0
            while block := reader.read(1 << 20):
                out.write(block)
                done += len(block)
                progress.at(done / size)
    except OSError as error:
        raise files.refused(error) from error
