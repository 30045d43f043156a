"""2,048 words made by rule, for safety numbers and printed key backups. They belong to no language.

A word is consonant, vowel, consonant, vowel, ending: BADAF. The first four sounds carry eleven bits; the ending is
a check over them, so that two words always differ in at least two sounds and one misheard sound is noticed.
"""

from __future__ import annotations

from functools import cache

from pprl_desktop.problem import Problem
from pprl_desktop.said import NOTHING, Said

_FIRST = "bdfghjklmnprstvz"  # 16
_VOWEL = "aeio"  # 4
_SECOND = "bdklmptv"  # 8
_ENDING = ("b", "d", "f", "g", "k", "l", "m", "n", "p", "r", "s", "t", "v", "x", "z", "st")  # 16

BITS = 11
COUNT = 1 << BITS


@cache
def words() -> tuple[str, ...]:
    return tuple(_word(number) for number in range(COUNT))


@cache
def _numbers() -> dict[str, int]:
    return {word: number for number, word in enumerate(words())}


def sounds(number: int) -> tuple[int, int, int, int, int]:
    a, b, c, d = number >> 7, number >> 5 & 3, number >> 2 & 7, number & 3
    # a sum modulo 16 changes with every single sound; the 2 was chosen so that no known rude word is among the 2,048
    return a, b, c, d, (a + b + c + d + 2) % 16


def _word(number: int) -> str:
    a, b, c, d, check = sounds(number)
    return _FIRST[a] + _VOWEL[b] + _SECOND[c] + _VOWEL[d] + _ENDING[check]


def encode(number: int, count: int) -> tuple[str, ...]:
    """The lowest 11 * count bits of a number, highest first."""
    return tuple(words()[number >> BITS * at & (COUNT - 1)] for at in range(count - 1, -1, -1))


def decode(text: str, count: int) -> int:
    """The number behind the words, in any case, separated by anything that is not a letter."""
    found = split(text)
    number = 0
    for at, word in enumerate(found, start=1):
        if word not in _numbers():
            raise Problem(
                Said("Word {at} is not one of the words of this program.", at=at),
                nearest(word),
                "Correct it.",
                place=f"word {at}",
            )
        number = number << BITS | _numbers()[word]
    if len(found) != count:
        what = Said("{count} words are needed, {entered} were entered.", count=count, entered=len(found))
        raise Problem(what, do="Enter all of them.", place="words")
    return number


def split(text: str) -> list[str]:
    return "".join(c if c.isalpha() else " " for c in text.lower()).split()


def nearest(word: str) -> Said:
    import difflib

    close = difflib.get_close_matches(word, words(), n=2, cutoff=0.7)
    return Said("Did you mean {words:or}?", words=close) if close else NOTHING
