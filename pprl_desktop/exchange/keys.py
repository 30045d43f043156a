"""Keys of a steward: one seed to sign, one to open sealed files, and the public half of both."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, get_args

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.mlkem import MLKEM768PublicKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey

from pprl_desktop import hygiene
from pprl_desktop.codes.base import derive
from pprl_desktop.exchange import age, bech32, curve
from pprl_desktop.exchange.manifest import Party
from pprl_desktop.said import NOTHING, Said

Mode = Literal["hybrid", "x25519"]
MODES: tuple[Mode, ...] = get_args(Mode)
SEED = 32  # bytes


@dataclass(frozen=True)
class PublicKeys:
    sign: bytes  # Ed25519
    hybrid: bytes = field(repr=False)  # ML-KEM-768 and X25519
    x25519: bytes  # compatibility mode: opens with older age programs

    def recipient(self, mode: Mode) -> age.Recipient:
        return age.HybridRecipient(self.hybrid) if mode == "hybrid" else age.X25519Recipient(self.x25519)

    @cached_property
    def party(self) -> Party:
        """Fingerprints of the signing and of the encryption keys."""
        return Party(
            hashlib.sha256(b"pprl-sign-key/v1\0" + self.sign).hexdigest(),
            hashlib.sha256(b"pprl-seal-key/v1\0" + self.hybrid + self.x25519).hexdigest(),
        )

    def verify(self, signature: bytes, message: bytes) -> bool:
        try:
            Ed25519PublicKey.from_public_bytes(self.sign).verify(signature, message)
        except InvalidSignature:
            return False
        return True

    def age_recipient(self) -> str:
        """For other age programs: age -r THIS (compatibility mode)."""
        return bech32.encode("age", self.x25519)


@dataclass(frozen=True)
class Keys:
    sign_seed: bytes = field(repr=False)
    seal_seed: bytes = field(repr=False)

    def __post_init__(self) -> None:
        hygiene.no_core_dump()

    @classmethod
    def new(cls) -> Keys:
        return cls(os.urandom(SEED), os.urandom(SEED))

    @cached_property
    def _signing(self) -> Ed25519PrivateKey:
        return Ed25519PrivateKey.from_private_bytes(self.sign_seed)

    @cached_property
    def _hybrid(self) -> age.HybridIdentity:
        return age.HybridIdentity(self.seal_seed)

    @cached_property
    def _x25519(self) -> age.X25519Identity:
        return age.X25519Identity(derive(self.seal_seed, "pprl-x25519/v1"))

    @cached_property
    def _public(self) -> PublicKeys:
        return PublicKeys(
            self._signing.public_key().public_bytes_raw(), self._hybrid.recipient().key, self._x25519.recipient().key
        )

    def public(self) -> PublicKeys:
        return self._public

    def sign(self, message: bytes) -> bytes:
        return self._signing.sign(message)

    def identities(self) -> tuple[age.Identity, ...]:
        return self._hybrid, self._x25519

    def age_identity(self) -> str:
        """The compatibility key as other age programs read it. A secret."""
        return bech32.encode("age-secret-key-", self._x25519.secret).upper()


def unsound(public: PublicKeys) -> Said:
    """Why these keys must not be used, or nothing. Checked once, when a card comes in."""
    if not curve.is_sound(public.sign):
        return Said("The signing key is of small order, not canonical, or not a key at all.")
    try:
        MLKEM768PublicKey.from_public_bytes(public.hybrid[: age.MLKEM_KEY])
        for key in (public.hybrid[age.MLKEM_KEY :], public.x25519):
            X25519PrivateKey.generate().exchange(X25519PublicKey.from_public_bytes(key))
    except ValueError:
        return Said("The encryption key is of small order or not a key at all.")
    return NOTHING
