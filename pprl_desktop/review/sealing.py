"""Sealed files of a review: an age file under a passphrase, or under the review's own key. Through exchange/ only."""

from __future__ import annotations

import io
import json
import unicodedata
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np
import numpy.typing as npt

from pprl_desktop.exchange import age, files
from pprl_desktop.exchange.keys import Keys, PublicKeys
from pprl_desktop.exchange.passphrase import must_be_usable
from pprl_desktop.problem import Problem

WORK_FACTOR = 17  # log2 of scrypt's N: 128 MiB and about half a second for each guess
LONGEST_HEADER = 256 << 20  # bytes of JSON that are believed
DTYPES = ("int8", "int32", "int64")
Arrays = Mapping[str, npt.NDArray[Any]]


def write_under_passphrase(path: Path, kind: str, plain: Mapping[str, Any], arrays: Arrays, passphrase: str) -> None:
    must_be_usable(passphrase)
    with files.replacing(path, private=True) as out:
        _write(out, age.Passphrase(_bytes(passphrase), WORK_FACTOR), kind, plain, arrays)


def read_under_passphrase(path: Path, kind: str, passphrase: str) -> tuple[dict[str, Any], dict[str, Any]]:
    return _read(path, kind, age.Passphrase(_bytes(passphrase)), "The passphrase does not fit, or it is another file.")


def write_to_key(path: Path, kind: str, plain: Mapping[str, Any], arrays: Arrays, recipient: PublicKeys) -> None:
    with files.replacing(path, private=True) as out:
        _write(out, recipient.recipient("hybrid"), kind, plain, arrays)


def read_with_key(path: Path, kind: str, keys: Keys) -> tuple[dict[str, Any], dict[str, Any]]:
    return _read(path, kind, keys.identities()[0], "It was made for another review.")


def _bytes(passphrase: str) -> bytes:
    return unicodedata.normalize("NFC", passphrase).encode("utf-8")  # the same on every keyboard


def _write(out: BinaryIO, recipient: age.Recipient, kind: str, plain: Mapping[str, Any], arrays: Arrays) -> None:
    import zstandard

    writer = age.encrypt(out, recipient)
    packer = zstandard.ZstdCompressor(level=3).compressobj()
    described = [[name, str(array.dtype), list(array.shape)] for name, array in arrays.items()]
    header = json.dumps({"kind": kind, "plain": plain, "arrays": described}, ensure_ascii=False).encode("utf-8")
    writer.write(packer.compress(len(header).to_bytes(8, "little") + header))
    for array in arrays.values():
        little = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
        writer.write(packer.compress(little.tobytes()))
    writer.write(packer.flush())
    writer.close()


def _read(path: Path, kind: str, identity: age.Identity, why: str) -> tuple[dict[str, Any], dict[str, Any]]:
    import zstandard

    try:
        with open(path, "rb") as source:
            reader = _Raw(age.decrypt(source, [identity]))
            with zstandard.ZstdDecompressor().stream_reader(
                cast(BinaryIO, reader), read_across_frames=False
            ) as content:
                return _parse(content, kind)
    except age.NoMatch as error:
        raise Problem(
            "The sealed file cannot be opened.",
            why,
            "Check the file and type the passphrase again.",
            place="passphrase",
        ) from error
    except (age.AgeError, zstandard.ZstdError, ValueError, KeyError, TypeError) as error:
        raise Problem(
            "The sealed file is damaged or not part of a review.", do="Use the file as it was made.", place="file"
        ) from error
    except OSError as error:
        raise files.refused(error) from error


def _parse(content: Any, kind: str) -> tuple[dict[str, Any], dict[str, Any]]:
    size = int.from_bytes(_exactly(content, 8), "little")
    if size > LONGEST_HEADER:
        raise ValueError("header")
    header = json.loads(_exactly(content, size))
    if header["kind"] != kind:
        raise Problem(
            f"This is not {_KINDS[kind]}.",
            f"It is {_KINDS.get(header['kind'], 'something else')}.",
            "Choose the right file.",
            place="file",
        )
    arrays = {}
    for name, dtype, shape in header["arrays"]:
        if dtype not in DTYPES or any(not isinstance(n, int) or n < 0 for n in shape):
            raise ValueError("array")
        kind_of = np.dtype(dtype).newbyteorder("<")
        count = int(np.prod(shape, dtype=np.int64))
        data = _exactly(content, count * kind_of.itemsize)
        arrays[name] = np.frombuffer(data, dtype=kind_of).reshape(shape).astype(dtype)
    return header["plain"], arrays


_KINDS = {
    "desk": "a manager's desk",
    "people": "the records of a review",
    "share": "a reviewer's share",
    "decisions": "a reviewer's decisions",
    "request": "a request for review cells",
}


def _exactly(content: Any, size: int) -> bytes:
    found = bytearray()
    while len(found) < size:
        part = content.read(min(size - len(found), 1 << 22))
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
