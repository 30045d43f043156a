"""The release ledger: every export is entered before its file is written, and epsilons add up.

An append-only, hash-chained list of events in one SQLite file (write-ahead log, every commit on disk before
it returns). Killing the program at any moment leaves a ledger with every entry that was confirmed.
It holds no personal value: tables are known by keyed fingerprints, partners by the fingerprint of their key. The key of
the fingerprints and the seeds of the noise are sealed: without the steward's identity the file tells neither who is in
a table nor what the noise was. Its end is noted in every agreement's record, so that an older copy is noticed.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

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
from pprl_desktop.exchange.release_totals import (
    DEFAULT_LIMITS,
    RELEASES,
    UNITS,
    WITHOUT_NOISE,
    Outlook,
    checked_limit,
    outlook,
    record_epsilon,
)
from pprl_desktop.privacy.claims import Statement
from pprl_desktop.problem import Failure, Problem
from pprl_desktop.said import Said

__all__ = ["Fingerprint", "Planned", "Release", "ReleaseLedger", "Verification", "table_fingerprint"]

KNOWN_LIMITS = (*UNITS, WITHOUT_NOISE, CLEAR_RECORDS, RELEASES)
KEY_BYTES = 32
NONCE = 12  # bytes before a sealed seed
LONGEST = 1 << 20  # bytes of one entry; the longest, a release with its sample, has about 45,000
WAIT = 10.0  # seconds for another window of the same program to finish its entry
START = hashlib.sha256(b"pprl-releases/v1").hexdigest()
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


@dataclass(frozen=True)
class Noted:
    """What the records of the agreements know of the ledger."""

    anchors: tuple[Anchor, ...] = ()
    releases: tuple[tuple[int, str], ...] = ()  # number and agreement of every bundle sent
    outside: Anchor = field(default=Anchor())  # noted beside the home folder

    @property
    def anything(self) -> bool:
        return any(anchor.events for anchor in (*self.anchors, self.outside)) or bool(self.releases)


@dataclass(frozen=True)
class Records:
    """The agreements' records, as the ledger sees them: what they note, and how they are told of its new end."""

    noted: Callable[[], Noted] = Noted
    note: Callable[[Anchor], None] = lambda _: None
    organisations: Callable[[], Mapping[str, str]] = dict  # whose each signing key is, of those that are known


