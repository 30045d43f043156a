"""Bloom filters (Schnell et al. 2009): HMAC-hashed q-grams, one filter per record (CLK) or one per field.

The record layout is the CLK as published and is decided by one threshold; the field layout carries one filter per field
with keyed tokens beside it and is decided field by field. Noise (BLIP) is added by privacy/, never here.
"""

from __future__ import annotations

import hashlib
import hmac
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pprl_desktop.codes import qgrams, tokens
from pprl_desktop.codes.base import (
    Bytes,
    Decided,
    Measure,
    Method,
    Part,
    Recipe,
    RecordFields,
    Settings,
    Smashed,
    derive,
)
from pprl_desktop.codes.layouts import wrong_decision
from pprl_desktop.problem import Problem
from pprl_desktop.progress import Progress
from pprl_desktop.records.fields import Field, FieldKind
from pprl_desktop.records.table import CleanTable, Column
from pprl_desktop.said import Said

MIN_BITS, MAX_BITS = 64, 8192
FILL = 0.4  # share of bits set by a typical value or record: near one half carries most under noise
BLOCK = 1 << 14  # filters unpacked at a time
REPORT_EVERY = 500  # values between two looks at the cancel button


class Bloom(Method):
    """Reads of the settings: decision, layout, epsilon, noise, bits, direction, balanced, fold, salt_field."""

    name = "bloom"
    title = Said("Bloom filter")
    sentence = Said("The method most registries know. The baseline.")
    brief = Said("What most registries know; the baseline")
    layouts = ("field", "record")
    decisions = ("adaptive", "threshold")
    reads = ("balanced", "fold", "salt_field")
    fills_pieces = True

    def defaults(self) -> Settings:
        return Settings()

    def problems(self, recipe: Recipe) -> tuple[Problem, ...]:
        return tuple(_problems(recipe))

    def smash(self, table: CleanTable, recipe: Recipe, progress: Progress) -> Smashed:
        if recipe.settings.layout == "record":
            return Smashed(self.name, table.rows, (_record_part(table, recipe, progress),))
        made = tokens.beside_fields(table, recipe, _field_part, progress)
        return Smashed(self.name, table.rows, made)

    def measure(self, settings: Settings) -> Measure:
        """Balanced and folded filters no longer stand for a set: only equal bits can be counted."""
        return "hamming" if settings.balanced or settings.fold else "dice"

    def record_fields(self, table: CleanTable, recipe: Recipe, progress: Progress) -> RecordFields:
        return bloom_fields(table, recipe, progress)

    def bits_of_an_edit(self, recipe: Recipe) -> tuple[int, int] | None:
        """One edit of a text touches at most two old and two new letter pairs, each with a fixed number of bits."""
        lettered: tuple[FieldKind, ...] = ("name", "text", "category")
        texts = [one for one in recipe.fields if one.kind in lettered]
        settings = recipe.settings
        if not texts or settings.salt_field in {one.name for one in texts}:
            return None  # an edit of the salt changes every bit
        if settings.layout == "record":
            hashes = hashes_per_piece(sum(qgrams.TYPICAL_PIECES[one.kind] for one in recipe.fields), settings.bits)
        else:
            hashes = max(hashes_per_piece(qgrams.TYPICAL_PIECES[one.kind], settings.bits) for one in texts)
        return 4 * hashes * (2 if settings.balanced else 1), hashes


def _problems(recipe: Recipe) -> list[Problem]:
    found = []
    settings = recipe.settings
    if not recipe.fields:
        found.append(Problem("No matching field was chosen.", do="Choose at least one field.", place="fields"))
    if not MIN_BITS <= settings.bits <= MAX_BITS or settings.bits % (8 << settings.fold):
        found.append(
            Problem(
                Said("{bits} bits cannot be used for a Bloom filter.", bits=settings.bits),
                Said(
                    "The number must be between {min_bits} and {max_bits} and a multiple of {step}.",
                    min_bits=MIN_BITS,
                    max_bits=MAX_BITS,
                    step=8 << settings.fold,
                ),
                "1024 is usual.",
                place="bits",
            )
        )
    if settings.salt_field and settings.salt_field not in {f.name for f in recipe.fields}:
        found.append(
            Problem(
                Said("The salt field '{salt_field}' is not among the matching fields.", salt_field=settings.salt_field),
                do="Choose one of the agreed fields, such as the year of birth, or none.",
                place="salt_field",
            )
        )
    found += wrong_decision(settings)
    return found


# ---- filters ----------------------------------------------------------------------------------------------------


def hashes_per_piece(kind_pieces: int, bits: int) -> int:
    """k so that a value with that many pieces sets about FILL of the bits (agreed constants, not taken from data)."""
    return max(1, round(-math.log(1.0 - FILL) * bits / kind_pieces))


