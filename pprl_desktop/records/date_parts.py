"""A date in three columns: year, month and day are found together and offered as one date.

One by one they say little; as one date they tell people apart, and a slip in one part is seen for what it is. Such a
date is named by its columns, "year + month + day", wherever a column can be named.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile

import numpy as np

from pprl_desktop.records.roles import words_of
from pprl_desktop.records.table import PLUS, Column

MOST = 0.95  # share of the filled rows that must be a year, a month, a day
FILLED = 0.05  # share of the rows that must have one at all
_BIRTH = r"(?:birth|geburts|geb|geboorte|fodelse|fodsels|syntyma|dob|b)?"
_OF_BIRTH = (
    r"(?:nac|nacimiento|nais|naiss|naissance|nascita|nasc|nascimento|urodzenia|ur|of|birth|geb|gb|nar|narozeni)?"
)
_PARTS = (  # words of a heading, lowest and highest value
    (
        re.compile(
            _BIRTH + r"(?:year|jahr|jahrgang|yob|annee|ano|an|anno|jaar|ar|aar|vuosi|rok|yil|yili|год|年|yr|yyyy|yy|y|"
            r"jj|jjjj|j|aaaa)" + _OF_BIRTH
        ),
        1850,
        2100,
    ),
    (
        re.compile(
            _BIRTH
            + r"(?:month|monat|mob|mois|mes|mese|maand|manad|maned|kuukausi|miesiac|mesic|ay|ayi|месяц|月|mon|mm|"
            r"mo|mth|mnth|m)" + _OF_BIRTH
        ),
        1,
        12,
    ),
    (
        re.compile(
            _BIRTH + r"(?:day|tag|jour|dia|giorno|dag|paiva|dzien|den|gun|gunu|день|日|dd|d|tg|tt|t|jj)" + _OF_BIRTH
        ),
        1,
        31,
    ),
)


def find_parts(columns: Sequence[Column]) -> str:
    """The name of the date that three columns make up, or '' where there is none, or more than one."""
    chosen = []
    for rule, low, high in _PARTS:
        named = [one for one in columns if any(rule.fullmatch(word) for word in words_of(one.name))]
        fitting = [one for one in named if _fits(one, low, high)]
        if len(fitting) != 1:
            return ""
        chosen.append(fitting[0].name)
    return PLUS.join(chosen) if len(set(chosen)) == len(chosen) else ""


def short_name(name: str) -> str:
    """What a field on such a date is called: dob for "dob_year + dob_month + dob_day", where they share no beginning
    date. Any other column keeps its name."""
    parts = name.split(PLUS)
    same = takewhile(lambda signs: len({one.lower() for one in signs}) == 1, zip(*parts, strict=False))
    start = "".join(signs[0] for signs in same).rstrip(" _-.")
    return name if len(parts) < 2 else start if len(start) > 1 else "date"


def _fits(column: Column, low: int, high: int) -> bool:
    number = np.array([_whole(text) for text in column.values], dtype=np.int64)
    filled = np.array([bool(text.strip()) for text in column.values], dtype=bool)
    rows = column.counts()
    total = int(rows[filled].sum())
    fits = int(rows[filled & (number >= low) & (number <= high)].sum())
    return total > FILLED * len(column) and fits >= MOST * total


def _whole(text: str) -> int:
    bare = text.strip().removesuffix(".0")
    return int(bare) if bare.isascii() and bare.isdigit() and len(bare) <= 4 else -1
