"""Dates as people write them, brought to YYYYMMDD; what day/month order a column proves, and what stays ambiguous."""

from __future__ import annotations

import datetime
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from pprl_desktop.records.fields import DayOrder
from pprl_desktop.said import Said

EARLIEST, LATEST = 1800, 2100  # years; outside it is not a date of a person
PIVOT = 30  # two-digit years: 00-29 are 2000-2029, 30-99 are 1930-1999. Fixed, so the year of the run does not matter
EXCEL_DAY_ZERO = datetime.date(1899, 12, 30)
EXCEL_SERIALS = range(10_000, 73_051)  # 1927-05-18 to 2099-12-31: other numbers are not dates of living people

Order = Literal["day-first", "month-first"]
Form = Literal["full", "partial", "serial", "text"]
Proof = Literal["day-first", "month-first", "ambiguous", ""]  # "" says nothing about the order

_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "JAN JANUARY JANUAR JAENNER JANNER JAN JÄNNER", "FEB FEBRUARY FEBRUAR FEBER",
            "MAR MARCH MRZ MAERZ MARZ MÄRZ MÄR", "APR APRIL", "MAY MAI", "JUN JUNE JUNI", "JUL JULY JULI",
            "AUG AUGUST", "SEP SEPT SEPTEMBER", "OCT OCTOBER OKT OKTOBER", "NOV NOVEMBER", "DEC DECEMBER DEZ DEZEMBER",
        ),
        start=1,
    )
    for name in names.split()
}  # fmt: skip
_NOISE = {"ST", "ND", "RD", "TH", "OF", "THE", "DEN", "AM"} | set(
    "MON MONDAY MONTAG TUE TUESDAY DIENSTAG WED WEDNESDAY MITTWOCH THU THURSDAY DONNERSTAG FRI FRIDAY FREITAG "
    "SAT SATURDAY SAMSTAG SUN SUNDAY SONNTAG MO DI MI DO FR SA SO".split()
)
_TIME = re.compile(
    r"(?:[T ]+|(?<=[0-9]),\s*)[0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]+)?)?"
    r"\s*(?:AM|PM)?\s*(?:Z|UTC|GMT|[+-][0-9]{2}:?[0-9]{2})?$"
)
_FLOAT = re.compile(r"[0-9]{4,8}\.0")
_YEAR_FIRST = re.compile(r"([0-9]{4})[-/. ]+([0-9]{1,2})(?:[-/. ]+([0-9]{1,2}))?[.]?")
_YEAR_LAST = re.compile(r"([0-9]{1,2})\s*([-/. ]+)\s*([0-9]{1,2})\s*[-/. ]+\s*([0-9]{4}|[0-9]{2})")
_MONTH_YEAR = re.compile(r"([0-9]{1,2})[-/. ]+([0-9]{4})")


class Date(NamedTuple):
    """`text` is YYYYMMDD, YYYYMM, YYYY, or the unparsed text (form "text")."""

    text: str
    form: Form
    proof: Proof = ""


def parse(text: str, order: DayOrder = "auto") -> Date:
    """`text` is cleaned already (upper case, tidy). With "auto" an ambiguous date is read day first."""
    bare = _TIME.sub("", text).strip() if ":" in text else text
    if bare.isdigit() and bare.isascii():
        return _digits(bare, order) or Date(text, "text")
    if bare.endswith(".0") and _FLOAT.fullmatch(bare):  # a year or serial that went through a spreadsheet or pandas
        return _digits(bare.split(".")[0], order) or Date(text, "text")
    made: Date | None = None
    if found := _YEAR_FIRST.fullmatch(bare):
        year, month, day = int(found[1]), int(found[2]), int(found[3] or 0)
        made = _date(year, month, day) or _date(year, day, month)
    elif found := _YEAR_LAST.fullmatch(bare):
        first, second = int(found[1]), int(found[3])
        if first > 31 and len(found[4]) == 2:  # 90/02/01
            made = _date(_century(first), second, int(found[4]))
        else:
            made = _two_numbers(first, second, _year(found[4]), order, dotted="." in found[2])
    elif found := _MONTH_YEAR.fullmatch(bare):
        made = _date(int(found[2]), int(found[1]), 0)
    elif any(char.isalpha() for char in bare):
        made = _with_month_name(bare)
    return made or Date(text, "text")


