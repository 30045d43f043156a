"""What an agreement on blind holds beside fields and secret: keys, limits, who asks, true sizes, run, last day."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal, cast, get_args

from pprl_desktop.blind.oprf import SUITE
from pprl_desktop.blind.plan import Plan
from pprl_desktop.codes.keys import recipe as keys
from pprl_desktop.codes.keys.atoms import Atom
from pprl_desktop.codes.keys.careful import MOST_CAREFUL
from pprl_desktop.codes.keys.recipe import Key
from pprl_desktop.codes.keys.variants import groups_of
from pprl_desktop.exchange import refusals, strict
from pprl_desktop.exchange.decimals import decimal
from pprl_desktop.exchange.strict import Plain
from pprl_desktop.problem import Problem
from pprl_desktop.records.fields import Field
from pprl_desktop.said import Said

Role = Literal["proposer", "accepter"]
ROLES: tuple[Role, ...] = get_args(Role)
SESSION = 16  # bytes
MAX_KEYS = 32  # types of keys
MAX_POINTS = 1 << 28  # of one part of a question
MAX_RUNS = 9
MOST_COVERAGE = 0.5  # beyond it no bound deserves the name
_DAY = re.compile(r"\d{4}-\d\d-\d\d")


@dataclass(frozen=True)
class Direction:
    """One side asks, the other answers, within these numbers."""

    asks: Role
    asked: tuple[int, ...]  # per key type: points of the question
    rows: tuple[int, ...]  # per key type: rows of the answer's table
    values: tuple[int, ...]  # per group of fields: points of the question


@dataclass(frozen=True)
class BlindTerms:
    session: str  # random: what makes this run different from every other
    recipe: keys.KeyRecipe
    coverage: float  # at most this share of either side's records may be within reach of a lying partner
    sizes: tuple[int, int]  # true number of records of the proposer and of the accepter
    directions: tuple[Direction, ...]  # one, or two where each side asks
    run: int
    runs: int
    expires: str  # last day, UTC

    @property
    def mutual(self) -> bool:
        return len(self.directions) > 1

    def size(self, role: Role) -> int:
        return self.sizes[ROLES.index(role)]

    def asked_by(self, role: Role) -> Direction | None:
        return next((one for one in self.directions if one.asks == role), None)

    def plan(self, fields: Sequence[Field], direction: Direction) -> Plan:
        return Plan(
            f"{self.session} {direction.asks}", tuple(fields), self.recipe, direction.asked, direction.rows,
            direction.values, self.size(other(direction.asks)),
        )  # fmt: skip

    def bytes(self, fields: Sequence[Field]) -> int:
        """Of the largest file that can pass under these terms."""
        sizes = []
        for direction in self.directions:
            plan = self.plan(fields, direction)
            points = sum(count for _, count in plan.batches())
            sizes.append(32 * points + 30 * sum(plan.rows) + plan.slots * plan.slot_bytes + 96 * len(plan.batches()))
        return max(sizes)

    def must_not_be_over(self, today: str) -> None:
        if today[:10] > self.expires:
            raise Problem(
                Said("The agreement ended on {day:date}.", day=self.expires),
                "After that day neither a question nor an answer is made under it.",
                "Propose a new agreement.",
                place="expires",
            )


def other(role: Role) -> Role:
    return "accepter" if role == "proposer" else "proposer"


def new_session() -> str:
    return os.urandom(SESSION).hex()


# ---- the signed document


def to_plain(terms: BlindTerms) -> Plain:
    return {
        "suite": SUITE,
        "session": terms.session,
        "version": terms.recipe.version,
        "keys": [
            {"parts": [{"fields": list(atom.fields), "form": atom.form} for atom in key.atoms]}
            for key in terms.recipe.keys
        ],
        "coverage": decimal(terms.coverage),
        "proposer_records": terms.sizes[0],
        "accepter_records": terms.sizes[1],
        "directions": [
            {"asks": one.asks, "keys": list(one.asked), "rows": list(one.rows), "values": list(one.values)}
            for one in terms.directions
        ],
        "run": terms.run,
        "runs": terms.runs,
        "expires": terms.expires,
    }


def parse(plain: Plain, fields: Sequence[Field]) -> BlindTerms:
    """From a document that a partner may have made: every number has a range, every key must be allowed."""
    place = "blind."
    strict.only(
        plain,
        {"suite", "session", "version", "keys", "coverage", "proposer_records", "accepter_records", "directions"}
        | {"run", "runs", "expires"},
        place=place,
    )
    strict.one_of(plain, "suite", (SUITE,), place=place)
    found = strict.mappings(plain, "keys", MAX_KEYS, place=place)
    recipe = keys.KeyRecipe(
        tuple(_key(item) for item in found), strict.integer(plain, "version", 1, 1 << 16, place=place)
    )
    keys.check(recipe, fields)
    runs = strict.integer(plain, "runs", 1, MAX_RUNS, place=place)
    expires = strict.text(plain, "expires", place=place, longest=10)
    if not _is_day(expires):
        raise refusals.malformed("blind.expires", "It must be a day.")
    most = (1 << 31) - 1
    sizes = tuple(strict.integer(plain, f"{role}_records", 1, most, place=place) for role in ROLES)
    ways = strict.mappings(plain, "directions", 2, place=place)
    directions = tuple(_direction(item, len(recipe.keys), len(groups_of(tuple(fields)))) for item in ways)
    if not directions or len({one.asks for one in directions}) != len(directions):
        raise refusals.malformed("blind.directions", "Each side asks once at most, and one of them does.")
    return BlindTerms(
        strict.hexes(plain, "session", SESSION, place=place), recipe, _coverage(plain), (sizes[0], sizes[1]),
        directions, strict.integer(plain, "run", 1, runs, place=place), runs, expires,
    )  # fmt: skip


def _is_day(text: str) -> bool:
    try:
        return _DAY.fullmatch(text) is not None and date.fromisoformat(text) is not None
    except ValueError:  # as the 30th of February
        return False


def _coverage(plain: Plain) -> float:
    text = strict.text(plain, "coverage", place="blind.", longest=30)
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value <= MOST_COVERAGE or decimal(value) != text:
        raise refusals.malformed("blind.coverage", "It must be a share above 0 and at most a half.")
    return value


def _key(item: Plain) -> Key:
    strict.only(item, {"parts"}, place="blind.keys.")
    parts = strict.mappings(item, "parts", keys.MOST_ATOMS, place="blind.keys.")
    if not parts:
        raise refusals.malformed("blind.keys", "A key has no parts.")
    return Key(tuple(_atom(part) for part in parts))


def _atom(item: Plain) -> Atom:
    place = "blind.keys.parts."
    strict.only(item, {"fields", "form"}, place=place)
    names = strict.listing(item, "fields", 2, place=place)
    texts = tuple(strict.text({"fields": one}, "fields", place=place) for one in names)
    return Atom(texts, strict.text(item, "form", place=place, longest=40))


def _direction(item: Plain, types: int, groups: int) -> Direction:
    place = "blind.directions."
    strict.only(item, {"asks", "keys", "rows", "values"}, place=place)
    asks = cast(Role, strict.one_of(item, "asks", ROLES, place=place))
    return Direction(
        asks, _numbers(item, "keys", types), _numbers(item, "rows", types), _numbers(item, "values", groups)
    )


def _numbers(item: Plain, name: str, count: int) -> tuple[int, ...]:
    place = "blind.directions."
    found = strict.listing(item, name, max(count, 1), place=place)
    if len(found) != count:
        raise refusals.malformed(place + name, "There must be one number for each.")
    return tuple(strict.integer({name: one}, name, 1, MAX_POINTS, place=place) for one in found)


# ---- in words


def in_words(terms: BlindTerms, names: tuple[str, str]) -> tuple[Said, ...]:
    """As a steward and an ethics board read it; `names` are those of the proposer and the accepter."""
    by = dict(zip(ROLES, names, strict=True))
    said = [
        Said("{asks} asks, {answers} answers.", asks=by[one.asks], answers=by[other(one.asks)])
        for one in terms.directions
    ]
    if terms.mutual:
        said.append(Said("Both directions have limits of their own, and each side decides about what it opened."))
    else:
        said.append(Said("Who asks decides about the pairs, and tells the other side in the result."))
    said.append(
        Said(
            "True number of records: {one} has {first}, {two} has {second}.",
            one=names[0],
            first=terms.sizes[0],
            two=names[1],
            second=terms.sizes[1],
        )
    )
    said.append(
        Said(
            "A partner who lies in every question, and asks what is likeliest by each key, may reach at most "
            "{share:decimals 1} of 100 records of either side; one who asks by each key about those whom the other "
            "keys do not reach, at most {twice:decimals 1}. Each side has counted both on its own table before it "
            "signed.",
            share=100 * terms.coverage,
            twice=100 * MOST_CAREFUL * terms.coverage,
        )
    )
    for place, key in enumerate(terms.recipe.keys):
        most = tuple(one.asked[place] for one in terms.directions)
        key_words = key.said()
        said.append(
            Said("Key {number}: {key}; at most {most:or} questions.", number=place + 1, key=key_words, most=most)
        )
    said.append(
        Said(
            "Questions about values: at most {most:or}.",
            most=tuple(sum(one.values) for one in terms.directions),
        )
    )
    said.append(Said("Suite: {suite}, keys of version {version:plain}.", suite=SUITE, version=terms.recipe.version))
    said.append(
        Said(
            "Run {run} of {runs}. No question or answer is made after {day:date}.",
            run=terms.run,
            runs=terms.runs,
            day=terms.expires,
        )
    )
    if terms.run > 1:
        said.append(
            Said(
                "Links of this run get new ids, because nothing may tell the other side who stayed. Each side finds at "
                "home the id of a record's first link, by its own record numbers or unchanged values."
            )
        )
    return tuple(said)
