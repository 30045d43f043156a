"""Contacts: the cards of partners, and whether their safety number was compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, cast, get_args

from pprl_desktop.exchange import card, refusals, strict
from pprl_desktop.exchange.card import Card, SafetyNumber, safety_number
from pprl_desktop.exchange.clock import now
from pprl_desktop.exchange.names import alike, skeleton
from pprl_desktop.problem import Problem
from pprl_desktop.said import NOTHING, Said

State = Literal["unverified", "verified", "withdrawn"]
STATES: tuple[State, ...] = get_args(State)


# a note of this program's own is kept as a word, and said in the reader's language
NEW_KEY, REPLACED = "new-key", "replaced"
_NOTES = {
    NEW_KEY: Said("New key, signed with the old one."),
    REPLACED: Said("Replaced by a new key."),
}


@dataclass(frozen=True)
class Contact:
    card: Card
    state: State
    since: str  # when the state was reached
    note: str = ""  # reason of a withdrawal, or what happened to the key
    raw: bytes = b""  # the card as it came, signature included

    @property
    def id(self) -> str:
        return self.card.id

    @property
    def name(self) -> str:
        return self.card.name

    @property
    def told(self) -> Said:
        """The note: one of this program's own, or somebody's words."""
        return _NOTES.get(self.note) or (Said("{note}", note=self.note) if self.note else NOTHING)

    def with_state(self, state: State, note: str = "") -> Contact:
        return replace(self, state=state, since=now(), note=note)

    def write(self) -> bytes:
        plain = {"card": self.raw.decode(), "state": self.state, "since": self.since, "note": self.note}
        return strict.dumps(plain) + b"\n"


def new(raw: bytes) -> Contact:
    """From a card that came in: not verified yet."""
    return Contact(card.read(raw), "unverified", now(), raw=raw)


def read(data: bytes) -> Contact:
    plain = strict.loads(data.removesuffix(b"\n"), "contact")
    strict.only(plain, {"card", "state", "since", "note"})
    raw = strict.any_text(plain, "card", longest=card.MAX_CARD).encode()
    state = cast(State, strict.one_of(plain, "state", STATES))
    note = strict.any_text(plain, "note", longest=500)
    return Contact(card.read(raw, kept=True), state, strict.text(plain, "since"), note, raw)


def find(contacts: Sequence[Contact], wanted: str) -> Contact:
    """By name (any case) or by the beginning of the id; a name that two contacts have is refused."""
    low = wanted.strip().lower()
    named = [contact for contact in contacts if contact.name.lower() == low]
    current = [contact for contact in named if contact.state != "withdrawn"] or named
    matches = current or [contact for contact in contacts if len(low) >= 4 and contact.id.startswith(low)]
    if len(matches) == 1:
        return matches[0]
    if matches:
        ids = ", ".join(contact.id for contact in matches)
        raise Problem("Several contacts fit.", Said("Their ids are {ids}.", ids=ids), "Use the id.", place="contact")
    names = ", ".join(sorted(contact.name for contact in contacts))
    raise Problem(
        "There is no such contact.",
        Said("Your contacts: {names}.", names=names) if names else Said("You have no contacts yet."),
        "Import the partner's card.",
        place="contact",
    )


def taken_for(made: Contact, own: Card, known: Sequence[Contact]) -> tuple[str, ...]:
    """Names of others, the own one among them, that this contact's name could be taken for."""
    others = {one.id: one.name for one in known} | {own.id: own.name}
    return tuple(name for id_, name in others.items() if id_ != made.id and alike(name, made.name))


def organisations(known: Sequence[Contact]) -> dict[str, str]:
    """Fingerprint of a signing key -> whose it is. A new key or a new card does not begin a partner's sums anew."""
    return {one.card.party.sign: skeleton(one.name) for one in known}


def verified(contact: Contact, own: Card, typed: str) -> Contact:
    """The contact as verified, if `typed` (words or digits) is the safety number the partner read out."""
    if contact.state == "withdrawn":
        raise withdrawn(contact)
    if not number_with(own, contact).is_same(typed):
        raise Problem(
            "The safety numbers differ.",
            "Either a word was misheard, or somebody exchanged a card on its way.",
            "Compare again by telephone. If they still differ, do not go on: exchange the cards anew.",
            place="safety number",
        )
    return contact.with_state("verified")


def number_with(own: Card, contact: Contact) -> SafetyNumber:
    return safety_number(own.keys, contact.card.keys)


def must_be_verified(contact: Contact) -> None:
    """Nothing is sealed for a key that was not compared by telephone."""
    if contact.state == "withdrawn":
        raise withdrawn(contact)
    if contact.state != "verified":
        raise Problem(
            Said("The contact {name} is not verified.", name=contact.name),
            "Without comparing the safety number, the file could be for somebody else's key.",
            "Compare the safety number by telephone first.",
            place="contact",
        )


def withdrawn(contact: Contact) -> Problem:
    return Problem(
        Said("The contact {name} was withdrawn.", name=contact.name),
        contact.told or "Its key is no longer trusted.",
        "Import a new card and compare the safety number.",
        place="contact",
    )


def pinned(contacts: Sequence[Contact]) -> list[bytes]:
    """Signing keys from which a file is looked at, at all."""
    return [contact.card.keys.sign for contact in contacts if contact.state != "withdrawn"]


def of_sender(contacts: Sequence[Contact], sign: bytes) -> Contact:
    for contact in contacts:
        if contact.card.keys.sign == sign and contact.state != "withdrawn":
            return contact
    raise refusals.not_from_partner()
