"""The project file: one SQLite database that survives being killed at any moment.

Holds choices, their history, confirmed steps and small artefacts (hashes, pairs of row numbers).
Clear tables are not stored in it.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar

from pprl_desktop.problem import Problem
from pprl_desktop.project.known import newer

Read = TypeVar("Read")
APPLICATION_ID = 0x5050524C  # "PPRL", so that another program's database is recognised as such


def _first_schema(db: sqlite3.Connection) -> None:
    db.execute("CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL)")
    db.execute(
        "CREATE TABLE history (seq INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, time REAL NOT NULL,"
        " before TEXT NOT NULL, after TEXT NOT NULL, undone INTEGER NOT NULL DEFAULT 0)"
    )
    db.execute(
        "CREATE TABLE confirmed (step TEXT PRIMARY KEY, input_hash TEXT NOT NULL, output_hash TEXT NOT NULL,"
        " time REAL NOT NULL)"
    )
    db.execute("CREATE TABLE artefact (name TEXT PRIMARY KEY, data BLOB NOT NULL, time REAL NOT NULL)")


# migration k takes a file from version k to k + 1; only ever append
MIGRATIONS: tuple[Callable[[sqlite3.Connection], None], ...] = (_first_schema,)
SCHEMA_VERSION = len(MIGRATIONS)


class Store:
    """One open project file. A second process that opens it gets a clear sentence."""

    def __init__(self, path: Path, *, create: bool = False) -> None:
        self.path = path
        if not create and not path.is_file():
            raise Problem(
                "The project file is not there.",
                "It may have been moved, renamed or deleted.",
                "Choose the file where it is now, or start a new project.",
                place="project",
            )
        if create and path.exists():
            raise Problem(
                "A project with this name is already there.", do="Choose another name, or open it.", place="project"
            )
        try:
            self._db = sqlite3.connect(path, isolation_level=None, timeout=0.2, check_same_thread=False)
            self._prepare()
        except sqlite3.DatabaseError as error:
            self._shut()
            raise _translated(error) from None
        except BaseException:
            self._shut()
            raise

    def _prepare(self) -> None:
        self._db.execute("PRAGMA locking_mode = EXCLUSIVE")  # held until closed; gone with the process
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = FULL")  # confirmed means on the disk
        # one transaction, so that a kill between two migrations leaves the old version, not half of one
        self._db.execute("BEGIN EXCLUSIVE")
        version = self._db.execute("PRAGMA user_version").fetchone()[0]
        application = self._db.execute("PRAGMA application_id").fetchone()[0]
        if version > SCHEMA_VERSION and application == APPLICATION_ID:
            raise newer()
        tables = self._db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if application != APPLICATION_ID and tables:
            raise _not_a_project()
        for migration in MIGRATIONS[version:]:
            migration(self._db)
        self._db.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        self._db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        self._db.execute("COMMIT")

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        try:
            self._db.execute("BEGIN IMMEDIATE")
            yield self._db
            self._db.execute("COMMIT")
        except sqlite3.DatabaseError as error:
            with suppress(sqlite3.DatabaseError):
                self._db.execute("ROLLBACK")
            raise _translated(error) from None
        except BaseException:
            self._db.execute("ROLLBACK")
            raise

    def meta(self, name: str, default: str = "") -> str:
        row = self._db.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
        return str(row[0]) if row else default

    def set_meta(self, values: Mapping[str, str]) -> None:
        with self.writing() as db:
            db.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", list(values.items()))

    # history of choices ---------------------------------------------------------------------------

    def record(self, name: str, before: str, after: str) -> None:
        """A named change of the choices; what had been undone can no longer be redone."""
        with self.writing() as db:
            db.execute("DELETE FROM history WHERE undone = 1")
            db.execute(
                "INSERT INTO history (name, time, before, after) VALUES (?, ?, ?, ?)",
                (name, time.time(), before, after),
            )
            db.execute("INSERT OR REPLACE INTO meta VALUES ('choices', ?)", (after,))

    def can_undo(self) -> str:
        row = self._db.execute("SELECT name FROM history WHERE undone = 0 ORDER BY seq DESC LIMIT 1").fetchone()
        return str(row[0]) if row else ""

    def can_redo(self) -> str:
        row = self._db.execute("SELECT name FROM history WHERE undone = 1 ORDER BY seq LIMIT 1").fetchone()
        return str(row[0]) if row else ""

    def undo(self, read: Callable[[str], Read]) -> Read | None:
        return self._step_history(read, "before", 0, "DESC")

    def redo(self, read: Callable[[str], Read]) -> Read | None:
        return self._step_history(read, "after", 1, "ASC")

    def _step_history(self, read: Callable[[str], Read], side: str, undone: int, order: str) -> Read | None:
        """Choices after the step, or None when there is nothing to step to. What cannot be read is not stepped to."""
        row = self._db.execute(
            f"SELECT seq, {side} FROM history WHERE undone = ? ORDER BY seq {order} LIMIT 1", (undone,)
        ).fetchone()
        if row is None:
            return None
        found = read(str(row[1]))
        with self.writing() as db:
            db.execute("UPDATE history SET undone = ? WHERE seq = ?", (1 - undone, row[0]))
            db.execute("INSERT OR REPLACE INTO meta VALUES ('choices', ?)", (row[1],))
        return found

    # confirmed steps and artefacts ----------------------------------------------------------------

    def confirm(self, step: str, input_hash: str, output_hash: str, artefacts: Mapping[str, bytes]) -> None:
        """The step and what it made become visible together or not at all."""
        now = time.time()
        with self.writing() as db:
            db.execute("INSERT OR REPLACE INTO confirmed VALUES (?, ?, ?, ?)", (step, input_hash, output_hash, now))
            for name, data in artefacts.items():
                db.execute("INSERT OR REPLACE INTO artefact VALUES (?, ?, ?)", (name, data, now))

    def keep(self, name: str, data: bytes) -> None:
        with self.writing() as db:
            db.execute("INSERT OR REPLACE INTO artefact VALUES (?, ?, ?)", (name, data, time.time()))

    def confirmed(self) -> dict[str, tuple[str, str]]:
        rows = self._db.execute("SELECT step, input_hash, output_hash FROM confirmed")
        return {str(step): (str(given), str(made)) for step, given, made in rows}

    def artefact(self, name: str) -> bytes | None:
        row = self._db.execute("SELECT data FROM artefact WHERE name = ?", (name,)).fetchone()
        return bytes(row[0]) if row else None

    def close(self) -> None:
        self._shut()

    def _shut(self) -> None:
        if hasattr(self, "_db"):
            self._db.close()


def _not_a_project() -> Problem:
    return Problem(
        "This is not a PPRL Desktop project.",
        "The file was made by another program, or it is damaged.",
        "Choose a file ending in .pprlproject.",
        place="project",
    )


def _translated(error: sqlite3.DatabaseError) -> Problem:
    text = str(error)
    if "locked" in text or "busy" in text:
        return Problem(
            "The project is already open in another window.",
            "Two programs writing one project would lose work.",
            "Close the other window, or open a copy of the project.",
            place="project",
        )
    if "full" in text:
        return Problem(
            "The disk is full.",
            "The last change could not be saved; everything before it is safe.",
            "Free some space and try again.",
            place="project",
        )
    if "readonly" in text or "unable to open" in text:
        return Problem(
            "The project cannot be written here.",
            "The folder or the file is read-only, or the folder is gone.",
            "Move the project to a folder you may write to.",
            place="project",
        )
    return _not_a_project()
