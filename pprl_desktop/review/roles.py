"""Who decides: shares and overlap between reviewers, votes, majority and conflict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pprl_desktop.review.marks import Level


@dataclass(frozen=True)
class Vote:
    reviewer: str
    point: int
    note: str = ""

    @property
    def same(self) -> bool | None:
        return None if self.point == 0 else self.point >= 4


@dataclass(frozen=True)
class Conflict:
    """A pair on which the votes differ, with everything that any of the voters had opened."""

    pair: str
    votes: tuple[Vote, ...]
    opened: tuple[Level, ...]


def deal(pairs: Sequence[str], names: Sequence[str], overlap: float) -> dict[str, list[str]]:
    """Each pair to the reviewer who has fewest, and every so many-th one also to the one who has fewest then."""
    dealt: dict[str, list[str]] = {name: [] for name in names}
    doubled = 0
    for i, pair in enumerate(pairs):
        first, *others = sorted(names, key=lambda name: len(dealt[name]))
        dealt[first].append(pair)
        if overlap * (i + 1) > doubled + 1e-9:
            doubled += 1
            dealt[others[0]].append(pair)
    return dealt


def majority(votes: Sequence[Vote]) -> bool | None:
    """More same than different, or the other way; a tie and "cannot tell" alone settle nothing."""
    same = sum(vote.same is True for vote in votes)
    different = sum(vote.same is False for vote in votes)
    return None if same == different else same > different


def differ(votes: Sequence[Vote]) -> bool:
    return {vote.same for vote in votes} >= {True, False}
