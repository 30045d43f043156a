"""Why this pair, field by field, where only one code per record was exchanged.

A party knows its own values and the partner's code. It works out which bits of the own code each field *decides* (they
would be different without it), and looks how many of them stand in the partner's code: all of them where the partner
has the same value, no more than chance where it has another one. What such a share is worth is learned from corrupted
copies of own records and from strangers, with the noise in force, so that noise makes evidence weaker and not wrong.
Nothing of it leaves: it is worked out on this computer, from what is already there. A code cannot say that a field is
missing in it, so a field that only the partner lacks looks like one that differs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from pprl_desktop.codes.base import Bytes, Decided, RecordFields
from pprl_desktop.decisions.threshold import likelihood
from pprl_desktop.decisions.threshold.tuning import Tuning
from pprl_desktop.progress import NO_PROGRESS, Progress

PAIRS_AT_ONCE = 1024  # between two looks at the cancel button

Rows = npt.NDArray[np.int64]
Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Worth:
    """Agreement of one field -> log likelihood ratio; a rising curve on even steps."""

    low: float
    step: float
    log_ratio: Numbers

    def of(self, agreement: Numbers) -> Numbers:
        there = np.nan_to_num((agreement - self.low) / self.step)
        found = self.log_ratio[np.clip(there.astype(np.int64), 0, len(self.log_ratio) - 1)]
        return np.where(np.isnan(agreement), np.nan, found)


def plain(tuning: Tuning) -> Worth:
    """Where a table is too small to learn from."""
    return Worth(0.0, 1 / 64, tuning.evidence_slope * np.linspace(-1.0, 1.0, 64))


@dataclass(frozen=True, eq=False)
class FieldEvidence:
    """Holds codes and curves, no clear value."""

    fields: RecordFields = field(repr=False)
    worth: tuple[Worth, ...] = field(repr=False)
    tuning: Tuning = field(default_factory=Tuning, repr=False)

    @property
    def names(self) -> tuple[str, ...]:
        return self.fields.names

    def of_pairs(
        self, own: Rows, codes: Bytes, index: Rows, flip: float, progress: Progress = NO_PROGRESS
    ) -> npt.NDArray[np.float32]:
        """[pairs, fields] for own rows and codes[index] of the partner; `flip` is the noise in the partner's codes."""
        made = np.empty((len(own), len(self.names)), np.float32)
        for start in range(0, len(own), PAIRS_AT_ONCE):
            progress.at(start / len(own), "Explaining pairs")
            here = slice(start, start + PAIRS_AT_ONCE)
            rows, at = np.unique(own[here], return_inverse=True)
            found = agreement(self.fields.decided(rows), at.reshape(-1), codes[index[here]], flip, self.tuning)
            for place, worth in enumerate(self.worth):
                made[here, place] = worth.of(found[:, place])
        return made


def agreement(decided: Decided, at: Rows, codes: Bytes, flip: float, tuning: Tuning) -> Numbers:
    """[pairs, fields]: 1 where all bits a field decides are found, 0 where as many as in a stranger's code.

    `at` is the place of each pair's own row among the decided ones. Shares are corrected for flipped bits, which leave
    1 - 2 flip of any difference. NaN: missing in the own record; 0: the field decides no bit.
    """
    own = decided.code[at]
    same = ~(own ^ codes)
    fill = _unflipped(_ones(codes) / (8 * codes.shape[1]), flip)
    made = np.full((len(at), len(decided.bits)), np.nan)
    for place, bits in enumerate(decided.bits):
        mine = bits[at]
        many, ones = _ones(mine), _ones(mine & own)
        share = _unflipped(_ones(mine & same) / np.maximum(many, 1), flip)
        chance = (ones * fill + (many - ones) * (1 - fill)) / np.maximum(many, 1)
        above = (share - chance) / np.maximum(1 - chance, tuning.least_room)
        made[:, place] = np.where(many > 0, above, 0.0)
    made[decided.missing[at]] = np.nan
    return made


def _unflipped(share: Numbers, flip: float) -> Numbers:
    return (share - flip) / max(1 - 2 * flip, 1e-9)


def _ones(codes: Bytes) -> Numbers:
    counted: Numbers = np.bitwise_count(codes).sum(axis=1, dtype=np.int64).astype(np.float64)
    return counted


def learn_evidence(
    fields: RecordFields, rows: Rows, copies: Bytes, flip: float, random: np.random.Generator, tuning: Tuning
) -> FieldEvidence:
    """`copies` are the codes of corrupted copies of own `rows`, with the noise in force."""
    if len(rows) < tuning.few:
        return FieldEvidence(fields, (plain(tuning),) * len(fields.names), tuning)
    same, others = [], []
    for start in range(0, len(rows), PAIRS_AT_ONCE):
        here = np.arange(start, min(start + PAIRS_AT_ONCE, len(rows)))
        decided, own = fields.decided(rows[here]), np.arange(len(here))
        same.append(agreement(decided, own, copies[here], flip, tuning))
        for step in random.integers(1, len(rows), size=tuning.strangers):
            others.append(agreement(decided, own, copies[(here + step) % len(rows)], flip, tuning))
    matches, strangers = np.concatenate(same), np.concatenate(others)
    return FieldEvidence(
        fields, tuple(_worth(m, s, tuning) for m, s in zip(matches.T, strangers.T, strict=True)), tuning
    )


def _worth(matches: Numbers, strangers: Numbers, tuning: Tuning) -> Worth:
    matches, strangers = matches[~np.isnan(matches)], strangers[~np.isnan(strangers)]
    if len(matches) < tuning.few:
        return plain(tuning)
    on = likelihood.axis(matches, strangers, strangers, tuning)
    # one width for both: what is as wide as the noise must not look like a difference between them
    spread = likelihood.spread_of(matches)
    same = likelihood.match_mass(on, on.count(matches), spread, tuning)
    other = likelihood.match_mass(on, on.count(strangers), spread, tuning)
    most = math.log(len(strangers))  # no more is claimed than so many strangers can show
    ratio = np.clip(likelihood.log_ratio(same, other), -most, most)
    return Worth(on.low, on.step, ratio)
