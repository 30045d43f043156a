"""The numbers of matching: what is accepted, reviewed and rejected, and when links make one person of records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pprl_desktop.decisions.tuning import BY_CHANCE, COPY, number
from pprl_desktop.decisions.tuning import Tuning as Numbers


@dataclass(frozen=True)
class Tuning(Numbers):
    DECISION: ClassVar[str] = "bands"

    review_from: float = number(0.1, "probability", "below it, looking at a pair is a waste of the reviewer's time")
    review_share: float = number(0.1, "share of the accepted pairs that is reviewed where no probability is known")
    spread: float = number(1.96, "standard errors in a 95 % interval", BY_CHANCE)

    # records of several links become people or groups (persons.py, groups.py)
    least_agreeing: float = number(
        0.5, "share of the compared pairs between two groups that are links", "never merged against the majority"
    )
    sure: float = number(COPY, "probability from which two records are taken for one", "exact copies are")
