"""What was worked out for the open project and stays in memory, by name and type; nothing of it is saved."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pprl_desktop.job.own_table import OwnTable

if TYPE_CHECKING:
    from pprl_desktop.decisions.base import Match
    from pprl_desktop.exchange.agreeing import Proposal
    from pprl_desktop.exchange.results import Outcome
    from pprl_desktop.job.held_twice import HeldTwice
    from pprl_desktop.job.own_files import Outcome as OwnOutcome
    from pprl_desktop.job.own_files import OwnFiles
    from pprl_desktop.job.own_table import Seen
    from pprl_desktop.job.partnership import Partnership
    from pprl_desktop.review.desk import Desk as ManagerDesk
    from pprl_desktop.review.session import ReviewSession

Row = tuple[Any, ...]


@dataclass(frozen=True, eq=False)
class ShownMatch:
    """A match, and its pairs as rows of a table: made by the worker, because there may be many."""

    match: Match
    rows: list[Row] = field(repr=False)


@dataclass(eq=False)
class Findings:
    """Empty when a project is opened, dropped when it is closed."""

    own_table: OwnTable = field(default_factory=OwnTable)
    seen: Seen | None = None  # what was understood of the own table
    twice: HeldTwice | None = None  # how many people it holds more than once
    own_files: OwnFiles | None = None  # of a project without a partner
    second: Seen | None = None  # what was understood of the second own file
    both_twice: tuple[HeldTwice | None, HeldTwice | None] | None = None  # who is held twice in either own file
    own_outcome: OwnOutcome | None = None  # what is linked of own files
    proposal: Proposal | None = None  # the partner's, read and not answered yet
    partner_rows: int = 0  # of the bundle opened last
    shown: ShownMatch | None = None
    partnership: Partnership | None = None  # with what it made once
    outcome: Outcome | None = None  # both results put together
    session: ReviewSession | None = None  # the review being worked on
    manager: ManagerDesk | None = None  # the same one, where it is the steward's own

    @property
    def match(self) -> Match | None:
        return self.shown.match if self.shown is not None else None

    def close(self) -> None:
        """Ledgers of an open review are let go of."""
        if self.manager is not None:
            self.manager.close()
        elif self.session is not None:
            self.session.ledger.close()
