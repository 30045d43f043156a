"""The container inside every sealed file: magic, sender, signature, manifest, arrays; no gaps, nothing after.

  0   8  magic "PPRLB" 00 00 01
  8  32  sender Ed25519 public key
 40  64  signature over "pprl-bundle/v1" 00 | sender key | u32le mlen | manifest bytes
104   4  u32le mlen (<= 1 MiB)
108   .  manifest: UTF-8 JSON, sorted keys, integers and strings only
  .   .  arrays in manifest order, raw little-endian or zstd level 1; then end of file
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import IO, Any, Protocol, TypeVar, cast

import numpy as np
import numpy.typing as npt
import zstandard
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from pprl_desktop.exchange import refusals, strict
from pprl_desktop.exchange.manifest import Entry, Manifest, parse
from pprl_desktop.progress import Progress

MAGIC = b"PPRLB\0\0\1"
PROGRAM = MAGIC[:5]
CONTEXT = b"pprl-bundle/v1\0"
HEAD = 108  # bytes before the manifest
MAX_MANIFEST = 1 << 20
BLOCK = 1 << 20  # bytes handled at a time: progress, cancel and memory are all bounded by it
SAMPLE = 1 << 18  # bytes tried before deciding whether an array is worth compressing
WORTH = 0.9  # compressed/raw below which it is
MAX_WINDOW = 1 << 23  # bytes of memory a zstd frame may ask for

Array = npt.NDArray[Any]
Arrays = Mapping[str, Array]
T = TypeVar("T")


class Output(Protocol):
    def write(self, data: bytes | bytearray | memoryview) -> None: ...


class Input(Protocol):
    def read(self, size: int) -> memoryview: ...


@dataclass(frozen=True)
class Head:
    """What is known once the signature holds and before any JSON is parsed."""

    sender: bytes
    manifest: bytes

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.manifest).hexdigest()

    @property
    def size(self) -> int:
        return HEAD + len(self.manifest)


# ---- writing


def write(
    out: Output,
    manifest: Manifest,
    arrays: Arrays,
    sender: bytes,
    sign: Callable[[bytes], bytes],
    progress: Progress,
) -> str:
    """Writes a container and gives the SHA-256 of its manifest.

    The manifest comes first and holds the sizes and hashes, so each array is run through twice. Compressing twice
    costs less than keeping a compressed copy in memory or, in clear, on the disk.
    """
    entries = described(arrays, progress.part(0.0, 0.4))
    data = strict.dumps(replace(manifest, entries=entries).as_plain())
    if len(data) > MAX_MANIFEST:
        raise refusals.malformed("manifest", "It is longer than 1 MiB.")
    length = len(data).to_bytes(4, "little")
    out.write(MAGIC + sender + sign(CONTEXT + sender + length + data) + length + data)
    for entry, part in _shares(entries, progress.part(0.4, 1.0)):
        for block in _stored(entry.codec, arrays[entry.name], part):
            out.write(block)
    return hashlib.sha256(data).hexdigest()


def described(arrays: Arrays, progress: Progress) -> tuple[Entry, ...]:
    return tuple(describe(name, arrays[name], part) for name, part in _shares(arrays, progress))


def describe(name: str, array: Array, progress: Progress) -> Entry:
    codec = _codec(array)
    digest = hashlib.sha256()
    for block in _blocks(array, progress.part(0.0, 0.5)):
        digest.update(block)
    size = array.nbytes
    if codec == "zstd":
        size = sum(len(block) for block in _stored(codec, array, progress.part(0.5, 1.0)))
    return Entry(name, array.dtype.name, array.shape, size, codec, digest.hexdigest())


def _codec(array: Array) -> str:
    raw = _bytes(array)[:SAMPLE]
    small = len(raw) and len(zstandard.ZstdCompressor(level=1).compress(raw)) < WORTH * len(raw)
    return "zstd" if small else "raw"


def _stored(codec: str, array: Array, progress: Progress) -> Iterator[bytes | memoryview]:
    if codec == "raw":
        yield from _blocks(array, progress)
        return
    stream = zstandard.ZstdCompressor(level=1).compressobj(size=array.nbytes)
    for block in _blocks(array, progress):
        yield stream.compress(block)
    yield stream.flush()


def _blocks(array: Array, progress: Progress) -> Iterator[memoryview]:
    view = _bytes(array)
    for at in range(0, len(view), BLOCK):
        progress.at(at / len(view))
        yield view[at : at + BLOCK]


def _bytes(array: Array) -> memoryview:
    little = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
    return little.reshape(-1).view(np.uint8).data


def _shares(items: Iterable[T], progress: Progress) -> Iterator[tuple[T, Progress]]:
    """Each item with its slice of the bar."""
    listed = list(items)
    for at, item in enumerate(listed):
        yield item, progress.part(at / len(listed), (at + 1) / len(listed))


# ---- reading


def read_head(source: Input, pinned: Iterable[bytes]) -> Head:
    """Magic and signature. The sender must be one of the pinned keys; no JSON is looked at before that."""
    head = _exactly(source, HEAD, short=refusals.not_a_bundle)
    if head[:5] != PROGRAM:
        raise refusals.not_a_bundle()
    if head[:8] != MAGIC:
        raise refusals.newer_version()
    sender, signature, length = head[8:40], head[40:104], int.from_bytes(head[104:108], "little")
    if sender not in set(pinned):
        raise refusals.not_from_partner()
    if length > MAX_MANIFEST:
        raise refusals.malformed("manifest", "It is longer than 1 MiB.")
    manifest = _exactly(source, length, short=refusals.damaged)
    try:
        Ed25519PublicKey.from_public_bytes(sender).verify(signature, CONTEXT + sender + head[104:108] + manifest)
    except InvalidSignature as error:
        raise refusals.not_from_partner() from error
    return Head(sender, manifest)


def read_manifest(head: Head, plain_size: int) -> Manifest:
    """The manifest, and that the sizes in it are exactly those of the file (nothing is allocated for a lie)."""
    manifest = parse(head.manifest)
    if head.size + manifest.stored != plain_size:
        raise refusals.damaged()
    return manifest


def read_arrays(
    source: Input,
    manifest: Manifest,
    wanted: Callable[[Entry], bool],
    visit: Callable[[Entry, Array], None],
    progress: Progress,
) -> None:
    """Runs through all arrays and their hashes; only the wanted ones are held, one at a time, and handed to `visit`."""
    for entry, part in _shares(manifest.entries, progress):
        if wanted(entry):
            array = np.empty(entry.shape, dtype=np.dtype(entry.dtype).newbyteorder("<"))
            _read_array(source, entry, array.reshape(-1).view(np.uint8).data, part)
            visit(entry, array.astype(np.dtype(entry.dtype), copy=False))
        else:
            _read_array(source, entry, None, part)
    if source.read(1):
        raise refusals.damaged()


def _read_array(source: Input, entry: Entry, into: memoryview | None, progress: Progress) -> None:
    digest = hashlib.sha256()
    at = 0
    for block in _raw_blocks(source, entry):
        if at + len(block) > entry.raw:
            raise refusals.malformed(f"entries.{entry.name}", "It unpacks to more than its shape.")
        progress.at(at / entry.raw)
        digest.update(block)
        if into is not None:
            into[at : at + len(block)] = block
        at += len(block)
    if at != entry.raw or digest.hexdigest() != entry.sha256:
        raise refusals.malformed(f"entries.{entry.name}", "Its content is not what the manifest says.")


def _raw_blocks(source: Input, entry: Entry) -> Iterator[memoryview | bytes]:
    limited = _Limited(source, entry.stored)
    if entry.codec == "raw":
        while view := limited.read(BLOCK):
            yield view
        return
    unpacker = zstandard.ZstdDecompressor(max_window_size=MAX_WINDOW)
    try:
        with unpacker.stream_reader(cast(IO[bytes], limited), read_size=1 << 16, read_across_frames=True) as stream:
            while block := stream.read(BLOCK):
                yield block
    except zstandard.ZstdError as error:
        raise refusals.malformed(f"entries.{entry.name}", "It cannot be unpacked.") from error


class _Limited:
    """The next `left` bytes of the source, as a source of their own."""

    def __init__(self, source: Input, left: int) -> None:
        self._source = source
        self._left = left

    def read(self, size: int) -> memoryview:
        block = self._source.read(min(size, self._left))
        self._left -= len(block)
        return block


def _exactly(source: Input, size: int, *, short: Callable[[], Exception]) -> bytes:
    data = bytearray()
    while len(data) < size:
        block = source.read(size - len(data))
        if not block:
            raise short()
        data += block
    return bytes(data)
