"""The key of the release ledger, sealed to the identity; and the step from the first layout, where it lay in the clear.

With the key one can test whether a person is in a released table, and remove the noise of what was sent.
"""

from __future__ import annotations

import base64
import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path

from pprl_desktop import files
from pprl_desktop.exchange import refusals, release_chain, releases, seal
from pprl_desktop.exchange.identity import Identity
from pprl_desktop.problem import Problem
from pprl_desktop.said import Said

SEALED, PLAIN = "releases.key", "releases.sqlite.key"  # the second one is that of the first layout
MAX_SEALED = 1 << 16  # bytes


def open_key(ledger: Path, own: Identity) -> bytes:
    """The key; made with the ledger, never beside one that holds releases already."""
    sealed, plain = ledger.with_name(SEALED), ledger.with_name(PLAIN)
    if sealed.is_file():
        return _opened(sealed, own)
    if plain.is_file():
        return _in_the_clear(plain)
    if ledger.is_file() and releases.ReleaseLedger(ledger).releases():
        raise _unusable(Said("The key of the record of releases is missing."))
    return new_key(ledger, own)


def new_key(ledger: Path, own: Identity) -> bytes:
    key = os.urandom(releases.KEY_BYTES)
    _keep(ledger.with_name(SEALED), key, own)
    return key


def is_old(ledger: Path) -> bool:
    return ledger.with_name(PLAIN).is_file()


def upgrade(ledger: Path, own: Identity) -> None:
    """Seals the key and the seeds of a ledger of the first layout. Killed at any moment, it is done anew.

    Numbers stay as they are. The hashes before are kept in an entry of their own, so that one noted in a report is
    still known. A ledger that is not whole keeps its entries as they are, for whoever looks into it.
    """
    key = _in_the_clear(ledger.with_name(PLAIN))
    _keep(ledger.with_name(SEALED), key, own)
    if ledger.is_file():
        _seal_seeds(ledger, key)
    ledger.with_name(PLAIN).unlink()


def _seal_seeds(ledger: Path, key: bytes) -> None:
    made = ledger.with_name(f".{ledger.name}.upgrade")
    try:
        with closing(sqlite3.connect(ledger, timeout=releases.WAIT, isolation_level=None)) as base:
            base.execute("PRAGMA journal_mode=DELETE")  # everything is in the one file, and nobody else has it open
            events = base.execute("SELECT number, body, hash FROM event ORDER BY number").fetchall()
        if not any('"seed"' in text for _, text, _ in events) or release_chain.check_chain(events) is not None:
            return
        for left in (made, made.with_name(made.name + "-journal")):
            left.unlink(missing_ok=True)
        files.make_file(made)
        with closing(sqlite3.connect(made, isolation_level=None)) as base:
            base.execute("PRAGMA synchronous=FULL")
            base.executescript(releases.SCHEMA)
            base.execute("BEGIN")
            release_chain.rewrite(base, [_without_seed(text, key) for _, text, _ in events], [one[2] for one in events])
            base.execute("COMMIT")
        os.replace(made, ledger)
    except sqlite3.DatabaseError as error:
        raise release_chain.translated(error, ledger) from error
    except OSError as error:
        raise files.refused(error) from error


def _without_seed(text: str, key: bytes) -> str:
    body = json.loads(text)
    if "seed" in body:
        body["sealed_seed"] = releases.sealed_seed(base64.b64decode(body.pop("seed")), key)
    return json.dumps(body, sort_keys=True)


def _keep(path: Path, key: bytes, own: Identity) -> None:
    files.write_bytes(path, seal.seal_bytes(key, own.keys.public()))


def _opened(path: Path, own: Identity) -> bytes:
    try:
        key = seal.open_bytes(files.read_bytes(path, MAX_SEALED, refusals.damaged()), own.all_keys)
    except Problem as problem:
        raise _unusable(Said("The key of the record of releases cannot be opened.")) from problem
    return _checked(key)


def _in_the_clear(path: Path) -> bytes:
    return _checked(
        files.read_bytes(path, releases.KEY_BYTES, _unusable(Said("The key of the record of releases is damaged.")))
    )


def _checked(key: bytes) -> bytes:
    if len(key) != releases.KEY_BYTES:
        raise _unusable(Said("The key of the record of releases is damaged."))
    return key


def _unusable(what: Said | str) -> Problem:
    return Problem(
        what,
        "Without it earlier tables cannot be recognised, and a second release would look like a first.",
        release_chain.REPAIR,
        place="releases",
    )
