"""The release ledger: every export is entered before its file is written, and epsilons add up.

An append-only, hash-chained list of events in one SQLite file (write-ahead log, every commit on disk before
it returns). Killing the program at any moment leaves a ledger with every entry that was confirmed.
It holds no personal value: tables are known by keyed fingerprints, partners by the fingerprint of their key. The key of
the fingerprints and the seeds of the noise are sealed: without the steward's identity the file tells neither who is in
a table nor what the noise was. Its end is noted in every agreement's record, so that an older copy is noticed.
"""

from __future__ import annotations

import base64
import json
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

from pprl_desktop import databases, files
from pprl_desktop.codes.base import derive
from pprl_desktop.exchange.agreement import Anchor
from pprl_desktop.exchange.carried import Carried
from pprl_desktop.exchange.disclosures import (
    CLEAR_RECORDS,
    Disclosure,
    PlannedDisclosure,
    TakenIn,
    blocked,
    disclosures,
    reviews,
    same_as,
)
from pprl_desktop.exchange.fingerprint import Fingerprint, table_fingerprint
from pprl_desktop.exchange.release_chain import (
    Event,
    Noted,
    Records,
    Verification,
    append,
    check,
    events_of,
    exclusive,
    head_of,
    noticed,
    read,
    require_whole,
    translated,
    unreadable,
)
from pprl_desktop.exchange.release_totals import (
    DEFAULT_LIMITS,
    RELEASES,
    UNITS,
    WITHOUT_NOISE,
    Outlook,
    checked_limit,
    of_other_tools,
    outlook,
    record_epsilon,
)
from pprl_desktop.privacy.claims import Statement
from pprl_desktop.problem import Problem

__all__ = ["Fingerprint", "Planned", "Release", "ReleaseLedger", "table_fingerprint"]

KNOWN_LIMITS = (*UNITS, WITHOUT_NOISE, CLEAR_RECORDS, RELEASES)
KEY_BYTES = 32
NONCE = 12  # bytes before a sealed seed
LONGEST = 1 << 20  # bytes of one entry; the longest, a release with its sample, has about 45,000
WAIT = 10.0  # seconds for another window of the same program to finish its entry
SCHEMA = """
CREATE TABLE IF NOT EXISTS event (number INTEGER PRIMARY KEY, body TEXT NOT NULL, hash TEXT NOT NULL) STRICT;
CREATE TRIGGER IF NOT EXISTS no_change BEFORE UPDATE ON event BEGIN SELECT RAISE(ABORT, 'append only'); END;
CREATE TRIGGER IF NOT EXISTS no_removal BEFORE DELETE ON event BEGIN SELECT RAISE(ABORT, 'append only'); END;
"""


@dataclass(frozen=True, eq=False)
class Planned:
    """A release that is about to be made."""

    table: Fingerprint
    partner: str  # fingerprint of the partner's signing key
    agreement: str  # id of the signed agreement
    statement: Statement
    decoys: int = 0
    carried: Carried | None = None  # what is taken over from the delivery before under the same agreement
    lost: bool = False  # there was one, and nothing is kept of it any more


@dataclass(frozen=True, eq=False)
class Release:
    """A release as entered. `seed` makes the noise: the same release can be made again with the same noise."""

    number: int
    time: str  # UTC, ISO 8601
    table: Fingerprint
    partner: str
    agreement: str
    method: str
    mechanism: str
    epsilon: str  # "" without noise
    unit: str
    record_epsilon: str  # worst case per record; "" without noise: unlimited
    decoys: int
    seed: bytes = field(repr=False)
    file: str = ""  # SHA-256 of the bundle, once it was written
    sent: int = 0  # times it was sent again
    carried: Carried | None = None

    def as_dict(self) -> dict[str, Any]:
        plain = {name: value for name, value in vars(self).items() if name not in ("table", "seed", "carried")}
        if self.carried is not None:
            plain["carried"] = self.carried.as_plain()
        return {**plain, "table": self.table.digest, "rows": self.table.rows}


