"""What passes in a group of several parties, each letter under the agreement of its two sides, sealed and in sequence.

    group_links   from each party to the one that computes: its links with every other party, own records under one
                  random handle each. A link bears the id that both of its sides have, so the handles of two parties
                  meet at the party that computes and nowhere else, and a link counts only if both sides report it.
    groups        back to each party: which of its handles are in which group, how many records of it each party has,
                  and which of its links were not followed.

Nothing of a letter is believed: who may send it, which letter it answers, and that every link is accounted for, is
checked before it is taken in.
"""

from __future__ import annotations

import hashlib
import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from pprl_desktop import files
from pprl_desktop.exchange import group_terms, letters, refusals, seal, strict
from pprl_desktop.exchange.agreement import Agreement, Item
from pprl_desktop.exchange.container import Array
from pprl_desktop.exchange.disclosures import PlannedDisclosure, What
from pprl_desktop.exchange.group_terms import Group
from pprl_desktop.exchange.home import Home
from pprl_desktop.exchange.identity import Identity
from pprl_desktop.exchange.manifest import NO_AGREEMENT, Entry, Manifest
from pprl_desktop.exchange.pseudonyms import PSEUDONYM, Pseudonyms, order_of
from pprl_desktop.exchange.results import LINK
from pprl_desktop.exchange.signatory import Signatory
from pprl_desktop.exchange.strict import Plain
from pprl_desktop.problem import Problem
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.said import Said

LINKS, TOLD = "group_links", "groups"
NOT_COMPARED = "0" * 64  # the state of an agreement without results
GROUP = 8  # bytes of a group's id
TENTHS = 10  # weights are sent in tenths of a bit
MOST_BITS = 40  # beyond it a link is as sure as it gets
UNKNOWN = 1 << 20  # the weight of a link that its reporter did not score itself
REASONS = ("records", "majority")  # by code: why a link was not followed
Ints = npt.NDArray[np.int32]


@dataclass(frozen=True)
class Compared:
    """Under which agreement two parties linked, and the results that the links come from."""

    agreement: str
    state: str = NOT_COMPARED


@dataclass(frozen=True, eq=False)
class Links:
    """What one party reports to the one that computes."""

    agreements: Mapping[str, Compared]  # by fingerprint of the other party
    handle: Pseudonyms = field(repr=False)  # own random name of the record
    link: npt.NDArray[np.uint8] = field(repr=False)  # [n, 8] the id that both sides of the link have
    party: npt.NDArray[np.uint8]  # with whom: place among the group's members
    weight: Ints  # log2 of the odds, in tenths; UNKNOWN
    digest: str = ""  # of the letter it came in; of the own one, once it was sent

    def __len__(self) -> int:
        return len(self.handle)

    def body(self, group: Group) -> Plain:
        listed = [
            {"party": sign, "agreement": one.agreement, "state": one.state}
            for sign, one in sorted(self.agreements.items())
        ]
        return {"group": group.id, "links": len(self), "agreements": listed}

    def arrays(self) -> dict[str, Array]:
        order = order_of(self.handle, np.pad(self.link, ((0, 0), (0, PSEUDONYM - LINK))))
        return {
            "handle": self.handle[order], "link": self.link[order], "party": self.party[order],
            "weight": self.weight[order],
        }  # fmt: skip


@dataclass(frozen=True, eq=False)
class GroupAnswer:
    """What one party is told: its handles in groups, and its links that were not followed."""

    links: str  # digest of the letter this answers
    handle: Pseudonyms = field(repr=False)
    group: npt.NDArray[np.uint8] = field(repr=False)  # [n, 8] id of the group, the same for every party
    count: npt.NDArray[np.uint8]  # [n, members] records of each party in that group
    doubt: npt.NDArray[np.uint8] = field(repr=False)  # [d, 8] ids of links that were not followed
    doubt_party: npt.NDArray[np.uint8]
    reason: npt.NDArray[np.uint8]  # place in REASONS
    tie: npt.NDArray[np.uint8]  # 1: another link was as sure

    def body(self, group: Group) -> Plain:
        return {"group": group.id, "links": self.links, "records": len(self.handle), "doubts": len(self.doubt)}

    def arrays(self) -> dict[str, Array]:
        order = order_of(self.handle)
        by = np.lexsort((*self.doubt.T[::-1], self.doubt_party))
        return {
            "handle": self.handle[order], "group": self.group[order], "count": self.count[order],
            "doubt": self.doubt[by], "doubt_party": self.doubt_party[by], "reason": self.reason[by],
            "tie": self.tie[by],
        }  # fmt: skip


