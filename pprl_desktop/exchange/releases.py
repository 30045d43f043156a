"""The release ledger: every export is entered before its file is written, and epsilons add up.

An append-only, hash-chained list of events in one SQLite file (write-ahead log, every commit on disk before
it returns). Killing the program at any moment leaves a ledger with every entry that was confirmed.
It holds no personal value: tables are known by keyed fingerprints, partners by the fingerprint of their key.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

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
from pprl_desktop.exchange.release_totals import UNITS, WITHOUT_NOISE, Outlook, checked_limit, outlook
from pprl_desktop.privacy.claims import Statement
from pprl_desktop.problem import Problem

__all__ = ["Fingerprint", "Planned", "Release", "ReleaseLedger", "Verification", "table_fingerprint"]

KNOWN_LIMITS = (*UNITS, WITHOUT_NOISE, CLEAR_RECORDS)
KEY_BYTES = 32
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

    def as_dict(self) -> dict[str, Any]:
        plain = {name: value for name, value in vars(self).items() if name not in ("table", "seed")}
        return {**plain, "table": self.table.digest, "rows": self.table.rows}


@dataclass(frozen=True)
class Verification:
    events: int
    head: str
    problem: Problem | None = None

    @property
    def whole(self) -> bool:
        return self.problem is None


class ReleaseLedger:
    def __init__(self, path: Path) -> None:
        """Opens the ledger, or makes it with its key file beside it (both readable by the owner only)."""
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        self.key = _key(path.with_name(path.name + ".key"), fresh=not path.exists())
        if not path.exists():
            with suppress(FileExistsError):  # another window was faster
                os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        with self._open() as base:
            base.executescript(SCHEMA)

    def fingerprint(self, table: Any) -> Fingerprint:
        return table_fingerprint(table, self.key)

    # ---- before an export

    def outlook(self, planned: Planned) -> Outlook:
        """What this release would add to, without entering it."""
        return outlook(planned, self.releases(), self.limits())

    def enter(self, planned: Planned) -> Release:
        """Enter a release; call this *before* the file is written. A limit raises its Problem.

        The same table under the same agreement to the same partner is a resend: it gets the
        release that was entered first, with its seed, and adds nothing.
        """
        with self._open() as base, _exclusive(base):
            events = _events(base)
            _require_whole(_check(events))
            view = outlook(planned, _releases(events), _limits(events))
            if view.resend is not None:
                _append(base, events, {"kind": "resend", "release": view.resend.number})
                return view.resend
            if view.blocked is not None:
                raise view.blocked
            said = planned.statement
            number = _append(
                base,
                events,
                {
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
                    "seed": base64.b64encode(os.urandom(KEY_BYTES)).decode(),
                },
            )
            return next(release for release in _releases(_events(base)) if release.number == number)

    def written(self, release: Release, sha256: str) -> None:
        """The bundle is on disk. Its hash lets a resend prove that it is the same bytes."""
        with self._open() as base, _exclusive(base):
            events = _events(base)
            before = next((one for one in _releases(events) if one.number == release.number), None)
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

    # ---- what leaves beside bundles

    def disclose(self, planned: PlannedDisclosure) -> Disclosure:
        """Enter a result, a request, an answer or cells in clear; call this *before* the file is written.

        The same content to the same partner under the same agreement is sent again and adds nothing.
        """
        with self._open() as base, _exclusive(base):
            events = _events(base)
            _require_whole(_check(events))
            earlier = disclosures(events)
            before = same_as(planned, earlier)
            if before is not None:
                if before.file:
                    _append(base, events, {"kind": "repeated", "entry": before.number})
                return before
            if (problem := blocked(planned, earlier, _limits(events))) is not None:
                raise problem
            number = _append(base, events, planned.as_body())
            return next(one for one in disclosures(_events(base)) if one.number == number)

    def disclosure_written(self, entered: Disclosure, sha256: str) -> None:
        """The file of a disclosure is on disk."""
        if not entered.file:
            with self._open() as base, _exclusive(base):
                _append(base, _events(base), {"kind": "sealed", "entry": entered.number, "file": sha256})

    def take_in_review(self, told: TakenIn) -> None:
        """The decisions of a review became part of a match."""
        body = {name: value for name, value in vars(told).items() if name not in ("number", "time")}
        with self._open() as base, _exclusive(base):
            events = _events(base)
            _require_whole(_check(events))
            _append(base, events, {"kind": "review", **body})

    def reviews(self) -> tuple[TakenIn, ...]:
        with self._open() as base:
            return reviews(_events(base))

    def disclosures(self) -> tuple[Disclosure, ...]:
        with self._open() as base:
            return disclosures(_events(base))

    # ---- limits

    def set_limit(self, unit: str, most: float | None) -> None:
        """The most that may be released of a table to one partner, in that unit; None takes the limit away.

        The unit "without noise" takes 0 (forbidden) or None (allowed); "clear records" a number of records.
        """
        value = checked_limit(unit, most)
        with self._open() as base, _exclusive(base):
            events = _events(base)
            _require_whole(_check(events))
            _append(base, events, {"kind": "limit", "unit": unit, "most": value})

    def limits(self) -> Mapping[str, float]:
        with self._open() as base:
            return _limits(_events(base))

    # ---- looking back

    def releases(self) -> tuple[Release, ...]:
        with self._open() as base:
            return _releases(_events(base))

    @property
    def head(self) -> str:
        """Hash of the last event. Kept elsewhere (a report, a bundle) it shows whether entries were cut off."""
        with self._open() as base:
            return _head(_events(base))

    def verify(self, known_head: str = "") -> Verification:
        """Recompute the chain; with a head noted earlier, also that nothing was cut off since."""
        with self._open() as base:
            return _check(_events(base), known_head)

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        try:
            with closing(sqlite3.connect(self.path, timeout=WAIT, isolation_level=None)) as base:
                base.execute("PRAGMA journal_mode=WAL")
                base.execute("PRAGMA synchronous=FULL")
                yield base
        except sqlite3.DatabaseError as error:
            raise Problem(
                "The record of releases cannot be read or written.",
                f"The file is damaged, locked or not writable ({type(error).__name__}).",
                "Check the disk, or restore the file from a backup. Nothing is exported without it.",
                place="releases",
            ) from error


def record_epsilon(statement: Statement) -> str:
    """The worst case per record, as the statement has it; '' where it is unlimited."""
    for number in statement.numbers:
        if number.name == "epsilon" and number.unit.startswith("per record") and number.bound == "worst case":
            return number.value
    return ""


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
    return base.execute("SELECT number, body, hash FROM event ORDER BY number").fetchall()


def _head(events: list[Event]) -> str:
    return events[-1][2] if events else START


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
                f"Entry {place} of the record of releases was changed or an entry before it was removed.",
                "Its hash does not follow from the entries before it.",
                "Restore the file from a backup and find out who had access. Nothing is exported until then.",
                place="releases",
            )
            return Verification(len(events), _head(events), problem)
        before = kept
    if known_head and known_head not in {START, *(kept for _, _, kept in events)}:
        problem = Problem(
            "Entries at the end of the record of releases are missing.",
            "The last entry noted elsewhere is not in it.",
            "Restore the file from a backup and find out who had access.",
            place="releases",
        )
        return Verification(len(events), _head(events), problem)
    return Verification(len(events), _head(events))


def _require_whole(found: Verification) -> None:
    if found.problem is not None:
        raise found.problem


def _releases(events: list[Event]) -> tuple[Release, ...]:
    found: dict[int, dict[str, Any]] = {}
    for number, text, _ in events:
        body = json.loads(text)
        if body["kind"] == "release":
            found[number] = {**body, "number": number, "file": "", "sent": 0}
        elif body["kind"] == "written":
            found[body["release"]]["file"] = body["file"]
        elif body["kind"] == "resend":
            found[body["release"]]["sent"] += 1
    return tuple(_release(body) for body in found.values())


def _release(body: dict[str, Any]) -> Release:
    sample = np.frombuffer(base64.b64decode(body["sample"]), dtype="<u8").astype(np.uint64)
    names = ("number", "time", "partner", "agreement", "method", "mechanism", "epsilon", "unit", "record_epsilon")
    return Release(
        table=Fingerprint(body["table"], body["fields"], body["rows"], sample),
        decoys=body["decoys"],
        seed=base64.b64decode(body["seed"]),
        file=body["file"],
        sent=body["sent"],
        **{name: body[name] for name in names},
    )


def _limits(events: list[Event]) -> dict[str, float]:
    limits: dict[str, float] = {}
    for _, text, _ in events:
        body = json.loads(text)
        if body["kind"] == "limit":
            limits[body["unit"]] = body["most"]
    return {unit: float(most) for unit, most in limits.items() if most is not None and unit in KNOWN_LIMITS}


def _key(path: Path, *, fresh: bool) -> bytes:
    if not path.exists():
        if not fresh:
            raise Problem(
                "The key of the record of releases is missing.",
                "Without it earlier tables cannot be recognised, and a second release would look like a first.",
                f"Restore the file {path.name} from a backup.",
                place="releases",
            )
        made = os.urandom(KEY_BYTES)
        temporary = path.with_name(f"{path.name}.{os.getpid()}")
        with open(os.open(temporary, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600), "wb") as file:
            file.write(made)
            file.flush()
            os.fsync(file.fileno())
        try:
            os.link(temporary, path)  # never over a key that is already there
        except FileExistsError:
            pass
        except OSError:  # a file system without links
            if not path.exists():
                os.replace(temporary, path)
        finally:
            with suppress(FileNotFoundError):
                temporary.unlink()
    key = path.read_bytes()
    if len(key) != KEY_BYTES:
        raise Problem(
            "The key of the record of releases is damaged.",
            do=f"Restore the file {path.name} from a backup.",
            place="releases",
        )
    return key
