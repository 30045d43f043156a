"""A sentence for the steward as a value: an English template and what stands in it, made into words at the edge.

A template names its values and says how each is written, in a few words that every language knows:

    {name}              a name, a number (a whole one in groups of digits), a sentence, a list with commas between
    {year:plain}        a whole number as one row of digits: a year, a version
    {x:count}           rounded to a whole number
    {x:decimals 2}      two digits behind the decimal mark
    {x:figures 4}       four digits that mean something
    {x:exact}           a decimal text such as "0.5", digit for digit, with the mark of the language
    {x:percent 1}       a share of one, in percent, with one digit behind the mark
    {day:date}          a day
    {names:and}         a list whose last two are joined by "and" ({names:or}: by "or")
    {parts:sentences}   sentences, one behind the other ({parts:semicolons}: with semicolons between)
    {n|row|{n} rows}    the form that goes with the number: as many forms as the language has, in its order

A translation is found by the template and keeps the names; how a value is written stays with the template.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import lru_cache
from numbers import Integral, Real
from typing import Any, SupportsFloat, SupportsIndex, TypeAlias

Value: TypeAlias = "str | int | float | date | Said | tuple[Value, ...]"
Given: TypeAlias = "str | SupportsIndex | SupportsFloat | date | Said | Iterable[object]"

DEEPEST = 8  # sentences within sentences that a stored one may have
PLACE = re.compile(r"\{(\w+)(?::([a-z]+)(?: (\d))?)?((?:\|(?:[^{}|]|\{\w+\})*)*)\}")
_MONTHS = ("January February March April May June July August September October November December").split()


def _one_or_more(n: float) -> int:
    return 0 if n == 1 else 1


@dataclass(frozen=True)
class Language:
    """How a language writes numbers and days, which form goes with a number, and what its sentences are."""

    code: str = "en"
    thousands: str = ","
    decimal: str = "."
    percent: str = "%"  # with the space that stands before it
    day: str = "{day} {month} {year}"
    months: tuple[str, ...] = tuple(_MONTHS)
    form: Callable[[float], int] = _one_or_more  # which of its forms goes with a number
    sentences: Mapping[str, str] = field(default_factory=dict)  # template -> translation
    spoken: Callable[[str], str] | None = None  # instead of a catalogue: what becomes of every template

    def template(self, english: str) -> str:
        return self.spoken(english) if self.spoken else self.sentences.get(english, english)

    def number(self, value: float, decimals: int = 0, *, grouped: bool = True) -> str:
        return self._marks(f"{value:{',' if grouped else ''}.{decimals}f}")

    def share(self, value: float, decimals: int = 0) -> str:
        return self.number(100 * value, decimals) + self.percent

    def figures(self, value: float, digits: int = 6) -> str:
        return self._marks(f"{value:.{digits}g}")

    def date(self, day: date | str) -> str:
        when = datetime.fromisoformat(day) if isinstance(day, str) else day
        return self.day.format(day=when.day, month=self.months[when.month - 1], year=when.year)

    def _marks(self, english: str) -> str:
        return english.translate({ord(","): self.thousands, ord("."): self.decimal})


ENGLISH = Language()


class Said:
    """Texts never contain a personal value; names of columns, files and people at work may stand in one.

    No dataclass: whoever lists the parts of a result (asdict) gets the sentence as one value, not its parts.
    """

    __slots__ = ("template", "values")
    template: str
    values: tuple[tuple[str, Value], ...]

    def __init__(self, template: str, /, **values: Given) -> None:
        object.__setattr__(self, "template", template)
        object.__setattr__(self, "values", tuple((name, _kept(value)) for name, value in values.items()))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a sentence is not changed")

    def __reduce__(self) -> tuple[Callable[..., Said], tuple[object, ...]]:
        return _again, (self.template, self.values)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Said) and (self.template, self.values) == (other.template, other.values)

    def __hash__(self) -> int:
        return hash((self.template, self.values))

    def __repr__(self) -> str:
        return f"Said({str(self)!r})"

    def words(self, language: Language = ENGLISH) -> str:
        """The sentence in a language; in English where the language does not have it."""
        if not self.values:
            return language.template(self.template)
        values, written = dict(self.values), _formats(self.template)

        def filled(place: re.Match[str]) -> str:
            name, forms = place[1], place[4]
            if name not in values:
                return place[0]
            if forms:
                return PLACE.sub(filled, _form(values[name], forms[1:].split("|"), language))
            return _written(values[name], *written.get(name, ("", "")), language)

        return PLACE.sub(filled, language.template(self.template))

    def __str__(self) -> str:
        return self.words()

    def __bool__(self) -> bool:
        return bool(self.template)


def as_said(text: Said | str) -> Said:
    """A literal text without values is its own template."""
    return text if isinstance(text, Said) else Said(text)


def sentences(*parts: Said | str) -> Said:
    """Several sentences as one; empty ones are left out."""
    some = tuple(as_said(part) for part in parts if part)
    return some[0] if len(some) == 1 else Said("{parts:sentences}", parts=some) if some else NOTHING


def names_in(template: str) -> set[str]:
    return {name for place in PLACE.finditer(template) for name in (place[1], *names_in(place[4]))}


def english(value: object) -> str:
    """For json.dumps(default=…): the terminal speaks English."""
    if isinstance(value, Said):
        return str(value)
    raise TypeError(f"{type(value).__name__} cannot be written as JSON")


def to_plain(said: Said) -> dict[str, Any]:
    """For a project file: the template and its values, never the words."""
    return {"said": said.template, **({"with": {n: _plain(v) for n, v in said.values}} if said.values else {})}


def from_plain(plain: object) -> Said:
    """Out of a project file. An older one holds finished English sentences: those are shown as quotations."""
    if isinstance(plain, str):
        return Said("“{words}”", words=plain) if plain else NOTHING
    made = _from_plain(plain, 0)
    return made if isinstance(made, Said) else Said("“{words}”", words=made)


NOTHING = Said("")


def _again(template: str, values: tuple[tuple[str, Value], ...]) -> Said:
    made = Said(template)
    object.__setattr__(made, "values", values)
    return made


@lru_cache(maxsize=4096)
def _formats(template: str) -> dict[str, tuple[str, str]]:
    return {place[1]: (place[2] or "", place[3] or "") for place in PLACE.finditer(template) if not place[4]}


def _kept(value: object) -> Value:
    if isinstance(value, str | bool | int | float | date | Said):
        return value
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        return float(value)
    if isinstance(value, Iterable):
        return tuple(_kept(part) for part in value)
    raise TypeError(f"a sentence cannot hold {type(value).__name__}")


def _written(value: Value, how: str, digits: str, language: Language) -> str:
    if isinstance(value, Said):
        return value.words(language)
    if isinstance(value, tuple):
        return _listed([_written(part, "", "", language) for part in value], how, language)
    if how == "date" and isinstance(value, str | date):
        return language.date(value)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, str):
        return value.replace(".", language.decimal) if how == "exact" else value
    match how:
        case "count" | "decimals":
            return language.number(value, int(digits or 0))
        case "percent":
            return language.share(value, int(digits or 0))
        case "figures":
            return language.figures(value, int(digits or 6))
        case "plain":
            return str(value)
    return language.figures(value) if isinstance(value, float) else language.number(value)


def _listed(parts: list[str], how: str, language: Language) -> str:
    if how in ("and", "or") and len(parts) > 1:
        first, last = ", ".join(parts[:-1]), parts[-1]
        if how == "and":
            return Said("{first} and {last}", first=first, last=last).words(language)
        return Said("{first} or {last}", first=first, last=last).words(language)
    return {"sentences": " ", "semicolons": "; "}.get(how, ", ").join(parts)


def _form(value: Value, forms: list[str], language: Language) -> str:
    n = len(value) if isinstance(value, tuple) else value
    return forms[min(language.form(float(n)) if isinstance(n, int | float) else len(forms), len(forms) - 1)]


def _plain(value: Value) -> Any:
    if isinstance(value, Said):
        return to_plain(value)
    if isinstance(value, tuple):
        return [_plain(part) for part in value]
    return value.isoformat() if isinstance(value, date) else value


def _from_plain(plain: Any, depth: int) -> Any:
    """Nothing in the file is believed: a value of an unknown kind is shown as the file writes it."""
    if depth > DEEPEST:
        return "…"
    if isinstance(plain, dict) and isinstance(plain.get("said"), str):
        values = plain.get("with", {})
        known = values.items() if isinstance(values, dict) else ()
        return _again(plain["said"], tuple((str(n), _from_plain(v, depth + 1)) for n, v in known))
    if isinstance(plain, list):
        return tuple(_from_plain(part, depth + 1) for part in plain)
    return plain if isinstance(plain, str | int | float) else json.dumps(plain, ensure_ascii=False)
