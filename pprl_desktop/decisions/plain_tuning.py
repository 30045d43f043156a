"""The numbers of the plain yardstick that change its results."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pprl_desktop.decisions.tuning import Tuning as Numbers
from pprl_desktop.decisions.tuning import number


@dataclass(frozen=True)
class Tuning(Numbers):
    DECISION: ClassVar[str] = "plain"

    sample: int = number(1000, "own records copied and corrupted for training")
    against: int = number(20_000, "own records they are compared with")
    hard: int = number(5, "nearest non-matches per record", "as many as there really are; and one random one")
    cap: int = number(9, "edits beyond which it is as bad as it gets")
    c: float = number(100.0, "C of the linear SVM", "the paper")
    few: int = number(20, "records below which the constants speak")
    plain_weight: float = number(1.0, "per edit, where a table is too small to learn from")
    plain_edits: float = number(2.5, "edits in all that make a match there")
    review: float = number(1.5, "edits of the heaviest field below the border down to which pairs are kept")
