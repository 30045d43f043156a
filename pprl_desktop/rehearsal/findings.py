"""What a rehearsal found: shares with intervals, sentences for the screen, plain data for a file."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from pprl_desktop.rehearsal.dictionaries import Role
from pprl_desktop.rehearsal.shares import Share
from pprl_desktop.said import Said


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
    source: Said  # of the attacker's list
    entries: int
    recovered: Share  # by the partner, of the records that have the field
    close: Share  # recovered or one edit away: a misspelt name is still a name
    listed: Share  # values that are in the list at all
    recovered_listed: Share  # of those
    guessing: Share  # by always saying the most frequent value
    outsider: Share  # recovered without the secret

    def as_dict(self) -> dict[str, Any]:
        shares = {name: one.as_dict() for name, one in vars(self).items() if isinstance(one, Share)}
        return {**vars(self), "source": str(self.source), **shares}


@dataclass(frozen=True)
class Change:
    """Another setting, attacked the same way."""

    name: str
    sentence: Said
    named: Share

    def as_dict(self) -> dict[str, Any]:
        return {"name": self.name, "sentence": str(self.sentence), "named": self.named.as_dict()}


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
    notes: tuple[Said, ...]
    seconds: float
    examples: tuple[Example, ...] = field(default=(), repr=False)

    @property
    def headline(self) -> Said:
        """A lower bound: what these attacks read, a partner with better lists or more patience reads too."""
        named = self.partner.named.figure()
        if self.partner.both is not None:
            return Said("The partner could name at least {n} of 100 records by first and last name.", n=named)
        if self.partner.last is not None:
            return Said("The partner could name at least {n} of 100 records by last name.", n=named)
        return Said("The partner could name at least {n} of 100 records by first name.", n=named)

    def sentences(self) -> tuple[Said, ...]:
        named = self.partner.named
        said = [
            self.headline,
            Said(
                "Attacked {n|was 1 record|were {n} records}; the sample leaves {range} open for these attacks. "
                "Better lists or a better attack would name more, never fewer.",
                n=named.of, range=named.words(),
            ),
            Said(
                "By guessing the most frequent names it would be {share}.", share=self.guessing.named.of_records()
            ),
            Said(
                "Someone without the shared secret who broke the encryption: at least {share}.",
                share=self.outsider.named.of_records(),
            ),
            self._second_release(),
        ]  # fmt: skip
        most = max(self.fields, key=lambda one: one.recovered.share, default=None)
        if most is not None and most.recovered.hits:
            said.append(
                Said(
                    "The field '{field}' gives most away: at least {share}.",
                    field=most.field, share=most.recovered.of_values(),
                )
            )  # fmt: skip
        return (*said, *(change.sentence for change in self.changes), *self.notes)

    def _second_release(self) -> Said:
        if self.twice is None:
            return Said(
                "With a second release of the same people, {share} could be found again.", share=self.linked.of_rows()
            )
        return Said(
            "With a second release of the same people, {share} could be found again, and the partner could name at "
            "least {named}.",
            share=self.linked.of_rows(), named=self.twice.named.words(),
        )  # fmt: skip

    def as_dict(self) -> dict[str, Any]:
        """Figures only: no example is in it."""
        plain: dict[str, Any] = {
            name: getattr(self, name) for name in ("method", "layout", "epsilon", "rows", "sampled", "seed", "seconds")
        }
        for name in ("partner", "guessing", "outsider", "linked", "twice"):
            one = getattr(self, name)
            plain[name] = one.as_dict() if one is not None else None
        plain["headline"] = str(self.headline)
        plain["fields"] = [one.as_dict() for one in self.fields]
        plain["changes"] = [one.as_dict() for one in self.changes]
        plain["sentences"] = [str(one) for one in self.sentences()]
        return plain