@dataclass(frozen=True)
class Verification:
    events: int
    head: str
    problem: Problem | None = None

    @property
    def whole(self) -> bool:
        return self.problem is None


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
            if (problem := _noticed([], self._records.noted())) is not None:  # it was deleted
                raise problem
            with suppress(FileExistsError):  # another window was faster
                os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        with self._open() as base:
            base.executescript(SCHEMA)
            if not databases.has_schema(base, lambda made: made.executescript(SCHEMA)):
                raise _unreadable()

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
            events = _events(base)
            _require_whole(self._checked(events))
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
                _append(base, events, {"kind": "resend", "release": view.resend.number})
                return view.resend
            if view.blocked is not None:
                raise view.blocked
            number = _append(base, events, _body(planned, sealed_seed(os.urandom(KEY_BYTES), self.key)))
            return next(release for release in _releases(_events(base), self.key) if release.number == number)

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
                _append(base, events, {"kind": "written", "release": release.number, "file": sha256})

    def releases_without_seeds(self) -> tuple[Release, ...]:
        """For whoever may not have the key that the seeds were sealed with."""
        with self._open() as base:
            return _read(lambda: _releases(_events(base), None))

    def missing(self, anchors: Iterable[Anchor]) -> list[Anchor]:
        """Ends noted in the records that this ledger does not have."""
        with self._open() as base:
            events = _events(base)
        return [one for one in dict.fromkeys(anchors) if _noticed(events, Noted((one,))) is not None]

    @property
    def anchor(self) -> Anchor:
        with self._open() as base:
            events = _events(base)
        return Anchor(len(events), _head(events) if events else "")

    def resent(self, number: int) -> None:
        """The file of a release, known by the agreement's record, goes out once more: the same bytes."""
        with self._entering() as (base, events):
            _append(base, events, {"kind": "resend", "release": number})

    def repair(self, instead: Iterable[Anchor], lost: Iterable[Planned]) -> list[int]:
        """Enters again what the agreements know and this ledger does not, and gives up the ends noted in their records.

        Whom such a release was about is not known any more, so it is counted in full with every later one.
        """
        with self._open() as base, _exclusive(base):
            events = _events(base)
            _append(base, events, {"kind": "repair", "instead": [[one.events, one.head] for one in instead]})
            numbers = []
            for planned in lost:
                events = _events(base)
                numbers.append(_append(base, events, _body(planned, "")))
        return numbers

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
                    _append(base, events, {"kind": "repeated", "entry": before.number})
                return before
            if (problem := blocked(planned, earlier, _limits(events), self.organisation())) is not None:
                raise problem
            number = _append(base, events, planned.as_body())
            return next(one for one in disclosures(_events(base)) if one.number == number)

    def disclosure_written(self, entered: Disclosure, sha256: str) -> None:
        """The file of a disclosure is on disk."""
        if not entered.file:
            with self._entering() as (base, events):
                _append(base, events, {"kind": "sealed", "entry": entered.number, "file": sha256})

    def take_in_review(self, told: TakenIn) -> None:
        """The decisions of a review became part of a match."""
        body = {name: value for name, value in vars(told).items() if name not in ("number", "time")}
        with self._entering() as (base, events):
            _append(base, events, {"kind": "review", **body})

    def reviews(self) -> tuple[TakenIn, ...]:
        with self._open() as base:
            return _read(lambda: reviews(_events(base)))

    def disclosures(self) -> tuple[Disclosure, ...]:
        with self._open() as base:
            return _read(lambda: disclosures(_events(base)))

    # ---- limits

    def set_limit(self, unit: str, most: float | None) -> None:
        """The most that may be released of a table to one partner, in that unit; None takes the limit away.

        The unit "without noise" takes 0 (forbidden) or None (allowed); "clear records" a number of records.
        """
        value = checked_limit(unit, most)
        with self._entering() as (base, events):
            _append(base, events, {"kind": "limit", "unit": unit, "most": value})

    def limits(self) -> Mapping[str, float]:
        with self._open() as base:
            return _read(lambda: _limits(_events(base)))

    # ---- looking back

    def releases(self) -> tuple[Release, ...]:
        with self._open() as base:
            return _read(lambda: _releases(_events(base), self._key))

    @property
    def head(self) -> str:
        """Hash of the last event. Kept elsewhere (a report, a bundle) it shows whether entries were cut off."""
        with self._open() as base:
            return _head(_events(base))

    def verify(self, known_head: str = "") -> Verification:
        """Recompute the chain, and that nothing is missing that a record or `known_head` noted earlier."""
        with self._open() as base:
            return self._checked(_events(base), known_head)

    def _checked(self, events: list[Event], known_head: str = "") -> Verification:
        found = _check(events, known_head)
        if found.whole and (problem := _noticed(events, self._records.noted())) is not None:
            return Verification(found.events, found.head, problem)
        return found

    @contextmanager
    def _entering(self) -> Iterator[tuple[sqlite3.Connection, list[Event]]]:
        """One change: the chain is whole before it, and the records are told of its end after it."""
        with self._open() as base:
            with _exclusive(base):
                events = _events(base)
                _require_whole(self._checked(events))
                yield base, events
            now = _events(base)
            if len(now) > len(events):
                self._records.note(Anchor(len(now), _head(now)))

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
            raise _unreadable() from error


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


# ---- events -------------------------------------------------------------------------------------

Event = tuple[int, str, str]  # number, body, hash


@contextmanager
def _exclusive(base: sqlite3.Connection) -> Iterator[None]:
    base.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        base.execute("ROLLBACK")
        raise
    base.execute("COMMIT")


def _events(base: sqlite3.Connection) -> list[Event]:
    with databases.limited(base):
        return base.execute("SELECT number, body, hash FROM event ORDER BY number").fetchall()


def _head(events: list[Event]) -> str:
    return events[-1][2] if events else START


def check_chain(events: list[Event]) -> Problem | None:
    return _check(events).problem


def rewrite(base: sqlite3.Connection, bodies: Iterable[str], hashes: list[str]) -> None:
    """The same entries under the same numbers with changed bodies, and an entry that says so with the old hashes."""
    events: list[Event] = []
    for number, text in enumerate(bodies, start=1):
        events.append((number, text, _chained(_head(events), number, text)))
    base.executemany("INSERT INTO event VALUES (?, ?, ?)", events)
    _append(base, events, {"kind": "upgrade", "hashes": hashes})


