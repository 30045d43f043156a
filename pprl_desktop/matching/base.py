"""What matching hands on: scored pairs, and the match made of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

Rows = npt.NDArray[np.int32]
Numbers = npt.NDArray[np.float64]

REJECT, REVIEW, ACCEPT = 0, 1, 2  # band codes
DEFAULT_MEMORY = 2 << 30  # bytes of pairs held at most, unless the steward says otherwise


@dataclass(frozen=True)
class MatchOptions:
    one_to_one: bool = True
    memory: int = DEFAULT_MEMORY
    threads: int = 0  # 0: one per core
    accept: float | None = None  # score thresholds set by hand; None: chosen without labels
    review: float | None = None
    seed: int = 0
    # random bytes for answers that are released (dp-nn); None: the operating system. A fixed stream is for measurements
    random_bytes: Callable[[int], bytes] | None = None


@dataclass(frozen=True, eq=False)
class Scored:
    """Candidate pairs with a score each, best evidence first by field. Higher is more alike."""

    own: Rows
    partner: Rows
    score: Numbers
    probability: Numbers  # calibrated; NaN where the rule gives none
    evidence: npt.NDArray[np.float32]  # [pairs, fields]; positive speaks for a match, NaN: missing
    fields: tuple[str, ...]
    threshold: float  # accept at or above: chosen without labels
    examined: int  # pairs looked at (or excluded by an exact bound)
    warnings: tuple[str, ...] = ()
    notes: Mapping[str, Any] = field(default_factory=dict)  # plain figures for the report: weights, levels, match rate

    def __len__(self) -> int:
        return len(self.own)


@dataclass(frozen=True, eq=False)
class Match:
    """Scored pairs after assignment, with bands."""

    scored: Scored
    chosen: npt.NDArray[np.bool_]  # the pair survives the assignment
    band: npt.NDArray[np.int8]  # REJECT / REVIEW / ACCEPT; pairs not chosen are REJECT
    accept: float  # score thresholds in force
    review: float
    ties: int  # assignments decided only by the reproducible tie-break
    expected: Mapping[str, float]  # expected precision, recall, share in each band; only what can be estimated
    warnings: tuple[str, ...] = ()

    def accepted(self) -> npt.NDArray[np.int64]:
        return np.flatnonzero(self.band == ACCEPT)

    def to_review(self) -> npt.NDArray[np.int64]:
        return np.flatnonzero(self.band == REVIEW)
