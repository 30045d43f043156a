"""The project file: one SQLite database that survives being killed at any moment.

Holds choices, their history, confirmed steps and small artefacts (hashes, pairs of row numbers).
Clear tables are not stored in it.

A project may come from anybody: it is opened with a double click. So its schema must be the known one to the letter
(a view, a trigger or a generated column would run when it is read), no value may be longer than this program writes,
no statement may take more steps than it can need, and every fault of it becomes a sentence in one place.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

from pprl_desktop import databases, files
from pprl_desktop.problem import Problem
from pprl_desktop.project.known import newer

Read = TypeVar("Read")
APPLICATION_ID = 0x5050524C  # "PPRL", so that another program's database is recognised as such
LONGEST = 2 << 20  # bytes of one value; read as JSON it takes many times that
MOST_ROWS = 1000  # confirmed steps that are read at most


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
        if not create and path.exists():
            files.open_regular(path).close()
        elif not create:
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
            with _in_words(self.path):
                if create:
                    files.make_file(path)
                self._db = sqlite3.connect(path, isolation_level=None, timeout=0.2, check_same_thread=False)
                databases.guard(self._db, LONGEST)
                self._prepare()
        except BaseException:
            self._shut()
            raise

    def _prepare(self) -> None:
        self._db.execute("PRAGMA locking_mode = EXCLUSIVE")  # held until closed; gone with the process
        version = self._must_be_a_project()
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = FULL")  # confirmed means on the disk
        # one transaction, so that a kill between two migrations leaves the old version, not half of one
        self._db.execute("BEGIN EXCLUSIVE")
        for migration in MIGRATIONS[version:]:
            migration(self._db)
        self._db.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        self._db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        self._db.execute("COMMIT")

    def _must_be_a_project(self) -> int:
        """The version of its layout; nothing is written into a file of another kind."""
        version = self._db.execute("PRAGMA user_version").fetchone()[0]
        application = self._db.execute("PRAGMA application_id").fetchone()[0]
        if version > SCHEMA_VERSION and application == APPLICATION_ID:
            raise newer()
        known = MIGRATIONS[: version if application == APPLICATION_ID else 0]
        if not databases.has_schema(self._db, lambda db: [migration(db) for migration in known]):
            raise _not_a_project()
        return len(known)

    def _rows(self, statement: str, values: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
        with _in_words(self.path), databases.limited(self._db):
            return self._db.execute(statement, values).fetchmany(MOST_ROWS)

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        with _in_words(self.path), databases.limited(self._db):
            try:
                self._db.execute("BEGIN IMMEDIATE")
                yield self._db
                self._db.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):
                    self._db.execute("ROLLBACK")
                raise

    def meta(self, name: str, default: str = "") -> str:
        rows = self._rows("SELECT value FROM meta WHERE name = ?", (name,))
        return _text(rows[0][0]) if rows else default

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

    def last_change(self, *, undone: bool = False) -> tuple[str, str, str] | None:
        """Name, choices before and choices after of what Undo would take back, or Redo would bring back."""
        order = "ASC" if undone else "DESC"
        rows = self._rows(
            f"SELECT name, before, after FROM history WHERE undone = ? ORDER BY seq {order} LIMIT 1", (int(undone),)
        )
        return (_text(rows[0][0]), _text(rows[0][1]), _text(rows[0][2])) if rows else None

    def changes_since(self, step: str) -> list[tuple[str, str, str]]:
        """Name, before and after of the changes that came after a step was confirmed, newest first."""
        rows = self._rows(
            "SELECT name, before, after FROM history WHERE undone = 0 AND time > "
            "(SELECT time FROM confirmed WHERE step = ?) ORDER BY seq DESC LIMIT 20",
            (step,),
        )
        return [(_text(name), _text(before), _text(after)) for name, before, after in rows]

    def undone(self) -> list[tuple[str, str, str]]:
        """Name, before and after of the changes that were taken back, the one taken back last first."""
        rows = self._rows("SELECT name, before, after FROM history WHERE undone = 1 ORDER BY seq LIMIT 20")
        return [(_text(name), _text(before), _text(after)) for name, before, after in rows]

    def confirmed_since(self, step: str) -> list[str]:
        """The steps that were confirmed after this one, newest first."""
        rows = self._rows(
            "SELECT step FROM confirmed WHERE time > (SELECT time FROM confirmed WHERE step = ?) ORDER BY time DESC",
            (step,),
        )
        return [_text(row[0]) for row in rows]

    def undo(self, read: Callable[[str], Read]) -> Read | None:
        return self._step_history(read, "before", 0, "DESC")

    def redo(self, read: Callable[[str], Read]) -> Read | None:
        return self._step_history(read, "after", 1, "ASC")

    def _step_history(self, read: Callable[[str], Read], side: str, undone: int, order: str) -> Read | None:
        """Choices after the step, or None when there is nothing to step to. What cannot be read is not stepped to."""
        rows = self._rows(f"SELECT seq, {side} FROM history WHERE undone = ? ORDER BY seq {order} LIMIT 1", (undone,))
        if not rows:
            return None
        seq, text = rows[0][0], _text(rows[0][1])
        found = read(text)
        with self.writing() as db:
            db.execute("UPDATE history SET undone = ? WHERE seq = ?", (1 - undone, seq))
            db.execute("INSERT OR REPLACE INTO meta VALUES ('choices', ?)", (text,))
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
        rows = self._rows("SELECT step, input_hash, output_hash FROM confirmed")
        return {_text(step): (_text(given), _text(made)) for step, given, made in rows}

    def artefact(self, name: str) -> bytes | None:
        rows = self._rows("SELECT data FROM artefact WHERE name = ?", (name,))
        if rows and not isinstance(rows[0][0], bytes):
            raise _not_a_project()
        return rows[0][0] if rows else None

    def close(self) -> None:
        self._shut()

    def _shut(self) -> None:
        if hasattr(self, "_db"):
            self._db.close()


def _text(value: Any) -> str:
    """SQLite lets a column hold anything."""
    if not isinstance(value, str):
        raise _not_a_project()
    return value


def _not_a_project() -> Problem:
    return Problem(
        "This is not a PPRL Desktop project.",
        "The file was made by another program, or it is damaged.",
        "Choose a file ending in .pprlproject.",
        place="project",
    )


@contextmanager
def _in_words(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise _translated(databases.code(error, path)) from error
    except UnicodeError as error:  # SQLite's own sentence quotes the file
        raise _not_a_project() from error


def _translated(code: int) -> Problem:
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return Problem(
            "The project is already open in another window.",
            "Two programs writing one project would lose work.",
            "Close the other window, or open a copy of the project.",
            place="project",
        )
    if code == sqlite3.SQLITE_FULL:
        return Problem(
            "The disk is full.",
            "The last change could not be saved; everything before it is safe.",
            "Free some space and try again.",
            place="project",
        )
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM):
        return Problem(
            "The project cannot be written here.",
            "The folder or the file is read-only, or the folder is gone.",
            "Move the project to a folder you may write to.",
            place="project",
        )
    return _not_a_project()
