"""What a rehearsal found: shares with intervals, sentences for the screen, plain data for a file."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from pprl_desktop.rehearsal.dictionaries import Role
from pprl_desktop.rehearsal.shares import Share


@dataclass(frozen=True)
class Names:
    """Share of records with the first name, the last name, and both recovered; None where there is no such field.

    `any_order` counts both names also where the attacker takes one for the other: a person is named all the same.
    """

    first: Share | None
    last: Share | None
    both: Share | None
    any_order: Share | None = None

    @property
    def named(self) -> Share:
        """The headline: both names, in any order, where there are both."""
        found = self.any_order or self.last or self.first
        assert found is not None
        return found

    def as_dict(self) -> dict[str, Any]:
        return {name: share.as_dict() if share else None for name, share in vars(self).items()}


@dataclass(frozen=True)
class FieldResult:
    """What one field gives away."""

    field: str
    role: Role
    source: str  # of the attacker's list
    entries: int
    recovered: Share  # by the partner, of the records that have the field
    close: Share  # recovered or one edit away: a misspelt name is still a name
    listed: Share  # values that are in the list at all
    recovered_listed: Share  # of those
    guessing: Share  # by always saying the most frequent value
    outsider: Share  # recovered without the secret

    def as_dict(self) -> dict[str, Any]:
        return {name: one.as_dict() if isinstance(one, Share) else one for name, one in vars(self).items()}


@dataclass(frozen=True)
class Change:
    """Another setting, attacked the same way."""

    name: str
    sentence: str
    named: Share

    def as_dict(self) -> dict[str, Any]:
        return {"name": self.name, "sentence": self.sentence, "named": self.named.as_dict()}


@dataclass(frozen=True)
class Example:
    """An own record with what the partner would read. Personal: for the own steward's screen, never for a file."""

    row: int
    truth: tuple[str, ...] = field(repr=False)
    guess: tuple[str, ...] = field(repr=False)


@dataclass(frozen=True)
class Rehearsal:
    method: str
    layout: str
    epsilon: float | None
    rows: int
    sampled: int
    seed: int
    partner: Names
    guessing: Names
    outsider: Names
    linked: Share  # rows found again in a second release
    twice: Names | None  # the partner with two releases; None without noise, where a second one says nothing new
    fields: tuple[FieldResult, ...]
    changes: tuple[Change, ...]
    notes: tuple[str, ...]
    seconds: float
    examples: tuple[Example, ...] = field(default=(), repr=False)

    @property
    def headline(self) -> str:
        named = self.partner.named.words("records")
        if self.partner.both is not None:
            return f"The partner could name {named} by first and last name."
        if self.partner.last is not None:
            return f"The partner could name {named} by last name."
        return f"The partner could name {named} by first name."

    def sentences(self) -> tuple[str, ...]:
        said = [
            self.headline,
            f"By guessing the most frequent names it would be {self.guessing.named.words('records')}.",
            f"Someone without the shared secret who broke the encryption: {self.outsider.named.words('records')}.",
            f"With a second release of the same people, {self.linked.words('rows')} could be found again"
            + (f", and the partner could name {self.twice.named.words()}." if self.twice else "."),
        ]
        most = max(self.fields, key=lambda one: one.recovered.share, default=None)
        if most is not None and most.recovered.hits:
            said.append(f"The field '{most.field}' gives most away: {most.recovered.words('values')}.")
        return (*said, *(change.sentence for change in self.changes), *self.notes)

    def as_dict(self) -> dict[str, Any]:
        """Figures only: no example is in it."""
        plain: dict[str, Any] = {
            name: getattr(self, name) for name in ("method", "layout", "epsilon", "rows", "sampled", "seed", "seconds")
        }
        for name in ("partner", "guessing", "outsider", "linked", "twice"):
            one = getattr(self, name)
            plain[name] = one.as_dict() if one is not None else None
        plain["headline"] = self.headline
        plain["fields"] = [one.as_dict() for one in self.fields]
        plain["changes"] = [one.as_dict() for one in self.changes]
        plain["sentences"] = list(self.sentences())
        return plain
