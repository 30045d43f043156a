"""The ledger of a review: every disclosure and decision, on disk before anyone sees its effect.

One SQLite file, one row per entry, each carrying the hash of the one before. It holds no personal value: pair
numbers, field names, levels, costs, totals, times and the reviewer. A sealed head beside it tells when the tail
was cut off.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import json
import os
import re
import sqlite3
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol

from pprl_desktop import databases, files
from pprl_desktop.problem import Problem
from pprl_desktop.said import Said

VERSION = 1
MOST_ENTRIES = 1_000_000
LONGEST_VALUE = 600  # characters in an entry; exact costs of a long review are long fractions
LONGEST_ROW = 1 << 20  # bytes; a sealed note is the longest
NO_HEAD = (0, "", "")  # of entries that are checked without one
# what an entry may hold, and in which form: nothing that could carry a value of a record
SHAPES: Mapping[str, re.Pattern[str]] = {
    "what": re.compile(r"begin|start|reveal|refuse|decide|note|undo|redo|export|permit|assign|merge|resolve"),
    "who": re.compile(r"[\w .@-]{1,64}"),
    "pair": re.compile(r"[0-9a-f]{1,32}"),
    "field": re.compile(r".{1,200}"),
    "level": re.compile(r"masked|partial|full"),
    "levels": re.compile(r"[MPF]{1,500}"),
    "cost": re.compile(r"\d+(/\d+)?"),
    "total": re.compile(r"\d\.\d{12}"),
    "k": re.compile(r"\d+ \d+"),
    "point": re.compile(r"[0-6]"),
    "of": re.compile(r"\d{1,12}"),
    "note": re.compile(r"[0-9a-f]{64}"),
    "reason": re.compile(r"[a-z ]{1,40}"),
    "plan": re.compile(r"[0-9a-f]{64}"),
    "kind": re.compile(r"[a-z -]{1,40}"),
    "rows": re.compile(r"\d{1,12}"),
    "records": re.compile(r"\d{1,12}"),
    "head": re.compile(r"[0-9a-f]{64}"),
}


@dataclass(frozen=True)
class Entry:
    number: int
    time: str
    body: Mapping[str, str]
    hash: str

    @property
    def what(self) -> str:
        return self.body["what"]

    @classmethod
    def checked(cls, number: Any, time: Any, body: Any, digest: Any) -> Entry:
        """In a form that the ledger itself would have written; ValueError or TypeError where it is not."""
        if type(number) is not int or not all(isinstance(text, str) for text in (time, digest)):
            raise TypeError("entry")
        datetime.fromisoformat(time)
        if not isinstance(body, dict) or "what" not in body:
            raise ValueError("entry")
        for name, value in body.items():
            if name not in SHAPES or not isinstance(value, str) or not SHAPES[name].fullmatch(value):
                raise ValueError("entry")
            if len(value) > LONGEST_VALUE:
                raise ValueError("entry")
        return cls(number, time, dict(body), digest)


@dataclass(frozen=True)
class Verification:
    entries: int
    head: str
    sealed: bool  # the key was at hand, so that nobody without it can have rewritten the chain
    plan: str
    problems: tuple[Problem, ...]

    @property
    def ok(self) -> bool:
        return not self.problems


class Journal(Protocol):
    """What the gate and the decisions need of a ledger."""

    @property
    def entries(self) -> tuple[Entry, ...]: ...

    def append(self, body: Mapping[str, str], note: tuple[str, bytes] | None = None) -> Entry: ...


class Ledger:
    """Append-only. `append` returns after the entry is on the disk."""

    def __init__(self, path: Path, key: bytes, *, fresh: bool = False) -> None:
        self.path = path
        self._key = key
        self._lock = threading.Lock()
        self._file = _connect(path)
        try:
            found = _read(self._file)
            if not fresh:
                _refuse(_check(found, key, _head(path)))
        except BaseException:
            self._file.close()
            raise
        self._entries: list[Entry] = [entry for entry, _ in found]

    @classmethod
    def create(cls, path: Path, key: bytes, plan: str, who: str) -> Ledger:
        if path.exists():
            raise Problem(
                "This review has begun already.",
                "A ledger lies where the new one would be written.",
                "Open the review, or delete it first.",
                place="ledger",
            )
        made = path.with_name(f".{path.name}.new")
        try:
            remove(made)  # of a kill at this very place: it held nothing yet
            _make(made)
            with cls(made, key, fresh=True) as ledger:
                ledger.append({"what": "begin", "plan": plan, "who": who})
            os.replace(head_path(made), head_path(path))  # a ledger never lies there without its head
            os.replace(made, path)
        except (OSError, sqlite3.OperationalError, Problem) as error:
            with contextlib.suppress(OSError):
                remove(made)
            raise error if isinstance(error, Problem) else _not_written() from error
        return cls(path, key)

    @property
    def entries(self) -> tuple[Entry, ...]:
        return tuple(self._entries)

    @property
    def head(self) -> str:
        return self._entries[-1].hash if self._entries else ""

    def append(self, body: Mapping[str, str], note: tuple[str, bytes] | None = None) -> Entry:
        """Writes one entry (and a sealed note with it) in one transaction, forced to the disk."""
        for name, value in body.items():
            if name not in SHAPES or not SHAPES[name].fullmatch(value):
                raise ValueError(f"a ledger entry must not hold '{name}' in this form")
        with self._lock:
            return self._append(body, note)

    def _append(self, body: Mapping[str, str], note: tuple[str, bytes] | None) -> Entry:
        number = len(self._entries) + 1
        time = datetime.now(UTC).isoformat(timespec="milliseconds")
        made = Entry(number, time, dict(body), _hash(self.head, number, time, body))
        try:
            with self._file:
                self._file.execute("BEGIN IMMEDIATE")
                last = self._file.execute("SELECT count(*) FROM entries").fetchone()[0]
                if last != len(self._entries):
                    raise Problem(
                        "This review is open in another window.",
                        "The ledger has grown since it was read here.",
                        "Close one of the two and open the review again.",
                        place="ledger",
                    )
                if note is not None:
                    self._file.execute("INSERT OR REPLACE INTO notes VALUES (?, ?)", note)
                row = (number, time, _canonical(body), made.hash, _seal(self._key, made.hash))
                self._file.execute("INSERT INTO entries VALUES (?, ?, ?, ?, ?)", row)
        except sqlite3.OperationalError as error:
            raise _not_written() from error
        self._entries.append(made)
        with contextlib.suppress(OSError):  # a full disk: the entry is there, and its head lags behind
            _write_head(self.path, self._key, made)
        return made

    def notes(self) -> dict[str, bytes]:
        return dict(self._file.execute("SELECT hash, box FROM notes"))

    def remember(self, name: str, value: str) -> None:
        """Where the reviewer is (pair, order): a convenience beside the chain, not part of it."""
        with contextlib.suppress(sqlite3.OperationalError), self._file:  # forgotten on a full disk
            self._file.execute("INSERT OR REPLACE INTO places VALUES (?, ?)", (name, value))

    def recall(self, name: str) -> str:
        found = self._file.execute("SELECT value FROM places WHERE name = ?", (name,)).fetchone()
        return str(found[0]) if found else ""

    def remember_file(self, path: Path) -> None:
        """A file the review wrote elsewhere, so that delete finds it."""
        try:
            with self._file:
                self._file.execute("INSERT OR IGNORE INTO files VALUES (?)", (str(path.resolve()),))
        except sqlite3.OperationalError as error:
            raise _not_written() from error

    def files(self) -> tuple[Path, ...]:
        return tuple(Path(name) for (name,) in self._file.execute("SELECT path FROM files ORDER BY path"))

    def close(self) -> None:
        self._file.close()

    def __enter__(self) -> Ledger:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _make(path: Path) -> None:
    file = _connect(path)
    try:
        with file:
            _schema(file)
            file.execute(f"PRAGMA user_version = {VERSION}")
    finally:
        file.close()


def _schema(file: sqlite3.Connection) -> None:
    file.execute(
        "CREATE TABLE entries (number INTEGER PRIMARY KEY, time TEXT NOT NULL, body TEXT NOT NULL,"
        " hash TEXT NOT NULL, seal TEXT NOT NULL)"
    )
    file.execute("CREATE TABLE notes (hash TEXT PRIMARY KEY, box BLOB NOT NULL)")
    file.execute("CREATE TABLE files (path TEXT PRIMARY KEY)")
    file.execute("CREATE TABLE places (name TEXT PRIMARY KEY, value TEXT NOT NULL)")


def verify(path: Path, key: bytes | None = None) -> Verification:
    """Reads the whole chain again. Without the key the hashes are checked, with it the seals as well."""
    file = _connect(path)
    try:
        found = _read(file)
    finally:
        file.close()
    problems = _check(found, key, _head(path))
    last = found[-1][0] if found else None
    plan = found[0][0].body.get("plan", "") if found else ""
    return Verification(len(found), last.hash if last else "", key is not None, plan, problems)


def read_entries(path: Path) -> tuple[Entry, ...]:
    """Every entry, for whoever has no passphrase; refused where the chain is not whole."""
    file = _connect(path)
    try:
        found = _read(file)
    finally:
        file.close()
    _refuse(_check(found, None, _head(path)))
    return tuple(entry for entry, _ in found)


def files_of(path: Path) -> tuple[Path, ...]:
    """The files a ledger remembers, for whoever deletes it; needs no key."""
    file = _connect(path)
    try:
        with databases.limited(file):
            names = file.execute("SELECT path FROM files ORDER BY path").fetchmany(MOST_ENTRIES)
        return tuple(Path(name) for (name,) in names if isinstance(name, str) and "\0" not in name)
    except (sqlite3.DatabaseError, UnicodeError) as error:
        raise _broken(Said("The file is damaged.")) from error
    finally:
        file.close()


def remove(path: Path) -> tuple[Path, ...]:
    """The ledger and what lies beside it."""
    beside = [
        path,
        head_path(path),
        head_path(path).with_name(f".{path.name}.head.part"),
        *(path.with_name(path.name + tail) for tail in ("-journal", "-wal", "-shm")),
    ]
    gone = tuple(each for each in beside if each.exists())
    for each in gone:
        each.unlink()
    return gone


def chain_problems(entries: tuple[Entry, ...]) -> tuple[Problem, ...]:
    """The same check for entries that came back in a decisions file."""
    return _check([(entry, "") for entry in entries], None, NO_HEAD)


def _check(found: list[tuple[Entry, str]], key: bytes | None, head: tuple[int, str, str] | None) -> tuple[Problem, ...]:
    before = ""
    for expected, (entry, seal) in enumerate(found, start=1):
        if entry.number != expected:
            return (_broken(Said("Entry {expected} is missing.", expected=expected)),)
        if entry.hash != _hash(before, entry.number, entry.time, entry.body):
            return (_broken(Said("Entry {expected} was altered.", expected=expected)),)
        if key is not None and not hmac.compare_digest(seal, _seal(key, entry.hash)):
            return (_broken(Said("Entry {expected} was not written by this review.", expected=expected)),)
        before = entry.hash
    if not found:
        return (_broken(Said("It has no entry.")),)
    if head is None:
        return (_broken(Said("The file that holds its last entry's hash is missing or damaged.")),)
    number, digest, seal = head
    if head != NO_HEAD and key is not None and not hmac.compare_digest(seal, _seal(key, f"head {number} {digest}")):
        return (_broken(Said("The file that holds its last entry's hash was not written by this review.")),)
    if number > len(found) or (number > 0 and found[number - 1][0].hash != digest):
        return (_broken(Said("Its last entries were cut off.")),)
    return ()


def _not_written() -> Problem:
    return Problem(
        "The ledger could not be written, so nothing was opened or decided.",
        "The disk is full or read-only, or another program holds the file.",
        "Make room or close the other program, then try again.",
        place="ledger",
    )


def _broken(why: Said | str) -> Problem:
    return Problem(
        "The ledger of this review is not whole.",
        why,
        "Keep the files as they are and tell the manager of the review.",
        place="ledger",
    )


def _refuse(problems: tuple[Problem, ...]) -> None:
    for problem in problems:
        raise problem


def _connect(path: Path) -> sqlite3.Connection:
    if path.exists():
        files.open_regular(path).close()
    else:
        files.make_file(path)
    # the window opens a review on its worker thread and then works on it from its own; never both at once
    file = sqlite3.connect(path, isolation_level=None, timeout=5.0, check_same_thread=False)
    try:
        databases.guard(file, LONGEST_ROW)
        file.execute("PRAGMA synchronous = EXTRA")  # the entry is on the disk when commit returns
        file.execute("PRAGMA secure_delete = ON")
        version = file.execute("PRAGMA user_version").fetchone()[0]
        if version == VERSION and not databases.has_schema(file, _schema):
            raise sqlite3.DatabaseError("schema")
    except (sqlite3.DatabaseError, UnicodeError) as error:
        file.close()
        raise _broken(Said("The file is damaged or not a ledger.")) from error
    if version > VERSION:
        file.close()
        raise Problem(
            "This review was made by a newer version of PPRL Desktop.", do="Update PPRL Desktop.", place="ledger"
        )
    return file


def _read(file: sqlite3.Connection) -> list[tuple[Entry, str]]:
    try:
        if not file.execute("PRAGMA user_version").fetchone()[0]:
            return []
        with databases.limited(file):
            found = file.execute("SELECT number, time, body, hash, seal FROM entries ORDER BY number")
            rows = found.fetchmany(MOST_ENTRIES)
        return [
            (Entry.checked(number, time, json.loads(body), digest), str(seal))
            for number, time, body, digest, seal in rows
        ]
    except (sqlite3.DatabaseError, ValueError, TypeError, RecursionError) as error:
        raise _broken(Said("The file is damaged.")) from error


def _canonical(body: Mapping[str, Any]) -> str:
    return json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def _hash(before: str, number: int, time: str, body: Mapping[str, str]) -> str:
    text = _canonical({"before": before, "number": number, "time": time, "body": dict(body)})
    return hashlib.sha256(b"pprl-review/v1\0" + text.encode()).hexdigest()


def _seal(key: bytes, text: str) -> str:
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()


def head_path(path: Path) -> Path:
    return path.with_name(path.name + ".head")


def _write_head(path: Path, key: bytes, entry: Entry) -> None:
    """In one step and on the disk: it may lag behind the ledger, never run ahead of it, and is never half written."""
    text = f"{entry.number:012d} {entry.hash} {_seal(key, f'head {entry.number} {entry.hash}')}\n"
    part = head_path(path).with_name(f".{path.name}.head.part")
    try:
        with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="ascii") as out:
            out.write(text)
            out.flush()
            os.fsync(out.fileno())
        os.replace(part, head_path(path))
    except OSError:
        part.unlink(missing_ok=True)
        raise


def _head(path: Path) -> tuple[int, str, str] | None:
    """None where it is missing or not a head: then nobody can say whether the ledger is the newest."""
    try:
        number, digest, seal = head_path(path).read_text(encoding="ascii").split()
        return (int(number), digest, seal) if len(number) == 12 and number.isdigit() else None
    except (OSError, ValueError):
        return None
