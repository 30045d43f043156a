"""The files of a review's folder: the key under the passphrase, people and state under the key; the ledger."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pprl_desktop.exchange.keys import Keys
from pprl_desktop.problem import Problem
from pprl_desktop.review import codec, sealing
from pprl_desktop.review import share as shares
from pprl_desktop.review.ledger import Ledger
from pprl_desktop.review.plan import Review

KEY, PEOPLE, DESK, LEDGER = "key.age", "people.age", "desk.age", "ledger.db"
MANAGER = "manager"
TABLES = ("shares", "votes", "resolved")


def ledger_key(folder: Path, passphrase: str) -> bytes:
    """The key of the ledger's seals alone: a ledger that is not whole can still be looked at."""
    keys, first = read_key(folder, passphrase)
    return bytes.fromhex(read_state(folder, keys, None if first else keys.public().sign)["ledger_key"])


def write_key(folder: Path, keys: Keys, passphrase: str) -> None:
    sealing.write_under_passphrase(folder / KEY, "key", shares.keys_plain(keys), {}, passphrase, keys)


def read_key(folder: Path, passphrase: str) -> tuple[Keys, bool]:
    """The keys, and whether the first version wrote them; then its other files are not signed either."""
    found = sealing.read_under_passphrase(folder / KEY, "key", passphrase)
    with sealing.well_formed():
        keys = shares.keys_of(found.plain)
        if not found.first_version and found.signer != keys.public().sign:
            raise ValueError("signer")
    return keys, found.first_version


def write_people(folder: Path, keys: Keys, review: Review) -> None:
    plain, arrays = codec.to_plain(review)
    sealing.write_to_key(folder / PEOPLE, "people", plain, arrays, keys.public(), keys)


def read_state(folder: Path, keys: Keys, pinned: bytes | None) -> dict[str, Any]:
    state = sealing.read_with_key(folder / DESK, "desk", keys, pinned).plain
    with sealing.well_formed():
        bytes.fromhex(state["ledger_key"])
        shares.keys_of(state["notes"])
        for name in TABLES:
            if not isinstance(state[name], dict):
                raise TypeError(name)
        anchor_of(state)
        return _one_tranche_each(state)


def _one_tranche_each(state: dict[str, Any]) -> dict[str, Any]:
    """Shares of the first version were handed out whole: one tranche that holds all their pairs."""
    for share in state["shares"].values():
        if "tranches" not in share:
            share["tranches"] = [{"pairs": share["pairs"], "ledger_key": share.pop("ledger_key")}]
            share["given"], share["notes"] = 1, shares.keys_plain(Keys.new())
    for votes in state["votes"].values():
        if "parts" not in votes:
            votes["parts"] = {"1": {name: votes[name] for name in ("points", "levels", "notes", "head", "loss")}}
    return state


def anchor_of(state: Mapping[str, Any]) -> tuple[int, str]:
    number, head = state.get("anchor", (0, ""))
    return int(number), str(head)


def open_ledger(path: Path, review: Review, state: Mapping[str, Any]) -> Ledger:
    """The ledger of the desk; refused where it is older than the desk itself."""
    number, head = anchor_of(state)
    if number and not path.exists():
        raise older_ledger()
    ledger = shares.open_ledger(path, bytes.fromhex(state["ledger_key"]), review, MANAGER)
    if number > len(ledger.entries) or (number and ledger.entries[number - 1].hash != head):
        ledger.close()
        raise older_ledger()
    return ledger


def older_ledger() -> Problem:
    return Problem(
        "The ledger of this review is missing or older than the review.",
        "What was opened and decided since would be forgotten.",
        "Put the newest ledger back, or make a new review.",
        place="ledger",
    )
