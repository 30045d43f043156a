"""Sealing and opening files: the age format around the container, on disk, with nothing left behind on failure."""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from pprl_desktop import files
from pprl_desktop.exchange import age, container, refusals
from pprl_desktop.exchange.container import Array, Arrays
from pprl_desktop.exchange.keys import Keys, Mode, PublicKeys
from pprl_desktop.exchange.manifest import Entry, Manifest
from pprl_desktop.problem import Problem
from pprl_desktop.progress import NO_PROGRESS, Progress


def seal(
    target: Path,
    manifest: Manifest,
    arrays: Arrays,
    sender: Keys,
    recipient: PublicKeys,
    mode: Mode = "hybrid",
    progress: Progress = NO_PROGRESS,
) -> str:
    """Writes the sealed file for one recipient; gives the SHA-256 of its manifest. All of it or nothing."""
    return seal_for(target, manifest, arrays, sender, recipient.recipient(mode), progress)


def seal_for(
    target: Path,
    manifest: Manifest,
    arrays: Arrays,
    sender: Keys,
    recipient: age.Recipient,
    progress: Progress = NO_PROGRESS,
) -> str:
    """The same for anything age can seal to: a key, or whoever knows a passphrase."""
    files.need_space(target.parent, sum(array.nbytes for array in arrays.values()))
    with files.replacing(target) as out:
        writer = age.encrypt(out, recipient)
        digest = container.write(writer, manifest, arrays, sender.public().sign, sender.sign, progress)
        writer.close()
    return digest


@dataclass(frozen=True)
class Opened:
    """A sealed file whose signature holds. Its arrays were not read yet."""

    path: Path
    sender: bytes
    manifest: Manifest
    digest: str  # SHA-256 of the manifest
    mode: Mode  # the weakest way in which its key was wrapped
    _identities: tuple[age.Identity, ...]

    def check(
        self,
        wanted: Callable[[Entry], bool] = lambda _: False,
        visit: Callable[[Entry, Array], None] = lambda _, __: None,
        progress: Progress = NO_PROGRESS,
    ) -> None:
        """Every byte authenticated and hashed. The wanted arrays are shown to `visit`, one at a time; none is kept."""
        with self._arrays() as source:
            container.read_arrays(source, self.manifest, wanted, visit, progress)

    def load(self, progress: Progress = NO_PROGRESS) -> dict[str, Array]:
        """The arrays in memory; check() first, so that the sizes in the manifest are known to be true."""
        arrays: dict[str, Array] = {}
        self.check(lambda _: True, lambda entry, array: arrays.update({entry.name: array}), progress)
        return arrays

    @contextlib.contextmanager
    def _arrays(self) -> Iterator[container.Input]:
        with _decrypting(self.path, self._identities) as (source, _):
            head = container.read_head(source, [self.sender])
            if head.digest != self.digest:  # the file was exchanged for another one in the meantime
                raise refusals.damaged()
            yield source


def open_sealed(path: Path, own: Sequence[Keys], pinned: Sequence[bytes]) -> Opened:
    """Opens a file for one of the own keys, signed with one of the pinned keys; a Problem says why not."""
    return open_for(path, tuple(identity for keys in own for identity in keys.identities()), pinned)


def open_for(path: Path, identities: tuple[age.Identity, ...], pinned: Sequence[bytes] | None) -> Opened:
    """The same for whatever opens an age file. Without pinned keys the signer is named, and the caller judges it."""
    with _decrypting(path, identities) as (source, plain_size):
        beginning = _Again(source)
        head = container.read_head(beginning, [beginning.sender()] if pinned is None else pinned)
        manifest = container.read_manifest(head, plain_size)
        mode: Mode = "x25519" if "X25519" in source.kinds else "hybrid"
    return Opened(path, head.sender, manifest, head.digest, mode, identities)


class _Again:
    """The content with its first bytes read and given again: who says to have signed it."""

    def __init__(self, source: age.Reader) -> None:
        self._source = source
        self._first = b""

    def sender(self) -> bytes:
        while len(self._first) < container.HEAD and (block := self._source.read(container.HEAD - len(self._first))):
            self._first += bytes(block)
        return self._first[8:40]

    def read(self, size: int) -> memoryview:
        if not self._first:
            return self._source.read(size)
        given, self._first = self._first[:size], self._first[size:]
        return memoryview(given)


@contextlib.contextmanager
def _decrypting(path: Path, identities: Sequence[age.Identity]) -> Iterator[tuple[age.Reader, int]]:
    """The content of an age file and its size; whatever is wrong with it becomes a refusal."""
    try:
        with files.open_regular(path) as source:
            reader = age.decrypt(source, identities)
            yield reader, age.plain_size(_rest(source, reader))
    except age.NotAge as error:
        raise refusals.not_a_bundle() from error
    except age.NewerAge as error:
        raise refusals.newer_version() from error
    except age.NoMatch as error:
        raise refusals.other_key() from error
    except age.AgeError as error:
        raise refusals.damaged() from error
    except OSError as error:
        raise files.refused(error) from error


def _rest(source: BinaryIO, reader: age.Reader) -> int:
    """Bytes of payload: what follows the header, of which the reader has already fetched the first chunk."""
    return os.fstat(source.fileno()).st_size - source.tell() + reader.fetched


def seal_bytes(data: bytes, recipient: PublicKeys) -> bytes:
    """For the own home folder: small secrets sealed to oneself."""
    out = io.BytesIO()
    writer = age.encrypt(out, recipient.recipient("hybrid"))
    writer.write(data)
    writer.close()
    return out.getvalue()


def most_bytes(size: int) -> int:
    """Of a file with so much sealed in it, at most: each chunk has a tag, and the header is short."""
    return size + size // 1024 + (64 << 10)


def open_bytes(data: bytes, own: Sequence[Keys]) -> bytes:
    try:
        reader = age.decrypt(io.BytesIO(data), [identity for keys in own for identity in keys.identities()])
        found = bytearray()
        while part := reader.read(age.CHUNK):
            found += part
    except age.AgeError as error:
        raise Problem(
            "A file in your home folder cannot be opened.",
            "It was damaged, or it was sealed with a key that is no longer in this home folder.",
            "Put this one file back from a backup, not the whole home folder: an older record of releases stops "
            "releases. Without a backup, propose a new agreement.",
            place="home",
        ) from error
    return bytes(found)
