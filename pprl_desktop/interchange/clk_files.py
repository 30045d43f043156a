"""CLK JSON as clkhash and anonlink write it, with or without blocks, and the zip of the CODI tools.

The order of rows is the only id these files have. They are not sealed: whoever holds the secret reads them with a
dictionary, so they travel inside something that is.
"""

from __future__ import annotations

import base64
import codecs
import io
import json
import re
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import IO, Any

import numpy as np

from pprl_desktop import files
from pprl_desktop.codes.base import Smashed
from pprl_desktop.interchange.clk_encode import smashed_of
from pprl_desktop.interchange.clk_schema import Schema
from pprl_desktop.problem import Problem
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.said import NOTHING, Said

LARGEST = 4 << 30  # bytes of one JSON file
MOST_BITS = 1 << 16
MOST_MEMBERS = 64  # files in a zip
CODI_DIGITS = 32  # of a secret, by the data owner's tools
EVERY = 5_000  # rows between two looks at the Cancel button
LONGEST_ROW = 1 << 16  # characters of a CLK with its blocks
RATIO = 30  # bytes for each packed one: CLKs are nearly random, and do not pack well
ALWAYS = 1 << 20  # bytes that may be unpacked whatever the ratio
DIRECTORY = 1 << 16  # bytes of the list of files in a zip
_CHUNK = 1 << 20
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, RuntimeError, NotImplementedError)
_END = struct.Struct("<4s6xHI6x")  # end of a zip: how many files, and bytes of their list
_MORE = 20  # bytes before it where zip64 has its own
_SIGN = re.compile(r"[^ \t\r\n]")


@dataclass(frozen=True, eq=False)
class Clks:
    """CLKs of a file in its order; blocks only where the file has them."""

    smashed: Smashed
    bits: int
    blocks: tuple[tuple[str, ...], ...] = ()


def write(target: Path, made: Smashed, bits: int, progress: Progress = NO_PROGRESS) -> None:
    with files.replacing(target) as out:
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
    with files.replacing(target) as out, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
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
                with _opened(archive, one) as member:
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
    """Row by row: what is no CLK is refused where it stands, before the rest of the file is looked at."""
    if size > LARGEST:
        raise _not_clks(Said("It is larger than {most} GB.", most=LARGEST >> 30))
    progress.at(0.0, "Reading CLKs")
    rows = _Rows(source, lambda read: progress.at(0.9 * read / max(size, 1), "Reading CLKs"))
    with_blocks = rows.begin()
    made, blocks, width = bytearray(), list[tuple[str, ...]](), 0
    for at, row in enumerate(rows):
        if with_blocks and not (isinstance(row, list) and row and all(isinstance(one, str) for one in row)):
            raise _not_clks(Said("A row with blocks must be a CLK followed by the names of its blocks."))
        clk = _decoded(row[0] if with_blocks else row)
        if not clk or len(clk) > MOST_BITS // 8 or (width and len(clk) != width):
            raise _not_clks(Said("Row {row} is not a CLK of the same length as the others.", row=at + 1))
        width = len(clk)
        made += clk
        if with_blocks:
            blocks.append(tuple(row[1:]))
    if not made:
        raise _not_clks(Said("It holds no CLK."))
    return Clks(smashed_of(np.frombuffer(bytes(made), np.uint8).reshape(-1, width)), 8 * width, tuple(blocks))


def _decoded(text: object) -> bytes:
    try:
        return base64.b64decode(text, validate=True) if isinstance(text, str) else b""
    except ValueError:
        return b""


