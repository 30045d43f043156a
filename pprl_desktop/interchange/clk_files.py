"""CLK JSON as clkhash and anonlink write it, with or without blocks, and the zip of the CODI tools.

The order of rows is the only id these files have. They are not sealed: whoever holds the secret reads them with a
dictionary, so they travel inside something that is.
"""

from __future__ import annotations

import base64
import binascii
import io
import json
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import IO

import numpy as np

from pprl_desktop import files
from pprl_desktop.codes.base import Smashed
from pprl_desktop.interchange.clk_encode import smashed_of
from pprl_desktop.interchange.clk_schema import Schema
from pprl_desktop.problem import Problem
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.said import Said

LARGEST = 4 << 30  # bytes of one JSON file
MOST_BITS = 1 << 16
MOST_MEMBERS = 64  # files in a zip
CODI_DIGITS = 32  # of a secret, by the data owner's tools
EVERY = 5_000  # rows between two looks at the Cancel button
_CHUNK = 1 << 20


@dataclass(frozen=True, eq=False)
class Clks:
    """CLKs of a file in its order; blocks only where the file has them."""

    smashed: Smashed
    bits: int
    blocks: tuple[tuple[str, ...], ...] = ()


def write(target: Path, made: Smashed, bits: int, progress: Progress = NO_PROGRESS) -> None:
    with files.replacing(target, private=True) as out:
        for piece in _pieces(made, bits, progress):
            out.write(piece)


def read(path: Path, progress: Progress = NO_PROGRESS) -> Clks:
    """One CLK JSON file. A zip is refused with a sentence: it holds several."""
    if is_zip(path):
        raise Problem(
            "This is a zip with several CLK files.", do="Name the schema whose file in the zip is meant.", place="file"
        )
    with files.open_regular(path) as source:
        size = source.seek(0, io.SEEK_END)
        source.seek(0)
        return _parsed(source, size, progress)


def is_zip(path: Path) -> bool:
    with files.open_regular(path) as source:
        return source.read(4) == b"PK\x03\x04"


def must_suit_codi(schema: Schema, name: str, before: tuple[str, ...]) -> None:
    """What the CODI tools refuse is not written for them."""
    if any(one.hash == "doubleHash" for one in schema.hashed):
        raise Problem(
            Said("The schema '{name}' uses doubleHash.", name=name),
            "The CODI tools refuse it.",
            "Use a schema with blakeHash, or write a single CLK file.",
            place="schema",
        )
    if name in before:
        raise Problem(
            Said("The schema '{name}' is there twice.", name=name), do="Name each schema once.", place="schema"
        )


def write_zip(target: Path, made: dict[str, tuple[Smashed, int]], progress: Progress = NO_PROGRESS) -> None:
    """The layout of the CODI tools: output/<schema>.json each, and what was made in output/metadata-<time>.json.

    The linkage agent's tools read the time out of the name and refuse a file where it is not the creation date.
    """
    now = datetime.now(UTC)
    told = now.strftime("%Y-%m-%dT%H:%M:%S.%f")  # the data owner's tools cut seven characters off its end
    about = {
        "number_of_records": max((smashed.rows for smashed, _ in made.values()), default=0),
        "creation_date": told,
        "garble_time": told,
    }
    with files.replacing(target, private=True) as out, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for at, (name, (smashed, bits)) in enumerate(made.items()):
            part = progress.part(at / len(made), (at + 1) / len(made))
            with archive.open(f"output/{_safe(name)}.json", "w", force_zip64=True) as member:
                for piece in _pieces(smashed, bits, part):
                    member.write(piece)
        archive.writestr(f"output/metadata-{now:%Y%m%dT%H%M%S}.json", json.dumps(about))


def names_in_zip(path: Path) -> tuple[str, ...]:
    with files.open_regular(path) as source, _archive(source) as archive:
        return tuple(PurePosixPath(one.filename).stem for one in _members(archive))


def read_zip(path: Path, schema: str, progress: Progress = NO_PROGRESS) -> Clks:
    """The CLKs of one schema in a zip of the CODI tools; nothing is unpacked to the disk."""
    with files.open_regular(path) as source, _archive(source) as archive:
        for one in _members(archive):
            if PurePosixPath(one.filename).stem == schema:
                with archive.open(one) as member:
                    return _parsed(io.BufferedReader(_Limited(member, one.file_size)), one.file_size, progress)
        known = tuple(PurePosixPath(one.filename).stem for one in _members(archive))
    raise Problem(
        Said("The zip has no CLKs of the schema '{schema}'.", schema=schema),
        Said("It has: {known}.", known=known) if known else "",
        "Choose one of them.",
        place="schema",
    )


