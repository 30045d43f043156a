"""PSH: SimHash signatures of weighted q-grams under hyperplanes derived from the shared secret.

Each piece of a value (codes/qgrams.py) owns one row of +1/-1 for all hyperplanes, expanded from its keyed hash by
SHAKE-256; a signature is the sign of the weighted sum of the rows (Charikar 2002). Weights, norms and sums are whole
numbers, so both parties get bit-identical signatures on any machine. Nothing is fitted on either side's data.
A missing field adds nothing to the sum. In the record layout, though, a field that only one side has turns the other's
vector a little: one signature cannot say which fields it holds. The field layout has no such cost.
Randomised response is added by privacy/, never here.
"""

from __future__ import annotations

import hashlib
import hmac
import math
from array import array
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pprl_desktop.codes import idf, qgrams, tokens
from pprl_desktop.codes.base import (
    Bytes,
    Decided,
    Method,
    Part,
    PartKind,
    Recipe,
    RecordFields,
    Settings,
    Shape,
    Smashed,
    derive,
    sample,
)
from pprl_desktop.codes.layouts import wrong_decision
from pprl_desktop.problem import Problem
from pprl_desktop.progress import Progress
from pprl_desktop.records.fields import Field, FieldKind
from pprl_desktop.records.table import CleanTable, Column
from pprl_desktop.said import Said

MIN_BITS, MAX_BITS = 64, 8192
SCALE = 1024  # length of a field of weight 1 in the record's vector
# how much a field weighs in the record's vector: a category says little, whatever its value
FIELD_WEIGHT: dict[FieldKind, int] = {"name": 4, "text": 4, "date": 4, "id": 4, "number": 3, "category": 2}
REPORT_EVERY = 500  # values between two looks at the cancel button
ROWS_AT_ONCE = 4096  # signatures per block of the compiled loop: some 20 ms


class Simhash(Method):
    """Reads of the settings: decision, layout, epsilon, noise, bits, direction."""

    name = "simhash"
    title = Said("SimHash with noise")
    sentence = Said("Sends yes/no bits per field or record; some are flipped at random.")
    brief = Said("Yes/no bits, some flipped at random")
    layouts = ("field", "record")
    decisions = ("adaptive", "threshold")
    signs_of_sums = True

    def defaults(self) -> Settings:
        return Settings(decision="adaptive", layout="field")

    def problems(self, recipe: Recipe) -> tuple[Problem, ...]:
        return tuple(_problems(recipe))

    def smash(self, table: CleanTable, recipe: Recipe, progress: Progress) -> Smashed:
        if recipe.settings.layout == "record":
            return Smashed(self.name, table.rows, (record_part(table, recipe, progress),))
        made = tokens.beside_fields(table, recipe, _field_part, progress)
        return Smashed(self.name, table.rows, made)

    def record_fields(self, table: CleanTable, recipe: Recipe, progress: Progress) -> RecordFields:
        return simhash_fields(table, recipe, progress)

    def shape(self, recipe: Recipe) -> Shape:
        """Without trying: that would load the compiler and the name lists, while a slider moves."""
        width = recipe.settings.bits // 8
        if recipe.settings.layout == "record":
            return (("bits", "", width),)
        codes: list[tuple[PartKind, str, int]] = [("bits", one.name, width) for one in recipe.fields]
        made = tokens.parts(sample(recipe), recipe)
        return (*codes, *((part.kind, part.field, part.width) for part in made))


def shape_problems(recipe: Recipe) -> list[Problem]:
    """What is wrong with fields and bits, for every method that makes signatures."""
    found = []
    settings = recipe.settings
    if not recipe.fields:
        found.append(Problem("No matching field was chosen.", do="Choose at least one field.", place="fields"))
    if not MIN_BITS <= settings.bits <= MAX_BITS or settings.bits % 8:
        found.append(
            Problem(
                Said("{bits} bits cannot be used for a signature.", bits=settings.bits),
                Said(
                    "The number must be between {min_bits} and {max_bits} and a multiple of 8.",
                    min_bits=MIN_BITS,
                    max_bits=MAX_BITS,
                ),
                "1024 is usual.",
                place="bits",
            )
        )
    return found