def weight_of(probability: float) -> int:
    """Tenths of a bit; what is not known says so."""
    if not math.isfinite(probability):
        return UNKNOWN
    inside = min(max(probability, 2.0**-MOST_BITS), 1.0 - 2.0**-MOST_BITS)
    return max(-TENTHS * MOST_BITS, min(TENTHS * MOST_BITS, round(TENTHS * math.log2(inside / (1.0 - inside)))))


def probability_of(weight: int) -> float:
    return 1.0 / (1.0 + math.exp2(-weight / TENTHS))


def of_home(home: Home) -> dict[str, Group]:
    """Groups that an agreement in force names, by id."""
    found = [one.terms.group for one in home.agreements() if one.state == "in force"]
    return {group.id: group for group in found if group is not None}


def agreement_with(home: Home, group: Group, sign: str) -> Agreement | None:
    """The latest agreement in force with a party that names the group; both sides pick the same."""
    fitting = [
        one
        for one in home.agreements()
        if one.state == "in force" and one.partner_side.party.sign == sign and one.terms.group == group
    ]
    return fitting[-1] if fitting else None


def state_of(agreement: Agreement) -> str:
    """The results of both sides that an outcome comes from: the same text on both sides."""
    items = (agreement.latest_sent("result"), agreement.latest_received("result"))
    digests = sorted(item.digest for item in items if item is not None)
    return hashlib.sha256("".join(digests).encode()).hexdigest() if digests else NOT_COMPARED


# ---- handles: one random name per own record and group


def handles(home: Home, own: Identity, group: Group, rows: int, tables: Mapping[str, str]) -> Pseudonyms:
    """Made once and kept, sealed. Other rows under an agreement (`tables`: its exported table) need other handles."""
    path = _folder(home, group.id) / "handles.pprl"
    if path.is_file():
        kept = letters.open_own(own, path)
        before = {one["agreement"]: one["table"] for one in kept.manifest.body["tables"]}
        made = kept.load()["handle"]
        if len(made) == rows and all(before.get(id, table) == table for id, table in tables.items()):
            return made
    made = np.frombuffer(os.urandom(rows * PSEUDONYM), np.uint8).reshape(rows, PSEUDONYM)
    body = {"tables": [{"agreement": id, "table": table} for id, table in sorted(tables.items())]}
    keep(home, own, group, "handles.pprl", body, {"handle": made})
    return made


def known_handles(home: Home, own: Identity, group: Group) -> Pseudonyms:
    """As they are at home; none before the links were first put together."""
    path = _folder(home, group.id) / "handles.pprl"
    return letters.open_own(own, path).load()["handle"] if path.is_file() else np.empty((0, PSEUDONYM), np.uint8)


def keep(home: Home, own: Identity, group: Group, name: str, body: Plain, arrays: Mapping[str, Array]) -> None:
    """Something of a group that only this home folder's owner can read again."""
    target = _folder(home, group.id) / name
    files.make_folder(target.parent)
    made = letters.manifest_to_self(own, NO_AGREEMENT, body)
    seal.seal(target, made, dict(arrays), own.keys, own.keys.public())


def kept(home: Home, own: Identity, group: Group, name: str) -> tuple[Plain, dict[str, Array]] | None:
    path = _folder(home, group.id) / name
    if not path.is_file():
        return None
    opened = letters.open_own(own, path)
    return opened.manifest.body, opened.load()


def _folder(home: Home, id: str) -> Path:
    assert set(id) <= set("0123456789abcdef"), "a hash, never a path"
    return home.path / "groups" / id


