"""The numbers of the paper's SVM decision that change its results."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pprl_desktop.decisions.tuning import OVERLAP, number
from pprl_desktop.decisions.tuning import Tuning as Numbers


@dataclass(frozen=True)
class Tuning(Numbers):
    DECISION: ClassVar[str] = "svm"

    overlap: float = number(OVERLAP, "share of own records at the partner", "decisions/tuning.py; places neutral costs")

    # training at each party alone (training.py, machines.py)
    sample: int = number(1000, "own records that get a corrupted twin")
    null_sample: int = number(3000, "own records compared with the whole own table, to know how non-matches score")
    negatives: int = number(3, "nearest other records kept per training record")
    near: int = number(3, "pairs per record looked for when mining")
    fewest: int = number(200, "distinct own records below which public reference records join the training")
    linear_c: float = number(100.0, "C of the linear machine", "the paper")
    rbf_c: float = number(0.01, "C of the radial machine", "the paper")
    radial_sample: int = number(3000, "training pairs of the radial machine", "its cost grows with the square")

    rbf_cells: int = number(32, "steps per field from equal to the neutral cost", "the radial decision is tabulated")
    rbf_widest: int = number(3, "neutral costs", "everything farther apart falls into the last cell")

    # which pairs are kept (training.py)
    floor_pairs: float = number(0.5, "non-matching pairs per record that may lie above the floor")
    floor_recall: float = number(0.998, "share of the synthetic matches above the floor")
    floor_reach: float = number(1.15, "times the operating point", "farther down nobody reviews")

    # calibration on the real pairs (border.py)
    bins: int = number(60, "score bins of equally many pairs")
    rounds: int = number(6, "times the number of matches is estimated and used", "it settles within three")
    unseen: float = number(0.5, "strangers added to a count", "none seen does not mean none")
    sure: float = number(0.999, "probability that no pair exceeds")
