"""A new key for an old contact: announced in a file signed with the old key, and proved by the new one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from pprl_desktop.exchange import card, contacts, letters, refusals, seal, strict
from pprl_desktop.exchange.agreement import KEY_CHANGED_CODE
from pprl_desktop.exchange.contacts import NEW_KEY, REPLACED, Contact
from pprl_desktop.exchange.home import Home
from pprl_desktop.exchange.identity import Identity
from pprl_desktop.exchange.keys import Mode
from pprl_desktop.exchange.manifest import Party
from pprl_desktop.problem import Problem

CONTEXT = b"pprl-key-change/v2\0"


def _proved(old: Party, new: Party, recipient: Party) -> bytes:
    """What the new key signs: that these new keys replace these old ones, told to this contact."""
    return CONTEXT + strict.dumps({"old": old.as_plain(), "new": new.as_plain(), "to": recipient.as_plain()})


def announce(home: Home, own: Identity, contact: Contact, out: Path, mode: Mode = "hybrid") -> None:
    """Writes the announcement of the present key for one contact, signed with the key before it."""
    contacts.must_be_verified(contact)
    if not own.former:
        raise Problem("Your key was never changed.", do="There is nothing to announce.", place="key")
    old = replace(own, keys=own.former[0])
    proof = own.keys.sign(_proved(old.keys.public().party, own.keys.public().party, contact.card.party))
    body = {"card": home.own_card_bytes().decode(), "proof": proof.hex()}
    manifest = letters.manifest(old, contact, "key_change", body=body)
    seal.seal(out, manifest, {}, old.keys, contact.card.keys, mode)


def apply(home: Home, letter: letters.Letter) -> Contact:
    """The contact with its new card: not verified, because whoever stole the old key could have signed this too."""
    manifest = letter.opened.manifest
    contacts.must_be_verified(letter.contact)
    letters.check_alone(letter)
    strict.only(manifest.body, {"card", "proof"}, place="body.")
    made = contacts.new(strict.lines(manifest.body, "card", place="body.", longest=card.MAX_CARD).encode())
    proof = bytes.fromhex(strict.hexes(manifest.body, "proof", 64, place="body."))
    if made.id == letter.contact.id:
        raise refusals.malformed("body.card", "It is the old card.")
    _must_be_unknown(home, made)
    if not made.card.keys.verify(proof, _proved(manifest.sender, made.card.party, manifest.recipient)):
        raise refusals.malformed("body.proof", "The new key did not sign that it replaces the old one.")
    if made.name != letter.contact.name:
        raise refusals.malformed("body.card", "It has another name: a key change changes the key only.")
    made = made.with_state("unverified", NEW_KEY)
    home.keep_contact(made)
    home.keep_contact(letter.contact.with_state("withdrawn", REPLACED))
    for agreement in home.agreements():
        if agreement.contact == letter.contact.id and agreement.state in ("proposed", "in force"):
            home.keep_agreement(replace(agreement, state="ended", reason=KEY_CHANGED_CODE))
    return made


def _must_be_unknown(home: Home, made: Contact) -> None:
    """A contact may name a key of its own only: neither ours nor that of any contact, past ones included."""
    taken = [home.own_card().party, *(one.card.party for one in home.contacts())]
    new = made.card.party
    if any(new.sign == one.sign or new.seal == one.seal for one in taken):
        raise Problem(
            "This key change names a key that is known already.",
            "It is yours, or that of a contact. Whoever changes a key must bring a new one of their own.",
            "Do not use it. Ask the partner by telephone what happened to their key.",
            place="body.card",
        )
