"""The pairs of a match as rows of a table, and the words for them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from pprl_desktop.decisions.base import ACCEPT, REVIEW
from pprl_desktop.job.findings import Row
from pprl_desktop.job.matches import match_rows
from pprl_desktop.problem import Problem
from pprl_desktop.ui.kit.i18n import number, tr
from pprl_desktop.ui.kit.words import count, range_of_100
from pprl_desktop.ui.widgets.pair_view import field_title
from pprl_desktop.ui.widgets.waterfall import EVEN

if TYPE_CHECKING:
    from pprl_desktop.decisions.base import Match
    from pprl_desktop.job.own_table import OwnTable
    from pprl_desktop.project.choices import Choices

YOURS, THEIRS, SCORE, PROBABILITY, BAND, NEXT_BEST, WHY = range(7)  # places in a row of the table


def called(own: int | str) -> str:
    return own if isinstance(own, str) else count(own)


def band_words() -> dict[int, str]:
    return {ACCEPT: tr("● same"), REVIEW: tr("◆ unsure"), 0: tr("○ different")}


def band_mark(band: int) -> str:
    """The marks are told by the three numbers above the table."""
    return band_words()[band].split(" ")[0]


def pseudonym_words(raw: bytes) -> str:
    """Enough of a random name to tell two apart: 7f3a-c2."""
    text = raw.hex()
    return f"{text[:4]}-{text[4:6]}"


def own_numbers(own: OwnTable, choices: Choices) -> list[str] | None:
    """The steward's own record numbers; None where there are none, or the table cannot be read any more."""
    try:
        return own.numbers(choices)
    except Problem:
        return None


def table_rows(match: Match, names: Any, own: list[str] | None = None) -> list[Row]:
    """The pairs as plain values, nearest to the lines first; made by the worker, because there may be many.

    `own` are the record numbers of the own table; without them a row is called by its place.
    """

    def away(one: Row) -> float:
        return float(min(abs(one[SCORE] - match.accept), abs(one[SCORE] - match.review)))

    rows = [
        (
            own[one.own] if own is not None else one.own + 1,
            _theirs(one.partner, names),
            one.score,
            one.probability,
            one.band,
            one.next_best,
            one.evidence,
        )
        for one in match_rows(match)
    ]
    return sorted(rows, key=away)


def _theirs(place: int, names: Any) -> str:
    if names is None:
        return count(place + 1)
    return names[place] if isinstance(names, list) else pseudonym_words(names[place].tobytes())


def wrong_range(share: float, low: float, high: float) -> str:
    """In the unit of the number above it."""
    if share < 0.01 or high >= 0.05:
        return range_of_100(low, high)
    return tr("{low} to {high}", low=number(100 * low, 1), high=number(100 * high, 1))


def differing(fields: tuple[str, ...], evidence: tuple[float, ...]) -> str:
    """The fields that speak against a pair, the weightiest first."""
    against = sorted((weight, name) for name, weight in zip(fields, evidence, strict=True) if weight < -EVEN)
    missing = [name for name, weight in zip(fields, evidence, strict=True) if math.isnan(weight)]
    if against:
        first = against[0][1]
        return f"{field_title(first)} +{len(against) - 1}" if len(against) > 1 else field_title(first)
    return tr("missing: {names}", names=", ".join(map(field_title, missing))) if missing else tr("nothing")
