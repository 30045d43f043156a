"""Where a review with the partner stands: what there is to ask, what is awaited and since when, what came."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pprl_desktop.decisions.base import ACCEPT, REVIEW
from pprl_desktop.problem import Problem
from pprl_desktop.progress import NO_PROGRESS, Progress

if TYPE_CHECKING:
    from pprl_desktop.job.partnership import Partnership
    from pprl_desktop.project.project import Project
    from pprl_desktop.review.desk import Desk


@dataclass(frozen=True)
class ReviewStands:
    """Days are as the letters carry them, ISO; '' where there is no such letter."""

    partner: str
    agreed: bool  # the terms allow a review
    matched: bool
    unsure: int  # pairs of the own match
    asked: str = ""  # the own request was written
    came: str = ""  # the partner's cells came
    request: str = ""  # the partner's request came
    answered: str = ""  # and was answered
    refused: Problem | None = None  # why a request for these pairs would not be answered
    cells: int = 0  # records of the partner whose cells came: not every pair asked about is answered
    decides: bool = True  # this side matches; not so where it only answers with blind


def stands(partnership: Partnership, progress: Progress = NO_PROGRESS) -> ReviewStands:
    """Letters are told apart by what they say, so each is opened; none is read further than its first page."""
    from pprl_desktop.exchange import clear_cells, letters
    from pprl_desktop.exchange.review_letters import ANSWER, ASK

    signatory = partnership.signatory
    agreed, refused = signatory.agreement, None
    blind = agreed.terms.blind
    try:
        unsure, matched = partnership.kept().count(REVIEW), True
        refused = clear_cells.too_many(signatory)
    except Problem:
        unsure, matched = 0, False
    asked = came = request = answered = ""
    cells = 0
    digest = ""
    for item in agreed.received:
        if item.kind == "review":
            body = letters.reopen(signatory, item).manifest.body
            step = body.get("step")
            if step == ASK:
                request, digest = item.made, item.digest
            elif step == ANSWER:
                came, cells = item.made, int(body["records"])
    for item in agreed.sent:
        path = letters.own_copy(signatory.sent_path(item)) if item.kind == "review" else None
        if path is not None and path.is_file():
            body = letters.open_own(signatory.identity, path).manifest.body
            if body.get("step") == ASK:
                asked = item.made
            elif body.get("request") == digest:
                answered = item.made
    progress.at(1.0)
    return ReviewStands(
        agreed.partner_side.name, agreed.terms.rule == "review", matched, unsure, asked, came, request, answered,
        refused, cells, blind is None or blind.asked_by(agreed.role) is not None,
    )  # fmt: skip


@dataclass(frozen=True)
class Decided:
    """A review as its ledger tells it, without a passphrase."""

    same: int
    different: int
    cannot_tell: int
    waits: bool  # decisions were made, changed or taken back since they were taken in

    @property
    def pairs(self) -> int:
        return self.same + self.different + self.cannot_tell


def decided(project: Project) -> Decided | None:
    """None where the project has no review, or its folder is gone."""
    from pprl_desktop.review.decisions import Decisions
    from pprl_desktop.review.desk import Past
    from pprl_desktop.review.desk_files import LEDGER, MANAGER
    from pprl_desktop.review.ledger import read_entries

    path = Path(project.choices.review_path) / LEDGER if project.choices.review_path else None
    if path is None or not path.is_file():
        return None
    try:
        entries = read_entries(path)
    except Problem:
        return None
    own = tuple(entry for entry in entries if entry.body.get("who", MANAGER) == MANAGER)
    current = {pair: one.same for pair, one in Decisions(Past(own), MANAGER, bytes).current.items()}
    taken = project.artefact("taken")
    waits = bool(current) and (taken is None or taken.decode() != decisions_hash(current))
    values = list(current.values())
    return Decided(sum(v is True for v in values), sum(v is False for v in values), values.count(None), waits)


def decisions_of(manager: Desk) -> str:
    """The hash of the manager's own decisions as they are now."""
    return decisions_hash({pair: one.same for pair, one in manager.session().decisions.current.items()})


def decisions_hash(outcome: dict[str, bool | None]) -> str:
    """Names a state of the decisions, so that what was taken in can be told from what was decided since."""
    return hashlib.sha256(json.dumps(sorted(outcome.items())).encode()).hexdigest()


@dataclass(frozen=True)
class TakenIn:
    linked_before: int
    linked: int
    result_is_current: bool  # what was sent last still says the same


def take_in(partnership: Partnership, manager: Desk, progress: Progress = NO_PROGRESS) -> TakenIn:
    """The decisions become part of the match; whether a result that was sent must be written and sent again."""
    before = partnership.kept().count(ACCEPT)
    found = partnership.take_in(manager.review, manager.outcome(), manager.losses(progress))
    return TakenIn(before, found.count(ACCEPT), partnership.result_is_current())
