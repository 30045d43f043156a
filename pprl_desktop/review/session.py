"""A reviewer at work: the current pair, what it would cost to see more, decisions. What the window and the verbs use.

No Qt and no clear value: cells come from the gate. Operations return what changed.
"""

from __future__ import annotations

import hashlib
import statistics
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import cast

from pprl_desktop.problem import Problem
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.review.cells import Cell, Disclosure, Meter, Preview
from pprl_desktop.review.decisions import Decision, Decisions, Step
from pprl_desktop.review.gate import Gate
from pprl_desktop.review.index import Crowd
from pprl_desktop.review.ledger import Entry, Ledger
from pprl_desktop.review.marks import Level
from pprl_desktop.review.plan import ORDERS, Order, Review
from pprl_desktop.review.suggest import Suggestion, experience, suggest
from pprl_desktop.said import Said

LONG_PAUSE = 600.0  # seconds: a longer gap between two decisions was a break
LEGEND = (
    ("*", Said("same character in both rows")),
    ("@ &", Said("the characters differ; the same sign means the same hidden text")),
    ("×", Said("another character in its place")),
    ("+", Said("a character only this row has; the other row has a gap")),
    ("⇄", Said("changed places: two neighbours, month and day, or first and last name")),
    ("≠ DIFF", Said("more than half differs: no partial view")),
    ("✓", Said("identical")),
    ("?", Said("missing")),
)


@dataclass(frozen=True)
class PairView:
    """Everything the screen needs of one pair."""

    id: str
    number: int  # 1 is the first in the reviewer's order
    of: int
    cells: tuple[Cell, ...]
    previews: tuple[Preview | None, ...]  # next click of every cell
    meter: Meter
    decision: Decision | None
    note: str
    score: float | None  # None while blind
    suggestion: Suggestion | None


@dataclass(frozen=True)
class Advance:
    """Where the work stands."""

    decided: int
    cannot_tell: int
    to_go: int
    minutes_left: float | None  # from the reviewer's own pace; None before there is one


@dataclass(frozen=True)
class Decided:
    """What a decision changed, and where the reviewer is now."""

    step: Step
    advance: Advance
    current: str | None  # the next undecided pair; None when all are decided


