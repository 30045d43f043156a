"""A text file packed by gzip, or alone in a zip file: unpacked in memory, never beyond a limit."""

from __future__ import annotations

import io
import zipfile
import zlib
from pathlib import Path

from pprl_desktop import files
from pprl_desktop.problem import Problem
from pprl_desktop.records.refused import bomb
from pprl_desktop.said import Said

MOST = 4 << 30  # bytes of the text
RATIO = 50  # bytes for each packed one, beyond which it is no table of people
ALWAYS = 6 << 20  # bytes that may be unpacked whatever the ratio: read as a table they take ten times that
PIECE = 1 << 14  # bytes taken at a time: what follows a part of a gzip file is copied, so it must not be all the rest
PART = 1 << 10  # bytes that a part of a gzip file has, on average, or more; a hundred smaller ones are let pass
TEXTS = (".csv", ".tsv", ".tab", ".txt", ".dat", ".asc")
WORKBOOK = "[Content_Types].xml"  # stands in every .xlsx, whatever the file is called
GZIP, ZIP = b"\x1f\x8b", b"PK\x03\x04"


def is_packed(start: bytes) -> bool:
    return start.startswith((GZIP, ZIP))


def only_file(path: Path) -> str:
    """The name of the one file in a zip, or of what a gzip file holds; "" of anything else."""
    ending = path.suffix.lower()
    if ending not in (".gz", ".zip"):  # any other file is opened once, by whoever reads it
        return ""
    try:
        with files.open_regular(path) as file:  # neither a pipe nor a device
            start = file.read(4)
            if ending == ".gz":
                return path.stem if start.startswith(GZIP) else ""
            if not start.startswith(ZIP):
                return ""
            with zipfile.ZipFile(file) as packed:
                inside = _inside(packed)
                return Path(inside[0].filename).name if len(inside) == 1 else ""
    except (Problem, zipfile.BadZipFile, NotImplementedError, OSError, ValueError):
        return ""


def _inside(packed: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    return [one for one in packed.infolist() if not one.is_dir() and not one.filename.startswith("__MACOSX/")]


def unpacked(name: str, data: bytes, limit: int | None = None, endings: tuple[str, ...] = TEXTS) -> bytes:
    """What is inside, or its first `limit` bytes. A workbook or a zip file of several files stays as it is."""
    most = min(max(RATIO * len(data), ALWAYS), MOST)
    try:
        if data.startswith(GZIP):
            return _gzip(name, data, most, limit)
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            inside = _inside(packed)
            if len(inside) != 1 or not inside[0].filename.lower().endswith(endings):
                if name.lower().endswith(".zip") and not any(one.filename == WORKBOOK for one in inside):
                    raise _no_single_table(name, inside)
                return data
            if inside[0].compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise zipfile.BadZipFile  # what others take of memory is said by the file itself
            with packed.open(inside[0]) as file:
                made = file.read(most + 1 if limit is None else limit)
    except (zlib.error, zipfile.BadZipFile, EOFError, RuntimeError, NotImplementedError, OSError, ValueError):
        raise Problem(
            Said("'{name}' cannot be unpacked.", name=name),
            "It is damaged or protected by a password.",
            "Unpack it by hand and choose the file inside.",
            place="file",
        ) from None
    if len(made) > most:
        raise bomb(name, len(made), len(data))
    return made


def _no_single_table(name: str, inside: list[zipfile.ZipInfo]) -> Problem:
    n = len(inside)
    return Problem(
        Said("'{name}' holds {n:count} {n|file|files}.", name=name, n=n)
        if n != 1
        else Said("What is packed in '{name}' is no table that is read here.", name=name),
        "A zip file is read where it holds one table and nothing else.",
        "Unpack it and choose the file with the table.",
        place="file",
    )


def _gzip(name: str, data: bytes, most: int, limit: int | None) -> bytes:
    made, at, parts = bytearray(), 0, 0
    enough = most if limit is None else limit
    while data.startswith(GZIP, at):  # a gzip file may hold several parts, one after the other
        part, parts = zlib.decompressobj(wbits=31), parts + 1
        if parts > 100 + len(data) // PART:  # nobody packs so: each part costs time, whatever it holds
            raise EOFError
        while not part.eof:
            piece = data[at : at + PIECE]
            if not piece and limit is not None:
                return bytes(made)
            if not piece:
                raise EOFError
            made += part.decompress(piece, enough + 1 - len(made))
            at += len(piece) - len(part.unused_data) - len(part.unconsumed_tail)
            if limit is not None and len(made) >= limit:
                return bytes(made[:limit])
            if len(made) > most:
                raise bomb(name, len(made), len(data))
    return bytes(made)
