"""The oblivious pseudo-random function of RFC 9497, suite ristretto255-SHA512, over arrays of inputs of one length.

F(a, x) = Finalize(x, a * H(x)): whoever asks learns F of its own x and nothing about a; whoever holds a learns nothing
about x, because a point times a random blind is uniformly random. That F of other x stays unknown rests on the one-more
gap Diffie-Hellman assumption in the random-oracle model (RFC 9497, 7.2.3).
"""

from __future__ import annotations

import hashlib

import numpy as np

from pprl_desktop.blind import group
from pprl_desktop.blind.group import Bytes
from pprl_desktop.problem import Problem
from pprl_desktop.progress import NO_PROGRESS, Progress

SUITE = "ristretto255-SHA512"
OPRF, VOPRF = 0x00, 0x01  # modes


def context(mode: int = OPRF) -> bytes:
    return b"OPRFV1-" + bytes([mode]) + b"-" + SUITE.encode()


def hash_to_group(
    inputs: Bytes, mode: int = OPRF, threads: int = 0, progress: Progress = NO_PROGRESS, what: str = ""
) -> Bytes:
    return group.hash_to_group(inputs, b"HashToGroup-" + context(mode), threads, progress, what)


def hash_to_scalar(data: bytes, mode: int, domain: bytes = b"HashToScalar-") -> Bytes:
    return group.reduced(np.frombuffer(_expand(data, domain + context(mode), 64), np.uint8).reshape(1, 64))


def _expand(data: bytes, domain: bytes, length: int) -> bytes:
    """expand_message_xmd of RFC 9380 for up to 64 bytes."""
    tail = domain + bytes([len(domain)])
    first = hashlib.sha512(bytes(group.PAD) + data + length.to_bytes(2, "big") + b"\0" + tail).digest()
    return hashlib.sha512(first + b"\1" + tail).digest()[:length]


def derive_key(seed: bytes, info: bytes, mode: int = OPRF) -> Bytes:
    """DeriveKeyPair: the private key; `group.multiply_base` of it is the public one."""
    data = seed + len(info).to_bytes(2, "big") + info
    for counter in range(256):
        key = hash_to_scalar(data + bytes([counter]), mode, b"DeriveKeyPair")
        if key.any():
            return key
    raise AssertionError("256 zero scalars")


def finalize(inputs: Bytes, elements: Bytes, threads: int = 1, progress: Progress = NO_PROGRESS) -> Bytes:
    """The 64-byte outputs, from inputs and unblinded elements."""
    count, width = inputs.shape
    rows = np.zeros((count, 2 + width + 2 + group.SIZE + len(b"Finalize")), dtype=np.uint8)
    rows[:, :2] = np.frombuffer(width.to_bytes(2, "big"), np.uint8)
    rows[:, 2 : 2 + width] = inputs
    rows[:, 2 + width : 4 + width] = np.frombuffer(group.SIZE.to_bytes(2, "big"), np.uint8)
    rows[:, 4 + width : 4 + width + group.SIZE] = elements
    rows[:, 4 + width + group.SIZE :] = np.frombuffer(b"Finalize", np.uint8)
    return group.sha512(rows, threads, progress)


def evaluate(
    key: Bytes, inputs: Bytes, threads: int = 0, progress: Progress = NO_PROGRESS, what: str = "", mode: int = OPRF
) -> Bytes:
    """What the holder of the key computes on its own inputs."""
    points = hash_to_group(inputs, mode, threads, progress.part(0.0, 0.2), what)
    elements, good = group.multiply(key, points, threads, progress.part(0.2, 1.0), what)
    if not good.all():
        raise group.invalid_point()
    return finalize(inputs, elements, threads)


# ---- proof that one key made all elements (mode VOPRF, section 2.2)


def _composites(public: Bytes, blinded: Bytes, evaluated: Bytes, mode: int) -> list[Bytes]:
    """The scalars d_i that weigh the elements of a batch."""
    seed_data = _long(public.tobytes()) + _long(b"Seed-" + context(mode))
    seed = hashlib.sha512(seed_data).digest()
    made = []
    for place, (one, two) in enumerate(zip(blinded, evaluated, strict=True)):
        head = _long(seed) + place.to_bytes(2, "big") + _long(one.tobytes()) + _long(two.tobytes())
        made.append(hash_to_scalar(head + b"Composite", mode))
    return made


def _long(data: bytes) -> bytes:
    return len(data).to_bytes(2, "big") + data


def _weighed(weights: Bytes, points: Bytes) -> Bytes:
    products, good = group.multiply(weights, points, threads=1)
    if not good.all():
        raise group.invalid_point()
    total = products[:1]
    for place in range(1, len(products)):
        total = group.add(total, products[place : place + 1])
    return total


def _challenge(parts: tuple[Bytes, ...], mode: int) -> Bytes:
    return hash_to_scalar(b"".join(_long(part.tobytes()) for part in parts) + b"Challenge", mode)


def prove(key: Bytes, blinded: Bytes, evaluated: Bytes, secret: Bytes, mode: int = VOPRF) -> Bytes:
    """That `evaluated` is key times `blinded`, row by row; `secret` is a fresh random scalar. 64 bytes: c, s."""
    public = group.multiply_base(key)
    weights = np.concatenate(_composites(public, blinded, evaluated, mode))
    m = _weighed(weights, blinded)
    z = group.multiply(key, m, threads=1)[0]
    c = _challenge((public, m, z, group.multiply_base(secret), group.multiply(secret, m, threads=1)[0]), mode)
    times = group.scalar_times(c, key)
    s = group.scalar_minus(secret, times)
    group.wipe(times)
    return np.concatenate([c[0], s[0]])


def verify(public: Bytes, blinded: Bytes, evaluated: Bytes, proof: Bytes, mode: int = VOPRF) -> bool:
    c, s = proof[None, :32], proof[None, 32:]
    if group.number_of(c) >= group.ORDER or group.number_of(s) >= group.ORDER:
        return False
    try:
        weights = np.concatenate(_composites(public, blinded, evaluated, mode))
        m, z = _weighed(weights, blinded), _weighed(weights, evaluated)
        two = group.add(group.multiply_base(s), _times(c, public))
        three = group.add(_times(s, m), _times(c, z))
    except Problem:
        return False
    return bool((_challenge((public, m, z, two, three), mode) == c).all())


def _times(scalar: Bytes, point: Bytes) -> Bytes:
    made, good = group.multiply(scalar, point, threads=1)
    if not good.all():
        raise group.invalid_point()
    return made