class Filler:
    """Bit positions of a piece: double hashing (Kirsch and Mitzenmacher 2006) over one HMAC per distinct piece."""

    def __init__(self, key: bytes, hashes: int, bits: int) -> None:
        self._key = key
        self._bits = bits
        self._steps = np.arange(hashes, dtype=np.uint64)
        self._cubes = (self._steps**3 - self._steps) // 6  # enhanced double hashing: no short cycles
        self._seen: dict[str, np.ndarray[tuple[int], np.dtype[np.intp]]] = {}

    def places(self, piece: str) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
        found = self._seen.get(piece)
        if found is None:
            digest = hmac.digest(self._key, piece.encode("utf-8"), hashlib.sha256)
            first, second = (int.from_bytes(digest[at : at + 4], "little") for at in (0, 8))
            mixed = np.uint64(first) + self._steps * np.uint64(second | 1) + self._cubes
            found = (mixed % np.uint64(self._bits)).astype(np.intp)
            self._seen[piece] = found
        return found


def _field_part(table: CleanTable, wanted: Field, recipe: Recipe, progress: Progress) -> Part:
    """One filter per distinct value. The key is that of the kind, so equal values of two fields have equal filters."""
    bits = recipe.settings.bits
    hashes = hashes_per_piece(qgrams.TYPICAL_PIECES[wanted.kind], bits)
    key = derive(recipe.secret, f"bloom/field/{wanted.kind}")
    packed, rows = _filters(
        table.column(wanted.name), wanted.kind, salts_of(table, recipe), bits,
        lambda salt: Filler(key + salt.encode(), hashes, bits), progress,
    )  # fmt: skip
    return Part(f"{wanted.name}.bits", wanted.name, "bits", "value", rows, _hardened_packed(packed, recipe))


