"""Variants of a field's value, each at a fixed place: what two records are compared by once a key has opened them.

From tokens of these variants and from the clear texts the same levels follow, because both only ask which are equal.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from pprl_desktop.codes.keys.atoms import FORMS, SLIP, SOUND
from pprl_desktop.records.fields import Field, FieldKind
from pprl_desktop.records.table import CleanTable

WHOLE, WORDS, NEXT = "whole", "words", "one more or less"
TURNED = "day and month in any order"
DIGEST = 16  # bytes of a hashed variant
ABSENT, PRESENT, LETTER = 0, 1, 2  # status of a field: missing, there, there as a single letter

# kind -> (form, places), the closest agreement first; a form with several places agrees if any two are equal
LAYOUT: dict[FieldKind, tuple[tuple[str, int], ...]] = {
    "name": ((WHOLE, 1), (SLIP, 12), (SOUND, 1), ("first 3", 1), ("last 3", 1), ("initial", 1)),
    "date": (
        (WHOLE, 1), (TURNED, 1), ("month and day", 1), ("year and month", 1), ("year and day", 1), ("year", 1),
    ),
    "number": ((WHOLE, 1), (NEXT, 2)),
    "id": ((WHOLE, 1), (SLIP, 10), ("first 3", 1)),
    "text": ((WHOLE, 1), (WORDS, 3), ("first 4", 1)),
    "category": ((WHOLE, 1),),
}  # fmt: skip

Marks = npt.NDArray[np.uint64]  # one number per place, 0: nothing there


def places(kind: FieldKind) -> int:
    return sum(count for _, count in LAYOUT[kind])


def variants(kind: FieldKind, value: str) -> list[tuple[str, str]]:
    """(form, text) at every place of this value; an empty text where there is nothing."""
    made: list[tuple[str, str]] = []
    for form, count in LAYOUT[kind]:
        if form == WORDS:
            texts = sorted({word for word in value.split(" ") if len(word) > 2}, key=lambda word: (-len(word), word))
        else:
            texts = [text for text in FORMS[kind][form](value) if text]
        if len(texts) > count and form == SLIP:  # those that a spelling one slip away would keep too, if it can
            texts = sorted(texts, key=lambda text: hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest())
        texts = texts[:count]
        made += [(form, text) for text in texts] + [(form, "")] * (count - len(texts))
    return made


def group_of(one: Field) -> str:
    """Fields whose values can be compared with each other: all names are one group, any other field is its own."""
    return "names" if one.kind == "name" else one.name


def groups_of(fields: tuple[Field, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(group_of(one) for one in fields))


@dataclass(frozen=True, eq=False)
class Variants:
    """The variants of a table's distinct values by group: every (form, text) once, and where each value has them.

    Texts stand here as hashes: a million records have millions of variants, and as words they would fill the memory.
    """

    group: str
    digests: npt.NDArray[np.uint8] = field(repr=False)  # [variants, DIGEST]: form and text, hashed
    places: dict[str, npt.NDArray[np.int32]] = field(repr=False)  # field -> [values, places] into digests, -1: nothing

    def __len__(self) -> int:
        return len(self.digests)


def variants_of(table: CleanTable, group: str) -> Variants:
    hashed, where = [np.zeros((0, DIGEST), np.uint8)], []
    for one, column in zip(table.fields, table.columns, strict=True):
        if group_of(one) != group:
            continue
        there = np.zeros((len(column.values), places(one.kind)), dtype=np.bool_)
        joined = bytearray()
        for code in np.flatnonzero(column.counts() > 0).tolist():
            for place, (form, text) in enumerate(variants(one.kind, str(column.values[code]))):
                if text:
                    there[code, place] = True
                    joined += hashlib.sha256(f"{form}\0{text}".encode("utf-8", "surrogatepass")).digest()[:DIGEST]
        hashed.append(np.frombuffer(bytes(joined), np.uint8).reshape(-1, DIGEST))
        where.append((one.name, there))
    found, of_text = np.unique(np.concatenate(hashed).view(f"V{DIGEST}").reshape(-1), return_inverse=True)
    made: dict[str, npt.NDArray[np.int32]] = {}
    done = 0
    for name, there in where:
        at = np.full(there.shape, -1, dtype=np.int32)
        count = int(there.sum())
        at[there] = of_text[done : done + count]
        made[name], done = at, done + count
    return Variants(group, found.view(np.uint8).reshape(-1, DIGEST), made)


def status_of(table: CleanTable) -> npt.NDArray[np.uint8]:
    """[rows, fields]: missing, there, or a single letter."""
    made = np.zeros((table.rows, len(table.fields)), dtype=np.uint8)
    for place, (one, column) in enumerate(zip(table.fields, table.columns, strict=True)):
        kinds = [LETTER if one.kind == "name" and len(str(value)) == 1 else PRESENT for value in column.values]
        made[:, place] = np.array([*kinds, ABSENT], dtype=np.uint8)[column.codes]
    return made


def clear_marks(table: CleanTable) -> dict[str, Marks]:
    """Field -> [values, places]: the variants of the clear values as numbers, equal exactly where the texts are."""
    made: dict[str, Marks] = {}
    for group in groups_of(table.fields):
        found = variants_of(table, group)
        for name, at in found.places.items():
            made[name] = (at + 1).astype(np.uint64)
    return made