class ReviewSession:
    def __init__(
        self,
        review: Review,
        ledger: Ledger,
        who: str,
        seal_note: Callable[[bytes], bytes],
        open_note: Callable[[bytes], bytes],
        crowd: Crowd | None = None,
        progress: Progress = NO_PROGRESS,
    ) -> None:
        self.review = review
        self.who = who
        self.ledger = ledger
        self.gate = Gate(review, ledger, who, crowd, progress)
        self.decisions = Decisions(ledger, who, seal_note)
        self._open_note = open_note
        self._numbers = {pair.id: i for i, pair in enumerate(review.pairs)}
        self._order: tuple[str, ...] = ()
        self.current: str | None = None
        self._resume()

    def _resume(self) -> None:
        """The order and the pair the reviewer left, if that pair is still to be decided."""
        policy = self.review.policy
        order, _, field = self.ledger.recall("order").partition(" ")
        self._arrange(cast(Order, order or policy.order), field if order else policy.order_field)
        left = self.ledger.recall("pair")
        open_still = left in self._numbers and left not in self.decisions.current
        self.current = left if open_still else self.next_undecided()

    # --- moving ----------------------------------------------------------------------------------------------------

    def set_order(self, order: Order, field: str = "") -> None:
        """shuffled (the same on every opening), by score (best first), or by a field (differing first)."""
        self._arrange(order, field)
        self.ledger.remember("order", f"{order} {field}".strip())
        self._place(self.next_undecided())

    def _place(self, pair: str | None) -> None:
        if pair != self.current:
            self.ledger.remember("pair", pair or "")
        self.current = pair

    def _arrange(self, order: Order, field: str) -> None:
        if order not in ORDERS:
            raise Problem(
                Said("'{order}' is not an order.", order=order),
                Said("The orders are: {orders}.", orders=", ".join(ORDERS)),
                place="order",
            )
        ids = sorted(self._numbers, key=lambda pair: hashlib.sha256(f"{self.review.id} {pair}".encode()).digest())
        if order == "score":
            scores = {pair.id: -pair.score if pair.score is not None else float("inf") for pair in self.review.pairs}
            ids.sort(key=lambda pair: scores[pair])
        elif order == "field":
            number = self.review.policy.number(field)
            ids.sort(key=lambda pair: self.gate.rank(self._numbers[pair], number))
        self._order = tuple(ids)

    @property
    def order(self) -> tuple[str, ...]:
        return self._order

    def next_undecided(self, after: str | None = None) -> str | None:
        """The next undecided pair in the order, from a pair on and round again."""
        decided = self.decisions.current
        start = self._order.index(after) + 1 if after in self._order else 0
        for pair in (*self._order[start:], *self._order[:start]):
            if pair not in decided:
                return pair
        return None

    def upcoming(self, count: int = 10) -> tuple[str, ...]:
        decided = self.decisions.current
        return tuple(pair for pair in self._order if pair not in decided and pair != self.current)[:count]

    def go(self, pair: str) -> PairView:
        self._number(pair)
        self._place(pair)
        return self.view()

    def step(self, by: int) -> PairView:
        """The neighbouring pair in the order, decided or not; stops at either end."""
        at = self._order.index(self._pair(None)) + by
        return self.go(self._order[min(max(at, 0), len(self._order) - 1)])

    def _pair(self, pair: str | None) -> str:
        chosen = pair or self.current or (self._order[0] if self._order else None)
        if chosen is None:
            raise Problem("The review has no pairs.", do="Make a review with pairs.", place="pairs")
        return chosen

    def _number(self, pair: str) -> int:
        return self._numbers[pair] if pair in self._numbers else self.review.pair_number(pair)

    # --- seeing ----------------------------------------------------------------------------------------------------

    def view(self, pair: str | None = None) -> PairView:
        """Cells, previews, meter and suggestion of a pair. The first view charges the start mode."""
        chosen = self._pair(pair)
        number = self._number(chosen)
        cells = self.gate.open(number)
        previews = self.gate.previews(number)
        found = self.review.pairs[number]
        return PairView(
            chosen,
            self._order.index(chosen) + 1,
            len(self._order),
            cells,
            previews,
            self.gate.meter(number),
            self.decisions.current.get(chosen),
            self.note(chosen),
            None if self.review.policy.blind else found.score,
            suggest(cells, previews, experience(self.ledger.entries)),
        )

    def reveal(self, field: str, pair: str | None = None, level: Level | None = None) -> Disclosure:
        """Opens a cell further; raises the gate's Problem when it refuses."""
        number = self._number(self._pair(pair))
        return self.gate.reveal(number, self.review.policy.number(field), level)

    # --- deciding --------------------------------------------------------------------------------------------------

    def decide(self, point: int, note: str = "", pair: str | None = None) -> Decided:
        chosen = self._pair(pair)
        self._number(chosen)
        step = self.decisions.decide(chosen, point, note)
        self._place(self.next_undecided(chosen))
        return Decided(step, self.advance(), self.current)

    def annotate(self, note: str, pair: str | None = None) -> None:
        chosen = self._pair(pair)
        self._number(chosen)
        self.decisions.annotate(chosen, note)

    def undo(self) -> Decided:
        """Takes the last decision back and returns to its pair. What was opened stays counted."""
        return self._moved(self.decisions.undo())

    def redo(self) -> Decided:
        return self._moved(self.decisions.redo())

    def _moved(self, step: Step) -> Decided:
        self._place(step.pair)
        return Decided(step, self.advance(), self.current)

    def note(self, pair: str) -> str:
        digest = self.decisions.note_of.get(pair)
        return self._open_note(self.ledger.notes()[digest]).decode("utf-8") if digest else ""

    def advance(self) -> Advance:
        decided = self.decisions.current
        to_go = len(self._order) - len(decided)
        unsure = sum(decision.same is None for decision in decided.values())
        pace = seconds_per_pair(self.ledger.entries)
        return Advance(len(decided), unsure, to_go, None if pace is None else pace * to_go / 60)


def seconds_per_pair(entries: tuple[Entry, ...]) -> float | None:
    """Median time between decisions, breaks left out."""
    times = [datetime.fromisoformat(entry.time) for entry in entries if entry.what == "decide"]
    gaps = [(b - a).total_seconds() for a, b in pairwise(times)]
    working = [gap for gap in gaps if gap < LONG_PAUSE]
    return statistics.median(working) if working else None
