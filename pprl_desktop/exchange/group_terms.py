"""A group of three or more parties, as a small file and as a part of each agreement between two of them.

The file names the parties by the fingerprints of their keys, who puts the links together, and how many records of one
person each party may have. It holds no secret. Both sides of an agreement sign the whole of it: that is the consent to
learn, and to let others learn, a link through a third party. Without it nothing of an agreement goes into a group.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from pprl_desktop import files
from pprl_desktop.exchange import clock, refusals, strict
from pprl_desktop.exchange.names import MAX_NAME, alike, check_name
from pprl_desktop.exchange.strict import Plain
from pprl_desktop.problem import Problem
from pprl_desktop.said import Said

FORMAT, VERSION = "pprl-group", 1
SUFFIX = ".pprlgroup"
MAX_FILE = 64 * 1024  # bytes
PARTIES = range(3, 33)  # how many may be in a group
MOST_RECORDS = 100  # of one person at one party
HEX = 64  # characters of an id or a fingerprint


UNCOMPARED = Said("Names of parties whose card you have not compared are the word of whoever made the group.")


@dataclass(frozen=True)
class Member:
    """One party of a group."""

    name: str
    sign: str  # fingerprint of its signing key
    most: int = 1  # records of one person it may have in a group


@dataclass(frozen=True)
class Group:
    name: str
    made: str
    computes: str  # fingerprint of the party that puts the links of all together
    members: tuple[Member, ...]  # by fingerprint, so that every side has the same order

    @property
    def id(self) -> str:
        return hashlib.sha256(b"pprl-group/v1\0" + strict.dumps(to_plain(self))).hexdigest()

    def member(self, sign: str) -> Member:
        return self.members[self.place(sign)]

    def place(self, sign: str) -> int:
        """Where a party stands; a Problem for who is not in the group."""
        for at, one in enumerate(self.members):
            if one.sign == sign:
                return at
        raise not_in_group(self)

    def has(self, sign: str) -> bool:
        return any(one.sign == sign for one in self.members)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(one.name for one in self.members)


def new(name: str, cards: Sequence[tuple[str, str]], computes: str, most: Mapping[str, int] | None = None) -> Group:
    """`cards`: name and fingerprint of every party, the own one included; `most` by fingerprint."""
    allowed = most or {}
    members = sorted((Member(one, sign, allowed.get(sign, 1)) for one, sign in cards), key=lambda one: one.sign)
    if len(members) not in PARTIES:
        raise Problem(
            "A group has at least three parties.",
            "For two, an agreement is enough.",
            "Name the other parties: their cards must be among your contacts.",
            place="parties",
        )
    return parse(to_plain(Group(check_name(name), clock.now(), computes, tuple(members))))


def to_plain(group: Group) -> Plain:
    return {
        "name": group.name,
        "made": group.made,
        "computes": group.computes,
        "members": [{"name": one.name, "sign": one.sign, "most": one.most} for one in group.members],
    }


def parse(plain: Plain, place: str = "group.") -> Group:
    strict.only(plain, {"name", "made", "computes", "members"}, place=place)
    members = tuple(_member(item, f"{place}members.") for item in strict.mappings(plain, "members", 32, place=place))
    signs = [one.sign for one in members]
    names = [one.name for one in members]
    twice = any(alike(one, other) for one, other in combinations(names, 2))
    if len(members) not in PARTIES or signs != sorted(set(signs)) or twice:
        raise refusals.malformed(f"{place}members", "There must be three parties or more, each named once, in order.")
    computes = strict.hexes(plain, "computes", 32, place=place)
    if computes not in signs:
        raise refusals.malformed(f"{place}computes", "Who puts the links together must be one of the parties.")
    name = strict.text(plain, "name", place=place, longest=MAX_NAME)
    made = strict.text(plain, "made", place=place, longest=40)
    if not clock.is_written(made):
        raise refusals.malformed(f"{place}made", "It must be a date and time in UTC.")
    return Group(_shown(name, f"{place}name"), made, computes, members)


def _member(item: Plain, place: str) -> Member:
    strict.only(item, {"name", "sign", "most"}, place=place)
    name = strict.text(item, "name", place=place, longest=MAX_NAME)
    sign = strict.hexes(item, "sign", 32, place=place)
    return Member(_shown(name, f"{place}name"), sign, strict.integer(item, "most", 1, MOST_RECORDS, place=place))


def _shown(name: str, place: str) -> str:
    """A name that shows as what it is; one that does not is refused as what it is: somebody else's file."""
    try:
        return check_name(name)
    except Problem as problem:
        raise refusals.malformed(place, problem.why) from problem


def write(group: Group, path: Path) -> None:
    files.write_bytes(path, strict.dumps({"format": FORMAT, "version": VERSION, **to_plain(group)}) + b"\n")


def read(path: Path) -> Group:
    """From a file that anybody may have made: it becomes binding only by the agreements that name it."""
    wrong = Problem(
        "This is not a group file.", "It is too long or of another kind.", "Choose the group file.", place="group"
    )
    data = files.read_bytes(path, MAX_FILE, wrong)
    if not data.startswith(b"{"):
        raise wrong
    plain = strict.loads(data.removesuffix(b"\n"), "group")
    if plain.pop("format", None) != FORMAT:
        raise wrong
    if strict.integer({"version": plain.pop("version", 0)}, "version", 1, 1 << 31) > VERSION:
        raise refusals.newer_version()
    return parse(plain, "")


def in_words(group: Group) -> tuple[Said, ...]:
    """What both sides of an agreement consent to."""
    who = group.member(group.computes).name
    more = [Said("{name} up to {n}", name=one.name, n=one.most) for one in group.members if one.most > 1]
    return (
        Said(
            "Part of the group '{group}' of {names:and}. {who} puts the links of all of them together.",
            group=group.name,
            names=group.names,
            who=who,
        ),
        Said(
            "For that each side may hand {who} the links of this agreement, its own records under new random names. "
            "{who} learns which random names of which parties belong together, and how sure each link is.",
            who=who,
        ),
        Said(
            "Both sides consent that every party of the group is told of its own records which other parties hold the "
            "same person, also where that was found only through a third party."
        ),
        UNCOMPARED,
        Said("Records of one person per party in a group: {more}, the others one.", more=more)
        if more
        else Said("Records of one person per party in a group: at most one."),
    )


def not_in_group(group: Group) -> Problem:
    return Problem(
        Said("This party is not in the group '{group}'.", group=group.name),
        Said("Its parties are {names:and}.", names=group.names),
        "Use only files of the parties of this group.",
        place="group",
    )


def without_consent(one: str, other: str) -> Problem:
    return Problem(
        Said("{one} and {other} have not consented to this group.", one=one, other=other),
        "Between every two parties an agreement that names the group must be in force, and both must have sent their "
        "links under it: each would learn links of the other through a third party.",
        Said("Ask {one} and {other} to sign one, or make a group without one of them.", one=one, other=other),
        place="consent",
    )
