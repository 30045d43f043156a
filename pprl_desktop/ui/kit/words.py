"""Numbers in the steward's words; the exact value belongs on hover. The one place for number formats."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from pathlib import Path

from PySide6.QtCore import QDateTime, QLocale

from pprl_desktop.ui.kit.i18n import language, locale, number, tr


def of_100(share: float) -> str:
    """0.973 -> '97 of 100'; small shares keep a digit that means something."""
    if math.isnan(share):
        return tr("not known")
    hundredths = 100.0 * min(max(share, 0.0), 1.0)
    if hundredths == 0.0 or hundredths >= 10.0 or (hundredths > 0.5 and abs(hundredths - round(hundredths)) < 0.05):
        if 99.5 <= hundredths < 100.0:
            return tr("{n} of 1,000", n=number(round(10 * hundredths - 0.0001)))
        return tr("{n} of 100", n=number(round(hundredths)))
    if hundredths >= 1.0:
        return tr("{n} of 100", n=number(hundredths, 1))
    if hundredths >= 0.1:
        return tr("{n} of 1,000", n=number(round(10 * hundredths)))
    return tr("under 1 of 1,000")


def of_100_like(share: float, other: float) -> str:
    """In the unit of the number beside it: two opinions are compared at a glance."""
    if 0.001 <= share < 0.01 <= other:
        return tr("{n} of 100", n=number(100.0 * share, 1))
    if 0.001 <= other < 0.01 <= share < 0.1:
        return tr("{n} of 1,000", n=number(round(1000.0 * share)))
    return of_100(share)


def range_of_100(low: float, high: float) -> str:
    """0, 0.008 -> '0 to 8 of 1,000': both ends out of the same number."""
    if math.isnan(low) or math.isnan(high):
        return tr("not known")
    if high < 0.05:
        most = max(math.ceil(1000 * high - 1e-9), 1)
        return tr("{low} to {high} of 1,000", low=number(math.floor(1000 * low + 1e-9)), high=number(most))
    ends = number(math.floor(100 * low + 1e-9)), number(math.ceil(100 * high - 1e-9))
    return tr("{low} to {high} of 100", low=ends[0], high=ends[1])


def percent(share: float, decimals: int = 1) -> str:
    """A share in percent; what is not nothing never reads as 0."""
    if math.isnan(share):
        return "–"
    least = 10.0**-decimals
    if 0.0 < 100 * share < least / 2:
        return tr("under {n} %", n=number(least, decimals))
    return tr("{n} %", n=number(100 * share, decimals))


def exact(value: float, decimals: int = 4) -> str:
    return "–" if math.isnan(value) else number(value, decimals)


def count(n: int) -> str:
    return number(n)


def size(n_bytes: int) -> str:
    return locale().formattedDataSize(n_bytes, 1, QLocale.DataSizeFormat.DataSizeTraditionalFormat)


def place_of(path: Path) -> str:
    """Where a file lies, as the steward's file manager says it: what leads to the own folder is not said."""
    try:
        return str(path.resolve().relative_to(Path.home().resolve()))
    except (ValueError, RuntimeError):
        return str(path)


def when(moment: float | datetime) -> str:
    stamp = moment.timestamp() if isinstance(moment, datetime) else moment
    return locale().toString(QDateTime.fromSecsSinceEpoch(int(stamp)), QLocale.FormatType.ShortFormat)


def moment_of(iso: str) -> datetime:
    """As letters and ledgers write it, in UTC."""
    found = datetime.fromisoformat(iso.replace("Z", "+00:00"))
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)


def day_words(iso: str) -> str:
    """The day in the reader's form, with the month in letters."""
    day = QDateTime.fromSecsSinceEpoch(int(moment_of(iso).timestamp())).date()
    return locale().toString(day, f"{_day_form()} MMMM yyyy")


def _day_form() -> str:
    return "d." if language() == "de" else "d"  # German writes the day as an ordinal number


def days_since(iso: str) -> int:
    return max((datetime.now().astimezone().date() - moment_of(iso).astimezone().date()).days, 0)


def said_days(days: int) -> tuple[str, str]:
    """A large number and its unit: how long one has waited."""
    if days == 0:
        return tr("today"), ""
    return count(days), tr("day") if days == 1 else tr("days")


def when_exact(moment: float) -> str:
    return QDateTime.fromSecsSinceEpoch(int(moment)).toString("yyyy-MM-dd HH:mm:ss")


def recently(moment: float) -> str:
    """Today and yesterday by name, else the day; the year only where it is another one."""
    then = QDateTime.fromSecsSinceEpoch(int(moment))
    days = then.date().daysTo(QDateTime.currentDateTime().date())
    if days == 0:
        return tr("today, {time}", time=locale().toString(then.time(), "HH:mm"))
    if days == 1:
        return tr("yesterday")
    same_year = then.date().year() == QDateTime.currentDateTime().date().year()
    return locale().toString(then.date(), f"{_day_form()} MMM" if same_year else f"{_day_form()} MMM yyyy")


def hundredths(share: float) -> str:
    """The large digits: whole ones, and never 0 or 100 for what is neither."""
    value = 100 * share
    if 0 < value < 0.5:
        return "<1"
    if 99.5 < value < 100:
        return ">99"
    return number(round(value))


def own_words(kind: str) -> str:
    """What a project without a partner is about."""
    return tr("one file of my own") if kind == "one file" else tr("two files of my own")
