"""Sealed files of a review: exchange's container under a passphrase or under the review's own key, within limits.

The first version had a container of its own, and files were sealed with scrypt, which takes 128 MiB: they still open.
"""

from __future__ import annotations

import io
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np

from pprl_desktop import files
from pprl_desktop.exchange import age, clock, container, seal
from pprl_desktop.exchange.container import Array, Arrays
from pprl_desktop.exchange.keys import Keys, PublicKeys
from pprl_desktop.exchange.manifest import MAX_RAW, NO_AGREEMENT, NO_PREVIOUS, Manifest
from pprl_desktop.exchange.passphrase import Cost, must_be_usable
from pprl_desktop.exchange.passphrase_seal import PassphraseSeal
from pprl_desktop.problem import Problem
from pprl_desktop.said import Said

COST = Cost()  # Argon2id, 64 MiB for each guess; a file may not ask for more memory than that
ROOM = 16 << 20  # bytes that the content of a small file may have unpacked ...
RATIO = 16  # ... and what a larger one may add: as many times its own size
PLAIN_ROOM = 2 << 20  # the same for its JSON, which takes many times its size once it is read
LONGEST_PLAIN = 32 << 20  # bytes of JSON that are believed at most
PLAIN = "plain"  # the array that holds it
FIRST_DTYPES = ("int8", "int32", "int64")

PARTS: Mapping[str, Said] = {
    "key": Said("the key of a manager's desk"),
    "desk": Said("a manager's desk"),
    "people": Said("the records of a review"),
    "share": Said("a reviewer's share"),
    "tranche": Said("the next pairs of a share"),
    "decisions": Said("a reviewer's decisions"),
    "request": Said("a request for review cells"),
    "match": Said("a finished match"),
}


@dataclass(frozen=True, eq=False)
class Content:
    plain: dict[str, Any] = field(repr=False)
    arrays: dict[str, Array] = field(repr=False)
    signer: bytes  # Ed25519 key that signed it; empty in a file of the first version
    first_version: bool = False


def write_under_passphrase(
    path: Path, part: str, plain: Mapping[str, Any], arrays: Arrays, passphrase: str, signer: Keys
) -> None:
    must_be_usable(passphrase)
    _write(path, PassphraseSeal(passphrase, COST), part, plain, arrays, signer)


def read_under_passphrase(path: Path, part: str, passphrase: str) -> Content:
    """Whoever knows the passphrase may have written it; the caller looks at the signer."""
    identity = PassphraseSeal(passphrase)
    return _read(path, part, identity, None, Said("The passphrase does not fit, or it is another file."))


def write_to_key(
    path: Path, part: str, plain: Mapping[str, Any], arrays: Arrays, recipient: PublicKeys, signer: Keys
) -> None:
    _write(path, recipient.recipient("hybrid"), part, plain, arrays, signer)


def read_with_key(path: Path, part: str, keys: Keys, pinned: bytes | None = None) -> Content:
    """`pinned`: the key that must have signed it; a file of the first version, which nobody signed, is refused then."""
    found = _read(path, part, keys.identities()[0], pinned, Said("It was made for another review."))
    if pinned is not None and found.first_version:
        raise damaged()
    return found


@contextmanager
def well_formed() -> Iterator[None]:
    """Whatever a content holds that cannot be read as what it says to be becomes one sentence."""
    try:
        yield
    except (
        ValueError, KeyError, TypeError, IndexError, AttributeError, ArithmeticError, RecursionError, MemoryError,
    ) as error:  # fmt: skip
        raise damaged() from error


def damaged() -> Problem:
    return Problem(
        "The sealed file is damaged or not part of a review.", do="Use the file as it was made.", place="file"
    )


def _write(
    path: Path, recipient: age.Recipient, part: str, plain: Mapping[str, Any], arrays: Arrays, signer: Keys
) -> None:
    text = json.dumps(plain, ensure_ascii=False, allow_nan=False).encode("utf-8")
    if len(text) > LONGEST_PLAIN:
        raise Problem(
            "The review is too large for one file.", do="Make a review with fewer pairs or records.", place="review"
        )
    party = signer.public().party
    manifest = Manifest(
        "review", os.urandom(16).hex(), NO_AGREEMENT, 0, NO_PREVIOUS, party, party, clock.now(), "", {"part": part}
    )
    content: dict[str, Array] = {PLAIN: np.frombuffer(text, np.uint8), **arrays}
    seal.seal_for(path, manifest, content, signer, recipient)


