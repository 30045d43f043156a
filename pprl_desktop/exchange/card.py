"""The card: the public identity of a steward, the only exchange file that is not sealed. And the safety number."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from pprl_desktop import files
from pprl_desktop.exchange import age, refusals, strict, words
from pprl_desktop.exchange.keys import Keys, PublicKeys, unsound
from pprl_desktop.exchange.manifest import Party
from pprl_desktop.exchange.names import MAX_NAME, check_name
from pprl_desktop.problem import Problem

FORMAT, VERSION = "pprl-card", 1
SUFFIX = ".pprlcard"
MAX_CARD = 16 * 1024  # bytes
SAFETY_WORDS = 12
_STRETCH = 1 << 16  # rounds of hashing: makes the search for two keys with one safety number that much dearer
_CONTEXT = b"pprl-card/v1\0"
_START = f'{{"format":"{FORMAT}"'.encode()
_SIZES = {"sign": 32, "hybrid": age.MLKEM_KEY + age.X25519_KEY, "x25519": 32}


@dataclass(frozen=True)
class Card:
    name: str  # of the organisation or steward, as they call themselves
    keys: PublicKeys

    @property
    def party(self) -> Party:
        return self.keys.party

    @property
    def id(self) -> str:
        """Short and safe as a file name: from the keys, never from the name."""
        both = self.party.sign + self.party.seal
        return hashlib.sha256(b"pprl-contact/v1\0" + both.encode()).hexdigest()[:16]


def write(keys: Keys, name: str) -> bytes:
    public = keys.public()
    plain = {
        "format": FORMAT, "version": VERSION, "name": name,
        "sign": public.sign.hex(), "hybrid": public.hybrid.hex(), "x25519": public.x25519.hex(),
    }  # fmt: skip
    signature = keys.sign(_CONTEXT + strict.dumps(plain))
    return strict.dumps({**plain, "signature": signature.hex()}) + b"\n"


def read(data: bytes, *, kept: bool = False) -> Card:
    """The card, or a Problem. The signature proves only that the maker holds the key: compare the safety number.

    `kept` is one that was taken in before: its name passed the rules of that day.
    """
    if not data.lstrip()[:1] == b"{" or FORMAT.encode() not in data:
        raise refusals.not_a_bundle()
    plain = strict.loads(data.removesuffix(b"\n"), "card")
    if plain.get("format") != FORMAT:
        raise refusals.not_a_bundle()
    if strict.integer(plain, "version", 1, 1 << 31) > VERSION:
        raise refusals.newer_version()
    strict.only(plain, {"format", "version", "name", "sign", "hybrid", "x25519", "signature"})
    # a card taken in before a rule about letters that do not show still opens
    name = strict.any_text(plain, "name", longest=MAX_NAME) if kept else strict.text(plain, "name", longest=MAX_NAME)
    if not name.isprintable():
        raise refusals.malformed("name")
    try:
        if not kept and check_name(name) != name:
            raise refusals.malformed("name")
    except Problem as problem:
        raise refusals.malformed("name", problem.why) from problem
    public = PublicKeys(*(bytes.fromhex(strict.hexes(plain, key, size)) for key, size in _SIZES.items()))
    if fault := unsound(public):
        raise Problem(
            "The keys on this card must not be used.",
            fault,
            "Ask the partner for a new card, and by telephone whether they made this one.",
            place="keys",
        )
    signature = bytes.fromhex(strict.hexes(plain, "signature", 64))
    del plain["signature"]
    if not public.verify(signature, _CONTEXT + strict.dumps(plain)):
        raise refusals.damaged()
    return Card(name, public)


def read_file(path: Path) -> Card:
    return read(files.read_bytes(path, MAX_CARD, refusals.not_a_bundle()))


def looks_like_card(path: Path) -> bool:
    """By its first bytes; a missing or unreadable file does not."""
    try:
        with files.open_regular(path) as source:
            return source.read(len(_START)) == _START
    except Problem:
        return False


@dataclass(frozen=True)
class SafetyNumber:
    """The same on both sides, whoever computes it, as long as nobody exchanged a card on the way."""

    words: tuple[str, ...]

    @property
    def digits(self) -> str:
        """Four digits for each word, for those who would rather read numbers."""
        return " ".join(f"{words.words().index(word):04d}" for word in self.words)

    def as_text(self) -> str:
        return " ".join(self.words)

    def is_same(self, typed: str) -> bool:
        if any(c.isdigit() for c in typed):
            return "".join(filter(str.isdigit, typed)) == self.digits.replace(" ", "")
        return words.split(typed) == list(self.words)


@lru_cache(maxsize=64)
def safety_number(one: PublicKeys, other: PublicKeys) -> SafetyNumber:
    both = b"".join(sorted(bytes.fromhex(k.party.sign + k.party.seal) for k in (one, other)))
    digest = hashlib.pbkdf2_hmac("sha512", both, b"pprl-safety/v1", _STRETCH)
    number = int.from_bytes(digest, "big") >> (512 - words.BITS * SAFETY_WORDS)
    return SafetyNumber(words.encode(number, SAFETY_WORDS))