def _append(base: sqlite3.Connection, events: list[Event], body: dict[str, Any]) -> int:
    number = len(events) + 1
    text = json.dumps({**body, "time": datetime.now(UTC).isoformat(timespec="seconds")}, sort_keys=True)
    base.execute("INSERT INTO event VALUES (?, ?, ?)", (number, text, _chained(_head(events), number, text)))
    return number


def _chained(before: str, number: int, body: str) -> str:
    return hashlib.sha256(f"{before}\0{number}\0{body}".encode()).hexdigest()


def _check(events: list[Event], known_head: str = "") -> Verification:
    before = START
    for place, (number, body, kept) in enumerate(events, start=1):
        if number != place or kept != _chained(before, number, body):
            problem = Problem(
                Said(
                    "Entry {place} of the record of releases was changed or an entry before it was removed.",
                    place=place,
                ),
                "Its hash does not follow from the entries before it.",
                REPAIR,
                place="releases",
            )
            return Verification(len(events), _head(events), problem)
        before = kept
    if known_head and known_head not in {START, *(kept for _, _, kept in events), *_earlier_hashes(events)}:
        problem = Problem(
            "Entries at the end of the record of releases are missing.",
            "The last entry noted elsewhere is not in it.",
            REPAIR,
            place="releases",
        )
        return Verification(len(events), _head(events), problem)
    return Verification(len(events), _head(events))


# what helps where the file is not what it was; putting back a copy would make the sums start from less
REPAIR = Said(
    "Do not put back a copy of it. Find out what happened to the file, then repair the record (page "
    "Releases, or 'releases repair'): what the agreements still know is entered again. Until then "
    "nothing is released."
)


def older() -> Problem:
    return Problem(
        "The record of releases is older than your agreements.",
        "Releases that they note are not in it: the file was deleted, cut or put back from a copy.",
        REPAIR,
        place="releases",
    )


def older_home() -> Problem:
    return Problem(
        "The home folder is older than what this computer has noted of it.",
        "Something left after this copy of the folder was made, and the record of releases does not know it.",
        "Put the newest folder back if you still have it. Otherwise ask your partners which files came since, then "
        "repair the record (page Releases, or 'releases repair'). Until then nothing is released.",
        place="releases",
    )


def _noticed(events: list[Event], noted: Noted) -> Problem | None:
    """Whether everything that the records note is there, or was given up by name in a repair."""
    given_up = {Anchor(*one) for body in _bodies(events, "repair") for one in body["instead"]}
    before = _earlier_hashes(events)

    def lacks(anchor: Anchor) -> bool:
        at = anchor.events
        there = at <= len(events) and (not at or events[at - 1][2] == anchor.head or anchor.head in before)
        return not there and anchor not in given_up

    if any(map(lacks, noted.anchors)):
        return older()
    for number, agreement in noted.releases:
        body = json.loads(events[number - 1][1]) if number <= len(events) else {}
        if body.get("kind") != "release" or not str(body.get("agreement")).startswith(agreement):
            return older()
    return older_home() if lacks(noted.outside) else None


def _bodies(events: list[Event], kind: str) -> Iterable[dict[str, Any]]:
    for _, text, _ in events:
        if f'"kind": "{kind}"' in text:
            yield json.loads(text)


def _earlier_hashes(events: list[Event]) -> set[str]:
    """Hashes of the chain before the seeds in it were sealed: a report of that time names one of them."""
    return {str(one) for body in _bodies(events, "upgrade") for one in body["hashes"]}


def translated(error: sqlite3.DatabaseError, path: Path) -> Problem:
    code = databases.code(error, path)
    if code == sqlite3.SQLITE_FULL:
        return files.disk_full()
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return Problem(
            "Another window is writing in the record of releases.", do="Wait a moment and try again.", place="releases"
        )
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_IOERR):
        return Failure(
            "The record of releases cannot be written.",
            "The disk or the folder refuses it.",
            "Check the disk and the permissions of the home folder. Nothing is released without the record.",
            place="releases",
        )
    return _unreadable()


def _unreadable() -> Problem:
    return Problem(
        "The record of releases cannot be read.", "The file is damaged or not a ledger.", REPAIR, place="releases"
    )


Read = TypeVar("Read")


def _read(reader: Callable[[], Read]) -> Read:
    """Entries that were changed from outside need not make sense."""
    try:
        return reader()
    except (KeyError, IndexError, ValueError, TypeError, AttributeError, RecursionError) as error:
        raise _unreadable() from error


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


def _require_whole(found: Verification) -> None:
    if found.problem is not None:
        raise found.problem


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
