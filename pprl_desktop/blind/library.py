"""Finds libsodium: in the frozen program, on the system, or inside PyPI's rbcl, which is read but never imported."""

from __future__ import annotations

import ctypes
import ctypes.util
import functools
import hashlib
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pprl_desktop import files, resources
from pprl_desktop.files import platform_folder
from pprl_desktop.problem import Problem

LEAST_VERSION = (10, 3)  # of the library's interface: 1.0.18, the first with ristretto255
FUNCTIONS = (
    "crypto_hash_sha512",
    "crypto_stream_chacha20",
    "crypto_core_ristretto255_add",
    "crypto_core_ristretto255_from_hash",
    "crypto_core_ristretto255_is_valid_point",
    "crypto_core_ristretto255_scalar_add",
    "crypto_core_ristretto255_scalar_invert",
    "crypto_core_ristretto255_scalar_mul",
    "crypto_core_ristretto255_scalar_reduce",
    "crypto_core_ristretto255_scalar_sub",
    "crypto_scalarmult_ristretto255",
    "crypto_scalarmult_ristretto255_base",
    "randombytes_buf",
)
# twice the generator, RFC 9496 appendix A.1: what a wrong library cannot know
TWICE = bytes.fromhex("6a493210f7499cd17fecb510ae0cea23a110e8d5b901f8acadd3095c73a3b919")
BUNDLED = "sodium"  # folder of the frozen program that holds the library
_HEX = re.compile(rb"bytes\.fromhex\('([0-9a-f]+)'\)")


@dataclass(frozen=True)
class Library:
    """The functions by address, for loops that run without the interpreter lock."""

    path: str
    source: str  # "bundled", "system" or "rbcl"
    version: str
    address: dict[str, int]


@functools.cache
def library() -> Library:
    """The first library that is new enough and computes rightly."""
    for source, path in _places():
        found = load(source, path)
        if found is not None:
            return found
    raise missing()


def missing() -> Problem:
    return Problem(
        "The method 'blind' needs the library libsodium (1.0.18 or newer), and it was not found.",
        "Neither the system nor the Python package rbcl has one that works here.",
        "Install libsodium (Debian and Ubuntu: libsodium23, Fedora: libsodium, macOS: brew install libsodium) or the "
        "Python package rbcl, then start again.",
        place="method",
    )


def _places() -> Iterator[tuple[str, str]]:
    if getattr(sys, "frozen", False):
        folder = resources.root().parent / BUNDLED
        yield from (("bundled", str(path)) for path in sorted(folder.glob("*")) if path.is_file())
    if path := ctypes.util.find_library("sodium"):
        yield "system", path
    if extracted := from_wheel():
        yield "rbcl", extracted


def load(source: str, path: str) -> Library | None:
    """None where the file is no libsodium, is too old, or fails a known answer."""
    try:
        opened = ctypes.CDLL(path)
        functions = {name: getattr(opened, name) for name in FUNCTIONS}
        number = opened.sodium_library_version_major(), opened.sodium_library_version_minor()
        opened.sodium_version_string.restype = ctypes.c_char_p
        version = opened.sodium_version_string().decode("ascii", "replace")
        if number < LEAST_VERSION or opened.sodium_init() < 0:
            return None
    except (OSError, AttributeError):
        return None
    out = ctypes.create_string_buffer(32)
    two = (2).to_bytes(32, "little")
    if functions["crypto_scalarmult_ristretto255_base"](out, two) or out.raw != TWICE:
        return None
    address = {name: ctypes.cast(one, ctypes.c_void_p).value or 0 for name, one in functions.items()}
    _KEPT.append(opened)
    return Library(path, source, version, address)


_KEPT: list[ctypes.CDLL] = []  # the addresses are good as long as these live


# ---- the library inside rbcl: its module holds it as text, and writes it to the temporary folder at every import


def from_wheel() -> str | None:
    """Path of the library taken out of the installed rbcl; None where rbcl is not there or is not as published."""
    data = wheel_bytes()
    if data is None:
        return None
    try:
        return str(kept(data, platform_folder("cache")))
    except (OSError, Problem):
        return None


def wheel_bytes() -> bytes | None:
    """The library as rbcl carries it, after its module was checked against the hash in the package's record."""
    from base64 import urlsafe_b64encode
    from importlib import metadata

    try:
        listed = metadata.files("rbcl") or []
    except metadata.PackageNotFoundError:
        return None
    for entry in listed:
        if entry.name != "_sodium.py" or entry.hash is None:
            continue
        try:
            text = Path(str(entry.locate())).read_bytes()
        except OSError:
            return None
        digest = urlsafe_b64encode(hashlib.new(entry.hash.mode, text).digest()).rstrip(b"=").decode()
        found = _HEX.search(text)
        if digest == entry.hash.value and found:
            return bytes.fromhex(found.group(1).decode("ascii"))
    return None


def kept(data: bytes, folder: Path) -> Path:
    """The bytes as a file of the cache, named by their hash, readable by the user alone; written once."""
    suffix = {"win32": ".dll", "darwin": ".dylib"}.get(sys.platform, ".so")
    path = folder / f"libsodium-{hashlib.sha256(data).hexdigest()}{suffix}"
    if path.is_file() and path.read_bytes() == data:
        return path
    folder.mkdir(parents=True, exist_ok=True)
    files.write_bytes(path, data)
    return path
