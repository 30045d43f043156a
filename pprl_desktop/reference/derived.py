"""Reference values made from a secret: strings nobody else can have, and digit strings for dates and numbers."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable, Iterator

from pprl_desktop.problem import Problem
from pprl_desktop.reference.sets import ReferenceSet
from pprl_desktop.said import Said

SMALLEST, LARGEST = 20, 20_000  # records
SHORTEST_SECRET = 16  # bytes: below that a reference set could be guessed
DIGITS = "digits"  # the attribute that dates, ids and numbers are measured against
PUBLIC_SEED = b"pprl-desktop public reference digits v1"

# Onset, vowel and coda of a syllable: pronounceable in many languages, so lengths and letters are like those of names.
ONSETS = "B C D F G H J K L M N P R S T V W Z BR CH CL DR FR GR KR PH PL SH SL ST TH TR".split()
VOWELS = "A E I O U A E I O Y AI EA IE OU".split()
CODAS = ["", "", "", "", *"L M N R S T CK LD LL ND NN NS RD RT SH TH".split()]


def keyed_draws(secret: bytes, purpose: str) -> Callable[[int], int]:
    """A function below(n) that gives the next number of a row, uniform to 2^-40, from HMAC-SHA-256 in counter mode."""
    numbers = _numbers(secret, purpose)
    return lambda n: next(numbers) % n


def _numbers(secret: bytes, purpose: str) -> Iterator[int]:
    counter = 0
    while True:
        block = hmac.new(secret, f"{purpose}:{counter}".encode(), hashlib.sha256).digest()
        counter += 1
        for start in range(0, 32, 8):
            yield int.from_bytes(block[start : start + 8], "big")


def words(secret: bytes, purpose: str, size: int) -> tuple[str, ...]:
    """Distinct pronounceable words of one to four syllables."""
    below = keyed_draws(secret, f"pprl-reference/words/{purpose}")
    made: dict[str, None] = {}
    while len(made) < size:
        syllables = 2 + (below(8) >= 5) + (below(16) == 0)
        word = ""
        for _ in range(syllables):
            word += ONSETS[below(len(ONSETS))] + VOWELS[below(len(VOWELS))]
        made[word + CODAS[below(len(CODAS))]] = None
    return tuple(made)


def digits(secret: bytes, size: int) -> tuple[str, ...]:
    """Distinct digit strings; without a secret a fixed public row.

    Half look like a date (YYYYMMDD) and the rest like years, postcodes and numbers of other lengths, because the
    edit distance of "19560312" to a name is the same for every date and says nothing.
    """
    below = keyed_draws(secret or PUBLIC_SEED, "pprl-reference/digits")
    made: dict[str, None] = {}
    while len(made) < size:
        if len(made) % 2 == 0:
            text = f"{1920 + below(100):04}{1 + below(12):02}{1 + below(28):02}"
        else:
            length = (4, 5, 6, 8, 9, 10)[below(6)]
            text = "".join(str(below(10)) for _ in range(length))
        made[text] = None
    return tuple(made)


def from_secret(secret: bytes, size: int = 200) -> ReferenceSet:
    """First, last and digits, all from the shared secret."""
    if not SMALLEST <= size <= LARGEST:
        raise Problem(
            Said("A reference set of {size} records cannot be made.", size=size),
            Said("Between {smallest} and {largest} are possible.", smallest=SMALLEST, largest=LARGEST),
            "Choose another size, for example secret-200.",
            place="reference",
        )
    if len(secret) < SHORTEST_SECRET:
        raise Problem(
            "The reference set needs the shared secret.",
            "It is derived from it, so nobody else can have the same set.",
            "Make the shared secret in the agreement first, or choose a built-in reference set.",
            place="reference",
        )
    columns = (words(secret, "first", size), words(secret, "last", size), digits(secret, size))
    return ReferenceSet(f"secret-{size}", ("first", "last", DIGITS), columns)
