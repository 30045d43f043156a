"""Reports of all parties of a group -> groups, and for each party what it is told. Nothing of a report is believed.

Two parties' reports meet in the ids of their links, which only those two know: a link counts if both report it. Where
they speak of other results, or of the same results and other links, nothing is formed.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from pprl_desktop.exchange import group_terms, groups
from pprl_desktop.exchange.group_terms import Group, Member
from pprl_desktop.exchange.groups import NOT_COMPARED, REASONS, UNKNOWN, GroupAnswer, Links
from pprl_desktop.exchange.pseudonyms import PSEUDONYM
from pprl_desktop.exchange.results import LINK
from pprl_desktop.matching.groups import Groups, Link, Record
from pprl_desktop.matching.groups import groups as merged
from pprl_desktop.problem import Problem
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.said import Said


@dataclass(frozen=True)
class NotFollowed:
    """A link that contradicts surer ones."""

    one: str
    other: str
    probability: float
    why: Said
    tie: bool  # another link was as sure


@dataclass(frozen=True)
class Formed:
    groups: int
    records: int
    links: int
    by_parties: tuple[tuple[int, int], ...]  # parties in a group, groups
    contradictions: tuple[NotFollowed, ...] = field(repr=False)
    told: Mapping[str, GroupAnswer] = field(repr=False)  # by fingerprint of the party

    @property
    def ties(self) -> int:
        return sum(one.tie for one in self.contradictions)


@dataclass(frozen=True)
class Joined:
    """A link that both sides report: the id they have in common, and the two handles. Parties go by their names."""

    id: bytes
    link: Link

    def seen_from(self, name: str) -> Record | None:
        """The other end; None where the party has no part in it."""
        one, other = self.link.one, self.link.other
        return other if one.party == name else one if other.party == name else None


def form(group: Group, reports: Mapping[str, Links], progress: Progress = NO_PROGRESS) -> Formed:
    """`reports` by fingerprint, of every member. The same reports give the same groups under other random ids."""
    joined, compared = _joined(group, reports)
    most = {one.name: one.most for one in group.members}
    made = merged((one.link for one in joined), compared, most, progress.part(0.1, 0.9))
    parties = [len({record.party for record in one}) for one in made.groups]
    ties = set(made.ties)
    refused = tuple(
        NotFollowed(one.link.one.party, one.link.other.party, one.link.probability, one.why, one.link in ties)
        for one in made.contradictions
    )
    sizes = tuple((size, parties.count(size)) for size in sorted(set(parties)))
    told = _told(group, reports, made, joined)
    progress.at(1.0)
    return Formed(len(made.groups), sum(map(len, made.groups)), len(joined), sizes, refused, told)


def _joined(group: Group, reports: Mapping[str, Links]) -> tuple[list[Joined], list[tuple[str, str]]]:
    joined: list[Joined] = []
    compared = []
    for one, other in combinations(group.members, 2):
        mine, theirs = reports[one.sign].agreements.get(other.sign), reports[other.sign].agreements.get(one.sign)
        if mine is None or theirs is None or mine.agreement != theirs.agreement:
            raise group_terms.without_consent(one.name, other.name)
        if mine.state != theirs.state:
            raise Problem(
                Said("{one} and {other} speak of different results.", one=one.name, other=other.name),
                "One of them sent its links before the latest results were exchanged.",
                "Ask both to send their links again.",
                place="links",
            )
        if mine.state == NOT_COMPARED:
            continue
        compared.append((one.name, other.name))
        left, right = _by_link(group, reports[one.sign], other), _by_link(group, reports[other.sign], one)
        if left.keys() != right.keys():
            raise Problem(
                Said("{one} and {other} report different links.", one=one.name, other=other.name),
                "Both speak of the same results, so one of the two lists was altered.",
                "Form no groups of it. Ask both what they sent.",
                place="links",
            )
        for id, (handle, weight) in left.items():
            other_handle, other_weight = right[id]
            sure = min(weight, other_weight)  # as sure as the less sure side; UNKNOWN is above all
            probability = groups.probability_of(0 if sure == UNKNOWN else sure)
            first, second = sorted((Record(one.name, handle), Record(other.name, other_handle)))
            joined.append(Joined(id, Link(first, second, probability)))
    return joined, compared


def _by_link(group: Group, report: Links, other: Member) -> dict[bytes, tuple[str, int]]:
    """Links of a report with one party: id -> own handle and how sure."""
    chosen = np.flatnonzero(report.party == group.place(other.sign))
    return {report.link[at].tobytes(): (report.handle[at].tobytes().hex(), int(report.weight[at])) for at in chosen}


def _told(group: Group, reports: Mapping[str, Links], made: Groups, joined: Sequence[Joined]) -> dict[str, GroupAnswer]:
    """For each party: its handles with the random id of their group, and its links that were not followed."""
    places = {one.name: at for at, one in enumerate(group.members)}
    ids = np.frombuffer(os.urandom(groups.GROUP * len(made.groups)), np.uint8).reshape(-1, groups.GROUP)
    group_of = {record: at for at, one in enumerate(made.groups) for record in one}
    counts = np.zeros((len(made.groups), len(places)), np.uint8)
    handles: dict[str, list[Record]] = {name: [] for name in places}
    for record, at in group_of.items():
        counts[at, places[record.party]] += 1
        handles[record.party].append(record)
    refused = {one.link: REASONS.index(one.reason) for one in made.contradictions}
    ties = set(made.ties)
    told = {}
    for member in group.members:
        inside = handles[member.name]
        where = np.array([group_of[record] for record in inside], np.int64)
        doubts = [
            (one.id, places[other.party], refused[one.link], one.link in ties)
            for one in joined
            if one.link in refused and (other := one.seen_from(member.name)) is not None
        ]
        told[member.sign] = GroupAnswer(
            reports[member.sign].digest or NOT_COMPARED,
            np.frombuffer(bytes.fromhex("".join(one.handle for one in inside)), np.uint8).reshape(-1, PSEUDONYM),
            ids[where],
            counts[where],
            np.frombuffer(b"".join(one[0] for one in doubts), np.uint8).reshape(-1, LINK),
            *(np.array([one[place] for one in doubts], np.uint8) for place in (1, 2, 3)),
        )
    return told