def _record_part(table: CleanTable, recipe: Recipe, progress: Progress) -> Part:
    """The CLK: all fields of a record in one filter, each field with its own key and its share of the bits."""
    bits = recipe.settings.bits
    salts = salts_of(table, recipe)
    whole = np.zeros((table.rows, -(-bits // 8)), dtype=np.uint8)
    known = np.zeros(table.rows, dtype=np.bool_)
    for place, one in enumerate(table.fields):
        packed, rows = _filters(
            table.column(one.name), one.kind, salts, bits,
            lambda salt, name=one.name: record_filler(recipe, table.fields, name, salt),  # type: ignore[misc]
            progress.part(place / len(table.fields), (place + 1) / len(table.fields)),
        )  # fmt: skip
        present = rows >= 0
        known |= present
        if len(packed):
            whole |= np.where(present[:, None], packed[rows], np.uint8(0))
    # where nothing is known of a record it is never linked
    numbers = np.where(known, np.arange(table.rows), -1).astype(np.int32)
    return Part("record", "", "bits", "value", numbers, _hardened_packed(whole, recipe))


def _filters(
    column: Column, kind: FieldKind, salts: list[str] | None, bits: int, filler_of: Callable[[str], Filler],
    progress: Progress,
) -> tuple[Bytes, np.ndarray[tuple[int], np.dtype[np.int32]]]:  # fmt: skip
    """A packed filter for each distinct value (under each salt), and which of them each row has; -1 where missing."""
    keyed, rows = salted(column.codes, salts)
    fillers: dict[str, Filler] = {}
    packed = np.zeros((len(keyed), -(-bits // 8)), dtype=np.uint8)
    filled = np.zeros(bits, dtype=np.bool_)
    for place, (code, salt) in enumerate(keyed):
        if place % REPORT_EVERY == 0:
            progress.at(place / len(keyed))
        filler = fillers.get(salt)
        if filler is None:
            filler = fillers[salt] = filler_of(salt)
        filled[:] = False
        for piece in qgrams.pieces(str(column.values[code]), kind):
            filled[filler.places(piece)] = True
        packed[place] = np.packbits(filled)
    return packed, rows


def record_filler(recipe: Recipe, fields: tuple[Field, ...], name: str, salt: str) -> Filler:
    """How a field of a record with these fields and that salt fills the record's bits."""
    bits = recipe.settings.bits
    total = sum(qgrams.TYPICAL_PIECES[one.kind] for one in fields)
    key = derive(recipe.secret, f"bloom/record/{name}") + salt.encode()
    return Filler(key, hashes_per_piece(max(total, 1), bits), bits)


def salts_of(table: CleanTable, recipe: Recipe) -> list[str] | None:
    """Per record, the value of the agreed stable field: filters of different salts cannot be compared at all."""
    name = recipe.settings.salt_field
    return table.column(name).cells() if name else None


def salted(
    codes: np.ndarray[tuple[int], np.dtype[np.int32]], salts: list[str] | None
) -> tuple[list[tuple[int, str]], np.ndarray[tuple[int], np.dtype[np.int32]]]:
    """The distinct (value, salt) pairs, and which of them each row has."""
    if salts is None:
        used, back = np.unique(codes, return_inverse=True)
        missing = int(used.size > 0 and used[0] < 0)
        return [(code, "") for code in used[missing:].tolist()], (back.reshape(-1) - missing).astype(np.int32)
    seen: dict[tuple[int, str], int] = {}
    rows = np.full(len(codes), -1, dtype=np.int32)
    for row, code in enumerate(codes.tolist()):
        if code >= 0:
            rows[row] = seen.setdefault((code, salts[row]), len(seen))
    return list(seen), rows


def _hardened_packed(packed: Bytes, recipe: Recipe) -> Bytes:
    if not recipe.settings.fold and not recipe.settings.balanced:
        return packed
    bits = recipe.settings.bits
    blocks = [packed[start : start + BLOCK] for start in range(0, max(len(packed), 1), BLOCK)]
    return np.concatenate([hardened(np.unpackbits(one, axis=1, count=bits).astype(np.bool_), recipe) for one in blocks])


def hardened(filled: np.ndarray[tuple[int, int], np.dtype[np.bool_]], recipe: Recipe) -> Bytes:
    """XOR-folding (Schnell and Borgs 2016a) and balancing (Schnell and Borgs 2016b), then packed."""
    for _ in range(recipe.settings.fold):
        half = filled.shape[1] // 2
        filled = filled[:, :half] ^ filled[:, half:]
    if recipe.settings.balanced:
        order = _permutation(derive(recipe.secret, "bloom/balanced"), 2 * filled.shape[1])
        filled = np.concatenate([filled, ~filled], axis=1)[:, order]
    return np.packbits(filled, axis=1)


def unbalanced(bits: npt.NDArray[np.uint8], recipe: Recipe) -> npt.NDArray[np.uint8]:
    """Balancing undone by whoever holds the secret: the bits before their complements were mixed in."""
    if not recipe.settings.balanced:
        return bits
    width = recipe.settings.bits >> recipe.settings.fold
    back = np.argsort(_permutation(derive(recipe.secret, "bloom/balanced"), 2 * width))
    plain: npt.NDArray[np.uint8] = bits[:, : 2 * width][:, back][:, :width]
    return plain


def _permutation(key: bytes, size: int) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
    """A keyed order of the bits, the same on every machine."""
    marks = [hmac.digest(key, place.to_bytes(4, "little"), hashlib.sha256) for place in range(size)]
    return np.array(sorted(range(size), key=marks.__getitem__), dtype=np.intp)


# Which bits of a record's Bloom filter each field decides: those that no other field sets.


@dataclass(frozen=True, eq=False)
class Places:
    """One field: row -> value (-1: missing), value v -> pieces starts[v] .. starts[v + 1], piece -> bits."""

    rows: npt.NDArray[np.int32]
    starts: npt.NDArray[np.int64]
    piece: npt.NDArray[np.int32]
    bits: npt.NDArray[np.int32]  # [pieces, hashes]


@dataclass(frozen=True, eq=False)
class BloomFields:
    names: tuple[str, ...]
    fields: tuple[Places, ...]
    recipe: Recipe

    def decided(self, rows: npt.NDArray[np.int64]) -> Decided:
        from pprl_desktop.codes.signatures import set_bits

        filled = np.zeros((len(self.fields), len(rows), self.recipe.settings.bits), np.bool_)
        for place, one in enumerate(self.fields):
            if len(one.bits):
                set_bits(one.rows[rows], one.starts, one.piece, one.bits, filled[place])
        setters = filled.sum(axis=0, dtype=np.uint8)
        code = hardened(setters > 0, self.recipe)
        bits = [code ^ hardened(setters > mine, self.recipe) for mine in filled]  # code without the field
        return Decided(code, np.stack(bits), np.stack([one.rows[rows] < 0 for one in self.fields], axis=1))


def bloom_fields(table: CleanTable, recipe: Recipe, progress: Progress) -> BloomFields:
    salts = salts_of(table, recipe)
    made = []
    for number, wanted in enumerate(table.fields):
        share = progress.part(number / len(table.fields), (number + 1) / len(table.fields))
        column = table.column(wanted.name)
        keyed, rows = salted(column.codes, salts)
        fillers: dict[str, Filler] = {}
        known: dict[tuple[str, str], int] = {}
        bits: list[npt.NDArray[np.intp]] = []
        starts, piece = [0], []
        for place, (code, salt) in enumerate(keyed):
            if place % REPORT_EVERY == 0:
                share.at(place / len(keyed))
            if salt not in fillers:
                fillers[salt] = record_filler(recipe, table.fields, wanted.name, salt)
            for each in qgrams.pieces(str(column.values[code]), wanted.kind):
                at = known.setdefault((salt, each), len(known))
                if at == len(bits):
                    bits.append(fillers[salt].places(each))
                piece.append(at)
            starts.append(len(piece))
        stacked = np.stack(bits).astype(np.int32) if bits else np.zeros((0, 1), np.int32)
        made.append(Places(rows, np.array(starts, np.int64), np.array(piece, np.int32), stacked))
    return BloomFields(tuple(one.name for one in table.fields), tuple(made), recipe)


METHOD = Bloom()