def _problems(recipe: Recipe) -> list[Problem]:
    return [*shape_problems(recipe), *wrong_decision(recipe.settings)]


# ---- signatures -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Weighted:
    """The distinct values of a column as weighted pieces: value v has entries starts[v] .. starts[v + 1]."""

    starts: npt.NDArray[np.int64]
    piece: npt.NDArray[np.int32]  # row of `signs`
    weight: npt.NDArray[np.int32]
    signs: npt.NDArray[np.int8]  # [pieces, bits] of +1 and -1


def in_use(column: Column) -> Column:
    """The column with the values its rows hold; a choice of rows shares the values of the whole table."""
    used, codes = np.unique(column.codes, return_inverse=True)
    missing = int(len(used) > 0 and used[0] < 0)
    return Column(column.name, column.values[used[missing:]], (codes.reshape(-1) - missing).astype(np.int32))


def weighted(column: Column, kind: FieldKind, key: bytes, bits: int, length: int, progress: Progress) -> Weighted:
    """Every value as a vector of about the same length, so that a field's say does not grow with its letters."""
    known: dict[str, int] = {}
    starts, piece, weight = array("q", [0]), array("i"), array("i")  # a long list would take long to become numbers
    for code, value in enumerate(column.values):
        if code % REPORT_EVERY == 0:
            progress.at(code / len(column.values))
        shown = qgrams.pieces(str(value), kind)
        heavy = [idf.weight(each, kind) for each in shown]
        norm = math.isqrt(sum(each * each for each in heavy) << 20)  # 1024 times the Euclidean norm
        piece.extend([known.setdefault(each, len(known)) for each in shown])
        weight.extend([max(1, (each * length << 10) // max(norm, 1)) for each in heavy])
        starts.append(len(piece))
    signs = _signs(known, key, bits)
    return Weighted(np.array(starts, np.int64), np.array(piece, np.int32), np.array(weight, np.int32), signs)


def _signs(known: dict[str, int], key: bytes, bits: int) -> npt.NDArray[np.int8]:
    """One side of every hyperplane for each piece."""
    packed = bytearray()
    for piece in known:
        seed = hmac.digest(key, piece.encode("utf-8"), hashlib.sha256)
        packed += hashlib.shake_256(seed).digest(bits // 8)
    rows = np.frombuffer(bytes(packed), np.uint8).reshape(len(known), bits // 8)
    return (2 * np.unpackbits(rows, axis=1).astype(np.int8) - 1).astype(np.int8)


def _signatures(fields: list[Weighted], values: npt.NDArray[np.int32], bits: int, progress: Progress) -> Bytes:
    """values[row, field] is the code of the value in each field, -1 where it is missing."""
    from pprl_desktop.codes.signatures import add_up

    packed = np.zeros((len(values), bits // 8), np.uint8)
    for start in range(0, len(values), ROWS_AT_ONCE):
        progress.at(start / len(values))
        here = values[start : start + ROWS_AT_ONCE]
        sums = np.zeros((len(here), bits), np.int32)
        for place, each in enumerate(fields):
            if len(each.piece):
                add_up(np.ascontiguousarray(here[:, place]), each.starts, each.piece, each.weight, each.signs, sums)
        packed[start : start + len(here)] = np.packbits(sums > 0, axis=1)
    progress.at(1.0)
    return packed


def _field_part(table: CleanTable, wanted: Field, recipe: Recipe, progress: Progress) -> Part:
    """One signature per distinct value. Fields of one kind share one key, so a value is recognised in another field."""
    bits = recipe.settings.bits
    key = derive(recipe.secret, f"simhash/field/{wanted.kind}")
    column = in_use(table.column(wanted.name))
    made = weighted(column, wanted.kind, key, bits, SCALE, progress.part(0.0, 0.6))
    codes = np.arange(len(column.values), dtype=np.int32).reshape(-1, 1)
    values = _signatures([made], codes, bits, progress.part(0.6, 1.0))
    return Part(f"{wanted.name}.bits", wanted.name, "bits", "value", column.codes, values)


def record_part(table: CleanTable, recipe: Recipe, progress: Progress) -> Part:
    """PSH as published: one signature for the whole record; equal records share one."""
    fields, codes = weighted_fields(table, recipe, progress.part(0.0, 0.5))
    usable = np.flatnonzero((codes >= 0).any(axis=1))  # nothing is known of the others: they are never linked
    first, which = _alike(codes[usable])
    values = _signatures(fields, codes[usable][first], recipe.settings.bits, progress.part(0.5, 1.0))
    rows = np.full(table.rows, -1, np.int32)
    rows[usable] = which
    return Part("record", "", "bits", "value", rows, values)


def _alike(codes: npt.NDArray[np.int32]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """First row of every kind of row, in the order of the codes, and the kind of each row.

    One number per row: sorting whole rows is slower, and nothing else may run meanwhile, not even Cancel.
    """
    key = np.zeros(len(codes), np.int64)
    for column in codes.T:
        many = int(column.max(initial=-1)) + 2  # -1 is a code too
        if len(key) and (int(key.max()) + 1) * many > np.iinfo(np.int64).max:
            _, key = np.unique(key, return_inverse=True)
        key = key * many + (column.astype(np.int64) + 1)
    _, first, which = np.unique(key, return_index=True, return_inverse=True)
    return first, which.reshape(-1)


def weighted_fields(
    table: CleanTable, recipe: Recipe, progress: Progress
) -> tuple[list[Weighted], npt.NDArray[np.int32]]:
    """What each field adds to the record's vector, and which value of each field a row has ([rows, fields])."""
    count = max(len(table.fields), 1)
    fields = []
    columns = [in_use(column) for column in table.columns]
    for place, (wanted, column) in enumerate(zip(table.fields, columns, strict=True)):
        # names share one key: first and last name exchanged is a common slip, and costs nothing then
        shared = "name" if wanted.kind == "name" else f"{wanted.kind}/{wanted.name}"
        key = derive(recipe.secret, f"simhash/record/{shared}")
        share = progress.part(place / count, (place + 1) / count)
        length = SCALE * FIELD_WEIGHT[wanted.kind]
        fields.append(weighted(column, wanted.kind, key, recipe.settings.bits, length, share))
    codes = np.stack([column.codes for column in columns], axis=1) if table.rows else np.zeros((0, count), np.int32)
    return fields, codes


# Which bits of a record's signature each field decides: those whose sign turns when its part is left out.


@dataclass(frozen=True, eq=False)
class SimhashFields:
    names: tuple[str, ...]
    fields: tuple[Weighted, ...]
    codes: npt.NDArray[np.int32]  # [rows, fields]: value of each field, -1 where it is missing
    bits: int

    def decided(self, rows: npt.NDArray[np.int64]) -> Decided:
        from pprl_desktop.codes.signatures import add_up

        values = self.codes[rows]
        sums = np.zeros((len(self.fields), len(rows), self.bits), np.int32)
        for place, one in enumerate(self.fields):
            if len(one.piece):
                mine = np.ascontiguousarray(values[:, place])
                add_up(mine, one.starts, one.piece, one.weight, one.signs, sums[place])
        total = sums.sum(axis=0, dtype=np.int32)
        code = np.packbits(total > 0, axis=1)
        bits = [code ^ np.packbits(total > mine, axis=1) for mine in sums]  # code without the field
        return Decided(code, np.stack(bits), values < 0)


def simhash_fields(table: CleanTable, recipe: Recipe, progress: Progress) -> SimhashFields:
    fields, codes = weighted_fields(table, recipe, progress)
    return SimhashFields(tuple(one.name for one in table.fields), tuple(fields), codes, recipe.settings.bits)


METHOD = Simhash()
