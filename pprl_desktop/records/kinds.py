"""Guesses a column's kind from its values and its heading."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pprl_desktop.records import dates
from pprl_desktop.records.fields import FieldKind
from pprl_desktop.records.hints import hint, is_birth
from pprl_desktop.records.normalise import tidy
from pprl_desktop.records.roles import role
from pprl_desktop.records.table import Column
from pprl_desktop.records.unknown import known
from pprl_desktop.said import NOTHING, Said

SAMPLE = 1_000  # distinct values that a guess looks at, evenly spaced over the column
MOST = 0.9  # share of the rows that must agree for a guess
FEW_CATEGORIES = 24
FEW_SEXES = 6  # codes of a column of sexes, such as 0, 1, 2, 9 of ISO 5218
OLDEST_BIRTH, LATEST_BIRTH = 1880, 2035

_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:[.,][0-9]+)*|[.,][0-9]+)")
_WITH_DIGITS = re.compile(r".*[0-9].*")
_CODE = re.compile(r"(?=.*[0-9])[A-Za-z0-9 ./_-]+")
_PHONE = re.compile(r"[+(]?[0-9][0-9 ()./+-]{4,}")
_NAME = re.compile(r"[^\W\d_]+(?:[ '’.,-]+[^\W\d_]+)*[.]?")
_ICD = re.compile(r"[A-TV-Z][0-9][0-9A-Z](?:\.[0-9A-Z]{1,4})?")
_MONEY = re.compile(r"(?:[$€£¥] ?[0-9.,]+|[0-9.,]+ ?(?:[$€£¥]|EUR|USD|GBP|CHF))")
_SENSITIVE_WORDS = frozenset(
    "white black asian hispanic latino caucasian african indigenous catholic protestant muslim jewish hindu buddhist "
    "atheist positive negative diabetes cancer depression asthma hypertension republican democratic hiv".split()
)


@dataclass(frozen=True, eq=False)
class Sample:
    """Filled distinct values of a column, tidied, with the rows each stands for."""

    texts: list[str]
    weights: npt.NDArray[np.int64]

    @classmethod
    def of(cls, column: Column, counts: npt.NDArray[np.int64] | None = None) -> Sample:
        counts = column.counts() if counts is None else counts
        step = max(len(column.values) // SAMPLE, 1)
        texts = [tidy(text) for text in column.values[::step]]
        filled = [index for index, text in enumerate(texts) if text]
        return cls([texts[index] for index in filled], counts[::step][filled])

    def share(self, rule: re.Pattern[str]) -> float:
        return self.share_of([bool(rule.fullmatch(text)) for text in self.texts])

    def share_of(self, holds: list[bool]) -> float:
        total = int(self.weights.sum())
        return float(self.weights[np.array(holds, dtype=bool)].sum() / total) if total else 0.0


def guess_kind(column: Column) -> FieldKind:
    """The kind a steward would most likely choose; they can choose another."""
    column = known(column)
    return kind_of(column.name, Sample.of(column), len(column.values), len(column))


def kind_of(name: str, sample: Sample, distinct: int, rows: int) -> FieldKind:
    says = hint(name)
    if not sample.texts:
        return (
            "date" if says == "date" else "id" if says in ("id", "contact") else "name" if says == "person" else "text"
        )
    if _is_date(name, says, sample):
        return "date"
    numeric = sample.share(_NUMBER) >= MOST
    if numeric and role(name) == "sex" and distinct <= FEW_SEXES and max(map(len, sample.texts)) == 1:
        return "category"  # 1 and 2 name, they do not measure
    if numeric:
        return _digits(says, sample, distinct, rows)
    if says == "category" or _is_category(says, sample, distinct, rows):
        return "category"
    if says == "id" or (says not in ("person", "place", "text") and _is_code(sample)):
        return "id"
    if says in ("place", "text"):
        return "text"
    if says == "person":
        return "name"
    if role(name) == "phone" and sample.share(_PHONE) >= MOST:
        return "id"
    if says == "contact":
        return "id" if sample.share(_CODE) >= MOST else "text"
    return "name" if _is_name(sample) else "text"


def _is_date(name: str, says: str, sample: Sample) -> bool:
    if sample.share(_WITH_DIGITS) < 0.5:
        return False
    parsed = [dates.parse(text.upper(), "auto") for text in sample.texts]
    separated = [date.form == "full" and not text.isdigit() for date, text in zip(parsed, sample.texts, strict=True)]
    if sample.share_of(separated) >= 0.7:
        return True
    compact = [date.form == "full" and _lived(date.text) for date in parsed]
    if sample.share_of(compact) >= MOST and {len(text) for text in sample.texts} <= {8, 10}:
        return says not in ("id", "contact", "place")
    if says == "date" or is_birth(name):
        return (
            sample.share_of(
                [date.form != "text" and len(text) >= 4 for date, text in zip(parsed, sample.texts, strict=True)]
            )
            >= 0.5
        )
    years = [date.form == "partial" and len(date.text) == 4 and _lived(date.text) for date in parsed]
    return says == "" and sample.share_of(years) >= 0.98


def _lived(text: str) -> bool:
    return OLDEST_BIRTH <= int(text[:4]) <= LATEST_BIRTH


def _digits(says: str, sample: Sample, distinct: int, rows: int) -> FieldKind:
    """Numbers measure, ids only name: ids have one length or leading zeros."""
    if says in ("id", "contact", "place"):
        return "id"
    if says in ("number", "sensitive"):
        return "number"
    leading_zero = sample.share_of([len(t) > 1 and t[0] == "0" and t.isdigit() for t in sample.texts]) > 0.02
    lengths = {len(text) for text in sample.texts if text.isdigit()}
    whole = all(text.isdigit() for text in sample.texts)
    if leading_zero or (whole and len(lengths) == 1 and min(lengths) >= 4 and distinct > FEW_CATEGORIES):
        return "id"
    if whole and distinct == rows and rows > 1:  # a running number
        return "id"
    return "number"


def _is_category(says: str, sample: Sample, distinct: int, rows: int) -> bool:
    if says in ("person", "id", "contact", "date") or distinct > FEW_CATEGORIES:
        return False
    longest = max(len(text) for text in sample.texts)
    short = longest <= (
        3 if says == "place" else 30
    )  # codes of states are categories, towns are spelled and misspelled
    return short and rows >= 20 and distinct <= rows / 5


def _is_code(sample: Sample) -> bool:
    """Letters and digits of one length: registration numbers, not addresses."""
    if sample.share(_CODE) < MOST:
        return False
    lengths = np.array([len(text) for text in sample.texts])
    return float(np.mean(lengths == np.median(lengths))) >= 0.8


def _is_name(sample: Sample) -> bool:
    words = np.array([text.count(" ") + 1 for text in sample.texts])
    return sample.share(_NAME) >= 0.85 and float(np.average(words, weights=sample.weights)) <= 2.2


def sensitive_reason(name: str, sample: Sample, distinct: int) -> Said:
    """Why a column looks sensitive, in words for the screen; nothing if it does not."""
    if hint(name) == "sensitive":
        return Said("its heading")
    if sample.share(_ICD) >= 0.8 and any("." in text for text in sample.texts):
        return Said("values that look like diagnosis codes")
    if sample.share(_MONEY) >= 0.8:
        return Said("values that look like amounts of money")
    if distinct <= FEW_CATEGORIES and hint(name) not in ("person", "place"):
        telling = [bool(_SENSITIVE_WORDS & set(re.findall(r"\w+", text.casefold()))) for text in sample.texts]
        if sum(telling) >= 2 and sample.share_of(telling) >= 0.5:
            return Said("values that look like race, religion, party, diagnosis or test results")
    return NOTHING
