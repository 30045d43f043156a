"""The folder a cluster's workers share: packed arrays by their hash, and finished blocks.

Arrays are content-addressed and checked when they are read. A finished block is sealed with a key (HMAC-SHA-256) that
the workers get with each task and that never lies in the folder: whoever can write there can neither alter an array
nor forge a result unnoticed: what is checked is what is used, a copy in memory and not the file. What somebody else put
there is neither followed nor removed. Files are written beside their place and renamed, so a killed worker leaves no
half block.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import json
import os
import re
import secrets
import time
from pathlib import Path
from typing import Any

from pprl_desktop.compute import packing
from pprl_desktop.compute.packing import Array
from pprl_desktop.files import need_space
from pprl_desktop.problem import Failure

FOLDER = "pprl-desktop-blocks"
ARRAYS, WORKS, DONE = "arrays", "works", "done"
SEAL = 32  # bytes of an HMAC
OURS = re.compile(r"[0-9a-f]{64}|[0-9a-f]{32}-[0-9a-f]{32}|\..+\.[0-9a-f]{12}")  # names of our files, half ones too
KEPT_DAYS = 7  # what a broken-off run left behind is removed after so many days


class Damaged(Exception):  # noqa: N818 - what it is, not that it went wrong
    """A file of the folder is not what it was when it was written."""


class Store:
    def __init__(self, folder: Path) -> None:
        self.folder = folder / FOLDER
        self._used: set[Path] = set()  # by this run

    def prepare(self) -> None:
        for place in (self.folder, *(self.folder / part for part in (ARRAYS, WORKS, DONE))):
            place.mkdir(parents=True, exist_ok=True, mode=0o700)
            _must_be_ours(place)
        with contextlib.suppress(OSError):  # a network folder may know no modes
            self.folder.chmod(0o700)
        self._forget(time.time() - KEPT_DAYS * 86400)

    def put_work(self, work: Any) -> str:
        """The name of packed work; what is there already is not written again."""
        tree = packing.encode(work, self._put)
        text = packing.text_of(tree)
        name = hashlib.sha256(text).hexdigest()
        self._write(self.folder / WORKS / name, text)
        return name

    def get_work(self, name: str) -> Any:
        text = (self.folder / WORKS / name).read_bytes()
        if hashlib.sha256(text).hexdigest() != name:
            raise Damaged(name)
        return packing.decode(json.loads(text), self._get)

    def put_done(self, name: str, key: bytes, result: Any) -> int:
        data = packing.dumps(result)
        self._write(self.folder / DONE / name, _seal(name, key, data) + data)
        return len(data)

    def get_done(self, name: str, key: bytes) -> Any:
        """None: not there, or not sealed with this key. A Damaged where a worker sealed what is no result."""
        data = self._sealed(name, key)
        if data is None:
            return None
        try:
            return packing.loads(memoryview(data)[SEAL:])
        except packing.NotPortable as error:
            raise Damaged(name) from error

    def is_done(self, name: str, key: bytes) -> bool:
        """There, whole, and sealed with this key."""
        return self._sealed(name, key) is not None

    def _sealed(self, name: str, key: bytes) -> bytes | None:
        path = self.folder / DONE / name
        self._used.add(path)
        try:
            data = path.read_bytes()
        except OSError:
            return None
        return data if hmac.compare_digest(data[:SEAL], _seal(name, key, data[SEAL:])) else None

    def clear(self) -> None:
        """After a run that ended well nothing of it stays; what another run wrote does."""
        for path in self._used:
            with contextlib.suppress(OSError):
                path.unlink()
        for place in (*(self.folder / part for part in (ARRAYS, WORKS, DONE)), self.folder):
            with contextlib.suppress(OSError):  # not empty
                place.rmdir()

    def _put(self, array: Array) -> str:
        raw = array.data.cast("B") if array.size else memoryview(b"")
        name = hashlib.sha256(raw).hexdigest()
        target = self.folder / ARRAYS / name
        self._used.add(target)
        if not (target.is_file() and target.stat().st_size == len(raw)):
            need_space(self.folder, len(raw))
            self._write(target, raw)
        return name

    def _get(self, name: str) -> bytearray | memoryview:
        """Read, not mapped: a mapped file that somebody rewrites after the check changes under the running block."""
        with open(self.folder / ARRAYS / name, "rb") as source:
            found = bytearray(os.fstat(source.fileno()).st_size)
            source.readinto(found)
        if hashlib.sha256(found).hexdigest() != name:
            raise Damaged(name)
        return found

    def _write(self, target: Path, data: bytes | memoryview) -> None:
        self._used.add(target)
        if target.exists() and target.parent.name != DONE:
            return
        part = target.with_name(f".{target.name}.{secrets.token_hex(6)}")
        try:
            with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as out:
                out.write(data)
            os.replace(part, target)
        finally:
            with contextlib.suppress(OSError):
                part.unlink()

    def _forget(self, before: float) -> None:
        for part in (ARRAYS, WORKS, DONE):
            for path in (self.folder / part).iterdir():
                with contextlib.suppress(OSError):
                    if OURS.fullmatch(path.name) and path.lstat().st_mtime < before:
                        path.unlink()


def _must_be_ours(place: Path) -> None:
    """A link in its place would have the program tidy up, and open to all, a folder of the steward's elsewhere."""
    if place.is_symlink() or not place.is_dir():
        raise Failure(
            "The shared folder holds a link where this program keeps its blocks.",
            "Somebody else put it there: what lies behind it is not this program's.",
            "Tell the administrators, and choose another folder.",
            place="engine",
        )


def _seal(name: str, key: bytes, data: bytes | memoryview) -> bytes:
    made = hmac.new(key, name.encode() + b"\0", hashlib.sha256)
    made.update(data)
    return made.digest()