# ---- out


@dataclass(frozen=True)
class Sent:
    sequence: int
    records: int
    bytes: int
    sha256: str
    resent: bool


def send(
    signatory: Signatory, group: Group, content: Links | GroupAnswer, out: Path, progress: Progress = NO_PROGRESS
) -> Sent:
    """Enters what leaves, seals it, and puts a copy where the steward wants it; the same content is the same file."""
    kind = LINKS if isinstance(content, Links) else TOLD
    what: What = "group links" if isinstance(content, Links) else "groups"
    body, arrays = content.body(group), content.arrays()
    hashed = hashlib.sha256(b"".join((strict.dumps(body), *(one.tobytes() for one in arrays.values())))).hexdigest()
    records = len(np.unique(arrays["handle"], axis=0))
    with signatory.home.locked():
        agreement = signatory.agreement
        letters.partner_of(signatory)
        partner = agreement.partner_side.party.sign
        entered = signatory.home.ledger().disclose(PlannedDisclosure(what, partner, agreement.id, hashed, records))
        item = agreement.latest_sent(kind)
        resent = item is not None and item.table == hashed
        if item is None or not resent:

            def beside(target: Path, _sealed: Manifest) -> None:
                letters.seal_to_self(signatory.identity, letters.own_copy(target), agreement, body, arrays)

            agreement, item = letters.send(
                signatory,
                kind,
                body,
                arrays,
                table=hashed,
                beside=beside,
                progress=progress.part(0.0, 0.9),
            )
        path = letters.kept_sent(signatory.home, agreement, item)
        sha256 = files.sha256(path)
        signatory.home.ledger().disclosure_written(entered, sha256)
        letters.publish(signatory.home, agreement, item, out, progress.part(0.9, 1.0))
    return Sent(item.sequence, records, path.stat().st_size, sha256, resent)


# ---- in


def check_links(letter: letters.Letter, agreement: Agreement, progress: Progress = NO_PROGRESS) -> Links:
    """Links that a party of the group reports to us, who put them together."""
    group = _group(letter.opened.manifest, agreement)
    me, sender = agreement.own_side.party.sign, agreement.partner_side.party.sign
    if group.computes != me:
        raise refusals.does_not_fit(
            "group", Said("{who} puts the links together, not you.", who=group.member(group.computes).name)
        )
    letters.must_be_packed(letter)
    return _links(letter.opened, group, sender, agreement.terms.limits.rows, progress)


def received_links(signatory: Signatory, item: Item) -> Links:
    agreement = signatory.agreement
    assert agreement.terms.group is not None
    opened = letters.reopen(signatory, item)
    sender = agreement.partner_side.party.sign
    return _links(opened, agreement.terms.group, sender, agreement.terms.limits.rows, NO_PROGRESS)


def sent_links(signatory: Signatory) -> Links | None:
    """What was reported last, from the own copy."""
    agreement = signatory.agreement
    item = agreement.latest_sent(LINKS)
    if item is None or agreement.terms.group is None:
        return None
    opened = letters.open_own(signatory.identity, letters.own_copy(signatory.sent_path(item)))
    return links_of(opened.manifest.body, opened.load(), item.digest)


def links_of(body: Plain, arrays: Mapping[str, Any], digest: str = "") -> Links:
    """From what was kept at home."""
    listed = {one["party"]: Compared(one["agreement"], one["state"]) for one in body["agreements"]}
    return Links(listed, arrays["handle"], arrays["link"], arrays["party"], arrays["weight"], digest)


