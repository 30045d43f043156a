"""Strict canonical JSON (objects, lists, strings, 64-bit integers) and typed access to what it holds.

Everything signed or hashed is written in exactly one way: UTF-8, sorted keys, no spaces, no floats, no
booleans, no null. A text that reads back as anything but itself is refused, which rules out duplicate keys, NaN,
odd escapes and lone surrogates at once. A text is one line of characters that show: what could move a terminal's
cursor, turn the direction of writing or stand there unseen is refused at this door.
"""

from __future__ import annotations

import json
import re
import unicodedata
from typing import Any, NoReturn

from pprl_desktop.exchange import refusals
from pprl_desktop.said import Said

MAX_INTEGER = (1 << 63) - 1
MAX_DIGITS = 19

Plain = dict[str, Any]

_HEX = re.compile(r"[0-9a-f]*")


def dumps(value: object) -> bytes:
    _only_plain(value)
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False).encode()


def loads(data: bytes, what: str = "manifest") -> Plain:
    """The object in `data`, or a Problem that names what is wrong. `what` is the place of faults of the text itself."""

    def pairs(items: list[tuple[str, Any]]) -> Plain:
        found: Plain = {}
        for key, value in items:
            if key in found:
                raise refusals.malformed(what, "A key stands in it twice.")
            found[key] = value
        return found

    def no_float(_: str) -> NoReturn:
        raise refusals.malformed(what, "It holds a number that is not a whole number.")

    def integer(digits: str) -> int:
        if len(digits.lstrip("-")) > MAX_DIGITS or abs(int(digits)) > MAX_INTEGER:
            raise refusals.malformed(what, "It holds a number that is too large.")
        return int(digits)

    try:
        text = data.decode("utf-8")
        value = json.loads(
            text, object_pairs_hook=pairs, parse_float=no_float, parse_int=integer, parse_constant=no_float
        )
        same = isinstance(value, dict) and dumps(value) == data
    except (ValueError, TypeError, RecursionError) as error:
        raise refusals.malformed(what, "It is not the strict JSON of this program.") from error
    if not same:
        raise refusals.malformed(what, "It is not the strict JSON of this program.")
    assert isinstance(value, dict)
    return value


def _only_plain(value: object) -> None:
    if isinstance(value, dict):
        for key, item in value.items():
            if not isinstance(key, str):
                raise TypeError("keys are strings")
            _only_plain(item)
    elif isinstance(value, list | tuple):
        for item in value:
            _only_plain(item)
    elif isinstance(value, bool) or not isinstance(value, str | int):
        raise TypeError(f"{type(value).__name__} has no place in a signed document")


def text(plain: Plain, key: str, *, place: str = "", longest: int = 200) -> str:
    """One line that shows as what it is."""
    value = any_text(plain, key, place=place, longest=longest)
    if not shows(value):
        raise refusals.malformed(place + key, "It holds a character that does not show or breaks the line.")
    return value


def lines(plain: Plain, key: str, *, place: str = "", longest: int = 200) -> str:
    """Several lines, each as strict as a text."""
    value = any_text(plain, key, place=place, longest=longest)
    if not all(map(shows, value.split("\n"))):
        raise refusals.malformed(place + key, "It holds a character that does not show.")
    return value


def any_text(plain: Plain, key: str, *, place: str = "", longest: int = 200) -> str:
    """Whatever characters: only for what was made or chosen on this computer and is read back from its own disk."""
    value = _get(plain, key, place)
    if not isinstance(value, str) or len(value) > longest:
        raise refusals.malformed(
            place + key, Said("It must be a text of at most {longest} characters.", longest=longest)
        )
    return value


# no ink although their category says letter, mark or symbol: Unicode's Default_Ignorable_Code_Point, and empty braille
_WITHOUT_INK = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)


def shows(value: str) -> bool:
    """No control, format (direction, joiner), private or unassigned character, no separator of lines or paragraphs, and
    nothing without ink: two field names must not look the same and differ."""
    if value.isascii():
        return value.isprintable()
    if _WITHOUT_INK.search(value):
        return False
    return not any(unicodedata.category(c)[0] == "C" or unicodedata.category(c) in ("Zl", "Zp") for c in value)


def one_line(value: str) -> str:
    """What a steward typed, so that it passes as a text: line breaks and tabs become spaces, the rest is dropped."""
    return " ".join("".join(c if shows(c) else " " if c.isspace() else "" for c in value).split())


def integer(plain: Plain, key: str, low: int, high: int, *, place: str = "") -> int:
    value = _get(plain, key, place)
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise refusals.malformed(
            place + key, Said("It must be a whole number from {low} to {high}.", low=low, high=high)
        )
    return value


def hexes(plain: Plain, key: str, size: int, *, place: str = "") -> str:
    """Lower-case hexadecimal of `size` bytes, kept as text."""
    value = _get(plain, key, place)
    if not isinstance(value, str) or len(value) != 2 * size or not _HEX.fullmatch(value):
        raise refusals.malformed(place + key, Said("It must be {value} hexadecimal characters.", value=2 * size))
    return value


def one_of(plain: Plain, key: str, choices: tuple[str, ...], *, place: str = "") -> str:
    value = text(plain, key, place=place)
    if value not in choices:
        raise refusals.malformed(place + key, Said("It must be one of: {choices}.", choices=", ".join(choices)))
    return value


def mapping(plain: Plain, key: str, *, place: str = "") -> Plain:
    value = _get(plain, key, place)
    if not isinstance(value, dict):
        raise refusals.malformed(place + key, "It must be a group of named values.")
    return value


def listing(plain: Plain, key: str, longest: int, *, place: str = "") -> list[Any]:
    value = _get(plain, key, place)
    if not isinstance(value, list) or len(value) > longest:
        raise refusals.malformed(place + key, Said("It must be a list of at most {longest} items.", longest=longest))
    return value


def mappings(plain: Plain, key: str, longest: int, *, place: str = "") -> list[Plain]:
    found = listing(plain, key, longest, place=place)
    if not all(isinstance(item, dict) for item in found):
        raise refusals.malformed(place + key, "Its items must be groups of named values.")
    return found


def only(plain: Plain, keys: set[str], *, place: str = "") -> None:
    """No more and no fewer keys than these."""
    for key in sorted(keys ^ plain.keys()):
        reason = Said("It is missing.") if key in keys else Said("It is not known.")
        raise refusals.malformed(place + (key if key in keys else "unknown entry"), reason)


def _get(plain: Plain, key: str, place: str) -> Any:
    if key not in plain:
        raise refusals.malformed(place + key, "It is missing.")
    return plain[key]