def _read(path: Path, part: str, identity: age.Identity, pinned: bytes | None, why: Said) -> Content:
    if _is_first_version(path, identity, why):
        return _read_first_version(path, part, identity)
    opened = seal.open_for(path, (identity,), None if pinned is None else [pinned])
    with well_formed():
        found = opened.manifest.body["part"]
        _must_be(part, found if opened.manifest.kind == "review" else "")
        _within(opened.manifest.raw, path)
        _within(opened.manifest.entry(PLAIN).raw, path, PLAIN_ROOM, LONGEST_PLAIN)
        arrays = opened.load()
        plain = json.loads(arrays.pop(PLAIN).tobytes())
        if not isinstance(plain, dict):
            raise TypeError("plain")
        return Content(plain, arrays, opened.sender)


def _is_first_version(path: Path, identity: age.Identity, why: Said) -> bool:
    """By its first bytes: a container begins with its magic, the first version's files with a packed header."""
    try:
        with files.open_regular(path) as source:
            return bytes(age.decrypt(source, [identity]).read(len(container.PROGRAM))) != container.PROGRAM
    except age.NoMatch as error:
        raise Problem(
            "The sealed file cannot be opened.",
            why,
            "Check the file and type the passphrase again.",
            place="passphrase",
        ) from error
    except age.AgeError as error:
        raise damaged() from error
    except OSError as error:
        raise files.refused(error) from error


def _must_be(part: str, found: object) -> None:
    if found != part:
        known = PARTS.get(found) if isinstance(found, str) else None
        raise Problem(
            Said("This is not {wanted}.", wanted=PARTS[part]),
            Said("It is {known}.", known=known) if known else Said("It is something else."),
            "Choose the right file.",
            place="file",
        )


def _within(size: int, path: Path, room: int = ROOM, most: int = MAX_RAW) -> None:
    """Nothing is unpacked for a file that is small and says that it is huge."""
    if size > min(most, room + RATIO * path.stat().st_size):
        raise ValueError("larger than its file allows")


# ---- files of the first version: a packed header and packed arrays


def _read_first_version(path: Path, part: str, identity: age.Identity) -> Content:
    import zstandard

    try:
        with files.open_regular(path) as source, well_formed():
            reader = _Raw(age.decrypt(source, [identity]))
            unpacker = zstandard.ZstdDecompressor(max_window_size=container.MAX_WINDOW)
            with unpacker.stream_reader(cast(BinaryIO, reader), read_across_frames=False) as content:
                return _parse_first_version(content, "desk" if part == "key" else part, path)
    except (age.AgeError, zstandard.ZstdError) as error:
        raise damaged() from error
    except OSError as error:
        raise files.refused(error) from error


def _parse_first_version(content: Any, part: str, path: Path) -> Content:
    size = int.from_bytes(_exactly(content, 8), "little")
    _within(size, path, PLAIN_ROOM, LONGEST_PLAIN)
    header = json.loads(_exactly(content, size))
    _must_be(part, header["kind"])
    arrays = {}
    for name, dtype, shape in header["arrays"]:
        if dtype not in FIRST_DTYPES or any(not isinstance(n, int) or n < 0 for n in shape) or len(shape) > 2:
            raise ValueError("array")
        kind = np.dtype(dtype).newbyteorder("<")
        count = 1
        for length in shape:
            count *= length
        size += count * kind.itemsize
        _within(size, path)
        arrays[str(name)] = np.frombuffer(_exactly(content, count * kind.itemsize), kind).reshape(shape).astype(dtype)
    if not isinstance(header["plain"], dict):
        raise TypeError("plain")
    return Content(header["plain"], arrays, b"", first_version=True)


def _exactly(content: Any, size: int) -> bytes:
    found = bytearray()
    while len(found) < size:
        part = content.read(min(size - len(found), 1 << 20))
        if not part:
            raise ValueError("short")
        found += part
    return bytes(found)


class _Raw(io.RawIOBase):
    """An age reader as a file, for the decompressor."""

    def __init__(self, reader: age.Reader) -> None:
        self._reader = reader

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        part = self._reader.read(len(buffer))
        buffer[: len(part)] = part
        return len(part)

    def read(self, size: int = -1) -> bytes:
        return bytes(self._reader.read(size if size > 0 else 1 << 16))
