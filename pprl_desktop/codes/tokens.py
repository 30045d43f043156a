"""Keyed tokens: equality, initials, words, other forms of a name and swapped dates, and nothing else of a value.

A token is 8 bytes of an HMAC under a key derived from the shared secret. Fields of one kind share one key, so a value
can be recognised in another field of that kind (a maiden name that is now a middle name). Who holds the secret can try
values out, and equal values can be counted: the attack rehearsal shows what that gives away. With noise there are no
tokens at all, because equality would undo the noise.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable

import numpy as np

from pprl_desktop.codes.base import Bytes, Part, Recipe, derive
from pprl_desktop.compute.attended import looking
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.records.fields import Field
from pprl_desktop.records.table import CleanTable, Column
from pprl_desktop.reference import variants

TOKEN_BYTES = 8
WORDS = 3  # words of one value that get a token of their own
NAME_LIKE = ("name",)  # kinds with initials
WORDY = ("name",)  # kinds whose words are compared alone
MIN_WORD = 3  # letters: shorter words (DE, ST, JR) are shared by strangers

# role -> what is hashed; "equal", "swapped", "next" and the words share the key of the kind, so they can be compared
EQUAL, INITIAL, SINGLE, SWAPPED, NEXT = "equal", "initial", "single", "swapped", "next"
WORD_ROLES = tuple(f"word{place + 1}" for place in range(WORDS))
VARIANT_ROLES = tuple(f"variant{place + 1}" for place in range(variants.MOST))  # groups of names that are one name


def beside_fields(
    table: CleanTable,
    recipe: Recipe,
    part_of: Callable[[CleanTable, Field, Recipe, Progress], Part],
    progress: Progress = NO_PROGRESS,
) -> tuple[Part, ...]:
    """A part for each field, made by `part_of`, and the token parts after them."""
    made: list[Part] = []
    for place, wanted in enumerate(table.fields):
        share = progress.part(0.9 * place / len(table.fields), 0.9 * (place + 1) / len(table.fields))
        made.append(part_of(table, wanted, recipe, share))
    return (*made, *parts(table, recipe, progress.part(0.9, 1.0)))


def parts(table: CleanTable, recipe: Recipe, progress: Progress = NO_PROGRESS) -> tuple[Part, ...]:
    """All token parts of a table; none when the agreement asks for noise."""
    if recipe.settings.epsilon is not None:
        return ()
    made: list[Part] = []
    for place, (field, column) in enumerate(zip(table.fields, table.columns, strict=True)):
        share = progress.part(place / len(table.fields), (place + 1) / len(table.fields))
        made += field_parts(field, column, recipe.secret, share)
    return tuple(made)


def field_parts(field: Field, column: Column, secret: bytes, progress: Progress = NO_PROGRESS) -> list[Part]:
    still = progress.part(1.0, 1.0)  # the bar stands, Cancel works
    key = derive(secret, f"token/{field.kind}")
    made = [_part(field, EQUAL, column, lambda value: value, key, progress)]
    if field.kind in NAME_LIKE:
        letter = derive(secret, "token/initial")
        made.append(_part(field, INITIAL, column, initial, letter, still))
        made.append(_part(field, SINGLE, column, _alone, letter, still))
    if field.kind in WORDY:
        for place, role in enumerate(WORD_ROLES):
            made.append(_part(field, role, column, _word(place), key, still))
    if field.kind in NAME_LIKE:
        forms = derive(secret, f"token/variant/{variants.VERSION}")
        for place, role in enumerate(VARIANT_ROLES):
            made.append(_part(field, role, column, _variant(place), forms, still))
    if field.kind == "date":
        made.append(_part(field, SWAPPED, column, swapped_date, key, still))
    if field.kind in ("number", "date"):
        made.append(_part(field, NEXT, column, next_number, key, still))
    # a part in which nobody has a token says nothing and costs room
    return [part for part in made if part.role == EQUAL or (part.rows >= 0).any()]


def initial(value: str) -> str:
    return value[:1]


def is_initial(value: str) -> bool:
    return len(value.replace(".", "").strip()) == 1


def _alone(value: str) -> str:
    return initial(value) if is_initial(value) else ""


def words(value: str) -> list[str]:
    """The words of a value of several words, in order; a single word is the value itself and needs no token."""
    found = value.replace("-", " ").split()
    return [word for word in found if len(word) >= MIN_WORD][:WORDS] if len(found) > 1 else []


def swapped_date(value: str) -> str:
    """The date with day and month exchanged, in the same form; '' where that is no other date."""
    places = [place for place, sign in enumerate(value) if sign.isdigit()]
    if len(places) != 8:
        return ""
    digits = [value[place] for place in places]
    month, day = "".join(digits[4:6]), "".join(digits[6:8])
    if month == day or not 1 <= int(day) <= 12 or not 1 <= int(month) <= 12:
        return ""
    signs = list(value)
    for place, sign in zip(places[4:8], day + month, strict=True):
        signs[place] = sign
    return "".join(signs)


def next_number(value: str) -> str:
    """A whole number plus one (a year of birth worked out from an age is often off by one)."""
    return str(int(value) + 1) if value.isascii() and value.isdigit() and len(value) < 8 else ""


def _word(place: int) -> Callable[[str], str]:
    def take(value: str) -> str:
        found = words(value)
        return found[place] if place < len(found) else ""

    return take


def _variant(place: int) -> Callable[[str], str]:
    def take(value: str) -> str:
        found = variants.groups_of(value)
        return found[place] if place < len(found) else ""

    return take


def _part(field: Field, role: str, column: Column, text: Callable[[str], str], key: bytes, progress: Progress) -> Part:
    """Tokens of the distinct texts of a column; a value with an empty text is missing in this part."""
    still = progress.part(1.0, 1.0)
    seen: dict[str, int] = {}
    index = np.full(len(column.values) + 1, -1, dtype=np.int32)  # the last entry serves the missing code -1
    for code, value in enumerate(looking(column.values, progress)):
        shown = text(str(value))
        if shown:
            index[code] = seen.setdefault(shown, len(seen))
    values = np.zeros((len(seen), TOKEN_BYTES), dtype=np.uint8)
    for place, shown in enumerate(looking(list(seen), still)):
        values[place] = token(key, shown)
    return Part(f"{field.name}.{role}", field.name, "token", role, index[column.codes], values)


def token(key: bytes, text: str) -> Bytes:
    digest = hmac.digest(key, text.encode("utf-8"), hashlib.sha256)
    return np.frombuffer(digest[:TOKEN_BYTES], dtype=np.uint8)


def as_numbers(values: Bytes) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    """Tokens as one number each, for joins."""
    return np.ascontiguousarray(values).view(np.uint64).reshape(-1)
