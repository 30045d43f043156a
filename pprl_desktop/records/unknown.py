"""Words that stand for "unknown": which of a column's values say that there is none.

They are no evidence of what a column holds: a column of years is one of years, though every third of them reads "n/a".
What is a word here may be a name there (Null and None are surnames), so only those that cannot be one are left out by
themselves; the others are offered.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.records.distinct import factorise_texts

if TYPE_CHECKING:
    from pprl_desktop.records.table import Column

LONGEST_WORD = 14  # characters
AT_ONCE = 1 << 16  # values between two questions whether to stop
_SURELY = frozenset(
    "n/a n.a. #n/a #na unknown unk unbekannt k.a. - -- --- . ? ?? 0000-00-00 00/00/0000 00000000 inconnu "
    "desconocido sconosciuto onbekend nieznany okänd ukendt ukjent (null) <null> [null] #null!".split()
) | {"keine angabe", "not available", "not known", "not stated", "not recorded", "non renseigné", "no consta"}
_WORDS = _SURELY | frozenset("na nan null none nil missing x xx xxx 9999 99999".split())  # also surnames, codes


def is_word(text: str) -> bool:
    return len(text) <= LONGEST_WORD and text.strip().casefold() in _WORDS


def stand_ins(column: Column) -> tuple[str, ...]:
    """The values of a column that can be nothing but such a word, tidied."""
    return tuple(dict.fromkeys(str(column.values[place]).strip() for place in _at(column)))


def known(column: Column, progress: Progress = NO_PROGRESS) -> Column:
    """The column as if these were empty."""
    at = _at(column, progress)
    if not at:
        return column
    texts: list[str] = list(column.values)
    for place in at:
        texts[place] = ""
    codes, where = factorise_texts(texts)
    values = np.empty(len(where), dtype=object)
    values[:] = [texts[place] for place in where.tolist()]
    missing = np.int32(-1)  # reads the last one
    return replace(column, values=values, codes=np.append(codes, missing)[column.codes].astype(np.int32))


def _at(column: Column, progress: Progress = NO_PROGRESS) -> list[int]:
    found: list[int] = []
    for start in range(0, len(column.values), AT_ONCE):
        progress.check()
        some = enumerate(column.values[start : start + AT_ONCE].tolist(), start)
        short = ((place, text) for place, text in some if len(text) <= LONGEST_WORD)
        found += [place for place, text in short if text.strip().casefold() in _SURELY]
    return found