def _links(opened: seal.Opened, group: Group, sender: str, rows: int, progress: Progress) -> Links:
    manifest = opened.manifest
    body = manifest.body
    strict.only(body, {"group", "links", "agreements"}, place="body.")
    count = strict.integer(body, "links", 0, 1 << 31, place="body.")
    listed: dict[str, Compared] = {}
    for one in strict.mappings(body, "agreements", len(group.members), place="body."):
        strict.only(one, {"party", "agreement", "state"}, place="body.agreements.")
        party = strict.hexes(one, "party", 32, place="body.agreements.")
        if not group.has(party) or party == sender or party in listed:
            raise group_terms.not_in_group(group)
        listed[party] = Compared(
            strict.hexes(one, "agreement", 32, place="body.agreements."),
            strict.hexes(one, "state", 32, place="body.agreements."),
        )
    most = rows * (len(group.members) - 1) * 100
    if count > most:
        raise refusals.larger_than_agreed("links", count, most)
    _must_be_shaped(
        manifest, handle=("uint8", (count, PSEUDONYM)), link=("uint8", (count, LINK)), party=("uint8", (count,)),
        weight=("int32", (count,)),
    )  # fmt: skip
    arrays = _checked(opened, progress)
    with_results = [group.place(party) for party, one in listed.items() if one.state != NOT_COMPARED]
    if not np.isin(arrays["party"], with_results).all():
        raise refusals.does_not_fit("party", "It names a link with a party that it has no result with.")
    known = arrays["weight"] != UNKNOWN
    if (np.abs(arrays["weight"][known].astype(np.int64)) > TENTHS * MOST_BITS).any():
        raise refusals.malformed("weight", "A link is surer than a link can be.")
    keys = np.concatenate([arrays["party"][:, None], arrays["link"]], axis=1)
    if len(np.unique(keys, axis=0)) != count:
        raise refusals.does_not_fit("link", "It names a link twice.")
    return Links(listed, arrays["handle"], arrays["link"], arrays["party"], arrays["weight"], opened.digest)


def check_told(
    signatory: Signatory, letter: letters.Letter, progress: Progress = NO_PROGRESS
) -> tuple[GroupAnswer, int]:
    """Groups that were formed of our links: of the letter we sent last, and every link of it accounted for.

    Beside them, how many of our records are with a party that we learn of through a third one.
    """
    agreement = signatory.agreement
    group = _group(letter.opened.manifest, agreement)
    if group.computes != agreement.partner_side.party.sign:
        raise refusals.does_not_fit(
            "group", Said("{who} puts the links together, not its sender.", who=group.member(group.computes).name)
        )
    mine = sent_links(signatory)
    body = letter.opened.manifest.body
    strict.only(body, {"group", "links", "records", "doubts"}, place="body.")
    if mine is None or strict.hexes(body, "links", 32, place="body.") != mine.digest:
        raise refusals.does_not_fit("links", "It was formed of other links than those you sent last.")
    # no more of either than links: known before anything is unpacked
    if strict.integer(body, "records", 0, 1 << 31, place="body.") > len(mine):
        raise refusals.does_not_fit("handle", "It names a record twice, or one that you did not report.")
    if strict.integer(body, "doubts", 0, 1 << 31, place="body.") > len(mine):
        raise refusals.does_not_fit("doubt", "It doubts a link twice, or one that you did not report.")
    told = _told(letter.opened, group, progress)
    me = group.place(agreement.own_side.party.sign)
    _must_account(told, mine, group, me)
    return told, through_others(told, mine, me)


def received_told(signatory: Signatory, item: Item) -> GroupAnswer:
    agreement = signatory.agreement
    assert agreement.terms.group is not None
    return _told(letters.reopen(signatory, item), agreement.terms.group, NO_PROGRESS)


def _told(opened: seal.Opened, group: Group, progress: Progress) -> GroupAnswer:
    manifest = opened.manifest
    body, width = manifest.body, len(group.members)
    records = strict.integer(body, "records", 0, 1 << 31, place="body.")
    doubts = strict.integer(body, "doubts", 0, 1 << 31, place="body.")
    _must_be_shaped(
        manifest, handle=("uint8", (records, PSEUDONYM)), group=("uint8", (records, GROUP)),
        count=("uint8", (records, width)), doubt=("uint8", (doubts, LINK)), doubt_party=("uint8", (doubts,)),
        reason=("uint8", (doubts,)), tie=("uint8", (doubts,)),
    )  # fmt: skip
    found = _checked(opened, progress)
    if (found["reason"] >= len(REASONS)).any() or (found["tie"] > 1).any():
        raise refusals.malformed("reason", "It gives a reason that is not known.")
    return GroupAnswer(body["links"], **{name: found[name] for name in found})


