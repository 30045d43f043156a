"""Several partners: the links of three or more parties become groups, each record under a random handle.

Every party links with every other under an agreement of their own, as ever. One of them, named in the group that all
agreements carry, puts the links together (matching/groups.py); the others send it theirs and are told what concerns
them. The links are those of the reconciled results, so nothing is compared anew. What leaves is in the ledger first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from pprl_desktop.exchange import group_terms, groups
from pprl_desktop.exchange.contacts import must_be_verified
from pprl_desktop.exchange.group_terms import SUFFIX, Group, Member
from pprl_desktop.exchange.groups import NOT_COMPARED, REASONS, UNKNOWN, Compared, GroupAnswer, Links, Sent
from pprl_desktop.exchange.pseudonyms import places_of
from pprl_desktop.exchange.results import LINK
from pprl_desktop.exchange.signatory import Signatory
from pprl_desktop.job.group_forming import Formed, form
from pprl_desktop.job.partnership import Partnership
from pprl_desktop.problem import Problem
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.records.writing import write_table
from pprl_desktop.said import NOTHING, Said

if TYPE_CHECKING:
    from pprl_desktop.exchange.agreement import Agreement
    from pprl_desktop.exchange.home import Home
    from pprl_desktop.exchange.identity import Identity
    from pprl_desktop.exchange.results import Outcome
    from pprl_desktop.job.own_table import OwnTable
    from pprl_desktop.project.choices import Choices

__all__ = ["SUFFIX", "Formed", "GroupProject", "find", "in_words", "new_group", "read_file", "write_file"]

OWN = "own-links.pprl"
READING = ("encoding", "separator", "header_line", "id_column", "drop_copies")  # how the own file was read


@dataclass(frozen=True)
class Standing:
    """One other party of the group, as seen from here."""

    member: Member
    computes: bool
    agreement: str = ""  # id of the agreement in force that names the group; "": none, so no consent
    compared: bool = False  # both results are here
    missing: Said = NOTHING  # why there are no links with it yet
    sent: str = ""  # when the links or groups went to it
    received: str = ""  # when its links or the groups came


@dataclass(frozen=True)
class Planned:
    """What send() would hand over, before anything is written."""

    group: Group
    to: str
    links: int
    records: int
    with_parties: tuple[str, ...]
    without: tuple[tuple[str, Said], ...]  # parties without links, and why

    def sentences(self) -> tuple[Said, ...]:
        return (
            Said(
                "{n|One link|{n} links} of {records} of your records with {names:and} would go to {to}, under new"
                " random names, with how sure each is.",
                n=self.links,
                records=self.records,
                names=self.with_parties or (Said("nobody"),),
                to=self.to,
            ),
            Said(
                "{to} learns which random names of which parties belong together, and no value of a record. Every "
                "party is then told which others hold the same person, also where only a third party links them: the "
                "agreements say so.",
                to=self.to,
            ),
            *(Said("No links with {name}: {why}", name=name, why=why) for name, why in self.without),
        )


@dataclass(frozen=True, eq=False)
class OwnGroups:
    """The own side of the groups: own rows with their group, and own links that were not followed."""

    rows: tuple[int, ...]
    ids: tuple[str, ...] = field(repr=False)
    counts: tuple[tuple[int, ...], ...]  # records of each member in the group
    through: int  # own records with a party that only a third party links them to
    doubts: tuple[Doubt, ...]


@dataclass(frozen=True)
class Doubt:
    """An own link that was not followed: to be looked at again with that party."""

    party: Member
    row: int
    link: str
    reason: str
    tie: bool


@dataclass(frozen=True)
class Moved:
    """Links that were sent to the review with one party."""

    party: str
    doubted: int
    moved: int
    agreed: bool  # whether a masked review was agreed at all

    def sentence(self) -> Said:
        if not self.agreed:
            return Said(
                "{party}: {n} {n|link was|links were} not followed. No masked review was agreed with this party.",
                party=self.party,
                n=self.doubted,
            )
        return Said(
            "{party}: {n} {n|link|links} sent to review. Send your result again, then review as usual.",
            party=self.party,
            n=self.moved,
        )


class GroupProject:
    """`id` may be the beginning of a group's id or its name; without one, the only group is meant."""

    def __init__(self, home: Home, identity: Identity, id: str = "") -> None:
        self.home, self.identity = home, identity
        self.group = find(home, id)
        self._outcomes: dict[tuple[str, str], Outcome | Problem] = {}  # by agreement and the results it rests on

    # who is who -----------------------------------------------------------------------------------

    @property
    def me(self) -> str:
        return self.identity.keys.public().party.sign

    @property
    def computes(self) -> bool:
        return self.group.computes == self.me

    @property
    def others(self) -> tuple[Member, ...]:
        return tuple(one for one in self.group.members if one.sign != self.me)

    def _signatory(self, agreement: Agreement) -> Signatory:
        return Signatory(self.home, self.identity, agreement.id)

    def partnership(self, member: Member) -> Partnership | None:
        found = groups.agreement_with(self.home, self.group, member.sign)
        return Partnership(self.home, self.identity, found.id) if found else None

    def standing(self) -> tuple[Standing, ...]:
        made = []
        for member in self.others:
            agreement = groups.agreement_with(self.home, self.group, member.sign)
            one = Standing(member, member.sign == self.group.computes)
            if agreement is None:
                made.append(replace(one, missing=Said("No agreement that names the group is in force.")))
                continue
            out, back = (groups.TOLD, groups.LINKS) if self.computes else (groups.LINKS, groups.TOLD)
            sent, received = agreement.latest_sent(out), agreement.latest_received(back)
            outcome = self._outcome(Partnership(self.home, self.identity, agreement.id))
            missing = outcome.what if isinstance(outcome, Problem) else NOTHING
            made.append(
                replace(
                    one,
                    agreement=agreement.id,
                    compared=not missing,
                    missing=missing,
                    sent=sent.made if sent else "",
                    received=received.made if received else "",
                )
            )
        return tuple(made)

    def _outcome(self, partnership: Partnership) -> Outcome | Problem:
        """Opened once as long as no newer result comes; a Problem says what is missing."""
        key = partnership.id, groups.state_of(partnership.agreement)
        if key not in self._outcomes:
            try:
                self._outcomes[key] = partnership.outcome()
            except Problem as problem:
                self._outcomes[key] = problem
        return self._outcomes[key]

    # the own links --------------------------------------------------------------------------------

    def plan(self, own: OwnTable, choices: Choices, progress: Progress = NO_PROGRESS) -> Planned:
        """What send() would hand over."""
        mine = self._links(own, choices, progress)
        names = [one.name for one in self.others if mine.agreements.get(one.sign, Compared("")).state != NOT_COMPARED]
        without = [(one.member.name, one.missing) for one in self.standing() if one.missing]
        records = len(np.unique(mine.handle, axis=0))
        who = self.group.member(self.group.computes).name
        return Planned(self.group, who, len(mine), records, tuple(names), tuple(without))

    def send(self, own: OwnTable, choices: Choices, out: Path, progress: Progress = NO_PROGRESS) -> Sent:
        """The own links, sealed for the party that puts all together."""
        if self.computes:
            raise Problem(
                "You put the links together yourself.",
                do="Open the links of the other parties, then form the groups.",
                place="group",
            )
        agreement = groups.agreement_with(self.home, self.group, self.group.computes)
        if agreement is None:
            raise group_terms.without_consent(self.group.member(self.me).name, self._name(self.group.computes))
        mine = self._links(own, choices, progress.part(0.0, 0.7))
        if not len(mine):
            raise Problem(
                "There are no links to hand over yet.",
                "No two results with a party of the group are here.",
                "Match with the other parties, and exchange results, first.",
                place="links",
            )
        return groups.send(self._signatory(agreement), self.group, mine, out, progress.part(0.7, 1.0))

    def _links(self, own: OwnTable, choices: Choices, progress: Progress) -> Links:
        """Own links with every party that consented: link id, own handle, how sure."""
        agreed = [(member, found) for member in self.others if (found := self.partnership(member))]
        listed: dict[str, Compared] = {}
        rows: list[int] = []
        ids: list[str] = []
        parties: list[int] = []
        weights: list[int] = []
        tables: dict[str, str] = {}
        size = 0
        for at, (member, partnership) in enumerate(agreed):
            progress.at(at / len(agreed), Said("Links with {name}", name=member.name))
            outcome, agreement = self._outcome(partnership), partnership.agreement
            if isinstance(outcome, Problem):
                listed[member.sign] = Compared(partnership.id)
                continue
            listed[member.sign] = Compared(agreement.id, groups.state_of(agreement))
            reading = {name: getattr(choices, name) for name in READING}
            cleaned = partnership.choices(Path(choices.table_path)).changed(**reading)
            size, tables[agreement.id] = partnership.must_be_exported(own, cleaned)
            sure = _sure(partnership)
            for (row, theirs), link in zip(outcome.reconciled.linked.tolist(), outcome.links, strict=True):
                rows.append(row)
                ids.append(link)
                parties.append(self.group.place(member.sign))
                weights.append(sure.get((row, theirs), UNKNOWN))
        handles = groups.handles(self.home, self.identity, self.group, size, tables)
        progress.at(1.0)
        return Links(
            listed,
            handles[np.array(rows, np.int64)],
            np.frombuffer(bytes.fromhex("".join(ids)), np.uint8).reshape(-1, LINK),
            np.array(parties, np.uint8),
            np.array(weights, np.int32),
        )

    # putting together -----------------------------------------------------------------------------

    def form(self, own: OwnTable, choices: Choices, progress: Progress = NO_PROGRESS) -> Formed:
        """Groups of the links of all parties; kept, sealed. Refused while a party or a consent is missing."""
        if not self.computes:
            raise Problem(
                Said("{who} puts the links together.", who=self._name(self.group.computes)),
                do="Send your links there.",
                place="group",
            )
        reports = self._reports(own, choices, progress.part(0.0, 0.3))
        formed = form(self.group, reports, progress.part(0.3, 0.9))
        with self.home.locked():
            for sign, told in formed.told.items():
                name, body = _formed_for(self.group.place(sign)), told.body(self.group)
                groups.keep(self.home, self.identity, self.group, name, body, told.arrays())
        progress.at(1.0)
        return formed

    def _reports(self, own: OwnTable, choices: Choices, progress: Progress) -> dict[str, Links]:
        """By fingerprint: the own links, and what every other party sent last."""
        mine = self._links(own, choices, progress)
        reports = {self.me: mine}
        groups.keep(self.home, self.identity, self.group, OWN, mine.body(self.group), mine.arrays())
        for member in self.others:
            agreement = groups.agreement_with(self.home, self.group, member.sign)
            if agreement is None:
                raise group_terms.without_consent(self._name(self.me), member.name)
            item = agreement.latest_received(groups.LINKS)
            if item is None:
                raise Problem(
                    Said("The links of {name} are not here yet.", name=member.name),
                    do="Open them first.",
                    place="links",
                )
            reports[member.sign] = groups.received_links(self._signatory(agreement), item)
        return reports

    def tell(self, name: str, out: Path, progress: Progress = NO_PROGRESS) -> Sent:
        """What concerns one party, sealed for it: its handles in groups, its links that were not followed."""
        member = next((one for one in self.others if one.name == name), None)
        if member is None:
            raise group_terms.not_in_group(self.group)
        agreement = groups.agreement_with(self.home, self.group, member.sign)
        if agreement is None:
            raise group_terms.without_consent(self._name(self.me), member.name)
        told = self._told(self.group.place(member.sign))
        item = agreement.latest_received(groups.LINKS)
        if item is None or told.links != item.digest:
            raise Problem(
                Said("{name} has sent other links since the groups were formed.", name=member.name),
                do="Form the groups again.",
                place="groups",
            )
        return groups.send(self._signatory(agreement), self.group, told, out, progress)

    def _told(self, place: int) -> GroupAnswer:
        found = groups.kept(self.home, self.identity, self.group, _formed_for(place)) if self.computes else None
        if found is None:
            raise Problem("The groups are not formed yet.", do="Form them first.", place="groups")
        body, arrays = found
        return GroupAnswer(str(body["links"]), **arrays)

    # what came of it ------------------------------------------------------------------------------

    def own_groups(self) -> OwnGroups:
        """The own records in groups: as formed here, or as told by the party that formed them."""
        told, mine = self._own()
        me = self.group.place(self.me)
        known = groups.known_handles(self.home, self.identity, self.group)
        rows = places_of(told.handle, known)
        row_of = {
            (int(party), link.tobytes()): int(row)
            for party, link, row in zip(mine.party, mine.link, places_of(mine.handle, known), strict=True)
        }
        doubts = tuple(
            Doubt(self.group.members[party], row_of[int(party), link.tobytes()], link.tobytes().hex(),
                  REASONS[reason], bool(tie))
            for party, link, reason, tie in zip(told.doubt_party, told.doubt, told.reason, told.tie, strict=True)
        )  # fmt: skip
        return OwnGroups(
            tuple(rows.tolist()),
            tuple(one.tobytes().hex() for one in told.group),
            tuple(map(tuple, told.count.tolist())),
            groups.through_others(told, mine, me),
            doubts,
        )

    def _own(self) -> tuple[GroupAnswer, Links]:
        if self.computes:
            found = groups.kept(self.home, self.identity, self.group, OWN)
            told = self._told(self.group.place(self.me))
            assert found is not None, "kept before the groups are formed"
            return told, groups.links_of(*found)
        agreement = groups.agreement_with(self.home, self.group, self.group.computes)
        item = agreement.latest_received(groups.TOLD) if agreement else None
        mine = groups.sent_links(self._signatory(agreement)) if agreement else None
        if agreement is None or item is None or mine is None:
            raise Problem(
                Said("{who} has not told the groups yet.", who=self._name(self.group.computes)),
                do="Open its file first.",
                place="groups",
            )
        told = groups.received_told(self._signatory(agreement), item)
        if told.links != mine.digest:
            raise Problem(
                "The groups are older than the links you sent last.", do="Wait for the new ones.", place="groups"
            )
        return told, mine

    def review(self) -> tuple[Moved, ...]:
        """Own links that were not followed go back into the review band of the match with that party."""
        doubts = self.own_groups().doubts
        made = []
        for member in self.others:
            wanted = {one.link for one in doubts if one.party == member}
            partnership = self.partnership(member)
            if not wanted or partnership is None:
                continue
            agreed = partnership.agreement.terms.rule == "review"
            made.append(Moved(member.name, len(wanted), partnership.doubt(wanted) if agreed else 0, agreed))
        return tuple(made)

    def write(self, own: OwnTable, choices: Choices, out: Path) -> int:
        """One line per own record in a group: the id that every party has, who holds how many, sensitive columns."""
        found = self.own_groups()
        table = own.table(choices)
        header = ("group_id", *self.group.names, *choices.sensitive)
        if len(set(header)) < len(header):
            raise Problem(
                "A column would stand twice in the table of groups.",
                do="Take it out of the sensitive columns.",
                place="sensitive",
            )
        columns = [table.column(name) for name in choices.sensitive]
        rows = sorted(
            [id, *map(str, count), *(column.cell(row) for column in columns)]
            for row, id, count in zip(found.rows, found.ids, found.counts, strict=True)
        )
        write_table(out, list(header), rows)
        return len(rows)

    def _name(self, sign: str) -> str:
        return self.group.member(sign).name


