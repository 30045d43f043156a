"""What leaves beside bundles, and what comes in clear: results, requests, answers and cells of a review, as entered.

Each is an event of the release ledger, entered before its file exists. It holds counts and names of fields, no value.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pprl_desktop.problem import Problem
from pprl_desktop.said import Said

What = Literal[
    "result", "request for cells", "clear cells", "question", "answer", "CLKs", "tokens", "group links", "groups",
]  # fmt: skip
CLEAR: What = "clear cells"
OTHER_TOOLS: tuple[What, ...] = ("CLKs", "tokens")
WORDS: dict[What, Said] = {
    "result": Said("result"),
    "request for cells": Said("request for cells"),
    "clear cells": Said("clear cells"),
    "question": Said("question"),
    "answer": Said("answer"),
    "CLKs": Said("CLKs"),
    "tokens": Said("tokens"),
    "group links": Said("links for a group"),
    "groups": Said("groups"),
}
CLEAR_RECORDS = "clear records"  # unit of the organisation's limit: records of which a partner got cells in clear


@dataclass(frozen=True)
class PlannedDisclosure:
    """Something that is about to leave, or has come in clear."""

    what: What
    partner: str  # fingerprint of the partner's signing key
    agreement: str
    content: str  # SHA-256 of its random names: the same content is the same disclosure, sent again
    records: int  # records or pairs it speaks of
    fresh: int = 0  # records of it that no earlier one under this agreement spoke of
    of: int = 0  # number of the release whose records these are; 0 where it is the partner's
    fields: tuple[str, ...] = ()  # whose cells are in it
    received: bool = False  # it came from the partner
    guesses: int = 0  # of a question or an answer: how many keys a lying partner could try with it
    coverage: str = ""  # of an answer: share of the records within reach of that many guesses, as counted beforehand

    def as_body(self) -> dict[str, Any]:
        return {"kind": "disclosure", **vars(self), "fields": list(self.fields)}


@dataclass(frozen=True)
class Disclosure(PlannedDisclosure):
    """As entered."""

    number: int = 0
    time: str = ""  # UTC, ISO 8601
    file: str = ""  # SHA-256 of the sealed file, once it was written
    sent: int = 0  # times it was sent again

    def as_dict(self) -> dict[str, Any]:
        return {**vars(self), "fields": list(self.fields)}


@dataclass(frozen=True)
class TakenIn:
    """A review of pairs with a partner whose decisions went into the match: what was decided, and what was opened."""

    agreement: str
    same: int
    different: int
    unsettled: int
    reviewers: int
    cells: int  # opened in part or in full, by all of them
    risk: str  # the largest KAPR of a reviewer, in per cent
    singled_out: int  # records that what was shown fits alone
    head: str  # hash of the last entry of the review's own ledger
    number: int = 0
    time: str = ""

    def sentences(self) -> tuple[Said, ...]:
        return (
            Said(
                "{pairs|One uncertain pair was|{pairs} uncertain pairs were} reviewed masked: {same} the same "
                "person, {different} different, {unsettled} not settled.",
                pairs=self.same + self.different + self.unsettled,
                same=self.same,
                different=self.different,
                unsettled=self.unsettled,
            ),
            Said("No cell was opened for it.")
            if not self.cells
            else Said(
                "Reviewers: {reviewers}; they opened {cells|one cell|{cells} cells}; KAPR of one reviewer at "
                "most {risk:exact} %; records that what was shown fits alone: {singled_out}.",
                reviewers=self.reviewers,
                cells=self.cells,
                risk=self.risk,
                singled_out=self.singled_out,
            ),
            Said(
                "Taken into the match on {time:date}; last hash of the review's ledger {head}.",
                time=self.time[:10],
                head=self.head[:16],
            )
            if self.head
            else Said("Taken into the match on {time:date}.", time=self.time[:10]),
        )


def reviews(events: Iterable[tuple[int, str, str]]) -> tuple[TakenIn, ...]:
    found = []
    for number, text, _ in events:
        body = json.loads(text)
        if body["kind"] == "review":
            found.append(TakenIn(**{name: value for name, value in body.items() if name != "kind"}, number=number))
    return tuple(found)


def disclosures(events: Iterable[tuple[int, str, str]]) -> tuple[Disclosure, ...]:
    """Read out of the events of the ledger, in their order."""
    found: dict[int, dict[str, Any]] = {}
    for number, text, _ in events:
        body = json.loads(text)
        if body["kind"] == "disclosure":
            values = {name: value for name, value in body.items() if name != "kind"}
            found[number] = {**values, "fields": tuple(body["fields"]), "number": number}
        elif body["kind"] == "sealed":
            found[body["entry"]]["file"] = body["file"]
        elif body["kind"] == "repeated":
            found[body["entry"]]["sent"] = found[body["entry"]].get("sent", 0) + 1
    return tuple(Disclosure(**values) for values in found.values())


def same_as(planned: PlannedDisclosure, earlier: Iterable[Disclosure]) -> Disclosure | None:
    """The earlier entry of the same content, whether its file was finished or not."""
    wanted = (planned.what, planned.partner, planned.agreement, planned.content, planned.received)
    for one in earlier:
        if (one.what, one.partner, one.agreement, one.content, one.received) == wanted:
            return one
    return None


def clear_records(
    earlier: Iterable[Disclosure], partner: str, agreement: str | None = None, organisation: Callable[[str], str] = str
) -> int:
    """Records of which this partner, whatever its key, got cells in clear, under one agreement or under all."""
    whose = organisation(partner)
    sent = (one for one in earlier if one.what == CLEAR and not one.received and organisation(one.partner) == whose)
    return sum(one.fresh for one in sent if agreement in (None, one.agreement))


def blocked(
    planned: PlannedDisclosure,
    earlier: Iterable[Disclosure],
    limits: Mapping[str, float],
    organisation: Callable[[str], str] = str,
) -> Problem | None:
    """The organisation's limit on cells in clear. `organisation` says whose a signing key is."""
    most = limits.get(CLEAR_RECORDS)
    if most is None or planned.what != CLEAR or planned.received:
        return None
    before = clear_records(earlier, planned.partner, organisation=organisation)
    if before + planned.fresh <= most:
        return None
    return Problem(
        Said("Your organisation allows at most {most:count} records in clear to one partner.", most=most),
        Said("This partner has got {before} so far, and {fresh} would be added.", before=before, fresh=planned.fresh),
        "Ask whoever set the limit.",
        place="limit",
    )
