"""Between the choices of one steward and an agreement of two: what differs, what to adopt, which column is meant."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pprl_desktop.codes.base import DECISION_WORDS, LAYOUT_WORDS, Settings, method
from pprl_desktop.codes.directions import turned, words
from pprl_desktop.matching.reconcile import RULE_WORDS
from pprl_desktop.privacy.claims import UNITS
from pprl_desktop.problem import Problem
from pprl_desktop.project.choices import Choices
from pprl_desktop.records.fields import KIND_WORDS, Field
from pprl_desktop.records.hints import hint
from pprl_desktop.records.roles import role
from pprl_desktop.records.table import PLUS
from pprl_desktop.said import NOTHING, Said

if TYPE_CHECKING:
    from pprl_desktop.exchange.agreeing import Offer
    from pprl_desktop.exchange.agreement import Agreement
    from pprl_desktop.exchange.home import Home
    from pprl_desktop.exchange.terms import Terms
    from pprl_desktop.job.held_twice import HeldTwice
    from pprl_desktop.records.profile import ColumnProfile, Profile

LEAST_LIKENESS = 1.0  # of _likeness: the same thing, or the same kind and a similar name


@dataclass(frozen=True)
class Difference:
    """One point of an agreement, as each side has it."""

    what: Said
    mine: Said
    theirs: Said

    @property
    def differs(self) -> bool:
        return self.mine != self.theirs


def offer_of(choices: Choices, purpose: str = "", twice: HeldTwice | None = None) -> Offer:
    """Of who is held twice, only the share is offered."""
    from pprl_desktop.exchange.agreeing import Offer

    rule: Any = choices.rule
    return Offer(
        choices.method, choices.fields, choices.settings, choices.reference, choices.mapping, rule, purpose=purpose,
        repeats=twice.share if twice is not None else None,
    )  # fmt: skip


def differences(choices: Choices, terms: Terms) -> tuple[Difference, ...]:
    """A proposal beside the own choices, point by point."""
    mine, theirs = choices.settings, terms.settings
    cleaning = {one.name: one.cleaning for one in choices.fields}
    changed = [one.name for one in terms.fields if one.name in cleaning and cleaning[one.name] != one.cleaning]
    agreed = terms.reference.name
    return (
        Difference(Said("Fields"), _fields(choices.fields), _fields(terms.fields)),
        Difference(Said("Cleaning differs for"), NOTHING, _names(changed)),
        Difference(Said("Method"), method(choices.method).title, method(terms.method).title),
        Difference(Said("Decision and layout"), _decision(mine), _decision(theirs)),
        Difference(Said("Direction"), words(mine.direction), words(turned(theirs.direction))),
        Difference(Said("Noise (ε)"), _noise(mine.epsilon, terms.unit), _noise(theirs.epsilon, terms.unit)),
        Difference(
            Said("Reference set"), _names([choices.reference] if agreed else []), _names([agreed] if agreed else [])
        ),
        Difference(Said("Decoys"), Said("{n}", n=mine.decoys), Said("{n}", n=theirs.decoys)),
        Difference(Said("Rule for differing results"), RULE_WORDS[choices.rule], RULE_WORDS[terms.rule]),
    )


def _names(names: Sequence[str]) -> Said:
    return Said("{names}", names=names) if names else NOTHING


def _fields(fields: Sequence[Field]) -> Said:
    said = [Said("{name} ({kind})", name=one.name, kind=KIND_WORDS[one.kind]) for one in fields]
    return Said("{fields}", fields=said) if said else NOTHING


def _decision(settings: Settings) -> Said:
    return Said(
        "{decision}, {layout}", decision=DECISION_WORDS[settings.decision], layout=LAYOUT_WORDS[settings.layout]
    )


def _noise(epsilon: float | None, unit: str) -> Said:
    if epsilon is None:
        return Said("no noise")
    return Said("{epsilon} {unit}", epsilon=epsilon, unit=UNITS.get(unit, unit))


def adopted(choices: Choices, terms: Terms, columns: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """The changes of the own choices that follow from accepting the terms."""
    return {
        "fields": terms.fields,
        "columns": tuple(columns),
        "method": terms.method,
        "settings": terms.settings,
        "reference": terms.reference.name or choices.reference,
        "mapping": terms.mapping,
        "rule": terms.rule,
    }


def as_agreed(choices: Choices, agreement: Agreement, profile: Profile | None = None) -> dict[str, Any]:
    """What brings the choices back to a signed agreement; nothing where they are as agreed.

    Each field keeps its column, as remembered with the agreement; for another table, `profile` helps to guess it.
    """
    names = [one.name for one in agreement.terms.fields]
    known = dict(agreement.columns) | {name: column for name, column in choices.columns if name in names}
    if profile is not None:
        known = guess_columns(agreement.terms.fields, profile, known)
    wanted = adopted(choices, agreement.terms, [(name, known.get(name, "")) for name in names])
    return {name: value for name, value in wanted.items() if getattr(choices, name) != value}


def used_up(agreement: Agreement) -> bool:
    """With blind an agreement allows one question each way: another table needs another agreement."""
    asked = agreement.latest_sent("question") or agreement.latest_received("question")
    return agreement.terms.blind is not None and asked is not None


def fits(choices: Choices, agreement: Agreement) -> bool:
    """Whether an agreement is about what the steward has chosen now."""
    terms = agreement.terms
    return (terms.fields, terms.method, terms.settings) == (choices.fields, choices.method, choices.settings)


def agreements_with(home: Home, partner: str) -> tuple[Agreement, ...]:
    """Agreements with one partner, newest first."""
    return tuple(agreement for agreement in reversed(home.agreements()) if agreement.contact == partner)


def guess_columns(fields: Sequence[Field], profile: Profile, taken: dict[str, str]) -> dict[str, str]:
    """Field -> own column: as mapped before, the same name, a word for the same thing, or the most alike name.

    A field for which no column is alike enough is left out: better no guess than a wrong one.
    """
    free = [column.name for column in (*profile.columns, *profile.joined) if column.name not in profile.sensitive]
    found: dict[str, str] = {}
    for wanted in (taken, {one.name: one.name for one in fields}):
        for one in fields:
            column = wanted.get(one.name, "")
            if one.name not in found and column in free and column not in found.values():
                found[one.name] = column
    within = {part for one in profile.joined if PLUS in one.name for part in one.name.split(PLUS)}
    for one in fields:
        rest = [name for name in free if name not in found.values() and name not in within]
        if one.name not in found and rest:
            best = max(rest, key=lambda name: _likeness(one, name, profile))
            if _likeness(one, best, profile) >= LEAST_LIKENESS:
                found[one.name] = best
    return found


def _likeness(field: Field, column: str, profile: Profile) -> float:
    same_thing = role(field.name) == role(column) != ""
    return (
        2.0 * same_thing
        + 0.5 * (profile.column(column).kind == field.kind)
        + 0.5 * (hint(field.name) == hint(column) != "")
        + difflib.SequenceMatcher(None, field.name.casefold(), column.casefold()).ratio()
    )


@dataclass(frozen=True)
class Misfit:
    """Why a column does not look like what its field is to hold; `hard`: nothing of it could be compared."""

    field: str
    said: Said
    hard: bool = False


# kinds that may stand for each other without a word
ALIKE_KINDS = ({"name", "text"}, {"id", "number"}, {"id", "text"}, {"category", "number"}, {"category", "id"})


def misfits(fields: Sequence[Field], columns: Mapping[str, str], profile: Profile) -> tuple[Misfit, ...]:
    """Each field beside the column that was picked for it: used twice, of another kind, or empty."""
    found = []
    used = list(columns.values())
    for one in fields:
        column = columns.get(one.name, "")
        if not column:
            continue
        if used.count(column) > 1:
            others = tuple(name for name, other in columns.items() if other == column and name != one.name)
            said = Said("'{column}' is also the column of {others:and}: one fact would count twice.",
                        column=column, others=others)  # fmt: skip
            found.append(Misfit(one.name, said, hard=True))
            continue
        seen = next((c for c in (*profile.columns, *profile.joined) if c.name == column), None)
        if seen is None:
            continue
        if seen.missing >= 1.0:
            found.append(Misfit(one.name, Said("'{column}' is empty.", column=column), hard=True))
        elif one.kind == "date" and seen.kind != "date":
            found.append(Misfit(one.name, Said("'{column}' does not hold dates.", column=column), hard=True))
        elif not _looks_like(one.kind, seen):
            said = Said("'{column}' looks like another kind: {kind}.", column=column, kind=KIND_WORDS[seen.kind])
            found.append(Misfit(one.name, said))
    return tuple(found)


def _looks_like(kind: str, seen: ColumnProfile) -> bool:
    """By the kind that was understood, and by the shape of the usual value: a code without a digit is none."""
    if kind != seen.kind and not any({seen.kind, kind} <= alike for alike in ALIKE_KINDS):
        return False
    usual = seen.shapes[0].shape if seen.shapes else ""
    digits = "9" in usual
    return digits if kind in ("id", "number") and usual else not (kind == "name" and digits)


def with_entry(value: Any, name: str, text: str, place: str) -> Any:
    """A copy of a dataclass with one entry set from text, checked by the same rules as a document from outside."""
    from pprl_desktop.exchange.terms import from_plain, to_plain

    plain = to_plain(value)
    if name not in plain:
        raise Problem(
            Said("There is no setting '{name}'.", name=name), Said("There are: {names}.", names=", ".join(plain)),
            place=place,
        )  # fmt: skip
    now = plain[name]
    if isinstance(now, list):
        plain[name] = [piece for piece in text.split("|") if piece]
    else:
        plain[name] = int(text) if isinstance(now, int) and text.lstrip("-").isdigit() else text
    try:
        return from_plain(type(value), plain, "")
    except Problem as problem:
        raise Problem(
            Said("'{text}' cannot be used for '{name}'.", text=text, name=name), problem.why, place=place
        ) from problem
