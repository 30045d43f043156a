"""What both sides agreed on for one run, and the inputs of the oblivious function that follow from it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pprl_desktop.blind import group
from pprl_desktop.blind.group import Bytes
from pprl_desktop.codes.keys.recipe import KeyRecipe
from pprl_desktop.codes.keys.variants import groups_of, places
from pprl_desktop.problem import Problem
from pprl_desktop.records.fields import Field
from pprl_desktop.said import Said

INPUT = 32  # bytes
TAG, PAD = 10, 20  # bytes of a row of the answer's table: tag | label
RECORD_KEY = 16  # bytes
MAC = 16  # bytes
TOKEN = 8  # bytes
NAME = 16  # bytes of a record's random name
DOUBLED = 0.01  # share of the questions that are asked twice
BLOCK = 128  # bytes of SHA-512


@dataclass(frozen=True)
class Plan:
    session: str  # what makes this run different from every other: the agreement and the number of the run
    fields: tuple[Field, ...]
    recipe: KeyRecipe
    asked: tuple[int, ...]  # per key type: points of the question, doubled ones and padding included
    rows: tuple[int, ...]  # per key type: rows of the answer's table, padding included
    values: tuple[int, ...]  # per group of fields: points of the question
    slots: int  # records of the answer, padding included

    def __post_init__(self) -> None:
        assert len(self.asked) == len(self.rows) == len(self.recipe.keys)
        assert len(self.values) == len(self.groups)

    @property
    def groups(self) -> tuple[str, ...]:
        return groups_of(self.fields)

    @property
    def slot_bytes(self) -> int:
        """Of a sealed record: a status per field, its tokens, and the proof that nothing was altered."""
        return len(self.fields) + TOKEN * sum(places(one.kind) for one in self.fields) + MAC

    def batches(self) -> tuple[tuple[str, int], ...]:
        """Name and points of every part of the question: first the types of keys, then the groups of fields."""
        keys = [(f"key{place}", count) for place, count in enumerate(self.asked)]
        return (*keys, *((f"value{place}", count) for place, count in enumerate(self.values)))


def asked_for(distinct: int) -> int:
    """Points that so many distinct inputs need, with those asked twice."""
    return distinct + doubled(distinct)


def fitting(asked: int) -> int:
    """The most distinct inputs that fit into so many points, with those asked twice."""
    fits = int(asked / (1 + DOUBLED))
    while fits and asked_for(fits) > asked:
        fits -= 1
    return fits


def doubled(distinct: int) -> int:
    return min(max(int(np.ceil(DOUBLED * distinct)), 1), distinct)


def hmac_rows(key: bytes, messages: Bytes) -> Bytes:
    """HMAC-SHA512 of each row, cut to the length of an input."""
    key = key if len(key) <= BLOCK else hashlib.sha512(key).digest()
    return hmac_each(np.frombuffer(key.ljust(BLOCK, b"\0"), np.uint8)[None], messages)[:, :INPUT]


def hmac_each(keys: Bytes, messages: Bytes) -> Bytes:
    """HMAC-SHA512 of each row under a key of its own, or under one for all; keys of at most a block."""
    padded = np.zeros((len(keys), BLOCK), dtype=np.uint8)
    padded[:, : keys.shape[1]] = keys
    inner = np.empty((len(messages), BLOCK + messages.shape[1]), dtype=np.uint8)
    inner[:, :BLOCK] = padded ^ 0x36
    inner[:, BLOCK:] = messages
    outer = np.empty((len(messages), BLOCK + 64), dtype=np.uint8)
    outer[:, :BLOCK] = padded ^ 0x5C
    outer[:, BLOCK:] = group.sha512(inner)
    return group.sha512(outer)


def inputs(secret: bytes, plan: Plan, batch: str, digests: Bytes) -> Bytes:
    """x = HMAC(shared secret, session | part | key): only the two who hold the secret can make one."""
    head = hashlib.sha256(f"pprl-blind/v1\0{plan.session}\0{batch}".encode()).digest()
    rows = np.empty((len(digests), len(head) + digests.shape[1]), dtype=np.uint8)
    rows[:, : len(head)] = np.frombuffer(head, np.uint8)
    rows[:, len(head) :] = digests
    return hmac_rows(secret, rows)


def table_rows(outputs: Bytes, number: int) -> Bytes:
    """Tag and pad of the row for the `number`-th record with a key, from the function's output: 30 bytes."""
    count = len(outputs)
    rows = np.empty((count, 64 + 8), dtype=np.uint8)
    rows[:, :64] = outputs
    rows[:, 64:] = np.frombuffer(b"row\0" + number.to_bytes(4, "little"), np.uint8)
    return group.sha512(rows)[:, : TAG + PAD]


