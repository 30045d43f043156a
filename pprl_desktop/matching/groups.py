"""Results of three or more parties become groups: records of one person, never more per party than agreed.

Pairwise links contradict each other: A1 = B1 and B1 = C1, but A2 = C1. Plain transitive closure makes one person of all
four, and a single wrong link joins two whole groups. Here links are taken by falling probability; two groups are merged
only if no party would have too many records and at least half of the pairs between them that two parties compared are
links. What was not merged is told: contradictions go to review.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from pprl_desktop.matching.tuning import Tuning
from pprl_desktop.problem import Problem
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.said import Said

Reason = Literal["records", "majority"]  # too many of one party; most compared pairs speak against it
EVERY = 5_000  # links between two looks at the Cancel button
USUAL = Tuning()


@dataclass(frozen=True, order=True)
class Record:
    """A party and its random handle for one record in this group project."""

    party: str
    handle: str


@dataclass(frozen=True)
class Link:
    """One pair of the reconciled result of two parties."""

    one: Record
    other: Record
    probability: float


@dataclass(frozen=True)
class Contradiction:
    """A link that could not be followed, and why; a steward decides."""

    link: Link
    reason: Reason
    why: Said


@dataclass(frozen=True)
class Groups:
    groups: tuple[tuple[Record, ...], ...]  # two records or more, sorted
    contradictions: tuple[Contradiction, ...]
    ties: tuple[Link, ...]  # of equal probability and not together possible: decided by the order of handles

    def pairs(self) -> set[tuple[Record, Record]]:
        """Every cross pair that the groups say is one person."""
        return {
            (one, other)
            for group in self.groups
            for place, one in enumerate(group)
            for other in group[place + 1 :]
            if one.party != other.party
        }


def groups(
    links: Iterable[Link],
    compared: Iterable[tuple[str, str]],
    most: Mapping[str, int] | None = None,
    progress: Progress = NO_PROGRESS,
    tuning: Tuning = USUAL,
) -> Groups:
    """`compared`: which parties linked with each other; `most`: records per party in a group, 1 unless agreed."""
    partners = {frozenset(pair) for pair in compared}
    wanted = _checked(links, partners)
    linked: dict[Record, set[Record]] = defaultdict(set)
    for link in wanted:
        linked[link.one].add(link.other)
        linked[link.other].add(link.one)
    allowed = dict(most or {})
    member: dict[Record, int] = {}
    held: dict[int, list[Record]] = {}
    refused: list[Contradiction] = []
    for place, link in enumerate(wanted):
        if place % EVERY == 0:
            progress.at(place / max(len(wanted), 1), "Forming groups")
        for record in (link.one, link.other):
            if record not in member:
                member[record] = len(member)  # a number of its own: groups are taken away, members are not
                held[member[record]] = [record]
        left, right = member[link.one], member[link.other]
        if left == right:
            continue
        against = _against(held[left], held[right], linked, partners, allowed, tuning)
        if against is not None:
            refused.append(Contradiction(link, *against))
            continue
        small, large = sorted((left, right), key=lambda group: len(held[group]))
        for record in held[small]:
            member[record] = large
        held[large] += held.pop(small)
    apart = [one for one in refused if member[one.link.one] != member[one.link.other]]
    progress.at(1.0)
    return Groups(
        tuple(sorted(tuple(sorted(group)) for group in held.values() if len(group) > 1)),
        tuple(apart),
        _ties(wanted, [one.link for one in apart]),
    )


def closure(links: Iterable[Link]) -> set[frozenset[Record]]:
    """Plain transitive closure, for comparison: what a single wrong link does to it."""
    parent: dict[Record, Record] = {}

    def root(record: Record) -> Record:
        parent.setdefault(record, record)
        while parent[record] != record:
            parent[record] = parent[parent[record]]
            record = parent[record]
        return record

    for link in links:
        parent[root(link.one)] = root(link.other)
    found: dict[Record, set[Record]] = defaultdict(set)
    for record in list(parent):
        found[root(record)].add(record)
    return {frozenset(group) for group in found.values()}


def _checked(links: Iterable[Link], partners: set[frozenset[str]]) -> list[Link]:
    """By falling probability; equal ones in the order of their handles, so that every party forms the same groups."""
    seen: dict[frozenset[Record], Link] = {}
    for link in links:
        if frozenset((link.one.party, link.other.party)) not in partners or link.one.party == link.other.party:
            raise Problem(
                Said("A link joins {one} and {other}, who have no result in this group.",
                     one=link.one.party, other=link.other.party),
                "A result of a party that is not in the group was taken in, or a file was altered.",
                "Take in only the results of the parties of this group.",
                place="links",
            )  # fmt: skip
        if not 0.0 <= link.probability <= 1.0:
            raise Problem("A link has no probability.", do="Ask for the result again.", place="links")
        one, other = sorted((link.one, link.other))
        key = frozenset((one, other))
        if key not in seen or seen[key].probability < link.probability:
            seen[key] = Link(one, other, link.probability)
    return sorted(seen.values(), key=lambda link: (-link.probability, link.one, link.other))


def _against(
    left: Sequence[Record],
    right: Sequence[Record],
    linked: Mapping[Record, set[Record]],
    partners: set[frozenset[str]],
    allowed: Mapping[str, int],
    tuning: Tuning,
) -> tuple[Reason, Said] | None:
    """Why two groups may not become one; None where they may."""
    count: dict[str, int] = defaultdict(int)
    for record in (*left, *right):
        count[record.party] += 1
    for party in sorted(count):
        if count[party] > allowed.get(party, 1):
            return "records", Said("{party} would have {n} records of one person.", party=party, n=count[party])
    sides = [defaultdict[str, int](int), defaultdict[str, int](int)]
    for side, records in zip(sides, (left, right), strict=True):
        for record in records:
            side[record.party] += 1
    looked_at = sum(
        n * m
        for one, n in sides[0].items()
        for other, m in sides[1].items()
        if one != other and frozenset((one, other)) in partners
    )
    # by the links and not by the pairs: with many records of a party in a group those are millions for each link
    few, many = sorted((left, right), key=len)
    inside = set(many)
    agreeing = sum(len(linked[record] & inside) for record in few)
    if looked_at and Fraction(agreeing, looked_at) < tuning.least_agreeing:
        return "majority", Said("Only {n} of {all} compared pairs are links.", n=agreeing, all=looked_at)
    return None


def _ties(wanted: Sequence[Link], refused: Sequence[Link]) -> tuple[Link, ...]:
    """Refused links that had a rival of the same probability at one of their records."""
    best: dict[tuple[Record, float], int] = defaultdict(int)
    for link in wanted:
        for record in (link.one, link.other):
            best[record, link.probability] += 1
    return tuple(
        link for link in refused if max(best[link.one, link.probability], best[link.other, link.probability]) > 1
    )
