"""The numbers of the bands that change what is accepted, reviewed and rejected."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pprl_desktop.decisions.tuning import BY_CHANCE, number
from pprl_desktop.decisions.tuning import Tuning as Numbers


@dataclass(frozen=True)
class Tuning(Numbers):
    DECISION: ClassVar[str] = "bands"

    review_from: float = number(0.1, "probability", "below it, looking at a pair is a waste of the reviewer's time")
    review_share: float = number(0.1, "share of the accepted pairs that is reviewed where no probability is known")
    spread: float = number(1.96, "standard errors in a 95 % interval", BY_CHANCE)
