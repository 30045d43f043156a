"""SQLite files that may come from anybody: nothing in them runs, fills the memory or takes long."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

STEP = 100_000  # instructions of SQLite between two looks at the limit
LEAST = 1 << 17  # bytes on the disk below which SQLite cannot work
TURNS = 200  # such turns that reading may take: far more than the longest of our files needs


def guard(db: sqlite3.Connection, longest: int) -> None:
    """Before anything of the file is believed. `longest`: bytes of one value."""
    db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, longest)
    db.execute("PRAGMA trusted_schema = OFF")
    db.execute("PRAGMA cell_size_check = ON")


def has_schema(db: sqlite3.Connection, make: Callable[[sqlite3.Connection], object]) -> bool:
    """Whether the schema is what `make` makes, to the letter: a view or a trigger would run when the file is read."""
    with limited(db), closing(sqlite3.connect(":memory:")) as known:
        make(known)
        return _schema(db) == _schema(known)


def _schema(db: sqlite3.Connection) -> list[tuple[Any, ...]]:
    few = "SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY rowid LIMIT 100"
    return sorted(db.execute(few).fetchall(), key=str)


def code(error: sqlite3.Error, path: Path) -> int:
    """SQLite's own number of what went wrong; its words may quote the file.

    On a disk without any room it fails at the files it needs beside its own, and calls that an error of the disk.
    """
    found = int(getattr(error, "sqlite_errorcode", 0)) & 0xFF
    if found in (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN):
        with suppress(OSError):
            if shutil.disk_usage(path.parent).free < LEAST:
                return sqlite3.SQLITE_FULL
    return found


@contextmanager
def limited(db: sqlite3.Connection) -> Iterator[None]:
    """A statement that goes round in circles, as pages that point at each other make it, is ended."""
    turns = 0

    def stop() -> int:
        nonlocal turns
        turns += 1
        return int(turns > TURNS)

    db.set_progress_handler(stop, STEP)
    try:
        yield
    finally:
        db.set_progress_handler(None, 0)
