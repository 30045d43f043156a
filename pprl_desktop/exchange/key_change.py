"""A new key for an old contact: announced in a file signed with the old key."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from pprl_desktop.exchange import card, contacts, letters, refusals, seal, strict
from pprl_desktop.exchange.contacts import Contact
from pprl_desktop.exchange.home import Home
from pprl_desktop.exchange.identity import Identity
from pprl_desktop.exchange.keys import Mode
from pprl_desktop.problem import Problem


def announce(home: Home, own: Identity, contact: Contact, out: Path, mode: Mode = "hybrid") -> None:
    """Writes the announcement of the present key for one contact, signed with the key before it."""
    contacts.must_be_verified(contact)
    if not own.former:
        raise Problem("Your key was never changed.", do="There is nothing to announce.", place="key")
    old = replace(own, keys=own.former[0])
    body = {"card": home.own_card_bytes().decode()}
    manifest = letters.manifest(old, contact, "key_change", body=body)
    seal.seal(out, manifest, {}, old.keys, contact.card.keys, mode)


def apply(home: Home, letter: letters.Letter) -> Contact:
    """The contact with its new card: not verified, because whoever stole the old key could have signed this too."""
    body = letter.opened.manifest.body
    letter.opened.check()
    strict.only(body, {"card"}, place="body.")
    made = contacts.new(strict.text(body, "card", place="body.", longest=card.MAX_CARD).encode())
    if made.id == letter.contact.id:
        raise refusals.malformed("body.card", "It is the old card.")
    made = made.with_state("unverified", "New key, signed with the old one.")
    home.keep_contact(made)
    home.keep_contact(letter.contact.with_state("withdrawn", "Replaced by a new key."))
    for pact in home.pacts():
        if pact.contact == letter.contact.id and pact.state in ("proposed", "in force"):
            home.keep_pact(replace(pact, state="ended", reason="The partner has changed the key."))
    return made
