"""Files sealed to whoever knows a passphrase: a stanza of an age header whose key is stretched with Argon2id.

age's own way, scrypt, takes 128 MiB at the cost that earlier files were sealed with. They are still opened.
"""

from __future__ import annotations

import os
import unicodedata

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

from pprl_desktop.exchange import age
from pprl_desktop.exchange.passphrase import COST, SALT, Cost, stretch
from pprl_desktop.problem import Problem

STANZA = "pprl-argon2id"  # salt, memory in KiB, passes, lanes
SCRYPT = 17  # log2 of scrypt's N in earlier files: 128 MiB; a file may not ask for more


class PassphraseSeal:
    """Recipient and identity of whoever knows it. One file makes it work once, and never harder than ours."""

    def __init__(self, passphrase: str, cost: Cost = COST) -> None:
        self._passphrase = passphrase
        self._cost = cost
        self._known: tuple[age.Stanza, bytes | None] | None = None

    def wrap(self, file_key: bytes) -> age.Stanza:
        salt = os.urandom(SALT)
        cost, body = self._cost, self._aead(salt, self._cost).encrypt(bytes(12), file_key, None)
        return age.Stanza(STANZA, (salt.hex(), str(cost.memory), str(cost.passes), str(cost.lanes)), body)

    def unwrap(self, stanza: age.Stanza) -> bytes | None:
        if stanza.kind not in (STANZA, "scrypt"):
            return None
        if self._known is None:
            self._known = stanza, self._opened(stanza)
        known, file_key = self._known
        if known != stanza:  # a header may hold hundreds of them
            raise age.HeaderError("a passphrase stanza stands alone")
        return file_key

    def _opened(self, stanza: age.Stanza) -> bytes | None:
        if stanza.kind == "scrypt":
            if len(stanza.arguments) == 2 and stanza.arguments[1].isdecimal() and int(stanza.arguments[1][:3]) > SCRYPT:
                raise age.HeaderError("work factor")
            return age.Passphrase(unicodedata.normalize("NFC", self._passphrase).encode("utf-8")).unwrap(stanza)
        try:
            salt, *numbers = stanza.arguments
            memory, passes, lanes = (int(one) for one in numbers if one.isdecimal() and len(one) < 8)
            cost = Cost.read({"name": "argon2id", "memory": memory, "passes": passes, "lanes": lanes})
            if len(salt) != 2 * SALT or len(stanza.body) != age.FILE_KEY + age.TAG:
                raise ValueError("stanza")
            aead = self._aead(bytes.fromhex(salt), cost)
        except (ValueError, Problem) as error:
            raise age.HeaderError("stanza") from error
        try:
            return aead.decrypt(bytes(12), stanza.body, None)
        except InvalidTag:
            return None

    def _aead(self, salt: bytes, cost: Cost) -> ChaCha20Poly1305:
        return ChaCha20Poly1305(stretch(self._passphrase, salt, cost))
