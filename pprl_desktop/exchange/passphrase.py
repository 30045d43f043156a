"""Passphrases: how strong one is, and the key made of it (Argon2id)."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Literal

from cryptography.hazmat.primitives.kdf.argon2 import Argon2id

from pprl_desktop.exchange import refusals, strict
from pprl_desktop.exchange.strict import Plain
from pprl_desktop.problem import Problem
from pprl_desktop.said import Said

SHORTEST = 8  # characters
WEAK_BITS, STRONG_BITS = 40, 60
SALT = 16

_COMMON = (
    "password passwort passphrase secret geheim hospital krankenhaus welcome willkommen letmein dragon monkey football "
    "baseball sunshine princess master admin summer sommer winter spring autumn hallo hello iloveyou qwertz qwerty "
    "azerty asdfgh abcdef abc123 123456 654321 111111 000000 changeme test"
).split()


@dataclass(frozen=True)
class Cost:
    """Argon2id: memory in KiB, passes, lanes. The default is 64 MiB, three passes, four lanes."""

    memory: int = 64 * 1024
    passes: int = 3
    lanes: int = 4

    def as_plain(self) -> Plain:
        return {"name": "argon2id", "memory": self.memory, "passes": self.passes, "lanes": self.lanes}

    @classmethod
    def read(cls, plain: Plain) -> Cost:
        """Capped: a file cannot make this computer work for hours or take all its memory."""
        strict.only(plain, {"name", "memory", "passes", "lanes"}, place="kdf.")
        strict.one_of(plain, "name", ("argon2id",), place="kdf.")
        lanes = strict.integer(plain, "lanes", 1, 8, place="kdf.")
        return cls(
            strict.integer(plain, "memory", 8 * lanes, 64 * 1024, place="kdf."),
            strict.integer(plain, "passes", 1, 10, place="kdf."),
            lanes,
        )


COST = Cost()


def stretch(passphrase: str, salt: bytes, cost: Cost) -> bytes:
    import unicodedata

    if len(salt) != SALT:
        raise refusals.malformed("salt")
    data = unicodedata.normalize("NFC", passphrase).encode("utf-8")  # the same on every keyboard
    return Argon2id(salt=salt, length=32, iterations=cost.passes, lanes=cost.lanes, memory_cost=cost.memory).derive(
        data
    )


@dataclass(frozen=True)
class Strength:
    bits: int  # about how many, judged by a simple rule: an upper bound for what people choose
    level: Literal["too short", "weak", "fair", "strong"]
    sentence: Said


def strength(passphrase: str) -> Strength:
    if len(passphrase) < SHORTEST:
        return Strength(
            0,
            "too short",
            Said("Too short: use at least {shortest} characters; four unrelated words are good.", shortest=SHORTEST),
        )
    bits = int(_bits(passphrase))
    if bits < WEAK_BITS:
        return Strength(bits, "weak", Said("Weak, about {bits} bits: add unrelated words.", bits=bits))
    if bits < STRONG_BITS:
        return Strength(
            bits, "fair", Said("Fair, about {bits} bits: one more unrelated word makes it strong.", bits=bits)
        )
    return Strength(bits, "strong", Said("Strong, about {bits} bits.", bits=bits))


def must_be_usable(passphrase: str) -> Strength:
    found = strength(passphrase)
    if found.level == "too short":
        raise Problem("The passphrase is too short.", do=found.sentence, place="passphrase")
    return found


def _bits(passphrase: str) -> float:
    """Runs, repeats, years and common words count little; the rest by the kinds of characters in it."""
    rest = passphrase.lower()
    bits = 0.0
    for word in _COMMON:
        if word in rest:
            rest = rest.replace(word, "", 1)
            bits += math.log2(len(_COMMON)) + 2
    rest, years = re.subn(r"(19|20)\d\d", "", rest)
    bits += 7 * years
    kinds = sum(
        size
        for size, pattern in ((26, r"[a-z]"), (10, r"\d"), (26, r"[A-Z]"), (33, r"[^A-Za-z\d]"))
        if re.search(pattern, passphrase)
    )
    last = ""
    for character in rest:
        step = ord(character) - ord(last) if last else 99
        bits += 1.0 if step in (-1, 0, 1) else math.log2(kinds) * (0.6 if character.isalpha() else 0.8)
        last = character
    return bits
