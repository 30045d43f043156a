"""What matching hands on: scored pairs, and the match made of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from pprl_desktop.codes.directions import Direction
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.said import Said, as_said

Rows = npt.NDArray[np.int32]
Numbers = npt.NDArray[np.float64]
Evidence = npt.NDArray[np.float32]
Explain = Callable[[npt.NDArray[np.int64], npt.NDArray[np.int64], Progress], Evidence]  # own rows, partner's rows

REJECT, REVIEW, ACCEPT = 0, 1, 2  # band codes
BAND_NAMES = ("reject", "review", "accept")  # by band code
DEFAULT_MEMORY = 2 << 30  # bytes of pairs held at most, unless the steward says otherwise

# what an estimate takes for granted, in the notes of scored pairs under "assumption"
SLIPS_ONLY = Said(
    "The estimate takes real differences to be slips. It cannot know of people who changed their "
    "name or moved: with many of them, fewer are found and more links are wrong than it says."
)


@dataclass(frozen=True)
class MatchOptions:
    direction: Direction = "one-to-one"  # from the own file to the partner's
    memory: int = DEFAULT_MEMORY
    threads: int = 0  # 0: one per core
    accept: float | None = None  # score thresholds set by hand; None: chosen without labels
    review: float | None = None
    seed: int = 0
    # a record that may have one counterpart may have its copies too; not where a partner checks the agreed direction,
    # who does not know which records are copies
    copies: bool = True
    # random bytes for answers that are released (dp-nn); None: the operating system. A fixed stream is for measurements
    random_bytes: Callable[[int], bytes] | None = None

    @property
    def one_to_one(self) -> bool:
        return self.direction == "one-to-one"


@dataclass(frozen=True)
class Outlook:
    """What matching will take, told before it starts."""

    bytes: int
    seconds: float | None = None  # a rough figure for this computer; None: not tried


@dataclass(frozen=True, eq=False)
class Scored:
    """Candidate pairs with a score each, best evidence first by field. Higher is more alike."""

    own: Rows
    partner: Rows
    score: Numbers
    probability: Numbers  # calibrated; NaN where the rule gives none
    evidence: Evidence  # [pairs, fields]; positive speaks for a match, NaN: missing; no row where `explain` is there
    fields: tuple[str, ...]
    threshold: float  # accept at or above: chosen without labels
    examined: int  # pairs looked at (or excluded by an exact bound)
    warnings: tuple[Said, ...] = ()
    notes: Mapping[str, Any] = field(default_factory=dict)  # plain figures for the report: weights, levels, match rate
    explain: Explain | None = field(default=None, repr=False)  # the evidence of pairs, where it is worked out on demand
    people: tuple[Rows, Rows] | None = field(default=None, repr=False)  # own row -> person, partner's row -> person
    second: Numbers | None = field(default=None, repr=False)  # probability by the views left out; None: nobody asked
    strangers: Numbers | None = field(default=None, repr=False)  # by pairs of strangers within the files

    def __len__(self) -> int:
        return len(self.own)

    @property
    def tuning(self) -> Mapping[str, Any]:
        """The numbers it was decided with."""
        return dict(self.notes.get("tuning") or self.notes.get("model", {}).get("tuning", {}))

    def caveats(self) -> tuple[Said, ...]:
        """What the expected figures take for granted, and what not comparing all pairs may have cost."""
        said = [as_said(self.notes["assumption"])] if "assumption" in self.notes else []
        if "candidate_recall" in self.notes:
            share = float(self.notes["candidate_recall"])
            said.append(
                Said(
                    "Not all pairs were compared: at least {share:decimals 1} of 100 that comparing all would find "
                    "were looked at.",
                    share=100 * share,
                )
                if share >= 0.5  # less is no bound: too little was found to tell
                else Said(
                    "Not all pairs were compared, and too few were found to tell how many more comparing all would "
                    "find."
                )
            )
        return tuple(said)

    def why(self, pairs: npt.NDArray[np.int64], progress: Progress = NO_PROGRESS) -> Evidence:
        """What each field says of these pairs, [pairs, fields]."""
        if self.explain is None:
            return self.evidence[pairs]
        return self.explain(self.own[pairs].astype(np.int64), self.partner[pairs].astype(np.int64), progress)


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
    warnings: tuple[Said, ...] = ()
    evidence: Evidence | None = field(default=None, repr=False)  # of the pairs kept, [kept, fields]; None: ask `scored`
    # precision, low, high; recall, recall_low, recall_high where a field could be left out; empty where there is none
    second_opinion: Mapping[str, float] = field(default_factory=dict)
    reasons: tuple[Said, ...] = ()  # why the figures are not reliable
    cures: tuple[Said, ...] = ()  # what would help
    tuning: Mapping[str, Any] = field(default_factory=dict, repr=False)  # every number that it was decided with

    @property
    def reliable(self) -> bool:
        return not self.reasons

    def kept(self) -> npt.NDArray[np.int64]:
        """Pairs to accept or to review, in the order of the evidence."""
        return np.flatnonzero(self.band != REJECT)

    def accepted(self) -> npt.NDArray[np.int64]:
        return np.flatnonzero(self.band == ACCEPT)

    def to_review(self) -> npt.NDArray[np.int64]:
        return np.flatnonzero(self.band == REVIEW)
