"""The chain of events that the release ledger is: each entry follows from those before it, and nothing is taken away.

What was cut, changed or put back from an older copy is noticed: by the hashes, and by what the records of the
agreements note of its end.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

from pprl_desktop import databases, files
from pprl_desktop.exchange.agreement import Anchor
from pprl_desktop.problem import Failure, Problem
from pprl_desktop.said import Said

START = hashlib.sha256(b"pprl-releases/v1").hexdigest()


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


Event = tuple[int, str, str]  # number, body, hash


@contextmanager
def exclusive(base: sqlite3.Connection) -> Iterator[None]:
    base.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        base.execute("ROLLBACK")
        raise
    base.execute("COMMIT")


def events_of(base: sqlite3.Connection) -> list[Event]:
    with databases.limited(base):
        return base.execute("SELECT number, body, hash FROM event ORDER BY number").fetchall()


def head_of(events: list[Event]) -> str:
    return events[-1][2] if events else START


def check_chain(events: list[Event]) -> Problem | None:
    return check(events).problem


def rewrite(base: sqlite3.Connection, bodies: Iterable[str], hashes: list[str]) -> None:
    """The same entries under the same numbers with changed bodies, and an entry that says so with the old hashes."""
    events: list[Event] = []
    for number, text in enumerate(bodies, start=1):
        events.append((number, text, _chained(head_of(events), number, text)))
    base.executemany("INSERT INTO event VALUES (?, ?, ?)", events)
    append(base, events, {"kind": "upgrade", "hashes": hashes})


def append(base: sqlite3.Connection, events: list[Event], body: dict[str, Any]) -> int:
    number = len(events) + 1
    text = json.dumps({**body, "time": datetime.now(UTC).isoformat(timespec="seconds")}, sort_keys=True)
    base.execute("INSERT INTO event VALUES (?, ?, ?)", (number, text, _chained(head_of(events), number, text)))
    return number


def _chained(before: str, number: int, body: str) -> str:
    return hashlib.sha256(f"{before}\0{number}\0{body}".encode()).hexdigest()


def check(events: list[Event], known_head: str = "") -> Verification:
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
            return Verification(len(events), head_of(events), problem)
        before = kept
    if known_head and known_head not in {START, *(kept for _, _, kept in events), *_earlier_hashes(events)}:
        problem = Problem(
            "Entries at the end of the record of releases are missing.",
            "The last entry noted elsewhere is not in it.",
            REPAIR,
            place="releases",
        )
        return Verification(len(events), head_of(events), problem)
    return Verification(len(events), head_of(events))


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


def noticed(events: list[Event], noted: Noted) -> Problem | None:
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
    return unreadable()


def unreadable() -> Problem:
    return Problem(
        "The record of releases cannot be read.", "The file is damaged or not a ledger.", REPAIR, place="releases"
    )


Read = TypeVar("Read")


def read(reader: Callable[[], Read]) -> Read:
    """Entries that were changed from outside need not make sense."""
    try:
        return reader()
    except (KeyError, IndexError, ValueError, TypeError, AttributeError, RecursionError) as error:
        raise unreadable() from error


def require_whole(found: Verification) -> None:
    if found.problem is not None:
        raise found.problem
