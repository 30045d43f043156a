"""The manifest of a container: what it is, from whom, for whom, and which arrays follow. Checked field by field."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pprl_desktop.exchange import clock, refusals, strict
from pprl_desktop.exchange.strict import Plain

KINDS = (
    "agreement", "data", "question", "answer", "result", "review", "group_links", "groups", "receipt", "key_change",
)  # fmt: skip
DTYPES: Mapping[str, int] = {
    "uint8": 1,
    "int32": 4,
    "uint32": 4,
    "int64": 8,
    "uint64": 8,
}  # name -> bytes, little-endian
CODECS = ("raw", "zstd")

MAX_ENTRIES = 1024
MAX_ROWS = (1 << 31) - 1  # row numbers are int32
MAX_WIDTH = 1 << 20
MAX_RAW = 1 << 38  # bytes of all arrays together, whatever was agreed
NO_AGREEMENT = "0" * 64
NO_PREVIOUS = "0" * 64

_NAME = re.compile(r"[a-z0-9]+([._-][a-z0-9]+)*")  # never a path


@dataclass(frozen=True)
class Entry:
    name: str
    dtype: str
    shape: tuple[int, ...]
    stored: int  # bytes in the container
    codec: str
    sha256: str  # of the raw little-endian bytes

    @property
    def raw(self) -> int:
        size = DTYPES[self.dtype]
        for length in self.shape:
            size *= length
        return size

    def as_plain(self) -> Plain:
        return {
            "name": self.name, "dtype": self.dtype, "shape": list(self.shape),
            "bytes": self.stored, "codec": self.codec, "sha256": self.sha256,
        }  # fmt: skip


@dataclass(frozen=True)
class Party:
    """Fingerprints of one side's keys."""

    sign: str
    seal: str

    def as_plain(self) -> Plain:
        return {"sign": self.sign, "seal": self.seal}


@dataclass(frozen=True)
class Manifest:
    kind: str
    id: str  # random, 16 bytes
    agreement: str  # SHA-256 of the agreement both signed
    sequence: int  # 1, 2, 3 ... per agreement and direction; 0 outside an agreement
    previous: str  # SHA-256 of the manifest before it in this direction
    sender: Party
    recipient: Party
    made: str
    statement: str  # the privacy statement, in words
    body: Plain = field(default_factory=dict, repr=False)
    entries: tuple[Entry, ...] = ()

    def as_plain(self) -> Plain:
        return {
            "kind": self.kind, "id": self.id, "agreement": self.agreement, "sequence": self.sequence,
            "previous": self.previous, "from": self.sender.as_plain(), "to": self.recipient.as_plain(),
            "made": self.made, "statement": self.statement, "body": self.body,
            "entries": [entry.as_plain() for entry in self.entries],
        }  # fmt: skip

    @property
    def raw(self) -> int:
        return sum(entry.raw for entry in self.entries)

    @property
    def stored(self) -> int:
        return sum(entry.stored for entry in self.entries)

    def entry(self, name: str) -> Entry:
        for entry in self.entries:
            if entry.name == name:
                return entry
        raise refusals.malformed(f"entries.{name}", "It is missing.")


_KEYS = {
    "kind", "id", "agreement", "sequence", "previous", "from", "to", "made", "statement", "body", "entries",
}  # fmt: skip


def parse(data: bytes) -> Manifest:
    """Call only after the signature was checked."""
    plain = strict.loads(data)
    strict.only(plain, _KEYS)
    made = strict.text(plain, "made")
    if not clock.is_written(made):
        raise refusals.malformed("made", "It must be a date and time in UTC.")
    entries = tuple(_entry(item, at) for at, item in enumerate(strict.mappings(plain, "entries", MAX_ENTRIES)))
    if len({entry.name for entry in entries}) != len(entries):
        raise refusals.malformed("entries", "A name stands in it twice.")
    found = Manifest(
        kind=strict.one_of(plain, "kind", KINDS),
        id=strict.hexes(plain, "id", 16),
        agreement=strict.hexes(plain, "agreement", 32),
        sequence=strict.integer(plain, "sequence", 0, 1 << 31),
        previous=strict.hexes(plain, "previous", 32),
        sender=_party(plain, "from"),
        recipient=_party(plain, "to"),
        made=made,
        statement=strict.lines(plain, "statement", longest=20_000),
        body=strict.mapping(plain, "body"),
        entries=entries,
    )
    if found.raw > MAX_RAW:
        raise refusals.larger_than_agreed("bytes", found.raw, MAX_RAW)
    return found


def _party(plain: Plain, key: str) -> Party:
    inner = strict.mapping(plain, key)
    strict.only(inner, {"sign", "seal"}, place=f"{key}.")
    return Party(strict.hexes(inner, "sign", 32, place=f"{key}."), strict.hexes(inner, "seal", 32, place=f"{key}."))


def _entry(item: Plain, at: int) -> Entry:
    place = f"entries[{at}]."
    strict.only(item, {"name", "dtype", "shape", "bytes", "codec", "sha256"}, place=place)
    name = strict.text(item, "name", place=place, longest=64)
    if not _NAME.fullmatch(name):
        raise refusals.malformed(place + "name", "It must be a plain name, not a path.")
    shape: list[Any] = strict.listing(item, "shape", 2, place=place)
    limits = (MAX_ROWS, MAX_WIDTH)
    if not shape or not all(isinstance(n, int) and 0 <= n <= most for n, most in zip(shape, limits, strict=False)):
        raise refusals.malformed(place + "shape", "It must be one or two sizes that a table can have.")
    entry = Entry(
        name=name,
        dtype=strict.one_of(item, "dtype", tuple(DTYPES), place=place),
        shape=tuple(shape),
        stored=strict.integer(item, "bytes", 0, MAX_RAW, place=place),
        codec=strict.one_of(item, "codec", CODECS, place=place),
        sha256=strict.hexes(item, "sha256", 32, place=place),
    )
    if entry.codec == "raw" and entry.stored != entry.raw:
        raise refusals.malformed(place + "bytes", "It is not what dtype and shape say.")
    return entry
