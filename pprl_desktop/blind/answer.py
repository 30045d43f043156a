"""The answer: every point of the question times a secret scalar, and the answerer's table readable through keys alone.

A row of the table opens only to who knows the function's output on that key, and that is known only by asking. One
scalar per type of key and per group of fields, so that a budget cannot be moved to the weakest type. The scalars live
in one seed, which is destroyed when the answer is written.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
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
    tokens,
)
from pprl_desktop.blind.question import distinct_rows
from pprl_desktop.blind.spool import Spool
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
    """Its parts by the names they have in the file, read when they are wanted: together they would fill the memory."""

    arrays: Mapping[str, Bytes] = field(repr=False)

    @property
    def public(self) -> Bytes:
        """[batches, 32]: scalar times the generator."""
        return self.arrays["public"]

    @property
    def proofs(self) -> Bytes:
        """[batches, 64]"""
        return self.arrays["proofs"]

    @property
    def slots(self) -> Bytes:
        """[slots, slot_bytes]: the sealed records."""
        return self.arrays["slots"]

    def points(self, batch: str) -> Bytes:
        """[asked, 32]"""
        return self.arrays[f"points.{batch}"]

    def tags(self, key: str) -> Bytes:
        """[rows, 10]"""
        return self.arrays[f"tags.{key}"]

    def labels(self, key: str) -> Bytes:
        """[rows, 20]"""
        return self.arrays[f"labels.{key}"]


def shapes(plan: Plan) -> dict[str, tuple[int, int]]:
    """Names and shapes of everything in an answer, in their order."""
    names = [name for name, _ in plan.batches()]
    sizes = dict(zip(names, plan.rows, strict=False))
    return {
        "public": (len(names), group.SIZE),
        "proofs": (len(names), 2 * group.SIZE),
        **{f"points.{name}": (asked, group.SIZE) for name, asked in plan.batches()},
        **{f"tags.{name}": (rows, TAG) for name, rows in sizes.items()},
        **{f"labels.{name}": (rows, PAD) for name, rows in sizes.items()},
        "slots": (plan.slots, plan.slot_bytes),
    }


@dataclass(frozen=True, eq=False)
class AnsweredSlots:
    """What the answerer keeps until the result comes: which record lies in which slot, and the record keys."""

    slot_of: npt.NDArray[np.int32] = field(repr=False)  # per own row
    keys: Bytes = field(repr=False)  # [slots, 16]


def check_question(plan: Plan, question: Mapping[str, Bytes]) -> None:
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


def kept_of(table: CleanTable, plan: Plan, seed: bytes | Bytes) -> AnsweredSlots:
    if table.rows > plan.slots:
        raise over_limit(Said("The table has {count|one record|{count} records}", count=table.rows), plan.slots)
    stream = group.Stream(seed, "slots")
    keys = stream.bytes(RECORD_KEY * plan.slots, part=1).reshape(-1, RECORD_KEY)
    return AnsweredSlots(stream.order(plan.slots, part=2)[: table.rows].astype(np.int32), keys)


def answer(
    table: CleanTable,
    plan: Plan,
    secret: bytes,
    question: Mapping[str, Bytes],
    seed: bytes | Bytes,
    threads: int = 0,
    progress: Progress = NO_PROGRESS,
) -> tuple[Answer, AnsweredSlots]:
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
    question: Mapping[str, Bytes],
    seed: bytes | Bytes,
    scalars: Bytes,
    kept: AnsweredSlots,
    threads: int,
    progress: Progress,
) -> Answer:
    made, proofs = Spool(), []
    for place, (name, _) in enumerate(plan.batches()):
        part = progress.part(0.5 * place / len(scalars), 0.5 * (place + 1) / len(scalars))
        asked = question[name]
        points, good = group.multiply(scalars[place][None], asked, threads, part, "Answering")
        if not good.all():
            raise group.invalid_point()
        made.put(f"points.{name}", points)
        nonce = group.Stream(seed, f"proof-{name}").scalars(1)
        at = sampled(asked, points)
        proofs.append(oprf.prove(scalars[place][None], asked[at], points[at], nonce))
        group.wipe(nonce)
    made.put("public", group.multiply_base(scalars))
    made.put("proofs", np.stack(proofs))
    columns = Columns(table)
    for place, key in enumerate(plan.recipe.keys):
        part = progress.part(0.5 + 0.3 * place / len(plan.recipe.keys), 0.5 + 0.3 * (place + 1) / len(plan.recipe.keys))
        tags, labels = _table(columns, plan, secret, place, key, scalars[place], kept, seed, threads, part)
        made.put(f"tags.key{place}", tags)
        made.put(f"labels.key{place}", labels)
    parts = _slots(table, plan, secret, scalars, kept, seed, threads, progress.part(0.8, 1.0))
    made.put_parts("slots", (plan.slots, plan.slot_bytes), parts)
    return Answer(made.in_order(shapes(plan)))


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
    kept: AnsweredSlots,
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
    kept: AnsweredSlots,
    seed: bytes | Bytes,
    threads: int,
    progress: Progress,
) -> Iterator[Bytes]:
    """The sealed records in the order of their slots, some at a time; slots of nobody are random."""
    marks: dict[str, npt.NDArray[np.uint64]] = {}
    for place, name in enumerate(plan.groups):
        part = progress.part(0.9 * place / len(plan.groups), 0.9 * (place + 1) / len(plan.groups))
        some = variants_of(table, name)
        found, of_text = distinct_rows(inputs(secret, plan, f"value{place}", some.digests))
        scalar = scalars[len(plan.recipe.keys) + place]
        token = tokens(oprf.evaluate(scalar[None], found, threads, part, "Answering"))
        by_text = np.append(token[of_text], np.uint64(0))  # index -1: nothing there
        marks |= {field_name: by_text[at] for field_name, at in some.places.items()}
    status = status_of(table)
    length = plan.slot_bytes - MAC
    row_of = np.full(plan.slots, -1, dtype=np.int64)
    row_of[kept.slot_of] = np.arange(table.rows)
    padding = group.Stream(seed, "slot-padding")
    for start in range(0, plan.slots, SLOTS_AT_ONCE):
        progress.check()
        slots = np.arange(start, min(start + SLOTS_AT_ONCE, plan.slots))
        sealed = padding.bytes(plan.slot_bytes * len(slots), part=start).reshape(len(slots), -1)
        held = np.flatnonzero(row_of[slots] >= 0)
        rows = row_of[slots[held]]
        plain = np.zeros((len(rows), length), dtype=np.uint8)
        plain[:, : len(plan.fields)] = status[rows]
        at = len(plan.fields)
        for one, column in zip(table.fields, table.columns, strict=True):
            width = TOKEN * places(one.kind)
            here = np.zeros((len(rows), places(one.kind)), np.uint64)
            there = column.codes[rows] >= 0
            here[there] = marks[one.name][column.codes[rows[there]]]
            plain[:, at : at + width] = here.astype("<u8").view(np.uint8).reshape(len(rows), width)
            at += width
        keys = kept.keys[slots[held]]
        secret_text = plain ^ slot_stream(keys, length)
        sealed[held, :length] = secret_text
        sealed[held, length:] = slot_macs(keys, secret_text)
        yield sealed
