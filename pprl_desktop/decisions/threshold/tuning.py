"""The numbers of the threshold decision that change its results."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pprl_desktop.decisions.tuning import OVERLAP, number
from pprl_desktop.decisions.tuning import Tuning as Numbers


@dataclass(frozen=True)
class Tuning(Numbers):
    DECISION: ClassVar[str] = "threshold"

    overlap: float = number(OVERLAP, "share of the smaller file that has a counterpart", "decisions/tuning.py")

    # what the own table shows (learning.py, record_evidence.py)
    sample: int = number(2000, "own records copied and corrupted")
    against: int = number(100_000, "own records they are compared with at most")
    per_record: int = number(50, "non-matches kept for each copy, the highest")
    bulk: int = number(200_000, "random non-matches")
    strangers: int = number(20, "other records each copy is compared with, to know what a field's agreement is worth")
    least_room: float = number(0.05, "share above chance", "codes that are nearly full say nothing")
    evidence_slope: float = number(5.0, "log ratio of full agreement where a table is too small to learn from")

    # likelihoods of similarities (likelihood.py)
    cells: int = number(240, "cells of the similarity axis", "a filter of 1,024 bits has no finer steps worth telling")
    past: float = number(0.05, "similarity kept free beyond the highest seen", "noise goes there too")
    least: float = number(1e-18, "share of the non-matches in a cell where none were seen or expected")
    odd: float = number(1e-3, "share of matches that look like nothing in the training")
    tail: int = number(10, "non-matches above a border from which their density is drawn out as an exponential")
    evident: float = number(
        0.02, "look-alikes per record", "as alike as the better half of the matches: the table holds people twice"
    )

    # probabilities of the real pairs (probability.py, scan.py)
    rounds: int = number(30, "rounds at most", "it settles earlier")
    belief: float = number(200.0, "real pairs that the synthetic matches count")
    unmatched: float = number(0.02, "share of a side that is taken to have no partner at least")
    few: int = number(20, "synthetic matches below which only the constants speak")
    plain_border: float = number(0.8, "similarity accepted where a table is too small to learn from")
    plain_slope: float = number(40.0, "log odds per unit of similarity there")
    # pairs that are looked at where all would take too long (lsh.py)
    recalls: tuple[float, ...] = number((0.98, 0.95, 0.9, 0.8), "candidate recalls tried, the best first")
    recall_sigma: float = number(1.645, "standard errors below the mean", "the recall told is a lower bound at 95 %")
    crowd: int = number(4096, "partner rows of one band compared with one own row at most", "what is spared is told")
    per_row: float = number(8.0, "non-matches expected above the floor per row", "enough to learn from, few to hold")