def find(home: Home, wanted: str = "") -> Group:
    """By the beginning of its id or by its name; without either, the only group that agreements in force name."""
    known = groups.of_home(home).values()
    fitting = [one for one in known if not wanted or one.id.startswith(wanted.lower()) or one.name == wanted]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        raise Problem(
            "Several groups fit.",
            Said("They are {names:and}.", names=[f"{one.name} ({one.id[:12]})" for one in fitting]),
            "Name one of them.",
            place="group",
        )
    raise Problem(
        "There is no such group.",
        "A group is known once an agreement in force names it.",
        "Propose agreements with the group file, and wait for the answers.",
        place="group",
    )


def names_of_home(home: Home) -> dict[str, str]:
    """Groups that agreements in force name: id and name."""
    return {id: one.name for id, one in groups.of_home(home).items()}


def new_group(
    home: Home, name: str, contacts: Sequence[str], computes: str = "", most: Mapping[str, int] | None = None
) -> Group:
    """A group of oneself and verified contacts; `computes` and `most` by contact, "" is oneself."""
    own = home.own_card()
    sign_of = {"": own.party.sign, own.name: own.party.sign}
    cards = [(own.name, own.party.sign)]
    for wanted in contacts:
        contact = home.contact(wanted)
        must_be_verified(contact)
        sign_of[wanted] = sign_of[contact.name] = contact.card.party.sign
        cards.append((contact.name, contact.card.party.sign))
    allowed = most or {}
    for wanted in (computes, *allowed):
        if wanted not in sign_of:
            raise Problem(
                Said("'{name}' is not a party of the group.", name=wanted),
                do="Name it as a party too.",
                place="parties",
            )
    return group_terms.new(name, cards, sign_of[computes], {sign_of[one]: count for one, count in allowed.items()})


def write_file(group: Group, path: Path) -> None:
    """The group file that every party gets. It holds names and fingerprints, nothing secret."""
    group_terms.write(group, path)


def read_file(path: Path) -> Group:
    return group_terms.read(path)


def in_words(group: Group) -> tuple[Said, ...]:
    """What the parties of a group consent to."""
    return group_terms.in_words(group)


def _sure(partnership: Partnership) -> dict[tuple[int, int], int]:
    """How sure the own match is of each pair; nothing where the partner alone decided (blind)."""
    try:
        found = partnership.kept()
    except Problem:
        return {}
    return {
        (own, partner): groups.weight_of(probability)
        for own, partner, probability in zip(
            found.own.tolist(), found.partner.tolist(), found.probability.tolist(), strict=True
        )
    }


def _formed_for(place: int) -> str:
    return f"formed-{place}.pprl"
