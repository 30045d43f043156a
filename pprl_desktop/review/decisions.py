"""Decisions: six points from different to same, cannot tell, a note; undo and redo. Disclosures are never undone.

Everything is replayed from the ledger, so a review resumes where it was left, whatever ended the program.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass

from pprl_desktop.problem import Problem
from pprl_desktop.review.ledger import Entry, Journal
from pprl_desktop.said import Said

CANNOT_TELL = 0
POINTS = {
    1: Said("different, high confidence"),
    2: Said("different, medium confidence"),
    3: Said("different, low confidence"),
    4: Said("same, low confidence"),
    5: Said("same, medium confidence"),
    6: Said("same, high confidence"),
    CANNOT_TELL: Said("cannot tell"),
}
SAME_FROM = 4


@dataclass(frozen=True)
class Decision:
    pair: str
    point: int
    time: str
    number: int  # of the ledger entry

    @property
    def same(self) -> bool | None:
        """True, False, or None for "cannot tell"."""
        return None if self.point == CANNOT_TELL else self.point >= SAME_FROM

    @property
    def words(self) -> Said:
        return POINTS[self.point]


@dataclass(frozen=True)
class Step:
    """What an operation changed: the pair, and its decision now (None: undecided again)."""

    pair: str
    now: Decision | None


class Decisions:
    def __init__(self, ledger: Journal, who: str, seal_note: Callable[[bytes], bytes]) -> None:
        self._ledger = ledger
        self._who = who
        self._seal_note = seal_note
        self._done: list[Decision] = []
        self._undone: list[Decision] = []
        self.note_of: dict[str, str] = {}  # pair -> hash of its sealed note
        for entry in ledger.entries:
            self._take(entry)

    def _take(self, entry: Entry) -> None:
        body = entry.body
        if entry.what == "decide":
            self._done.append(Decision(body["pair"], int(body["point"]), entry.time, entry.number))
            self._undone.clear()
        elif entry.what == "undo":
            self._undone.append(self._done.pop())
        elif entry.what == "redo":
            self._done.append(self._undone.pop())
        elif entry.what == "note":
            self.note_of[body["pair"]] = body["note"]

    @property
    def current(self) -> dict[str, Decision]:
        """The decision in force of every decided pair; a later decision on a pair replaces the earlier one."""
        return {decision.pair: decision for decision in self._done}

    def latest(self, count: int) -> tuple[Decision, ...]:
        """The most recent decisions in force, newest first."""
        return tuple(sorted(self.current.values(), key=lambda d: -d.number)[:count])

    def decide(self, pair: str, point: int, note: str = "") -> Step:
        if point not in POINTS:
            raise Problem(
                Said("{point} is not a decision.", point=point),
                "The points go from 1 (surely different) to 6 (surely the same); 0 means cannot tell.",
                "Give one of them.",
                place="point",
            )
        if note:
            self.annotate(pair, note)
        self._take(self._ledger.append({"what": "decide", "who": self._who, "pair": pair, "point": str(point)}))
        return Step(pair, self.current.get(pair))

    def annotate(self, pair: str, note: str) -> None:
        """A note may be personal, so only its sealed form is kept, and the ledger holds the hash of that."""
        box = self._seal_note(note.encode("utf-8"))
        digest = hashlib.sha256(box).hexdigest()
        entry = {"what": "note", "who": self._who, "pair": pair, "note": digest}
        self._take(self._ledger.append(entry, note=(digest, box)))

    def undo(self) -> Step:
        if not self._done:
            raise Problem("There is no decision to take back.", do="Decide a pair first.", place="undo")
        return self._step("undo", self._done[-1])

    def redo(self) -> Step:
        if not self._undone:
            raise Problem("There is no decision to bring back.", do="Take one back first.", place="redo")
        return self._step("redo", self._undone[-1])

    def _step(self, what: str, decision: Decision) -> Step:
        entry = {"what": what, "who": self._who, "pair": decision.pair, "of": str(decision.number)}
        self._take(self._ledger.append(entry))
        return Step(decision.pair, self.current.get(decision.pair))