def is_real(text: str) -> bool:
    """Whether it is a day, month or year of the calendar; the 31st of February reads as a date and is none."""
    made = parse(text.strip().upper())
    if made.form != "full":
        return made.form != "text"
    try:
        datetime.date.fromisoformat(made.text)
    except ValueError:
        return False
    return True


def parse_many(texts: Sequence[str], order: DayOrder = "auto") -> list[Date]:
    """The same for many; 1990-02-01 and 19900201, by far the most frequent forms, are read all at once."""
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    made: list[Date | None] = [None] * len(texts)
    for length, places in ((10, [0, 1, 2, 3, 5, 6, 8, 9]), (8, list(range(8)))):
        rows = np.flatnonzero(lengths == length)
        data = "".join([texts[row] for row in rows.tolist()]).encode("ascii", "replace")
        letters = np.frombuffer(data, dtype=np.uint8).reshape(len(rows), length)
        numbers = letters[:, places].astype(np.int64) - ord("0")
        plain = ((numbers >= 0) & (numbers <= 9)).all(axis=1)
        if length == 10:
            plain &= (letters[:, 4] == ord("-")) & (letters[:, 7] == ord("-"))
        year, month, day = numbers[:, :4] @ (1000, 100, 10, 1), numbers[:, 4:6] @ (10, 1), numbers[:, 6:] @ (10, 1)
        plain &= (year >= EARLIEST) & (year <= LATEST) & (month >= 1) & (month <= 12) & (day >= 1) & (day <= 31)
        for row in rows[plain].tolist():
            made[row] = Date(texts[row].replace("-", ""), "full")
    return [parse(text, order) if date is None else date for text, date in zip(texts, made, strict=True)]


def _digits(digits: str, order: DayOrder) -> Date | None:
    if len(digits) == 8:
        return _date(int(digits[:4]), int(digits[4:6]), int(digits[6:])) or _two_numbers(
            int(digits[:2]), int(digits[2:4]), int(digits[4:]), order
        )
    if len(digits) == 6:
        return _date(int(digits[:4]), int(digits[4:]), 0, whole=True) or _two_numbers(
            int(digits[:2]), int(digits[2:4]), _century(int(digits[4:])), order
        )
    if len(digits) == 5 and int(digits) in EXCEL_SERIALS:
        day = EXCEL_DAY_ZERO + datetime.timedelta(days=int(digits))
        return Date(f"{day:%Y%m%d}", "serial")
    if len(digits) == 4:
        return _date(int(digits), 0, 0)
    return None


def _two_numbers(first: int, second: int, year: int, order: DayOrder, *, dotted: bool = False) -> Date | None:
    """Day and month in an order to be found out. With dots (1.2.1990) it is day first: no question, and no proof."""
    by_day, by_month = _date(year, second, first), _date(year, first, second)
    if by_day is None or by_month is None or by_day.form != "full":
        made = by_day or by_month
        if made is None or made.form != "full" or dotted:
            return made
        return Date(made.text, "full", "day-first" if by_month is None else "month-first")
    if dotted and order == "auto":
        return by_day
    chosen = by_month if order == "month-first" else by_day
    return Date(chosen.text, "full", "" if first == second else "ambiguous")


def _with_month_name(text: str) -> Date | None:
    words = [word for word in re.findall(r"[0-9]+|[^\W\d_]+", text) if word not in _NOISE]
    months = [word for word in words if word in _MONTHS]
    numbers = [word for word in words if word.isdigit() and word.isascii()]
    if len(months) != 1 or len(months) + len(numbers) != len(words) or not numbers:
        return None
    month = _MONTHS[months[0]]
    if len(numbers) == 1:
        return _date(int(numbers[0]), month, 0) if len(numbers[0]) == 4 else None
    if len(numbers) != 2:
        return None
    year, day = (numbers[0], numbers[1]) if len(numbers[0]) == 4 else (numbers[1], numbers[0])
    return _date(_year(year), month, int(day))