class _Rows:
    """The rows of {"clks": [...]} or {"clknblocks": [...]}, one after another; never more than a piece is held."""

    def __init__(self, source: IO[bytes], told: Callable[[int], None]) -> None:
        self.source, self.told, self.read = source, told, 0
        self.utf8 = codecs.getincrementaldecoder("utf-8")()
        self.text, self.at, self.ended = "", 0, False
        self.decoder = json.JSONDecoder()

    def begin(self) -> bool:
        """Whether the rows have blocks."""
        for sign in ("{", '"'):
            self._expect(sign)
        name = next((one for one in ("clknblocks", "clks") if self.text.startswith(f'{one}"', self.at)), "")
        if not name:
            raise _not_clks(Said("It has neither 'clks' nor 'clknblocks'."))
        self.at += len(name) + 1
        for sign in (":", "["):
            self._expect(sign)
        return name == "clknblocks"

    def __iter__(self) -> Iterator[Any]:
        more = self._next() != "]"
        while more:
            yield self._row()
            more = self._next() == ","
            self.at += more
        for sign in ("]", "}"):
            self._expect(sign)
        if self._next():
            raise _not_json()

    def _row(self) -> Any:
        self._next()  # blanks before it, and enough of the file to hold it whole
        try:
            row, self.at = self.decoder.raw_decode(self.text, self.at)
        except (ValueError, RecursionError) as error:
            raise _not_json() from error
        return row

    def _expect(self, sign: str) -> None:
        if self._next() != sign:
            raise _not_json()
        self.at += 1

    def _next(self) -> str:
        """The next sign that is no blank, not taken yet; '' at the end."""
        while True:
            while not self.ended and len(self.text) - self.at < LONGEST_ROW:
                self._more()
            match = _SIGN.search(self.text, self.at)
            if match:
                self.at = match.start()
                if self.ended or len(self.text) - self.at >= LONGEST_ROW:
                    return match.group()
            else:
                self.at = len(self.text)
                if self.ended:
                    return ""

    def _more(self) -> None:
        chunk = self.source.read(_CHUNK)
        self.read += len(chunk)
        self.told(self.read)
        self.ended = not chunk
        try:
            self.text = self.text[self.at :] + self.utf8.decode(chunk, final=self.ended)
        except UnicodeDecodeError as error:
            raise _not_json() from error
        self.at = 0


def _not_json() -> Problem:
    return _not_clks(Said("It is not readable as JSON."))


def _archive(source: IO[bytes]) -> zipfile.ZipFile:
    """The end of a zip says how long the list of its files is: read before the list is, which may be endless."""
    size = source.seek(0, io.SEEK_END)
    source.seek(max(0, size - _END.size - DIRECTORY))
    tail = source.read()
    at = tail.rfind(b"PK\x05\x06")
    try:
        _, members, length = _END.unpack_from(tail, at) if at >= 0 else (b"", 0, 0)
        longer = tail[max(0, at - _MORE) : max(0, at)].startswith(b"PK\x06\x07")  # another end, for thousands of files
        if not 0 < members <= MOST_MEMBERS or length > DIRECTORY or longer:
            raise zipfile.BadZipFile
        source.seek(0)
        return zipfile.ZipFile(source)
    except (*_BROKEN, struct.error) as error:
        raise Problem("This is not a zip of CLKs.", "It is damaged or of another kind.", place="file") from error


def _opened(archive: zipfile.ZipFile, one: zipfile.ZipInfo) -> IO[bytes]:
    if one.file_size > max(RATIO * one.compress_size, ALWAYS):
        raise Problem("This is not a zip of CLKs.", "It would become very large when it is unpacked.", place="file")
    if one.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):  # others may ask for any memory
        raise _damaged()
    try:
        return archive.open(one)
    except _BROKEN as error:
        raise _damaged() from error


def _damaged(why: Said = NOTHING) -> Problem:
    return Problem("The zip is damaged.", why, "Ask the partner for it again.", place="file")


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
        except _BROKEN as error:
            raise _damaged() from error
        self.left -= len(data)
        if self.left < 0:
            raise _damaged(Said("A file in it is larger than it says."))
        view[: len(data)] = data
        return len(data)


def _safe(name: str) -> str:
    return "".join(letter if letter.isalnum() or letter in "-_." else "_" for letter in name) or "schema"


def _not_clks(why: Said) -> Problem:
    return Problem("This is not a file of CLKs.", why, "Ask the partner for the file that clkhash wrote.", place="file")