def _must_account(told: GroupAnswer, mine: Links, group: Group, me: int) -> None:
    """Whoever computes may err, but not lose a link without a word, nor name records that were not reported."""
    keys = [one.tobytes() for one in told.handle]
    ids = {handle: (told.group[at].tobytes(), told.count[at]) for at, handle in enumerate(keys)}
    if len(ids) != len(keys) or not set(keys) <= {one.tobytes() for one in mine.handle}:
        raise refusals.does_not_fit("handle", "It names a record twice, or one that you did not report.")
    most = np.array([one.most for one in group.members])
    if (told.count > most).any() or (told.count.sum(axis=1) < 2).any():
        raise refusals.does_not_fit("count", "A group has more records of a party than agreed, or only one at all.")
    seen: dict[bytes, tuple[bytes, int]] = {}
    for id, count in ids.values():
        before = seen.get(id, (count.tobytes(), 0))
        seen[id] = (count.tobytes(), before[1] + 1)
        if before[0] != count.tobytes():
            raise refusals.does_not_fit("count", "One group is told of in two ways.")
    for counts, own in seen.values():
        if np.frombuffer(counts, np.uint8)[me] != own:
            raise refusals.does_not_fit("count", "A group has another number of your records than it says.")
    doubted = {(int(party), link.tobytes()) for party, link in zip(told.doubt_party, told.doubt, strict=True)}
    reported = {(int(party), link.tobytes()) for party, link in zip(mine.party, mine.link, strict=True)}
    if len(doubted) != len(told.doubt) or not doubted <= reported:
        raise refusals.does_not_fit("doubt", "It doubts a link twice, or one that you did not report.")
    for handle, party, link in zip(mine.handle, mine.party, mine.link, strict=True):
        found = ids.get(handle.tobytes())
        if (found is None or not found[1][party]) and (int(party), link.tobytes()) not in doubted:
            raise refusals.does_not_fit("doubt", "A link that you reported is neither followed nor doubted.")


def through_others(told: GroupAnswer, mine: Links, me: int) -> int:
    """Own records in a group with a party that no own link leads to: that was learned through a third party."""
    group_of = {handle.tobytes(): id.tobytes() for handle, id in zip(told.handle, told.group, strict=True)}
    direct = {(group_of.get(one.tobytes(), b""), int(at)) for one, at in zip(mine.handle, mine.party, strict=True)}
    return sum(
        any((id.tobytes(), int(at)) not in direct for at in np.flatnonzero(count) if at != me)
        for id, count in zip(told.group, told.count, strict=True)
    )


def _group(manifest: Manifest, agreement: Agreement) -> Group:
    """The group that both consented to; a letter of another one, or without consent, is not read."""
    group = agreement.terms.group
    if group is None:
        raise Problem(
            Said("{name} is in no group with you.", name=agreement.partner_side.name),
            "The agreement with this party names no group: neither of you has consented to learn links through others.",
            "Do not use the file. Propose a new agreement that names the group, if both want it.",
            place="group",
        )
    if strict.hexes(manifest.body, "group", 32, place="body.") != group.id:
        raise refusals.does_not_fit("group", "It belongs to another group than the one in the agreement.")
    return group


def _must_be_shaped(manifest: Manifest, **wanted: tuple[str, tuple[int, ...]]) -> None:
    found = {entry.name: (entry.dtype, entry.shape) for entry in manifest.entries}
    if found != wanted:
        raise refusals.malformed("entries", "Its lists are not those of a group, or not of one length.")


def _checked(opened: seal.Opened, progress: Progress) -> dict[str, Any]:
    arrays: dict[str, Array] = {}

    def visit(entry: Entry, array: Array) -> None:
        arrays[entry.name] = array

    opened.check(lambda _: True, visit, progress)
    return arrays
