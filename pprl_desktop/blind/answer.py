"""The answer: every point of the question times a secret scalar, and the answerer's table readable through keys alone.

A row of the table opens only to who knows the function's output on that key, and that is known only by asking. One
scalar per type of key and per group of fields, so that a budget cannot be moved to the weakest type. The scalars live
in one seed, which is destroyed when the answer is written.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from pprl_desktop.blind import group, oprf
from pprl_desktop.blind.group import Bytes
from pprl_desktop.blind.plan import (
    MAC,
    PAD,
    RECORD_KEY,
    TAG,
    TOKEN,
    Plan,
    inputs,
    over_limit,
    slot_macs,
    slot_stream,
    table_rows,
    text_digests,
    tokens,
)
from pprl_desktop.blind.question import distinct_rows
from pprl_desktop.codes.keys.recipe import Columns, Key, KeyValues, values_of
from pprl_desktop.codes.keys.variants import places, status_of, variants_of
from pprl_desktop.problem import Problem
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.records.table import CleanTable
from pprl_desktop.said import Said

PROVED = 32  # points of a batch for which it is proved that one scalar made all; chosen by hashing both files
SLOTS_AT_ONCE = 4096


@dataclass(frozen=True, eq=False)
class Answer:
    public: Bytes = field(repr=False)  # [batches, 32]: scalar times the generator
    proofs: Bytes = field(repr=False)  # [batches, 64]
    points: dict[str, Bytes] = field(repr=False)  # batch -> [asked, 32]
    tags: dict[str, Bytes] = field(repr=False)  # key type -> [rows, 10]
    labels: dict[str, Bytes] = field(repr=False)  # key type -> [rows, 20]
    slots: Bytes = field(repr=False)  # [slots, slot_bytes]


@dataclass(frozen=True, eq=False)
class Kept:
    """What the answerer keeps until the result comes: which record lies in which slot, and the record keys."""

    slot_of: npt.NDArray[np.int32] = field(repr=False)  # per own row
    keys: Bytes = field(repr=False)  # [slots, 16]


def check_question(plan: Plan, question: dict[str, Bytes]) -> None:
    """Everything about a question that shows without multiplying."""
    if list(question) != [name for name, _ in plan.batches()]:
        raise _not_agreed()
    for name, asked in plan.batches():
        points = question[name]
        if points.dtype != np.uint8 or points.shape != (asked, group.SIZE):
            raise _not_agreed()
        if len(distinct_rows(points)[0]) != asked:
            raise Problem(
                "The question asks the same point twice.",
                "Blinded points never repeat by chance.",
                "Ask your partner to make a new question with PPRL Desktop.",
                place="question",
            )


def _not_agreed() -> Problem:
    return Problem(
        "The question is not the one that was agreed.",
        "It has other parts, or more or fewer points than the agreement allows.",
        "Ask your partner to make the question under this agreement.",
        place="question",
    )


def kept_of(table: CleanTable, plan: Plan, seed: bytes | Bytes) -> Kept:
    if table.rows > plan.slots:
        raise over_limit(Said("The table has {count} records", count=table.rows), plan.slots)
    stream = group.Stream(seed, "slots")
    keys = stream.bytes(RECORD_KEY * plan.slots, part=1).reshape(-1, RECORD_KEY)
    return Kept(stream.order(plan.slots, part=2)[: table.rows].astype(np.int32), keys)


def answer(
    table: CleanTable,
    plan: Plan,
    secret: bytes,
    question: dict[str, Bytes],
    seed: bytes | Bytes,
    threads: int = 0,
    progress: Progress = NO_PROGRESS,
) -> tuple[Answer, Kept]:
    """The answer, and what its writer keeps. The scalars are wiped before it returns; the seed is the caller's."""
    check_question(plan, question)
    kept = kept_of(table, plan, seed)
    scalars = group.Stream(seed, "scalars").scalars(len(plan.batches()))
    try:
        return _answered(table, plan, secret, question, seed, scalars, kept, threads, progress), kept
    finally:
        group.wipe(scalars)


def _answered(
    table: CleanTable,
    plan: Plan,
    secret: bytes,
    question: dict[str, Bytes],
    seed: bytes | Bytes,
    scalars: Bytes,
    kept: Kept,
    threads: int,
    progress: Progress,
) -> Answer:
    points, proofs = {}, []
    for place, (name, _) in enumerate(plan.batches()):
        part = progress.part(0.5 * place / len(scalars), 0.5 * (place + 1) / len(scalars))
        made, good = group.multiply(scalars[place][None], question[name], threads, part, "Answering")
        if not good.all():
            raise group.invalid_point()
        points[name] = made
        nonce = group.Stream(seed, f"proof-{name}").scalars(1)
        at = sampled(question[name], made)
        proofs.append(oprf.prove(scalars[place][None], question[name][at], made[at], nonce))
        group.wipe(nonce)
    columns = Columns(table)
    tags, labels = {}, {}
    for place, key in enumerate(plan.recipe.keys):
        part = progress.part(0.5 + 0.3 * place / len(plan.recipe.keys), 0.5 + 0.3 * (place + 1) / len(plan.recipe.keys))
        name = f"key{place}"
        tags[name], labels[name] = _table(columns, plan, secret, place, key, scalars[place], kept, seed, threads, part)
    slots = _slots(table, plan, secret, scalars, kept, seed, threads, progress.part(0.8, 1.0))
    return Answer(group.multiply_base(scalars), np.stack(proofs), points, tags, labels, slots)


