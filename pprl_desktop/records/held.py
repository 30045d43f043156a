"""The bytes of a file, read from the disk once: what is hashed, decoded and parsed is the same, however often."""

from __future__ import annotations

import hashlib
import io
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from pprl_desktop import files
from pprl_desktop.records.packed import is_packed, unpacked

LOOKED = 1 << 18  # bytes: zeros for so long are no text


@dataclass(frozen=True, eq=False)
class Held:
    name: str
    size: int  # of the whole file
    data: bytes = field(repr=False)  # all of it, or its head; unpacked where it was packed
    digest: str = ""  # of the file as it lies there, where it was packed

    def open(self) -> BinaryIO:
        return io.BytesIO(self.data)

    def sha256(self) -> str:
        return self.digest or hashlib.sha256(self.data).hexdigest()


def hold(path: Path, limit: int | None = None) -> Held:
    """The file, or its first `limit` bytes: a file of any size can be looked at."""
    with files.open_regular(path) as file:
        if not file.read(LOOKED).strip(b"\0"):  # a file with a hole in place of its content may be of any size
            return Held(path.name, 0, b"")
        file.seek(0)
        data = file.read() if limit is None else file.read(limit)
        if is_packed(data):
            data += file.read()
            text = unpacked(path.name, data, limit)
            return Held(path.name, len(text), text, hashlib.sha256(data).hexdigest())
    return Held(path.name, len(data) if limit is None else path.stat().st_size, data)
