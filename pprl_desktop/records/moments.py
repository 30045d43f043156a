"""Numbers that stand for dates and times: those of spreadsheets, SAS, Stata and SPSS.

Each program counts from its own day in its own unit and says by the format of a column, or of a cell, that a number is
meant as a date. A number that stands for no date of the calendar gives None: the rest of the table is not lost for it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

SPSS = datetime(1582, 10, 14)
SAS = STATA = datetime(1960, 1, 1)
DAY = 86_400.0  # seconds

# what is shown of the number: the rest of it was never seen by anyone and is not told
DATE, DATETIME, TIME, MONTH, QUARTER, YEAR = "date", "datetime", "time", "month", "quarter", "year"
CLOCK = "clock"  # the time of a moment, without its day


@dataclass(frozen=True)
class Clock:
    """How a number is read: `unit` seconds each, counted from `start`."""

    start: datetime
    unit: float
    shows: str
    leap_4000: bool = True  # whether the years 4000 and 8000 have a leap day; for SAS they have none

    def read(self, number: float) -> str | None:
        """None of a number that stands for no moment."""
        try:
            passed = timedelta(seconds=round(number * self.unit, 3))
            if self.shows == TIME:
                return _of_the_clock(passed)
            if self.shows == CLOCK:
                return _of_the_clock(passed % timedelta(days=1))
            at = self.start + passed
            if not self.leap_4000:
                for year in (4000, 8000):
                    at += timedelta(days=at >= datetime(year, 2, 29))
        except (OverflowError, ValueError):
            return None
        if self.shows == DATETIME:
            return written(at)
        if self.shows == MONTH:
            return f"{at:%Y-%m}"
        if self.shows == QUARTER:
            return f"{at.year}-Q{(at.month + 2) // 3}"
        return str(at.year) if self.shows == YEAR else at.date().isoformat()


@dataclass(frozen=True)
class Periods:
    """Whole periods since the beginning of 1960, as Stata counts them: 12 to the year are months."""

    a_year: int

    def read(self, number: float) -> str | None:
        if number != number or abs(number) > 9999 * self.a_year:
            return None
        year, period = divmod(int(number), self.a_year)
        year += STATA.year
        if not 1 <= year <= 9999:
            return None
        if self.a_year == 12:
            return f"{year:04d}-{period + 1:02d}"
        return f"{year:04d}-{ {2: 'H', 4: 'Q', 52: 'W'}[self.a_year] }{period + 1}"


def written(value: date | time | datetime | timedelta) -> str:
    """A moment as text: the time only where there is one."""
    if isinstance(value, timedelta):
        return _of_the_clock(value)
    if isinstance(value, datetime):
        whole = value.time() == time(0)
        return value.date().isoformat() if whole else value.isoformat(sep=" ", timespec="seconds")
    return value.isoformat(timespec="seconds") if isinstance(value, time) else value.isoformat()


def _of_the_clock(passed: timedelta) -> str:
    """Hours go on beyond a day, as programs show them."""
    seconds = round(passed.total_seconds())
    sign, seconds = ("-", -seconds) if seconds < 0 else ("", seconds)
    return f"{sign}{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"


# ---- statistics programs

_SPSS = {
    "DATE": DATE, "ADATE": DATE, "EDATE": DATE, "JDATE": DATE, "SDATE": DATE, "WKYR": DATE, "MOYR": MONTH,
    "QYR": QUARTER, "DATETIME": DATETIME, "YMDHMS": DATETIME, "TIME": TIME, "DTIME": TIME, "MTIME": TIME,
}  # fmt: skip
_SAS_DAYS = {
    r"DATE|WEEKDAT[EX]|WORDDAT[EX]|(?:DDMM|MMDD)YY[BCDNPS]?|YYMMDD[BCDNPS]?|JULIAN|NLDATE|(?:E|B|IS)8601DA": DATE,
    r"MONYY|MMYY[CDNPS]?|YYMM[CDNPS]?|YYMON": MONTH,
    r"YYQ[CDNPS]?": QUARTER,
    r"YEAR": YEAR,
}
_SAS_SECONDS = {
    r"DATETIME|DATEAMPM|MDYAMPM|NLDATM|(?:E|B|IS)8601D[TXZ]": DATETIME,
    r"DTDATE|(?:E|B)8601DN": DATE,
    r"DTMONYY": MONTH,
    r"DTYYQC": QUARTER,
    r"DTYEAR": YEAR,
    r"TIME|TIMEAMPM|HHMM|NLTIME|(?:E|B|IS)8601T[MXZ]": TIME,
    "TOD": CLOCK,
}
_STATA_PERIODS = {"w": 52, "m": 12, "q": 4, "h": 2}


def of_statistics(program: str, shown: str | None) -> Clock | Periods | None:
    """By the format of a column; None where it holds no dates. `program`: the ending of its files."""
    if not shown:
        return None
    if program == "dta":
        return _of_stata(shown)
    if program in ("sav", "por"):
        kind = _SPSS.get(shown.upper().rstrip("0123456789."))
        return Clock(SPSS, 1.0, kind) if kind else None
    name = re.sub(r"[0-9]*\.?[0-9]*$", "", shown.upper())
    for families, unit in ((_SAS_DAYS, DAY), (_SAS_SECONDS, 1.0)):
        for names, kind in families.items():
            if re.fullmatch(names, name):
                return Clock(SAS, unit, kind, leap_4000=False)
    return None


def _of_stata(shown: str) -> Clock | Periods | None:
    """%td and what follows it, which says how a date is laid out; %d is an older way to write %td."""
    found = re.match(r"%-?(?:t([dcCwmqh])|(d))", shown)
    if found is None:
        return None
    kind = found[1] or "d"
    if kind in _STATA_PERIODS:
        return Periods(_STATA_PERIODS[kind])
    if kind == "d":
        return Clock(STATA, DAY, DATE)
    parts = shown[found.end() :]
    no_day = parts != "" and not re.search(r"[YDdJ]", parts)
    return Clock(STATA, 0.001, TIME if no_day else DATETIME)


# ---- spreadsheets

_NOT_TOKENS = re.compile(r'"[^"]*"|\\.|_.|\*.|\[(?![hms]+\])[^\]]*\]|General|Standard', re.IGNORECASE)
_BUILT_IN = {
    **dict.fromkeys((14, 15, 16, 17, 22), "d"), **dict.fromkeys((18, 19, 20, 21, 45, 46, 47), "h"),
    **dict.fromkeys((*range(27, 32), 36, *range(50, 59)), "d"), **dict.fromkeys(range(32, 36), "h"),
}  # fmt: skip


def of_workbook(number: int, shown: str | None, from_1904: bool) -> Clock | None:
    """By the format of a cell: `shown` is its pattern, None where the workbook defines none under this number."""
    pattern = _BUILT_IN.get(number, "") if shown is None else _NOT_TOKENS.sub("", shown.split(";")[0]).lower()
    if not re.search(r"[ymdhs]", pattern):
        return None
    start = datetime(1904, 1, 1) if from_1904 else datetime(1899, 12, 30)
    return Clock(start, DAY, TIME if re.search(r"[hs]", pattern) and not re.search(r"[yd]", pattern) else DATETIME)


def of_serial(clock: Clock, number: float) -> str | None:
    """A number of a workbook as the moment that is seen there; None of one that is shown as no day of the calendar."""
    if clock.shows != TIME:
        if number < 0:
            return None
        if clock.start.year == 1899:  # those programs have a day 0 and, as the 60th, a 29th of February 1900
            if number < 1 or 60 <= number < 61:
                return None
            number += number < 60
    return clock.read(number)
