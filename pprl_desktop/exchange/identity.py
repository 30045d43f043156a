"""The own identity: two seeds sealed under a passphrase, kept in a file; its backup as a file and as words."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass, field

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

from pprl_desktop.exchange import card, refusals, strict, words
from pprl_desktop.exchange.keys import SEED, Keys
from pprl_desktop.exchange.names import MAX_NAME, check_name
from pprl_desktop.exchange.passphrase import COST, SALT, Cost, must_be_usable, stretch
from pprl_desktop.problem import Problem

FORMAT, VERSION = "pprl-identity", 1
MAX_IDENTITY = 16 * 1024  # bytes
MAX_FORMER = 64  # earlier key pairs kept to open what was sealed with them
BACKUP_WORDS = 48  # 512 bits of seeds and 16 bits of check
_PAIR = 2 * SEED


@dataclass(frozen=True)
class Identity:
    name: str
    keys: Keys
    former: tuple[Keys, ...] = field(default=(), repr=False)  # newest first

    @property
    def all_keys(self) -> tuple[Keys, ...]:
        return (self.keys, *self.former)

    def card(self) -> card.Card:
        return card.Card(self.name, self.keys.public())

    def changed(self) -> Identity:
        """The same steward with new keys; the old ones stay to open what was sealed with them."""
        return Identity(self.name, Keys.new(), self.all_keys[:MAX_FORMER])


def new(name: str) -> Identity:
    return Identity(check_name(name), Keys.new())


def lock(identity: Identity, passphrase: str, cost: Cost = COST) -> bytes:
    """The identity file. `cost` is lowered by tests only."""
    must_be_usable(passphrase)
    salt, nonce = os.urandom(SALT), os.urandom(12)
    plain = {
        "format": FORMAT, "version": VERSION, "name": identity.name,
        "kdf": cost.as_plain(), "salt": salt.hex(), "nonce": nonce.hex(),
    }  # fmt: skip
    seeds = b"".join(keys.sign_seed + keys.seal_seed for keys in identity.all_keys)
    sealed = ChaCha20Poly1305(stretch(passphrase, salt, cost)).encrypt(nonce, seeds, strict.dumps(plain))
    return strict.dumps({**plain, "sealed": sealed.hex()}) + b"\n"


def unlock(data: bytes, passphrase: str) -> Identity:
    plain = strict.loads(data.removesuffix(b"\n"), "identity")
    if plain.get("format") != FORMAT:
        raise refusals.not_a_bundle()
    if strict.integer(plain, "version", 1, 1 << 31) > VERSION:
        raise refusals.newer_version()
    strict.only(plain, {"format", "version", "name", "kdf", "salt", "nonce", "sealed"})
    cost = Cost.read(strict.mapping(plain, "kdf"))
    salt = bytes.fromhex(strict.hexes(plain, "salt", SALT))
    nonce = bytes.fromhex(strict.hexes(plain, "nonce", 12))
    name = strict.text(plain, "name", longest=MAX_NAME)
    text = strict.text(plain, "sealed", longest=2 * (_PAIR * (MAX_FORMER + 1) + 16))
    sealed = bytes.fromhex(strict.hexes(plain, "sealed", len(text) // 2))
    del plain["sealed"]
    try:
        seeds = ChaCha20Poly1305(stretch(passphrase, salt, cost)).decrypt(nonce, sealed, strict.dumps(plain))
    except InvalidTag as error:
        raise Problem(
            "The passphrase does not open the key.",
            do="Try again; capital letters and the keyboard's language matter.",
            place="passphrase",
        ) from error
    pairs = [Keys(seeds[at : at + SEED], seeds[at + SEED : at + _PAIR]) for at in range(0, len(seeds), _PAIR)]
    return Identity(name, pairs[0], tuple(pairs[1:]))


def backup_words(identity: Identity) -> tuple[str, ...]:
    """The present keys as 48 words to print and lock away. Whoever has them has the keys: no passphrase is needed."""
    seeds = identity.keys.sign_seed + identity.keys.seal_seed
    return words.encode(int.from_bytes(seeds + _check(seeds), "big"), BACKUP_WORDS)


def from_words(name: str, text: str) -> Identity:
    data = words.decode(text, BACKUP_WORDS).to_bytes(_PAIR + 2, "big")
    seeds, check = data[:_PAIR], data[_PAIR:]
    if check != _check(seeds):
        raise Problem(
            "These words do not belong together.",
            "One of them is wrong, or two changed places.",
            "Compare them with the printed sheet, row by row.",
            place="words",
        )
    return Identity(check_name(name), Keys(seeds[:SEED], seeds[SEED:]))


def _check(seeds: bytes) -> bytes:
    return hashlib.sha256(b"pprl-backup/v1\0" + seeds).digest()[:2]
