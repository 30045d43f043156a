"""Records that no field tells apart: how many there are, told before anyone wonders why they were not linked."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pprl_desktop.codes.base import Part, Smashed
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.said import NOTHING, Said

Counts = npt.NDArray[np.int64]
Marks = npt.NDArray[np.uint64]


def groups(smashed: Smashed, progress: Progress = NO_PROGRESS) -> Counts:
    """Sizes of the groups of records that are equal in everything, two or more each; empty records are no group.

    Under noise every record differs from every other, so nothing is found.
    """
    if not smashed.parts or smashed.epsilon is not None:
        return np.zeros(0, np.int64)
    random = np.random.default_rng(0)
    key = np.zeros(smashed.rows, dtype=np.uint64)
    present = np.zeros(smashed.rows, dtype=np.bool_)
    for part in smashed.parts:
        mark = np.append(_marks(part, random, progress), np.uint64(0))  # index -1 reads the appended 0
        key += mark[part.rows]
        present |= part.rows >= 0
    progress.check()
    _, counts = np.unique(key[present], return_counts=True)
    return np.asarray(counts[counts > 1], dtype=np.int64)


def _marks(part: Part, random: np.random.Generator, progress: Progress) -> Marks:
    """A number for each value, the same for the same value: the sum of its words under random odd factors."""
    short = -part.width % 8
    width = (part.width + short) // 8
    factors = random.integers(0, 2**63, width, dtype=np.uint64) * np.uint64(2) + np.uint64(1)
    made = np.full(len(part.values), random.integers(1, 2**63, dtype=np.uint64))
    for place in range(width):
        progress.check()
        word = np.zeros((len(part.values), 8), dtype=np.uint8)
        some = part.values[:, 8 * place : 8 * place + 8]
        word[:, : some.shape[1]] = some
        made += word.view(np.uint64)[:, 0] * factors[place]
    return made


def most_equal_pairs(own: Smashed, partner: Smashed) -> int:
    """How many pairs of namesakes across the two files there can be at most (Cauchy and Schwarz)."""
    a, b = (float((sizes.astype(np.float64) ** 2).sum()) for sizes in (groups(own), groups(partner)))
    return int((a * b) ** 0.5)


def warning(smashed: Smashed, whose: Said, progress: Progress = NO_PROGRESS) -> Said:
    """Told once such records make more pairs among themselves than the file has records: a few namesakes are usual."""
    found = groups(smashed, progress)
    pairs = int((found * (found - 1) // 2).sum())
    if pairs <= smashed.rows:
        return NOTHING
    return Said(
        "{sum} records of the {whose} file are equal to others in all fields ({max} in the largest "
        "group): nothing says which of them belongs to which. Add a field that tells people apart.",
        sum=int(found.sum()),
        whose=whose,
        max=int(found.max()),
    )
