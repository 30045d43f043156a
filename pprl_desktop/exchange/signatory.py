"""This side of one agreement: what every step under it needs, and the agreement as it is at home now."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from pprl_desktop.exchange.agreement import Agreement, Item
from pprl_desktop.exchange.home import Home
from pprl_desktop.exchange.identity import Identity

if TYPE_CHECKING:
    from pprl_desktop.exchange.releases import ReleaseLedger


@dataclass(frozen=True, eq=False)
class Signatory:
    """Holds the id and never the agreement: whoever asks for it reads the record, so that nobody acts on an old one."""

    home: Home
    identity: Identity = field(repr=False)
    id: str  # of the agreement

    @property
    def agreement(self) -> Agreement:
        """As it is at home now. A step reads it once, inside the lock where it changes something."""
        return self.home.agreement(self.id)

    @property
    def folder(self) -> Path:
        return self.home.folder(self.id)

    def ledger(self) -> ReleaseLedger:
        """Of releases, with its key."""
        return self.home.ledger(self.identity)

    def sent_path(self, item: Item) -> Path:
        return self.folder / "sent" / item.name

    def received_path(self, item: Item) -> Path:
        return self.folder / "received" / item.name