class ReleaseLedger:
    def __init__(self, path: Path, key: bytes | None = None, records: Records | None = None) -> None:
        """Opens the ledger or makes it. Without its key it can be read, and everything but a bundle can be entered.

        An older, cut or deleted ledger is noticed by what the records note, and nothing is entered in it.
        """
        self.path = path
        self._key = key
        self._records = records or Records()
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            if (problem := noticed([], self._records.noted())) is not None:  # it was deleted
                raise problem
            files.make_file(path)
        with self._open() as base:
            base.executescript(SCHEMA)
            if not databases.has_schema(base, lambda made: made.executescript(SCHEMA)):
                raise unreadable()

    @property
    def key(self) -> bytes:
        """Recognises tables and opens the seeds. Only whoever unlocked the identity has it."""
        if self._key is None:
            raise ValueError("the ledger was opened without its key")
        return self._key

    def organisation(self) -> Callable[[str], str]:
        """Whose a signing key is: what a partner got under an earlier key counts for it still."""
        known = self._records.organisations()
        return lambda sign: known.get(sign, sign)

    def fingerprint(self, table: Any) -> Fingerprint:
        return table_fingerprint(table, self.key)

    # ---- before an export

    def outlook(self, planned: Planned) -> Outlook:
        """What this release would add to, without entering it."""
        with self._open() as base:
            events = events_of(base)
            require_whole(self._checked(events))
            return outlook(planned, _releases(events, self._key), _limits(events), self.organisation())

    def enter(self, planned: Planned) -> Release:
        """Enter a release; call this *before* the file is written. A limit raises its Problem.

        The same table under the same agreement to the same partner is a resend: it gets the
        release that was entered first, with its seed, and adds nothing.
        """
        with self._entering() as (base, events):
            view = outlook(planned, _releases(events, self.key), _limits(events), self.organisation())
            if view.resend is not None:
                if not view.resend.seed:
                    raise ValueError("a release without its seed cannot be made again")
                append(base, events, {"kind": "resend", "release": view.resend.number})
                return view.resend
            if view.blocked is not None:
                raise view.blocked
            number = append(base, events, _body(planned, sealed_seed(os.urandom(KEY_BYTES), self.key)))
            return next(release for release in _releases(events_of(base), self.key) if release.number == number)

    def written(self, release: Release, sha256: str) -> None:
        """The bundle is on disk. Its hash lets a resend prove that it is the same bytes."""
        with self._entering() as (base, events):
            before = next((one for one in _releases(events, self._key) if one.number == release.number), None)
            if before is None:
                raise ValueError("this release was never entered")
            if before.file and before.file != sha256:
                raise Problem(
                    "The file differs from the one that was sent before.",
                    "A second version with other noise would let the partner average the noise away.",
                    "Send the first file again, or make a new release, which is counted.",
                    place="bundle",
                )
            if not before.file:
                append(base, events, {"kind": "written", "release": release.number, "file": sha256})

    def releases_without_seeds(self) -> tuple[Release, ...]:
        """For whoever may not have the key that the seeds were sealed with."""
        with self._open() as base:
            return read(lambda: _releases(events_of(base), None))

    def missing(self, anchors: Iterable[Anchor]) -> list[Anchor]:
        """Ends noted in the records that this ledger does not have."""
        with self._open() as base:
            events = events_of(base)
        return [one for one in dict.fromkeys(anchors) if noticed(events, Noted((one,))) is not None]

    @property
    def anchor(self) -> Anchor:
        with self._open() as base:
            events = events_of(base)
        return Anchor(len(events), head_of(events) if events else "")

    def resent(self, number: int) -> None:
        """The file of a release, known by the agreement's record, goes out once more: the same bytes."""
        with self._entering() as (base, events):
            append(base, events, {"kind": "resend", "release": number})

    def repair(self, instead: Iterable[Anchor], lost: Iterable[Planned]) -> list[int]:
        """Enters again what the agreements know and this ledger does not, and gives up the ends noted in their records.

        Whom such a release was about is not known any more, so it is counted in full with every later one.
        """
        with self._open() as base, exclusive(base):
            events = events_of(base)
            append(base, events, {"kind": "repair", "instead": [[one.events, one.head] for one in instead]})
            numbers = []
            for planned in lost:
                events = events_of(base)
                numbers.append(append(base, events, _body(planned, "")))
        return numbers

    def repair_beside(self, lost: Iterable[tuple[PlannedDisclosure, str]]) -> None:
        """The same for what left beside bundles, with the hash of each file."""
        with self._open() as base, exclusive(base):
            for planned, sha256 in lost:
                number = append(base, events_of(base), planned.as_body())
                append(base, events_of(base), {"kind": "sealed", "entry": number, "file": sha256})

    # ---- what leaves beside bundles

    def disclose(self, planned: PlannedDisclosure) -> Disclosure:
        """Enter a result, a request, an answer or cells in clear; call this *before* the file is written.

        The same content to the same partner under the same agreement is sent again and adds nothing.
        """
        with self._entering() as (base, events):
            earlier = disclosures(events)
            before = same_as(planned, earlier)
            if before is not None:
                if before.file:
                    append(base, events, {"kind": "repeated", "entry": before.number})
                return before
            limits = _limits(events)
            problem = blocked(planned, earlier, limits, self.organisation()) or of_other_tools(planned, limits)
            if problem is not None:
                raise problem
            number = append(base, events, planned.as_body())
            return next(one for one in disclosures(events_of(base)) if one.number == number)

    def disclosed_again(self, entered: Disclosure) -> None:
        """Its file goes out once more: the same bytes."""
        with self._entering() as (base, events):
            append(base, events, {"kind": "repeated", "entry": entered.number})

    def disclosure_written(self, entered: Disclosure, sha256: str) -> None:
        """The file of a disclosure is on disk."""
        if not entered.file:
            with self._entering() as (base, events):
                append(base, events, {"kind": "sealed", "entry": entered.number, "file": sha256})

    def take_in_review(self, told: TakenIn) -> None:
        """The decisions of a review became part of a match."""
        body = {name: value for name, value in vars(told).items() if name not in ("number", "time")}
        with self._entering() as (base, events):
            append(base, events, {"kind": "review", **body})

    def reviews(self) -> tuple[TakenIn, ...]:
        with self._open() as base:
            return read(lambda: reviews(events_of(base)))

    def disclosures(self) -> tuple[Disclosure, ...]:
        with self._open() as base:
            return read(lambda: disclosures(events_of(base)))

    # ---- limits

    def set_limit(self, unit: str, most: float | None) -> None:
        """The most that may be released of a table to one partner, in that unit; None takes the limit away.

        The unit "without noise" takes 0 (forbidden) or None (allowed); "clear records" a number of records.
        """
        value = checked_limit(unit, most)
        with self._entering() as (base, events):
            append(base, events, {"kind": "limit", "unit": unit, "most": value})

    def limits(self) -> Mapping[str, float]:
        with self._open() as base:
            return read(lambda: _limits(events_of(base)))

    # ---- looking back

    def releases(self) -> tuple[Release, ...]:
        with self._open() as base:
            return read(lambda: _releases(events_of(base), self._key))

    @property
    def head(self) -> str:
        """Hash of the last event. Kept elsewhere (a report, a bundle) it shows whether entries were cut off."""
        with self._open() as base:
            return head_of(events_of(base))

    def verify(self, known_head: str = "") -> Verification:
        """Recompute the chain, and that nothing is missing that a record or `known_head` noted earlier."""
        with self._open() as base:
            return self._checked(events_of(base), known_head)

    def _checked(self, events: list[Event], known_head: str = "") -> Verification:
        found = check(events, known_head)
        if found.whole and (problem := noticed(events, self._records.noted())) is not None:
            return Verification(found.events, found.head, problem)
        return found

    @contextmanager
    def _entering(self) -> Iterator[tuple[sqlite3.Connection, list[Event]]]:
        """One change: the chain is whole before it, and the records are told of its end after it."""
        with self._open() as base:
            with exclusive(base):
                events = events_of(base)
                require_whole(self._checked(events))
                yield base, events
            now = events_of(base)
            if len(now) > len(events):
                self._records.note(Anchor(len(now), head_of(now)))

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        try:
            with closing(sqlite3.connect(self.path, timeout=WAIT, isolation_level=None)) as base:
                databases.guard(base, LONGEST)
                base.execute("PRAGMA journal_mode=WAL")
                base.execute("PRAGMA synchronous=FULL")
                yield base
        except sqlite3.DatabaseError as error:
            raise translated(error, self.path) from error
        except UnicodeError as error:  # SQLite's own sentence quotes the file
            raise unreadable() from error


