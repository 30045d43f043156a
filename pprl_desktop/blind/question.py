"""The question: every key and every value variant of the asker's table as a point times its own random blind.

All that is random comes from one seed, so that the asker need keep nothing else to read the answer, and an auditor who
is given the seed can make the question again. Whoever does not hold the seed sees uniformly random points: a blinded
point, a doubled one and a padding one cannot be told apart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from pprl_desktop.blind import group, oprf
from pprl_desktop.blind.group import Bytes
from pprl_desktop.blind.plan import INPUT, Plan, doubled, fitting, inputs
from pprl_desktop.blind.spool import Spool
from pprl_desktop.codes.keys.recipe import Columns, values_of
from pprl_desktop.codes.keys.variants import Variants, variants_of
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.records.table import CleanTable

SEED = 32  # bytes


@dataclass(frozen=True, eq=False)
class Batch:
    """One part of the question before it is blinded: its distinct inputs, and what in the table each stands for."""

    name: str
    asked: int  # points in all
    inputs: Bytes = field(repr=False)  # [distinct, 32]
    rows: npt.NDArray[np.int32] = field(repr=False)  # of keys: record of each line
    of_line: npt.NDArray[np.int64] = field(repr=False)  # line, or variant -> distinct input; -1: left out
    left_out: int = 0  # inputs beyond what was agreed: not asked


@dataclass(frozen=True, eq=False)
class Asker:
    """The asker's table as inputs; secret, and made again from the table whenever it is needed. The keys of one type
    are made when they are wanted: all types together would fill the memory."""

    plan: Plan
    key: Callable[[int], Batch]
    values: tuple[Batch, ...]
    variants: tuple[Variants, ...]

    def keys(self) -> Iterator[Batch]:
        return map(self.key, range(len(self.plan.recipe.keys)))

    def batches(self) -> Iterator[Batch]:
        yield from self.keys()
        yield from self.values


class Question(Spool):
    """The points of every batch, in a random order."""

    left_out = 0  # keys, and variants of values, that were more than agreed and are not asked


def distinct_rows(rows: Bytes) -> tuple[Bytes, npt.NDArray[np.int64]]:
    if not len(rows):
        return rows, np.zeros(0, np.int64)
    whole = np.ascontiguousarray(rows).view(np.dtype((np.void, rows.shape[1]))).reshape(-1)
    _, first, inverse = np.unique(whole, return_index=True, return_inverse=True)
    return rows[first], inverse.astype(np.int64)


def asker(table: CleanTable, plan: Plan, secret: bytes, progress: Progress = NO_PROGRESS) -> Asker:
    columns = Columns(table)

    def key(place: int) -> Batch:
        made = values_of(columns, plan.recipe.keys[place])
        found, of_line = distinct_rows(inputs(secret, plan, f"key{place}", made.digests))
        return _fitted(Batch(f"key{place}", plan.asked[place], found, made.rows, of_line))

    values, variants = [], []
    for place, name in enumerate(plan.groups):
        progress.at(place / len(plan.groups), "Making keys")
        some = variants_of(table, name)
        found, of_line = distinct_rows(inputs(secret, plan, f"value{place}", some.digests))
        none = np.zeros(0, np.int32)
        values.append(_fitted(Batch(f"value{place}", plan.values[place], found, none, of_line)))
        variants.append(some)
    return Asker(plan, key, tuple(values), tuple(variants))


def _fitted(batch: Batch) -> Batch:
    """Without what is more than agreed: inputs are sorted by a keyed hash, so that chance decides what is left out."""
    room, count = fitting(batch.asked), len(batch.inputs)
    if count <= room:
        return batch
    of_line = np.where(batch.of_line < room, batch.of_line, -1)
    if len(batch.rows):
        kept = of_line >= 0
        return Batch(batch.name, batch.asked, batch.inputs[:room], batch.rows[kept], of_line[kept], count - room)
    return Batch(batch.name, batch.asked, batch.inputs[:room], batch.rows, of_line, count - room)


@dataclass(frozen=True, eq=False)
class Blinds:
    """What the seed gives for one batch."""

    scalars: Bytes = field(repr=False)  # [distinct + doubled]
    again: npt.NDArray[np.int64] = field(repr=False)  # inputs asked twice
    order: npt.NDArray[np.int64] = field(repr=False)  # entry -> place in the question


def blinds(seed: bytes | Bytes, batch: Batch) -> Blinds:
    stream = group.Stream(seed, batch.name)
    count = len(batch.inputs)
    again = np.sort(stream.order(count, part=1)[: doubled(count)])
    return Blinds(stream.scalars(count + len(again), part=2), again, stream.order(batch.asked, part=3))


def ask(made: Asker, seed: bytes | Bytes, threads: int = 0, progress: Progress = NO_PROGRESS) -> Question:
    total = sum(count for _, count in made.plan.batches())
    done, question = 0, Question()
    for batch in made.batches():
        part = progress.part(done / max(total, 1), (done + batch.asked) / max(total, 1))
        question.put(batch.name, _asked(batch, seed, threads, part))
        question.left_out += batch.left_out
        done += batch.asked
    return question


def _asked(batch: Batch, seed: bytes | Bytes, threads: int, progress: Progress) -> Bytes:
    drawn = blinds(seed, batch)
    count = len(batch.inputs) + len(drawn.again)
    padding = group.Stream(seed, batch.name).bytes(INPUT * (batch.asked - count), part=4).reshape(-1, INPUT)
    hashed = oprf.hash_to_group(
        np.concatenate([batch.inputs, padding]), oprf.OPRF, threads, progress.part(0.0, 0.2), "Asking"
    )
    plain = np.concatenate([hashed[: len(batch.inputs)], hashed[drawn.again]])
    blinded, good = group.multiply(drawn.scalars, plain, threads, progress.part(0.2, 1.0), "Asking")
    group.wipe(drawn.scalars)
    if not good.all():
        raise group.invalid_point()
    out = np.empty((batch.asked, group.SIZE), dtype=np.uint8)
    out[drawn.order] = np.concatenate([blinded, hashed[len(batch.inputs) :]])
    return out