def secret_of_codi(text: bytes) -> bytes:
    """What the CODI tools hash with: the secret file's text through HMAC, in hexadecimal digits."""
    import hashlib
    import hmac

    if len(text.strip()) < CODI_DIGITS or text.strip().strip(b"0123456789abcdefABCDEF"):
        raise Problem(
            "The CODI tools do not take this secret.",
            Said("They want at least {n} hexadecimal digits.", n=CODI_DIGITS),
            "Use the secret file that all parties of the network were given.",
            place="secret",
        )
    return hmac.new(text.strip(), b"individuals", hashlib.sha256).hexdigest().encode()


def _pieces(made: Smashed, bits: int, progress: Progress) -> Iterator[bytes]:
    part = made.part("record")
    encoded = [base64.b64encode(value.tobytes()).decode() for value in part.values]
    nothing = base64.b64encode(bytes(bits // 8)).decode()
    yield b'{"clks": ['
    for start in range(0, made.rows, EVERY):
        progress.at(start / max(made.rows, 1), "Writing CLKs")
        rows = part.rows[start : start + EVERY].tolist()
        text = ", ".join(f'"{encoded[row] if row >= 0 else nothing}"' for row in rows)
        yield (", " if start else "").encode() + text.encode()
    yield b"]}\n"


def _parsed(source: IO[bytes], size: int, progress: Progress) -> Clks:
    if size > LARGEST:
        raise _not_clks(Said("It is larger than {most} GB.", most=LARGEST >> 30))
    progress.at(0.0, "Reading CLKs")
    text = bytearray()
    while chunk := source.read(_CHUNK):
        text += chunk
        progress.at(0.4 * len(text) / max(size, 1), "Reading CLKs")
    if text[:200].count(b"[") > 20:
        raise _not_clks(Said("It is not readable as JSON."))
    try:
        plain = json.loads(bytes(text))
    except (ValueError, RecursionError) as error:
        raise _not_clks(Said("It is not readable as JSON.")) from error
    rows = plain.get("clks", plain.get("clknblocks")) if isinstance(plain, dict) else None
    if not isinstance(rows, list):
        raise _not_clks(Said("It has neither 'clks' nor 'clknblocks'."))
    if "clks" in plain:
        return _of_texts(rows, (), progress)
    groups = [row for row in rows if isinstance(row, list) and row and all(isinstance(one, str) for one in row)]
    if len(groups) != len(rows):
        raise _not_clks(Said("A row with blocks must be a CLK followed by the names of its blocks."))
    return _of_texts([row[0] for row in groups], tuple(tuple(row[1:]) for row in groups), progress)


def _of_texts(texts: Iterable[object], blocks: tuple[tuple[str, ...], ...], progress: Progress) -> Clks:
    made: list[bytes] = []
    width = 0
    for at, text in enumerate(texts):
        if at % EVERY == 0:
            progress.at(0.5, "Reading CLKs")
        try:
            clk = base64.b64decode(text, validate=True) if isinstance(text, str) else b""
        except (binascii.Error, ValueError):
            clk = b""
        if not clk or len(clk) > MOST_BITS // 8 or (width and len(clk) != width):
            raise _not_clks(Said("Row {row} is not a CLK of the same length as the others.", row=at + 1))
        width = len(clk)
        made.append(clk)
    if not made:
        raise _not_clks(Said("It holds no CLK."))
    return Clks(smashed_of(np.frombuffer(b"".join(made), np.uint8).reshape(len(made), width)), 8 * width, blocks)


def _archive(source: IO[bytes]) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(source)
    except (zipfile.BadZipFile, ValueError, OSError) as error:
        raise Problem("This is not a zip of CLKs.", "It is damaged or of another kind.", place="file") from error


def _members(archive: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    listed = archive.infolist()
    if len(listed) > MOST_MEMBERS:
        raise Problem("This is not a zip of CLKs.", Said("It holds more than {n} files.", n=MOST_MEMBERS), place="file")
    return [
        one
        for one in listed
        if PurePosixPath(one.filename).parent.name == "output"
        and one.filename.endswith(".json")
        and not PurePosixPath(one.filename).name.startswith("metadata")
    ]


class _Limited(io.RawIOBase):
    """A member of a zip that may not grow beyond the size it claims."""

    def __init__(self, source: IO[bytes], most: int) -> None:
        self.source, self.left = source, min(most, LARGEST)

    def readable(self) -> bool:
        return True

    def readinto(self, into: object) -> int:
        view = memoryview(into)  # type: ignore[arg-type]
        try:
            data = self.source.read(min(len(view), self.left + 1))
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError) as error:
            raise Problem("The zip is damaged.", do="Ask the partner for it again.", place="file") from error
        self.left -= len(data)
        if self.left < 0:
            raise Problem("The zip is damaged.", "A file in it is larger than it says.", place="file")
        view[: len(data)] = data
        return len(data)


def _safe(name: str) -> str:
    return "".join(letter if letter.isalnum() or letter in "-_." else "_" for letter in name) or "schema"


def _not_clks(why: Said) -> Problem:
    return Problem("This is not a file of CLKs.", why, "Ask the partner for the file that clkhash wrote.", place="file")