def _body(planned: Planned, seed: str) -> dict[str, Any]:
    said = planned.statement
    return {
        "kind": "release",
        "table": planned.table.digest,
        "fields": planned.table.fields,
        "rows": planned.table.rows,
        "sample": base64.b64encode(planned.table.sample.astype("<u8").tobytes()).decode(),
        "partner": planned.partner,
        "agreement": planned.agreement,
        "method": said.method,
        "mechanism": said.mechanism,
        "epsilon": said.epsilon,
        "unit": said.unit,
        "record_epsilon": record_epsilon(said),
        "decoys": planned.decoys,
        "sealed_seed": seed,
        **({"carried": planned.carried.as_plain()} if planned.carried is not None else {}),
    }


# ---- seeds --------------------------------------------------------------------------------------


def sealed_seed(seed: bytes, key: bytes) -> str:
    nonce = os.urandom(NONCE)
    return base64.b64encode(nonce + _aead(key).encrypt(nonce, seed, None)).decode()


def _seed(body: Mapping[str, Any], key: bytes | None) -> bytes:
    """The noise of a release; empty without its key, and for a release that a repair entered again."""
    if key is None or not body.get("sealed_seed"):
        return base64.b64decode(body.get("seed", ""))
    data = base64.b64decode(body["sealed_seed"])
    try:
        return _aead(key).decrypt(data[:NONCE], data[NONCE:], None)
    except InvalidTag:  # sealed with a key that was lost since
        return b""


