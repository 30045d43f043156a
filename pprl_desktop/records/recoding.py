"""Telephone numbers and streets made alike: steps of cleaning that are declared like the others.

+49 171 555 01 23 and 0171/5550123 ring at the same place; 12 Main Street and Main St. 12 are the same door.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

DIGITS = 8  # at the end of a telephone number: what precedes them is the country, and a zero or none
FEWEST = 5  # fewer are an extension, or no number at all

_NUMBER = re.compile(r"\d+[A-Z]?")  # of a house: 12, 12A

# Words of addresses as postal services shorten them, the short form first. Two words may have one short form: it is
# compared and never written anywhere.
_SHORT = {
    word: short
    for short, *words in map(
        str.split,
        (
            "ST STREET SAINT SAINTE", "AV AVENUE AVE AVENIDA AVDA", "RD ROAD", "DR DRIVE", "LN LANE", "CT COURT",
            "PL PLACE PLATZ", "BD BOULEVARD BLVD BOUL", "CIR CIRCLE", "HWY HIGHWAY", "PKWY PARKWAY", "TER TERRACE TERR",
            "SQ SQUARE", "TRL TRAIL", "CRES CRESCENT CR", "CL CLOSE", "GDNS GARDENS", "GR GROVE", "APT APARTMENT",
            "N NORTH", "S SOUTH", "E EAST", "W WEST", "C CALLE", "PZA PLAZA PIAZZA", "CH CHEMIN", "STR STRASSE STRAAT",
        ),
    )
    for word in words
}  # fmt: skip
_JOINED = re.compile(r"(?<=.)STR(?:ASSE|AAT)$")  # Hauptstrasse and Hauptstr.


def phones(texts: Iterable[str]) -> list[str]:
    """The last digits of each; '' of what is no number, or one digit again and again."""
    made = []
    for text in texts:
        digits = "".join(sign for sign in text if sign.isdecimal())
        kept = digits[-DIGITS:] if len(digits) >= DIGITS else digits.lstrip("0")
        made.append(kept if len(kept) >= FEWEST and len(set(kept)) > 1 else "")
    return made


def streets(texts: Iterable[str]) -> list[str]:
    """House numbers behind the street, whatever the country's way, and its usual words in their short form."""
    made = []
    for text in texts:
        words = [_SHORT.get(word) or _JOINED.sub("STR", word) for word in text.split(" ")]
        ahead = next((at for at, word in enumerate(words) if not _NUMBER.fullmatch(word)), len(words))
        made.append(" ".join((*words[ahead:], *words[:ahead])))
    return made