def of_parts(year: str, month: str, day: str) -> str:
    """Three cells as one date, of which day or month may be missing; a month by its name, a year of two figures.

    Whoever names the day first gets what stands there, in that order: it is read as any other date.
    """
    year, month, day = (part.strip().removesuffix(".0").removesuffix(".") for part in (year, month, day))
    if not year:
        return ""
    month = str(_MONTHS.get(month.upper(), month))
    if len(year) == 2 and year.isdecimal() and max(len(month), len(day)) < 3:
        year = str(_century(int(year)))
    return "-".join([year, *([month.zfill(2)] if month else []), *([day.zfill(2)] if month and day else [])])


def _year(text: str) -> int:
    return _century(int(text)) if len(text) == 2 else int(text)


def _century(year: int) -> int:
    return year + (2000 if year < PIVOT else 1900)


def _date(year: int, month: int, day: int, *, whole: bool = False) -> Date | None:
    """31 February counts as written: a mistyped day still compares well. 00 means unknown."""
    if not EARLIEST <= year <= LATEST or month > 12 or day > 31 or (whole and month == 0):
        return None
    if month == 0:
        return Date(f"{year}", "partial")
    if day == 0:
        return Date(f"{year}{month:02}", "partial")
    return Date(f"{year}{month:02}{day:02}", "full")


@dataclass(frozen=True)
class DateReport:
    """How the dates of one column read. Counts are rows; `order` is the one that cleaning uses."""

    rows: int
    missing: int
    full: int
    partial: int  # year, or year and month
    serial: int  # day numbers of a spreadsheet
    unparsed: int  # kept as cleaned text
    ambiguous: int  # day and month could be swapped: the order decides
    only_day_first: int  # make sense day first only
    only_month_first: int
    order: Order
    proven: bool  # by the unambiguous dates of this column; otherwise chosen by the steward or assumed

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)

    def sentence(self) -> Said:
        """For the screen: what was decided, and on what ground."""
        if self.ambiguous == 0:
            return Said("No date depends on the order of day and month.")
        shown = Said("day before month") if self.order == "day-first" else Said("month before day")
        many = Said("{n} {n|date|dates} could be read both ways, {shown} is taken", n=self.ambiguous, shown=shown)
        if not self.proven:
            return Said(
                "{many}. No date of this column proves it: check it with the people who made the file.", many=many
            )
        against = self.only_month_first if self.order == "day-first" else self.only_day_first
        proof = self.only_day_first if self.order == "day-first" else self.only_month_first
        if not against:
            return Said("{many}, as {n} other {n|date|dates} of the column {n|proves|prove}.", many=many, n=proof)
        return Said(
            "{many}, as {n} other {n|date|dates} of the column {n|proves|prove} "
            "({against} {against|makes|make} sense the other way only).",
            many=many, n=proof, against=against,
        )  # fmt: skip


def report(dates: list[Date], counts: npt.NDArray[np.int64], missing: int, day_order: DayOrder) -> DateReport:
    """`counts` are the rows of each distinct date."""

    rows: Counter[str] = Counter()
    for date, count in zip(dates, counts.tolist(), strict=True):
        rows[date.form] += count
        rows[date.proof] += count
    by_day, by_month = rows["day-first"], rows["month-first"]
    found: Order = "month-first" if by_month > by_day else "day-first"
    return DateReport(
        rows=int(counts.sum()) + missing,
        missing=missing,
        full=rows["full"],
        partial=rows["partial"],
        serial=rows["serial"],
        unparsed=rows["text"],
        ambiguous=rows["ambiguous"],
        only_day_first=by_day,
        only_month_first=by_month,
        order=found if day_order == "auto" else day_order,
        proven=by_day != by_month and day_order in ("auto", found),
    )
