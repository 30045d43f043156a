"""The home folder of one steward: identity, contacts, agreements with what was sent and received under them.

    identity.json                 two seeds under the passphrase        card.pprlcard   the own card
    contacts/ID.json              cards of partners with their state
    agreements/ID/record.json     terms, signatures, state, both chains; the one commit point of every change
    agreements/ID/secret          the shared secret, sealed to oneself
    agreements/ID/sent, received  sealed files as they went and came
    releases.sqlite               the release ledger; its end is noted in every record, and outside (outside.py)
    releases.key                  the ledger's key, sealed to oneself
Every file is replaced in one step, so a power cut leaves the state before or after, never between.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from pprl_desktop import files
from pprl_desktop.exchange import card, contacts, identity, outside, refusals
from pprl_desktop.exchange.agreement import Agreement, Anchor
from pprl_desktop.exchange.card import Card
from pprl_desktop.exchange.contacts import Contact
from pprl_desktop.exchange.identity import Identity
from pprl_desktop.exchange.passphrase import COST, Cost
from pprl_desktop.problem import Problem
from pprl_desktop.said import Said

if TYPE_CHECKING:
    from pprl_desktop.exchange.release_chain import Noted
    from pprl_desktop.exchange.releases import ReleaseLedger

MAX_RECORD = 4 << 20  # bytes of one small file at home
HEX = frozenset("0123456789abcdef")
WHOLE_ID = 64  # letters of the id of an agreement


def default_home() -> Path:
    """PPRL_HOME, or the platform's folder for a program's data."""
    given = os.environ.get("PPRL_HOME")
    return Path(given) if given else files.platform_folder("data")


class Home:
    def __init__(self, path: Path) -> None:
        self.path = path

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Around every change: one process at a time works in a home folder."""
        with files.locked(self.path / "lock"):
            yield

    # ---- identity

    @property
    def exists(self) -> bool:
        return self._identity.is_file()

    def create(self, made: Identity, passphrase: str, cost: Cost = COST) -> None:
        """Keeps a new or restored identity; never over another one."""
        if self.exists:
            raise Problem(
                "There is an identity in this home folder already.",
                "A second one would make everything sealed for the first unreadable.",
                "Use 'change-key' for a new key, or another home folder.",
                place="home",
            )
        self._keep(made, passphrase, cost)

    def change_key(self, old: Identity, passphrase: str, cost: Cost = COST) -> Identity:
        made = old.changed()
        self._keep(made, passphrase, cost)
        return made

    def _keep(self, made: Identity, passphrase: str, cost: Cost) -> None:
        locked = identity.lock(made, passphrase, cost)
        files.make_folder(self.path)
        files.write_bytes(self._identity, locked)
        files.write_bytes(self._card, card.write(made.keys, made.name))

    def unlock(self, passphrase: str) -> Identity:
        self._need_identity()
        made = identity.unlock(self._read(self._identity), passphrase)
        self._upgrade(made)
        if self._card_bytes() is None or self.own_card() != made.card():  # a power cut between the two writes
            files.write_bytes(self._card, card.write(made.keys, made.name))
        return made

    def _upgrade(self, own: Identity) -> None:
        """What earlier versions left differently, in one step: a key in the clear, folders open to others."""
        from pprl_desktop.exchange import ledger_key

        files.close_to_others(self.path)
        if ledger_key.is_old(self.ledger_path):
            with self.locked():
                if ledger_key.is_old(self.ledger_path):
                    ledger_key.upgrade(self.ledger_path, own)

    def own_card(self) -> Card:
        self._need_identity()
        data = self._card_bytes()
        if data is None:
            raise Problem("The own card is missing.", do="Unlock the key once: the card is made again.", place="home")
        return card.read(data, kept=True)

    def own_card_bytes(self) -> bytes:
        self.own_card()
        return self._read(self._card)

    def identity_bytes(self) -> bytes:
        self._need_identity()
        return self._read(self._identity)

    def _card_bytes(self) -> bytes | None:
        return self._read(self._card) if self._card.is_file() else None

    def _need_identity(self) -> None:
        if not self.exists:
            raise Problem(
                "There is no identity in this home folder yet.",
                do="Make one first: 'pprl-desktop card new'.",
                place="home",
            )

    @property
    def _identity(self) -> Path:
        return self.path / "identity.json"

    @property
    def _card(self) -> Path:
        return self.path / f"card{card.SUFFIX}"

    # ---- contacts

    def contacts(self) -> list[Contact]:
        folder = self.path / "contacts"
        found = [contacts.read(self._read(path)) for path in sorted(folder.glob("*.json"))]
        return sorted(found, key=lambda one: (one.name.lower(), one.id))

    def contact(self, wanted: str) -> Contact:
        return contacts.find(self.contacts(), wanted)

    def keep_contact(self, contact: Contact) -> None:
        files.make_folder(self.path / "contacts")
        files.write_bytes(self.path / "contacts" / f"{contact.id}.json", contact.write())

    # ---- agreements

    def agreements(self) -> list[Agreement]:
        paths = sorted((self.path / "agreements").glob("*/record.json"))
        return sorted(
            (Agreement.read(self._read(path)) for path in paths),
            key=lambda agreement: (agreement.terms.made, agreement.id),
        )

    def agreement(self, wanted: str = "") -> Agreement:
        """By its id or the beginning of it; without one, the only agreement in force."""
        if len(wanted) == WHOLE_ID and set(wanted) <= HEX and self.has_agreement(wanted):
            record = Agreement.read(self._read(self._record(wanted)))
            if record.id == wanted:  # in the folder of its own id
                return record
        found = [agreement for agreement in self.agreements() if agreement.id.startswith(wanted.lower())]
        if not wanted:
            found = [agreement for agreement in found if agreement.state == "in force"] or found
        if len(found) == 1:
            return found[0]
        if found:
            ids = ", ".join(agreement.id[:12] for agreement in found)
            raise Problem(
                "Several agreements fit.",
                Said("Their ids begin {ids}.", ids=ids),
                "Name one of them.",
                place="agreement",
            )
        raise Problem("There is no such agreement.", do="'agree list' shows those you have.", place="agreement")

    def has_agreement(self, id: str) -> bool:
        return self._record(id).is_file()

    def keep_agreement(self, agreement: Agreement) -> None:
        """The one commit point of every change. What is noted of the ledger stays as it is on disk: see `note`."""
        path = self._record(agreement.id)
        files.make_folder(path.parent)
        if path.is_file():
            anchor = Agreement.read(self._read(path)).anchor
        else:
            anchor = max(
                (one.anchor for one in self.agreements()), key=lambda one: one.events, default=agreement.anchor
            )
        files.write_bytes(path, replace(agreement, anchor=anchor).write())

    def _record(self, id: str) -> Path:
        return self.folder(id) / "record.json"

    def folder(self, id: str) -> Path:
        assert set(id) <= HEX, "checked where it came in; never a path"
        return self.path / "agreements" / id

    # ---- releases

    def ledger(self, own: Identity | None = None) -> ReleaseLedger:
        """To read it, or to enter something; bundles need the identity, which opens the ledger's key.

        One that is older than the agreements' records can be read, tells so when verified, and takes no entry.
        """
        from pprl_desktop.exchange.ledger_key import open_key
        from pprl_desktop.exchange.release_chain import Records
        from pprl_desktop.exchange.releases import ReleaseLedger

        files.make_folder(self.path)
        key = open_key(self.ledger_path, own) if own is not None else None
        return ReleaseLedger(self.ledger_path, key, Records(self.noted, self.note, self.organisations))

    def organisations(self) -> dict[str, str]:
        """Whose each known signing key is."""
        return contacts.organisations(self.contacts())

    def noted(self) -> Noted:
        """What the agreements know of the release ledger."""
        from pprl_desktop.exchange.release_chain import Noted

        agreements = self.agreements()
        sent = tuple(
            (item.release, agreement.id) for agreement in agreements for item in agreement.sent if item.kind == "data"
        )
        anchors = tuple(agreement.anchor for agreement in agreements)
        seen = outside.noted(self.path, self._signing_key()) if self._is_usual() else Anchor()
        return Noted(anchors, tuple(one for one in sent if one[0]), seen)

    def note(self, anchor: Anchor) -> None:
        """The new end of the ledger, in the record of every agreement; and outside, for when the whole is put back."""
        for agreement in self.agreements():
            files.write_bytes(self._record(agreement.id), replace(agreement, anchor=anchor).write())
        if self._is_usual():
            outside.note(self.path, self._signing_key(), anchor)

    def _is_usual(self) -> bool:
        return self._card.is_file() and self.path.resolve() == default_home().resolve()

    def _signing_key(self) -> str:
        return self.own_card().party.sign

    @property
    def ledger_path(self) -> Path:
        return self.path / "releases.sqlite"

    def _read(self, path: Path) -> bytes:
        return files.read_bytes(path, MAX_RECORD, refusals.not_a_bundle())