def tokens(outputs: Bytes) -> npt.NDArray[np.uint64]:
    """The token of a value, never 0: that stands for nothing."""
    rows = np.empty((len(outputs), 64 + 8), dtype=np.uint8)
    rows[:, :64] = outputs
    rows[:, 64:] = np.frombuffer(b"token\0\0\0", np.uint8)
    made = np.ascontiguousarray(group.sha512(rows)[:, :TOKEN]).view("<u8").reshape(-1)
    return np.asarray(np.maximum(made, np.uint64(1)))


def slot_stream(keys: Bytes, length: int) -> Bytes:
    """Key stream of each record: SHA-512 of its key in counter mode."""
    blocks = -(-length // 64)
    out = np.empty((len(keys), blocks * 64), dtype=np.uint8)
    rows = np.empty((len(keys), RECORD_KEY + 8), dtype=np.uint8)
    rows[:, :RECORD_KEY] = keys
    for block in range(blocks):
        rows[:, RECORD_KEY:] = np.frombuffer(b"slot" + block.to_bytes(4, "little"), np.uint8)
        out[:, 64 * block : 64 * (block + 1)] = group.sha512(rows)
    return out[:, :length]


def slot_macs(keys: Bytes, sealed: Bytes) -> Bytes:
    """SHA-512 over a key and a text of one fixed length."""
    rows = np.empty((len(keys), RECORD_KEY + 8 + sealed.shape[1]), dtype=np.uint8)
    rows[:, :RECORD_KEY] = keys
    rows[:, RECORD_KEY : RECORD_KEY + 8] = np.frombuffer(b"slot-mac", np.uint8)
    rows[:, RECORD_KEY + 8 :] = sealed
    return group.sha512(rows)[:, :MAC]


def record_names(keys: Bytes) -> Bytes:
    """The random name of each record, from its key: known to its owner and to whoever opened it, to nobody else."""
    rows = np.empty((len(keys), RECORD_KEY + 8), dtype=np.uint8)
    rows[:, :RECORD_KEY] = keys
    rows[:, RECORD_KEY:] = np.frombuffer(b"the-name", np.uint8)
    return group.sha512(rows)[:, :NAME]


def result_proofs(keys: Bytes, session: str, names: Bytes, bands: npt.NDArray[np.uint8]) -> Bytes:
    """HMAC(K, session | the asker's name | band): whoever writes it into a result has really opened the record."""
    rows = np.empty((len(keys), 32 + names.shape[1] + 1), dtype=np.uint8)
    rows[:, :32] = np.frombuffer(hashlib.sha256(f"pprl-blind-result/v1\0{session}".encode()).digest(), np.uint8)
    rows[:, 32:-1] = names
    rows[:, -1] = bands
    return hmac_each(keys, rows)[:, :MAC]


def over_limit(what: Said, limit: int) -> Problem:
    return Problem(
        Said("{what}; the agreement allows {limit}.", what=what, limit=limit),
        "More would be a larger question than your partner agreed to.",
        "Make a new agreement with the true sizes, or use fewer records.",
        place="limits",
    )
