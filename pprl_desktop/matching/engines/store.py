"""The folder a cluster's workers share: packed arrays by their hash, and finished blocks.

Arrays are content-addressed and checked when they are read. A finished block is sealed with a key (HMAC-SHA-256) that
the workers get with each task and that never lies in the folder: whoever can write there can neither alter an array
nor forge a result unnoticed. Files are written beside their place and renamed, so a killed worker leaves no half block.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import mmap
import os
import secrets
import shutil
import time
from pathlib import Path
from typing import Any

from pprl_desktop.compute import packing
from pprl_desktop.compute.packing import Array
from pprl_desktop.files import need_space

FOLDER = "pprl-desktop-blocks"
ARRAYS, WORKS, DONE = "arrays", "works", "done"
SEAL = 32  # bytes of an HMAC
KEPT_DAYS = 7  # what a broken-off run left behind is removed after so many days


class Damaged(Exception):  # noqa: N818 - what it is, not that it went wrong
    """A file of the folder is not what it was when it was written."""


class Store:
    def __init__(self, folder: Path) -> None:
        self.folder = folder / FOLDER

    def prepare(self) -> None:
        for part in (ARRAYS, WORKS, DONE):
            (self.folder / part).mkdir(parents=True, exist_ok=True, mode=0o700)
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
        import json

        return packing.decode(json.loads(text), self._get)

    def put_done(self, name: str, key: bytes, result: Any) -> int:
        data = packing.dumps(result)
        self._write(self.folder / DONE / name, _seal(name, key, data) + data)
        return len(data)

    def get_done(self, name: str, key: bytes) -> Any:
        """None: not there, or not sealed with this key."""
        try:
            data = (self.folder / DONE / name).read_bytes()
        except OSError:
            return None
        if not hmac.compare_digest(data[:SEAL], _seal(name, key, data[SEAL:])):
            return None
        return packing.loads(memoryview(data)[SEAL:])

    def is_done(self, name: str, key: bytes) -> bool:
        """There, whole, and sealed with this key."""
        return self.get_done(name, key) is not None

    def clear(self) -> None:
        """After a run that ended well nothing stays."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def _put(self, array: Array) -> str:
        raw = array.data.cast("B") if array.size else memoryview(b"")
        name = hashlib.sha256(raw).hexdigest()
        target = self.folder / ARRAYS / name
        if not (target.is_file() and target.stat().st_size == len(raw)):
            need_space(self.folder, len(raw))
            self._write(target, raw)
        return name

    def _get(self, name: str) -> bytearray | memoryview:
        """Mapped, not read: two tasks of one worker share the pages, and writing to an array changes only the copy."""
        with open(self.folder / ARRAYS / name, "rb") as source:
            if not os.fstat(source.fileno()).st_size:
                return bytearray()
            mapped = mmap.mmap(source.fileno(), 0, access=mmap.ACCESS_COPY)
        if hashlib.sha256(mapped).hexdigest() != name:
            raise Damaged(name)
        return memoryview(mapped)

    def _write(self, target: Path, data: bytes | memoryview) -> None:
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
                    if path.stat().st_mtime < before:
                        path.unlink()


def _seal(name: str, key: bytes, data: bytes | memoryview) -> bytes:
    made = hmac.new(key, name.encode() + b"\0", hashlib.sha256)
    made.update(data)
    return made.digest()
