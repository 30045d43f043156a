"""The age v1 file format (C2SP age.md) over `cryptography`: recipients, header, STREAM payload.

Streams both ways in chunks of 64 KiB, so memory does not depend on the size of the file. ASCII armor is not
part of it: our files are binary.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, BinaryIO, Protocol

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import hashes, hpke
from cryptography.hazmat.primitives.asymmetric.mlkem import MLKEM768PrivateKey, MLKEM768PublicKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

CHUNK = 64 * 1024
TAG = 16
SEALED_CHUNK = CHUNK + TAG
TOGETHER = 16  # chunks written at once
FILE_KEY = 16
NONCE = 16
MAX_LINE = 4096  # bytes; the longest line we know, a hybrid stanza, has about 1,510
MAX_HEADER = 64 * 1024  # bytes
MAX_WORK_FACTOR = 20  # log2 of scrypt's N: 1 GiB; age itself writes 18
MLKEM_KEY, MLKEM_CIPHERTEXT, X25519_KEY = 1184, 1088, 32  # bytes

INTRO = _VERSION = b"age-encryption.org/v1\n"
_ANY_VERSION = b"age-encryption.org/"
_X25519_INFO = b"age-encryption.org/v1/X25519"
_SCRYPT_SALT = b"age-encryption.org/v1/scrypt"
_HYBRID_INFO = b"age-encryption.org/mlkem768x25519"
_ARGUMENT = re.compile(rb"[\x21-\x7e]+")
_BASE64 = re.compile(rb"[A-Za-z0-9+/]*")
_WORK_FACTOR = re.compile(r"[1-9][0-9]*")


class AgeError(Exception):
    """A file that cannot be opened; the subclasses say why."""


class NotAge(AgeError):  # noqa: N818
    """It does not begin like an age file."""


class NewerAge(AgeError):  # noqa: N818
    """It begins like an age file of another version."""


class HeaderError(AgeError):
    """The header breaks the format, or its authentication code does not fit."""


class NoMatch(AgeError):  # noqa: N818
    """None of the identities opens it."""


class PayloadError(AgeError):
    """The payload was cut, extended or changed."""


@dataclass(frozen=True)
class Stanza:
    kind: str
    arguments: tuple[str, ...]
    body: bytes = field(repr=False)


class Recipient(Protocol):
    def wrap(self, file_key: bytes) -> Stanza: ...


class Identity(Protocol):
    def unwrap(self, stanza: Stanza) -> bytes | None:
        """The file key; None if the stanza is not for this identity; HeaderError if it breaks the format."""
        ...


@dataclass(frozen=True)
class X25519Recipient:
    key: bytes

    def wrap(self, file_key: bytes) -> Stanza:
        ephemeral = X25519PrivateKey.generate()
        share = ephemeral.public_key().public_bytes_raw()
        shared = ephemeral.exchange(X25519PublicKey.from_public_bytes(self.key))
        key = _hkdf(shared, share + self.key, _X25519_INFO)
        return Stanza("X25519", (_encode(share),), ChaCha20Poly1305(key).encrypt(bytes(12), file_key, None))


@dataclass(frozen=True)
class X25519Identity:
    secret: bytes = field(repr=False)

    def recipient(self) -> X25519Recipient:
        return X25519Recipient(X25519PrivateKey.from_private_bytes(self.secret).public_key().public_bytes_raw())

    def unwrap(self, stanza: Stanza) -> bytes | None:
        if stanza.kind != "X25519":
            return None
        share = _argument(stanza, 1, X25519_KEY)
        try:
            shared = X25519PrivateKey.from_private_bytes(self.secret).exchange(X25519PublicKey.from_public_bytes(share))
        except ValueError as error:  # the shared secret would be all zero
            raise HeaderError("low order share") from error
        return _unwrap_body(_hkdf(shared, share + self.recipient().key, _X25519_INFO), stanza)


@dataclass(frozen=True)
class HybridRecipient:
    """ML-KEM-768 with X25519 (X-Wing) through HPKE: holds against a future quantum computer."""

    key: bytes = field(repr=False)

    def wrap(self, file_key: bytes) -> Stanza:
        mlkem, x25519 = self.key[:MLKEM_KEY], self.key[MLKEM_KEY:]
        public = hpke.MLKEM768X25519PublicKey(
            MLKEM768PublicKey.from_public_bytes(mlkem), X25519PublicKey.from_public_bytes(x25519)
        )
        sealed = _suite().encrypt(file_key, public, info=_HYBRID_INFO)
        split = MLKEM_CIPHERTEXT + X25519_KEY
        return Stanza("mlkem768x25519", (_encode(sealed[:split]),), sealed[split:])


@dataclass(frozen=True)
class HybridIdentity:
    seed: bytes = field(repr=False)

    def recipient(self) -> HybridRecipient:
        mlkem, x25519 = self._keys()
        return HybridRecipient(mlkem.public_key().public_bytes_raw() + x25519.public_key().public_bytes_raw())

    def unwrap(self, stanza: Stanza) -> bytes | None:
        if stanza.kind != "mlkem768x25519":
            return None
        encapsulated = _argument(stanza, 1, MLKEM_CIPHERTEXT + X25519_KEY)
        mlkem, x25519 = self._keys()
        try:
            x25519.exchange(X25519PublicKey.from_public_bytes(encapsulated[MLKEM_CIPHERTEXT:]))
        except ValueError as error:  # the X25519 half would add nothing
            raise HeaderError("low order share") from error
        private = hpke.MLKEM768X25519PrivateKey(mlkem, x25519)
        try:
            return _suite().decrypt(encapsulated + stanza.body, private, info=_HYBRID_INFO)
        except InvalidTag:
            return None

    def _keys(self) -> tuple[MLKEM768PrivateKey, X25519PrivateKey]:
        expanded = hashlib.shake_256(self.seed).digest(
            96
        )  # X-Wing, draft-connolly-cfrg-xwing-kem, expandDecapsulationKey
        return MLKEM768PrivateKey.from_seed_bytes(expanded[:64]), X25519PrivateKey.from_private_bytes(expanded[64:])


@dataclass(frozen=True)
class Passphrase:
    """Recipient and identity in one: whoever knows the passphrase."""

    passphrase: bytes = field(repr=False)
    work_factor: int = 18

    def wrap(self, file_key: bytes) -> Stanza:
        salt = os.urandom(16)
        key = self._key(salt, self.work_factor)
        body = ChaCha20Poly1305(key).encrypt(bytes(12), file_key, None)
        return Stanza("scrypt", (_encode(salt), str(self.work_factor)), body)

    def unwrap(self, stanza: Stanza) -> bytes | None:
        if stanza.kind != "scrypt":
            return None
        salt = _argument(stanza, 2, 16)
        factor = stanza.arguments[1]
        if not _WORK_FACTOR.fullmatch(factor) or len(factor) > 2 or int(factor) > MAX_WORK_FACTOR:
            raise HeaderError("work factor")
        return _unwrap_body(self._key(salt, int(factor)), stanza)

    def _key(self, salt: bytes, work_factor: int) -> bytes:
        return Scrypt(salt=_SCRYPT_SALT + salt, length=32, n=1 << work_factor, r=8, p=1).derive(self.passphrase)


class Output(Protocol):
    def write(self, data: bytes | memoryview, /) -> Any:
        """All of it, before it returns: the memory is used again."""


class Writer:
    """Encrypts what is written to it. Without close() the file has no valid end and is refused by every reader."""

    def __init__(self, out: Output, payload_key: bytes) -> None:
        self._out = out
        self._aead = ChaCha20Poly1305(payload_key)
        self._count = 0
        self._held = bytearray()  # the last chunk so far: only close() knows that it is the last
        self._sealed = memoryview(bytearray(TOGETHER * SEALED_CHUNK))
        self._filled = 0  # of what is sealed and not yet written

    def write(self, data: bytes | bytearray | memoryview) -> None:
        view = memoryview(data).cast("B")
        if self._held:
            taken = min(CHUNK - len(self._held), len(view))
            self._held += view[:taken]
            view = view[taken:]
            if not view:
                return
            self._chunk(self._held, last=False)
            self._held.clear()
        while len(view) > CHUNK:
            self._chunk(view[:CHUNK], last=False)
            view = view[CHUNK:]
        self._held += view

    def close(self) -> None:
        self._chunk(self._held, last=True)

    def _chunk(self, data: bytearray | memoryview, *, last: bool) -> None:
        """Sealed in place: a buffer of its own for every chunk cost as much as the cipher."""
        end = self._filled + len(data) + TAG
        self._aead.encrypt_into(_chunk_nonce(self._count, last), data, None, self._sealed[self._filled : end])
        self._filled = end
        self._count += 1
        if last or end > len(self._sealed) - SEALED_CHUNK:
            self._out.write(self._sealed[:end])
            self._filled = 0


class Reader:
    """Decrypts as it is read. Nothing is given out that was not authenticated."""

    def __init__(self, source: BinaryIO, payload_key: bytes, kinds: tuple[str, ...] = ()) -> None:
        self.kinds = kinds  # of the stanzas: every way in which the file key was wrapped
        self._source = source
        self._aead = ChaCha20Poly1305(payload_key)
        self._count = 0
        self._next = source.read(SEALED_CHUNK)
        self.fetched = len(self._next)  # bytes of payload taken from the source so far, for whoever needs its size
        self._ended = False
        self._open = memoryview(b"")

    def read(self, size: int) -> memoryview:
        """At least one byte and at most `size`, or nothing at the end of the file."""
        if not self._open and not self._ended:
            self._open = memoryview(self._chunk())
        given, self._open = self._open[:size], self._open[size:]
        return given

    def _chunk(self) -> bytes:
        sealed = self._next
        self._next = self._source.read(SEALED_CHUNK) if len(sealed) == SEALED_CHUNK else b""
        last = not self._next
        if len(sealed) < TAG or (last and self._count and len(sealed) == TAG):
            raise PayloadError("short chunk")
        try:
            data = self._aead.decrypt(_chunk_nonce(self._count, last), sealed, None)
        except InvalidTag as error:
            raise PayloadError("chunk does not authenticate") from error
        self._count += 1
        self._ended = last
        return data


def encrypt(out: Output, recipient: Recipient) -> Writer:
    """Writes the header; the caller writes the content and closes the writer."""
    file_key = os.urandom(FILE_KEY)
    header = _VERSION + _format(recipient.wrap(file_key)) + b"---"
    nonce = os.urandom(NONCE)
    out.write(header + b" " + _encode(_mac(file_key, header)).encode() + b"\n" + nonce)
    return Writer(out, _hkdf(file_key, nonce, b"payload"))


def decrypt(source: BinaryIO, identities: Sequence[Identity]) -> Reader:
    """Reads and checks the header; AgeError if the file is not for any of the identities or breaks the format."""
    stanzas, authenticated, code = _header(source)
    if len(stanzas) > 1 and any(stanza.kind == "scrypt" for stanza in stanzas):
        raise HeaderError("a passphrase stanza stands alone")
    file_key = _unwrap(stanzas, identities)
    if not hmac.compare_digest(_mac(file_key, authenticated), code):
        raise HeaderError("header does not authenticate")
    nonce = source.read(NONCE)
    if len(nonce) != NONCE:
        raise HeaderError("nonce")
    return Reader(source, _hkdf(file_key, nonce, b"payload"), tuple(stanza.kind for stanza in stanzas))


def plain_size(sealed: int) -> int:
    """Bytes of content in a payload of `sealed` bytes (after the nonce)."""
    return sealed - TAG * max(1, -(-sealed // SEALED_CHUNK))


def _unwrap(stanzas: Sequence[Stanza], identities: Sequence[Identity]) -> bytes:
    for identity in identities:
        for stanza in stanzas:
            file_key = identity.unwrap(stanza)
            if file_key is not None:
                return file_key
    raise NoMatch("no identity fits")


def _header(source: BinaryIO) -> tuple[list[Stanza], bytes, bytes]:
    """Stanzas, the bytes the code covers, and the code."""
    first = source.readline(MAX_LINE)
    if first != _VERSION:
        newer = first.startswith(_ANY_VERSION) and first.endswith(b"\n") and not first.endswith(b"\r\n")
        raise NewerAge("version") if newer else NotAge("no age header")
    covered = bytearray(first)
    stanzas: list[Stanza] = []
    while True:
        line = _line(source)
        if line.startswith(b"---"):
            if not stanzas or line[3:4] != b" ":
                raise HeaderError("end of header")
            code = _decode(line[4:])
            if len(code) != 32:
                raise HeaderError("authentication code")
            return stanzas, bytes(covered + b"---"), code
        if not line.startswith(b"-> "):
            raise HeaderError("stanza")
        arguments = line[3:].split(b" ")
        if not all(_ARGUMENT.fullmatch(argument) for argument in arguments):
            raise HeaderError("argument")
        covered += line + b"\n"
        body = bytearray()
        while True:
            part = _line(source)
            if len(part) > 64:
                raise HeaderError("body line")
            body += _decode(part)
            covered += part + b"\n"
            if len(part) < 64:
                break
            if len(covered) > MAX_HEADER:
                raise HeaderError("too long")
        if len(covered) > MAX_HEADER:
            raise HeaderError("too long")
        kind, *rest = (argument.decode("ascii") for argument in arguments)
        stanzas.append(Stanza(kind, tuple(rest), bytes(body)))


def _line(source: BinaryIO) -> bytes:
    line = source.readline(MAX_LINE)
    if not line.endswith(b"\n"):
        raise HeaderError("line")
    return line[:-1]


def _format(stanza: Stanza) -> bytes:
    body = _encode(stanza.body)
    lines = [body[at : at + 64] for at in range(0, len(body) + 1, 64)]  # ends with a short line, which may be empty
    return "\n".join([" ".join(("->", stanza.kind, *stanza.arguments)), *lines, ""]).encode()


def _argument(stanza: Stanza, count: int, size: int) -> bytes:
    """The first argument decoded; the checks every native stanza shares."""
    if len(stanza.arguments) != count or len(stanza.body) != FILE_KEY + TAG:
        raise HeaderError("stanza")
    value = _decode(stanza.arguments[0].encode())
    if len(value) != size:
        raise HeaderError("argument size")
    return value


def _unwrap_body(key: bytes, stanza: Stanza) -> bytes | None:
    try:
        return ChaCha20Poly1305(key).decrypt(bytes(12), stanza.body, None)
    except InvalidTag:
        return None


def _suite() -> hpke.Suite:
    return hpke.Suite(hpke.KEM.MLKEM768_X25519, hpke.KDF.HKDF_SHA256, hpke.AEAD.CHACHA20_POLY1305)


def _chunk_nonce(count: int, last: bool) -> bytes:
    return count.to_bytes(11, "big") + (b"\1" if last else b"\0")


def _mac(file_key: bytes, covered: bytes) -> bytes:
    return hmac.new(_hkdf(file_key, b"", b"header"), covered, hashlib.sha256).digest()


def _hkdf(secret: bytes, salt: bytes, info: bytes) -> bytes:
    return HKDF(hashes.SHA256(), 32, salt, info).derive(secret)


def _encode(data: bytes) -> str:
    return base64.b64encode(data).rstrip(b"=").decode("ascii")


def _decode(text: bytes) -> bytes:
    """Unpadded base64, canonical: one text for one value."""
    if not _BASE64.fullmatch(text) or len(text) % 4 == 1:
        raise HeaderError("base64")
    data = base64.b64decode(text + b"=" * (-len(text) % 4))
    if _encode(data).encode() != text:
        raise HeaderError("base64 is not canonical")
    return data