def sampled(asked: Bytes, answered: Bytes) -> npt.NDArray[np.int64]:
    """Places of the points for which a proof is given: neither side can choose them."""
    import hashlib

    digest = hashlib.sha512(asked.tobytes() + answered.tobytes()).digest()
    return np.sort(group.Stream(digest[:32], "proved").order(len(asked))[:PROVED])


def _table(
    columns: Columns,
    plan: Plan,
    secret: bytes,
    place: int,
    key: Key,
    scalar: Bytes,
    kept: Kept,
    seed: bytes | Bytes,
    threads: int,
    progress: Progress,
) -> tuple[Bytes, Bytes]:
    name, size = f"key{place}", plan.rows[place]
    made = values_of(columns, key)
    if len(made.rows) > size:  # chance decides what is left out
        some = np.sort(group.Stream(seed, f"left-out-{name}").order(len(made.rows))[:size])
        made = KeyValues(key, made.rows[some], made.digests[some])
    found, of_line = distinct_rows(inputs(secret, plan, name, made.digests))
    outputs = oprf.evaluate(scalar[None], found, threads, progress, "Answering")
    stream = group.Stream(seed, f"table-{name}")
    number = running_numbers(of_line, stream.order(len(of_line), part=1))
    rows = stream.bytes((TAG + PAD) * size, part=2).reshape(size, TAG + PAD)  # random rows pad
    slot = kept.slot_of[made.rows]
    carried = np.empty((len(slot), PAD), dtype=np.uint8)
    carried[:, :4] = slot.astype("<u4").view(np.uint8).reshape(-1, 4)
    carried[:, 4:] = kept.keys[slot]
    for which in range(int(number.max(initial=-1)) + 1):
        here = np.flatnonzero(number == which)
        row = table_rows(outputs[of_line[here]], which)
        rows[here, :TAG] = row[:, :TAG]
        rows[here, TAG:] = row[:, TAG:] ^ carried[here]
    rows = rows[stream.order(size, part=3)]
    return rows[:, :TAG].copy(), rows[:, TAG:].copy()


def running_numbers(of_line: npt.NDArray[np.int64], order: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """0, 1, 2 .. for lines with the same key, in a random order: how many share a key shows only to who holds it."""
    by_key = order[np.argsort(of_line[order], kind="stable")]
    ranked = of_line[by_key]
    first = np.flatnonzero(np.diff(ranked, prepend=-1))
    within = np.arange(len(ranked)) - np.repeat(first, np.diff(np.append(first, len(ranked))))
    made = np.empty(len(of_line), dtype=np.int64)
    made[by_key] = within
    return made


def _slots(
    table: CleanTable,
    plan: Plan,
    secret: bytes,
    scalars: Bytes,
    kept: Kept,
    seed: bytes | Bytes,
    threads: int,
    progress: Progress,
) -> Bytes:
    marks: dict[str, npt.NDArray[np.uint64]] = {}
    for place, name in enumerate(plan.groups):
        part = progress.part(0.9 * place / len(plan.groups), 0.9 * (place + 1) / len(plan.groups))
        some = variants_of(table, name)
        found, of_text = distinct_rows(inputs(secret, plan, f"value{place}", text_digests(some.texts)))
        scalar = scalars[len(plan.recipe.keys) + place]
        token = tokens(oprf.evaluate(scalar[None], found, threads, part, "Answering"))
        by_text = np.append(token[of_text], np.uint64(0))  # index -1: nothing there
        marks |= {field_name: by_text[at] for field_name, at in some.places.items()}
    sealed = group.Stream(seed, "slot-padding").bytes(plan.slot_bytes * plan.slots).reshape(plan.slots, -1)
    status = status_of(table)
    length = plan.slot_bytes - MAC
    for start in range(0, table.rows, SLOTS_AT_ONCE):
        progress.check()
        rows = np.arange(start, min(start + SLOTS_AT_ONCE, table.rows))
        plain = np.zeros((len(rows), length), dtype=np.uint8)
        plain[:, : len(plan.fields)] = status[rows]
        at = len(plan.fields)
        for one, column in zip(table.fields, table.columns, strict=True):
            width = TOKEN * places(one.kind)
            padded = np.concatenate([marks[one.name], np.zeros((1, places(one.kind)), np.uint64)])  # -1: missing
            plain[:, at : at + width] = (
                padded[column.codes[rows]].astype("<u8").view(np.uint8).reshape(len(rows), width)
            )
            at += width
        keys = kept.keys[kept.slot_of[rows]]
        secret_text = plain ^ slot_stream(keys, length)
        slot = kept.slot_of[rows]
        sealed[slot, :length] = secret_text
        sealed[slot, length:] = slot_macs(keys, secret_text)
    return sealed
