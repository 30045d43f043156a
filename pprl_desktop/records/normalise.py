"""The text steps of cleaning: Unicode form, blanks, case, diacritics, punctuation, titles and particles.

Every step is deterministic, independent of the machine's language, and idempotent as a whole: cleaning what was
cleaned changes nothing. Values in Latin letters, the great majority here, are cleaned thousands at a time as one
long string.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache

from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.records.fields import Cleaning

BLOCK = 8_000  # values between two looks at the Cancel button
# Up to here no character acts on its neighbours (combining marks, jamo), so each can be cleaned by itself.
_BEYOND = re.compile("[^\\x00-\u02ff]")
ROUNDS = 8  # two are enough for real names; more only for pathological Unicode

TITLES = frozenset(
    "DR DRS DRMED PROF PROFESSOR MR MRS MS MISS MX SIR DAME REV HERR FRAU HR MED PHIL RER NAT IUR JUR "
    "DIPL ING MAG BSC MSC PHD MD DDS ESQ JR SR JUNIOR SENIOR II III IV DOKTOR DOCTOR MADAME MME MLLE SRA".split()
)
PARTICLES = frozenset(
    "VON VOM VAN DER DEN DEM DE DES DU D DI DA DO DOS DAS DEL DELLA DELLE DALLA DELLO DEGLI LA LE LAS LOS LO "
    "TEN TER TE ZU ZUM ZUR AF AV AL EL BIN BINT IBN UND T".split()
)

# Letters that Unicode does not decompose into a base letter and a mark.
_PLAIN = {
    "Ł": "L", "ł": "l", "Ø": "O", "ø": "o", "Đ": "D", "đ": "d", "Ð": "D", "ð": "d", "Ħ": "H", "ħ": "h", "Ŧ": "T",
    "ŧ": "t", "ı": "i", "Æ": "AE", "æ": "ae", "Œ": "OE", "œ": "oe", "Þ": "TH", "þ": "th", "ß": "ss", "ẞ": "SS",
    "Ŋ": "N", "ŋ": "n", "ĸ": "k", "Ə": "A", "ə": "a",
}  # fmt: skip
# As clerks write them when the keyboard lacks them (German, Danish, Swedish, Norwegian).
_WRITTEN_OUT = {
    "Ä": "AE", "ä": "ae", "Ö": "OE", "ö": "oe", "Ü": "UE", "ü": "ue", "Ø": "OE", "ø": "oe", "Å": "AA", "å": "aa",
}  # fmt: skip
# Accents typed instead of an apostrophe (O´Brien), and the typographic apostrophes.
_APOSTROPHES = "'`´ʹʻʼʽʾʿˈ‘’‛′＇"


class _ByCategory(dict[int, str | None]):
    """A table for str.translate that works out each character once."""

    def __init__(self, rule: Callable[[str], str | None]) -> None:
        super().__init__()
        self._rule = rule

    def __missing__(self, code: int) -> str | None:
        self[code] = made = self._rule(chr(code))
        return made


def _blank_or_nothing(char: str) -> str | None:
    """Odd blanks become a blank; zero-width characters, soft hyphens and half surrogates vanish."""
    if char.isspace() or unicodedata.category(char).startswith("Z"):
        return " "
    if unicodedata.category(char) in ("Cc", "Cf", "Cs"):
        return None
    return "'" if char in _APOSTROPHES else char


def _is_mark(char: str) -> bool:
    """Accents of Latin, Greek and Cyrillic letters. Vowel signs of other scripts are letters and stay."""
    code = ord(char)
    return 0x300 <= code <= 0x36F or 0x1AB0 <= code <= 0x1AFF or 0x1DC0 <= code <= 0x1DFF or 0x20D0 <= code <= 0x20FF


_BLANKS = _ByCategory(_blank_or_nothing)
_MARKS = _ByCategory(lambda char: None if _is_mark(char) else _PLAIN.get(char, char))
_WRITTEN = _ByCategory(lambda char: _WRITTEN_OUT.get(char, char))


def _is_punctuation(char: str) -> bool:
    return unicodedata.category(char)[0] in "PS"


# "space": an apostrophe joins (O'Brien, OBrien), everything else parts (Meyer-Lang, Meyer Lang)
_SPACED = _ByCategory(lambda char: char if not _is_punctuation(char) else None if char == "'" else " ")
_REMOVED = _ByCategory(lambda char: None if _is_punctuation(char) else char)


def tidy(text: str) -> str:
    """Odd blanks, zero-width characters and blanks at the ends: what nobody sees on a screen."""
    return " ".join(text.translate(_BLANKS).split())


def normalise(values: Sequence[str], cleaning: Cleaning, progress: Progress = NO_PROGRESS) -> list[str]:
    """Each value after the text steps of its cleaning (all but missing words and the parsing of dates and numbers)."""
    made: list[str] = []
    for start in range(0, len(values), BLOCK):
        progress.at(start / len(values))
        made += _block(values[start : start + BLOCK], cleaning)
    return made


def _block(values: Sequence[str], cleaning: Cleaning) -> list[str]:
    """ASCII values together (str.translate is quickest there), other Latin ones together, the rest one by one."""
    made: list[str] = list(values)
    if "".join(made).isascii():
        return _together(made, cleaning)
    plain = [index for index, value in enumerate(values) if value.isascii()]
    others = [index for index, value in enumerate(values) if not value.isascii()]
    latin = [index for index in others if not _BEYOND.search(values[index])]
    for group in (plain, latin):
        cleaned = _together([values[index] for index in group], cleaning) if group else []
        for index, text in zip(group, cleaned, strict=True):
            made[index] = text
    for index in set(others).difference(latin):
        made[index] = one(values[index], cleaning)
    return made


def _together(values: Sequence[str], cleaning: Cleaning) -> list[str]:
    joined = "\n".join(values)
    if joined.count("\n") != len(values) - 1:  # line breaks inside values
        joined = "\n".join([value.replace("\n", " ") for value in values])
    joined = joined.translate(_letters(cleaning))
    while "  " in joined:
        joined = joined.replace("  ", " ")
    made = joined.replace(" \n", "\n").replace("\n ", "\n").strip(" ").split("\n")
    return _without_words(made, cleaning)


@lru_cache
def _letters(cleaning: Cleaning) -> _ByCategory:
    """All character steps of one cleaning as one table; the line feed between values is left alone."""
    plain = replace(cleaning, drop_titles=False, drop_particles=False)

    def rule(char: str) -> str | None:
        """What becomes of the character between two letters: there blanks are not trimmed."""
        return one(f"x{char}x", plain)[1:-1] or None

    table = _ByCategory(rule)
    table[ord("\n")] = "\n"
    return table


def _punctuation(text: str, cleaning: Cleaning) -> str:
    if cleaning.punctuation == "space":
        return text.translate(_SPACED)
    if cleaning.punctuation == "remove":
        return text.translate(_REMOVED)
    return text


def one(text: str, cleaning: Cleaning) -> str:
    """One value, any script. Repeats until nothing changes, so the result is a fixed point."""
    for _ in range(ROUNDS):
        before, text = text, _once(text, cleaning)
        if text == before:
            break
    return text


def _once(text: str, cleaning: Cleaning) -> str:
    form = cleaning.unicode
    text = unicodedata.normalize(form, text.translate(_BLANKS)).translate(_BLANKS)
    if cleaning.case == "upper":  # folding first makes ẞ/ß/SS and the two sigmas alike, upper makes ı/I alike
        text = unicodedata.normalize(form, text.casefold().upper())
    if cleaning.diacritics == "transliterate":
        text = text.translate(_WRITTEN)
    if cleaning.diacritics != "keep":
        text = unicodedata.normalize("NFD", text).translate(_MARKS)
    text = unicodedata.normalize(form, text)
    text = _punctuation(text, cleaning)
    return _without_words([" ".join(text.split())], cleaning)[0]


def _without_words(values: list[str], cleaning: Cleaning) -> list[str]:
    if not (cleaning.drop_titles or cleaning.drop_particles):
        return values
    return [_drop(value, cleaning) if " " in value else value for value in values]


def _drop(value: str, cleaning: Cleaning) -> str:
    words = value.split(" ")
    while True:
        before = len(words)
        if cleaning.drop_titles:
            words = _without_titles(words)
        if cleaning.drop_particles:  # a name that consists of particles only stays as it is
            words = [word for word in words if _bare(word) not in PARTICLES] or words
        if len(words) == before:
            return " ".join(words)


def _without_titles(words: list[str]) -> list[str]:
    while len(words) > 1 and _bare(words[0]) in TITLES:
        words = words[1:]
    while len(words) > 1 and _bare(words[-1]) in TITLES:
        words = words[:-1]
    return words


def _bare(word: str) -> str:
    return word.upper().strip(".,'")
