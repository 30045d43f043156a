"""Reading the answer: unblind, look every key up, open the records that share one, and check that all of it agrees."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from pprl_desktop.blind import group, oprf
from pprl_desktop.blind.answer import Answer, sampled, shapes
from pprl_desktop.blind.group import Bytes
from pprl_desktop.blind.plan import (
    MAC,
    RECORD_KEY,
    TAG,
    TOKEN,
    Plan,
    slot_macs,
    slot_stream,
    table_rows,
    tokens,
)
from pprl_desktop.blind.question import Asker, Batch, Blinds, blinds
from pprl_desktop.codes.keys.variants import ABSENT, LETTER, places
from pprl_desktop.problem import Problem
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.said import Said

MOST_EQUAL = 4096  # records of the answerer with one and the same key that are looked up

Marks = npt.NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class Opened:
    """Records of the answerer that share a key with the asker, as tokens, and the pairs that share one."""

    slots: npt.NDArray[np.int32] = field(repr=False)  # of each opened record, rising
    keys: Bytes = field(repr=False)  # [opened, 16]: proof, in the result, that it was opened
    status: npt.NDArray[np.uint8] = field(repr=False)  # [opened, fields]
    marks: dict[str, Marks] = field(repr=False)  # field -> [opened, places]
    own_marks: dict[str, Marks] = field(repr=False)  # field -> [own values, places]
    own: npt.NDArray[np.int32] = field(repr=False)  # pairs: own row
    partner: npt.NDArray[np.int32] = field(repr=False)  # pairs: opened record


def contradicts() -> Problem:
    return Problem(
        "The answer contradicts itself.",
        "The same question has two answers, or the proof does not hold.",
        "Ask your partner to answer again; if it happens twice, do not use the result.",
        place="answer",
    )


def planted() -> Problem:
    """Fails only where the asker holds a key of the record: whoever hears of it learns that."""
    return Problem(
        "The answer contradicts itself.",
        "A record of it does not open as it should. A partner could plant such a record to learn from your complaint "
        "that you hold the person it is about.",
        "Do not ask for another answer and do not tell the partner what happened: end this agreement.",
        place="answer",
    )


def check_answer(plan: Plan, question: Mapping[str, Bytes], given: Answer) -> None:
    """Shapes as agreed, and the proof that one scalar answered each part."""
    wanted = shapes(plan)
    if set(given.arrays) != set(wanted):
        raise contradicts()
    for name, array in given.arrays.items():
        if array.shape != wanted[name] or array.dtype != np.uint8:
            raise contradicts()
    public, proofs = given.public, given.proofs
    for place, (name, _) in enumerate(plan.batches()):
        asked, points = question[name], given.points(name)
        at = sampled(asked, points)
        if not oprf.verify(public[place][None], asked[at], points[at], proofs[place]):
            raise contradicts()


def open_answer(
    made: Asker,
    seed: bytes | Bytes,
    question: Mapping[str, Bytes],
    given: Answer,
    threads: int = 0,
    progress: Progress = NO_PROGRESS,
) -> Opened:
    plan = made.plan
    check_answer(plan, question, given)
    total, done = sum(count for _, count in plan.batches()), 0
    own: list[npt.NDArray[np.int32]] = []
    slot: list[npt.NDArray[np.int64]] = []
    record_keys: list[Bytes] = []
    value_tokens: list[npt.NDArray[np.uint64]] = []
    for place, batch in enumerate(made.batches()):
        part = progress.part(0.9 * done / max(total, 1), 0.9 * (done + batch.asked) / max(total, 1))
        outputs = _unblinded(batch, blinds(seed, batch), given.points(batch.name), threads, part)
        done += batch.asked
        if place >= len(plan.recipe.keys):
            value_tokens.append(tokens(outputs))
            continue
        found, slots, keys = _looked_up(outputs, given.tags(batch.name), given.labels(batch.name))
        if len(slots) and int(slots.max()) >= plan.slots:
            raise planted()
        order = np.argsort(batch.of_line, kind="stable")
        starts = np.searchsorted(batch.of_line[order], np.arange(len(batch.inputs) + 1))
        lines = starts[found + 1] - starts[found]
        at = np.repeat(np.arange(len(found)), lines)
        offset = np.arange(len(at)) - np.repeat(np.cumsum(lines) - lines, lines)
        own.append(batch.rows[order[starts[found[at]] + offset]])
        slot.append(slots[at])
        record_keys.append(keys[at])
    return _opened(made, value_tokens, given, np.concatenate(own), np.concatenate(slot), np.concatenate(record_keys))


def _unblinded(batch: Batch, drawn: Blinds, points: Bytes, threads: int, progress: Progress) -> Bytes:
    """The function's outputs on the batch's inputs; what was asked twice must be the same twice."""
    count = len(batch.inputs)
    if not count:
        return np.zeros((0, 64), np.uint8)
    answered = points[drawn.order[: count + len(drawn.again)]]
    inverse = group.inverted(drawn.scalars)
    elements, good = group.multiply(inverse, answered, threads, progress, Said("Reading the answer"))
    group.wipe(drawn.scalars, inverse)
    if not good.all():
        raise group.invalid_point()
    if (elements[count:] != elements[drawn.again]).any():
        raise contradicts()
    return oprf.finalize(batch.inputs, elements[:count], threads)


def _looked_up(
    outputs: Bytes, tags: Bytes, labels: Bytes
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], Bytes]:
    """Input, slot and record key of every row of the table that an output opens."""
    head = np.ascontiguousarray(tags[:, :8]).view("<u8").reshape(-1)
    order = np.argsort(head, kind="stable")
    ranked = head[order]
    inputs, slots, keys = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], [np.zeros((0, RECORD_KEY), np.uint8)]
    left = np.arange(len(outputs))
    for number in range(MOST_EQUAL):
        if not len(left) or not len(ranked):
            break
        row = table_rows(outputs[left], number)
        wanted = np.ascontiguousarray(row[:, :8]).view("<u8").reshape(-1)
        at = np.minimum(np.searchsorted(ranked, wanted), len(ranked) - 1)
        line = order[at]
        hit = (ranked[at] == wanted) & (tags[line, 8:] == row[:, 8:TAG]).all(axis=1)
        carried = row[hit, TAG:] ^ labels[line[hit]]
        inputs.append(left[hit])
        slots.append(np.ascontiguousarray(carried[:, :4]).view("<u4").reshape(-1).astype(np.int64))
        keys.append(carried[:, 4:])
        left = left[hit]
    return np.concatenate(inputs), np.concatenate(slots), np.concatenate(keys)


def _opened(
    made: Asker,
    value_tokens: Sequence[npt.NDArray[np.uint64]],
    given: Answer,
    own: npt.NDArray[np.int32],
    slot: npt.NDArray[np.int64],
    keys: Bytes,
) -> Opened:
    plan = made.plan
    slots, first, of_slot = np.unique(slot, return_index=True, return_inverse=True)
    record_keys = keys[first]
    if (record_keys[of_slot] != keys).any():  # all labels of a slot carry the same key
        raise planted()
    length = plan.slot_bytes - MAC
    sealed = given.slots[slots]
    if (slot_macs(record_keys, sealed[:, :length]) != sealed[:, length:]).any():
        raise planted()
    plain = sealed[:, :length] ^ slot_stream(record_keys, length)
    status = plain[:, : len(plan.fields)].copy()
    marks, at = {}, len(plan.fields)
    for place, one in enumerate(plan.fields):
        width = TOKEN * places(one.kind)
        found = (
            np.ascontiguousarray(plain[:, at : at + width])
            .view("<u8")
            .reshape(len(slots), places(one.kind))
            .astype(np.uint64)
        )
        at += width
        there = status[:, place] != ABSENT
        if (status[:, place] > LETTER).any() or ((found[:, 0] != 0) != there).any() or found[~there].any():
            raise planted()
        marks[one.name] = found
    own_marks: dict[str, Marks] = {}
    for batch, token, some in zip(made.values, value_tokens, made.variants, strict=True):
        by_text = np.append(token, np.uint64(0))[np.append(batch.of_line, -1)]
        own_marks |= {name: by_text[where] for name, where in some.places.items()}
    pairs = np.unique(own.astype(np.int64) * max(len(slots), 1) + of_slot)
    rows, records = pairs // max(len(slots), 1), pairs % max(len(slots), 1)
    return Opened(
        slots.astype(np.int32), record_keys, status, marks, own_marks, rows.astype(np.int32), records.astype(np.int32)
    )