def _aead(key: bytes) -> ChaCha20Poly1305:
    return ChaCha20Poly1305(derive(key, "pprl-seeds/v1"))


def _releases(events: list[Event], key: bytes | None) -> tuple[Release, ...]:
    found: dict[int, dict[str, Any]] = {}
    for number, text, _ in events:
        body = json.loads(text)
        if body["kind"] == "release":
            found[number] = {**body, "number": number, "file": "", "sent": 0}
        elif body["kind"] == "written":
            found[body["release"]]["file"] = body["file"]
        elif body["kind"] == "resend":
            found[body["release"]]["sent"] += 1
    return tuple(_release(body, key) for body in found.values())


def _release(body: dict[str, Any], key: bytes | None) -> Release:
    sample = np.frombuffer(base64.b64decode(body["sample"]), dtype="<u8").astype(np.uint64)
    names = ("number", "time", "partner", "agreement", "method", "mechanism", "epsilon", "unit", "record_epsilon")
    return Release(
        table=Fingerprint(body["table"], body["fields"], body["rows"], sample),
        decoys=body["decoys"],
        seed=_seed(body, key),
        file=body["file"],
        sent=body["sent"],
        carried=Carried.from_plain(body["carried"]) if "carried" in body else None,
        **{name: body[name] for name in names},
    )


def _limits(events: list[Event]) -> dict[str, float]:
    limits: dict[str, float | None] = dict(DEFAULT_LIMITS)
    for _, text, _ in events:
        body = json.loads(text)
        if body["kind"] == "limit":
            limits[body["unit"]] = body["most"]
    return {unit: float(most) for unit, most in limits.items() if most is not None and unit in KNOWN_LIMITS}
