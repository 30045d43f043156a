"""An agreement as one side keeps it: terms, signatures, state, the own columns, and the chains of files both ways."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal, cast, get_args

from pprl_desktop.codes.directions import Direction, turned
from pprl_desktop.exchange import refusals, strict, terms, terms_words
from pprl_desktop.exchange.manifest import KINDS, NO_PREVIOUS, Manifest
from pprl_desktop.exchange.strict import Plain
from pprl_desktop.exchange.terms import Side, Terms
from pprl_desktop.problem import Problem
from pprl_desktop.said import NOTHING, Said

Role = Literal["proposer", "accepter"]
State = Literal["proposed", "in force", "declined", "ended"]
STATES: tuple[State, ...] = get_args(State)
MAX_FILES = 10_000
MAX_READING = 1 << 16  # characters of one choice of how the own table is read
# a reason of this program's own is kept as a word, and said in the reader's language
KEY_CHANGED_CODE = "key-changed"
KEY_CHANGED = Said("The partner has changed the key.")


@dataclass(frozen=True)
class Item:
    """One file of a chain, as it was sealed or accepted."""

    sequence: int
    kind: str
    digest: str  # SHA-256 of its manifest
    made: str
    table: str = ""  # keyed hash of the table in a data bundle we sent, rows in order
    release: int = 0  # number in the release ledger
    seen: str = ""  # when the partner's receipt came

    @property
    def name(self) -> str:
        return f"{self.sequence:04d}-{self.kind}.pprl"

    def as_plain(self) -> Plain:
        return dict(vars(self))


@dataclass(frozen=True)
class Anchor:
    """The end of the release ledger as a record notes it: an older or another ledger does not have it."""

    events: int = 0
    head: str = ""


@dataclass(frozen=True)
class Agreement:
    document: bytes
    role: Role
    state: State
    contact: str  # id of the partner's card
    own_signature: str
    partner_signature: str = ""
    reason: str = ""  # why it was declined or ended
    columns: tuple[tuple[str, str], ...] = ()  # field -> own column
    reading: tuple[tuple[str, str], ...] = ()  # how the own table was read: sheet, codes, widths, made columns
    sent: tuple[Item, ...] = ()
    received: tuple[Item, ...] = ()
    anchor: Anchor = field(default=Anchor(), compare=False)  # kept by the home folder, not by whoever changes the rest

    @property
    def id(self) -> str:
        return terms.agreement_id(self.document)

    @cached_property
    def terms(self) -> Terms:
        return terms.parse(self.document)

    def in_words(self) -> tuple[Said, ...]:
        return terms_words.in_words(self.terms)

    @property
    def own_side(self) -> Side:
        return self.terms.proposer if self.role == "proposer" else self.terms.accepter

    @property
    def direction(self) -> Direction:
        """From the own table to the partner's."""
        agreed = self.terms.settings.direction
        return agreed if self.role == "proposer" else turned(agreed)

    @property
    def partner_side(self) -> Side:
        return self.terms.accepter if self.role == "proposer" else self.terms.proposer

    def must_be_in_force(self) -> None:
        if self.state != "in force":
            said = {
                "proposed": Said("The partner has not answered yet."),
                "declined": Said("It was declined: {reason}.", reason=self.reason)
                if self.reason
                else Said("It was declined: no reason given."),
                "ended": self.why or Said("It was ended."),
            }[self.state]
            raise Problem(
                "The agreement is not in force.", said, "Wait for the answer or propose a new one.", place="agreement"
            )

    @property
    def why(self) -> Said:
        """The reason it was declined or ended for: one of this program's own, or somebody's words."""
        return (
            KEY_CHANGED
            if self.reason == KEY_CHANGED_CODE
            else Said("{reason}", reason=self.reason)
            if self.reason
            else NOTHING
        )

    def next_sent(self) -> tuple[int, str]:
        """Sequence and previous digest of the next file we send."""
        return _next(self.sent)

    def check_next(self, manifest: Manifest, digest: str) -> None:
        """Replays and files out of order are refused."""
        sequence, previous = _next(self.received)
        if any(item.digest == digest for item in self.received):
            raise refusals.already_imported()
        if manifest.sequence < 1:
            raise refusals.malformed("sequence", "A file of this kind has a number.")
        if manifest.sequence != sequence or manifest.previous != previous:
            last = (self.received[-1].sequence, self.received[-1].made) if self.received else (0, "")
            raise refusals.wrong_sequence(self.partner_side.name, manifest.made, last, manifest.sequence)

    def with_sent(self, item: Item) -> Agreement:
        return replace(self, sent=(*self.sent, item))

    def with_received(self, item: Item) -> Agreement:
        return replace(self, received=(*self.received, item))

    def with_receipt(self, digest: str, when: str) -> Agreement:
        if not any(item.digest == digest for item in self.sent):
            raise refusals.does_not_fit("received", "It confirms a file that was never sent.")
        return replace(self, sent=tuple(replace(one, seen=when) if one.digest == digest else one for one in self.sent))

    def latest_sent(self, kind: str) -> Item | None:
        return next((item for item in reversed(self.sent) if item.kind == kind), None)

    def latest_received(self, kind: str) -> Item | None:
        return next((item for item in reversed(self.received) if item.kind == kind), None)

    def write(self) -> bytes:
        plain = {
            "document": self.document.decode(), "role": self.role, "state": self.state, "contact": self.contact,
            "own_signature": self.own_signature, "partner_signature": self.partner_signature, "reason": self.reason,
            "columns": [{"field": name, "column": column} for name, column in self.columns],
            **({"reading": [{"name": name, "value": value} for name, value in self.reading]} if self.reading else {}),
            "sent": [item.as_plain() for item in self.sent],
            "received": [item.as_plain() for item in self.received],
            "ledger": {"events": self.anchor.events, "head": self.anchor.head},
        }  # fmt: skip
        return strict.dumps(plain) + b"\n"

    @classmethod
    def read(cls, data: bytes) -> Agreement:
        plain = strict.loads(data.removesuffix(b"\n"), "record")
        return cls(
            document=strict.any_text(plain, "document", longest=terms.MAX_DOCUMENT).encode(),
            role=cast(Role, strict.one_of(plain, "role", get_args(Role))),
            state=cast(State, strict.one_of(plain, "state", STATES)),
            contact=strict.hexes(plain, "contact", 8),
            own_signature=strict.text(plain, "own_signature"),
            partner_signature=strict.text(plain, "partner_signature"),
            reason=strict.any_text(plain, "reason", longest=1000),
            columns=tuple(
                (strict.any_text(item, "field"), strict.any_text(item, "column", longest=1000))
                for item in strict.mappings(plain, "columns", terms.MAX_FIELDS)
            ),
            reading=tuple(
                (strict.text(item, "name"), strict.any_text(item, "value", longest=MAX_READING))
                for item in (strict.mappings(plain, "reading", 100) if "reading" in plain else ())
            ),
            sent=tuple(_item(item) for item in strict.mappings(plain, "sent", MAX_FILES)),
            received=tuple(_item(item) for item in strict.mappings(plain, "received", MAX_FILES)),
            anchor=_anchor(strict.mapping(plain, "ledger")) if "ledger" in plain else Anchor(),
        )


def _next(items: tuple[Item, ...]) -> tuple[int, str]:
    return (items[-1].sequence + 1, items[-1].digest) if items else (1, NO_PREVIOUS)


def _anchor(plain: Plain) -> Anchor:
    events = strict.integer(plain, "events", 0, 1 << 31, place="ledger.")
    return Anchor(events, strict.hexes(plain, "head", 32 if events else 0, place="ledger."))


def _item(plain: Plain) -> Item:
    return Item(
        strict.integer(plain, "sequence", 1, MAX_FILES),
        strict.one_of(plain, "kind", KINDS),
        strict.hexes(plain, "digest", 32),
        strict.text(plain, "made"),
        strict.text(plain, "table"),
        strict.integer(plain, "release", 0, 1 << 31),
        strict.text(plain, "seen"),
    )
